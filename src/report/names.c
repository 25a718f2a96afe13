/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words for the values of a result, and the one number a shell sees of it. They are an
 * interface: programs compare them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <diskwipe/job.h>
#include <diskwipe/proof.h>
#include <diskwipe/units.h>

#include "report/result.h"

const char *const dw_outcome_words[] = {
	[DW_OUTCOME_NONE] = "pending",
	[DW_OUTCOME_ERASED] = "erased",
	[DW_OUTCOME_FAILED] = "failed",
	[DW_OUTCOME_EXCEPTIONS] = "erased-with-exceptions",
	[DW_OUTCOME_STOPPED] = "stopped",
	[DW_OUTCOME_REMOVED] = "removed",
};

const char *dw_outcome_name(enum dw_outcome o, bool verify_only)
{
	if (verify_only && o == DW_OUTCOME_ERASED)
		return "as-expected";
	if (verify_only && o == DW_OUTCOME_EXCEPTIONS)
		return "not-as-expected";
	return dw_outcome_words[(unsigned)o <= DW_OUTCOME_REMOVED ? o : DW_OUTCOME_NONE];
}

const char *const dw_verified_words[] = {
	[DW_VERIFIED_NONE] = "none",
	[DW_VERIFIED_PART] = "part",
	[DW_VERIFIED_SAMPLE] = "sample",
	[DW_VERIFIED_FULL] = "full",
};

const char *dw_verified_name(enum dw_verified v)
{
	return dw_verified_words[v];
}

/* Two digits, rounded up: it is a bound. */
static const char *percent_text(double share, char *buf, size_t size)
{
	double unit = 1, percent = 100 * share;

	while (percent / unit < 10 && unit > 1e-9)
		unit /= 10;
	percent = ceil(percent / unit - 1e-6) * unit;
	snprintf(buf, size, "%.*f %%", unit < 1 ? (int)round(-log10(unit)) : 0, percent);
	return buf;
}

const char *dw_verified_text(const struct dw_disk_result *disk, char *buf, size_t size)
{
	char read[DW_UNIT_TEXT], of[DW_UNIT_TEXT], bound[DW_UNIT_TEXT], more[96] = "";

	dw_count_format(disk->verify.read, read, sizeof(read));
	dw_count_format(disk->info.blocks, of, sizeof(of));
	if (disk->verify.mismatches)
		snprintf(more, sizeof(more), "; %s differ",
			 dw_count_format(disk->verify.mismatches, bound, sizeof(bound)));
	else if (disk->verify.done == DW_VERIFIED_SAMPLE &&
		 disk->verify.bound > DW_PROOF_BOUND)
		snprintf(more, sizeof(more),
			 "; too few to prove anything about the others");
	else if (disk->verify.done == DW_VERIFIED_SAMPLE && disk->verify.bound > 0)
		snprintf(more, sizeof(more),
			 "; at most %s of the blocks may differ, 99 %% confidence",
			 percent_text(disk->verify.bound, bound, sizeof(bound)));
	if (disk->verify.done == DW_VERIFIED_NONE && disk->verify.places)
		snprintf(buf, size, "%s places read before and after; all changed",
			 dw_count_format(disk->verify.places, read, sizeof(read)));
	else if (disk->verify.done == DW_VERIFIED_NONE)
		snprintf(buf, size, "none%s",
			 strcmp(disk->verify.mode, "off") != 0 ? "" : ", as asked");
	else if (disk->verify.done == DW_VERIFIED_FULL)
		snprintf(buf, size, "full: all %s blocks%s", of, more);
	else
		snprintf(buf, size, "%s: %s of %s blocks%s",
			 dw_verified_name(disk->verify.done), read, of, more);
	return buf;
}

const char *const dw_hidden_words[] = {
	[DW_HIDDEN_NONE] = "",           [DW_HIDDEN_MODE_SELECT] = "mode-select",
	[DW_HIDDEN_HPA] = "hpa",         [DW_HIDDEN_AMA] = "ama",
	[DW_HIDDEN_ADAPTER] = "adapter", [DW_HIDDEN_ELEMENT] = "element",
	[DW_HIDDEN_DCO] = "dco",         [DW_HIDDEN_NAMESPACE] = "namespace",
};

const char *const dw_exception_words[] = {
	[DW_UNWRITABLE] = "unwritable",
	[DW_UNREADABLE] = "unreadable",
	[DW_MISMATCH] = "mismatch",
	[DW_UNSTEADY] = "unsteady",
};

const char *dw_exception_name(enum dw_exception_kind k)
{
	return dw_exception_words[k];
}

const char *const dw_phase_words[] = {
	[DW_PHASE_WAITING] = "waiting",     [DW_PHASE_WRITE] = "writing",
	[DW_PHASE_FLUSH] = "flushing",      [DW_PHASE_VERIFY] = "verifying",
	[DW_PHASE_REPAIR] = "repairing",    [DW_PHASE_RECOVER] = "recovering",
	[DW_PHASE_DONE] = "done",           [DW_PHASE_PAUSED] = "paused",
	[DW_PHASE_SANITIZE] = "sanitizing", [DW_PHASE_POWER_CYCLE] = "power-cycling",
};

const char *dw_phase_name(enum dw_phase p)
{
	return dw_phase_words[p];
}

static bool mismatched(const struct dw_disk_result *d)
{
	if (d->outcome == DW_OUTCOME_ERASED)
		return false; /* what differed was written and read again */
	for (uint32_t i = 0; i < d->n_exceptions; i++)
		if (d->exception[i].kind == DW_MISMATCH)
			return true;
	return d->verify.mismatches > 0;
}

static bool misses_purge(const struct dw_job_result *result)
{
	for (size_t i = 0; i < result->n_refused; i++)
		if (result->refused[i].verdict.refusal == DW_REFUSAL_PURGE)
			return true;
	return false;
}

int dw_job_exit_code(const struct dw_job_result *result)
{
	size_t bad = 0;
	bool mismatch = false, stopped = false;

	if (!result->n_disks)
		return misses_purge(result) ? 3 : 2;
	for (size_t i = 0; i < result->n_disks; i++) {
		const struct dw_disk_result *d = &result->disk[i];

		bad += d->outcome != DW_OUTCOME_ERASED;
		mismatch |= mismatched(d);
		stopped |= d->outcome == DW_OUTCOME_STOPPED;
	}
	if (mismatch)
		return 5;
	if (stopped)
		return 6;
	if (!bad)
		return misses_purge(result) ? 3 : 0;
	return bad == result->n_disks ? 4 : 3;
}

const char *dw_hidden_name(enum dw_hidden by)
{
	return (size_t)by < DW_HIDDEN_COUNT ? dw_hidden_words[by] : "";
}

uint64_t dw_disk_restorable(const struct dw_disk_info *info)
{
	if (info->hidden_by == DW_HIDDEN_ELEMENT ||
	    info->hidden_by == DW_HIDDEN_ADAPTER ||
	    info->hidden_by == DW_HIDDEN_NAMESPACE)
		return 0;
	return info->hidden_blocks;
}

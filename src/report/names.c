/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words for the values of a result, and the one number a shell sees of it. They are an
 * interface: programs compare them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <diskwipe/job.h>
#include <diskwipe/units.h>

const char *dw_outcome_name(enum dw_outcome o, bool verify_only)
{
	switch (o) {
	case DW_OUTCOME_ERASED:
		return verify_only ? "as-expected" : "erased";
	case DW_OUTCOME_EXCEPTIONS:
		return verify_only ? "not-as-expected" : "erased-with-exceptions";
	case DW_OUTCOME_FAILED:
		return "failed";
	case DW_OUTCOME_STOPPED:
		return "stopped";
	case DW_OUTCOME_REMOVED:
		return "removed";
	case DW_OUTCOME_NONE:
		break;
	}
	return "pending";
}

const char *dw_verified_name(enum dw_verified v)
{
	switch (v) {
	case DW_VERIFIED_PART:
		return "part";
	case DW_VERIFIED_SAMPLE:
		return "sample";
	case DW_VERIFIED_FULL:
		return "full";
	case DW_VERIFIED_NONE:
		break;
	}
	return "none";
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
	else if (disk->verify.done == DW_VERIFIED_SAMPLE && disk->verify.bound > 0 &&
		 disk->verify.bound < 1)
		snprintf(more, sizeof(more),
			 "; at most %s of the blocks may differ, 99 %% confidence",
			 percent_text(disk->verify.bound, bound, sizeof(bound)));
	if (disk->verify.done == DW_VERIFIED_NONE)
		snprintf(buf, size, "none%s",
			 strcmp(disk->verify.mode, "off") != 0 ? "" : ", as asked");
	else if (disk->verify.done == DW_VERIFIED_FULL)
		snprintf(buf, size, "full: all %s blocks%s", of, more);
	else
		snprintf(buf, size, "%s: %s of %s blocks%s",
			 dw_verified_name(disk->verify.done), read, of, more);
	return buf;
}

const char *dw_exception_name(enum dw_exception_kind k)
{
	switch (k) {
	case DW_UNWRITABLE:
		return "unwritable";
	case DW_UNREADABLE:
		return "unreadable";
	case DW_UNSTEADY:
		return "unsteady";
	case DW_MISMATCH:
		break;
	}
	return "mismatch";
}

const char *dw_phase_name(enum dw_phase p)
{
	switch (p) {
	case DW_PHASE_WAITING:
		return "waiting";
	case DW_PHASE_WRITE:
		return "writing";
	case DW_PHASE_FLUSH:
		return "flushing";
	case DW_PHASE_VERIFY:
		return "verifying";
	case DW_PHASE_REPAIR:
		return "repairing";
	case DW_PHASE_RECOVER:
		return "recovering";
	case DW_PHASE_PAUSED:
		return "paused";
	case DW_PHASE_SANITIZE:
		return "sanitizing";
	case DW_PHASE_DONE:
		break;
	}
	return "done";
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

int dw_job_exit_code(const struct dw_job_result *result)
{
	size_t bad = 0;
	bool mismatch = false, stopped = false;

	if (!result->n_disks)
		return 2;
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
		return 0;
	return bad == result->n_disks ? 4 : 3;
}

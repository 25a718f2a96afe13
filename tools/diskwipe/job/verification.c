/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of the disks is read after the last pass, for people.
 */
#include "job/verification.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLACES   "places that are read before and after"
#define BY_DISKS "by the disks where they can compare their blocks, once tried; else full"

#define AT_LENGTH                                                                          \
	"by the disks where a forecast by measured speeds says that a link is the limit; " \
	"else full"

bool cli_verification_method(const char *name, struct dw_method_info *ret)
{
	for (size_t i = 0; dw_method_info_get(i, ret); i++)
		if (!strcmp(ret->name, name))
			return true;
	return false;
}

/* A sample that proves too little is made larger, or the disk is read in full; the forecast has the
 * plans of the disks. */
static bool print_sample(double percent, const struct dw_forecast *f, char *buf,
			 size_t size)
{
	size_t full = 0, raised = 0;
	double most = 0;
	int n;

	for (size_t i = 0; f && i < f->n; i++) {
		full += f->disk[i].verify_share >= 1;
		if (f->disk[i].verify_share >= 1 ||
		    100 * f->disk[i].verify_share <= percent * (1 + 1e-9))
			continue;
		raised++;
		most = fmax(most, 100 * f->disk[i].verify_share);
	}
	if (f && full == f->n) {
		snprintf(buf, size,
			 "full (a sample of %g %% of so few blocks proves too little)",
			 percent);
		return true;
	}
	n = snprintf(buf, size, "a sample of %g %%", percent);
	if (raised)
		n += snprintf(buf + n, size - (size_t)n,
			      " (up to %.2g %% on %zu disk%s, as less proves too little)",
			      most, raised, raised == 1 ? "" : "s");
	if (full)
		snprintf(buf + n, size - (size_t)n, "; %zu disk%s in full, as %s small",
			 full, full == 1 ? "" : "s", full == 1 ? "it is" : "they are");
	return raised || full;
}

/* What "auto" came to, and why: by this forecast, or before. */
static void print_choice(const struct dw_job_spec *spec, const struct dw_forecast *f,
			 char *buf, size_t size)
{
	bool device = spec->verify_chosen == DW_VERIFY_DEVICE;
	const char *how = device ? "compared by the disks" : "full";
	char a[DW_UNIT_TEXT], b[DW_UNIT_TEXT];
	size_t able = 0;
	int n;

	if (spec->verify_chosen == DW_VERIFY_DEFAULT && !f) {
		snprintf(buf, size, "%s", AT_LENGTH);
		return;
	}
	if (!f || !f->verify_chosen[0]) {
		snprintf(buf, size, "%s, as was chosen before", how);
		return;
	}
	n = snprintf(buf, size, "%s, because %s", how, f->verify_why);
	if (!device || n < 0 || (size_t)n >= size)
		return;
	n += snprintf(
		buf + n, size - (size_t)n, ": %s instead of %s",
		dw_duration_format((uint64_t)(f->verify_device * 1e9), a, sizeof(a)),
		dw_duration_format((uint64_t)(f->verify_full * 1e9), b, sizeof(b)));
	for (size_t i = 0; i < f->n; i++)
		able += f->disk[i].compares;
	if (able < f->n && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, "; %zu of %zu cannot and are read",
			 f->n - able, f->n);
}

bool cli_verification_say(const struct dw_job_spec *spec, const struct dw_forecast *f,
			  char *buf, size_t size)
{
	static const char *const words[] = {
		[DW_VERIFY_DEFAULT] = PLACES,
		[DW_VERIFY_OFF] = "off",
		[DW_VERIFY_FULL] = "full",
		[DW_VERIFY_DEVICE] = BY_DISKS,
	};
	enum dw_verify_kind kind = spec->verify;
	double percent = spec->verify_percent;
	struct dw_method_info m;

	if (kind == DW_VERIFY_AUTO) {
		print_choice(spec, f, buf, size);
		return true;
	}
	if (spec->pattern[0]) {
		kind = kind == DW_VERIFY_DEFAULT ? DW_VERIFY_SAMPLE : kind;
	} else if (cli_verification_method(spec->method, &m)) {
		kind = kind == DW_VERIFY_DEFAULT ? m.verify : kind;
		percent = fmax(percent, m.verify_percent);
	}
	if (kind == DW_VERIFY_DEFAULT && !strcmp(spec->method, "auto")) {
		snprintf(buf, size, "%s", PLACES "; of what is overwritten a sample");
		return false;
	}
	if (!words[kind] && percent >= 100)
		kind = DW_VERIFY_FULL;
	if (!words[kind])
		return print_sample(percent, f, buf, size);
	snprintf(buf, size, "%s", words[kind]);
	return false;
}

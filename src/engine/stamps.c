/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When a job looks whether its disk has as many blocks as addresses, and what it does about one
 * that has not: before the first write it is refused, after the last pass it fails. What the looks
 * are, and why these two, is in own/stamps.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "engine/internal.h"
#include "judge/verdict.h"
#include "own/stamps.h"

#define LOOKS 3 /* until each block keeps its stamp: one may be lost by accident */

/* A disk that loses what is written to it does so at each look. */
static int look_at_addresses(struct dw_device *device, const struct dw_stamp_terms *terms,
			     struct dw_stamp_found *ret)
{
	uint32_t write_errors = 0;
	int r = 0;

	for (int i = 0; i < LOOKS; i++) {
		r = dw_device_stamps(device, terms, ret);
		write_errors += ret->write_errors;
		if (r || ret->verdict.wraps || ret->same_fails || !ret->verdict.odd)
			break;
	}
	ret->write_errors = write_errors;
	return r;
}

/* "addresses wrap at 65536: ..."; false when they do not */
static bool say_wrap(const struct dw_stamp_found *f, char *buf, size_t size)
{
	const struct dw_stamp_verdict *v = &f->verdict;

	if (v->wraps)
		snprintf(
			buf, size,
			"addresses wrap at %llu: it is the same block as %llu; the rest of "
			"the disk cannot be reached here, use another adapter or bridge",
			(unsigned long long)v->at, (unsigned long long)v->onto);
	else if (f->same_wraps)
		snprintf(buf, size,
			 "addresses of WRITE SAME wrap: block %llu is not reached by it; "
			 "choose the command write",
			 (unsigned long long)f->kept_lba);
	return v->wraps || f->same_wraps;
}

/* It is a short cut, and tried on blocks that were just seen to take WRITE. */
static void drop_same(struct job_disk *d)
{
	d->same_failed = true;
	d->plan.ws_max = 0;
	d->plan.command = DW_PLAN_WRITE;
}

int job_stamps_before(struct job_disk *d, struct dw_verdict *v)
{
	struct dw_stamp_terms terms = { .fua = d->plan.fua };
	struct dw_device *path[DW_PATHS_MAX];
	struct dw_stamp_found found;
	char text[200];
	size_t n;
	int r;

	if (d->plan.verify_only || !d->device || !d->device->claimed ||
	    d->device->operating)
		return 0;
	n = job_paths_devices(d, path);
	for (size_t i = 0; i < n; i++) {
		terms.same = d->plan.ws_max > 0;
		r = look_at_addresses(path[i], &terms, &found);
		d->write_errors += found.write_errors;
		if (r == -ENOMEM)
			return r;
		if (r == -ESTALE)
			return dw_verdict_set(v, DW_REFUSAL_CHANGED,
					      "another disk answers at this node now");
		if (found.same_fails)
			drop_same(d);
		/* of one that cannot be written or read the job tells more */
		if (say_wrap(&found, text, sizeof(text)))
			return dw_verdict_set(v, DW_REFUSAL_ADDRESSES, "%s", text);
		if (!r && found.verdict.ends)
			return dw_verdict_set(
				v, DW_REFUSAL_ERROR,
				"nothing is kept that is written from block %llu on: it has "
				"fewer blocks than it shows, or cannot be written to here; "
				"use another adapter or bridge",
				(unsigned long long)found.verdict.end_lba);
	}
	return 0;
}

/** struct last_pass - what a stamp is erased with, and where none is written */
struct last_pass {
	struct dw_source *source;
	const struct dw_disk_state *st;
};

static int fill_pattern(void *ctx, uint64_t lba, uint8_t *block)
{
	const struct last_pass *p = ctx;

	return dw_source_fill(p->source, lba, 1, block);
}

static bool is_fault(void *ctx, uint64_t lba)
{
	const struct last_pass *p = ctx;

	for (uint32_t i = 0; i < p->st->n_faults; i++)
		if (lba - p->st->fault[i].lba < p->st->fault[i].nlb)
			return true;
	return false;
}

/* What cut it off, in the words of the core, which begins the settling anew after that. */
static uint8_t class_of(int r, bool lost)
{
	if (r == -ENODEV || r == -ENXIO)
		return DW_CLASS_GONE;
	if (r == -ESTALE || r == -EACCES || r == -EPERM)
		return DW_CLASS_FAILED;
	return lost ? DW_CLASS_RESET : DW_CLASS_RETRY;
}

static void judge_after(struct job_disk *d, const struct dw_stamp_found *f,
			struct job_stamps *s)
{
	bool full = d->plan.pass[s->st->pass].verify == DW_VERIFY_FULL;

	if (say_wrap(f, s->text, sizeof(s->text))) {
		s->class = DW_CLASS_FAILED;
	} else if (f->same_fails) {
		s->class = DW_CLASS_UNSUPPORTED;
		snprintf(s->text, sizeof(s->text),
			 "WRITE SAME does nothing any more, or fails");
	} else if (f->kept) {
		s->class = DW_CLASS_RETRY;
		snprintf(s->text, sizeof(s->text),
			 "block %llu does not hold what was written to it last",
			 (unsigned long long)f->kept_lba);
	} else if (f->verdict.odd) {
		s->class = DW_CLASS_FAILED;
		snprintf(
			s->text, sizeof(s->text),
			"block %llu, and %u others of those where addresses are compared, "
			"do not keep what is written to them",
			(unsigned long long)f->verdict.odd_lba, f->verdict.odd - 1);
	} else if (f->missed && !full) {
		s->class = DW_CLASS_FAILED;
		snprintf(
			s->text, sizeof(s->text),
			"block %llu, and %u others of those where addresses are compared, "
			"do not hold what was written to them; verify in full",
			(unsigned long long)f->missed_lba, f->missed - 1);
	}
}

void job_stamps_after(struct job_disk *d, struct job_stamps *s)
{
	struct last_pass pass = { .source = d->source[s->st->pass], .st = s->st };
	const struct dw_stamp_terms terms = {
		.strict = true,
		.fua = d->plan.fua,
		.same = s->st->passes[s->st->pass].used_ws && !s->st->ws_dropped,
		.zeros = dw_source_is_zero(pass.source),
		.fill = fill_pattern,
		.skip = is_fault,
		.ctx = &pass,
	};
	struct dw_stamp_found found;
	int r;

	s->class = DW_CLASS_RETRY;
	snprintf(s->text, sizeof(s->text), "no path of it is sure");
	if (!s->device)
		return;
	r = look_at_addresses(s->device, &terms, &found);
	s->write_errors = found.write_errors;
	s->class = r ? class_of(r, found.lost) : DW_CLASS_OK;
	if (r == -ESTALE)
		snprintf(s->text, sizeof(s->text),
			 "identity changed: another disk answers");
	else if (r)
		snprintf(s->text, sizeof(s->text), "its addresses cannot be compared: %s",
			 strerror(-r));
	else
		judge_after(d, &found, s);
	d->stranger |= r == -ESTALE;
}

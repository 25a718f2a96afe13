/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks that are not known to be erased, sorted by LBA. Adjacent blocks of one kind and
 * cause are one fault; a block has at most one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "core/internal.h"

static size_t first_fault(const struct core_disk *d, uint64_t lba)
{
	size_t lo = 0, hi = d->state.faults.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->state.faults.v[mid].lba < lba)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint64_t core_fault_end(const struct core_disk *d, uint64_t lba)
{
	size_t i = first_fault(d, lba + 1);
	const struct dw_fault *f = i ? &d->state.faults.v[i - 1] : NULL;

	return f ? dw_max_u64(f->lba + f->nlb, lba) : lba;
}

bool core_fault_has(const struct core_disk *d, uint64_t lba, uint64_t nlb)
{
	uint64_t end = lba + nlb, next = core_fault_end(d, lba);

	for (; lba < end && next > lba; next = core_fault_end(d, lba))
		lba = next;
	return lba >= end;
}

static bool joins(const struct dw_fault *a, const struct dw_fault *b)
{
	return a->lba + a->nlb == b->lba && a->kind == b->kind && a->pass == b->pass &&
	       a->sense_key == b->sense_key && a->asc == b->asc && a->ascq == b->ascq;
}

/* the fault and the next one as one, if they are */
static void join_next(struct core_disk *d, size_t i)
{
	struct dw_fault *v = d->state.faults.v;

	if (i + 1 >= d->state.faults.n || !joins(&v[i], &v[i + 1]))
		return;
	v[i].nlb += v[i + 1].nlb;
	d->state.faults.n--;
	memmove(&v[i + 1], &v[i + 2], (d->state.faults.n - i - 1) * sizeof(*v));
}

static int insert(struct core_disk *d, const struct dw_fault *f)
{
	size_t i = first_fault(d, f->lba);

	if (dw_room(&d->state.faults.v, d->state.faults.n, &d->state.faults.cap,
		    sizeof(*f)) < 0)
		return -ENOMEM;
	memmove(&d->state.faults.v[i + 1], &d->state.faults.v[i],
		(d->state.faults.n - i) * sizeof(*f));
	d->state.faults.v[i] = *f;
	d->state.faults.n++;
	join_next(d, i);
	if (i)
		join_next(d, i - 1);
	return 0;
}

/* A verification that cannot erase any more ends when it has found enough. */
static void check_limit(struct core_disk *d)
{
	uint64_t blocks = 0;

	if (d->rec.end || d->state.phase == DW_CORE_WRITE ||
	    d->state.phase == DW_CORE_REPAIR)
		return;
	for (uint32_t i = 0; i < d->state.faults.n; i++)
		if (d->state.faults.v[i].kind != DW_UNWRITABLE)
			blocks += d->state.faults.v[i].nlb;
	if (blocks <= d->rules.exception_limit)
		return;
	d->rec.end = DW_END_FAILED;
	snprintf(d->rec.reason, sizeof(d->rec.reason),
		 "more than %llu blocks could not be erased or verified",
		 (unsigned long long)d->rules.exception_limit);
	d->state.fenced = true;
}

static struct dw_fault fault_of(const struct core_disk *d, uint8_t kind,
				const struct dw_result *r)
{
	struct dw_fault f = { .kind = kind, .pass = d->state.pass };

	if (r) {
		f.sense_key = r->sense_key;
		f.asc = r->asc;
		f.ascq = r->ascq;
	}
	return f;
}

/* blocks that already are faults stay what they were; @report: an event for each new run */
static uint64_t add(struct dw_core *c, struct core_disk *d, struct dw_fault f,
		    uint64_t end, bool report)
{
	uint64_t added = 0;

	for (uint64_t at = f.lba; at < end; at = f.lba + f.nlb) {
		size_t i;

		f.lba = core_fault_end(d, at);
		f.nlb = 0;
		if (f.lba != at)
			continue;
		i = first_fault(d, at);
		f.nlb = dw_min_u64(end, i < d->state.faults.n ? d->state.faults.v[i].lba
							      : end) -
			at;
		core_set_error(c, insert(d, &f));
		if (report)
			core_event_new(c, d, DW_CORE_EVENT_FAULT)->fault = f;
		added += f.nlb;
	}
	return added;
}

uint64_t core_fault_add(struct dw_core *c, struct core_disk *d, uint8_t kind,
			uint64_t lba, uint64_t nlb, const struct dw_result *r)
{
	struct dw_fault f = fault_of(d, kind, r);
	uint64_t added;

	f.lba = lba;
	added = add(c, d, f, lba + nlb, true);
	check_limit(d);
	return added;
}

void core_fault_doubt(struct dw_core *c, struct core_disk *d, uint64_t lba, uint64_t nlb,
		      const struct dw_result *r)
{
	struct dw_fault f = fault_of(d, DW_UNWRITABLE, r);

	f.lba = lba;
	add(c, d, f, lba + nlb, false);
}

/* without @at to @end */
static int take_out(struct core_disk *d, size_t i, uint64_t at, uint64_t end)
{
	struct dw_fault f = d->state.faults.v[i], part = f;
	uint64_t f_end = f.lba + f.nlb;
	int r = 0;

	d->state.faults.n--;
	memmove(&d->state.faults.v[i], &d->state.faults.v[i + 1],
		(d->state.faults.n - i) * sizeof(f));
	part.nlb = at > f.lba ? at - f.lba : 0;
	if (part.nlb)
		r = insert(d, &part);
	part.lba = end;
	part.nlb = f_end > end ? f_end - end : 0;
	if (part.nlb && !r)
		r = insert(d, &part);
	return r;
}

void core_fault_repaired(struct dw_core *c, struct core_disk *d, uint64_t lba,
			 uint64_t nlb)
{
	uint64_t end = lba + nlb, next;

	for (uint64_t at = lba; at < end; at = next) {
		size_t i = first_fault(d, at + 1);
		const struct dw_fault *f = d->state.faults.v;

		next = dw_min_u64(end, i < d->state.faults.n ? f[i].lba : end);
		if (core_fault_end(d, at) == at)
			continue;
		next = dw_min_u64(end, core_fault_end(d, at));
		if (f[i - 1].kind == DW_UNWRITABLE && f[i - 1].pass == d->state.pass)
			core_set_error(c, take_out(d, i - 1, at, next));
		if (c->error)
			return;
	}
}

void core_fault_reported(struct dw_core *c, struct core_disk *d, uint64_t lba,
			 uint64_t nlb, const struct dw_result *r)
{
	struct dw_fault f = fault_of(d, DW_UNWRITABLE, r);

	core_fault_repaired(c, d, lba, nlb);
	f.lba = lba;
	add(c, d, f, lba + nlb, true);
}

/* the parts of @f that the sweep has met before @mark; in another order than upwards, neighbours
 * may be far from each other in the sweep */
static int keep_below(struct core_disk *d, const struct dw_fault *f, uint64_t mark)
{
	uint64_t end = f->lba + f->nlb, run;
	struct dw_fault part = *f;
	int r = 0;

	for (; part.lba < end && !r; part.lba += run) {
		uint64_t pos = dw_order_pos(&d->plan.order, part.lba, &run);

		run = dw_min_u64(run, end - part.lba);
		part.nlb = pos < mark ? dw_min_u64(run, mark - pos) : 0;
		if (part.nlb)
			r = insert(d, &part);
	}
	return r;
}

void core_fault_cut(struct dw_core *c, struct core_disk *d, uint8_t pass, uint64_t mark)
{
	struct dw_fault *was = d->state.faults.v;
	uint32_t n = d->state.faults.n;
	int r = 0;

	d->state.faults.v = NULL;
	d->state.faults.n = d->state.faults.cap = 0;
	for (uint32_t i = 0; i < n && !r; i++) {
		if (was[i].kind != DW_UNWRITABLE || was[i].pass < pass)
			r = insert(d, &was[i]);
		else if (was[i].pass == pass)
			r = keep_below(d, &was[i], mark);
	}
	free(was);
	core_set_error(c, r);
	core_zoned_keep(c, d);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What came of blocks that were read and compared by the host. */
#include "base/util.h"
#include "core/internal.h"

/* runs of blocks that differ: read again once, then they are faults */
static void mismatched(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		       const struct dw_result *r)
{
	for (uint8_t i = 0; i < r->n_runs; i++) {
		struct dw_extent run = { .lba = r->run[i].lba,
					 .nlb = r->run[i].nlb,
					 .tries = s->extent.tries + 1 };

		if (!s->extent.tries) {
			core_set_error(c, dw_extents_merge(&d->verify.differed, run.lba,
							   run.nlb));
			core_set_error(c, dw_cursor_give_back(&d->cursor, &run));
			continue;
		}
		/* blocks that could not be written are known, and say nothing of others */
		d->state.verify.mismatches +=
			core_fault_add(c, d, DW_MISMATCH, run.lba, run.nlb, NULL);
		d->state.verify.differ += run.nlb;
		d->state.work_done += run.nlb;
	}
}

static bool differs(const struct dw_result *r, uint64_t lba)
{
	for (uint8_t i = 0; i < r->n_runs; i++)
		if (lba >= r->run[i].lba && lba - r->run[i].lba < r->run[i].nlb)
			return true;
	return false;
}

/* Right now and wrong before: what is read there depends on who answers, or on luck. */
static void unsteady(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		     const struct dw_result *r)
{
	uint64_t end = s->extent.lba + r->compared;

	for (uint64_t at = s->extent.lba; at < end && d->verify.differed.n; at++)
		if (dw_extents_has(&d->verify.differed, at) && !differs(r, at))
			core_fault_add(c, d, DW_UNSTEADY, at, 1, NULL);
}

/* units of the sample that were read whole: a unit may take several commands */
static uint64_t units_read(const struct core_disk *d)
{
	uint64_t blocks = d->verify.sampled > 0 ? (uint64_t)d->verify.sampled : 0;

	if (blocks >= d->verify.blocks)
		blocks = d->verify.blocks + d->verify.unit - 1; /* the last is short */
	return blocks / d->verify.unit;
}

uint64_t core_disk_sampled(const struct core_disk *d)
{
	return d->verify.earlier_blocks +
	       (d->verify.sampled > 0 ? (uint64_t)d->verify.sampled : 0);
}

static void compared(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		     const struct dw_result *r)
{
	uint64_t good = r->compared, differ = 0;

	if (d->cursor.sampled) {
		d->verify.sampled += s->extent.tries ? 0 : (int64_t)r->compared;
		d->state.verify.units = d->verify.earlier + units_read(d);
		d->state.verify.sampled = core_disk_sampled(d);
	} else if (!s->extent.tries && d->state.phase == DW_CORE_VERIFY) {
		d->state.verify.units++;
	}
	for (uint8_t i = 0; i < r->n_runs; i++)
		differ += r->run[i].nlb;
	if (r->compared < s->extent.nlb) {
		struct dw_extent rest = s->extent;

		rest.lba += r->compared;
		rest.nlb -= r->compared;
		core_set_error(c, dw_cursor_give_back(&d->cursor, &rest));
	}
	if (s->extent.tries)
		unsteady(c, d, s, r);
	mismatched(c, d, s, r);
	good -= dw_min_u64(differ, good);
	d->state.verify.blocks += good;
	d->state.verify.bytes += good * d->plan.block_size;
	d->state.work_done += good;
	d->state.position = s->extent.lba + s->extent.nlb;
}

static void count_read(struct core_disk *d, const struct core_slot *slot,
		       const struct dw_result *r)
{
	uint64_t from = dw_max_u64(r->start_ns, d->reads.end_ns);
	double s = r->end_ns > from ? (double)(r->end_ns - from) / 1e9 : 0;

	d->reads.end_ns = dw_max_u64(r->end_ns, d->reads.end_ns);
	d->reads.blocks += slot->extent.nlb;
	d->reads.n++;
	d->reads.s += s;
	d->reads.s2 += s * s;
}

void core_read_good(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		    const struct dw_result *r)
{
	count_read(d, s, r);
	compared(c, d, s, r);
}

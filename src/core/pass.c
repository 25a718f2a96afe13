/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a pass of each kind begins, and which blocks its verification visits.
 */
#include "core/internal.h"

#define SWEEP_SEED UINT64_C(0x9e3779b97f4a7c15)
#define COPY_SEED  UINT64_C(0xbf58476d1ce4e5b9)

/**
 * struct pass_kind - one kind of pass
 * @begin: at a position of the sweep
 * @whole: every block is erased before anything is verified
 */
struct pass_kind {
	void (*begin)(struct core_disk *d, uint64_t lba);
	bool whole;
};

static const struct dw_order *order_of(const struct core_disk *d)
{
	return d->plan.order.n ? &d->plan.order : NULL;
}

/* what was read back of an earlier pass says nothing of this one */
static void forget_verified(struct core_disk *d)
{
	d->verify.earlier = d->state.verify.units = 0;
	d->verify.earlier_blocks = d->state.verify.sampled = 0;
	d->state.verify.blocks = d->state.verify.differ = 0;
	d->state.verify.total = 0;
}

/* @lba: a position of the sweep */
static void begin_whole(struct core_disk *d, uint64_t lba, uint8_t phase)
{
	d->state.phase = phase;
	d->rate.phase_base = d->state.work_done;
	d->state.mark = lba;
	d->state.position = lba;
	d->flush.elsewhere = d->flush.lost = 0;
	d->zone = (struct core_zone){ 0 };
	forget_verified(d);
	dw_extents_deinit(&d->verify.touched);
	dw_extents_deinit(&d->verify.unreadable);
	dw_extents_deinit(&d->verify.differed);
	dw_extents_deinit(&d->flush.repaired);
	dw_cursor_order(&d->cursor, lba, d->plan.blocks, d->plan.physical, order_of(d));
	core_zoned_begin(d, lba);
}

static void begin_write(struct core_disk *d, uint64_t lba)
{
	begin_whole(d, lba, DW_CORE_WRITE);
}

static void begin_operation(struct core_disk *d, uint64_t lba)
{
	begin_whole(d, lba, DW_CORE_OPERATE);
	core_operation_init(d);
}

/* a sample over the whole disk; of a copy one of several, each drawn by itself */
void core_pass_sweep(struct core_disk *d)
{
	double percent = d->plan.percent / (core_copies_cut(d) ? DW_COPIES_SWEEPS : 1);
	struct dw_sample sample;

	dw_sample_init(&sample, d->plan.blocks, d->limits.data, percent,
		       d->plan.seed + d->state.pass +
			       SWEEP_SEED * (d->state.verify.sweeps - 1) +
			       COPY_SEED * (core_copies_cut(d) && d->pair->disk[1] == d));
	d->state.verify.total = (d->plan.blocks + d->limits.data - 1) / d->limits.data;
	dw_cursor_sample(&d->cursor, &sample);
	d->verify.unit = d->limits.data;
	d->verify.blocks = d->cursor.sample_blocks;
	/* every block that saw an error is read, last, and counts for no unit */
	d->verify.sampled = -(int64_t)d->verify.touched.blocks;
	d->cursor.tail = d->verify.touched;
	d->verify.touched = (struct dw_extents){ 0 };
}

void core_pass_verify(struct core_disk *d)
{
	d->state.phase = DW_CORE_VERIFY;
	d->zone = (struct core_zone){ 0 };
	d->rate.phase_base = d->state.work_done;
	forget_verified(d);
	d->state.verify.sweeps = 1;
	if (d->plan.pass[d->state.pass].verify == DW_VERIFY_FULL) {
		dw_cursor_order(&d->cursor, 0, d->plan.blocks, d->plan.physical,
				order_of(d));
		return;
	}
	core_pass_sweep(d);
}

/* the cursor visits these blocks; the list is kept for the next phase */
int core_pass_list(struct core_disk *d, uint8_t phase, const struct dw_extents *list)
{
	int r = 0;

	d->state.phase = phase;
	dw_cursor_range(&d->cursor, 0, 0, d->plan.physical);
	for (size_t i = 0; i < list->n && !r; i++)
		r = dw_extents_add(&d->cursor.tail, &list->v[i]);
	return r;
}

static void begin_verify_only(struct core_disk *d, uint64_t lba)
{
	core_pass_verify(d);
}

static const struct pass_kind kinds[] = {
	[DW_PASS_WRITE] = { begin_write, true },
	[DW_PASS_VERIFY] = { begin_verify_only, false },
	[DW_PASS_OPERATION] = { begin_operation, true },
};

static const struct pass_kind *kind_of_pass(const struct core_disk *d, uint8_t pass)
{
	return &kinds[dw_plan_kind(&d->plan, pass)];
}

uint64_t core_disk_total(const struct core_disk *d)
{
	uint64_t all = d->plan.blocks - dw_zones_dead_below(d->plan.zones, UINT64_MAX);
	uint64_t blocks = 0;

	for (uint8_t p = d->state.pass; p < d->plan.n_passes; p++) {
		uint8_t verify = d->plan.pass[p].verify;

		if (kind_of_pass(d, p)->whole)
			blocks += all;
		if (verify == DW_VERIFY_FULL)
			blocks += all;
		else if (verify == DW_VERIFY_SAMPLE)
			blocks +=
				(uint64_t)((double)d->plan.blocks * d->plan.percent /
					   100) +
				(d->plan.compare && p + 1 == d->plan.n_passes ? all : 0);
	}
	return blocks;
}

void core_pass_begin(struct core_disk *d, uint64_t lba)
{
	kind_of_pass(d, d->state.pass)->begin(d, lba);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was written since the last flush may be lost: the pass is resumed from its mark. Failed
 * blocks are not part of that: they stay put off and in doubt.
 */
#include "base/util.h"
#include "core/internal.h"

/* blocks below the mark that were put off, and so are not done */
static uint64_t late_below(const struct core_disk *d)
{
	const struct dw_extents *x = &d->cursor.late;
	uint64_t blocks = 0;

	for (size_t i = 0; i < x->n; i++) {
		uint64_t end = x->v[i].lba + x->v[i].nlb, run;

		for (uint64_t at = x->v[i].lba; at < end; at += run) {
			uint64_t pos = dw_order_pos(&d->plan.order, at, &run);

			run = dw_min_u64(run, end - at);
			if (pos < d->state.mark)
				blocks += dw_min_u64(run, d->state.mark - pos);
		}
	}
	return blocks;
}

/* What has failed, and what was written of it and not flushed, waits for the end of the pass; it
 * is in doubt wherever the mark is. */
static void keep_late(struct dw_core *c, struct core_disk *d)
{
	struct dw_extents *x = &d->cursor.late, repaired = d->flush.repaired;

	core_policy_put_off(c, d, false);
	d->flush.repaired = (struct dw_extents){ 0 };
	for (size_t i = 0; i < repaired.n; i++) {
		core_zoned_whole(c, d, &repaired.v[i]);
		core_set_error(c, dw_cursor_put_off(&d->cursor, &repaired.v[i]));
	}
	dw_extents_deinit(&repaired);
	core_fault_cut(c, d, d->state.pass, d->state.mark);
	for (size_t i = 0; i < x->n; i++)
		core_fault_doubt(c, d, x->v[i].lba, x->v[i].nlb, NULL);
}

/* Puts blocks off, without those that are put off already or are in a zone that is no longer
 * written. Of zones that are written in order the whole zone is put off. */
static void doubt_again(struct dw_core *c, struct core_disk *d, uint64_t lba,
			uint64_t end)
{
	lba = core_zoned_floor(d, lba);
	end = core_zoned_ceil(d, end);
	core_zone_leave(c, d, lba, end);
}

/* Blocks that an earlier run left in doubt, or gave up, are tried once more, last. */
void core_disk_doubts(struct dw_core *c, struct core_disk *d)
{
	if (d->flush.after != DW_CORE_WRITE)
		return;
	for (uint32_t i = 0; i < d->state.faults.n; i++) {
		const struct dw_fault *f = &d->state.faults.v[i];

		if (f->kind == DW_UNWRITABLE && f->pass == d->plan.first_pass)
			doubt_again(c, d, f->lba, f->lba + f->nlb);
	}
	for (size_t i = 0; i < d->cursor.late.n; i++)
		core_fault_doubt(c, d, d->cursor.late.v[i].lba, d->cursor.late.v[i].nlb,
				 NULL);
	d->patience.best = d->state.work_done -= late_below(d);
}

/* what was written since the last flush may be lost: begin again at the mark */
void core_disk_rewind(struct dw_core *c, struct core_disk *d)
{
	bool flushing = !d->flush.final && (d->state.phase == DW_CORE_SETTLE ||
					    d->state.phase == DW_CORE_FLUSH ||
					    d->state.phase == DW_CORE_CONFIRM);
	uint8_t phase = flushing ? d->flush.after : d->state.phase;

	if (phase != DW_CORE_WRITE && phase != DW_CORE_REPAIR && !core_plants(phase))
		return;
	d->flush.due = d->flush.done = d->flush.confirmed = false;
	d->flush.bytes = 0;
	d->flush.at_ns = c->now_ns;
	if (phase != DW_CORE_WRITE) {
		core_set_error(c, core_pass_list(d, phase,
						 phase == DW_CORE_REPAIR
							 ? &d->verify.unreadable
							 : &d->compare.plants));
		return;
	}
	d->state.phase = DW_CORE_WRITE;
	keep_late(c, d);
	dw_cursor_rewind(&d->cursor, d->state.mark);
	d->state.work_done = d->rate.phase_base + d->state.mark - late_below(d) -
			     dw_zones_dead_below(d->plan.zones, d->state.mark);
	core_notice(c, d, "unflushed data may be lost: again from %s %llu",
		    d->plan.order.n ? "block of the sweep" : "LBA",
		    (unsigned long long)d->state.mark);
}

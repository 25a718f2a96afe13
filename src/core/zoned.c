/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zones that are written from their start on. A pass begins with a reset of all of them, if the
 * disk supports that. A zone that is not known to be empty is reset before its first block is
 * written: after an error in it, after a rewind, and in a resumed job. A failed command is sent
 * once more. If it had been carried out, wholly or in part, the write pointer has moved and the
 * disk refuses it (5/21/04). Then, and after any other error of blocks, the whole zone has
 * failed: it is reset and written again. If it fails at the same place repeatedly, it is named
 * from there to its end.
 *
 * Zones that are no longer written are named when the pass begins, and skipped.
 */
#include "core/internal.h"

/* the zone that holds @lba, if it is being written, and in order */
static bool in_order(const struct core_disk *d, uint64_t lba, struct dw_zone *ret)
{
	return d->state.phase == DW_CORE_WRITE &&
	       dw_zones_sequential(d->plan.zones, lba, ret);
}

void core_zoned_begin(struct core_disk *d, uint64_t pos)
{
	bool zones = d->plan.zones && d->state.phase == DW_CORE_WRITE;

	d->zoned = (struct core_zoned){ .all = zones && !pos,
					.empty_from = UINT64_MAX,
					.failed = UINT64_MAX };
}

bool core_zoned_writes(const struct core_disk *d, uint64_t lba)
{
	struct dw_zone zone;

	return in_order(d, lba, &zone);
}

uint64_t core_zoned_floor(const struct core_disk *d, uint64_t lba)
{
	struct dw_zone zone;

	return dw_zones_sequential(d->plan.zones, lba, &zone) ? zone.first : lba;
}

uint64_t core_zoned_ceil(const struct core_disk *d, uint64_t lba)
{
	struct dw_zone zone;

	return lba && dw_zones_sequential(d->plan.zones, lba - 1, &zone)
		       ? zone.first + zone.nlb
		       : lba;
}

bool core_zoned_reset(struct dw_core *c, struct core_disk *d)
{
	struct dw_extent next;
	struct dw_zone zone;

	if (d->zoned.all) {
		d->zoned.all = false;
		core_emit(c, d, DW_VERB_RESET, NULL, 0);
		return true;
	}
	if (!d->plan.zones || d->state.phase != DW_CORE_WRITE ||
	    !dw_cursor_peek(&d->cursor, &next) || next.reset ||
	    !in_order(d, next.lba, &zone) || next.lba != zone.first)
		return false;
	if (zone.first >= d->zoned.empty_from) {
		d->zoned.empty_from = zone.first + zone.nlb;
		return false;
	}
	if (!dw_cursor_cut(&d->cursor, (uint32_t)zone.nlb, &next))
		return false;
	core_zoned_whole(c, d, &next);
	core_emit(c, d, DW_VERB_RESET, &next, 0);
	return true;
}

void core_zoned_empty(struct dw_core *c, struct core_disk *d, const struct core_slot *s)
{
	struct dw_extent zone = s->extent;

	if (!zone.nlb) {
		d->zoned.empty_from = 0;
		return;
	}
	zone.reset = true;
	core_set_error(c, dw_cursor_give_back(&d->cursor, &zone));
}

void core_zoned_whole(struct dw_core *c, struct core_disk *d, struct dw_extent *e)
{
	uint64_t first = core_zoned_floor(d, e->lba), left;
	uint64_t nlb = core_zoned_ceil(d, e->lba + e->nlb) - first;

	if (!core_zoned_writes(d, e->lba) && !core_zoned_writes(d, e->lba + e->nlb - 1))
		return;
	core_set_error(c, dw_cursor_drop(&d->cursor, first, nlb, &left));
	core_set_error(c, dw_extents_remove(&d->flush.repaired, first, nlb));
	/* what was written of it counts no more */
	d->state.work_done -= nlb - left - e->nlb;
	e->lba = first;
	e->nlb = nlb;
	e->max = 0;
	e->reset = false;
	if (e->late)
		core_fault_doubt(c, d, first, nlb, NULL);
}

void core_zoned_rest(struct dw_core *c, struct core_disk *d, struct dw_extent *e)
{
	struct dw_zone zone;
	uint64_t left;

	if (!in_order(d, e->lba, &zone))
		return;
	core_set_error(c, dw_cursor_drop(&d->cursor, zone.first, zone.nlb, &left));
	e->nlb = zone.first + zone.nlb - e->lba;
}

bool core_zoned_farther(struct core_disk *d, uint64_t lba)
{
	uint64_t before = d->zoned.failed;
	struct dw_zone zone;

	if (!in_order(d, lba, &zone))
		return false;
	d->zoned.failed = lba;
	return before >= zone.first && before < lba;
}

static void name_dead(struct dw_core *c, struct core_disk *d, bool report)
{
	struct dw_zone zone = { 0 };

	for (uint64_t at = 0; dw_zones_dead(d->plan.zones, at, &zone);
	     at = zone.first + zone.nlb) {
		bool read_only = zone.kind == DW_ZONE_READ_ONLY;
		const struct dw_result r = { .sense_key = 0x7,
					     .asc = read_only ? 0x27 : 0x2c,
					     .ascq = read_only ? 0x08 : 0x0e };

		if (!report) {
			core_fault_doubt(c, d, zone.first, zone.nlb, &r);
			continue;
		}
		core_notice(c, d, "%s zones, from LBA %llu to %llu: not erased",
			    read_only ? "read-only" : "offline",
			    (unsigned long long)zone.first,
			    (unsigned long long)(zone.first + zone.nlb - 1));
		core_fault_reported(c, d, zone.first, zone.nlb, &r);
	}
}

void core_zoned_report(struct dw_core *c, struct core_disk *d)
{
	name_dead(c, d, true);
}

void core_zoned_keep(struct dw_core *c, struct core_disk *d)
{
	name_dead(c, d, false);
}

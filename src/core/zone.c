/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Jumps over places where one command after the other fails. Each failure may cost a minute while
 * the rest of the disk waits. So the sweep jumps over such a place, farther each time that the
 * next command fails as well. What it jumped over comes at the end of the pass: its edges first,
 * and a piece whose beginning fails is halved.
 */
#include "base/util.h"
#include "core/internal.h"

#define WEIGHT_MAX   8  /* failures until it jumps */
#define SILENT       4  /* weight of a failure without an answer */
#define FIRST_STRIDE 16 /* transfers */
#define GROWTH       4
#define SHARE_MAX    16 /* no stride is longer than this part of the disk */

static uint64_t position(const struct core_disk *d, uint64_t lba)
{
	uint64_t run;

	return dw_order_pos(&d->plan.order, lba, &run);
}

void core_zone_good(struct core_disk *d, const struct dw_extent *e)
{
	if (d->zone.weight && !e->late && position(d, e->lba) >= d->zone.first)
		d->zone = (struct core_zone){ 0 };
}

void core_zone_failed(struct core_disk *d, const struct dw_extent *e,
		      const struct dw_result *r)
{
	uint64_t first = position(d, e->lba), past = first + e->nlb;
	struct core_zone *z = &d->zone;

	if (!z->weight)
		*z = (struct core_zone){ .first = first };
	z->first = dw_min_u64(z->first, first);
	z->past = dw_max_u64(z->past, past);
	z->weight +=
		r->class == DW_CLASS_TIMEOUT || r->class == DW_CLASS_RESET ? SILENT : 1;
}

void core_zone_leave(struct dw_core *c, struct core_disk *d, uint64_t lba, uint64_t end)
{
	const struct dw_extents *late = &d->cursor.late;
	struct dw_zone dead = { .first = UINT64_MAX };

	while (lba < end && !c->error) {
		struct dw_extent piece = { .lba = lba, .late = true };
		const struct dw_extent *e = dw_extents_near(late, lba);

		if (e && e->lba <= lba) {
			lba = e->lba + e->nlb;
			continue;
		}
		piece.nlb = e ? dw_min_u64(end, e->lba) - lba : end - lba;
		if (dw_zones_dead(d->plan.zones, lba, &dead)) {
			piece.nlb = dw_min_u64(piece.nlb, dead.first - lba);
			if (!piece.nlb) {
				lba += dead.nlb;
				continue;
			}
		}
		lba += piece.nlb;
		if (d->state.phase == DW_CORE_WRITE)
			core_fault_doubt(c, d, piece.lba, piece.nlb, NULL);
		core_set_error(c, dw_cursor_put_off(&d->cursor, &piece));
	}
}

/* blocks that the sweep has not come to are left for later */
static void pass_by(struct dw_core *c, struct core_disk *d, uint64_t from, uint64_t to)
{
	struct dw_extent part[DW_ORDER_REGIONS];
	size_t n = from < to ? dw_order_parts(d->cursor.order, from, to - from, part) : 0;

	for (size_t i = 0; i < n; i++)
		core_zone_leave(c, d, part[i].lba, part[i].lba + part[i].nlb);
}

void core_zone_jump(struct dw_core *c, struct core_disk *d)
{
	struct core_zone *z = &d->zone;
	uint64_t most = dw_max_u64(d->plan.blocks / SHARE_MAX, d->plan.physical), from,
		 to;

	if (z->weight < WEIGHT_MAX || !d->rec.failed)
		return;
	core_policy_put_off(c, d, true);
	z->stride = z->stride ? GROWTH * z->stride
			      : FIRST_STRIDE * (uint64_t)core_disk_limit(d);
	z->stride = dw_min_u64(z->stride, most);
	z->stride += d->plan.physical - 1;
	z->stride -= z->stride % d->plan.physical;
	from = dw_max_u64(d->cursor.next, z->past);
	to = dw_min_u64(d->cursor.end, from + z->stride);
	if (d->state.phase == DW_CORE_WRITE) {
		from = core_zoned_floor(d, from);
		to = core_zoned_ceil(d, to);
	}
	if (!d->cursor.sampled)
		pass_by(c, d, from, to);
}

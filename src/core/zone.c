/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A place where one command after the other fails. Each of them may cost a minute, and the rest of
 * the disk is waiting: so the sweep jumps over it, farther each time that it lands badly, and what
 * it jumped over comes at the end of the pass. There the longest piece comes first, and is halved
 * where it begins badly, so that both edges of the bad place are found soon.
 */
#include "base/util.h"
#include "core/internal.h"

#define WEIGHT_MAX   8  /* failures until it jumps */
#define SILENT       4  /* what one without an answer counts for */
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

/* the next blocks of the sweep are left for later */
static void pass_by(struct dw_core *c, struct core_disk *d, uint64_t blocks)
{
	struct dw_cursor *q = &d->cursor;

	while (blocks && q->next < q->end) {
		struct dw_extent e = { .late = true };
		uint64_t run;

		e.lba = dw_order_lba(q->order, q->next, &run);
		e.nlb = dw_min_u64(dw_min_u64(blocks, run), q->end - q->next);
		blocks -= e.nlb;
		if (d->state.phase == DW_CORE_WRITE)
			core_fault_doubt(c, d, e.lba, e.nlb, NULL);
		core_set_error(c, dw_cursor_put_off(q, &e));
		if (c->error)
			return;
	}
}

void core_zone_jump(struct dw_core *c, struct core_disk *d)
{
	struct core_zone *z = &d->zone;
	uint64_t most = dw_max_u64(d->plan.blocks / SHARE_MAX, d->plan.physical);

	if (z->weight < WEIGHT_MAX || !d->rec.failed)
		return;
	core_policy_put_off(c, d, true);
	if (d->cursor.next >= d->cursor.end)
		return;
	z->stride = z->stride ? GROWTH * z->stride
			      : FIRST_STRIDE * (uint64_t)core_disk_limit(d);
	z->stride = dw_min_u64(z->stride, most);
	z->stride += d->plan.physical - 1;
	z->stride -= z->stride % d->plan.physical;
	pass_by(c, d, z->stride);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks have no contents here. A pass writes the same data to all of them, which are shared and
 * known by their pattern; a write of a single block with data of its own makes that one differ.
 */
#include "forecast/world.h"
#include "scsi/sense.h"

#define ASC_MISCOMPARE 0x1d

static bool is_odd(const struct dw_cmd *cmd)
{
	return !(cmd->flags & DW_CMD_CONST);
}

void sim_odd_wrote(struct sim_world *w, struct sim_disk *d, const struct sim_op *o)
{
	int r = 0;

	if (!d->spec->compare)
		return;
	if (o->nlb > 1 || !is_odd(o->cmd))
		r = dw_extents_remove(&d->odd, o->lba, o->nlb);
	else if (!dw_extents_has(&d->odd, o->lba))
		r = dw_extents_add(&d->odd,
				   &(struct dw_extent){ .lba = o->lba, .nlb = 1 });
	if (r < 0)
		w->error = r;
}

bool sim_odd_compare(const struct sim_disk *d, struct sim_op *o)
{
	const struct dw_extent *e = dw_extents_near(&d->odd, o->lba);
	uint64_t at = is_odd(o->cmd) ? o->lba : e ? e->lba : UINT64_MAX;

	if (at - o->lba >= o->nlb)
		return false;
	o->info = true;
	o->info_lba = at;
	o->nlb = (uint32_t)(at - o->lba + 1);
	o->bytes = (uint64_t)o->nlb * d->spec->sector;
	sim_fault_sense(o, DW_KEY_MISCOMPARE, ASC_MISCOMPARE, 0);
	o->resid = 0;
	return true;
}

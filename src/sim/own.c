/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A disk that overwrites itself needs its medium alone, in the time that it states. It answers
 * questions meanwhile, and no command that needs the medium. A reset changes nothing about that
 * work; a block that cannot be written lets it end badly.
 */
#include "base/util.h"
#include "sim/world.h"

static uint64_t seen(const struct sim_world *w)
{
	return w->now_ns + w->leapt_ns;
}

static bool ends_well(const struct sim_disk *d)
{
	for (uint32_t i = 0; i < d->spec->n_faults; i++)
		if (d->spec->fault[i].kind == STATION_UNWRITABLE)
			return false;
	return true;
}

bool sim_own_work(const struct sim_world *w, struct sim_disk *d)
{
	if (!d->own_until_ns)
		return false;
	if (seen(w) < d->own_until_ns)
		return true;
	d->own_until_ns = 0;
	d->own_done = ends_well(d);
	return false;
}

void sim_own_command(const struct sim_world *w, struct sim_disk *d,
		     const struct dw_cmd *cmd)
{
	if (sim_own_work(w, d) || cmd->own != DW_OWN_BEGIN)
		return;
	d->own_begun_ns = seen(w);
	d->own_until_ns = d->own_begun_ns + d->spec->sanitize_ns;
	d->own_done = false;
	d->own_count++;
}

void sim_own_answer(const struct sim_world *w, struct sim_disk *d,
		    struct dw_completion *ret)
{
	double part;

	ret->own_running = sim_own_work(w, d);
	ret->own_done = d->own_done;
	if (!ret->own_running)
		return;
	part = (double)(seen(w) - d->own_begun_ns) / (double)d->spec->sanitize_ns;
	ret->own_progress = (uint32_t)(DW_OWN_ALL * part);
}

uint64_t sim_own_left(const struct sim_world *w, const struct sim_disk *d)
{
	return d->own_until_ns > seen(w) ? d->own_until_ns - seen(w) : UINT64_MAX;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data pass the disk's link and all nodes up to the host at once, cut through: each serves them for
 * bytes / rate after what has reached it before, and the last byte has passed when the slowest
 * of them has served it:
 *
 *	end = max over the nodes s of ( max(now, free_s) + command_s + bytes / rate_s )
 *
 * A parallel bus is held for as long as the slower of bus and disk takes; a serial one is
 * used for what its own rate needs, since an expander interleaves frames of many disks.
 */
#include "base/util.h"
#include "forecast/world.h"

bool sim_bus_busy(const struct sim_world *w, const struct sim_disk *d, uint8_t path)
{
	uint32_t s = d->spec->n_on ? d->spec->on[path] : STATION_NONE;

	for (; s != STATION_NONE; s = w->server[s].up)
		if (w->server[s].retry && w->server[s].free_ns > w->now_ns)
			return true;
	return false;
}

static double node_ns_per_byte(const struct sim_server *s, const struct sim_disk *d)
{
	if (s->parallel && d->link_ns_per_byte > s->ns_per_byte)
		return d->link_ns_per_byte;
	return s->ns_per_byte;
}

uint64_t sim_bus_move(struct sim_world *w, struct sim_disk *d, const struct sim_op *o)
{
	double bytes = (double)o->bus_bytes;
	uint64_t end = dw_max_u64(w->now_ns, d->link_free_ns[o->path]) +
		       (uint64_t)(bytes * d->link_ns_per_byte);
	uint32_t at = d->spec->n_on ? d->spec->on[o->path] : STATION_NONE;

	if (!o->bus_bytes)
		return w->now_ns;
	d->link_free_ns[o->path] = end;
	while (at != STATION_NONE) {
		struct sim_server *s = &w->server[at];
		uint64_t ns = s->command_ns + (uint64_t)(bytes * node_ns_per_byte(s, d));

		s->free_ns = dw_max_u64(w->now_ns, s->free_ns) + ns;
		s->busy_ns += ns;
		end = dw_max_u64(end, s->free_ns);
		at = s->up;
	}
	return end;
}

uint8_t sim_bus_choose(struct sim_world *w, struct sim_disk *d)
{
	uint64_t a, b;

	if (d->spec->n_on < 2)
		return 0;
	a = w->server[d->spec->on[0]].free_ns;
	b = w->server[d->spec->on[1]].free_ns;
	a = dw_max_u64(a, w->now_ns);
	b = dw_max_u64(b, w->now_ns);
	d->turn ^= 1;
	return a == b ? d->turn : a > b;
}

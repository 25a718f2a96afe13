/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The medium passes under the head at a rate that falls linearly from the outer to the inner
 * edge, so that a transfer takes bytes / rate(middle). A disk takes its commands' data in the
 * order of the commands:
 *
 *	room	  data move when the buffer has room for them: what is in it drains at the rate
 *		  of the medium
 *	cache on  the command ends when its data are in the buffer
 *	cache off it ends on the medium; when its data come after the medium has passed the end of
 *		  the command before, the next sector has gone by: the write begins a whole number
 *		  of revolutions later
 *	elsewhere a seek and, on average, half a revolution come first
 *	read	  in sequence the disk has read ahead, as far as its buffer goes
 *	compare	 as a read, whose data stay in the disk
 *	actuators each has its part of the blocks, with an outer and an inner edge of its own,
 *		  and an equal share of the buffer; they work at the same time
 */
#include <math.h>

#include "base/util.h"
#include "forecast/world.h"

void sim_disk_init(struct sim_disk *d, const struct station_disk *spec, uint64_t seed)
{
	*d = (struct sim_disk){
		.spec = spec,
		.arms = (uint32_t)dw_max_u64(1, spec->actuators),
		.rev_ns = spec->rpm ? 60e9 / (double)spec->rpm : 0,
		.link_ns_per_byte = spec->link ? 1e9 / (double)spec->link : 0,
		.slow = 1,
		.cache = spec->cache,
		.moving = SIM_NONE,
		.pending = { SIM_NONE, SIM_NONE, 0 },
		.queue = { SIM_NONE, SIM_NONE, 0 },
	};
	d->slope = (double)(spec->outer - spec->inner) / (double)spec->capacity *
		   (double)d->arms;
	dw_rng_seed(&d->rng, seed);
}

static uint64_t blocks_each(const struct sim_disk *d)
{
	return (d->spec->blocks + d->arms - 1) / d->arms;
}

struct sim_arm *sim_disk_arm(struct sim_disk *d, uint64_t lba)
{
	return &d->arm[d->arms > 1 ? lba / blocks_each(d) : 0];
}

uint64_t sim_disk_free_ns(const struct sim_disk *d)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < d->arms; i++)
		ns = dw_max_u64(ns, d->arm[i].media_free_ns);
	return ns;
}

void sim_disk_hold(struct sim_disk *d, uint64_t ns, uint64_t more)
{
	for (uint32_t i = 0; i < d->arms; i++)
		d->arm[i].media_free_ns = dw_max_u64(d->arm[i].media_free_ns, ns) + more;
}

/* bytes per second in the middle of an op */
static double rate(const struct sim_disk *d, const struct sim_op *o)
{
	uint64_t lba = d->arms > 1 ? o->lba % blocks_each(d) : o->lba;
	double at = (double)(lba * d->spec->sector) + (double)o->bytes / 2;

	/* a command may end beyond the edge of its actuator */
	return fmax((double)d->spec->outer - d->slope * at, (double)d->spec->inner) *
	       d->slow;
}

/* time of the medium itself; WRITE SAME may have a rate of its own */
static uint64_t media_ns(struct sim_disk *d, const struct sim_op *o)
{
	double r = rate(d, o), ns;

	if (o->kind == SIM_SAME && d->spec->ws)
		r = fmin((double)d->spec->ws, d->rev_ns > 0 ? r : (double)d->spec->ws);
	ns = (double)o->bytes * 1e9 / r;
	if (d->spec->jitter > 0)
		ns *= 1 + d->spec->jitter * (2 * dw_rng_unit(&d->rng) - 1);
	return (uint64_t)ns;
}

static bool in_sequence(const struct sim_arm *a, const struct sim_op *o)
{
	if (!a->used)
		return false;
	return o->lba == a->next_lba ||
	       (a->leap_to && o->lba == a->leap_to && a->next_lba == a->leap_from);
}

/* the arm to another place, and the sector under the head */
static uint64_t seek_ns(struct sim_disk *d, const struct sim_op *o)
{
	const struct sim_arm *a = sim_disk_arm(d, o->lba);
	double far, ns;

	if (!d->rev_ns)
		return 0;
	far = fabs((double)o->lba - (double)a->next_lba) / (double)blocks_each(d);
	ns = (double)d->spec->seek_track_ns +
	     (double)(d->spec->seek_full_ns - d->spec->seek_track_ns) *
		     sqrt(fmin(far, 1));
	return (uint64_t)(ns + d->rev_ns * dw_rng_unit(&d->rng));
}

/* when the sector after the last one is under the head, at or after @t */
static uint64_t sector_ns(const struct sim_disk *d, const struct sim_arm *a, uint64_t t)
{
	double turns;

	if (t <= a->media_free_ns)
		return a->media_free_ns;
	if (!d->rev_ns)
		return t;
	turns = ceil((double)(t - a->media_free_ns) / d->rev_ns - 1e-9);
	return a->media_free_ns + (uint64_t)(turns * d->rev_ns + 0.5);
}

/* when a write whose data are there at @t begins on the medium */
static uint64_t write_start(struct sim_disk *d, const struct sim_op *o, uint64_t t)
{
	const struct sim_arm *a = sim_disk_arm(d, o->lba);
	uint64_t at = dw_max_u64(t, a->media_free_ns);

	if (!in_sequence(a, o))
		return at + seek_ns(d, o);
	if (d->cache)
		return at;
	if (t > a->media_free_ns)
		d->lost++;
	return sector_ns(d, a, t);
}

/* the time that an actuator needs for what its share of the buffer holds beside @less bytes */
static uint64_t buffer_ns(const struct sim_disk *d, const struct sim_op *o, uint64_t less)
{
	double bytes = (double)d->spec->buffer / d->arms - (double)less;

	return bytes > 0 ? (uint64_t)(bytes * 1e9 / rate(d, o)) : 0;
}

double sim_disk_pace(const struct sim_disk *d, uint64_t lba)
{
	struct sim_op here = { .lba = lba };

	return rate(d, &here) / (double)d->spec->sector / 1e9;
}

double sim_disk_buffer_ns(const struct sim_disk *d, const struct sim_arm *a)
{
	struct sim_op here = { .lba = a->next_lba };

	return (double)d->spec->buffer / d->arms * 1e9 / rate(d, &here);
}

static void media_done(struct sim_disk *d, const struct sim_op *o, uint64_t start,
		       uint64_t at_least)
{
	struct sim_arm *a = sim_disk_arm(d, o->lba);

	a->media_free_ns = dw_max_u64(start + media_ns(d, o), at_least);
	a->next_lba = o->lba + o->nlb;
	a->used = true;
}

/* data of a write move now; when does the command end? */
static uint64_t write_end(struct sim_world *w, struct sim_disk *d, struct sim_op *o,
			  bool aimed)
{
	const struct sim_arm *a = sim_disk_arm(d, o->lba);
	uint64_t there = sim_bus_move(w, d, o), full;

	media_done(d, o,
		   aimed ? w->now_ns : write_start(d, o, d->cache ? w->now_ns : there),
		   there);
	if (!d->cache || o->kind == SIM_SAME)
		return a->media_free_ns;
	full = buffer_ns(d, o, 0);
	return a->media_free_ns > there + full ? a->media_free_ns - full : there;
}

/* without a cache, on a bus that does not queue: the data must move as the sector passes */
static bool must_aim(struct sim_disk *d, const struct sim_op *o)
{
	return d->retries[o->path] && !d->cache && d->rev_ns > 0 &&
	       o->kind == SIM_WRITE && in_sequence(sim_disk_arm(d, o->lba), o);
}

/* not before there is room, and not before the sector is there; false when not now */
static bool may_move(struct sim_world *w, uint32_t i)
{
	struct sim_op *o = &w->op[i];
	struct sim_disk *d = &w->disk[o->disk];
	const struct sim_arm *a = sim_disk_arm(d, o->lba);
	uint64_t at = w->now_ns, full = buffer_ns(d, o, o->bus_bytes);

	if (a->media_free_ns > full)
		at = dw_max_u64(at, a->media_free_ns - full);
	if (must_aim(d, o)) {
		at = sector_ns(d, a, at);
		if (at <= w->now_ns && sim_bus_busy(w, d, o->path)) {
			at = w->now_ns + (uint64_t)d->rev_ns;
			d->missed++;
		}
	}
	if (at <= w->now_ns)
		return true;
	sim_event(w, i, at, SIM_MOVE);
	return false;
}

void sim_disk_move(struct sim_world *w, uint32_t i)
{
	struct sim_disk *d = &w->disk[w->op[i].disk];

	while (i != SIM_NONE && may_move(w, i)) {
		struct sim_op *o = &w->op[i];
		bool aimed = must_aim(d, o);

		d->lost += aimed && w->now_ns > sim_disk_arm(d, o->lba)->media_free_ns;
		sim_end(w, i, write_end(w, d, o, aimed));
		i = d->moving = sim_list_take(w, &d->pending);
	}
}

/* until the medium has passed what is read, which may be in the buffer already */
static void pass_by(struct sim_world *w, struct sim_disk *d, const struct sim_op *o)
{
	const struct sim_arm *a = sim_disk_arm(d, o->lba);
	uint64_t ahead = buffer_ns(d, o, 0), start;

	if (in_sequence(a, o))
		start = dw_max_u64(a->media_free_ns,
				   w->now_ns > ahead ? w->now_ns - ahead : 0);
	else
		start = dw_max_u64(a->media_free_ns, w->now_ns) + seek_ns(d, o);
	media_done(d, o, start, w->now_ns);
}

static void read_arrives(struct sim_world *w, struct sim_disk *d, uint32_t i)
{
	pass_by(w, d, &w->op[i]);
	sim_event(w, i, sim_disk_arm(d, w->op[i].lba)->media_free_ns, SIM_SEND);
}

/* as a read whose data stay where they are; it ends with the first block that differs */
static void compare_arrives(struct sim_world *w, struct sim_disk *d, uint32_t i)
{
	sim_odd_compare(d, &w->op[i]);
	pass_by(w, d, &w->op[i]);
	sim_end(w, i, sim_disk_arm(d, w->op[i].lba)->media_free_ns);
}

void sim_disk_arrive(struct sim_world *w, uint32_t i)
{
	struct sim_op *o = &w->op[i];
	struct sim_disk *d = &w->disk[o->disk];

	switch (o->kind) {
	case SIM_WRITE:
	case SIM_SAME:
		if (d->moving != SIM_NONE) {
			o->phase = SIM_PENDING;
			sim_list_add(w, &d->pending, i);
			break;
		}
		d->moving = i;
		sim_disk_move(w, i);
		break;
	case SIM_READ:
		read_arrives(w, d, i);
		break;
	case SIM_COMPARE:
		compare_arrives(w, d, i);
		break;
	case SIM_OWN:
		sim_own_command(w, d, o->cmd);
		sim_end(w, i, w->now_ns);
		break;
	case SIM_FLUSH:
		sim_end(w, i, dw_max_u64(w->now_ns, sim_disk_free_ns(d)));
		break;
	default:
		sim_end(w, i, w->now_ns);
	}
}

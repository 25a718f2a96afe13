/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Coarse mode. While all disks continue evenly, nothing changes but the time and where they are;
 * so the world measures them, command by command, and then leaps: its clock jumps, each disk
 * is as much further as it would have come, and all that is on its way stays on its way. What
 * happens between two commands, and how they wait for each other, is always that of exact
 * mode. A leap ends before the next change: the end of a phase, a bad block, a fault.
 *
 * Two windows of commands come before each leap, of length T. With x = (time in it) / T, a
 * disk's rate is the sum of 30 x^2 (1 - x)^2 / T over the blocks that were done, which hardly
 * depends on where in their cycle the ends of the window fall (for a cycle of T/m the error
 * falls as m^-3, that of simple counting as m^-1). If the two windows differ, longer ones
 * follow. Where the rate was r before a leap and s after it, the next leap makes up for the
 * half of the difference, (s - r) / 2 times its length (trapezoidal rule): rates fall from
 * the outer zones to the inner ones.
 *
 * The controller says how long it will leave lengths and depths as they are; a leap ends there
 * too, where it saves enough, and takes from all disks alike what refused trials would cost.
 */
#include "forecast/leap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/util.h"
#include "engine/virtual.h"
#include "forecast/world.h"

#define COMMANDS     16        /* of each disk in the shortest window */
#define COMMANDS_MAX 4096      /* and in the longest */
#define WINDOW_MAX   (1 << 18) /* commands of all disks, which end a window at the latest */
#define WINDOW_NS    1e8       /* shortest window: several revolutions */
#define PAYS         (1 << 13) /* commands that a leap to a trial has to save */
#define SHARE        64        /* a leap is at most this part of any disk's phase */
#define TOLERANCE    0.01      /* root mean square of the disks' differences */
#define OUTLIER      0.04      /* the largest of them */
#define SCATTER      5         /* times both in a sample, where seeks differ */
#define GROWTH       0.005     /* of a buffer's fill, in the time of its medium */
#define KEEP         3    /* windows before the end of a phase that are never leapt */
#define SURE         0.99 /* of the time until it, since a rate is not quite known */

/**
 * struct gauge - one disk's window
 * @m: sums of blocks x (time in the window)^2, ^3, ^4
 * @n, @blocks: what was done
 * @level: sum over the commands of what the medium was behind, ns
 * @paused_ns: of the window, for flushes
 * @rate, @mean_level: of the window before; < 0 = none
 * @gap_ns: from one command to the next
 * @leapt_rate: when the last leap began; < 0 = none
 * @owed: blocks that belong to the last leap
 * @pause_ns: what a flush costs
 * @done_ns: the last command's end
 * @behind_ns: of the medium, when the flush began
 */
struct gauge {
	double m[3];
	uint32_t n;
	uint64_t blocks;
	double level;
	double paused_ns;
	double rate;
	double mean_level;
	double gap_ns;
	double leapt_rate;
	double owed;
	double pause_ns;
	uint64_t done_ns;
	uint64_t behind_ns;
	bool active;
	bool flushing;
};

/**
 * struct sim_leap - the measurement
 * @start_ns, @before_ns: length of this window and of the one before
 * @least: commands of each disk that a window needs, @waiting: disks without as many
 * @changes: dw_virtual_changes() when it began
 * @chain: nothing has changed since the last leap, of @last_ns
 */
struct sim_leap {
	uint64_t start_ns;
	uint64_t before_ns;
	uint32_t least;
	uint32_t waiting;
	uint32_t commands;
	uint64_t changes;
	double last_ns;
	bool chain;
	struct gauge gauge[];
};

int sim_leap_new(struct sim_world *w)
{
	w->leap = calloc(1, sizeof(*w->leap) + w->n_disks * sizeof(w->leap->gauge[0]));
	if (!w->leap)
		return -ENOMEM;
	w->leap->least = COMMANDS;
	return 0;
}

static uint64_t behind(const struct sim_world *w, const struct sim_disk *d)
{
	uint64_t free_ns = sim_disk_free_ns(d);

	return free_ns > w->now_ns ? free_ns - w->now_ns : 0;
}

void sim_leap_flush(struct sim_world *w, const struct sim_disk *d)
{
	struct gauge *g = &w->leap->gauge[d->unit];

	g->flushing = true;
	g->behind_ns = behind(w, d);
}

/* what a flush has cost: the time without commands, less what the medium used of it */
static void flush_over(struct sim_world *w, struct gauge *g)
{
	double ns = (double)(w->now_ns - g->done_ns) - (double)g->behind_ns - g->gap_ns;
	double inside = (double)(w->now_ns - w->leap->start_ns);

	g->flushing = false;
	g->pause_ns = fmax(ns, 0);
	g->paused_ns += fmin(g->pause_ns, inside);
}

void sim_leap_done(struct sim_world *w, const struct sim_disk *d, const struct sim_op *o)
{
	struct sim_leap *l = w->leap;
	struct gauge *g = &l->gauge[d->unit];
	double t, s = (double)o->nlb;

	if (g->flushing)
		flush_over(w, g);
	t = (double)(w->now_ns - l->start_ns) - g->paused_ns;
	g->m[0] += s * t * t;
	g->m[1] += s * t * t * t;
	g->m[2] += s * t * t * t * t;
	g->blocks += o->nlb;
	g->level += (double)behind(w, d);
	g->done_ns = w->now_ns;
	l->commands++;
	if (++g->n == l->least && g->active)
		l->waiting--;
}

/* @fresh: nothing that was measured is to be compared with what comes */
static void begin_gauges(struct sim_world *w, const struct dw_engine *e, bool fresh)
{
	struct sim_leap *l = w->leap;

	l->before_ns = fresh ? 0 : w->now_ns - l->start_ns;
	l->start_ns = w->now_ns;
	l->changes = dw_virtual_changes(e);
	l->waiting = l->commands = 0;
	for (uint32_t i = 0; i < dw_virtual_count(e); i++) {
		struct dw_core_pace pace;
		struct gauge *g;
		uint32_t unit;

		if (!dw_virtual_pace(e, i, &unit, &pace))
			continue;
		g = &l->gauge[unit];
		g->active = pace.kind != DW_PACE_IDLE && !pace.inside;
		l->waiting += g->active;
		g->m[0] = g->m[1] = g->m[2] = g->level = g->paused_ns = 0;
		g->n = 0;
		g->blocks = 0;
		if (fresh)
			g->rate = -1;
	}
}

/* blocks per ns in the window that ends now */
static double rate_of(const struct sim_world *w, const struct gauge *g)
{
	double t = (double)(w->now_ns - w->leap->start_ns) - g->paused_ns;

	return 30 * (t * t * g->m[0] - 2 * t * g->m[1] + g->m[2]) / pow(t, 5);
}

static bool is_longest(const struct sim_leap *l)
{
	return l->commands >= WINDOW_MAX || l->least >= COMMANDS_MAX;
}

/* the buffer of every actuator at work, at once */
static void fill(const struct sim_world *w, struct sim_disk *d, struct gauge *g)
{
	double share = (double)d->spec->buffer / d->arms;

	for (uint32_t i = 0; i < d->arms; i++) {
		struct sim_arm *a = &d->arm[i];
		double full = sim_disk_buffer_ns(d, a);
		double room = full + (double)w->now_ns - (double)a->media_free_ns;

		if (a->media_free_ns <= w->now_ns || room <= 0)
			continue;
		a->media_free_ns += (uint64_t)room;
		g->owed += room * share / (double)d->spec->sector / full;
	}
}

/*
 * A buffer that is filling takes data faster than its medium, but not for as long as a leap
 * lasts: longer windows follow, and if they see no end of it, it is filled at once, with the
 * blocks that this takes.
 */
static bool is_filling(const struct sim_world *w, struct sim_disk *d, struct gauge *g,
		       double level)
{
	double full = sim_disk_buffer_ns(d, d->arm);
	double growth = level - g->mean_level;
	double t = (double)(w->now_ns - w->leap->start_ns + w->leap->before_ns) / 2;

	if (!d->cache || level < 2 * g->gap_ns || level > 0.8 * full ||
	    growth < GROWTH * t)
		return false;
	if (is_longest(w->leap))
		fill(w, d, g);
	return true;
}

/* take the window in; whether all disks went on as in the one before */
static bool close_window(struct sim_world *w, const struct dw_engine *e)
{
	struct sim_leap *l = w->leap;
	double sum = 0, most = 0, scatter = 1;
	uint32_t n = 0;
	bool even = true;

	for (uint32_t i = 0; i < dw_virtual_count(e); i++) {
		struct dw_core_pace pace;
		double rate, level, off;
		struct gauge *g;
		uint32_t unit;

		if (!dw_virtual_pace(e, i, &unit, &pace))
			continue;
		g = &l->gauge[unit];
		even = even && pace.kind != DW_PACE_OTHER;
		if (pace.kind == DW_PACE_EVEN && pace.inside) {
			g->rate = sim_disk_pace(&w->disk[unit], pace.pos);
			n++;
			continue;
		}
		if (pace.kind != DW_PACE_EVEN || !g->n)
			continue;
		if (pace.sampled)
			scatter = SCATTER;
		rate = rate_of(w, g);
		level = g->level / g->n;
		g->gap_ns = (double)(w->now_ns - l->start_ns) / g->n;
		even = even && g->rate > 0;
		if (g->rate > 0 && is_filling(w, &w->disk[unit], g, level))
			even = false;
		off = g->rate > 0 ? fabs(rate / g->rate - 1) : 1;
		sum += off * off;
		most = fmax(most, off);
		n++;
		g->rate =
			g->rate > 0
				? (g->rate * (double)l->before_ns +
				   rate * (double)(w->now_ns - l->start_ns)) /
					  (double)(l->before_ns + w->now_ns - l->start_ns)
				: rate;
		g->mean_level = level;
	}
	if (is_longest(l))
		return even && n;
	return even && n && sqrt(sum / n) < TOLERANCE * scatter &&
	       most < OUTLIER * scatter;
}

/* ns until the disk has come to a bad block that its commands would meet */
static double to_bad_block(const struct sim_disk *d, const struct dw_core_pace *p,
			   double rate)
{
	double best = INFINITY;

	for (uint32_t i = 0; i < d->spec->n_faults; i++) {
		const struct station_fault *f = &d->spec->fault[i];
		uint64_t run;

		if (f->kind != STATION_UNWRITABLE && f->kind != STATION_UNREADABLE)
			continue;
		for (uint64_t at = f->lba; at < f->lba + f->nlb; at += run) {
			uint64_t pos = dw_order_pos(p->order, at, &run);
			double blocks = pos > p->pos ? (double)(pos - p->pos) : 0;

			run = dw_min_u64(run, f->lba + f->nlb - at);
			if (pos + run <= p->pos)
				continue;
			if (p->sampled)
				blocks = blocks / (double)d->spec->blocks *
					 (double)p->size;
			best = fmin(best, (blocks - KEEP * (double)p->grain) / rate);
		}
	}
	return best;
}

/* the longest leap that this disk allows */
static double longest_leap(const struct sim_world *w, const struct sim_disk *d,
			   const struct gauge *g, const struct dw_core_pace *p)
{
	double measured = (double)(w->now_ns - w->leap->start_ns + w->leap->before_ns);
	double left = (double)p->left - KEEP * (double)p->grain;
	double ns = SURE * left / g->rate - KEEP * measured;

	ns = fmin(ns, (double)p->size / SHARE / g->rate);
	ns = fmin(ns, UINT32_MAX / 2 / g->rate);
	ns = fmin(ns, to_bad_block(d, p, g->rate) - measured);
	if (d->chance > 0)
		ns = fmin(ns, ((double)d->luck - 2 * g->n) * g->gap_ns);
	return ns;
}

/* @ns: at most, > 0 */
static double length(const struct sim_world *w, const struct dw_engine *e, double ns)
{
	for (uint32_t i = 0; i < dw_virtual_count(e); i++) {
		struct dw_core_pace p;
		const struct gauge *g;
		uint32_t unit;

		if (!dw_virtual_pace(e, i, &unit, &p))
			continue;
		g = &w->leap->gauge[unit];
		if (p.kind == DW_PACE_EVEN && g->rate > 0)
			ns = fmin(ns, longest_leap(w, &w->disk[unit], g, &p));
		ns = fmin(ns, (double)sim_own_left(w, &w->disk[unit]));
	}
	if (w->fault_ns != UINT64_MAX)
		ns = fmin(ns, (double)(w->fault_ns - w->now_ns) - 1);
	return ns;
}

/* blocks that the disk comes further in @ns: less those that flushes keep it from */
static uint64_t blocks_in(const struct sim_leap *l, struct gauge *g,
			  const struct dw_core_pace *p, double ns)
{
	double blocks = g->rate * ns + g->owed, most, period;

	if (p->flush_ns) {
		period = fmin((double)p->flush_ns, (double)p->flush_blocks / g->rate);
		blocks -= g->rate * ns * fmin(g->pause_ns / (period + g->pause_ns), 1);
	}
	if (l->chain && g->leapt_rate > 0)
		blocks += (g->rate - g->leapt_rate) / 2 * l->last_ns;
	g->leapt_rate = g->rate;
	most = fmin((double)p->left - KEEP * (double)p->grain, UINT32_MAX);
	g->owed = blocks;
	blocks = fmax(fmin(blocks, most), 0) / p->grain;
	blocks = floor(blocks) * p->grain;
	g->owed -= blocks;
	return (uint64_t)blocks;
}

static void leap_arms(struct sim_disk *d, const struct dw_core_pace *p, uint64_t blocks)
{
	struct dw_extent part[DW_ORDER_REGIONS];
	size_t n = dw_order_parts(p->order, p->pos, blocks, part);

	for (size_t i = 0; i < n; i++) {
		struct sim_arm *a = sim_disk_arm(d, part[i].lba);

		a->leap_from = a->leap_to == part[i].lba ? a->leap_from : part[i].lba;
		a->leap_to = part[i].lba + part[i].nlb;
	}
}

/* @lost_ns: of @ns, in trials of the controller */
static void leap_disk(struct sim_world *w, struct dw_engine *e, uint32_t i, double ns,
		      double lost_ns)
{
	struct dw_core_leap leap = { .ns = (uint64_t)ns };
	struct dw_core_pace p;
	struct sim_disk *d;
	struct gauge *g;
	uint32_t unit;

	if (!dw_virtual_pace(e, i, &unit, &p))
		return;
	g = &w->leap->gauge[unit];
	d = &w->disk[unit];
	if (p.kind != DW_PACE_EVEN || g->rate <= 0 || (!g->blocks && !p.inside))
		return;
	leap.blocks = blocks_in(w->leap, g, &p, ns - lost_ns);
	if (!leap.blocks)
		return;
	leap.commands =
		p.inside ? 1
			 : (uint64_t)((double)leap.blocks * g->n / (double)g->blocks +
				      0.5);
	d->luck -= dw_min_u64(leap.commands, d->luck ? d->luck - 1 : 0);
	if (!p.sampled)
		leap_arms(d, &p, leap.blocks);
	if (w->observer.leapt && p.flush_ns)
		w->observer.leapt(w->observer.ctx, unit, p.pos, leap.blocks);
	dw_virtual_leap(e, i, &leap);
}

/* bytes per second of what the controller of a link steers */
static double rate_of_link(const struct sim_world *w, const struct dw_engine *e,
			   uint32_t link)
{
	double sum = 0;

	for (uint32_t i = 0; i < dw_virtual_count(e); i++) {
		struct dw_core_pace p;
		const struct gauge *g;
		uint32_t unit;

		if (!dw_virtual_pace(e, i, &unit, &p) || dw_virtual_link(e, i) != link)
			continue;
		g = &w->leap->gauge[unit];
		if (p.kind == DW_PACE_EVEN && p.steered && g->rate > 0)
			sum += g->rate * (double)w->disk[unit].spec->sector;
	}
	return 1e9 * sum;
}

static void leap(struct sim_world *w, struct dw_engine *e, double ns)
{
	struct sim_leap *l = w->leap;

	w->leapt_ns += (uint64_t)ns;
	if (w->fault_ns != UINT64_MAX)
		w->fault_ns -= (uint64_t)ns;
	for (uint32_t link = 0; link < dw_virtual_links(e); link++) {
		double lost_ns = (double)dw_virtual_leapt(e, link, (uint64_t)ns,
							  rate_of_link(w, e, link));

		for (uint32_t i = 0; i < dw_virtual_count(e); i++)
			if (dw_virtual_link(e, i) == link)
				leap_disk(w, e, i, ns, lost_ns);
	}
	l->last_ns = ns;
	l->chain = true;
}

void sim_leap_disturbed(struct sim_world *w)
{
	w->leap->changes = UINT64_MAX;
}

/* whether the window may end */
static bool is_full(const struct sim_world *w)
{
	const struct sim_leap *l = w->leap;

	return l->commands >= WINDOW_MAX ||
	       (!l->waiting && l->commands &&
		(double)(w->now_ns - l->start_ns) >= WINDOW_NS);
}

int sim_leap_between(struct dw_transport *t, struct dw_engine *e)
{
	struct sim_world *w = dw_container_of(t, struct sim_world, base);
	struct sim_leap *l = w->leap;
	double ns, measured;
	uint64_t still;

	if (l->changes != dw_virtual_changes(e)) {
		l->least = COMMANDS;
		l->chain = false;
		begin_gauges(w, e, true);
	}
	if (!is_full(w))
		return 0;
	still = dw_virtual_still(e);
	if (!still) {
		begin_gauges(w, e, true);
		return 0;
	}
	if (!close_window(w, e)) {
		l->least = (uint32_t)dw_min_u64(UINT64_C(2) * l->least, COMMANDS_MAX);
		begin_gauges(w, e, false);
		return 0;
	}
	measured = (double)(w->now_ns - l->start_ns + l->before_ns);
	ns = length(w, e, still == UINT64_MAX ? INFINITY : (double)still);
	if (ns > measured && ns < INFINITY &&
	    (ns < (double)still || (double)l->commands * ns / measured > PAYS)) {
		leap(w, e, ns);
		l->least = (uint32_t)dw_max_u64(l->least / 2, COMMANDS);
		begin_gauges(w, e, true);
	} else {
		begin_gauges(w, e, false);
	}
	return 0;
}

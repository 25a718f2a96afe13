/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One disk by itself, as the simulator's equations have it (docs/simulator.md), integrated
 * over the medium. With L bytes a command, h its overhead, x its time on the way, D at once:
 *
 *	cache on	1/r, at least max(x, (h + x)/D)/L
 *	off, D = 1	1/r + ceil((h + x)/rev) rev/L: the sector has gone by (Tikhomirov, table
 *			5.5 against 5.4); without rotation 1/r + (h + x)/L
 *	off, D > 1	1/r as long as h + x <= (D - 1) L/r
 *	WRITE SAME	at the slower of medium and ws; as D = 1 with x = 0
 *	reading		1/r, at least max(x, (h + x)/D)/L
 *	a sample	1/r + (seek + rev/2 [+ h + x when D = 1])/unit
 *
 * Of n actuators that take turns each does that with its own r and a share of the commands;
 * together they have n times the rate.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "cost/cost.h"
#include "plan/pattern.h"
#include "plan/plants.h"
#include "plan/sample.h"
#include "sched/controller.h"

#define IDENTIFY   4       /* commands that ask who a disk is */
#define WS_START   65535.0 /* blocks of the first WRITE SAME, see src/core/disk.c */
#define WS_QUICK   1.0     /* seconds below which it is doubled */
#define WS_AHEAD   2       /* WRITE SAMEs at a disk at once, at most */
#define TRIAL_SURE 2.0     /* a trial is foreseen when one is that much quicker */
#define TRIAL_PART 32
#define IN_FLIGHT  (8.0 * DW_MIB) /* of one disk, see src/sched */
#define SHORTEST   (128.0 * DW_KIB)
#define EQUAL      0.005 /* that much quicker is not worth more on the way */

#define COMPARE_S                                                                        \
	2.0 /* of a command in which a disk compares itself, see src/core/compare.c */
#define PLANT_PAIRS 0.5 /* seeks of those plants that follow on others, of four each */

/**
 * struct way - of one disk's commands
 * @s, @plan, @spec, @disks: see struct dw_cost_case
 * @arms: actuators that take turns, 1 = the sweep goes from one to the next
 * @h: seconds of a command before its data move, @rev: of a revolution
 */
struct way {
	const struct dw_station *station;
	const struct station_disk *s;
	const struct dw_disk_plan *plan;
	const struct dw_job_spec *spec;
	uint32_t disks;
	double arms;
	double h;
	double rev;
	double depth;
};

static double per_byte(const struct station_node *n, const struct station_disk *d)
{
	double s = n->rate ? 1 / (double)n->rate : 0;

	return n->parallel && d->link ? fmax(s, 1 / (double)d->link) : s;
}

/* seconds from the first to the last byte of @bytes, cut through */
static double move_seconds(const struct way *w, double bytes)
{
	double t = w->s->link ? bytes / (double)w->s->link : 0;
	uint32_t at = w->s->n_on ? w->s->on[0] : STATION_NONE;

	for (; at != STATION_NONE; at = w->station->node[at].on) {
		const struct station_node *n = &w->station->node[at];
		double own = n->kind == STATION_BUS ? (double)n->command_ns / 1e9 : 0;

		t = fmax(t, bytes * per_byte(n, w->s) + own);
	}
	return t;
}

/* of a command, with what a transfer longer than the controller's buffer costs */
static double overhead_seconds(const struct way *w, double bytes)
{
	double t = (double)w->s->overhead_ns / 1e9;
	uint32_t at = w->s->n_on ? w->s->on[0] : STATION_NONE;

	for (; at != STATION_NONE; at = w->station->node[at].on) {
		const struct station_node *n = &w->station->node[at];

		if (n->kind != STATION_CONTROLLER)
			continue;
		t += (double)n->command_ns / 1e9;
		if (n->buffer && bytes > (double)n->buffer)
			t += floor((bytes - 1) / (double)n->buffer) *
			     (double)n->overflow_ns / 1e9;
	}
	return t;
}

static void use(struct dw_cost_phase *p, uint32_t node, enum dw_cost_part part,
		double cost)
{
	uint32_t resource = node * DW_COST_PARTS + part;

	for (uint32_t i = 0; i < p->n_use; i++) {
		if (p->use[i].resource != resource)
			continue;
		p->use[i].cost += cost;
		return;
	}
	if (cost > 0 && p->n_use < DW_COST_USES)
		p->use[p->n_use++] = (struct dw_cost_use){ resource, cost };
}

/* what a byte costs everywhere on its way; @bus: bytes on the bus for one on the medium,
 * @inside: seconds that a command keeps its room in the controller */
static void uses(const struct way *w, struct dw_cost_phase *p, double bus, double inside)
{
	for (uint32_t path = 0; path < w->s->n_on; path++) {
		double part = 1.0 / w->s->n_on;
		uint32_t at = w->s->on[path];

		for (; at != STATION_NONE; at = w->station->node[at].on) {
			const struct station_node *n = &w->station->node[at];
			double held = fmin(p->command * bus, (double)n->buffer);
			double own = part * (double)n->command_ns / 1e9 / p->command;

			use(p, at, DW_COST_RATE,
			    part * bus * per_byte(n, w->s) +
				    (n->kind == STATION_BUS && bus > 0 ? own : 0));
			if (n->kind != STATION_CONTROLLER)
				continue;
			use(p, at, DW_COST_COMMANDS, own);
			if (n->buffer)
				use(p, at, DW_COST_BUFFER,
				    part * inside / p->command * held /
					    (double)n->buffer);
			if (n->queue)
				use(p, at, DW_COST_QUEUE,
				    part * inside / p->command / (double)n->queue);
		}
	}
}

static void add_medium(const struct way *w, struct dw_cost_phase *p, double bytes)
{
	*p = (struct dw_cost_phase){ .to = bytes, .share = 1 };
	p->curve.bytes = (double)w->s->blocks * (double)w->s->sector;
	p->curve.outer = w->arms * (double)w->s->outer;
	p->curve.inner = w->arms * (double)w->s->inner;
}

static double turns(const struct way *w, double late)
{
	return late > 0 ? ceil(late / w->rev - 1e-9) * w->rev : 0;
}

static void write_cached(const struct way *w, struct dw_cost_phase *p, double x)
{
	double least = fmax(x, (w->h + x) / w->depth);

	p->curve.least = least / p->command;
	p->drain = fmin((double)w->s->buffer, p->to) / p->curve.inner;
	if (p->curve.least > 1 / p->curve.outer)
		p->limit = x >= least ? "link" : "command overhead";
}

/* commands that each actuator has at any time, of those that are on their way */
static double depth_each(const struct way *w, double command)
{
	double turn = (double)w->plan->order.turn * w->plan->block_size;
	double all = w->depth * command, round = w->arms * turn, whole;

	if (w->arms < 2)
		return w->depth;
	whole = floor(all / round);
	return (whole * turn + fmax(0, all - whole * round - (round - turn))) / command;
}

/* false when only the simulator knows */
static bool write_through(const struct way *w, struct dw_cost_phase *p, double x)
{
	double arms = w->arms, depth = depth_each(w, p->command), ahead;
	double late = w->h + x;

	if (depth < 2 && arms > 1) { /* at least as one by one */
		p->curve.outer /= arms;
		p->curve.inner /= arms;
		depth = w->depth;
		arms = 1;
	}
	ahead = (depth - 1) * p->command * arms / p->curve.outer;
	if (depth > 1) {
		bool room = (double)w->s->buffer / w->arms >= 2 * p->command;

		p->limit = w->rev > 0 ? "lost revolutions" : "command overhead";
		if (w->rev <= 0)
			p->curve.least =
				fmax(x, (late + p->command * arms / p->curve.outer) /
						w->depth) /
				p->command;
		else if (late > ahead || !room)
			p->curve.extra = turns(w, fmax(late - ahead, w->h)) /
					 (room ? depth : 1) / p->command / arms;
		else
			p->limit = NULL;
		return late <= ahead && room && arms == w->arms;
	}
	p->limit = w->rev > 0 ? "lost revolutions" : "command overhead";
	p->curve.extra = (w->rev > 0 ? turns(w, late) : late) / p->command;
	return arms == w->arms;
}

static bool write_plain(struct way *w, struct dw_cost_phase *p, double command)
{
	double x = move_seconds(w, command);
	bool simple = true;

	w->h = overhead_seconds(w, command);
	p->command = command;
	if (w->s->cache)
		write_cached(w, p, x);
	else
		simple = write_through(w, p, x);
	simple = simple && command <= (double)w->s->buffer / w->arms;
	p->turn =
		w->h + x + (w->s->cache ? 0 : command / (double)w->s->outer + w->rev / 2);
	p->weight = w->depth * command;
	uses(w, p, 1,
	     w->s->cache
		     ? w->h + x
		     : w->h + x + command / p->curve.outer + p->curve.extra * command);
	return simple;
}

/* blocks of a WRITE SAME once it takes long enough */
static double same_blocks(const struct way *w)
{
	double most = w->plan->ws_max, n = fmin(WS_START, most);
	double rate = w->s->ws ? (double)w->s->ws : (double)w->s->inner;

	if (w->spec->fixed_blocks)
		return fmin(w->spec->fixed_blocks, most);
	rate = w->rev > 0 ? fmin(rate, (double)w->s->inner) : rate;
	while (n * 2 <= most && n * (double)w->s->sector / rate < WS_QUICK)
		n *= 2;
	return n;
}

static void write_same(struct way *w, struct dw_cost_phase *p, double command)
{
	double sent = fmin(w->depth, WS_AHEAD), arms = fmin(sent, w->arms);
	double late;

	w->h = overhead_seconds(w, (double)w->s->sector);
	late = w->h + move_seconds(w, (double)w->s->sector);
	p->command = command;
	p->curve.outer *= arms / w->arms;
	p->curve.inner *= arms / w->arms;
	if (w->s->ws && w->rev <= 0)
		p->curve.outer = p->curve.inner = arms * (double)w->s->ws;
	if (sent < WS_AHEAD * arms)
		p->curve.extra = (w->rev > 0 && !w->s->cache ? turns(w, late) : late) /
				 command / arms;
	if (w->s->ws && w->rev > 0) {
		p->curve.least = 1 / (arms * (double)w->s->ws) + p->curve.extra;
		if ((double)w->s->ws < (double)w->s->outer)
			p->limit = "WRITE SAME";
	}
	p->weight = sent * command; /* of the medium, as the rates are */
	p->turn = late + command / (double)w->s->outer + (w->s->cache ? 0 : w->rev / 2);
	uses(w, p, (double)w->s->sector / command, late + command / p->curve.outer);
}

/* what the first blocks of a disk will show: WRITE into an empty cache, or onto the medium;
 * @ret_sure: by enough */
static bool same_is_quicker(struct way *w, double write_bytes, bool *ret_sure)
{
	struct dw_cost_phase p, q;
	double ws = fmin(fmin(WS_START, w->plan->ws_max),
			 (double)w->plan->blocks / TRIAL_PART) *
		    (double)w->s->sector;
	double same, plain;

	/* the first WRITE is there already and waits for the last WRITE SAME */
	*ret_sure = true;
	if (w->depth > 1 && (!w->s->cache || (double)w->s->buffer < 2 * ws))
		return true;
	add_medium(w, &p, write_bytes);
	add_medium(w, &q, ws);
	write_plain(w, &p, write_bytes);
	plain = w->s->cache ? w->h + move_seconds(w, write_bytes)
			    : dw_cost_phase_seconds(&p);
	plain /= write_bytes;
	write_same(w, &q, ws);
	same = dw_cost_phase_seconds(&q) / ws + (w->h + move_seconds(w, 512)) / ws;
	*ret_sure = same > TRIAL_SURE * plain || plain > TRIAL_SURE * same;
	return same <= plain;
}

static bool adapts(const struct dw_job_spec *spec)
{
	return !strcmp(spec->controller, "adaptive");
}

/* of "cache" that of as many as share the buffer; when some have ended, the others have more */
static uint32_t picked(const struct dw_job_spec *spec, const struct dw_disk_plan *p,
		       uint32_t disks)
{
	uint64_t buffer =
		spec->controller_buffer ? spec->controller_buffer : DW_CACHE_BYTES;

	if (!strcmp(spec->controller, "cache"))
		return dw_cache_length(buffer, p->block_size, disks);
	if (!adapts(spec) && spec->fixed_blocks)
		return spec->fixed_blocks;
	return p->optimal;
}

/* what one disk may have on its way when a controller looks for the best */
static double in_flight(const struct way *w)
{
	uint32_t at = w->s->n_on ? w->s->on[0] : STATION_NONE;
	double most = IN_FLIGHT;

	for (; at != STATION_NONE; at = w->station->node[at].on)
		if (w->station->node[at].buffer)
			most = fmin(most, (double)w->station->node[at].buffer / w->disks);
	return most;
}

/* the length and the depth at which the pass is quickest, the least on its way of equal ones:
 * what a controller that looks for it should find. @most: bytes of a command */
static bool write_best(struct way *w, struct dw_cost_phase *p, double most, double depth)
{
	double room = in_flight(w), best = INFINITY;
	struct dw_cost_phase found = *p;
	bool simple = true;

	for (uint32_t d = 1; d <= depth; d *= 2)
		for (double l = fmin(SHORTEST, most);
		     l <= most && (l * d <= room || l * d <= SHORTEST); l *= 2) {
			struct dw_cost_phase trial = *p;
			bool sure;
			double t;

			w->depth = d;
			sure = write_plain(w, &trial, l);
			t = dw_cost_phase_seconds(&trial);
			if (t >= best * (1 - EQUAL))
				continue;
			best = t;
			found = trial;
			simple = sure;
		}
	w->depth = found.weight / found.command;
	w->h = overhead_seconds(w, found.command);
	*p = found;
	p->weight = SHORTEST; /* all disks have the same setting */
	return simple;
}

/* flushes on the way and at the end, each with the question who the disk is */
static void add_flushes(const struct way *w, struct dw_cost_phase *p)
{
	double one = (1 + IDENTIFY) * w->h, t = dw_cost_phase_seconds(p);
	double n = floor(
		fmax(p->to / (double)w->spec->flush_bytes, t / w->spec->flush_seconds));
	double gap = w->s->cache ? w->h + move_seconds(w, p->command) : w->rev;

	p->fixed += one + n * (one + gap);
	if (w->rev > 0)
		p->fixed += w->rev / 2; /* the first sector */
}

static bool add_write(struct way *w, struct dw_cost_phase *p, uint8_t pass)
{
	const struct dw_pattern *pattern = &w->plan->pass[pass].pattern;
	bool constant = pattern->kind == DW_PATTERN_CONST, simple = true;
	uint32_t most = constant ? w->plan->const_max : w->plan->data_max;
	double command = (double)dw_min_u64(picked(w->spec, w->plan, w->disks), most) *
			 w->plan->block_size;
	bool ws = w->plan->command != DW_PLAN_WRITE && w->plan->ws_max &&
		  dw_pattern_repeats(pattern, w->plan->block_size);

	w->depth = constant && !ws ? w->plan->depth : w->plan->data_depth;
	if (ws && w->plan->command == DW_PLAN_TRIAL)
		ws = same_is_quicker(w, command, &simple);
	add_medium(w, p, (double)w->plan->blocks * w->plan->block_size);
	p->kind = DW_COST_WRITE;
	p->pass = pass;
	if (pass == w->plan->first_pass)
		p->from = (double)w->plan->first_lba * w->plan->block_size;
	if (ws)
		write_same(w, p, same_blocks(w) * (double)w->plan->block_size);
	else if (adapts(w->spec))
		simple &= write_best(w, p, (double)most * w->plan->block_size, w->depth);
	else
		simple &= write_plain(w, p, command);
	add_flushes(w, p);
	return simple;
}

static double seek_seconds(const struct way *w, double share)
{
	double track = (double)w->s->seek_track_ns, full = (double)w->s->seek_full_ns;

	if (w->rev <= 0)
		return 0;
	return (track + (full - track) * sqrt(share)) / 1e9 + w->rev / 2;
}

static void read_sample(const struct way *w, struct dw_cost_phase *p, double x)
{
	double unit = (double)w->plan->data_max * w->plan->block_size;
	struct dw_sample s;

	dw_sample_init(&s, w->plan->blocks, w->plan->data_max, w->plan->percent, 1);
	p->share = (double)dw_sample_blocks(&s) / (double)w->plan->blocks;
	p->curve.outer /= w->arms;
	p->curve.inner /= w->arms;
	p->curve.extra = seek_seconds(w, w->arms / (double)dw_sample_count(&s)) / unit;
	if (w->depth < 2)
		p->curve.extra += (w->h + x) / unit;
	p->limit = "seeks";
}

static void add_verify(struct way *w, struct dw_cost_phase *p, uint8_t pass)
{
	double command = (double)dw_min_u64(picked(w->spec, w->plan, w->disks),
					    w->plan->data_max) *
			 w->plan->block_size;
	double x = move_seconds(w, command), ahead;
	uint8_t verify = w->plan->pass[pass].verify;

	w->depth = w->plan->data_depth;
	add_medium(w, p, (double)w->plan->blocks * w->plan->block_size);
	w->h = overhead_seconds(w, command);
	p->kind = DW_COST_VERIFY;
	p->pass = pass;
	p->command = command;
	p->curve.least = fmax(x, (w->h + x) / w->depth) / command;
	ahead = (double)w->s->buffer / p->curve.outer;
	if (verify == DW_VERIFY_SAMPLE)
		read_sample(w, p, x);
	else if (p->curve.least > 1 / p->curve.outer)
		p->limit = "command overhead";
	if (verify == DW_VERIFY_FULL && w->depth < 2 && w->h + x > ahead)
		p->curve.extra = (w->h + x - ahead) / command;
	p->fixed = seek_seconds(w, 1);
	p->turn = w->h + x +
		  (verify == DW_VERIFY_SAMPLE
			   ? command * (1 / (double)w->s->outer + p->curve.extra)
			   : 0);
	p->weight = w->depth * command;
	uses(w, p, 1, w->h + x + command / p->curve.outer);
}

/* The disk compares all its blocks itself. What is planted before is written, found, overwritten
 * and read, each time with a seek; and it reads beside it. */
static void add_compare(const struct way *w, struct dw_cost_phase *p, uint8_t pass)
{
	double bytes = (double)w->plan->blocks * w->plan->block_size;
	uint32_t strata = dw_plants_strata(w->plan->blocks);
	double seek = strata ? seek_seconds(w, w->arms / strata) : 0;

	add_medium(w, p, bytes);
	p->kind = DW_COST_VERIFY;
	p->pass = pass;
	p->command = fmin(bytes, COMPARE_S * p->curve.outer);
	p->fixed = strata * ((4 + PLANT_PAIRS) * (seek + w->h) + seek) +
		   (double)dw_plants_flood_blocks(w->plan->blocks, w->plan->block_size) *
			   w->plan->block_size / p->curve.outer;
	p->by_itself = true;
}

/* the time that the disk states, and what belongs to the end of any pass */
static void add_operation(const struct way *w, struct dw_cost_phase *p, uint8_t pass)
{
	double bytes = (double)w->plan->blocks * w->plan->block_size;

	add_medium(w, p, bytes);
	p->pass = pass;
	p->curve.outer = p->curve.inner = bytes / ((double)w->plan->operation_ns / 1e9);
	p->command = bytes;
	p->by_itself = true;
	p->limit = DW_LIMIT_ITSELF;
}

double dw_cost_phase_seconds(const struct dw_cost_phase *p)
{
	return p->share * dw_cost_curve_seconds(&p->curve, p->from, p->to);
}

void dw_cost_disk_phases(const struct dw_cost_disk *d, struct dw_phase_seconds *ret)
{
	*ret = (struct dw_phase_seconds){ 0 };
	for (uint32_t i = 0; i < d->n_phases; i++) {
		const struct dw_cost_phase *p = &d->phase[i];
		double t = dw_cost_phase_seconds(p), drain = fmin(p->drain, t);

		if (p->kind == DW_COST_VERIFY) {
			ret->verify += t + p->fixed;
		} else {
			ret->write += t - drain;
			ret->flush += drain + p->fixed;
		}
	}
}

double dw_cost_disk_slot(const struct dw_cost_disk *d)
{
	double t = 0;

	for (uint32_t i = 0; i < d->n_phases; i++)
		if (!d->phase[i].by_itself)
			t += dw_cost_phase_seconds(&d->phase[i]) + d->phase[i].fixed;
	return t;
}

static bool is_odd(const struct dw_station *station, const struct station_disk *s,
		   double depth)
{
	bool odd = s->n_faults > 0 || (double)s->tagged < depth;

	for (uint32_t path = 0; path < s->n_on; path++)
		for (uint32_t at = s->on[path]; at != STATION_NONE;
		     at = station->node[at].on)
			odd |= station->node[at].retry;
	return odd;
}

static void sum_up_phases(struct dw_cost_disk *d)
{
	for (uint32_t i = 0; i < d->n_phases; i++) {
		const struct dw_cost_phase *p = &d->phase[i];

		d->alone += dw_cost_phase_seconds(p) + p->fixed;
		d->commands += p->share * (p->to - p->from) / p->command;
		d->room = fmax(d->room, p->weight);
		d->n_at = fmax(d->n_at, fmax(1, p->weight / p->command));
	}
}

/* one command at a time over all disks: the turn is a resource; a lost revolution is another
 * disk's turn */
static void take_turns(struct dw_cost_disk *d, uint32_t resource)
{
	for (uint32_t i = 0; i < d->n_phases; i++) {
		struct dw_cost_phase *p = &d->phase[i];

		if (p->by_itself)
			continue;
		p->curve.extra = p->kind == DW_COST_WRITE ? 0 : p->curve.extra;
		p->weight = p->command;
		if (p->n_use < DW_COST_USES)
			p->use[p->n_use++] =
				(struct dw_cost_use){ resource, p->turn / p->command };
	}
}

uint32_t dw_cost_resources(const struct dw_station *station)
{
	return (DW_COST_PARTS + 1) * station->n_nodes + 1;
}

int dw_cost_disk_init(struct dw_cost_disk *d, const struct dw_cost_case *c)
{
	const struct dw_disk_plan *plan = c->plan;
	struct way w = { .station = c->station,
			 .s = c->disk,
			 .plan = plan,
			 .spec = c->spec,
			 .disks = c->disks,
			 .arms = plan->order.turn ? plan->order.n : 1,
			 .rev = c->disk->rpm ? 60.0 / (double)c->disk->rpm : 0,
			 .depth = adapts(c->spec) ? 1 : plan->depth };

	*d = (struct dw_cost_disk){ .simple = !is_odd(c->station, c->disk, w.depth) };
	d->phase = calloc(2 * (size_t)plan->n_passes + 1, sizeof(*d->phase));
	if (!d->phase)
		return -ENOMEM;
	for (uint8_t i = plan->verify_only ? plan->n_passes - 1u : plan->first_pass;
	     i < plan->n_passes; i++) {
		if (dw_plan_kind(plan, i) == DW_PASS_OPERATION)
			add_operation(&w, &d->phase[d->n_phases++], i);
		else if (!plan->verify_only)
			d->simple &= add_write(&w, &d->phase[d->n_phases++], i);
		if (plan->compare && i + 1 == plan->n_passes)
			add_compare(&w, &d->phase[d->n_phases++], i);
		if (plan->pass[i].verify != DW_VERIFY_OFF)
			add_verify(&w, &d->phase[d->n_phases++], i);
	}
	sum_up_phases(d);
	if (c->turns)
		take_turns(d, DW_COST_PARTS * c->station->n_nodes + c->adapter);
	return 0;
}

void dw_cost_disk_deinit(struct dw_cost_disk *d)
{
	free(d->phase);
	*d = (struct dw_cost_disk){ 0 };
}

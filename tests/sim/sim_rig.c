/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random stations, and the eyes on what reaches their disks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "scsi/cdb.h"
#include "sched/controller.h"
#include "registry.h"
#include "sim_rig.h"
#include "../unit/error_line.h"

#define ORDER_GRAIN 4096 /* as in src/engine/plan.c */

static uint64_t pick(struct rig *r, uint64_t from, uint64_t to)
{
	return from + dw_rng_below(&r->rng, to - from + 1);
}

/* between the two on a logarithmic scale */
static uint64_t pick_log(struct rig *r, uint64_t from, uint64_t to)
{
	uint64_t x = from;

	while (x < to && dw_rng_below(&r->rng, 4))
		x *= 2;
	return dw_min_u64(x + dw_rng_below(&r->rng, x + 1), to);
}

static void node(struct rig *r, uint32_t kind, uint32_t on)
{
	struct dw_station *s = &r->station;
	struct station_node *n = &s->node[s->n_nodes];

	*n = (struct station_node){ .kind = (uint8_t)kind, .on = STATION_NONE };
	snprintf(n->name, sizeof(n->name), "node-%u", s->n_nodes++);
	if (on != STATION_NONE)
		snprintf(n->on_name, sizeof(n->on_name), "node-%u", on);
	n->rate = pick(r, 0, 3) ? pick_log(r, 80000000, UINT64_C(12000000000)) : 0;
	if (kind == STATION_CONTROLLER) {
		n->command_ns = pick(r, 0, 20000);
		n->buffer = pick(r, 0, 1) ? pick_log(r, 65536, 64 << 20) : 0;
		n->queue = pick(r, 0, 2) ? 0 : pick(r, 1, 40);
		n->overflow_ns = pick(r, 0, 5000000);
	} else if (kind == STATION_BUS) {
		n->command_ns = pick(r, 0, 5000);
		n->parallel = pick(r, 0, 2) == 0;
		n->retry = pick(r, 0, 3) == 0;
	}
}

static void disk(struct rig *r, uint64_t scale)
{
	static const uint64_t sectors[] = { 4096, 512, 512, 520 };
	struct dw_station *s = &r->station;
	struct station_disk *d = &s->disk[s->n_disks];

	station_disk_init(d);
	snprintf(d->name, sizeof(d->name), "disk-%u", s->n_disks++);
	d->sector = sectors[pick(r, 0, 3)];
	d->physical = pick(r, 0, 1) && d->sector < 4096 ? 8 * d->sector : d->sector;
	d->count = pick(r, 1, 3);
	d->capacity = pick(r, 300, 4000) * 4096 * scale;
	d->outer = pick_log(r, 10000000, 600000000);
	d->inner = d->outer / pick(r, 1, 3);
	d->rpm = pick(r, 0, 3) ? 1000 * pick(r, 5, 15) : 0;
	d->cache = pick(r, 0, 1);
	d->buffer = pick_log(r, 65536, 64 << 20);
	d->overhead_ns = pick(r, 0, 200000);
	d->link = pick(r, 0, 2) ? pick_log(r, 100000000, 1200000000) : 0;
	d->ws = pick(r, 0, 2) ? 0 : STATION_WS_NONE;
	d->ws_max = pick(r, 0, 1) ? pick(r, 1, 3000) : 0;
	d->tagged = pick(r, 0, 4) ? 64 : pick(r, 1, 16);
	d->jitter = pick(r, 0, 2) ? 0 : 0.05;
	d->n_on = s->n_nodes ? (uint32_t)pick(r, 0, 2) : 0;
	for (uint32_t i = 0; i < d->n_on; i++)
		snprintf(d->on_name[i], sizeof(d->on_name[i]), "node-%u",
			 (unsigned)pick(r, 0, s->n_nodes - 1));
}

static void draw_spec(struct rig *r)
{
	static const char *const patterns[] = { "00", "ff,00", "00,ff,aa",
						"aa,random,00" };
	struct dw_job_spec *s = &r->spec;

	dw_job_spec_init(s);
	snprintf(s->strategy, sizeof(s->strategy), "%s",
		 registry_strategy(pick(r, 0, registry_strategies() - 1)));
	snprintf(s->controller, sizeof(s->controller), "%s",
		 pick(r, 0, 1) ? "cache" : "fixed");
	s->fixed_blocks = pick(r, 0, 1) ? (uint32_t)pick(r, 1, 400) : 0;
	s->active = (uint32_t)pick(r, 0, 4);
	s->depth = (uint32_t)(pick(r, 0, 2) ? pick(r, 1, 8) : 1);
	s->command = (enum dw_command_mode)pick(r, 0, 1);
	snprintf(s->pattern, sizeof(s->pattern), "%s", patterns[pick(r, 0, 3)]);
	s->verify = (enum dw_verify_kind)pick(r, 1, 3);
	s->verify_percent = 10;
	s->flush_bytes = pick_log(r, 65536, 64 << 20);
	s->stall_seconds = 600;
	s->seed = 1 + dw_rng_next(&r->rng) / 2;
}

uint32_t rig_depth(const struct rig *r)
{
	if (r->spec.depth)
		return r->spec.depth;
	return strcmp(r->spec.controller, "adaptive") ? 1 : DW_DEPTH_AUTO;
}

void rig_draw(struct rig *r, uint64_t seed, uint64_t scale)
{
	struct dw_station *s = &r->station;
	uint32_t n;
	struct dw_error err = { 0 };

	memset(r, 0, sizeof(*r));
	dw_rng_seed(&r->rng, seed);
	s->node = calloc(8, sizeof(*s->node));
	s->disk = calloc(8, sizeof(*s->disk));
	assert_true(s->node && s->disk);
	n = (uint32_t)pick(r, 0, 2);
	if (n)
		node(r, STATION_LINK, STATION_NONE);
	for (uint32_t i = 0; i < n; i++) {
		node(r, STATION_CONTROLLER, 0);
		if (pick(r, 0, 1))
			node(r, STATION_BUS, s->n_nodes - 1);
	}
	for (n = (uint32_t)pick(r, 1, 7); n; n--)
		disk(r, scale);
	if (station_check(s, &err))
		fail_msg("seed %llu: %s", (unsigned long long)seed, error_line(&err));
	draw_spec(r);
}

/* other load somewhere on the disks */
static void draw_order(struct rig *r)
{
	uint64_t first = pick(r, 0, 30000);

	if (pick(r, 0, 1))
		return;
	snprintf(r->spec.order, sizeof(r->spec.order), "near-first");
	snprintf(r->spec.near, sizeof(r->spec.near), "%llu-%llu",
		 (unsigned long long)first,
		 (unsigned long long)(first + pick(r, 0, 20000)));
}

/* disks of one kind of three have several actuators */
static void draw_actuators(struct rig *r, uint64_t seed)
{
	for (uint32_t i = 0; i < r->station.n_disks; i++)
		if ((seed + i) % 3 == 0)
			r->station.disk[i].actuators = 2 + (seed + i) / 3 % 3;
}

/* by the words of docs/simulator.md, and by what no disk of the rig is too small for */
static void take_turns(struct rig_disk *d)
{
	uint64_t n = d->spec->actuators, physical = d->spec->physical / d->spec->sector;
	struct dw_ranges ranges = { .n = (uint8_t)n };

	for (uint64_t i = 0; i < n; i++)
		ranges.first[i] = i * ((d->spec->blocks + n - 1) / n);
	n = (1 << 20) / d->spec->sector;
	dw_order_turns(d->spec->blocks, (uint32_t)(n - n % physical), &ranges, &d->order);
}

void rig_init(struct rig *r, uint64_t seed, uint64_t scale)
{
	struct dw_station *s = &r->station;

	rig_draw(r, seed, scale);
	if (seed % 4 == 0) {
		snprintf(r->spec.controller, sizeof(r->spec.controller), "adaptive");
		r->spec.depth = r->spec.depth > 1 ? r->spec.depth : 0;
	}
	draw_order(r);
	draw_actuators(r, seed);
	r->coarse = scale > 1;
	for (uint32_t i = 0; i < s->n_units; i++) {
		struct rig_disk *d = &r->disk[i];
		uint32_t index;

		struct dw_near near;

		d->spec = sim_world_disk(s, i, &index);
		if (!r->spec.near[0])
			take_turns(d);
		else if (!dw_near_parse(r->spec.near, &near))
			dw_order_near(
				d->spec->blocks,
				(uint32_t)dw_max_u64(1, ORDER_GRAIN / d->spec->sector),
				&near, &d->order);
		d->medium = malloc(d->spec->blocks);
		d->cache = malloc(d->spec->blocks);
		d->writes = calloc(d->spec->blocks, sizeof(*d->writes));
		d->read = calloc(d->spec->blocks, sizeof(*d->read));
		assert_true(d->medium && d->cache && d->writes && d->read);
		memset(d->medium, OLD, d->spec->blocks);
		memset(d->cache, OLD, d->spec->blocks);
	}
}

/* a disk that hangs keeps its place in a controller whose room is limited */
static bool is_crowded(const struct rig *r)
{
	for (uint32_t i = 0; i < r->station.n_nodes; i++)
		if (r->station.node[i].queue || r->station.node[i].buffer)
			return true;
	return false;
}

void rig_faults(struct rig *r)
{
	for (uint32_t i = 0; i < r->station.n_disks; i++) {
		struct station_disk *d = &r->station.disk[i];
		uint64_t n = dw_rng_below(&r->rng, 4);

		d->fault = n ? calloc(n, sizeof(*d->fault)) : NULL;
		for (; d->n_faults < n; d->n_faults++) {
			struct station_fault *f = &d->fault[d->n_faults];

			f->kind = (uint8_t)dw_rng_below(&r->rng, STATION_ABORT + 1);
			if (f->kind == STATION_REMOVE && dw_rng_below(&r->rng, 2))
				f->kind = STATION_RESET;
			f->at_ns = dw_rng_below(&r->rng, 3 * DW_NS_PER_S);
			f->for_ns = dw_rng_below(&r->rng,
						 (is_crowded(r) ? 1 : 100) * DW_NS_PER_S);
			f->lba = dw_rng_below(&r->rng, d->blocks);
			f->nlb = 1 + dw_rng_below(&r->rng, 8);
			f->share = f->kind == STATION_ABORT ? 0.01 : 0.3;
		}
	}
}

/* commands leave in the order of the blocks, each where the one before ended */
static void begun(void *ctx, uint32_t unit, const struct dw_cmd *cmd, uint32_t at_device)
{
	struct rig *r = ctx;
	struct rig_disk *d = &r->disk[unit];
	struct dw_cdb_extent x;
	uint64_t run;

	if (at_device > d->most)
		d->most = at_device;
	if (!dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x) && x.verb <= DW_EXTENT_WRITE_SAME &&
	    x.verb != DW_EXTENT_READ) {
		if (cmd->pattern != d->pass)
			d->next = 0;
		d->pass = (uint8_t)cmd->pattern;
		if (d->leap_to && d->next == d->leap_from &&
		    x.lba == dw_order_lba(&d->order, d->leap_to, &run))
			d->next = d->leap_to;
		d->disordered |=
			x.lba != dw_order_lba(&d->order, d->next, &run) || x.nlb > run;
		d->next += x.nlb;
	}
	if (++r->commands != r->stop_at)
		return;
	if (r->abort)
		dw_job_abort(r->job);
	else
		dw_job_stop(r->job);
}

static void written(struct rig *r, struct rig_disk *d, const struct dw_cmd *cmd,
		    const struct dw_cdb_extent *x, bool good)
{
	uint8_t pass = (uint8_t)cmd->pattern;

	for (uint64_t i = x->lba; i < x->lba + x->nlb; i++) {
		d->cache[i] = good ? pass : TORN;
		d->writes[i] += good;
		d->read[i] = false;
		if (!d->spec->cache || !good)
			d->medium[i] = d->cache[i];
	}
}

static void ended(void *ctx, uint32_t unit, const struct dw_cmd *cmd, bool good)
{
	struct rig *r = ctx;
	struct rig_disk *d = &r->disk[unit];
	struct dw_cdb_extent x;

	if (dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x))
		return;
	if (x.verb == DW_EXTENT_WRITE || x.verb == DW_EXTENT_WRITE_SAME)
		written(r, d, cmd, &x, good);
	else if (x.verb == DW_EXTENT_READ)
		memset(&d->read[x.lba], true, x.nlb);
	else if (x.verb == DW_EXTENT_SYNC && good)
		memcpy(d->medium, d->cache, d->spec->blocks);
}

/* blocks that a leap has written; what it has flushed of them is not told, so all */
static void leapt(void *ctx, uint32_t unit, uint64_t pos, uint64_t n)
{
	struct rig *r = ctx;
	struct rig_disk *d = &r->disk[unit];

	if (++r->leaps == r->stop_leap)
		r->stop_at = r->commands + 1;
	d->leap_from = pos == d->leap_to ? d->leap_from : pos;
	d->leap_to = pos + n;
	for (; pos < d->leap_to; pos++) {
		uint64_t run, i = dw_order_lba(&d->order, pos, &run);

		d->cache[i] = d->medium[i] = d->pass;
		d->writes[i]++;
	}
}

static void lose_cache(struct rig_disk *d)
{
	if (d->medium)
		memcpy(d->cache, d->medium, d->spec->blocks);
}

static void was_reset(void *ctx, uint32_t unit)
{
	lose_cache(&((struct rig *)ctx)->disk[unit]);
}

void rig_start(struct rig *r)
{
	struct dw_error err = { 0 };

	if (dw_job_new(NULL, &r->spec, &r->job, &err) < 0)
		fail_msg("%s", error_line(&err));
	assert_int_equal(sim_job_begin(r->job, &r->station, r->coarse, &r->world), 0);
	for (uint32_t i = 0; i < r->station.n_units; i++)
		if (!(r->left_out & 1u << i))
			assert_int_equal(sim_job_add_unit(r->job, &r->station, i), 0);
	r->world->observer = (struct sim_observer){ begun, ended, was_reset, leapt, r };
	if (dw_job_start(r->job, &err) < 0)
		fail_msg("%s", error_line(&err));
}

void rig_run(struct rig *r, double seconds)
{
	struct dw_event e;
	int n;

	while ((n = dw_job_step(r->job, 0)) == 1) {
		while (dw_job_next_event(r->job, &e))
			;
		if (dw_job_seconds(r->job) > seconds)
			fail_msg("not finished after %g s", seconds);
	}
	if (n < 0)
		fail_msg("the job ended with %d after %llu commands, %g s", n,
			 (unsigned long long)r->commands, dw_job_seconds(r->job));
}

void rig_end(struct rig *r)
{
	dw_job_free(r->job);
	r->job = NULL;
	for (uint32_t i = 0; i < r->station.n_units; i++)
		lose_cache(&r->disk[i]);
}

void rig_deinit(struct rig *r)
{
	rig_end(r);
	for (uint32_t i = 0; i < r->station.n_units; i++) {
		free(r->disk[i].medium);
		free(r->disk[i].cache);
		free(r->disk[i].writes);
		free(r->disk[i].read);
	}
	for (uint32_t i = 0; i < r->station.n_disks; i++)
		free(r->station.disk[i].fault);
	free(r->station.node);
	free(r->station.disk);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A core that lives for long: disks come while others run, are paused, stopped, pulled, and leave;
 * their numbers and places are used again. A link is a bus that carries one transfer at a time.
 *
 *	test_live [FIRST-SEED COUNT]: only the properties, with those seeds
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/heap.h"
#include "base/rng.h"
#include "base/util.h"
#include "core/core.h"
#include "registry.h"

#define MOST   64 /* disks at once */
#define LINKS  8
#define SLOTS  4096
#define HOUR   (3600 * DW_NS_PER_S)
#define BLOCKS 4000

static uint64_t first_seed = 1, n_seeds = 150;

/** struct live_disk - @pass: of each block, which pass it holds, from 1 */
struct live_disk {
	bool present;
	bool paused;
	bool fenced;
	bool gone;
	bool other;
	bool stopped;
	bool dirty;
	bool reset;
	uint32_t link;
	uint32_t inflight;
	uint64_t blocks;
	uint64_t resume_ns;
	uint8_t pass[BLOCKS];
};

/**
 * struct live - the world
 * @active: limit of each link, @shared: of all together, 0 = none; @busiest: disks with data on
 *	their way at once
 * @trouble: of 65536, a chance of a fault for each command
 * @bus_ns: until when each link has to do; @highest: the greatest number that a disk had
 */
struct live {
	struct dw_core *core;
	struct dw_rng rng;
	uint64_t now;
	struct dw_heap due;
	struct dw_op op[SLOTS];
	struct dw_result result[SLOTS];
	struct live_disk disk[MOST];
	uint64_t bus_ns[LINKS];
	uint64_t bytes[MOST];
	uint32_t links;
	uint32_t active;
	uint32_t shared;
	uint32_t busiest;
	uint32_t trouble;
	uint32_t present;
	uint32_t highest;
	uint64_t results;
	uint64_t ended[5];
};

static uint64_t looked; /* disks that strategies and controllers were shown */

static int counted_next(struct dw_strategy_state *s, const struct dw_view *view,
			struct dw_column *ret)
{
	looked += 1 + view->n_ready;
	return dw_strategy_longest_first.next(s, view, ret);
}

static void counted_pick(struct dw_controller_state *s, const struct dw_view *view,
			 uint32_t disk, struct dw_pick *ret)
{
	looked++;
	dw_controller_adaptive.pick(s, view, disk, ret);
}

static void begin(struct live *v, uint64_t seed, uint32_t links, const char *strategy,
		  const char *controller, uint32_t active)
{
	struct dw_core_link cfg = {
		.strategy = dw_strategy_find(strategy),
		.controller = dw_controller_find(controller),
		.active = active,
		.fixed_blocks = 64,
	};
	uint32_t id;

	memset(v, 0, sizeof(*v));
	v->now = DW_NS_PER_S;
	v->links = links;
	v->active = !strcmp(strategy, "sequential") ? 1 : active;
	dw_rng_seed(&v->rng, seed);
	assert_int_equal(0, dw_core_new(&v->core));
	for (uint32_t i = 0; i < links; i++) {
		assert_int_equal(0, dw_core_link_new(v->core, &cfg, &id));
		assert_int_equal(id, i);
	}
}

static void end(struct live *v)
{
	dw_core_free(v->core);
	dw_heap_deinit(&v->due);
}

static uint32_t add(struct live *v, uint32_t link, uint64_t blocks, int32_t priority)
{
	struct dw_disk_plan plan = {
		.blocks = blocks,
		.block_size = 512,
		.physical = 1,
		.const_max = 256,
		.data_max = 256,
		.optimal = 64,
		.depth = 4,
		.data_depth = 4,
		.wce = 1,
		.n_passes = 2,
	};
	struct dw_core_disk disk = {
		.plan = &plan,
		.rules = { .ahead = 1,
			   .flush_bytes = 512 * 1024,
			   .flush_ns = 300 * DW_NS_PER_S,
			   .stall_ns = HOUR,
			   .exception_limit = 100 },
		.expected_ns = blocks * 1000,
		.priority = priority,
	};
	uint32_t id;

	plan.pass[0].verify = DW_VERIFY_OFF;
	plan.pass[1].verify = DW_VERIFY_FULL;
	assert_int_equal(0, dw_core_add(v->core, link, &disk, &id));
	assert_true(id < MOST && !v->disk[id].present);
	v->disk[id] =
		(struct live_disk){ .present = true, .link = link, .blocks = blocks };
	v->bytes[id] = 0;
	v->highest = id > v->highest ? id : v->highest;
	v->present++;
	return id;
}

static bool is_data(const struct dw_op *op)
{
	return op->verb == DW_VERB_WRITE || op->verb == DW_VERB_READ;
}

/* disks with data on their way are no more than their link allows, and those that it shares its
 * limit with */
static void check_active(struct live *v, uint32_t link)
{
	uint32_t n = 0, all = 0;

	for (uint32_t i = 0; i < MOST; i++) {
		n += v->disk[i].link == link && v->disk[i].inflight > 0;
		all += v->disk[i].inflight > 0;
	}
	if (v->active)
		assert_true(n <= v->active);
	if (v->shared)
		assert_true(all <= v->shared);
	v->busiest = all > v->busiest ? all : v->busiest;
}

static bool is_alone(const struct live *v, const struct live_disk *d)
{
	for (uint32_t i = 0; i < MOST; i++)
		if (&v->disk[i] != d && v->disk[i].link == d->link && v->disk[i].inflight)
			return false;
	return true;
}

static uint8_t class_of(struct live *v, struct live_disk *d)
{
	static const uint8_t faults[] = { DW_CLASS_RETRY, DW_CLASS_RESET,
					  DW_CLASS_TIMEOUT };

	if (d->gone)
		return DW_CLASS_GONE;
	if (d->fenced)
		return DW_CLASS_GIVEN_BACK;
	if (dw_rng_below(&v->rng, 65536) < v->trouble)
		return faults[dw_rng_below(&v->rng, is_alone(v, d) ? 2 : 3)];
	return DW_CLASS_OK;
}

static void submit(struct live *v, const struct dw_op *op)
{
	struct live_disk *d = &v->disk[op->disk];
	struct dw_result *r;
	uint64_t ns = DW_NS_PER_MS;

	assert_true(d->present && (!d->paused || op->verb == DW_VERB_DEPTH));
	if (op->verb == DW_VERB_LIFT) { /* what a reset may have lost is written again */
		d->dirty &= !d->reset;
		d->fenced = d->reset = false;
	}
	if (op->verb == DW_VERB_LIFT || op->verb == DW_VERB_DEPTH)
		return;
	if (is_data(op)) {
		d->inflight++;
		check_active(v, d->link);
		v->bus_ns[d->link] = dw_max_u64(v->now, v->bus_ns[d->link]) + 20000 +
				     op->nlb * UINT64_C(1280); /* 400 MB/s */
		ns = v->bus_ns[d->link] - v->now + dw_rng_below(&v->rng, 500000);
	}
	assert_true(op->slot < SLOTS);
	r = &v->result[op->slot];
	*r = (struct dw_result){ .disk = op->disk,
				 .slot = op->slot,
				 .compared = op->nlb,
				 .submit_ns = v->now,
				 .start_ns = v->now,
				 .end_ns = v->now + ns };
	v->op[op->slot] = *op;
	assert_int_equal(0, dw_heap_push(&v->due, r->end_ns, op->slot));
}

static void took_effect(struct live *v, struct live_disk *d, const struct dw_op *op)
{
	v->bytes[op->disk] += op->nlb * UINT64_C(512);
	for (uint64_t i = op->lba; i < op->lba + op->nlb; i++) {
		assert_true(d->pass[i] <= op->pass + 1);
		if (op->verb == DW_VERB_WRITE)
			d->pass[i] = op->pass + 1;
		else
			assert_int_equal(d->pass[i], 2);
	}
	d->dirty |= op->verb == DW_VERB_WRITE;
}

static void complete(struct live *v, uint32_t slot)
{
	const struct dw_op *op = &v->op[slot];
	struct live_disk *d = &v->disk[op->disk];
	struct dw_result *r = &v->result[slot];

	r->class = !(dw_verb_flags(op->verb) & DW_VERB_IS_ASKED) || d->gone
			   ? class_of(v, d)
			   : DW_CLASS_OK;
	if (r->class == DW_CLASS_GIVEN_BACK)
		r->start_ns = 0;
	else if (r->class != DW_CLASS_OK)
		d->fenced = true;
	d->reset |= r->class == DW_CLASS_RESET || r->class == DW_CLASS_TIMEOUT;
	if (op->verb == DW_VERB_IDENTIFY && d->other)
		r->identity = DW_IDENTITY_CHANGED;
	if (dw_verb_flags(op->verb) & DW_VERB_IS_ASKED && r->identity)
		d->fenced = true;
	d->inflight -= is_data(op);
	if (r->class == DW_CLASS_OK && is_data(op))
		took_effect(v, d, op);
	if (r->class == DW_CLASS_OK && op->verb == DW_VERB_FLUSH)
		d->dirty = false;
	v->results++;
	assert_int_equal(0, dw_core_result(v->core, r, v->now));
}

static void has_ended(struct live *v, uint32_t id)
{
	const struct dw_disk_state *st = dw_core_state(v->core, id);
	struct live_disk *d = &v->disk[id];

	v->ended[st->end]++;
	if (st->end == DW_END_COMPLETE)
		for (uint64_t i = 0; i < d->blocks; i++)
			assert_int_equal(d->pass[i], 2);
	else
		assert_true((st->end == DW_END_STOPPED && d->stopped) ||
			    (st->end == DW_END_REMOVED && d->gone) ||
			    (st->end == DW_END_FAILED && d->other));
}

static void leave(struct live *v, uint32_t id)
{
	assert_int_equal(0, dw_core_remove(v->core, id));
	v->disk[id].present = false;
	v->present--;
}

static void take_event(struct live *v, const struct dw_core_event *e)
{
	struct live_disk *d = &v->disk[e->disk];

	switch (e->kind) {
	case DW_CORE_EVENT_PAUSED:
		/* nothing on its way, and nothing that a pull would lose */
		assert_true(!d->inflight && !d->dirty);
		assert_true(dw_core_state(v->core, e->disk)->paused);
		d->paused = true;
		break;
	case DW_CORE_EVENT_DONE:
		has_ended(v, e->disk);
		leave(v, e->disk);
		break;
	default:
		break;
	}
}

static void resume(struct live *v, uint32_t id)
{
	v->disk[id].resume_ns = 0;
	v->disk[id].paused = false;
	dw_core_resume(v->core, id);
}

/* whoever has been paused for long enough goes on; when the next of them does */
static uint64_t resume_all(struct live *v)
{
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; i < MOST; i++) {
		if (!v->disk[i].present || !v->disk[i].resume_ns)
			continue;
		if (v->disk[i].resume_ns <= v->now)
			resume(v, i);
		else
			next = dw_min_u64(next, v->disk[i].resume_ns);
	}
	return next;
}

/* the core does what it can now */
static void step(struct live *v)
{
	struct dw_core_event e;
	struct dw_op op;

	assert_int_equal(0, dw_core_step(v->core, v->now));
	while (dw_core_op(v->core, &op))
		submit(v, &op);
	while (dw_core_event(v->core, &e))
		take_event(v, &e);
	assert_false(dw_core_stalled(v->core));
}

/* go on to the next thing that happens, at most to @limit; whether a command ended */
static bool advance(struct live *v, uint64_t limit)
{
	struct dw_heap_item item;
	uint64_t wake = dw_min_u64(limit, resume_all(v));

	step(v);
	wake = dw_min_u64(wake, dw_core_timer(v->core));
	if (dw_heap_peek(&v->due) > wake) {
		v->now = dw_max_u64(v->now, wake);
		return false;
	}
	if (!dw_heap_pop(&v->due, &item))
		return false; /* all that are there are paused */
	v->now = dw_max_u64(v->now, item.ns);
	complete(v, (uint32_t)item.tag);
	return true;
}

/* something is done to some disk */
static void meddle(struct live *v)
{
	uint32_t id = (uint32_t)dw_rng_below(&v->rng, MOST);
	struct live_disk *d = &v->disk[id];

	if (!d->present)
		return;
	if (dw_core_state(v->core, id)->phase != DW_CORE_WAITING)
		assert_int_equal(-EBUSY, dw_core_remove(v->core, id));
	switch (dw_rng_below(&v->rng, 8)) {
	case 0:
		d->stopped = true;
		dw_core_stop(v->core, id, dw_rng_below(&v->rng, 2));
		break;
	case 1:
		d->gone = true;
		break;
	case 2:
		assert_int_equal(0, dw_core_priority(v->core, id, 1));
		break;
	default:
		if (d->resume_ns)
			break;
		dw_core_pause(v->core, id);
		d->resume_ns = v->now + dw_rng_below(&v->rng, HOUR / 60);
	}
}

/* @total disks come, @load at a time, @gap_ns for each on average, at most @most at once */
static void live_through(struct live *v, uint32_t total, uint32_t load, uint64_t gap_ns,
			 uint32_t most, uint32_t meddling)
{
	uint64_t arrival = v->now;
	uint32_t added = 0;

	while (added < total || v->present) {
		bool room = added < total && v->present < most;

		if (room && arrival <= v->now) {
			uint64_t blocks = 300 + dw_rng_below(&v->rng, BLOCKS - 300);

			add(v, added++ % v->links, blocks, 0);
			if (added % load == 0)
				arrival =
					v->now + dw_rng_below(&v->rng, 2 * load * gap_ns);
			continue;
		}
		if (advance(v, room ? arrival : UINT64_MAX) &&
		    dw_rng_below(&v->rng, 65536) < meddling)
			meddle(v);
	}
}

/* whatever strategy, controller, number of links and disks: no stall, and who ends complete has
 * all blocks right; numbers are used again */
static void come_and_go(void **state)
{
	static struct live v;
	uint64_t ended[5] = { 0 };

	for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
		const char *const *controller = dw_controller_list();

		for (uint64_t i = 0; i < seed % 3; i++)
			controller++;
		begin(&v, seed, 1 + (uint32_t)(seed % 5), registry_strategy(seed),
		      *controller, seed % 2 ? 3 : 0);
		if (!dw_strategy_find(registry_strategy(seed))->disk_in)
			v.active = 0; /* it admits all */
		v.trouble = seed % 3 ? 100 : 0;
		live_through(&v, 60, 1, DW_NS_PER_S / 20, 20, 600);
		assert_true(v.highest < 20);
		for (int i = 0; i < 5; i++)
			ended[i] += v.ended[i];
		end(&v);
	}
	assert_true(ended[DW_END_COMPLETE] && ended[DW_END_STOPPED] &&
		    ended[DW_END_REMOVED] && !ended[DW_END_FAILED]);
}

/* Links that share a limit keep it together, whatever their strategies, and none of them waits for
 * ever. */
static void a_limit_for_all(void **state)
{
	static const char *const strategies[] = { "longest-first", "sequential" };
	static struct live v;
	uint64_t full = 0;

	for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
		uint32_t limit = 1 + (uint32_t)(seed % 4), id;

		begin(&v, seed, 0, "parallel", "fixed", 0);
		v.links = 2 + (uint32_t)(seed % 3);
		v.shared = limit;
		v.trouble = seed % 3 ? 100 : 0;
		for (uint32_t i = 0; i < v.links; i++)
			assert_int_equal(
				0,
				dw_core_link_new(
					v.core,
					&(struct dw_core_link){
						.strategy = dw_strategy_find(
							strategies[(seed + i) % 2]),
						.controller = dw_controller_find("fixed"),
						.active = limit,
						.shared = 7,
						.fixed_blocks = 64 },
					&id));
		live_through(&v, 40, 1, DW_NS_PER_S / 20, 20, 600);
		full += v.busiest == limit;
		end(&v);
	}
	assert_true(n_seeds < 100 || 4 * full > n_seeds); /* not each has load enough */
}

/* a disk that is paused leaves its turn to another, and goes on where it was; what takes its
 * place on the shelf meanwhile gets no block */
static void paused(void **state)
{
	static struct live v;

	for (int swap = 0; swap < 2; swap++) {
		uint64_t written;

		begin(&v, 1, 1, "longest-first", "fixed", 1);
		add(&v, 0, 3000, 0);
		add(&v, 0, 2000, 0);
		while (v.bytes[0] < 1000 * 512)
			advance(&v, UINT64_MAX);
		assert_true(v.bytes[1] == 0);
		dw_core_pause(v.core, 0);
		while (!v.disk[0].paused)
			advance(&v, UINT64_MAX);
		written = v.bytes[0];
		while (v.disk[1].present)
			advance(&v, UINT64_MAX);
		assert_true(v.bytes[0] == written && v.ended[DW_END_COMPLETE] == 1);
		step(&v);
		assert_false(dw_core_done(v.core));
		v.now += HOUR;
		v.disk[0].other = swap;
		resume(&v, 0);
		while (v.disk[0].present)
			advance(&v, UINT64_MAX);
		assert_true(dw_core_done(v.core));
		assert_int_equal(v.ended[DW_END_FAILED], swap);
		/* two passes and a verification, no block twice */
		assert_true(v.bytes[0] == (swap ? written : UINT64_C(3) * 3000 * 512));
		end(&v);
	}
}

/* a disk that is paused can be stopped, and its number is the next disk's */
static void paused_and_stopped(void **state)
{
	static struct live v;

	begin(&v, 1, 1, "parallel", "adaptive", 0);
	add(&v, 0, 3000, 0);
	dw_core_pause(v.core, 0);
	while (!v.disk[0].paused)
		advance(&v, UINT64_MAX);
	step(&v);
	v.disk[0].stopped = true;
	dw_core_stop(v.core, 0, false);
	step(&v);
	assert_int_equal(v.ended[DW_END_STOPPED], 1);
	assert_true(dw_core_done(v.core));
	assert_int_equal(add(&v, 0, 1000, 0), 0);
	while (v.present)
		advance(&v, UINT64_MAX);
	assert_int_equal(v.ended[DW_END_COMPLETE], 1);
	end(&v);
}

/* a disk that is refused leaves before the core takes a step */
static void refused(void **state)
{
	static struct live v;
	struct dw_core_event e;

	begin(&v, 1, 1, "longest-first", "adaptive", 1);
	for (uint32_t id = 0; id < 3; id++)
		assert_int_equal(add(&v, 0, 1000, 0), id);
	v.disk[1].other = true;
	dw_core_refuse(v.core, 1, "it is another disk", v.now);
	while (dw_core_event(v.core, &e))
		take_event(&v, &e);
	assert_int_equal(v.ended[DW_END_FAILED], 1);
	assert_int_equal(add(&v, 0, 1000, 0), 1);
	while (v.present)
		advance(&v, UINT64_MAX);
	assert_int_equal(v.ended[DW_END_COMPLETE], 3);
	end(&v);
}

/* of those that wait, the one of the highest priority is next, whatever it takes */
static void priority(void **state)
{
	static struct live v;

	begin(&v, 1, 1, "longest-first", "fixed", 1);
	add(&v, 0, 3000, 0);
	step(&v);
	add(&v, 0, 2000, 0);
	add(&v, 0, 500, 5);
	add(&v, 0, 400, 0);
	assert_int_equal(0, dw_core_priority(v.core, 3, 9));
	while (v.disk[3].present)
		advance(&v, UINT64_MAX);
	assert_true(!v.disk[0].present && v.bytes[2] == 0 && v.bytes[1] == 0);
	while (v.disk[2].present)
		advance(&v, UINT64_MAX);
	assert_true(v.bytes[1] == 0);
	while (v.present)
		advance(&v, UINT64_MAX);
	end(&v);
}

/* what one link's disks do is nothing to another's: the same bytes with it and without */
static void links_are_apart(void **state)
{
	static struct live v;
	uint64_t alone = 0;

	for (uint32_t links = 1; links <= 2; links++) {
		begin(&v, 1, 2, "longest-first", "fixed", 2);
		for (int i = 0; i < 5; i++)
			add(&v, 0, 3000, 0);
		for (int i = 0; links == 2 && i < 9; i++)
			add(&v, 1, 2000, 0);
		while (v.bytes[0] + v.bytes[1] < 4000 * 512)
			advance(&v, UINT64_MAX);
		if (links == 1)
			alone = v.now;
		assert_true((double)v.now < 1.01 * (double)alone);
		if (links == 2) /* two of each are at work */
			assert_true(v.bytes[5] && v.bytes[6] && !v.bytes[7]);
		end(&v);
	}
}

/* a week with 10,000 disks, 64 at a time on 8 links: memory, and the disks that are looked at
 * for a command, are the same at its end as in the beginning */
static void a_week(void **state)
{
	static const struct dw_strategy *counted;
	struct dw_strategy strategy = dw_strategy_longest_first;
	struct dw_controller controller = dw_controller_adaptive;
	static struct live v;
	size_t bytes = 0;
	double cost = 0;

	strategy.next = counted_next;
	controller.pick = counted_pick;
	counted = &strategy;
	begin(&v, 1, 0, "parallel", "fixed", 0);
	v.links = LINKS;
	v.active = 6;
	v.trouble = 50;
	for (uint32_t i = 0, id; i < LINKS; i++)
		assert_int_equal(0, dw_core_link_new(v.core,
						     &(struct dw_core_link){
							     .strategy = counted,
							     .controller = &controller,
							     .active = v.active },
						     &id));
	for (int tenth = 0; tenth < 10; tenth++) {
		uint64_t results = v.results, before = looked;
		size_t now;
		double per;

		live_through(&v, 1000, MOST, 7 * 24 * HOUR / 10000, MOST, 300);
		now = mallinfo2().uordblks;
		per = (double)(looked - before) / (double)(v.results - results);
		if (tenth == 1) {
			bytes = now;
			cost = per;
		}
		if (tenth > 1) {
			assert_true(now <= bytes + bytes / 50);
			assert_true(per < 1.1 * cost);
		}
	}
	assert_true(v.highest < MOST);
	assert_true(v.now > 6 * 24 * HOUR);
	assert_int_equal(v.ended[DW_END_FAILED], 0);
	assert_true(v.ended[DW_END_COMPLETE] > 7000);
	print_message("%llu commands, %.2f disks looked at for each, %zu bytes\n",
		      (unsigned long long)v.results, cost, bytes);
	end(&v);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paused),          cmocka_unit_test(paused_and_stopped),
		cmocka_unit_test(refused),         cmocka_unit_test(priority),
		cmocka_unit_test(links_are_apart), cmocka_unit_test(come_and_go),
		cmocka_unit_test(a_limit_for_all), cmocka_unit_test(a_week),
	};
	const struct CMUnitTest properties[] = { cmocka_unit_test(come_and_go),
						 cmocka_unit_test(a_limit_for_all) };

	if (argc != 3)
		return cmocka_run_group_tests(tests, NULL, NULL);
	first_seed = strtoull(argv[1], NULL, 10);
	n_seeds = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(properties, NULL, NULL);
}

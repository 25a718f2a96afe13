/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core against disks in virtual time. Examples for each rule of the policy, then
 * properties over many seeds: whatever goes wrong, a disk that ends complete and without
 * faults holds the last pass everywhere on its medium.
 *
 *	test_core [FIRST-SEED COUNT]: only the properties, with those seeds
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "registry.h"
#include "world.h"

#define STEPS 2000000

static uint64_t first_seed = 1, n_seeds = 400;

static struct dw_disk_plan plan_of(uint64_t blocks, uint8_t passes, uint8_t verify)
{
	struct dw_disk_plan p = {
		.blocks = blocks,
		.block_size = 512,
		.physical = 1,
		.const_max = 64,
		.data_max = 32,
		.optimal = 16,
		.depth = 1,
		.data_depth = 1,
		.wce = 0,
		.n_passes = passes,
		.percent = 10,
		.seed = 7,
	};

	for (uint8_t i = 0; i < passes; i++) {
		p.pass[i].pattern = (struct dw_pattern){ .kind = DW_PATTERN_CONST,
							 .len = 1,
							 .byte = { i } };
		p.pass[i].verify = i + 1 == passes ? verify : DW_VERIFY_OFF;
	}
	return p;
}

static uint64_t wrong_blocks(const struct world_disk *d)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < d->plan.blocks; i++)
		n += d->medium[i] != d->plan.n_passes - 1;
	return n;
}

static bool told(const struct dw_disk_state *st, uint64_t lba)
{
	for (uint32_t f = 0; f < st->faults.n; f++)
		if (lba >= st->faults.v[f].lba &&
		    lba < st->faults.v[f].lba + st->faults.v[f].nlb)
			return true;
	return false;
}

/* wrong, and nobody knows it */
static uint64_t unnamed_blocks(const struct world_disk *d, const struct dw_disk_state *st)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < d->plan.blocks; i++)
		n += d->medium[i] != d->plan.n_passes - 1 && !told(st, i);
	return n;
}

static uint64_t fault_blocks(const struct dw_disk_state *st)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < st->faults.n; i++)
		n += st->faults.v[i].nlb;
	return n;
}

/* each row is found by the name that it has */
static void registry(void **state)
{
	for (const char *const *name = dw_strategy_list(); *name; name++) {
		assert_non_null(dw_strategy_find(*name));
		assert_string_equal(dw_strategy_find(*name)->name, *name);
	}
	for (const char *const *name = dw_controller_list(); *name; name++) {
		assert_non_null(dw_controller_find(*name));
		assert_string_equal(dw_controller_find(*name)->name, *name);
	}
	assert_null(dw_strategy_find("none"));
}

static void healthy(void **state)
{
	for (size_t i = 0; i < registry_strategies(); i++) {
		struct world w;

		world_init(&w, i + 1);
		for (int k = 0; k < 5; k++) {
			struct dw_disk_plan p =
				plan_of(1000 + (uint64_t)k * 333, 3, DW_VERIFY_FULL);

			world_add(&w, &p)->volatile_cache = k & 1;
			w.disk[k].plan.wce = k & 1;
		}
		world_core(&w, registry_strategy(i), "fixed", 0, 2, UINT64_MAX, false);
		world_run(&w, STEPS, 0);
		for (uint32_t k = 0; k < w.n; k++) {
			const struct dw_disk_state *st = dw_core_state(w.core, k);

			assert_int_equal(st->end, DW_END_COMPLETE);
			assert_int_equal(st->faults.n, 0);
			assert_int_equal(wrong_blocks(&w.disk[k]), 0);
			assert_int_equal(st->bytes_written,
					 3 * w.disk[k].plan.blocks * 512);
			assert_int_equal(st->verify.bytes, w.disk[k].plan.blocks * 512);
		}
		world_deinit(&w);
	}
}

/* Tikhomirov, eq. 4.1 and 4.2: 5 disks, 582 commands each */
static void matrix(void **state)
{
	for (int rr = 0; rr < 2; rr++) {
		const struct dw_history_run *h;
		struct world w;
		size_t n;

		world_init(&w, 1);
		for (int k = 0; k < 5; k++) {
			struct dw_disk_plan p = plan_of(582 * 4, 1, DW_VERIFY_OFF);

			world_add(&w, &p);
		}
		world_core(&w, rr ? "round-robin" : "sequential", "fixed", 4, 0,
			   UINT64_MAX, true);
		world_run(&w, STEPS, 0);
		h = dw_core_history(w.core, &n);
		assert_int_equal(n, rr ? 2910 : 5);
		for (size_t j = 0; j < n; j++) {
			assert_int_equal(h[j].column, j);
			assert_int_equal(h[j].disk, j % 5);
			assert_int_equal(h[j].count, rr ? 1 : 582);
		}
		world_deinit(&w);
	}
}

/* permanent and healing medium errors, told with and without INFORMATION */
static void medium_errors(void **state)
{
	for (int variant = 0; variant < 8; variant++) {
		struct dw_disk_plan p = plan_of(4096, 1, DW_VERIFY_FULL);
		const struct dw_disk_state *st;
		struct world_disk *d;
		struct world w;

		p.physical = variant & 4 ? 8 : 1;
		p.depth = p.data_depth = variant & 2 ? 4 : 1;
		world_init(&w, 11);
		d = world_add(&w, &p);
		d->info = variant & 1;
		d->bad_write[0] = d->bad_write[1000] = d->bad_write[1008] = 1;
		d->bad_write[4088] = 1;
		d->bad_write[2000] = 3; /* heals */
		world_core(&w, "parallel", "fixed", 0, 0, UINT64_MAX, false);
		world_run(&w, STEPS, 0);
		st = dw_core_state(w.core, 0);
		assert_int_equal(st->end, DW_END_COMPLETE);
		assert_int_equal(fault_blocks(st), 4 * p.physical);
		/* they can be read and hold old data, which is no news */
		assert_int_equal(st->verify.mismatches, 0);
		for (uint32_t i = 0; i < st->faults.n; i++)
			assert_int_equal(st->faults.v[i].kind, DW_UNWRITABLE);
		assert_int_equal(st->faults.v[0].lba, 0);
		assert_int_equal(st->faults.v[1].lba, 1000);
		assert_int_equal(wrong_blocks(d), 4 * p.physical);
		world_deinit(&w);
	}
}

/* an unreadable block is written again; what stays unreadable is a fault */
static void unreadable(void **state)
{
	struct dw_disk_plan p = plan_of(2048, 1, DW_VERIFY_FULL);
	const struct dw_disk_state *st;
	struct world_disk *d;
	struct world w;

	world_init(&w, 12);
	d = world_add(&w, &p);
	world_core(&w, "parallel", "fixed", 0, 0, UINT64_MAX, false);
	d->bad_read[77] = 1;
	d->bad_read[99] = 0;
	world_run(&w, STEPS, 0);
	st = dw_core_state(w.core, 0);
	assert_int_equal(st->end, DW_END_COMPLETE);
	assert_int_equal(st->faults.n, 1);
	assert_int_equal(st->faults.v[0].kind, DW_UNREADABLE);
	assert_int_equal(st->faults.v[0].lba, 77);
	assert_int_equal(st->faults.v[0].nlb, 1);
	world_deinit(&w);
}

static void removal(void **state)
{
	struct world w;

	world_init(&w, 13);
	for (int k = 0; k < 4; k++) {
		struct dw_disk_plan p = plan_of(3000, 1, DW_VERIFY_FULL);

		world_add(&w, &p);
	}
	w.disk[2].gone = true;
	world_core(&w, "parallel", "fixed", 0, 0, UINT64_MAX, false);
	world_run(&w, STEPS, 0);
	for (uint32_t k = 0; k < 4; k++) {
		assert_int_equal(dw_core_state(w.core, k)->end,
				 k == 2 ? DW_END_REMOVED : DW_END_COMPLETE);
		if (k != 2)
			assert_int_equal(wrong_blocks(&w.disk[k]), 0);
	}
	world_deinit(&w);
}

/* out of range, and then the capacity is another: that is the end, at once */
static void shrunk(void **state)
{
	struct dw_disk_plan p = plan_of(3000, 1, DW_VERIFY_FULL);
	const struct dw_disk_state *st;
	struct world w;

	p.depth = p.data_depth = 4;
	world_init(&w, 16);
	world_add(&w, &p)->shrunk = 1000;
	world_core(&w, "parallel", "fixed", 64, 0, UINT64_MAX, false);
	world_run(&w, 100, 0);
	st = dw_core_state(w.core, 0);
	assert_int_equal(st->end, DW_END_FAILED);
	assert_string_equal(st->reason, "capacity or block size changed");
	world_deinit(&w);
}

#define IMPATIENT "stall budget used up: nothing was erased for 10 min; "

#define NAMED "N: its blocks are exceptions"

/* what is forgiven, for how long, and in which words it ends */
static void patience(void **state)
{
	static const struct {
		uint8_t class;
		uint32_t n;
		const char *reason;
	} row[] = {
		{ DW_CLASS_TIMEOUT, 1, "" },
		{ DW_CLASS_TIMEOUT, 40, "" },
		{ DW_CLASS_TIMEOUT, 9000, NAMED },
		{ DW_CLASS_HARDWARE, 1, "" },
		{ DW_CLASS_HARDWARE, 40, "" },
		{ DW_CLASS_HARDWARE, 9000, NAMED },
		{ DW_CLASS_RETRY, 40, "" },
		{ DW_CLASS_RETRY, 9000, NAMED },
		{ DW_CLASS_RESET, 40, "" },
		{ DW_CLASS_QUEUE_FULL, 100, "" },
		{ DW_CLASS_NOT_READY, 20, "" },
		{ DW_CLASS_NOT_READY, 9000, IMPATIENT },
		{ DW_CLASS_GONE, 20, "" },
		{ DW_CLASS_RESERVED, 1, "write at LBA " },
		{ DW_CLASS_PROTECTED, 1, "write at LBA " },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(row); i++) {
		struct dw_disk_plan p = plan_of(3000, 1, DW_VERIFY_FULL);
		const struct dw_disk_state *st;
		struct world_disk *d;
		struct world w;

		p.wce = 1;
		world_init(&w, 18);
		d = world_add(&w, &p);
		d->volatile_cache = true;
		d->class_at = 10;
		d->class_n = row[i].n;
		d->class = row[i].class;
		world_core(&w, "parallel", "fixed", 64, 0, UINT64_MAX, false);
		world_run(&w, STEPS, 0);
		st = dw_core_state(w.core, 0);
		assert_int_equal(st->end, *row[i].reason && *row[i].reason != 'N'
						  ? DW_END_FAILED
						  : DW_END_COMPLETE);
		if (st->end == DW_END_FAILED)
			assert_memory_equal(st->reason, row[i].reason,
					    strlen(row[i].reason));
		else
			assert_true(unnamed_blocks(d, st) == 0);
		assert_true(*row[i].reason || !st->faults.n);
		/* what came through before is on the medium, also of a disk that is left */
		for (uint64_t k = 0; k < 9 * UINT64_C(64) && row[i].n > 1; k++)
			assert_int_equal(d->medium[k], 0);
		world_deinit(&w);
	}
}

/* disks that lose every race for the bus: what they lose is time */
static void starved(void **state)
{
	for (uint32_t n = 1; n <= 3; n++) {
		struct dw_disk_plan p = plan_of(3000, 1, DW_VERIFY_FULL);
		struct world w;

		world_init(&w, 21);
		p.depth = p.data_depth = n;
		for (uint32_t i = 0; i < 4; i++)
			world_add(&w, &p)->starved = i < n;
		for (uint32_t i = 0; i < 4; i++)
			w.disk[i].rate_ns = (i < n ? 1 : 50) * DW_NS_PER_MS;
		world_core(&w, "parallel", "fixed", 16, 0, UINT64_MAX, false);
		world_run(&w, STEPS, 0);
		for (uint32_t i = 0; i < 4; i++) {
			const struct dw_disk_state *st = dw_core_state(w.core, i);

			assert_string_equal(st->reason, "");
			assert_int_equal(st->end, DW_END_COMPLETE);
			assert_int_equal(wrong_blocks(&w.disk[i]), 0);
			assert_true(w.disk[i].silences <= 8);
			/* what it wrote alone is flushed before the others are back */
			assert_true(st->bytes_written <
				    p.blocks * p.block_size * 11 / 10);
			/* time that the others took is not lost to errors of its own */
			assert_true(st->ns.stalled < 60 * DW_NS_PER_S);
		}
		assert_true(w.disk[0].silences > 0);
		world_deinit(&w);
	}
}

/* one that does not answer, or not to transfers, costs the others two of its timeouts */
static void mute(void **state)
{
	static const uint64_t price_s[] = { 0, 50, 130 };
	uint64_t took[3];

	for (uint32_t i = 0; i < 3; i++) {
		struct dw_disk_plan p = plan_of(3000, 1, DW_VERIFY_FULL);
		const struct dw_disk_state *st;
		struct world w;

		world_init(&w, 22);
		for (uint32_t k = 0; k < 4; k++)
			world_add(&w, &p)->rate_ns = 50 * DW_NS_PER_MS;
		w.disk[2].mute_at = i ? 5 : 0;
		w.disk[2].answers = i == 2;
		world_core(&w, "parallel", "fixed", 16, 0, UINT64_MAX, false);
		world_run(&w, STEPS, 0);
		for (uint32_t k = 0; k < 4; k++) {
			bool dead = i && k == 2;

			st = dw_core_state(w.core, k);
			assert_int_equal(st->end, dead ? DW_END_FAILED : DW_END_COMPLETE);
			assert_memory_equal(st->reason, dead ? IMPATIENT : "",
					    dead ? strlen(IMPATIENT) : 1);
		}
		took[i] = dw_core_state(w.core, 0)->ns.finished;
		assert_true(took[i] <= took[0] + price_s[i] * DW_NS_PER_S);
		world_deinit(&w);
	}
	assert_true(took[0] < took[1] && took[1] < took[2]);
}

/* what meets all commands under way is one event, and their time is lost once */
static void one_event(void **state)
{
	static const uint8_t classes[] = { DW_CLASS_RETRY, DW_CLASS_QUEUE_FULL,
					   DW_CLASS_TIMEOUT, DW_CLASS_HARDWARE,
					   DW_CLASS_RESET };

	for (size_t i = 0; i < DW_ARRAY_SIZE(classes); i++) {
		struct dw_disk_plan p = plan_of(3000, 1, DW_VERIFY_FULL);
		const struct dw_disk_state *st;
		struct world_disk *d;
		struct world w;

		p.depth = p.data_depth = 32;
		world_init(&w, 19);
		d = world_add(&w, &p);
		d->together = true;
		/* 4 s a command: 225 s in all, 1,160 s if each counted for itself */
		d->rate_ns = DW_NS_PER_S / 2;
		d->class_at = 5;
		d->class_n = 20;
		d->class = classes[i];
		world_core(&w, "parallel", "fixed", 8, 0, UINT64_MAX, false);
		world_run(&w, STEPS, 0);
		st = dw_core_state(w.core, 0);
		assert_int_equal(st->end, DW_END_COMPLETE);
		assert_int_equal(wrong_blocks(d), 0);
		assert_int_equal(st->steer.depth,
				 classes[i] == DW_CLASS_QUEUE_FULL ? 24 : 32);
		assert_int_equal(st->trouble.timeouts, classes[i] == DW_CLASS_TIMEOUT);
		assert_int_equal(st->trouble.resets, classes[i] == DW_CLASS_RESET);
		world_deinit(&w);
	}
}

/* a cache that is said to be off, until the disk lets on that it is not */
static void belief_in_no_cache(void **state)
{
	for (int variant = 0; variant < 2; variant++) {
		struct dw_disk_plan p = plan_of(3000, 1, DW_VERIFY_OFF);
		const struct dw_disk_state *st;
		struct world_disk *d;
		struct world w;

		p.wce = 0;
		world_init(&w, 17);
		d = world_add(&w, &p);
		if (variant) {
			d->volatile_cache = true;
			d->deferred_at = 20;
		} else {
			d->mode_at = 10;
			d->reset_at = 20;
		}
		world_core(&w, "parallel", "fixed", 64, 0, UINT64_MAX, false);
		world_run(&w, STEPS, 0);
		st = dw_core_state(w.core, 0);
		assert_int_equal(st->end, DW_END_COMPLETE);
		assert_int_equal(wrong_blocks(d), 0);
		assert_true(st->bytes_written > 3000 * 512);
		world_deinit(&w);
	}
}

/* silent drops never survive a full verification as "no faults" */
static void silent_drops(void **state)
{
	struct dw_disk_plan p = plan_of(4096, 2, DW_VERIFY_FULL);
	const struct dw_disk_state *st;
	struct world_disk *d;
	struct world w;

	world_init(&w, 14);
	d = world_add(&w, &p);
	d->silent = 3000;
	world_core(&w, "parallel", "fixed", 0, 0, UINT64_MAX, false);
	world_run(&w, STEPS, 0);
	st = dw_core_state(w.core, 0);
	assert_true(d->dropped > 0);
	assert_int_equal(fault_blocks(st), wrong_blocks(d));
	assert_int_equal(st->verify.mismatches, wrong_blocks(d));
	world_deinit(&w);
}

/* more differing runs in a piece than a result can name */
static void many_runs(void **state)
{
	struct dw_disk_plan p = plan_of(1001, 1, DW_VERIFY_FULL);
	const struct dw_disk_state *st;
	struct world w;

	world_init(&w, 15);
	world_add(&w, &p)->odd_lost = true;
	world_core(&w, "parallel", "fixed", 32, 0, UINT64_MAX, false);
	world_run(&w, STEPS, 0);
	st = dw_core_state(w.core, 0);
	assert_int_equal(st->faults.n, 500);
	assert_int_equal(st->verify.mismatches, 500);
	assert_int_equal(st->verify.bytes, 501 * 512);
	for (uint32_t i = 0; i < st->faults.n; i++)
		assert_int_equal(st->faults.v[i].lba, 2 * i + 1);
	world_deinit(&w);
}

/* blocks where commands fail in one way, for ever or for a time */
static void random_place(struct world *w, struct world_disk *d)
{
	static const uint8_t classes[] = { DW_CLASS_MEDIUM,  DW_CLASS_HARDWARE,
					   DW_CLASS_RETRY,   DW_CLASS_RANGE,
					   DW_CLASS_TIMEOUT, DW_CLASS_RESET };
	struct world_bad *b = &d->bad[d->n_bad++];
	struct dw_rng *g = &w->rng;

	b->nlb = 1 + dw_rng_below(g, dw_rng_below(g, 2) ? 3 : d->plan.blocks / 4);
	b->lba = dw_rng_below(g, d->plan.blocks - b->nlb + 1);
	b->class = classes[dw_rng_below(g, DW_ARRAY_SIZE(classes))];
	b->way = dw_rng_below(g, 2);
	b->data = true;
	b->to_ns = dw_rng_below(g, 2) * (1 + dw_rng_below(g, 400)) * DW_NS_PER_S;
}

static void random_disk(struct world *w)
{
	struct dw_rng *g = &w->rng;
	struct dw_disk_plan p =
		plan_of(200 + dw_rng_below(g, 4000), (uint8_t)(1 + dw_rng_below(g, 3)),
			dw_rng_below(g, 3) ? DW_VERIFY_FULL : DW_VERIFY_SAMPLE);
	struct world_disk *d;

	p.physical = 1u << (dw_rng_below(g, 2) * 3);
	p.depth = 1 + (uint32_t)dw_rng_below(g, 8);
	p.data_depth = 1 + (uint32_t)dw_rng_below(g, 8);
	p.wce = (int8_t)((int)dw_rng_below(g, 3) - 1);
	if (dw_rng_below(g, 2)) {
		p.ws_max = 1 + (uint32_t)dw_rng_below(g, 500);
		p.command = dw_rng_below(g, 2) ? DW_PLAN_TRIAL : DW_PLAN_WRITE_SAME;
	}
	d = world_add(w, &p);
	d->volatile_cache = p.wce != 0;
	d->rate_ns = 100 + dw_rng_below(g, 10000);
	d->info = dw_rng_below(g, 2);
	d->trouble = dw_rng_below(g, 2) ? (uint32_t)dw_rng_below(g, 2500) : 0;
	d->gone = dw_rng_below(g, 20) == 0;
	for (uint64_t i = dw_rng_below(g, 2) * dw_rng_below(g, 6); i; i--) {
		uint64_t at = dw_rng_below(g, p.blocks);

		d->bad_write[at - at % p.physical] = (uint8_t)(1 + dw_rng_below(g, 4));
	}
	for (uint64_t i = dw_rng_below(g, 2) * dw_rng_below(g, 6); i; i--)
		d->bad_read[dw_rng_below(g, p.blocks)] =
			(uint8_t)(1 + dw_rng_below(g, 2));
	if (dw_rng_below(g, 3) == 0)
		random_place(w, d);
}

/* some of its passes are done by the device itself */
static void random_operations(struct world *w, struct world_disk *d)
{
	for (uint8_t i = 0; i < d->plan.n_passes; i++)
		if (dw_rng_below(&w->rng, 2))
			d->plan.pass[i].kind = DW_PASS_OPERATION;
	/* longer than any row of errors, so that none ends unseen */
	d->operation_ns = (200 + dw_rng_below(&w->rng, 5000)) * DW_NS_PER_S;
	d->operation_fails = dw_rng_below(&w->rng, 10) == 0;
	d->plan.operation_ns = dw_rng_below(&w->rng, 3) * d->operation_ns;
}

static uint32_t n_operations(const struct world_disk *d)
{
	uint32_t n = 0;

	for (uint8_t i = 0; i < d->plan.n_passes; i++)
		n += d->plan.pass[i].kind == DW_PASS_OPERATION;
	return n;
}

/* begun once each, at once where it comes first, and never called erased when it failed; a stop
 * while its blocks are repaired costs one more */
static void judge_operations(const struct world *w, bool stopped)
{
	for (uint32_t k = 0; k < w->n; k++) {
		const struct dw_disk_state *st = dw_core_state(w->core, k);
		const struct world_disk *d = &w->disk[k];

		assert_true(d->begun <= n_operations(d) + stopped);
		if (n_operations(d) && d->operation_fails)
			assert_int_not_equal(st->end, DW_END_COMPLETE);
		if (st->end == DW_END_COMPLETE)
			assert_true(d->begun >= n_operations(d));
		if (d->plan.pass[0].kind == DW_PASS_OPERATION && !d->trouble && !d->gone)
			assert_true(d->begun_ns < 2 * DW_NS_PER_S);
	}
}

/* Two that work by themselves hold up none of those that are written one after the other. */
static void mixture(void **state)
{
	static const char *const strategies[] = { "sequential", "round-robin",
						  "longest-first" };
	uint64_t alone_ns, mixed_ns = 0;

	for (size_t i = 0; i < DW_ARRAY_SIZE(strategies); i++) {
		for (int mixed = 0; mixed < 2; mixed++) {
			struct dw_disk_plan p = plan_of(2000, 1, DW_VERIFY_OFF);
			struct world w;

			world_init(&w, 1);
			for (int k = 0; k < 3; k++)
				world_add(&w, &p)->rate_ns = 100000000;
			p.pass[0].kind = DW_PASS_OPERATION;
			for (int k = 0; k < 2 * mixed; k++)
				world_add(&w, &p)->operation_ns = 100 * DW_NS_PER_S;
			world_core(&w, strategies[i], "fixed", 0, 1, UINT64_MAX, false);
			world_run(&w, STEPS, 0);
			for (uint32_t k = 0; k < w.n; k++) {
				const struct dw_disk_state *st = dw_core_state(w.core, k);

				assert_int_equal(st->end, DW_END_COMPLETE);
				assert_int_equal(wrong_blocks(&w.disk[k]), 0);
				assert_int_equal(st->bytes_written,
						 k < 3 ? 2000 * 512 : 0);
				assert_int_equal(st->operation.bytes,
						 k < 3 ? 0 : 2000 * 512);
				assert_int_equal(st->work_done, st->work_total);
				assert_true(k < 3 ||
					    w.disk[k].begun_ns < 2 * DW_NS_PER_S);
			}
			*(mixed ? &mixed_ns : &alone_ns) =
				dw_max_u64(dw_core_state(w.core, 0)->ns.finished,
					   dw_core_state(w.core, 2)->ns.finished);
			world_deinit(&w);
		}
		assert_int_equal(mixed_ns, alone_ns);
	}
}

/* what must hold whatever went wrong */
static void judge(const struct world *w, uint64_t seed, bool stopped)
{
	for (uint32_t k = 0; k < w->n; k++) {
		const struct dw_disk_state *st = dw_core_state(w->core, k);
		const struct world_disk *d = &w->disk[k];
		uint64_t erased = d->plan.blocks;

		assert_int_equal(st->submitted, 0);
		assert_int_not_equal(st->end, DW_END_NONE);
		assert_true(d->gone == (st->end == DW_END_REMOVED) || stopped);
		if (st->end != DW_END_COMPLETE)
			erased = st->mark; /* of this pass, on the medium */
		for (uint64_t i = 0; i < erased; i++)
			if (d->medium[i] != st->pass && !told(st, i))
				fail_msg(
					"seed %llu disk %u: block %llu not erased, not told",
					(unsigned long long)seed, k,
					(unsigned long long)i);
	}
}

static void random_job(uint64_t seed, bool stop, bool operations)
{
	static const char *const controllers[] = { "fixed", "cache", "adaptive" };
	struct world w;
	uint64_t n;

	world_init(&w, seed);
	n = 1 + dw_rng_below(&w.rng, 6);
	while (n--) {
		random_disk(&w);
		if (operations && n % 2)
			random_operations(&w, &w.disk[w.n - 1]);
	}
	w.ahead = (uint32_t)dw_rng_below(&w.rng, 33); /* DW_AHEAD_MAX, and less */
	world_core(&w, registry_strategy(dw_rng_below(&w.rng, registry_strategies())),
		   controllers[dw_rng_below(&w.rng, 3)],
		   (uint32_t)(dw_rng_below(&w.rng, 2) * dw_rng_below(&w.rng, 100)),
		   (uint32_t)dw_rng_below(&w.rng, 4),
		   512 * (1 + dw_rng_below(&w.rng, 2000)), false);
	world_run(&w, STEPS, stop ? 1 + dw_rng_below(&w.rng, 400) : 0);
	judge(&w, seed, stop);
	if (stop && world_resume(&w)) {
		world_run(&w, STEPS, 0);
		judge(&w, seed, false);
	}
	if (operations)
		judge_operations(&w, stop);
	world_deinit(&w);
}

static void properties(void **state)
{
	for (uint64_t s = first_seed; s < first_seed + n_seeds; s++)
		random_job(s, false, false);
}

static void properties_stop(void **state)
{
	for (uint64_t s = first_seed; s < first_seed + n_seeds; s++)
		random_job(s + UINT64_C(1000000007), true, false);
}

static void properties_operations(void **state)
{
	for (uint64_t s = first_seed; s < first_seed + n_seeds; s++)
		random_job(s + UINT64_C(2000000011), s % 2, true);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(registry),
		cmocka_unit_test(healthy),
		cmocka_unit_test(matrix),
		cmocka_unit_test(medium_errors),
		cmocka_unit_test(unreadable),
		cmocka_unit_test(removal),
		cmocka_unit_test(shrunk),
		cmocka_unit_test(silent_drops),
		cmocka_unit_test(many_runs),
		cmocka_unit_test(belief_in_no_cache),
		cmocka_unit_test(patience),
		cmocka_unit_test(one_event),
		cmocka_unit_test(starved),
		cmocka_unit_test(mute),
		cmocka_unit_test(mixture),
		cmocka_unit_test(properties),
		cmocka_unit_test(properties_stop),
		cmocka_unit_test(properties_operations),
	};
	const struct CMUnitTest seeds[] = {
		cmocka_unit_test(properties),
		cmocka_unit_test(properties_stop),
		cmocka_unit_test(properties_operations),
	};

	if (argc == 3) {
		first_seed = strtoull(argv[1], NULL, 10);
		n_seeds = strtoull(argv[2], NULL, 10);
		return cmocka_run_group_tests(seeds, NULL, NULL);
	}
	return cmocka_run_group_tests(all, NULL, NULL);
}

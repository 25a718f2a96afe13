/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disks with ordinary trouble, in virtual time: how much of what can be written is written? Every
 * seed draws a disk, and one or two of the troubles that real disks, bridges and adapters make.
 * What must hold whatever they are: a block that some command can write is erased, the others are
 * named, and no disk is given up while it makes progress.
 *
 *	test_trouble [FIRST-SEED COUNT]: only the properties, with those seeds
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "world.h"

#define STEPS 20000000
#define S     DW_NS_PER_S

static uint64_t first_seed = 1, n_seeds = 400;

static struct dw_disk_plan plan_of(uint64_t blocks, uint8_t verify)
{
	struct dw_disk_plan p = {
		.blocks = blocks,
		.block_size = 512,
		.physical = 1,
		.const_max = 64,
		.data_max = 64,
		.optimal = 16,
		.depth = 1,
		.data_depth = 1,
		.wce = 1,
		.n_passes = 1,
		.percent = 10,
		.seed = 7,
	};

	p.pass[0].pattern = (struct dw_pattern){ .kind = DW_PATTERN_CONST, .len = 1 };
	p.pass[0].verify = verify;
	return p;
}

static bool told(const struct dw_disk_state *st, uint64_t lba)
{
	for (uint32_t f = 0; f < st->faults.n; f++)
		if (lba >= st->faults.v[f].lba &&
		    lba < st->faults.v[f].lba + st->faults.v[f].nlb)
			return true;
	return false;
}

/* no command can write it, now or ever */
static bool is_dead(const struct world_disk *d, uint64_t lba)
{
	for (uint32_t i = 0; i < d->n_bad; i++)
		if (!d->bad[i].to_ns && d->bad[i].nlb && lba >= d->bad[i].lba &&
		    lba < d->bad[i].lba + d->bad[i].nlb)
			return true;
	return false;
}

struct share {
	uint64_t writable, erased, named, disks, failed;
};

/* what can be written, and what is */
static void count(const struct world_disk *d, const struct dw_disk_state *st,
		  struct share *s)
{
	s->disks++;
	s->failed += st->end != DW_END_COMPLETE;
	for (uint64_t i = 0; i < d->plan.blocks; i++) {
		bool erased = d->medium[i] == 0;

		s->writable += !is_dead(d, i);
		s->erased += erased && !is_dead(d, i);
		s->named += erased && told(st, i);
		if (!erased && !told(st, i) && st->end == DW_END_COMPLETE)
			fail_msg("block %llu is not erased and not told",
				 (unsigned long long)i);
	}
}

static double of(const struct share *s)
{
	return (double)s->erased / (double)s->writable;
}

static void place(struct world *w, struct world_disk *d, uint8_t class, uint64_t most)
{
	struct world_bad *b = &d->bad[d->n_bad++];

	b->nlb = 1 + dw_rng_below(&w->rng, most);
	b->lba = dw_rng_below(&w->rng, d->plan.blocks - b->nlb + 1);
	b->class = class;
}

static void outage(struct world *w, struct world_disk *d, uint8_t class, bool data,
		   uint64_t least_s, uint64_t most_s)
{
	uint64_t all = d->plan.blocks * d->rate_ns;
	struct world_bad *b = &d->bad[d->n_bad++];

	b->class = class;
	b->data = data;
	b->way = class == DW_CLASS_RETRY;
	b->from_ns = S + dw_rng_below(&w->rng, all);
	b->to_ns =
		b->from_ns + (least_s + dw_rng_below(&w->rng, most_s - least_s + 1)) * S;
}

static const char *const troubles[] = {
	"two timeouts",      "hard blocks",    "a dead place", "a silent place",
	"transport",         "busy",           "not ready",    "resets",
	"no connection",     "long transfers", "aborts",       "many in a row",
	"aborts for a time",
};

static void trouble(struct world *w, struct world_disk *d, uint32_t kind)
{
	static const uint8_t classes[] = { DW_CLASS_MEDIUM, DW_CLASS_HARDWARE,
					   DW_CLASS_RETRY, DW_CLASS_RANGE };
	uint64_t blocks = d->plan.blocks;
	struct dw_rng *g = &w->rng;

	switch (kind) {
	case 0:
		outage(w, d, DW_CLASS_TIMEOUT, true, 0, 1);
		outage(w, d, DW_CLASS_TIMEOUT, true, 0, 1);
		break;
	case 1:
		for (uint64_t i = 1 + dw_rng_below(g, 3); i; i--)
			place(w, d, DW_CLASS_HARDWARE, 2);
		break;
	case 2:
		place(w, d, classes[dw_rng_below(g, 4)], blocks / 40);
		break;
	case 3:
		place(w, d, DW_CLASS_TIMEOUT, blocks / 40);
		break;
	case 4:
		outage(w, d, DW_CLASS_RETRY, dw_rng_below(g, 2), 5, 60);
		break;
	case 5:
		outage(w, d, DW_CLASS_QUEUE_FULL, dw_rng_below(g, 2), 5, 120);
		break;
	case 6:
		outage(w, d, DW_CLASS_NOT_READY, false, 5, 120);
		break;
	case 7:
		d->resets_ns = (10 + dw_rng_below(g, 230)) * S;
		break;
	case 8:
		outage(w, d, DW_CLASS_GONE, false, 1, 20);
		break;
	case 9:
		d->longest = (uint32_t)(8 + dw_rng_below(g, 40));
		break;
	case 10:
		for (uint64_t i = 1 + dw_rng_below(g, 3); i; i--)
			place(w, d, DW_CLASS_RETRY, 3);
		break;
	case 11:
		d->class_at = 1 + (uint32_t)dw_rng_below(g, blocks / 64);
		d->class_n = 5 + (uint32_t)dw_rng_below(g, 30);
		d->class = classes[1 + dw_rng_below(g, 2)];
		break;
	default:
		outage(w, d, DW_CLASS_RETRY, true, 1, 30);
		d->bad[d->n_bad - 1].way = false;
	}
}

static struct world_disk *draw(struct world *w)
{
	struct dw_disk_plan p =
		plan_of(100000 + dw_rng_below(&w->rng, 200000),
			dw_rng_below(&w->rng, 2) ? DW_VERIFY_FULL : DW_VERIFY_OFF);
	struct world_disk *d;

	p.wce = (int8_t)dw_rng_below(&w->rng, 2);
	p.depth = p.data_depth = 1 + (uint32_t)dw_rng_below(&w->rng, 8);
	d = world_add(w, &p);
	d->volatile_cache = p.wce;
	d->info = dw_rng_below(&w->rng, 2);
	d->rate_ns = (1 + dw_rng_below(&w->rng, 10)) * DW_NS_PER_MS;
	return d;
}

/* one disk for each seed; the share of what can be written, of all and of each trouble */
static void ordinary_trouble(void **state)
{
	struct share all = { 0 }, each[DW_ARRAY_SIZE(troubles)] = { 0 };

	for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
		uint32_t kind = (uint32_t)(seed % DW_ARRAY_SIZE(troubles));
		const struct dw_disk_state *st;
		struct share one = { 0 };
		struct world_disk *d;
		struct world w;

		world_init(&w, seed);
		d = draw(&w);
		trouble(&w, d, kind);
		if (dw_rng_below(&w.rng, 3) == 0 && d->n_bad < 4)
			trouble(&w, d, (uint32_t)dw_rng_below(&w.rng, 7));
		world_core(&w, "parallel", "fixed", 64, 0, UINT64_MAX, false);
		world_run(&w, STEPS, 0);
		st = dw_core_state(w.core, 0);
		count(d, st, &one);
		count(d, st, &all);
		count(d, st, &each[kind]);
		if (getenv("DW_SHOW") && of(&one) < 0.999)
			print_message("seed %llu, %s: %.4f, end %u %s\n",
				      (unsigned long long)seed, troubles[kind], of(&one),
				      st->end, st->reason);
		world_deinit(&w);
	}
	for (size_t i = 0; i < DW_ARRAY_SIZE(troubles); i++)
		if (each[i].disks)
			print_message("%-18s %3llu disks, %2llu not complete, %.5f\n",
				      troubles[i], (unsigned long long)each[i].disks,
				      (unsigned long long)each[i].failed, of(&each[i]));
	print_message("of %llu disks with trouble %llu did not complete; share of "
		      "writable blocks erased %.5f, named though erased %.5f\n",
		      (unsigned long long)all.disks, (unsigned long long)all.failed,
		      of(&all), (double)all.named / (double)all.writable);
	assert_true(of(&all) >= 0.999);
	assert_int_equal(all.failed, 0);
}

/* Beside a disk with trouble the others are erased, and lose no more than its timeouts and what
 * they had not flushed. */
static void neighbours(void **state)
{
	for (uint64_t seed = first_seed; seed < first_seed + n_seeds / 4; seed++) {
		uint64_t alone_ns[4] = { 0 };

		for (int troubled = 0; troubled < 2; troubled++) {
			struct world_disk *d;
			struct world w;

			world_init(&w, seed + 5000);
			for (uint32_t i = 0; i < 4; i++) {
				d = draw(&w);
				d->rate_ns = 10 * DW_NS_PER_MS;
			}
			if (troubled)
				trouble(&w, &w.disk[0],
					(uint32_t)(seed % DW_ARRAY_SIZE(troubles)));
			w.bus_resets = true;
			world_core(&w, "parallel", "fixed", 64, 0, UINT64_MAX, false);
			world_run(&w, STEPS, 0);
			for (uint32_t i = 1; i < 4; i++) {
				const struct dw_disk_state *st = dw_core_state(w.core, i);

				assert_int_equal(st->end, DW_END_COMPLETE);
				assert_int_equal(st->faults.n, 0);
				for (uint64_t k = 0; k < w.disk[i].plan.blocks; k++)
					assert_int_equal(w.disk[i].medium[k], 0);
				if (troubled)
					assert_true(st->ns.finished <=
						    alone_ns[i] + 900 * S);
				alone_ns[i] = st->ns.finished;
			}
			world_deinit(&w);
		}
	}
}

/* Three of eight begin to hang one after the other, and each time the bus is reset. */
static void hanging_neighbours(void **state)
{
	uint64_t alone_ns = 0;

	for (uint32_t hanging = 0; hanging <= 3; hanging++) {
		struct dw_disk_plan p = plan_of(20000, DW_VERIFY_OFF);
		struct world w;

		world_init(&w, 31);
		for (uint32_t i = 0; i < 8; i++)
			world_add(&w, &p)->volatile_cache = true;
		for (uint32_t i = 0; i < 8; i++)
			w.disk[i].rate_ns = 40 * DW_NS_PER_MS;
		for (uint32_t i = 0; i < hanging; i++)
			w.disk[2 * i].mute_at = 20 + 60 * i;
		w.bus_resets = true;
		world_core(&w, "parallel", "fixed", 64, 0, UINT64_MAX, false);
		world_run(&w, STEPS, 0);
		for (uint32_t i = 0; i < 8; i++) {
			const struct dw_disk_state *st = dw_core_state(w.core, i);
			bool hangs = i % 2 == 0 && i / 2 < hanging;

			assert_int_equal(st->end,
					 hangs ? DW_END_FAILED : DW_END_COMPLETE);
			for (uint64_t k = 0; k < p.blocks && !hangs; k++)
				assert_int_equal(w.disk[i].medium[k], 0);
			if (!hanging)
				alone_ns = dw_max_u64(alone_ns, st->ns.finished);
			/* each costs two timeouts, its questions, and what was not flushed */
			if (!hangs)
				assert_true(st->ns.finished <=
					    alone_ns + hanging * 420 * S);
		}
		world_deinit(&w);
	}
}

/* A disk that hangs for a while, at cost of the others, goes on alone, last, with short commands; a
 * long one would hang it for good. */
static void set_aside(void **state)
{
	struct dw_disk_plan p = plan_of(8000, DW_VERIFY_OFF);
	struct world w;

	p.block_size = 4096;
	p.depth = p.data_depth = 4;
	world_init(&w, 37);
	for (uint32_t i = 0; i < 4; i++)
		world_add(&w, &p)->volatile_cache = true;
	for (uint32_t i = 0; i < 4; i++)
		w.disk[i].rate_ns = 100 * DW_NS_PER_MS;
	w.disk[1].bad[w.disk[1].n_bad++] = (struct world_bad){ .class = DW_CLASS_TIMEOUT,
							       .from_ns = 100 * S,
							       .to_ns = 400 * S };
	w.bus_resets = true;
	world_core(&w, "parallel", "fixed", 64, 0, UINT64_MAX, false);
	world_run(&w, STEPS, 0);
	for (uint32_t i = 0; i < 4; i++) {
		const struct dw_disk_state *st = dw_core_state(w.core, i);

		assert_int_equal(st->end, DW_END_COMPLETE);
		assert_int_equal(st->faults.n, 0);
		assert_int_equal(st->trouble.timeouts, i == 1 ? 2 : 0);
		assert_true(i == 1 ||
			    st->ns.finished < dw_core_state(w.core, 1)->ns.finished);
		assert_int_equal(w.disk[i].last_nlb <= 16, i == 1);
		assert_true(st->trouble.resets <= 3);
	}
	world_deinit(&w);
}

/* A bus that is reset every four minutes, and a flush every five. */
static void resets_before_flushes(void **state)
{
	for (int8_t wce = 0; wce < 2; wce++) {
		struct dw_disk_plan p = plan_of(20000, DW_VERIFY_FULL);
		struct world w;

		p.wce = wce;
		world_init(&w, 32);
		for (uint32_t i = 0; i < 5; i++)
			world_add(&w, &p)->volatile_cache = wce;
		for (uint32_t i = 0; i < 5; i++) {
			w.disk[i].rate_ns = 100 * DW_NS_PER_MS;
			w.disk[i].resets_ns = 240 * S;
		}
		world_core(&w, "parallel", "fixed", 64, 0, UINT64_MAX, false);
		world_run(&w, STEPS, 0);
		for (uint32_t i = 0; i < 5; i++) {
			const struct dw_disk_state *st = dw_core_state(w.core, i);

			assert_int_equal(st->end, DW_END_COMPLETE);
			assert_int_equal(st->faults.n, 0);
			assert_true(st->trouble.resets > 8);
			for (uint64_t k = 0; k < p.blocks; k++)
				assert_int_equal(w.disk[i].medium[k], 0);
			/* with the cache off nothing is written again */
			assert_true(st->bytes_written <=
				    p.blocks * 512 * (wce ? 3 : 2) / 2);
			assert_true(wce || st->bytes_written == p.blocks * 512);
		}
		world_deinit(&w);
	}
}

/* After resets it is flushed more often, and less often again once there are none. */
static void calm_after_resets(void **state)
{
	struct dw_disk_plan p = plan_of(200000, DW_VERIFY_OFF);
	const struct dw_disk_state *st;
	struct world_disk *d;
	struct world w;

	world_init(&w, 38);
	d = world_add(&w, &p);
	d->volatile_cache = true;
	d->rate_ns = 100 * DW_NS_PER_MS;
	d->resets_ns = 30 * S;
	d->calm_ns = 1200 * S;
	world_core(&w, "parallel", "fixed", 64, 0, UINT64_MAX, false);
	world_run(&w, STEPS, 0);
	st = dw_core_state(w.core, 0);
	assert_int_equal(st->end, DW_END_COMPLETE);
	assert_true(st->trouble.resets > 20);
	print_message("%u flushes in %llu s\n", d->flushes,
		      (unsigned long long)(w.now_ns / S));
	assert_true(d->flushes < 600); /* of 3,125 writes */
	world_deinit(&w);
}

/* What was written is on the medium, also of a disk that is given up. */
static void flushed_before_it_is_left(void **state)
{
	struct dw_disk_plan p = plan_of(20000, DW_VERIFY_OFF);
	const struct dw_disk_state *st;
	struct world_disk *d;
	struct world w;

	world_init(&w, 33);
	d = world_add(&w, &p);
	d->volatile_cache = true;
	d->mute_at = 180;
	d->answers = true; /* to what is no transfer */
	world_core(&w, "parallel", "fixed", 64, 0, UINT64_MAX, false);
	world_run(&w, STEPS, 0);
	st = dw_core_state(w.core, 0);
	assert_int_equal(st->end, DW_END_FAILED);
	assert_non_null(strstr(st->reason, "nothing was erased for 10 min; "));
	for (uint64_t k = 0; k < UINT64_C(179) * 64; k++)
		assert_int_equal(d->medium[k], 0);
	world_deinit(&w);
}

/* A quarter of a disk gives no answer: the rest is erased first, the edges are found. */
static void silent_quarter(void **state)
{
	struct dw_disk_plan p = plan_of(400000, DW_VERIFY_OFF);
	uint64_t erased = 0, named = 0;
	const struct dw_disk_state *st;
	struct world_disk *d;
	struct world w;

	world_init(&w, 34);
	d = world_add(&w, &p);
	d->volatile_cache = true;
	d->bad[d->n_bad++] = (struct world_bad){ .lba = 100003,
						 .nlb = 100000,
						 .class = DW_CLASS_TIMEOUT };
	w.stall_ns = 1800 * S;
	world_core(&w, "parallel", "fixed", 64, 0, UINT64_MAX, false);
	world_run(&w, STEPS, 0);
	st = dw_core_state(w.core, 0);
	assert_int_equal(st->end, DW_END_COMPLETE);
	for (uint64_t k = 0; k < p.blocks; k++) {
		erased += d->medium[k] == 0;
		named += told(st, k);
		assert_true(d->medium[k] == 0 || told(st, k));
	}
	assert_true(erased >= 299700 && named <= 100300);
	/* 60 seconds for each of the few that were sent there */
	assert_true(d->silences < 100);
	world_deinit(&w);
}

/* Behind libata innocent commands end with the one that hangs: one block is named, no other. */
static void innocent_commands(void **state)
{
	for (int8_t wce = 0; wce < 2; wce++) {
		struct dw_disk_plan p = plan_of(20000, DW_VERIFY_FULL);
		const struct dw_disk_state *st;
		struct world_disk *d;
		struct world w;

		p.wce = wce;
		p.depth = p.data_depth = 16;
		world_init(&w, 36);
		d = world_add(&w, &p);
		d->volatile_cache = wce;
		d->ncq = true;
		d->rate_ns = 1;
		d->bad[d->n_bad++] = (struct world_bad){ .lba = 7777,
							 .nlb = 1,
							 .class = DW_CLASS_TIMEOUT };
		world_core(&w, "parallel", "fixed", 64, 0, UINT64_MAX, false);
		world_run(&w, STEPS, 0);
		st = dw_core_state(w.core, 0);
		assert_int_equal(st->end, DW_END_COMPLETE);
		assert_int_equal(st->faults.n, 1);
		assert_int_equal(st->faults.v[0].lba, 7777);
		assert_int_equal(st->faults.v[0].nlb, 1);
		assert_true(d->silences < 20);
		world_deinit(&w);
	}
}

static void hang_above(uint32_t longest, bool aborts)
{
	struct dw_disk_plan p = plan_of(200000, DW_VERIFY_FULL);
	const struct dw_disk_state *st;
	struct world_disk *d;
	struct world w;

	world_init(&w, 35);
	d = world_add(&w, &p);
	d->volatile_cache = true;
	d->longest = longest;
	d->host_aborts = aborts;
	world_core(&w, "parallel", "fixed", 64, 0, UINT64_MAX, false);
	world_run(&w, STEPS, 0);
	st = dw_core_state(w.core, 0);
	assert_int_equal(st->end, DW_END_COMPLETE);
	assert_int_equal(st->faults.n, 0);
	assert_true(d->silences <= 6);
	world_deinit(&w);
}

/* A bridge that hangs above a length: found once, and remembered, whatever the host calls it. */
static void long_transfers_hang(void **state)
{
	for (uint32_t longest = 8; longest <= 63; longest += 11)
		for (int aborts = 0; aborts < 2; aborts++)
			hang_above(longest, aborts);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(ordinary_trouble),
		cmocka_unit_test(neighbours),
		cmocka_unit_test(hanging_neighbours),
		cmocka_unit_test(set_aside),
		cmocka_unit_test(resets_before_flushes),
		cmocka_unit_test(calm_after_resets),
		cmocka_unit_test(flushed_before_it_is_left),
		cmocka_unit_test(silent_quarter),
		cmocka_unit_test(long_transfers_hang),
		cmocka_unit_test(innocent_commands),
	};
	const struct CMUnitTest seeds[] = { cmocka_unit_test(ordinary_trouble),
					    cmocka_unit_test(neighbours) };

	if (argc != 3)
		return cmocka_run_group_tests(all, NULL, NULL);
	first_seed = strtoull(argv[1], NULL, 10);
	n_seeds = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(seeds, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disks that will end early give way to others: two kinds of disks on one bus, which serves each
 * by what it has in flight. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/util.h"
#include "sched/controller.h"
#include "sched/yield.h"

#define DISKS   12
#define TICK_NS (5 * DW_NS_PER_MS)
#define BLOCK   512

/** struct shelf - disks behind a bus of @bus bytes per second; each writes at most @medium and has
 *  @credit bytes that were moved and not told of; @uneven: some disk was given another setting
 *  than the first, at the
 *  latest tick and in how many; @silent: the last four end
 *  nothing */
struct shelf {
	struct dw_rng rng;
	struct dw_view_disk disk[DISKS];
	struct dw_view view;
	struct dw_controller_state state;
	double medium[DISKS];
	double credit[DISKS];
	double bus;
	uint64_t now;
	bool uneven;
	bool now_uneven;
	uint64_t ticks_uneven;
	bool silent;
};

/* the first @slow disks of @slow_bytes at 100 MB/s, the others of @quick_bytes at 150 */
static void begin(struct shelf *s, uint64_t seed, uint32_t slow, double slow_bytes,
		  double quick_bytes)
{
	*s = (struct shelf){ .bus = 1e9, .now = 1 };
	dw_rng_seed(&s->rng, seed);
	for (uint32_t i = 0; i < DISKS; i++) {
		uint64_t n = (uint64_t)(i < slow ? slow_bytes : quick_bytes) / BLOCK;

		s->medium[i] = i < slow ? 100e6 : 150e6;
		s->disk[i] = (struct dw_view_disk){ .left = n,
						    .total = n,
						    .block_size = BLOCK,
						    .optimal = 2048,
						    .max = 8192,
						    .most = 32 };
	}
	s->view = (struct dw_view){
		.n = DISKS, .disk = s->disk, .unfinished = DISKS, .active = DISKS
	};
	assert_int_equal(0, dw_controller_adaptive.init(&s->state));
	for (uint32_t i = 0; i < DISKS; i++)
		assert_int_equal(0,
				 dw_controller_adaptive.disk_in(&s->state, &s->view, i));
}

/* what each disk gets: a part of the bus by its bytes in flight, up to what its medium takes */
static void share(const struct shelf *s, const struct dw_pick *pick, double *rate)
{
	double left = s->bus, weight = 0, before = 0;

	for (int i = 0; i < DISKS; i++) {
		rate[i] = 0;
		weight += s->disk[i].left ? (double)pick[i].nlb * pick[i].depth : 0;
	}
	while (left != before && weight > 0) {
		double each = left / weight;

		before = left;
		for (int i = 0; i < DISKS; i++) {
			double w = (double)pick[i].nlb * pick[i].depth;

			if (s->disk[i].left && !(rate[i] > 0) &&
			    s->medium[i] <= w * each) {
				rate[i] = s->medium[i];
				left -= rate[i];
				weight -= w;
			}
		}
	}
	for (int i = 0; i < DISKS; i++)
		if (s->disk[i].left && !(rate[i] > 0))
			rate[i] = left / weight * pick[i].nlb * pick[i].depth;
}

static void done(struct shelf *s, uint32_t i, uint32_t nlb)
{
	nlb = (uint32_t)dw_min_u64(nlb, s->disk[i].left);
	s->disk[i].left -= nlb;
	if (!s->disk[i].left) {
		s->disk[i].out = true;
		s->view.unfinished--;
		s->view.active = (uint32_t)dw_max_u64(1, s->view.unfinished);
	}
	assert_int_equal(0, dw_controller_adaptive.observe(&s->state, &s->view,
							   &(struct dw_observation){
								   .disk = i,
								   .verb = DW_VERB_WRITE,
								   .class = DW_CLASS_OK,
								   .blocks = nlb,
								   .service_ns = 1,
								   .end_ns = s->now,
							   }));
}

static void tick(struct shelf *s)
{
	struct dw_pick pick[DISKS];
	double rate[DISKS];

	s->now += TICK_NS;
	s->view.inflight = 0;
	s->now_uneven = false;
	for (uint32_t i = 0; i < DISKS; i++) {
		dw_controller_adaptive.pick(&s->state, &s->view, i, &pick[i]);
		s->view.inflight += s->disk[i].out ? 0 : pick[i].depth;
		s->now_uneven |=
			pick[i].nlb != pick[0].nlb || pick[i].depth != pick[0].depth;
	}
	s->uneven |= s->now_uneven;
	s->ticks_uneven += s->now_uneven;
	share(s, pick, rate);
	for (uint32_t i = 0; i < DISKS - (s->silent ? 4 : 0); i++) {
		s->credit[i] += rate[i] * TICK_NS / 1e9 *
				(1 + 0.1 * (dw_rng_unit(&s->rng) - 0.5));
		while (!s->disk[i].out && s->credit[i] >= pick[i].nlb * (double)BLOCK) {
			s->credit[i] -= pick[i].nlb * (double)BLOCK;
			done(s, i, pick[i].nlb);
		}
	}
}

static double run(struct shelf *s)
{
	double seconds;

	while (s->view.unfinished)
		tick(s);
	seconds = (double)s->now / 1e9;
	dw_controller_adaptive.free(&s->state);
	return seconds;
}

/* With one setting for all, each disk gets a twelfth of the bus for 240 s; then four are left with
 * 10 GB each, of which their media take 150 MB/s: 307 s. */
static void all_end_at_once(void **state)
{
	double sum = 0;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct shelf s;

		begin(&s, seed, 8, 20e9, 30e9);
		sum += run(&s);
		assert_true(s.uneven);
	}
	if (sum / 10 > 1.06 * 280)
		fail_msg("%.1f s, the bus alone needs 280", sum / 10);
}

/* disks that are alike, and disks whose media are the limit, have one setting */
static void nobody_gives_way(void **state)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct shelf s;
		double seconds;

		begin(&s, seed, DISKS, 20e9, 0);
		run(&s);
		assert_false(s.uneven);
		begin(&s, seed, 8, 10e9, 30e9);
		s.bus = 2e9;
		seconds = run(&s);
		assert_true(seconds < 1.01 * 200);
		/* each way has a trial of 3 s, seldom again */
		if ((double)s.ticks_uneven * TICK_NS > 0.15e9 * seconds)
			fail_msg("%g ticks of %g s", (double)s.ticks_uneven, seconds);
	}
}

/* a disk of one job does not wait for those of another */
static void nobody_for_another(void **state)
{
	struct shelf s;

	begin(&s, 1, 8, 20e9, 30e9);
	for (int i = 0; i < 8; i++)
		s.disk[i].owner = 1;
	run(&s);
	assert_false(s.uneven);
}

/* nobody waits for disks that do nothing */
static void silent_others(void **state)
{
	struct shelf s;

	begin(&s, 1, 8, 20e9, 30e9);
	while (!s.uneven)
		tick(&s);
	s.silent = true;
	for (uint64_t end = s.now + 20 * DW_NS_PER_S; s.now < end;)
		tick(&s);
	assert_false(s.now_uneven);
	dw_controller_adaptive.free(&s.state);
}

/* one window of 10 s in which disk @i writes @moved of its blocks */
static bool look(struct dw_ends *e, struct dw_view_disk *disk, const uint64_t *moved)
{
	struct dw_view view = { .n = 3, .disk = disk, .unfinished = 3, .active = 3 };
	bool uneven;

	dw_ends_begin(e, &view, 1);
	for (int i = 0; i < 3; i++) {
		e->disk[i].moved = true;
		disk[i].left -= moved[i];
	}
	uneven = dw_ends_choose(e, &view, 1 + 10 * DW_NS_PER_S);
	for (int i = 0; i < 3; i++)
		disk[i].left += moved[i];
	return uneven;
}

/* Those that are ahead no longer are when they would end with the others, and not when these would
 * be alone on the link: they gain what is left to them. */
static void no_longer_ahead(void **state)
{
	struct dw_view_disk disk[2];
	struct dw_view view = { .n = 2, .disk = disk, .unfinished = 2, .active = 2 };
	struct dw_ends e = { 0 };

	for (int i = 0; i < 2; i++)
		disk[i] = (struct dw_view_disk){ .left = 100000,
						 .total = 100000,
						 .block_size = BLOCK };
	assert_int_equal(0, dw_ends_reserve(&e, 2));
	dw_ends_begin(&e, &view, 1);
	e.disk[0].moved = e.disk[1].moved = e.disk[0].ahead = true;
	disk[0].left -= 2000;
	disk[1].left -= 1000;
	assert_true(dw_ends_measure(&e, &view, 1 + 10 * DW_NS_PER_S));
	assert_true(e.first_s > 489 && e.first_s < 491);
	assert_true(e.last_s > 989 && e.last_s < 991);
	assert_true(dw_ends_renew(&e, &view));
	disk[1].left = 40000; /* 400 s, the first needs 490 */
	assert_false(dw_ends_renew(&e, &view));
	assert_false(e.disk[0].ahead);
	e.disk[0].ahead = true;
	disk[0].left = 98000;
	disk[1].left =
		56000; /* 560 s, but both together 513: the first has 23 s to give */
	assert_true(dw_ends_renew(&e, &view));
	disk[1].left = 50000; /* 500 s, and both together 493: nothing is gained */
	assert_false(dw_ends_renew(&e, &view));
	dw_ends_free(&e);
}

/* what is left counts with later passes, and a rotating disk gets slower */
static void who_is_ahead(void **state)
{
	struct dw_view_disk disk[3];
	struct dw_ends e = { 0 };

	for (int i = 0; i < 3; i++)
		disk[i] = (struct dw_view_disk){ .left = 100000,
						 .total = 100000,
						 .block_size = BLOCK };
	assert_int_equal(0, dw_ends_reserve(&e, 3));
	assert_false(look(&e, disk, (uint64_t[]){ 1000, 1010, 1020 }));
	assert_true(look(&e, disk, (uint64_t[]){ 1000, 1000, 1300 }));
	assert_true(!e.disk[0].ahead && !e.disk[1].ahead && e.disk[2].ahead);
	/* the third has a pass more */
	disk[2].later = 1;
	assert_true(look(&e, disk, (uint64_t[]){ 1000, 1000, 1300 }));
	assert_true(e.disk[0].ahead && e.disk[1].ahead && !e.disk[2].ahead);
	/* the third needs 1.39 times what its rate says now */
	disk[2].later = 0;
	disk[2].rotates = true;
	assert_false(look(&e, disk, (uint64_t[]){ 1000, 1000, 1380 }));
	assert_true(look(&e, disk, (uint64_t[]){ 1000, 1000, 1200 }));
	assert_true(e.disk[0].ahead && !e.disk[2].ahead);
	/* one that does nothing is in no group, and nobody waits for it */
	disk[2].rotates = false;
	assert_false(look(&e, disk, (uint64_t[]){ 1000, 1000, 0 }));
	dw_ends_free(&e);
}

static void slices(struct dw_gauge *g, double rate)
{
	uint64_t now = 1;

	dw_gauge_reset(g, now, 4, 50 * DW_NS_PER_MS);
	for (int i = 0; i < 120; i++) {
		now += 25 * DW_NS_PER_MS;
		dw_gauge_add(g, now, rate / 40, 0);
	}
}

/* a trial: disks that are ahead had 600 of 1,000, the others get @others and all have @all */
static int verdict(double others, double all, uint64_t *ret_ns)
{
	struct dw_yield y = { .most_s = 20,
			      .ends = { .first_s = 100,
					.last_s = 200,
					.first_rate = 600,
					.last_rate = 400 } };
	struct dw_gauge base, trial;

	slices(&base, 1000);
	slices(&trial, all);
	slices(&y.others, others);
	return dw_yield_judge(&y, &base, &trial, 3 * DW_NS_PER_S, ret_ns);
}

static void who_gains(void **state)
{
	uint64_t ns = 0;

	assert_int_equal(verdict(500, 1000, &ns), DW_YIELD_YES);
	assert_int_equal(ns / DW_NS_PER_S, 20);
	assert_int_equal(verdict(4000, 4000, &ns), DW_YIELD_YES);
	assert_int_equal(ns / DW_NS_PER_S, 10); /* 100 s nearer, ten times as quick */
	assert_int_equal(verdict(500, 970, &ns), DW_YIELD_YES);
	assert_int_equal(verdict(500, 950, &ns),
			 DW_YIELD_NO); /* more is lost on the way */
	assert_int_equal(verdict(401, 1000, &ns), DW_YIELD_NO);
	assert_int_equal(verdict(400, 700, &ns), DW_YIELD_NO);
}

/* depth one is not halved; the second way and the last give the others more at once */
static void what_they_get(void **state)
{
	struct dw_setting s = dw_yield_setting((struct dw_setting){ 5, 1 }, 0, true);

	assert_true(s.l == 5 && s.d == 0);
	s = dw_yield_setting((struct dw_setting){ 5, 0 }, 0, true);
	assert_true(s.l == 4 && s.d == 0);
	s = dw_yield_setting((struct dw_setting){ 5, 0 }, 0, false);
	assert_true(s.l == 5 && s.d == 0);
	for (uint8_t how = 0; how < DW_WAYS; how++)
		assert_int_equal(dw_yield_deepens(how), how == 1 || how == 4);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(all_end_at_once),    cmocka_unit_test(nobody_gives_way),
		cmocka_unit_test(who_is_ahead),       cmocka_unit_test(who_gains),
		cmocka_unit_test(what_they_get),      cmocka_unit_test(no_longer_ahead),
		cmocka_unit_test(nobody_for_another), cmocka_unit_test(silent_others),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}

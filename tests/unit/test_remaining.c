/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The estimator of the remaining time, on a clock of its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cost/remaining.h"

#define STEP 0.25

static struct dw_estimate expected[DW_WORKS];

/* 100 seconds, evenly, of one pass by WRITE */
static struct dw_remaining one_pass(double error, double falls, bool cached)
{
	struct dw_remaining e = { .error = error, .n_phases = 1, .most_cached = 10 };

	dw_course_begin(&e.course, 0, 0);
	dw_course_end(&e.course, 100);
	e.phase[0] = (struct dw_work_phase){ .until = 1, .cached = cached };
	dw_remaining_expect(&e, falls);
	dw_pace_expected(NULL, error, expected);
	dw_remaining_begin(&e, 0);
	return e;
}

/* until @to at @rate of the work in a second */
static double go_on(struct dw_remaining *e, double to, double rate)
{
	double share = e->share;

	while (e->at < to) {
		share = fmin(1, share + STEP * rate);
		dw_remaining_observe(e, &(struct dw_work_observed){ .at = e->at + STEP,
								    .share = share });
	}
	return dw_remaining_left(e, expected).seconds;
}

static void as_expected(void **state)
{
	struct dw_remaining e = one_pass(0.05, 0, false);

	assert_true(fabs(dw_remaining_left(&e, expected).seconds - 100) < 0.1);
	assert_true(fabs(go_on(&e, 50, 0.01) - 50) < 0.5);
	assert_false(dw_remaining_differs(&e));
}

/* five times slower: at first the forecast counts, soon what is measured */
static void slower(void **state)
{
	struct dw_remaining e = one_pass(0.05, 0, false);

	go_on(&e, 20, 0.002);
	assert_true(dw_remaining_differs(&e));
	assert_true(fabs(dw_remaining_left(&e, expected).seconds / 480 - 1) < 0.1);
}

/* what fills the cache is no rate: a tenth of the work in two seconds, the rest at 0.005 */
static void cache_fills(void **state)
{
	struct dw_remaining e = one_pass(1, 1, true);
	struct dw_time_left t;

	go_on(&e, 2, 0.05);
	t = dw_remaining_left(&e, expected);
	assert_false(dw_time_known(&t));
	go_on(&e, 40, 0.005);
	t = dw_remaining_left(&e, expected);
	/* of 200 s in all, as the cache is written, too */
	assert_true(fabs(t.seconds / 160 - 1) < 0.15);
	assert_true(dw_time_known(&t));
}

/* nobody knows what the cache of a guessed disk holds at the end: five seconds of it, or nothing;
 * WRITE SAME leaves nothing in it */
static void last_flush(void **state)
{
	for (int cached = 0; cached < 2; cached++) {
		struct dw_remaining e = one_pass(0.05, 1, cached);
		struct dw_time_left t;

		e.phase[0].work = cached ? DW_WORK_WRITE : DW_WORK_SAME;
		e.most_cached = 0.1;
		e.usual_cached = 0.05;
		go_on(&e, 50, 0.01);
		t = dw_remaining_left(&e, expected);
		assert_true(dw_time_known(&t));
		go_on(&e, 97, 0.01);
		t = dw_remaining_left(&e, expected);
		assert_true(fabs(t.seconds - 3) < 0.3);
		assert_int_equal(!cached, dw_time_known(&t));
	}
}

/* a sample of a tenth takes as long as the pass, for its seeks: a pass that is ten times slower
 * adds what its blocks take, and not nine times its seeks */
static void seeks_of_a_sample(void **state)
{
	struct dw_remaining e = { .error = 0.05, .n_phases = 2, .most_cached = 10 };
	double seconds;

	dw_course_begin(&e.course, 0, 0);
	dw_course_note(&e.course, 10 / 11., 100);
	dw_course_end(&e.course, 200);
	e.phase[0] = (struct dw_work_phase){ .until = 10 / 11. };
	e.phase[1] = (struct dw_work_phase){ .until = 1, .work = DW_WORK_VERIFY };
	dw_remaining_expect(&e, 0);
	dw_pace_expected(NULL, 0.05, expected);
	dw_remaining_begin(&e, 0);
	seconds = go_on(&e, 500, 1 / 1100.);
	assert_true(fabs(seconds / (500 + 100 + 90) - 1) < 0.1);
}

/* two passes: ten seconds of WRITE SAME, and a hundred of WRITE */
static struct dw_remaining two_passes(double error)
{
	struct dw_remaining e = { .error = error, .n_phases = 2, .most_cached = 10 };

	dw_course_begin(&e.course, 0, 0);
	dw_course_note(&e.course, 0.5, 10);
	dw_course_end(&e.course, 110);
	e.phase[0] = (struct dw_work_phase){ .until = 0.5, .work = DW_WORK_SAME };
	e.phase[1] = (struct dw_work_phase){ .until = 1, .work = DW_WORK_WRITE };
	dw_remaining_expect(&e, 0);
	dw_pace_expected(NULL, error, expected);
	dw_remaining_begin(&e, 0);
	return e;
}

/* WRITE SAME says little of WRITE, and nothing if it is written instead: where that is ten times
 * slower, the time of the second pass is not known */
static void instead_of_same(void **state)
{
	struct dw_remaining e = two_passes(0.05);
	struct dw_time_left t;

	go_on(&e, 5, 0.05);
	t = dw_remaining_left(&e, expected);
	assert_true(dw_time_known(&t));
	e = two_passes(0.4); /* neither of two that differ is sure */
	go_on(&e, 50, 0.005);
	t = dw_remaining_left(&e, expected);
	assert_false(dw_time_known(&t));
	e = two_passes(1);
	dw_remaining_write(&e, false);
	go_on(&e, 50, 0.005);
	t = dw_remaining_left(&e, expected);
	assert_false(dw_time_known(&t));
	assert_true(t.low < 50 + 100 && t.high > 50 + 1000);
	assert_true(t.moving < t.seconds - 45 && fabs(t.share - 0.5) < 0.01);
}

/* WRITE SAME of a medium that turns goes at its rate, as reading does, which may wait for a link
 * that is shared. Of one that does not turn, or is quicker than any medium, it says nothing. */
static void same_on_a_medium(void **state)
{
	static const struct {
		bool turns;
		double crowd, rate;
		bool known;
	} cases[] = { { true, 1, 0.005, true },   { true, 1, 0.002, true },
		      { true, 2.5, 0.005, true }, { true, 12, 0.005, false },
		      { true, 1, 0.02, false },   { false, 1, 0.005, false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dw_remaining e = { .error = 1,
					  .n_phases = 2,
					  .most_cached = 10,
					  .on_medium = cases[i].turns,
					  .crowd = cases[i].crowd };
		struct dw_time_left t;

		dw_course_begin(&e.course, 0, 0);
		dw_course_note(&e.course, 0.5, 100);
		dw_course_end(&e.course, 200);
		e.phase[0] = (struct dw_work_phase){ .until = 0.5, .work = DW_WORK_SAME };
		e.phase[1] = (struct dw_work_phase){ .until = 1, .work = DW_WORK_VERIFY };
		dw_remaining_expect(&e, 1);
		dw_pace_expected(NULL, 1, expected);
		dw_remaining_begin(&e, 0);
		go_on(&e, 0.1 / cases[i].rate, cases[i].rate);
		t = dw_remaining_left(&e, expected);
		assert_int_equal(dw_time_known(&t), cases[i].known);
	}
}

/* one second without a command is no pace, a long standstill is told as not known */
static void standstill(void **state)
{
	struct dw_remaining e = one_pass(0.5, 0, false);
	struct dw_time_left t;
	double before = go_on(&e, 20, 0.01);

	assert_true(go_on(&e, 21, 0) < before * 1.5);
	go_on(&e, 120, 0);
	t = dw_remaining_left(&e, expected);
	assert_true(t.seconds < 100 * before);
	assert_false(dw_time_known(&t));
}

/* a reset takes what was written in 40 seconds, and these pass once more: the pace is known */
static void goes_back(void **state)
{
	struct dw_remaining e = one_pass(0.05, 0, false);

	go_on(&e, 50, 0.01);
	dw_remaining_observe(&e, &(struct dw_work_observed){ .at = 51, .share = 0.1 });
	assert_true(fabs(dw_remaining_left(&e, expected).seconds - 90) < 0.5);
	for (int i = 1; i < 9; i++)
		assert_true(fabs(go_on(&e, 51 + 10 * i, 0.01) - (90 - 10 * i)) < 0.5);
	assert_false(dw_remaining_differs(&e));
}

/* each counts by the inverse of its variance; where they contradict each other, the measured one */
static void errors_weigh(void **state)
{
	struct dw_estimate a = { 0, 0.2, 0 }, b = { 0.1, 0.2, 0 }, far = { 2, 0.1, 0 };
	struct dw_estimate none = { 0, INFINITY, 0 };

	assert_true(fabs(dw_pace_mix(&a, &b).log - 0.05) < 1e-9);
	assert_true(fabs(dw_pace_mix(&a, &b).error - 0.2 / sqrt(2)) < 1e-9);
	assert_true(fabs(dw_pace_mix(&a, &far).log - 2) < 0.05);
	assert_true(dw_pace_mix(&a, &none).error == a.error);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(as_expected),       cmocka_unit_test(slower),
		cmocka_unit_test(cache_fills),       cmocka_unit_test(standstill),
		cmocka_unit_test(last_flush),        cmocka_unit_test(errors_weigh),
		cmocka_unit_test(seeks_of_a_sample), cmocka_unit_test(instead_of_same),
		cmocka_unit_test(goes_back),         cmocka_unit_test(same_on_a_medium),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first WRITE SAME of a disk fails in every way: WRITE from then on, its range too. */
#include "hand.h"

static struct dw_result told;
static uint32_t told_at; /* the first, or a later one */

static void fail_same(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (!once(h, op, DW_VERB_WRITE_SAME, told_at))
		return;
	r->class = told.class;
	r->sense_key = told.sense_key;
	r->deferred = told.deferred;
}

static void new_same(struct hand *h)
{
	hand_new(h, fail_same);
	h->plan.command = DW_PLAN_WRITE_SAME;
	h->plan.ws_max = 100;
}

static const uint8_t classes[] = { DW_CLASS_RETRY, DW_CLASS_MEDIUM,     DW_CLASS_HARDWARE,
				   DW_CLASS_RANGE, DW_CLASS_FAILED,     DW_CLASS_TIMEOUT,
				   DW_CLASS_RESET, DW_CLASS_UNSUPPORTED };

static void first_one_fails(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	told_at = 0;
	for (size_t i = 0; i < DW_ARRAY_SIZE(classes); i++) {
		told = (struct dw_result){ .class = classes[i] };
		new_same(&h);
		s = hand_run(&h, 0);
		assert_int_equal(DW_END_COMPLETE, s->end);
		assert_int_equal(0, s->faults.n);
		assert_int_equal(1, h.n[DW_VERB_WRITE_SAME]);
		assert_int_equal(s->same, DW_SAME_FAILED);
		assert_all(h.written, 1);
		/* a device that hung, or was reset, says who it is before anything is written */
		if (classes[i] == DW_CLASS_TIMEOUT || classes[i] == DW_CLASS_RESET)
			assert_true(find(&h, h.at, DW_VERB_IDENTIFY) <
				    find(&h, h.at, DW_VERB_WRITE));
		hand_free(&h);
	}
}

/* It goes on: @told is no reason to leave WRITE SAME. */
static void assert_kept(void)
{
	const struct dw_disk_state *s;
	struct hand h;

	new_same(&h);
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(s->same, DW_SAME_USED);
	assert_true(h.n[DW_VERB_WRITE_SAME] > 4);
	hand_free(&h);
}

/* After one that has worked only the piece that failed goes by WRITE. */
static void later_one_fails(void **state)
{
	told_at = 3;
	told = (struct dw_result){ .class = DW_CLASS_RETRY };
	assert_kept();
}

/* What is told of others is not held against it. */
static void not_its_fault(void **state)
{
	static const struct dw_result ends[] = {
		{ .class = DW_CLASS_ATTENTION, .sense_key = 6 },
		{ .class = DW_CLASS_RESET, .sense_key = 6 },
		{ .class = DW_CLASS_QUEUE_FULL },
		{ .class = DW_CLASS_NOT_READY, .sense_key = 2 },
		{ .class = DW_CLASS_RETRY, .deferred = true },
	};

	told_at = 0;
	for (size_t i = 0; i < DW_ARRAY_SIZE(ends); i++) {
		told = ends[i];
		assert_kept();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_one_fails),
		cmocka_unit_test(later_one_fails),
		cmocka_unit_test(not_its_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device that stands still while it works by itself, and one that has to be written after it. */
#include "self_worker.h"

/* half an hour, or four times what it stated: then it is left alone, and not taken for done */
static void standstill(void **state)
{
	static const struct {
		uint64_t takes, stated;
		bool left;
	} cases[] = {
		{ 29, 0, false }, { 45, 0, true }, { 70, 20, false }, { 110, 20, true }
	};
	const struct dw_disk_state *s;
	struct hand h;

	for (size_t i = 0; i < DW_ARRAY_SIZE(cases); i++) {
		new_device(&h, cases[i].takes * MINUTE);
		dev.still = true;
		h.plan.operation_ns = cases[i].stated * MINUTE;
		s = hand_run(&h, 0);
		assert_int_equal(cases[i].left, s->operation.left);
		assert_int_equal(cases[i].left ? DW_END_FAILED : DW_END_COMPLETE, s->end);
		assert_int_equal(cases[i].left, s->operation.running);
		if (cases[i].left) {
			assert_non_null(strstr(s->reason, "left working"));
			assert_string_equal("opp", story(&h));
			assert_int_equal(0, s->mark);
		}
		hand_free(&h);
	}
}

static uint32_t touches;
static bool again;

static bool deaf;

/* goes on when it was touched, if it is not deaf, and stands still once more if @again */
static void touched(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->flags & DW_OP_TOUCH) {
		assert_int_equal(DW_VERB_POLL, op->verb);
		touches++;
		dev.still = deaf;
	} else if (again && touches == 1 && op->verb == DW_VERB_POLL) {
		again = false;
		dev.still = true;
	}
	answer(h, op, r);
}

/* One block is read when the stall budget is used up, and in any case before it is left; once for
 * each time that it stands still. */
static void touched_once(void **state)
{
	static const struct {
		uint64_t takes, stall_s;
		uint32_t touches;
		bool again, deaf, left;
	} cases[] = {
		{ 9, 600, 0, false, false, false },  { 25, 600, 1, false, false, false },
		{ 60, 600, 1, false, false, false }, { 60, 600, 2, true, false, false },
		{ 60, 600, 1, false, true, true },   { 60, 7200, 1, false, true, true },
		{ 25, 7200, 0, false, true, false },
	};
	const struct dw_disk_state *s;
	struct hand h;

	for (size_t i = 0; i < DW_ARRAY_SIZE(cases); i++) {
		new_device(&h, cases[i].takes * MINUTE);
		dev.still = true;
		touches = 0;
		again = cases[i].again;
		deaf = cases[i].deaf;
		h.stall_s = cases[i].stall_s;
		h.answer = touched;
		s = hand_run(&h, 0);
		assert_int_equal(cases[i].left, s->operation.left);
		assert_int_equal(cases[i].touches, touches);
		assert_int_equal(cases[i].touches > 0, s->operation.touched);
		assert_int_equal(cases[i].touches, notices(&h, "one block is read"));
		hand_free(&h);
	}
}

static void touched_late(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	touched(h, op, r);
	if (op->verb == DW_VERB_POLL && h->n[DW_VERB_POLL] == 3)
		r->end_ns += 40 * MINUTE;
}

/* The machine slept, or an answer took that long: it is not left before it was touched. */
static void touched_before_it_is_left(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	for (int i = 0; i < 2; i++) {
		new_device(&h, 180 * MINUTE);
		dev.still = true;
		touches = 0;
		again = false;
		deaf = i;
		h.answer = touched_late;
		s = hand_run(&h, 0);
		assert_int_equal(1, touches);
		assert_int_equal(i, s->operation.left);
		hand_free(&h);
	}
}

static void guarded(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	answer(h, op, r);
	r->write_over = op->verb == DW_VERB_SETTLE && op->flags & DW_OP_FINAL &&
			h->n[DW_VERB_WRITE] == 0;
}

/* it has erased itself, and cannot be read before it is written: one pass of writes, on record
 * before the first of them, and then the end as ever */
static void written_over(void **state)
{
	const struct dw_disk_state *s;
	struct dw_core_event e;
	bool told = false;
	struct hand h;

	new_device(&h, MINUTE);
	h.plan.operation = DW_OPERATION_CRYPTO_ERASE;
	h.plan.over = h.plan.pass[0];
	h.plan.over.kind = DW_PASS_WRITE;
	h.plan.over.verify = DW_VERIFY_FULL;
	h.answer = guarded;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_string_equal("oppsfiswwsfirrsi", story(&h));
	assert_int_equal(1, s->pass);
	assert_int_equal(h.plan.blocks, s->mark);
	assert_int_equal(h.plan.blocks * h.plan.block_size, s->bytes_written);
	assert_int_equal(s->work_total, s->work_done);
	while (dw_core_event(h.core, &e))
		told |= e.kind == DW_CORE_EVENT_FLUSHED && e.pass == 1 && e.lba == 0;
	assert_true(told);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(standstill),
		cmocka_unit_test(touched_once),
		cmocka_unit_test(touched_before_it_is_left),
		cmocka_unit_test(written_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

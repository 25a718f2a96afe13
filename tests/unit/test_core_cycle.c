/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disk whose cache nothing flushes: it loses its power between its last write and the
 * verification of all of it.
 */
#include "hand.h"

static void assert_no_write(const struct hand *h, uint32_t from)
{
	assert_int_equal(h->n_ops, find(h, from, DW_VERB_WRITE));
	assert_int_equal(h->n_ops, find(h, from, DW_VERB_WRITE_SAME));
}

/* Once, after the last of the passes, when all of it is written and it has said who it is; then
 * every block is read. */
static void after_the_last_write(void **state)
{
	const struct dw_disk_state *s;
	uint32_t at, last;
	struct hand h;

	(void)state;
	hand_new(&h, NULL);
	h.plan.cycle = true;
	h.plan.n_passes = 2;
	h.plan.pass[1] = h.plan.pass[0];
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(DW_CYCLE_SEEN, s->cycle);
	assert_int_equal(1, h.n[DW_VERB_CYCLE]);
	at = find(&h, 0, DW_VERB_CYCLE);
	assert_no_write(&h, at);
	last = find(&h, 0, DW_VERB_READ);
	assert_true(last < at); /* that of the first pass */
	assert_int_equal(DW_VERB_IDENTIFY, h.op[at - 1].verb);
	assert_true(find(&h, at, DW_VERB_READ) < h.n_ops);
	assert_all(h.written, 2);
	assert_all(h.read, 2);
	hand_free(&h);
}

static void without(void **state)
{
	struct hand h;

	(void)state;
	hand_new(&h, NULL);
	assert_int_equal(DW_CYCLE_NONE, hand_run(&h, 0)->cycle);
	assert_int_equal(0, h.n[DW_VERB_CYCLE]);
	hand_free(&h);
}

static void one_is_unreadable(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb != DW_VERB_READ || op->lba > 333 || op->lba + op->nlb <= 333)
		return;
	r->class = DW_CLASS_MEDIUM;
	r->sense_key = 3;
	r->asc = 0x11;
}

/* Otherwise it would be written once more: nobody would know whether to the medium. */
static void is_not_repaired(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	(void)state;
	hand_new(&h, one_is_unreadable);
	h.plan.cycle = true;
	s = hand_run(&h, BLOCKS);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_no_write(&h, find(&h, 0, DW_VERB_CYCLE));
	assert_int_equal(1, s->faults.n);
	assert_int_equal(DW_UNREADABLE, s->faults.v[0].kind);
	assert_int_equal(333, s->faults.v[0].lba);
	assert_int_equal(1, s->faults.v[0].nlb);
	hand_free(&h);
}

static void is_reset(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (once(h, op, DW_VERB_READ, 20))
		r->class = DW_CLASS_RESET;
}

/* What a reset could lose was lost before. */
static void is_not_rewound(void **state)
{
	struct hand h;

	(void)state;
	hand_new(&h, is_reset);
	h.plan.cycle = true;
	assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
	assert_true(h.at < h.n_ops);
	assert_no_write(&h, find(&h, 0, DW_VERB_CYCLE));
	assert_int_equal(1, h.n[DW_VERB_CYCLE]);
	assert_all(h.read, 1);
	hand_free(&h);
}

static uint8_t comes_of_it;
static bool is_stopped;

static void nobody_comes(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb != DW_VERB_CYCLE)
		return;
	if (is_stopped)
		dw_core_stop(h->core, 0, false);
	r->class = comes_of_it;
	r->vanished = comes_of_it == DW_CLASS_GONE;
	r->detail = "nobody came";
}

static void end_of_waiting(void **state)
{
	static const struct {
		uint8_t class;
		bool stopped;
		uint8_t end;
		const char *reason;
	} ends[] = {
		{ DW_CLASS_FAILED, false, DW_END_FAILED, "nobody came" },
		{ DW_CLASS_GONE, false, DW_END_REMOVED,
		  "removed while it was being erased" },
		{ DW_CLASS_GIVEN_BACK, true, DW_END_STOPPED, "" },
	};

	(void)state;
	for (size_t i = 0; i < DW_ARRAY_SIZE(ends); i++) {
		const struct dw_disk_state *s;
		struct hand h;

		comes_of_it = ends[i].class;
		is_stopped = ends[i].stopped;
		hand_new(&h, nobody_comes);
		h.plan.cycle = true;
		s = hand_run(&h, 0);
		assert_int_equal(ends[i].end, s->end);
		assert_string_equal(ends[i].reason, s->reason);
		assert_int_equal(DW_CYCLE_DUE, s->cycle);
		assert_int_equal(BLOCKS, s->mark);
		assert_int_equal(0, h.n[DW_VERB_READ]);
		hand_free(&h);
	}
}

/* A run that goes on there writes nothing again. */
static void goes_on(void **state)
{
	struct hand h;

	(void)state;
	hand_new(&h, NULL);
	h.plan.cycle = true;
	h.plan.first_lba = BLOCKS;
	assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
	assert_no_write(&h, 0);
	assert_int_equal(1, h.n[DW_VERB_CYCLE]);
	assert_all(h.read, 1);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_the_last_write), cmocka_unit_test(without),
		cmocka_unit_test(is_not_repaired),      cmocka_unit_test(is_not_rewound),
		cmocka_unit_test(end_of_waiting),       cmocka_unit_test(goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

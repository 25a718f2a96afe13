/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One disk with blocks that cannot be written, cannot be read or differ: what the core does about
 * them, and what it says of them. Every op is answered by hand.
 */
#include "core/internal.h"
#include "hand.h"

/* --- blocks ------------------------------------------------------------------ */

/* One block cannot be written, @left times; the disk names it. */
static void bad_block(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb != DW_VERB_WRITE || h->lba < op->lba ||
	    h->lba >= op->lba + op->nlb || !h->left)
		return;
	h->left--;
	r->class = DW_CLASS_MEDIUM;
	r->bad_valid = true;
	r->bad_lba = h->lba;
}

static void unwritable(void **state)
{
	static const uint64_t places[] = { 0, 504, 505, 509, BLOCKS - 1 };
	const struct dw_disk_state *s;
	struct hand h;

	for (size_t i = 0; i < DW_ARRAY_SIZE(places); i++) {
		hand_new(&h, bad_block);
		h.lba = places[i];
		h.left = UINT32_MAX;
		s = hand_run(&h, 10);
		assert_int_equal(DW_END_COMPLETE, s->end);
		assert_int_equal(1, s->faults.n);
		assert_int_equal(places[i], s->faults.v[0].lba);
		assert_int_equal(1, s->faults.v[0].nlb);
		assert_int_equal(DW_UNWRITABLE, s->faults.v[0].kind);
		for (uint64_t k = 0; k < BLOCKS; k++)
			assert_int_equal(k != places[i], h.written[k]);
		hand_free(&h);
	}
}

/* Two pieces on their way, a bad block at the end of one and at the beginning of the next; of the
 * upper one it is known first. */
static void bad_upper_first(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	bool lower = op->lba < h->lba && op->lba + op->nlb >= h->lba;

	if (op->verb != DW_VERB_WRITE || op->lba > h->lba || op->lba + op->nlb < h->lba)
		return;
	r->class = lower && !dw_core_state(h->core, 0)->faults.n ? DW_CLASS_RETRY
								 : DW_CLASS_MEDIUM;
	r->bad_valid = r->class == DW_CLASS_MEDIUM;
	r->bad_lba = lower ? h->lba - 1 : h->lba;
}

/* In whatever order they are found, adjacent blocks are one exception. */
static void unwritable_run(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	hand_new(&h, bad_upper_first);
	h.plan.depth = h.plan.data_depth = 2;
	h.lba = 510;
	s = hand_run(&h, 10);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(1, s->faults.n);
	assert_int_equal(509, s->faults.v[0].lba);
	assert_int_equal(2, s->faults.v[0].nlb);
	hand_free(&h);
}

/* One block cannot be read until it is written once more; @left: whether that helps. */
static void unreadable_block(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb != DW_VERB_READ || h->lba < op->lba || h->lba >= op->lba + op->nlb ||
	    (h->left && h->written[h->lba] > 1))
		return;
	r->class = DW_CLASS_MEDIUM;
	r->bad_valid = true;
	r->bad_lba = h->lba;
}

/* However many cannot be written, the others are: what cannot be read is another matter. */
static void too_many_of_them(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	hand_new(&h, bad_block);
	h.lba = 505;
	h.left = UINT32_MAX;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(1, s->faults.n);
	for (uint64_t k = 0; k < BLOCKS; k++)
		assert_int_equal(k != 505, h.written[k]);
	hand_free(&h);

	hand_new(&h, unreadable_block);
	h.lba = 505;
	assert_int_equal(DW_END_FAILED, hand_run(&h, 0)->end);
	hand_free(&h);
}

/* Given up, and then all is lost by a reset: this time it can be written. */
static void bad_until_the_reset(struct hand *h, const struct dw_op *op,
				struct dw_result *r)
{
	bad_block(h, op, r);
	if (r->class != DW_CLASS_OK || op->verb != DW_VERB_WRITE || op->lba != 700 ||
	    h->at != UINT32_MAX)
		return;
	h->at = h->n_ops - 1;
	h->left = 0;
	r->class = DW_CLASS_RESET;
}

static void faults_of_what_was_lost(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	hand_new(&h, bad_until_the_reset);
	h.lba = 505;
	h.left = UINT32_MAX;
	s = hand_run(&h, 10);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(0, s->faults.n);
	assert_all(h.written, 1);
	hand_free(&h);
}

/* Neighbours that the sweep meets far apart cannot be written, and a reset loses what came of the
 * later one. */
static void bad_beside_flushed(struct hand *h, const struct dw_op *op,
			       struct dw_result *r)
{
	const struct dw_disk_state *s = dw_core_state(h->core, 0);

	if (op->verb != DW_VERB_WRITE)
		return;
	if (h->at == UINT32_MAX && s->faults.n && s->faults.v[0].lba < h->lba) {
		h->at = h->n_ops - 1;
		r->class = DW_CLASS_RESET;
		return;
	}
	for (uint64_t bad = h->lba - 1; bad <= h->lba; bad++)
		if (bad >= op->lba && bad < op->lba + op->nlb) {
			r->class = DW_CLASS_MEDIUM;
			r->bad_valid = true;
			r->bad_lba = bad;
			return;
		}
}

static void faults_beside_what_was_lost(void **state)
{
	static const struct dw_near near = { 0, 0 };
	const struct dw_disk_state *s;
	uint32_t later = 0;
	struct hand h;

	hand_new(&h, bad_beside_flushed);
	h.lba = 512; /* a region begins there: the one before is swept after it */
	h.flush_pieces = 4;
	dw_order_near(BLOCKS, 1, &near, &h.plan.order);
	s = hand_run(&h, 10);
	assert_int_equal(DW_END_COMPLETE, s->end);
	for (uint32_t i = find(&h, h.at + 1, DW_VERB_WRITE); i < h.n_ops;
	     i = find(&h, i + 1, DW_VERB_WRITE)) {
		later += h.op[i].lba <= 511 && h.op[i].lba + h.op[i].nlb > 511;
		assert_false(h.op[i].lba <= 512 && h.op[i].lba + h.op[i].nlb > 512);
	}
	assert_int_not_equal(0, later);
	assert_int_equal(1, s->faults.n);
	assert_int_equal(511, s->faults.v[0].lba);
	assert_int_equal(2, s->faults.v[0].nlb);
	hand_free(&h);
}

/* A fault on both sides of the mark is cut there; one of an earlier pass stays whole. */
static void faults_are_cut_at_the_mark(void **state)
{
	struct core_disk d = { .rules.exception_limit = 100 };
	struct dw_core *c;

	assert_int_equal(0, dw_core_new(&c));
	core_fault_add(c, &d, DW_UNWRITABLE, 700, 5, NULL);
	d.state.pass = 1;
	core_fault_add(c, &d, DW_UNWRITABLE, 505, 10, NULL);
	core_fault_cut(c, &d, 1, 510);
	assert_int_equal(2, d.state.faults.n);
	assert_int_equal(505, d.state.faults.v[0].lba);
	assert_int_equal(5, d.state.faults.v[0].nlb);
	assert_int_equal(700, d.state.faults.v[1].lba);
	assert_int_equal(5, d.state.faults.v[1].nlb);
	free(d.state.faults.v);
	dw_core_free(c);
}

/* What an earlier run could not write in the pass that goes on, and this one writes: no fault any
 * more. What is of an earlier pass stays one, and so does what was read. */
static void faults_of_an_earlier_run(void **state)
{
	static const struct dw_fault known[] = {
		{ .lba = 505, .nlb = 10, .kind = DW_UNWRITABLE, .pass = 1 },
		{ .lba = 700, .nlb = 5, .kind = DW_UNWRITABLE, .pass = 0 },
		{ .lba = 800, .nlb = 1, .kind = DW_UNWRITABLE, .pass = 2 },
		{ .lba = 900, .nlb = 3, .kind = DW_UNSTEADY, .pass = 2 },
	};
	static const struct dw_fault left[] = { { .lba = 700, .nlb = 5 },
						{ .lba = 900, .nlb = 3 } };
	const struct dw_disk_state *s;
	struct hand h;

	for (uint32_t verify_only = 0; verify_only < 2; verify_only++) {
		hand_new(&h, NULL);
		h.plan.n_passes = 3;
		h.plan.pass[1] = h.plan.pass[2] = h.plan.pass[0];
		h.plan.verify_only = verify_only;
		h.plan.first_pass = 1;
		h.plan.first_lba = 510;
		h.known = known;
		h.n_known = DW_ARRAY_SIZE(known);
		s = hand_run(&h, 100);
		assert_int_equal(DW_END_COMPLETE, s->end);
		assert_int_equal(verify_only ? 4 : 2, s->faults.n);
		for (uint32_t i = 0; i < s->faults.n; i++) {
			const struct dw_fault *f = verify_only ? &known[i] : &left[i];

			assert_int_equal(f->lba, s->faults.v[i].lba);
			assert_int_equal(f->nlb, s->faults.v[i].nlb);
		}
		for (uint64_t k = 0; k < BLOCKS; k++)
			assert_int_equal(verify_only ? 0 : 1 + (k >= 505), h.written[k]);
		assert_all(h.read, 1);
		hand_free(&h);
	}
}

static void unreadable(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	for (uint32_t mends = 0; mends < 2; mends++) {
		hand_new(&h, unreadable_block);
		h.lba = 505;
		h.left = mends;
		s = hand_run(&h, 10);
		assert_int_equal(DW_END_COMPLETE, s->end);
		assert_int_equal(2, h.written[505]);
		for (uint64_t k = 0; k < BLOCKS; k++)
			assert_true(h.read[k] || (k == 505 && !mends));
		assert_int_equal(!mends, s->faults.n);
		if (!mends)
			assert_int_equal(505, s->faults.v[0].lba);
		assert_int_equal(BLOCKS, s->mark);
		hand_free(&h);
	}
}

static void unreadable_and_reset(struct hand *h, const struct dw_op *op,
				 struct dw_result *r)
{
	unreadable_block(h, op, r);
	if (op->verb == DW_VERB_WRITE && h->n[DW_VERB_READ])
		r->class = DW_CLASS_RESET;
}

/* What was about to be written again is not called written, whatever became of that write. */
static void stopped_while_it_repairs(void **state)
{
	static const answer_fn answers[] = { unreadable_block, unreadable_and_reset };
	const struct dw_disk_state *s;
	struct hand h;

	for (size_t i = 0; i < DW_ARRAY_SIZE(answers); i++) {
		hand_new(&h, answers[i]);
		h.lba = 505;
		h.left = 1;
		h.stop_after = BLOCKS / PIECE + 1;
		s = hand_run(&h, 10);
		assert_int_equal(DW_END_STOPPED, s->end);
		assert_int_equal(505, s->mark);
		hand_free(&h);
	}
}

/* --- comparison --------------------------------------------------------------- */

static void differs(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb != DW_VERB_READ || op->lba > 503 || op->lba + op->nlb <= 503)
		return;
	r->n_runs = 1;
	r->run[0] = (struct dw_run){ .lba = 503, .nlb = 1 };
}

static void mismatch(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	hand_new(&h, differs);
	s = hand_run(&h, 10);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(1, s->verify.mismatches);
	assert_int_equal(1, s->faults.n);
	assert_int_equal(503, s->faults.v[0].lba);
	assert_int_equal(DW_MISMATCH, s->faults.v[0].kind);
	assert_true(h.read[503] >= 2);
	hand_free(&h);
}

static void differs_once(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (h->left) {
		differs(h, op, r);
		h->left -= r->n_runs;
	}
}

/* Wrong, and then right: not forgotten. */
static void unsteady(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	hand_new(&h, differs_once);
	h.left = 1;
	s = hand_run(&h, 10);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(0, s->verify.mismatches);
	assert_int_equal(1, s->faults.n);
	assert_int_equal(503, s->faults.v[0].lba);
	assert_int_equal(1, s->faults.v[0].nlb);
	assert_int_equal(DW_UNSTEADY, s->faults.v[0].kind);
	hand_free(&h);
}

/* The comparison had no room for more after the first half of a read. */
static void compares_half(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (once(h, op, DW_VERB_READ, 30))
		r->compared = PIECE / 2;
}

static void the_rest_is_read(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	hand_new(&h, compares_half);
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	for (uint64_t k = h.lba + PIECE / 2; k < h.lba + PIECE; k++)
		assert_int_equal(2, h.read[k]);
	assert_int_equal(BLOCKS, s->verify.blocks);
	hand_free(&h);
}

/* --- samples ------------------------------------------------------------------- */

static void trouble_with_block(struct hand *h, const struct dw_op *op,
			       struct dw_result *r)
{
	if (op->verb != DW_VERB_WRITE || h->lba < op->lba ||
	    h->lba >= op->lba + op->nlb || !h->left)
		return;
	h->left--;
	r->class = DW_CLASS_RETRY;
}

static void sample(void **state)
{
	const struct dw_disk_state *s;
	uint64_t unread = 0, blocks = 0;
	struct hand h;

	hand_new(&h, NULL);
	h.plan.pass[0].verify = DW_VERIFY_SAMPLE;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(10, s->verify.units);
	assert_int_equal(100, s->verify.total);
	for (uint64_t i = 0; i < BLOCKS; i++) {
		blocks += h.read[i];
		unread = h.read[i] ? unread : i;
	}
	assert_int_equal(100, blocks);
	assert_true(h.read[0] && h.read[BLOCKS - 1]);
	hand_free(&h);

	/* a block that saw an error is read, though it is not in the sample */
	hand_new(&h, trouble_with_block);
	h.plan.pass[0].verify = DW_VERIFY_SAMPLE;
	h.lba = unread;
	h.left = 1;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_true(h.read[unread]);
	assert_int_equal(10, s->verify.units);
	hand_free(&h);
}

static void same_idle(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (!once(h, op, DW_VERB_SETTLE, 0))
		return;
	r->class = DW_CLASS_UNSUPPORTED;
	r->detail = "WRITE SAME does nothing any more";
}

/* What WRITE SAME was to write in this pass is written again, from the first block on, though all
 * of it was flushed. */
static void same_does_nothing_at_the_end(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	hand_new(&h, same_idle);
	h.plan.ws_max = PIECE;
	h.plan.command = DW_PLAN_WRITE_SAME;
	h.flush_pieces = 10;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(BLOCKS, s->mark);
	assert_int_equal(s->same, DW_SAME_FAILED);
	assert_true(find(&h, 0, DW_VERB_WRITE_SAME) < h.at);
	assert_int_equal(h.n_ops, find(&h, h.at, DW_VERB_WRITE_SAME));
	assert_true(find(&h, h.at, DW_VERB_WRITE) < find(&h, h.at + 1, DW_VERB_SETTLE));
	assert_all(h.written, 1);
	assert_int_equal(3, h.n[DW_VERB_SETTLE]);
	hand_free(&h);
}

#define BEARS 8 /* blocks of a transfer */

static void long_ones_hang(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->nlb > BEARS)
		r->class = DW_CLASS_TIMEOUT;
}

static void abort_at_once(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb != DW_VERB_WRITE || h->n[DW_VERB_WRITE] % 9)
		return;
	r->class = DW_CLASS_RETRY;
	r->way = r->aborted = true;
}

/* that is not how a transfer that is too long ends */
static void aborted_at_once(void **state)
{
	struct hand h;

	hand_new(&h, abort_at_once);
	assert_int_equal(0, hand_run(&h, 0)->steer.longest);
	hand_free(&h);
}

/* A bridge that bears no long transfers: a run that goes on knows what the first has found. */
static void length_of_an_earlier_run(void **state)
{
	const struct dw_disk_state *s;
	uint32_t found;
	struct hand h;

	hand_new(&h, long_ones_hang);
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(2, s->trouble.timeouts);
	found = s->steer.longest;
	assert_int_equal(BEARS, found);
	hand_free(&h);
	/* which tries longer ones once more, and then no more */
	hand_new(&h, long_ones_hang);
	h.longest = found;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(1, s->trouble.timeouts);
	for (uint32_t i = 0; i < 2 * BEARS; i++)
		assert_true(h.op[i].nlb <= BEARS);
	assert_int_equal(found, s->steer.longest);
	hand_free(&h);
}

static uint8_t passing_class;

static void passes_in_time(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb == DW_VERB_WRITE && op->lba <= 505 && op->lba + op->nlb > 505 &&
	    !h->written[BLOCKS - 1])
		r->class = passing_class;
}

/* What may pass has the time in which all else is written. */
static void others_are_tried_first(void **state)
{
	static const uint8_t classes[] = { DW_CLASS_RETRY, DW_CLASS_HARDWARE,
					   DW_CLASS_RESET, DW_CLASS_TIMEOUT };
	const struct dw_disk_state *s;
	struct hand h;

	for (size_t i = 0; i < DW_ARRAY_SIZE(classes); i++) {
		passing_class = classes[i];
		hand_new(&h, passes_in_time);
		h.plan.physical = PIECE; /* nothing to split, and no place to jump over */
		s = hand_run(&h, 0);
		assert_int_equal(DW_END_COMPLETE, s->end);
		assert_int_equal(0, s->faults.n);
		for (uint64_t k = 0; k < BLOCKS; k++)
			assert_true(h.written[k] >= 1);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unwritable),
		cmocka_unit_test(unwritable_run),
		cmocka_unit_test(too_many_of_them),
		cmocka_unit_test(faults_of_what_was_lost),
		cmocka_unit_test(faults_beside_what_was_lost),
		cmocka_unit_test(faults_are_cut_at_the_mark),
		cmocka_unit_test(faults_of_an_earlier_run),
		cmocka_unit_test(unreadable),
		cmocka_unit_test(stopped_while_it_repairs),
		cmocka_unit_test(mismatch),
		cmocka_unit_test(unsteady),
		cmocka_unit_test(the_rest_is_read),
		cmocka_unit_test(same_does_nothing_at_the_end),
		cmocka_unit_test(length_of_an_earlier_run),
		cmocka_unit_test(aborted_at_once),
		cmocka_unit_test(others_are_tried_first),
		cmocka_unit_test(sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

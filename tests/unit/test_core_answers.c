/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One disk, one answer that is not the usual one, and what the core does next. Every op is
 * answered by hand and put on record; nothing here is drawn.
 */
#include "hand.h"

/* --- nothing happens ------------------------------------------------------- */

static void the_usual(void **state)
{
	struct hand h;
	const struct dw_disk_state *s;
	uint32_t flush, last;

	hand_new(&h, NULL);
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_all(h.written, 1);
	assert_all(h.read, 1);
	/* all of it is written, flushed and confirmed before it is read */
	flush = find(&h, 0, DW_VERB_FLUSH);
	assert_true(flush < find(&h, 0, DW_VERB_READ));
	assert_int_equal(h.n_ops, find(&h, flush, DW_VERB_WRITE));
	assert_true(find(&h, flush, DW_VERB_IDENTIFY) < find(&h, flush, DW_VERB_READ));
	/* and the last that is asked is who answered */
	last = h.n_ops - 1;
	assert_int_equal(DW_VERB_IDENTIFY, h.op[last].verb);
	hand_free(&h);
}

static void every_flush_is_confirmed(void **state)
{
	struct hand h;
	uint32_t flushes = 0;

	hand_new(&h, NULL);
	h.plan.n_passes = 3;
	h.plan.pass[1] = h.plan.pass[2] = h.plan.pass[0];
	assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
	assert_all(h.written, 3);
	for (uint32_t i = 0; (i = find(&h, i, DW_VERB_FLUSH)) < h.n_ops; i++) {
		assert_int_equal(DW_VERB_IDENTIFY, h.op[i + 1].verb);
		flushes++;
	}
	assert_true(flushes >= 3);
	hand_free(&h);
}

/* --- somebody else answers ------------------------------------------------- */

static uint8_t asked_identity;
static uint32_t asked_time;

static void other_identity(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb == DW_VERB_IDENTIFY && h->n[DW_VERB_IDENTIFY] >= asked_time) {
		h->at = dw_min_u64(h->at, h->n_ops - 1);
		r->identity = asked_identity;
	}
}

static void another_disk(void **state)
{
	static const uint8_t others[] = { DW_IDENTITY_CHANGED, DW_IDENTITY_CAPACITY };
	struct hand h;
	uint32_t asked;

	/* after the flush, and at the very end */
	for (size_t i = 0; i < 2 * DW_ARRAY_SIZE(others); i++) {
		asked_identity = others[i / 2];
		hand_new(&h, NULL);
		hand_run(&h, 0);
		asked = h.n[DW_VERB_IDENTIFY];
		hand_free(&h);
		assert_true(asked >= 2);
		asked_time = i % 2 ? asked - 1 : 0;
		hand_new(&h, other_identity);
		assert_int_equal(DW_END_FAILED, hand_run(&h, 0)->end);
		for (uint32_t k = h.at; k < h.n_ops; k++)
			assert_true(h.op[k].verb != DW_VERB_WRITE &&
				    h.op[k].verb != DW_VERB_READ &&
				    (h.op[k].verb != DW_VERB_FLUSH || k < h.at));
		hand_free(&h);
	}
}

static void nobody_says_who_it_is(void **state)
{
	struct hand h;

	asked_identity = DW_IDENTITY_UNKNOWN;
	for (asked_time = 0; asked_time < 2; asked_time++) {
		hand_new(&h, other_identity);
		assert_int_equal(DW_END_FAILED, hand_run(&h, 0)->end);
		assert_true(h.n[DW_VERB_IDENTIFY] > asked_time + 1);
		hand_free(&h);
	}
}

static uint8_t told_class;

static void tell_in_the_middle(struct hand *h, const struct dw_op *op,
			       struct dw_result *r)
{
	if (once(h, op, DW_VERB_WRITE, 50))
		r->class = told_class;
}

static void attention_asks_who_it_is(void **state)
{
	static const uint8_t classes[] = { DW_CLASS_ATTENTION, DW_CLASS_RESET,
					   DW_CLASS_TIMEOUT, DW_CLASS_NOT_READY,
					   DW_CLASS_HARDWARE };
	struct hand h;

	for (size_t i = 0; i < DW_ARRAY_SIZE(classes); i++) {
		told_class = classes[i];
		hand_new(&h, tell_in_the_middle);
		assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
		assert_true(find(&h, h.at, DW_VERB_IDENTIFY) <
			    find(&h, h.at + 1, DW_VERB_WRITE));
		assert_all(h.written, 1);
		hand_free(&h);
	}
}

/* --- what was written is lost ----------------------------------------------- */

static void deferred_in_the_middle(struct hand *h, const struct dw_op *op,
				   struct dw_result *r)
{
	if (once(h, op, DW_VERB_WRITE, 50)) {
		r->class = DW_CLASS_RETRY;
		r->deferred = true;
	}
}

static void deferred_medium_error(struct hand *h, const struct dw_op *op,
				  struct dw_result *r)
{
	deferred_in_the_middle(h, op, r);
	if (r->deferred)
		r->class = DW_CLASS_MEDIUM;
}

static void reset_seen_after_the_flush(struct hand *h, const struct dw_op *op,
				       struct dw_result *r)
{
	if (once(h, op, DW_VERB_IDENTIFY, 0))
		r->reset_seen = true;
}

static void written_again(answer_fn answer, bool of_old)
{
	struct hand h;

	/* with the cache off only what an earlier command is said to have lost */
	for (int8_t wce = -1; wce < 2; wce++) {
		bool lost = wce || of_old;

		hand_new(&h, answer);
		h.plan.wce = wce;
		assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
		/* nothing had been flushed: all of it, from the first block on */
		if (lost)
			assert_int_equal(0, h.op[find(&h, h.at + 1, DW_VERB_WRITE)].lba);
		for (uint64_t i = 0; i < BLOCKS; i++)
			assert_int_equal(lost && (i < h.lba || !h.lba) ? 2 : 1,
					 h.written[i]);
		hand_free(&h);
	}
}

static void rewinds(void **state)
{
	told_class = DW_CLASS_RESET;
	written_again(tell_in_the_middle, false);
	told_class = DW_CLASS_TIMEOUT;
	written_again(tell_in_the_middle, false);
	written_again(deferred_in_the_middle, true);
	written_again(deferred_medium_error, true);
	written_again(reset_seen_after_the_flush, false);
}

/* What fails and is no loss is sent again, and nothing else. */
static void sent_again(void **state)
{
	static const uint8_t classes[] = { DW_CLASS_RETRY, DW_CLASS_QUEUE_FULL,
					   DW_CLASS_ATTENTION, DW_CLASS_GIVEN_BACK };
	struct hand h;

	for (size_t i = 0; i < DW_ARRAY_SIZE(classes); i++) {
		told_class = classes[i];
		hand_new(&h, tell_in_the_middle);
		assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
		for (uint64_t k = 0; k < BLOCKS; k++)
			assert_int_equal(1, h.written[k]);
		hand_free(&h);
	}
}

/* --- flushes ---------------------------------------------------------------- */

static bool cache_off;

static void refuse_flush(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb != DW_VERB_FLUSH)
		return;
	r->class = DW_CLASS_UNSUPPORTED;
	r->cache = cache_off ? DW_CACHE_OFF : DW_CACHE_UNSAID;
}

static void flush_refused(void **state)
{
	struct hand h;
	const struct dw_disk_state *s;

	/* the cache was off at the beginning, and is still when the flush is refused */
	for (int8_t wce = -1; wce <= 1; wce++) {
		for (int off = 0; off < 2; off++) {
			cache_off = off;
			hand_new(&h, refuse_flush);
			h.plan.wce = wce;
			s = hand_run(&h, 0);
			assert_int_equal(wce || !off ? DW_END_FAILED : DW_END_COMPLETE,
					 s->end);
			assert_int_equal(!wce && off, s->flush_refused);
			hand_free(&h);
		}
	}
}

/* --- reading past the cache -------------------------------------------------- */

static void refuse_fua(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	(void)h;
	if (op->flags & DW_OP_FUA)
		r->class = DW_CLASS_UNSUPPORTED;
}

/* Several are under way when the first is refused. */
static void fua_refused(void **state)
{
	struct hand h;

	hand_new(&h, refuse_fua);
	h.plan.fua = true;
	h.plan.depth = h.plan.data_depth = 4;
	assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
	assert_all(h.read, 1);
	hand_free(&h);
}

/* --- what others do ---------------------------------------------------------- */

static uint32_t told_elsewhere;
static uint8_t write_log;

static void errors_elsewhere(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb == DW_VERB_IDENTIFY && h->n[DW_VERB_IDENTIFY] < told_elsewhere) {
		r->elsewhere = 2;
		r->write_log = write_log;
	}
}

/* It may have been a deferred one of ours: written again, but not for ever. Then it is not
 * known, unless the disk itself says of its writes that nothing need be lost, or all is read. */
static void errors_told_to_others(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	for (int i = 0; i < 3 * 3 * 4; i++) {
		uint8_t verify = (uint8_t)(DW_VERIFY_OFF + i % 3);
		bool past, full = verify == DW_VERIFY_FULL;

		write_log = (uint8_t)(i / 3 % 3);
		told_elsewhere = 1 + (uint32_t)i / 9;
		past = told_elsewhere > 3 && !full;
		hand_new(&h, errors_elsewhere);
		h.plan.pass[0].verify = verify;
		s = hand_run(&h, 0);
		assert_int_equal(past && write_log != DW_WRITE_LOG_OPEN ? DW_END_FAILED
									: DW_END_COMPLETE,
				 s->end);
		assert_int_equal(past && write_log == DW_WRITE_LOG_OPEN,
				 s->elsewhere.unsure);
		for (uint64_t k = 0; k < BLOCKS; k++)
			assert_int_equal(dw_min_u64(told_elsewhere + 1, 4), h.written[k]);
		hand_free(&h);
	}
}

/* Always, at each flush: written again three times in all, and the rest once. */
static void errors_told_to_others_always(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	told_elsewhere = UINT32_MAX;
	write_log = DW_WRITE_LOG_OPEN;
	for (uint8_t verify = DW_VERIFY_OFF; verify <= DW_VERIFY_FULL; verify++) {
		hand_new(&h, errors_elsewhere);
		h.flush_pieces = 25;
		h.plan.pass[0].verify = verify;
		s = hand_run(&h, 0);
		assert_int_equal(DW_END_COMPLETE, s->end);
		assert_int_equal(verify != DW_VERIFY_FULL, s->elsewhere.unsure);
		assert_int_equal(0, s->elsewhere.lba);
		for (uint64_t k = 0; k < BLOCKS; k++)
			assert_int_equal(k < 25 * PIECE ? 4 : 1, h.written[k]);
		hand_free(&h);
	}
}

static uint32_t too_deep(const struct hand *h)
{
	const struct dw_disk_state *s = dw_core_state(h->core, 0);

	return s->steer.depth > 1 ? 2 : 0;
}

static void full_queue_elsewhere(struct hand *h, const struct dw_op *op,
				 struct dw_result *r)
{
	if (op->verb == DW_VERB_IDENTIFY)
		r->elsewhere = too_deep(h);
}

/* What the kernel repeats by itself because the disk has too many commands: not with one. */
static void errors_of_a_deep_queue(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	hand_new(&h, full_queue_elsewhere);
	h.plan.depth = h.plan.data_depth = 8;
	h.plan.pass[0].verify = DW_VERIFY_OFF;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_false(s->elsewhere.unsure);
	assert_int_equal(1, s->steer.depth);
	assert_all(h.written, 4);
	hand_free(&h);
}

static bool says_off;

static void reset_switches_on(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (once(h, op, DW_VERB_WRITE, 50))
		r->class = DW_CLASS_RESET;
	if (op->verb == DW_VERB_IDENTIFY)
		r->cache = says_off ? DW_CACHE_OFF : DW_CACHE_UNSAID;
}

/* A reset restores what was saved, which may be that the cache is on: a disk that does not say
 * afterwards that it is off may have lost what it had. */
static void cache_after_a_reset(void **state)
{
	struct hand h;

	for (int off = 0; off < 2; off++) {
		says_off = off;
		hand_new(&h, reset_switches_on);
		h.plan.wce = 0;
		h.plan.pass[0].verify = DW_VERIFY_OFF;
		assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
		for (uint64_t k = 0; k < BLOCKS; k++)
			assert_int_equal(!off && k < h.lba ? 2 : 1, h.written[k]);
		hand_free(&h);
	}
}

static uint32_t switched_at;

static void switched_on(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb == DW_VERB_IDENTIFY && h->n[op->verb] == switched_at)
		r->cache = DW_CACHE_SWITCHED_ON;
}

/* What was written since the last confirmed flush is written again; what was confirmed is not. */
static void cache_switched_on(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	for (switched_at = 0; switched_at < 5; switched_at++) {
		hand_new(&h, switched_on);
		h.flush_pieces = 25;
		h.plan.pass[0].verify = DW_VERIFY_OFF;
		s = hand_run(&h, 0);
		assert_int_equal(DW_END_COMPLETE, s->end);
		for (uint64_t k = 0; k < BLOCKS; k++)
			assert_int_equal(k / (25 * PIECE) == switched_at ? 2 : 1,
					 h.written[k]);
		hand_free(&h);
	}
}

static void lost_at_the_end(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb != DW_VERB_IDENTIFY || h->n[DW_VERB_IDENTIFY] != 1)
		return;
	r->elsewhere = 1;
	r->write_log = write_log;
}

/* The disk counts a lost write when all has been flushed: too late to write it again. */
static void errors_counted_late(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	for (write_log = 0; write_log <= DW_WRITE_LOG_LOST; write_log++) {
		for (uint8_t verify = DW_VERIFY_OFF; verify <= DW_VERIFY_FULL; verify++) {
			hand_new(&h, lost_at_the_end);
			h.plan.pass[0].verify = verify;
			s = hand_run(&h, 0);
			assert_int_equal(DW_END_COMPLETE, s->end);
			assert_int_equal(verify != DW_VERIFY_FULL &&
						 write_log == DW_WRITE_LOG_LOST,
					 s->elsewhere.unsure);
			hand_free(&h);
		}
	}
}

/* The kernel's pages: written back before the last flush, and before the verdict. */
static void settled(void **state)
{
	uint32_t at, last;
	struct hand h;

	for (uint8_t verify = DW_VERIFY_OFF; verify <= DW_VERIFY_FULL; verify++) {
		hand_new(&h, NULL);
		h.plan.n_passes = 2;
		h.plan.pass[0].verify = DW_VERIFY_OFF;
		h.plan.pass[1] = h.plan.pass[0];
		h.plan.pass[1].verify = verify;
		assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
		assert_int_equal(2, h.n[DW_VERB_SETTLE]);
		at = find(&h, 0, DW_VERB_SETTLE);
		assert_int_equal(h.n_ops, find(&h, at, DW_VERB_WRITE));
		assert_int_equal(DW_OP_WRITTEN, h.op[at].flags);
		assert_true(at < find(&h, at, DW_VERB_FLUSH));
		last = find(&h, at + 1, DW_VERB_SETTLE);
		assert_true(find(&h, at, DW_VERB_FLUSH) < last);
		assert_int_equal(h.n_ops, find(&h, last, DW_VERB_READ));
		assert_int_equal(DW_OP_FINAL, h.op[last].flags);
		hand_free(&h);
	}
}

static uint32_t somebody_at;

static void somebody_writes(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (!once(h, op, DW_VERB_SETTLE, somebody_at))
		return;
	r->class = told_class;
	r->detail = "somebody wrote";
}

static void settling_fails(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	for (somebody_at = 0; somebody_at < 2; somebody_at++) {
		told_class = DW_CLASS_FAILED;
		hand_new(&h, somebody_writes);
		s = hand_run(&h, 0);
		assert_int_equal(DW_END_FAILED, s->end);
		assert_string_equal("somebody wrote", s->reason);
		hand_free(&h);
		told_class = DW_CLASS_RETRY;
		hand_new(&h, somebody_writes);
		assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
		assert_int_equal(3, h.n[DW_VERB_SETTLE]);
		hand_free(&h);
	}
}

static uint32_t hidden_from, hidden_times;

static void users_hidden(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	uint32_t n = h->n[DW_VERB_SETTLE];

	if (op->verb != DW_VERB_SETTLE || n < hidden_from ||
	    n >= hidden_from + hidden_times)
		return;
	h->at = h->n_ops - 1;
	r->class = DW_CLASS_UNSEEN;
	r->detail = "a process cannot be looked into";
}

/* Who uses it is hidden for a while: nothing is done again for that, and no patience used up. For
 * ever: the disk keeps what it has, to be resumed. */
static void users_unseen(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	hidden_from = 1;
	for (hidden_times = 1; hidden_times <= 8; hidden_times += 7) {
		hand_new(&h, users_hidden);
		s = hand_run(&h, 0);
		assert_int_equal(DW_END_COMPLETE, s->end);
		assert_int_equal(2 + hidden_times, h.n[DW_VERB_SETTLE]);
		assert_int_equal(0, s->ns.stalled);
		assert_int_equal(h.n_ops, find(&h, h.at, DW_VERB_WRITE));
		assert_int_equal(h.n_ops, find(&h, h.at, DW_VERB_READ));
		assert_true(find(&h, h.at + 1, DW_VERB_IDENTIFY) < h.n_ops);
		hand_free(&h);
	}
	hidden_times = UINT32_MAX - hidden_from;
	hand_new(&h, users_hidden);
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_STOPPED, s->end);
	assert_string_equal("a process cannot be looked into", s->reason);
	assert_int_equal(10, h.n[DW_VERB_SETTLE]);
	assert_true(h.now > 60 * DW_NS_PER_S);
	assert_int_equal(BLOCKS, s->mark);
	assert_false(s->elsewhere.unsure);
	assert_all(h.written, 1);
	hand_free(&h);
}

/* --- patience ----------------------------------------------------------------- */

static uint64_t trouble_ns;
static bool told_vanished;
static uint32_t trouble_after = 50; /* writes */
static bool trouble_writes;         /* and nothing else */

static void trouble_for_a_time(struct hand *h, const struct dw_op *op,
			       struct dw_result *r)
{
	if (h->at == UINT32_MAX && op->verb == DW_VERB_WRITE &&
	    h->n[DW_VERB_WRITE] == trouble_after) {
		h->at = h->n_ops - 1;
		trouble_ns += h->now;
	}
	if (h->at == UINT32_MAX || h->now >= trouble_ns || (trouble_writes && !op->nlb))
		return;
	r->class = told_class;
	r->vanished = told_vanished;
	r->way = told_class == DW_CLASS_RETRY;
}

static const struct dw_disk_state *trouble(struct hand *h, uint8_t class, uint64_t s)
{
	told_class = class;
	trouble_ns = s * DW_NS_PER_S;
	hand_new(h, trouble_for_a_time);
	return hand_run(h, 0);
}

/* A link that flaps: asked for half a minute. One that the system has dropped is not asked. */
static void gone_for_a_time(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	s = trouble(&h, DW_CLASS_GONE, 25);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_true(find(&h, h.at, DW_VERB_IDENTIFY) < find(&h, h.at + 1, DW_VERB_WRITE));
	assert_all(h.written, 1);
	assert_int_equal(2, h.written[0]); /* it may have been without power */
	hand_free(&h);

	s = trouble(&h, DW_CLASS_GONE, 1000);
	assert_int_equal(DW_END_REMOVED, s->end);
	assert_true(s->ns.finished > 30 * DW_NS_PER_S &&
		    s->ns.finished < 35 * DW_NS_PER_S);
	hand_free(&h);

	told_vanished = true;
	s = trouble(&h, DW_CLASS_GONE, 25);
	told_vanished = false;
	assert_int_equal(DW_END_REMOVED, s->end);
	assert_true(s->ns.finished < DW_NS_PER_S);
	hand_free(&h);
}

/* Nine minutes of trouble are borne, eleven are not, whatever it is; the text says what was waited
 * for, and how long. */
static void patience_is_time(void **state)
{
	static const uint8_t classes[] = { DW_CLASS_RETRY, DW_CLASS_QUEUE_FULL,
					   DW_CLASS_NOT_READY, DW_CLASS_HARDWARE };
	const struct dw_disk_state *s;
	struct hand h;

	for (size_t i = 0; i < DW_ARRAY_SIZE(classes); i++) {
		s = trouble(&h, classes[i], 540);
		assert_int_equal(DW_END_COMPLETE, s->end);
		assert_all(h.written, 1);
		hand_free(&h);
		s = trouble(&h, classes[i], 2000);
		assert_int_equal(DW_END_FAILED, s->end);
		assert_memory_equal(
			s->reason,
			"stall budget used up: nothing was erased for 10 min; ", 53);
		hand_free(&h);
	}
}

static void no_flush(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb == DW_VERB_FLUSH)
		r->class = DW_CLASS_HARDWARE;
}

/* The last piece of a disk fails for a while, and nothing else is left that could go well: that
 * need not be its fault. */
static void not_named_too_soon(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	trouble_after = BLOCKS / PIECE - 1;
	trouble_writes = true;
	s = trouble(&h, DW_CLASS_HARDWARE, 540);
	trouble_writes = false;
	trouble_after = 50;
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(0, s->faults.n);
	assert_all(h.written, 1);
	hand_free(&h);
}

/* What is written again and again, and never flushed, is no progress. */
static void writing_again_is_no_progress(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	hand_new(&h, no_flush);
	h.stall_s = 20;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_FAILED, s->end);
	assert_non_null(strstr(s->reason, "for 20 s; flush: hardware"));
	assert_true(s->ns.finished > 20 * DW_NS_PER_S);
	assert_true(s->ns.finished < 22 * DW_NS_PER_S);
	assert_int_equal(0, s->mark);
	hand_free(&h);
}

static void put_off_and_reset(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb == DW_VERB_WRITE && op->lba == 500 && h->left < 2) {
		h->left++;
		r->class = DW_CLASS_RETRY;
		r->way = true;
	}
	if (op->verb == DW_VERB_FLUSH && h->written[500] && h->at == UINT32_MAX) {
		h->at = h->n_ops - 1;
		r->class = DW_CLASS_RESET;
	}
}

/* What was put off and is written at last is an exception until it is flushed: a reset before that
 * has it written once more. */
static void put_off_until_flushed(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	hand_new(&h, put_off_and_reset);
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(0, s->faults.n);
	assert_int_equal(2, h.written[500]);
	assert_int_equal(1, h.written[0]); /* flushed before */
	assert_true(h.at < h.n_ops);
	hand_free(&h);
}

/* One block that never answers well is an exception, by whatever word. */
static uint8_t block_class;

static void one_block(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	if (op->verb != DW_VERB_WRITE || op->lba > 505 || op->lba + op->nlb <= 505)
		return;
	r->class = block_class;
	r->way = block_class == DW_CLASS_RETRY && h->left;
}

static void any_error_of_one_block(void **state)
{
	static const uint8_t classes[] = { DW_CLASS_MEDIUM,  DW_CLASS_HARDWARE,
					   DW_CLASS_RETRY,   DW_CLASS_RANGE,
					   DW_CLASS_TIMEOUT, DW_CLASS_RESET };
	const struct dw_disk_state *s;
	struct hand h;

	for (size_t i = 0; i <= DW_ARRAY_SIZE(classes); i++) {
		block_class = classes[i % DW_ARRAY_SIZE(classes)];
		if (i == DW_ARRAY_SIZE(classes))
			block_class = DW_CLASS_RETRY;
		for (int8_t wce = 0; wce < 2; wce++) {
			hand_new(&h, one_block);
			h.left = i == DW_ARRAY_SIZE(classes);
			h.plan.wce = wce;
			h.plan.depth = h.plan.data_depth = 1 + 3 * (uint32_t)wce;
			s = hand_run(&h, 0);
			assert_int_equal(DW_END_COMPLETE, s->end);
			assert_int_equal(1, s->faults.n);
			assert_int_equal(505, s->faults.v[0].lba);
			assert_int_equal(1, s->faults.v[0].nlb);
			for (uint64_t k = 0; k < BLOCKS; k++)
				assert_true(k == 505 ? !h.written[k] : h.written[k] >= 1);
			hand_free(&h);
		}
	}
}

static void no_settling_to_verify(void **state)
{
	struct hand h;

	hand_new(&h, NULL);
	h.plan.verify_only = true;
	assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
	assert_int_equal(0, h.n[DW_VERB_SETTLE]);
	hand_free(&h);
}

/* What is said to be on the medium was flushed, by the disk that it was. */
static void stopped(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	hand_new(&h, NULL);
	h.stop_after = 50;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_STOPPED, s->end);
	assert_int_equal(500, s->mark);
	assert_int_equal(1, h.n[DW_VERB_FLUSH]);
	assert_true(find(&h, 0, DW_VERB_FLUSH) < find(&h, 0, DW_VERB_IDENTIFY));
	assert_int_equal(1, h.n[DW_VERB_IDENTIFY]);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_usual),
		cmocka_unit_test(every_flush_is_confirmed),
		cmocka_unit_test(another_disk),
		cmocka_unit_test(nobody_says_who_it_is),
		cmocka_unit_test(attention_asks_who_it_is),
		cmocka_unit_test(gone_for_a_time),
		cmocka_unit_test(patience_is_time),
		cmocka_unit_test(not_named_too_soon),
		cmocka_unit_test(writing_again_is_no_progress),
		cmocka_unit_test(put_off_until_flushed),
		cmocka_unit_test(any_error_of_one_block),
		cmocka_unit_test(rewinds),
		cmocka_unit_test(sent_again),
		cmocka_unit_test(flush_refused),
		cmocka_unit_test(fua_refused),
		cmocka_unit_test(errors_told_to_others),
		cmocka_unit_test(errors_told_to_others_always),
		cmocka_unit_test(errors_of_a_deep_queue),
		cmocka_unit_test(errors_counted_late),
		cmocka_unit_test(cache_after_a_reset),
		cmocka_unit_test(cache_switched_on),
		cmocka_unit_test(settled),
		cmocka_unit_test(settling_fails),
		cmocka_unit_test(users_unseen),
		cmocka_unit_test(no_settling_to_verify),
		cmocka_unit_test(stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

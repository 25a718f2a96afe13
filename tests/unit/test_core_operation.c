/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pass that the device does by itself: what the core asks, when, and what it makes of it. */
#include "self_worker.h"

static void the_usual(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	new_device(&h, 100 * MINUTE);
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_string_equal("oppsfisi", story(&h));
	assert_int_equal(1, dev.begun);
	assert_int_equal(0, s->bytes_written);
	assert_int_equal(BLOCKS * 512, s->operation.bytes);
	assert_int_equal(BLOCKS, s->work_done);
	assert_int_equal(BLOCKS, s->mark);
	assert_true(s->rate > 0);
	assert_int_equal(0, s->ns.stalled);
	assert_true(s->passes[0].used_operation);
	/* from a second to a minute */
	assert_int_equal(MINUTE / DW_NS_PER_S, (dev.longest_ns + 1) / DW_NS_PER_S);
	assert_true(h.n[DW_VERB_POLL] < 110);
	hand_free(&h);
}

/* asked when the stated time has passed, and not up to a minute later */
static void stated_time(void **state)
{
	struct hand h;

	new_device(&h, 100 * DW_NS_PER_S);
	h.plan.operation_ns = 100 * DW_NS_PER_S;
	assert_true(hand_run(&h, 0)->ns.finished < 102 * DW_NS_PER_S);
	hand_free(&h);
}

static void verified(void **state)
{
	struct hand h;

	new_device(&h, MINUTE);
	h.plan.pass[0].verify = DW_VERIFY_FULL;
	assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
	assert_string_equal("oppsfirrsi", story(&h));
	assert_all(h.read, 1);
	hand_free(&h);
}

/* How it ended cannot be read: an overwrite is read in full, be that asked for or not. */
static void untold(void **state)
{
	static const uint8_t modes[] = { DW_VERIFY_OFF, DW_VERIFY_SAMPLE,
					 DW_VERIFY_FULL };
	struct hand h;

	for (size_t i = 0; i < 2 * DW_ARRAY_SIZE(modes); i++) {
		bool overwrite = i % 2;

		new_device(&h, MINUTE);
		dev.untold = true;
		h.plan.operation =
			overwrite ? DW_OPERATION_OVERWRITE : DW_OPERATION_BLOCK_ERASE;
		h.plan.pass[0].verify = overwrite ? modes[i / 2] : DW_VERIFY_OFF;
		assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
		assert_true(dw_core_state(h.core, 0)->operation.end_unknown);
		assert_string_equal(overwrite ? "oppsfirrsi" : "oppsfisi", story(&h));
		if (overwrite)
			assert_all(h.read, 1);
		assert_int_equal(1, notices(&h, "its blocks decide"));
		hand_free(&h);
	}
	/* nothing was heard of its work: it is told to begin, and what it said does not count */
	new_device(&h, MINUTE);
	dev.untold = true;
	dev.class = DW_CLASS_TIMEOUT;
	dev.bad_n = 1;
	assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
	assert_string_equal("oPiloppsfisi", story(&h));
	assert_int_equal(1, dev.begun);
	hand_free(&h);
}

static void among_writes(void **state)
{
	struct hand h;

	new_device(&h, MINUTE);
	h.plan.n_passes = 3;
	h.plan.pass[1] = h.plan.pass[2] = h.plan.pass[0];
	h.plan.pass[0].kind = h.plan.pass[2].kind = DW_PASS_WRITE;
	assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
	assert_string_equal("wwfioppfiwwsfisi", story(&h));
	assert_all(h.written, 2);
	hand_free(&h);
}

/* whatever is heard while it works: it is polled again, and was begun once */
static void asked_again(void **state)
{
	static const uint8_t classes[] = { DW_CLASS_TIMEOUT,     DW_CLASS_RESET,
					   DW_CLASS_ATTENTION,   DW_CLASS_RETRY,
					   DW_CLASS_QUEUE_FULL,  DW_CLASS_NOT_READY,
					   DW_CLASS_NEEDS_START, DW_CLASS_GIVEN_BACK };
	struct hand h;

	for (size_t i = 0; i < 3 * DW_ARRAY_SIZE(classes); i++) {
		new_device(&h, 10 * MINUTE);
		dev.class = classes[i / 3];
		dev.bad_at = (uint32_t)(i % 3);
		dev.bad_n = 20;
		dev.heard = true;
		assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
		assert_int_equal(1, dev.begun);
		assert_int_equal(1, h.n[DW_VERB_OPERATE]);
		assert_string_equal(i % 3 == 0   ? "oPPlppsfisi"
				    : i % 3 == 1 ? "opPPlppsfisi"
						 : "oppPPlppsfisi",
				    story(&h));
		hand_free(&h);
	}
}

/* it was told to begin and did not: told again when it says that it does nothing */
static void begun_late(void **state)
{
	struct hand h;

	new_device(&h, 10 * MINUTE);
	dev.class = DW_CLASS_ATTENTION;
	dev.bad_n = 1;
	dev.succeeded = true; /* of an operation of old, which proves nothing */
	assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
	assert_string_equal("oPiloppsfisi", story(&h));
	assert_int_equal(1, dev.begun);
	hand_free(&h);
}

static bool doubted, settles;

/* the transport lets nothing out that erases before the disk has been identified */
static void held_back(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	doubted &= op->verb != DW_VERB_IDENTIFY || !settles;
	if (op->verb == DW_VERB_OPERATE && doubted) {
		r->class = DW_CLASS_ATTENTION;
		r->start_ns = 0;
		return;
	}
	answer(h, op, r);
}

/* It was reset while its blocks were read, and only the kernel was told: it is identified, and
 * told then. One that is reset for ever is not said to have been told. */
static void reset_before(void **state)
{
	struct hand h;

	for (int i = 0; i < 2; i++) {
		new_device(&h, 10 * MINUTE);
		h.answer = held_back;
		doubted = true;
		settles = i == 0;
		assert_int_equal(i ? DW_END_FAILED : DW_END_COMPLETE,
				 hand_run(&h, 0)->end);
		assert_int_equal(!i, dev.begun);
		if (i)
			assert_non_null(strstr(dw_core_state(h.core, 0)->reason,
					       "operation was not started"));
		else
			assert_string_equal("oPiloppsfisi", story(&h));
		hand_free(&h);
	}
	/* one that was told, and does nothing */
	new_device(&h, 10 * MINUTE);
	dev.class = DW_CLASS_RETRY;
	dev.bad_n = UINT32_MAX;
	assert_int_equal(DW_END_FAILED, hand_run(&h, 0)->end);
	hand_free(&h);
}

static uint32_t early, late;

/* polls say that it works no more, and the flush, or who asks who it is, is told that it does */
static void says_done(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	bool works = dev.until_ns && h->now < dev.until_ns;

	if (op->verb == DW_VERB_POLL && early && works) {
		early--;
		r->ended = DW_ENDED_WELL;
	} else if (op->verb == DW_VERB_IDENTIFY && works) {
		r->class = DW_CLASS_RUNNING;
	} else if (op->verb == DW_VERB_FLUSH && works) {
		r->class = late ? DW_CLASS_UNSUPPORTED : DW_CLASS_RUNNING;
		r->cache = late ? DW_CACHE_OFF : DW_CACHE_UNSAID;
	} else if (op->verb != DW_VERB_SETTLE || !works) { /* that is the kernel's */
		answer(h, op, r);
	}
}

/* One answer that it works no more ends nothing: it goes on to be polled, and is begun once. */
static void done_too_early(void **state)
{
	struct hand h;

	for (late = 0; late < 2; late++) {
		for (uint32_t times = 1; times < 4; times++) {
			new_device(&h, 100 * MINUTE);
			h.answer = says_done;
			h.plan.wce = 0;
			early = times;
			assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
			assert_int_equal(1, dev.begun);
			assert_int_equal(0, early);
			assert_int_equal(times,
					 notices(&h, "had said that it works no more"));
			assert_int_equal(BLOCKS, dw_core_state(h.core, 0)->mark);
			assert_true(h.now > 100 * MINUTE);
			hand_free(&h);
		}
	}
	/* one that says both for ever is left alone */
	late = 0;
	new_device(&h, 10000 * MINUTE);
	h.answer = says_done;
	early = UINT32_MAX;
	assert_int_equal(DW_END_FAILED, hand_run(&h, 0)->end);
	assert_true(dw_core_state(h.core, 0)->operation.left);
	hand_free(&h);
}

static void fails(void **state)
{
	static const uint8_t classes[] = { DW_CLASS_MEDIUM, DW_CLASS_HARDWARE,
					   DW_CLASS_UNSUPPORTED, DW_CLASS_FAILED };
	const struct dw_disk_state *s;
	struct hand h;

	new_device(&h, 10 * MINUTE);
	dev.fails = true;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_FAILED, s->end);
	assert_non_null(strstr(s->reason, "does not say that its operation ended well"));
	assert_false(s->operation.running);
	assert_int_equal(0, s->mark);
	hand_free(&h);
	for (size_t i = 0; i < 2 * DW_ARRAY_SIZE(classes); i++) {
		new_device(&h, 10 * MINUTE);
		dev.class = classes[i / 2];
		dev.bad_at = i % 2;
		dev.bad_n = 1000;
		assert_int_equal(DW_END_FAILED, hand_run(&h, 0)->end);
		assert_string_equal(i % 2 ? "op" : "o", story(&h));
		hand_free(&h);
	}
	new_device(&h, 10 * MINUTE);
	dev.class = DW_CLASS_GONE;
	dev.bad_at = 3;
	dev.bad_n = 1;
	assert_int_equal(DW_END_REMOVED, hand_run(&h, 0)->end);
	hand_free(&h);
}

/* no answer for good: the patience with errors has an end */
static void silent(void **state)
{
	struct hand h;

	new_device(&h, 10000 * MINUTE);
	dev.class = DW_CLASS_TIMEOUT;
	dev.bad_at = 5;
	dev.bad_n = 1000;
	assert_int_equal(DW_END_FAILED, hand_run(&h, 0)->end);
	assert_int_equal(1, h.n[DW_VERB_OPERATE]);
	hand_free(&h);
}

static uint8_t other;

static void another(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	answer(h, op, r);
	if (op->verb == DW_VERB_IDENTIFY)
		r->identity = other;
}

/* what says that it has done it is asked who it is */
static void another_disk(void **state)
{
	struct hand h;

	new_device(&h, MINUTE);
	h.answer = another;
	other = DW_IDENTITY_CHANGED;
	assert_int_equal(DW_END_FAILED, hand_run(&h, 0)->end);
	assert_string_equal("oppsfi", story(&h));
	assert_int_equal(0, dw_core_state(h.core, 0)->mark);
	hand_free(&h);
}

static void stop(struct dw_core *c)
{
	dw_core_stop(c, 0, false);
}

static void stopped(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	new_device(&h, 10 * MINUTE);
	dev.call = stop;
	dev.call_at = 3;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_STOPPED, s->end);
	assert_string_equal("opp", story(&h));
	assert_non_null(strstr(s->reason, "works on by itself"));
	assert_true(s->operation.running);
	assert_int_equal(0, s->mark);
	hand_free(&h);
	/* nobody knows whether it has begun */
	new_device(&h, 10 * MINUTE);
	dev.class = DW_CLASS_TIMEOUT;
	dev.bad_n = 1;
	dev.call = stop;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_STOPPED, s->end);
	assert_non_null(strstr(s->reason, "may work on"));
	assert_false(s->operation.running);
	hand_free(&h);
}

/* begun by a run before this one: polled first, and what it says then counts */
static void resumed(void **state)
{
	struct hand h;

	for (int i = 0; i < 3; i++) {
		new_device(&h, 10 * MINUTE);
		h.plan.operating = true;
		dev.until_ns = i ? 0 : 10 * MINUTE;
		dev.succeeded = i == 1;
		assert_int_equal(i == 2 ? DW_END_FAILED : DW_END_COMPLETE,
				 hand_run(&h, 0)->end);
		assert_string_equal(i == 0   ? "ppsfisi"
				    : i == 1 ? "psfisi"
					     : "p",
				    story(&h));
		hand_free(&h);
	}
}

static void pause_it(struct dw_core *c)
{
	dw_core_pause(c, 0);
}

static void resume_it(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	answer(h, op, r);
	if (op->verb == DW_VERB_FLUSH)
		dw_core_resume(h->core, 0);
}

/* it cannot be held; the pause is told, and comes after it */
static void paused(void **state)
{
	struct hand h;

	new_device(&h, 10 * MINUTE);
	h.answer = resume_it;
	h.plan.pass[0].verify = DW_VERIFY_FULL;
	dev.call = pause_it;
	dev.call_at = 3;
	assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
	assert_string_equal("oppsfirrsi", story(&h));
	assert_int_equal(1, notices(&h, "cannot be held"));
	hand_free(&h);
}

/**
 * struct command - the answers to an operation that ends with its command
 * @class: of each, up to DW_CLASS_OK; @takes_ns: of each
 * @unsaid: it does not say that it has erased anything; @untold: nor can that be read
 * @recorded: at each, the state said before that it had been told
 */
static struct command {
	uint8_t class[8];
	uint64_t takes_ns;
	bool unsaid;
	bool untold;
	uint32_t told;
	uint32_t recorded;
	void (*call)(struct dw_core *c);
} one;

static void ends_with_it(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	assert_int_not_equal(DW_VERB_POLL, op->verb);
	if (op->verb != DW_VERB_OPERATE)
		return;
	one.recorded += dw_core_state(h->core, 0)->operation.running;
	r->start_ns = h->now;
	h->now += one.takes_ns;
	r->end_ns = h->now;
	r->class = one.class[one.told++];
	if (r->class == DW_CLASS_OK && one.untold)
		r->ended = DW_ENDED_UNREADABLE;
	else if (r->class == DW_CLASS_OK && !one.unsaid)
		r->ended = DW_ENDED_WELL;
	if (one.call)
		one.call(h->core);
}

static void new_command(struct hand *h, uint8_t operation)
{
	memset(&one, 0, sizeof(one));
	memset(one.class, DW_CLASS_OK, sizeof(one.class));
	one.takes_ns = 300 * MINUTE;
	hand_new(h, ends_with_it);
	h->now = DW_NS_PER_S;
	h->plan.operation = operation;
	h->plan.operation_ns = 200 * MINUTE;
	h->plan.pass[0].kind = DW_PASS_OPERATION;
	h->plan.pass[0].verify = DW_VERIFY_OFF;
}

/* one command, no poll, and its hours are none that were lost */
static void ends_with_command(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	for (uint8_t o = DW_OPERATION_ATA_NORMAL; o < DW_OPERATION_COUNT; o++) {
		new_command(&h, o);
		s = hand_run(&h, 0);
		assert_int_equal(DW_END_COMPLETE, s->end);
		assert_string_equal("osfisi", story(&h));
		assert_int_equal(1, one.recorded);
		assert_true(s->passes[0].used_operation);
		assert_int_equal(BLOCKS * 512, s->operation.bytes);
		assert_int_equal(BLOCKS, s->mark);
		assert_int_equal(0, s->ns.stalled);
		hand_free(&h);
	}
	/* how it ended cannot be read: what can be foretold is read in full */
	for (int i = 0; i < 2; i++) {
		new_command(&h, i ? DW_OPERATION_ATA_NORMAL : DW_OPERATION_ATA_ENHANCED);
		one.untold = true;
		assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
		assert_string_equal(i ? "osfirrsi" : "osfisi", story(&h));
		assert_true(dw_core_state(h.core, 0)->operation.end_unknown);
		hand_free(&h);
	}
}

/* its answer is lost: it says who it is, and is told again, not for ever */
static void cut_off(void **state)
{
	static const uint8_t classes[] = { DW_CLASS_RESET, DW_CLASS_ATTENTION,
					   DW_CLASS_RETRY, DW_CLASS_NOT_READY };
	const struct dw_disk_state *s;
	struct hand h;

	for (size_t i = 0; i < DW_ARRAY_SIZE(classes); i++) {
		new_command(&h, DW_OPERATION_FORMAT_USER);
		one.class[0] = classes[i];
		assert_int_equal(DW_END_COMPLETE, hand_run(&h, 0)->end);
		assert_string_equal("o?ilosfisi", story(&h));
		assert_int_equal(2, one.recorded);
		assert_int_equal(1, notices(&h, "told again, from the beginning"));
		hand_free(&h);
		new_command(&h, DW_OPERATION_FORMAT_USER);
		memset(one.class, classes[i], sizeof(one.class));
		s = hand_run(&h, 0);
		assert_int_equal(DW_END_FAILED, s->end);
		assert_int_equal(4, one.told);
		assert_int_equal(0, s->mark);
		assert_true(s->operation.running);
		hand_free(&h);
	}
}

static void not_erased(void **state)
{
	static const struct {
		uint8_t class, end;
		bool unsure;
		const char *reason;
	} rows[] = {
		{ DW_CLASS_TIMEOUT, DW_END_FAILED, true, "no answer in 300 minutes" },
		{ DW_CLASS_GONE, DW_END_REMOVED, true, "removed while it erased itself" },
		{ DW_CLASS_FAILED, DW_END_FAILED, false, "operate: failed" },
		{ DW_CLASS_UNSUPPORTED, DW_END_FAILED, false, "operate: unsupported" },
		{ DW_CLASS_OK, DW_END_FAILED, false, "does not say that it is erased" },
	};
	const struct dw_disk_state *s;
	struct hand h;

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		new_command(&h, DW_OPERATION_ATA_NORMAL);
		one.class[0] = rows[i].class;
		one.unsaid = true;
		s = hand_run(&h, 0);
		assert_int_equal(rows[i].end, s->end);
		assert_non_null(strstr(s->reason, rows[i].reason));
		assert_string_equal("o", story(&h));
		assert_int_equal(rows[i].unsure, s->operation.running);
		assert_int_equal(0, s->mark);
		hand_free(&h);
	}
}

/* a stop waits for the command: what has ended is on record, what was cut off is not erased */
static void stopped_with_command(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	new_command(&h, DW_OPERATION_ATA_ENHANCED);
	h.plan.pass[0].verify = DW_VERIFY_SAMPLE;
	one.call = stop;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_STOPPED, s->end);
	assert_string_equal("osfi", story(&h));
	assert_int_equal(BLOCKS, s->mark);
	hand_free(&h);
	new_command(&h, DW_OPERATION_ATA_ENHANCED);
	one.class[0] = DW_CLASS_RESET;
	one.call = stop;
	s = hand_run(&h, 0);
	assert_int_equal(DW_END_STOPPED, s->end);
	assert_string_equal(
		"it was told to erase itself, and how that ended is not known",
		s->reason);
	assert_true(s->operation.running);
	assert_int_equal(0, s->mark);
	hand_free(&h);
}

/* One block cannot be read after it; it is being written when the job is stopped. */
static void unreadable(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	answer(h, op, r);
	if (op->verb == DW_VERB_READ && !h->n[DW_VERB_WRITE] && op->lba <= h->lba &&
	    h->lba < op->lba + op->nlb) {
		r->class = DW_CLASS_MEDIUM;
		r->bad_valid = true;
		r->bad_lba = h->lba;
	}
}

/* What the device has to do again, it does as a whole. */
static void stopped_while_it_repairs(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	for (uint32_t stopped = 0; stopped < 2; stopped++) {
		new_device(&h, 100 * MINUTE);
		h.answer = unreadable;
		h.plan.pass[0].verify = DW_VERIFY_FULL;
		h.lba = 505;
		h.stop_after = stopped;
		s = hand_run(&h, 0);
		assert_int_equal(stopped ? DW_END_STOPPED : DW_END_COMPLETE, s->end);
		assert_int_equal(1, h.n[DW_VERB_WRITE]);
		assert_int_equal(stopped ? 0 : BLOCKS, s->mark);
		assert_false(s->operation.running);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_usual),
		cmocka_unit_test(stated_time),
		cmocka_unit_test(verified),
		cmocka_unit_test(untold),
		cmocka_unit_test(among_writes),
		cmocka_unit_test(asked_again),
		cmocka_unit_test(begun_late),
		cmocka_unit_test(reset_before),
		cmocka_unit_test(done_too_early),
		cmocka_unit_test(fails),
		cmocka_unit_test(silent),
		cmocka_unit_test(another_disk),
		cmocka_unit_test(stopped),
		cmocka_unit_test(resumed),
		cmocka_unit_test(paused),
		cmocka_unit_test(ends_with_command),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(not_erased),
		cmocka_unit_test(stopped_with_command),
		cmocka_unit_test(stopped_while_it_repairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states of an attempt: every pair of state and event; every way through them that the engine,
 * the store, a hook and callers can bring about; and the page that shows the table.
 *
 * test_service_attempt docs/inside.md
 */
#include "unit.h"

#include <errno.h>

#include "service/attempt.h"

static const char *page;

/* --- every pair ------------------------------------------------------------------- */

static bool may_come_at_any_time(enum attempt_event e)
{
	return e == EVENT_HOLD || e == EVENT_RELEASE || e == EVENT_STANDS;
}

static void every_pair(void **state)
{
	const struct attempt_step never = { ATTEMPT_STATES, ACTION_TELL };
	unsigned taken = 0;

	for (enum attempt_state a = 0; a < ATTEMPT_STATES; a++)
		for (enum attempt_event e = 0; e < ATTEMPT_EVENTS; e++) {
			struct attempt_step step = never;
			int r = attempt_step(a, e, &step);

			if (r)
				assert_memory_equal(&step, &never, sizeof(step));
			else
				assert_true(step.to < ATTEMPT_STATES);
			if (a == ATTEMPT_ENDED ||
			    (a == ATTEMPT_UNRECORDED && e != EVENT_STORED))
				assert_true(r);
			assert_int_equal(r && may_come_at_any_time(e), r == ATTEMPT_SAME);
			assert_true(!r || r == ATTEMPT_SAME || r == -EPROTO);
			taken += !r;
		}
	assert_true(taken > 40);
}

/* --- every way ---------------------------------------------------------------------- */

/**
 * struct way - an attempt, and what the others know of it
 * @asked: its disk was asked for its health; @settling: the same after it; @hook: the hook runs;
 *	@given: the engine is being given it; @writing: its end is being put on record: each until
 *	there is an answer
 * @engine: the engine has it; @claimed: and has told that; @still: and was asked to let it stand
 * @told: everybody was told of its end
 */
struct way {
	uint8_t state;
	bool asked, hook, given, settling, writing, engine, claimed, still, told;
};

static size_t number_of(const struct way *w)
{
	const bool bits[] = { w->asked,  w->hook,    w->given, w->settling, w->writing,
			      w->engine, w->claimed, w->still, w->told };
	size_t n = w->state;

	for (size_t i = 0; i < sizeof(bits); i++)
		n = n * 2 + bits[i];
	return n;
}

#define WAYS ((size_t)ATTEMPT_STATES << 9)

static bool seen[WAYS];

/* whether the world may tell of that, and what it knows after that */
static bool may_tell(struct way *w, enum attempt_event e)
{
	struct way was = *w;

	switch (e) {
	case EVENT_HOLD:
	case EVENT_RELEASE:
		return !w->given;
	case EVENT_GO:
	case EVENT_ADOPT:
		return w->state == ATTEMPT_QUEUED;
	case EVENT_EXAMINED:
		w->asked = false;
		return was.asked;
	case EVENT_HOOKED:
		w->hook = false;
		return was.hook;
	case EVENT_WAIT:
		w->asked = w->hook = w->given = false;
		return was.asked || was.hook || was.given;
	case EVENT_CALLED_OFF:
		w->asked = w->hook = false;
		return was.asked || was.hook || was.state == ATTEMPT_QUEUED;
	case EVENT_CLAIMED:
		w->claimed = true;
		return was.engine && !was.claimed;
	case EVENT_STANDS:
		return w->engine && w->claimed;
	case EVENT_AGAIN:
		w->engine = w->claimed = w->still = false;
		return was.engine || was.state == ATTEMPT_QUEUED;
	case EVENT_REFUSED:
		w->given = w->engine = w->claimed = w->still = false;
		return was.engine || was.given;
	case EVENT_INTERRUPTED:
	case EVENT_RESULT:
		w->engine = w->claimed = w->still = false;
		return was.engine;
	case EVENT_SETTLED:
		w->settling = false;
		return was.settling;
	case EVENT_STORED:
		w->writing = false;
		return was.writing;
	default:
		return false;
	}
}

/* nothing is begun twice, nor asked of an engine that has it not, nor told before its time */
static void act(struct way *w, enum attempt_action action)
{
	bool waits = w->asked || w->hook || w->given || w->settling || w->writing;

	assert_false(w->told && action != ACTION_NONE);
	if (action != ACTION_NONE && action != ACTION_PAUSE && action != ACTION_RESUME)
		assert_false(waits || w->engine);
	switch (action) {
	case ACTION_NONE:
	case ACTION_PUT_OFF:
		break;
	case ACTION_EXAMINE:
		w->asked = true;
		break;
	case ACTION_HOOK:
		w->hook = true;
		break;
	case ACTION_BEGIN:
		w->given = true;
		break;
	case ACTION_PAUSE:
	case ACTION_RESUME:
		assert_true(w->engine);
		assert_int_equal(w->still, action == ACTION_RESUME);
		w->still = action == ACTION_PAUSE;
		break;
	case ACTION_SETTLE:
		w->settling = true;
		break;
	case ACTION_RECORD:
		w->writing = true;
		break;
	case ACTION_TELL:
		w->told = true;
		break;
	}
}

/* what the state says is so */
static void check(const struct way *w)
{
	enum attempt_state a = w->state;

	assert_int_equal(attempt_at_engine(a), w->engine || w->given);
	assert_int_equal(attempt_claimed(a), w->claimed || w->settling);
	assert_int_equal(attempt_over(a), w->writing || w->told);
	assert_int_equal(a == ATTEMPT_ENDED, w->told);
	assert_int_equal(a == ATTEMPT_EXAMINING, w->asked);
	assert_int_equal(a == ATTEMPT_ASKING, w->hook);
	assert_int_equal(a == ATTEMPT_HELD || a == ATTEMPT_PAUSING || a == ATTEMPT_PAUSED,
			 w->still);
}

/* One step of @from: 0, or -1: the world does not tell of that. */
static int follow(const struct way *from, enum attempt_event e, struct way *ret)
{
	struct attempt_step step;
	int r;

	*ret = *from;
	if (!may_tell(ret, e))
		return -1;
	r = attempt_step(from->state, e, &step);
	if (r < 0)
		fail_msg("%s: %s is an error", attempt_state_word(from->state),
			 attempt_event_word(e));
	if (r) {
		*ret = *from;
		return 0;
	}
	ret->state = (uint8_t)step.to;
	act(ret, step.action);
	check(ret);
	return 0;
}

/* the engine has taken what it was given, which is no event */
static struct way given(const struct way *w)
{
	struct way to = *w;

	to.given = false;
	to.engine = true;
	return to;
}

/* @depth events, or less, end it */
static bool can_end(const struct way *w, unsigned depth)
{
	struct way to;

	if (w->told || !depth)
		return w->told;
	if (w->given) {
		to = given(w);
		if (can_end(&to, depth - 1))
			return true;
	}
	for (enum attempt_event e = 0; e < ATTEMPT_EVENTS; e++)
		if (!follow(w, e, &to) && can_end(&to, depth - 1))
			return true;
	return false;
}

static unsigned walk(const struct way *from)
{
	unsigned n = 1;
	struct way to;

	if (seen[number_of(from)])
		return 0;
	seen[number_of(from)] = true;
	if (!can_end(from, 4))
		fail_msg("%s: nothing ends it", attempt_state_word(from->state));
	if (from->given) {
		to = given(from);
		n += walk(&to);
	}
	for (enum attempt_event e = 0; e < ATTEMPT_EVENTS; e++)
		if (!follow(from, e, &to))
			n += walk(&to);
	return n;
}

static void every_way(void **state)
{
	const struct way start = { .state = ATTEMPT_QUEUED };
	bool reached[ATTEMPT_STATES] = { false };
	unsigned n = walk(&start);

	assert_in_range(n, ATTEMPT_STATES, 100);
	for (size_t i = 0; i < WAYS; i++)
		reached[i >> 9] |= seen[i];
	for (enum attempt_state a = 0; a < ATTEMPT_STATES; a++)
		assert_true(reached[a]);
}

/* --- the page ------------------------------------------------------------------------- */

static const char *action_word(enum attempt_action action)
{
	static const char *const words[] = {
		[ACTION_NONE] = "",
		[ACTION_EXAMINE] = "asks the disk for its health",
		[ACTION_HOOK] = "runs the hook",
		[ACTION_BEGIN] = "is put on record, and given to the engine",
		[ACTION_PAUSE] = "the engine pauses it",
		[ACTION_RESUME] = "the engine resumes it",
		[ACTION_PUT_OFF] = "is tried again later",
		[ACTION_SETTLE] = "asks the disk for its health",
		[ACTION_RECORD] = "its end is put on record",
		[ACTION_TELL] = "everybody is told",
	};

	return words[action];
}

/* the line of an event, and of what follows from it, if some state has that */
static void add_line(char *text, size_t size, enum attempt_event e,
		     const struct attempt_step *want)
{
	char from[96] = "", line[200];
	struct attempt_step step;

	for (enum attempt_state a = 0; a < ATTEMPT_STATES; a++)
		if (!attempt_step(a, e, &step) && step.to == want->to &&
		    step.action == want->action)
			snprintf(from + strlen(from), sizeof(from) - strlen(from), "%s%s",
				 from[0] ? " " : "", attempt_state_word(a));
	if (!from[0])
		return;
	snprintf(line, sizeof(line), "%-12s %-44s %-11s %s", attempt_event_word(e), from,
		 attempt_state_word(want->to), action_word(want->action));
	for (size_t n = strlen(line); line[n - 1] == ' '; n--)
		line[n - 1] = '\0';
	snprintf(text + strlen(text), size - strlen(text), "%s\n", line);
}

static void shown(void **state)
{
	char text[4096], all[65536];
	FILE *f = fopen(page, "re");
	size_t n;

	snprintf(text, sizeof(text), "%-12s %-44s %-11s %s\n", "event", "in", "becomes",
		 "and");
	for (enum attempt_event e = 0; e < ATTEMPT_EVENTS; e++)
		for (enum attempt_state to = 0; to < ATTEMPT_STATES; to++)
			for (enum attempt_action a = 0; a <= ACTION_TELL; a++)
				add_line(text, sizeof(text), e,
					 &(struct attempt_step){ to, a });
	assert_non_null(f);
	n = fread(all, 1, sizeof(all) - 1, f);
	fclose(f);
	all[n] = '\0';
	if (strstr(all, text))
		return;
	fprintf(stderr, "%s", text);
	fail_msg("%s does not have this table", page);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair),
		cmocka_unit_test(every_way),
		cmocka_unit_test(shown),
	};

	page = argc > 1 ? argv[1] : "docs/inside.md";
	return cmocka_run_group_tests(tests, NULL, NULL);
}

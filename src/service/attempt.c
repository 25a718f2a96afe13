/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of an attempt's states. A pair of state and event that no row has is an error. Three
 * events are exceptions, as they may come at any time: reasons for a pause come and go, and the
 * report that the attempt is paused may be late.
 */
#include "attempt.h"

#include <errno.h>
#include <stddef.h>

#define IN(state) (1U << ATTEMPT_##state)
#define BEFORE    (IN(QUEUED) | IN(EXAMINING) | IN(ASKING))
#define AT_ENGINE (IN(CLAIMING) | IN(HELD) | IN(RUNNING) | IN(PAUSING) | IN(PAUSED))

/** struct attempt_row - one row; @from: states that the event may occur in, one bit each */
struct attempt_row {
	enum attempt_event event;
	unsigned from;
	struct attempt_step step;
};

static const struct attempt_row rows[] = {
	{ EVENT_GO, IN(QUEUED), { ATTEMPT_EXAMINING, ACTION_EXAMINE } },
	{ EVENT_ADOPT, IN(QUEUED), { ATTEMPT_CLAIMING, ACTION_BEGIN } },
	{ EVENT_EXAMINED, IN(EXAMINING), { ATTEMPT_ASKING, ACTION_HOOK } },
	{ EVENT_HOOKED, IN(ASKING), { ATTEMPT_CLAIMING, ACTION_BEGIN } },
	{ EVENT_WAIT, IN(EXAMINING) | IN(ASKING) | IN(CLAIMING), { ATTEMPT_QUEUED } },
	{ EVENT_CALLED_OFF, BEFORE, { ATTEMPT_UNRECORDED, ACTION_RECORD } },
	{ EVENT_CLAIMED, IN(CLAIMING), { ATTEMPT_RUNNING } },
	{ EVENT_CLAIMED, IN(HELD), { ATTEMPT_PAUSING } },
	{ EVENT_HOLD, IN(CLAIMING), { ATTEMPT_HELD, ACTION_PAUSE } },
	{ EVENT_HOLD, IN(RUNNING), { ATTEMPT_PAUSING, ACTION_PAUSE } },
	{ EVENT_RELEASE, IN(HELD), { ATTEMPT_CLAIMING, ACTION_RESUME } },
	{ EVENT_RELEASE, IN(PAUSING) | IN(PAUSED), { ATTEMPT_RUNNING, ACTION_RESUME } },
	{ EVENT_STANDS, IN(PAUSING), { ATTEMPT_PAUSED } },
	{ EVENT_AGAIN, IN(QUEUED) | AT_ENGINE, { ATTEMPT_QUEUED, ACTION_PUT_OFF } },
	{ EVENT_INTERRUPTED, AT_ENGINE, { ATTEMPT_QUEUED } },
	{ EVENT_REFUSED, AT_ENGINE, { ATTEMPT_UNRECORDED, ACTION_RECORD } },
	{ EVENT_RESULT, AT_ENGINE, { ATTEMPT_SETTLING, ACTION_SETTLE } },
	{ EVENT_SETTLED, IN(SETTLING), { ATTEMPT_UNRECORDED, ACTION_RECORD } },
	{ EVENT_STORED, IN(UNRECORDED), { ATTEMPT_ENDED, ACTION_TELL } },
};

int attempt_step(enum attempt_state state, enum attempt_event event,
		 struct attempt_step *ret)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].event != event || !(rows[i].from & 1U << state))
			continue;
		*ret = rows[i].step;
		return 0;
	}
	return event == EVENT_HOLD || event == EVENT_RELEASE || event == EVENT_STANDS
		       ? ATTEMPT_SAME
		       : -EPROTO;
}

const char *attempt_state_word(enum attempt_state state)
{
	static const char *const words[] = {
		[ATTEMPT_QUEUED] = "queued",     [ATTEMPT_EXAMINING] = "examining",
		[ATTEMPT_ASKING] = "asking",     [ATTEMPT_CLAIMING] = "claiming",
		[ATTEMPT_HELD] = "held",         [ATTEMPT_RUNNING] = "running",
		[ATTEMPT_PAUSING] = "pausing",   [ATTEMPT_PAUSED] = "paused",
		[ATTEMPT_SETTLING] = "settling", [ATTEMPT_UNRECORDED] = "unrecorded",
		[ATTEMPT_ENDED] = "ended",
	};

	return words[state];
}

const char *attempt_event_word(enum attempt_event event)
{
	static const char *const words[] = {
		[EVENT_GO] = "go",
		[EVENT_ADOPT] = "adopt",
		[EVENT_EXAMINED] = "examined",
		[EVENT_HOOKED] = "hooked",
		[EVENT_WAIT] = "wait",
		[EVENT_CALLED_OFF] = "called-off",
		[EVENT_CLAIMED] = "claimed",
		[EVENT_HOLD] = "hold",
		[EVENT_RELEASE] = "release",
		[EVENT_STANDS] = "stands",
		[EVENT_AGAIN] = "again",
		[EVENT_INTERRUPTED] = "interrupted",
		[EVENT_REFUSED] = "refused",
		[EVENT_RESULT] = "result",
		[EVENT_SETTLED] = "settled",
		[EVENT_STORED] = "stored",
	};

	return words[event];
}

static bool is_in(enum attempt_state state, unsigned states)
{
	return states & 1U << state;
}

bool attempt_at_engine(enum attempt_state state)
{
	return is_in(state, AT_ENGINE);
}

bool attempt_claimed(enum attempt_state state)
{
	return is_in(state, IN(RUNNING) | IN(PAUSING) | IN(PAUSED) | IN(SETTLING));
}

bool attempt_over(enum attempt_state state)
{
	return is_in(state, IN(UNRECORDED) | IN(ENDED));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_ATTEMPT_H
#define DW_SERVICE_ATTEMPT_H

/*
 * The state machine of an attempt: state and event in, state and action out. No I/O, no clock.
 * Whoever reports an event carries out the action. docs/inside.md shows the table.
 */
#include <stdbool.h>

/** enum attempt_state - the states of an attempt, in their usual order */
enum attempt_state {
	ATTEMPT_QUEUED,    /* it waits for its disk, or for permission to begin */
	ATTEMPT_EXAMINING, /* the health of its disk is asked for */
	ATTEMPT_ASKING,    /* the hook before it is running */
	ATTEMPT_CLAIMING,  /* the engine claims its disk */
	ATTEMPT_HELD,      /* the same, and it is to be paused when that is done */
	ATTEMPT_RUNNING,   /* its disk is at work, or waits in the engine for its turn */
	ATTEMPT_PAUSING,   /* the engine was asked to pause it */
	ATTEMPT_PAUSED,    /* the engine has paused it */
	ATTEMPT_SETTLING, /* the engine has reported its end; the health of its disk is asked for */
	ATTEMPT_UNRECORDED, /* it is over, and that is not yet stored */
	ATTEMPT_ENDED,      /* its end is stored */
	ATTEMPT_STATES,
};

enum attempt_event {
	EVENT_GO,       /* its disk is present and may be erased */
	EVENT_ADOPT,    /* its disk is at work by itself: resume it */
	EVENT_EXAMINED, /* the health is known, or there is no answer; it may begin */
	EVENT_HOOKED,   /* the hook allows it, or there is none */
	EVENT_WAIT, /* it may not begin now, or memory or the store does not allow it */
	EVENT_CALLED_OFF,  /* it ends before the engine has it */
	EVENT_CLAIMED,     /* from the engine: the disk is claimed */
	EVENT_HOLD,        /* there is a reason to pause it */
	EVENT_RELEASE,     /* there is none any more */
	EVENT_STANDS,      /* from the engine: it is paused */
	EVENT_AGAIN,       /* it was refused, perhaps only for now */
	EVENT_INTERRUPTED, /* from the engine: the service ends */
	EVENT_REFUSED,     /* it was refused for good */
	EVENT_RESULT,      /* from the engine: it is over */
	EVENT_SETTLED,     /* the health of its disk is known, or there is no answer */
	EVENT_STORED,      /* its end is stored */
	ATTEMPT_EVENTS,
};

enum attempt_action {
	ACTION_NONE,
	ACTION_EXAMINE, /* ask for the health of its disk; then EVENT_EXAMINED */
	ACTION_HOOK,    /* run the hook before it; then EVENT_HOOKED */
	ACTION_BEGIN,   /* store its beginning, give it to the engine */
	ACTION_PAUSE,   /* tell the engine to pause it */
	ACTION_RESUME,  /* tell the engine to resume it */
	ACTION_PUT_OFF, /* try it again later, a few times */
	ACTION_SETTLE,  /* ask for the health of its disk; then EVENT_SETTLED */
	ACTION_RECORD, /* store its end, repeatedly until that succeeds; then EVENT_STORED */
	ACTION_TELL, /* report its end */
};

/** ATTEMPT_SAME - result of attempt_step(): the event changes nothing in that state. */
#define ATTEMPT_SAME 1

/**
 * struct attempt_step - what follows from an event
 * @to: the next state
 * @action: what to carry out
 */
struct attempt_step {
	enum attempt_state to;
	enum attempt_action action;
};

/**
 * attempt_step() - the next state and the action for an event
 * @ret: written if 0 is returned
 *
 * Return: 0; ATTEMPT_SAME; -EPROTO: that event cannot occur in this state, and nothing follows.
 */
int attempt_step(enum attempt_state state, enum attempt_event event,
		 struct attempt_step *ret);

/** attempt_state_word(), attempt_event_word() - names for messages about errors; static text. */
const char *attempt_state_word(enum attempt_state state);
const char *attempt_event_word(enum attempt_event event);

/** attempt_at_engine() - the engine has it, and will report its end. */
bool attempt_at_engine(enum attempt_state state);

/** attempt_claimed() - the engine has claimed its disk, or had until its end. */
bool attempt_claimed(enum attempt_state state);

/** attempt_over() - it has ended; its end may not be stored yet. */
bool attempt_over(enum attempt_state state);

#endif

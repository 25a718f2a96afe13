/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_ATTEMPT_H
#define DW_SERVICE_ATTEMPT_H

/*
 * What an attempt does next: state and event in, state and action out. No I/O, no clock; whoever
 * tells of an event carries the action out. ARCHITECTURE.md shows the table.
 */
#include <stdbool.h>

/** enum attempt_state - where an attempt stands, in the order of its way */
enum attempt_state {
	ATTEMPT_QUEUED,    /* it waits for its disk, or to be let begin */
	ATTEMPT_EXAMINING, /* its disk is asked for its health */
	ATTEMPT_ASKING,    /* the hook before it runs */
	ATTEMPT_CLAIMING,  /* the engine claims its disk */
	ATTEMPT_HELD,      /* the same, and it is to stand when that is done */
	ATTEMPT_RUNNING,   /* the engine has it, perhaps behind others */
	ATTEMPT_PAUSING,   /* the engine was asked to let it stand */
	ATTEMPT_PAUSED,    /* it stands */
	ATTEMPT_SETTLING, /* the engine has told its end; its disk is asked for its health */
	ATTEMPT_UNRECORDED, /* it is over, and the store does not have that yet */
	ATTEMPT_ENDED,      /* that is on record */
	ATTEMPT_STATES,
};

enum attempt_event {
	EVENT_GO,    /* its disk is there, and may be erased */
	EVENT_ADOPT, /* its disk works by itself already: nothing is to be decided anew */
	EVENT_EXAMINED, /* its health is known, or will not be, and is no reason against it */
	EVENT_HOOKED, /* the hook has nothing against it, or there is none */
	EVENT_WAIT, /* it may not begin now, or cannot for want of memory or the store */
	EVENT_CALLED_OFF, /* it ends before the engine had it */
	EVENT_CLAIMED,    /* by the engine: the disk is claimed */
	EVENT_HOLD,       /* there is a reason to let it stand */
	EVENT_RELEASE,    /* there is none any more */
	EVENT_STANDS,     /* by the engine: it does */
	EVENT_AGAIN,      /* it was refused, and may not be the next time */
	EVENT_INTERRUPTED, /* by the engine: the service ends; it goes on when that starts anew */
	EVENT_REFUSED, /* it never began, and will not */
	EVENT_RESULT,  /* by the engine: it is over */
	EVENT_SETTLED, /* its disk has told how it is, or will not */
	EVENT_STORED,  /* its end is on record */
	ATTEMPT_EVENTS,
};

enum attempt_action {
	ACTION_NONE,
	ACTION_EXAMINE, /* ask its disk for its health: examined */
	ACTION_HOOK,    /* run the hook before it: hooked */
	ACTION_BEGIN,   /* put it on record, give it to the engine */
	ACTION_PAUSE,   /* tell the engine that it is to stand */
	ACTION_RESUME,  /* and that it is to go on */
	ACTION_PUT_OFF, /* it is tried again later, not too often */
	ACTION_SETTLE,  /* ask its disk for its health: settled */
	ACTION_RECORD,  /* put its end on record, until that has succeeded: stored */
	ACTION_TELL,    /* tell everybody */
};

/** ATTEMPT_SAME - of attempt_step(): the event changes nothing in that state. */
#define ATTEMPT_SAME 1

/** struct attempt_step - what follows from an event */
struct attempt_step {
	enum attempt_state to;
	enum attempt_action action;
};

/**
 * attempt_step() - what follows from an event
 * @ret: written on 0 alone
 *
 * Return: 0; ATTEMPT_SAME; -EPROTO: nobody may tell of that in this state, and nothing follows.
 */
int attempt_step(enum attempt_state state, enum attempt_event event,
		 struct attempt_step *ret);

/** attempt_state_word(), attempt_event_word() - for messages about errors; static. */
const char *attempt_state_word(enum attempt_state state);
const char *attempt_event_word(enum attempt_event event);

/** attempt_at_engine() - the engine has it, and will tell its end. */
bool attempt_at_engine(enum attempt_state state);

/** attempt_claimed() - its disk is the engine's, or was until its end. */
bool attempt_claimed(enum attempt_state state);

/** attempt_over() - it does nothing any more. */
bool attempt_over(enum attempt_state state);

#endif

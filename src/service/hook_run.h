/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_HOOK_RUN_H
#define DW_SERVICE_HOOK_RUN_H

/*
 * Two ways to run a hook: as a unit of systemd, and as a child of this process. Both start it, and
 * say with hook_ended() or hook_judge() what came of it, perhaps at once.
 */
#include "service.h"

/**
 * struct hook - a program that is run once
 * @attempt: that waits for it; 0 = nobody waits
 * @event: what it is run for
 * @text: its standard input, owned
 * @user, @seconds: as the settings had them when it was started
 * @run: what its way keeps of it; NULL = it does not run
 * @leave: frees @run; a hook that still runs is killed, unless it can be left alone and @kill is
 *	false
 */
struct hook {
	struct service *s;
	int64_t attempt;
	char program[256];
	char event[16];
	char *text;
	char user[64];
	uint32_t seconds;
	void *run;
	void (*leave)(struct hook *h, bool kill);
	struct hook *next;
};

/** hook_ended() - what came of it: @why it failed, NULL = it did not; frees @h. */
void hook_ended(struct hook *h, const char *why);

/**
 * hook_judge() - the same from what is known of its process
 * @late: its time was over
 * @code: CLD_EXITED, or another one of waitid(2)
 * @status: exit code or signal
 */
void hook_judge(struct hook *h, bool late, int code, int status);

/** unit_start() - run it as a unit of systemd; without one on that bus, by child_start(). */
void unit_start(struct hook *h);

/** unit_runs() - it is a unit. */
bool unit_runs(const struct hook *h);

/** child_start() - run it as a child. */
void child_start(struct hook *h);

#endif

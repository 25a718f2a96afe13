/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_STUCK_H
#define DW_ENGINE_STUCK_H

/* Whether the engine can still make progress. */
#include <stdbool.h>
#include <stdint.h>

struct dw_engine;

/** engine_is_stuck() - work is left, but nothing is under way that could wake the loop.
 *  @timer_ns: when the timer is due. Called before a wait: it follows from the state, and not
 *  from a time. */
bool engine_is_stuck(const struct dw_engine *e, uint64_t timer_ns);

/** engine_stuck() - end the jobs as if stopped, with the state of their disks. -EDEADLK. */
int engine_stuck(struct dw_engine *e);

/** engine_overdue_look() - report disks whose commands are overdue, and when the kernel ends them.
 *  @now_ns: the time on the clock of the commands. 0 or -ENOMEM. */
int engine_overdue_look(struct dw_engine *e, uint64_t now_ns);

/** engine_overdue_timer() - when it is to be called; UINT64_MAX = no command is under way. */
uint64_t engine_overdue_timer(struct dw_engine *e, uint64_t now_ns);

#endif

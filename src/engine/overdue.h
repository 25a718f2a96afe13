/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_OVERDUE_H
#define DW_ENGINE_OVERDUE_H

/* Commands that the kernel should have ended long ago, and has not. */
#include <stdint.h>

struct dw_engine;

/** engine_overdue_look() - report disks whose commands are overdue, and when the kernel ends them.
 *  @now_ns: the time on the clock of the commands. 0 or -ENOMEM. */
int engine_overdue_look(struct dw_engine *e, uint64_t now_ns);

/** engine_overdue_timer() - when it is to be called; UINT64_MAX = no command is under way. */
uint64_t engine_overdue_timer(struct dw_engine *e, uint64_t now_ns);

#endif

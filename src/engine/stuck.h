/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_STUCK_H
#define DW_ENGINE_STUCK_H

#include <stdbool.h>
#include <stdint.h>

struct dw_engine;

/** engine_is_stuck() - work is left, and nothing will come of it; @timer_ns: when something is due.
 *  Told before the wait, not after it: there is no guess in it. */
bool engine_is_stuck(const struct dw_engine *e, uint64_t timer_ns);

/** engine_stuck() - the jobs end as if stopped, with the state of their disks; -EDEADLK. */
int engine_stuck(struct dw_engine *e);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_EVENTS_H
#define DW_ENGINE_EVENTS_H

/* What the core tells becomes public events. */
#include "core/core.h"

struct job_disk;

/** engine_take_events() - core events to public ones, outcomes, state files; -errno. @ret_n:
 *  raised by their number */
int engine_take_events(struct dw_engine *e, int *ret_n);

/** job_notice() - a line for the user about disk @disk, or DW_EVENT_OF_JOB; 0, -ENOMEM. */
int job_notice(struct dw_job *job, uint32_t disk, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** job_exceptions() - the faults of a disk as public exceptions; free(@ret); 0, -ENOMEM. */
int job_exceptions(const struct dw_disk_state *st, struct dw_exception **ret,
		   size_t *ret_n);

/** job_disk_done() - it has been given back: tell its outcome, which is final; 0, -ENOMEM. */
int job_disk_done(struct dw_job *job, struct job_disk *d);

#endif

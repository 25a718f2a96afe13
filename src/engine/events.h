/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_EVENTS_H
#define DW_ENGINE_EVENTS_H

/* Translates the events of the core into public ones. */
#include "core/core.h"

struct job_disk;

/**
 * engine_take_events() - take the events of the core: public events, outcomes, state files. 0 or
 * -errno.
 * @ret_n: raised by their number
 */
int engine_take_events(struct dw_engine *e, int *ret_n);

/** job_notice() - send a notice about disk @disk, or DW_EVENT_OF_JOB, to the user. 0, -ENOMEM. */
int job_notice(struct dw_job *job, uint32_t disk, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** job_exceptions() - the faults of a disk as public exceptions; free(@ret); 0, -ENOMEM. */
int job_exceptions(const struct dw_faults *faults, struct dw_exception **ret,
		   size_t *ret_n);

/** job_disk_done() - report the outcome of a disk that was released; it is final. 0, -ENOMEM. */
int job_disk_done(struct dw_job *job, struct job_disk *d);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_ETA_H
#define DW_ENGINE_ETA_H

/* The estimate of the time left. */
#include "core/core.h"
#include "cost/course.h"

struct job_disk;

/**
 * struct job_eta - what the time left of a disk is estimated from
 * @course: the expected course: of the forecast if @known, else of a typical disk
 * @guessed: the rates of @course were not measured
 * @moves: the disk has begun
 * @clock: how far it was in @course at @at_ns, in seconds; @back: it then waited for its next
 *	turn
 * @is, @should: seconds measured, and seconds of @course for the same work; recent ones weigh
 *	most
 * @finish: when it is expected to end, in seconds since the start of the job; negative = unknown
 */
struct job_eta {
	struct dw_course course;
	bool known;
	bool guessed;
	bool moves;
	bool back;
	double clock;
	uint64_t at_ns;
	double is;
	double should;
	double finish;
};

/**
 * struct job_left - the time left of a job
 * @at_ns: when it was estimated, 0 = never; @seconds: the estimate
 */
struct job_left {
	uint64_t at_ns;
	double seconds;
};

/** job_eta_begin() - prepare the estimate for disk @d, whose plan is made. 0 or -ENOMEM. */
int job_eta_begin(struct dw_job *job, struct job_disk *d);

/** job_eta_event() - take account of an event of disk @d. */
void job_eta_event(struct job_disk *d, uint64_t now_ns, enum dw_core_event_kind kind);

/** job_take_course() - set the course that a forecast expects of disk @d, before the start.
 *  @guessed: its rates were not measured. */
void job_take_course(struct job_disk *d, const struct dw_course *course, bool guessed);

/** job_seconds_left() - estimated seconds until disk @d is finished, -1 = unknown. */
double job_seconds_left(struct dw_job *job, struct job_disk *d, uint64_t now_ns);

#endif

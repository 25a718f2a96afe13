/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_ETA_H
#define DW_ENGINE_ETA_H

/* The time that is left. */
#include "core/core.h"
#include "cost/course.h"

struct job_disk;

/**
 * struct job_eta - what the time that is left of a disk is reckoned from
 * @course: of the forecast, if @known; else that of a typical disk; @guessed: its rates are guesses
 * @moves: it has begun; at @at_ns it was @clock by its course, and waited for another turn if @back
 * @is, @should: seconds measured, and seconds of the course, the newest count most
 * @finish: when it ends, seconds since the job's start; negative = unknown
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
 * struct job_left - the time that is left of a job
 * @at_ns: when it was calculated, 0 = never; @seconds: then
 */
struct job_left {
	uint64_t at_ns;
	double seconds;
};

/** job_eta_begin() - the plan of disk @d is made; 0 or -ENOMEM. */
int job_eta_begin(struct dw_job *job, struct job_disk *d);

/** job_eta_event() - something happened to disk @d that changes what is measured. */
void job_eta_event(struct job_disk *d, uint64_t now_ns, enum dw_core_event_kind kind);

/** job_take_course() - what a forecast expects of disk @d, before the start; @guessed: from rates
 *  that nobody has measured. */
void job_take_course(struct job_disk *d, const struct dw_course *course, bool guessed);

/** job_seconds_left() - until disk @d is finished, -1 = unknown. */
double job_seconds_left(struct dw_job *job, struct job_disk *d, uint64_t now_ns);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_ETA_H
#define DW_ENGINE_ETA_H

/* The time that is left. */
#include "core/core.h"
#include "cost/remaining.h"

struct job_disk;

/**
 * struct job_eta - the remaining time of a disk
 * @left: the estimator, by the course of the forecast, if @known; else by that of a typical disk;
 *	@guessed: its rates are guesses
 * @doubt: the same if the course is no more than a guess
 * @first_pass: that its phases begin with
 * @back: it waited for another turn
 * @ends: when it ends, from when that was calculated; negative = unknown
 */
struct job_eta {
	struct dw_remaining left;
	struct dw_remaining doubt;
	bool known;
	bool guessed;
	bool back;
	uint8_t first_pass;
	struct dw_time_left ends;
};

/**
 * struct job_left - the remaining time of a job
 * @at_ns: when it was calculated, 0 = never; @left: then; @unknown: it hangs on people
 * @tell_at: seconds since the job's start, to be told at the next progress from then on
 */
struct job_left {
	uint64_t at_ns;
	struct dw_time_left left;
	bool unknown;
	double tell_at;
};

/** job_eta_begin() - the plan of disk @d is made; 0 or -ENOMEM. */
int job_eta_begin(struct dw_job *job, struct job_disk *d);

/** job_eta_event() - something happened to disk @d that changes what is measured. */
void job_eta_event(struct job_disk *d, uint64_t now_ns, enum dw_core_event_kind kind);

/** job_take_course() - what a forecast expects of disk @d, before the start; @error: of the
 *  logarithm of its pace, @guessed: from rates that nobody has measured. */
void job_take_course(struct job_disk *d, const struct dw_course *course, double error,
		     bool guessed);

/** job_seconds_left() - until disk @d is finished, -1 = not known to a factor of two. */
double job_seconds_left(struct dw_job *job, struct job_disk *d, uint64_t now_ns);

#endif

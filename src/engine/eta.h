/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_ETA_H
#define DW_ENGINE_ETA_H

/* The remaining time of a job and of its disks. */
#include "core/core.h"
#include "cost/remaining.h"

struct job_disk;

/** struct job_seen - of a disk at the last calculation; @moved: its work then moved data */
struct job_seen {
	bool moved;
	uint64_t blocks;
	uint64_t commands;
};

/**
 * struct job_flow - what the disks of a job move over a link
 * @since, @bytes, @commands: of the measurement that has not ended
 * @rate, @error: bytes per second in the last one, and its relative error
 * @most: bytes per second that the link has moved for certain
 * @left: bytes that its disks have to move
 * @own: seconds that one of them needs for what moves no data, at most
 * @disks: number of those on the link, of all jobs
 * @sharers: number of its disks that have not ended
 * @described: one of these is as described
 */
struct job_flow {
	double since;
	double bytes;
	double commands;
	double rate;
	double error;
	double most;
	double left;
	double own;
	uint32_t disks;
	uint32_t sharers;
	bool described;
};

/**
 * struct job_eta - the remaining time of a disk
 * @left: the estimator, with the course of the forecast if @known, else of a typical disk
 * @doubt: an estimator that takes the same course as a guess; used while the disk contradicts it
 * @known: a forecast has described the disk
 * @guessed: the rates of the course were not measured
 * @back: at the last observation the disk waited for another turn
 * @first_pass: pass of the first phase
 * @seen: at the last calculation
 * @flow: of its link, if it is the first disk of the job there
 * @of_link: that of its link; set by each calculation, for that alone
 * @own: remaining time at the last calculation, without what it waits for
 * @ends: the same with that; negative = unknown
 */
struct job_eta {
	struct dw_remaining left;
	struct dw_remaining doubt;
	bool known;
	bool guessed;
	bool back;
	uint8_t first_pass;
	struct job_seen seen;
	struct job_flow flow;
	struct job_flow *of_link;
	struct dw_time_left own;
	struct dw_time_left ends;
};

/**
 * struct job_left - the remaining time of a job
 * @at_ns: time of the last calculation, 0 = none
 * @left: its result
 * @unknown: the end depends on a person, as a disk is paused or has to be unplugged
 * @report_at: seconds since the job's start from which on the next event of progress is followed by
 *	one of the remaining time
 */
struct job_left {
	uint64_t at_ns;
	struct dw_time_left left;
	bool unknown;
	double report_at;
};

/** job_eta_begin() - prepare the estimate of disk @d, whose plan is made. 0 or -ENOMEM. */
int job_eta_begin(struct dw_job *job, struct job_disk *d);

/** job_eta_event() - take account of an event of disk @d. */
void job_eta_event(struct job_disk *d, uint64_t now_ns, enum dw_core_event_kind kind);

/** job_take_course() - set the course that a forecast expects of disk @d, before the start.
 *  @error: of the logarithm of its pace; @guessed: its rates were not measured. */
void job_take_course(struct job_disk *d, const struct dw_course *course, double error,
		     bool guessed);

/** job_seconds_left() - remaining seconds of disk @d; -1 = not known to a factor of two. */
double job_seconds_left(struct dw_job *job, struct job_disk *d, uint64_t now_ns);

#endif

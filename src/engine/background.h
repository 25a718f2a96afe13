/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_BACKGROUND_H
#define DW_ENGINE_BACKGROUND_H

/*
 * A job beside other work: it observes the other disks before it begins, takes the share that the
 * closed model allows, and corrects the share by what it observes.
 */
#include <diskwipe/error.h>

#include "device/iostat.h"
#include "diskwipe/background.h"
#include "base/beside.h"
#include "sched/share.h"

struct dw_job;

/**
 * struct job_background - the state of a job in the background; all zero = it is not one
 * @neighbours: the other disks; owned, NULL = none, or a virtual job
 * @active: it is in the background
 * @watching: the job has not begun, and observes the others
 * @corrects: the share is corrected, by @law
 * @since_ns: start of the observation
 * @begun_ns: when the erasing began
 * @last_ns, @next_ns: times of the latest and the next check
 * @last: the sums at the latest count; @seen: I/O of the others, in the observation or in this
 *	interval
 * @quantum_ns: of the gates of its links, 0 = the default
 * @most: greatest number of I/Os of others seen in flight
 * @on_ns: the job's own time at the latest check
 * @answers, @answer_ns: number and sum of the response times of the others since the job began
 */
struct job_background {
	struct dw_neighbours *neighbours;
	bool active;
	bool watching;
	bool corrects;
	struct dw_share law;
	uint64_t since_ns;
	uint64_t begun_ns;
	uint64_t last_ns;
	uint64_t next_ns;
	struct dw_io_count last;
	struct dw_io_count seen;
	uint64_t quantum_ns;
	uint64_t most;
	uint64_t on_ns;
	double answer_ns;
	uint64_t answers;
};

/** job_background_given() - the others as the user described them; false = not described. */
bool job_background_given(const struct dw_background *b, struct dw_closed_beside *ret);

/** job_background_forecast() - the model's share for @target s, or for @share if 0. */
void job_background_forecast(const struct dw_closed_beside *b, double target,
			     double share, struct dw_background_forecast *ret);

/** job_background_start() - at the start of the job: find the others, begin to observe. 0,
 *  negative errno with @err. */
int job_background_start(struct dw_job *job, uint64_t now_ns, struct dw_error *err);

/** job_background_join() - a disk has entered the running job: it gets the same share, and the
 *  disks beside it are observed as well. 0 or -ENOMEM. */
int job_background_join(struct dw_job *job);

/** job_background_look() - observe and correct, if it is time to. 0 or -ENOMEM. */
int job_background_look(struct dw_job *job, uint64_t now_ns);

/** job_background_timer() - time of the next check, UINT64_MAX = never. */
uint64_t job_background_timer(const struct dw_job *job);

/** job_background_end() - add its part to the result, at the end of the job. */
void job_background_end(struct dw_job *job, uint64_t now_ns);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_BACKGROUND_H
#define DW_ENGINE_BACKGROUND_H

/*
 * A job beside other work: it watches the others before it begins, takes the share that
 * the closed model allows, and corrects it by what it sees.
 */
#include <diskwipe/error.h>

#include "device/iostat.h"
#include "diskwipe/background.h"
#include "base/beside.h"
#include "sched/share.h"

struct dw_job;

/**
 * struct job_background - what it remembers; zeroed = nothing is to be kept to
 * @neighbours: disks to be watched; owned, NULL = none, or a virtual job
 * @watching: the job has not begun, and the others are being watched
 * @law: the share, once it is corrected; @corrects
 * @since_ns: when the watch began
 * @begun_ns: when the erasing was let go
 * @last_ns, @next_ns: latest and next look
 * @last: sums when they were last counted; @seen: of others, in the watch or in the interval
 *	in hand
 * @quantum_ns: of the gates of its links, 0 = the default
 * @most: most I/Os of others seen on their way at once
 * @on_ns: the job's own time at the latest look
 * @answers, @answer_ns: of the others since the job began
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

/** job_background_given() - the others as they were described; false = they were not. */
bool job_background_given(const struct dw_background *b, struct dw_closed_beside *ret);

/** job_background_forecast() - the model's share for @target s, or for @share if 0. */
void job_background_forecast(const struct dw_closed_beside *b, double target,
			     double share, struct dw_background_forecast *ret);

/** job_background_start() - the job starts at @now_ns: find the others, begin to watch; 0,
 *  negative errno with @err. */
int job_background_start(struct dw_job *job, uint64_t now_ns, struct dw_error *err);

/** job_background_join() - a disk has entered the running job: it keeps to what the others keep
 *  to, and those beside it are watched as well; 0 or -ENOMEM. */
int job_background_join(struct dw_job *job);

/** job_background_look() - it is @now_ns: look, if it is time to; 0 or -ENOMEM. */
int job_background_look(struct dw_job *job, uint64_t now_ns);

/** job_background_timer() - when it wants to look, UINT64_MAX = never. */
uint64_t job_background_timer(const struct dw_job *job);

/** job_background_end() - the job has ended: its part of the result. */
void job_background_end(struct dw_job *job, uint64_t now_ns);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_JOB_H
#define DW_ENGINE_JOB_H

/* A job inside the engine: a policy on a set of disks. */
#include <stdatomic.h>

#include "data/data.h"
#include "engine/background.h"
#include "engine/eta.h"
#include "engine/news.h"
#include "engine/resume.h"
#include "engine/trace.h"
#include "plan/method.h"
#include "report/state.h"

/** enum job_stage - how far a job has got; it only grows */
enum job_stage {
	JOB_NEW,
	JOB_BEGUN, /* its start has gone so far that no disk can be added; it may be repeated */
	JOB_STARTED, /* its clock runs; disks are added as tasks */
	JOB_ENDING,  /* its outcome is known */
	JOB_OVER,
};

/** enum job_stop - a request to end a job before its disks are erased; a greater value includes the
 *  smaller ones */
enum job_stop {
	JOB_NOT_STOPPED,
	JOB_STOPPED,
	JOB_ABORTED, /* what is in flight is given back, and nothing is flushed */
};

/**
 * struct job_key - the key of the random passes
 * @secret: dw_secret_new()
 * @lock: held while the key file is written
 * @set: @secret has the job's key; @kept: the key file is written
 */
struct job_key {
	struct dw_key *secret;
	pthread_mutex_t lock;
	bool set;
	bool kept;
};

/**
 * struct job_lists - the lists of the engine that a job is in
 * @next: of all jobs
 * @next_looked: of those with regular checks; the job is in it if @looked
 * @next_due: of those that may have ended; the job is in it if @due
 */
struct job_lists {
	struct dw_job *next;
	struct dw_job *next_looked;
	struct dw_job *next_due;
	bool looked;
	bool due;
};

/**
 * struct dw_job - a job: a policy on a set of disks
 * @engine: the engine that it runs on; @own: the engine is used by this job alone, and freed with
 *	it
 * @owner: the smallest number that only jobs of its @group have in this engine; 0 = none
 * @stage: enum job_stage; any thread may read it
 * @stop: enum job_stop
 * @recorded: the schedule is recorded, in the core's history from @history_from on
 * @paths_ns: when a failed path may be asked again; UINT64_MAX = none has failed
 * @cycle_ns: time of the next check of disks that are to be unplugged; UINT64_MAX = there are
 *	none
 * @held: it does not end when it has no disk left to erase
 * @left: number of disks that are not yet released
 * @adding: number of disks that are being claimed
 * @units: devices that erase themselves as a whole; a list
 * @eta: the estimate of the time left
 */
struct dw_job {
	struct dw_engine *engine;
	bool own;
	uint32_t owner;
	uint32_t group;
	struct job_lists in;
	atomic_int stage;
	uint8_t stop;
	struct dw_job_spec spec;
	struct dw_method method;
	struct job_key key;
	bool recorded;
	size_t history_from;
	bool paths_dynamic;
	struct job_disk **disk;
	uint32_t n_disks;
	struct job_news news;
	struct job_state state;
	struct job_trace trace;
	struct dw_state_doc resume;
	bool resuming;
	uint64_t start_ns;
	uint64_t paths_ns;
	uint64_t cycle_ns;
	struct job_background background;
	struct dw_job_result result;
	bool held;
	uint32_t left;
	uint32_t adding;
	struct job_units *units;
	struct job_left eta;
};

/** job_reached() - the job has got as far as @stage. */
static inline bool job_reached(const struct dw_job *job, enum job_stage stage)
{
	return atomic_load(&job->stage) >= (int)stage;
}

/** job_runs() - it has started, and its last event is not yet reported. */
static inline bool job_runs(const struct dw_job *job)
{
	return job_reached(job, JOB_STARTED) && !job_reached(job, JOB_OVER);
}

/** job_may_finish() - all is done, released and stored. */
bool job_may_finish(const struct dw_job *job);

/** job_finish() - begin the end of the job. */
void job_finish(struct dw_job *job);

/** job_conclude() - end the job, as its trace is closed as well. */
void job_conclude(struct dw_job *job);

/** job_free() - free a job that has nothing under way. */
void job_free(struct dw_job *job);

/** job_take_disk() - plan a disk whose facts and abilities are known, and pass it to the core. It
 *  is taken, and freed when it does not become part of the job. 0, 1 refused with @ret_verdict,
 *  -errno. */
int job_take_disk(struct dw_job *job, struct job_disk *d, struct dw_verdict *ret_verdict);

/** job_disk_open() - the first half of adding a disk: open the node, check that it is the disk
 *  that was shown, and claim it. May wait. @ret: job_disk_free(), in any case. 0, 1 refused with
 *  @v, -errno. */
int job_disk_open(struct dw_job *job, const struct dw_disk *want, struct job_disk **ret,
		  struct dw_verdict *v);

/** job_disk_fit() - choose method and plan of an open disk. 0, 1 refused with @v, -errno. */
int job_disk_fit(struct dw_job *job, struct job_disk *d, struct dw_verdict *v);

/** job_refuse() - dw_job_refuse() for the node of @who. 0, -ENOMEM. */
int job_refuse(struct dw_job *job, const struct dw_disk_info *who,
	       const struct dw_verdict *v);

/** job_result_nodes() - set the nodes of a disk in its result. */
void job_result_nodes(const struct job_disk *d, struct dw_disk_result *r);

/** job_disk_prove() - prove what can only be proven by changing blocks of the disk. May wait. 0,
 *  1 refused with @v, -errno. */
int job_disk_prove(struct job_disk *d, struct dw_verdict *v);

/** job_disk_keep() - make a disk part of the job, which frees it. 0, -ENOMEM. */
int job_disk_keep(struct dw_job *job, struct job_disk *d);

/** job_now() - the time on the clock of its world; 0 before the start. */
uint64_t job_now(const struct dw_job *job);

#endif

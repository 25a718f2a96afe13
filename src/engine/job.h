/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_JOB_H
#define DW_ENGINE_JOB_H

/* A job: a policy on a set of disks. */
#include <stdatomic.h>

#include "data/data.h"
#include "engine/background.h"
#include "engine/eta.h"
#include "engine/news.h"
#include "engine/resume.h"
#include "engine/trace.h"
#include "plan/method.h"
#include "report/state.h"

enum { JOB_NEW, JOB_OPEN, JOB_OVER };

/**
 * struct dw_job - a job: a policy on a set of disks
 * @engine: where it runs; @own: nobody else has that
 * @owner: least number that no other job of the engine has but those of its @group; 0 = none
 * @next: of the engine's jobs, @next_looked: of those that want to be looked after
 * @looked: it is one of these; @due: it may have ended, @next_due: list of these
 * @stage: for the functions that any thread may call
 * @key_lock: held while the key file is written
 * @held: it does not end for want of disks
 * @ending: its outcome is known
 * @left: disks that have not been given back yet
 * @paths_ns: when a path may be asked again; UINT64_MAX = none is down
 * @cycle_ns: when to look for a disk that is to be unplugged; UINT64_MAX = none is
 * @recorded: the schedule is, in the core's history from @history_from on
 * @adding: disks that are being claimed
 * @units: devices that erase themselves as a whole; a list
 * @eta: for the time that is left
 */
struct dw_job {
	struct dw_engine *engine;
	bool own;
	uint32_t owner;
	uint32_t group;
	struct dw_job *next;
	struct dw_job *next_looked;
	struct dw_job *next_due;
	bool looked;
	bool due;
	atomic_int stage;
	struct dw_job_spec spec;
	struct dw_method method;
	struct dw_key *key; /* dw_secret_new() */
	pthread_mutex_t key_lock;
	bool has_key;
	bool begun; /* a start has gone so far that no disk can be added */
	bool started;
	bool stopping;
	bool aborting;
	bool key_kept;
	bool over;
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
	bool ending;
	uint32_t left;
	uint32_t adding;
	struct job_units *units;
	struct job_left eta;
};

/** job_is_over() - everything is done, given back and on record. */
bool job_is_over(const struct dw_job *job);

/** job_finish() - the end of it begins. */
void job_finish(struct dw_job *job);

/** job_conclude() - its trace is closed as well. */
void job_conclude(struct dw_job *job);

/** job_free() - with nothing under way. */
void job_free(struct dw_job *job);

/** job_take_disk() - plan a disk whose facts and abilities are known and hand it to the core; it
 *  is taken, and freed when it does not become part of the job. 0, 1 refused with @ret_verdict,
 *  -errno. */
int job_take_disk(struct dw_job *job, struct job_disk *d, struct dw_verdict *ret_verdict);

/** job_disk_open() - the first half of taking a disk in: the node is opened, the disk is the one
 *  that was shown, and it is claimed. May wait. @ret: job_disk_free(), in any case. 0, 1
 *  refused with @v, -errno. */
int job_disk_open(struct dw_job *job, const struct dw_disk *want, struct job_disk **ret,
		  struct dw_verdict *v);

/** job_disk_fit() - what will be done with it; 0, 1 refused with @v, -errno. */
int job_disk_fit(struct dw_job *job, struct job_disk *d, struct dw_verdict *v);

/** job_refuse() - dw_job_refuse() of the node of @who; 0, -ENOMEM. */
int job_refuse(struct dw_job *job, const struct dw_disk_info *who,
	       const struct dw_verdict *v);

/** job_result_nodes() - by which nodes it was reached, for its result. */
void job_result_nodes(const struct job_disk *d, struct dw_disk_result *r);

/** job_disk_prove() - what can be known only by changing something of it. May wait. 0, 1 refused
 *  with @v, -errno. */
int job_disk_prove(struct job_disk *d, struct dw_verdict *v);

/** job_disk_keep() - it becomes part of the job, which frees it; 0, -ENOMEM. */
int job_disk_keep(struct dw_job *job, struct job_disk *d);

/** job_now() - on the clock of its world; 0 before the start. */
uint64_t job_now(const struct dw_job *job);

#endif

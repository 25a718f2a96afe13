/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_RESUME_H
#define DW_ENGINE_RESUME_H

/* The state file: how far a job is, for one that goes on where it ended. */
#include "engine/loop.h"
#include "report/state.h"

struct job_disk;

/**
 * struct job_state - the state file while the job runs: at most one write is under way
 * @doc: what is being written
 * @error: of that
 * @under_way, @again: there is news since it began
 * @wanted: it is to be written in this turn
 * @late_ns: when it takes too long; UINT64_MAX = that is told, or none is under way
 */
struct job_state {
	struct dw_work work;
	struct dw_job *job;
	struct dw_state_doc doc;
	int error;
	bool under_way;
	bool again;
	bool wanted;
	uint64_t late_ns;
};

/** job_sure() - a position of the sweep below which everything is known to be on the medium.
 *  @ret_pass: of that pass */
uint64_t job_sure(const struct dw_disk_state *st, uint32_t *ret_pass);

/** job_mark() - the same of a disk: its beginning, where nothing flushes its cache, until it is
 *  written and to be unplugged. */
uint64_t job_mark(const struct job_disk *d, const struct dw_disk_state *st,
		  uint32_t *ret_pass);

/** job_state_store() - write the state file, if there is to be one, and wait for it; 0 or
 *  -errno: what stood there stands. */
int job_state_store(struct dw_job *job);

/** job_state_keep() - have it written off the loop, after the write that is under way. The job
 *  goes on without: the first failure is told, and so is its end; marks (DW_EVENT_FLUSHED) are
 *  told when they are in the file. 0, -ENOMEM. */
int job_state_keep(struct dw_job *job);

/** job_state_look() - tell if the write that is under way takes long; 0, -ENOMEM. */
int job_state_look(struct dw_job *job, uint64_t now_ns);

/** job_resume_load() - read the state file that is to be continued; 0, -errno with @err. */
int job_resume_load(struct dw_job *job, struct dw_error *err);

/** job_resume_check() - read some of what the state says was written to a disk that is resumed,
 *  before the core knows of it; where another medium, or other data, are there by now, it begins
 *  anew. 0, -ENOMEM. */
int job_resume_check(struct dw_job *job, struct job_disk *d);

/** job_resume_find() - the entry of a disk by its identity, or NULL. */
const struct dw_state_entry *job_resume_find(const struct dw_job *job,
					     const struct dw_disk_info *info);

/** job_resume_rest() - the job ends: its result gets the disks of the job that is resumed with
 *  which this run did not go on. None if it took no disk in: then nothing was done, and the state
 *  file stands. 0, -ENOMEM. */
int job_resume_rest(struct dw_job *job);

#endif

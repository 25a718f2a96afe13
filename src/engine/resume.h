/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_RESUME_H
#define DW_ENGINE_RESUME_H

/* The state file: the progress of a job, from which it can be resumed. */
#include "engine/loop.h"
#include "report/state.h"

struct job_disk;

/**
 * struct job_state - the state file while the job runs; at most one write is under way
 * @work: the write, off the loop
 * @doc: what is being written
 * @error: result of the write
 * @under_way: a write is under way; @again: another one is to follow
 * @wanted: it is to be written in this turn
 * @late_ns: when the write is reported as slow; UINT64_MAX = it was reported, or none is under
 *	way
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
 *  @ret_pass: the pass that it belongs to */
uint64_t job_sure(const struct dw_disk_state *st, uint32_t *ret_pass);

/** job_mark() - the same for the state file. Of a disk whose cache nothing flushes it is the
 *  beginning, until the disk is written and to be unplugged. */
uint64_t job_mark(const struct job_disk *d, const struct dw_disk_state *st,
		  uint32_t *ret_pass);

/** job_state_store() - write the state file, if one is wanted, and wait for that. 0; -errno: the
 *  file is unchanged. */
int job_state_store(struct dw_job *job);

/** job_state_keep() - write the state file off the loop, after the write under way. The job
 *  continues even if that fails: the first failure is reported, and so is its end. Marks
 *  (DW_EVENT_FLUSHED) are reported when they are in the file. 0, -ENOMEM. */
int job_state_keep(struct dw_job *job);

/** job_state_look() - report if the write under way takes long. 0, -ENOMEM. */
int job_state_look(struct dw_job *job, uint64_t now_ns);

/** job_resume_load() - read the state file of the job to be resumed, which is of disks that are
 *  @simulated, or of real ones. 0, -errno with @err. */
int job_resume_load(struct dw_job *job, bool simulated, struct dw_error *err);

/** job_resume_check() - before the core gets a resumed disk, read some of what the state file
 *  says was written to it. If the disk holds other data, or is another medium, it is erased from
 *  the beginning. 0, -ENOMEM. */
int job_resume_check(struct dw_job *job, struct job_disk *d);

/** job_resume_find() - the entry of a disk in the resumed state, by its identity; NULL = none. */
const struct dw_state_entry *job_resume_find(const struct dw_job *job,
					     const struct dw_disk_info *info);

/** job_resume_rest() - at the end of the job, add to its result the disks of the resumed state
 *  that this run has not resumed. Nothing if it took no disk in: then nothing was done, and the
 *  state file stays as it is. 0, -ENOMEM. */
int job_resume_rest(struct dw_job *job);

#endif

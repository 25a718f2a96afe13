/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_RESUME_H
#define DW_ENGINE_RESUME_H

#include "engine/internal.h"

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

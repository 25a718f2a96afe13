/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_START_H
#define DW_ENGINE_START_H

/* The start of a job, and of a disk that joins it. */
#include "diskwipe/job.h"

struct job_disk;

/** job_prepare() - change the settings of the disk, but no data. May wait. 0, -errno with
 *  @err. */
int job_prepare(struct job_disk *d, struct dw_error *err);

/** job_attach() - attach the disk to its transport; 0, -errno. */
int job_attach(struct job_disk *d);

/** job_enter() - add the disk to the core; 0, -ENOMEM. */
int job_enter(struct job_disk *d);

/** job_leave() - remove the disk from the core; it has not begun, or has ended. */
void job_leave(struct job_disk *d);

/** job_copies_start() - pass to the core which disks are copies. 0, or -EINVAL with @err. */
int job_copies_start(struct dw_job *job, struct dw_error *err);

/** job_keep_key() - write the key file, if one is wanted and not yet written; from any thread of
 *  the job. 0 or -errno. */
int job_keep_key(struct dw_job *job, struct dw_error *err);

#endif

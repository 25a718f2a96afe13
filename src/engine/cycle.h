/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_CYCLE_H
#define DW_ENGINE_CYCLE_H

/* The power cycle of a disk whose cache no command flushes. The user is asked to unplug it, and
 * it is verified when it is back. */
#include <stdbool.h>
#include <stdint.h>

#include "plan/op.h"

struct job_disk;

/** job_cycle_possible() - of a disk with @cache.unflushed: it would be recognised when it comes
 *  back, and has one path. */
bool job_cycle_possible(const struct job_disk *d);

/** job_cycle_submit() - DW_VERB_CYCLE: ask the user to unplug the disk, and watch for that. The
 *  core gets the result when the disk is back, or is no longer waited for. 0, -ENOMEM. */
int job_cycle_submit(struct job_disk *d, const struct dw_op *op);

/** job_cycles_look() - check the disks of the job that are to be unplugged, if it is time to. 0
 *  or -errno. */
int job_cycles_look(struct dw_job *job, uint64_t now_ns);

/** job_cycle_stop() - stop waiting for the disk. */
void job_cycle_stop(struct job_disk *d);

/** job_cycle_missed() - nobody unplugged the disk, or nobody was asked to. */
bool job_cycle_missed(const struct job_disk *d);

/** job_cycle_away() - seconds for which the disk was absent, at least; 0 = it was not absent. */
unsigned int job_cycle_away(const struct job_disk *d);

/** job_cycle_free() - free the cycle of a disk that has nothing under way. */
void job_cycle_free(struct job_disk *d);

#endif

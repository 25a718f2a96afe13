/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_CYCLE_H
#define DW_ENGINE_CYCLE_H

/* A disk whose cache nothing flushes is unplugged by somebody, and verified when it is back. */
#include <stdbool.h>
#include <stdint.h>

#include "plan/op.h"

struct job_disk;

/** job_cycle_possible() - of a disk that @d->unflushed: it would be recognised when it comes back,
 *  and has one path. */
bool job_cycle_possible(const struct job_disk *d);

/** job_cycle_submit() - DW_VERB_CYCLE: ask for it, and look for what happens; the core gets its
 *  result then. 0, -ENOMEM. */
int job_cycle_submit(struct job_disk *d, const struct dw_op *op);

/** job_cycles_look() - look whether the disks of the job that are to be unplugged were, when it is
 *  time to; 0 or -errno. */
int job_cycles_look(struct dw_job *job, uint64_t now_ns);

/** job_cycle_stop() - nobody is waited for any more. */
void job_cycle_stop(struct job_disk *d);

/** job_cycle_missed() - nobody unplugged it, or could be asked to. */
bool job_cycle_missed(const struct job_disk *d);

/** job_cycle_away() - seconds that it was gone, at least; 0 = it was not. */
unsigned int job_cycle_away(const struct job_disk *d);

/** job_cycle_free() - nothing is under way. */
void job_cycle_free(struct job_disk *d);

#endif

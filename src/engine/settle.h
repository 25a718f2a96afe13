/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_SETTLE_H
#define DW_ENGINE_SETTLE_H

/* Settling a disk: nobody else writes to it, and what was written is on the medium. */
#include "plan/op.h"

struct job_disk;

/** job_settle_begin() - prevent other writes to the disk from now on; before the first write. 0,
 *  -ENOMEM. */
int job_settle_begin(struct dw_job *job, struct job_disk *d);

/** job_settle_free() - free what settling needs; nothing is under way. */
void job_settle_free(struct job_disk *d);

/** job_settle_submit() - begin DW_VERB_SETTLE, off the loop; then the core gets its result. */
int job_settle_submit(struct dw_job *job, struct job_disk *d, const struct dw_op *op);

/** job_errors_elsewhere() - number of errors of the disk that were reported to other programs
 *  since the last call; none of its commands is under way. */
uint64_t job_errors_elsewhere(struct job_disk *d);

/** job_settle_late() - make the kernel write back for the last time. Returns the number of writes
 *  since the disk was settled with DW_OP_FINAL. Waits: off the loop. */
uint64_t job_settle_late(struct job_disk *d);

#endif

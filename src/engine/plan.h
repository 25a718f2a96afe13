/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_PLAN_H
#define DW_ENGINE_PLAN_H

/* How a disk is erased: its method, its plan, its patterns. */
#include "codec/encode.h"
#include "plan/plan.h"

struct job_disk;

/** job_choose_method() - by which method the disk is erased: @method, @level; 0, or 1 refused with
 *  @v, as DW_REFUSAL_PURGE where the level that is asked for cannot be reached. */
int job_choose_method(const struct dw_job *job, struct job_disk *d, struct dw_verdict *v);

/** job_operation_ns() - time of a way to erase a disk, as it states it, else as is usual;
 *  DW_OPERATION_NONE: of overwriting it. */
uint64_t job_operation_ns(const struct dw_caps *caps, unsigned int operation);

/** job_plan_disk() - the plan of one disk; 0, 1 refused with @ret_verdict, -errno. */
int job_plan_disk(struct dw_job *job, struct job_disk *d, struct dw_verdict *ret_verdict);

/** job_plan_permit() - class of the one command by which a disk may be told to erase itself (enum
 *  dw_opclass); 0 = its plan has none. */
uint32_t job_plan_permit(const struct dw_disk_plan *p);

/** job_plan_sources() - contents of the passes that this run needs; 0 or -errno. */
int job_plan_sources(struct dw_job *job, struct job_disk *d);

/** job_plan_expected_ns() - a rough time to finish, for longest-first. */
uint64_t job_plan_expected_ns(const struct job_disk *d);

#endif

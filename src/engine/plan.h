/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_PLAN_H
#define DW_ENGINE_PLAN_H

/* How a disk is erased: its method, its plan, its patterns. */
#include "codec/encode.h"
#include "plan/plan.h"

struct job_disk;

/** job_choose_method() - choose the method of the disk: @method, @level. 0, or 1 refused with @v,
 *  as DW_REFUSAL_PURGE if the wanted level cannot be reached. */
int job_choose_method(const struct dw_job *job, struct job_disk *d, struct dw_verdict *v);

/** job_operation_ns() - time of an operation, as the disk states it, else as is usual;
 *  DW_OPERATION_NONE: time of overwriting the disk. */
uint64_t job_operation_ns(const struct dw_caps *caps, unsigned int operation);

/** job_percent_asked() - the share of a sample that was asked for; the plan may have more of it. */
double job_percent_asked(const struct job_disk *d);

/** job_plan_disk() - the plan of one disk; 0, 1 refused with @ret_verdict, -errno. */
int job_plan_disk(struct dw_job *job, struct job_disk *d, struct dw_verdict *ret_verdict);

/** job_not_comparing() - why the disk, which has a plan, is not even asked to compare its blocks
 *  itself; NULL = it is. */
const char *job_not_comparing(const struct job_disk *d);

/**
 * job_choose_verify() - what the verification "auto" comes to, for all disks that have a plan
 * @kind: DW_VERIFY_FULL or _DEVICE
 *
 * Changes nothing of a job that has begun, or that asks for another verification.
 */
void job_choose_verify(struct dw_job *job, enum dw_verify_kind kind);

/** job_plan_permit() - class of the one command that may be sent to make the disk erase itself
 *  (enum dw_opclass); 0 = the plan has none. */
uint32_t job_plan_permit(const struct dw_disk_plan *p);

/** job_plan_sources() - create the data of the passes that this run needs. 0 or -errno. */
int job_plan_sources(struct dw_job *job, struct job_disk *d);

/** job_plan_expected_ns() - rough estimate of the time of the disk, for longest-first. */
uint64_t job_plan_expected_ns(const struct job_disk *d);

#endif

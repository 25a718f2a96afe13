/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_RESETS_H
#define DW_ENGINE_RESETS_H

/* Resets and exchanged disks that the kernel reports. */
#include "transport/transport.h"

struct dw_engine;
struct dw_job;
struct job_disk;

/** job_events_open() - open the events of the kernel, or report that they cannot be received. 0,
 *  -ENOMEM. */
int job_events_open(struct dw_job *job);

/** engine_take_news() - read the events of the kernel. Disks that they concern get no write before
 *  they are identified. Cheap; to be called often. */
void engine_take_news(struct dw_engine *e, uint64_t now_ns);

/** job_resets_missed() - since the last call, the disk was reset and no command of ours reported
 *  it. Does not wait: call engine_take_news() first. */
bool job_resets_missed(struct job_disk *d);

/** job_lease() - how much may be written to the disk before it is identified again; NULL = no
 *  limit. */
const struct dw_lease_terms *job_lease(struct job_disk *d);

/** job_unproven() - upper bound of the bytes sent since the disk was last identified. */
uint64_t job_unproven(const struct job_disk *d);

#endif

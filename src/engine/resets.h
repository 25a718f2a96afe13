/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_RESETS_H
#define DW_ENGINE_RESETS_H

/* Resets and exchanged disks, of which the kernel tells. */
#include "transport/transport.h"

struct dw_engine;
struct dw_job;
struct job_disk;

/** job_events_open() - listen to the kernel, or say that it cannot be heard; 0, -ENOMEM. */
int job_events_open(struct dw_job *job);

/** engine_hear() - note of which disks the kernel tells, and let no write out to these
 *  before they are identified; cheap, call it often. */
void engine_hear(struct dw_engine *e, uint64_t now_ns);

/** job_resets_missed() - whether the disk was reset and no command of ours was told, since
 *  the last call. Sleeps on nothing: listen first. */
bool job_resets_missed(struct job_disk *d);

/** job_lease() - how long the disk may be written before it says again who it is; NULL = for
 *  ever. */
const struct dw_lease_terms *job_lease(struct job_disk *d);

/** job_unproven() - most bytes that went out since the disk last said who it is. */
uint64_t job_unproven(const struct job_disk *d);

#endif

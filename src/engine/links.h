/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_LINKS_H
#define DW_ENGINE_LINKS_H

/* The links of the core, which stand for host adapters. */
#include <stdbool.h>
#include <stdint.h>

struct dw_job;
struct job_disk;

/** job_link_take() - assign the disk its link in the core; 0 or -ENOMEM. */
int job_link_take(struct job_disk *d);

/** job_link_leave() - take the disk off its link; the core has removed it. */
void job_link_leave(struct job_disk *d);

/** job_link_disks() - how many disks of all jobs are on the link of @d. */
uint32_t job_link_disks(const struct job_disk *d);

/** job_link_next() - the links that the job alone uses, from *@i = 0 on; false = no more. */
bool job_link_next(const struct dw_job *job, uint32_t *i, uint32_t *ret);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_END_H
#define DW_ENGINE_END_H

/* A disk is given back. */
#include "diskwipe/job.h"
#include "engine/loop.h"

struct job_disk;

/**
 * struct job_end - the end of a disk
 * @now_ns: when it was done, @outcome: with what, unless that changes until it is told
 * @transport: it is to be taken out of that; NULL = it was in none
 * @look: the kernel is to write back once more; @late: writes that this found
 * @kept: the disk keeps what the job had set; of its release, 0 = it does not
 * @asks: the disk is asked how it is; @health: what it told, all zero = nothing
 */
struct job_end {
	struct dw_work work;
	struct dw_job *job;
	uint64_t now_ns;
	enum dw_outcome outcome;
	struct dw_transport *transport;
	bool look;
	uint64_t late;
	int kept;
	bool asks;
	struct dw_health health;
};

/** job_end_begin() - a disk is done: give it back off the loop, and then tell what came of it.
 *  0, -errno. */
int job_end_begin(struct dw_job *job, struct job_disk *d, uint64_t now_ns);

#endif

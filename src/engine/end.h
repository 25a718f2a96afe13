/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_END_H
#define DW_ENGINE_END_H

/* The end of a disk: it is released, and its outcome reported. */
#include "diskwipe/job.h"
#include "engine/loop.h"

struct job_disk;

/**
 * struct job_end - the end of a disk
 * @work: its release, off the loop
 * @job: the job of the disk
 * @now_ns: when its work was done
 * @outcome: its outcome, unless that changes before it is reported
 * @transport: the transport that it is to be detached from; NULL = none
 * @look: the kernel is to write back once more; @late: number of writes that this found
 * @kept: result of its release: nonzero = the disk keeps settings of the job
 * @asks: the health of the disk is asked for; @health: the answer, all zero = none
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

/** job_end_begin() - the work on a disk is done: release it off the loop, and then report its
 *  outcome. 0, -errno. */
int job_end_begin(struct dw_job *job, struct job_disk *d, uint64_t now_ns);

#endif

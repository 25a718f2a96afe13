/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_VIRTUAL_H
#define DW_ENGINE_VIRTUAL_H

/*
 * The seam for disks that no machine has: a transport is handed in, and disks are added that
 * live in it. From then on the job runs as any other; where the transport has no descriptor,
 * the wait is its own.
 */
#include <time.h>

#include "device/caps.h"
#include "diskwipe/job.h"
#include "transport/transport.h"

/**
 * struct dw_virtual - a transport that is handed in, and what a job must know of it
 * @transport: carries the commands of all virtual disks
 * @path: how the commands travel, for the result; static text
 * @mode: what kind of simulation it is, for the result; static text
 * @run: identical commands that one stands for, 1 = all are sent singly
 * @epoch: the time of day when the transport's clock showed 0
 */
struct dw_virtual {
	struct dw_transport *transport;
	const char *path;
	const char *mode;
	uint32_t run;
	struct timespec epoch;
};

/**
 * dw_job_take_virtual() - let a job run on a transport that is handed in
 * @job: without disks
 * @v: copied; with success the transport is the job's, who frees it
 *
 * The job's secret is made anew from its seed, so that equal seeds give equal runs: no data
 * of these disks exist that it could protect.
 *
 * Return: 0; -EBUSY when the job has disks or another transport.
 */
int dw_job_take_virtual(struct dw_job *job, const struct dw_virtual *v);

/**
 * dw_job_add_virtual() - add a disk that lives in the transport
 * @job: after dw_job_take_virtual()
 * @info, @caps: what it is and can do, copied
 * @unit: its number there, given to attach as dw_target.sg_fd
 * @ret_verdict: why not, when 1 is returned
 *
 * Its blocks have no contents: writes carry none, and a read that ends well counts as compared.
 *
 * Return: 0; 1 refused; negative errno.
 */
int dw_job_add_virtual(struct dw_job *job, const struct dw_disk_info *info,
		       const struct dw_caps *caps, uint32_t unit,
		       struct dw_verdict *ret_verdict);

#endif

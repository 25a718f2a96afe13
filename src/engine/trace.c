/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The head of a job's trace: who its disks are and what is to be done to them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "engine/internal.h"

static void describe(const struct job_disk *d, struct dw_trace_disk *ret)
{
	const struct dw_disk_info *i = &d->info;

	*ret = (struct dw_trace_disk){
		.blocks = i->blocks,
		.block_size = i->block_size,
		.physical_block_size = i->physical_block_size,
		.rotation = i->rotation,
		.write_cache = (uint8_t)(d->caps.wce + 1),
	};
	snprintf(ret->device, sizeof(ret->device), "%s", i->sg[0] ? i->sg : i->block);
	snprintf(ret->vendor, sizeof(ret->vendor), "%s", i->vendor);
	snprintf(ret->model, sizeof(ret->model), "%s", i->model);
	snprintf(ret->serial, sizeof(ret->serial), "%s", i->serial);
	snprintf(ret->wwn, sizeof(ret->wwn), "%s", i->wwn);
	snprintf(ret->transport, sizeof(ret->transport), "%s", i->transport);
	snprintf(ret->slot, sizeof(ret->slot), "%s", i->slot);
	snprintf(ret->host_driver, sizeof(ret->host_driver), "%s", i->host_driver);
}

static void describe_run(const struct dw_job *job, struct dw_trace_run *ret)
{
	struct tm tm = { 0 };

	localtime_r(&job->result.started.tv_sec, &tm);
	snprintf(ret->version, sizeof(ret->version), "%s", dw_version());
	dw_time_format(&job->result.started, (int32_t)tm.tm_gmtoff, ret->started,
		       sizeof(ret->started));
	snprintf(ret->simulation, sizeof(ret->simulation), "%s", job->result.simulation);
	ret->verify_only = job->spec.verify_only;
}

int job_trace_open(struct dw_job *job)
{
	struct dw_trace_head head = { .spec = job->spec };
	struct dw_world *w = job->engine->world;
	int r;

	if (!job->spec.trace_file[0])
		return 0;
	head.disk = calloc(job->n_disks, sizeof(*head.disk));
	if (!head.disk)
		return -ENOMEM;
	head.n_disks = job->n_disks;
	for (uint32_t i = 0; i < job->n_disks; i++)
		describe(job->disk[i], &head.disk[i]);
	describe_run(job, &head.run);
	r = w->ops->wiring ? w->ops->wiring(w, job, &head) : 0;
	if (!r)
		r = dw_trace_open(job->spec.trace_file, job->start_ns, &head,
				  &job->trace);
	for (uint32_t i = 0; i < job->n_disks && !r; i++)
		job_paths_trace(job, job->disk[i]);
	dw_trace_head_deinit(&head);
	return r;
}

int job_trace_look(struct dw_job *job)
{
	int r = job->trace ? dw_trace_error(job->trace) : 0;

	if (!r || job->result.trace_error)
		return 0;
	job->result.trace_error = r;
	return job_notice(job, DW_EVENT_OF_JOB,
			  "%.150s: the trace cannot be written: %s; the job goes on",
			  job->spec.trace_file, strerror(-r));
}

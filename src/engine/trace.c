/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trace of a job. Its head names the disks and what is done to them. Later lines, and disks
 * that join, are written off the loop, so that a file that hangs delays no disk.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/paths.h"

#define ENOUGH  (64 * DW_KIB)
#define LATE_NS (100 * DW_NS_PER_MS)

static void describe(const struct job_disk *d, struct dw_trace_disk *ret)
{
	const struct dw_disk_info *i = &d->info;

	*ret = (struct dw_trace_disk){
		.blocks = i->blocks,
		.block_size = i->block_size,
		.physical_block_size = i->physical_block_size,
		.rotation = i->rotation,
		.write_cache = (uint8_t)(d->caps.cache.wce + 1),
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
				  &job->trace.file);
	for (uint32_t i = 0; i < job->n_disks && !r; i++)
		job_paths_trace(job, job->disk[i]);
	dw_trace_head_deinit(&head);
	return r;
}

void job_trace_joined(struct dw_job *job, const struct job_disk *d)
{
	struct dw_trace_disk disk;

	if (!job->trace.file)
		return;
	describe(d, &disk);
	disk.joined_ns = job_now(job) - job->start_ns;
	dw_trace_joined(job->trace.file, &disk);
	job_paths_trace(job, d);
}

static int report_error(struct dw_job *job)
{
	int r = dw_trace_error(job->trace.file);

	if (!r || job->result.trace_error)
		return 0;
	job->result.trace_error = r;
	return job_notice(job, DW_EVENT_OF_JOB,
			  "%.150s: the trace cannot be written: %s; the job goes on",
			  job->spec.trace_file, strerror(-r));
}

static struct dw_job *job_of(struct dw_work *w)
{
	return dw_container_of(dw_container_of(w, struct job_trace, work), struct dw_job,
			       trace);
}

static void write_out(struct dw_work *w)
{
	struct job_trace *t = &job_of(w)->trace;

	if (t->closing)
		t->error = dw_trace_close(t->file);
	else
		dw_trace_write(t->file);
}

static int written_out(struct dw_work *w)
{
	struct dw_job *job = job_of(w);
	struct job_trace *t = &job->trace;

	t->under_way = false;
	if (job_reached(job, JOB_ENDING) && !t->closing) {
		t->closing = t->under_way = true;
		dw_loop_begin(job->engine->loop, w);
		return 0;
	}
	if (!t->closing)
		return report_error(job);
	t->file = NULL;
	if (t->error < 0 && !job->result.trace_error)
		job->result.trace_error = t->error;
	job_conclude(job);
	return 0;
}

static void begin_write(struct dw_job *job)
{
	struct job_trace *t = &job->trace;

	t->under_way = true;
	t->work = (struct dw_work){ .run = write_out, .done = written_out };
	dw_loop_begin(job->engine->loop, &t->work);
}

int job_trace_look(struct dw_job *job, uint64_t now_ns)
{
	struct job_trace *t = &job->trace;
	bool late = now_ns - t->looked_ns >= LATE_NS;

	if (!t->file || t->under_way)
		return 0;
	if (dw_trace_take(t->file, late ? 0 : ENOUGH)) {
		t->looked_ns = now_ns;
		begin_write(job);
		return 0;
	}
	return report_error(job);
}

void job_trace_close(struct dw_job *job, uint64_t now_ns)
{
	struct job_trace *t = &job->trace;

	dw_trace_end(t->file, job->result.outcome, now_ns);
	if (t->under_way)
		return; /* then it is closed */
	t->closing = true;
	begin_write(job);
}

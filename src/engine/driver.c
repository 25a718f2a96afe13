/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A job that runs: requests of its caller, and its end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "engine/cycle.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/outcome.h"
#include "engine/resume.h"
#include "engine/units.h"

bool job_may_finish(const struct dw_job *job)
{
	return !job_reached(job, JOB_ENDING) && !job->left && !job->adding &&
	       !job->state.under_way && (!job->held || job->stop);
}

void job_finish(struct dw_job *job)
{
	struct dw_engine *e = job->engine;
	uint64_t now_ns = engine_clock(e);

	atomic_store(&job->stage, JOB_ENDING);
	job->result.finished = e->world->ops->time_of_day(e->world, now_ns);
	job->result.seconds = (double)(now_ns - job->start_ns) / 1e9;
	job_background_end(job, now_ns);
	if (job_resume_rest(job) < 0)
		e->error = -ENOMEM;
	job_final(job);
	if (job->trace.file)
		job_trace_close(job, now_ns);
	else
		job_conclude(job);
}

void job_conclude(struct dw_job *job)
{
	atomic_store(&job->stage, JOB_OVER);
	job_news_add(job, &(struct dw_event){ .kind = DW_EVENT_JOB_DONE,
					      .seconds = job->result.seconds });
	engine_end_job(job);
}

int dw_job_step(struct dw_job *job, int timeout_ms)
{
	int r;

	if (!job_runs(job))
		return job_reached(job, JOB_OVER) ? 0 : -EINVAL;
	r = dw_engine_step(job->engine, timeout_ms);
	return r < 0 ? r : !job_reached(job, JOB_OVER);
}

struct dw_engine *dw_job_engine(struct dw_job *job)
{
	return job->engine;
}

uint64_t job_now(const struct dw_job *job)
{
	return job_reached(job, JOB_STARTED) ? engine_clock(job->engine) : 0;
}

double dw_job_seconds(struct dw_job *job)
{
	return job_reached(job, JOB_STARTED)
		       ? (double)(job_now(job) - job->start_ns) / 1e9
		       : 0;
}

static void stop(struct dw_job *job, bool abort)
{
	job->stop = (uint8_t)dw_max_u64(job->stop, abort ? JOB_ABORTED : JOB_STOPPED);
	for (uint32_t i = 0; i < job->n_disks; i++) {
		struct job_disk *d = job->disk[i];

		if (!d->place.entered)
			continue;
		dw_core_stop(job->engine->core, d->place.number, abort);
		job_units_ended(d, true);
		job_cycle_stop(d);
	}
	job_may_end(job);
	dw_loop_wake(job->engine->loop);
}

void dw_job_stop(struct dw_job *job)
{
	stop(job, false);
}

/* commands that wait in the transports come back at once */
void dw_job_abort(struct dw_job *job)
{
	stop(job, true);
	for (uint32_t i = 0; i < job->n_disks && job_runs(job); i++) {
		struct dw_transport *t = job->disk[i]->place.transport;

		if (t)
			t->ops->cancel(t, job->disk[i]->place.handle);
	}
}

void dw_job_hold(struct dw_job *job, bool on)
{
	job->held = on;
	job_may_end(job);
	dw_loop_wake(job->engine->loop);
}

/* the disk that a run of the history names, if it is one of the job's */
static const struct job_disk *disk_of(const struct dw_job *job,
				      const struct dw_history_run *run)
{
	const struct job_disk *d = job->engine->disk[run->disk];

	return d && d->job == job ? d : NULL;
}

/* the runs of one column that name disks of the job; how many there are */
static size_t print_column(FILE *f, const struct dw_job *job, uint32_t column,
			   const struct dw_history_run *run, size_t n)
{
	size_t printed = 0;

	for (size_t i = 0; i < n; i++) {
		const struct job_disk *d = disk_of(job, &run[i]);

		if (!d)
			continue;
		if (f && !printed)
			fprintf(f, "%u:", column);
		if (f)
			fprintf(f, " %u x %llu", d->id, (unsigned long long)run[i].count);
		printed++;
	}
	if (f && printed)
		fputc('\n', f);
	return printed;
}

/* all columns of the job, numbered from 0; @f may be NULL */
static uint32_t print_columns(FILE *f, const struct dw_job *job,
			      const struct dw_history_run *h, size_t n)
{
	uint32_t columns = 0;

	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && h[k].column == h[i].column; k++)
			;
		columns += print_column(f, job, columns, &h[i], k - i) > 0;
	}
	return columns;
}

char *dw_job_schedule(struct dw_job *job)
{
	const struct dw_history_run *h;
	char *text = NULL;
	size_t n, size;
	FILE *f;

	h = dw_core_history(job->engine->core, &n);
	if (!h || !job->recorded)
		return NULL;
	h += job->history_from;
	n -= job->history_from;
	f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	fprintf(f,
		"H has %u rows (disks) and %u columns (steps).\n"
		"Q, one column a line: column: disk x commands ...\n",
		job->n_disks, print_columns(NULL, job, h, n));
	print_columns(f, job, h, n);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Translates events of the core into public ones, and the state in the core into reports of
 * progress. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/resume.h"

#define REMAINING_EVERY 1 /* seconds */

static const uint8_t phases[] = {
	[DW_CORE_WAITING] = DW_PHASE_WAITING,   [DW_CORE_WRITE] = DW_PHASE_WRITE,
	[DW_CORE_SETTLE] = DW_PHASE_FLUSH,      [DW_CORE_FLUSH] = DW_PHASE_FLUSH,
	[DW_CORE_CONFIRM] = DW_PHASE_FLUSH,     [DW_CORE_VERIFY] = DW_PHASE_VERIFY,
	[DW_CORE_REPAIR] = DW_PHASE_REPAIR,     [DW_CORE_REVERIFY] = DW_PHASE_VERIFY,
	[DW_CORE_DONE] = DW_PHASE_DONE,         [DW_CORE_OPERATE] = DW_PHASE_SANITIZE,
	[DW_CORE_CYCLE] = DW_PHASE_POWER_CYCLE, [DW_CORE_CONTROL] = DW_PHASE_VERIFY,
	[DW_CORE_PLANT] = DW_PHASE_VERIFY,      [DW_CORE_FLOOD] = DW_PHASE_VERIFY,
	[DW_CORE_COMPARE] = DW_PHASE_VERIFY,    [DW_CORE_UNPLANT] = DW_PHASE_VERIFY,
};

static void fault_to_exception(const struct dw_fault *f, struct dw_exception *ret)
{
	*ret = (struct dw_exception){
		.lba = f->lba,
		.blocks = f->nlb,
		.kind = (enum dw_exception_kind)f->kind,
	};
	if (f->sense_key || f->asc)
		snprintf(ret->sense, sizeof(ret->sense), "%x/%02x/%02x", f->sense_key,
			 f->asc, f->ascq);
}

int job_exceptions(const struct dw_faults *faults, struct dw_exception **ret,
		   size_t *ret_n)
{
	*ret = NULL;
	*ret_n = faults->n;
	if (!faults->n)
		return 0;
	*ret = calloc(faults->n, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	for (uint32_t i = 0; i < faults->n; i++)
		fault_to_exception(&faults->v[i], &(*ret)[i]);
	return 0;
}

/* it is not done before its outcome is reported */
static enum dw_phase public_phase(const struct job_disk *d,
				  const struct dw_disk_state *st)
{
	if (st->phase == DW_CORE_DONE && !d->step.released)
		return DW_PHASE_FLUSH;
	if (st->paused)
		return DW_PHASE_PAUSED;
	return st->fenced ? DW_PHASE_RECOVER : (enum dw_phase)phases[st->phase];
}

/* of a disk that the core knows */
static void progress(const struct dw_job *job, uint32_t disk, struct dw_progress *ret)
{
	const struct dw_disk_state *st = job_disk_state(job->disk[disk]);
	const struct dw_disk_plan *p = job_disk_plan(job->disk[disk]);
	uint64_t left =
		st->work_total > st->work_done ? st->work_total - st->work_done : 0;

	*ret = (struct dw_progress){
		.phase = public_phase(job->disk[disk], st),
		.pass = st->pass,
		.n_passes = p->n_passes,
		.lba = st->position,
		.bytes_total = st->work_total * p->block_size,
		.bytes_done = (st->work_total - left) * p->block_size,
		.rate = st->phase == DW_CORE_DONE ? 0 : st->rate,
		.errors = st->trouble.retried + st->trouble.split + st->trouble.timeouts +
			  st->trouble.resets,
		.transfer_blocks = st->steer.transfer,
		.depth = st->steer.depth,
		.outcome = job->result.disk[disk].outcome,
	};
	for (uint32_t i = 0; i < st->faults.n; i++)
		ret->exceptions += (uint32_t)st->faults.v[i].nlb;
	ret->eta_seconds = -1;
}

int dw_job_progress(struct dw_job *job, uint32_t disk, struct dw_progress *ret)
{
	*ret = (struct dw_progress){ .phase = DW_PHASE_WAITING, .eta_seconds = -1 };
	if (disk >= job->n_disks)
		return -EINVAL;
	if (!job_reached(job, JOB_STARTED))
		return 0;
	progress(job, disk, ret);
	ret->eta_seconds = job_seconds_left(job, job->disk[disk], job_now(job));
	return 0;
}

int job_notice(struct dw_job *job, uint32_t disk, const char *fmt, ...)
{
	struct dw_event e = { .kind = DW_EVENT_NOTICE,
			      .disk = disk,
			      .seconds = dw_job_seconds(job) };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e.text, sizeof(e.text), fmt, ap);
	va_end(ap);
	if (disk != DW_EVENT_OF_JOB)
		progress(job, disk, &e.progress);
	return job_news_add(job, &e);
}

static struct timespec event_time(const struct dw_job *job, uint64_t now_ns)
{
	struct dw_world *w = job->engine->world;

	return w->ops->time_of_day(w, now_ns);
}

/* Reports the progress of a disk, and at most once a second the remaining time of the job. */
static int report_remaining(struct dw_job *job, const struct dw_event *of_disk)
{
	int r = job_news_add(job, of_disk);

	if (r < 0 || of_disk->seconds < job->eta.report_at)
		return r;
	job->eta.report_at = of_disk->seconds + REMAINING_EVERY;
	return job_news_add(job, &(struct dw_event){ .kind = DW_EVENT_REMAINING,
						     .disk = DW_EVENT_OF_JOB,
						     .seconds = of_disk->seconds });
}

static int take_event(struct job_disk *d, const struct dw_core_event *ce)
{
	static const uint8_t kinds[] = {
		[DW_CORE_EVENT_STARTED] = DW_EVENT_STARTED,
		[DW_CORE_EVENT_PHASE] = DW_EVENT_PASS,
		[DW_CORE_EVENT_PROGRESS] = DW_EVENT_PROGRESS,
		[DW_CORE_EVENT_NOTICE] = DW_EVENT_NOTICE,
		[DW_CORE_EVENT_FAULT] = DW_EVENT_EXCEPTION,
		[DW_CORE_EVENT_FLUSHED] = DW_EVENT_FLUSHED,
		[DW_CORE_EVENT_PAUSED] = DW_EVENT_PAUSED,
		[DW_CORE_EVENT_RESUMED] = DW_EVENT_RESUMED,
	};
	struct dw_job *job = d->job;
	struct dw_event e = { .disk = d->id,
			      .seconds = (double)(ce->now_ns - job->start_ns) / 1e9 };

	if (ce->kind == DW_CORE_EVENT_DONE)
		return job_end_begin(job, d, ce->now_ns);
	e.kind = (enum dw_event_kind)kinds[ce->kind];
	if (ce->kind == DW_CORE_EVENT_STARTED)
		job->result.disk[d->id].started = event_time(job, ce->now_ns);
	if (ce->kind == DW_CORE_EVENT_STARTED || ce->kind == DW_CORE_EVENT_PHASE ||
	    ce->kind == DW_CORE_EVENT_PAUSED || ce->kind == DW_CORE_EVENT_RESUMED)
		job_eta_event(d, ce->now_ns, ce->kind);
	progress(job, d->id, &e.progress);
	if (ce->kind == DW_CORE_EVENT_FAULT)
		fault_to_exception(&ce->fault, &e.exception);
	if (ce->kind == DW_CORE_EVENT_FLUSHED)
		e.progress.lba = ce->lba;
	snprintf(e.text, sizeof(e.text), "%s", ce->text);
	if (e.kind == DW_EVENT_FLUSHED && d->cache.unflushed)
		return 0;
	if (e.kind == DW_EVENT_FLUSHED && job->spec.state_file[0]) {
		d->kept.flushed = e;
		d->kept.is_flushed = true;
		return 0;
	}
	if (e.kind == DW_EVENT_PROGRESS)
		return report_remaining(job, &e);
	return job_news_add(job, &e);
}

int job_disk_done(struct dw_job *job, struct job_disk *d)
{
	struct dw_disk_result *r = &job->result.disk[d->id];
	struct dw_event e = {
		.kind = DW_EVENT_DISK_DONE,
		.disk = d->id,
		.seconds = (double)(d->end.now_ns - job->start_ns) / 1e9,
	};

	progress(job, d->id, &e.progress);
	if (r->commands)
		r->finished = event_time(job, d->end.now_ns);
	else
		r->started = (struct timespec){ 0 };
	snprintf(e.text, sizeof(e.text), "%s", r->reason);
	return job_news_add(job, &e);
}

int engine_take_events(struct dw_engine *e, int *ret_n)
{
	struct dw_core_event ce;
	int r = 0;

	for (; !r && dw_core_event(e->core, &ce); ++*ret_n) {
		r = take_event(e->disk[ce.disk], &ce);
		if (ce.kind == DW_CORE_EVENT_FLUSHED)
			e->disk[ce.disk]->job->state.wanted = true;
	}
	for (struct dw_job *job = e->looked; job && !r; job = job->in.next_looked) {
		r = job->state.wanted ? job_state_keep(job) : 0;
		job->state.wanted = false;
	}
	return r;
}

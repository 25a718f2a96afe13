/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disks that are added while others run, and requests for a single disk. Each request is posted
 * to the loop, so that any thread may make it. What a new disk has to be asked (its identity, its
 * users, whether its paths lead to one medium) is asked off the loop, and nothing of it is
 * written before the answers are known.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "engine/cycle.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/settle.h"
#include "engine/start.h"
#include "engine/resume.h"
#include "engine/units.h"

/**
 * struct task - a request
 * @ask: the request for disk @disk; NULL = @want is to be added
 * @priority: for a change of priority
 * @d: the new disk, claimed
 * @error: as dw_job_add() returns it, with @verdict
 */
struct task {
	struct dw_work work;
	struct dw_job *job;
	int (*ask)(const struct task *t, struct dw_core *core, uint32_t number);
	uint32_t disk;
	int32_t priority;
	struct dw_disk want;
	struct job_disk *d;
	struct dw_verdict verdict;
	int error;
};

static struct task *task_of(struct dw_work *w)
{
	return dw_container_of(w, struct task, work);
}

static void drop(struct dw_work *w)
{
	struct task *t = task_of(w);

	job_disk_free(t->d);
	free(t);
}

static int refuse(struct task *t, const char *reason)
{
	t->verdict = (struct dw_verdict){ .refusal = DW_REFUSAL_ERROR };
	snprintf(t->verdict.reason, sizeof(t->verdict.reason), "%s", reason);
	return 1;
}

/* Runs off the loop: the disk is claimed and planned, and nothing but the test block of its paths
 * was written. */
static void claim(struct dw_work *w)
{
	struct task *t = task_of(w);
	struct dw_job *job = t->job;
	struct dw_error err = { 0 };
	int r = job_disk_open(job, &t->want, &t->d, &t->verdict);

	if (!r)
		r = job_disk_fit(job, t->d, &t->verdict);
	if (!r)
		r = job_keep_key(job, &err);
	if (!r)
		r = job_disk_prove(t->d, &t->verdict);
	if (!r)
		r = job_resume_check(job, t->d);
	if (!r)
		r = job_prepare(t->d, &err);
	if (!r)
		r = job_settle_begin(job, t->d);
	if (r < 0 && r != -ENOMEM)
		r = refuse(t, err.reason[0] ? err.reason : strerror(-r));
	t->error = r;
}

static int report(struct dw_job *job, enum dw_event_kind kind, uint32_t disk,
		  const char *text)
{
	struct dw_event e = { .kind = kind,
			      .disk = disk,
			      .seconds = dw_job_seconds(job) };

	snprintf(e.text, sizeof(e.text), "%s", text);
	return job_news_add(job, &e);
}

/* Its claim is released off the loop as well. */
static void close_disk(struct dw_work *w)
{
	struct task *t = task_of(w);

	job_disk_free(t->d);
	t->d = NULL;
}

static int refused(struct dw_work *w)
{
	struct task *t = task_of(w);
	struct dw_job *job = t->job;
	const char *node = t->want.info.sg[0] ? t->want.info.sg : t->want.info.block;
	char text[256];
	int r = job_refuse(job, &t->want.info, &t->verdict);

	job->adding--;
	job_may_end(job);
	snprintf(text, sizeof(text), "%.60s: %.190s", node, t->verdict.reason);
	if (!r)
		r = report(job, DW_EVENT_REFUSED, DW_EVENT_OF_JOB, text);
	free(t);
	return r;
}

static int give_up(struct task *t)
{
	t->work.run = close_disk;
	t->work.done = refused;
	dw_loop_begin(t->job->engine->loop, &t->work);
	return 0;
}

/* its work begins */
static int enter(struct task *t)
{
	struct dw_job *job = t->job;
	struct job_disk *d = t->d;
	char node[64];
	int r = job_disk_keep(job, d);

	if (r < 0)
		return r;
	t->d = NULL; /* the job's */
	job->adding--;
	snprintf(node, sizeof(node), "%s", d->info.sg[0] ? d->info.sg : d->info.block);
	job_trace_joined(job, d);
	r = job_enter(d);
	if (!r)
		r = job_background_join(job);
	if (d->paths)
		engine_look_after(job);
	if (!r && job->stop)
		dw_core_stop(job->engine->core, d->place.number,
			     job->stop == JOB_ABORTED);
	if (!r)
		r = report(job, DW_EVENT_ADDED, d->id, node);
	return r ? r : job_state_keep(job);
}

static int claimed(struct dw_work *w)
{
	struct task *t = task_of(w);
	int r = t->error;

	if (!r && t->job->stop)
		r = refuse(t, "the job is being stopped");
	if (!r) {
		r = job_attach(t->d);
		if (r < 0 && r != -ENOMEM)
			r = refuse(t, strerror(-r));
	}
	if (r > 0)
		return give_up(t);
	if (!r)
		r = enter(t);
	drop(w);
	return r;
}

static int begin(struct dw_work *w)
{
	struct task *t = task_of(w);

	t->job->adding++;
	if (t->job->stop || job_reached(t->job, JOB_ENDING)) {
		refuse(t, "the job is being stopped");
		return refused(w);
	}
	w->run = claim;
	w->done = claimed;
	dw_loop_begin(t->job->engine->loop, w);
	return 0;
}

static int ask(struct dw_work *w)
{
	struct task *t = task_of(w);
	struct dw_job *job = t->job;
	int r = 0;

	if (t->disk < job->n_disks)
		r = t->ask(t, job->engine->core, job->disk[t->disk]->place.number);
	free(t);
	return r;
}

/* from any thread */
static int post(struct dw_job *job, const struct task *request)
{
	int stage = atomic_load(&job->stage);
	struct task *t;

	if (stage < JOB_STARTED || stage == JOB_OVER)
		return stage == JOB_OVER ? -ESHUTDOWN : -EINVAL;
	t = malloc(sizeof(*t));
	if (!t)
		return -ENOMEM;
	*t = *request;
	t->job = job;
	t->work.done = t->ask ? ask : begin;
	t->work.drop = drop;
	dw_loop_post(job->engine->loop, &t->work);
	return 0;
}

int dw_task_add(struct dw_job *job, const struct dw_disk *want)
{
	if (!job->engine->world->ops->open)
		return -EBUSY;
	return post(job, &(struct task){ .want = *want });
}

static int pause_it(const struct task *t, struct dw_core *core, uint32_t number)
{
	(void)t;
	dw_core_pause(core, number);
	return 0;
}

int dw_task_pause(struct dw_job *job, uint32_t disk)
{
	return post(job, &(struct task){ .ask = pause_it, .disk = disk });
}

static int resume_it(const struct task *t, struct dw_core *core, uint32_t number)
{
	(void)t;
	dw_core_resume(core, number);
	return 0;
}

int dw_task_resume(struct dw_job *job, uint32_t disk)
{
	return post(job, &(struct task){ .ask = resume_it, .disk = disk });
}

static int cancel_it(const struct task *t, struct dw_core *core, uint32_t number)
{
	t->job->disk[t->disk]->step.cancelled = true;
	dw_core_stop(core, number, false);
	job_cycle_stop(t->job->disk[t->disk]);
	return job_units_ended(t->job->disk[t->disk], true);
}

int dw_task_cancel(struct dw_job *job, uint32_t disk)
{
	return post(job, &(struct task){ .ask = cancel_it, .disk = disk });
}

static int raise_it(const struct task *t, struct dw_core *core, uint32_t number)
{
	return dw_core_priority(core, number, t->priority);
}

int dw_task_priority(struct dw_job *job, uint32_t disk, int32_t priority)
{
	return post(job, &(struct task){
				 .ask = raise_it, .disk = disk, .priority = priority });
}

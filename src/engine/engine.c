/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The engine of a process and its one loop: collect what has ended, step the core, submit its
 * ops, report to the callers. It blocks only in the wait for events. Only jobs that need regular
 * checks, and those that may have ended, cost time.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "diskwipe/engine.h"
#include "engine/cycle.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/paths.h"
#include "engine/resets.h"
#include "engine/resume.h"
#include "engine/slots.h"
#include "engine/stuck.h"
#include "engine/units.h"
#include "device/uevents.h"

#define BATCH 64
#define TURNS 256

int dw_engine_new(struct dw_engine **ret)
{
	struct dw_engine *e = calloc(1, sizeof(*e));
	int r = e ? dw_core_new(&e->core) : -ENOMEM;

	if (!r)
		r = dw_loop_new(&e->loop);
	if (!r)
		r = dw_world_disks(&e->world);
	if (r < 0) {
		dw_engine_free(e);
		return r;
	}
	e->wake_ns = e->overdue_ns = UINT64_MAX;
	*ret = e;
	return 0;
}

void dw_engine_free(struct dw_engine *e)
{
	if (!e)
		return;
	dw_loop_free(e->loop); /* work under way uses the disks */
	for (uint32_t i = 0; i < ENGINE_TRANSPORTS; i++)
		if (e->transport[i])
			e->transport[i]->ops->free(e->transport[i]);
	dw_workers_free(e->workers);
	while (e->jobs) {
		struct dw_job *job = e->jobs;

		e->jobs = job->in.next;
		job_free(job);
	}
	for (uint32_t i = 0; i < e->n_slots; i++) {
		if (e->slot[i])
			free(e->slot[i]->identify);
		free(e->slot[i]);
	}
	free(e->slot);
	free(e->local);
	free(e->disk);
	free(e->link);
	dw_uevents_free(e->uevents);
	if (e->world)
		e->world->ops->free(e->world);
	dw_core_free(e->core);
	free(e);
}

/* The loop reads the clock once a turn; events that come later belong to the next. */
uint64_t engine_clock(const struct dw_engine *e)
{
	return e->turn_ns ? e->turn_ns : e->world->ops->now(e->world);
}

/* whether the world's time passes in its transport's wait alone */
static bool keeps_time(const struct dw_engine *e)
{
	return e->transport[0] && e->transport[0]->ops->fd(e->transport[0]) < 0;
}

int engine_add_transport(struct dw_engine *e, uint32_t i, struct dw_transport *t)
{
	int r = dw_loop_watch(e->loop, t->ops->fd(t));

	if (r < 0)
		t->ops->free(t);
	else
		e->transport[i] = t;
	return r;
}

int engine_workers(struct dw_engine *e, struct dw_executor *ret)
{
	int r = e->workers ? 0 : dw_workers_new(0, &e->workers);

	if (!r)
		*ret = dw_workers_executor(e->workers);
	return r;
}

/* the list is in the order of their numbers, of which jobs of one group have the same */
void engine_take_job(struct dw_engine *e, struct dw_job *job)
{
	struct dw_job **at = &e->jobs;

	job->owner = 0;
	for (; *at && (*at)->owner <= job->owner; at = &(*at)->in.next)
		job->owner += (*at)->owner == job->owner;
	job->in.next = *at;
	*at = job;
}

static bool wants_looks(const struct dw_job *job)
{
	for (uint32_t i = 0; i < job->n_disks; i++)
		if (job->disk[i]->paths)
			return true;
	return job->spec.state_file[0] || job->spec.trace_file[0] ||
	       job->background.active;
}

void engine_look_after(struct dw_job *job)
{
	struct dw_engine *e = job->engine;

	if (job->in.looked)
		return;
	job->in.next_looked = e->looked;
	e->looked = job;
	job->in.looked = true;
}

void engine_begin_job(struct dw_job *job)
{
	struct dw_engine *e = job->engine;

	e->running++;
	if (wants_looks(job))
		engine_look_after(job);
	job_may_end(job);
	dw_loop_wake(e->loop); /* there is something to do */
}

void engine_end_job(struct dw_job *job)
{
	struct dw_engine *e = job->engine;

	e->running--;
	e->actionable++;
	for (struct dw_job **at = &e->looked; job->in.looked && *at;
	     at = &(*at)->in.next_looked)
		if (*at == job) {
			*at = job->in.next_looked;
			job->in.looked = false;
			break;
		}
}

static void unlink_job(struct dw_job *job)
{
	struct dw_engine *e = job->engine;
	struct dw_job **at = &e->jobs;

	while (*at != job)
		at = &(*at)->in.next;
	*at = job->in.next;
	for (at = &e->due; *at && *at != job; at = &(*at)->in.next_due)
		;
	if (*at)
		*at = job->in.next_due;
}

int dw_job_group(struct dw_job *job, uint32_t group)
{
	struct dw_job *other = job->engine->jobs;

	if (job_reached(job, JOB_STARTED))
		return -EBUSY;
	while (other && (other == job || other->group != group))
		other = other->in.next;
	job->group = group;
	if (!group || !other)
		return 0;
	unlink_job(job);
	job->owner = other->owner;
	job->in.next = other->in.next;
	other->in.next = job;
	return 0;
}

bool engine_forget_job(struct dw_job *job)
{
	struct dw_engine *e = job->engine;
	int n = 0;

	if (job_runs(job) && !e->error) {
		job->held = false;
		dw_job_abort(job);
		while (!job_reached(job, JOB_OVER) && !engine_turn(e, -1))
			;
	}
	if (job_runs(job))
		return false;
	dw_loop_collect(e->loop, &n); /* Handles what was posted to the loop. */
	unlink_job(job);
	return true;
}

void job_may_end(struct dw_job *job)
{
	if (job->in.due || !job_runs(job))
		return;
	job->in.due = true;
	job->in.next_due = job->engine->due;
	job->engine->due = job;
}

static void end_due_jobs(struct dw_engine *e)
{
	while (e->due) {
		struct dw_job *job = e->due;

		e->due = job->in.next_due;
		job->in.due = false;
		if (job_may_finish(job))
			job_finish(job);
	}
}

static int send_all(struct dw_engine *e)
{
	bool used[ENGINE_TRANSPORTS] = { false };
	struct dw_op op;
	int r = 0;

	while (!r && dw_core_op(e->core, &op)) {
		const struct dw_transport *t = e->disk[op.disk]->place.transport;

		for (uint32_t i = 0; i < ENGINE_TRANSPORTS; i++)
			used[i] |= t && t == e->transport[i];
		r = job_submit(e, &op);
	}
	for (uint32_t i = 0; i < ENGINE_TRANSPORTS; i++)
		if (used[i])
			e->transport[i]->ops->flush(e->transport[i]);
	return r;
}

/* The time of the next call that is needed without an event of a disk. */
static uint64_t next_timer(const struct dw_engine *e)
{
	uint64_t ns = dw_min_u64(dw_core_timer(e->core), e->wake_ns);

	if (e->n_local)
		return 0;
	for (const struct dw_job *job = e->looked; job; job = job->in.next_looked) {
		ns = dw_min_u64(ns, job_background_timer(job));
		ns = dw_min_u64(ns, dw_min_u64(job->paths_ns, job->cycle_ns));
		if (job->state.under_way)
			ns = dw_min_u64(ns, job->state.late_ns);
	}
	return ns;
}

static int collect_from(struct dw_engine *e, struct dw_transport *t, uint64_t deadline_ns,
			int *ret_n)
{
	struct dw_completion done[BATCH];
	int n, r = 0;

	if (!t)
		return 0;
	n = t->ops->reap(t, done, BATCH, deadline_ns);
	if (n < 0)
		return n == -EINTR ? 0 : n;
	for (int i = 0; i < n && e->turn_ns; i++)
		e->turn_ns = dw_max_u64(e->turn_ns, done[i].end_ns);
	for (int i = 0; i < n && !r; i++)
		r = job_complete(e, &done[i]);
	*ret_n += n;
	return r;
}

static int collect_local(struct dw_engine *e, int *ret_n)
{
	int r = 0;

	for (uint32_t i = 0; i < e->n_local && !r; i++)
		r = dw_core_result(e->core, &e->local[i], engine_clock(e));
	*ret_n += (int)e->n_local;
	e->n_local = 0;
	return r;
}

/* @deadline_ns: of a transport that does its own waiting */
static int collect_all(struct dw_engine *e, uint64_t deadline_ns, int *ret_n)
{
	int r = 0;

	for (uint32_t i = 0; i < ENGINE_TRANSPORTS && !r; i++)
		r = collect_from(e, e->transport[i], deadline_ns, ret_n);
	if (!r)
		r = collect_local(e, ret_n);
	return r ? r : dw_loop_collect(e->loop, ret_n);
}

/* Handles the events. */
static int handle_due(struct dw_engine *e)
{
	uint64_t now_ns = engine_clock(e);
	int r = 0;

	engine_take_news(e, now_ns);
	for (struct dw_job *job = e->looked; job && !r; job = job->in.next_looked) {
		job_paths_look(job, now_ns);
		r = job_background_look(job, now_ns);
		if (!r)
			r = job_cycles_look(job, now_ns);
		if (!r)
			r = job_state_look(job, now_ns);
		if (!r)
			r = job_trace_look(job, now_ns);
	}
	if (!r && now_ns >= e->overdue_ns)
		r = engine_overdue_look(e, now_ns);
	if (!r)
		r = dw_core_step(e->core, now_ns);
	return r ? r : send_all(e);
}

static bool is_idle(const struct dw_engine *e)
{
	return dw_core_done(e->core) && e->wake_ns == UINT64_MAX;
}

/* nothing came although the wait had no end: the transport has lost a command */
static bool lost(const struct dw_engine *e)
{
	return dw_core_inflight(e->core) > job_units_paused(e) &&
	       next_timer(e) == UINT64_MAX;
}

/* where the wait is the transport's, time passes in nothing else */
static int turn_virtual(struct dw_engine *e)
{
	int n = 0, events = 0, r = handle_due(e);
	bool stuck;

	if (!r && e->world->ops->leap && !is_idle(e))
		r = e->world->ops->leap(e->world, e);
	if (!r)
		r = collect_all(e, is_idle(e) ? 0 : next_timer(e), &n);
	stuck = !n && (dw_core_stalled(e->core) || lost(e));
	if (e->world->ops->now(e->world) >= e->wake_ns)
		e->wake_ns = UINT64_MAX;
	if (!r)
		r = engine_take_events(e, &events);
	if (!r && stuck && !events)
		r = engine_stuck(e);
	if (!r)
		end_due_jobs(e);
	return r;
}

/* Completions need no second check before the wait: later ones make the transport's descriptor
 * readable. It does not wait while there is something to report. */
static int turn_real(struct dw_engine *e, int timeout_ms)
{
	int n = 0, events = 0, r;
	uint64_t timer_ns;

	e->turn_ns = e->world->ops->now(e->world);
	r = collect_all(e, 0, &n);
	if (!r)
		r = handle_due(e);
	if (!r)
		r = engine_take_events(e, &events);
	if (r < 0) {
		e->turn_ns = 0;
		return r;
	}
	end_due_jobs(e);
	timer_ns = next_timer(e);
	dw_loop_arm(e->loop, dw_min_u64(timer_ns, engine_overdue_timer(e, e->turn_ns)));
	if (!events && !e->actionable && engine_is_stuck(e, timer_ns))
		r = engine_stuck(e);
	e->turn_ns = 0;
	if (!r && !events && !e->actionable)
		dw_loop_wait(e->loop, timeout_ms);
	return r;
}

int engine_turn(struct dw_engine *e, int timeout_ms)
{
	int r;

	if (e->error)
		return e->error;
	e->actionable = 0;
	r = keeps_time(e) ? turn_virtual(e) : turn_real(e, timeout_ms);
	e->error = e->error ? e->error : r;
	return e->error;
}

/* where waiting takes no time, a call may as well do more */
int dw_engine_step(struct dw_engine *e, int timeout_ms)
{
	bool sleeps = e->wake_ns != UINT64_MAX;
	int r = engine_turn(e, e->running || e->discoveries ? timeout_ms : 0);

	for (int i = 1; i < TURNS && !r && keeps_time(e); i++) {
		if (sleeps ? e->wake_ns == UINT64_MAX : !e->running)
			break;
		r = engine_turn(e, 0);
	}
	return r ? r : e->running || e->discoveries;
}

int dw_engine_fd(const struct dw_engine *e)
{
	return dw_loop_fd(e->loop);
}

void dw_engine_wake(struct dw_engine *e)
{
	dw_loop_wake(e->loop);
}

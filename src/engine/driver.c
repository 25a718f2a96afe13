/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one loop: collect what came back, step the core, submit what it says, tell who wants to
 * know. It blocks nowhere but in the wait for news.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "engine/internal.h"
#include "own/claim.h"

#define BATCH 64
#define TURNS 256

static uint64_t read_clock(const struct dw_job *job)
{
	struct dw_transport *t = job->scsi ? job->scsi : job->block;

	return t->ops->now(t);
}

/* The loop reads the clock once in a turn, and again when completions have come. */
uint64_t job_clock(const struct dw_job *job)
{
	return job->turn_ns ? job->turn_ns : read_clock(job);
}

static int send_all(struct dw_job *job)
{
	struct dw_op op;
	bool scsi = false, block = false;
	int r = 0;

	while (!r && dw_core_op(job->core, &op)) {
		scsi |= job->disk[op.disk]->transport == job->scsi;
		block |= job->disk[op.disk]->transport == job->block;
		r = job_submit(job, &op);
	}
	if (scsi && job->scsi)
		job->scsi->ops->flush(job->scsi);
	if (block && job->block)
		job->block->ops->flush(job->block);
	return r;
}

/* when somebody wants to be called without news of a disk */
static uint64_t next_timer(const struct dw_job *job)
{
	uint64_t ns = dw_min_u64(dw_core_timer(job->core), job_background_timer(job));

	if (job->n_local)
		return 0;
	return job->state.under_way ? dw_min_u64(ns, job->state.late_ns) : ns;
}

/* a transport without a descriptor does its own waiting */
static bool waits_itself(struct dw_transport *t)
{
	return t && t->ops->fd(t) < 0;
}

static int collect(struct dw_job *job, struct dw_transport *t, uint64_t deadline_ns,
		   int *ret_n)
{
	struct dw_completion done[BATCH];
	int n, r = 0;

	if (!t)
		return 0;
	n = t->ops->reap(t, done, BATCH, deadline_ns);
	if (n < 0)
		return n == -EINTR ? 0 : n;
	if (n && job->turn_ns)
		job->turn_ns = read_clock(job);
	for (int i = 0; i < n && !r; i++)
		r = job_complete(job, &done[i]);
	*ret_n += n;
	return r;
}

static int collect_local(struct dw_job *job, int *ret_n)
{
	int r = 0;

	for (uint32_t i = 0; i < job->n_local && !r; i++)
		r = dw_core_result(job->core, &job->local[i], job_clock(job));
	*ret_n += (int)job->n_local;
	job->n_local = 0;
	return r;
}

static int collect_all(struct dw_job *job, int *ret_n)
{
	uint64_t deadline = 0;
	int r;

	if (waits_itself(job->scsi) && !job->n_local && !dw_core_done(job->core))
		deadline = next_timer(job);
	r = collect(job, job->scsi, deadline, ret_n);
	if (!r)
		r = collect(job, job->block, 0, ret_n);
	if (!r)
		r = collect_local(job, ret_n);
	if (!r)
		r = dw_loop_collect(job->loop, ret_n);
	return r;
}

/* a stop: what waits in the transports comes back at once on abort */
static void cancel_all(struct dw_job *job)
{
	for (uint32_t i = 0; i < job->n_disks; i++) {
		struct dw_transport *t = job->disk[i]->transport;

		if (t)
			t->ops->cancel(t, job->disk[i]->handle);
	}
}

static void finish(struct dw_job *job)
{
	int r;

	job->result.finished = job_time_of_day(job, job_clock(job));
	job->result.seconds = (double)(job_clock(job) - job->start_ns) / 1e9;
	job_background_end(job, job_clock(job));
	job_final(job);
	if (job->trace)
		dw_trace_end(job->trace, job->result.outcome, job_clock(job));
	r = dw_trace_close(job->trace);
	if (r < 0 && !job->result.trace_error)
		job->result.trace_error = r;
	job->trace = NULL;
	job->over = true;
	atomic_store(&job->stage, JOB_OVER);
}

static bool any_is_paused(const struct dw_job *job)
{
	for (uint32_t i = 0; i < job->n_disks; i++)
		if (dw_core_state(job->core, job->disk[i]->id)->paused)
			return true;
	return false;
}

/* nothing came though the wait had no end: the transport has lost a command, unless it is the
 * caller's turn */
static bool lost(const struct dw_job *job)
{
	return waits_itself(job->scsi) && next_timer(job) == UINT64_MAX &&
	       !any_is_paused(job);
}

/* what is to be done with what has come */
static int go_on(struct dw_job *job)
{
	int r;

	job_resets_hear(job, job_clock(job));
	r = job_background_look(job, job_clock(job));
	if (!r)
		r = job_state_look(job, job_clock(job));
	if (!r)
		r = dw_core_step(job->core, job_clock(job));
	return r ? r : send_all(job);
}

/* everything is done, given back and on record */
static bool is_over(const struct dw_job *job)
{
	return dw_core_done(job->core) && !job->ending && !job->adding &&
	       !job->state.under_way && (!job->held || job->stopping);
}

/* where the wait is the transport's, time passes in nothing else */
static int turn_virtual(struct dw_job *job)
{
	int n = 0, r = go_on(job);

	if (!r && job->virtual.between && !dw_core_done(job->core))
		r = job->virtual.between(job->scsi, job);
	if (!r)
		r = collect_all(job, &n);
	if (!r && !n && !dw_core_done(job->core) &&
	    (dw_core_stalled(job->core) || lost(job)))
		return -EDEADLK;
	return r ? r : job_take_events(job, &n);
}

/* Completions need no second look before the wait: what comes after them makes the transport's
 * descriptor readable. Nobody waits who has something to tell. */
static int turn_real(struct dw_job *job, int timeout_ms)
{
	int n = 0, told = 0, r;

	job->turn_ns = read_clock(job);
	r = collect_all(job, &n);
	if (!r)
		r = go_on(job);
	if (!r)
		r = job_take_events(job, &told);
	if (!r && !is_over(job)) {
		if (!n && !told && dw_core_stalled(job->core))
			r = -EDEADLK;
		dw_loop_arm(job->loop, next_timer(job));
	}
	job->turn_ns = 0;
	if (!r && !told && !is_over(job) && !dw_core_stalled(job->core))
		dw_loop_wait(job->loop, timeout_ms);
	return r;
}

static int turn(struct dw_job *job, int timeout_ms)
{
	if (job->over || !job->started)
		return job->over ? 0 : -EINVAL;
	if (!job->error)
		job->error = waits_itself(job->scsi) ? turn_virtual(job)
						     : turn_real(job, timeout_ms);
	if (job->error)
		return job->error;
	if (!is_over(job))
		return 1;
	finish(job);
	return 0;
}

int dw_job_step(struct dw_job *job, int timeout_ms)
{
	int r = turn(job, timeout_ms);

	/* where waiting takes no time, a call may as well do more */
	for (int i = 1; i < TURNS && r == 1 && waits_itself(job->scsi); i++)
		r = turn(job, timeout_ms);
	return r;
}

uint64_t job_now(const struct dw_job *job)
{
	return job->started ? job_clock(job) : 0;
}

double dw_job_seconds(struct dw_job *job)
{
	return job->started ? (double)(job_clock(job) - job->start_ns) / 1e9 : 0;
}

int dw_job_fd(struct dw_job *job)
{
	return dw_loop_fd(job->loop);
}

void dw_job_stop(struct dw_job *job)
{
	job->stopping = true;
	dw_core_stop_all(job->core, false);
	dw_loop_wake(job->loop);
}

void dw_job_abort(struct dw_job *job)
{
	job->stopping = job->aborting = true;
	dw_core_stop_all(job->core, true);
	if (job->started && !job->over)
		cancel_all(job);
	dw_loop_wake(job->loop);
}

void dw_job_wake(struct dw_job *job)
{
	dw_loop_wake(job->loop);
}

static void print_column(FILE *f, const struct dw_history_run *run, size_t n)
{
	fprintf(f, "%u:", run[0].column);
	for (size_t i = 0; i < n; i++)
		fprintf(f, " %u x %llu", run[i].disk, (unsigned long long)run[i].count);
	fputc('\n', f);
}

char *dw_job_schedule(struct dw_job *job)
{
	size_t n, size;
	const struct dw_history_run *h = dw_core_history(job->core, &n);
	char *text = NULL;
	FILE *f;

	if (!h)
		return NULL;
	f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	fprintf(f,
		"H has %u rows (disks) and %u columns (steps).\n"
		"Q, one column a line: column: disk x commands ...\n",
		job->n_disks, n ? h[n - 1].column + 1 : 0);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && h[k].column == h[i].column; k++)
			;
		print_column(f, &h[i], k - i);
	}
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Work is left, but nothing can wake the loop: nothing is at a device, no thread works off the
 * loop, no timer is set, and no descriptor can become readable. That is always a bug of the core,
 * of a transport, or between them. It does not depend on time, so that nothing slow is taken for
 * it. The jobs then end as if they had been stopped, with what is known of each disk, and their
 * state files have what was done.
 */
#include <errno.h>
#include <stdio.h>

#include "base/util.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/outcome.h"
#include "engine/stuck.h"
#include "engine/units.h"

/*
 * The kernel ends each command at its time limit, aborts it and resets what has to be reset. Some
 * drivers start the limit again each time (virtio_scsi), and an adapter that hangs holds up the
 * error handler for as long: then no command of a disk ends, at 0 B/s and without an error. There
 * is nothing that a program can do about it, but its user has to know where the cause is.
 */

#define LOOK_NS (30 * DW_NS_PER_S)
/* an error handler aborts and resets for so long */
#define OVERDUE_NS (120 * DW_NS_PER_S)
#define LOOKS      2

/* A command may go over each of several paths in turn, and has as much time on each. */
static uint64_t margin_ns(const struct job_disk *d)
{
	return OVERDUE_NS * (d->paths ? DW_PATHS_MAX : 1);
}

/* Reported when it is found twice: a program that was stopped meanwhile, and the machine with it,
 * finds commands that have ended and of which its threads have not heard yet. */
static int look(struct dw_job *job, struct job_disk *d, uint64_t now_ns)
{
	struct dw_transport *t = d->place.transport;
	uint32_t found = d->place.overdue;
	struct dw_transport_count n = { 0 };

	if (!t || !d->place.entered || !d->place.attached || !t->ops->count)
		return 0;
	t->ops->count(t, d->place.handle, &n);
	if (!n.due_ns || now_ns < n.due_ns || now_ns - n.due_ns < margin_ns(d)) {
		d->place.overdue = 0;
		return found < LOOKS ? 0
				     : job_notice(job, d->id,
						  "the kernel has ended the command that "
						  "was overdue");
	}
	if (found >= LOOKS || ++d->place.overdue < LOOKS)
		return 0;
	return job_notice(
		job, d->id,
		"no answer, %llu s after the time limit of a command: the kernel or the "
		"adapter does not end it; if it stays so, pull the disk or restart the "
		"machine",
		(unsigned long long)((now_ns - n.due_ns) / DW_NS_PER_S));
}

int engine_overdue_look(struct dw_engine *e, uint64_t now_ns)
{
	int r = 0;

	for (struct dw_job *job = e->jobs; job; job = job->in.next)
		for (uint32_t i = 0; i < job->n_disks && job_runs(job) && !r; i++)
			r = look(job, job->disk[i], now_ns);
	return r;
}

uint64_t engine_overdue_timer(struct dw_engine *e, uint64_t now_ns)
{
	if (!dw_core_inflight(e->core))
		e->overdue_ns = UINT64_MAX;
	else if (e->overdue_ns == UINT64_MAX || now_ns >= e->overdue_ns)
		e->overdue_ns = now_ns + LOOK_NS;
	return e->overdue_ns;
}

static bool is_quiet(const struct dw_engine *e)
{
	for (uint32_t i = 0; i < ENGINE_TRANSPORTS; i++) {
		struct dw_transport *t = e->transport[i];

		if (t && (!t->ops->quiet || !t->ops->quiet(t)))
			return false;
	}
	return true;
}

/* Threads off the loop signal before they end: so they are asked first. */
bool engine_is_stuck(const struct dw_engine *e, uint64_t timer_ns)
{
	if (timer_ns != UINT64_MAX || dw_loop_at_work(e->loop))
		return false;
	return dw_core_stalled(e->core) ||
	       (dw_core_inflight(e->core) > job_units_paused(e) && is_quiet(e));
}

static void describe_disk(const struct job_disk *d, char *buf, size_t size)
{
	struct dw_transport *t = d->place.transport;
	struct dw_transport_count n = { 0 };
	char core[96];

	dw_core_describe(d->job->engine->core, d->place.number, core, sizeof(core));
	if (t && t->ops->count)
		t->ops->count(t, d->place.handle, &n);
	snprintf(buf, size, "%s; transport: %u submitted, %u in line, %u at the device%s",
		 core, n.submitted, n.waiting, n.at_device, n.fenced ? ", fenced" : "");
}

/* A disk that is being released, or was, has its outcome. */
static void end_disk(struct dw_job *job, struct job_disk *d)
{
	struct dw_disk_result *r = &job->result.disk[d->id];
	char text[192];

	if (!d->place.entered || job_disk_state(d)->phase == DW_CORE_DONE)
		return;
	job_outcome(job, d);
	describe_disk(d, text, sizeof(text));
	r->outcome = DW_OUTCOME_STOPPED;
	snprintf(r->reason, sizeof(r->reason), "internal error, nothing goes on: %s",
		 text);
	job_notice(job, d->id, "%.250s", r->reason);
}

static void end_job(struct dw_job *job, uint64_t now_ns)
{
	struct dw_world *w = job->engine->world;

	for (uint32_t i = 0; i < job->n_disks; i++)
		end_disk(job, job->disk[i]);
	job->result.finished = w->ops->time_of_day(w, now_ns);
	job->result.seconds = (double)(now_ns - job->start_ns) / 1e9;
	job_final(job);
	job_notice(
		job, DW_EVENT_OF_JOB,
		"internal error, nothing goes on though work is left; what was flushed is in "
		"the state file: resume the job, and report this, please");
}

int engine_stuck(struct dw_engine *e)
{
	uint64_t now_ns = engine_clock(e);

	for (struct dw_job *job = e->jobs; job; job = job->in.next)
		if (job_runs(job))
			end_job(job, now_ns);
	return -EDEADLK;
}

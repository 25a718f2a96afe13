/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel ends each command at its time limit, aborts it and resets what has to be reset. Some
 * drivers start the limit again each time (virtio_scsi), and an adapter that hangs holds up the
 * error handler for as long: then no command of a disk ends, at 0 B/s and without an error. There
 * is nothing that a program can do about it, but its user has to know where the cause is.
 */
#include "base/util.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/overdue.h"

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

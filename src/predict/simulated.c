/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simulator as predictor: the job that would be done, on simulated disks, and when each
 * of them ends. What it may cost is bounded by the number of commands beforehand, and by the
 * steps of the loop in case that was wrong.
 */
#include <errno.h>
#include <math.h>

#include "base/util.h"
#include "predict/predict.h"

#define BUDGET    300000.0 /* commands: about 0.2 s */
#define STEPS_MAX 3000     /* of up to 256 turns of the loop */
#define PATIENCE  7        /* times as much where nobody waits */
#define PATIENT   2 /* and that many times the steps: they are as dear as commands */
#define RUNS      20000.0 /* commands of a phase in a coarse simulation, about */

static double cost(const struct pf_job *j, bool coarse)
{
	double n = 0;

	for (uint32_t i = 0; i < j->n; i++) {
		double own = j->disk[i].cost.commands;

		n += coarse ? fmin(own, RUNS * j->disk[i].cost.n_phases) : own;
	}
	return n;
}

/* of work of its own the disk only tells now and then how far it is */
static void note_place(struct dw_job *job, uint32_t disk, struct dw_course *c)
{
	const struct dw_disk_state *st = job_disk_state(job->disk[disk]);
	double share =
		st->work_total ? (double)st->work_done / (double)st->work_total : 1;

	if (c->points && !(c->finish > 0) &&
	    (st->phase != DW_CORE_OPERATE || share > c->share))
		dw_course_note(c, share, dw_job_seconds(job));
}

static void note_events(struct dw_job *job, struct pf_times *times)
{
	struct dw_event e;

	while (job_news_next(job, &e)) {
		if (e.kind == DW_EVENT_STARTED)
			dw_course_begin(&times[e.disk].course,
					e.progress.bytes_total
						? (double)e.progress.bytes_done /
							  (double)e.progress.bytes_total
						: 0,
					e.seconds);
		else if (e.kind == DW_EVENT_DISK_DONE)
			dw_course_end(&times[e.disk].course, e.seconds);
	}
	for (uint32_t i = 0; i < job->n_disks; i++)
		note_place(job, i, &times[i].course);
}

static int step_job(struct dw_job *job, struct pf_times *times, uint32_t most)
{
	int r = 1;

	for (uint32_t k = 0; r == 1 && k < most; k++) {
		r = dw_job_step(job, 0);
		note_events(job, times);
	}
	return r;
}

int pf_simulate(const struct pf_job *j, bool coarse, struct pf_times *ret_times,
		double *ret_seconds)
{
	const struct dw_job_result *result;
	struct dw_job *job;
	int r;

	if (cost(j, coarse) > BUDGET * (j->patient ? PATIENCE : 1))
		return 1;
	r = pf_virtual_job(&j->spec, j->real, j->station, coarse, &job, NULL);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < j->n; i++)
		dw_job_expect(job, j->order[i], 1 + j->n - i);
	r = dw_job_start(job, NULL);
	if (!r)
		r = step_job(job, ret_times, STEPS_MAX * (j->patient ? PATIENT : 1));
	result = dw_job_result(job);
	for (uint32_t i = 0; i < j->n && !r; i++) {
		const struct dw_disk_result *d = &result->disk[i];

		ret_times[i].start = ret_times[i].course.start;
		ret_times[i].finish = ret_times[i].course.finish;
		ret_times[i].phase = (struct dw_phase_seconds){
			.write = d->seconds - d->waited_seconds - d->flush_seconds -
				 d->verify_seconds,
			.flush = d->flush_seconds,
			.verify = d->verify_seconds,
		};
	}
	*ret_seconds = result->seconds;
	dw_job_free(job);
	return r;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simulator as predictor: the job that would be done, on simulated disks, and when each
 * of them ends. What it may cost is bounded by the number of commands beforehand, and by the
 * steps of the loop in case that was wrong.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forecast/predict.h"

#define BUDGET    300000.0 /* commands: about 0.2 s */
#define STEPS_MAX 3000     /* of up to 256 turns of the loop */
#define PATIENCE  7        /* times as much where nobody waits */
#define PATIENT   2 /* and that many times the steps: they are as dear as commands */
#define RUNS      20000.0 /* commands of a phase in a coarse simulation, about */
#define RUNS_MAX  3       /* simulations with other seeds */
#define AGREE     0.005   /* share of a disk's time: two runs say the same */

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

static int simulate_once(const struct pf_job *j, bool coarse, uint64_t seed,
			 struct pf_times *times, double *ret_seconds)
{
	const struct dw_job_result *result;
	struct dw_job *job;
	int r = pf_virtual_job(&j->spec, j->real, j->station, coarse, seed, &job, NULL);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < j->n; i++)
		dw_job_expect(job, j->order[i], 1 + j->n - i);
	r = dw_job_start(job, NULL);
	if (!r)
		r = step_job(job, times, STEPS_MAX * (j->patient ? PATIENT : 1));
	result = dw_job_result(job);
	for (uint32_t i = 0; i < j->n && !r; i++) {
		const struct dw_disk_result *d = &result->disk[i];

		times[i].start = times[i].course.start;
		times[i].finish = times[i].course.finish;
		times[i].phase = (struct dw_phase_seconds){
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

static double range_of(const double *v)
{
	return fmax(fmax(v[0], v[1]), v[2]) - fmin(fmin(v[0], v[1]), v[2]);
}

static uint32_t median_of(const double *v)
{
	for (uint32_t k = 0; k < RUNS_MAX; k++)
		if ((v[k] - v[(k + 1) % RUNS_MAX]) * (v[k] - v[(k + 2) % RUNS_MAX]) <= 0)
			return k;
	return 0;
}

static bool agree(const struct pf_times *a, const struct pf_times *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (fabs(a[i].finish - b[i].finish) > AGREE * a[i].finish)
			return false;
	return true;
}

/* of three runs the median, disk by disk: the job ends with the last of them at the earliest */
static void take_medians(uint32_t n, struct pf_times *const *run, const double *seconds,
			 struct pf_times *ret, double *ret_seconds)
{
	*ret_seconds = seconds[median_of(seconds)];
	ret[n].chance = range_of(seconds) / *ret_seconds;
	for (uint32_t i = 0; i < n; i++) {
		double finish[RUNS_MAX];

		for (uint32_t k = 0; k < RUNS_MAX; k++)
			finish[k] = run[k][i].finish;
		ret[i] = run[median_of(finish)][i];
		ret[i].chance = range_of(finish) / ret[i].finish;
		*ret_seconds = fmax(*ret_seconds, ret[i].finish);
	}
}

/* Where commands collide, chance decides much: one run more shows whether, and then a third. */
int pf_simulate(const struct pf_job *j, bool coarse, struct pf_times *ret_times,
		double *ret_seconds)
{
	struct pf_times *run[RUNS_MAX], *all;
	double seconds[RUNS_MAX];
	size_t done = 0, each = j->n + 1;
	int r = 0;

	if (cost(j, coarse) > BUDGET * (j->patient ? PATIENCE : 1))
		return 1;
	all = calloc(RUNS_MAX * each, sizeof(*all));
	if (!all)
		return -ENOMEM;
	while (done < RUNS_MAX) {
		run[done] = all + done * each;
		r = simulate_once(j, coarse, done + 1, run[done], &seconds[done]);
		if (r)
			break;
		done++;
		if (done == 2 && agree(run[0], run[1], j->n))
			break;
	}
	if (done == RUNS_MAX) {
		take_medians(j->n, run, seconds, ret_times, ret_seconds);
	} else if (done) {
		memcpy(ret_times, all, j->n * sizeof(*all));
		*ret_seconds = seconds[0];
	}
	free(all);
	return r < 0 || !done ? r : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Admission. On a bus that all share, a disk that takes long by itself falls behind while
 * many short ones take their part, and is left over at the end: fewer at once, the long ones
 * first, can be quicker. Where disks are alike all at once is as quick as anything. Longest
 * first is a start (Graham: at most 4/3 - 1/3k of the optimum for k slots); exchanges of two
 * places improve it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/util.h"
#include "forecast/forecast.h"

#define ENOUGH   0.001 /* share of the time that is not worth more search */
#define RUNS     6000  /* disks times schedules that are compared, about */
#define RUNS_MIN 24
#define RUNS_MAX 400
#define WIDTHS   48 /* numbers of disks at once that are tried */

struct search {
	struct pf_job *j;
	struct pf_times *times;
	uint32_t tried;
	uint32_t most;
	double mean;
};

static int try_slots(struct search *s, uint32_t slots, double *ret)
{
	double sum = 0;
	int r;

	s->j->slots = slots;
	s->tried++;
	r = pf_shared(s->j, s->times, ret);
	for (uint32_t i = 0; i < s->j->n; i++)
		sum += s->times[i].finish;
	s->mean = sum / s->j->n;
	return r;
}

/* number @i of those that are tried: all when they are few, else ever fewer */
static uint32_t width(uint32_t n, uint32_t i)
{
	if (n <= WIDTHS)
		return i + 1;
	return (uint32_t)ceil(pow(n, (i + 1.0) / WIDTHS));
}

static int widths(struct search *s, struct dw_admission *a)
{
	uint32_t n = s->j->n, count = (uint32_t)dw_min_u64(n, WIDTHS);
	double v[WIDTHS], mean[WIDTHS], best = INFINITY;
	int r = 0;

	a->mean_best = INFINITY;
	for (uint32_t i = 0; i < count && !r; i++) {
		r = try_slots(s, width(n, i), &v[i]);
		mean[i] = s->mean;
		best = fmin(best, v[i]);
	}
	for (uint32_t i = 0; i < count && !r; i++) {
		if (v[i] > best * (1 + ENOUGH) || mean[i] >= a->mean_best)
			continue;
		a->active = width(n, i);
		a->best = v[i];
		a->mean_best = mean[i];
	}
	return r;
}

static void swap(uint32_t *order, uint32_t a, uint32_t b)
{
	uint32_t t = order[a];

	order[a] = order[b];
	order[b] = t;
}

/* exchange two places as long as that helps and the bound is not reached */
static int exchange(struct search *s, struct dw_admission *a)
{
	struct dw_rng rng;
	int r = 0;

	dw_rng_seed(&rng, 1);
	while (!r && s->tried < s->most && a->active < s->j->n &&
	       a->best > a->bound * (1 + ENOUGH)) {
		uint32_t x = (uint32_t)dw_rng_below(&rng, s->j->n);
		uint32_t y = (uint32_t)dw_rng_below(&rng, s->j->n);
		double v;

		swap(s->j->order, x, y);
		r = try_slots(s, a->active, &v);
		if (!r && v < a->best) {
			a->best = v;
			a->mean_best = s->mean;
		} else {
			swap(s->j->order, x, y);
		}
	}
	return r;
}

/* a job of k slots has the bound sum/k as well, but k is ours to choose */
static int lower_bound(struct pf_job *j, struct dw_admission *a)
{
	struct dw_forecast f = { .n = j->n };
	int r;

	f.disk = calloc(j->n + 1, sizeof(*f.disk));
	if (!f.disk)
		return -ENOMEM;
	for (uint32_t i = 0; i < j->n; i++)
		snprintf(f.disk[i].device, sizeof(f.disk[i].device), "%s",
			 j->disk[i].spec->name);
	j->slots = j->n;
	r = pf_bounds(j, &f);
	a->bound = f.t_min;
	memcpy(a->binding, f.binding, sizeof(a->binding));
	free(f.disk);
	return r;
}

static int search(struct search *s, struct dw_admission *a)
{
	int r = lower_bound(s->j, a);

	if (!r)
		r = try_slots(s, s->j->n, &a->at_once);
	a->mean_at_once = s->mean;
	if (!r)
		r = widths(s, a);
	if (!r)
		r = exchange(s, a);
	a->tried = s->tried;
	a->n = s->j->n;
	a->order = s->j->order;
	s->j->order = NULL;
	return r;
}

int dw_forecast_admit(const struct dw_job_spec *spec, struct dw_job *job,
		      const struct dw_station *station, struct dw_admission *ret,
		      struct dw_error *err)
{
	struct dw_job_spec longest = *spec;
	struct search s = { 0 };
	struct pf_job j;
	int r;

	*ret = (struct dw_admission){ 0 };
	dw_error_clear(err);
	longest.active = 0;
	snprintf(longest.strategy, sizeof(longest.strategy), "longest-first");
	r = pf_job_init(&j, &longest, job, station, err);
	if (r < 0)
		return dw_error_system(err, r, NULL);
	s.j = &j;
	s.most = (uint32_t)dw_min_u64(dw_max_u64(RUNS / j.n, RUNS_MIN), RUNS_MAX) +
		 (uint32_t)dw_min_u64(j.n, WIDTHS);
	s.times = calloc(j.n + 1, sizeof(*s.times));
	r = s.times ? search(&s, ret) : -ENOMEM;
	free(s.times);
	pf_job_deinit(&j);
	if (r < 0)
		dw_admission_deinit(ret);
	return dw_error_system(err, r, NULL);
}

void dw_admission_deinit(struct dw_admission *a)
{
	free(a->order);
	*a = (struct dw_admission){ 0 };
}

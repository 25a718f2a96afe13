/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Afterwards: each disk and each phase beside what was expected of it, and each disk beside
 * its peers. What all disks of a job missed by alike is the bus's or the host's; what one disk
 * missed by is its own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/forecast.h"

#define NOTABLE 5.0  /* per cent: below that nothing is explained */
#define SUSPECT 20.0 /* per cent below its peers or its model */
#define PEERS   3    /* disks of a kind, itself included, for a middle */

static double percent(double is, double expected)
{
	return expected > 0 ? 100 * (is / expected - 1) : 0;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double own_time(const struct dw_forecast_disk *d)
{
	double t = d->took_phase.write + d->took_phase.flush;

	return t > 0 ? t : d->took_phase.verify;
}

/* the middle of what disks of one kind took, NaN when they are too few */
static double middle(const struct dw_forecast *f, const char *group, double *work)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->disk[i].measured && (!group || !strcmp(f->disk[i].group, group)))
			work[n++] = own_time(&f->disk[i]);
	if (n < PEERS)
		return NAN;
	qsort(work, n, sizeof(*work), ascending);
	return work[n / 2];
}

static void measure(struct dw_forecast_disk *d, const struct dw_disk_result *r)
{
	if (r->outcome != DW_OUTCOME_ERASED && r->outcome != DW_OUTCOME_EXCEPTIONS)
		return;
	d->measured = true;
	d->took = r->seconds;
	d->took_phase = (struct dw_phase_seconds){
		.write = fmax(0, r->seconds - r->flush_seconds - r->verify_seconds),
		.flush = r->flush_seconds,
		.verify = r->verify_seconds,
	};
	d->error = percent(d->took, d->finish - d->start);
}

/* the assumption that the largest part of the difference belongs to */
static void explain(struct dw_forecast_disk *d)
{
	double write = d->took_phase.write + d->took_phase.flush - d->phase.write -
		       d->phase.flush;
	double verify = d->took_phase.verify - d->phase.verify;
	double expected = d->phase.write + d->phase.flush;
	const char *what = strcmp(d->limit, "medium") ? d->limit : "rate of the medium";

	if (fabs(d->error) < NOTABLE)
		return;
	if (fabs(verify) > fabs(write))
		snprintf(d->why, sizeof(d->why), "verification took %+.0f %%",
			 percent(d->took_phase.verify, d->phase.verify));
	else
		snprintf(d->why, sizeof(d->why), "%s: writing took %+.0f %%", what,
			 percent(d->took_phase.write + d->took_phase.flush, expected));
}

/* @known: the rate of its medium was not just assumed, so that slower than that says something */
static void judge(struct dw_forecast_disk *d, double peers, bool known)
{
	if (isnan(peers)) {
		d->suspect = known && percent(d->finish - d->start, d->took) < -SUSPECT;
		return;
	}
	if (own_time(d) > 0)
		d->beside = percent(peers, own_time(d));
	d->suspect = d->beside < -SUSPECT;
}

/* all of one mind: what they share was wrong; else those that were slow */
static void explain_job(struct dw_forecast *f, double *work)
{
	size_t n = 0, off = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->disk[i].measured)
			work[n++] = f->disk[i].error;
	if (n < 2 || fabs(f->error) < NOTABLE)
		return;
	qsort(work, n, sizeof(*work), ascending);
	for (size_t i = 0; i < f->n; i++)
		off += f->disk[i].measured && f->disk[i].suspect;
	if (fabs(work[n / 2]) > NOTABLE && work[0] * work[n - 1] > 0)
		snprintf(f->why, sizeof(f->why),
			 "all disks took %s, %+.0f %% in the middle: what they share "
			 "(bus, controller, host) or the kind's rate",
			 work[n / 2] > 0 ? "longer" : "less time", work[n / 2]);
	else if (off)
		snprintf(f->why, sizeof(f->why), "%zu disk%s slower than %s peers", off,
			 off == 1 ? " is" : "s are", off == 1 ? "its" : "their");
}

void dw_forecast_compare(struct dw_forecast *f, const struct dw_job_result *result)
{
	double *work = calloc(f->n + 1, sizeof(*work));

	if (!work || result->n_disks != f->n) {
		free(work);
		return;
	}
	f->measured = true;
	f->took = result->seconds;
	f->error = percent(f->took, f->seconds);
	for (size_t i = 0; i < f->n; i++) {
		measure(&f->disk[i], &result->disk[i]);
		f->measured &= f->disk[i].measured;
	}
	for (size_t i = 0; i < f->n; i++) {
		if (!f->disk[i].measured)
			continue;
		explain(&f->disk[i]);
		judge(&f->disk[i], middle(f, f->disk[i].group, work),
		      !pf_guessed(f->assumed, "outer"));
	}
	explain_job(f, work);
	free(work);
}

void dw_forecast_apply(const struct dw_forecast *f, struct dw_job *job)
{
	for (uint32_t i = 0; i < f->n && i < job->n_disks && !job->started; i++) {
		struct dw_cost_disk cost;

		dw_job_expect(job, i, f->disk[i].expect);
		if (!dw_cost_disk_copy(&cost, &f->cost->disk[i]))
			job_take_cost(job, job->disk[i], &cost);
	}
	if (!job->started)
		job->eta = (struct job_left){ .n_resources = f->cost->n_resources,
					      .crowd = f->cost->crowd };
}

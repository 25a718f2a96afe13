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

#include "base/order.h"
#include "cost/peers.h"
#include "engine/plan.h"
#include "forecast/forecast.h"

#define NOTABLE 5.0 /* per cent: below that nothing is explained */
#define LEAST   3.0 /* seconds: nor below that */

static double percent(double is, double expected)
{
	return expected > 0 ? 100 * (is / expected - 1) : 0;
}

static double own_time(const struct dw_forecast_disk *d)
{
	double t = d->took_phase.write + d->took_phase.flush;

	return t > 0 ? t : d->took_phase.verify;
}

static void take_measured(struct dw_forecast_disk *d, const struct dw_disk_result *r)
{
	if (r->outcome != DW_OUTCOME_ERASED && r->outcome != DW_OUTCOME_EXCEPTIONS)
		return;
	d->measured = true;
	d->took = r->seconds;
	d->took_phase = (struct dw_phase_seconds){
		.write = fmax(0, r->seconds - r->waited_seconds - r->flush_seconds -
					 r->verify_seconds),
		.flush = r->flush_seconds,
		.verify = r->verify_seconds,
	};
	d->error = percent(d->took, d->finish - d->start);
}

static bool is_notable(double error, double took, double expected)
{
	return fabs(error) >= NOTABLE && fabs(took - expected) >= LEAST;
}

/* the assumption that the largest part of the difference belongs to; disks of one cause have the
 * same text */
static void explain(struct dw_forecast_disk *d)
{
	double write = d->took_phase.write + d->took_phase.flush - d->phase.write -
		       d->phase.flush;
	double verify = d->took_phase.verify - d->phase.verify;
	bool reading = fabs(verify) > fabs(write);

	if (!is_notable(d->error, d->took, d->finish - d->start))
		return;
	if (reading)
		snprintf(d->why, sizeof(d->why), "verification %s than expected",
			 verify > 0 ? "slower" : "faster");
	else
		snprintf(d->why, sizeof(d->why), "writing %s than expected (%s)",
			 write > 0 ? "slower" : "faster",
			 strcmp(d->limit, "medium") ? d->limit : "rate of the medium");
}

/* @known: the rate of its medium was not just assumed, so that slower than that says something */
static void judge_rate(struct dw_forecast_disk *d, const struct dw_peer *p, bool known)
{
	d->beside = 100 * (p->beside - 1);
	d->suspect = p->slow;
	if (!p->compared)
		d->suspect = known && d->took * DW_PEERS_SLOW > d->finish - d->start;
}

static int judge_all(struct dw_forecast *f)
{
	struct dw_peer *peer = calloc(f->n + 1, sizeof(*peer));
	int r = peer ? 0 : -ENOMEM;

	for (size_t i = 0; i < f->n && !r; i++) {
		const struct dw_forecast_disk *d = &f->disk[i];
		double took = d->measured ? own_time(d) : 0;

		peer[i] = (struct dw_peer){ .model = d->group,
					    .rate = took > 0 ? 1 / took : NAN };
	}
	if (!r)
		r = dw_peers_compare(peer, f->n);
	for (size_t i = 0; i < f->n && !r; i++)
		if (f->disk[i].measured)
			judge_rate(&f->disk[i], &peer[i],
				   !pf_guessed(f->assumed, "outer"));
	free(peer);
	return r;
}

/* all of one mind: what they share was wrong; else those that were slow */
static void explain_job(struct dw_forecast *f, double *work)
{
	size_t n = 0, off = 0;
	double middle;

	for (size_t i = 0; i < f->n; i++)
		if (f->disk[i].measured)
			work[n++] = f->disk[i].error;
	if (n < 2 || !is_notable(f->error, f->took, f->seconds))
		return;
	middle = dw_median(work, n);
	for (size_t i = 0; i < f->n; i++)
		off += f->disk[i].measured && f->disk[i].suspect;
	if (fabs(middle) > NOTABLE && work[0] * work[n - 1] > 0)
		snprintf(f->why, sizeof(f->why),
			 "all disks were %s, median %+.0f %%: what they share "
			 "(bus, controller, host) or the typical rate of this model",
			 middle > 0 ? "slower" : "faster", middle);
	else if (off)
		snprintf(f->why, sizeof(f->why), "%zu disk%s slower than %s peers", off,
			 off == 1 ? " is" : "s are", off == 1 ? "its" : "their");
}

void dw_forecast_compare(struct dw_forecast *f, const struct dw_job_result *result)
{
	double *work = calloc(f->n + 1, sizeof(*work));
	size_t n = result->n_disks;

	while (n && result->disk[n - 1].earlier)
		n--;
	if (!work || n != f->n) {
		free(work);
		return;
	}
	f->measured = true;
	f->took = result->seconds;
	f->error = percent(f->took, f->seconds);
	for (size_t i = 0; i < f->n; i++) {
		take_measured(&f->disk[i], &result->disk[i]);
		f->measured &= f->disk[i].measured;
	}
	for (size_t i = 0; i < f->n; i++)
		if (f->disk[i].measured)
			explain(&f->disk[i]);
	if (!judge_all(f))
		explain_job(f, work);
	free(work);
}

void dw_forecast_apply(const struct dw_forecast *f, struct dw_job *job)
{
	if (f->verify_chosen[0])
		job_choose_verify(job, !strcmp(f->verify_chosen, "device")
					       ? DW_VERIFY_DEVICE
					       : DW_VERIFY_FULL);
	for (uint32_t i = 0;
	     i < f->n && i < job->n_disks && !job_reached(job, JOB_STARTED); i++) {
		dw_job_expect(job, i, f->disk[i].expect);
		job_take_course(job->disk[i], &f->course[i].course, f->course[i].error,
				f->course[i].guessed);
	}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the verification "auto" comes to. Reading all blocks proves more than the word of disks
 * that compare them, so it is what is done, unless measured speeds say that what the disks share
 * holds it up, and that the job ends clearly sooner without.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include <diskwipe/spec.h>

#include "forecast/forecast.h"
#include "plan/method.h"
#include "sched/strategy.h"

#define LEAST_GAIN 1.05 /* by that the job has to be shorter */
#define HELD_UP    1.05 /* times what comparing takes: a disk waits for what it shares */
#define MOSTLY     0.5  /* of the time in which that is busy */

/** struct weighing - the job with either verification, and nothing else going on */
struct weighing {
	struct dw_forecast *full;
	struct dw_forecast *device;
};

static struct dw_job_spec chosen(const struct dw_job_spec *spec, enum dw_verify_kind kind)
{
	struct dw_job_spec s = *spec;

	s.verify_chosen = kind;
	return s;
}

static size_t comparing(const struct dw_forecast *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += f->disk[i].compares;
	return n;
}

/* Reading takes longer than comparing and the sample, and what disks share is what is busy. The
 * time in which a disk waits for its turn is in neither. */
static bool is_held_up(const struct weighing *w)
{
	const struct dw_forecast *f = w->full;

	if (fmax(f->bus, f->commands) < MOSTLY * f->seconds)
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (w->device->disk[i].compares &&
		    f->disk[i].phase.verify > HELD_UP * w->device->disk[i].phase.verify)
			return true;
	return false;
}

__attribute__((format(printf, 3, 4))) static enum dw_verify_kind
because(enum dw_verify_kind kind, char *why, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof(((struct dw_forecast *)0)->verify_why), format, ap);
	va_end(ap);
	return kind;
}

static enum dw_verify_kind weigh(const struct dw_job_spec *spec, const struct weighing *w,
				 char *why)
{
	const struct dw_forecast *f = w->full;
	size_t n = comparing(w->device);
	bool commands = f->commands > f->bus;
	const struct dw_method *m =
		spec->pattern[0] ? NULL : dw_method_find(spec->method);

	if (m && m->verify == DW_VERIFY_FULL)
		return because(DW_VERIFY_FULL, why,
			       "the method demands that all is read");
	if (!n || f->n != w->device->n)
		return because(DW_VERIFY_FULL, why,
			       "no disk is known to compare its blocks itself");
	if (pf_guessed(f->assumed, "outer") || pf_guessed(f->assumed, "inner"))
		return because(DW_VERIFY_FULL, why,
			       "the speeds of the disks are guesses");
	if (pf_guessed(f->assumed, "rate") || pf_guessed(f->assumed, "link"))
		return because(DW_VERIFY_FULL, why, "the speeds of links are guesses");
	if (commands && pf_guessed(f->assumed, "command"))
		return because(DW_VERIFY_FULL, why,
			       "what a command costs the controller is a guess");
	if (dw_strategy_find(spec->strategy)->turns || !is_held_up(w))
		return because(DW_VERIFY_FULL, why, "no link holds the disks up");
	if (f->seconds < LEAST_GAIN * w->device->seconds)
		return because(DW_VERIFY_FULL, why,
			       "comparing would gain less than %.0f %%",
			       100 * (LEAST_GAIN - 1));
	return because(DW_VERIFY_DEVICE, why, "%s%s is the limit",
		       commands ? "controller " : "",
		       commands ? f->controller_name : f->bus_name);
}

int pf_verify(const struct pf_question *q, const struct dw_job_spec *spec,
	      struct dw_forecast **ret, struct dw_error *err)
{
	struct dw_job_spec quiet = *spec, full, device, final;
	struct dw_forecast *f = NULL, **same = NULL;
	struct weighing w = { 0 };
	char why[sizeof(f->verify_why)];
	int r;

	if (spec->verify != DW_VERIFY_AUTO || spec->verify_chosen != DW_VERIFY_DEFAULT)
		return pf_forecast(q, spec, ret, err);
	quiet.background = (struct dw_background){ 0 };
	full = chosen(&quiet, DW_VERIFY_FULL);
	device = chosen(&quiet, DW_VERIFY_DEVICE);
	r = pf_forecast(q, &full, &w.full, err);
	if (!r)
		r = pf_forecast(q, &device, &w.device, err);
	if (!r) {
		final = chosen(spec, weigh(spec, &w, why));
		same = final.verify_chosen == DW_VERIFY_FULL ? &w.full : &w.device;
		if (spec->background.kind == DW_BACKGROUND_OFF)
			f = *same;
		else
			r = pf_forecast(q, &final, &f, err);
	}
	if (!r) {
		snprintf(f->verify_chosen, sizeof(f->verify_chosen), "%s",
			 dw_spec_word(&final, "verify_chosen"));
		snprintf(f->verify_why, sizeof(f->verify_why), "%s", why);
		f->verify_full = w.full->seconds;
		f->verify_device = comparing(w.device) ? w.device->seconds : 0;
		if (f == *same)
			*same = NULL;
		*ret = f;
	}
	dw_forecast_free(w.full);
	dw_forecast_free(w.device);
	return r;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The forecast: the closed form where single disks are simple and share nothing that is used
 * up, else the simulator as far as it is affordable, else the fluid form. The bounds and the
 * interval always come from the phases.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "forecast/forecast.h"

#define QUIET       0.85 /* of a resource: below that queues are short beside a cache */
#define ERROR_LEAST 0.03 /* of a pace that is expected */
#define ERROR_GUESSED                                                                    \
	1.00 /* the same where nobody has measured the disk: a guess by half or twice */
#define WINDOWED    1.7  /* see docs/background.md */
#define SLOWED      1.05 /* longer than alone: it shares something */
#define QUIET_PLAIN 0.25 /* and beside disks that must answer within a revolution */

static bool all_cached(const struct pf_job *j)
{
	for (uint32_t i = 0; i < j->n; i++)
		if (!j->disk[i].spec->cache && !j->disk[i].plan.verify_only)
			return false;
	return true;
}

/* what they may hold in each controller at once is there */
static int has_room(const struct pf_job *j, bool *ret)
{
	const struct dw_station *s = j->station;
	double *room = calloc(s->n_nodes + 1, sizeof(*room));
	double *n = calloc(s->n_nodes + 1, sizeof(*n));

	*ret = true;
	for (uint32_t i = 0; i < j->n && room && n; i++) {
		const struct pf_disk *d = &j->disk[i];

		for (uint32_t k = 0; k < d->spec->n_on; k++)
			for (uint32_t at = d->spec->on[k]; at != STATION_NONE;
			     at = s->node[at].on) {
				room[at] += d->cost.room;
				n[at] += d->cost.n_at;
			}
	}
	for (uint32_t at = 0; at < s->n_nodes && room && n && pf_at_once(j); at++)
		if ((s->node[at].buffer && room[at] > (double)s->node[at].buffer) ||
		    (s->node[at].queue && n[at] > (double)s->node[at].queue))
			*ret = false;
	free(n);
	free(room);
	return room && n ? 0 : -ENOMEM;
}

static int times_of(const struct pf_job *j, struct pf_times *times, struct dw_forecast *f)
{
	double load = 0;
	bool room = false;
	int r = pf_load(j, &load);

	if (!r)
		r = has_room(j, &room);
	if (!r)
		r = pf_shared(j, times, &f->seconds);
	if (r < 0)
		return r;
	snprintf(f->method, sizeof(f->method), "closed form");
	if (j->simple && room &&
	    (!pf_at_once(j) || load < (all_cached(j) ? QUIET : QUIET_PLAIN)))
		return 0;
	for (int coarse = 0; coarse < 2; coarse++) {
		r = pf_simulate(j, coarse, times, &f->seconds);
		if (r)
			continue;
		snprintf(f->method, sizeof(f->method), "simulated, %s",
			 coarse ? "coarse" : "exact");
		return 0;
	}
	snprintf(f->method, sizeof(f->method), "closed form, shared");
	return pf_shared(j, times, &f->seconds);
}

static const char *node_kind(const struct station_node *n)
{
	static const char *const words[] = { "link", "controller", "bus" };

	return words[n->kind];
}

/* seconds that the whole job needs of a resource */
static int demands(const struct pf_job *j, double **ret)
{
	double *sum = calloc(dw_cost_resources(j->station), sizeof(*sum));

	if (!sum)
		return -ENOMEM;
	for (uint32_t i = 0; i < j->n; i++)
		for (uint32_t k = 0; k < j->disk[i].cost.n_phases; k++) {
			const struct dw_cost_phase *p = &j->disk[i].cost.phase[k];

			for (uint32_t u = 0; u < p->n_use; u++)
				sum[p->use[u].resource] +=
					p->use[u].cost * p->share * (p->to - p->from);
		}
	*ret = sum;
	return 0;
}

__attribute__((format(printf, 3, 4))) static void
bound(struct dw_forecast *f, double seconds, const char *format, ...)
{
	va_list ap;

	if (seconds <= f->t_min)
		return;
	f->t_min = seconds;
	va_start(ap, format);
	vsnprintf(f->binding, sizeof(f->binding), format, ap);
	va_end(ap);
}

int pf_bounds(const struct pf_job *j, struct dw_forecast *f)
{
	dw_autofree double *sum_link = calloc(j->links, sizeof(*sum_link));
	double *sum, fullest = 0;
	const char *slowest = "";
	int r = sum_link ? demands(j, &sum) : -ENOMEM;

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < j->n; i++) {
		sum_link[j->disk[i].link] += dw_cost_disk_slot(&j->disk[i].cost);
		fullest = fmax(fullest, sum_link[j->disk[i].link]);
		if (j->disk[i].cost.alone <= f->slowest)
			continue;
		f->slowest = j->disk[i].cost.alone;
		slowest = f->disk[i].device;
	}
	if (j->slots < j->most)
		f->slots = fullest / j->slots;
	bound(f, f->slowest, "slowest disk %.48s", slowest);
	for (uint32_t at = 0; at < j->station->n_nodes; at++) {
		const struct station_node *n = &j->station->node[at];
		double rate = sum[at * DW_COST_PARTS + DW_COST_RATE];
		double commands = sum[at * DW_COST_PARTS + DW_COST_COMMANDS];

		bound(f, rate, "%s %s", node_kind(n), n->name);
		bound(f, commands, "commands of controller %s", n->name);
		if (rate > f->bus)
			snprintf(f->bus_name, sizeof(f->bus_name), "%s %s", node_kind(n),
				 n->name);
		if (commands > f->commands)
			snprintf(f->controller_name, sizeof(f->controller_name), "%s",
				 n->name);
		f->bus = fmax(f->bus, rate);
		f->commands = fmax(f->commands, commands);
	}
	free(sum);
	bound(f, f->slots, "%u disk%s at a time%s", j->slots, j->slots == 1 ? "" : "s",
	      j->links > 1 ? " on an adapter" : "");
	return 0;
}

/* what it waits for while it writes, or reads when that is all; of what it shares, what is
 * wanted most, @sum */
static void limit_of(const struct pf_job *j, uint32_t i, const struct pf_times *t,
		     const double *sum, struct dw_forecast_disk *d)
{
	const struct pf_disk *disk = &j->disk[i];
	struct dw_phase_seconds own;
	const char *name = disk->cost.n_phases ? disk->cost.phase[0].limit : NULL;
	double most = 0;

	dw_cost_disk_phases(&disk->cost, &own);
	snprintf(d->limit, sizeof(d->limit), "%s", name ? name : "medium");
	if (t->phase.write <= SLOWED * own.write || !disk->cost.n_phases)
		return;
	for (uint32_t u = 0; u < disk->cost.phase[0].n_use; u++) {
		uint32_t resource = disk->cost.phase[0].use[u].resource;
		const struct station_node *n =
			&j->station->node[resource / DW_COST_PARTS];

		if (sum[resource] <= most)
			continue;
		most = sum[resource];
		if (resource >= DW_COST_PARTS * j->station->n_nodes)
			snprintf(d->limit, sizeof(d->limit), "its turn");
		else
			snprintf(d->limit, sizeof(d->limit), "%s %s", node_kind(n),
				 n->name);
	}
}

static double verify_share(const struct dw_disk_plan *p)
{
	uint8_t verify = p->pass[p->n_passes - 1].verify;

	return verify == DW_VERIFY_OFF    ? 0
	       : verify == DW_VERIFY_FULL ? 1
					  : p->percent / 100;
}

static void fill_disk(const struct pf_job *j, uint32_t i, const struct pf_times *t,
		      const double *sum, struct dw_forecast_disk *d)
{
	const struct pf_disk *disk = &j->disk[i];
	const struct station_disk *s = disk->spec;
	double bytes = 0;

	for (uint32_t k = 0; k < disk->cost.n_phases; k++)
		bytes += disk->cost.phase[k].share *
			 (disk->cost.phase[k].to - disk->cost.phase[k].from);
	snprintf(d->model, sizeof(d->model), "%.16s", s->model);
	snprintf(d->group, sizeof(d->group), "%.8s %.16s %llu", s->vendor, s->model,
		 (unsigned long long)s->blocks);
	d->start = t->start;
	d->finish = t->finish;
	d->alone = disk->cost.alone;
	d->phase = t->phase;
	if (t->finish > t->start)
		d->rate = bytes / (t->finish - t->start);
	d->verify_share = verify_share(&disk->plan);
	d->compares = disk->plan.compare > 0;
	limit_of(j, i, t, sum, d);
	d->expect = disk->cost.alone;
}

static void name_disks(const struct pf_job *j, struct dw_forecast *f)
{
	for (uint32_t i = 0; i < j->n; i++) {
		const struct dw_disk_info *info =
			j->real ? &j->real->disk[i]->info : NULL;

		snprintf(f->disk[i].device, sizeof(f->disk[i].device), "%s",
			 !info         ? j->disk[i].spec->name
			 : info->sg[0] ? info->sg
				       : info->block);
	}
}

/* Beside other work a job has that share of the time; a response that is to be kept leaves
 * open which, unless that work is described. How much of it is lost at both ends of a window
 * depends on too much to be foretold. */
static double slow_down(const struct dw_background *b, struct dw_forecast *f)
{
	struct dw_background_forecast m;
	double by = 1;

	if (b->kind == DW_BACKGROUND_OFF)
		return 1;
	if (b->kind == DW_BACKGROUND_SHARE && b->share > 0)
		by = 1 / b->share;
	else if (b->kind == DW_BACKGROUND_RESPONSE && dw_background_forecast(b, &m) &&
		 m.share > 0)
		by = 1 / m.share;
	else if (b->kind == DW_BACKGROUND_RESPONSE)
		snprintf(f->assumed, sizeof(f->assumed), "no other work");
	f->seconds *= by;
	f->low *= by;
	f->high *= by * WINDOWED;
	f->t_min *= by;
	f->rate /= by;
	for (size_t i = 0; i < f->n; i++) {
		struct dw_forecast_disk *d = &f->disk[i];

		d->start *= by;
		d->finish *= by;
		d->low *= by;
		d->high *= by * WINDOWED;
		d->rate /= by;
		d->phase.write *= by;
		d->phase.flush *= by;
		d->phase.verify *= by;
	}
	return by;
}

static bool is_vague(const char *assumed, double low, double high)
{
	return pf_guessed(assumed, "outer") && high > DW_FORECAST_VAGUE * low;
}

static void judge_intervals(const struct pf_job *j, struct dw_forecast *f)
{
	f->vague = is_vague(f->assumed, f->low, f->high);
	for (uint32_t i = 0; i < j->n; i++)
		f->disk[i].vague = is_vague(j->disk[i].spec->assumed, f->disk[i].low,
					    f->disk[i].high);
}

/* of the logarithm of its pace; the interval holds 9 of 10 */
static double error_of(const struct dw_forecast_disk *d)
{
	double least = fmax(d->low - d->start, 1e-3),
	       most = fmax(d->high - d->start, least);

	return fmax(log(most / least) / 2 / 1.645, ERROR_LEAST);
}

/* what the job goes by */
static int keep_courses(const struct pf_job *j, const struct pf_times *times, double by,
			struct dw_forecast *f)
{
	f->course = calloc(j->n + 1, sizeof(*f->course));
	for (uint32_t i = 0; i < j->n && f->course; i++) {
		f->course[i].course = times[i].course;
		f->course[i].guessed = pf_guessed(j->disk[i].spec->assumed, "outer");
		f->course[i].error = error_of(&f->disk[i]);
		if (f->course[i].guessed)
			f->course[i].error = fmax(f->course[i].error, ERROR_GUESSED);
		dw_course_stretch(&f->course[i].course, by);
	}
	return f->course ? 0 : -ENOMEM;
}

static int compute(struct pf_job *j, const uint32_t *order, struct dw_forecast *f)
{
	struct pf_times *times = calloc(j->n + 1, sizeof(*times));
	double bytes = 0, by, *sum = NULL;
	int r = times ? demands(j, &sum) : -ENOMEM;

	if (order)
		memcpy(j->order, order, j->n * sizeof(*order));
	if (!r)
		r = times_of(j, times, f);
	name_disks(j, f);
	for (uint32_t i = 0; i < j->n && !r; i++) {
		fill_disk(j, i, &times[i], sum, &f->disk[i]);
		bytes += f->disk[i].rate * (times[i].finish - times[i].start);
	}
	free(sum);
	/* longest-first takes the disk that expects to take longest */
	for (uint32_t k = 0; order && k < j->n; k++)
		f->disk[j->order[k]].expect = j->n - k;
	if (!r)
		r = pf_bounds(j, f);
	if (!r)
		r = pf_interval(j, times, f);
	f->rate = f->seconds > 0 ? bytes / f->seconds : 0;
	f->active = j->slots;
	by = slow_down(&j->spec.background, f);
	judge_intervals(j, f);
	if (!r)
		r = keep_courses(j, times, by, f);
	free(times);
	snprintf(f->strategy, sizeof(f->strategy), "%s", j->spec.strategy);
	return r;
}

int pf_forecast(const struct pf_question *q, const struct dw_job_spec *spec,
		struct dw_forecast **ret, struct dw_error *err)
{
	struct dw_forecast *f = calloc(1, sizeof(*f));
	struct pf_job j;
	int r;

	dw_error_clear(err);
	if (!f)
		return dw_error_system(err, -ENOMEM, NULL);
	r = pf_job_init(&j, spec, q->real, q->station, err);
	if (r < 0) {
		free(f);
		return dw_error_system(err, r, NULL);
	}
	j.patient = q->patient && !(j.simple && all_cached(&j));
	f->n = j.n;
	f->disk = calloc(j.n + 1, sizeof(*f->disk));
	r = f->disk ? compute(&j, q->order, f) : -ENOMEM;
	pf_job_deinit(&j);
	if (r == 0) {
		*ret = f;
		return 0;
	}
	dw_forecast_free(f);
	return r == -ENOMEM ? dw_error_system(err, r, NULL)
			    : dw_error_set(err, r, DW_ERROR_MODEL, NULL,
					   "the times do not add up");
}

int dw_forecast_station(const struct dw_job_spec *spec, const struct dw_station *station,
			const uint32_t *order, struct dw_forecast **ret,
			struct dw_error *err)
{
	const struct pf_question q = { .station = station, .order = order };

	return pf_verify(&q, spec, ret, err);
}

int dw_forecast_patient(const struct dw_job_spec *spec, const struct dw_station *station,
			const uint32_t *order, struct dw_forecast **ret,
			struct dw_error *err)
{
	const struct pf_question q = { .station = station,
				       .order = order,
				       .patient = true };

	return pf_verify(&q, spec, ret, err);
}

int dw_forecast_job(struct dw_job *job, const struct dw_station *station,
		    const uint32_t *order, struct dw_forecast **ret, struct dw_error *err)
{
	const struct pf_question q = { .real = job, .station = station, .order = order };

	return pf_verify(&q, &job->spec, ret, err);
}

void dw_forecast_free(struct dw_forecast *f)
{
	if (!f)
		return;
	free(f->course);
	free(f->disk);
	free(f);
}

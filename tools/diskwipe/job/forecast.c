/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forecasts for people: made from the file of --topology, or from what this machine tells
 * of itself.
 */
#include "job/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job/hidden.h"
#include "job/verification.h"
#include "options.h"
#include "output/table.h"

#define NOTABLE 5.0 /* per cent: below that a disk is as expected */
#define LEAST   3.0 /* seconds: and below that */
#define NAMED   4   /* of disks with one finding */

static const char *clock_text(double seconds, char *buf, size_t size)
{
	return dw_duration_format((uint64_t)(fmax(seconds, 0) * 1e9), buf, size);
}

int cli_forecast_prepare(struct cli *c)
{
	struct dw_error err = { 0 };
	int r;

	if (c->predict.active_auto && strcmp(c->spec.strategy, "longest-first")) {
		if (cli_option_given(c, "strategy"))
			return cli_fail(
				c, CLI_EXIT_USAGE,
				"--active=auto: goes with --strategy=longest-first, "
				"not %s",
				c->spec.strategy);
		snprintf(c->spec.strategy, sizeof(c->spec.strategy), "longest-first");
	}
	if (!c->predict.file)
		return 0;
	r = dw_station_load(c->predict.file, &c->predict.station, &err);
	if (r < 0)
		return cli_error(c, CLI_EXIT_USAGE, &err);
	return 0;
}

/* of exactly the selected disks, in their order */
static int station_of(const struct cli *c, const struct cli_selection *s,
		      struct dw_station **ret, struct dw_error *err)
{
	struct dw_disk_info *infos = cli_allocate(s->n + 1, sizeof(*infos));
	int r;

	for (size_t i = 0; i < s->n; i++) {
		infos[i] = s->disk[i].info;
		infos[i].blocks += cli_hidden_restored(c, &infos[i]);
	}
	if (c->predict.station)
		r = dw_station_select(c->predict.station, infos, s->n, ret, NULL, err);
	else
		r = dw_station_describe(infos, s->n, ret, err);
	free(infos);
	return r;
}

/* that a disk takes to erase itself, if that is how it would be erased; 0 = it is not */
static double own_seconds(const struct cli *c, const struct dw_disk_info *info)
{
	struct dw_ways ways;
	struct dw_verdict v;

	if (dw_disk_ways(info, &c->spec, &ways, &v))
		return 0;
	for (uint32_t i = 0; i < ways.n; i++)
		if (ways.way[i].own && !strcmp(ways.way[i].method, ways.method))
			return ways.way[i].seconds;
	return 0;
}

/* A station knows one way in which disks erase themselves; here they differ in their times. */
static void set_own(const struct cli *c, const struct cli_selection *s,
		    struct dw_station *station, struct dw_job_spec *spec)
{
	bool some = false;

	for (size_t i = 0; i < s->n; i++) {
		double seconds = own_seconds(c, &s->disk[i].info);

		some |= !dw_station_sanitize(station, i, seconds) && seconds > 0;
	}
	if (!some)
		return;
	snprintf(spec->method, sizeof(spec->method), "sanitize");
	spec->level = DW_LEVEL_CLEAR;
}

static void none(const struct cli *c, const struct dw_error *why)
{
	char text[DW_ERROR_TEXT];

	cli_say(c, "no forecast: %s", cli_error_text(why, text));
}

void cli_forecast_chosen(struct cli *c)
{
	const struct dw_forecast *f = c->predict.forecast;

	if (c->spec.verify != DW_VERIFY_AUTO ||
	    c->spec.verify_chosen != DW_VERIFY_DEFAULT)
		return;
	c->spec.verify_chosen = f && !strcmp(f->verify_chosen, "device")
					? DW_VERIFY_DEVICE
					: DW_VERIFY_FULL;
}

static void print_admission(const struct cli *c, const struct dw_admission *a)
{
	char at_once[DW_UNIT_TEXT], best[DW_UNIT_TEXT], bound[DW_UNIT_TEXT];

	cli_say(c,
		"--active=%u of %zu: %s, the mean disk after %.0f %% of the time it takes with "
		"all at once (%s); bound %s (%s), gap %.1f %%",
		a->active, a->n, clock_text(a->best, best, sizeof(best)),
		a->mean_at_once > 0 ? 100 * a->mean_best / a->mean_at_once : 100,
		clock_text(a->at_once, at_once, sizeof(at_once)),
		clock_text(a->bound, bound, sizeof(bound)), a->binding,
		a->bound > 0 ? 100 * (a->best / a->bound - 1) : 0);
}

static uint32_t *admit(struct cli *c, struct dw_job *job,
		       const struct dw_station *station, struct dw_error *err)
{
	struct dw_admission a;
	uint32_t *order;

	if (dw_forecast_admit(&c->spec, job, station, &a, err) < 0)
		return NULL;
	print_admission(c, &a);
	c->spec.active = a.active;
	if (job)
		dw_job_limit(job, a.active);
	order = a.order;
	a.order = NULL;
	dw_admission_deinit(&a);
	return order;
}

int cli_forecast_admit(struct cli *c, const struct dw_station *station,
		       uint32_t **ret_order)
{
	struct dw_error err = { 0 };
	char text[DW_ERROR_TEXT];

	*ret_order = NULL;
	if (!c->predict.active_auto)
		return 0;
	*ret_order = admit(c, NULL, station, &err);
	if (*ret_order)
		return 0;
	return cli_fail(c, CLI_EXIT_USAGE, "--active=auto: %s",
			cli_error_text(&err, text));
}

void cli_forecast_disks(struct cli *c, const struct cli_selection *s)
{
	struct dw_job_spec spec = c->spec;
	struct dw_station *station;
	uint32_t *order = NULL;
	struct dw_error err = { 0 };
	int r;

	if (!s->n)
		return;
	r = station_of(c, s, &station, &err);
	if (r < 0) {
		none(c, &err);
		cli_forecast_chosen(c);
		return;
	}
	if (c->predict.active_auto)
		order = admit(c, NULL, station, &err);
	set_own(c, s, station, &spec);
	r = dw_forecast_station(&spec, station, order, &c->predict.forecast, &err);
	free(order);
	dw_station_free(station);
	if (r < 0)
		none(c, &err);
	for (size_t i = 0; c->predict.forecast && i < c->predict.forecast->n && i < s->n;
	     i++)
		snprintf(c->predict.forecast->disk[i].device,
			 sizeof(c->predict.forecast->disk->device), "%s",
			 cli_disk_node(&s->disk[i].info));
	cli_forecast_chosen(c);
}

static void forecast_job(struct cli *c, struct dw_job *job, bool virtual,
			 const struct dw_station *station)
{
	uint32_t *order = NULL;
	struct dw_error err = { 0 };
	int r;

	if (c->predict.active_auto)
		order = admit(c, virtual ? NULL : job, station, &err);
	if (order && virtual)
		dw_job_limit(job, c->spec.active);
	r = virtual ? dw_forecast_station(&c->spec, station, order, &c->predict.forecast,
					  &err)
		    : dw_forecast_job(job, station, order, &c->predict.forecast, &err);
	free(order);
	if (r < 0)
		none(c, &err);
	else
		dw_forecast_apply(c->predict.forecast, job);
	cli_forecast_chosen(c);
}

void cli_forecast_job(struct cli *c, struct dw_job *job, const struct cli_selection *s)
{
	struct dw_station *station;
	struct dw_error err = { 0 };

	if (!s->n)
		return;
	if (station_of(c, s, &station, &err) < 0) {
		none(c, &err);
		cli_forecast_chosen(c);
		return;
	}
	forecast_job(c, job, false, station);
	dw_station_free(station);
}

void cli_forecast_simulated(struct cli *c, struct dw_job *job,
			    const struct dw_station *station)
{
	forecast_job(c, job, true, station);
}

/* a rate that nobody has measured makes no sharp figure */
static bool is_rough(const struct dw_forecast *f)
{
	return strstr(f->assumed, "outer");
}

void cli_forecast_print(const struct dw_forecast *f, FILE *to)
{
	char t[DW_UNIT_TEXT], low[DW_UNIT_TEXT], high[DW_UNIT_TEXT], rate[DW_UNIT_TEXT];

	clock_text(f->low, low, sizeof(low));
	clock_text(f->high, high, sizeof(high));
	if (f->vague) {
		fprintf(to, "forecast: between %s and %s", low, high);
		return;
	}
	fprintf(to, "forecast: %s%s (%s to %s), %s in all; %s",
		is_rough(f) ? "about " : "", clock_text(f->seconds, t, sizeof(t)), low,
		high, dw_rate_format((uint64_t)f->rate, 1000000000, rate, sizeof(rate)),
		f->method);
}

static void print_lines(const struct dw_forecast *f, FILE *to, const char *before)
{
	char least[DW_UNIT_TEXT];

	fputs(before, to);
	cli_forecast_print(f, to);
	if (!f->vague)
		fprintf(to, "\n%slower bound %s%s (%s)", before,
			is_rough(f) ? "about " : "",
			clock_text(f->t_min, least, sizeof(least)), f->binding);
	if (is_rough(f))
		fprintf(to,
			"\n%sthe speeds of the disks are guesses; 'diskwipe probe' "
			"measures them",
			before);
	else if (f->assumed[0])
		fprintf(to, "; guessed: %s", f->assumed);
	fputc('\n', to);
}

void cli_forecast_say(const struct cli *c)
{
	char verify[256];

	if (c->predict.forecast && !c->show.quiet)
		print_lines(c->predict.forecast, stderr, "diskwipe: ");
	if (c->spec.verify != DW_VERIFY_AUTO || c->show.quiet)
		return;
	cli_verification_say(&c->spec, c->predict.forecast, verify, sizeof(verify));
	cli_say(c, "verification: %s", verify);
}

void cli_forecast_table(const struct cli *c, FILE *f, const struct dw_forecast *forecast)
{
	static const struct cli_column heads[] = {
		{ "DEVICE", false, false }, { "MODEL", false, true },
		{ "FINISH", true, false },  { "BETWEEN", true, false },
		{ "RATE", true, false },    { "LIMIT", false, true },
	};
	struct cli_table *t = cli_table_new(f, heads, CLI_ARRAY_SIZE(heads),
					    !c->show.no_headings, false);
	char verify[256];

	for (size_t i = 0; i < forecast->n; i++) {
		const struct dw_forecast_disk *d = &forecast->disk[i];
		char a[DW_UNIT_TEXT], b[DW_UNIT_TEXT];

		cli_table_line(t, NULL);
		cli_table_add(t, "%s", d->device);
		cli_table_add(t, "%s", d->model);
		cli_table_add(t, "%s",
			      d->vague ? "unknown" : clock_text(d->finish, a, sizeof(a)));
		cli_table_add(t, "%s-%s", clock_text(d->low, a, sizeof(a)),
			      clock_text(d->high, b, sizeof(b)));
		cli_table_add(
			t, "%s",
			dw_rate_format((uint64_t)d->rate, 1000000000, a, sizeof(a)));
		cli_table_add(t, "%s", d->limit);
	}
	cli_table_end(t);
	if (cli_verification_say(&c->spec, forecast, verify, sizeof(verify)))
		fprintf(f, "verification: %s\n", verify);
	print_lines(forecast, f, "");
}

static void print_phases(const struct dw_forecast_disk *d)
{
	printf("%s: write %.1f s (expected %.1f), flush %.1f (%.1f), verify %.1f (%.1f)\n",
	       d->device, d->took_phase.write, d->phase.write, d->took_phase.flush,
	       d->phase.flush, d->took_phase.verify, d->phase.verify);
}

static void print_suspect(const struct dw_forecast_disk *d)
{
	if (d->suspect && d->beside < 0)
		printf("%s is %.0f %% slower than its peers: suspect\n", d->device,
		       -d->beside);
	else if (d->suspect)
		printf("%s took %.0f %% longer than its model should: suspect\n",
		       d->device, d->error);
}

static bool is_notable(const struct dw_forecast_disk *d)
{
	return d->measured && !d->vague && fabs(d->error) >= NOTABLE &&
	       fabs(d->took - (d->finish - d->start)) >= LEAST;
}

static void print_disk(const struct dw_forecast_disk *d)
{
	char took[DW_UNIT_TEXT], expected[DW_UNIT_TEXT];

	printf("%s: %s, expected %s (%+.1f %%)%s%s\n", d->device,
	       clock_text(d->took, took, sizeof(took)),
	       clock_text(d->finish - d->start, expected, sizeof(expected)), d->error,
	       d->why[0] ? ": " : "", d->why);
}

static bool is_like(const struct dw_forecast_disk *a, const struct dw_forecast_disk *b)
{
	return is_notable(b) && !strcmp(a->why, b->why);
}

/* all from disk @from on that have one finding, in one line */
static void print_alike(const struct dw_forecast *f, size_t from)
{
	const struct dw_forecast_disk *first = &f->disk[from];
	double low = first->error, high = first->error;
	size_t n = 0;

	for (size_t i = from; i < f->n; i++) {
		const struct dw_forecast_disk *d = &f->disk[i];

		if (!is_like(first, d))
			continue;
		low = fmin(low, d->error);
		high = fmax(high, d->error);
		if (n < NAMED)
			printf("%s%s", n ? ", " : "", d->device);
		n++;
	}
	if (n > NAMED)
		printf(" and %zu more", n - NAMED);
	printf(": %+.1f to %+.1f %%%s%s\n", low, high, first->why[0] ? ": " : "",
	       first->why);
}

/* each finding once */
static void print_notable(const struct dw_forecast *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct dw_forecast_disk *d = &f->disk[i];
		size_t before = 0, all = 0;

		for (size_t k = 0; k < f->n && is_notable(d); k++) {
			before += k < i && is_like(d, &f->disk[k]);
			all += is_like(d, &f->disk[k]);
		}
		if (!before && all == 1)
			print_disk(d);
		else if (!before && all > 1)
			print_alike(f, i);
	}
}

/* of guesses: whether it took what they reported is all that can be said */
static void print_vague(const struct dw_forecast *f)
{
	char took[DW_UNIT_TEXT], low[DW_UNIT_TEXT], high[DW_UNIT_TEXT];
	bool explain = f->why[0] && (f->took < f->low || f->took > f->high);

	printf("forecast between %s and %s, took %s%s%s\n",
	       clock_text(f->low, low, sizeof(low)),
	       clock_text(f->high, high, sizeof(high)),
	       clock_text(f->took, took, sizeof(took)), explain ? ": " : "",
	       explain ? f->why : "");
}

static void print_job(const struct dw_forecast *f)
{
	char took[DW_UNIT_TEXT], expected[DW_UNIT_TEXT], error[DW_UNIT_TEXT] = "";

	if (f->vague) {
		print_vague(f);
		return;
	}
	if (fmax(f->took, f->seconds) >= LEAST)
		snprintf(error, sizeof(error), " (%+.1f %%)", f->error);
	printf("forecast %s%s, took %s%s%s%s\n", is_rough(f) ? "about " : "",
	       clock_text(f->seconds, expected, sizeof(expected)),
	       clock_text(f->took, took, sizeof(took)), error, f->why[0] ? ": " : "",
	       f->why);
}

void cli_forecast_outcome(const struct cli *c)
{
	const struct dw_forecast *f = c->predict.forecast;

	if (!f || !f->n)
		return;
	for (size_t i = 0; i < f->n; i++) {
		if (f->disk[i].measured)
			print_suspect(&f->disk[i]);
		if (f->disk[i].measured && c->show.verbose) {
			print_disk(&f->disk[i]);
			print_phases(&f->disk[i]);
		}
	}
	if (!c->show.verbose)
		print_notable(f);
	if (f->measured)
		print_job(f);
}

void cli_forecast_free(struct cli *c)
{
	dw_forecast_free(c->predict.forecast);
	dw_station_free(c->predict.station);
	c->predict.forecast = NULL;
	c->predict.station = NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How sure: what a value may be depends on whether it was guessed or measured. The widths are
 * in docs/predictor.md, and tests/sim/test_predict.c checks how often the truth lies inside.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forecast/forecast.h"

#define CENTRAL      0.90 /* of each width: nine tenths of the values are within that */
#define SSD          1.00 /* width of an SSD's rate that is guessed */
#define SILENT       1.00 /* of a disk that does not tell how fast it turns */
#define UNKNOWN      9.00 /* of one whose kind is not known at all */
#define SMALLEST     1e9 /* bytes of a disk that is like others; a smaller one is emulated */
#define MODEL_SHARE  0.005 /* of the equations themselves */
#define ROUGH_SHARE  0.05  /* where disks share by the fluid form */
#define ROUGHER      0.25 /* and where that is not what they do: see struct pf_job, simple */
#define MODEL_FIXED  0.02 /* seconds: beginnings and ends */
#define INTERVAL_MAX 300  /* disks; beyond that only the media are varied */

enum value_group { MEDIA, COMMANDS, WIRING, SAME, GROUPS };

struct width {
	const char *keys[5];
	double guessed;
	double measured;
};

/* by that share up and down */
static const struct width widths[GROUPS] = {
	[MEDIA] = { { "outer", "inner" }, 0.50, 0.03 }, /* see media_width() */
	[COMMANDS] = { { "overhead", "command", "rpm", "seek" }, 0.60, 0.10 },
	[WIRING] = { { "rate", "link" }, 0.25, 0.03 },
	[SAME] = { { "write-same" }, 0.40, 0.03 },
};

bool pf_guessed(const char *assumed, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = assumed; (p = strstr(p, key)); p += n)
		if ((p == assumed || strchr(", ", p[-1])) &&
		    (!p[n] || strchr(", ", p[n])))
			return true;
	return false;
}

static double width_of(const char *assumed, enum value_group g)
{
	const struct width *w = &widths[g];

	for (size_t i = 0; i < sizeof(w->keys) / sizeof(w->keys[0]) && w->keys[i]; i++)
		if (pf_guessed(assumed, w->keys[i]))
			return w->guessed;
	return w->measured;
}

/* a disk that turns is like others of its size and speed; SSDs differ more, and of a disk that
 * does not tell what it is, or is too small to be one, nothing is known */
static double media_width(const struct station_disk *d)
{
	if (!pf_guessed(d->assumed, "outer"))
		return width_of(d->assumed, MEDIA);
	if ((double)d->capacity < SMALLEST)
		return UNKNOWN;
	if (pf_guessed(d->assumed, "rpm"))
		return d->rpm ? SILENT : UNKNOWN;
	return d->rpm ? widths[MEDIA].guessed : SSD;
}

static void scale(uint64_t *v, double by)
{
	*v = (uint64_t)((double)*v * by);
}

static void shift_disk(struct station_disk *d, enum value_group g, int sign)
{
	double u = g == MEDIA ? media_width(d) : width_of(d->assumed, g);
	double slower = sign > 0 ? 1 + u : 1 / (1 + u);

	if (g == MEDIA) {
		scale(&d->outer, 1 / slower);
		scale(&d->inner, 1 / slower);
	} else if (g == COMMANDS) {
		scale(&d->overhead_ns, slower);
		scale(&d->seek_track_ns, slower);
		scale(&d->seek_full_ns, slower);
	} else if (g == WIRING) {
		scale(&d->link, 1 / slower);
	} else if (d->ws && d->ws != STATION_WS_NONE) {
		scale(&d->ws, 1 / slower);
	}
}

static void shift(struct dw_station *s, enum value_group g, int sign)
{
	for (uint32_t i = 0; i < s->n_disks; i++)
		shift_disk(&s->disk[i], g, sign);
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		double u = width_of(s->node[i].assumed, g);
		double slower = sign > 0 ? 1 + u : 1 / (1 + u);

		if (g == WIRING)
			scale(&s->node[i].rate, 1 / slower);
		else if (g == COMMANDS)
			scale(&s->node[i].command_ns, slower);
	}
}

/* the same question to a shifted station, by the fluid form */
static int ask_shifted(const struct pf_job *j, int g, int sign, struct pf_times *times,
		       double *ret_seconds)
{
	struct pf_job k = *j;
	int r = pf_station_single(j->station, &k.station);

	if (r < 0)
		return r;
	k.disk = calloc(j->n + 1, sizeof(*k.disk));
	r = k.disk ? 0 : -ENOMEM;
	if (g < GROUPS)
		shift(k.station, (enum value_group)g, sign);
	for (uint32_t i = 0; i < j->n && !r; i++) {
		k.disk[i].plan = j->disk[i].plan;
		k.disk[i].spec = &k.station->disk[j->disk[i].unit];
		r = pf_job_disk(&k, i);
	}
	if (!r)
		r = pf_shared(&k, times, ret_seconds);
	for (uint32_t i = 0; i < j->n && k.disk; i++)
		dw_cost_disk_deinit(&k.disk[i].cost);
	free(k.disk);
	dw_station_free(k.station);
	return r;
}

/* as squares, so far; in shares of the finish */
struct spread {
	double low;
	double high;
};

static void spread_add(struct spread *s, double at, double shifted)
{
	double d = at > 0 ? shifted / at - 1 : 0;

	if (d < 0)
		s->low += d * d;
	else
		s->high += d * d;
}

static void apply(const struct spread *s, double at, double model, double *low,
		  double *high)
{
	double l = sqrt(CENTRAL * CENTRAL * s->low + model * model);
	double h = sqrt(CENTRAL * CENTRAL * s->high + model * model);

	*low = fmax(0, at * (1 - l) - MODEL_FIXED);
	*high = at * (1 + h) + MODEL_FIXED;
}

/* what chance does is not in the fluid form */
static double with_chance(double model, const struct pf_times *t)
{
	return sqrt(model * model + t->chance * t->chance);
}

static int spreads(const struct pf_job *j, struct spread *s, struct pf_times *base,
		   struct pf_times *times)
{
	int last = j->n > INTERVAL_MAX ? MEDIA : SAME;
	double at = 0, seconds = 0;
	int r = ask_shifted(j, GROUPS, 0, base, &at);

	for (int g = MEDIA; g <= last && !r; g++)
		for (int sign = -1; sign < 2 && !r; sign += 2) {
			r = ask_shifted(j, g, sign, times, &seconds);
			for (uint32_t i = 0; i < j->n && !r; i++)
				spread_add(&s[i], base[i].finish, times[i].finish);
			spread_add(&s[j->n], at, seconds);
		}
	return r;
}

static void list_assumed(const char *assumed, char *to, size_t size)
{
	char copy[128], *save, *item;

	snprintf(copy, sizeof(copy), "%s", assumed);
	for (item = strtok_r(copy, ", \t", &save); item;
	     item = strtok_r(NULL, ", \t", &save)) {
		size_t n = strlen(to);

		if (!pf_guessed(to, item))
			snprintf(to + n, size - n, "%s%s", n ? ", " : "", item);
	}
}

static double model_share(const struct pf_job *j, const struct dw_forecast *f)
{
	if (strcmp(f->method, "closed form, shared") != 0)
		return MODEL_SHARE;
	return j->simple ? ROUGH_SHARE : ROUGHER;
}

int pf_interval(const struct pf_job *j, const struct pf_times *reported,
		struct dw_forecast *f)
{
	double model = model_share(j, f);
	struct spread *s = calloc(j->n + 1, sizeof(*s));
	struct pf_times *base = calloc(j->n + 1, sizeof(*base));
	struct pf_times *times = calloc(j->n + 1, sizeof(*times));
	int r = s && base && times ? spreads(j, s, base, times) : -ENOMEM;

	for (uint32_t i = 0; i < j->n && !r; i++)
		apply(&s[i], f->disk[i].finish, with_chance(model, &reported[i]),
		      &f->disk[i].low, &f->disk[i].high);
	if (!r)
		apply(&s[j->n], f->seconds, with_chance(model, &reported[j->n]), &f->low,
		      &f->high);
	for (uint32_t i = 0; i < j->station->n_nodes; i++)
		list_assumed(j->station->node[i].assumed, f->assumed, sizeof(f->assumed));
	for (uint32_t i = 0; i < j->n; i++)
		list_assumed(j->disk[i].spec->assumed, f->assumed, sizeof(f->assumed));
	free(s);
	free(base);
	free(times);
	return r;
}

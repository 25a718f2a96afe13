/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One disk. Of the time from one command to the next,
 *
 *	t(L, x) = max( L / rate(x), tau + L / link ) + turns revolution
 *
 * turns counts for writes that are alone at a disk whose cache is off: whole revolutions, which
 * two lengths or a rate known from reads tell apart from the rate; from a single length alone,
 * one is taken. WRITE SAME may have a rate of its own. Reads elsewhere give the seeks.
 */
#include "forecast/fit_disk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/util.h"
#include "forecast/typical.h"

#define FEW       5
#define FEW_JUMPS 20
#define TURNS     3
#define PAIRS     200 /* points whose pairs are looked at */

double fit_median(double *v, uint32_t n)
{
	dw_sort(v, n);
	return n ? v[n / 2] : 0;
}

/* the median slope between pairs of at most PAIRS points */
static bool median_slope(const double *x, const double *y, uint32_t n, double *ret)
{
	uint32_t step = n / PAIRS + 1, k = 0;
	uint32_t most = (n / step + 1) * (n / step + 1) / 2 + 1;
	dw_autofree double *v = calloc(most, sizeof(*v));

	for (uint32_t i = 0; v && i < n; i += step)
		for (uint32_t j = i + step; j < n && k < most; j += step)
			if (fabs(x[j] - x[i]) > 1e-9)
				v[k++] = (y[j] - y[i]) / (x[j] - x[i]);
	if (!k)
		return false;
	*ret = fit_median(v, k);
	return true;
}

uint32_t fit_line(const double *x, const double *y, uint32_t n, double *ret_at,
		  double *ret_slope)
{
	dw_autofree double *v = calloc(n + 1, sizeof(*v));
	double slope, at, far, sx = 0, sy = 0, sxx = 0, sxy = 0, det;
	uint32_t k = 0;

	if (!v || n < 3 || !median_slope(x, y, n, &slope))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		v[i] = y[i] - slope * x[i];
	at = fit_median(v, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = fabs(y[i] - at - slope * x[i]) / y[i];
	far = fmax(3 * 1.4826 * fit_median(v, n), 0.005);
	for (uint32_t i = 0; i < n; i++) {
		if (fabs(y[i] - at - slope * x[i]) > far * y[i])
			continue;
		k++;
		sx += x[i];
		sy += y[i];
		sxx += x[i] * x[i];
		sxy += x[i] * y[i];
	}
	det = k * sxx - sx * sx;
	if (k >= 3 && det > 1e-9 * k * sxx) {
		slope = (k * sxy - sx * sy) / det;
		at = (sy - slope * sx) / k;
	}
	*ret_at = at;
	*ret_slope = slope;
	return k;
}

/** struct set - chunks that a question is about */
struct set {
	const struct fit_chunk *c[FIT_CHUNKS];
	uint32_t n;
	double longest;
	double shortest;
};

static bool loses_turns(const struct station_disk *d, const struct fit_chunk *c)
{
	return c->verb != DW_VERB_READ && !d->cache && d->rpm && !c->overlapped;
}

/* Every other chunk, of some verbs; long ones only where the medium is to be the limit. */
static void gather(const struct fit_disk *f, const struct station_disk *d, uint32_t verbs,
		   bool turns, bool all, struct set *ret)
{
	*ret = (struct set){ .shortest = INFINITY };
	for (uint32_t i = 0; i < f->n_chunks; i += 2) {
		const struct fit_chunk *c = &f->chunk[i];

		if (!(verbs & 1u << c->verb) || loses_turns(d, c) != turns ||
		    (c->contended && !all))
			continue;
		ret->c[ret->n++] = c;
		ret->longest = fmax(ret->longest, c->bytes);
		ret->shortest = fmin(ret->shortest, c->bytes);
	}
}

/* rates over places, of commands of at least @least bytes, after @lost_ns each; the root mean
 * square of the relative errors, negative when there is no line */
static double rate_line(const struct set *s, double least, double lost_ns,
			struct fit_model *m)
{
	dw_autofree double *v = calloc(2 * (size_t)FIT_CHUNKS, sizeof(*v));
	double *x = v, *y = v + FIT_CHUNKS, at, slope, sum = 0;
	uint32_t n = 0, long_ones = 0;

	for (uint32_t i = 0; v && i < s->n; i++) {
		const struct fit_chunk *c = s->c[i];

		long_ones += c->bytes >= least;
		if (c->bytes < least || c->ns < 1.01 * lost_ns)
			continue;
		x[n] = c->x;
		y[n++] = c->bytes * 1e9 / (c->ns - lost_ns);
	}
	if (n < FEW || n < long_ones / 2 || !fit_line(x, y, n, &at, &slope))
		return -1;
	if (slope > 0 ||
	    !(at + slope > 0)) { /* no disk is faster inside, or stands still */
		at = fit_median(y, n);
		slope = 0;
	}
	if (!(at > 0))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		sum += fmin(pow((at + slope * x[i]) / y[i] - 1, 2), 0.04);
	m->outer = at;
	m->inner = at + slope;
	return sqrt(sum / n);
}

static double rate_at(const struct fit_model *m, double x)
{
	return m->outer + (m->inner - m->outer) * x;
}

/* the number of turns that makes different lengths agree best; a single length: one */
static bool count_turns(const struct set *s, struct fit_model *m)
{
	struct fit_model best = { .outer = 0 }, one;
	double least = INFINITY;
	int from = 0, to = TURNS;

	if (s->longest < 1.5 * s->shortest)
		from = to = 1;
	for (int k = from; k <= to; k++) {
		double off;

		one = *m;
		one.turns = k;
		off = rate_line(s, 0, k * m->rev_ns, &one);
		if (off < 0 || off >= least)
			continue;
		least = off;
		best = one;
	}
	if (!(best.outer > 0))
		return false;
	*m = best;
	return true;
}

/* With a known rate, what is over the medium's time, in turns. */
static void measure_turns(const struct set *s, struct fit_model *m)
{
	dw_autofree double *v = calloc(FIT_CHUNKS, sizeof(*v));

	for (uint32_t i = 0; v && i < s->n; i++)
		v[i] = (s->c[i]->ns - s->c[i]->bytes * 1e9 / rate_at(m, s->c[i]->x)) /
		       m->rev_ns;
	if (v && s->n)
		m->turns = fmax(round(fit_median(v, s->n)), 0);
}

#define VERB(v) (1u << DW_VERB_##v)

static bool find_rates(const struct fit_disk *f, const struct station_disk *d, bool all,
		       struct fit_model *m)
{
	dw_autofree struct set *plain = malloc(sizeof(*plain));
	dw_autofree struct set *late = malloc(sizeof(*late));

	if (!plain || !late)
		return false;
	gather(f, d, VERB(READ) | VERB(WRITE), false, all, plain);
	gather(f, d, VERB(WRITE) | VERB(WRITE_SAME), true, all, late);
	if (rate_line(plain, plain->longest / 2, 0, m) >= 0) {
		measure_turns(late, m);
		return true;
	}
	if (count_turns(late, m))
		return true;
	gather(f, d, VERB(WRITE_SAME), false, all, plain);
	return rate_line(plain, plain->longest / 2, 0, m) >= 0;
}

/* WRITE SAME beside a rate that others told */
static void find_same(const struct fit_disk *f, struct station_disk *d,
		      struct fit_model *m)
{
	dw_autofree double *v = calloc(2 * (size_t)FIT_CHUNKS, sizeof(*v));
	double *share = v, *rate = v + FIT_CHUNKS, q;
	uint32_t n = 0;

	for (uint32_t i = 0; v && i < f->n_chunks; i += 2) {
		const struct fit_chunk *c = &f->chunk[i];
		double ns = c->ns - (loses_turns(d, c) ? m->turns * m->rev_ns : 0);

		if (c->verb != DW_VERB_WRITE_SAME || ns <= 0)
			continue;
		rate[n] = c->bytes * 1e9 / ns;
		share[n] = rate[n] / rate_at(m, c->x);
		n++;
	}
	if (n < FEW)
		return;
	q = fit_median(share, n);
	m->same = fabs(q - 1) < 0.03 || (d->rpm && q > 1) ? 0 : fit_median(rate, n);
	d->ws = (uint64_t)(m->same / 1000 + 0.5) * 1000;
	typical_known(d->assumed, "write-same");
}

static bool may_show_overhead(const struct station_disk *d, const struct fit_model *m,
			      const struct fit_chunk *c)
{
	return !loses_turns(d, c) && !c->overlapped && (!c->contended || m->all) &&
	       c->verb != DW_VERB_WRITE_SAME;
}

/* Of one length, the middle of what is over the link's time; 0 where the medium was the limit */
static double overhead_of(const struct fit_disk *f, const struct station_disk *d,
			  const struct fit_model *m, double bytes)
{
	dw_autofree double *v = calloc(2 * (size_t)FIT_CHUNKS, sizeof(*v));
	double *share = v, *over = v + FIT_CHUNKS;
	uint32_t n = 0;

	for (uint32_t i = 0; v && i < f->n_chunks; i += 2) {
		const struct fit_chunk *c = &f->chunk[i];

		if (fabs(c->bytes - bytes) > 1 || !may_show_overhead(d, m, c))
			continue;
		share[n] = c->ns * rate_at(m, c->x) / (1e9 * c->bytes);
		over[n++] = c->ns - c->bytes * m->link_ns;
	}
	if (n < FEW || fit_median(share, n) < 1.15)
		return 0;
	return fmax(fit_median(over, n), 0);
}

/* The shortest length that took clearly longer than the medium needs tells it best. */
static void find_overhead(const struct fit_disk *f, const struct station_disk *d,
			  struct fit_model *m)
{
	double tried = 0;

	m->link_ns = d->link ? 1e9 / (double)d->link : 0;
	while (!(m->tau_ns > 0)) {
		double next = INFINITY;

		for (uint32_t i = 0; i < f->n_chunks; i += 2)
			if (f->chunk[i].bytes > tried + 1 &&
			    may_show_overhead(d, m, &f->chunk[i]))
				next = fmin(next, f->chunk[i].bytes);
		if (!isfinite(next))
			return;
		tried = next;
		m->tau_ns = overhead_of(f, d, m, tried);
	}
}

static double quantile(double *v, uint32_t n, double q)
{
	dw_sort(v, n);
	return v[(uint32_t)((n - 1) * q)];
}

static void find_seeks(const struct fit_disk *f, struct station_disk *d,
		       const struct fit_model *m)
{
	double x[FIT_JUMPS], y[FIT_JUMPS], v[FIT_JUMPS], at, slope, rest;
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n_jumps; i++) {
		const struct fit_jump *j = &f->jump[i];

		rest = (double)d->overhead_ns + j->bytes * 1e9 / rate_at(m, j->x);
		if (j->ns <= rest)
			continue; /* from its buffer */
		x[n] = sqrt(j->far);
		v[n] = x[n];
		y[n++] = j->ns - rest - m->rev_ns / 2;
	}
	if (n < FEW_JUMPS || !d->rpm)
		return;
	slope = (double)(d->seek_full_ns - d->seek_track_ns);
	if (quantile(v, n, 0.9) - quantile(v, n, 0.1) < 0.2) { /* all about as far */
		double middle = fit_median(v, n);

		at = fit_median(y, n) - slope * middle;
	} else if (!fit_line(x, y, n, &at, &slope)) {
		return;
	}
	d->seek_track_ns = (uint64_t)(fmax(at, 0) / 1000) * 1000;
	d->seek_full_ns = d->seek_track_ns + (uint64_t)(fmax(slope, 0) / 1000) * 1000;
	typical_known(d->assumed, "seek");
}

static void put_values(struct station_disk *d, double path_ns, const struct fit_model *m)
{
	bool less = m->all && m->outer < (double)d->outer;
	double overhead = m->tau_ns;

	if (m->contended && less && !strstr(d->assumed, "outer"))
		return; /* what was seen is what the others left */
	d->outer = (uint64_t)(m->outer / 1000 + 0.5) * 1000;
	d->inner = dw_min_u64((uint64_t)(m->inner / 1000 + 0.5) * 1000, d->outer);
	typical_known(d->assumed, "outer");
	typical_known(d->assumed, "inner");
	if (m->turns > 1 && !(overhead > 0)) /* as late as that */
		overhead = (m->turns - 0.5) * m->rev_ns;
	if (!(overhead > 0))
		return;
	d->overhead_ns = (uint64_t)(fmax(overhead - path_ns, 0) / 1000 + 0.5) * 1000;
	typical_known(d->assumed, "overhead");
}

double fit_model_ns(const struct fit_model *m, const struct station_disk *d,
		    const struct fit_chunk *c)
{
	double rate = rate_at(m, c->x), ns;

	if (c->verb == DW_VERB_WRITE_SAME && m->same > 0)
		rate = d->rpm ? fmin(rate, m->same) : m->same;
	ns = c->bytes * 1e9 / rate;
	if (loses_turns(d, c))
		return ns + m->turns * m->rev_ns;
	if (c->verb != DW_VERB_WRITE_SAME && !c->overlapped)
		ns = fmax(ns, m->tau_ns + c->bytes * m->link_ns);
	return ns;
}

bool fit_disk(const struct fit_disk *f, struct station_disk *d, double path_ns,
	      struct fit_model *ret)
{
	struct fit_model m = { .rev_ns = d->rpm ? 60e9 / (double)d->rpm : 0 };

	if (!find_rates(f, d, false, &m)) {
		m.all = true;
		for (uint32_t i = 0; i < f->n_chunks; i++)
			m.contended |= f->chunk[i].contended;
		if (!find_rates(f, d, true, &m))
			return false;
	}
	find_overhead(f, d, &m);
	find_same(f, d, &m);
	put_values(d, path_ns, &m);
	find_seeks(f, d, &m);
	*ret = m;
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The policies with several queues (Towsley, Chen and Yu, section 3.3). Two numbers of their
 * states have no limit; one is the level of a chain, the other is cut at B. The lower chain
 * drops the copy that would go beyond, the upper one makes the disk that is ahead wait.
 *
 * CMQ      level: requests in the common queue; phase: writes that the other disk is behind.
 *          A read takes Q + 1 service; an update that starts on one disk while the other has
 *          m operations takes Q and the larger of one and m + 1 services.
 * MR-DMQA  level: requests that no disk has finished; phase: writes that the other disk is
 *          behind. Both disks work on the same request when that is none: a read then takes
 *          half the time. A read takes n/lambda (Little), an update that is done with k
 *          behind takes k + 1 services more.
 * R-DMQ    level and phase: the two queues. A read is M/M/1; an update takes the larger of
 *          n1 + 1 and n2 + 1 services, of which the truncated chain gives a lower value, and
 *          E[T1] + E[T2] - E[smaller] an upper one.
 * SQ-DMQ   level: the shorter queue; phase: by how much the other one is longer.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/util.h"
#include "papers/mirror.h"
#include "papers/qbd.h"

#define AGREE      1e-6
#define LEAST      20
#define LEAST_CMQ  60
#define MOST       180
#define SHORT      24 /* chains that tell how fast the bounds close in */
#define LONGER     36
#define TAIL       1e-14
#define MOST_LEVEL 200000

struct chain {
	const struct dw_mirror *m;
	size_t b;
	bool upper;
	double first; /* R-DMQ: reads of the queue that is the level */
	double second;
};

/* What the levels of CMQ and MR-DMQA do alike: @k behind, b at the most. */
static void behind(struct dw_qbd *q, const struct chain *c, size_t k,
		   size_t (*down)(const struct chain *c, size_t level, size_t k),
		   size_t level)
{
	double ahead = k ? c->m->mu : 2 * c->m->mu;

	dw_qbd_go(q, 1, k, c->m->lambda);
	if (k)
		dw_qbd_go(q, 0, k - 1, c->m->mu);
	if (k == c->b && c->upper)
		return;
	dw_qbd_go(q, -1, down(c, level, k), ahead * c->m->pr);
	dw_qbd_go(q, -1, down(c, level, k < c->b ? k + 1 : k), ahead * (1 - c->m->pr));
}

static size_t same(const struct chain *c, size_t level, size_t k)
{
	(void)c;
	(void)level;
	return k;
}

static void mr_dmqa(struct dw_qbd *q, void *ctx, size_t level, size_t k)
{
	const struct chain *c = ctx;

	if (level) {
		behind(q, c, k, same, level);
		return;
	}
	dw_qbd_go(q, 1, k, c->m->lambda);
	if (k)
		dw_qbd_go(q, 0, k - 1, c->m->mu);
}

/* CMQ, level 0: 0..b+1 operations at one disk and the other idle; then, from b+2 on, 1..b+1
 * at one disk and the other busy. */
static size_t busy(const struct chain *c, size_t m)
{
	return c->b + 1 + m;
}

static size_t to_common(const struct chain *c, size_t level, size_t k)
{
	return level == 1 ? busy(c, k + 1) : k;
}

static void cmq(struct dw_qbd *q, void *ctx, size_t level, size_t phase)
{
	const struct chain *c = ctx;
	double lr = c->m->lambda * c->m->pr, lw = c->m->lambda - lr, mu = c->m->mu;
	size_t m = phase;

	if (level) {
		behind(q, c, phase, to_common, level);
	} else if (m == 0) {
		dw_qbd_go(q, 0, 1, lr);
		dw_qbd_go(q, 0, busy(c, 1), lw);
	} else if (m <= c->b + 1) {
		dw_qbd_go(q, 0, m - 1, mu);
		dw_qbd_go(q, 0, busy(c, m), lr);
		if (m <= c->b)
			dw_qbd_go(q, 0, busy(c, m + 1), lw);
		else if (c->upper)
			dw_qbd_go(q, 1, c->b, lw);
		else
			dw_qbd_go(q, 0, busy(c, m), lw);
	} else {
		m -= c->b + 1;
		dw_qbd_go(q, 0, m, mu);
		dw_qbd_go(q, 0, m > 1 ? busy(c, m - 1) : 1, mu);
		dw_qbd_go(q, 1, m - 1, c->m->lambda);
	}
}

static void r_dmq(struct dw_qbd *q, void *ctx, size_t level, size_t n)
{
	const struct chain *c = ctx;
	double lw = c->m->lambda * (1 - c->m->pr);

	dw_qbd_go(q, 1, n, c->first);
	if (n < c->b)
		dw_qbd_go(q, 0, n + 1, c->second);
	dw_qbd_go(q, 1, n < c->b ? n + 1 : n, lw);
	if (n)
		dw_qbd_go(q, 0, n - 1, c->m->mu);
	if (level)
		dw_qbd_go(q, -1, n, c->m->mu);
}

static void sq_dmq(struct dw_qbd *q, void *ctx, size_t level, size_t d)
{
	const struct chain *c = ctx;
	double lr = c->m->lambda * c->m->pr, mu = c->m->mu;

	dw_qbd_go(q, d ? 1 : 0, d ? d - 1 : 1, lr);
	dw_qbd_go(q, 1, d, c->m->lambda - lr);
	if (d)
		dw_qbd_go(q, 0, d - 1, mu);
	if (level && (d < c->b || !c->upper))
		dw_qbd_go(q, -1, d < c->b ? d + 1 : d, d ? mu : 2 * mu);
}

static double total(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

static void read_cmq(const struct chain *c, struct dw_qbd *q, double ret[2])
{
	const double *zero = dw_qbd_level(q, 0), *sum = dw_qbd_sum(q);
	double wait = total(dw_qbd_moment(q), c->b + 1) / c->m->lambda;
	double starts = 0, time = 0, half = 0.5;

	for (size_t m = 0; m <= c->b + 1; m++, half /= 2) {
		double rate = c->m->lambda * zero[m];

		if (m && m <= c->b + (c->upper ? 0 : 1))
			rate += sum[m - 1] * (m > 1 ? 1 : 2) * c->m->mu;
		starts += rate;
		time += rate * ((double)m + 1 + half) / c->m->mu;
	}
	ret[0] = wait + 1 / c->m->mu;
	ret[1] = wait + time / starts;
}

static void read_mr_dmqa(const struct chain *c, struct dw_qbd *q, double ret[2])
{
	const double *sum = dw_qbd_sum(q);
	double ends = 0, time = 0;

	for (size_t k = 0; k <= c->b - c->upper; k++) {
		double rate = sum[k] * (k ? 1 : 2) * c->m->mu;

		ends += rate;
		time += rate * ((double)k + 1) / c->m->mu;
	}
	ret[0] = total(dw_qbd_moment(q), c->b + 1) / c->m->lambda;
	ret[1] = ret[0] + time / ends;
}

/* E[larger] and E[smaller] of a and of b = 0.. services, in services, for a = 1, 2, ... */
static void next_row(double *larger, double *smaller, size_t n, double a)
{
	larger[0] = a;
	for (size_t b = 1; b < n; b++) {
		larger[b] = (1 + larger[b] + larger[b - 1]) / 2;
		smaller[b] = (1 + smaller[b] + smaller[b - 1]) / 2;
	}
}

static int read_r_dmq(const struct chain *c, struct dw_qbd *q, double ret[2])
{
	size_t n = c->b + 2;
	double *larger = calloc(2 * n, sizeof(*larger)), *smaller = larger + n;
	double left = 1;

	if (!larger)
		return -ENOMEM;
	for (size_t b = 0; b < n; b++)
		larger[b] = (double)b;
	ret[0] = ret[1] = 0;
	for (size_t i = 0; left > TAIL && i < MOST_LEVEL; i++) {
		const double *p = dw_qbd_level(q, i);

		next_row(larger, smaller, n, (double)i + 1);
		for (size_t j = 0; j <= c->b; j++) {
			ret[0] += p[j] * smaller[j + 1] / c->m->mu;
			ret[1] += p[j] * larger[j + 1] / c->m->mu;
		}
		left -= total(p, c->b + 1);
	}
	free(larger);
	return 0;
}

/* E[larger] of a and a + e services for e = 0..n-1, from those of a - 1. */
static void next_band(double *band, size_t n)
{
	double before = band[1]; /* of a and a - 1 is of a - 1 and a */

	for (size_t e = 0; e < n; e++) {
		double above = e + 1 < n ? band[e + 1] : band[e] + 1;

		band[e] = before = (1 + above + before) / 2;
	}
}

static int read_sq_dmq(const struct chain *c, struct dw_qbd *q, double ret[2])
{
	size_t n = c->b + 202;
	double *band = calloc(n, sizeof(*band)), left = 1;

	if (!band)
		return -ENOMEM;
	for (size_t e = 0; e < n; e++)
		band[e] = (double)e;
	ret[0] = ret[1] = 0;
	for (size_t i = 0; left > TAIL && i < MOST_LEVEL; i++) {
		const double *p = dw_qbd_level(q, i);

		next_band(band, n);
		for (size_t d = 0; d <= c->b; d++) {
			ret[0] += p[d] * ((double)i + 1) / c->m->mu;
			ret[1] += p[d] * band[d] / c->m->mu;
		}
		left -= total(p, c->b + 1);
	}
	free(band);
	return 0;
}

/* Read and update of one chain; of R-DMQ the smaller and the larger of the two queues. */
static int solve_chain(struct chain *c, double ret[2])
{
	enum dw_mirror_policy policy = c->m->policy;
	struct dw_qbd_rule rule = { .phases = c->b + 1, .boundary = c->b + 1, .ctx = c };
	struct dw_qbd *q = NULL;
	int r;

	rule.leave = policy == DW_R_DMQ ? r_dmq : policy == DW_SQ_DMQ ? sq_dmq : mr_dmqa;
	if (policy == DW_CMQ) {
		rule.leave = cmq;
		rule.boundary = 2 * c->b + 3;
	}
	r = dw_qbd_solve(&rule, &q);
	if (r)
		return r;
	if (policy == DW_R_DMQ)
		r = read_r_dmq(c, q, ret);
	else if (policy == DW_SQ_DMQ)
		r = read_sq_dmq(c, q, ret);
	else if (policy == DW_CMQ)
		read_cmq(c, q, ret);
	else
		read_mr_dmqa(c, q, ret);
	dw_qbd_free(q);
	return r;
}

/* R-DMQ: the busier queue is the level. */
static int bound_random(struct chain *c, struct dw_mirror_waits *w)
{
	const struct dw_mirror *m = c->m;
	double reads = m->lambda * m->pr, writes = m->lambda - reads, pair[2];
	double a = m->alpha > 0.5 ? m->alpha : 1 - m->alpha;
	double t1, t2;
	int r;

	c->first = a * reads;
	c->second = reads - c->first;
	t1 = 1 / (m->mu - c->first - writes);
	t2 = 1 / (m->mu - c->second - writes);
	r = solve_chain(c, pair);
	if (r)
		return r;
	w->lower[0] = w->upper[0] = a * t1 + (1 - a) * t2;
	w->lower[1] = pair[1];
	w->upper[1] = t1 + t2 - pair[0];
	return 0;
}

/* Without reads all these policies are the fork-join queue, whose update is known. */
static void without_reads(const struct dw_mirror *m, struct dw_mirror_waits *w)
{
	double rho = m->lambda / m->mu;

	w->lower[1] = w->upper[1] = (12 - rho) / 8 / (m->mu - m->lambda);
}

static int bound(struct chain *c, struct dw_mirror_waits *w)
{
	int r;

	if (c->m->policy == DW_R_DMQ) {
		r = bound_random(c, w);
	} else {
		c->upper = false;
		r = solve_chain(c, w->lower);
		if (r)
			return r;
		c->upper = true;
		r = solve_chain(c, w->upper);
		if (r == -EINVAL) {
			w->upper[0] = w->upper[1] = NAN;
			r = 0;
		}
	}
	if (!r && c->m->pr == 0)
		without_reads(c->m, w);
	return r;
}

/* How far apart the bounds are, the wider of the two; NAN without an upper one. */
static double apart(const struct dw_mirror_waits *w)
{
	double read = fabs(w->upper[0] - w->lower[0]) / w->lower[0];
	double update = fabs(w->upper[1] - w->lower[1]) / w->lower[1];

	return read > update || isnan(read) ? read : update;
}

static bool agree(const struct dw_mirror_waits *w)
{
	return apart(w) <= AGREE;
}

/* Where the shorter queue's tail should have gone. */
static size_t guess_random(const struct dw_mirror *m)
{
	double share = m->alpha > 0.5 ? 1 - m->alpha : m->alpha;
	double rho = m->lambda * (1 - m->pr + share * m->pr) / m->mu;
	double b = rho > 0 ? ceil(log(1e-7) / log(rho)) : 0;

	return b < LEAST ? LEAST : b > MOST ? MOST : (size_t)b;
}

/* The bounds close in by the same factor with each state: two short chains tell it. */
static size_t guess(const struct dw_mirror *m)
{
	size_t least = m->policy == DW_SQ_DMQ ? LEAST : LEAST_CMQ;
	struct dw_mirror_waits w = { 0 };
	double near, far, b;

	if (m->policy == DW_R_DMQ)
		return guess_random(m);
	if (bound(&(struct chain){ .m = m, .b = SHORT }, &w))
		return least;
	far = apart(&w);
	if (bound(&(struct chain){ .m = m, .b = LONGER }, &w))
		return least;
	near = apart(&w);
	if (!(near > AGREE / 4) || !(far > near))
		return least;
	b = LONGER + ceil((LONGER - SHORT) * log(near / (AGREE / 4)) / log(far / near));
	return b < (double)least ? least : b > MOST ? MOST : (size_t)b;
}

int dw_mirror_multiple(const struct dw_mirror *m, struct dw_mirror_waits *ret)
{
	struct chain c = { .m = m, .b = m->truncation ? m->truncation : guess(m) };
	int r = bound(&c, ret);

	while (!r && !m->truncation && !agree(ret) && c.b < MOST) {
		c.b = dw_min_u64(c.b * 3 / 2, MOST);
		r = bound(&c, ret);
	}
	if (r)
		return r;
	ret->read =
		ret->upper[0] > 0 ? (ret->lower[0] + ret->upper[0]) / 2 : ret->lower[0];
	ret->update =
		ret->upper[1] > 0 ? (ret->lower[1] + ret->upper[1]) / 2 : ret->lower[1];
	ret->read_printed = ret->update_printed = NAN;
	return 0;
}

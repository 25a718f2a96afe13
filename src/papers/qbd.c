/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The matrix-geometric solution in plain C. The matrix G of first passages one level down
 * comes from logarithmic reduction (Latouche and Ramaswami 1993), whose steps double the
 * levels looked at, then R = A0 (-(A1 + A0 G))^-1, the boundary from its balance equations,
 * and y(i) = y(1) R^(i-1). A chain is stable if the drift is down: pi A2 e > pi A0 e.
 */
#include "papers/qbd.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 60

struct dw_qbd {
	size_t n;
	size_t m; /* states of level 0 */
	double *up;
	double *local;
	double *down;
	double *out; /* level 0: (m + n) columns a row */
	double *in;  /* level 1 to 0: m columns a row */
	double *r;
	double *y0;
	double *y1;
	double *at; /* the level asked for last */
	double *next;
	double *sum;
	double *moment;
	size_t level;
	/* where dw_qbd_go() writes */
	size_t from_level;
	size_t from;
	double *block; /* of all the above */
};

/* Here the time goes: four rows at once. */
#define BLOCK 4

/* to -= f row. */
static void subtract(double *restrict to, const double *restrict row, double f, size_t n)
{
	for (size_t j = 0; j < n; j++)
		to[j] -= f * row[j];
}

/* to -= f0 row + f1 next row + ..., the rows @width numbers apart. */
static void subtract_four(double *restrict to, const double *restrict row, size_t width,
			  const double f[BLOCK], size_t n)
{
	const double *r1 = row + width, *r2 = r1 + width, *r3 = r2 + width;
	double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];

	for (size_t j = 0; j < n; j++)
		to[j] -= f0 * row[j] + f1 * r1[j] + f2 * r2[j] + f3 * r3[j];
}

/* c = a b, all n x n, none the same. Rows of b are walked, not columns. */
static void multiply(size_t n, const double *a, const double *b, double *c)
{
	memset(c, 0, n * n * sizeof(*c));
	for (size_t i = 0; i < n; i++) {
		const double *f = a + i * n;
		size_t k = 0;

		for (; k + BLOCK <= n; k += BLOCK) {
			const double minus[BLOCK] = { -f[k], -f[k + 1], -f[k + 2],
						      -f[k + 3] };

			subtract_four(c + i * n, b + k * n, n, minus, n);
		}
		for (; k < n; k++)
			subtract(c + i * n, b + k * n, -f[k], n);
	}
}

static void swap_rows(double *a, size_t width, size_t i, size_t j)
{
	for (size_t k = 0; i != j && k < width; k++) {
		double x = a[i * width + k];

		a[i * width + k] = a[j * width + k];
		a[j * width + k] = x;
	}
}

/* Eliminate below the diagonal in columns @k to @end of rows @k..n, in these columns only; the
 * factors stay where the zeros would be. False when a is singular. */
static bool eliminate(size_t n, double *a, double *b, size_t w, size_t k, size_t end)
{
	for (; k < end; k++) {
		size_t p = k;

		for (size_t i = k + 1; i < n; i++)
			if (fabs(a[i * n + k]) > fabs(a[p * n + k]))
				p = i;
		if (!(fabs(a[p * n + k]) > 0))
			return false;
		swap_rows(a, n, k, p);
		swap_rows(b, w, k, p);
		for (size_t i = k + 1; i < n; i++) {
			double f = a[i * n + k] /= a[k * n + k];

			if (f != 0)
				subtract(a + i * n + k + 1, a + k * n + k + 1, f,
					 end - k - 1);
		}
	}
	return true;
}

/* What eliminate() did to columns @k to @end, to the others of the rows, and to b. */
static void follow(size_t n, double *a, double *b, size_t w, size_t k, size_t end)
{
	for (size_t i = k + 1; i < n; i++) {
		const double *f = a + i * n + k;

		if (i >= end && end - k == BLOCK) {
			subtract_four(a + i * n + end, a + k * n + end, n, f, n - end);
			subtract_four(b + i * w, b + k * w, w, f, w);
			continue;
		}
		for (size_t j = k; j < end && j < i; j++) {
			subtract(a + i * n + end, a + j * n + end, f[j - k], n - end);
			subtract(b + i * w, b + j * w, f[j - k], w);
		}
	}
}

/* Solve a x = b for @w right hand sides at once; a is destroyed, b becomes x. False when
 * a is singular. */
static bool solve_linear(size_t n, double *a, double *b, size_t w)
{
	for (size_t k = 0; k < n; k += BLOCK) {
		size_t end = k + BLOCK < n ? k + BLOCK : n;

		if (!eliminate(n, a, b, w, k, end))
			return false;
		follow(n, a, b, w, k, end);
	}
	for (size_t k = n; k-- > 0;) {
		size_t i = k + 1;

		for (; i + BLOCK <= n; i += BLOCK)
			subtract_four(b + k * w, b + i * w, w, a + k * n + i, w);
		for (; i < n; i++)
			subtract(b + k * w, b + i * w, a[k * n + i], w);
		for (size_t j = 0; j < w; j++)
			b[k * w + j] /= a[k * n + k];
	}
	return true;
}

static void transpose(size_t n, const double *a, double *b)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			b[j * n + i] = a[i * n + j];
}

void dw_qbd_go(struct dw_qbd *q, int up, size_t phase, double rate)
{
	size_t i = q->from;

	if (!(rate > 0))
		return;
	if (q->from_level == 0) {
		q->out[i * (q->m + q->n) + i] -= rate;
		q->out[i * (q->m + q->n) + (up ? q->m : 0) + phase] += rate;
		return;
	}
	if (q->from_level == 1 && up < 0) {
		q->in[i * q->m + phase] += rate;
		return;
	}
	if (q->from_level == 1)
		return;
	q->local[i * q->n + i] -= rate;
	(up > 0 ? q->up : up < 0 ? q->down : q->local)[i * q->n + phase] += rate;
}

/* Ask the rule about levels 0 and 1 (down only) and 2 (all the others are like it). */
static void fill_blocks(struct dw_qbd *q, const struct dw_qbd_rule *rule)
{
	for (q->from_level = 0; q->from_level <= 2; q->from_level++) {
		size_t states = q->from_level ? q->n : q->m;

		for (q->from = 0; q->from < states; q->from++)
			rule->leave(q, rule->ctx, q->from_level, q->from);
	}
}

/* pi of A0 + A1 + A2, then the drift. */
static bool stable(const struct dw_qbd *q, double *a, double *pi)
{
	size_t n = q->n;
	double drift = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			a[j * n + i] = q->up[i * n + j] + q->local[i * n + j] +
				       q->down[i * n + j];
	for (size_t j = 0; j < n; j++)
		a[(n - 1) * n + j] = 1;
	memset(pi, 0, n * sizeof(*pi));
	pi[n - 1] = 1;
	if (!solve_linear(n, a, pi, 1))
		return false;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			drift += pi[i] * (q->down[i * n + j] - q->up[i * n + j]);
	return drift > 0;
}

/* Logarithmic reduction; @w is room for seven matrices and one of twice the width. */
static bool reduce(const struct dw_qbd *q, double *w, double *g)
{
	size_t n = q->n, nn = n * n;
	double *h = w, *l = w + nn, *t = w + 2 * nn, *u = w + 3 * nn, *hh = w + 4 * nn,
	       *a = w + 5 * nn, *x = w + 6 * nn, *both = w + 7 * nn, off = 1;

	for (size_t i = 0; i < nn; i++)
		a[i] = -q->local[i];
	for (size_t i = 0; i < n; i++) {
		memcpy(both + 2 * i * n, q->up + i * n, n * sizeof(*both));
		memcpy(both + (2 * i + 1) * n, q->down + i * n, n * sizeof(*both));
	}
	for (int round = 0; round < ROUNDS; round++) {
		if (!solve_linear(n, a, both, 2 * n))
			return false;
		for (size_t i = 0; i < n; i++) {
			memcpy(h + i * n, both + 2 * i * n, n * sizeof(*h));
			memcpy(l + i * n, both + (2 * i + 1) * n, n * sizeof(*l));
		}
		if (!round) {
			memcpy(g, l, nn * sizeof(*g));
			memcpy(t, h, nn * sizeof(*t));
		} else {
			multiply(n, t, l, x);
			off = 0;
			for (size_t i = 0; i < nn; i++) {
				g[i] += x[i];
				off = x[i] > off ? x[i] : off;
			}
			multiply(n, t, h, x);
			memcpy(t, x, nn * sizeof(*t));
		}
		if (off < 1e-16)
			return true;
		multiply(n, h, l, u);
		multiply(n, l, h, x);
		for (size_t i = 0; i < nn; i++)
			a[i] = -u[i] - x[i];
		for (size_t i = 0; i < n; i++)
			a[i * n + i] += 1;
		multiply(n, h, h, hh);
		multiply(n, l, l, x);
		for (size_t i = 0; i < n; i++) {
			memcpy(both + 2 * i * n, hh + i * n, n * sizeof(*both));
			memcpy(both + (2 * i + 1) * n, x + i * n, n * sizeof(*both));
		}
	}
	return off < 1e-9;
}

/* R from G: R (-(A1 + A0 G)) = A0, solved transposed. */
static bool rate_matrix(struct dw_qbd *q, const double *g, double *w)
{
	size_t n = q->n, nn = n * n;

	multiply(n, q->up, g, w);
	for (size_t i = 0; i < nn; i++)
		w[i] = -q->local[i] - w[i];
	transpose(n, w, w + nn);
	transpose(n, q->up, w + 2 * nn);
	if (!solve_linear(n, w + nn, w + 2 * nn, n))
		return false;
	transpose(n, w + 2 * nn, q->r);
	return true;
}

/* Balance of levels 0 and 1, with y(2) = y(1) R; then the sums over all levels. */
static bool boundary(struct dw_qbd *q, double *w)
{
	size_t n = q->n, m = q->m, s = n + m, nn = n * n;
	double *a = w, *b = a + s * s, *rd = b + s, *ir = rd + nn, total = 0;

	multiply(n, q->r, q->down, rd);
	for (size_t i = 0; i < s; i++) {
		for (size_t j = 0; j < s; j++) {
			double x = 0;

			if (i < m)
				x = q->out[i * s + j];
			else if (j < m)
				x = q->in[(i - m) * m + j];
			else
				x = q->local[(i - m) * n + j - m] +
				    rd[(i - m) * n + j - m];
			a[j * s + i] = x;
		}
		b[i] = i ? 0 : 1;
	}
	for (size_t j = 0; j < s; j++)
		a[j] = 1;
	if (!solve_linear(s, a, b, 1))
		return false;
	/* sum = y1 (I-R)^-1, moment = sum (I-R)^-1, both as columns of the transposed. */
	for (int twice = 0; twice < 2; twice++) {
		double *to = twice ? q->moment : q->sum;

		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n; j++)
				ir[j * n + i] = (i == j) - q->r[i * n + j];
		memcpy(to, twice ? q->sum : b + m, n * sizeof(*to));
		if (!solve_linear(n, ir, to, 1))
			return false;
	}
	for (size_t i = 0; i < m; i++)
		total += b[i];
	for (size_t i = 0; i < n; i++)
		total += q->sum[i];
	for (size_t i = 0; i < m; i++)
		q->y0[i] = b[i] / total;
	for (size_t i = 0; i < n; i++) {
		q->y1[i] = b[m + i] / total;
		q->sum[i] /= total;
		q->moment[i] /= total;
	}
	return total > 0;
}

static struct dw_qbd *allocate(size_t n, size_t m)
{
	size_t s = n + m, nn = n * n, need = 4 * nn + m * s + n * m + m + 5 * n;
	struct dw_qbd *q = calloc(1, sizeof(*q));
	double *p;

	if (!q)
		return NULL;
	*q = (struct dw_qbd){ .n = n, .m = m };
	p = q->block = calloc(need, sizeof(*p));
	if (!p) {
		free(q);
		return NULL;
	}
	q->up = p;
	q->local = q->up + nn;
	q->down = q->local + nn;
	q->r = q->down + nn;
	q->out = q->r + nn;
	q->in = q->out + m * s;
	q->y0 = q->in + n * m;
	q->y1 = q->y0 + m;
	q->at = q->y1 + n;
	q->next = q->at + n;
	q->sum = q->next + n;
	q->moment = q->sum + n;
	return q;
}

int dw_qbd_solve(const struct dw_qbd_rule *rule, struct dw_qbd **ret_q)
{
	size_t n = rule->phases, s = n + rule->boundary;
	double *work = calloc(10 * n * n + s * s + s, sizeof(*work));
	struct dw_qbd *q = allocate(n, rule->boundary);
	int r = -ENOMEM;

	if (q && work) {
		double *g = work + 9 * n * n;

		fill_blocks(q, rule);
		r = stable(q, work, work + n * n) && reduce(q, work, g) &&
				    rate_matrix(q, g, work) && boundary(q, work)
			    ? 0
			    : -EINVAL;
	}
	free(work);
	if (r) {
		dw_qbd_free(q);
		return r;
	}
	*ret_q = q;
	return 0;
}

void dw_qbd_free(struct dw_qbd *q)
{
	if (!q)
		return;
	free(q->block);
	free(q);
}

const double *dw_qbd_level(struct dw_qbd *q, size_t level)
{
	if (!level)
		return q->y0;
	if (level == 1) {
		memcpy(q->at, q->y1, q->n * sizeof(*q->at));
	} else if (level != q->level) {
		memset(q->next, 0, q->n * sizeof(*q->next));
		for (size_t i = 0; i < q->n; i++)
			for (size_t j = 0; j < q->n; j++)
				q->next[j] += q->at[i] * q->r[i * q->n + j];
		memcpy(q->at, q->next, q->n * sizeof(*q->at));
	}
	q->level = level;
	return q->at;
}

const double *dw_qbd_sum(const struct dw_qbd *q)
{
	return q->sum;
}

const double *dw_qbd_moment(const struct dw_qbd *q)
{
	return q->moment;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moments of a disk's service time X = U seek + latency + transfer, and of the larger and
 * the smaller of two. With F the distribution of X - transfer,
 *
 *	E[max] = int 1 - F^2,  E[max^2] = int 2x (1 - F^2),  E[min] = int (1-F)^2, ...
 *
 * F is a polynomial of degree two between its corners, so Gauss's five points are exact.
 */

#include "papers/mirror.h"

void dw_service_exponential(struct dw_service_time *s, double mu)
{
	*s = (struct dw_service_time){
		.one = { 1 / mu, 2 / (mu * mu) },
		.larger = { 1.5 / mu, 3.5 / (mu * mu) },
		.smaller = { 0.5 / mu, 0.5 / (mu * mu) },
	};
}

/* Distribution of a uniform time up to @top. */
static double uniform(double x, double top)
{
	return x < 0 ? 0 : x >= top ? 1 : x / top;
}

/* Of the sum of two uniform times up to @a and @b. */
static double trapezoid(double x, double a, double b)
{
	double small = a < b ? a : b, large = a < b ? b : a, rest = small + large - x;

	if (small <= 0)
		return uniform(x, large);
	if (x <= 0)
		return 0;
	if (rest <= 0)
		return 1;
	if (x < small)
		return x * x / (2 * small * large);
	if (x < large)
		return (x - small / 2) / large;
	return 1 - rest * rest / (2 * small * large);
}

static double distribution(const struct dw_service_time *s, double x)
{
	return s->sequential * uniform(x, 2 * s->latency) +
	       (1 - s->sequential) * trapezoid(x, 2 * s->seek, 2 * s->latency);
}

/* Add the integrals between two corners. */
static void integrate(struct dw_service_time *s, double from, double to)
{
	static const double point[5] = { 0, 0.538469310105683091, -0.538469310105683091,
					 0.906179845938663993, -0.906179845938663993 };
	static const double weight[5] = { 0.568888888888888889, 0.478628670499366468,
					  0.478628670499366468, 0.236926885056189088,
					  0.236926885056189088 };

	for (int i = 0; i < 5; i++) {
		double x = (from + to) / 2 + point[i] * (to - from) / 2;
		double w = weight[i] * (to - from) / 2, f = distribution(s, x);

		s->one[0] += w * (1 - f);
		s->one[1] += w * 2 * x * (1 - f);
		s->larger[0] += w * (1 - f * f);
		s->larger[1] += w * 2 * x * (1 - f * f);
		s->smaller[0] += w * (1 - f) * (1 - f);
		s->smaller[1] += w * 2 * x * (1 - f) * (1 - f);
	}
}

/* From the moments of X - t to those of X. */
static void shift(double moment[2], double t)
{
	moment[1] += 2 * t * moment[0] + t * t;
	moment[0] += t;
}

void dw_service_real(struct dw_service_time *s)
{
	double a = 2 * s->seek, b = 2 * s->latency;
	double small = a < b ? a : b, large = a < b ? b : a;

	for (int i = 0; i < 2; i++)
		s->one[i] = s->larger[i] = s->smaller[i] = 0;
	s->real = true;
	integrate(s, 0, small);
	integrate(s, small, large);
	integrate(s, large, a + b);
	shift(s->one, s->transfer);
	shift(s->larger, s->transfer);
	shift(s->smaller, s->transfer);
}

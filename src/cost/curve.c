/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rate falls, so that where the floor binds it binds from the outer edge to one point:
 * there 1/r + extra = least. Before it the time is a product, after it a logarithm.
 */
#include "cost/curve.h"

#include <math.h>

static double medium_rate(const struct dw_cost_curve *c, double x)
{
	double r = c->outer - (c->outer - c->inner) * x / c->bytes;

	return r < c->inner ? c->inner : r;
}

double dw_cost_curve_rate(const struct dw_cost_curve *c, double x)
{
	double s = 1 / medium_rate(c, x) + c->extra;

	return 1 / (s > c->least ? s : c->least);
}

/* where the floor ceases to bind; from byte 0 on it does not when that is <= 0 */
static double crossing(const struct dw_cost_curve *c)
{
	double s = c->least - c->extra, rate;

	if (s <= 1 / c->outer)
		return 0;
	if (s >= 1 / c->inner)
		return c->bytes;
	rate = 1 / s;
	return (c->outer - rate) / (c->outer - c->inner) * c->bytes;
}

static double free_seconds(const struct dw_cost_curve *c, double from, double to)
{
	double slope = (c->outer - c->inner) / c->bytes, at = medium_rate(c, from);
	double part = slope * (to - from) / at;

	if (part < 1e-9)
		return (to - from) * (1 / at + c->extra);
	return -log1p(-part) / slope + (to - from) * c->extra;
}

double dw_cost_curve_seconds(const struct dw_cost_curve *c, double from, double to)
{
	double x = crossing(c), s = 0;

	if (to <= from)
		return 0;
	if (from < x) {
		double until = to < x ? to : x;

		s = (until - from) * c->least;
		from = until;
	}
	return from < to ? s + free_seconds(c, from, to) : s;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_COST_CURVE_H
#define DW_COST_CURVE_H

/*
 * Time along a medium whose rate falls linearly from its first byte to its last, when each
 * byte costs @extra besides and at least @least in all.
 */

/**
 * struct dw_cost_curve - the medium, and what commands add to it
 * @bytes: capacity, > 0
 * @outer, @inner: bytes per second at the first and the last byte, outer >= inner > 0
 * @extra: seconds a byte costs besides: lost revolutions, gaps between commands
 * @least: seconds a byte costs at least: link, overhead, rate of WRITE SAME
 */
struct dw_cost_curve {
	double bytes;
	double outer;
	double inner;
	double extra;
	double least;
};

/** dw_cost_curve_rate() - bytes per second at byte @x, extra and least included. */
double dw_cost_curve_rate(const struct dw_cost_curve *c, double x);

/**
 * dw_cost_curve_seconds() - from byte @from to byte @to: the integral of
 *  max(1/r(x) + extra, least), r(x) = outer - (outer - inner) x/bytes. Without extra and least
 *  a whole pass takes bytes/(outer - inner) ln(outer/inner), as the zone model has it.
 */
double dw_cost_curve_seconds(const struct dw_cost_curve *c, double from, double to);

#endif

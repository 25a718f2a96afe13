/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Devices that write without end over shared paths and lose a revolution whenever they find
 * none free (Brandwajn's misses in the loop of an erasure): the cycle c is the fixed point of
 *
 *	c = base + (1 + m(U)) R,  U = devices hold / (paths c)
 *
 * with the misses m by equations (3)-(5) and (11), dual-ported, T = hold. A longer cycle
 * means less use and fewer misses, so there is one fixed point, found by bisection.
 */
#include <math.h>

#include "base/paths.h"

#define STEPS 200

/* Misses at a cycle, infinite where the paths cannot carry it. */
static double misses_at(const struct dw_paths *p, double cycle, double *ret_use)
{
	struct dw_misses at;

	*ret_use = p->units * p->transfer / ((double)p->paths * cycle);
	if (!dw_paths_misses(p, *ret_use, &at) || at.first >= 1)
		return INFINITY;
	return dw_paths_count(p, at.first);
}

bool dw_paths_closed(const struct dw_paths *p, double base, struct dw_closed_paths *ret)
{
	double lo = 0, hi = base + p->turn + p->units * p->transfer, use;

	while (base + (1 + misses_at(p, hi, &use)) * p->turn > hi)
		hi *= 2;
	for (int i = 0; i < STEPS; i++) {
		double mid = (lo + hi) / 2;

		if (base + (1 + misses_at(p, mid, &use)) * p->turn > mid)
			lo = mid;
		else
			hi = mid;
	}
	ret->cycle = hi;
	ret->misses = misses_at(p, hi, &ret->use);
	return isfinite(ret->misses);
}

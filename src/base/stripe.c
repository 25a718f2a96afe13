/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/stripe.h"

#include <math.h>

/* Blocks below @end that lie on member @m. */
static double blocks_below(double end, double chunk, double members, double m)
{
	double stripe = chunk * members, whole = floor(end / stripe);
	double rest = end - whole * stripe - m * chunk;

	rest = rest < 0 ? 0 : rest > chunk ? chunk : rest;
	return whole * chunk + rest;
}

double dw_stripe_member_blocks(double offset, double length, double chunk, double members,
			       double m)
{
	return blocks_below(offset + length, chunk, members, m) -
	       blocks_below(offset, chunk, members, m);
}

double dw_stripe_balance(double offset, double length, double chunk, size_t members)
{
	double n = (double)members, most = 0;

	for (size_t m = 0; m < members; m++) {
		double share =
			dw_stripe_member_blocks(offset, length, chunk, n, (double)m);

		most = share > most ? share : most;
	}
	return length / (n * most);
}

double dw_stripe_busy(double depth, double members)
{
	return depth / (depth + members - 1);
}

double dw_stripe_depth(double target, double members)
{
	double exact = target * (members - 1) / (1 - target);
	double depth = ceil(exact - 1e-9 * (1 + exact));

	return depth < 1 ? 1 : depth;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/order.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void dw_sort(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), ascending);
}

double dw_median(double *v, size_t n)
{
	dw_sort(v, n);
	if (!n)
		return NAN;
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

double dw_quantile(double *v, size_t n, double q)
{
	size_t at = (size_t)fmax(ceil(q * (double)n - 1e-9), 1);

	dw_sort(v, n);
	if (!n)
		return NAN;
	return v[(at < n ? at : n) - 1];
}

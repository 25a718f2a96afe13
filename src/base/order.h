/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_ORDER_H
#define DW_BASE_ORDER_H

/* Numbers in their order, the one in the middle, and quantiles. */
#include <stddef.h>

/** dw_sort() - put @n values in ascending order. */
void dw_sort(double *v, size_t n);

/** dw_median() - the middle of @n values, which are put in order; NAN for 0. */
double dw_median(double *v, size_t n);

/** dw_quantile() - the least of @n values, which are put in order, that a share @q of them (0 to 1)
 *  does not exceed; NAN for 0. */
double dw_quantile(double *v, size_t n, double q);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_ORDER_H
#define DW_BASE_ORDER_H

/* Numbers in their order, and the one in the middle. */
#include <stddef.h>

/** dw_sort() - put @n values in ascending order. */
void dw_sort(double *v, size_t n);

/** dw_median() - the middle of @n values, which are put in order; NAN for 0. */
double dw_median(double *v, size_t n);

#endif

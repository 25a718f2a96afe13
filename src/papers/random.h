/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PAPERS_RANDOM_H
#define DW_PAPERS_RANDOM_H

/* Random times, and simulated time as the heap counts it. */
#include <math.h>

#include "base/heap.h"
#include "base/rng.h"

#define DW_LONGEST 1.5e7 /* that a simulation may last */
#define DW_TICKS   1e12  /* of a unit of simulated time, at the most 1.8e7 units */

static inline double dw_random_exponential(struct dw_rng *rng, double mean)
{
	return -mean * log1p(-dw_rng_unit(rng));
}

/* Uniform with that mean, from nothing. */
static inline double dw_random_uniform(struct dw_rng *rng, double mean)
{
	return 2 * mean * dw_rng_unit(rng);
}

static inline int dw_event_push(struct dw_heap *heap, double time, uint64_t tag)
{
	double ticks = time * DW_TICKS + 0.5;

	return dw_heap_push(heap, ticks < 1.8e19 ? (uint64_t)ticks : UINT64_MAX, tag);
}

static inline bool dw_event_pop(struct dw_heap *heap, double *ret_time, uint64_t *ret_tag)
{
	struct dw_heap_item item;

	if (!dw_heap_pop(heap, &item))
		return false;
	*ret_time = (double)item.ns / DW_TICKS;
	*ret_tag = item.tag;
	return true;
}

#endif

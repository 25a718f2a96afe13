/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PLAN_SAMPLE_H
#define DW_PLAN_SAMPLE_H

/*
 * Which blocks a sampled verification reads: the first and the last unit of the disk, and
 * one unit at a random place in each of many equal strata between them.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"

/**
 * struct dw_sample - a sample that is being walked; plain values
 * @blocks: of the disk
 * @unit_blocks: blocks read at a time
 * @units: of the disk; the last one may be short
 * @count: units in the sample
 * @next: index of the next one
 * @rng: places within the strata
 */
struct dw_sample {
	uint64_t blocks;
	uint32_t unit_blocks;
	uint64_t units;
	uint64_t count;
	uint64_t next;
	struct dw_rng rng;
};

/** dw_sample_init() - @percent of the units of a disk, rounded up; equal seeds give equal
 *  samples. */
void dw_sample_init(struct dw_sample *s, uint64_t blocks, uint32_t unit_blocks,
		    double percent, uint64_t seed);

/** dw_sample_next() - the next extent in ascending order; false after the last. */
bool dw_sample_next(struct dw_sample *s, uint64_t *ret_lba, uint32_t *ret_nlb);

/** dw_sample_skip() - pass over @units extents; at least one is left then. */
void dw_sample_skip(struct dw_sample *s, uint64_t units);

/** dw_sample_count() - extents in the whole sample. */
uint64_t dw_sample_count(const struct dw_sample *s);

/** dw_sample_blocks() - blocks in the whole sample. */
uint64_t dw_sample_blocks(const struct dw_sample *s);

/** dw_sample_bound() - largest share of units that may be wrong although a sample found
 *  none, at a confidence of 0 < @confidence < 1. */
double dw_sample_bound(uint64_t samples, uint64_t units, double confidence);

/** dw_sample_bound_of() - the same of @sweeps >= 1 samples of their own over one disk, which
 *  have @samples units together. */
double dw_sample_bound_of(uint64_t sweeps, uint64_t samples, uint64_t units,
			  double confidence);

#endif

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

/** dw_sample_init() - @percent, (0, 100], of the units of a disk, rounded up, the first and the
 *  last always; @unit_blocks is a multiple of the physical block's. Equal seeds give equal
 *  samples. */
void dw_sample_init(struct dw_sample *s, uint64_t blocks, uint32_t unit_blocks,
		    double percent, uint64_t seed);

/* What a sample proves, at least, if it meets nothing that differs: at this confidence at most this
 * share of the units is wrong. That takes about 4,600 units of any disk. */
#define DW_SAMPLE_CONFIDENCE 0.99
#define DW_SAMPLE_BOUND      0.001

/* A unit at a random place takes a disk as long as so many bytes one after the other: on one that
 * turns the seek is half of it. */
#define DW_SAMPLE_PLACE_BYTES (UINT64_C(2) << 20)

/**
 * dw_sample_floor() - the share of the units that is read
 * @blocks, @block_size: of the disk
 * @unit_blocks: as of dw_sample_init()
 * @percent: the share that is asked for, (0, 100]
 *
 * The one place that says how much of a disk a sampled verification reads: the plan of a disk has
 * what it returns, and all else goes by the plan.
 *
 * Return: @percent, if that proves DW_SAMPLE_BOUND; else as much more as it takes. 100 if the disk
 * is to be read in full: it has no more units than that, or as many places take as long as all
 * of the disk (DW_SAMPLE_PLACE_BYTES).
 */
double dw_sample_floor(uint64_t blocks, uint32_t block_size, uint32_t unit_blocks,
		       double percent);

/** dw_sample_next() - the next extent in ascending order, a unit or less at the end of the disk;
 *  false after the last. */
bool dw_sample_next(struct dw_sample *s, uint64_t *ret_lba, uint32_t *ret_nlb);

/** dw_sample_skip() - pass over @units extents; at least one is left then. */
void dw_sample_skip(struct dw_sample *s, uint64_t units);

/** dw_sample_count() - extents in the whole sample, whatever has been taken already. */
uint64_t dw_sample_count(const struct dw_sample *s);

/** dw_sample_blocks() - blocks in the whole sample. */
uint64_t dw_sample_blocks(const struct dw_sample *s);

/**
 * dw_sample_bound_of() - largest share of units that may be wrong although samples found none
 * @sweeps: samples of their own over one disk, >= 1
 * @samples: units read by all of them, of dw_sample_count()
 * @units: units of the disk, >= 1
 * @confidence: 0 < c < 1, e.g. 0.99
 *
 * With r = samples - 2 strata of at most s = ceil((units - 2) / r) units, k wrong units
 * escape one sample with a probability of at most (1 - k / (r s))^r, however they lie (inequality
 * of the arithmetic and geometric means over the strata). That is 1 - c at
 * k = r s (1 - (1 - c)^(1/r)); and no unit that was read is wrong.
 *
 * Return: k / units: 0 when all were read.
 */
double dw_sample_bound_of(uint64_t sweeps, uint64_t samples, uint64_t units,
			  double confidence);

#endif

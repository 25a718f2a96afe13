/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_RNG_H
#define DW_BASE_RNG_H

/*
 * A seeded generator for simulations, sampling and tests (xoshiro256**, Blackman
 * and Vigna 2018). Never used for data written to a disk or for keys.
 */
#include <stdint.h>

struct dw_rng {
	uint64_t s[4];
};

/** dw_rng_seed() - start the generator; equal seeds give equal sequences. */
void dw_rng_seed(struct dw_rng *rng, uint64_t seed);

/** dw_rng_next() - the next 64 random bits. */
uint64_t dw_rng_next(struct dw_rng *rng);

/** dw_rng_below() - a uniform integer in 0..n-1; n >= 1. */
uint64_t dw_rng_below(struct dw_rng *rng, uint64_t n);

/** dw_rng_unit() - a uniform double in [0, 1). */
double dw_rng_unit(struct dw_rng *rng);

#endif

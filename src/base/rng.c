/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * xoshiro256** seeded through splitmix64, as its authors recommend: a seed of zero
 * or two close seeds still give unrelated sequences.
 */
#include "base/rng.h"

static uint64_t splitmix64(uint64_t *x)
{
	uint64_t z = *x += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t rotl(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

void dw_rng_seed(struct dw_rng *rng, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		rng->s[i] = splitmix64(&seed);
}

uint64_t dw_rng_next(struct dw_rng *rng)
{
	uint64_t *s = rng->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t dw_rng_below(struct dw_rng *rng, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n, x;

	do
		x = dw_rng_next(rng);
	while (x >= limit);
	return x % n;
}

double dw_rng_unit(struct dw_rng *rng)
{
	return (double)(dw_rng_next(rng) >> 11) * 0x1.0p-53;
}

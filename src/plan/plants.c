/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "base/rng.h"
#include "base/util.h"
#include "plan/plants.h"

#define STRATUM_LEAST 12u /* blocks, so that a pair has room */
#define PAIR_EACH     8u
#define PAIR_FAR      8u /* blocks between the two of a pair, at most */
#define ONE_BIT_EACH  4u
#define FLOOD_BYTES   (UINT64_C(1) << 30)
#define FLOOD_SHARE   8u

uint32_t dw_plants_strata(uint64_t blocks)
{
	uint64_t n = dw_min_u64(blocks / STRATUM_LEAST, DW_PLANTS_STRATA);

	return n < DW_PLANTS_STRATA_MIN ? 0 : (uint32_t)n;
}

static uint64_t stratum_start(uint64_t blocks, uint32_t strata, uint32_t i)
{
	return (uint64_t)((unsigned __int128)blocks * i / strata);
}

int dw_plants_draw(uint64_t blocks, uint64_t seed, struct dw_extents *ret)
{
	uint32_t strata = dw_plants_strata(blocks);
	struct dw_rng rng;
	int r = 0;

	dw_rng_seed(&rng, seed);
	for (uint32_t i = 0; i < strata && !r; i++) {
		uint64_t start = stratum_start(blocks, strata, i);
		uint64_t end = stratum_start(blocks, strata, i + 1);
		struct dw_extent e = { .lba = start + dw_rng_below(&rng, end - start),
				       .nlb = 1 };
		uint64_t far = 1 + dw_rng_below(&rng, PAIR_FAR);

		r = dw_extents_add(ret, &e);
		if (r || i % PAIR_EACH || e.lba + 1 >= end)
			continue;
		e.lba = dw_min_u64(e.lba + far, end - 1);
		r = dw_extents_add(ret, &e);
	}
	return r;
}

/* the longest run from @start to @end - 1 without a plant */
static struct dw_extent longest_free(const struct dw_extents *plants, uint64_t start,
				     uint64_t end)
{
	struct dw_extent best = { 0 };

	while (start < end) {
		const struct dw_extent *p = dw_extents_near(plants, start);
		uint64_t stop = p ? dw_min_u64(p->lba, end) : end;

		if (stop - start > best.nlb)
			best = (struct dw_extent){ .lba = start, .nlb = stop - start };
		start = stop + 1;
	}
	return best;
}

uint64_t dw_plants_flood_blocks(uint64_t blocks, uint32_t block_size)
{
	return dw_min_u64(FLOOD_BYTES / block_size, blocks / FLOOD_SHARE);
}

int dw_plants_flood(uint64_t blocks, uint32_t block_size, const struct dw_extents *plants,
		    struct dw_extents *ret)
{
	uint32_t strata = dw_plants_strata(blocks);
	uint64_t all = dw_plants_flood_blocks(blocks, block_size);
	uint64_t each = dw_max_u64(all / dw_max_u64(strata, 1), 1);
	int r = 0;

	for (uint32_t i = 0; i < strata && !r; i++) {
		struct dw_extent e =
			longest_free(plants, stratum_start(blocks, strata, i),
				     stratum_start(blocks, strata, i + 1));

		e.nlb = dw_min_u64(e.nlb, each);
		r = e.nlb ? dw_extents_add(ret, &e) : 0;
	}
	return r;
}

void dw_plants_alter(uint8_t *block, uint32_t size, uint64_t lba, uint64_t seed)
{
	struct dw_rng rng;
	uint64_t bit;

	dw_rng_seed(&rng, seed ^ lba * UINT64_C(0x9e3779b97f4a7c15));
	bit = dw_rng_below(&rng, 8 * (uint64_t)size);
	if (dw_rng_below(&rng, ONE_BIT_EACH)) {
		for (uint32_t i = 0; i < size; i++)
			block[i] ^= (uint8_t)(1 + dw_rng_below(&rng, 255));
		return;
	}
	block[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

double dw_plants_bound(uint32_t strata)
{
	return -expm1(log1p(-DW_PLANTS_CONFIDENCE) / strata);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stratified sampling without memory. The units between the first and the last are cut
 * into as many strata as samples are left; stratum i of r begins at unit 1 + floor(i m / r)
 * for m units. One unit of each at random keeps the sample in ascending order and free of
 * overlap, spreads it over the disk, and can be drawn again from the seed.
 */
#include <math.h>

#include "base/util.h"
#include "plan/sample.h"

#define ENDS        2u    /* the first and the last unit */
#define FLOOR_UNITS 4600u /* fewer never prove DW_SAMPLE_BOUND, of however many */

void dw_sample_init(struct dw_sample *s, uint64_t blocks, uint32_t unit_blocks,
		    double percent, uint64_t seed)
{
	uint64_t units = (blocks - 1) / unit_blocks + 1;
	double wanted = (double)units * percent / 100;
	uint64_t count = percent < 100 ? (uint64_t)wanted : units;

	if ((double)count < wanted)
		count++;
	*s = (struct dw_sample){
		.blocks = blocks,
		.unit_blocks = unit_blocks,
		.units = units,
		.count = dw_min_u64(dw_max_u64(count, ENDS), units),
	};
	dw_rng_seed(&s->rng, seed);
}

static uint64_t stratum_start(const struct dw_sample *s, uint64_t i)
{
	unsigned __int128 between = s->units - ENDS;

	return 1 + (uint64_t)(between * i / (s->count - ENDS));
}

static uint64_t pick_unit(struct dw_sample *s, uint64_t i)
{
	uint64_t start, end;

	if (i == 0)
		return 0;
	if (i == s->count - 1)
		return s->units - 1;
	start = stratum_start(s, i - 1);
	end = stratum_start(s, i);
	return start + dw_rng_below(&s->rng, end - start);
}

bool dw_sample_next(struct dw_sample *s, uint64_t *ret_lba, uint32_t *ret_nlb)
{
	uint64_t lba;

	if (s->next == s->count)
		return false;
	lba = pick_unit(s, s->next++) * s->unit_blocks;
	*ret_lba = lba;
	*ret_nlb = (uint32_t)dw_min_u64(s->unit_blocks, s->blocks - lba);
	return true;
}

void dw_sample_skip(struct dw_sample *s, uint64_t units)
{
	s->next += units;
}

uint64_t dw_sample_count(const struct dw_sample *s)
{
	return s->count;
}

uint64_t dw_sample_blocks(const struct dw_sample *s)
{
	uint64_t short_by = s->units * s->unit_blocks - s->blocks;

	return s->count * s->unit_blocks - short_by;
}

/*
 * Samples that were drawn without regard to each other: their chances to miss multiply, which
 * for r strata each gives (1 - k / (r s))^(r sweeps). What is missing of one is shared out,
 * as if all had the fewest units.
 */
double dw_sample_bound_of(uint64_t sweeps, uint64_t samples, uint64_t units,
			  double confidence)
{
	double unread, strata, size, wrong;

	samples /= sweeps;
	if (samples >= units)
		return 0;
	unread = (double)(units - samples);
	if (samples <= ENDS)
		return unread / (double)units;
	strata = (double)(samples - ENDS);
	/* NOLINTNEXTLINE(bugprone-integer-division): rounded up, as strata are */
	size = (double)((units - ENDS - 1) / (samples - ENDS) + 1);
	wrong = strata * size * -expm1(log1p(-confidence) / (strata * (double)sweeps));
	return (wrong < unread ? wrong : unread) / (double)units;
}

static bool proves(uint64_t units, uint64_t count)
{
	return dw_sample_bound_of(1, count, units, DW_SAMPLE_CONFIDENCE) <=
	       DW_SAMPLE_BOUND;
}

double dw_sample_floor(uint64_t blocks, uint32_t block_size, uint32_t unit_blocks,
		       double percent)
{
	uint64_t units = (blocks - 1) / unit_blocks + 1;
	uint64_t most = dw_min_u64(units, blocks * block_size / DW_SAMPLE_PLACE_BYTES);
	uint64_t count = (uint64_t)((double)units * percent / 100);

	if (percent >= 100)
		return 100;
	if (proves(units, count))
		return percent;
	count = dw_max_u64(count, FLOOR_UNITS);
	while (count < most && !proves(units, count))
		count++;
	return count < most ? 100 * (double)count / (double)units : 100;
}

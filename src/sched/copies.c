/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A read time of given mean and variation is drawn as Tijms does: up to a squared
 * coefficient of variation of 1 a mixture of Erlang distributions with equal rates, above
 * it two exponentials with balanced means.
 */
#include "sched/copies.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/util.h"
#include "plan/sample.h"

#define RUNS   200
#define DRAWN  32   /* reads of a sweep that are drawn; the rest spreads as they do */
#define STEADY 0.02 /* below that a time is taken as constant */

static const char *const names[] = { "both", "common", "auto", NULL };

const char *const *dw_copies_policy_list(void)
{
	return names;
}

int dw_copies_policy_find(const char *name)
{
	for (size_t i = 0; names[i]; i++)
		if (!strcmp(name, names[i]))
			return (int)i;
	return -1;
}

const char *dw_copies_policy_name(int policy)
{
	return names[policy];
}

bool dw_copies_share(uint64_t units, double percent)
{
	uint64_t sweep = (uint64_t)((double)units * percent / 100 / DW_COPIES_SWEEPS);

	return dw_sample_bound_of(DW_COPIES_LEAST, DW_COPIES_LEAST * sweep, units,
				  DW_SAMPLE_CONFIDENCE) <= DW_SAMPLE_BOUND;
}

static double exponential(struct dw_rng *rng, double mean)
{
	return -mean * log1p(-dw_rng_unit(rng));
}

static double draw(struct dw_rng *rng, double mean, double cv2)
{
	double k, p, sum = 0;
	uint64_t stages;

	if (cv2 < STEADY)
		return mean;
	if (cv2 > 1) {
		p = (1 + sqrt((cv2 - 1) / (cv2 + 1))) / 2;
		if (dw_rng_unit(rng) >= p)
			p = 1 - p;
		return exponential(rng, mean / (2 * p));
	}
	k = ceil(1 / cv2);
	p = (k * cv2 - sqrt(k * (1 + cv2) - k * k * cv2)) / (1 + cv2);
	stages = (uint64_t)k - (dw_rng_unit(rng) < p);
	for (uint64_t i = 0; i < stages; i++)
		sum += exponential(rng, mean / (k - p));
	return sum;
}

static double sweep(struct dw_rng *rng, const struct dw_copy *c, uint64_t units)
{
	uint64_t n = dw_min_u64(units, DRAWN);
	double off = 0, time;

	for (uint64_t i = 0; i < n; i++)
		off += draw(rng, c->mean_s, c->cv2) - c->mean_s;
	time = (double)units * c->mean_s + off * sqrt((double)units / (double)n);
	return time > 0 ? time : 0;
}

/* until both are through; in common some sweeps go to whoever is free, after its own */
static double once(struct dw_rng *rng, const struct dw_copy copy[2], uint64_t units,
		   bool common)
{
	uint32_t own = common ? DW_COPIES_LEAST : DW_COPIES_SWEEPS, taken = 0;
	double free_s[2];

	for (int i = 0; i < 2; i++) {
		free_s[i] = copy[i].ready_s;
		for (uint32_t k = copy[i].done; k < own; k++)
			free_s[i] += sweep(rng, &copy[i], units);
		taken += copy[i].done > own ? copy[i].done : own;
	}
	for (; taken < 2 * DW_COPIES_SWEEPS; taken++) {
		int i = free_s[1] < free_s[0];

		free_s[i] += sweep(rng, &copy[i], units);
	}
	return free_s[0] > free_s[1] ? free_s[0] : free_s[1];
}

void dw_copies_simulate(const struct dw_copy copy[2], uint64_t units, uint64_t seed,
			struct dw_copies_forecast *ret)
{
	struct dw_rng rng;

	*ret = (struct dw_copies_forecast){ 0 };
	dw_rng_seed(&rng, seed);
	for (int run = 0; run < RUNS; run++) {
		ret->both += once(&rng, copy, units, false) / RUNS;
		ret->common += once(&rng, copy, units, true) / RUNS;
	}
}

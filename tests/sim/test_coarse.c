/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coarse against exact: the finish of each disk on random stations with disks of 3 to 40 GB.
 * There are stations whose disks fall into one of several ways of waiting for each other, by
 * chance; where the two modes differ, exact mode is asked how much it differs from itself
 * with other seeds.
 *
 *	test_coarse [FIRST-SEED COUNT [SCALE [adaptive]]]: with those seeds, and a line for
 *	each; disks of SCALE times 1 to 16 MB; the adaptive controller or another
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "sim_rig.h"
#include "../unit/error_line.h"

#define CLOSE  0.005
#define OTHERS 8 /* seeds that exact mode is asked with */

static uint64_t first_seed = 1, n_seeds = 30, scale = 2500;
static bool tell, adaptive;
static double cpu[2]; /* of exact and coarse mode */

struct times {
	double disk[RIG_DISKS];
	double total;
};

static void finish_times(struct rig *r, uint64_t seed, bool coarse, struct times *ret)
{
	clock_t begun = clock();
	struct sim_world *w;
	struct dw_job *job;
	struct dw_event e;
	struct dw_error err = { 0 };
	int n;

	r->spec.seed = seed;
	if (dw_job_new(NULL, &r->spec, &job, &err))
		fail_msg("%s", error_line(&err));
	assert_int_equal(sim_job_add(job, &r->station, coarse, &w), 0);
	assert_int_equal(dw_job_start(job, &err), 0);
	while ((n = dw_job_step(job, 0)) == 1)
		while (dw_job_next_event(job, &e))
			;
	assert_int_equal(n, 0);
	for (size_t i = 0; i < dw_job_result(job)->n_disks; i++) {
		if (dw_job_result(job)->disk[i].outcome != DW_OUTCOME_ERASED)
			fail_msg("%s: disk %zu: %s", coarse ? "coarse" : "exact", i,
				 dw_job_result(job)->disk[i].reason);
		ret->disk[i] = dw_job_result(job)->disk[i].seconds;
	}
	ret->total = dw_job_result(job)->seconds;
	dw_job_free(job);
	cpu[coarse] += (double)(clock() - begun) / CLOCKS_PER_SEC;
}

/* what takes the longest time and says the least: many passes */
static void settle(struct rig *r)
{
	snprintf(r->spec.pattern, sizeof(r->spec.pattern), "00");
	r->spec.fixed_blocks = r->spec.fixed_blocks ? 256 : 0;
	r->spec.controller_buffer = 16 << 20;
	r->spec.verify = DW_VERIFY_SAMPLE;
	r->spec.verify_percent = 1;
	r->spec.flush_bytes = UINT64_C(1) << (26 + dw_rng_below(&r->rng, 11));
	if (adaptive) {
		snprintf(r->spec.controller, sizeof(r->spec.controller), "adaptive");
		r->spec.depth = r->spec.depth > 1 ? r->spec.depth : 0;
	}
	for (uint32_t i = 0; i < r->station.n_disks; i++)
		if (r->station.disk[i].ws_max && r->station.disk[i].ws_max < 2048)
			r->station.disk[i].ws_max = 0;
}

static double difference(const struct times *a, const struct times *b, uint32_t n)
{
	double worst = fabs(a->total / b->total - 1);

	for (uint32_t i = 0; i < n; i++)
		worst = fmax(worst, fabs(a->disk[i] / b->disk[i] - 1));
	return worst;
}

/* how much exact mode differs from itself */
static double spread(struct rig *r, const struct times *exact)
{
	uint64_t seed = r->spec.seed;
	double most = 0;

	for (uint64_t k = 1; k <= OTHERS; k++) {
		struct times other;

		finish_times(r, seed + k, false, &other);
		most = fmax(most, difference(&other, exact, r->station.n_units));
	}
	return most;
}

static double judge(uint64_t seed)
{
	struct times exact, coarse;
	double worst, own = 0;
	struct rig r;

	rig_draw(&r, seed, scale);
	settle(&r);
	finish_times(&r, r.spec.seed, false, &exact);
	finish_times(&r, r.spec.seed, true, &coarse);
	worst = difference(&coarse, &exact, r.station.n_units);
	if (worst > CLOSE)
		own = spread(&r, &exact);
	if (tell) {
		printf("seed %llu: %.3f %%, total %+.3f %% (%s, depth %u, %s, %u disks)",
		       (unsigned long long)seed, 100 * worst,
		       100 * (coarse.total / exact.total - 1), r.spec.strategy,
		       r.spec.depth, r.spec.controller, r.station.n_units);
		if (own > 0)
			printf("; exact mode by itself %.3f %%", 100 * own);
		printf("\n");
		fflush(stdout);
	}
	if (worst > CLOSE + 1.5 * own)
		fail_msg("seed %llu: %.3f %%, exact mode by itself %.3f %%",
			 (unsigned long long)seed, 100 * worst, 100 * own);
	rig_deinit(&r);
	return worst;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void coarse_is_close(void **state)
{
	double *d = calloc(n_seeds, sizeof(*d));
	uint64_t n = 0;

	assert_non_null(d);
	for (uint64_t s = 0; s < n_seeds; s++) {
		d[s] = judge(first_seed + s);
		n += d[s] <= CLOSE;
	}
	qsort(d, n_seeds, sizeof(*d), ascending);
	printf("%llu of %llu within 0.5 %%; median %.3f %%, nine tenths within %.3f %%, "
	       "worst %.3f %%; %.1f s of CPU, exact %.1f s\n",
	       (unsigned long long)n, (unsigned long long)n_seeds, 100 * d[n_seeds / 2],
	       100 * d[n_seeds * 9 / 10], 100 * d[n_seeds - 1], cpu[1], cpu[0]);
	assert_true(d[n_seeds / 2] < 0.001);
	assert_true(n * 10 >= n_seeds * 9);
	free(d);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = { cmocka_unit_test(coarse_is_close) };

	if (argc >= 3) {
		first_seed = strtoull(argv[1], NULL, 10);
		n_seeds = strtoull(argv[2], NULL, 10);
		tell = true;
	}
	if (argc > 3)
		scale = strtoull(argv[3], NULL, 10);
	adaptive = argc > 4 && !strcmp(argv[4], "adaptive");
	return cmocka_run_group_tests(all, NULL, NULL);
}

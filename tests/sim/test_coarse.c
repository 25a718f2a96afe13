/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coarse against exact: the finish of each disk on random stations with disks of 3 to 40 GB.
 *
 *	test_coarse [FIRST-SEED COUNT]: with those seeds, and a line for each
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim_rig.h"

#define SCALE 2500

static uint64_t first_seed = 1, n_seeds = 40;
static bool tell;

static void finish_times(struct rig *r, bool coarse, double *ret, double *ret_total)
{
	struct sim_world *w;
	struct dw_job *job;
	struct dw_event e;
	char err[256];
	int n;

	assert_int_equal(dw_job_new(&r->spec, &job, err), 0);
	assert_int_equal(sim_job_add(job, &r->station, coarse, &w), 0);
	assert_int_equal(dw_job_start(job, err), 0);
	while ((n = dw_job_step(job, 0)) == 1)
		while (dw_job_next_event(job, &e))
			;
	assert_int_equal(n, 0);
	for (size_t i = 0; i < dw_job_result(job)->n_disks; i++) {
		if (dw_job_result(job)->disk[i].outcome != DW_OUTCOME_ERASED)
			fail_msg("%s: disk %zu: %s", coarse ? "coarse" : "exact", i,
				 dw_job_result(job)->disk[i].reason);
		ret[i] = dw_job_result(job)->disk[i].seconds;
	}
	*ret_total = dw_job_result(job)->seconds;
	dw_job_free(job);
}

/* the settings that a hall is simulated with; the retry rule is for one old bus */
static void settle(struct rig *r)
{
	for (uint32_t i = 0; i < r->station.n_nodes; i++) {
		r->station.node[i].retry = false;
		r->station.node[i].queue =
			0; /* or long WRITE SAMEs let others time out */
	}
	for (uint32_t i = 0; i < r->station.n_disks; i++) {
		/* several long WRITE SAMEs in a slow disk would time out */
		if (r->station.disk[i].inner < 50000000)
			r->station.disk[i].ws = STATION_WS_NONE;
		r->station.disk[i].tagged = 64;
		if (r->station.disk[i].ws_max && r->station.disk[i].ws_max < 2048)
			r->station.disk[i].ws_max = 0;
	}
	snprintf(r->spec.pattern, sizeof(r->spec.pattern), "00");
	r->spec.fixed_blocks = r->spec.fixed_blocks ? 256 : 0;
	r->spec.controller_buffer = 16 << 20;
	r->spec.verify = DW_VERIFY_KIND_SAMPLE;
	r->spec.verify_percent = 1;
	r->spec.flush_bytes = UINT64_C(64) << 30;
}

static double difference(uint64_t seed)
{
	double exact[RIG_DISKS], coarse[RIG_DISKS], total[2], worst;
	struct rig r;

	rig_draw(&r, seed, SCALE);
	settle(&r);
	finish_times(&r, false, exact, &total[0]);
	finish_times(&r, true, coarse, &total[1]);
	worst = fabs(total[1] / total[0] - 1);
	for (uint32_t i = 0; i < r.station.n_units; i++)
		worst = fmax(worst, fabs(coarse[i] / exact[i] - 1));
	if (tell)
		printf("seed %llu: %.3f %% total %.3f %% (%s, depth %u, %s, %u disks)\n",
		       (unsigned long long)seed, 100 * worst,
		       100 * (total[1] / total[0] - 1), r.spec.strategy, r.spec.depth,
		       r.spec.controller, r.station.n_units);
	rig_deinit(&r);
	return worst;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* most stations are; those that are not have disks that wait for each other by turns */
static void coarse_is_close(void **state)
{
	double *d = calloc(n_seeds, sizeof(*d));

	assert_non_null(d);
	for (uint64_t s = 0; s < n_seeds; s++)
		d[s] = difference(first_seed + s);
	qsort(d, n_seeds, sizeof(*d), ascending);
	if (tell)
		printf("median %.3f %%, three quarters within %.3f %%, worst %.3f %%\n",
		       100 * d[n_seeds / 2], 100 * d[n_seeds * 3 / 4],
		       100 * d[n_seeds - 1]);
	assert_true(d[n_seeds / 2] < 0.003);
	assert_true(d[n_seeds * 3 / 4] < 0.03);
	free(d);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = { cmocka_unit_test(coarse_is_close) };

	if (argc == 3) {
		first_seed = strtoull(argv[1], NULL, 10);
		n_seeds = strtoull(argv[2], NULL, 10);
		tell = true;
	}
	return cmocka_run_group_tests(all, NULL, NULL);
}

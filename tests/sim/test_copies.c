/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies on random stations in virtual time: each is read, by as much as its result says, and
 * a common queue is not slower than the samples by themselves.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/sample.h"
#include "scsi/cdb.h"
#include "sim_rig.h"

/* Smaller disks are read in full, or share nothing. They are compared only, as writing them would
 * take the test too long. */
#define CAPACITY UINT64_C(1000000000000)

#ifndef SEEDS
#define SEEDS 80
#endif

static uint64_t blocks_read[RIG_DISKS];

static void ended(void *ctx, uint32_t unit, const struct dw_cmd *cmd, bool good)
{
	struct dw_cdb_extent x;

	if (good && !dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x) && x.verb == DW_EXTENT_READ)
		blocks_read[unit] += x.nlb;
}

static bool slower(uint64_t seed)
{
	return seed & 1;
}

/* two disks of a station; every other time the second answers late */
static void draw(struct rig *r, uint64_t seed, const char *policy)
{
	struct dw_station *s = &r->station;
	struct dw_error err = { 0 };

	rig_draw(r, seed, 8);
	s->disk[0].capacity = CAPACITY;
	s->disk[1] = s->disk[0];
	snprintf(s->disk[0].name, sizeof(s->disk[0].name), "one");
	snprintf(s->disk[1].name, sizeof(s->disk[1].name), "two");
	s->disk[0].count = s->disk[1].count = 1;
	s->disk[1].overhead_ns += slower(seed) ? 40000000 : 0;
	s->n_disks = 2;
	assert_int_equal(0, station_check(s, &err));
	snprintf(r->spec.mirror, sizeof(r->spec.mirror), "one,two");
	snprintf(r->spec.verify_policy, sizeof(r->spec.verify_policy), "%s", policy);
	r->spec.verify = DW_VERIFY_SAMPLE;
	r->spec.verify_percent = 1 + 0.2 * (double)(seed % 5);
	r->spec.verify_only = true;
	r->spec.fixed_blocks = 2048;
	r->spec.active = 0;
	snprintf(r->spec.strategy, sizeof(r->spec.strategy), "parallel");
}

static void check(const struct rig *r, const struct dw_disk_result *d, uint32_t unit,
		  uint64_t seed)
{
	uint64_t blocks = d->info.blocks, most = d->verify.sweeps * blocks;

	if (d->outcome != DW_OUTCOME_ERASED || !d->verify_only)
		fail_msg("seed %llu: %s", (unsigned long long)seed, d->reason);
	/* the last verification is counted, and others may have come before */
	assert_true(blocks_read[unit] >= d->verify.blocks);
	assert_true(d->verify.blocks > 0 && d->verify.blocks <= most);
	assert_true(d->verify.bound > 0 && d->verify.bound <= DW_SAMPLE_BOUND);
	assert_true(d->verify.samples >= 2ul * d->verify.sweeps);
}

static double run(uint64_t seed, const char *policy)
{
	const struct dw_job_result *res;
	uint32_t sweeps = 0;
	struct rig r;
	double end;

	draw(&r, seed, policy);
	memset(blocks_read, 0, sizeof(blocks_read));
	rig_start(&r);
	r.world->observer = (struct sim_observer){ .ended = ended };
	rig_run(&r, 1e6);
	res = dw_job_result(r.job);
	for (uint32_t i = 0; i < 2; i++) {
		check(&r, &res->disk[i], i, seed);
		sweeps += res->disk[i].verify.sweeps;
		assert_true(res->disk[i].verify.sweeps >=
			    (strcmp(policy, "both") ? 2u : 1u));
	}
	assert_int_equal(strcmp(policy, "both") ? 8 : 2, sweeps);
	if (!strcmp(policy, "common"))
		assert_string_equal("common", res->disk[0].verify.copies);
	end = res->seconds;
	rig_end(&r);
	free(r.station.node);
	free(r.station.disk);
	return end;
}

/* equal copies lose a little by shorter sweeps; where one is slow, the other takes over */
static void policies(void **state)
{
	double both[2] = { 0 }, common[2] = { 0 }, chosen[2] = { 0 };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		int i = slower(seed);
		double t = run(seed, "both");

		both[i]++;
		common[i] += run(seed, "common") / t;
		chosen[i] += run(seed, "auto") / t;
	}
	for (int i = 0; i < 2; i++)
		printf("%s copies, beside both: common %.3f, auto %.3f of the time\n",
		       i ? "unequal" : "equal", common[i] / both[i], chosen[i] / both[i]);
	assert_true(common[0] < 1.1 * both[0] && chosen[0] < 1.1 * both[0]);
	assert_true(common[1] < 0.97 * both[1] && chosen[1] < 0.97 * both[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(policies) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

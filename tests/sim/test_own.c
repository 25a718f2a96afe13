/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disks that overwrite themselves, among disks that are overwritten, on random stations: each is
 * told once, whatever goes wrong; it waits for nobody and nobody for it; the forecast knows it.
 *
 *	test_own [FIRST-SEED COUNT]: with those seeds
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "diskwipe/predict.h"
#include "registry.h"
#include "sim_rig.h"
#include "forecast/world.h"

static uint64_t first_seed = 1, n_seeds = 150;

/* some of the disks can do it, in times beside which errors are short */
static void draw(struct rig *r, uint64_t seed)
{
	rig_init(r, seed, 1);
	r->spec.pattern[0] = '\0';
	snprintf(r->spec.method, sizeof(r->spec.method), "sanitize");
	for (uint32_t i = 0; i < r->station.n_disks; i++)
		if (dw_rng_below(&r->rng, 2))
			r->station.disk[i].sanitize_ns =
				(300 + dw_rng_below(&r->rng, 900)) * DW_NS_PER_S;
}

static bool has_fault(const struct station_disk *d, uint8_t kind)
{
	for (uint32_t i = 0; i < d->n_faults; i++)
		if (d->fault[i].kind == kind)
			return true;
	return false;
}

static uint64_t writes(const struct rig *r, uint32_t i, uint16_t times)
{
	uint64_t n = 0;

	for (uint64_t k = 0; k < r->disk[i].spec->blocks; k++)
		n += r->disk[i].writes[k] == times;
	return n;
}

static void judge(const struct rig *r, uint64_t seed)
{
	const struct dw_job_result *result = dw_job_result(r->job);

	for (uint32_t i = 0; i < result->n_disks; i++) {
		const struct dw_disk_result *d = &result->disk[i];
		const struct sim_disk *s = &r->world->disk[i];
		bool own = s->spec->sanitize_ns, erased = d->outcome == DW_OUTCOME_ERASED;

		if (s->own_count != (own ? 1 : 0) && !has_fault(s->spec, STATION_REMOVE))
			fail_msg("seed %llu disk %u: told %u times",
				 (unsigned long long)seed, i, s->own_count);
		assert_true(s->own_count <= 1);
		if (own && has_fault(s->spec, STATION_UNWRITABLE))
			assert_false(erased);
		if (!s->spec->n_faults) {
			assert_true(erased);
			assert_int_equal(writes(r, i, own ? 0 : 1), s->spec->blocks);
			assert_int_equal(d->bytes_written,
					 own ? 0 : s->spec->blocks * s->spec->sector);
			assert_true(!own || s->own_begun_ns < 2 * SIM_START_NS);
		}
		if (erased)
			assert_true(own == !strcmp(d->command, "sanitize"));
	}
}

static void mixtures(void **state)
{
	for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
		struct rig r;

		draw(&r, seed);
		if (seed % 3)
			rig_faults(&r);
		rig_start(&r);
		rig_run(&r, 50000);
		judge(&r, seed);
		rig_deinit(&r);
	}
}

/* when the job ends, as it says; < 0: one does not know */
static double end_of(struct dw_job *job)
{
	double left = dw_job_remaining(job);

	return left < 0 ? -1 : dw_job_seconds(job) + left;
}

/* how far the forecast is off, or what is said on the way, if that is worse */
static double error_of(const struct rig *r)
{
	struct dw_forecast *f;
	struct dw_job *job;
	struct dw_event e;
	struct dw_error err = { 0 };
	double error, low = INFINITY, high = 0, at = 0, end;
	int n;

	assert_int_equal(dw_forecast_station(&r->spec, &r->station, NULL, &f, &err), 0);
	assert_int_equal(dw_job_new(NULL, &r->spec, &job, &err), 0);
	assert_int_equal(dw_job_simulate(job, &r->station, false, &err), 0);
	dw_forecast_apply(f, job);
	assert_int_equal(dw_job_start(job, &err), 0);
	while ((n = dw_job_step(job, 0)) == 1) {
		while (dw_job_next_event(job, &e))
			;
		if (dw_job_seconds(job) < at)
			continue;
		at += f->seconds / 20;
		end = end_of(job);
		low = fmin(low, end);
		high = fmax(high, end);
	}
	assert_int_equal(n, 0);
	error = fabs(f->seconds / dw_job_result(job)->seconds - 1);
	/* with turns one knows less on the way (test_eta.c) */
	if (strcmp(r->spec.strategy, "round-robin") != 0) {
		error = fmax(error, 0.2 * (1 - low / dw_job_result(job)->seconds));
		error = fmax(error, 0.2 * (high / dw_job_result(job)->seconds - 1));
	}
	dw_forecast_free(f);
	dw_job_free(job);
	return error;
}

/* a rack as it may stand there: half of the disks do it themselves */
static void draw_shelf(struct rig *r, uint64_t seed)
{
	rig_draw(r, seed, 60);
	for (uint32_t i = 0; i < r->station.n_nodes; i++)
		r->station.node[i] =
			(struct station_node){ .kind = STATION_LINK, .on = STATION_NONE };
	for (uint32_t i = 0; i < r->station.n_disks; i++) {
		struct station_disk *d = &r->station.disk[i];

		d->outer = 150000000;
		d->inner = 80000000;
		d->cache = true;
		d->buffer = 16 << 20;
		d->link = d->ws_max = 0;
		d->ws = STATION_WS_NONE;
		d->tagged = 64;
		d->sanitize_ns = (i + seed) % 2 * (4 + 5 * i) * DW_NS_PER_S;
	}
	dw_job_spec_init(&r->spec);
	snprintf(r->spec.method, sizeof(r->spec.method), "sanitize");
	snprintf(r->spec.strategy, sizeof(r->spec.strategy), "%s",
		 registry_strategy(seed));
	snprintf(r->spec.controller, sizeof(r->spec.controller), "fixed");
	r->spec.active = (uint32_t)(seed % 3);
	if (seed / 4 % 2)
		r->spec.verify = DW_VERIFY_FULL;
	r->spec.seed = 1;
}

static void forecast(void **state)
{
	const uint64_t last = first_seed + n_seeds / 5;

	/* on the last one, disks that have erased themselves wait long to be verified */
	for (uint64_t seed = first_seed; seed <= last; seed++) {
		struct rig r;

		draw_shelf(&r, seed == last ? 67 : seed);
		if (error_of(&r) >= 0.02)
			fail_msg("seed %llu (%s): %.1f %% off",
				 (unsigned long long)(seed == last ? 67 : seed),
				 r.spec.strategy, 100 * error_of(&r));
		rig_deinit(&r);
	}
}

static void one_disk(struct rig *r, uint64_t seed, const char *file)
{
	rig_init(r, seed, 1);
	r->spec.pattern[0] = r->spec.order[0] = r->spec.near[0] = '\0';
	snprintf(r->spec.method, sizeof(r->spec.method), "sanitize");
	snprintf(r->spec.state_file, sizeof(r->spec.state_file), "%s", file);
	r->spec.verify = DW_VERIFY_SAMPLE;
	for (uint32_t i = 0; i < r->station.n_disks; i++)
		r->station.disk[i].sanitize_ns = 1000 * DW_NS_PER_S;
}

/* stopped while they work, and resumed while they still do, or after they have ended */
static void resumed(void **state)
{
	char file[] = "/tmp/dw-own-XXXXXX";

	assert_true(close(mkstemp(file)) == 0 && unlink(file) == 0);
	for (int later = 0; later < 3; later++) {
		struct rig r;
		uint32_t n;

		one_disk(&r, 3, file);
		r.stop_at = 20;
		rig_start(&r);
		rig_run(&r, 50000);
		n = r.station.n_units;
		for (uint32_t i = 0; i < n; i++) {
			const struct dw_disk_result *d = &dw_job_result(r.job)->disk[i];

			assert_int_equal(d->outcome, DW_OUTCOME_STOPPED);
			assert_non_null(strstr(d->reason, "works on by itself"));
		}
		rig_deinit(&r);
		one_disk(&r, 3, file);
		snprintf(r.spec.resume_file, sizeof(r.spec.resume_file), "%s", file);
		rig_start(&r);
		for (uint32_t i = 0; i < n; i++) {
			struct sim_disk *d = &r.world->disk[i];

			d->own_begun_ns = later ? 0 : SIM_START_NS;
			d->own_until_ns = later ? 0 : SIM_START_NS + 100 * DW_NS_PER_S;
			d->own_failed = later == 2;
		}
		rig_run(&r, 50000);
		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal(dw_job_result(r.job)->disk[i].outcome,
					 later == 2 ? DW_OUTCOME_FAILED
						    : DW_OUTCOME_ERASED);
			assert_int_equal(r.world->disk[i].own_count, 0);
		}
		rig_deinit(&r);
		unlink(file);
	}
}

/* one that stands still ends the job for itself alone, and can be resumed later */
static void standstill(void **state)
{
	char file[] = "/tmp/dw-own-XXXXXX";
	struct dw_plan_doc plan;
	struct dw_error err;
	uint32_t n = 0;
	struct rig r;

	assert_true(close(mkstemp(file)) == 0 && unlink(file) == 0);
	one_disk(&r, 3, file);
	rig_start(&r);
	r.station.disk[0].sanitize_ns = UINT64_C(1000000000) * DW_NS_PER_S;
	rig_run(&r, 50000);
	for (uint32_t i = 0; i < r.station.n_units; i++) {
		const struct dw_disk_result *d = &dw_job_result(r.job)->disk[i];
		bool still = r.world->disk[i].spec == r.station.disk;

		n += still;
		assert_int_equal(d->outcome,
				 still ? DW_OUTCOME_FAILED : DW_OUTCOME_ERASED);
		assert_true(!still || strstr(d->reason, "left working"));
		assert_true(!still || d->seconds >= 4000);
		assert_true(!still || strstr(d->notes[0], "of its model"));
		assert_int_equal(r.world->disk[i].own_count, 1);
	}
	assert_true(n && n < r.station.n_units);
	rig_deinit(&r);
	assert_int_equal(dw_resume_disks(file, &plan, &err), 0);
	assert_int_equal(plan.n, n);
	dw_plan_deinit(&plan);
	unlink(file);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mixtures),
		cmocka_unit_test(forecast),
		cmocka_unit_test(resumed),
		cmocka_unit_test(standstill),
	};

	if (argc == 3) {
		first_seed = strtoull(argv[1], NULL, 10);
		n_seeds = strtoull(argv[2], NULL, 10);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disks that compare themselves (`compare = yes`): the job as it would be done, exact and coarse,
 * and what was forecast of it. Their comparison needs no bus, so a rack whose bus is full is
 * quicker than with a verification by reading.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <diskwipe/job.h>
#include <diskwipe/predict.h>
#include <diskwipe/simulate.h>

#include "base/rng.h"
#include "base/util.h"
#include "core/spec.h"
#include "station/station.h"

#ifndef SEEDS /* an even one is on a wide bus, an odd one on a narrow */
#define SEEDS 6
#endif
#define DISKS_MAX 6
#define BYTES     (UINT64_C(12) << 30)

/** struct shelf - some disks behind a bus of @share of what they do together */
struct shelf {
	struct station_disk disk[DISKS_MAX];
	struct station_node bus;
	struct dw_station station;
	struct dw_job_spec spec;
};

static void shelf_draw(struct shelf *s, uint64_t seed, double share)
{
	struct dw_error err;
	struct dw_rng rng;
	uint32_t n;

	dw_rng_seed(&rng, seed);
	n = 2 + (uint32_t)dw_rng_below(&rng, DISKS_MAX - 1);
	memset(s, 0, sizeof(*s));
	s->station = (struct dw_station){
		.disk = s->disk, .n_disks = n, .node = &s->bus, .n_nodes = 1
	};
	s->bus = (struct station_node){ .name = "bus",
					.kind = STATION_BUS,
					.on = STATION_NONE };
	for (uint32_t i = 0; i < n; i++) {
		struct station_disk *d = &s->disk[i];

		station_disk_init(d);
		snprintf(d->name, sizeof(d->name), "disk-%u", i);
		strcpy(d->on_name[0], "bus");
		d->n_on = 1;
		d->capacity = BYTES + (dw_rng_below(&rng, 4) << 30);
		d->outer = 150000000 + dw_rng_below(&rng, 100000000);
		d->inner = d->outer / (1 + dw_rng_below(&rng, 2));
		d->rpm = 7200;
		d->cache = dw_rng_below(&rng, 2);
		d->compare = true;
		d->max_transfer = 512 << 10; /* so that a sample is a sample */
		d->ws = STATION_WS_NONE;
		s->bus.rate += (uint64_t)(share * (double)d->outer);
	}
	dw_job_spec_init(&s->spec);
	snprintf(s->spec.controller, sizeof(s->spec.controller), "fixed");
	s->spec.fixed_blocks = 1024;
	s->spec.depth = 2;
	s->spec.verify = DW_VERIFY_DEVICE;
	s->spec.seed = seed + 1;
	s->spec.active = dw_rng_below(&rng, 3) ? 0 : 2;
	assert_int_equal(station_check(&s->station, &err), 0);
}

/* seconds of the job; each disk has found what was planted, and compared all else */
static double run(struct shelf *s, bool coarse)
{
	bool device = dw_spec_verify(&s->spec) == DW_VERIFY_DEVICE;
	struct dw_error err = { 0 };
	struct dw_event e;
	struct dw_job *job;
	double seconds;
	int n;

	assert_int_equal(dw_job_new(NULL, &s->spec, &job, &err), 0);
	assert_int_equal(dw_job_simulate(job, &s->station, coarse, &err), 0);
	assert_int_equal(dw_job_start(job, &err), 0);
	while ((n = dw_job_step(job, 0)) == 1)
		while (dw_job_next_event(job, &e))
			;
	assert_int_equal(n, 0);
	for (size_t i = 0; i < dw_job_result(job)->n_disks; i++) {
		const struct dw_disk_result *d = &dw_job_result(job)->disk[i];

		if (d->outcome != DW_OUTCOME_ERASED)
			fail_msg("disk %zu: %s", i, d->reason);
		if (s->disk[i].compare && device) {
			assert_string_equal("", d->verify.not_compared);
			assert_int_equal(DW_VERIFIED_SAMPLE, d->verify.done);
			assert_true(d->verify.planted >= 459);
			assert_int_equal(d->verify.planted, d->verify.found);
			assert_int_equal(d->info.blocks,
					 d->verify.compared + d->verify.found);
			assert_true(d->verify.skipped > 0 && d->verify.skipped <= 0.01);
		} else {
			assert_int_equal(device, d->verify.not_compared[0] != '\0');
			assert_int_equal(DW_VERIFIED_FULL, d->verify.done);
			assert_true(d->verify.skipped == 0);
		}
	}
	seconds = dw_job_result(job)->seconds;
	dw_job_free(job);
	return seconds;
}

static double foretold(const struct shelf *s)
{
	struct dw_forecast *f;
	struct dw_error err = { 0 };
	double seconds;

	assert_int_equal(dw_forecast_station(&s->spec, &s->station, NULL, &f, &err), 0);
	seconds = f->seconds;
	dw_forecast_free(f);
	return seconds;
}

static void assert_near(double expected, double is, double share, uint64_t seed)
{
	if (fabs(is / expected - 1) > share)
		fail_msg("seed %llu: %.1f s, and not %.1f", (unsigned long long)seed, is,
			 expected);
}

static void as_foretold(void **state)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct shelf s;
		double exact;

		shelf_draw(&s, seed, seed % 2 ? 0.5 : 4);
		exact = run(&s, false);
		assert_near(exact, run(&s, true), 0.01, seed);
		assert_near(exact, foretold(&s), 0.05, seed);
	}
}

/* on half a bus writing takes twice the time of the media, comparing takes it once */
static void needs_no_bus(void **state)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct shelf s;
		double device, full;

		shelf_draw(&s, seed, 0.5);
		s.spec.active = 0;
		for (uint32_t i = 0; i < s.station.n_disks; i++) {
			s.disk[i].inner = s.disk[i].outer;
			s.disk[i].blocks = (s.disk[i].capacity *= 10) / s.disk[i].sector;
		}
		device = run(&s, true);
		s.spec.verify = DW_VERIFY_FULL;
		full = run(&s, true);
		if (device > 0.87 * full)
			fail_msg("seed %llu: %.1f s of %.1f", (unsigned long long)seed,
				 device, full);
	}
}

/* one that does not know VERIFY, and the others, which do */
static void reads_instead(void **state)
{
	struct shelf s;

	shelf_draw(&s, 1, 4);
	s.disk[0].compare = false;
	assert_near(run(&s, false), foretold(&s), 0.05, 1);
}

/* Whatever is asked besides, "auto" is full or device, and what is done is what was foretold; the
 * choice stays with who goes on with the job. */
static void auto_is_one_of_both(void **state)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct shelf s;
		struct dw_forecast *f;
		struct dw_error err = { 0 };
		struct dw_job *job;

		shelf_draw(&s, seed, seed % 2 ? 0.5 : 4);
		for (uint32_t i = 0; i < s.station.n_disks; i++)
			s.disk[i].blocks = (s.disk[i].capacity *= 10) / s.disk[i].sector;
		s.disk[0].compare = false;
		s.spec.active = 0;
		s.spec.verify = DW_VERIFY_AUTO;
		assert_int_equal(dw_job_new(NULL, &s.spec, &job, &err), 0);
		assert_int_equal(dw_job_simulate(job, &s.station, true, &err), 0);
		assert_int_equal(dw_forecast_station(&s.spec, &s.station, NULL, &f, &err),
				 0);
		assert_string_equal(f->verify_chosen, seed % 2 ? "device" : "full");
		assert_true(f->verify_why[0]);
		assert_false(f->disk[0].compares);
		dw_forecast_apply(f, job);
		assert_int_equal(dw_job_result(job)->spec.verify_chosen,
				 seed % 2 ? DW_VERIFY_DEVICE : DW_VERIFY_FULL);
		dw_job_free(job);
		dw_forecast_free(f);
		s.spec.verify_chosen = seed % 2 ? DW_VERIFY_DEVICE : DW_VERIFY_FULL;
		assert_int_equal(dw_forecast_station(&s.spec, &s.station, NULL, &f, &err),
				 0);
		assert_string_equal(f->verify_chosen, ""); /* nothing is chosen twice */
		assert_int_equal(f->disk[1].compares, seed % 2);
		dw_forecast_free(f);
		run(&s, true);
	}
}

/* without a forecast, and of a job that is only told to start */
static void auto_without_forecast_is_full(void **state)
{
	struct shelf s;

	shelf_draw(&s, 1, 0.5);
	s.spec.verify = DW_VERIFY_AUTO;
	run(&s, false);
}

/* a method that is verified in full is read in full, whatever would gain, and was chosen */
static void auto_does_what_the_method_demands(void **state)
{
	struct shelf s;
	struct dw_forecast *f;
	struct dw_error err = { 0 };

	shelf_draw(&s, 1, 0.5);
	snprintf(s.spec.method, sizeof(s.spec.method), "hmg-baseline");
	s.spec.pattern[0] = '\0';
	s.spec.verify = DW_VERIFY_AUTO;
	assert_int_equal(dw_forecast_station(&s.spec, &s.station, NULL, &f, &err), 0);
	assert_string_equal(f->verify_chosen, "full");
	assert_string_equal(f->verify_why, "the method demands that all is read");
	dw_forecast_free(f);
	s.spec.verify_chosen = DW_VERIFY_DEVICE;
	assert_int_equal(DW_VERIFY_FULL, dw_spec_verify(&s.spec));
	run(&s, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_foretold),
		cmocka_unit_test(needs_no_bus),
		cmocka_unit_test(reads_instead),
		cmocka_unit_test(auto_is_one_of_both),
		cmocka_unit_test(auto_without_forecast_is_full),
		cmocka_unit_test(auto_does_what_the_method_demands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bus that does not queue, with disks that verify beside disks that write without a cache: reads
 * win every race for it, for longer than a command has time. No write may run out of time for
 * that, and nothing that was done is done again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <diskwipe/job.h>
#include <diskwipe/simulate.h>

#include "base/rng.h"
#include "station/station.h"

#define SEEDS 4
#define QUICK 7
#define DISKS 14

static void draw(uint64_t seed, struct station_node *bus, struct station_disk *disk,
		 struct dw_station *s)
{
	struct dw_rng rng;
	struct dw_error err;

	dw_rng_seed(&rng, seed);
	*s = (struct dw_station){
		.disk = disk, .n_disks = DISKS, .node = bus, .n_nodes = 1
	};
	*bus = (struct station_node){ .name = "bus",
				      .kind = STATION_BUS,
				      .on = STATION_NONE,
				      .rate = 150000000 + dw_rng_below(&rng, 20000000),
				      .parallel = true,
				      .retry = true };
	for (uint32_t i = 0; i < DISKS; i++) {
		struct station_disk *d = &disk[i];
		bool quick = i < QUICK;

		station_disk_init(d);
		snprintf(d->name, sizeof(d->name), "disk-%u", i);
		strcpy(d->on_name[0], "bus");
		d->n_on = 1;
		d->capacity = (quick ? 9 : 14) * UINT64_C(1000000000);
		d->outer = quick ? 90000000 : 35000000 + dw_rng_below(&rng, 10000000);
		d->inner = d->outer * 7 / 10;
		d->rpm = 10000;
		d->ws = STATION_WS_NONE;
	}
	assert_int_equal(station_check(s, &err), 0);
}

/* what each disk has done never grows less */
static void follow(struct dw_job *job, uint64_t *done, uint64_t seed)
{
	struct dw_event e;

	while (dw_job_next_event(job, &e)) {
		if (e.kind != DW_EVENT_PROGRESS || e.disk >= DISKS)
			continue;
		if (e.progress.bytes_done < done[e.disk])
			fail_msg("seed %llu: disk %u goes back from %llu to %llu",
				 (unsigned long long)seed, e.disk,
				 (unsigned long long)done[e.disk],
				 (unsigned long long)e.progress.bytes_done);
		done[e.disk] = e.progress.bytes_done;
	}
}

static void nothing_is_done_twice(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct station_disk disk[DISKS];
		uint64_t done[DISKS] = { 0 };
		struct dw_error err = { 0 };
		struct station_node bus;
		struct dw_station s;
		struct dw_job_spec spec;
		struct dw_job *job;
		int n;

		draw(seed, &bus, disk, &s);
		dw_job_spec_init(&spec);
		spec.verify = DW_VERIFY_FULL;
		spec.seed = seed;
		assert_int_equal(dw_job_new(NULL, &spec, &job, &err), 0);
		assert_int_equal(dw_job_simulate(job, &s, false, &err), 0);
		assert_int_equal(dw_job_start(job, &err), 0);
		while ((n = dw_job_step(job, 0)) == 1)
			follow(job, done, seed);
		assert_int_equal(n, 0);
		for (uint32_t i = 0; i < DISKS; i++) {
			const struct dw_disk_result *d = &dw_job_result(job)->disk[i];

			assert_int_equal(d->outcome, DW_OUTCOME_ERASED);
			if (d->errors.timeouts || d->errors.resets)
				fail_msg("seed %llu: disk %u ran out of time",
					 (unsigned long long)seed, i);
		}
		dw_job_free(job);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_done_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

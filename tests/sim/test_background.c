/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs beside other work on random stations, in virtual time: the others' response is kept,
 * and the job gets at least what the closed model allows it.
 *
 *	test_background [FIRST-SEED COUNT]: print a line for each seed
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "forecast/simulate.h"
#include "../unit/error_line.h"

#define KEPT   1.10 /* of the target */
#define GOT    0.80 /* of the model's share */
#define MANY   400  /* answers: fewer say little about a mean */
#define LITTLE 0.02 /* a share that is not worth measuring */

static uint64_t first_seed = 1, n_seeds = 40;
static bool prints;

/** struct scene - disks and others on one bus */
struct scene {
	struct dw_rng rng;
	struct dw_station station;
	struct station_node bus;
	struct station_disk disk;
	struct station_load load;
};

static uint64_t between(struct scene *s, uint64_t low, uint64_t high)
{
	return low + dw_rng_below(&s->rng, high - low + 1);
}

static void draw(struct scene *s, uint64_t seed)
{
	struct dw_error err = { 0 };

	memset(s, 0, sizeof(*s));
	dw_rng_seed(&s->rng, seed);
	s->bus = (struct station_node){ .name = "bus",
					.kind = STATION_BUS,
					.on = STATION_NONE,
					.rate = between(s, 50, 1000) * 1000000 };
	station_disk_init(&s->disk);
	snprintf(s->disk.name, sizeof(s->disk.name), "disk");
	snprintf(s->disk.on_name[0], sizeof(s->disk.on_name[0]), "bus");
	s->disk.n_on = 1;
	s->disk.count = between(s, 1, 8);
	s->disk.outer = between(s, 80, 600) * 1000000;
	s->disk.rpm = between(s, 0, 1) * 7200;
	s->disk.cache = between(s, 0, 1);
	s->disk.capacity = 64 * s->disk.outer / s->disk.count / 512 * 512;
	s->load = (struct station_load){ .name = "load",
					 .on_name = "bus",
					 .users = between(s, 1, 12),
					 .think_ns = between(s, 20, 400) * 1000000,
					 .size = between(s, 1, 256) * 4096,
					 .service_ns = between(s, 1, 12) * 1000000,
					 .random = between(s, 0, 1) };
	s->station = (struct dw_station){ .node = &s->bus,
					  .n_nodes = 1,
					  .disk = &s->disk,
					  .n_disks = 1,
					  .load = &s->load,
					  .n_loads = 1 };
	if (station_check(&s->station, &err))
		fail_msg("seed %llu: %s", (unsigned long long)seed, error_line(&err));
}

/* what is said of the share is said of no single disk */
static void notice_of_all(const struct dw_event *e, const struct dw_job_result *result)
{
	char *line;

	if (strncmp(e->text, "background:", 11))
		return;
	line = dw_event_json(e, result);
	assert_non_null(line);
	assert_null(strstr(line, "\"disk\""));
	free(line);
}

/* erase for at most @seconds */
static struct dw_background_result run(struct scene *s, const struct dw_background *how,
				       uint32_t depth, double seconds)
{
	struct dw_background_result result;
	struct dw_job_spec spec;
	struct dw_job *job;
	struct dw_event e;
	struct dw_error err = { 0 };
	int r;

	dw_job_spec_init(&spec);
	spec.background = *how;
	spec.depth = depth;
	spec.verify = DW_VERIFY_OFF;
	spec.command = DW_COMMAND_WRITE;
	spec.seed = 1 + dw_rng_below(&s->rng, 1000000);
	if (dw_job_new(NULL, &spec, &job, &err) < 0 ||
	    dw_job_simulate(job, &s->station, false, &err) < 0 ||
	    dw_job_start(job, &err) < 0)
		fail_msg("%s", error_line(&err));
	while ((r = dw_job_step(job, 0)) == 1) {
		while (dw_job_next_event(job, &e))
			notice_of_all(&e, dw_job_result(job));
		if (dw_job_seconds(job) > seconds)
			dw_job_abort(job);
	}
	assert_int_equal(r, 0);
	result = dw_job_result(job)->background;
	dw_job_free(job);
	return result;
}

static void keeps(uint64_t seed)
{
	struct dw_background how = { .kind = DW_BACKGROUND_SHARE, .share = 0.01 };
	struct dw_background_result r;
	struct scene s;
	uint32_t depth;
	double before, target;

	draw(&s, seed);
	depth = (uint32_t)between(&s, 1, 4);
	before = run(&s, &how, depth, 11).measured_before;
	assert_true(before > 0);
	target = before * (1.2 + 1.5 * dw_rng_unit(&s.rng));
	how = (struct dw_background){ .kind = DW_BACKGROUND_RESPONSE,
				      .response_ns = (uint64_t)(target * 1e9) };
	r = run(&s, &how, depth, 300);
	if (prints)
		printf("%llu: %u users, %.2f ms before, %.2f to be kept, %.2f measured "
		       "(%.3f), share %.3f allowed, %.3f used, %llu answers\n",
		       (unsigned long long)seed, r.users, r.measured_before * 1e3,
		       target * 1e3, r.measured * 1e3, r.measured / target,
		       r.forecast.share, r.used, (unsigned long long)r.answers);
	if (r.answers < MANY)
		return;
	if (!prints && r.measured > KEPT * target)
		fail_msg("seed %llu: %g ms, not %g", (unsigned long long)seed,
			 r.measured * 1e3, target * 1e3);
	if (!prints && r.used < GOT * r.forecast.share && r.forecast.share > LITTLE)
		fail_msg("seed %llu: a share of %g, not %g", (unsigned long long)seed,
			 r.used, r.forecast.share);
}

static void response_is_kept(void **state)
{
	for (uint64_t i = 0; i < n_seeds; i++)
		keeps(first_seed + i);
}

/* what is asked for is what is used, whatever the disks are */
static void share_is_kept(void **state)
{
	for (uint64_t seed = first_seed; seed < first_seed + n_seeds / 4; seed++) {
		struct dw_background how = { .kind = DW_BACKGROUND_SHARE };
		struct dw_background_result r;
		struct scene s;

		draw(&s, seed);
		how.share = 0.05 + 0.9 * dw_rng_unit(&s.rng);
		r = run(&s, &how, (uint32_t)between(&s, 1, 4), 60);
		if (r.used < 0.95 * how.share - 0.01 || r.used > 1.05 * how.share + 0.01)
			fail_msg("seed %llu: a share of %g, not %g",
				 (unsigned long long)seed, r.used, how.share);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(response_is_kept),
		cmocka_unit_test(share_is_kept),
	};

	if (argc > 2) {
		first_seed = strtoull(argv[1], NULL, 0);
		n_seeds = strtoull(argv[2], NULL, 0);
		prints = true;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated disks in real time, below the service: the engine finds, erases and loses them as it
 * does real ones; real ones are out of its reach, and neither kind goes on with the other's state.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <cmocka.h>

#include <diskwipe/diskwipe.h>

#include "file/file.h"
#include "transport/open.h"

static const char rack[] = "[bus shelf]\nrate = 2GB/s\n"
			   "[disk bay]\ncount = 2\non = shelf\ncapacity = 8GB\n"
			   "outer = 400MB/s\ninner = 200MB/s\n";

static char folder[] = "/tmp/simulation.XXXXXX";
static char file[64], state[64];
static struct dw_simulation *simulation;
static struct dw_engine *engine;
static struct dw_disk *found;
static size_t n_found;

static void take_found(void *ctx, const char *path, int r, struct dw_disk *disk, size_t n)
{
	assert_int_equal(r, 0);
	free(found);
	found = disk;
	n_found = n;
	*(bool *)ctx = true;
}

static void look(void)
{
	bool done = false;

	assert_int_equal(dw_engine_discover(engine, NULL, NULL, take_found, &done), 0);
	while (!done)
		assert_true(dw_engine_step(engine, -1) >= 0);
}

static int set_up(void **state_)
{
	struct dw_error err;

	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/rack.station", folder);
	snprintf(state, sizeof(state), "%s/state", folder);
	assert_int_equal(dw_file_write(file, rack, sizeof(rack) - 1), 0);
	assert_int_equal(dw_simulation_new(file, 1000, &simulation, &err), 0);
	assert_int_equal(dw_engine_new(&engine), 0);
	return 0;
}

static int tear_down(void **state_)
{
	dw_engine_free(engine);
	dw_simulation_free(simulation);
	free(found);
	unlink(file);
	unlink(state);
	return rmdir(folder);
}

/* Once its disks are simulated, the process opens no node, whatever it is asked to. */
static void no_node(void **state_)
{
	int fd = dw_disk_open("/dev/null", O_RDONLY);
	struct dw_health health;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(dw_engine_simulate(engine, simulation), 0);
	assert_int_equal(dw_disk_open("/dev/null", O_RDONLY), -EPERM);
	assert_true(dw_disk_health("/dev/null", 0, &health) < 0);
	look();
	assert_int_equal(n_found, 2);
	assert_string_equal(found[0].info.sg, "bay-1");
	assert_string_equal(found[0].info.transport, "simulated");
}

/* A job on the first disk, which ends as @outcome. @want: -EINVAL if it does not get that far. */
static void erase(struct dw_engine *of, const char *resume, int want,
		  enum dw_outcome outcome)
{
	const struct dw_job_result *result;
	struct dw_job_spec spec;
	struct dw_verdict v;
	struct dw_error err;
	struct dw_job *job;

	dw_job_spec_init(&spec);
	snprintf(spec.resume_file, sizeof(spec.resume_file), "%s", resume);
	if (!resume[0])
		snprintf(spec.state_file, sizeof(spec.state_file), "%s", state);
	assert_int_equal(dw_job_new(of, &spec, &job, &err), want);
	if (want)
		return;
	assert_int_equal(dw_job_add(job, &found[0], &v), 0);
	assert_int_equal(dw_job_start(job, &err), 0);
	if (outcome == DW_OUTCOME_REMOVED)
		assert_int_equal(dw_simulation_pull(simulation, "bay-1"), 0);
	while (dw_engine_step(engine, -1) > 0) {
		struct dw_event e;

		while (dw_job_next_event(job, &e))
			;
	}
	result = dw_job_result(job);
	assert_string_equal(result->simulation, "real time");
	assert_int_equal(result->disk[0].outcome, outcome);
	dw_job_free(job);
}

static void pulled_then_erased(void **state_)
{
	uint64_t n;

	erase(engine, "", 0, DW_OUTCOME_REMOVED);
	assert_int_equal(read(dw_simulation_fd(simulation), &n, sizeof(n)), sizeof(n));
	look();
	assert_int_equal(n_found, 1);
	assert_int_equal(dw_simulation_pull(simulation, "bay-1"), -EALREADY);
	assert_int_equal(dw_simulation_pull(simulation, "bay-3"), -ENODEV);
	assert_int_equal(dw_simulation_pull(simulation, ""), -ENODEV);
	assert_int_equal(dw_simulation_insert(simulation, "SIM00000001"), 0);
	assert_int_equal(dw_simulation_heat(simulation, "bay-1", 101), -ERANGE);
	look();
	assert_int_equal(n_found, 2);
}

/* The name of a simulated disk may be that of a real one, on which nothing is written. */
static void state_of_the_other_kind(void **state_)
{
	struct dw_error err;
	char text[DW_ERROR_TEXT];
	struct dw_job_spec spec;
	struct dw_job *job;

	dw_job_spec_init(&spec);
	snprintf(spec.resume_file, sizeof(spec.resume_file), "%s", state);
	assert_int_equal(dw_job_new(NULL, &spec, &job, &err), -EINVAL);
	assert_non_null(strstr(dw_error_text(&err, text), "it is of a simulation"));
	erase(engine, state, 0, DW_OUTCOME_ERASED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_node), /* it is first: the rest needs what it does */
		cmocka_unit_test(pulled_then_erased),
		cmocka_unit_test(state_of_the_other_kind),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

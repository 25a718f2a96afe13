/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disk that joins a running job: what its trace says of that, and what reads it; in the
 * background, that it keeps to what the others keep to. Simulated disks, in a world that is made
 * to open them as those of a machine are.
 */
#include "unit.h"

#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "forecast/fit.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/virtual.h"
#include "print/run.h"
#include "forecast/simulate.h"
#include "error_line.h"

#define JOINS_AT 3.0 /* seconds */
#define WATCHED  3.0

static const char station_text[] =
	"[bus one]\nrate = 100MB/s\n"
	"[bus two]\nrate = 100MB/s\n"
	"[disk a]\non = one\ncapacity = 640MB\nouter = 100MB/s\n"
	"[disk b]\non = two\ncapacity = 640MB\nouter = 100MB/s\n";
static struct dw_station *station;
static char path[] = "/tmp/dw-task.XXXXXX";
static struct dw_job *job;
static int notices; /* that disks cannot be found */

/* disk b of the station: as disk a, but for what names it and what it hangs on */
static int open_other(struct dw_world *w, struct job_disk *d, const struct dw_disk *want,
		      struct dw_verdict *v)
{
	(void)w;
	(void)v;
	d->info = want->info;
	d->caps = d->job->disk[0]->caps;
	d->place.unit = 1;
	snprintf(d->place.adapter, sizeof(d->place.adapter), "two");
	return 0;
}

/* Others have a hundred answers a second, of 5 ms each. Those that are found when disk b has
 * joined have had a million before. */
static int found, found_error;

static int find_others(struct dw_world *w, struct dw_job *j)
{
	(void)w;
	(void)j;
	if (found && found_error)
		return found_error;
	found++;
	return 0;
}

static bool see_others(struct dw_world *w, const struct dw_job *j,
		       struct dw_io_count *ret)
{
	(void)j;
	ret->answers = w->ops->now(w) / 10000000 + (found > 1 ? 1000000 : 0);
	ret->answer_ns = ret->answers * 5000000;
	ret->waiting = 1;
	return true;
}

static void begin(const struct dw_job_spec *spec)
{
	static struct dw_world_ops ops;
	struct sim_world *world;
	struct dw_world *w;
	struct dw_error err = { 0 };

	assert_int_equal(dw_job_new(NULL, spec, &job, &err), 0);
	assert_int_equal(sim_job_begin(job, station, false, &world), 0);
	assert_int_equal(sim_job_add_unit(job, station, 0), 0);
	w = job->engine->world;
	ops = *w->ops;
	ops.open = open_other;
	ops.find_others = find_others;
	ops.others = see_others;
	found = notices = 0;
	w->ops = &ops;
	if (dw_job_start(job, &err))
		fail_msg("%s", error_line(&err));
}

/* To the end; disk b is asked for after @seconds. How often it was taken in. */
static int run_job(double seconds)
{
	struct dw_disk other = { 0 };
	struct dw_event e;
	int added = 0, r;

	sim_describe(station, 1, &other.info);
	do {
		if (seconds >= 0 && dw_job_seconds(job) >= seconds) {
			assert_int_equal(dw_task_add(job, &other), 0);
			seconds = -1;
		}
		r = dw_job_step(job, 0);
		while (dw_job_next_event(job, &e)) {
			if (e.kind == DW_EVENT_REFUSED)
				fail_msg("%s", e.text);
			added += e.kind == DW_EVENT_ADDED;
			notices += e.kind == DW_EVENT_NOTICE &&
				   strstr(e.text, "cannot be found: Input/output error");
		}
	} while (r == 1);
	assert_int_equal(r, 0);
	return added;
}

/** struct counted - of a disk, by its lines */
struct counted {
	uint64_t commands;
	uint64_t written;
	double first;
	double last;
};

static void count(struct counted ret[2], double *ret_joined)
{
	const struct dw_trace_head *head;
	struct dw_trace_command c;
	struct dw_trace_reader *r;
	struct dw_error err = { 0 };
	int n;

	memset(ret, 0, 2 * sizeof(*ret));
	if (dw_trace_reader_open(path, &r, &err))
		fail_msg("%s", error_line(&err));
	head = dw_trace_reader_head(r);
	while ((n = dw_trace_reader_next(r, &c, &err)) == 1) {
		struct counted *d = &ret[c.disk];

		if (!d->commands)
			d->first = (double)c.start_ns / 1e9;
		d->last = (double)c.end_ns / 1e9;
		d->commands += c.commands;
		d->written += c.verb == DW_VERB_WRITE && c.end_class == DW_CLASS_OK
				      ? c.blocks
				      : 0;
	}
	if (n)
		fail_msg("%s", error_line(&err));
	assert_true(dw_trace_reader_finish(r).complete);
	assert_int_equal(head->n_disks, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct dw_disk_info *info = &dw_job_result(job)->disk[i].info;

		assert_string_equal(head->disk[i].serial, info->serial);
		assert_string_equal(head->disk[i].device, info->sg);
		assert_true(head->disk[i].blocks == info->blocks);
	}
	assert_true(head->disk[0].joined_ns == 0);
	*ret_joined = (double)head->disk[1].joined_ns / 1e9;
	dw_trace_reader_free(r);
}

static void spec_of_test(struct dw_job_spec *spec)
{
	dw_job_spec_init(spec);
	spec->seed = 1;
	spec->command = DW_COMMAND_WRITE;
	spec->verify = DW_VERIFY_OFF;
	snprintf(spec->trace_file, sizeof(spec->trace_file), "%s", path);
}

/* The trace names it, and has each of its commands. */
static void test_trace(void **state)
{
	const struct dw_disk_result *disk;
	struct counted counted[2];
	struct dw_job_spec spec;
	double joined;

	spec_of_test(&spec);
	begin(&spec);
	assert_int_equal(run_job(JOINS_AT), 1);
	disk = dw_job_result(job)->disk;
	count(counted, &joined);
	assert_true(joined >= JOINS_AT && joined < JOINS_AT + 1);
	assert_true(counted[1].first >= joined);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(disk[i].outcome, DW_OUTCOME_ERASED);
		assert_true(counted[i].commands == disk[i].commands);
		assert_true(counted[i].written == disk[i].info.blocks);
	}
	dw_job_free(job);
}

/* A report has it from when it came, and the fit the bytes of both. */
static void test_readers(void **state)
{
	const struct dw_disk_result *disk;
	struct fit_data data = { 0 };
	struct dw_job_spec spec;
	struct dw_error err = { 0 };
	struct run run;

	spec_of_test(&spec);
	begin(&spec);
	assert_int_equal(run_job(JOINS_AT), 1);
	disk = dw_job_result(job)->disk;
	if (run_from_trace(path, &run, &err) || fit_read(&data, path, &err))
		fail_msg("%s", error_line(&err));
	assert_int_equal(run.n, 2);
	assert_true(run.disk[0].joined == 0 && run.disk[1].joined >= JOINS_AT);
	assert_true(run_disk_took(&run.disk[1]) < run.disk[1].end - JOINS_AT);
	assert_int_equal(data.n_disks, 2);
	assert_int_equal(data.load[0].n_disks, 2);
	for (uint32_t i = 0; i < 2; i++) {
		double bytes = 0, read = run.disk[i].bytes[RUN_READ];

		assert_string_equal(run.disk[i].label, disk[i].info.sg);
		assert_true(run.disk[i].commands == disk[i].commands);
		assert_string_equal(data.disk[i].facts.serial, disk[i].info.serial);
		for (uint32_t w = 0; w < FIT_WINDOWS; w++)
			bytes += data.load[0].bytes[i][w];
		assert_float_equal(bytes, 640e6 + read, 1);
	}
	run_deinit(&run);
	fit_data_deinit(&data);
	dw_job_free(job);
}

/* A job with a share of the time: disk b, on a bus of its own, has the same. */
static void test_share(void **state)
{
	const struct dw_background_result *r;
	struct counted counted[2];
	struct dw_job_spec spec;
	double joined, took[2];

	spec_of_test(&spec);
	spec.background =
		(struct dw_background){ .kind = DW_BACKGROUND_SHARE, .share = 0.3 };
	begin(&spec);
	assert_int_equal(run_job(WATCHED + 2), 1);
	r = &dw_job_result(job)->background;
	count(counted, &joined);
	for (uint32_t i = 0; i < 2; i++) {
		assert_true(counted[i].written ==
			    dw_job_result(job)->disk[i].info.blocks);
		took[i] = counted[i].last - counted[i].first;
	}
	assert_true(took[0] >= 6.4 / 0.3 && took[0] < 10 / 0.3);
	assert_float_equal(took[1], took[0], 0.5);
	assert_true(counted[1].first < joined + 1);
	assert_int_equal(found, 2);
	assert_float_equal((double)r->answers, 100 * (dw_job_seconds(job) - WATCHED), 20);
	assert_float_equal(r->measured, 0.005, 1e-6);
	dw_job_free(job);
}

/* Those beside it cannot be found: that is told, those that were known are watched further. */
static void test_hidden(void **state)
{
	const struct dw_background_result *r;
	struct dw_job_spec spec;

	spec_of_test(&spec);
	spec.background =
		(struct dw_background){ .kind = DW_BACKGROUND_SHARE, .share = 0.9 };
	found_error = -EIO;
	begin(&spec);
	assert_int_equal(run_job(WATCHED + 2), 1);
	found_error = 0;
	assert_int_equal(found, 1);
	assert_int_equal(notices, 1);
	r = &dw_job_result(job)->background;
	assert_float_equal((double)r->answers, 100 * (dw_job_seconds(job) - WATCHED), 20);
	dw_job_free(job);
}

/* It comes while the others are watched: nothing is done to it before that is over. */
static void test_watch(void **state)
{
	struct counted counted[2];
	struct dw_job_spec spec;
	double joined;

	spec_of_test(&spec);
	spec.background = (struct dw_background){ .kind = DW_BACKGROUND_RESPONSE,
						  .response_ns = 10000000 };
	begin(&spec);
	assert_int_equal(run_job(0), 1);
	count(counted, &joined);
	assert_true(joined < 1);
	assert_true(counted[0].first >= WATCHED && counted[1].first >= WATCHED);
	assert_true(counted[1].first < WATCHED + 1);
	assert_float_equal(dw_job_result(job)->background.measured_before, 0.005, 1e-6);
	assert_float_equal((double)dw_job_result(job)->background.users, 1, 1);
	dw_job_free(job);
}

static int set_up(void **state)
{
	struct dw_error err = { 0 };
	FILE *f;
	int r;

	close(mkstemp(path));
	f = fopen(path, "we");
	if (!f || fputs(station_text, f) < 0 || fclose(f))
		return -1;
	r = dw_station_load(path, &station, &err);
	if (r < 0)
		print_message("%s\n", error_line(&err));
	return r;
}

static int tear_down(void **state)
{
	dw_station_free(station);
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace),  cmocka_unit_test(test_readers),
		cmocka_unit_test(test_share),  cmocka_unit_test(test_watch),
		cmocka_unit_test(test_hidden),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every function of job.h and engine.h in every state of a job: what it returns is what these say,
 * and whatever was called, the job can be freed. Simulated disks.
 */
#include "unit.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "engine/disk.h"
#include "engine/job.h"
#include "engine/resume.h"
#include "engine/virtual.h"
#include "forecast/simulate.h"
#include "error_line.h"

enum state { NEW, ADDED, FAILED, STARTED, STOPPED, FINISHED, STATES };

static const char *const state_name[STATES] = { "new",     "with a disk", "failed",
						"started", "stopped",     "finished" };

/* two small disks, the files of the test, and the job of the state in hand */
static struct dw_station *station;
static char folder[48], later[64], file[80];
static struct dw_job *job;
static struct dw_error err;

static void finish(void)
{
	int r = 1;

	for (int i = 0; i < 10000 && r == 1; i++)
		r = dw_job_step(job, 0);
	assert_int_equal(r, 0);
}

static void make(enum state s)
{
	struct dw_job_spec spec;

	dw_job_spec_init(&spec);
	spec.seed = 1;
	if (s == FAILED)
		snprintf(spec.state_file, sizeof(spec.state_file), "%s", file);
	assert_int_equal(dw_job_new(NULL, &spec, &job, &err), 0);
	if (s == NEW)
		return;
	assert_int_equal(dw_job_simulate(job, station, false, &err), 0);
	if (s == ADDED)
		return;
	assert_int_equal(dw_job_start(job, &err), s == FAILED ? -ENOENT : 0);
	if (s == FAILED)
		return;
	assert_int_equal(dw_job_step(job, 0), 1);
	if (s == STOPPED)
		dw_job_stop(job);
	if (s == FINISHED)
		finish();
}

static long given(char *text)
{
	long r = text && text[0];

	free(text);
	return r;
}

static struct dw_disk nowhere = { .info = { .sg = "/dev/sg-nowhere" } };
static struct dw_verdict verdict;

static long spec_init(void)
{
	struct dw_job_spec spec;

	dw_job_spec_init(&spec);
	return spec.flush_seconds > 0;
}

static long new (void)
{
	struct dw_job *other;
	struct dw_job_spec spec;
	int r;

	dw_job_spec_init(&spec);
	r = dw_job_new(NULL, &spec, &other, &err);
	dw_job_free(other);
	return r;
}

static long mirror_names(void)
{
	char mirror[DW_MIRROR_MAX] = "a";
	const struct dw_disk_info *info = &nowhere.info;

	return dw_mirror_names(mirror, &info, 1, &err);
}

static long set_free(void)
{
	dw_job_free(job);
	job = NULL;
	dw_job_free(NULL);
	return 0;
}

static long add(void)
{
	return dw_job_add(job, &nowhere, &verdict);
}

static long add_units(void)
{
	return dw_job_add_units(job, &nowhere, 1, &verdict);
}

static long expect(void)
{
	return dw_job_expect(job, 0, 1);
}

static long expect_other(void)
{
	return dw_job_expect(job, 2, 1);
}

static long limit(void)
{
	return dw_job_limit(job, 1);
}

static long group(void)
{
	return dw_job_group(job, 3);
}

static long paths(void)
{
	struct dw_paths_forecast f = { .devices = 1 };
	int r = dw_job_paths(job, &f);

	assert_int_equal(f.devices, 0);
	return r;
}

static long set_paths(void)
{
	return dw_job_set_paths(job, &(struct dw_paths_forecast){ .devices = 1 });
}

static long prove(void)
{
	return dw_job_prove(job);
}

static long refuse(void)
{
	return dw_job_refuse(job, &(struct dw_refused){ .device = "/dev/sg-nowhere",
							.verdict = verdict });
}

static long start(void)
{
	int r = dw_job_start(job, &err);

	assert_true(r ? is_whole_error(&err, r) : err.kind == DW_ERROR_NONE);
	return r;
}

static long start_again(void)
{
	start();
	return start();
}

static long step(void)
{
	return dw_job_step(job, 0);
}

static long seconds(void)
{
	return dw_job_seconds(job) > 0;
}

static long engine(void)
{
	struct dw_engine *e = dw_job_engine(job);

	dw_engine_wake(e);
	return dw_engine_fd(e) < 0 ? -1 : 0;
}

static unsigned discovered;

static void drop_list(void *ctx, const char *path, int r, struct dw_disk *disk, size_t n)
{
	assert_null(path);
	discovered += r == 0;
	free(disk);
}

static void found(void *ctx, const char *path, int r, struct dw_disk *disk, size_t n)
{
	assert_ptr_equal(ctx, &discovered);
	assert_string_equal(path, "/dev/null");
	assert_int_equal(r, 0);
	assert_int_equal(n, 1);
	assert_int_equal(disk->verdict.refusal, DW_REFUSAL_NOT_A_DISK);
	discovered++;
	free(disk);
}

/* what is looked for keeps an engine going without a job, and is not told once it is freed */
static long discover(void)
{
	struct dw_engine *e = dw_job_engine(job);

	discovered = 0;
	assert_int_equal(dw_engine_discover(e, "/dev/null", NULL, found, &discovered), 0);
	for (int i = 0; i < 1000 && !discovered; i++)
		assert_int_equal(dw_engine_step(e, 10) >= 0, 1);
	assert_int_equal(discovered, 1);
	assert_int_equal(dw_engine_new(&e), 0);
	for (int i = 0; i < 3; i++)
		dw_engine_discover(e, i == 1 ? NULL : "/dev/null", NULL,
				   i == 1 ? drop_list : found, &discovered);
	while (dw_engine_step(e, -1) == 1)
		;
	assert_int_equal(discovered, 4);
	dw_engine_discover(e, "/dev/null", NULL, found, &discovered);
	dw_engine_free(e);
	assert_int_equal(discovered, 4);
	return 0;
}

static long engine_new(void)
{
	struct dw_engine *e = NULL;
	int r = dw_engine_new(&e);

	assert_int_equal(dw_engine_step(e, -1), 0);
	dw_engine_free(e);
	dw_engine_free(NULL);
	return r;
}

static long engine_step(void)
{
	return dw_engine_step(dw_job_engine(job), 0);
}

static long next_event(void)
{
	struct dw_event e;
	int n = 0;

	while (dw_job_next_event(job, &e))
		n++;
	return n > 0;
}

static long progress(void)
{
	struct dw_progress p;
	int r = dw_job_progress(job, 1, &p);

	return r ? r : (long)p.phase;
}

static long progress_other(void)
{
	struct dw_progress p = { .pass = 1 };
	int r = dw_job_progress(job, 2, &p);

	assert_int_equal(p.pass, 0);
	return r;
}

static long task_add(void)
{
	return dw_task_add(job, &nowhere);
}

static long task_pause(void)
{
	return dw_task_pause(job, 0);
}

static long task_resume(void)
{
	return dw_task_resume(job, 99); /* there is none */
}

static long task_priority(void)
{
	return dw_task_priority(job, 1, -1);
}

static long held_without_disks(void)
{
	dw_job_hold(job, true);
	if (start())
		return -1;
	assert_int_equal(dw_job_step(job, 0), 1);
	dw_job_hold(job, false);
	assert_int_equal(dw_job_step(job, 0), 0);
	return (long)dw_job_result(job)->n_disks;
}

static long task_cancel(void)
{
	return dw_task_cancel(job, 0);
}

/* one of two disks is let be */
static long cancel_and_end(void)
{
	const struct dw_job_result *r;

	dw_task_pause(job, 0);
	if (dw_task_cancel(job, 0) < 0)
		return -1;
	finish();
	r = dw_job_result(job);
	assert_int_equal(r->disk[1].outcome, DW_OUTCOME_ERASED);
	return (long)r->disk[0].outcome;
}

/* it holds, and goes on; both are told */
static long pause_and_resume(void)
{
	struct dw_event e;
	int told = 0, r;

	if (dw_task_pause(job, 1) < 0)
		return -1;
	for (int i = 0; i < 10000 && told < 2; i++) {
		r = dw_job_step(job, 0);
		assert_int_equal(r, 1);
		while (dw_job_next_event(job, &e)) {
			if (e.kind == DW_EVENT_PAUSED) {
				told++;
				assert_int_equal(e.progress.phase, DW_PHASE_PAUSED);
				assert_int_equal(dw_task_resume(job, 1), 0);
			}
			told += e.kind == DW_EVENT_RESUMED;
		}
	}
	assert_int_equal(told, 2);
	finish();
	return (long)dw_job_result(job)->outcome;
}

static long hold(void)
{
	dw_job_hold(job, true);
	return 0;
}

static long stop(void)
{
	dw_job_stop(job);
	return 0;
}

static long end(void (*how)(struct dw_job *job))
{
	how(job);
	if (dw_job_start(job, &err) < 0 && !dw_job_seconds(job))
		return -1;
	finish();
	return (long)dw_job_result(job)->outcome;
}

static long stop_and_end(void)
{
	return end(dw_job_stop);
}

static long abort_and_end(void)
{
	return end(dw_job_abort);
}

static long result(void)
{
	return (long)dw_job_result(job)->n_disks;
}

static long schedule(void)
{
	return given(dw_job_schedule(job));
}

static long result_json(void)
{
	return given(dw_job_result_json(dw_job_result(job)));
}

static long report_json(void)
{
	return given(dw_job_report_json(dw_job_result(job), NULL, "no", true)) &&
	       given(dw_job_report_json(NULL, "refused", NULL, false));
}

static long begin_json(void)
{
	return given(dw_job_begin_json(dw_job_result(job)));
}

static long event_json(void)
{
	struct dw_event e = { .kind = DW_EVENT_NOTICE, .disk = DW_EVENT_OF_JOB };

	return given(dw_event_json(&e, dw_job_result(job)));
}

static long disks_json(void)
{
	return given(dw_disks_json(&nowhere, 1));
}

static long inspected_json(void)
{
	return given(dw_inspected_json(&(struct dw_inspect_report){ 0 }));
}

static long names(void)
{
	return dw_outcome_name(DW_OUTCOME_NONE, false) && dw_verified_name(0) &&
	       dw_exception_name(0) && dw_phase_name(0) && dw_strategy_names()[0] &&
	       dw_controller_names()[0];
}

static long verified_text(void)
{
	char buf[128];
	struct dw_disk_result none = { 0 };
	const struct dw_job_result *r = dw_job_result(job);

	return dw_verified_text(r->n_disks ? r->disk : &none, buf, sizeof(buf)) == buf;
}

static long exit_code(void)
{
	return dw_job_exit_code(dw_job_result(job)) >= 0;
}

static long method_info(void)
{
	struct dw_method_info info;

	return dw_method_info_get(0, &info) && !dw_method_info_get(1000, &info);
}

/* a disk of which nothing is known is overwritten, and not purged */
static long ways(void)
{
	struct dw_job_spec s;
	struct dw_ways w;
	struct dw_verdict v;

	dw_job_spec_init(&s);
	if (dw_disk_ways(&nowhere.info, &s, &w, &v) || strcmp(w.method, "zero") != 0 ||
	    w.n != 1 || w.level != DW_LEVEL_CLEAR || w.reason[0])
		return 0;
	s.level = DW_LEVEL_PURGE;
	return dw_disk_ways(&nowhere.info, &s, &w, &v) == 1 &&
	       v.refusal == DW_REFUSAL_PURGE && !w.method[0] && w.reason[0];
}

#define SKIP LONG_MIN /* not called in that state */

/* a name may cover several functions; what each state answers */
static const struct call {
	const char *name;
	long (*call)(void);
	long answer[STATES];
} calls[] = {
#define ALWAYS(x)                                                                        \
	{                                                                                \
		x, x, x, x, x, x                                                         \
	}
#define BEFORE(x, y)                                                                     \
	{                                                                                \
		x, x, x, y, y, y                                                         \
	}
	{ "dw_job_spec_init", spec_init, ALWAYS(1) },
	{ "dw_job_new", new, ALWAYS(0) },
	{ "dw_disk_ways", ways, ALWAYS(1) },
	{ "dw_mirror_names", mirror_names, ALWAYS(-EINVAL) },
	{ "dw_job_free", set_free, ALWAYS(0) },
	{ "dw_job_add", add, { 1, -EBUSY, -EBUSY, -EBUSY, -EBUSY, -EBUSY } },
	{ "dw_job_add_units", add_units, { 0, -EBUSY, -EBUSY, -EBUSY, -EBUSY, -EBUSY } },
	{ "dw_job_expect", expect, { -EINVAL, 0, 0, -EBUSY, -EBUSY, -EBUSY } },
	{ "dw_job_expect",
	  expect_other,
	  { -EINVAL, -EINVAL, -EINVAL, -EBUSY, -EBUSY, -EBUSY } },
	{ "dw_job_limit", limit, BEFORE(0, -EBUSY) },
	{ "dw_job_group", group, BEFORE(0, -EBUSY) },
	{ "dw_job_paths", paths, { 0, 0, -EBUSY, -EBUSY, -EBUSY, -EBUSY } },
	{ "dw_job_set_paths", set_paths, { 0, 0, -EBUSY, -EBUSY, -EBUSY, -EBUSY } },
	{ "dw_job_prove", prove, BEFORE(0, -EBUSY) },
	{ "dw_job_refuse", refuse, ALWAYS(0) },
	{ "dw_job_start",
	  start,
	  { -EINVAL, 0, -ENOENT, -EALREADY, -EALREADY, -EALREADY } },
	{ "dw_job_start",
	  start_again,
	  { -EINVAL, -EALREADY, -ENOENT, -EALREADY, -EALREADY, -EALREADY } },
	{ "dw_job_step", step, { -EINVAL, -EINVAL, -EINVAL, 1, 0, 0 } },
	{ "dw_job_seconds", seconds, BEFORE(0, 1) },
	{ "dw_job_engine dw_engine_wake dw_engine_fd", engine, ALWAYS(0) },
	{ "dw_engine_new dw_engine_free", engine_new, ALWAYS(0) },
	{ "dw_engine_discover", discover, ALWAYS(0) },
	{ "dw_engine_step", engine_step, { 0, 0, 0, 1, 0, 0 } },
	{ "dw_job_next_event", next_event, BEFORE(0, 1) },
	{ "dw_job_progress",
	  progress,
	  { -EINVAL, DW_PHASE_WAITING, DW_PHASE_WAITING, DW_PHASE_WRITE, DW_PHASE_WRITE,
	    DW_PHASE_DONE } },
	{ "dw_job_progress", progress_other, ALWAYS(-EINVAL) },
	{ "dw_task_add", task_add, { -EINVAL, -EBUSY, -EBUSY, -EBUSY, -EBUSY, -EBUSY } },
	{ "dw_task_pause", task_pause, { -EINVAL, -EINVAL, -EINVAL, 0, 0, -ESHUTDOWN } },
	{ "dw_task_pause",
	  pause_and_resume,
	  { -1, -1, -1, DW_OUTCOME_ERASED, SKIP, -1 } },
	{ "dw_task_resume",
	  task_resume,
	  { -EINVAL, -EINVAL, -EINVAL, 0, 0, -ESHUTDOWN } },
	{ "dw_task_priority",
	  task_priority,
	  { -EINVAL, -EINVAL, -EINVAL, 0, 0, -ESHUTDOWN } },
	{ "dw_job_hold", held_without_disks, { 0, SKIP, SKIP, SKIP, SKIP, SKIP } },
	{ "dw_task_cancel",
	  task_cancel,
	  { -EINVAL, -EINVAL, -EINVAL, 0, 0, -ESHUTDOWN } },
	{ "dw_task_cancel",
	  cancel_and_end,
	  { -1, -1, -1, DW_OUTCOME_STOPPED, SKIP, -1 } },
	{ "dw_job_hold", hold, ALWAYS(0) },
	{ "dw_job_stop", stop, ALWAYS(0) },
	{ "dw_job_stop",
	  stop_and_end,
	  { -1, DW_OUTCOME_STOPPED, -1, DW_OUTCOME_STOPPED, DW_OUTCOME_STOPPED,
	    DW_OUTCOME_ERASED } },
	{ "dw_job_abort",
	  abort_and_end,
	  { -1, DW_OUTCOME_STOPPED, -1, DW_OUTCOME_STOPPED, DW_OUTCOME_STOPPED,
	    DW_OUTCOME_ERASED } },
	{ "dw_job_result", result, { 0, 2, 2, 2, 2, 2 } },
	{ "dw_job_schedule", schedule, ALWAYS(0) },
	{ "dw_job_result_json", result_json, ALWAYS(1) },
	{ "dw_job_report_json", report_json, ALWAYS(1) },
	{ "dw_event_json", event_json, ALWAYS(1) },
	{ "dw_job_begin_json", begin_json, ALWAYS(1) },
	{ "dw_disks_json", disks_json, ALWAYS(1) },
	{ "dw_inspected_json", inspected_json, ALWAYS(1) },
	{ "dw_outcome_name dw_verified_name dw_exception_name dw_phase_name "
	  "dw_strategy_names dw_controller_names",
	  names, ALWAYS(1) },
	{ "dw_verified_text", verified_text, ALWAYS(1) },
	{ "dw_job_exit_code", exit_code, ALWAYS(1) },
	{ "dw_method_info_get", method_info, ALWAYS(1) },
};

static void test_every_call(void **state)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		for (enum state s = NEW; s < STATES; s++) {
			long r;

			if (calls[i].answer[s] == SKIP)
				continue;
			make(s);
			r = calls[i].call();
			if (r != calls[i].answer[s])
				fail_msg("%s, job %s: %ld, not %ld", calls[i].name,
					 state_name[s], r, calls[i].answer[s]);
			dw_job_free(job);
		}
	}
}

static void all_are_called(const char *header)
{
	char path[512], line[512], name[64];
	bool found;
	FILE *f;

	snprintf(path, sizeof(path), "%s/../../include/diskwipe/%s",
		 getenv("DW_TEST_DATA"), header);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *at = strstr(line, "dw_"), *open = strchr(line, '(');

		if (strncmp(line, "DW_PUBLIC ", 10) != 0 || !at || !open)
			continue;
		while (open > at && open[-1] != ' ' && open[-1] != '*')
			open--;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(open, "("), open);
		found = false;
		for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
			found |= strstr(calls[i].name, name) != NULL;
		if (!found)
			fail_msg("%s() is in %s, and is not called here", name, header);
	}
	fclose(f);
}

/* a function that these get has to be called above */
static void test_every_function(void **state)
{
	all_are_called("job.h");
	all_are_called("engine.h");
}

/* what was wrong is repaired: the same job starts, and erases all */
static void test_repeated_start(void **state)
{
	struct dw_virtual_disk disk = { .unit = 1, .pass_ns = 1 };

	make(FAILED);
	assert_int_equal(dw_job_add_virtual(job, &disk, &verdict), -EBUSY);
	assert_int_equal(dw_job_start(job, &err), -ENOENT);
	assert_int_equal(mkdir(later, 0700), 0);
	assert_int_equal(dw_job_start(job, &err), 0);
	finish();
	assert_int_equal(dw_job_result(job)->n_disks, 2);
	assert_int_equal(dw_job_result(job)->outcome, DW_OUTCOME_ERASED);
	dw_job_free(job);
	unlink(file);
	rmdir(later);
}

/* a stop of a job whose start failed is kept to when it starts after all */
static void test_stop_of_failed(void **state)
{
	make(FAILED);
	dw_job_stop(job);
	assert_int_equal(mkdir(later, 0700), 0);
	assert_int_equal(dw_job_start(job, &err), 0);
	finish();
	assert_int_equal(dw_job_result(job)->outcome, DW_OUTCOME_STOPPED);
	assert_int_equal(dw_job_result(job)->disk[0].bytes_written, 0);
	dw_job_free(job);
	unlink(file);
	rmdir(later);
}

/* a disk that is added when others are proven is proven as well: this one cannot be */
static void test_proof_of_later(void **state)
{
	struct sim_world *world;
	struct job_disk *d;

	make(NEW);
	assert_int_equal(sim_job_begin(job, station, false, &world), 0);
	assert_int_equal(sim_job_add_unit(job, station, 0), 0);
	assert_int_equal(dw_job_prove(job), 0);
	assert_int_equal(sim_job_add_unit(job, station, 1), 0);
	d = job->disk[1];
	d->cache.off = true;
	d->device = calloc(1, sizeof(*d->device));
	assert_non_null(d->device);
	d->device->sg_fd = d->device->blk_fd = d->device->map_fd = -1;
	assert_int_equal(dw_job_prove(job), 1);
	assert_int_equal(dw_job_prove(job), 0);
	assert_int_equal(dw_job_result(job)->n_refused, 1);
	dw_job_free(job);
}

static int set_up(void **state)
{
	static const char text[] =
		"[disk a]\ncount = 2\ncapacity = 640MB\nouter = 100MB/s\n";
	FILE *f;

	if (!mkdtemp(scratch_name(folder, sizeof(folder), "states")))
		return -1;
	snprintf(later, sizeof(later), "%s/later", folder);
	snprintf(file, sizeof(file), "%s/station", folder);
	f = fopen(file, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		return -1;
	if (dw_station_load(file, &station, &err) < 0) {
		print_message("%s\n", error_line(&err));
		return -1;
	}
	unlink(file);
	snprintf(file, sizeof(file), "%s/state", later);
	return 0;
}

/* What others' errors have made doubtful, and what is being written again: the lower of both; a
 * doubt about an earlier pass is below all of this one. */
static void test_what_is_sure(void **state)
{
	struct dw_disk_state st = { .pass = 1, .mark = 700, .elsewhere.lba = 500 };
	uint32_t pass;

	assert_int_equal(700, job_sure(&st, &pass));
	assert_int_equal(1, pass);
	st.elsewhere.unsure = true;
	assert_int_equal(500, job_sure(&st, &pass));
	assert_int_equal(0, pass);
	st.mark = 300;
	assert_int_equal(500, job_sure(&st, &pass));
	st.elsewhere.pass = 1;
	assert_int_equal(300, job_sure(&st, &pass));
	assert_int_equal(1, pass);
}

static int tear_down(void **state)
{
	dw_station_free(station);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_call),
		cmocka_unit_test(test_every_function),
		cmocka_unit_test(test_repeated_start),
		cmocka_unit_test(test_stop_of_failed),
		cmocka_unit_test(test_proof_of_later),
		cmocka_unit_test(test_what_is_sure),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

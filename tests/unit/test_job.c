/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job refuses before it has seen a disk: one line that says what to do instead. */
#include <unistd.h>

#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/plan.h"
#include "engine/resume.h"
#include "error_line.h"

static void refused(const struct dw_job_spec *spec, const char *says)
{
	struct dw_job *job = NULL;
	struct dw_error err = { 0 };

	assert_int_equal(dw_job_new(NULL, spec, &job, &err), -EINVAL);
	assert_null(job);
	if (!strstr(error_line(&err), says))
		fail_msg("'%s' does not say '%s'", error_line(&err), says);
	assert_null(strchr(error_line(&err), '\n'));
}

static void test_defaults(void **state)
{
	struct dw_job_spec spec;
	struct dw_job *job;
	struct dw_error err = { 0 };

	dw_job_spec_init(&spec);
	assert_int_equal(dw_job_new(NULL, &spec, &job, &err), 0);
	assert_string_equal(error_line(&err), "");
	assert_int_equal(dw_job_start(job, &err), -EINVAL); /* no disk */
	dw_job_free(job);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *strategy, *controller, *method, *pattern, *says;
		uint32_t depth;
		double percent;
	} rows[] = {
		{ "parallels", "fixed", "zero", "", "parallels", 1, 1 },
		{ "parallel", "fixt", "zero", "", "fixt", 1, 1 },
		{ "parallel", "fixed", "zeros", "", "zeros", 1, 1 },
		{ "parallel", "fixed", "zero", "00,zz", "00,zz", 1, 1 },
		{ "parallel", "fixed", "zero", "", "depth", 33, 1 },
		{ "parallel", "fixed", "zero", "", "verify_percent", 1, 0 },
		{ "parallel", "fixed", "zero", "", "verify_percent", 1, 100.5 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dw_job_spec spec;

		dw_job_spec_init(&spec);
		snprintf(spec.strategy, sizeof(spec.strategy), "%s", rows[i].strategy);
		snprintf(spec.controller, sizeof(spec.controller), "%s",
			 rows[i].controller);
		snprintf(spec.method, sizeof(spec.method), "%s", rows[i].method);
		snprintf(spec.pattern, sizeof(spec.pattern), "%s", rows[i].pattern);
		spec.depth = rows[i].depth;
		spec.verify_percent = rows[i].percent;
		refused(&spec, rows[i].says);
	}
}

/* what could not be resumed or verified later is refused now */
static void test_keys(void **state)
{
	struct dw_job_spec spec;

	dw_job_spec_init(&spec);
	snprintf(spec.method, sizeof(spec.method), "random");
	snprintf(spec.state_file, sizeof(spec.state_file), "state");
	refused(&spec, "key_file: missing");
	spec.state_file[0] = 0;
	spec.verify_only = true;
	refused(&spec, "key_file: missing");
	snprintf(spec.key_file, sizeof(spec.key_file), "/nonexistent/key");
	refused(&spec, "/nonexistent/key");
	spec.verify_only = false;
	snprintf(spec.resume_file, sizeof(spec.resume_file), "/nonexistent/state");
	{
		struct dw_job *job = NULL;
		struct dw_error err = { 0 };

		assert_int_equal(dw_job_new(NULL, &spec, &job, &err), -ENOENT);
		assert_non_null(strstr(error_line(&err), "No such file"));
	}
}

static void state_of_disk(const char *path, const struct dw_key *key)
{
	struct dw_state_entry e = { .disk = { .serial = "S1",
					      .wwn = "0x5000",
					      .capacity_bytes = 1000 * 512,
					      .block_size = 512 },
				    .lba = 10 };
	struct dw_state_doc doc = { .n = 1, .entry = &e };

	dw_job_spec_init(&doc.spec);
	snprintf(doc.spec.method, sizeof(doc.spec.method), "random");
	dw_key_check(key, doc.key_check);
	assert_int_equal(0, dw_state_write(path, &doc));
}

static void find_disks(const struct dw_job *job)
{
	struct dw_disk_info same = {
		.blocks = 1000, .block_size = 512, .serial = "S1", .wwn = "0x5000"
	};
	struct dw_disk_info other = same;

	assert_non_null(job_resume_find(job, &same));
	other.blocks = 999;
	assert_null(job_resume_find(job, &other));
	other = same;
	other.blocks = 125;
	other.block_size = 4096;
	assert_null(job_resume_find(job, &other));
	other = same;
	strcpy(other.serial, "S2");
	assert_null(job_resume_find(job, &other));
	other = same;
	strcpy(other.wwn, "0x5001");
	assert_null(job_resume_find(job, &other));
}

/* a job goes on with its own key and method, and with the disks that it had */
static void test_resume(void **state)
{
	struct dw_error err = { 0 };
	char folder[] = "/tmp/dw-job.XXXXXX", file[3][64];
	struct dw_job_spec spec;
	struct dw_key key[2];
	struct dw_job *job;

	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < 3; i++)
		snprintf(file[i], sizeof(file[i]), "%s/%d", folder, i);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(0, dw_key_new(&key[i]));
		assert_int_equal(0, dw_key_store(file[i], &key[i]));
	}
	state_of_disk(file[2], &key[0]);
	dw_job_spec_init(&spec);
	snprintf(spec.method, sizeof(spec.method), "random");
	snprintf(spec.resume_file, sizeof(spec.resume_file), "%s", file[2]);
	snprintf(spec.key_file, sizeof(spec.key_file), "%s", file[1]);
	refused(&spec, "not the key");
	snprintf(spec.key_file, sizeof(spec.key_file), "%s", file[0]);
	assert_int_equal(0, dw_job_new(NULL, &spec, &job, &err));
	find_disks(job);
	dw_job_free(job);
	snprintf(spec.method, sizeof(spec.method), "zero");
	refused(&spec, "method");
	for (int i = 0; i < 3; i++)
		unlink(file[i]);
	rmdir(folder);
}

/* a disk that can be swapped unseen has one command at a time unless more are asked for */
static void test_depth(void **state)
{
	static const struct {
		const char *controller, *transport;
		bool removable;
		uint32_t asked, depth, data_depth;
	} rows[] = {
		{ "adaptive", "sas", false, 0, DW_DEPTH_AUTO, 2 },
		{ "adaptive", "", false, 0, DW_DEPTH_AUTO, 2 },
		{ "adaptive", "sas", true, 0, 1, 1 },
		{ "adaptive", "usb", false, 0, 1, 1 },
		{ "adaptive", "spi", false, 0, 1, 1 },
		{ "adaptive", "sas", false, 4, 4, 4 },
		{ "adaptive", "usb", true, 4, 4, 4 },
		{ "fixed", "sas", false, 0, 1, 1 },
		{ "fixed", "usb", true, 4, 4, 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job_disk d = { .info.removable = rows[i].removable };
		struct dw_job_spec spec;
		struct dw_verdict v;
		struct dw_job *job;
		struct dw_error err = { 0 };

		d.caps =
			(struct dw_caps){ .blocks = 10, .block_size = 512, .scsi = true };
		snprintf(d.info.transport, sizeof(d.info.transport), "%s",
			 rows[i].transport);
		dw_job_spec_init(&spec);
		snprintf(spec.controller, sizeof(spec.controller), "%s",
			 rows[i].controller);
		spec.depth = rows[i].asked;
		assert_int_equal(dw_job_new(NULL, &spec, &job, &err), 0);
		d.job = job;
		assert_int_equal(job_plan_disk(job, &d, &v), 0);
		assert_int_equal(d.plan.depth, rows[i].depth);
		assert_int_equal(d.plan.data_depth, rows[i].data_depth);
		dw_job_free(job);
	}
}

/* A sample of a small disk is a reading in full, of a middling one it is raised, and of a large one
 * it is as was asked for; what is not read stays so. */
static void samples_prove(void **state)
{
	static const struct {
		enum dw_verify_kind asked;
		double percent;
		uint64_t gib;
		enum dw_verify_kind verify;
		double least, most;
		bool raised;
	} rows[] = {
		{ DW_VERIFY_DEFAULT, 1, 1, DW_VERIFY_FULL, 100, 100, true },
		{ DW_VERIFY_SAMPLE, 40, 1, DW_VERIFY_FULL, 100, 100, true },
		{ DW_VERIFY_SAMPLE, 100, 1000, DW_VERIFY_FULL, 100, 100, true },
		{ DW_VERIFY_DEFAULT, 1, 100, DW_VERIFY_SAMPLE, 4.4, 4.8, false },
		{ DW_VERIFY_SAMPLE, 5, 100, DW_VERIFY_SAMPLE, 5, 5, false },
		{ DW_VERIFY_DEFAULT, 1, 1000, DW_VERIFY_SAMPLE, 1, 1, false },
		{ DW_VERIFY_FULL, 1, 1, DW_VERIFY_FULL, 100, 100, false },
		{ DW_VERIFY_OFF, 1, 1, DW_VERIFY_OFF, 100, 100, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job_disk d = { 0 };
		struct dw_job_spec spec;
		struct dw_verdict v;
		struct dw_error err = { 0 };

		d.caps = (struct dw_caps){ .blocks = rows[i].gib << 21,
					   .block_size = 512,
					   .scsi = true };
		dw_job_spec_init(&spec);
		spec.verify = rows[i].asked;
		spec.verify_percent = rows[i].percent;
		assert_int_equal(dw_job_new(NULL, &spec, &d.job, &err), 0);
		assert_int_equal(job_plan_disk(d.job, &d, &v), 0);
		assert_int_equal(d.plan.pass[0].verify, rows[i].verify);
		assert_true(d.plan.percent >= rows[i].least &&
			    d.plan.percent <= rows[i].most);
		assert_int_equal(d.choice.raised, rows[i].raised);
		assert_true(job_percent_asked(&d) == rows[i].percent);
		dw_job_free(d.job);
	}
}

static unsigned count_events(struct dw_job *job, const char *says)
{
	struct dw_event e;
	unsigned n = 0;

	while (dw_job_next_event(job, &e)) {
		assert_int_equal(e.kind, DW_EVENT_NOTICE);
		assert_int_equal(e.disk, DW_EVENT_OF_JOB);
		assert_non_null(strstr(e.text, says));
		n++;
	}
	return n;
}

static void keep_state(struct dw_job *job)
{
	int n = 0;

	assert_int_equal(job_state_keep(job), 0);
	while (job->state.under_way) {
		dw_loop_wait(job->engine->loop, -1);
		assert_int_equal(dw_loop_collect(job->engine->loop, &n), 0);
	}
}

/* a state that cannot be written is told once, kept as it was, and ends nothing */
static void test_state_lost(void **state)
{
	char folder[] = "/tmp/test_job.XXXXXX", moved[40];
	struct dw_job_spec spec;
	struct dw_job *job;
	struct dw_error err = { 0 };

	assert_non_null(mkdtemp(folder));
	snprintf(moved, sizeof(moved), "%s.moved", folder);
	dw_job_spec_init(&spec);
	snprintf(spec.state_file, sizeof(spec.state_file), "%s/state", folder);
	assert_int_equal(dw_job_new(NULL, &spec, &job, &err), 0);
	keep_state(job);
	assert_int_equal(count_events(job, ""), 0);
	assert_int_equal(rename(folder, moved), 0);
	for (int i = 0; i < 2; i++) {
		keep_state(job);
		assert_int_equal(job->result.state_error, -ENOENT);
		assert_int_equal(count_events(job, "No such file or directory; the job "
						   "goes on"),
				 i ? 0 : 1);
	}
	assert_int_equal(rename(moved, folder), 0);
	keep_state(job);
	assert_int_equal(job->result.state_error, 0);
	assert_int_equal(count_events(job, "written again"), 1);
	dw_job_free(job);
	assert_int_equal(unlink(spec.state_file), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_prove),   cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_refusals),   cmocka_unit_test(test_keys),
		cmocka_unit_test(test_resume),     cmocka_unit_test(test_depth),
		cmocka_unit_test(test_state_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What waits for a reader who sleeps, and what waits for a state file that hangs. */
#include "unit.h"

#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/resume.h"
#include "engine/start.h"

#define DISKS   1000
#define REMARKS 64

static struct dw_job *job;

static void add(uint32_t disk, enum dw_event_kind kind, uint64_t lba)
{
	struct dw_event e = { .kind = kind, .disk = disk, .progress.lba = lba };

	assert_int_equal(0, job_news_add(job, &e));
}

static unsigned count(void)
{
	unsigned n = 0;

	for (const struct news_item *i = job->news.first; i; i = i->next)
		n++;
	return n;
}

static void make_disks(uint32_t n)
{
	struct job_disk *all = calloc(n, sizeof(*all));

	job->disk = calloc(n, sizeof(struct job_disk *));
	assert_true(all && job->disk);
	for (uint32_t i = 0; i < n; i++)
		job->disk[i] = &all[i];
	job->n_disks = n;
}

static void lose_disks(void)
{
	free(job->disk[0]);
	free(job->disk);
	job->disk = NULL;
	job->n_disks = 0;
}

/* nobody looks for a long while: what waits is bounded, and nothing of weight is lost */
static void sleeping_reader(void **state)
{
	unsigned progress = 0, remarks = 0, done = 0, told = 0;
	struct dw_event e;

	make_disks(DISKS);
	for (uint32_t i = 0; i < DISKS; i++)
		add(i, DW_EVENT_STARTED, 0);
	for (uint64_t t = 1; t <= 300; t++) {
		for (uint32_t i = 0; i < DISKS; i++) {
			add(i, DW_EVENT_PROGRESS, t);
			add(i, DW_EVENT_FLUSHED, t);
			add(i, t & 1 ? DW_EVENT_NOTICE : DW_EVENT_EXCEPTION, t);
		}
		add(DW_EVENT_OF_JOB, DW_EVENT_NOTICE, t);
	}
	for (uint32_t i = 0; i < DISKS; i++)
		add(i, DW_EVENT_DISK_DONE, 0);
	assert_int_equal(DISKS * (1 + 2 + REMARKS + 1) + REMARKS, count());
	while (dw_job_next_event(job, &e)) {
		if (e.kind == DW_EVENT_PROGRESS || e.kind == DW_EVENT_FLUSHED)
			assert_int_equal(300, e.progress.lba);
		progress += e.kind == DW_EVENT_PROGRESS;
		done += e.kind == DW_EVENT_DISK_DONE;
		if (!strncmp(e.text, "236 more", 8))
			told++;
		else
			remarks +=
				e.kind == DW_EVENT_NOTICE || e.kind == DW_EVENT_EXCEPTION;
	}
	assert_int_equal(DISKS, progress);
	assert_int_equal(DISKS, done);
	assert_int_equal(DISKS + 1, told);
	assert_int_equal((DISKS + 1) * REMARKS, remarks);
	assert_int_equal(0, count());
	lose_disks();
}

/* the newest comes in its own place */
static void order(void **state)
{
	static const enum dw_event_kind want[] = { DW_EVENT_STARTED, DW_EVENT_PASS,
						   DW_EVENT_PROGRESS };
	struct dw_event e;

	make_disks(1);
	add(0, DW_EVENT_STARTED, 0);
	add(0, DW_EVENT_PROGRESS, 1);
	add(0, DW_EVENT_PASS, 0);
	add(0, DW_EVENT_PROGRESS, 2);
	for (int i = 0; i < 3; i++) {
		assert_true(dw_job_next_event(job, &e));
		assert_int_equal(want[i], e.kind);
	}
	assert_int_equal(2, e.progress.lba);
	add(0, DW_EVENT_PROGRESS, 3);
	assert_true(dw_job_next_event(job, &e));
	assert_int_equal(3, e.progress.lba);
	assert_false(dw_job_next_event(job, &e));
	lose_disks();
}

/* the state file: each write waits at the gate, and then ends so */
static int gate[2];
static unsigned writes;
static _Atomic int end_as;

int __wrap_dw_state_write(const char *path, const struct dw_state_doc *doc);

int __wrap_dw_state_write(const char *path, const struct dw_state_doc *doc)
{
	char c;

	writes++;
	assert_int_equal(1, doc->n);
	assert_int_equal(1, read(gate[0], &c, 1));
	return end_as;
}

static void add_disk(void)
{
	struct job_disk *d = calloc(1, sizeof(*d));
	struct dw_verdict v;

	assert_non_null(d);
	d->caps = (struct dw_caps){
		.blocks = 1000, .block_size = 512, .scsi = true, .cache.sync16 = true
	};
	d->job = job;
	assert_int_equal(0, job_take_disk(job, d, &v));
	assert_int_equal(0, job_enter(d));
}

static void flush(uint64_t lba)
{
	struct job_disk *d = job->disk[0];

	d->kept.flushed =
		(struct dw_event){ .kind = DW_EVENT_FLUSHED, .progress.lba = lba };
	d->kept.is_flushed = true;
	assert_int_equal(0, job_state_keep(job));
}

static void end_write(int error)
{
	int n = 0;

	end_as = error;
	assert_int_equal(1, write(gate[1], "", 1));
	while (!n) {
		dw_loop_wait(job->engine->loop, -1);
		assert_int_equal(0, dw_loop_collect(job->engine->loop, &n));
	}
}

/* the next events are the marks up to @lba, and remarks; how many remarks */
static unsigned marks(uint64_t lba)
{
	struct dw_event e;
	uint64_t got = 0;
	unsigned n = 0;

	while (dw_job_next_event(job, &e)) {
		if (e.kind == DW_EVENT_FLUSHED)
			got = e.progress.lba;
		else
			n++;
	}
	assert_int_equal(lba, got);
	return n;
}

static void file_that_hangs(void **state)
{
	writes = 0;
	add_disk();
	flush(1);
	for (uint64_t lba = 2; lba < 100; lba++)
		flush(lba); /* none of them waits */
	assert_int_equal(0, marks(0));
	assert_int_equal(0, job_state_look(job, job->state.late_ns - 1));
	assert_int_equal(0, marks(0));
	assert_int_equal(0, job_state_look(job, job->state.late_ns));
	assert_int_equal(1, marks(0));
	assert_int_equal(0, job_state_look(job, UINT64_MAX - 1));
	assert_int_equal(0, marks(0));
	end_write(0);
	assert_int_equal(0, marks(1));
	assert_true(job->state.under_way); /* the latest alone */
	end_write(0);
	assert_int_equal(0, marks(99));
	assert_false(job->state.under_way);
	assert_int_equal(2, writes);
}

/* what is not in the file is not told, until it is */
static void file_that_fails(void **state)
{
	add_disk();
	flush(1);
	end_write(-ENOSPC);
	assert_int_equal(1, marks(0));
	assert_int_equal(-ENOSPC, job->result.state_error);
	flush(2);
	end_write(-ENOSPC);
	assert_int_equal(0, marks(0));
	assert_int_equal(0, job_state_keep(job));
	end_write(0);
	assert_int_equal(1, marks(2));
	assert_int_equal(0, job->result.state_error);
}

static int set_up(void **state)
{
	struct dw_job_spec spec;
	struct dw_error err = { 0 };

	dw_job_spec_init(&spec);
	snprintf(spec.state_file, sizeof(spec.state_file), "state");
	return pipe(gate) < 0 ? -1 : dw_job_new(NULL, &spec, &job, &err);
}

static int tear_down(void **state)
{
	close(gate[1]); /* a write that still waits ends */
	dw_job_free(job);
	close(gate[0]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sleeping_reader, set_up, tear_down),
		cmocka_unit_test_setup_teardown(order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(file_that_hangs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(file_that_fails, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

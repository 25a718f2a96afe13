/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record of the service: what was acknowledged is there after a new opening, what has ended is
 * not changed, a damaged file is kept aside, and two services do not share one.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/store.h"

static char dir[48];
static char path[64];
static const struct store_caller me = {
	.uid = 7, .pid = 8, .loginuid = 9, .comm = "test"
};

static struct store *open_it(void)
{
	char note[STORE_NOTE];
	struct store *s = NULL;

	if (store_open(path, &s, note) < 0)
		fail_msg("%s", note);
	assert_string_equal(note, "");
	return s;
}

static int set_up(void **state)
{
	assert_non_null(mkdtemp(scratch_name(dir, sizeof(dir), "store")));
	snprintf(path, sizeof(path), "%s/station.db", dir);
	return 0;
}

static int tear_down(void **state)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command); /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
}

static struct dw_disk_info disk_number(unsigned n)
{
	struct dw_disk_info i = { .blocks = 1000 + n, .block_size = 512 };

	snprintf(i.serial, sizeof(i.serial), "S%u", n);
	snprintf(i.model, sizeof(i.model), "MODEL");
	return i;
}

static int64_t know(struct store *s, unsigned n, bool used, bool *ret_used)
{
	struct dw_disk_info i = disk_number(n);
	int64_t row = 0;

	assert_int_equal(store_disk(s, &i, "1", used, 100 + n, &row, ret_used), 0);
	return row;
}

static void submit(struct store *s, const char *id, unsigned n, struct store_attempt *a)
{
	struct store_job job = { .submitted = 1000, .uid = 7, .priority = 3 };
	bool used;

	snprintf(job.id, sizeof(job.id), "%s", id);
	snprintf(job.options, sizeof(job.options), "method=zero\n");
	*a = (struct store_attempt){ .disk = know(s, n, false, &used),
				     .identity = disk_number(n),
				     .expected = 12.5 };
	snprintf(a->job, sizeof(a->job), "%s", id);
	assert_int_equal(store_submit(s, &job, a, 1, &me), 0);
	assert_true(a->id > 0);
}

static void end_it(struct store *s, struct store_attempt *a, enum svc_outcome outcome)
{
	a->ended = 5000;
	a->outcome = outcome;
	assert_int_equal(store_end(s, a, "{}"), 0);
}

/** struct seen - of a walk through rows */
struct seen {
	int n;
	struct store_attempt last;
	struct store_job job;
};

static int see_attempt(void *ctx, const struct store_attempt *a)
{
	struct seen *seen = ctx;

	seen->n++;
	seen->last = *a;
	return 0;
}

static int see_job(void *ctx, const struct store_job *job)
{
	struct seen *seen = ctx;

	seen->n++;
	seen->job = *job;
	return 0;
}

static int see_record(void *ctx, const struct store_record *r)
{
	struct seen *seen = ctx;

	seen->n++;
	seen->last = r->attempt;
	seen->job = r->job;
	return 0;
}

static void survives(void **state)
{
	struct store *s = open_it();
	struct store_attempt a;
	struct seen seen = { 0 };
	char *json;

	submit(s, "job-1", 1, &a);
	assert_int_equal(store_begin(s, a.id, "4", 2000), 0);
	assert_int_equal(store_begin(s, a.id, "5", 3000), 0); /* it goes on elsewhere */
	store_close(s);
	s = open_it();
	assert_int_equal(store_each_job(s, 0, see_job, &seen), 0);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.job.priority, 3);
	assert_string_equal(seen.job.options, "method=zero\n");
	seen.n = 0;
	assert_int_equal(store_each_attempt(s, "job-1", see_attempt, &seen), 0);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.last.started, 2000);
	assert_string_equal(seen.last.bay, "5");
	assert_string_equal(seen.last.identity.serial, "S1");
	assert_int_equal(seen.last.identity.blocks, 1001);
	assert_int_equal(seen.last.outcome, OUTCOME_NONE);
	end_it(s, &a, OUTCOME_ERASED);
	assert_int_equal(store_job_end(s, "job-1", 5000), 0);
	seen.n = 0;
	assert_int_equal(store_each_job(s, 0, see_job, &seen), 0);
	assert_int_equal(seen.n, 0); /* it has ended */
	assert_int_equal(store_each_job(s, 5, see_job, &seen), 0);
	assert_int_equal(seen.n, 1);
	json = store_result(s, a.id);
	assert_string_equal(json, "{}");
	free(json);
	store_close(s);
}

static void final_is_final(void **state)
{
	struct store *s = open_it();
	struct store_attempt a, forged;
	struct seen seen = { 0 };
	sqlite3 *db;

	submit(s, "job-1", 1, &a);
	end_it(s, &a, OUTCOME_FAILED);
	forged = a;
	forged.outcome = OUTCOME_ERASED;
	assert_int_equal(store_end(s, &forged, "{}"), -EPERM);
	assert_int_equal(store_each_attempt(s, "job-1", see_attempt, &seen), 0);
	assert_int_equal(seen.last.outcome, OUTCOME_FAILED);
	store_close(s);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "update audit set uid = 0", NULL, NULL, NULL),
			 SQLITE_CONSTRAINT);
	assert_int_equal(sqlite3_exec(db, "delete from audit", NULL, NULL, NULL),
			 SQLITE_CONSTRAINT);
	sqlite3_close(db);
}

static int find_job(void *ctx, const struct store_job *job)
{
	return strcmp(job->id, ctx) ? 0 : 1;
}

static int see_unproven(void *ctx, const struct store_record *r)
{
	char *text = ctx;

	snprintf(text + strlen(text), 64 - strlen(text), "%s ", r->job.id);
	return 0;
}

static void unproven_are(struct store *s, uint32_t most, const char *want)
{
	char text[64] = "";

	assert_int_equal(store_each_unproven(s, most, see_unproven, text), 0);
	assert_string_equal(text, want);
}

/* what has ended and has no signed record, in the order of the ends; and it stays so */
static void proofs(void **state)
{
	struct store *s = open_it();
	struct store_attempt a[4];

	for (unsigned n = 0; n < 4; n++) {
		char id[8];

		snprintf(id, sizeof(id), "p%u", n);
		submit(s, id, n, &a[n]);
	}
	unproven_are(s, 9, "");
	for (unsigned n = 3; n > 0; n--) {
		a[n].ended = 6000 - n;
		a[n].outcome = OUTCOME_ERASED;
		assert_int_equal(store_end(s, &a[n], "{}"), 0);
	}
	unproven_are(s, 9, "p3 p2 p1 ");
	unproven_are(s, 2, "p3 p2 ");
	assert_int_equal(store_proven(s, a[2].id, 1), 0);
	store_close(s);
	s = open_it();
	unproven_are(s, 9, "p3 p1 ");
	store_close(s);
}

/* a job whose disk is in quarantine is there at each start, however many have ended since */
static void quarantine(void **state)
{
	static const struct store_caller who = { .uid = 7 };
	struct store *s = open_it();
	struct store_attempt left, again, a;
	struct store_job job = { .id = "left" };
	struct seen seen = { 0 };
	char id[8];

	submit(s, "left", 90, &left);
	left.left_working = true;
	end_it(s, &left, OUTCOME_FAILED);
	assert_int_equal(store_job_end(s, "left", 6000), 0);
	for (unsigned n = 0; n < 5; n++) {
		snprintf(id, sizeof(id), "j%u", n);
		submit(s, id, n, &a);
		end_it(s, &a, OUTCOME_ERASED);
		assert_int_equal(store_job_end(s, id, 7000), 0);
	}
	assert_int_equal(store_each_job(s, 2, find_job, (void *)"j2"), 0);
	assert_int_equal(store_each_job(s, 2, find_job, (void *)"left"), 1);
	assert_int_equal(store_each_attempt(s, "left", see_attempt, &seen), 0);
	assert_true(seen.last.left_working);

	/* one that goes on with it has the same, until it ends otherwise */
	again = (struct store_attempt){ .disk = left.disk, .left_working = true };
	snprintf(again.job, sizeof(again.job), "left");
	assert_int_equal(store_again(s, &again, 8000), 0);
	assert_int_equal(store_each_attempt(s, "left", see_attempt, &seen), 0);
	assert_true(seen.last.id == again.id && seen.last.left_working);
	end_it(s, &again, OUTCOME_REFUSED);
	assert_int_equal(store_job_end(s, "left", 9000), 0);
	assert_int_equal(store_each_job(s, 2, find_job, (void *)"left"), 1);

	job.cancelled = true;
	assert_int_equal(store_job_ask(s, &job, NULL, "cancel", &who, 9500), 0);
	assert_int_equal(store_each_job(s, 2, find_job, (void *)"left"), 0);
	job.cancelled = false;
	assert_int_equal(store_job_ask(s, &job, NULL, "resume", &who, 9600), 0);
	assert_int_equal(store_each_job(s, 2, find_job, (void *)"left"), 1);
	again.left_working = false;
	again.outcome = OUTCOME_NONE;
	assert_int_equal(store_again(s, &again, 9700), 0);
	end_it(s, &again, OUTCOME_ERASED);
	assert_int_equal(store_job_end(s, "left", 9800), 0);
	assert_int_equal(store_each_job(s, 2, find_job, (void *)"left"), 0);
	store_close(s);
}

static void filters(void **state)
{
	struct store *s = open_it();
	struct store_attempt a[4];
	struct seen seen = { 0 };

	for (unsigned i = 0; i < 4; i++) {
		char id[16];

		snprintf(id, sizeof(id), "job-%u", i);
		submit(s, id, i, &a[i]);
		assert_int_equal(store_begin(s, a[i].id, i % 2 ? "odd" : "even", 2000),
				 0);
		a[i].ended = 10000 + i;
		a[i].outcome = i ? OUTCOME_ERASED : OUTCOME_FAILED;
		assert_int_equal(store_end(s, &a[i], NULL), 0);
	}
#define COUNT(want, ...)                                                                 \
	do {                                                                             \
		struct store_filter f = { __VA_ARGS__ };                                 \
		seen.n = 0;                                                              \
		assert_int_equal(store_each_record(s, &f, see_record, &seen), 0);        \
		assert_int_equal(seen.n, want);                                          \
	} while (0)
	COUNT(4, .limit = 0);
	COUNT(2, .limit = 2);
	COUNT(3, .outcome = "erased");
	COUNT(1, .outcome = "failed");
	COUNT(2, .bay = "odd");
	COUNT(1, .serial = "S2");
	COUNT(1, .job = "job-3");
	COUNT(2, .since = 10002);
	COUNT(2, .until = 10002);
	COUNT(1, .disk = a[1].disk);
	COUNT(0, .serial = "S2", .outcome = "failed");
#undef COUNT
	assert_null(store_result(s, a[0].id));
	store_close(s);
}

static void disks_are_remembered(void **state)
{
	struct store *s = open_it();
	bool used = true;
	int64_t row = know(s, 1, false, &used);

	assert_false(used);
	assert_int_equal(know(s, 1, true, &used), row);
	assert_true(used);
	assert_int_equal(know(s, 1, false, &used), row);
	assert_true(used); /* for good */
	assert_int_not_equal(know(s, 2, false, &used), row);
	assert_false(used);
	store_close(s);
}

static void asks(void **state)
{
	struct store *s = open_it();
	struct store_job job = { .id = "job-1" };
	struct store_attempt a;
	struct store_mark m[2];
	struct seen seen = { 0 };

	submit(s, "job-1", 1, &a);
	job.paused = true;
	job.priority = -4;
	assert_int_equal(store_job_ask(s, &job, NULL, "pause", &me, 10), 0);
	a.cancelled = true;
	assert_int_equal(store_job_ask(s, &job, &a, "cancel", &me, 11), 0);
	m[0] = (struct store_mark){ .attempt = a.id, .bytes = 5 };
	m[1] = (struct store_mark){ .attempt = 999 };
	assert_int_equal(store_marks(s, m, 1), 0);
	m[0].bytes = 6;
	assert_int_equal(store_marks(s, m, 1), 0);
	assert_int_equal(store_marks(s, m, 2),
			 -EPERM); /* no such attempt: all or nothing */
	assert_int_equal(store_each_attempt(s, "job-1", see_attempt, &seen), 0);
	assert_false(seen.last.start_erased);
	m[0].flushed_lba = 4096;
	assert_int_equal(store_marks(s, m, 1), 0);
	m[0].flushed_lba = 0; /* it goes on, and has not flushed yet */
	assert_int_equal(store_marks(s, m, 1), 0);
	assert_int_equal(store_each_attempt(s, "job-1", see_attempt, &seen), 0);
	assert_true(seen.last.start_erased);
	assert_int_equal(store_each_job(s, 0, see_job, &seen), 0);
	assert_true(seen.job.paused);
	assert_int_equal(seen.job.priority, -4);
	assert_int_equal(store_each_attempt(s, "job-1", see_attempt, &seen), 0);
	assert_true(seen.last.cancelled);
	store_close(s);
}

static void damage(void **state)
{
	static const char *const how[] = { "the header", "a page" };
	char pattern[96], note[STORE_NOTE];

	for (int i = 0; i < 2; i++) {
		struct store *s = open_it();
		struct store_attempt a;
		glob_t g;
		int fd;

		submit(s, "job-1", 1, &a);
		store_close(s);
		fd = open(path, O_WRONLY);
		assert_true(pwrite(fd, "\x5a\x5a\x5a\x5a\x5a\x5a\x5a\x5a", 8,
				   i ? 4096 : 0) == 8);
		close(fd);
		if (store_open(path, &s, note) < 0)
			fail_msg("%s: %s", how[i], note);
		assert_non_null(strstr(note, "kept as"));
		assert_int_equal(store_each_job(s, 9, see_job, &(struct seen){ 0 }), 0);
		store_close(s);
		snprintf(pattern, sizeof(pattern), "%s.damaged-*", path);
		assert_int_equal(glob(pattern, 0, NULL, &g), 0);
		for (size_t k = 0; k < g.gl_pathc; k++)
			unlink(g.gl_pathv[k]);
		globfree(&g);
		unlink(path);
	}
}

static void later_version(void **state)
{
	char note[STORE_NOTE];
	struct store *s = open_it();
	sqlite3 *db;

	store_close(s);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_exec(db, "pragma user_version = 99", NULL, NULL, NULL);
	sqlite3_close(db);
	assert_int_equal(store_open(path, &s, note), -EPROTO);
	assert_non_null(strstr(note, "later version"));
}

/* a lock of one process is no lock between its own connections: another one asks */
static void one_at_a_time(void **state)
{
	struct store *s = open_it();
	int status;
	pid_t pid = fork();

	if (!pid) {
		char note[STORE_NOTE];
		struct store *other;

		_exit(store_open(path, &other, note) == -EBUSY ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	store_close(s);
	store_close(open_it());
}

/* What is of a simulation stays that, and what is of disks, whoever opens it. */
static void one_kind(void **state)
{
	struct store *s = open_it();
	bool used;

	assert_int_equal(store_claim(s, false), 0);
	know(s, 1, false, &used);
	assert_int_equal(store_claim(s, true), -EBUSY);
	store_close(s);
	assert_int_equal(unlink(path), 0);
	s = open_it();
	assert_int_equal(store_claim(s, true), 0);
	store_close(s);
	s = open_it();
	assert_int_equal(store_claim(s, false), -EBUSY);
	know(s, 1, false, &used);
	assert_int_equal(store_claim(s, true), 0);
	store_close(s);
}

int main(void)
{
#define EACH(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		EACH(survives),      EACH(final_is_final),
		EACH(filters),       EACH(disks_are_remembered),
		EACH(asks),          EACH(damage),
		EACH(later_version), EACH(one_at_a_time),
		EACH(proofs),        EACH(quarantine),
		EACH(one_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

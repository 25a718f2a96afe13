/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record of the service: a file that an earlier version has written is upgraded, and what was
 * in it is as it was.
 */
#include "unit.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/util.h"
#include "service/schema.h"
#include "service/store.h"

#define JOB "01234567-89ab-4def-8123-456789abcdef"

static char folder[48];
static char path[64];

static int make_folder(void **state)
{
	if (!mkdtemp(scratch_name(folder, sizeof(folder), "upgrade")))
		return -1;
	snprintf(path, sizeof(path), "%s/station.db", folder);
	return 0;
}

static int remove_folder(void **state)
{
	static const char *const parts[] = { "", "-wal", "-shm" };
	char file[80];

	for (size_t i = 0; i < DW_ARRAY_SIZE(parts); i++) {
		snprintf(file, sizeof(file), "%s%s", path, parts[i]);
		unlink(file);
	}
	return rmdir(folder);
}

static void run_sql(sqlite3 *db, const char *sql)
{
	char *why = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", sql, why);
}

/* as the first version has left it: an attempt that has ended, and one that goes on; or the
 * second or third, with two more of disks that fail */
static void make_version(unsigned version)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	run_sql(db, schema_steps[0]);
	run_sql(db,
		"insert into disk values(1, 'S1', '5000c500', 512000, 512, 'ACME', 'X',"
		" '1', 'bay 1', 1, 2, 0)");
	run_sql(db,
		"insert into job values(1, '" JOB "', 10, 0, 1000, 0, 'old', '', 0, 0)");
	run_sql(db,
		"insert into attempt values(1, '" JOB "', 1, 'bay 1', 'ext4', 2.5, 11,"
		" 12, 'erased', 'because', 0, 0, 0, '{}')");
	run_sql(db, "insert into attempt values(2, '" JOB "', 1, 'bay 1', '', 2.5, 13, 0,"
		    " '', '', 0, 1, 0, null)");
	run_sql(db, "pragma user_version = 1");
	if (version >= 2) {
		run_sql(db, schema_steps[1]);
		run_sql(db,
			"insert into attempt values(3, '" JOB "', 1, 'bay 1', '', 2.5,"
			" 13, 14, 'erased', '', 0, 0, 0, '{}', 50, 'good',"
			" 'failing: 5D/10')");
		run_sql(db,
			"insert into attempt values(4, '" JOB "', 1, 'bay 1', '', 2.5,"
			" 13, 0, '', '', 0, 0, 0, null, 51, 'failing', '')");
		run_sql(db, "pragma user_version = 2");
	}
	if (version == 3) {
		run_sql(db, schema_steps[2]);
		run_sql(db, "update attempt set heat_pause = 77 where id = 3;"
			    "pragma user_version = 3");
	}
	sqlite3_close(db);
}

struct seen {
	struct store_attempt row[4];
	size_t n;
};

static int keep_row(void *ctx, const struct store_attempt *a)
{
	struct seen *seen = ctx;

	assert_true(seen->n < DW_ARRAY_SIZE(seen->row));
	seen->row[seen->n++] = *a;
	return 0;
}

static void read_rows(struct store *s, struct seen *ret)
{
	ret->n = 0;
	assert_int_equal(store_each_attempt(s, JOB, keep_row, ret), 0);
}

static struct store *open_it(void)
{
	char note[STORE_NOTE];
	struct store *s = NULL;

	assert_int_equal(store_open(path, &s, note), 0);
	assert_string_equal(note, "");
	return s;
}

static void test_upgrade(void **state)
{
	struct store_attempt *a;
	struct seen seen;
	struct store *s;
	char *json;

	make_version(1);
	s = open_it();
	read_rows(s, &seen);
	assert_int_equal(seen.n, 2);
	a = &seen.row[0];
	assert_int_equal(a->outcome, OUTCOME_ERASED);
	assert_string_equal(a->reason, "because");
	assert_string_equal(a->signatures, "ext4");
	assert_string_equal(a->identity.serial, "S1");
	assert_string_equal(a->identity.revision, "1");
	assert_int_equal(a->identity.blocks, 1000);
	assert_int_equal(a->max_temperature, DW_TEMPERATURE_UNKNOWN);
	assert_string_equal(a->health_before, "");
	assert_string_equal(a->health_after, "");
	assert_int_equal(a->heat_us, 0);
	assert_false(a->do_not_reuse);
	assert_true(seen.row[1].paused);
	json = store_result(s, 1);
	assert_string_equal(json, "{}");
	free(json);
	store_close(s);
}

/* the attempt that went on ends with what only the later version knows */
static void test_health_is_kept(void **state)
{
	struct store *s = open_it();
	struct store_attempt a;
	struct seen seen;

	read_rows(s, &seen);
	a = seen.row[1];
	a.max_temperature = 61;
	a.heat_us = UINT64_C(5000000000);
	snprintf(a.health_before, sizeof(a.health_before), "good");
	assert_int_equal(store_health(s, &a), 0);
	store_close(s);
	s = open_it();
	read_rows(s, &seen);
	a = seen.row[1];
	assert_int_equal(a.max_temperature, 61);
	assert_int_equal(a.heat_us, UINT64_C(5000000000));
	assert_false(a.do_not_reuse);
	a.heat_us++;
	a.do_not_reuse = true;
	assert_string_equal(a.health_before, "good");
	a.ended = 14;
	a.outcome = OUTCOME_ERASED;
	snprintf(a.health_after, sizeof(a.health_after), "failing: 5D/10");
	assert_int_equal(store_end(s, &a, "{}"), 0);
	read_rows(s, &seen);
	assert_int_equal(seen.row[1].outcome, OUTCOME_ERASED);
	assert_int_equal(seen.row[1].max_temperature, 61);
	assert_string_equal(seen.row[1].health_before, "good");
	assert_string_equal(seen.row[1].health_after, "failing: 5D/10");
	assert_int_equal(seen.row[1].heat_us, UINT64_C(5000000001));
	assert_true(seen.row[1].do_not_reuse);
	/* what has ended is not changed */
	a.outcome = OUTCOME_FAILED;
	assert_int_equal(store_end(s, &a, "{}"), -EPERM);
	store_close(s);
}

/* what ended under the version before tells by itself that it is labelled */
static void test_upgrade_of_2(void **state)
{
	struct store *s;
	struct seen seen;

	unlink(path);
	make_version(2);
	s = open_it();
	read_rows(s, &seen);
	assert_int_equal(seen.n, 4);
	assert_false(seen.row[0].do_not_reuse);
	assert_true(seen.row[2].do_not_reuse);
	assert_int_equal(seen.row[2].max_temperature, 50);
	assert_string_equal(seen.row[2].health_after, "failing: 5D/10");
	assert_int_equal(seen.row[2].heat_us, 0);
	assert_int_equal(seen.row[2].outcome, OUTCOME_ERASED);
	assert_false(seen.row[3].do_not_reuse); /* it has not ended */
	assert_string_equal(seen.row[3].health_before, "failing");
	store_close(s);
}

/* none of its disks was left at work, as far as it knows */
static void test_upgrade_of_3(void **state)
{
	struct store *s;
	struct seen seen;

	unlink(path);
	make_version(3);
	s = open_it();
	read_rows(s, &seen);
	assert_int_equal(seen.n, 4);
	for (size_t i = 0; i < seen.n; i++)
		assert_false(seen.row[i].left_working);
	assert_true(seen.row[2].do_not_reuse);
	assert_int_equal(seen.row[2].heat_us, 77);
	assert_string_equal(seen.row[2].health_after, "failing: 5D/10");
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_upgrade),
		cmocka_unit_test(test_health_is_kept),
		cmocka_unit_test(test_upgrade_of_2),
		cmocka_unit_test(test_upgrade_of_3),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

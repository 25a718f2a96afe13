/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a function failed: what a program reads of it, and the line for people. */
#include "error_line.h"
#include "unit.h"

#include "base/error.h"

static void a_line_of_what_there_is(void **state)
{
	struct dw_error e = { 0 };

	assert_string_equal(error_line(&e), "");
	assert_int_equal(dw_error_member(&e, "depth", "%d is not in 1..32", 33), -EINVAL);
	assert_int_equal(e.kind, DW_ERROR_MEMBER);
	assert_int_equal(e.code, -EINVAL);
	assert_string_equal(e.subject, "depth");
	assert_string_equal(error_line(&e), "depth: 33 is not in 1..32");
	dw_error_under(&e, "job");
	dw_error_in(&e, "/srv/plan", 0);
	assert_int_equal(e.kind, DW_ERROR_CONTENT);
	assert_string_equal(error_line(&e), "/srv/plan: job.depth: 33 is not in 1..32");
	dw_error_in(&e, "/srv/other", 7); /* it is in a file already */
	assert_string_equal(e.file, "/srv/plan");

	dw_error_content(&e, NULL, "unknown key");
	dw_error_in(&e, "rack", 12);
	assert_string_equal(error_line(&e), "rack:12: unknown key");
	assert_int_equal(dw_error_file(&e, -EACCES, "/etc/x", "not yours"), -EACCES);
	assert_string_equal(error_line(&e), "/etc/x: not yours");
	assert_int_equal(e.kind, DW_ERROR_FILE);
}

static void what_is_known_stays(void **state)
{
	struct dw_error e = { 0 };

	assert_int_equal(dw_error_system(&e, 0, "core"), 0);
	assert_int_equal(dw_error_file(&e, 0, "/srv/x", NULL), 0);
	assert_int_equal(e.kind, DW_ERROR_NONE);
	assert_int_equal(dw_error_system(&e, -ENOMEM, NULL), -ENOMEM);
	assert_string_equal(error_line(&e), "Cannot allocate memory");
	dw_error_in(&e, "/srv/plan", 3); /* no fault of the file */
	assert_int_equal(e.kind, DW_ERROR_SYSTEM);
	dw_error_set(&e, -EBUSY, DW_ERROR_DISK, "/dev/sg3", "reserved");
	assert_int_equal(dw_error_system(&e, -EIO, "core"), -EIO);
	assert_string_equal(error_line(&e), "/dev/sg3: reserved");
	dw_error_clear(&e);
	assert_string_equal(error_line(&e), "");
}

static void nobody_wants_to_know(void **state)
{
	dw_error_clear(NULL);
	assert_int_equal(dw_error_member(NULL, "depth", "%d", 3), -EINVAL);
	assert_int_equal(dw_error_system(NULL, -EIO, "core"), -EIO);
	assert_int_equal(dw_error_file(NULL, -EIO, "/x", "gone"), -EIO);
	dw_error_under(NULL, "job");
	dw_error_in(NULL, "/x", 1);
}

/* names of files and keys come from others */
static void nothing_hostile_passes(void **state)
{
	char name[2 * DW_ERROR_TEXT];
	struct dw_error e;

	dw_error_content(&e, "se\033[2Jrial", "'%s' is not known", "a\nb");
	dw_error_in(&e, "plan\033]0;x\a", 0);
	assert_string_equal(error_line(&e), "plan?]0;x?: se?[2Jrial: 'a?b' is not known");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	dw_error_content(&e, name, "%s", name);
	dw_error_under(&e, name);
	dw_error_in(&e, name, UINT64_MAX);
	assert_int_equal(strlen(e.file), sizeof(e.file) - 1);
	assert_int_equal(strlen(e.reason), sizeof(e.reason) - 1);
	assert_true(strlen(error_line(&e)) < DW_ERROR_TEXT);
	assert_non_null(strstr(error_line(&e), ":18446744073709551615: nnn"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_of_what_there_is),
		cmocka_unit_test(what_is_known_stays),
		cmocka_unit_test(nobody_wants_to_know),
		cmocka_unit_test(nothing_hostile_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

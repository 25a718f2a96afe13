/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration: what is read, and what stops the program. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "diskwipe/config.h"
#include "machine.h"
#include "unit.h"
#include "error_line.h"

static int load(struct machine *t, struct dw_config **ret, struct dw_error *err)
{
	char path[PATH_MAX];

	assert_int_equal(0, dw_path(path, "%s/proc/c.conf", t->root));
	return dw_config_load(path, ret, err);
}

static void expect_list(struct machine *t, const char *const *want)
{
	struct dw_config *c;
	struct dw_error err = { 0 };
	const char *const *got;

	assert_int_equal(0, load(t, &c, &err));
	got = dw_config_protect(c);
	for (; *want; want++, got++) {
		assert_non_null(*got);
		assert_string_equal(*want, *got);
	}
	assert_null(*got);
	dw_config_free(c);
}

static void lists_add_up(void **state)
{
	static const char *const want[] = { "Z1Z8ABCD",
					    "0x5000c500a1b2c3d4",
					    "with blank",
					    "6:0:9:0:Slot 07",
					    "0x5000c500a1b2c3e0:Slot 05",
					    "late",
					    "later",
					    NULL };
	struct machine t;

	machine_new(&t);
	/* a continued line belongs to its key */
	machine_file(&t, "proc/c.conf",
		     "# comment\n[safety]\nprotect = Z1Z8ABCD, 0x5000c500a1b2c3d4,,\n"
		     "\twith blank\nprotect = 6:0:9:0:Slot 07\n"
		     "protect = 0x5000c500a1b2c3e0:Slot 05\n");
	machine_file(&t, "proc/c.conf.d/20.conf", "[safety]\nprotect=later\n");
	machine_file(&t, "proc/c.conf.d/10.conf", "[safety]\nprotect=late\n");
	machine_file(&t, "proc/c.conf.d/30.conf~", "[safety]\nprotect=not\n");
	machine_file(&t, "proc/c.conf.d/.conf", "[safety]\nprotect=not\n");
	expect_list(&t, want);
	machine_free(&t);
}

static void expect_error(struct machine *t, const char *text)
{
	struct dw_config *c;
	struct dw_error err = { 0 };

	assert_int_equal(-EINVAL, load(t, &c, &err));
	if (!strstr(error_line(&err), text))
		fail_msg("'%s' is not in '%s'", text, error_line(&err));
}

static void what_is_not_understood_stops(void **state)
{
	static const char *const wrong[] = { "\"Z1Z8ABCD\"",
					     "Z1Z8*",
					     "Z1Z8ABCD # of Bob",
					     "naa.5000c500a1b2c3d",
					     "wwn-5000c500a1b2c3",
					     "0x",
					     "0x5000g500",
					     "0x5000c500a1b2c3e0:",
					     "/srv/disk",
					     "eui.0025385b0123456",
					     "scsi-3Q",
					     "UUID=3e6be9de-8139-11d1-9106-a43f08d823a6",
					     "label=root",
					     "PARTUUID=0c4e1a2b-01",
					     "/dev/disk/by-uuid/3e6be9de-8139",
					     "Z\001Z" };
	struct machine t;

	machine_new(&t);
	machine_file(&t, "proc/c.conf", "[safety]\nprotect = A\nprotekt = B\n");
	expect_error(&t, "c.conf:3: unknown key protekt");
	machine_file(&t, "proc/c.conf", "\n[savety]\nprotect = A\n");
	expect_error(&t, "c.conf:3: unknown section [savety]");
	machine_file(&t, "proc/c.conf", "protect = A\n");
	expect_error(&t, "c.conf:1: unknown section []");
	machine_file(&t, "proc/c.conf", "[safety]\nprotect\n");
	expect_error(&t, "c.conf:2: not understood");
	for (size_t i = 0; i < DW_ARRAY_SIZE(wrong); i++) {
		char text[100];

		snprintf(text, sizeof(text), "[safety]\nprotect = A, %s\n", wrong[i]);
		machine_file(&t, "proc/c.conf", text);
		expect_error(&t, "c.conf:2: ");
	}
	machine_file(&t, "proc/c.conf", "[safety]\n");
	machine_file(&t, "proc/c.conf.d/x.conf", "[safety]\n\nx = y\n");
	expect_error(&t, "x.conf:3: unknown key x");
	machine_free(&t);
}

/* What does not fit would be cut, and the rest of an entry protects nothing. */
static void long_lines(void **state)
{
	char text[6000] = "[safety]\nprotect = ";
	struct machine t;

	for (size_t n = strlen(text); n < sizeof(text) - 2; n++)
		text[n] = n % 20 ? 'A' : ',';
	text[sizeof(text) - 2] = '\n';
	machine_new(&t);
	machine_file(&t, "proc/c.conf", text);
	expect_error(&t, "c.conf:2: the line is too long");
	machine_free(&t);
}

static void files_of_others(void **state)
{
	struct dw_error err = { 0 };
	char path[PATH_MAX];
	struct dw_config *c;
	struct machine t;

	if (geteuid())
		skip();
	machine_new(&t);
	machine_file(&t, "proc/c.conf", "[safety]\nprotect = A\n");
	assert_int_equal(0, dw_path(path, "%s/proc/c.conf", t.root));
	assert_int_equal(0, chmod(path, 0666));
	assert_int_equal(-EPERM, load(&t, &c, &err));
	assert_non_null(
		strstr(error_line(&err), "writable by others; to fix it: chmod go-w "));
	assert_int_equal(0, chmod(path, 0644));
	assert_int_equal(0, chown(path, 12345, 12345));
	assert_int_equal(-EPERM, load(&t, &c, &err));
	assert_non_null(strstr(error_line(&err),
			       "owned by another user; to fix it: chown root "));
	machine_free(&t);
}

static void missing_files(void **state)
{
	static const char *const none[] = { NULL };
	struct dw_config *c;
	struct machine t;
	struct dw_error err = { 0 };

	machine_new(&t);
	assert_int_equal(-ENOENT, load(&t, &c, &err));
	assert_non_null(strstr(error_line(&err), "c.conf: No such file"));
	machine_file(&t, "proc/c.conf", "");
	expect_list(&t, none);
	/* a folder in the place of a file is not silently nothing */
	machine_file(&t, "proc/c.conf.d/a.conf/b", "");
	assert_true(load(&t, &c, &err) < 0);
	assert_non_null(strstr(error_line(&err), "a.conf"));
	machine_free(&t);
	dw_config_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_add_up),
		cmocka_unit_test(what_is_not_understood_stops),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(files_of_others),
		cmocka_unit_test(missing_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

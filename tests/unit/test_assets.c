/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of tags: each disk has its own, and what is no such list is told by its line. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "error_line.h"

static char path[] = "/dev/shm/dw-assets-XXXXXX";

static int read_text(const char *text, struct dw_assets *ret, struct dw_error *err)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return dw_assets_read(path, ret, err);
}

static void is_tag(const struct dw_assets *a, const char *serial, const char *tag)
{
	const char *found = dw_assets_find(a, serial);

	if (!tag != !found || (tag && strcmp(tag, found) != 0))
		fail_msg("'%s': '%s'", serial, found ? found : "none");
}

static void tags_are_found(void **state)
{
	static const char *const texts[] = {
		"Serial,Asset\nS2,IT-2\nS1,IT-1\n",
		"S1,IT-1\nS2,IT-2",
		("\xef\xbb\xbf"
		 "serial number;tag;owner\r\n S1 ; IT-1 ;a,b\r\nS2;IT-2;\r\n"),
		"\"S1\",\"IT-1\"\n\n\"S2\",IT-2,,,\nS2,IT-2\n",
		"S1,IT-1,\"a note\nS2,IT-9\",5\" disk\nS2,IT-2\n",
	};
	struct dw_error err;
	struct dw_assets a;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (read_text(texts[i], &a, &err))
			fail_msg("%zu: %s", i, error_line(&err));
		is_tag(&a, "S1", "IT-1");
		is_tag(&a, "S2", "IT-2");
		is_tag(&a, "S", NULL);
		is_tag(&a, "S11", NULL);
		is_tag(&a, "", NULL);
		dw_assets_deinit(&a);
	}
	assert_int_equal(read_text("S1,\"a, \"\"b\"\"\"\n", &a, &err), 0);
	is_tag(&a, "S1", "a, \"b\"");
	dw_assets_deinit(&a);
	assert_int_equal(read_text("", &a, &err), 0);
	is_tag(&a, "S1", NULL);
}

static void what_is_none_is_told(void **state)
{
	static const struct {
		const char *text;
		uint64_t line;
		const char *why;
	} row[] = {
		{ "S1,A\nS2\n", 2, "serial number and a tag" },
		{ "S1,A\n,B\n", 2, "serial number and a tag" },
		{ "S1,A\nS1,B\n", 0, "two tags" },
		{ "S1,\"A\n", 1, "quotation mark" },
		{ "S1,\"A\"\"\n", 1, "quotation mark" },
		{ "\"S1\" x,A\n", 1, "quotation mark" },
		{ "S1,A,\"a note\nS2,B\n", 1, "quotation mark" },
		{ "S1,A\rS2,B\r", 1, "line feed" },
		{ "S1,\x1b[2J\n", 1, "control" },
		{ "S1,\xff\n", 1, "UTF-8" },
		{ "S1,0123456789012345678901234567890123456789012345678901234567890123\n",
		  1, "too long" },
	};
	struct dw_error err;
	struct dw_assets a;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(read_text(row[i].text, &a, &err), -EINVAL);
		if (!strstr(error_line(&err), row[i].why) || err.line != row[i].line)
			fail_msg("%s: %s", row[i].text, error_line(&err));
		assert_null(a.asset);
	}
	assert_int_equal(dw_assets_read("/nowhere", &a, &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tags_are_found),
		cmocka_unit_test(what_is_none_is_told),
	};
	int fd = mkstemp(path), r;

	if (fd < 0)
		return 1;
	close(fd);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return r;
}

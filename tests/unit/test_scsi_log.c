/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LOG SENSE replies: the counter of failed writes among others, cut at every byte. */
#include "unit.h"

#include "base/util.h"
#include "scsi/log.h"

/* As a SAS disk sends it, DS set, with vendor-specific parameters behind. */
static const char sas[] =
	"82 00 0044"
	"0000 00 04 00000000 0001 00 04 00000003 0002 00 04 00000000"
	"0003 00 04 00000003 0004 00 04 00000000 0005 02 08 00001234 56789abc"
	"0006 00 04 0000002a 8000 00 04 00000000";

struct row {
	const char *hex;
	int r;
	uint64_t value;
};

static int ask(const char *hex, size_t cut, uint64_t *ret)
{
	uint8_t buf[256], *copy;
	size_t n = unhex(hex, buf, sizeof(buf));
	int r;

	n = n > cut ? cut : n;
	copy = malloc(n ? n : 1); /* exactly the bytes: what is read beyond is seen */
	assert_non_null(copy);
	memcpy(copy, buf, n);
	r = dw_log_write_errors(copy, n, ret);
	free(copy);
	return r;
}

static void test_counter(void **state)
{
	static const struct row rows[] = {
		{ sas, 0, 42 },
		/* of 1, 2 and 8 bytes; in any order */
		{ "02 00 0005 0006 00 01 07", 0, 7 },
		{ "02 00 000c 0006 00 02 0102 0001 00 02 0009", 0, 0x102 },
		{ "02 00 000c 0006 00 08 0102030405060708", 0, 0x102030405060708 },
		{ "02 00 0005 0006 00 01 00", 0, 0 },
		/* not there; too long, and of no bytes */
		{ "02 00 0006 0005 00 02 0009", -ENODATA, 0 },
		{ "02 00 0000", -ENODATA, 0 },
		{ "02 00 000d 0006 00 09 000102030405060708", -ENODATA, 0 },
		{ "02 00 0004 0006 00 00", -ENODATA, 0 },
		/* it counts no more */
		{ "02 00 0006 0006 80 02 0009", -ENODATA, 0 },
		{ "02 00 0006 0006 00 02 ffff", -ENODATA, 0 },
		/* announced too long, and the page too short */
		{ "02 00 0006 0006 00 ff 0009", -ENODATA, 0 },
		{ "02 00 0004 0006 00 02 0009", -ENODATA, 0 },
		{ "02 00 ffff 0006 00 02 0009", 0, 9 },
		{ "02 00 0009 0005 00 ff 0006 00 02 0009", -ENODATA, 0 },
		/* another page, a subpage, nothing */
		{ "03 00 0006 0006 00 02 0009", -EBADMSG, 0 },
		{ "42 01 0006 0006 00 02 0009", -EBADMSG, 0 },
		{ "02 01 0006 0006 00 02 0009", -EBADMSG, 0 },
		{ "02 00 00", -EBADMSG, 0 },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		uint64_t n = 0;

		assert_int_equal(rows[i].r, ask(rows[i].hex, SIZE_MAX, &n));
		assert_int_equal(rows[i].value, n);
	}
}

static void test_cut(void **state)
{
	uint64_t n;

	for (size_t cut = 0; cut < 73; cut++)
		assert_int_equal(cut < 4    ? -EBADMSG
				 : cut < 64 ? -ENODATA
					    : 0,
				 ask(sas, cut, &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counter),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

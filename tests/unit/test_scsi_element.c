/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Storage elements: which were removed, and how much they keep. */
#include "unit.h"

#include "base/be.h"
#include "base/util.h"
#include "scsi/cmd.h"
#include "scsi/element.h"
#include "scsi/opcodes.h"

#define ELEMENT(health, blocks)                                                          \
	"00000000 00000001 00000000 00 01 01 " health " " blocks " 0000000000000000"
#define HEADER_OF(n)                                                                     \
	"000000" n " 000000" n " 0000000000000000 00000000000000000000000000000000"

static int ask(const char *hex, size_t cut, struct dw_elements *ret)
{
	uint8_t buf[512], *copy;
	size_t n = unhex(hex, buf, sizeof(buf));
	int r;

	n = n > cut ? cut : n;
	copy = malloc(n ? n : 1); /* exactly the bytes: what is read beyond is seen */
	assert_non_null(copy);
	memcpy(copy, buf, n);
	r = dw_elements_read(copy, n, ret);
	free(copy);
	return r;
}

static void test_health(void **state)
{
	static const struct {
		const char *hex;
		uint32_t removed;
		uint64_t blocks;
	} rows[] = {
		{ HEADER_OF("00"), 0, 0 },
		{ HEADER_OF("02") ELEMENT("00", "0000000000100000")
			  ELEMENT("64", "0000000000100000"),
		  0, 0 },
		{ HEADER_OF("02") ELEMENT("cf", "0000000000100000")
			  ELEMENT("fa", "0000000000100000"),
		  0, 0 },
		{ HEADER_OF("02") ELEMENT("01", "0000000000100000")
			  ELEMENT("ff", "0000000000100000"),
		  1, 0x100000 },
		{ HEADER_OF("03") ELEMENT("fb", "0000000000000005") ELEMENT(
			  "fd", "ffffffffffffffff") ELEMENT("fe", "0000000000000000"),
		  3, 7 },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		struct dw_elements e;

		assert_int_equal(ask(rows[i].hex, SIZE_MAX, &e), 0);
		assert_int_equal(e.removed, rows[i].removed);
		assert_int_equal(e.blocks, rows[i].blocks);
	}
}

static void test_cut(void **state)
{
	static const char hex[] = HEADER_OF("02") ELEMENT("ff", "0000000000000005")
		ELEMENT("ff", "0000000000000007");
	struct dw_elements e;

	for (size_t cut = 0; cut <= 96; cut++) {
		assert_int_equal(ask(hex, cut, &e), cut < 32 ? -EBADMSG : 0);
		assert_int_equal(e.removed, cut < 64 ? 0 : cut < 96 ? 1 : 2);
	}
	/* more are returned than there are */
	assert_int_equal(ask("00000001 00000002 0000000000000000"
			     "00000000000000000000000000000000",
			     SIZE_MAX, &e),
			 -EBADMSG);
}

static void test_question(void **state)
{
	uint8_t cdb[DW_CDB_MAX], want[DW_CDB_MAX];

	unhex("9e 17 00000000 00000000 00001000 00 00", want, sizeof(want));
	assert_int_equal(dw_cdb_elements(cdb), 16);
	assert_memory_equal(cdb, want, 16);
	assert_int_equal(dw_opcode_class(cdb, 16), DW_OPCLASS_READ);
	for (uint8_t sa = 0x18; sa <= 0x1a; sa++) { /* removed, restored, zones changed */
		cdb[1] = sa;
		assert_int_equal(dw_opcode_class(cdb, 16), DW_OPCLASS_NEVER);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_health),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

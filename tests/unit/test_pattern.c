/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of patterns, both ways. */
#include "unit.h"

#include "base/util.h"
#include "plan/pattern.h"

static void parse_and_name(void **state)
{
	static const struct {
		const char *text;
		struct dw_pattern want;
		const char *name;
	} row[] = {
		{ "00", { DW_PATTERN_CONST, 1, { 0 } }, "00" },
		{ "ff", { DW_PATTERN_CONST, 1, { 0xff } }, "ff" },
		{ "Fe", { DW_PATTERN_CONST, 1, { 0xfe } }, "fe" },
		{ "a55a", { DW_PATTERN_CONST, 2, { 0xa5, 0x5a } }, "a55a" },
		{ "924924", { DW_PATTERN_CONST, 3, { 0x92, 0x49, 0x24 } }, "924924" },
		{ "random", { DW_PATTERN_RANDOM, 0, { 0 } }, "random" },
		{ "random-byte", { DW_PATTERN_RANDOM_BYTE, 0, { 0 } }, "random-byte" },
		{ "complement", { DW_PATTERN_COMPLEMENT, 0, { 0 } }, "complement" },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(row); i++) {
		struct dw_pattern p;
		char buf[16];

		memset(&p, 0x5a, sizeof(p));
		assert_int_equal(dw_pattern_parse(row[i].text, &p), 0);
		assert_memory_equal(&p, &row[i].want, sizeof(p));
		assert_string_equal(dw_pattern_name(&p, buf, sizeof(buf)), row[i].name);
		assert_int_equal(dw_pattern_is_const(&p), i < 5);
	}
}

static void refuse(void **state)
{
	static const char *const bad[] = { "",         "0",      "000",  "00000",
					   "00000000", "0x",     "0x00", "g0",
					   "0g",       " 00",    "00 ",  "+1",
					   "-1",       "RANDOM", "rand", "random ",
					   "00,ff",    "zero",   "92492" };

	for (size_t i = 0; i < DW_ARRAY_SIZE(bad); i++) {
		struct dw_pattern p = { .kind = 77 };

		assert_int_equal(dw_pattern_parse(bad[i], &p), -EINVAL);
		assert_int_equal(p.kind, 77);
	}
}

/* Every constant of one and two bytes survives printing and reading. */
static void round_trip(void **state)
{
	for (unsigned v = 0; v < 65536; v++) {
		struct dw_pattern p = { .kind = DW_PATTERN_CONST,
					.len = v < 256 ? 1 : 2,
					.byte = { (uint8_t)v, (uint8_t)(v >> 8) } };
		struct dw_pattern back;
		char buf[16];

		assert_int_equal(
			dw_pattern_parse(dw_pattern_name(&p, buf, sizeof(buf)), &back),
			0);
		assert_memory_equal(&p, &back, sizeof(p));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse_and_name),
		cmocka_unit_test(refuse),
		cmocka_unit_test(round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a disk is warm or hot, which lights its bay has, and what is said of one that fails.
 */
#include "unit.h"

#include <diskwipe/health.h>

#include "base/util.h"
#include "service/care_rules.h"

#define UNKNOWN DW_TEMPERATURE_UNKNOWN

static void test_limits(void **state)
{
	static const struct {
		struct heat_limits configured;
		int32_t own;
		struct heat_limits want;
	} rows[] = {
		{ { DEGREES_OF_DISK, DEGREES_OF_DISK }, 60, { 55, 60 } },
		{ { DEGREES_OF_DISK, DEGREES_OF_DISK }, UNKNOWN, { 60, 65 } },
		{ { DEGREES_OF_DISK, DEGREES_OF_DISK }, 0, { 60, 65 } },
		{ { DEGREES_OF_DISK, DEGREES_OF_DISK }, 200, { 60, 65 } },
		{ { DEGREES_OF_DISK, 50 }, 60, { 45, 50 } },
		{ { 40, DEGREES_OF_DISK }, 60, { 40, 60 } },
		{ { 40, 50 }, UNKNOWN, { 40, 50 } },
		{ { DEGREES_OF_DISK, DEGREES_NEVER }, 60, { 55, DEGREES_NEVER } },
		{ { DEGREES_NEVER, DEGREES_OF_DISK }, 60, { DEGREES_NEVER, 60 } },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		struct heat_limits l = heat_limits(&rows[i].configured, rows[i].own);

		assert_int_equal(l.warn, rows[i].want.warn);
		assert_int_equal(l.pause, rows[i].want.pause);
	}
}

/* @path: temperatures, one after the other, and how the disk is with each */
struct step {
	int32_t degrees;
	enum heat want;
};

static void follow(const struct heat_limits *l, const struct step *step, size_t n)
{
	enum heat heat = HEAT_FINE;

	for (size_t i = 0; i < n; i++) {
		heat = heat_next(heat, step[i].degrees, l);
		assert_int_equal(heat, step[i].want);
	}
}

static void test_hysteresis(void **state)
{
	static const struct step up_and_down[] = {
		{ UNKNOWN, HEAT_FINE }, { 54, HEAT_FINE }, { 55, HEAT_WARM },
		{ 54, HEAT_WARM },      { 51, HEAT_WARM }, { 50, HEAT_FINE },
		{ 54, HEAT_FINE },      { 59, HEAT_WARM }, { 60, HEAT_HOT },
		{ 59, HEAT_HOT },       { 56, HEAT_HOT },  { UNKNOWN, HEAT_HOT },
		{ 55, HEAT_WARM },      { 59, HEAT_WARM }, { 75, HEAT_HOT },
		{ 20, HEAT_FINE },      { 60, HEAT_HOT },
	};
	static const struct step never[] = { { 54, HEAT_FINE },
					     { 90, HEAT_WARM },
					     { 149, HEAT_WARM },
					     { 50, HEAT_FINE } };
	static const struct step silent[] = { { 59, HEAT_FINE },
					      { 60, HEAT_HOT },
					      { 55, HEAT_FINE } };

	follow(&(struct heat_limits){ 55, 60 }, up_and_down, DW_ARRAY_SIZE(up_and_down));
	follow(&(struct heat_limits){ 55, DEGREES_NEVER }, never, DW_ARRAY_SIZE(never));
	follow(&(struct heat_limits){ DEGREES_NEVER, 60 }, silent, DW_ARRAY_SIZE(silent));
}

static void test_lights(void **state)
{
	static const struct {
		enum svc_outcome outcome;
		int code;
		bool locate;
		bool fault;
	} rows[] = {
		{ OUTCOME_NONE, 0, false, false },
		{ OUTCOME_ERASED, 0, true, false },
		{ OUTCOME_AS_EXPECTED, 0, true, false },
		{ OUTCOME_EXCEPTIONS, 4, false, true },
		{ OUTCOME_NOT_AS_EXPECTED, 5, false, true },
		{ OUTCOME_FAILED, 4, false, true },
		{ OUTCOME_REFUSED, 2, false, true },
		{ OUTCOME_STOPPED, 6, false, false },
		{ OUTCOME_REMOVED, 4, false, false },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		bool lit[2] = { true, true };

		lights_of(rows[i].outcome, rows[i].code, lit);
		assert_int_equal(lit[DW_LIGHT_LOCATE], rows[i].locate);
		assert_int_equal(lit[DW_LIGHT_FAULT], rows[i].fault);
	}
}

static void test_reason(void **state)
{
	char buf[64];

	reuse_reason("", "", buf, sizeof(buf));
	assert_string_equal(buf, "");
	reuse_reason("cancelled", "", buf, sizeof(buf));
	assert_string_equal(buf, "cancelled");
	reuse_reason("", "5D/10", buf, sizeof(buf));
	assert_string_equal(buf, "do not reuse: 5D/10");
	reuse_reason("2 blocks", "5D/10", buf, sizeof(buf));
	assert_string_equal(buf, "2 blocks; do not reuse: 5D/10");
	/* that it is not to be used again is what must be read */
	reuse_reason("a reason that is longer than what is left of the room for it here",
		     "5D/10", buf, sizeof(buf));
	assert_string_equal(
		buf, "a reason that is longer than what is left ; do not reuse: 5D/10");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_hysteresis),
		cmocka_unit_test(test_lights),
		cmocka_unit_test(test_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outcomes and their words: what is written is read as the same, and nothing else is. */
#include "service/outcome.h"
#include "unit.h"

#include <diskwipe/disk.h>

static void words(void **state)
{
	for (enum svc_outcome o = OUTCOME_NONE; o <= OUTCOME_UNKNOWN; o++) {
		assert_non_null(outcome_word(o));
		assert_int_equal(outcome_read(outcome_word(o)), o);
	}
	assert_int_equal(outcome_read("Erased"), OUTCOME_UNKNOWN);
	assert_int_equal(outcome_read("erased "), OUTCOME_UNKNOWN);
	assert_int_equal(outcome_read("pending"), OUTCOME_UNKNOWN);
	assert_int_equal(outcome_read(NULL), OUTCOME_UNKNOWN);
	assert_string_equal(outcome_word(OUTCOME_UNPURGED),
			    dw_refusal_name(DW_REFUSAL_PURGE));
}

/* each of the library's has one here, and no two the same */
static void of_the_library(void **state)
{
	bool seen[OUTCOME_UNKNOWN] = { false };

	assert_int_equal(outcome_of(DW_OUTCOME_NONE, false), OUTCOME_NONE);
	for (enum dw_outcome o = DW_OUTCOME_ERASED; o <= DW_OUTCOME_REMOVED; o++) {
		enum svc_outcome mine = outcome_of(o, false);

		assert_true(mine != OUTCOME_NONE && mine < OUTCOME_UNKNOWN);
		assert_false(outcome_never_began(mine) || seen[mine]);
		assert_string_equal(outcome_word(mine), dw_outcome_name(o, false));
		seen[mine] = true;
	}
	assert_int_equal(outcome_of(DW_OUTCOME_ERASED, true), OUTCOME_AS_EXPECTED);
	assert_int_equal(outcome_of(DW_OUTCOME_EXCEPTIONS, true),
			 OUTCOME_NOT_AS_EXPECTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(of_the_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

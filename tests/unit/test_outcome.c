/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outcome of a disk, over all facts and all ends: what must hold of each, whatever the rows
 * of the table are and in whatever order they stand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "engine/outcome.h"

#define ALL (1u << JOB_FACTS)

static bool all_of(uint32_t facts, uint32_t of)
{
	return (facts & of) == of;
}

/* what must not be true of a disk that is called erased */
static bool is_in_doubt(uint32_t facts)
{
	return facts & (JOB_FACT_BLOCKS | JOB_FACT_UNSTEADY | JOB_FACT_MANY |
			JOB_FACT_UNFLUSHED | JOB_FACT_UNSURE | JOB_FACT_HIDDEN |
			JOB_FACT_UNREAD) ||
	       all_of(facts, JOB_FACT_MISMATCH | JOB_FACT_SAMPLED) ||
	       (facts & JOB_FACT_VOLUME && !(facts & JOB_FACT_COMPARED));
}

/* facts that belong together: of what is not there nothing can be more */
static bool can_be(uint32_t facts)
{
	return (facts & JOB_FACT_BLOCKS ||
		!(facts & (JOB_FACT_MANY | JOB_FACT_ENOUGH | JOB_FACT_UNSTEADY |
			   JOB_FACT_STEADY))) &&
	       (!(facts & JOB_FACT_CYCLED) || facts & JOB_FACT_CYCLE) &&
	       (!(facts & JOB_FACT_BLOCKS) ||
		facts & (JOB_FACT_UNSTEADY | JOB_FACT_STEADY));
}

static void erased_without_doubt_alone(void **state)
{
	size_t erased = 0;

	for (int end = DW_END_NONE; end <= DW_END_REMOVED; end++)
		for (uint32_t f = 0; f < ALL; f++) {
			if (!can_be(f))
				continue;
			if (job_judge((enum dw_core_end)end, f).outcome !=
			    DW_OUTCOME_ERASED) {
				if (end == DW_END_COMPLETE)
					assert_true(is_in_doubt(f));
				continue;
			}
			erased++;
			assert_int_equal(end, DW_END_COMPLETE);
			assert_false(is_in_doubt(f));
		}
	assert_true(erased > 0);
}

/* What speaks against a disk never makes its outcome better. */
static void doubts_add_up(void **state)
{
	static const uint32_t doubts[] = { JOB_FACT_UNFLUSHED, JOB_FACT_UNSURE,
					   JOB_FACT_HIDDEN,    JOB_FACT_VOLUME,
					   JOB_FACT_STRANGER,  JOB_FACT_NOT_CYCLED,
					   JOB_FACT_MANY,      JOB_FACT_SAMPLED,
					   JOB_FACT_UNREAD };

	for (int end = DW_END_COMPLETE; end <= DW_END_FAILED; end++)
		for (uint32_t f = 0; f < ALL; f++)
			for (size_t i = 0; i < sizeof(doubts) / sizeof(*doubts); i++) {
				uint32_t more = f | doubts[i];

				if (can_be(f) && can_be(more))
					assert_true(job_judge((enum dw_core_end)end, f)
							    .outcome <=
						    job_judge((enum dw_core_end)end, more)
							    .outcome);
			}
}

/* Blocks that differ fail a disk that was read in part, or that nothing flushes. */
static void lost_data_fail(void **state)
{
	for (uint32_t f = 0; f < ALL; f++) {
		bool guessed = f & (JOB_FACT_SAMPLED | JOB_FACT_UNFLUSHED);
		bool found = all_of(f, JOB_FACT_COMPARED | JOB_FACT_BLOCKS);

		if (can_be(f) && f & JOB_FACT_MISMATCH && guessed && !found)
			assert_int_equal(job_judge(DW_END_COMPLETE, f).outcome,
					 DW_OUTCOME_FAILED);
		if (can_be(f) && all_of(f, JOB_FACT_UNFLUSHED) &&
		    !(f & JOB_FACT_CYCLED) && !found)
			assert_int_equal(job_judge(DW_END_COMPLETE, f).outcome,
					 DW_OUTCOME_FAILED);
	}
}

/* A disk that did not get to the end is what the core says, but for one that was looked at long
 * enough; and none of them has no reason, but for those whose reason the core has. */
static void ends_that_are_told(void **state)
{
	static const enum dw_outcome told[] = {
		[DW_END_NONE] = DW_OUTCOME_NONE,
		[DW_END_FAILED] = DW_OUTCOME_FAILED,
		[DW_END_STOPPED] = DW_OUTCOME_STOPPED,
		[DW_END_REMOVED] = DW_OUTCOME_REMOVED,
	};

	for (int end = DW_END_NONE; end <= DW_END_REMOVED; end++)
		for (uint32_t f = 0; f < ALL; f++) {
			struct job_judgement is = job_judge((enum dw_core_end)end, f);

			if (end == DW_END_COMPLETE)
				assert_true(is.why == JOB_WHY_CORE ||
					    is.outcome != DW_OUTCOME_ERASED);
			else if (end == DW_END_FAILED && is.why == JOB_WHY_FOUND)
				assert_true(
					all_of(f, JOB_FACT_COMPARED | JOB_FACT_ENOUGH) &&
					!(f & JOB_FACT_STRANGER));
			else
				assert_int_equal(is.outcome, told[end]);
			if (is.why == JOB_WHY_CORE)
				assert_true(is.outcome == DW_OUTCOME_ERASED ||
					    (end != DW_END_COMPLETE &&
					     end != DW_END_STOPPED));
		}
}

/* None of them is hidden behind another. */
static void each_reason_is_told(void **state)
{
	bool told[JOB_WHY_STOPPED + 1] = { false };

	for (int end = DW_END_NONE; end <= DW_END_REMOVED; end++)
		for (uint32_t f = 0; f < ALL; f++)
			if (can_be(f))
				told[job_judge((enum dw_core_end)end, f).why] = true;
	for (size_t i = 0; i <= JOB_WHY_STOPPED; i++)
		assert_true(told[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(erased_without_doubt_alone),
		cmocka_unit_test(doubts_add_up),
		cmocka_unit_test(lost_data_fail),
		cmocka_unit_test(ends_that_are_told),
		cmocka_unit_test(each_reason_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

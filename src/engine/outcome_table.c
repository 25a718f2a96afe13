/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of outcomes. The rows go from the gravest to the last, which is: erased. */
#include <stddef.h>

#include "base/util.h"
#include "engine/outcome.h"

/* one row: holds for a disk that ended with @end, has all facts of @with, and none of @without */
struct judge_row {
	enum dw_core_end end;
	uint32_t with;
	uint32_t without;
	struct job_judgement is;
};

#define ROW(end_, with_, without_, outcome_, why_)                                       \
	{                                                                                \
		DW_END_##end_, with_, without_,                                          \
		{                                                                        \
			DW_OUTCOME_##outcome_, JOB_WHY_##why_                            \
		}                                                                        \
	}
#define F(fact) JOB_FACT_##fact

/* The first row that holds is used. */
static const struct judge_row rows[] = {
	ROW(COMPLETE, F(COMPARED) | F(BLOCKS), 0, EXCEPTIONS, FOUND),
	ROW(COMPLETE, F(UNFLUSHED), F(CYCLED), FAILED, UNFLUSHED),
	ROW(COMPLETE, F(UNFLUSHED) | F(MISMATCH), 0, FAILED, LOST_ITS_CACHE),
	ROW(COMPLETE, F(UNREAD), F(BLOCKS), FAILED, UNREAD),
	ROW(COMPLETE, F(UNFLUSHED), F(BLOCKS), EXCEPTIONS, CYCLED),
	ROW(COMPLETE, F(MISMATCH) | F(SAMPLED), 0, FAILED, SAMPLE_DIFFERS),
	ROW(COMPLETE, F(UNSTEADY) | F(SAMPLED), 0, FAILED, SAMPLE_UNSTEADY),
	ROW(COMPLETE, F(UNSTEADY), F(STEADY), EXCEPTIONS, UNSTEADY),
	ROW(COMPLETE, F(MANY), 0, FAILED, MANY),
	ROW(COMPLETE, F(BLOCKS), 0, EXCEPTIONS, BLOCKS),
	ROW(COMPLETE, F(UNSURE), 0, EXCEPTIONS, UNSURE),
	ROW(COMPLETE, F(HIDDEN), 0, EXCEPTIONS, HIDDEN),
	ROW(COMPLETE, F(VOLUME), F(COMPARED), EXCEPTIONS, VOLUME),
	ROW(COMPLETE, 0, 0, ERASED, CORE),

	ROW(STOPPED, F(COMPARED) | F(BLOCKS), 0, STOPPED, FOUND),
	ROW(STOPPED, F(COMPARED), 0, STOPPED, STOPPED_READING),
	ROW(STOPPED, F(CYCLE), 0, STOPPED, STOPPED_CYCLE),
	ROW(STOPPED, 0, 0, STOPPED, STOPPED),

	ROW(FAILED, F(NOT_CYCLED), 0, FAILED, UNFLUSHED),
	ROW(FAILED, F(STRANGER), 0, FAILED, STRANGER),
	ROW(FAILED, F(COMPARED) | F(ENOUGH), 0, EXCEPTIONS, FOUND),
	ROW(FAILED, 0, 0, FAILED, CORE),

	ROW(REMOVED, 0, 0, REMOVED, CORE),
};

struct job_judgement job_judge(enum dw_core_end end, uint32_t facts)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++)
		if (rows[i].end == end && (facts & rows[i].with) == rows[i].with &&
		    !(facts & rows[i].without))
			return rows[i].is;
	return (struct job_judgement){ DW_OUTCOME_NONE, JOB_WHY_CORE };
}

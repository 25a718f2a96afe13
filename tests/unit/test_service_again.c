/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which attempts go on after they have ended. */
#include "service/service.h"
#include "service_main.h"
#include "unit.h"

static void goes_on(void **state)
{
	static const struct {
		enum svc_outcome outcome;
		bool cancelled, job_cancelled, late, goes_on;
	} rows[] = {
		{ OUTCOME_REMOVED, false, false, false, true },
		{ OUTCOME_REMOVED, false, false, true, false },
		{ OUTCOME_REMOVED, true, false, false, false },
		{ OUTCOME_STOPPED, false, false, false, true },
		{ OUTCOME_STOPPED, false, false, true, false },
		{ OUTCOME_STOPPED, true, false, false, false },
		{ OUTCOME_STOPPED, false, true, false, false },
		{ OUTCOME_FAILED, false, false, false, false },
		{ OUTCOME_ERASED, false, false, false, false },
	};
	struct settings settings = { .return_seconds = 3600 };
	struct service s = { .settings = &settings };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct svc_job job = { .row.cancelled = rows[i].job_cancelled };
		struct svc_attempt a = { .state = ATTEMPT_ENDED,
					 .job = &job,
					 .row.cancelled = rows[i].cancelled };

		a.row.outcome = rows[i].outcome;
		a.row.ended = SERVICE_NOW;
		if (rows[i].late)
			a.row.ended -= UINT64_C(3601000000);
		assert_int_equal(rows[i].goes_on, attempt_may_continue(&s, &a));
		a.state = ATTEMPT_RUNNING;
		assert_false(attempt_may_continue(&s, &a));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(goes_on) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

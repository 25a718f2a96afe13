/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to stop: the first two are left to the loop, the third ends the program when the second
 * has had its time, and not before. */
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../tools/diskwipe/signals.h"

static time_t clock_now;

int __wrap_clock_gettime(clockid_t id, struct timespec *ret);

int __wrap_clock_gettime(clockid_t id, struct timespec *ret)
{
	(void)id;
	*ret = (struct timespec){ .tv_sec = clock_now };
	return 0;
}

/* In a process of its own: what it ended by when requests came at these seconds, 0 = it goes on. */
static int ended_by(const int *at, size_t n)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		close(STDERR_FILENO);
		cli_signals_begin();
		for (size_t i = 0; i < n; i++) {
			clock_now = at[i];
			raise(i % 2 ? SIGTERM : SIGINT);
		}
		_exit(cli_signals_count() == (int)n && cli_signals_stop() == SIGINT ? 0
										    : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) || !WEXITSTATUS(status));
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_third_request(void **state)
{
	static const int held[] = { 100, 100, 100, 101, 103, 105 };
	static const int insists[] = { 100, 100, 106 };
	static const int late[] = { 100, 200, 203, 206 };
	static const int twice[] = { 100, 2000 };

	assert_int_equal(ended_by(held, 6), 0);
	assert_int_equal(ended_by(insists, 3), SIGINT);
	assert_int_equal(ended_by(late, 3), 0);
	assert_int_equal(ended_by(late, 4), SIGTERM);
	assert_int_equal(ended_by(twice, 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_third_request) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

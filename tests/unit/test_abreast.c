/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done side by side is done once for each, whatever takes long, and done at the end. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#include "device/abreast.h"

#define MOST 100

static atomic_int times[MOST];

static void each(void *ctx, size_t i)
{
	usleep(i % 7 ? 0 : 2000);
	atomic_fetch_add(&times[i], *(int *)ctx);
}

static void once_each(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 16, 17, MOST };
	int by = 3;

	for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
		memset(times, 0, sizeof(times));
		dw_abreast(each, &by, counts[k]);
		for (size_t i = 0; i < MOST; i++)
			assert_int_equal(atomic_load(&times[i]), i < counts[k] ? by : 0);
	}
}

static struct {
	pthread_mutex_t lock;
	pthread_cond_t all;
	int there;
	int missed;
} meeting = { .lock = PTHREAD_MUTEX_INITIALIZER, .all = PTHREAD_COND_INITIALIZER };

/* Waits for the others, each of which is a disk that is slow to answer. */
static void meet(void *ctx, size_t i)
{
	const struct timespec *until = ctx;

	(void)i;
	pthread_mutex_lock(&meeting.lock);
	if (++meeting.there == MOST)
		pthread_cond_broadcast(&meeting.all);
	while (meeting.there < MOST && !meeting.missed)
		meeting.missed |=
			pthread_cond_timedwait(&meeting.all, &meeting.lock, until) != 0;
	pthread_mutex_unlock(&meeting.lock);
}

/* A rack is asked at once, not a part of it after the other. */
static void a_rack_at_once(void **state)
{
	struct rlimit files;
	struct timespec until;

	assert_int_equal(0, getrlimit(RLIMIT_NOFILE, &files));
	files.rlim_cur = files.rlim_max;
	assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &files));
	if (files.rlim_cur < 16 * (rlim_t)MOST)
		skip();
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 120;
	dw_abreast(meet, &until, MOST);
	assert_false(meeting.missed);
}

static atomic_int now, peak;

static void count_those(void *ctx, size_t i)
{
	int n = atomic_fetch_add(&now, 1) + 1, most = atomic_load(&peak);

	(void)ctx;
	(void)i;
	while (n > most && !atomic_compare_exchange_weak(&peak, &most, n))
		;
	usleep(5000);
	atomic_fetch_sub(&now, 1);
}

/* Many that each open files do not use up those of a process that may have few. */
static void few_files(void **state)
{
	struct rlimit files, few;

	assert_int_equal(0, getrlimit(RLIMIT_NOFILE, &files));
	few = files;
	few.rlim_cur = 128;
	assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &few));
	dw_abreast(count_those, NULL, MOST);
	assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &files));
	assert_in_range(atomic_load(&peak), 1, 17);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(once_each),
					    cmocka_unit_test(a_rack_at_once),
					    cmocka_unit_test(few_files) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots of who uses what, for several who ask at once: src/judge/snapshot.c. */
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/util.h"
#include "judge/snapshot.h"

#define ASKERS 6

/* The scan waits until it is let go, and says which one it was. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int begun, let_go, fails;

static int scan(const struct dw_machine *m, struct dw_uses *ret)
{
	char text[16];
	int r, mine;

	(void)m;
	pthread_mutex_lock(&lock);
	mine = ++begun;
	pthread_cond_broadcast(&changed);
	while (let_go < mine)
		pthread_cond_wait(&changed, &lock);
	r = fails == mine ? -EIO : 0;
	pthread_mutex_unlock(&lock);
	snprintf(text, sizeof(text), "%d", mine);
	return r ? r
		 : dw_uses_add(ret,
			       &(struct dw_use){ .kind = DW_USE_OPEN, .text = text });
}

static struct dw_snapshots source = {
	.scan = scan,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.one_ended = PTHREAD_COND_INITIALIZER,
};

static void await_begun(int n)
{
	pthread_mutex_lock(&lock);
	while (begun < n)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void await_asked(uint64_t n)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	uint64_t asked = 0;

	while (asked < n) {
		pthread_mutex_lock(&source.lock);
		asked = source.asked;
		pthread_mutex_unlock(&source.lock);
		if (asked < n)
			nanosleep(&moment, NULL);
	}
}

static void let(int n)
{
	pthread_mutex_lock(&lock);
	let_go = n;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* Return: which scan it was; negative errno. */
static void *ask(void *arg)
{
	struct dw_snapshot *snapshot;
	intptr_t r = dw_snapshot_take(&source, &snapshot);

	(void)arg;
	if (!r)
		r = atoi(snapshot->uses.v[0].text);
	dw_snapshot_give_back(&source, snapshot);
	return (void *)r;
}

static intptr_t answer(pthread_t thread)
{
	void *r;

	assert_int_equal(pthread_join(thread, &r), 0);
	return (intptr_t)r;
}

static int setup(void **state)
{
	(void)state;
	dw_snapshot_give_back(&source, source.last);
	source.last = NULL;
	source.asked = source.begun = source.ended = 0;
	begun = let_go = fails = 0;
	return 0;
}

/* Who asks while one is under way gets a later one, and all of those the same. */
static void test_shared(void **state)
{
	pthread_t first, thread[ASKERS];

	(void)state;
	assert_int_equal(pthread_create(&first, NULL, ask, NULL), 0);
	await_begun(1);
	for (size_t i = 0; i < ASKERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, ask, NULL), 0);
	await_asked(1 + ASKERS);
	let(2);
	assert_int_equal(answer(first), 1);
	for (size_t i = 0; i < ASKERS; i++)
		assert_int_equal(answer(thread[i]), 2);
	assert_int_equal(begun, 2);
}

/* With nobody beside him each gets a new one. */
static void test_never_old(void **state)
{
	(void)state;
	let(3);
	for (intptr_t i = 1; i <= 3; i++)
		assert_int_equal((intptr_t)ask(NULL), i);
}

static void test_failure(void **state)
{
	(void)state;
	fails = 1;
	let(2);
	assert_int_equal((intptr_t)ask(NULL), -EIO);
	assert_int_equal((intptr_t)ask(NULL), 2);
}

/* What somebody has taken stays while others come and go. */
static void test_kept(void **state)
{
	struct dw_snapshot *mine;

	(void)state;
	let(3);
	assert_int_equal(dw_snapshot_take(&source, &mine), 0);
	assert_int_equal((intptr_t)ask(NULL), 2);
	assert_int_equal((intptr_t)ask(NULL), 3);
	assert_string_equal(mine->uses.v[0].text, "1");
	dw_snapshot_give_back(&source, mine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_shared, setup, setup),
		cmocka_unit_test_setup_teardown(test_never_old, setup, setup),
		cmocka_unit_test_setup_teardown(test_failure, setup, setup),
		cmocka_unit_test_setup_teardown(test_kept, setup, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job's loop waits for: its descriptor is readable when there is something to do, and
 * only then; work that hangs keeps nobody else waiting. */
#include "unit.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "engine/loop.h"

#define LONG_MS 30000 /* even where a thread rarely gets a processor */

static struct dw_loop *loop;

static bool readable(int timeout_ms)
{
	struct pollfd p = { .fd = dw_loop_fd(loop), .events = POLLIN };

	return poll(&p, 1, timeout_ms) == 1;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * DW_NS_PER_S + (uint64_t)t.tv_nsec;
}

static int collected(void)
{
	int n = 0;

	assert_int_equal(0, dw_loop_collect(loop, &n));
	return n;
}

/* what came while it was collected may have left the descriptor readable once more */
static bool quiet(void)
{
	return !collected() && !readable(0);
}

/**
 * struct piece - a piece of work
 * @gate: a pipe whose end it waits for; -1 = it ends at once
 * @by: the thread that ran it
 */
struct piece {
	struct dw_work work;
	int gate;
	pthread_t by;
	unsigned ran;
	unsigned done;
	unsigned again;
	int error;
};

static void run(struct dw_work *w)
{
	struct piece *p = dw_container_of(w, struct piece, work);
	char c;

	p->by = pthread_self();
	while (p->gate >= 0 && read(p->gate, &c, 1) < 0)
		;
	p->ran++;
}

static int done(struct dw_work *w)
{
	struct piece *p = dw_container_of(w, struct piece, work);

	p->done++;
	if (p->again) {
		p->again--;
		dw_loop_begin(loop, w);
	}
	return p->error;
}

static struct piece piece(int gate)
{
	return (struct piece){ .work = { .run = run, .done = done }, .gate = gate };
}

static void timer(void **state)
{
	assert_false(readable(0));
	dw_loop_arm(loop, now_ns() + 3600 * DW_NS_PER_S);
	assert_false(readable(0));
	dw_loop_arm(loop, now_ns() + DW_NS_PER_MS);
	assert_true(readable(LONG_MS));
	dw_loop_arm(loop, UINT64_MAX);
	assert_false(readable(0));
	dw_loop_arm(loop, 0);
	assert_true(readable(0));
	dw_loop_arm(loop, UINT64_MAX);
}

static void wake(void **state)
{
	for (int i = 0; i < 3; i++) {
		dw_loop_wake(loop);
		dw_loop_wake(loop);
		assert_true(readable(0));
		assert_int_equal(0, collected());
		assert_false(readable(0));
	}
}

static void work(void **state)
{
	struct piece p = piece(-1);

	p.again = 2;
	dw_loop_begin(loop, &p.work);
	while (p.done < 3) {
		assert_true(readable(LONG_MS));
		collected();
	}
	assert_int_equal(3, p.ran);
	assert_false(pthread_equal(p.by, pthread_self()));
	assert_true(quiet());
}

static void one_that_hangs(void **state)
{
	struct piece stuck, quick[8];
	int gate[2], n = 0;

	assert_int_equal(0, pipe(gate));
	stuck = piece(gate[0]);
	dw_loop_begin(loop, &stuck.work);
	for (int i = 0; i < 8; i++) {
		quick[i] = piece(-1);
		dw_loop_begin(loop, &quick[i].work);
	}
	while (n < 8) {
		assert_true(readable(LONG_MS));
		n += collected();
	}
	assert_true(quiet());
	assert_int_equal(0, stuck.done);
	close(gate[1]);
	while (!stuck.done) {
		assert_true(readable(LONG_MS));
		collected();
	}
	close(gate[0]);
}

static void *post(void *arg)
{
	struct piece *p = arg;

	for (int i = 0; i < 100; i++)
		dw_loop_post(loop, &p[i].work);
	return NULL;
}

/* posted by several threads at once: each is done, in the loop, in its thread's order */
static void posted(void **state)
{
	struct piece p[4][100];
	pthread_t t[4];
	int n = 0;

	for (int k = 0; k < 4; k++) {
		for (int i = 0; i < 100; i++)
			p[k][i] = piece(-1);
		assert_int_equal(0, pthread_create(&t[k], NULL, post, p[k]));
	}
	while (n < 400) {
		assert_true(readable(LONG_MS));
		n += collected();
	}
	for (int k = 0; k < 4; k++) {
		pthread_join(t[k], NULL);
		for (int i = 0; i < 100; i++)
			assert_int_equal(1, p[k][i].done);
	}
	assert_true(quiet());
}

static void failed(void **state)
{
	struct piece p = piece(-1);
	int n = 0, r = 0;

	p.error = -EIO;
	dw_loop_begin(loop, &p.work);
	while (!p.done) {
		assert_true(readable(LONG_MS));
		r = dw_loop_collect(loop, &n);
	}
	assert_int_equal(-EIO, r);
}

/* what is under way is waited for, and not told of any more */
static void freed(void **state)
{
	struct dw_loop *other;
	struct piece p = piece(-1);

	assert_int_equal(0, dw_loop_new(&other));
	dw_loop_begin(other, &p.work);
	dw_loop_free(other);
	assert_int_equal(1, p.ran);
	assert_int_equal(0, p.done);
}

static void alone(void **state)
{
	struct piece p = piece(-1);

	dw_loop_inline(loop);
	dw_loop_begin(loop, &p.work);
	assert_int_equal(1, p.done);
	assert_true(pthread_equal(p.by, pthread_self()));
	assert_true(readable(0));
}

static int set_up(void **state)
{
	return dw_loop_new(&loop);
}

static int tear_down(void **state)
{
	dw_loop_free(loop);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timer),  cmocka_unit_test(wake),
		cmocka_unit_test(work),   cmocka_unit_test(one_that_hangs),
		cmocka_unit_test(posted), cmocka_unit_test(failed),
		cmocka_unit_test(freed),  cmocka_unit_test(alone),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

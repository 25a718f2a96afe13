/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is silent for long, and how long that is after help was in vain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/util.h"
#include "sched/unheard.h"

#define N 3
#define S DW_NS_PER_S

static struct dw_view_disk disks[N];
static struct dw_view view = { .n = N, .disk = disks };
static struct dw_unheard d[N];

/* all have a command, and all but disk 1 answer at every tick; the first second that disk 1 is to
 * be helped, from @from_ns on */
static uint64_t until_help(uint64_t from_ns, uint64_t since_ns)
{
	for (uint64_t now = from_ns;; now += S / 10) {
		int64_t i;

		d[0].heard_ns = d[2].heard_ns = now;
		i = dw_unheard_find(d, &view, now, since_ns);
		assert_true(i == -1 || i == 1);
		if (i == 1)
			return now;
		assert_true(now < from_ns + 2000 * S);
	}
}

static int setup(void **state)
{
	for (int i = 0; i < N; i++) {
		disks[i] = (struct dw_view_disk){ .transfers = 1 };
		d[i] = (struct dw_unheard){ 0 };
	}
	view.n = N;
	return 0;
}

static void two_seconds(void **state)
{
	assert_true(until_help(S, 0) == 3 * S);
	d[1].heard_ns = 10 * S;
	assert_true(until_help(10 * S, 0) == 12 * S);
	d[1].heard_ns = 20 * S;
	assert_true(until_help(20 * S, 50 * S) == 52 * S);
}

/* an answer ends the help, and what follows is as before; without one all goes on soon, and
 * the next help is twice as far away each time */
static void in_vain(void **state)
{
	uint64_t at = until_help(S, 0), wait = 2;

	assert_false(dw_unheard_over(&d[1], at));
	d[1].heard_ns = at + 1;
	assert_true(dw_unheard_over(&d[1], at + 1));
	assert_int_equal(d[1].in_vain, 0);
	at = until_help(at + S, 0);
	for (int k = 0; k < 12; k++) {
		uint64_t next;

		assert_false(dw_unheard_over(&d[1], at + S / 5));
		assert_true(dw_unheard_over(&d[1], at + S / 4));
		wait = dw_min_u64(2 * wait, 512);
		next = until_help(at + S, 0);
		assert_true(next >= at + wait * S && next <= at + (wait + 1) * S);
		at = next;
	}
}

/* nobody waits for one that has nothing to answer, nor for one that is alone */
static void no_commands(void **state)
{
	until_help(S, 0);
	disks[1].transfers = 0;
	for (uint64_t now = 10 * S; now < 100 * S; now += S) {
		d[0].heard_ns = d[2].heard_ns = now;
		assert_true(dw_unheard_find(d, &view, now, 0) == -1);
	}
	disks[1].transfers = 1;
	assert_true(until_help(100 * S, 0) >= 101 * S);
	view.n = 1;
	d[0].heard_ns = S;
	assert_true(dw_unheard_find(d, &view, 1000 * S, 0) == -1);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test_setup(two_seconds, setup),
		cmocka_unit_test_setup(in_vain, setup),
		cmocka_unit_test_setup(no_commands, setup),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/util.h"
#include "sched/gauge.h"

/* @n commands of @bytes, one every @ms */
static void feed(struct dw_gauge *g, uint64_t *now, int n, double bytes, uint64_t ms)
{
	for (int i = 0; i < n; i++) {
		*now += ms * DW_NS_PER_MS;
		dw_gauge_add(g, *now, bytes, 0);
	}
}

static void near_to(double is, double should, double by)
{
	assert_true(is > should - by && is < should + by);
}

static void rate(void **state)
{
	uint64_t now = 5;
	struct dw_gauge g;

	dw_gauge_reset(&g, now, 4, 50 * DW_NS_PER_MS);
	near_to(dw_gauge_mean(&g), 0, 1e-9);
	feed(&g, &now, 3, 100, 100);
	assert_int_equal(g.n, 0); /* too few commands */
	feed(&g, &now, 37, 100, 100);
	assert_int_equal(g.n, 10);
	near_to(dw_gauge_mean(&g), 1000, 1e-6);
	feed(&g, &now, 4, 100, 10);
	assert_int_equal(g.n, 10); /* too short */
	dw_gauge_forget(&g);
	assert_int_equal(g.n, 5);
	near_to(dw_gauge_mean(&g), 1000, 1e-6);
}

/* the ratio, and an error that grows with the spread */
static void ratio(void **state)
{
	struct dw_gauge a, b, c;
	double calm, rough;
	uint64_t now = 0;

	dw_gauge_reset(&a, now, 1, 50 * DW_NS_PER_MS);
	feed(&a, &now, 20, 100, 100);
	dw_gauge_reset(&b, now, 1, 50 * DW_NS_PER_MS);
	feed(&b, &now, 20, 110, 100);
	near_to(dw_gauge_compare(&a, &b, &calm), 1.1, 1e-6);
	dw_gauge_reset(&c, now, 1, 50 * DW_NS_PER_MS);
	for (int i = 0; i < 10; i++) {
		feed(&c, &now, 1, 55, 100);
		feed(&c, &now, 1, 165, 100);
	}
	near_to(dw_gauge_compare(&a, &c, &rough), 1.1, 1e-6);
	assert_true(calm > 0 && rough > 10 * calm);
}

/* time that goes by as before: the same mean and spread, from more slices */
static void extended(void **state)
{
	struct dw_gauge a, b;
	double before, after;
	uint64_t now = 0;

	dw_gauge_reset(&a, now, 1, 50 * DW_NS_PER_MS);
	dw_gauge_reset(&b, now, 1, 50 * DW_NS_PER_MS);
	for (int i = 0; i < 5; i++) {
		feed(&b, &now, 1, 90, 100);
		feed(&b, &now, 1, 110, 100);
	}
	a = b;
	dw_gauge_compare(&a, &b, &before);
	dw_gauge_extend(&b, 3 * DW_NS_PER_S);
	assert_int_equal(b.n, 40);
	near_to(b.seconds, 4, 1e-6);
	near_to(dw_gauge_mean(&b), 1000, 1e-6);
	dw_gauge_compare(&a, &b, &after);
	assert_true(after < 0.9 * before);
	now += 3 * DW_NS_PER_S;
	feed(&b, &now, 1, 100, 100); /* the slice in hand goes on behind it */
	near_to(b.rate, 1000, 1e-6);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(rate),
		cmocka_unit_test(ratio),
		cmocka_unit_test(extended),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}

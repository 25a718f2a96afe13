/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read off a measurement: rates at a response time, the rate of long transfers. */
#include <math.h>

#include <diskwipe/bench.h>

#include "unit.h"

static void near(double got, double want)
{
	if (fabs(got - want) > 1e-9 * fabs(want))
		fail_msg("%.12g, not %.12g", got, want);
}

static void at_response(void **state)
{
	struct dw_bench_point point[] = {
		{ .depth = 1, .per_second = 100, .response_s = .010 },
		{ .depth = 2, .per_second = 180, .response_s = .011 },
		{ .depth = 4, .per_second = 200, .response_s = .021 },
		{ .depth = 8, .per_second = 190, .response_s = .042 },
	};
	struct dw_bench_series s = { .point = point, .n = 4 };
	bool least;

	near(dw_bench_at_response(&s, .016, &least), 190);
	assert_false(least);
	near(dw_bench_at_response(&s, .011, &least), 180);
	near(dw_bench_at_response(&s, .0105, &least), 140);
	/* more time is never fewer operations, though deeper queues gave fewer */
	near(dw_bench_at_response(&s, .040, &least), 200);
	assert_true(dw_bench_at_response(&s, .009, &least) == 0);
	assert_false(least);
	/* never reached: the best that was seen, and perhaps there is more */
	near(dw_bench_at_response(&s, .1, &least), 200);
	assert_true(least);
}

static void plateau(void **state)
{
	struct dw_bench_point point[] = {
		{ .bytes = 512, .bytes_per_second = 900 }, /* too short to count */
		{ .bytes = 8192, .bytes_per_second = 100 },
		{ .bytes = 16384, .bytes_per_second = 300 },
		{ .bytes = 65536, .bytes_per_second = 120 },
	};
	struct dw_bench_series s = { .point = point, .n = 4 };

	near(dw_bench_plateau(&s), 120);
	s.n = 3;
	near(dw_bench_plateau(&s), 200);
	s.n = 0;
	assert_true(dw_bench_plateau(&s) == 0);
}

static void lengths(void **state)
{
	uint32_t blocks[64];
	size_t n = dw_bench_lengths(512, blocks), odd = 0;

	assert_int_equal(1, blocks[0]);
	assert_int_equal((4 << 20) / 512, blocks[n - 1]);
	for (size_t i = 0; i < n; i++)
		odd += blocks[i] & 1;
	assert_true(odd > n / 3 && odd < n);
	n = dw_bench_lengths(4096, blocks);
	assert_int_equal((4 << 20) / 4096, blocks[n - 1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_response),
		cmocka_unit_test(plateau),
		cmocka_unit_test(lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of a sweep: every block once, far ones first, and there and back again. */
#include "base/rng.h"
#include "plan/order.h"
#include "unit.h"

static uint64_t far(const struct dw_near *n, uint64_t lba)
{
	return lba < n->first ? n->first - lba : lba > n->last ? lba - n->last : 0;
}

static void random_orders(void **state)
{
	struct dw_rng rng;

	dw_rng_seed(&rng, 1);
	for (int i = 0; i < 2000; i++) {
		uint64_t blocks = 1 + dw_rng_below(&rng, 5000), before = UINT64_MAX;
		uint32_t align = 1u << dw_rng_below(&rng, 4);
		struct dw_near near = { .first = dw_rng_below(&rng, 6000) };
		uint8_t seen[5000] = { 0 };
		struct dw_order o;

		near.last = near.first + dw_rng_below(&rng, 1000);
		dw_order_near(blocks, align, &near, &o);
		for (uint64_t pos = 0, run, back; pos < blocks; pos++) {
			uint64_t lba = dw_order_lba(&o, pos, &run);

			assert_true(lba < blocks && !seen[lba]++ && run >= 1);
			assert_true(dw_order_pos(&o, lba, &back) == pos);
			assert_true(!o.n || run == back);
		}
		for (uint8_t k = 0; k < o.n; k++) {
			uint64_t from = o.region[k] * o.size, to = from + o.size - 1, d;

			to = to < blocks ? to : blocks - 1;
			if (near.first >= blocks)
				near.first = blocks - 1;
			d = from <= near.last && to >= near.first ? 0
			    : far(&near, from) < far(&near, to)   ? far(&near, from)
								  : far(&near, to);
			assert_true(from % align == 0 && d <= before);
			before = d;
		}
	}
}

/* The first position of an extent, in one region or several, by looking at each block. */
static void lowest_position(void **state)
{
	struct dw_rng rng;

	dw_rng_seed(&rng, 2);
	for (int i = 0; i < 2000; i++) {
		uint64_t blocks = 1 + dw_rng_below(&rng, 3000), low = UINT64_MAX, run;
		uint64_t lba = dw_rng_below(&rng, blocks);
		uint64_t nlb = 1 + dw_rng_below(&rng, blocks - lba);
		uint64_t first = dw_rng_below(&rng, 4000);
		struct dw_near near = { first, first + dw_rng_below(&rng, 500) };
		struct dw_order o;

		dw_order_near(blocks, 1, &near, &o);
		for (uint64_t at = lba; at < lba + nlb; at++) {
			uint64_t pos = dw_order_pos(&o, at, &run);

			low = pos < low ? pos : low;
		}
		assert_true(dw_order_low(&o, lba, nlb) == low);
	}
}

/* Regions as far below the load as above it: the lower one first. */
static void equally_far(void **state)
{
	struct dw_near near = { .first = 16 * 8, .last = 16 * 8 + 7 };
	uint8_t at[DW_ORDER_REGIONS] = { 0 };
	struct dw_order o;

	/* regions of 8 blocks, the load fills region 16 */
	dw_order_near(DW_ORDER_REGIONS * 8, 8, &near, &o);
	assert_true(o.size == 8 && o.n == DW_ORDER_REGIONS);
	for (uint8_t k = 0; k < o.n; k++)
		at[o.region[k]] = k;
	for (uint8_t k = 1; k < 16; k++)
		assert_int_equal(at[16 - k] + 1, at[16 + k]);
}

static void words(void **state)
{
	static const char *const wrong[] = { "",    "-", "1-",    "-1",
					     "2-1", "x", "1-2-3", "starts" };
	static const char too_long[] =
		"0000000000000000000000000000000000000000000000000";
	struct dw_near n = { 7, 8 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(-EINVAL, dw_near_parse(wrong[i], &n));
	assert_int_equal(-EINVAL, dw_near_parse(too_long, &n));
	assert_true(n.first == 7 && n.last == 8);
	assert_int_equal(0, dw_near_parse("10-20", &n));
	assert_true(n.first == 10 && n.last == 20);
	assert_int_equal(0, dw_near_parse("5", &n));
	assert_true(n.first == 5 && n.last == 5);
	assert_int_equal(0, dw_near_parse("end", &n));
	assert_true(n.first == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_orders),
		cmocka_unit_test(lowest_position),
		cmocka_unit_test(equally_far),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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

static void draw_turns(struct dw_rng *rng, uint64_t blocks, struct dw_order *ret)
{
	struct dw_ranges ranges = { .n = (uint8_t)(1 + dw_rng_below(rng, 4)) };

	for (uint8_t i = 1; i < ranges.n; i++)
		ranges.first[i] = ranges.first[i - 1] + 1 + dw_rng_below(rng, 400);
	dw_order_turns(blocks, (uint32_t)(1 + dw_rng_below(rng, 90)), &ranges, ret);
}

/* Every block once, each region upwards, and as long as none has ended each has its turn. */
static void ranges_take_turns(void **state)
{
	struct dw_rng rng;

	dw_rng_seed(&rng, 3);
	for (int i = 0; i < 2000; i++) {
		uint64_t blocks = 2 + dw_rng_below(&rng, 1500);
		uint64_t next[DW_ORDER_REGIONS], pos = 0, run, back;
		struct dw_order o;

		draw_turns(&rng, blocks, &o);
		memcpy(next, o.start, sizeof(next));
		for (uint8_t k = 0; o.n && pos < blocks; k = (uint8_t)((k + 1) % o.n)) {
			uint64_t left = o.start[k + 1] - next[k];
			uint64_t turn = left < o.turn ? left : o.turn;

			for (uint64_t b = 0; b < turn; b++, pos++, next[k]++) {
				assert_true(dw_order_lba(&o, pos, &run) == next[k]);
				assert_true(dw_order_pos(&o, next[k], &back) == pos);
				assert_true(run == turn - b && run == back);
			}
		}
		assert_true(!o.n || pos == blocks);
	}
}

/* The parts of a stretch are its blocks, and the first position of some is the lowest. */
static void stretches_of_any_order(void **state)
{
	struct dw_rng rng;

	dw_rng_seed(&rng, 4);
	for (int i = 0; i < 2000; i++) {
		uint64_t blocks = 2 + dw_rng_below(&rng, 1500), run, sum = 0, low;
		uint64_t pos = dw_rng_below(&rng, blocks);
		uint64_t n = 1 + dw_rng_below(&rng, blocks - pos);
		struct dw_near near = { dw_rng_below(&rng, blocks), UINT64_MAX };
		struct dw_extent part[DW_ORDER_REGIONS];
		struct dw_order o = { 0 };
		size_t parts;

		if (i % 3 == 1)
			dw_order_near(blocks, 1, &near, &o);
		else if (i % 3)
			draw_turns(&rng, blocks, &o);
		parts = dw_order_parts(&o, pos, n, part);
		for (size_t k = 0; k < parts; k++) {
			sum += part[k].nlb;
			for (uint64_t b = 0; b < part[k].nlb; b++) {
				low = dw_order_pos(&o, part[k].lba + b, &run);
				assert_true(low >= pos && low < pos + n);
			}
		}
		assert_true(sum == n);
		low = UINT64_MAX;
		n = n < blocks - pos ? n : blocks - pos;
		for (uint64_t b = pos; b < pos + n; b++) {
			uint64_t at = dw_order_pos(&o, b, &run);

			low = at < low ? at : low;
		}
		assert_true(dw_order_low(&o, pos, n) == low);
	}
}

/* What stands in a state file is that order again, and nothing else is read as one. */
static void turns_as_text(void **state)
{
	static const char *const wrong[] = { "",
					     "8",
					     "8:",
					     "8:0",
					     "0:0,50",
					     "8:1,50",
					     "8:0,50,",
					     "8:0,50,50",
					     "8:0,50,40",
					     "8:0,100",
					     "8:0,50x",
					     "+8:0,50",
					     "8:0,-50",
					     "8 :0,50",
					     "4294967296:0,50",
					     "8:0;50",
					     "08:0,50",
					     "8:0,50,100",
					     "8:0,1,2,3,4,5,6,7,8" };
	struct dw_order o, again;
	char text[DW_ORDER_TEXT];
	struct dw_rng rng;

	dw_rng_seed(&rng, 5);
	for (int i = 0; i < 500; i++) {
		draw_turns(&rng, 5000, &o);
		dw_order_text(&o, text);
		assert_int_equal(!o.n, !text[0]);
		if (!o.n)
			continue;
		assert_int_equal(0, dw_order_parse(text, 5000, &again));
		assert_memory_equal(&o, &again, sizeof(o));
	}
	again.n = 77;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(-EINVAL, dw_order_parse(wrong[i], 100, &again));
	assert_int_equal(77, again.n);
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
		cmocka_unit_test(ranges_take_turns),
		cmocka_unit_test(stretches_of_any_order),
		cmocka_unit_test(turns_as_text),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

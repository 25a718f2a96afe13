/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where stamps stand and what they hold; and what is made of them on media that cut addresses off,
 * reads and writes each for itself.
 */
#include "plan/stamp.h"
#include "unit.h"

#include <string.h>

static bool stands(const uint64_t *lba, uint32_t n, uint64_t at)
{
	for (uint32_t i = 0; i < n; i++)
		if (lba[i] == at)
			return true;
	return false;
}

static void places(void **state)
{
	static const uint64_t sizes[] = { 1,
					  2,
					  3,
					  2048,
					  131072,
					  100000,
					  1u << 28,
					  (1u << 28) + 1,
					  1ull << 32,
					  (1ull << 32) + 1,
					  (5ull << 32) / 2,
					  39063650304,
					  UINT64_MAX };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		uint64_t lba[DW_STAMPS_MAX], last = sizes[k] - 1;
		uint32_t n = dw_stamp_lbas(sizes[k], lba);

		assert_true(n >= 1 && n <= DW_STAMPS_MAX);
		assert_int_equal(lba[0], 0);
		assert_true(lba[n - 1] == last);
		for (uint32_t i = 1; i < n; i++)
			assert_true(lba[i - 1] < lba[i]);
		for (uint32_t bit = 0; bit < 64; bit++) {
			assert_int_equal(stands(lba, n, UINT64_C(1) << bit),
					 UINT64_C(1) << bit <= last);
			if (bit >= 16)
				assert_true(stands(lba, n,
						   last & ((UINT64_C(1) << bit) - 1)));
		}
	}
}

static void contents(void **state)
{
	uint8_t a[4224], b[4224];

	for (uint32_t size = 512; size <= sizeof(a); size += 464) {
		dw_stamp_fill(7, 5, size, a);
		dw_stamp_fill(7, 5, size, b);
		assert_memory_equal(a, b, size);
		assert_true(dw_stamp_is(5, a) && !dw_stamp_is(4, a));
		dw_stamp_fill(7, 4, size, b);
		assert_memory_not_equal(a, b, size);
		dw_stamp_fill(8, 5, size, b);
		assert_memory_not_equal(a, b, size);
		assert_memory_not_equal(a + size - 8, b + size - 8, 8);
	}
	memset(a, 0, sizeof(a));
	assert_false(dw_stamp_is(0, a));
}

/** struct cut - addresses from @from on lose all bits but the low @bits */
struct cut {
	uint32_t bits;
	uint64_t from;
};

static uint64_t cut_address(const struct cut *c, uint64_t lba)
{
	if (lba < c->from)
		return lba;
	return c->bits && c->bits < 64 ? lba & ((UINT64_C(1) << c->bits) - 1) : lba;
}

/* what reads of stamps find that were written one after the other; what holds none holds -1 */
static void judge(uint64_t blocks, const struct cut *write, const struct cut *read,
		  struct dw_stamp_verdict *ret)
{
	uint64_t lba[DW_STAMPS_MAX];
	struct dw_stamp_seen seen[DW_STAMPS_MAX];
	uint32_t n = dw_stamp_lbas(blocks, lba);

	for (uint32_t i = 0; i < n; i++) {
		seen[i] =
			(struct dw_stamp_seen){ .lba = lba[i], .known = true, .as = -1 };
		for (uint32_t k = 0; k < n; k++)
			if (cut_address(write, lba[k]) == cut_address(read, lba[i]))
				seen[i].as = (int)k;
	}
	dw_stamp_judge(seen, n, ret);
}

static void cut_to_bits(void **state)
{
	static const struct cut none = { 0 };
	static const uint64_t sizes[] = { 131072,     131073,     100000,
					  300000000,  1ull << 33, (5ull << 32) / 2,
					  39063650304 };
	struct dw_stamp_verdict v;

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		judge(sizes[k], &none, &none, &v);
		assert_false(v.wraps);
		assert_int_equal(v.odd, 0);
		for (uint32_t bits = 1; bits < 64; bits++) {
			const struct cut cut = { .bits = bits };
			bool shorter = (sizes[k] - 1) >> bits;

			for (int way = 1; way < 4; way++) {
				judge(sizes[k], way & 1 ? &cut : &none,
				      way & 2 ? &cut : &none, &v);
				assert_int_equal(v.wraps, shorter);
				if (!shorter)
					continue;
				assert_true(v.at == UINT64_C(1) << bits);
				assert_int_equal(v.onto, 0);
			}
		}
	}
}

/* from a boundary on that no power of two may follow */
static void cut_above(void **state)
{
	for (uint64_t from = 65537; from < 131072; from += 4093) {
		for (uint64_t blocks = from + 1; blocks < 140000; blocks += 977) {
			const struct cut cut = { .bits = 16, .from = from }, none = { 0 };
			struct dw_stamp_verdict v;

			for (int way = 1; way < 4; way++) {
				judge(blocks, way & 1 ? &cut : &none,
				      way & 2 ? &cut : &none, &v);
				assert_true(v.wraps);
				assert_true(v.at >= from && v.onto < 65536);
			}
		}
	}
}

/* what was lost, by accident or on purpose, is odd and proves nothing of addresses */
static void lost(void **state)
{
	struct dw_stamp_seen seen[4];
	struct dw_stamp_verdict v;

	for (uint32_t i = 0; i < 4; i++)
		seen[i] = (struct dw_stamp_seen){ .lba = i * 10,
						  .known = true,
						  .as = (int)i };
	seen[1].as = -1;
	seen[3].as = -1;
	dw_stamp_judge(seen, 4, &v);
	assert_false(v.wraps);
	assert_int_equal(v.odd, 2);
	assert_int_equal(v.odd_lba, 10);
	assert_false(v.ends); /* 20 is kept */
	seen[1].known = false;
	dw_stamp_judge(seen, 4, &v);
	assert_int_equal(v.odd, 1);
	assert_false(v.ends);
	assert_int_equal(v.odd_lba, 30);
	seen[2].as = 3; /* of a block that was not read */
	dw_stamp_judge(seen, 4, &v);
	assert_true(v.wraps);
	assert_int_equal(v.at, 30);
	assert_int_equal(v.onto, 20);
}

/* from one block on nothing is kept, to the last */
static void ends(void **state)
{
	struct dw_stamp_seen seen[5];
	struct dw_stamp_verdict v;

	for (int from = 0; from < 5; from++) {
		for (int i = 0; i < 5; i++)
			seen[i] = (struct dw_stamp_seen){ .lba = (uint64_t)i * 10,
							  .known = true,
							  .as = i < from ? i : -1 };
		dw_stamp_judge(seen, 5, &v);
		assert_false(v.wraps);
		assert_int_equal(v.ends, from < 4);
		if (v.ends)
			assert_int_equal(v.end_lba, from * 10);
	}
	for (int i = 0; i < 5; i++)
		seen[i].as = i < 2 ? i : -1;
	seen[2].known = seen[4].known = false;
	dw_stamp_judge(seen, 5, &v);
	assert_false(v.ends); /* 30 alone */
	seen[2].known = true;
	dw_stamp_judge(seen, 5, &v);
	assert_true(v.ends);
	assert_int_equal(v.end_lba, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),      cmocka_unit_test(contents),
		cmocka_unit_test(cut_to_bits), cmocka_unit_test(cut_above),
		cmocka_unit_test(lost),        cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

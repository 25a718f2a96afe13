/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What blocks held before an erasure, kept as text and read back. */
#include "unit.h"

#include "base/rng.h"
#include "base/util.h"
#include "own/witness.h"

#define BLOCKS UINT64_C(1000)

static void test_kept(void **state)
{
	struct dw_rng rng;

	dw_rng_seed(&rng, 1);
	for (uint32_t n = 1; n <= DW_WITNESS_BLOCKS + DW_WITNESS_MARKERS; n += 7) {
		uint64_t lba[DW_WITNESS_BLOCKS + DW_WITNESS_MARKERS],
			sum[DW_ARRAY_SIZE(lba)];
		struct dw_witness w = { .lba = lba, .sum = sum, .n = n }, *back;
		char *text;

		w.markers = (uint32_t)dw_rng_below(&rng, dw_min_u64(n, 99) + 1);
		for (uint32_t i = 0; i < n; i++) {
			lba[i] = dw_rng_below(&rng, BLOCKS);
			sum[i] = dw_rng_next(&rng);
		}
		text = dw_witness_text(&w);
		assert_int_equal(dw_witness_parse(text, BLOCKS, &back), 0);
		assert_int_equal(back->n, n);
		assert_int_equal(back->markers, w.markers);
		assert_memory_equal(back->lba, lba, n * sizeof(*lba));
		assert_memory_equal(back->sum, sum, n * sizeof(*sum));
		dw_witness_free(back);
		text[strlen(text) - 1] = '\0';
		assert_int_equal(dw_witness_parse(text, BLOCKS, &back), -EINVAL);
		free(text);
	}
}

static void test_damaged(void **state)
{
	static const char *const bad[] = {
		"",
		"1",
		"1 ",
		" 0000000000000001aaaaaaaaaaaaaaaa",
		"-1 0000000000000001aaaaaaaaaaaaaaaa",
		"2 0000000000000001aaaaaaaaaaaaaaaa",
		"100 0000000000000001aaaaaaaaaaaaaaaa",
		"1 00000000000003e8aaaaaaaaaaaaaaaa", /* beyond the end */
		"1 000000000000000Aaaaaaaaaaaaaaaaa",
		"1 0x00000000000001aaaaaaaaaaaaaaaa",
		"1 0000000000000001 aaaaaaaaaaaaaaa",
		"1 0000000000000001aaaaaaaaaaaaaaaa0",
	};
	struct dw_witness *w;

	for (size_t i = 0; i < DW_ARRAY_SIZE(bad); i++)
		assert_int_equal(dw_witness_parse(bad[i], BLOCKS, &w), -EINVAL);
	assert_int_equal(
		dw_witness_parse("1 00000000000003e7aaaaaaaaaaaaaaaa", BLOCKS, &w), 0);
	dw_witness_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

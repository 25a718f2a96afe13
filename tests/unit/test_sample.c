/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties of samples over many disks, shares and seeds, and the confidence bound against
 * trials in which the wrong units lie where chance or malice puts them.
 */
#include "unit.h"

#include "base/rng.h"
#include "base/util.h"
#include "plan/sample.h"

static void check_sample(uint64_t blocks, uint32_t unit, double percent, uint64_t seed)
{
	struct dw_sample s, again;
	uint64_t lba = 0, end = 0, n = 0, total = 0, lba2, strata;
	uint32_t nlb = 0, nlb2;

	dw_sample_init(&s, blocks, unit, percent, seed);
	dw_sample_init(&again, blocks, unit, percent, seed);
	assert_int_equal(s.units, (blocks - 1) / unit + 1);
	strata = dw_sample_count(&s) > 2 ? dw_sample_count(&s) - 2 : 0;
	while (dw_sample_next(&s, &lba, &nlb)) {
		assert_true(dw_sample_next(&again, &lba2, &nlb2));
		assert_true(lba == lba2 && nlb == nlb2);
		assert_true(lba >= end);
		assert_int_equal(lba % unit, 0);
		assert_true(nlb == unit || lba + nlb == blocks);
		assert_true(nlb >= 1 && lba + nlb <= blocks);
		if (n == 0)
			assert_int_equal(lba, 0);
		/* one in each stratum: unit u of sample i, i m/r <= u - 1 < (i+1) m/r, up to
		 * the rounding of the edges */
		if (n >= 1 && n <= strata) {
			unsigned __int128 m = s.units - 2, u = lba / unit - 1, i = n - 1;

			assert_true(u >= m * i / strata);
			assert_true(u < m * (i + 1) / strata);
		}
		end = lba + nlb;
		total += nlb;
		n++;
	}
	assert_int_equal(end, blocks);
	assert_int_equal(n, dw_sample_count(&s));
	assert_int_equal(total, dw_sample_blocks(&s));
	assert_false(dw_sample_next(&s, &lba, &nlb));
	assert_false(dw_sample_next(&again, &lba, &nlb));
	/* at least the share, and less than a unit more than it, beyond the two ends */
	assert_true((double)n >= (double)s.units * percent / 100 - 1e-6);
	assert_true(n <= 2 || (double)n < (double)s.units * percent / 100 + 1 + 1e-6);
	if (percent == 100)
		assert_int_equal(total, blocks);
}

static void properties(void **state)
{
	static const double percents[] = {
		0.001, 0.1, 1, 3.7, 10, 33.4, 50, 75, 99, 100
	};
	struct dw_rng rng;

	dw_rng_seed(&rng, 1);
	for (uint64_t seed = 0; seed < 3000; seed++) {
		uint64_t blocks =
			1 + dw_rng_below(&rng, UINT64_C(1) << dw_rng_below(&rng, 20));
		uint32_t unit =
			1 + (uint32_t)dw_rng_below(&rng, 1 << dw_rng_below(&rng, 12));

		check_sample(blocks, unit,
			     percents[dw_rng_below(&rng, DW_ARRAY_SIZE(percents))], seed);
	}
}

static void edges(void **state)
{
	struct dw_sample s;
	uint64_t lba;
	uint32_t nlb;

	for (uint64_t blocks = 1; blocks <= 40; blocks++)
		for (uint32_t unit = 1; unit <= 42; unit++)
			for (int p = 1; p <= 100; p += 9)
				check_sample(blocks, unit, p, blocks * unit);
	/* the largest disk: neither overflow nor memory */
	dw_sample_init(&s, UINT64_MAX, 1, 1e-16, 5);
	assert_int_equal(dw_sample_count(&s), 19);
	for (int i = 0; i < 19; i++)
		assert_true(dw_sample_next(&s, &lba, &nlb));
	assert_true(lba == UINT64_MAX - 1 && nlb == 1);
	check_sample(UINT64_C(1) << 40, 2048, 0.01, 9);
}

static void seeds_matter(void **state)
{
	struct dw_sample a, b;
	uint64_t x, y, different = 0;
	uint32_t nlb;

	dw_sample_init(&a, 1000000, 8, 1, 1);
	dw_sample_init(&b, 1000000, 8, 1, 2);
	while (dw_sample_next(&a, &x, &nlb) && dw_sample_next(&b, &y, &nlb))
		different += x != y;
	assert_true(different > dw_sample_count(&a) * 9 / 10);
}

/* Over many seeds each unit of a stratum comes up equally often. */
static void uniform(void **state)
{
	unsigned hits[102] = { 0 };

	for (uint64_t seed = 0; seed < 20000; seed++) {
		struct dw_sample s;
		uint64_t lba;
		uint32_t nlb;

		dw_sample_init(&s, 102, 1, 12 / 1.02, seed);
		assert_int_equal(dw_sample_count(&s), 12);
		while (dw_sample_next(&s, &lba, &nlb))
			hits[lba]++;
	}
	assert_int_equal(hits[0], 20000);
	assert_int_equal(hits[101], 20000);
	for (int i = 1; i < 101; i++)
		assert_in_range(hits[i], 1750, 2250); /* 2000, sigma 42 */
}

static void near(double got, double want)
{
	if (got < want * 0.9999 || got > want * 1.0001)
		fail_msg("%.9f instead of %.9f", got, want);
}

static void bound_values(void **state)
{
	near(dw_sample_bound_of(1, 302, 3000002, 0.99), 0.0152334); /* 1 - 0.01^(1/300) */
	near(dw_sample_bound_of(1, 10002, 1000002, 0.99), 0.000460410);
	near(dw_sample_bound_of(1, 61, 5900002, 0.95),
	     0.0495102); /* rule of three: 3/59 */
	near(dw_sample_bound_of(1, 2, 100, 0.99), 0.98);
	near(dw_sample_bound_of(1, 3, 4, 0.99), 0.25);
	assert_true(dw_sample_bound_of(1, 100, 100, 0.99) == 0);
	assert_true(dw_sample_bound_of(1, 1, 1, 0.99) == 0);
	for (uint64_t n = 1; n < 5000; n++) {
		double b = dw_sample_bound_of(1, n, 5000, 0.99);

		assert_true(b > 0 && b <= (double)(5000 - n) / 5000 + 1e-12);
	}
}

/* Wrong units beyond the bound escape in at most 1 % of the samples. */
static unsigned escapes(uint64_t units, double percent, uint64_t wrong, bool scattered)
{
	static bool bad[4096];
	unsigned escaped = 0;
	struct dw_rng rng;

	dw_rng_seed(&rng, units + wrong);
	for (uint64_t seed = 0; seed < 4000; seed++) {
		uint64_t at = 1 + dw_rng_below(&rng, units - 1 - wrong), lba;
		struct dw_sample s;
		bool hit = false;
		uint32_t nlb;

		memset(bad, 0, sizeof(bad));
		for (uint64_t left = wrong; left;
		     at = scattered ? 1 + dw_rng_below(&rng, units - 2) : at + 1) {
			left -= !bad[at];
			bad[at] = true;
		}
		dw_sample_init(&s, units, 1, percent, seed);
		while (dw_sample_next(&s, &lba, &nlb))
			hit |= bad[lba];
		escaped += !hit;
	}
	return escaped;
}

static void bound_holds(void **state)
{
	static const struct {
		uint64_t units;
		double percent;
	} row[] = { { 4000, 1 }, { 4000, 5 }, { 1000, 10 }, { 500, 40 }, { 300, 66 } };

	for (size_t i = 0; i < DW_ARRAY_SIZE(row); i++) {
		struct dw_sample s;
		uint64_t wrong;

		dw_sample_init(&s, row[i].units, 1, row[i].percent, 0);
		wrong = 1 + (uint64_t)(dw_sample_bound_of(1, dw_sample_count(&s),
							  row[i].units, 0.99) *
				       (double)row[i].units);
		/* 40 of 4000 expected at most; sigma 6.3 */
		assert_in_range(escapes(row[i].units, row[i].percent, wrong, true), 0,
				60);
		assert_in_range(escapes(row[i].units, row[i].percent, wrong, false), 0,
				60);
		/* the bound is no idle talk: half as many do escape more often */
		if (row[i].percent <= 10)
			assert_true(escapes(row[i].units, row[i].percent, wrong / 2,
					    true) > 100);
	}
}

/* What it reads proves something, and is no more than that takes. */
static void floor_proves(void **state)
{
	static const uint64_t mib[] = { 1,      2,      100,     4607,    9000,
					9300,   13000,  14000,   16000,   20000,
					100000, 460000, 1000000, 50000000 };
	static const double asked[] = { 0.01, 0.1, 1, 10, 50, 99.9, 100 };
	static const uint32_t unit[] = { 8, 1024, 2048 };

	for (size_t i = 0; i < DW_ARRAY_SIZE(mib) * DW_ARRAY_SIZE(unit); i++)
		for (size_t k = 0; k < DW_ARRAY_SIZE(asked); k++) {
			uint32_t length = unit[i % DW_ARRAY_SIZE(unit)];
			uint64_t blocks = mib[i / DW_ARRAY_SIZE(unit)] * 2048 - 1;
			double percent = dw_sample_floor(blocks, 512, length, asked[k]);
			struct dw_sample s;

			dw_sample_init(&s, blocks, length, percent, 0);
			assert_true(percent >= asked[k] && percent <= 100);
			assert_true(dw_sample_bound_of(1, dw_sample_count(&s), s.units,
						       0.99) <= 0.001);
			if (percent > asked[k] && percent < 100)
				assert_in_range(dw_sample_count(&s), 4600, 6200);
			/* in full where so many places take as long, and only there */
			if (percent == 100 && asked[k] < 100)
				assert_true(blocks * 512 / DW_SAMPLE_PLACE_BYTES < 7000);
			if (blocks * 512 / DW_SAMPLE_PLACE_BYTES < 4600 &&
			    percent > asked[k])
				assert_true(percent == 100);
		}
	assert_true(dw_sample_floor(2048 * UINT64_C(1000000), 512, 2048, 1) == 1);
	/* two commands' length of blocks of 4,096 bytes */
	assert_true(dw_sample_floor(UINT64_C(1) << 20, 4096, 512, 1) == 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floor_proves), cmocka_unit_test(properties),
		cmocka_unit_test(edges),        cmocka_unit_test(seeds_matter),
		cmocka_unit_test(uniform),      cmocka_unit_test(bound_values),
		cmocka_unit_test(bound_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two copies' samples: how long by each policy, and what several samples of one disk prove. */
#include <math.h>

#include "base/rng.h"
#include "plan/sample.h"
#include "sched/copies.h"
#include "unit.h"

static struct dw_copies_forecast simulate(struct dw_copy a, struct dw_copy b,
					  uint64_t units)
{
	struct dw_copy copy[2] = { a, b };
	struct dw_copies_forecast f;

	dw_copies_simulate(copy, units, 1, &f);
	return f;
}

static void near(double want, double is, double by)
{
	if (fabs(is / want - 1) > by)
		fail_msg("%g, not %g", is, want);
}

/* constant times: by hand */
static void constant(void **state)
{
	struct dw_copy quick = { .mean_s = 1 }, slow = { .mean_s = 3 };
	struct dw_copies_forecast f;

	f = simulate(quick, quick, 10);
	near(40, f.both, 1e-9);
	near(40, f.common, 1e-9);
	/* 2 each: 20 and 60; then the quick one takes four */
	f = simulate(quick, slow, 10);
	near(120, f.both, 1e-9);
	near(60, f.common, 1e-9);
	/* the slow one only begins after 30 and has done nothing: 90; the quick one takes all */
	slow.ready_s = 30;
	quick.done = 2;
	f = simulate(quick, slow, 10);
	near(150, f.both, 1e-9);
	near(90, f.common, 1e-9);
}

/* the last read of each: the larger of two, by their distributions */
static void varying(void **state)
{
	static const struct {
		double cv2, larger;
	} rows[] = { { 0.5, 1.375 }, { 1, 1.5 }, { 3, 1.625 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dw_copy c = { .mean_s = 1, .cv2 = rows[i].cv2, .done = 3 };
		struct dw_copy copy[2] = { c, c };
		double sum = 0;

		for (uint64_t seed = 0; seed < 400; seed++) {
			struct dw_copies_forecast f;

			dw_copies_simulate(copy, 1, seed, &f);
			sum += f.both / 400;
		}
		near(rows[i].larger, sum, 0.02);
	}
}

static bool found(uint64_t units, double percent, uint64_t sweeps, uint64_t wrong,
		  uint64_t from, uint64_t seed)
{
	for (uint64_t k = 0; k < sweeps; k++) {
		struct dw_sample s;
		uint64_t lba;
		uint32_t nlb;

		dw_sample_init(&s, units, 1, percent, seed * 100 + k);
		while (dw_sample_next(&s, &lba, &nlb))
			if (lba >= from && lba < from + wrong)
				return true;
	}
	return false;
}

/* as many wrong units as the bound says, anywhere: 99 of 100 such disks are found out */
static void bound(void **state)
{
	const uint64_t units = 5000;

	near(dw_sample_bound_of(1, 152, units, 0.99),
	     dw_sample_bound_of(1, 152, units, 0.99), 1e-12);
	assert_true(dw_sample_bound_of(4, units * 2, units, 0.99) > 0);
	/* half of what a sample needs by itself is too little to share */
	assert_false(dw_copies_share(1000000, 0.6));
	assert_true(dw_copies_share(1000000, 1));
	assert_false(dw_copies_share(4000, 99));
	for (uint64_t sweeps = 2; sweeps <= 6; sweeps++) {
		struct dw_sample s;
		uint64_t wrong, missed = 0, n;
		double b;

		dw_sample_init(&s, units, 1, 1, 1);
		n = dw_sample_count(&s);
		b = dw_sample_bound_of(sweeps, n * sweeps, units, 0.99);
		assert_true(b > dw_sample_bound_of(1, n * sweeps, units, 0.99) * 0.9);
		assert_true(b < dw_sample_bound_of(1, n, units, 0.99));
		wrong = (uint64_t)ceil(b * (double)units);
		for (uint64_t seed = 0; seed < 3000; seed++)
			missed += !found(units, 1, sweeps, wrong,
					 1 + seed * 37 % (units - wrong - 2), seed);
		if (missed > 45) /* 30 expected at most, and 2.7 times their spread */
			fail_msg("%llu sweeps: %llu of 3000 missed",
				 (unsigned long long)sweeps, (unsigned long long)missed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constant),
		cmocka_unit_test(varying),
		cmocka_unit_test(bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

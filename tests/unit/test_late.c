/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the disks that will end last say of a trial. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/util.h"
#include "sched/late.h"

#define MB 1000000.0
#define N  4

static const struct dw_view_disk disks[N] = {
	{ .left = 1000000, .block_size = 512 },
	{ .left = 1000000, .block_size = 512 },
	{ .left = 1000000, .block_size = 512 },
	{ .left = 10, .block_size = 512, .out = true },
};
static const struct dw_view view = {
	.n = N, .disk = disks, .unfinished = 3, .active = 3
};

/* disk 2 has a tenth of the pace of the others, and gets @factor of it in a trial in which all
 * together get @ratio of what they had; both for @seconds */
static int vote(double factor, double ratio, double seconds)
{
	double slow = 10 * factor, fast = (210 * ratio - slow) / 2;
	const struct dw_late d[N] = {
		{ 100 * MB, fast * MB * seconds, false },
		{ 100 * MB, fast * MB * seconds, false },
		{ 10 * MB, slow * MB * seconds, false },
		{ 0 },
	};

	return dw_late_vote(d, &view, ratio, 65536);
}

static void the_last_decides(void **state)
{
	assert_int_equal(vote(0.90, 1.00, 100), -1);
	assert_int_equal(vote(0.90, 1.02, 100), -1);
	assert_int_equal(vote(0.97, 1.00, 100), 0);
	assert_int_equal(vote(1.00, 1.00, 100), 0);
	assert_int_equal(vote(1.05, 1.00, 100), 0);
	assert_int_equal(vote(1.10, 1.00, 100), 1);
	assert_int_equal(vote(1.10, 0.996, 100), 1);
	assert_int_equal(vote(10.0, 0.996, 100), 1);
	assert_int_equal(vote(0, 1.00, 100), -1);
}

/* it never costs the rate of all anything worth mentioning */
static void all_go_first(void **state)
{
	assert_int_equal(vote(5.0, 0.994, 100), 0);
	assert_int_equal(vote(0.1, 1.04, 100), 0);
}

/* a few commands more or less are chance: 10 MB/s are 153 of 64 KiB a second */
static void chance(void **state)
{
	assert_int_equal(vote(0.90, 1.00, 1), 0);
	assert_int_equal(vote(1.12, 1.00, 1), 0);
	assert_int_equal(vote(0.70, 1.00, 1), -1);
	assert_int_equal(vote(1.30, 1.00, 1), 1);
}

/* one that got nothing, though it has commands; not one that has none yet */
static void nothing(void **state)
{
	struct dw_view_disk some[N];
	struct dw_view with = view;
	struct dw_late d[N] = { { .base = MB, .trial = 0.9 * MB },
				{ .base = MB, .trial = MB },
				{ .trial = 0.1 * MB } };

	memcpy(some, disks, sizeof(some));
	with.disk = some;
	some[2].transfers = 1;
	assert_int_equal(dw_late_vote(d, &with, 1, 4096), 1);
	assert_int_equal(dw_late_vote(d, &with, 1, 65536), 0);
	assert_int_equal(dw_late_vote(d, &with, 0.99, 4096), 0);
	d[2].trial = 0;
	assert_int_equal(dw_late_vote(d, &with, 1, 4096), 0);
	some[2].transfers = 0;
	d[0].trial = d[1].trial = 0.8 * MB;
	assert_int_equal(dw_late_vote(d, &with, 1, 4096), 0);
}

/* nothing is worth a loss of one that goes first, were it the fastest */
static void first(void **state)
{
	struct dw_late d[N] = { { .base = 1000 * MB, .trial = 600 * MB, .first = true },
				{ .base = 100 * MB, .trial = 500 * MB },
				{ .base = 10 * MB, .trial = 100 * MB } };

	assert_int_equal(dw_late_vote(d, &view, 1, 65536), -1);
	assert_int_equal(dw_late_vote(d, &view, 1.1, 65536), -1);
	assert_int_equal(dw_late_vote(d, &view, 1.1, UINT64_C(1) << 30), -1);
	d[0].trial = 1000 * MB;
	assert_int_equal(dw_late_vote(d, &view, 1600 / 1110.0, 65536), 0);
	d[0].trial = 600 * MB;
	d[0].first = false;
	assert_int_equal(dw_late_vote(d, &view, 1.1, 65536), 0);
	assert_int_equal(dw_late_vote(d, &view, 1, 65536), 1);
}

/* of equal disks none is last: with slices as uneven as they may be, they say nothing */
static void equals(void **state)
{
	struct dw_rng rng;
	uint32_t said = 0;

	dw_rng_seed(&rng, 1);
	for (int k = 0; k < 1000; k++) {
		struct dw_late d[N] = { 0 };

		for (int i = 0; i < N - 1; i++)
			d[i].base = 1000 * 65536.0;
		for (int c = 0; c < 300; c++)
			d[dw_rng_below(&rng, N - 1)].trial += 65536;
		said += dw_late_vote(d, &view, 1, 65536) != 0;
	}
	assert_int_equal(said, 0);
}

/* the way back from what was taken for their sake is left alone */
static void no_way_back(void **state)
{
	for (double f = 1; f < 3; f *= 1.01)
		if (vote(f, 1, 1000) > 0)
			assert_int_equal(vote(1 / f, 1, 1000), -1);
}

/* those that end last get a notch more, as deep as it goes; never all disks, and nobody as long
 * as one has got nothing */
static void favour(void **state)
{
	struct dw_view_disk some[N];
	struct dw_view with = view;
	struct dw_late d[N] = { { .base = 3 * MB }, { .base = 3 * MB }, { .base = MB } };

	memcpy(some, disks, sizeof(some));
	with.disk = some;
	assert_true(dw_late_favour(d, &with, 1, 3));
	assert_int_equal(d[0].tried + d[1].tried + d[3].tried, 0);
	assert_int_equal(d[2].tried, 1);
	assert_int_equal(d[2].notch, 0);
	dw_late_accept(d, N);
	assert_int_equal(d[2].notch, 1);
	d[0].base = d[1].base = 3 * MB;
	d[2].base = 2 * MB;
	assert_true(dw_late_favour(d, &with, 1, 3));
	assert_int_equal(d[2].tried, 2);
	assert_false(dw_late_favour(d, &with, 2, 3));
	d[2].base = 2.5 * MB; /* all end at about the same time */
	assert_false(dw_late_favour(d, &with, 1, 5));
	d[2].base = 0;
	some[2].transfers = 1;
	assert_false(dw_late_favour(d, &with, 1, 5));
}

static void keep_and_level(void **state)
{
	struct dw_late d[2] = { { .notch = 2 }, { .notch = 0 } };

	assert_true(dw_late_keep(d, 2, false));
	assert_int_equal(d[0].tried, 2);
	assert_true(dw_late_keep(d, 2, true));
	assert_int_equal(d[0].tried, 0);
	assert_int_equal(d[0].notch, 2);
	dw_late_level(d, 2);
	assert_int_equal(d[0].notch, 0);
	assert_false(dw_late_keep(d, 2, true));
}

static void bookkeeping(void **state)
{
	struct dw_late d[2] = { { .base = 4, .trial = 8 }, { .base = 6, .trial = 10 } };

	dw_late_forget(d, 2);
	assert_true(d[0].base == 2 && d[1].base == 3 && d[0].trial == 8);
	dw_late_accept(d, 2);
	assert_true(d[0].base == 8 && d[1].base == 10);
	dw_late_reset(d, 2, true);
	assert_true(d[0].base == 8 && d[0].trial == 0 && d[1].trial == 0);
	dw_late_reset(d, 2, false);
	assert_true(d[0].base == 0 && d[1].base == 0);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(nothing),          cmocka_unit_test(first),
		cmocka_unit_test(the_last_decides), cmocka_unit_test(all_go_first),
		cmocka_unit_test(chance),           cmocka_unit_test(equals),
		cmocka_unit_test(no_way_back),      cmocka_unit_test(bookkeeping),
		cmocka_unit_test(favour),           cmocka_unit_test(keep_and_level),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}

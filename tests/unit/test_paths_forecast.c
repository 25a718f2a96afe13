/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fixed against dynamic paths: the choice, the figures, and the words. */
#include "unit.h"

#include <math.h>

#include <diskwipe/predict.h>

static struct dw_paths_forecast shelf(void)
{
	return (struct dw_paths_forecast){ .devices = 24,
					   .paths = 2,
					   .transfer = 1 << 20,
					   .media_rate = 250e6,
					   .path_rate = 1200e6,
					   .revolution_ms = 60e3 / 7200 };
}

static void near(double want, double got, double share)
{
	if (!(fabs(got / want - 1) <= share))
		fail_msg("%g, not %g", got, want);
}

/* The values are those of the model closed_paths; cycle 20.7 and 17.6 ms. */
static void turning(void **state)
{
	struct dw_paths_forecast f = shelf();

	dw_forecast_paths(DW_PATHS_AUTO, &f);
	near(1215e6, f.fixed_rate, 0.002);
	near(1430e6, f.dynamic_rate, 0.002);
	near(0.98, f.fixed_misses, 0.01);
	near(0.61, f.dynamic_misses, 0.01);
	near(0.177, f.gain, 0.01);
	assert_true(f.dynamic);
	assert_non_null(strstr(f.why, ": dynamic"));
	f = shelf();
	dw_forecast_paths(DW_PATHS_FIXED, &f);
	assert_false(f.dynamic);
}

static void no_gain(void **state)
{
	struct dw_paths_forecast f = shelf();

	f.revolution_ms = 0; /* write cache on, or nothing turns */
	dw_forecast_paths(DW_PATHS_AUTO, &f);
	near(2400e6, f.fixed_rate, 1e-9);
	assert_true(f.gain == 0 && !f.dynamic);
	assert_non_null(strstr(f.why, "no gain expected: fixed"));
	/* nothing is known but that nothing turns */
	f.media_rate = f.path_rate = 0;
	dw_forecast_paths(DW_PATHS_AUTO, &f);
	assert_true(f.fixed_rate == 0 && !f.dynamic);
	assert_non_null(strstr(f.why, "no gain expected: fixed"));
	dw_forecast_paths(DW_PATHS_DYNAMIC, &f);
	assert_true(f.dynamic);
}

/* Three disks on two paths: two of them share one, unless the path is chosen again. */
static void uneven(void **state)
{
	struct dw_paths_forecast f = { .devices = 3,
				       .paths = 2,
				       .transfer = 1 << 20,
				       .media_rate = 1000e6,
				       .path_rate = 1200e6 };

	dw_forecast_paths(DW_PATHS_AUTO, &f);
	near(2200e6, f.fixed_rate, 1e-9);
	near(2400e6, f.dynamic_rate, 1e-9);
	assert_true(f.dynamic);
}

static void unknown(void **state)
{
	struct dw_paths_forecast f = shelf();

	f.path_rate = 0;
	dw_forecast_paths(DW_PATHS_AUTO, &f);
	assert_true(f.dynamic && f.fixed_rate == 0 && f.gain == 0);
	assert_non_null(strstr(f.why, "no forecast without the rate of a path"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turning),
		cmocka_unit_test(no_gain),
		cmocka_unit_test(uneven),
		cmocka_unit_test(unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

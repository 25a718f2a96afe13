/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done side by side is done once for each, whatever takes long, and done at the end. */
#include <stdatomic.h>
#include <unistd.h>

#include "unit.h"

#include "device/abreast.h"

#define MOST 100

static atomic_int times[MOST];

static void each(void *ctx, size_t i)
{
	usleep(i % 7 ? 0 : 2000);
	atomic_fetch_add(&times[i], *(int *)ctx);
}

static void once_each(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 16, 17, MOST };
	int by = 3;

	for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
		memset(times, 0, sizeof(times));
		dw_abreast(each, &by, counts[k]);
		for (size_t i = 0; i < MOST; i++)
			assert_int_equal(atomic_load(&times[i]), i < counts[k] ? by : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(once_each) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

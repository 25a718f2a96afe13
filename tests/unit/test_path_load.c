/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which connection has the next command: by what is known of it, and then by less. */
#include "unit.h"

#include "transport/path_load.h"

/* Without a rate: the fewest bytes under way, and a command without data is not free. */
static void by_bytes(void **state)
{
	struct dw_path_load l = { 0 };

	assert_int_equal(0, dw_path_load_compare(&l, 0, 1, 5));
	dw_path_load_add(&l, 0, 0, 0, 5);
	assert_true(dw_path_load_compare(&l, 0, 1, 5) > 0);
	dw_path_load_add(&l, 1, 65536, 0, 5);
	assert_true(dw_path_load_compare(&l, 0, 1, 5) < 0);
	dw_path_load_sub(&l, 0, 0);
	dw_path_load_sub(&l, 1, 65536);
	assert_int_equal(0, dw_path_load_compare(&l, 0, 1, 5));
}

/* With one: who is free first, whatever has ended meanwhile; what is past counts no more. */
static void by_time(void **state)
{
	struct dw_path_load l = { 0 };

	dw_path_load_add(&l, 0, 4096, 100, 1000);
	dw_path_load_add(&l, 0, 4096, 100, 1050); /* free at 1200 */
	dw_path_load_add(&l, 1, 1 << 20, 150, 1000);
	assert_true(dw_path_load_compare(&l, 0, 1, 1100) > 0);
	assert_true(dw_path_load_compare(&l, 1, 0, 1100) < 0);
	dw_path_load_sub(&l, 0, 4096);
	dw_path_load_sub(&l, 0, 4096);
	assert_true(dw_path_load_compare(&l, 0, 1, 1199) > 0);
	assert_true(dw_path_load_compare(&l, 0, 1, 1200) < 0); /* the bytes decide */
	dw_path_load_add(&l, 0, 4096, 10, 5000);
	assert_true(dw_path_load_compare(&l, 0, 1, 5000) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_bytes),
		cmocka_unit_test(by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

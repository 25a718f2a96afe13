/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The grid of settings, what is remembered of them, and the moves between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/util.h"
#include "sched/grid.h"
#include "sched/moves.h"

static const struct dw_setting top = { 10, 5 };

static void bounds(void **state)
{
	const struct dw_view_disk disks[] = {
		{ .block_size = 512, .max = 8192, .most = 4 },
		{ .block_size = 4096, .max = 3, .most = 33 },
	};
	struct dw_view view = { .n = 2, .disk = disks };
	struct dw_setting t = dw_grid_top(&view);

	assert_int_equal(t.l, 10); /* 4 MiB */
	assert_int_equal(t.d, 5);
	view.n = 1;
	assert_int_equal(dw_grid_top(&view).d, 2);
	for (int l = -1; l <= 12; l++)
		for (int d = -1; d <= 6; d++) {
			bool in = l >= 0 && l <= 10 && d >= 0 && d <= 5 &&
				  (UINT64_C(4096) << l) << d <= 8 * DW_MIB;

			assert_int_equal(dw_grid_has(top, (struct dw_setting){ l, d }),
					 in);
		}
}

/* fewer commands are worth more than any depth, up to 1 MiB */
static void weights(void **state)
{
	const struct dw_setting mib = { 8, 1 };

	assert_int_equal(dw_grid_weight(mib), 0);
	assert_int_equal(dw_grid_weight((struct dw_setting){ 8, 0 }), 0);
	assert_true(dw_grid_weight((struct dw_setting){ 9, 1 }) > 0);
	assert_true(dw_grid_weight((struct dw_setting){ 8, 2 }) > 0);
	assert_true(dw_grid_weight((struct dw_setting){ 7, 1 }) >
		    dw_grid_weight((struct dw_setting){ 8, 5 }));
	assert_true(dw_grid_weight((struct dw_setting){ 6, 1 }) >
		    dw_grid_weight((struct dw_setting){ 7, 5 }));
}

static void memory(void **state)
{
	const struct dw_setting base = { 6, 1 }, other = { 3, 2 };
	struct dw_memory m = { 0 };

	dw_memory_add(&m, base, 100, 0);
	assert_true(dw_grid_same(dw_memory_best(&m, base, 0), base));
	dw_memory_add(&m, other, 102, 0);
	assert_true(dw_grid_same(dw_memory_best(&m, base, 0), base));
	dw_memory_add(&m, other, 120, 0);
	assert_true(dw_grid_same(dw_memory_best(&m, base, 0), other));
	dw_memory_add(&m, base, 100, 100 * DW_NS_PER_S); /* 120 was long ago */
	assert_true(dw_grid_same(dw_memory_best(&m, base, 100 * DW_NS_PER_S), base));
}

/* each is tried, and a step and its reverse lead back */
static void moves(void **state)
{
	const struct dw_setting from = { 6, 2 };
	uint32_t seen = 0;

	for (int i = 0; i < DW_MOVES; i++) {
		uint8_t m = dw_move_order[i], back = dw_move_opposite(m);

		seen |= UINT32_C(1) << m;
		if (m != DW_MOVE_FARTHER)
			assert_true(dw_grid_same(
				dw_move_from(dw_move_from(from, m), back), from));
	}
	assert_int_equal(seen, (UINT32_C(1) << DW_MOVES) - 1);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(bounds),
		cmocka_unit_test(weights),
		cmocka_unit_test(memory),
		cmocka_unit_test(moves),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}

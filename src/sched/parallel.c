/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parallel: every unfinished disk gets commands up to its depth. No disk waits for another. */
#include "sched/strategy.h"

static int next(struct dw_strategy_state *s, const struct dw_view *view,
		struct dw_column *ret)
{
	for (uint32_t i = 0; i < view->n_ready; i++) {
		uint32_t disk = view->ready[i];

		for (uint32_t k = view->disk[disk].room; k; k--) {
			int r = dw_column_add(ret, disk);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

static uint32_t concurrency(const struct dw_strategy_state *s, uint32_t unfinished)
{
	return unfinished;
}

const struct dw_strategy dw_strategy_parallel = {
	.name = "parallel",
	.next = next,
	.concurrency = concurrency,
};

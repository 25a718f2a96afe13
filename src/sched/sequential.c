/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sequential: the first unfinished disk, to its depth; the next one only when it is
 * finished. H is diagonal (Tikhomirov, eq. 4.1).
 */
#include "sched/strategy.h"

static int next(struct dw_strategy_state *s, const struct dw_view *view,
		struct dw_column *ret)
{
	int r = 0;

	while (s->cursor < view->n && view->disk[s->cursor].finished)
		s->cursor++;
	if (s->cursor == view->n)
		return 0;
	for (uint32_t k = view->disk[s->cursor].room; k && !r; k--)
		r = dw_column_add(ret, s->cursor);
	return r;
}

static uint32_t concurrency(const struct dw_strategy_state *s, uint32_t unfinished)
{
	return 1;
}

const struct dw_strategy dw_strategy_sequential = {
	.name = "sequential",
	.next = next,
	.concurrency = concurrency,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Round-robin: when nothing is in flight, the next unfinished disk gets one command, or as many
 * as its depth. One disk a step (Tikhomirov, eq. 4.2). A disk that recovers from an error is
 * passed over, so that it does not delay the others.
 */
#include "sched/strategy.h"

static int next(struct dw_strategy_state *s, const struct dw_view *view,
		struct dw_column *ret)
{
	uint32_t best = view->n, best_distance = UINT32_MAX, from;
	int r = 0;

	if (view->inflight || !view->n_ready)
		return 0;
	from = s->started ? s->cursor : view->n - 1;
	for (uint32_t i = 0; i < view->n_ready; i++) {
		uint32_t disk = view->ready[i];
		uint32_t distance = (disk + view->n - from - 1) % view->n;

		if (distance < best_distance) {
			best_distance = distance;
			best = disk;
		}
	}
	for (uint32_t k = view->disk[best].depth; k && !r; k--)
		r = dw_column_add(ret, best);
	s->cursor = best;
	s->started = true;
	return r;
}

static uint32_t concurrency(const struct dw_strategy_state *s, uint32_t unfinished)
{
	return 1;
}

const struct dw_strategy dw_strategy_round_robin = {
	.name = "round-robin",
	.next = next,
	.concurrency = concurrency,
	.turns = true,
};

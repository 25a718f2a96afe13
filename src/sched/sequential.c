/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sequential: the first unfinished disk gets commands up to its depth; the next one begins when
 * it is finished. H is diagonal (Tikhomirov, eq. 4.1).
 */
#include "sched/strategy.h"

static void deinit(struct dw_strategy_state *s)
{
	dw_queue_deinit(&s->queue);
}

static int disk_in(struct dw_strategy_state *s, const struct dw_view *view, uint32_t disk)
{
	return dw_queue_in(&s->queue, view, disk);
}

static void disk_out(struct dw_strategy_state *s, const struct dw_view *view,
		     uint32_t disk)
{
	dw_queue_out(&s->queue, view, disk);
}

static int next(struct dw_strategy_state *s, const struct dw_view *view,
		struct dw_column *ret)
{
	bool full = s->limit && s->elsewhere >= s->limit;

	return dw_queue_next(&s->queue, view, 1, full, ret);
}

static uint32_t concurrency(const struct dw_strategy_state *s, uint32_t unfinished)
{
	return 1;
}

const struct dw_strategy dw_strategy_sequential = {
	.name = "sequential",
	.free = deinit,
	.disk_in = disk_in,
	.disk_out = disk_out,
	.next = next,
	.concurrency = concurrency,
};

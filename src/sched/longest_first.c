/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Longest-first: as parallel, but at most --active disks at once. The disk that will take longest
 * is admitted first (LPT), so that a short one ends last. LPT is a heuristic: Graham bounds its
 * excess over the optimum by (4 - 1/k)/3 for k slots.
 */
#include "sched/strategy.h"

static int init(struct dw_strategy_state *s)
{
	s->queue.longest_first = true;
	return 0;
}

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
	return dw_queue_next(&s->queue, view, s->limit, s->elsewhere, ret);
}

static uint32_t concurrency(const struct dw_strategy_state *s, uint32_t unfinished)
{
	return s->limit && s->limit < unfinished ? s->limit : unfinished;
}

const struct dw_strategy dw_strategy_longest_first = {
	.name = "longest-first",
	.init = init,
	.free = deinit,
	.disk_in = disk_in,
	.disk_out = disk_out,
	.next = next,
	.concurrency = concurrency,
	.longest_first = true,
};

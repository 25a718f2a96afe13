/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Longest-first: as parallel, but at most --active disks at once; the disk that will take
 * longest is admitted first (LPT), so that the last to finish is a short one. LPT is a
 * start, not the optimum: Graham bounds its excess over the optimum by (4 - 1/k)/3 for k slots.
 */
#include "sched/strategy.h"

static int init(struct dw_strategy_state *s)
{
	s->queue.longest_first = true;
	return 0;
}

static void longest_first_deinit(struct dw_strategy_state *s)
{
	dw_queue_deinit(&s->queue);
}

static int longest_first_disk_in(struct dw_strategy_state *s, const struct dw_view *view,
				 uint32_t disk)
{
	return dw_queue_in(&s->queue, view, disk);
}

static void disk_out(struct dw_strategy_state *s, const struct dw_view *view,
		     uint32_t disk)
{
	dw_queue_out(&s->queue, view, disk);
}

static int longest_first_next(struct dw_strategy_state *s, const struct dw_view *view,
			      struct dw_column *ret)
{
	return dw_queue_next(&s->queue, view, s->limit, s->elsewhere, ret);
}

static uint32_t longest_first_concurrency(const struct dw_strategy_state *s,
					  uint32_t unfinished)
{
	return s->limit && s->limit < unfinished ? s->limit : unfinished;
}

const struct dw_strategy dw_strategy_longest_first = {
	.name = "longest-first",
	.init = init,
	.free = longest_first_deinit,
	.disk_in = longest_first_disk_in,
	.disk_out = disk_out,
	.next = longest_first_next,
	.concurrency = longest_first_concurrency,
	.longest_first = true,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Longest-first: as parallel, but at most --active disks at once; the disk that will take
 * longest is admitted first (LPT), so that the last to finish is a short one. LPT is a
 * start, not the optimum: Graham bounds its excess over the optimum by (4 - 1/k)/3 for k slots.
 */
#include "sched/strategy.h"

#include <errno.h>
#include <stdlib.h>

static int admit_all(struct dw_strategy_state *s, const struct dw_view *view)
{
	s->order = calloc(view->n, sizeof(*s->order));
	s->rank = calloc(view->n, sizeof(*s->rank));
	if (!s->order || !s->rank)
		return -ENOMEM;
	for (uint32_t i = 0; i < view->n; i++) {
		uint32_t k = i;

		/* insertion keeps equal disks in the order in which they were named */
		while (k && view->disk[s->order[k - 1]].expected_ns <
				    view->disk[i].expected_ns) {
			s->order[k] = s->order[k - 1];
			k--;
		}
		s->order[k] = i;
	}
	for (uint32_t i = 0; i < view->n; i++)
		s->rank[s->order[i]] = i;
	s->n_order = view->n;
	s->started = true;
	return 0;
}

/* somebody has finished: who is next? */
static void admit(struct dw_strategy_state *s, const struct dw_view *view)
{
	uint32_t limit = s->limit ? s->limit : view->n, running = 0;

	for (uint32_t i = 0; i < s->cursor; i++)
		running += !view->disk[s->order[i]].finished;
	/* a resumed disk may have finished before its turn: nothing was left but a flush */
	while (running < limit && s->cursor < s->n_order)
		running += !view->disk[s->order[s->cursor++]].finished;
	s->unfinished = view->unfinished;
	s->admitted_to = s->limit;
}

/* of those that can take commands, what is admitted, in the order of admission */
static int add(struct dw_strategy_state *s, const struct dw_view *view, uint32_t disk,
	       struct dw_column *ret)
{
	uint32_t at = ret->n;
	int r = 0;

	for (uint32_t k = view->disk[disk].room; k && !r; k--)
		r = dw_column_add(ret, disk);
	for (; !r && at && s->rank[ret->entry[at - 1]] > s->rank[disk]; at--) {
		ret->entry[at - 1 + view->disk[disk].room] = ret->entry[at - 1];
		ret->entry[at - 1] = disk;
	}
	return r;
}

static int next(struct dw_strategy_state *s, const struct dw_view *view,
		struct dw_column *ret)
{
	int r = s->started ? 0 : admit_all(s, view);

	if (r < 0)
		return r;
	if (!s->cursor || s->unfinished != view->unfinished || s->admitted_to != s->limit)
		admit(s, view);
	for (uint32_t i = 0; i < view->n_ready && !r; i++)
		if (s->rank[view->ready[i]] < s->cursor)
			r = add(s, view, view->ready[i], ret);
	return r;
}

static uint32_t concurrency(const struct dw_strategy_state *s, uint32_t unfinished)
{
	return s->limit && s->limit < unfinished ? s->limit : unfinished;
}

const struct dw_strategy dw_strategy_longest_first = {
	.name = "longest-first",
	.next = next,
	.concurrency = concurrency,
};

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
	s->running = calloc(view->n, sizeof(*s->running));
	if (!s->order || !s->running)
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
	s->n_order = view->n;
	s->started = true;
	return 0;
}

static int next(struct dw_strategy_state *s, const struct dw_view *view,
		struct dw_column *ret)
{
	uint32_t limit = s->limit ? s->limit : view->n, kept = 0;
	int r = s->started ? 0 : admit_all(s, view);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < s->n_running; i++)
		if (!view->disk[s->running[i]].finished)
			s->running[kept++] = s->running[i];
	s->n_running = kept;
	/* a resumed disk may have finished before its turn: nothing was left but a flush */
	while (s->n_running < limit && s->cursor < s->n_order) {
		uint32_t disk = s->order[s->cursor++];

		if (!view->disk[disk].finished)
			s->running[s->n_running++] = disk;
	}
	for (uint32_t i = 0; i < s->n_running; i++)
		for (uint32_t k = view->disk[s->running[i]].room; k && !r; k--)
			r = dw_column_add(ret, s->running[i]);
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

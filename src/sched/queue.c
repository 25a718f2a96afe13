/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "sched/strategy.h"

static int reserve_disks(struct dw_queue *q, uint32_t n, uint32_t owner)
{
	uint32_t cap = (uint32_t)dw_max_u64(n, UINT64_C(2) * q->cap);

	if (owner >= q->owners) {
		if (dw_grow(&q->share, q->owners, owner + 1, sizeof(*q->share)) < 0)
			return -ENOMEM;
		q->owners = owner + 1;
	}
	if (n <= q->cap)
		return 0;
	if (dw_grow(&q->waiting, q->cap, cap, sizeof(*q->waiting)) < 0 ||
	    dw_grow(&q->turn, q->cap, cap, sizeof(*q->turn)) < 0)
		return -ENOMEM;
	q->cap = cap;
	return 0;
}

/* whether @a is admitted before @b, which came later */
static bool precedes(const struct dw_queue *q, const struct dw_view_disk *a,
		     const struct dw_view_disk *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	return !q->longest_first || a->expected_ns >= b->expected_ns;
}

int dw_queue_in(struct dw_queue *q, const struct dw_view *view, uint32_t disk)
{
	uint32_t from = 0, to = q->n_waiting;
	int r = reserve_disks(q, view->n, view->disk[disk].owner);

	if (r < 0)
		return r;
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (precedes(q, &view->disk[q->waiting[mid]], &view->disk[disk]))
			to = mid;
		else
			from = mid + 1;
	}
	memmove(&q->waiting[from + 1], &q->waiting[from],
		(q->n_waiting++ - from) * sizeof(*q->waiting));
	q->waiting[from] = disk;
	q->turn[disk] = 0;
	return 0;
}

static void remove_waiting(struct dw_queue *q, uint32_t i)
{
	memmove(&q->waiting[i], &q->waiting[i + 1],
		(--q->n_waiting - i) * sizeof(*q->waiting));
}

void dw_queue_out(struct dw_queue *q, const struct dw_view *view, uint32_t disk)
{
	uint32_t i = 0;

	if (q->turn[disk]) {
		q->turn[disk] = 0;
		q->share[view->disk[disk].owner]--;
		q->running--;
		return;
	}
	while (q->waiting[i] != disk)
		i++;
	remove_waiting(q, i);
}

/* index of the waiting disk that is admitted next */
static uint32_t next_admitted(const struct dw_queue *q, const struct dw_view *view)
{
	uint32_t best = q->n_waiting - 1;

	for (uint32_t i = best; i--;) {
		const struct dw_view_disk *d = &view->disk[q->waiting[i]];
		const struct dw_view_disk *b = &view->disk[q->waiting[best]];

		if (d->priority < b->priority || !q->share[b->owner])
			break;
		if (q->share[d->owner] < q->share[b->owner])
			best = i;
	}
	return best;
}

static void admit_waiting(struct dw_queue *q, const struct dw_view *view, uint32_t i)
{
	uint32_t disk = q->waiting[i];

	remove_waiting(q, i);
	q->turn[disk] = ++q->admitted;
	q->share[view->disk[disk].owner]++;
	q->running++;
}

static int add_turns(const struct dw_queue *q, const struct dw_view *view, uint32_t disk,
		     struct dw_column *ret)
{
	uint32_t at = ret->n;
	int r = 0;

	for (uint32_t k = view->disk[disk].room; k && !r; k--)
		r = dw_column_add(ret, disk);
	for (; !r && at && q->turn[ret->entry[at - 1]] > q->turn[disk]; at--) {
		ret->entry[at - 1 + view->disk[disk].room] = ret->entry[at - 1];
		ret->entry[at - 1] = disk;
	}
	return r;
}

int dw_queue_next(struct dw_queue *q, const struct dw_view *view, uint32_t limit,
		  uint32_t elsewhere, struct dw_column *ret)
{
	int r = 0;

	while (q->n_waiting && (!limit || q->running + elsewhere < limit))
		admit_waiting(q, view, limit ? next_admitted(q, view) : q->n_waiting - 1);
	for (uint32_t i = 0; i < view->n_ready && !r; i++)
		if (q->turn[view->ready[i]])
			r = add_turns(q, view, view->ready[i], ret);
	return r;
}

void dw_queue_deinit(struct dw_queue *q)
{
	free(q->waiting);
	free(q->turn);
	free(q->share);
	*q = (struct dw_queue){ 0 };
}

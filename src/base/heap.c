/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The insertion number breaks ties, so that a simulation with equal times is the same on
 * every run and every machine.
 */
#include "base/heap.h"

#include <errno.h>
#include <stdlib.h>

#include "base/util.h"

static bool before(const struct dw_heap_item *a, const struct dw_heap_item *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->seq < b->seq;
}

int dw_heap_push(struct dw_heap *h, uint64_t ns, uint64_t tag)
{
	struct dw_heap_item item = { .ns = ns, .seq = h->seq, .tag = tag };
	size_t i;

	if (dw_room(&h->v, h->n, &h->cap, sizeof(*h->v)) < 0)
		return -ENOMEM;
	h->seq++;
	for (i = h->n++; i && before(&item, &h->v[(i - 1) / 2]); i = (i - 1) / 2)
		h->v[i] = h->v[(i - 1) / 2];
	h->v[i] = item;
	return 0;
}

bool dw_heap_pop(struct dw_heap *h, struct dw_heap_item *ret)
{
	struct dw_heap_item last;
	size_t i = 0;

	if (!h->n)
		return false;
	*ret = h->v[0];
	last = h->v[--h->n];
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= h->n)
			break;
		if (child + 1 < h->n && before(&h->v[child + 1], &h->v[child]))
			child++;
		if (!before(&h->v[child], &last))
			break;
		h->v[i] = h->v[child];
		i = child;
	}
	if (h->n)
		h->v[i] = last;
	return true;
}

uint64_t dw_heap_peek(const struct dw_heap *h)
{
	return h->n ? h->v[0].ns : UINT64_MAX;
}

void dw_heap_deinit(struct dw_heap *h)
{
	free(h->v);
	*h = (struct dw_heap){ 0 };
}

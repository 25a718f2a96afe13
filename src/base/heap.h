/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_HEAP_H
#define DW_BASE_HEAP_H

/* A binary heap of (time, tag): the earliest first, equal times in order of insertion. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dw_heap_item {
	uint64_t ns;
	uint64_t seq;
	uint64_t tag;
};

struct dw_heap {
	struct dw_heap_item *v;
	size_t n;
	uint32_t cap;
	uint64_t seq;
};

/** dw_heap_push() - 0 or -ENOMEM. */
int dw_heap_push(struct dw_heap *h, uint64_t ns, uint64_t tag);

/** dw_heap_pop() - remove the earliest; false when empty. */
bool dw_heap_pop(struct dw_heap *h, struct dw_heap_item *ret);

/** dw_heap_peek() - time of the earliest, UINT64_MAX when empty. */
uint64_t dw_heap_peek(const struct dw_heap *h);

/** dw_heap_deinit() - free the memory; empty and usable after. */
void dw_heap_deinit(struct dw_heap *h);

#endif

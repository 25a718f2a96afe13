/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_EXTENT_H
#define DW_ENCLOSURE_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dw_cdb_extent {
	uint64_t start, end; /* bytes, end not included */
};

/* A sorted set of bytes. Zeroed memory is an empty set. */
struct dw_extents {
	struct dw_cdb_extent *e;
	size_t n, cap;
	uint64_t total;
};

int dw_extents_add(struct dw_extents *x, uint64_t start, uint64_t end);
int dw_extents_remove(struct dw_extents *x, uint64_t start, uint64_t end);
bool dw_extents_next(const struct dw_extents *x, uint64_t at,
		     struct dw_cdb_extent *ret_e);
void dw_extents_clear(struct dw_extents *x);

#endif

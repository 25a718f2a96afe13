/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PLAN_EXTENTS_H
#define DW_PLAN_EXTENTS_H

/* A sorted list of runs of blocks: work given back, blocks that saw errors. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct dw_extent - a run of blocks
 * @lba, @nlb: first block and count, > 0
 * @max: longest single transfer to use inside it, 0 = no limit (bisection narrows it)
 * @tries: how often it was read and was wrong
 * @fails: how often its command has failed
 * @late: it was put off until the rest of the pass is done
 * @reset: it begins at the start of a zone, which was reset for it
 */
struct dw_extent {
	uint64_t lba;
	uint64_t nlb;
	uint32_t max;
	uint16_t tries;
	uint8_t fails;
	bool late;
	bool reset;
};

struct dw_extents {
	struct dw_extent *v;
	size_t n;
	uint32_t cap;
	uint64_t blocks; /* sum of nlb */
};

/** dw_extents_deinit() - free the list; it is empty and usable after. */
void dw_extents_deinit(struct dw_extents *x);

/** dw_extents_add() - insert by LBA; no merging: each run keeps its limits. 0 or -ENOMEM. */
int dw_extents_add(struct dw_extents *x, const struct dw_extent *e);

/** dw_extents_merge() - add a run to a set: overlapping and adjacent runs become one, with
 *  max and tries 0. 0 or -ENOMEM. */
int dw_extents_merge(struct dw_extents *x, uint64_t lba, uint64_t nlb);

/** dw_extents_take() - remove up to @nlb blocks from the front; false when empty. */
bool dw_extents_take(struct dw_extents *x, uint32_t nlb, struct dw_extent *ret);

/** dw_extents_take_from() - the same from the front of run @i. */
void dw_extents_take_from(struct dw_extents *x, size_t i, uint32_t nlb,
			  struct dw_extent *ret);

/** dw_extents_halve() - the run that begins at @lba becomes two of about equal length, cut at a
 *  multiple of @align; none may begin there. 0 or -ENOMEM. */
int dw_extents_halve(struct dw_extents *x, uint64_t lba, uint32_t align);

/** dw_extents_near() - the first run that ends behind @lba: it holds @lba, or comes after it;
 *  NULL = none. */
const struct dw_extent *dw_extents_near(const struct dw_extents *x, uint64_t lba);

/** dw_extents_remove() - drop the blocks of a run from a set. 0 or -ENOMEM. */
int dw_extents_remove(struct dw_extents *x, uint64_t lba, uint64_t nlb);

/** dw_extents_has() - is the block in one of the runs? */
bool dw_extents_has(const struct dw_extents *x, uint64_t lba);

#endif

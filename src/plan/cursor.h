/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PLAN_CURSOR_H
#define DW_PLAN_CURSOR_H

/*
 * What of a pass is still to be sent. The cursor cuts the next piece; a piece that failed or
 * was never sent is given back and comes out again before anything new, or is put off and comes
 * out when nothing else is left.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/zones.h"
#include "plan/extents.h"
#include "plan/order.h"
#include "plan/sample.h"

/**
 * struct dw_cursor - position in a pass
 * @next, @end: the part of the sweep not yet cut, as positions
 * @order: where these are on the disk, NULL = where they say; borrowed
 * @zones: no piece crosses a boundary of these, and the sweep passes over those that are not
 *	written any more; NULL = there are none; borrowed, and kept by all that begins again
 * @align: pieces of the sweep end on multiples of it
 * @sampled: the sweep visits @sample instead of every block
 * @sample, @unit_lba, @unit_nlb: the sample and the rest of its current unit
 * @sample_blocks: blocks of the sample not yet cut, @unit_nlb included
 * @redo: given back
 * @tail: visited after the sweep
 * @late: put off; the sweep passes over it, and it is visited last, its edges first
 * @late_next: where the last piece of it ended; the run that begins there is the next
 */
struct dw_cursor {
	uint64_t next;
	uint64_t end;
	const struct dw_order *order;
	const struct dw_zones *zones;
	uint32_t align;
	bool sampled;
	struct dw_sample sample;
	uint64_t unit_lba;
	uint32_t unit_nlb;
	uint64_t sample_blocks;
	struct dw_extents redo;
	struct dw_extents tail;
	struct dw_extents late;
	uint64_t late_next;
};

/** dw_cursor_range() - sweep from @next to @end - 1, upwards; @align >= 1. */
void dw_cursor_range(struct dw_cursor *c, uint64_t next, uint64_t end, uint32_t align);

/** dw_cursor_order() - sweep from position @next to the end in that order, which is borrowed. */
void dw_cursor_order(struct dw_cursor *c, uint64_t next, uint64_t end, uint32_t align,
		     const struct dw_order *order);

/** dw_cursor_sample() - visit the units of a sample. */
void dw_cursor_sample(struct dw_cursor *c, const struct dw_sample *sample);

/** dw_cursor_deinit() - free the lists. */
void dw_cursor_deinit(struct dw_cursor *c);

/** dw_cursor_left() - blocks still to be cut. */
uint64_t dw_cursor_left(const struct dw_cursor *c);

/**
 * dw_cursor_cut() - the next piece
 * @nlb: longest piece wanted, > 0
 * @ret: the piece; its max and tries as when it was given back, else 0
 * Return: false when nothing is left.
 */
bool dw_cursor_cut(struct dw_cursor *c, uint32_t nlb, struct dw_extent *ret);

/** dw_cursor_peek() - where the next piece begins, and what is known of it, without cutting it; its
 *  length is not known. False when nothing is left. Not of a sample. */
bool dw_cursor_peek(struct dw_cursor *c, struct dw_extent *ret);

/**
 * dw_cursor_drop() - blocks are cut no more
 * @lba, @nlb: which; the sweep, which goes upwards, is among them or behind them
 * @ret: how many of them were left
 *
 * Return: 0 or -ENOMEM.
 */
int dw_cursor_drop(struct dw_cursor *c, uint64_t lba, uint64_t nlb, uint64_t *ret);

/**
 * dw_cursor_skip() - pass over blocks of the sweep as if they had been cut
 * @blocks: fewer than are left of it; of a sample, a multiple of its units and not the last
 */
void dw_cursor_skip(struct dw_cursor *c, uint64_t blocks);

/** dw_cursor_give_back() - to be cut again; 0 or -ENOMEM. */
int dw_cursor_give_back(struct dw_cursor *c, const struct dw_extent *e);

/** dw_cursor_put_off() - to be cut when all else has been; 0 or -ENOMEM. */
int dw_cursor_put_off(struct dw_cursor *c, const struct dw_extent *e);

/** dw_cursor_only_late() - whether nothing is left but what was put off. */
bool dw_cursor_only_late(const struct dw_cursor *c);

/** dw_cursor_dares() - nothing is left but what was put off, and the next piece of it does not
 *  follow on the last, or has failed itself. */
bool dw_cursor_dares(const struct dw_cursor *c);

/** dw_cursor_suspects() - whether the next piece has failed, or lies where others have. */
bool dw_cursor_suspects(const struct dw_cursor *c);

/** dw_cursor_low() - the first position of a plain sweep that has not been cut, or was given
 *  back: with nothing in flight, everything below it has been done or put off. */
uint64_t dw_cursor_low(const struct dw_cursor *c);

/** dw_cursor_rewind() - a plain sweep begins again at position @pos, at most dw_cursor_low(); what
 *  was put off stays so. */
void dw_cursor_rewind(struct dw_cursor *c, uint64_t pos);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PLAN_STAMP_H
#define DW_PLAN_STAMP_H

/*
 * Stamps: blocks that hold their own address, no two alike. Written all, and then read all, they
 * show whether two addresses are one block, which a pattern cannot: it is the same everywhere.
 *
 * An address that is cut to n bits comes to lie on that of 0 where it is 2^n, so there is a stamp
 * at 0 and at each power of two. Where the cut begins above some boundary that is no power of two,
 * there may be none beyond it but the last block: so there is one at each address that the last
 * would become by it.
 */
#include <stdbool.h>
#include <stdint.h>

#define DW_STAMPS_MAX 128

/**
 * dw_stamp_lbas() - where stamps stand
 * @blocks: of the disk, > 0
 * @ret: addresses, upwards
 *
 * 0, each power of two, the last block, and what the last becomes by a cut to 16 bits and more.
 *
 * Return: how many.
 */
uint32_t dw_stamp_lbas(uint64_t blocks, uint64_t ret[DW_STAMPS_MAX]);

/**
 * dw_stamp_fill() - what the stamp of a block holds
 * @key: of this look, so that a stamp of an earlier one is none
 * @lba: the block
 * @ret: @block_size bytes, at least 32
 */
void dw_stamp_fill(uint64_t key, uint64_t lba, uint32_t block_size, uint8_t *ret);

/** dw_stamp_is() - a block looks like the stamp of that address, of whatever look. */
bool dw_stamp_is(uint64_t lba, const uint8_t *block);

/**
 * struct dw_stamp_seen - what was read at one address
 * @lba: the address
 * @known: its stamp was written, and something was read
 * @as: index of the address whose stamp that is, -1 = it is none
 */
struct dw_stamp_seen {
	uint64_t lba;
	bool known;
	int as;
};

/**
 * struct dw_stamp_verdict - what that shows
 * @wraps: two addresses are one block
 * @at: the address from which on, as far as is known, and @onto: the one that is the same block
 * @odd: blocks that hold no stamp, though one was written; @odd_lba: the first of them
 * @ends: the last address and others before it, without exception, are among these: nothing is
 *	kept from @end_lba on
 */
struct dw_stamp_verdict {
	bool wraps;
	uint64_t at;
	uint64_t onto;
	uint32_t odd;
	uint64_t odd_lba;
	bool ends;
	uint64_t end_lba;
};

/** dw_stamp_judge() - @seen: @n addresses, upwards, read after all stamps were written upwards. */
void dw_stamp_judge(const struct dw_stamp_seen *seen, uint32_t n,
		    struct dw_stamp_verdict *ret);

#endif

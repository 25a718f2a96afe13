/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_WITNESS_H
#define DW_OWN_WITNESS_H

/*
 * Blocks that prove an erasure by the disk itself: they are read before it, and read again after
 * it. The disk's own report of success proves nothing.
 */
#include "device/device.h"

#define DW_WITNESS_BLOCKS  1000
#define DW_WITNESS_MARKERS 64

/**
 * struct dw_witness - contents of some blocks before
 * @lba, @sum: a block and the CRC-64 of its contents; owned
 * @n: their number; the first @markers of them were written for this purpose
 */
struct dw_witness {
	uint64_t *lba;
	uint64_t *sum;
	uint32_t n;
	uint32_t markers;
};

/**
 * struct dw_witness_found - contents of the same blocks afterwards
 * @read: number of blocks that were read, twice the same, or are withheld or guarded
 * @withheld: of these, the disk reports no contents until they are written
 * @guarded: of these, protection information does not match (10h/01-03): their contents have
 *	changed, and cannot be read before they are written
 * @same: of these, unchanged
 * @first: the first unchanged one
 */
struct dw_witness_found {
	uint32_t read;
	uint32_t withheld;
	uint32_t guarded;
	uint32_t same;
	uint64_t first;
};

/**
 * dw_witness_take() - write markers, and record the contents of them and of other blocks at
 * random
 * @d: the claimed disk
 * @ret: dw_witness_free()
 *
 * A block of one repeated byte proves nothing and is omitted, as is one that reads differently
 * the second time. Markers that cannot be written or read back are omitted, too. Waits for the
 * disk: about a second for one of flash, ten for one that rotates.
 *
 * Return: 0; -ENODATA when no block is left; -ESTALE when another disk answers, to which nothing
 * is sent any more; negative errno.
 */
int dw_witness_take(struct dw_device *d, struct dw_witness **ret);

/**
 * dw_witness_look() - read the blocks again
 * @d: the disk
 * @w: their contents before
 * @announced: what reads find after the operation, as dw_caps.wabereq: with 2 every 3/11 says
 *	that a block has no contents until it is written, else 3/11/15 alone does
 * @ret: result
 *
 * Waits as dw_witness_take(). Return: 0; negative errno: -ENOMEM, or the disk is gone.
 */
int dw_witness_look(struct dw_device *d, const struct dw_witness *w, uint8_t announced,
		    struct dw_witness_found *ret);

/** dw_witness_text() - as text to store: "64 00000000000012349f..."; free(). NULL without
 *  memory. */
char *dw_witness_text(const struct dw_witness *w);

/** dw_witness_parse() - from that text; @blocks: of the disk. 0, -EINVAL, -ENOMEM. */
int dw_witness_parse(const char *text, uint64_t blocks, struct dw_witness **ret);

/** dw_witness_free() - NULL is accepted. */
void dw_witness_free(struct dw_witness *w);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_WITNESS_H
#define DW_OWN_WITNESS_H

/*
 * Blocks that bear witness to an erasure that a disk carried out by itself: read before it, and
 * read again after it. That a disk says it is done proves nothing.
 */
#include "device/device.h"

#define DW_WITNESS_BLOCKS  1000
#define DW_WITNESS_MARKERS 64

/**
 * struct dw_witness - what some blocks held before
 * @lba, @sum: a block and the CRC-64 of its contents; owned
 * @n: how many; the first @markers of them were written for this purpose
 */
struct dw_witness {
	uint64_t *lba;
	uint64_t *sum;
	uint32_t n;
	uint32_t markers;
};

/**
 * struct dw_witness_found - what the same blocks hold now
 * @read: were read, the same twice, or are withheld or guarded
 * @withheld: of these, the disk says that nothing is there until they are written
 * @guarded: of these, protection information does not match (10h/01-03): what is there is not what
 *	was there, and cannot be read before it is written
 * @same: of these, as before
 * @first: one of the latter
 */
struct dw_witness_found {
	uint32_t read;
	uint32_t withheld;
	uint32_t guarded;
	uint32_t same;
	uint64_t first;
};

/**
 * dw_witness_take() - write markers, and note what they and other blocks at random hold
 * @d: the claimed disk
 * @ret: dw_witness_free()
 *
 * A block of one byte, repeated, says nothing afterwards and is left out, nor does one that reads
 * otherwise the second time. Markers that cannot be written or read back are left out, too. Waits
 * for the disk: about a second for one of flash, ten for one that rotates.
 *
 * Return: 0; -ENODATA when no block is left; -ESTALE when another disk answers, to which nothing is
 * sent any more; negative errno.
 */
int dw_witness_take(struct dw_device *d, struct dw_witness **ret);

/**
 * dw_witness_look() - read them again
 * @d: the disk
 * @w: what they held
 * @announced: what reads find after the operation, as dw_caps.wabereq: with 2 every 3/11 says that
 *	nothing is there until it is written, else 3/11/15 alone does
 * @ret: what was found
 *
 * Waits as dw_witness_take(). Return: 0; negative errno: -ENOMEM, or the disk is gone.
 */
int dw_witness_look(struct dw_device *d, const struct dw_witness *w, uint8_t announced,
		    struct dw_witness_found *ret);

/** dw_witness_text() - to keep it: "64 00000000000012349f..."; free(). NULL without memory. */
char *dw_witness_text(const struct dw_witness *w);

/** dw_witness_parse() - from that; @blocks: of the disk. 0, -EINVAL, -ENOMEM. */
int dw_witness_parse(const char *text, uint64_t blocks, struct dw_witness **ret);

/** dw_witness_free() - NULL is accepted. */
void dw_witness_free(struct dw_witness *w);

#endif

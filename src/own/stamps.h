/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_STAMPS_H
#define DW_OWN_STAMPS_H

/*
 * Does a claimed disk reach as many blocks as it shows addresses? A bridge or an adapter that cuts
 * addresses off would have a pattern written to fewer blocks, and read back from the same.
 */
#include "device/device.h"
#include "plan/stamp.h"

/**
 * struct dw_stamp_terms - parameters of the check
 * @strict: see struct dw_claimed_path
 * @fua: bypass the disk's cache where possible
 * @same: stamps are erased by WRITE SAME, @zeros: with zeros
 * @fill: returns the final contents of block @lba, 0 or negative errno; NULL = the contents it
 *	had before
 * @skip: omit that address; NULL = none
 * @ctx: for both
 */
struct dw_stamp_terms {
	bool strict;
	bool fua;
	bool same;
	bool zeros;
	int (*fill)(void *ctx, uint64_t lba, uint8_t *block);
	bool (*skip)(void *ctx, uint64_t lba);
	void *ctx;
};

/**
 * struct dw_stamp_found - result of the check
 * @verdict: of the addresses
 * @missed: number of blocks that did not have the contents of @fill before, and were omitted;
 *	@missed_lba: the first of them
 * @kept: number of blocks that do not have their final contents; @kept_lba: the first of them
 * @same_wraps: WRITE SAME did not reach the blocks from @kept_lba on
 * @same_fails: WRITE SAME did nothing, or failed in a way that says nothing about the block: what
 *	it erased before is not known to be erased
 * @write_errors: number of write errors that the disk reported
 * @lost: a command may have been interrupted, in the worst case by a reset
 */
struct dw_stamp_found {
	struct dw_stamp_verdict verdict;
	uint32_t missed;
	uint64_t missed_lba;
	uint32_t kept;
	uint64_t kept_lba;
	bool same_wraps;
	bool same_fails;
	uint32_t write_errors;
	bool lost;
};

/**
 * dw_device_stamps() - write stamps, flush, read all, and erase them or restore the contents
 * @d: the claimed disk, or one of its paths
 * @terms: parameters
 * @ret: result, also after an error
 *
 * An address whose block cannot be written or read is omitted. Waits for the disk: of 4 TiB, 52
 * blocks, 20 to 100 ms for one of flash, 1.5 s for one that rotates (measured on the test shelf).
 *
 * Return: 0 see @ret; -ENOMEM; as dw_claimed_send().
 */
int dw_device_stamps(struct dw_device *d, const struct dw_stamp_terms *terms,
		     struct dw_stamp_found *ret);

#endif

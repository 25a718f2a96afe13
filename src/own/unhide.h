/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_UNHIDE_H
#define DW_OWN_UNHIDE_H

/* Shows the hidden blocks of a claimed disk, before it is planned. */
#include <diskwipe/job.h>

#include "device/device.h"

/**
 * struct dw_unhidden - result
 * @restored, @n_restored: what is shown now, by what had hidden it
 * @reason: why blocks are still hidden, empty = all that could be shown are
 */
struct dw_unhidden {
	struct dw_restored restored[DW_RESTORED_MAX];
	uint32_t n_restored;
	char reason[160];
};

/**
 * dw_device_unhide() - show all blocks that the disk has
 * @d, @n: its claimed paths, proven if they are several; info and caps are read again
 * @ret: result
 * @ret_verdict: why it cannot be used further, set if 1 is returned
 *
 * A SCSI disk is set to its full capacity by MODE SELECT, whether or not it reports hidden
 * blocks: few do. Of an ATA disk the host protected area or the accessible max address is
 * removed, then the configuration overlay. Each command has a permit of its own for its duration,
 * and is sent right after the disk was identified. Then all facts are read again. They must be
 * the same but for the capacity, which may not be smaller, nor greater than reported before. The
 * kernel reads the capacity again over each path in any case. What is still hidden is in
 * hidden_blocks of the info, whatever the disk reports now. Waits.
 *
 * Return: 0; 1 see @ret_verdict: another disk answers, or an ATA disk needs a power cycle first;
 * negative errno.
 */
int dw_device_unhide(struct dw_device *const *d, size_t n, struct dw_unhidden *ret,
		     struct dw_verdict *ret_verdict);

/** dw_device_rescan() - make the kernel read the capacity of the block sibling again. @bytes: the
 *  expected capacity, 0 where the kernel does not support blocks of that length. Returns whether
 *  the kernel has it. */
bool dw_device_rescan(const struct dw_device *d, uint64_t bytes);

#endif

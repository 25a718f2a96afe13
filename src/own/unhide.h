/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_UNHIDE_H
#define DW_OWN_UNHIDE_H

/* Blocks that a claimed disk hides are shown again, before it is planned what is done with them. */
#include <diskwipe/job.h>

#include "device/device.h"

/**
 * struct dw_unhidden - what came of it
 * @restored, @n_restored: what is shown now, by what had hidden it
 * @reason: why blocks are hidden still, empty = none that could be shown are
 */
struct dw_unhidden {
	struct dw_restored restored[DW_RESTORED_MAX];
	uint32_t n_restored;
	char reason[160];
};

/**
 * dw_device_unhide() - show all blocks that the disk has
 * @d, @n: its claimed paths, proven if they are several; info and caps are asked anew
 * @ret: what came of it
 * @ret_verdict: why it cannot be gone on with, filled when 1 is returned
 *
 * A SCSI disk is asked for all its blocks by MODE SELECT, whether or not it tells of hidden ones:
 * few do. Of an ATA disk the host protected area or the accessible max address is taken away, then
 * the configuration overlay. Each command has a permit of its own for the time that it takes, and
 * is sent right after the disk has said who it is. Then everything is asked again: what was known
 * of the disk must be the same but for the capacity, which may not be smaller, nor greater than it
 * told. The kernel reads it anew over each path, in any case. What is hidden still stands in
 * hidden_blocks of the info, whatever the disk tells now. Waits.
 *
 * Return: 0; 1 see @ret_verdict: another disk answers, or an ATA disk has to lose power before
 * that can be gone on with; negative errno.
 */
int dw_device_unhide(struct dw_device *const *d, size_t n, struct dw_unhidden *ret,
		     struct dw_verdict *ret_verdict);

/** dw_device_rescan() - have the kernel read the capacity of the block sibling anew. @bytes: what
 *  it must be then, 0 where the kernel does not know blocks of that length. Return: is it? */
bool dw_device_rescan(const struct dw_device *d, uint64_t bytes);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_RANGES_H
#define DW_DEVICE_RANGES_H

/* Disks with several actuators, each of which reaches a range of blocks. */
#include "device/device.h"
#include "device/sysfs.h"
#include "scsi/vpd.h"

/**
 * dw_ranges_join() - the reported ranges, as an order can use them
 * @reported, @n: they, in the order of their numbers
 * @blocks: of the disk
 * @ret: not written unless they follow each other from block 0 to the last one
 *
 * Return: 0; -EINVAL when they do not, or there are fewer than two.
 */
int dw_ranges_join(const struct dw_vpd_range *reported, size_t n, uint64_t blocks,
		   struct dw_ranges *ret);

/** dw_device_probe_ranges() - by what the kernel, the Concurrent Positioning Ranges VPD page or the
 *  ATA log of that name tell: ranges and ranges_from of the caps. @page: the disk has that page. */
void dw_device_probe_ranges(const struct dw_machine *m, struct dw_device *d, bool page);

#endif

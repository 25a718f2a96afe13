/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_VPD_H
#define DW_DEVICE_VPD_H

/* Pages of vital product data of which the kernel has a copy: no question to the device. */
#include <diskwipe/disk.h>

#include "device/sysfs.h"

/**
 * dw_vpd_cached() - the kernel's copy of a page, or of standard INQUIRY data
 * @m: the machine
 * @info: the device
 * @page: page code, -1 = standard data
 * @buf, @len: the copy; what there is none of is 0
 *
 * It is as old as the device's appearance or the last rescan, and the device may have been
 * exchanged since then: what is to be written to is asked itself, and compared with what was told.
 *
 * Return: its length; 0: there is none, or it is of another page.
 */
size_t dw_vpd_cached(const struct dw_machine *m, const struct dw_disk_info *info,
		     int page, uint8_t *buf, size_t len);

#endif

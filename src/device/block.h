/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_BLOCK_H
#define DW_DEVICE_BLOCK_H

#include "device/device.h"
#include "device/sysfs.h"

/** dw_block_probe() - facts of a block node without SCSI, into info and caps.
 *  Return: 0; -ENOMEDIUM without a capacity; negative errno. */
int dw_block_probe(const struct dw_machine *m, struct dw_device *d);

#endif

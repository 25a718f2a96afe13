/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_RESTORE_H
#define DW_OWN_RESTORE_H

#include "device/device.h"

/**
 * dw_device_restore() - restore write cache, queue setting and reservation
 * @d: the disk, claimed
 *
 * Each is tried once, whatever becomes of the others. Settings of the disk are restored only
 * after it was identified as the same.
 *
 * Return: 0; what could not be tried: 1 another disk answers, -EIO none does.
 */
int dw_device_restore(struct dw_device *d);

#endif

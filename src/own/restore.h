/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_RESTORE_H
#define DW_OWN_RESTORE_H

#include "device/device.h"

/**
 * dw_device_restore() - put write cache, queue setting and reservation back as they were
 * @d: the disk, claimed
 *
 * Each is tried whatever becomes of the others, and only once; what is the disk's own, only
 * after it has said that it is the same.
 *
 * Return: 0; what could not be tried: 1 another disk answers, -EIO none does.
 */
int dw_device_restore(struct dw_device *d);

#endif

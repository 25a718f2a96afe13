/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_RESTORE_H
#define DW_DEVICE_RESTORE_H

#include "device/device.h"

/** dw_device_restore() - put write cache, queue setting and reservation back as they were;
 *  each is tried whatever becomes of the others, and only once. Needs the claim. */
void dw_device_restore(struct dw_device *d);

#endif

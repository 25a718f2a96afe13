/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_SECURITY_H
#define DW_DEVICE_SECURITY_H

#include "device/device.h"

/** dw_device_ask_security() - what the disk reports of ATA passwords now, into caps.security. 0; 1
 *  it
 *  does not tell, or another disk answers; negative errno: it cannot be asked. */
int dw_device_ask_security(struct dw_device *d);

/** dw_device_probe_security() - the same, when the disk is probed; and whether it is offered to
 *  erase itself by SECURITY ERASE UNIT: operations, their times and not_secure of the caps. */
void dw_device_probe_security(struct dw_device *d);

/** dw_device_security_text() - "supported, frozen, normal 90 min, enhanced 2 min". @buf: 128
 *  bytes; returned. */
const char *dw_device_security_text(const struct dw_self_erase *c, char *buf,
				    size_t size);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_HOST_H
#define DW_DEVICE_HOST_H

/* Which machine this is, as a result or a certificate names it. */
#include "diskwipe/job.h"
#include "device/sysfs.h"

/**
 * dw_host_read() - what the kernel and the firmware call the machine
 * @m: where its trees are
 * @ret: what is not known, or not for this user to read, is empty
 */
void dw_host_read(const struct dw_machine *m, struct dw_host *ret);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_CAPACITY_H
#define DW_DEVICE_CAPACITY_H

#include "device/device.h"
#include "device/sysfs.h"

/**
 * dw_device_probe_capacity() - ask how many blocks a disk has, and of which size
 * @m: the machine
 * @d: the disk; its info and caps are filled
 *
 * Return: 0; -EMSGSIZE: more than READ CAPACITY(10) can tell, and the adapter takes no CDB of 16
 * bytes; -EFBIG: the same, and the disk or its bridge does not answer (16); -ENOMEDIUM: none is
 * told; -EBADE: a reservation keeps it from answering; other negative errno.
 */
int dw_device_probe_capacity(const struct dw_machine *m, struct dw_device *d);

/** dw_capacity_is_doubtful() - does the answer to READ CAPACITY(16) need a look at (10)? It is more
 *  than (10) can tell, as what bridges make up is. */
bool dw_capacity_is_doubtful(uint64_t blocks);

#endif

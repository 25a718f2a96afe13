/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_ENDS_H
#define DW_OWN_ENDS_H

/* The two ends of a disk, where hosts look for partition tables. */
#include "device/device.h"

/**
 * dw_device_zero_ends() - write zeros to its first and last MiB
 * @d: the claimed disk, which was proven to have erased itself
 * @ret_write_errors: number of write errors that it reported
 *
 * The disk is identified before each write of 64 KiB. What was written is flushed and read back.
 * Waits for the disk: about a second.
 *
 * Return: 0; -ESTALE another disk answers, to which nothing was written; another negative errno:
 * the ends may not hold zeros.
 */
int dw_device_zero_ends(struct dw_device *d, uint32_t *ret_write_errors);

#endif

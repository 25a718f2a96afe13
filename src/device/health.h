/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_HEALTH_H
#define DW_DEVICE_HEALTH_H

/* The health of a disk that is open. */
#include <diskwipe/health.h>

#include "device/device.h"

/**
 * dw_device_health() - dw_disk_health() of a disk that is open, claimed or not
 * @d: it
 * @flags: bits of enum dw_health_flags
 * @within_ns: no question is begun later than that; each may take 3 s
 * @ret: what it has reported; the rest is unknown
 *
 * Unit attentions are taken away from whom they are meant for: only where somebody asks after that
 * who the disk is, or nothing is written any more.
 *
 * Return: 0; -EOPNOTSUPP for a disk that is neither a SCSI nor an NVMe disk; of the
 * latter a negative errno when it does not answer.
 */
int dw_device_health(struct dw_device *d, uint32_t flags, uint64_t within_ns,
		     struct dw_health *ret);

#endif

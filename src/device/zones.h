/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_ZONES_H
#define DW_DEVICE_ZONES_H

/* The zones of a host-managed disk, as REPORT ZONES lists them (ZBC, 5.3). */
#include "base/zones.h"
#include "device/device.h"
#include "scsi/zbc.h"

/**
 * struct dw_zones_reader - who reads the zones of a disk
 * @blocks: of the disk
 * @send: carry a command out and wait; 0 its data are there, else a negative errno
 * @each: one zone, in the order of LBAs; not 0 ends it, and is returned
 * @ctx: of both
 */
struct dw_zones_reader {
	uint64_t blocks;
	int (*send)(void *ctx, struct dw_cmd *cmd);
	int (*each)(void *ctx, const struct dw_zbc_zone *zone);
	void *ctx;
};

/** dw_zones_read() - all zones of a disk. Return: 0; what @send or @each returned; -ENOMEM;
 *  -EPROTO: they do not cover all its blocks and no more, without gaps. */
int dw_zones_read(const struct dw_zones_reader *reader);

/** dw_device_probe_zones() - @d->caps.zones, or @d->caps.not_zoned, of a host-managed disk. */
void dw_device_probe_zones(struct dw_device *d);

#endif

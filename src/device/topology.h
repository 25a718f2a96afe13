/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_TOPOLOGY_H
#define DW_DEVICE_TOPOLOGY_H

/*
 * What a disk hangs on, and what of its speed the kernel knows: read from sysfs, nothing is
 * sent. Rates are bytes per second after line coding (8b/10b, 128b/130b ...), before the
 * protocol's own frames.
 */
#include "codec/caps.h"
#include "device/sysfs.h"
#include "diskwipe/disk.h"

#define DW_TOPOLOGY_NAME  32
#define DW_TOPOLOGY_NODES 8

enum dw_topology_kind { DW_TOPOLOGY_LINK, DW_TOPOLOGY_CONTROLLER, DW_TOPOLOGY_BUS };

/**
 * struct dw_topology_node - something that the data of several disks pass
 * @kind: enum dw_topology_kind
 * @name: equal for all disks behind it, and the same after a reboot of the same machine
 * @rate: bytes per second, 0 = unknown
 * @queue: controller: commands at once, 0 = unknown
 * @parallel: a parallel SCSI bus
 */
struct dw_topology_node {
	uint8_t kind;
	char name[DW_TOPOLOGY_NAME];
	uint64_t rate;
	uint64_t queue;
	bool parallel;
};

/**
 * struct dw_topology - one disk's way to the host
 * @node, @n: from the disk towards the host
 * @link: bytes per second of the disk's own interface, 0 = unknown
 * @queue_depth: the kernel's for this disk, 0 = unknown
 * @max_bytes: longest transfer that host and disk allow, 0 = unknown
 * @ws: enum dw_tristate: WRITE SAME
 * @ws_max: longest WRITE SAME in blocks, 0 = not reported
 * @wce: enum dw_tristate: the volatile write cache
 */
struct dw_topology {
	struct dw_topology_node node[DW_TOPOLOGY_NODES];
	uint32_t n;
	uint64_t link;
	uint32_t queue_depth;
	uint64_t max_bytes;
	int8_t ws;
	uint64_t ws_max;
	int8_t wce;
};

/**
 * dw_topology_read() - follow a disk's folder up to the root of the device tree
 * @m: the machine
 * @info: the disk
 * @ret: what was found; zeros and DW_UNKNOWN where nothing was
 *
 * Return: 0; -ENODEV when the disk is not there any more.
 */
int dw_topology_read(const struct dw_machine *m, const struct dw_disk_info *info,
		     struct dw_topology *ret);

/** dw_topology_lane() - bytes per second of a serial lane by what sysfs calls its speed:
 *  "12.0 Gbit" (SAS), "6.0 Gbps" (SATA), "8.0 GT/s PCIe"; 0 = not known. Coding: SAS-3 and
 *  before, SATA, PCIe 1 and 2 8b/10b; SAS-4 128b/150b; PCIe 3 to 5 128b/130b, 6 242/256. */
uint64_t dw_topology_lane(const char *speed);

#endif

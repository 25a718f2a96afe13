/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_REACH_H
#define DW_DEVICE_REACH_H

/*
 * Every node of /dev over which data or commands reach a disk. Who has one of them open uses the
 * disk, whatever node the disk is named by.
 */
#include "device/sysfs.h"
#include "diskwipe/disk.h"

/**
 * struct dw_reach - a node
 * @block: @dev is a block device's number, else a character device's
 * @dev: its number
 * @name: below /dev, "ng0n1", "bsg/0:0:0:0"
 */
struct dw_reach {
	bool block;
	dev_t dev;
	char name[64];
};

/**
 * dw_reach_list() - the nodes that reach a disk, each once
 * @m: the machine
 * @info: the disk
 * @ret: array, free(); the disk's own come first; partitions are not in it
 * @ret_n: their number
 *
 * Of a SCSI disk these are its block, sg and bsg nodes, and what other upper drivers gave it; of
 * an NVMe namespace the block and generic nodes that it has by any controller of its subsystem,
 * and the nodes of these controllers. sysfs is asked for devices below the disk's, not for their
 * kinds, so that a kind of node that comes with a later kernel is one of them.
 *
 * Return: 0 or -ENOMEM.
 */
int dw_reach_list(const struct dw_machine *m, const struct dw_disk_info *info,
		  struct dw_reach **ret, size_t *ret_n);

/**
 * dw_reach_named() - the nodes that have a name of the kernel's, without a path
 * @name: "sda", "ng0n1"
 * @fn: called for each; 0 to continue
 * Return: 0 or what @fn returned.
 */
int dw_reach_named(const struct dw_machine *m, const char *name,
		   int (*fn)(void *ctx, const struct dw_reach *node), void *ctx);

#endif

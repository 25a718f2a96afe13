/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_SETTLE_H
#define DW_OWN_SETTLE_H

/*
 * Writes by the kernel that a program which sends commands does not see. Pages of the block nodes
 * that somebody dirtied are written when the kernel chooses, at the latest when the node is
 * flushed or closed.
 */
#include "device/device.h"

/**
 * struct dw_writes - sectors written (and discarded) as the kernel counts them, by path
 * @dev: the block node; 0 = none, or not counted
 * @n: since the node came, from anybody (Documentation/block/stat.rst)
 */
struct dw_writes {
	dev_t dev[DW_PATHS_MAX];
	uint64_t n[DW_PATHS_MAX];
};

/** dw_writes_count() - of a disk's paths now; @d, @n: 1..DW_PATHS_MAX of them. */
void dw_writes_count(struct dw_device *const *d, size_t n, struct dw_writes *ret);

/** dw_writes_between() - how many came between two counts, of nodes that are in both. */
uint64_t dw_writes_between(const struct dw_writes *a, const struct dw_writes *b);

/** dw_writes_foreign() - the count contains no commands of ours. SG_IO is not counted since Linux
 *  5.17, unless queue/iostats_passthrough is set; of a disk without SCSI ours are counted as
 *  well. */
bool dw_writes_foreign(const struct dw_device *d);

/**
 * dw_device_drop_partitions() - make the kernel read the new partition table of a disk, if it
 * knows an old one; the old nodes go a moment later, and their pages are written
 *
 * Return: 0; -EBUSY one is in use.
 */
int dw_device_drop_partitions(const struct dw_device *d);

/**
 * dw_device_settle() - write back and drop what the kernel holds of a claimed disk
 * @d, @n: its paths, 1..DW_PATHS_MAX
 *
 * Pages of the map over the paths, of the nodes and of their partitions, which vanish if the
 * table that told of them is gone. May take as long as the disk takes to write them.
 *
 * Return: 0; -EBUSY a partition is in use; another negative errno.
 */
int dw_device_settle(struct dw_device *const *d, size_t n);

#endif

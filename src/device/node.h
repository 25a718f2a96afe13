/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_NODE_H
#define DW_DEVICE_NODE_H

/*
 * From a device number to everything that sysfs reports about the disk behind it. Names
 * are looked up from numbers, never the other way round.
 */
#include "device/sysfs.h"
#include "diskwipe/disk.h"

enum dw_node_kind {
	DW_NODE_DISK,      /* a disk, or another device on a SCSI host */
	DW_NODE_PARTITION, /* a part of a disk */
	DW_NODE_STACKED,   /* made by the kernel out of disks: device-mapper, md */
	DW_NODE_OTHER,     /* no disk at all */
};

/**
 * dw_node_resolve() - what a device number stands for
 * @m: the machine
 * @block: a block device's number, else a character device's (sg, bsg)
 * @dev: the number
 * @ret: nodes, numbers, H:C:T:L, names, capacity, transport, slot as sysfs has them; for
 *	DW_NODE_PARTITION those of the whole disk, else empty but for @block
 * @ret_kind: enum dw_node_kind
 *
 * Return: 0, -ENODEV when the kernel does not know the number, or negative errno.
 */
int dw_node_resolve(const struct dw_machine *m, bool block, dev_t dev,
		    struct dw_disk_info *ret, enum dw_node_kind *ret_kind);

/** dw_node_find() - as dw_node_resolve(), but sg and block node, their numbers, H:C:T:L. */
int dw_node_find(const struct dw_machine *m, bool block, dev_t dev,
		 struct dw_disk_info *ret, enum dw_node_kind *ret_kind);

/** dw_node_scsi_dir() - the SCSI device's folder (PATH_MAX bytes), by a link that may
 *  be broken by now. Return: 0; -ENODEV when it is none; -ENAMETOOLONG. */
int dw_node_scsi_dir(const struct dw_machine *m, const struct dw_disk_info *info,
		     char *ret);

/** dw_node_listed() - has the system a device yet at that node, and of a SCSI disk at its
 *  address? */
bool dw_node_listed(const struct dw_machine *m, const struct dw_disk_info *info);

/** dw_node_block_dir() - the same for the block device's folder. */
int dw_node_block_dir(const struct dw_machine *m, const struct dw_disk_info *info,
		      char *ret);

/** dw_node_read_map() - fill @info->map and map_dev when exactly one holder is over the
 *  block node, and that is a dm-multipath map. */
void dw_node_read_map(const struct dw_machine *m, struct dw_disk_info *info);

/**
 * dw_node_map_path() - the first path of a dm-multipath map
 * @m: the machine
 * @dev: the map
 * @ret, @len: "/dev/sda"
 *
 * Return: 0; -ENOTBLK when it is no such map; another negative errno.
 */
int dw_node_map_path(const struct dw_machine *m, dev_t dev, char *ret, size_t len);

/** dw_node_transport() - "sas", "sata", ... read from the folder's ancestors; static. */
const char *dw_node_transport(const struct dw_machine *m, const char *real);

/** dw_node_phy() - "ADDRESS:PHY" as struct dw_disk_info has it, from the folder of a SCSI device;
 *  empty: it hangs on none. */
void dw_node_phy(const struct dw_machine *m, const char *real, char *ret, size_t len);

/**
 * struct dw_logical_hints - what distinguishes a RAID controller's volume from a disk
 * @driver: kernel driver of the host
 * @channel: SCSI channel
 * @vendor, @model: of the INQUIRY data
 * @raid_level: the attribute that hpsa and smartpqi give each device; NULL = none
 * @sas_address: the attribute says something, or the disk hangs on a SAS port of its own
 * @of_array: its target has the access LUN of an array
 */
struct dw_logical_hints {
	const char *driver;
	uint32_t channel;
	const char *vendor;
	const char *model;
	const char *raid_level;
	bool sas_address;
	bool of_array;
};

/** dw_node_logical() - these hints speak of a RAID controller's logical volume. */
bool dw_node_logical(const struct dw_logical_hints *h);

/**
 * dw_nodes_list() - every disk that sysfs knows
 * @m: the machine
 * @ret: array in the order of H:C:T:L, then block devices by name; free()
 * @ret_n: their number
 *
 * SCSI devices of the types that hold blocks (0, 7, Eh, 14h) and block devices that have
 * hardware behind them. Loop devices and the like are not listed.
 *
 * Return: 0 or negative errno.
 */
int dw_nodes_list(const struct dw_machine *m, struct dw_disk_info **ret, size_t *ret_n);

/**
 * dw_nodes_silent() - NVMe controllers on PCI Express of which the kernel shows no namespace
 * @m: the machine
 * @ret: array, NULL = none, free(); the controller's node in @sg, its serial number, model
 *	and revision
 * @ret_n: their number
 *
 * One whose drive is shown by another controller is left out, and so are controllers that have
 * no namespaces by their type (CNTRLTYPE, NVM Express Base 2.0, 5.17.2.1).
 *
 * Return: 0 or negative errno.
 */
int dw_nodes_silent(const struct dw_machine *m, struct dw_disk_info **ret, size_t *ret_n);

/** dw_nodes_enclosures() - the enclosure processors (type Dh) that sysfs knows, in the order of
 *  H:C:T:L; otherwise as dw_nodes_list(). */
int dw_nodes_enclosures(const struct dw_machine *m, struct dw_disk_info **ret,
			size_t *ret_n);

/**
 * dw_node_of_path() - which device a path names
 * @path: a device node or a link to one
 * @ret_block: a block device
 * @ret_dev: its number
 *
 * Return: 0; -ENOENT; -ENOTBLK when it is something else; negative errno.
 */
int dw_node_of_path(const char *path, bool *ret_block, dev_t *ret_dev);

/** dw_node_address() - H:C:T:L from the name that a SCSI device has in sysfs; false = not one. */
bool dw_node_address(const char *name, struct dw_disk_info *ret);

/** dw_udev_names() - fill what only the udev database knows; nothing without udevd. */
void dw_udev_names(struct dw_disk_info *info);

#endif

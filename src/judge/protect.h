/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_JUDGE_PROTECT_H
#define DW_JUDGE_PROTECT_H

/* The disks that may never be erased, by any name that a user may have copied from anywhere. */
#include "device/sysfs.h"
#include "diskwipe/disk.h"

/**
 * dw_protect_means() - whether an entry of the list is this disk
 * @m: the machine, for entries that are paths
 * @entry: serial, WWN, slot, a node, or a name below /dev/disk, as the program, the kernel,
 *	udev or multipath spell it
 * @info: the disk
 */
bool dw_protect_means(const struct dw_machine *m, const char *entry,
		      const struct dw_disk_info *info);

/**
 * dw_protect_find() - the disk is on the list of those that may never be erased
 * @m: the machine
 * @info: the disk
 * @protect: NULL-terminated list, or NULL
 *
 * Return: the first entry that means it, or NULL.
 */
const char *dw_protect_find(const struct dw_machine *m, const struct dw_disk_info *info,
			    const char *const *protect);

/** dw_protect_check() - what is wrong with an entry that can mean no disk at all; else NULL. */
const char *dw_protect_check(const char *entry);

#endif

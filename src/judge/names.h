/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_JUDGE_NAMES_H
#define DW_JUDGE_NAMES_H

/*
 * The kernel's names of all SCSI devices, sorted, so that devices of one name are found without
 * reading all the others.
 */
#include "diskwipe/disk.h"
#include "device/sysfs.h"

struct dw_names;

/**
 * dw_names_new() - the names of a machine; read when somebody first looks for a name. Return: to
 * dw_names_free(); NULL without memory.
 */
struct dw_names *dw_names_new(const struct dw_machine *m);

/** dw_names_free() - @names may be NULL. */
void dw_names_free(struct dw_names *names);

/**
 * dw_names_alike() - the devices that the kernel knows by a name of @info's device
 * @names: may be asked by several threads at once
 * @info: a SCSI device; one that told no name looks for its like: without a name, and of the same
 *	vendor, model and revision
 * @fn: gets the folder of each other device; returns 0 to continue
 *
 * The kernel's copy may be old: who is found has to be asked. A device that is gone from there, or
 * of which the kernel has no name, finds nobody.
 *
 * Return: 0, what @fn returned, or negative errno.
 */
int dw_names_alike(struct dw_names *names, const struct dw_disk_info *info,
		   int (*fn)(void *ctx, const char *dir), void *ctx);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_SHELVES_H
#define DW_DEVICE_SHELVES_H

/* The enclosures of a machine, each asked once for all the disks that may be in them. */
#include "diskwipe/disk.h"
#include "device/sysfs.h"

struct dw_shelves;

/**
 * dw_shelves_new() - of a machine; they are asked when the first disk needs them
 * Return: to dw_shelves_free(); NULL without memory.
 */
struct dw_shelves *dw_shelves_new(const struct dw_machine *m);

/** dw_shelves_free() - @shelves may be NULL. */
void dw_shelves_free(struct dw_shelves *shelves);

/**
 * dw_shelves_fill_slot() - fill an empty slot of @info by what the enclosures behind its host tell
 * @shelves: may be asked by several threads at once
 * @info: the disk
 *
 * A machine without enclosures, or one that is not this, is sent nothing; nor is anything sent
 * for a disk that has no SAS address.
 */
void dw_shelves_fill_slot(struct dw_shelves *shelves, struct dw_disk_info *info);

#endif

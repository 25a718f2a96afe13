/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_LUN_H
#define DW_DEVICE_LUN_H

/* Logical units of type 00h that are no disks. */
#include <stdbool.h>

/**
 * dw_lun_management() - the access LUN of an RDAC array, which has about 20 MB of its own
 * @model: PRODUCT IDENTIFICATION of its INQUIRY data
 *
 * Whoever makes the array, that is its name (Linux, scsi_devinfo.c). What is written there goes to
 * the management of the array.
 *
 * Return: whether it is one.
 */
bool dw_lun_management(const char *model);

/**
 * dw_lun_of_array() - one unit of the target is such an access LUN; so the others are volumes
 * @scsi_dir: folder of a SCSI device in sysfs, below that of its target
 *
 * Return: whether it is so.
 */
bool dw_lun_of_array(const char *scsi_dir);

/**
 * dw_lun_phantom() - what answers INQUIRY with five zero bytes: no vendor, no product, no more
 *	bytes
 * @scsi_dir: folder of a SCSI device in sysfs
 *
 * Return: whether it is so.
 */
bool dw_lun_phantom(const char *scsi_dir);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FILE_PASSWORD_H
#define DW_FILE_PASSWORD_H

/*
 * Which disks may have our ATA password. The record of a disk is durable before the password goes
 * out, and stays until the disk reports that none is set: one that was cut off from power
 * meanwhile is
 * locked, and whoever meets it next knows why.
 */
#include <stdbool.h>

#include <diskwipe/disk.h>

#define DW_PASSWORD_FOLDER "/var/lib/diskwipe/passwords"

/**
 * dw_password_store() - a disk is about to get our password
 * @info: its serial, wwn and model count; it needs one of the first two
 *
 * Waits until the record is on the medium: the file, and its folders.
 *
 * Return: 0; -EINVAL for a disk without a name; another negative errno: there is no record.
 */
int dw_password_store(const struct dw_disk_info *info);

/** dw_password_known() - the disk may have our password. */
bool dw_password_known(const struct dw_disk_info *info);

/** dw_password_forget() - the disk has none any more; no record is no error. 0 or a
 *  negative errno. */
int dw_password_forget(const struct dw_disk_info *info);

#endif

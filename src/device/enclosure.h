/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_ENCLOSURE_H
#define DW_DEVICE_ENCLOSURE_H

/* An enclosure's processor by SCSI: its slots and their lights. */
#include "diskwipe/disk.h"
#include "device/sysfs.h"
#include "scsi/ses.h"

/**
 * dw_enclosure_read() - ask an enclosure
 * @info: its processor
 * @whole: with the state of the slots, else only what tells which disk is where
 * @ret: what it reports
 *
 * Names and addresses are filled in where the enclosure has those pages.
 *
 * Return: 0; -EOPNOTSUPP when it has no such pages; another negative errno.
 */
int dw_enclosure_read(const struct dw_disk_info *info, bool whole, struct dw_ses *ret);

/** dw_enclosure_light() - set a light of the slot that the enclosure calls @name. Return: 0;
 *  -ENOENT; -EIO when the enclosure refuses; another negative errno. */
int dw_enclosure_light(const struct dw_disk_info *info, const char *name,
		       enum dw_ses_light light, bool on);

/** dw_enclosure_id() - what the kernel calls it, or would: "0x5000c500...". @ret has 40 bytes. */
void dw_enclosure_id(const struct dw_ses *s, char ret[40]);

/**
 * dw_disk_addresses() - SAS addresses of a disk's ports
 * @m: the machine
 * @info: the disk
 * @ret: two addresses, 0 = none
 *
 * As the kernel has the disk's Device Identification page (target port, NAA), and by the host
 * adapter's own word. Nothing is sent.
 */
void dw_disk_addresses(const struct dw_machine *m, const struct dw_disk_info *info,
		       uint64_t ret[2]);

struct dw_bay;

/** dw_bays_read() - dw_bays_list() of any machine; enclosures of another one are not asked. */
int dw_bays_read(const struct dw_machine *m, struct dw_bay **ret, size_t *ret_n);

#endif

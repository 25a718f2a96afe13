/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_UEVENTS_H
#define DW_DEVICE_UEVENTS_H

/* What the kernel reports about SCSI devices unasked. */
#include <stddef.h>

#include "diskwipe/disk.h"

/** enum dw_unit_news - what the kernel reports about the unit behind a node */
enum dw_unit_news {
	DW_UNIT_NOTHING,
	DW_UNIT_ALTERED, /* its parameters or its size may be others */
	DW_UNIT_DOUBTED, /* it may be another */
	DW_UNIT_RESET, /* power on or reset: as that, and its volatile data may be gone */
	DW_UNIT_LOST, /* the kernel reported more than could be taken in: any, of any unit */
};

struct dw_uevents;

/**
 * dw_uevents_new() - listen to what the kernel reports about SCSI devices
 * @ret: dw_uevents_free()
 *
 * A unit attention goes to whichever command comes first. If that is another program's, the
 * kernel's event (SDEV_UA, since Linux 4.1) is all that is left of it here.
 *
 * Return: 0; -ENOMEM; -ENOTSUP where no events can be had.
 */
int dw_uevents_new(struct dw_uevents **ret);
void dw_uevents_free(struct dw_uevents *e);

/** dw_uevents_fd() - readable when there is news. */
int dw_uevents_fd(const struct dw_uevents *e);

/** dw_uevents_next() - the next news; only the H:C:T:L of its device is set in @ret.
 *  DW_UNIT_NOTHING = no more now; never waits. */
enum dw_unit_news dw_uevents_next(struct dw_uevents *e, struct dw_disk_info *ret);

/** dw_uevent_parse() - the same of one message, which ends in 0 and is changed. */
enum dw_unit_news dw_uevent_parse(char *msg, size_t len, struct dw_disk_info *ret);

#endif

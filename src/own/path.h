/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_PATH_H
#define DW_OWN_PATH_H

/* Commands to a claimed disk outside a job, over one of its paths, that may write. */
#include "device/device.h"

/**
 * struct dw_claimed_path - a path of a claimed disk
 * @device: claimed
 * @strict: a unit attention, or news of an earlier command, ends it: a job has to know first. A
 *	flush that meets a bad block tells of one
 * @doubted: had a unit attention, and has not said since that it is the disk it was
 * @lost: a command may still be on its way, or was cut off
 * @write_errors: that it was told of, its own and those of earlier commands
 * @why: how the first command ended that did not do it, static text; NULL = no word of the disk
 */
struct dw_claimed_path {
	struct dw_device *device;
	bool strict;
	bool doubted;
	bool lost;
	uint32_t write_errors;
	const char *why;
};

/**
 * dw_claimed_send() - carry a command over the path and wait
 *
 * What the disk has answered itself, and that passes, is repeated; after a unit attention it says
 * who it is before. A command that got lost is not repeated: it may be carried out late.
 *
 * Return: 0 it did all it should; -ENODATA a block of it cannot be written or read; -ESTALE another
 * disk answers; -EINTR, of a strict path, see there; -EOPNOTSUPP, -EACCES, -EPERM: refused; -EBUSY
 * it does not pass; -ENODEV, -ENXIO gone; another negative errno.
 */
int dw_claimed_send(struct dw_claimed_path *p, struct dw_cmd *cmd);

/** dw_claimed_quiet() - wait until no command that got lost can reach the disk any more. */
void dw_claimed_quiet(const struct dw_claimed_path *p);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_PATH_H
#define DW_OWN_PATH_H

/* Commands to a claimed disk outside of a job, over one of its paths; they may write. */
#include "device/device.h"

/**
 * struct dw_claimed_path - a path of a claimed disk
 * @device: claimed
 * @strict: a unit attention, or the report of an earlier command, ends it, as a job has to know
 *	it first. A flush that meets a bad block is one
 * @doubted: it had a unit attention, and was not identified since
 * @lost: a command may still be in flight, or was interrupted
 * @write_errors: number of write errors reported over it, of its own and of earlier commands
 * @why: how the first failed command ended, static text; NULL = without an answer of the disk
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
 * dw_claimed_send() - send a command over the path and wait for its end
 *
 * Temporary errors that the disk itself reports are repeated; after a unit attention it is
 * identified before that. A command that was lost is not repeated, as it may be carried out late.
 *
 * Return: 0 done completely; -ENODATA a block of it cannot be written or read; -ESTALE another
 * disk answers; -EINTR, of a strict path, see there; -EOPNOTSUPP, -EACCES, -EPERM: refused;
 * -EBUSY the error stays; -ENODEV, -ENXIO gone; another negative errno.
 */
int dw_claimed_send(struct dw_claimed_path *p, struct dw_cmd *cmd);

/** dw_claimed_quiet() - wait until no command that was lost can reach the disk any more. */
void dw_claimed_quiet(const struct dw_claimed_path *p);

#endif

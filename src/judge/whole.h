/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_JUDGE_WHOLE_H
#define DW_JUDGE_WHOLE_H

/*
 * A command that erases a device as a whole reaches all of its logical units: either all of them
 * are among the wanted disks, or none may be.
 */
#include "judge/verdict.h"
#include "plan/op.h"

#define DW_WHOLE_MAX 16 /* logical units of a device */

/**
 * struct dw_whole - disks that are to be erased by a command to their whole device
 * @m: the machine
 * @operation: enum dw_operation, DW_OPERATION_NONE = FORMAT UNIT; disks that are reached alone
 *	are not checked (whole of struct dw_disk_info)
 * @rules: rules by which the reason is found why a unit is missing; NULL = only the machine is
 *	examined, and no disk is asked
 * @disk, @n: the disks; a refusal of one is in its verdict, and refuses the others of its device
 * @known: is that disk, which is missing, one that was commanded with them before? NULL = none
 *	is; @ctx: for it
 * @group: @n numbers: for each disk the first of those that are one device with it
 */
struct dw_whole {
	const struct dw_machine *m;
	uint8_t operation;
	const struct dw_rules *rules;
	struct dw_disk *disk;
	size_t n;
	bool (*known)(void *ctx, const struct dw_disk_info *info);
	void *ctx;
	uint32_t *group;
};

/** dw_whole_command() - what is sent for an operation that reaches all units of a device, for
 *  messages; static. */
const char *dw_whole_command(enum dw_operation operation);

/**
 * dw_whole_check() - do the disks have all units of their devices among them?
 *
 * Units of a device are those of one target (H:C:T), over each path, or of one NVM subsystem; those
 * that only the device reports of (units of struct dw_disk_info) are missing. That the units of a
 * target are one device is told by names of the device or of its port (VPD 83h); behind a
 * translation or a bridge each may be a disk of its own, and nothing of them is erased as one. A
 * name of the device that a disk elsewhere says as well is one too many: it may be a mistake of the
 * makers, and refuses.
 *
 * Return: 0, and the verdicts of @w->disk tell; negative errno.
 */
int dw_whole_check(struct dw_whole *w);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_FORMAT_UNIT_H
#define DW_OWN_FORMAT_UNIT_H

/*
 * Disks that are formatted: what the two files of a format share. The logical units of a device
 * that formats all of them are claimed together. The first of them, their lead, is sent the
 * command. When it has ended, each of the others is checked, and is sent the command if the
 * format did not reach it.
 */
#include <diskwipe/format.h>

#include "device/node.h"
#include "own/beside.h"
#include "own/claim.h"

#define DW_FORMAT_WITNESS 512

/**
 * struct format_unit - a disk that is formatted, with its paths
 * @shown: its state, as the program sees it
 * @device, @n: its paths, claimed; the first is the one that commands are sent over
 * @begun_ns: when the format began or was found; 0 = not yet
 * @changed_ns: when its progress last changed
 * @answered_ns: when the disk last answered
 * @ours: FORMAT UNIT was sent to it by this program
 * @seen: the disk was seen formatting, or was corrupt before
 * @witness: first bytes of its first block before the format, valid if @witnessed
 * @lead: number of the unit that is sent the command for its device; its own if it is alone
 * @reach: enum dw_rsoc_reach: what a format affects
 * @leads: others follow it; it stays claimed until they have ended, as it may be formatted again
 * @busy: it was formatting when it was claimed, and its length and blocks were not known
 * @deferred: FORMAT UNIT was refused because another format was in progress, and none has been seen
 *	in progress since; a second such refusal is a failure
 * @beside: contents of the other units of its device, which its format does not reach; owned,
 *	NULL = none
 */
struct format_unit {
	struct dw_format_disk shown;
	struct dw_device *device[DW_PATHS_MAX];
	uint32_t n;
	uint64_t begun_ns;
	uint64_t changed_ns;
	uint64_t answered_ns;
	bool ours;
	bool seen;
	bool witnessed;
	uint8_t witness[DW_FORMAT_WITNESS];
	uint32_t lead;
	uint8_t reach;
	bool leads;
	bool busy;
	bool deferred;
	struct dw_beside *beside;
};

/** struct dw_format - a format of several disks; @unit, @n: the disks; @disk: copies of their
 *  @shown, for the program */
struct dw_format {
	struct dw_format_spec spec;
	struct format_unit *unit;
	struct dw_format_disk *disk;
	size_t n;
};

/** dw_format_close() - give a unit's paths back. */
void dw_format_close(struct format_unit *u);

/** dw_format_publish() - copy what the program sees of all units; false when all have ended. */
bool dw_format_publish(struct dw_format *f);

#endif

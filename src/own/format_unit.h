/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_FORMAT_UNIT_H
#define DW_OWN_FORMAT_UNIT_H

/*
 * Disks that are to be formatted: what the two files of a format share. The logical units of a
 * device that formats all of them are claimed together. The first of them, their lead, is told;
 * when it has ended, each of the others is looked at, and told if that did not reach it.
 */
#include <diskwipe/format.h>

#include "device/node.h"
#include "own/beside.h"
#include "own/claim.h"

#define DW_FORMAT_WITNESS 512

/**
 * struct format_unit - a disk with its paths
 * @told: what the program sees of it
 * @device, @n: claimed; the first is the one that commands go to
 * @begun_ns, @changed_ns, @heard_ns: when the format began or was found, its progress changed,
 *	the disk answered
 * @ours: we have sent it FORMAT UNIT itself
 * @seen: the disk has said that a format of its own is in progress, or was corrupt before
 * @witness: begin of its first block before, if @witnessed
 * @lead: number of the unit that tells its device to format itself; itself, if that is alone
 * @reach: enum dw_rsoc_reach: what a format affects
 * @leads: others follow it; it stays claimed until they have ended, as it may be formatted again
 * @busy: it was at a format when it was claimed: neither its length nor its blocks were known
 * @deferred: FORMAT UNIT was refused because another format was in progress, and none has been seen
 *	in progress since; a second such refusal is a failure
 * @beside: what other units of its device hold, which a format does not reach; NULL = none are
 */
struct format_unit {
	struct dw_format_disk told;
	struct dw_device *device[DW_PATHS_MAX];
	uint32_t n;
	uint64_t begun_ns;
	uint64_t changed_ns;
	uint64_t heard_ns;
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

/** struct dw_format - all of them; @disk: copies of what is told, for the program */
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

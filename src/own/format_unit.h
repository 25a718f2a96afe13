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
#include "scsi/sense.h"

#define DW_FORMAT_WITNESS 512

/** enum format_length - the block length that the next format of a disk would make */
enum format_length {
	FORMAT_LENGTH_OWN,   /* the one that it has, or a format has begun */
	FORMAT_LENGTH_SET,   /* another was set, or may be */
	FORMAT_LENGTH_RESET, /* the one that it has was set again */
	FORMAT_LENGTH_STAYS, /* the disk refused to have the one that it has set again */
};

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
 * @length: enum format_length
 * @said: bytes of its reason before that
 * @length_sent: MODE SELECT was sent, with SP=1 if @length_saved
 * @former, @next: bytes of its blocks, 0 = unknown; and of those of the next format
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
	uint8_t length;
	uint8_t said;
	bool length_sent;
	bool length_saved;
	uint32_t former;
	uint32_t next;
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

/** dw_format_over() - has the unit ended? */
static inline bool dw_format_over(const struct format_unit *u)
{
	return u->shown.outcome > DW_FORMAT_RUNNING;
}

/** dw_format_end() - end a unit with an outcome and its reason, to which is added what its next
 *  format would make. */
void dw_format_end(struct format_unit *u, enum dw_format_outcome outcome,
		   const char *format, ...) __attribute__((format(printf, 3, 4)));

/** dw_format_end_sense() - end a unit as failed. @what: what failed; @s: why. */
void dw_format_end_sense(struct format_unit *u, const char *what,
			 const struct dw_sense *s);

/** dw_format_begun() - the disk is at work from now on. */
void dw_format_begun(struct format_unit *u);

/** dw_format_same() - does the same disk answer? If it is another, the unit has ended. True also if
 *  none answers. */
bool dw_format_same(struct format_unit *u);

/** dw_format_ready() - TEST UNIT READY. Return: 0 ready; 1 see @ret; negative errno. */
int dw_format_ready(struct dw_device *d, struct dw_sense *ret);

/** dw_format_corrupt() - does the disk report a format that failed or was cut off? */
bool dw_format_corrupt(const struct dw_sense *s);

/** dw_format_working() - does the disk report a format in progress? */
bool dw_format_working(const struct dw_sense *s);

/**
 * dw_format_send() - send the block length and FORMAT UNIT
 * @u: a unit that is ready for it, or whose format is corrupt
 * @spec: what is wanted
 *
 * If the disk refuses FORMAT UNIT, it is sent its former block length again, provided that it is
 * the only unit of its device, is at rest, and has such blocks.
 *
 * Return: true = the disk has taken FORMAT UNIT, or works on it after an error; false: the unit has
 * ended, or waits for the format that its device works on.
 */
bool dw_format_send(struct format_unit *u, const struct dw_format_spec *spec);

/** dw_format_forget_length() - send a disk that is not formatted the length that it has, if another
 *  is set for its next format, under the same conditions. False: the unit has ended, as another
 *  disk answers. */
bool dw_format_forget_length(struct format_unit *u);

/** dw_format_close() - give a unit's paths back. */
void dw_format_close(struct format_unit *u);

/** dw_format_publish() - copy what the program sees of all units; false when all have ended. */
bool dw_format_publish(struct dw_format *f);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_IDENTITY_H
#define DISKWIPE_IDENTITY_H

/* Is this the same disk? What is asked depends on what may have changed meanwhile. */
#include <stdbool.h>
#include <stdint.h>

#include <diskwipe/disk.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct dw_identity - what is known of who a disk is
 * @serial, @wwn, @vendor, @model, @revision: borrowed; empty = it does not tell
 * @designators: struct dw_disk_info; 0 = it does not tell
 * @blocks, @block_size: 0 = it does not tell
 * @name_shared: another disk has its serial number and WWN as well
 */
struct dw_identity {
	const char *serial;
	const char *wwn;
	const char *vendor;
	const char *model;
	const char *revision;
	uint64_t designators;
	uint64_t blocks;
	uint32_t block_size;
	bool name_shared;
};

/**
 * enum dw_identity_policy - what two descriptions of one disk have in common
 *
 * A name is the serial number and the WWN; both have to be equal, also where one is not reported.
 *
 * @DW_SAME_NAME: the name, which may be none. For a disk whose node is known otherwise, and of
 *	which nothing else can be told: it is formatted, spun down, or works by itself
 * @DW_SAME_NAMED: the name, which is one. For finding a disk again among others
 * @DW_SAME_PRODUCT: the same, and the model. For records of a disk over the years: its firmware
 *	and its capacity may change, and makers use a serial number twice
 * @DW_SAME_MEDIUM: a name and the bytes, in blocks of whatever length. For nodes that may lead to
 *	one disk
 * @DW_SAME_UNIT: all that a unit tells but its revision: the serial number, all designators,
 *	vendor, model, and capacity have to be there. For nodes that are taken for paths to one disk
 * @DW_SAME_LOOKS: no name, and all else equal: nothing tells the two apart
 * @DW_SAME_CAPACITY: the name, which may be none, and both numbers of the capacity
 * @DW_SAME_BUT_BLOCKS: the name and all designators; for a disk that is given another length of
 *	block
 * @DW_SAME_BUT_CAPACITY: the same, vendor, model and length of block; for a disk of which
 *	blocks were hidden
 * @DW_SAME_AT_NODE: the name, no other designators where both tell any, and of a disk without a
 *	name vendor, model and revision. For the disk that was planned, asked again
 * @DW_SAME_SHOWN: the same, without designators, of what the second tells. The first may be the
 *	kernel's copy, or udev's, which know what a disk does not say
 * @DW_SAME_GIVEN: of the name what the second tells. For what a person, or a record, names
 */
enum dw_identity_policy {
	DW_SAME_NAME,
	DW_SAME_NAMED,
	DW_SAME_PRODUCT,
	DW_SAME_MEDIUM,
	DW_SAME_UNIT,
	DW_SAME_LOOKS,
	DW_SAME_CAPACITY,
	DW_SAME_BUT_BLOCKS,
	DW_SAME_BUT_CAPACITY,
	DW_SAME_AT_NODE,
	DW_SAME_SHOWN,
	DW_SAME_GIVEN,
};

#define DW_IDENTITY_POLICIES (DW_SAME_GIVEN + 1)

/** DW_ANOTHER_DISK - what is said where it is not. */
#define DW_ANOTHER_DISK "another disk answers at its node"

/** dw_identity_of() - of a disk; borrows its text. */
DW_PUBLIC struct dw_identity dw_identity_of(const struct dw_disk_info *info);

/** dw_identity_named() - of a name alone; borrows it. */
DW_PUBLIC struct dw_identity dw_identity_named(const char *serial, const char *wwn);

/** dw_identity_match() - are they the same disk? */
DW_PUBLIC bool dw_identity_match(const struct dw_identity *a, const struct dw_identity *b,
				 enum dw_identity_policy policy);

/** dw_disk_match() - the same of two that are described in full. */
DW_PUBLIC bool dw_disk_match(const struct dw_disk_info *a, const struct dw_disk_info *b,
			     enum dw_identity_policy policy);

#ifdef __cplusplus
}
#endif

#endif

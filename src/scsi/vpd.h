/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_VPD_H
#define DW_SCSI_VPD_H

/*
 * Vital product data: serial number, designators, limits. @len is always what was really
 * transferred (allocation length less residual); every parser checks page code and page
 * length, because hosts have handed out the reply to an earlier command, and disks
 * without VPD answer with standard INQUIRY data.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dw_vpd_page {
	DW_VPD_SUPPORTED = 0x00,
	DW_VPD_SERIAL = 0x80,
	DW_VPD_DESIGNATORS = 0x83,
	DW_VPD_ATA = 0x89,          /* present = a SATA disk behind a translation */
	DW_VPD_LIMITS = 0xb0,       /* block limits */
	DW_VPD_CHARACTER = 0xb1,    /* block device characteristics */
	DW_VPD_PROVISIONING = 0xb2, /* logical block provisioning */
	DW_VPD_RANGES = 0xb9,       /* concurrent positioning ranges */
};

/* Designator types and associations (SPC, Device Identification VPD page). */
enum dw_designator_type {
	DW_DESIGNATOR_VENDOR = 0x0,
	DW_DESIGNATOR_T10 = 0x1,
	DW_DESIGNATOR_EUI64 = 0x2,
	DW_DESIGNATOR_NAA = 0x3,
	DW_DESIGNATOR_NAME = 0x8,
	DW_DESIGNATOR_UUID = 0xa,
};

enum dw_association {
	DW_ASSOC_UNIT = 0,
	DW_ASSOC_PORT = 1,
	DW_ASSOC_TARGET = 2,
};

/**
 * struct dw_designator - one designator, borrowed from the page
 * @association: enum dw_association, or 3
 * @type: enum dw_designator_type, or another one
 * @code_set: 1 binary, 2 ASCII, 3 UTF-8
 * @len: bytes of @id
 * @id: inside the page
 */
struct dw_designator {
	uint8_t association;
	uint8_t type;
	uint8_t code_set;
	uint8_t len;
	const uint8_t *id;
};

/* Longest text of dw_vpd_wwn(), with its final zero. */
#define DW_VPD_WWN_MAX 264

/**
 * struct dw_vpd_limits - block limits (VPD B0h); 0 = not reported
 * @wsnz: WRITE SAME with a count of 0 is refused
 * @granularity: OPTIMAL TRANSFER LENGTH GRANULARITY, blocks
 * @max_transfer: MAXIMUM TRANSFER LENGTH, blocks
 * @opt_transfer: OPTIMAL TRANSFER LENGTH, blocks
 * @max_unmap: MAXIMUM UNMAP LBA COUNT, blocks
 * @max_write_same: MAXIMUM WRITE SAME LENGTH, blocks
 */
struct dw_vpd_limits {
	bool wsnz;
	uint16_t granularity;
	uint32_t max_transfer;
	uint32_t opt_transfer;
	uint32_t max_unmap;
	uint64_t max_write_same;
};

/**
 * struct dw_vpd_character - block device characteristics (VPD B1h)
 * @rotation: MEDIUM ROTATION RATE: 0 not reported, 1 no rotation, else RPM
 * @form_factor: 0 not reported, 2 3.5", 3 2.5", ... (SBC)
 * @zoned: 0 not reported, 1 host-aware, 2 device-managed
 * @wabereq: reads after SANITIZE BLOCK ERASE: 1 return data, 2 fail until written
 * @wacereq: the same for SANITIZE CRYPTOGRAPHIC ERASE
 */
struct dw_vpd_character {
	uint16_t rotation;
	uint8_t form_factor;
	uint8_t zoned;
	uint8_t wabereq;
	uint8_t wacereq;
};

/**
 * struct dw_vpd_provisioning - logical block provisioning (VPD B2h)
 * @lbpu: UNMAP
 * @lbpws: WRITE SAME(16) with UNMAP
 * @lbpws10: WRITE SAME(10) with UNMAP
 * @anchor: ANC_SUP
 * @lbprz: what unmapped blocks read as: 0 anything, odd values zeros (SBC)
 * @type: 0 not reported, 1 resource provisioned, 2 thin
 */
struct dw_vpd_provisioning {
	bool lbpu;
	bool lbpws;
	bool lbpws10;
	bool anchor;
	uint8_t lbprz;
	uint8_t type;
};

/**
 * dw_vpd_check() - is this the page that was asked for?
 * @data: the reply
 * @len: its length in bytes
 * @page: page code that was asked for
 * @ret_len: bytes after the four of the header that are both announced and there
 *
 * Return: 0; -EBADMSG when the page code differs or the header is cut off.
 */
int dw_vpd_check(const uint8_t *data, size_t len, uint8_t page, size_t *ret_len);

/*
 * The first question for a page, bytes. Before SPC-3 the allocation length of INQUIRY was one
 * byte, and a device that goes by that reads 200h as 0.
 */
#define DW_VPD_FIRST_LEN 0xfc

/**
 * dw_vpd_longer() - is there more of a page than the first question brought?
 * @data: the reply to a question for DW_VPD_FIRST_LEN bytes
 * @len: its length in bytes
 * @page: page code that was asked for
 * @max: room for a page, bytes
 *
 * Return: the allocation length to ask for all of it, or for @max bytes; 0: there is no more.
 */
uint16_t dw_vpd_longer(const uint8_t *data, size_t len, uint8_t page, uint16_t max);

/**
 * dw_vpd_has_page() - does the list of supported pages (VPD 00h) name a page?
 * @data: the reply to page 00h
 * @len: its length in bytes
 * @page: page code
 *
 * Some devices do not sort the list, leave 00h out, or cut it: what is there counts, since each
 * page is checked by its own code.
 *
 * Return: 1, 0; -EBADMSG when it is no such list: another page, empty, or with more entries than
 * there are page codes, as standard INQUIRY data look.
 */
int dw_vpd_has_page(const uint8_t *data, size_t len, uint8_t page);

/**
 * dw_vpd_serial() - unit serial number (VPD 80h)
 * @data: the reply
 * @len: its length in bytes
 * @buf: the number as text, without blanks at its ends
 * @size: of @buf in bytes, 256 hold all
 *
 * Return: 0; -ENODATA when it is empty; -EBADMSG when it is not this page or cut off.
 */
int dw_vpd_serial(const uint8_t *data, size_t len, char *buf, size_t size);

/**
 * dw_vpd_designator_next() - walk through the designators (VPD 83h)
 * @data: the reply
 * @len: its length in bytes
 * @pos: 0 for the first call, then as the last call left it
 * @ret: the designator; only complete ones are given
 *
 * Return: 1; 0 after the last one; -EBADMSG when it is not this page.
 */
int dw_vpd_designator_next(const uint8_t *data, size_t len, size_t *pos,
			   struct dw_designator *ret);

/**
 * dw_designator_text() - a designator in the spelling that udev and the kernel use
 * @d: NAA "0x5000c500a1b2c3d4" (as ID_WWN_WITH_EXTENSION), EUI-64 "eui.0123456789abcdef",
 *	UUID "uuid.0123...", SCSI name string as it is, T10 vendor ID "t10.ATA     ..."
 * @buf: the text
 * @size: of @buf in bytes, DW_VPD_WWN_MAX hold all
 *
 * Return: 0; -EINVAL when it has no such spelling: another type, or a length, code set or
 * NAA that its type does not allow; -ENOSPC when @buf is too short.
 */
int dw_designator_text(const struct dw_designator *d, char *buf, size_t size);

/**
 * dw_vpd_wwn() - the world wide name of the logical unit (VPD 83h, association 0)
 * @data: the reply
 * @len: its length in bytes
 * @buf: dw_designator_text() of the best designator: NAA of 16 bytes, NAA of 8 bytes,
 *	EUI-64, UUID, SCSI name string, T10 vendor ID; among equals the first
 * @size: of @buf in bytes, DW_VPD_WWN_MAX hold all
 *
 * Return: 0; -ENODATA when the unit names none; -EBADMSG when it is not this page.
 */
int dw_vpd_wwn(const uint8_t *data, size_t len, char *buf, size_t size);

/** dw_vpd_unit_names() - every name of the logical unit (VPD 83h, association 0) as text, each
 *  with a newline; those that @buf has no room for are left out. */
void dw_vpd_unit_names(const uint8_t *data, size_t len, char *buf, size_t size);

/**
 * dw_vpd_unit_digest() - all that the page reports of the logical unit, as one number
 * @data: the reply
 * @len: its length in bytes
 *
 * FNV-1a over code set, type and bytes of every association-0 designator, summed up so that
 * their order does not matter.
 *
 * Return: the number; 0 when there is no such designator.
 */
uint64_t dw_vpd_unit_digest(const uint8_t *data, size_t len);

/** dw_vpd_limits() - read VPD B0h of @len bytes.
 *  Return: 0; -EBADMSG when it is not this page or shorter than SBC-2's. */
int dw_vpd_limits(const uint8_t *data, size_t len, struct dw_vpd_limits *ret);

/** dw_vpd_character() - read VPD B1h of @len bytes.
 *  Return: 0; -EBADMSG when it is not this page or has no rotation rate. */
int dw_vpd_character(const uint8_t *data, size_t len, struct dw_vpd_character *ret);

/** struct dw_vpd_range - blocks that an actuator of their own reaches */
struct dw_vpd_range {
	uint64_t first;
	uint64_t blocks;
};

#define DW_VPD_RANGES_HEAD 64
#define DW_VPD_RANGE_LEN   32
#define DW_VPD_RANGES_LEN  (DW_VPD_RANGES_HEAD + 8 * DW_VPD_RANGE_LEN)

/**
 * dw_vpd_ranges() - concurrent positioning ranges (VPD B9h, SBC-5)
 * @data: the reply
 * @len: its length in bytes
 * @ret: those that came whole, in the order of their numbers
 * @most: room in @ret
 *
 * Return: how many there are, perhaps more than @most, of which none is given; 0 when it is not
 * this page, or its numbers do not count up from 0.
 */
size_t dw_vpd_ranges(const uint8_t *data, size_t len, struct dw_vpd_range *ret,
		     size_t most);

/** dw_vpd_provisioning() - read VPD B2h of @len bytes.
 *  Return: 0; -EBADMSG when it is not this page or too short. */
int dw_vpd_provisioning(const uint8_t *data, size_t len, struct dw_vpd_provisioning *ret);

#endif

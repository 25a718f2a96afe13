/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_INQUIRY_H
#define DW_SCSI_INQUIRY_H

/*
 * Standard INQUIRY data: what kind of device answers, and what it calls itself. As for
 * all replies, @len is what was really transferred (allocation length less residual).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Peripheral device types (SPC). */
enum dw_device_type {
	DW_TYPE_DISK = 0x00,       /* direct access block device */
	DW_TYPE_OPTICAL = 0x07,    /* optical memory device */
	DW_TYPE_ENCLOSURE = 0x0d,  /* enclosure services device */
	DW_TYPE_SIMPLIFIED = 0x0e, /* simplified direct access device */
	DW_TYPE_ZONED = 0x14,      /* host-managed zoned */
	DW_TYPE_UNKNOWN = 0x1f,
};

/**
 * struct dw_inquiry - standard INQUIRY data
 * @qualifier: 0 = a device is connected to the logical unit
 * @type: peripheral device type, 0..1Fh
 * @version: of SPC, 0 = none claimed
 * @removable: RMB
 * @encloses: ENCSERV
 * @multi_port: MULTIP
 * @protect: may be formatted with protection information
 * @queueing: CMDQUE
 * @tpgs: asymmetric access: 0 none, 1 implicit, 2 explicit, 3 both
 * @vendor, @product, @revision: text without blanks at its ends; empty when cut off
 */
struct dw_inquiry {
	uint8_t qualifier;
	uint8_t type;
	uint8_t version;
	bool removable;
	bool encloses;
	bool multi_port;
	bool protect;
	bool queueing;
	uint8_t tpgs;
	char vendor[9];
	char product[17];
	char revision[5];
};

/**
 * dw_inquiry_parse() - read standard INQUIRY data (SPC, INQUIRY)
 * @data: the reply
 * @len: its length in bytes
 * @ret: filled
 *
 * Return: 0; -EBADMSG when it is not standard INQUIRY data.
 */
int dw_inquiry_parse(const uint8_t *data, size_t len, struct dw_inquiry *ret);

/** dw_device_type_name() - a peripheral device type in words, static, never NULL. */
const char *dw_device_type_name(uint8_t type);

/**
 * dw_scsi_text() - an ASCII field as a string
 * @data: field, left-aligned or padded with blanks or zeros
 * @len: its length in bytes
 * @buf: the text without blanks at its ends; bytes that do not print become '.'
 * @size: of @buf in bytes, > 0; longer text is cut
 *
 * Return: length of the text.
 */
size_t dw_scsi_text(const uint8_t *data, size_t len, char *buf, size_t size);

#endif

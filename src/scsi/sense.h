/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_SENSE_H
#define DW_SCSI_SENSE_H

/*
 * Sense data: why a command did not end well, in fixed (70h, 71h) or descriptor (72h,
 * 73h) format, of any length and from any disk.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sense keys (SPC). */
enum dw_sense_key {
	DW_KEY_NO_SENSE = 0x0,
	DW_KEY_RECOVERED_ERROR = 0x1,
	DW_KEY_NOT_READY = 0x2,
	DW_KEY_MEDIUM_ERROR = 0x3,
	DW_KEY_HARDWARE_ERROR = 0x4,
	DW_KEY_ILLEGAL_REQUEST = 0x5,
	DW_KEY_UNIT_ATTENTION = 0x6,
	DW_KEY_DATA_PROTECT = 0x7,
	DW_KEY_BLANK_CHECK = 0x8,
	DW_KEY_VENDOR_SPECIFIC = 0x9,
	DW_KEY_COPY_ABORTED = 0xa,
	DW_KEY_ABORTED_COMMAND = 0xb,
	DW_KEY_VOLUME_OVERFLOW = 0xd,
	DW_KEY_MISCOMPARE = 0xe,
	DW_KEY_COMPLETED = 0xf,
};

/**
 * struct dw_sense - sense data in words
 * @key: enum dw_sense_key
 * @asc, @ascq: additional sense code and qualifier; 0 when they were cut off
 * @fru: field replaceable unit code, 0 = none
 * @descriptor: descriptor format
 * @deferred: about an earlier command (71h, 73h)
 * @info_valid, @information: INFORMATION, for block commands an LBA; set only when
 *	the VALID bit is
 * @specific_valid, @specific: COMMAND-SPECIFIC INFORMATION
 * @progress_valid, @progress: progress indication, in 1/65536 of the whole
 * @field_valid: ILLEGAL REQUEST names the field in error
 * @field_in_cdb: the field is in the CDB, else in the parameter list
 * @field: byte number of the field
 */
struct dw_sense {
	uint8_t key;
	uint8_t asc;
	uint8_t ascq;
	uint8_t fru;
	bool descriptor;
	bool deferred;
	bool info_valid;
	bool specific_valid;
	bool progress_valid;
	bool field_valid;
	bool field_in_cdb;
	uint16_t field;
	uint16_t progress;
	uint64_t information;
	uint64_t specific;
};

/**
 * dw_sense_parse() - read sense data (SPC, sense data)
 * @data: sense data as it came
 * @len: its length in bytes; may be shorter than what the data announce
 * @ret: filled; what was cut off is 0 and not valid
 *
 * Return: 0; -EINVAL when there is no sense key to be had: too short, or a response
 * code other than 70h..73h.
 */
int dw_sense_parse(const uint8_t *data, size_t len, struct dw_sense *ret);

/** dw_sense_key_name() - the sense key in words, static, never NULL. */
const char *dw_sense_key_name(uint8_t key);

/**
 * dw_sense_code_name() - an additional sense code in words
 * @asc: additional sense code
 * @ascq: its qualifier
 *
 * Return: static text, that of ASCQ 00h when only this is known, NULL when neither is.
 */
const char *dw_sense_code_name(uint8_t asc, uint8_t ascq);

/**
 * dw_sense_text() - one readable line, "Medium Error: Unrecovered read error (3/11/00),
 * LBA 4660"
 * @s: sense data
 * @buf: where the text goes, cut to fit
 * @size: of @buf in bytes, > 0
 *
 * Return: @buf.
 */
const char *dw_sense_text(const struct dw_sense *s, char *buf, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_SENSE_H
#define DW_ENCLOSURE_SENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dw_key {
	KEY_NONE = 0x0,
	KEY_RECOVERED = 0x1,
	KEY_NOT_READY = 0x2,
	KEY_MEDIUM = 0x3,
	KEY_HARDWARE = 0x4,
	KEY_ILLEGAL = 0x5,
	KEY_UNIT_ATTENTION = 0x6,
	KEY_PROTECT = 0x7,
	KEY_ABORTED = 0xb,
	KEY_MISCOMPARE = 0xe,
};

/* asc in the high byte, ascq in the low one */
#define ASC_BECOMING_READY   0x0401
#define ASC_NEEDS_START      0x0402
#define ASC_FORMATTING       0x0404
#define ASC_SANITIZING       0x041b
#define ASC_WRITE_ERROR      0x0c00
#define ASC_IU_TOO_SHORT     0x0e03
#define ASC_GUARD            0x1001
#define ASC_READ_ERROR       0x1100
#define ASC_WRITE_REQUIRED   0x1115
#define ASC_LIST_LENGTH      0x1a00
#define ASC_MISCOMPARE       0x1d00
#define ASC_INVALID_OPCODE   0x2000
#define ASC_ACCESS_DENIED    0x2002
#define ASC_LBA_RANGE        0x2100
#define ASC_UNALIGNED_WRITE  0x2104
#define ASC_WRITE_BOUNDARY   0x2105
#define ASC_READ_INVALID     0x2106
#define ASC_READ_BOUNDARY    0x2107
#define ASC_CDB_FIELD        0x2400
#define ASC_NO_SUCH_LUN      0x2500
#define ASC_LIST_FIELD       0x2600
#define ASC_INVALID_RELEASE  0x2604
#define ASC_WRITE_PROTECTED  0x2700
#define ASC_ZONE_READ_ONLY   0x2708
#define ASC_POWER_ON         0x2900
#define ASC_DEVICE_RESET     0x2903
#define ASC_MODE_CHANGED     0x2a01
#define ASC_PR_PREEMPTED     0x2a03
#define ASC_PR_RELEASED      0x2a04
#define ASC_PR_REG_PREEMPTED 0x2a05
#define ASC_CAPACITY_CHANGED 0x2a09
#define ASC_ZONE_OFFLINE     0x2c0e
#define ASC_FORMAT_FAILED    0x3101
#define ASC_SANITIZE_FAILED  0x3103
#define ASC_INTERNAL         0x4400

/* Sense data before it is encoded. */
struct dw_sense {
	uint8_t key;
	uint16_t asc;
	bool info_valid, deferred;
	uint64_t info;
	bool field_valid, field_in_list; /* field pointer, for ILLEGAL REQUEST */
	uint16_t field;
	bool progress_valid;
	uint16_t progress; /* of 65536, for NOT READY and NO SENSE */
};

size_t dw_sense_encode(const struct dw_sense *s, bool descriptor, uint8_t *buf);
bool dw_sense_parse(const char *text, struct dw_sense *ret_s);

#endif

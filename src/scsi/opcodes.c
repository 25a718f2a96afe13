/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An allow-list: only what has a row leaves the program, and a row may demand that certain
 * bits of byte 1 or byte 4 are zero, because one bit turns WRITE SAME into a deallocation or
 * START STOP UNIT into an eject.
 */
#include <stdbool.h>
#include <string.h>

#include "base/util.h"
#include "scsi/ata.h"
#include "scsi/ata_security.h"
#include "scsi/cdb.h"
#include "scsi/format.h"
#include "scsi/opcodes.h"
#include "scsi/tcg.h"
#include "scsi/zbc.h"

#define ANY (-1)
#define R   DW_OPCLASS_READ
#define C   DW_OPCLASS_CONTROL
#define W   DW_OPCLASS_WRITE

/**
 * struct opcode_row - one command
 * @opcode: byte 0
 * @sa: service action (byte 1, bits 4-0), or ANY when the command has none
 * @class: enum dw_opclass, never DW_OPCLASS_NEVER
 * @zero1, @zero4: bits of byte 1 and byte 4 that must be clear
 */
struct opcode_row {
	uint8_t opcode;
	int8_t sa;
	uint8_t class;
	uint8_t zero1;
	uint8_t zero4;
};

/* Data come first: each of their commands is looked up several times. */
static const struct opcode_row rows[] = {
	{ DW_OPCODE_WRITE_16, ANY, W, 0, 0 },
	{ DW_OPCODE_WRITE_10, ANY, W, 0, 0 },
	{ DW_OPCODE_READ_16, ANY, R, 0, 0 },
	{ DW_OPCODE_READ_10, ANY, R, 0, 0 },
	{ DW_OPCODE_WRITE_SAME_10, ANY, W, 0x1f, 0 }, /* ANCHOR UNMAP PBDATA LBDATA */
	{ DW_OPCODE_WRITE_SAME_16, ANY, W, 0x1e, 0 }, /* the same, but NDOB is ours */

	{ DW_OPCODE_TEST_UNIT_READY, ANY, R, 0, 0 },
	{ DW_OPCODE_REQUEST_SENSE, ANY, R, 0, 0 },
	{ DW_OPCODE_INQUIRY, ANY, R, 0, 0 },
	{ DW_OPCODE_MODE_SENSE_6, ANY, R, 0, 0 },
	{ DW_OPCODE_RECEIVE_DIAGNOSTIC, ANY, R, 0xfe, 0 }, /* but PCV */
	{ DW_OPCODE_READ_CAPACITY_10, ANY, R, 0, 0 },
	{ DW_OPCODE_VERIFY_10, ANY, R, 0, 0 },
	{ DW_OPCODE_SYNCHRONIZE_CACHE_10, ANY, R, 0, 0 }, /* changes no block */
	{ DW_OPCODE_READ_DEFECT_DATA_10, ANY, R, 0, 0 },
	{ DW_OPCODE_LOG_SENSE, ANY, R, 0x03, 0 }, /* SP, PPC */
	{ DW_OPCODE_MODE_SENSE_10, ANY, R, 0, 0 },
	{ DW_OPCODE_PERSISTENT_RESERVE_IN, 0x00, R, 0, 0 }, /* READ KEYS */
	{ DW_OPCODE_PERSISTENT_RESERVE_IN, 0x01, R, 0, 0 }, /* READ RESERVATION */
	{ DW_OPCODE_PERSISTENT_RESERVE_IN, 0x02, R, 0, 0 }, /* REPORT CAPABILITIES */
	{ DW_OPCODE_PERSISTENT_RESERVE_IN, 0x03, R, 0, 0 }, /* READ FULL STATUS */
	{ DW_OPCODE_ATA_16, ANY, R, 0, 0 },                 /* ata_class() */
	{ DW_OPCODE_VERIFY_16, ANY, R, 0, 0 },
	{ DW_OPCODE_SYNCHRONIZE_CACHE_16, ANY, R, 0, 0 },
	{ DW_OPCODE_REPORT_ZONES, 0x00, R, 0, 0 },         /* REPORT ZONES */
	{ DW_OPCODE_SERVICE_ACTION_IN_16, 0x10, R, 0, 0 }, /* READ CAPACITY(16) */
	{ DW_OPCODE_SERVICE_ACTION_IN_16, 0x12, R, 0, 0 }, /* GET LBA STATUS(16) */
	{ DW_OPCODE_SERVICE_ACTION_IN_16, 0x17, R, 0, 0 }, /* PHYSICAL ELEMENT STATUS */
	{ DW_OPCODE_REPORT_LUNS, ANY, R, 0, 0 },
	{ DW_OPCODE_SECURITY_PROTOCOL_IN, ANY, R, 0, 0 }, /* is_discovery() */
	{ DW_OPCODE_MAINTENANCE_IN, 0x05, R, 0, 0 }, /* REPORT IDENTIFYING INFORMATION */
	{ DW_OPCODE_MAINTENANCE_IN, 0x0a, R, 0, 0 }, /* REPORT TARGET PORT GROUPS */
	{ DW_OPCODE_MAINTENANCE_IN, 0x0c, R, 0, 0 }, /* SUPPORTED OPERATION CODES */
	{ DW_OPCODE_MAINTENANCE_IN, 0x0d, R, 0, 0 }, /* TASK MANAGEMENT FUNCTIONS */
	{ DW_OPCODE_MAINTENANCE_IN, 0x0f, R, 0, 0 }, /* REPORT TIMESTAMP */
	{ DW_OPCODE_READ_DEFECT_DATA_12, ANY, R, 0, 0 },

	{ DW_OPCODE_MODE_SELECT_6, ANY, C, 0x02, 0 },   /* RTD; the guard sees to SP */
	{ DW_OPCODE_START_STOP_UNIT, ANY, C, 0, 0x06 }, /* NO_FLUSH, LOEJ */
	/* but PF: no self-test; of its pages the guard lets one through */
	{ DW_OPCODE_SEND_DIAGNOSTIC, ANY, C, 0xef, 0 },
	{ DW_OPCODE_MODE_SELECT_10, ANY, C, 0x02, 0 },
	{ DW_OPCODE_PERSISTENT_RESERVE_OUT, 0x00, C, 0, 0 }, /* REGISTER */
	{ DW_OPCODE_PERSISTENT_RESERVE_OUT, 0x01, C, 0, 0 }, /* RESERVE */
	{ DW_OPCODE_PERSISTENT_RESERVE_OUT, 0x02, C, 0, 0 }, /* RELEASE */
	{ DW_OPCODE_PERSISTENT_RESERVE_OUT, 0x06, C, 0, 0 }, /* REGISTER AND IGNORE */

	{ DW_OPCODE_RESET_WRITE_POINTER, 0x04, W, 0, 0 }, /* as is_reset() wants it */

	{ DW_OPCODE_SANITIZE, 0x1f, C, 0xe0, 0 }, /* EXIT FAILURE MODE */
	/* but ZNR; dw_sanitize_fits() wants the other bits as they are */
	{ DW_OPCODE_SANITIZE, 0x01, DW_OPCLASS_OVERWRITE, 0x40, 0 },
	{ DW_OPCODE_SANITIZE, 0x02, DW_OPCLASS_BLOCK_ERASE, 0x40, 0 },
	{ DW_OPCODE_SANITIZE, 0x03, DW_OPCLASS_CRYPTO_ERASE, 0x40, 0 },

	/* but LONGLIST, CMPLST, a defect list's form, FFMT; dw_format_fits() wants the rest */
	{ DW_OPCODE_FORMAT_UNIT, ANY, DW_OPCLASS_FORMAT, 0x2f, 0x03 },
};

static const struct opcode_row *find_row(const uint8_t *cdb, size_t len)
{
	if (len == 0)
		return NULL;
	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		if (rows[i].opcode != cdb[0])
			continue;
		if (rows[i].sa == ANY || (len > 1 && rows[i].sa == (cdb[1] & 0x1f)))
			return &rows[i];
	}
	return NULL;
}

/* A count of 0 means up to the end of the medium, with no bound on the time it takes. */
static bool unbounded_write_same(const uint8_t *cdb, size_t len)
{
	struct dw_cdb_extent x;

	if (cdb[0] != DW_OPCODE_WRITE_SAME_10 && cdb[0] != DW_OPCODE_WRITE_SAME_16)
		return false;
	return dw_cdb_parse(cdb, len, &x) == 0 && x.nlb == 0;
}

/*
 * Any ATA command can stand in an ATA PASS-THROUGH(16), those that erase, lock or clip a disk too.
 * These get through, with all bytes as they are here. Three ask for the native capacity: protocol
 * non-data, no transfer, registers back, and FEATURE, COUNT and LBA zero. GET NATIVE MAX ADDRESS
 * EXT with another FEATURE would be SET ACCESSIBLE MAX ADDRESS EXT. READ NATIVE MAX ADDRESS changes
 * nothing; SET MAX ADDRESS, which obeys only right after it (ACS-2, SET MAX ADDRESS), is none of
 * them. Three read SMART data, thresholds and the disk's own verdict on itself; with other
 * FEATUREs that opcode switches SMART off, or starts a self-test. DEVICE CONFIGURATION IDENTIFY
 * reads what the disk had before its overlay; with other FEATUREs it changes that. One is IDENTIFY
 * DEVICE. SANITIZE DEVICE has a class for each of what it does, with all bytes as
 * dw_cdb_ata_sanitize() makes them; so have what shows hidden sectors again, as dw_cdb_ata_raise()
 * makes it, and the commands of dw_cdb_ata_secure().
 */
static bool harmless_ata(const uint8_t *cdb)
{
	static const uint8_t let[][16] = {
		{ 0x85, 0x07, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x27, 0 },
		{ 0x85, 0x07, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x78, 0 },
		{ 0x85, 0x06, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0xf8, 0 },
		{ 0x85, 0x08, 0x0e, 0, 0xd0, 0, 1, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0, 0 },
		{ 0x85, 0x08, 0x0e, 0, 0xd1, 0, 1, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0, 0 },
		{ 0x85, 0x06, 0x20, 0, 0xda, 0, 0, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0, 0 },
		{ 0x85, 0x08, 0x0e, 0, 0xc2, 0, 1, 0, 0, 0, 0, 0, 0, 0x40, 0xb1, 0 },
		{ 0x85, 0x08, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x40, 0xec, 0 },
		{ 0x85, 0x09, 0x0e, 0, 0, 0, 1, 0, 0x00, 0, 0, 0, 0, 0x40, 0x2f, 0 },
		{ 0x85, 0x09, 0x0e, 0, 0, 0, 1, 0, 0x47, 0, 0, 0, 0, 0x40, 0x2f, 0 },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(let); i++)
		if (!memcmp(cdb, let[i], sizeof(let[i])))
			return true;
	return false;
}

/* Other protocols have answers that are given once; this one tells of locks, and is asked alone. */
static bool is_discovery(const uint8_t *cdb)
{
	uint8_t want[DW_CDB_MAX];

	return !memcmp(cdb, want, (size_t)dw_cdb_tcg_discovery(want));
}

/* It is compared in all its bits: reserved ones may mean more zones one day. */
static bool is_reset(const uint8_t *cdb, size_t len)
{
	struct dw_cdb_reset reset;

	return dw_cdb_parse_reset(cdb, len, &reset);
}

/* These give 0 for a command that is none of theirs. */
static uint32_t raise_class(const uint8_t *cdb)
{
	static const uint32_t classes[] = {
		[DW_ATA_SET_MAX_EXT] = DW_OPCLASS_SET_MAX,
		[DW_ATA_SET_ACCESSIBLE_MAX] = DW_OPCLASS_ACCESSIBLE_MAX,
		[DW_ATA_DCO_RESTORE] = DW_OPCLASS_OVERLAY_OFF,
		[DW_ATA_RAISE_COUNT] = 0,
	};
	uint64_t last;

	return classes[dw_ata_raise_find(cdb, &last)];
}

static uint32_t secure_class(const uint8_t *cdb)
{
	switch (dw_ata_secure_find(cdb, NULL, 0)) {
	case DW_ATA_SECURE_COUNT:
		return 0;
	case DW_ATA_SECURE_ERASE:
	case DW_ATA_SECURE_ENHANCED:
		return DW_OPCLASS_ATA_NORMAL | DW_OPCLASS_ATA_ENHANCED;
	default:
		return DW_OPCLASS_SECURITY;
	}
}

static uint32_t sanitize_class(const uint8_t *cdb)
{
	static const uint32_t classes[] = {
		[DW_ATA_SANITIZE_STATUS] = DW_OPCLASS_READ,
		[DW_ATA_SANITIZE_EXIT] = DW_OPCLASS_CONTROL,
		[DW_ATA_SANITIZE_OVERWRITE] = DW_OPCLASS_OVERWRITE,
		[DW_ATA_SANITIZE_BLOCK_ERASE] = DW_OPCLASS_BLOCK_ERASE,
		[DW_ATA_SANITIZE_CRYPTO_ERASE] = DW_OPCLASS_CRYPTO_ERASE,
		[DW_ATA_SANITIZE_COUNT] = 0,
	};

	return classes[dw_ata_sanitize_find(cdb)];
}

static uint32_t ata_class(const uint8_t *cdb)
{
	static uint32_t (*const kinds[])(const uint8_t *) = { sanitize_class, raise_class,
							      secure_class };
	uint32_t class = harmless_ata(cdb) ? DW_OPCLASS_READ : 0;

	for (size_t i = 0; i < DW_ARRAY_SIZE(kinds) && !class; i++)
		class = kinds[i](cdb);
	return class ? class : DW_OPCLASS_NEVER;
}

/* Without FMTDATA it is Format NVM, for whoever speaks to an NVMe disk: dw_cdb_format_nvme(). */
static uint32_t format_class(const uint8_t *cdb)
{
	static const uint32_t classes[] = { DW_OPCLASS_NVME_FORMAT,
					    DW_OPCLASS_NVME_CRYPTO };
	uint8_t want[DW_CDB_MAX];

	for (size_t i = 0; i < DW_ARRAY_SIZE(classes); i++) {
		int n = dw_cdb_format_nvme(want, (uint8_t)(DW_FORMAT_NVME_USER + i));

		if (!memcmp(cdb, want, (size_t)n))
			return classes[i];
	}
	return DW_OPCLASS_FORMAT;
}

uint32_t dw_opcode_class(const uint8_t *cdb, size_t len)
{
	const struct opcode_row *row = find_row(cdb, len);
	unsigned int want;

	if (!row)
		return DW_OPCLASS_NEVER;
	want = dw_cdb_len(cdb[0]);
	if (want == 0 || len < want)
		return DW_OPCLASS_NEVER;
	if ((cdb[1] & row->zero1) || (cdb[4] & row->zero4))
		return DW_OPCLASS_NEVER;
	if (cdb[0] == DW_OPCODE_ATA_16)
		return ata_class(cdb);
	if (cdb[0] == DW_OPCODE_FORMAT_UNIT)
		return format_class(cdb);
	if (cdb[0] == DW_OPCODE_SECURITY_PROTOCOL_IN && !is_discovery(cdb))
		return DW_OPCLASS_NEVER;
	if (cdb[0] == DW_OPCODE_RESET_WRITE_POINTER && !is_reset(cdb, len))
		return DW_OPCLASS_NEVER;
	if (unbounded_write_same(cdb, len))
		return DW_OPCLASS_NEVER;
	return row->class;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An allow-list: only what has a row with a class leaves the program, and a row may
 * demand that certain bits of byte 1 or byte 4 are zero, because one bit turns WRITE
 * SAME into a deallocation or START STOP UNIT into an eject. The rows of class NEVER
 * change nothing; they are there so that a refusal can name the command.
 */
#include <stdbool.h>
#include <string.h>

#include "base/util.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"

#define ANY (-1)
#define R   DW_OPCLASS_READ
#define C   DW_OPCLASS_CONTROL
#define W   DW_OPCLASS_WRITE
#define N   DW_OPCLASS_NEVER

/**
 * struct opcode_row - one command
 * @opcode: byte 0
 * @sa: service action (byte 1, bits 4-0), or ANY when the command has none
 * @class: enum dw_opclass
 * @zero1, @zero4: bits of byte 1 and byte 4 that must be clear
 * @name: in SPC, SBC or SAT
 */
struct opcode_row {
	uint8_t opcode;
	int8_t sa;
	uint8_t class;
	uint8_t zero1;
	uint8_t zero4;
	const char *name;
};

static const struct opcode_row rows[] = {
	{ 0x00, ANY, R, 0, 0, "TEST UNIT READY" },
	{ 0x03, ANY, R, 0, 0, "REQUEST SENSE" },
	{ 0x12, ANY, R, 0, 0, "INQUIRY" },
	{ 0x1a, ANY, R, 0, 0, "MODE SENSE(6)" },
	{ 0x25, ANY, R, 0, 0, "READ CAPACITY(10)" },
	{ 0x28, ANY, R, 0, 0, "READ(10)" },
	{ 0x2f, ANY, R, 0, 0, "VERIFY(10)" },
	{ 0x35, ANY, R, 0, 0, "SYNCHRONIZE CACHE(10)" }, /* changes no block */
	{ 0x37, ANY, R, 0, 0, "READ DEFECT DATA(10)" },
	{ 0x4d, ANY, R, 0x03, 0, "LOG SENSE" }, /* SP, PPC */
	{ 0x5a, ANY, R, 0, 0, "MODE SENSE(10)" },
	{ 0x5e, 0x00, R, 0, 0, "PERSISTENT RESERVE IN, READ KEYS" },
	{ 0x5e, 0x01, R, 0, 0, "PERSISTENT RESERVE IN, READ RESERVATION" },
	{ 0x5e, 0x02, R, 0, 0, "PERSISTENT RESERVE IN, REPORT CAPABILITIES" },
	{ 0x5e, 0x03, R, 0, 0, "PERSISTENT RESERVE IN, READ FULL STATUS" },
	{ 0x85, ANY, R, 0, 0, "ATA PASS-THROUGH(16)" }, /* harmless_ata() */
	{ 0x88, ANY, R, 0, 0, "READ(16)" },
	{ 0x8f, ANY, R, 0, 0, "VERIFY(16)" },
	{ 0x91, ANY, R, 0, 0, "SYNCHRONIZE CACHE(16)" },
	{ 0x9e, 0x10, R, 0, 0, "READ CAPACITY(16)" },
	{ 0x9e, 0x12, R, 0, 0, "GET LBA STATUS(16)" },
	{ 0xa0, ANY, R, 0, 0, "REPORT LUNS" },
	{ 0xa3, 0x05, R, 0, 0, "REPORT IDENTIFYING INFORMATION" },
	{ 0xa3, 0x0a, R, 0, 0, "REPORT TARGET PORT GROUPS" },
	{ 0xa3, 0x0c, R, 0, 0, "REPORT SUPPORTED OPERATION CODES" },
	{ 0xa3, 0x0d, R, 0, 0, "REPORT SUPPORTED TASK MANAGEMENT FUNCTIONS" },
	{ 0xa3, 0x0f, R, 0, 0, "REPORT TIMESTAMP" },
	{ 0xb7, ANY, R, 0, 0, "READ DEFECT DATA(12)" },

	{ 0x15, ANY, C, 0x03, 0, "MODE SELECT(6)" },  /* RTD, SP */
	{ 0x1b, ANY, C, 0, 0x06, "START STOP UNIT" }, /* NO_FLUSH, LOEJ */
	{ 0x55, ANY, C, 0x03, 0, "MODE SELECT(10)" },
	{ 0x5f, 0x00, C, 0, 0, "PERSISTENT RESERVE OUT, REGISTER" },
	{ 0x5f, 0x01, C, 0, 0, "PERSISTENT RESERVE OUT, RESERVE" },
	{ 0x5f, 0x02, C, 0, 0, "PERSISTENT RESERVE OUT, RELEASE" },
	{ 0x5f, 0x06, C, 0, 0, "PERSISTENT RESERVE OUT, REGISTER AND IGNORE" },

	{ 0x2a, ANY, W, 0, 0, "WRITE(10)" },
	{ 0x8a, ANY, W, 0, 0, "WRITE(16)" },
	{ 0x41, ANY, W, 0x1f, 0, "WRITE SAME(10)" }, /* ANCHOR UNMAP PBDATA LBDATA */
	{ 0x93, ANY, W, 0x1e, 0, "WRITE SAME(16)" }, /* the same, but NDOB is ours */

	{ 0x04, ANY, N, 0, 0, "FORMAT UNIT" },
	{ 0x07, ANY, N, 0, 0, "REASSIGN BLOCKS" },
	{ 0x08, ANY, N, 0, 0, "READ(6)" },
	{ 0x0a, ANY, N, 0, 0, "WRITE(6)" },
	{ 0x16, ANY, N, 0, 0, "RESERVE(6)" },
	{ 0x17, ANY, N, 0, 0, "RELEASE(6)" },
	{ 0x1c, ANY, N, 0, 0, "RECEIVE DIAGNOSTIC RESULTS" },
	{ 0x1d, ANY, N, 0, 0, "SEND DIAGNOSTIC" },
	{ 0x1e, ANY, N, 0, 0, "PREVENT ALLOW MEDIUM REMOVAL" },
	{ 0x2e, ANY, N, 0, 0, "WRITE AND VERIFY(10)" },
	{ 0x34, ANY, N, 0, 0, "PRE-FETCH(10)" },
	{ 0x3b, ANY, N, 0, 0, "WRITE BUFFER" },
	{ 0x3c, ANY, N, 0, 0, "READ BUFFER(10)" },
	{ 0x3e, ANY, N, 0, 0, "READ LONG(10)" },
	{ 0x3f, ANY, N, 0, 0, "WRITE LONG(10)" },
	{ 0x42, ANY, N, 0, 0, "UNMAP" },
	{ 0x48, ANY, N, 0, 0, "SANITIZE" },
	{ 0x4c, ANY, N, 0, 0, "LOG SELECT" },
	{ 0x53, ANY, N, 0, 0, "XDWRITEREAD(10)" },
	{ 0x5e, ANY, N, 0, 0, "PERSISTENT RESERVE IN" },
	{ 0x5f, ANY, N, 0, 0, "PERSISTENT RESERVE OUT" },
	{ 0x7f, ANY, N, 0, 0, "variable-length command" },
	{ 0x83, ANY, N, 0, 0, "third-party copy" },
	{ 0x89, ANY, N, 0, 0, "COMPARE AND WRITE" },
	{ 0x8e, ANY, N, 0, 0, "WRITE AND VERIFY(16)" },
	{ 0x94, ANY, N, 0, 0, "ZBC OUT" },
	{ 0x95, ANY, N, 0, 0, "ZBC IN" },
	{ 0x9c, ANY, N, 0, 0, "WRITE ATOMIC(16)" },
	{ 0x9e, ANY, N, 0, 0, "SERVICE ACTION IN(16)" },
	{ 0x9f, ANY, N, 0, 0, "SERVICE ACTION OUT(16)" },
	{ 0xa1, ANY, N, 0, 0, "ATA PASS-THROUGH(12)" },
	{ 0xa2, ANY, N, 0, 0, "SECURITY PROTOCOL IN" },
	{ 0xa3, ANY, N, 0, 0, "MAINTENANCE IN" },
	{ 0xa4, ANY, N, 0, 0, "MAINTENANCE OUT" },
	{ 0xa8, ANY, N, 0, 0, "READ(12)" },
	{ 0xaa, ANY, N, 0, 0, "WRITE(12)" },
	{ 0xae, ANY, N, 0, 0, "WRITE AND VERIFY(12)" },
	{ 0xb5, ANY, N, 0, 0, "SECURITY PROTOCOL OUT" },
};

/* The first row that fits: rows with a service action stand before the bare opcode. */
static const struct opcode_row *find(const uint8_t *cdb, size_t len)
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

	return dw_cdb_parse(cdb, len, &x) == 0 && x.verb == DW_EXTENT_WRITE_SAME &&
	       x.nlb == 0;
}

/*
 * Any ATA command can stand in an ATA PASS-THROUGH(16), those that erase, lock or clip a disk too.
 * Three get through, with all bytes as they are here: protocol non-data, no transfer, registers
 * back, and FEATURE, COUNT and LBA zero. GET NATIVE MAX ADDRESS EXT with another FEATURE would
 * be SET ACCESSIBLE MAX ADDRESS EXT. READ NATIVE MAX ADDRESS changes nothing, and SET MAX ADDRESS,
 * which obeys only right after it (ACS-2, SET MAX ADDRESS), is none of them.
 */
static bool harmless_ata(const uint8_t *cdb)
{
	static const uint8_t let[][16] = {
		{ 0x85, 0x07, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x27, 0 },
		{ 0x85, 0x07, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x78, 0 },
		{ 0x85, 0x06, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0xf8, 0 },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(let); i++)
		if (!memcmp(cdb, let[i], sizeof(let[i])))
			return true;
	return false;
}

uint32_t dw_opcode_class(const uint8_t *cdb, size_t len)
{
	const struct opcode_row *row = find(cdb, len);
	unsigned int want;

	if (!row)
		return DW_OPCLASS_NEVER;
	want = dw_cdb_len(cdb[0]);
	if (want == 0 || len < want)
		return DW_OPCLASS_NEVER;
	if ((cdb[1] & row->zero1) || (cdb[4] & row->zero4))
		return DW_OPCLASS_NEVER;
	if (cdb[0] == DW_OPCODE_ATA_16 && !harmless_ata(cdb))
		return DW_OPCLASS_NEVER;
	if (unbounded_write_same(cdb, len))
		return DW_OPCLASS_NEVER;
	return row->class;
}

const char *dw_opcode_name(const uint8_t *cdb, size_t len)
{
	const struct opcode_row *row = find(cdb, len);

	return row ? row->name : "unknown command";
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CDBs: what the parser reads is filled in again and must be the same CDB, apart from
 * bits that are never sent; and the guard lets nothing through that it should not.
 */
#include <string.h>

#include "fuzz.h"

#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "scsi/zbc.h"

/* SECURITY ERASE UNIT: the data tell its two ways apart */
#define SECURITY_ERASE (DW_OPCLASS_ATA_NORMAL | DW_OPCLASS_ATA_ENHANCED)

static void round_trip(const uint8_t *data, const struct dw_cdb_extent *x)
{
	uint8_t cdb[DW_CDB_MAX];
	struct dw_cdb_extent back;
	int r = dw_cdb_fill_extent(cdb, dw_cdb_len(data[0]), x);

	if (r < 0)
		return;
	FUZZ_CHECK(cdb[0] == data[0] && (cdb[1] & ~data[1]) == 0);
	FUZZ_CHECK(dw_cdb_parse(cdb, (size_t)r, &back) == 0);
	FUZZ_CHECK(back.verb == x->verb && back.flags == x->flags);
	FUZZ_CHECK(back.lba == x->lba && back.nlb == x->nlb);
	FUZZ_CHECK(back.bytchk == x->bytchk && back.protect == 0);
}

/* What a command of class WRITE may be. */
static void check_write(const struct dw_cdb_extent *x)
{
	FUZZ_CHECK(x->verb == DW_EXTENT_WRITE || x->verb == DW_EXTENT_WRITE_SAME);
	FUZZ_CHECK(!(x->flags & (DW_EXTENT_UNMAP | DW_EXTENT_ANCHOR)));
	FUZZ_CHECK(x->verb == DW_EXTENT_WRITE || x->nlb > 0);
}

/* SANITIZE DEVICE, by its FEATURE, with its failure mode and its signature. */
static void check_ata_erase(const uint8_t *data, uint32_t class)
{
	FUZZ_CHECK(data[14] == 0xb4 && data[13] == 0x40 && data[3] == 0 && data[5] == 0);
	switch (class) {
	case DW_OPCLASS_OVERWRITE:
		FUZZ_CHECK(data[4] == 0x14 && data[6] == 0x11);
		FUZZ_CHECK(data[11] == 0x4f && data[9] == 0x57);
		break;
	case DW_OPCLASS_BLOCK_ERASE:
		FUZZ_CHECK(data[4] == 0x12 && data[6] == 0x10 && data[12] == 0x6b);
		break;
	default:
		FUZZ_CHECK(data[4] == 0x11 && data[6] == 0x10 && data[12] == 0x72);
	}
}

/* What shows hidden sectors again: for good, by SET and not by its freeze, to the default. */
static void check_ata_raise(const uint8_t *data, uint32_t class)
{
	FUZZ_CHECK(data[0] == DW_OPCODE_ATA_16 && data[13] == 0x40 && data[3] == 0 &&
		   data[5] == 0);
	switch (class) {
	case DW_OPCLASS_SET_MAX:
		FUZZ_CHECK(data[14] == 0x37 && data[4] == 0 && data[6] == 1);
		break;
	case DW_OPCLASS_ACCESSIBLE_MAX:
		FUZZ_CHECK(data[14] == 0x78 && data[4] == 1 && data[6] == 0);
		break;
	default:
		FUZZ_CHECK(data[14] == 0xb1 && data[4] == 0xc0 && data[8] == 0);
	}
}

/* Passwords: all but the command itself is zero, and ERASE UNIT is F4h alone. */
static void check_security(const uint8_t *data, uint32_t class)
{
	FUZZ_CHECK(data[0] == DW_OPCODE_ATA_16 && data[13] == 0x40 && data[15] == 0);
	FUZZ_CHECK((data[14] == 0xf4) == (class == SECURITY_ERASE));
	FUZZ_CHECK(data[14] >= 0xf1 && data[14] <= 0xf6 && data[14] != 0xf5);
	FUZZ_CHECK(data[1] == (data[14] == 0xf3 ? 0x06 : 0x0a) && data[3] == 0);
}

/* What a command by which a disk erases itself may be. */
static void check_erase(const uint8_t *data, uint32_t class)
{
	if (class == SECURITY_ERASE) {
		check_security(data, class);
		return;
	}
	if (data[0] == DW_OPCODE_ATA_16) {
		check_ata_erase(data, class);
		return;
	}
	FUZZ_CHECK(data[0] == DW_OPCODE_SANITIZE && !(data[1] & 0x40)); /* ZNR */
	FUZZ_CHECK(class == (uint32_t)DW_OPCLASS_OVERWRITE << ((data[1] & 0x1f) - 1));
}

/* A reset is of one zone or, by no address, of all. */
static void check_reset(const uint8_t *data, size_t size)
{
	struct dw_cdb_reset reset;

	FUZZ_CHECK(dw_cdb_parse_reset(data, size, &reset));
	FUZZ_CHECK(data[1] == 0x04 && !data[10] && !data[11] && !data[12] && !data[13] &&
		   !data[15]);
	FUZZ_CHECK(data[14] == (reset.all ? 1 : 0) && (!reset.all || !reset.lba));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t class = dw_opcode_class(data, size);
	struct dw_cdb_extent x;
	int r = dw_cdb_parse(data, size, &x);

	FUZZ_CHECK(class == DW_OPCLASS_READ || class == DW_OPCLASS_CONTROL ||
		   class == DW_OPCLASS_WRITE || class == DW_OPCLASS_NEVER ||
		   class == DW_OPCLASS_OVERWRITE || class == DW_OPCLASS_BLOCK_ERASE ||
		   class == DW_OPCLASS_CRYPTO_ERASE || class == DW_OPCLASS_FORMAT ||
		   class == DW_OPCLASS_SET_MAX || class == DW_OPCLASS_ACCESSIBLE_MAX ||
		   class == DW_OPCLASS_OVERLAY_OFF || class == DW_OPCLASS_SECURITY ||
		   class == SECURITY_ERASE || class == DW_OPCLASS_NVME_FORMAT ||
		   class == DW_OPCLASS_NVME_CRYPTO);
	if (class != DW_OPCLASS_NEVER)
		FUZZ_CHECK(size >= dw_cdb_len(data[0]) && size >= 6);
	if (r == 0)
		round_trip(data, &x);
	if (class == DW_OPCLASS_WRITE && data[0] == DW_OPCODE_RESET_WRITE_POINTER) {
		check_reset(data, size);
	} else if (class == DW_OPCLASS_WRITE) {
		FUZZ_CHECK(r == 0);
		check_write(&x);
	}
	if (class & DW_OPCLASS_ERASE)
		check_erase(data, class);
	if (class & DW_OPCLASS_ATA_RAISE)
		check_ata_raise(data, class);
	if (class == DW_OPCLASS_SECURITY)
		check_security(data, class);
	if (class == DW_OPCLASS_FORMAT) /* no old lists, and none that writes nothing */
		FUZZ_CHECK(data[0] == DW_OPCODE_FORMAT_UNIT && !(data[1] & 0x2f) &&
			   !(data[4] & 0x03));
	if (class & (DW_OPCLASS_NVME_FORMAT | DW_OPCLASS_NVME_CRYPTO))
		FUZZ_CHECK(data[0] == DW_OPCODE_FORMAT_UNIT && !data[1] && !data[3] &&
			   !data[4] && !data[5] &&
			   data[2] == (class == DW_OPCLASS_NVME_FORMAT ? 1 : 2));
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_OPCODES_H
#define DW_SCSI_OPCODES_H

/*
 * The opcode guard: what a command can do to a disk, decided from the CDB alone.
 * The kernel's own filter works by opcode only and lets SANITIZE (48h) through a
 * read-only descriptor, so the open mode protects nothing; this table does.
 */
#include <stddef.h>
#include <stdint.h>

#define DW_OPCLASS_ERASE                                                                 \
	(DW_OPCLASS_OVERWRITE | DW_OPCLASS_BLOCK_ERASE | DW_OPCLASS_CRYPTO_ERASE |       \
	 DW_OPCLASS_ATA_NORMAL | DW_OPCLASS_ATA_ENHANCED)

#define DW_OPCLASS_ATA_RAISE                                                             \
	(DW_OPCLASS_SET_MAX | DW_OPCLASS_ACCESSIBLE_MAX | DW_OPCLASS_OVERLAY_OFF)

enum dw_opclass {
	/* leaves data and state as they are: INQUIRY, READ, TEST UNIT READY,
	 * MODE SENSE, READ CAPACITY, REPORT ..., LOG SENSE, PERSISTENT RESERVE IN,
	 * REQUEST SENSE, VERIFY with BYTCHK, SYNCHRONIZE CACHE is not one */
	DW_OPCLASS_READ = 1 << 0,
	/* changes state but no user data: MODE SELECT, START STOP UNIT,
	 * PERSISTENT RESERVE OUT, SYNCHRONIZE CACHE */
	DW_OPCLASS_CONTROL = 1 << 1,
	/* destroys user data: WRITE, WRITE SAME, RESET WRITE POINTER */
	DW_OPCLASS_WRITE = 1 << 2,
	/* everything else: never sent */
	DW_OPCLASS_NEVER = 1 << 3,
	/* the disk erases itself: SANITIZE, or SANITIZE DEVICE by ATA PASS-THROUGH(16), a
	 * permit for each way */
	DW_OPCLASS_OVERWRITE = 1 << 4,
	DW_OPCLASS_BLOCK_ERASE = 1 << 5,
	DW_OPCLASS_CRYPTO_ERASE = 1 << 6,
	/* all blocks are formatted: FORMAT UNIT; with it, MODE SELECT may ask for a block length */
	DW_OPCLASS_FORMAT = 1 << 7,
	/* a disk erases itself and answers when that is over: each way of SECURITY ERASE UNIT, and
	 * of Format NVM, for which dw_cdb_format_nvme() has the CDB */
	DW_OPCLASS_ATA_NORMAL = 1 << 8,
	DW_OPCLASS_ATA_ENHANCED = 1 << 9,
	DW_OPCLASS_NVME_FORMAT = 1 << 10,
	DW_OPCLASS_NVME_CRYPTO = 1 << 11,
	/* an ATA password is set, tried or cleared, or SECURITY ERASE UNIT announced */
	DW_OPCLASS_SECURITY = 1 << 12,
	/* blocks that were hidden are shown again: MODE SELECT with a number of blocks of all ones,
	 * and by ATA PASS-THROUGH(16) SET MAX ADDRESS EXT, SET ACCESSIBLE MAX ADDRESS EXT and
	 * DEVICE CONFIGURATION RESTORE, a permit for each */
	DW_OPCLASS_UNCLIP = 1 << 13,
	DW_OPCLASS_SET_MAX = 1 << 14,
	DW_OPCLASS_ACCESSIBLE_MAX = 1 << 15,
	DW_OPCLASS_OVERLAY_OFF = 1 << 16,
};

/**
 * dw_opcode_class() - what the command can do
 * @cdb: command descriptor block
 * @len: its length in bytes
 *
 * A WRITE SAME with UNMAP set, a SANITIZE with ZNR, any service action that is not known, and a
 * CDB shorter than its opcode's group code implies are DW_OPCLASS_NEVER. Of a SANITIZE more than
 * this has to be right: dw_sanitize_fits(); of a FORMAT UNIT, too: dw_format_fits(). ATA
 * PASS-THROUGH(16) is compared byte by byte; what goes out with a password, too:
 * dw_ata_secure_find().
 *
 * Return: one bit of enum dw_opclass; of SECURITY ERASE UNIT both, as its data tell the ways apart.
 */
uint32_t dw_opcode_class(const uint8_t *cdb, size_t len);

#endif

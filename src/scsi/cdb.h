/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_CDB_H
#define DW_SCSI_CDB_H

/*
 * Command descriptor blocks: one fill function per command, and one parser for the
 * commands that name an extent of logical blocks. Every fill function clears all
 * DW_CDB_MAX bytes of @cdb first, writes nothing on an error, and returns the length
 * of the CDB (6, 10, 12 or 16) or a negative errno.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scsi/cmd.h"

/* Operation codes (SPC, SBC). */
enum dw_opcode {
	DW_OPCODE_TEST_UNIT_READY = 0x00,
	DW_OPCODE_REQUEST_SENSE = 0x03,
	DW_OPCODE_FORMAT_UNIT = 0x04,
	DW_OPCODE_INQUIRY = 0x12,
	DW_OPCODE_MODE_SELECT_6 = 0x15,
	DW_OPCODE_MODE_SENSE_6 = 0x1a,
	DW_OPCODE_START_STOP_UNIT = 0x1b,
	DW_OPCODE_RECEIVE_DIAGNOSTIC = 0x1c, /* RECEIVE DIAGNOSTIC RESULTS */
	DW_OPCODE_SEND_DIAGNOSTIC = 0x1d,
	DW_OPCODE_READ_CAPACITY_10 = 0x25,
	DW_OPCODE_READ_10 = 0x28,
	DW_OPCODE_WRITE_10 = 0x2a,
	DW_OPCODE_VERIFY_10 = 0x2f,
	DW_OPCODE_SYNCHRONIZE_CACHE_10 = 0x35,
	DW_OPCODE_READ_DEFECT_DATA_10 = 0x37,
	DW_OPCODE_WRITE_SAME_10 = 0x41,
	DW_OPCODE_SANITIZE = 0x48,
	DW_OPCODE_LOG_SENSE = 0x4d,
	DW_OPCODE_MODE_SELECT_10 = 0x55,
	DW_OPCODE_MODE_SENSE_10 = 0x5a,
	DW_OPCODE_PERSISTENT_RESERVE_IN = 0x5e,
	DW_OPCODE_PERSISTENT_RESERVE_OUT = 0x5f,
	DW_OPCODE_ATA_16 = 0x85, /* ATA PASS-THROUGH(16) */
	DW_OPCODE_READ_16 = 0x88,
	DW_OPCODE_WRITE_16 = 0x8a,
	DW_OPCODE_VERIFY_16 = 0x8f,
	DW_OPCODE_SYNCHRONIZE_CACHE_16 = 0x91,
	DW_OPCODE_WRITE_SAME_16 = 0x93,
	DW_OPCODE_RESET_WRITE_POINTER = 0x94,
	DW_OPCODE_REPORT_ZONES = 0x95,
	DW_OPCODE_SERVICE_ACTION_IN_16 = 0x9e,
	DW_OPCODE_REPORT_LUNS = 0xa0,
	DW_OPCODE_SECURITY_PROTOCOL_IN = 0xa2,
	DW_OPCODE_MAINTENANCE_IN = 0xa3,
	DW_OPCODE_READ_DEFECT_DATA_12 = 0xb7,
};

/* Service actions. */
enum dw_service_action {
	DW_SA_READ_CAPACITY_16 = 0x10, /* of 9Eh */
	DW_SA_PHYSICAL_ELEMENTS = 0x17,
	DW_SA_GET_LBA_STATUS = 0x12, /* of 9Eh */
	DW_SA_RSOC = 0x0c,           /* of A3h: REPORT SUPPORTED OPERATION CODES */
	DW_SA_PR_READ_KEYS = 0x00,   /* of 5Eh */
	DW_SA_PR_READ_RESERVATION = 0x01,
	DW_SA_PR_REPORT_CAPABILITIES = 0x02,
	DW_SA_PR_READ_FULL_STATUS = 0x03,
	DW_SA_PR_REGISTER = 0x00, /* of 5Fh */
	DW_SA_PR_RESERVE = 0x01,
	DW_SA_PR_RELEASE = 0x02,
	DW_SA_PR_REGISTER_AND_IGNORE = 0x06,
	DW_SA_RESET_WRITE_POINTER = 0x04, /* of 94h */
	DW_SA_REPORT_ZONES = 0x00,        /* of 95h */
	DW_SA_SANITIZE_OVERWRITE = 0x01,  /* of 48h */
	DW_SA_SANITIZE_BLOCK_ERASE = 0x02,
	DW_SA_SANITIZE_CRYPTO_ERASE = 0x03,
	DW_SA_SANITIZE_EXIT_FAILURE_MODE = 0x1f,
};

enum dw_extent_verb {
	DW_EXTENT_READ,
	DW_EXTENT_WRITE,
	DW_EXTENT_WRITE_SAME,
	DW_EXTENT_SYNC,
	DW_EXTENT_VERIFY,
	DW_EXTENT_VERB_COUNT,
};

enum dw_extent_flags {
	DW_EXTENT_DPO = 1 << 0,    /* READ, WRITE, VERIFY */
	DW_EXTENT_FUA = 1 << 1,    /* READ, WRITE */
	DW_EXTENT_NDOB = 1 << 2,   /* WRITE SAME(16): no data-out buffer */
	DW_EXTENT_UNMAP = 1 << 3,  /* WRITE SAME: parsed, never filled */
	DW_EXTENT_ANCHOR = 1 << 4, /* WRITE SAME: parsed, never filled */
	DW_EXTENT_IMMED = 1 << 5,  /* SYNCHRONIZE CACHE: parsed, never filled */
};

#define DW_BYTCHK_ONE 3 /* every block is compared with one that is sent */

/**
 * struct dw_cdb_extent - what a command with an extent asks for
 * @verb: enum dw_extent_verb
 * @flags: enum dw_extent_flags
 * @bytchk: VERIFY: 0 medium only, 1 blocks are compared, 3 one block is compared
 * @protect: RDPROTECT, WRPROTECT or VRPROTECT; parsed, filled as 0
 * @lba: first logical block
 * @nlb: logical blocks. 0 means nothing for READ, WRITE and VERIFY, and up to the last
 *	block for SYNCHRONIZE CACHE and (where the disk allows it) WRITE SAME
 */
struct dw_cdb_extent {
	uint8_t verb;
	uint8_t flags;
	uint8_t bytchk;
	uint8_t protect;
	uint64_t lba;
	uint32_t nlb;
};

/**
 * struct dw_mode_request - which mode page is asked for
 * @page: page code, 0..3Fh
 * @subpage: 0..FFh
 * @pc: page control: 0 current, 1 changeable, 2 default, 3 saved values
 * @dbd: no block descriptors in the reply
 * @llbaa: they may be long ones; of the 10-byte CDB only
 * @alloc: allocation length in bytes, <= 255 for the 6-byte CDB
 */
struct dw_mode_request {
	uint8_t page;
	uint8_t subpage;
	uint8_t pc;
	bool dbd;
	bool llbaa;
	uint16_t alloc;
};

/**
 * struct dw_rsoc_request - which operation codes are asked for
 * @option: 0 all, 1 one opcode, 2 opcode with service action, 3 either (SPC-4)
 * @opcode: with @option 1..3
 * @sa: service action, with @option 2 and 3
 * @rctd: ask for command timeouts
 * @alloc: allocation length in bytes
 */
struct dw_rsoc_request {
	uint8_t option;
	uint8_t opcode;
	uint16_t sa;
	bool rctd;
	uint32_t alloc;
};

/**
 * dw_cdb_len() - CDB length that the group code of an operation code implies
 * @opcode: byte 0
 *
 * Return: 6, 10, 12 or 16; 0 for variable-length and vendor-specific groups.
 */
unsigned int dw_cdb_len(uint8_t opcode);

/**
 * dw_cdb_fill_extent() - READ, WRITE, WRITE SAME, SYNCHRONIZE CACHE, VERIFY (SBC)
 * @cdb: DW_CDB_MAX bytes
 * @size: 10 or 16
 * @x: the extent; protect is ignored
 *
 * Return: CDB length; -ERANGE when LBA or count do not fit a CDB of that size or the
 * extent passes 2^64; -EINVAL for another @size or verb, a flag that the command does not
 * have or that is never filled, and a WRITE SAME of 0 blocks.
 */
int dw_cdb_fill_extent(uint8_t *cdb, unsigned int size, const struct dw_cdb_extent *x);

/**
 * dw_cdb_parse() - the extent that a CDB names
 * @cdb: command descriptor block
 * @len: its length in bytes
 * @ret: the extent
 *
 * Return: 0; -EINVAL when the CDB is shorter than its opcode implies; -EOPNOTSUPP when it
 * is none of READ, WRITE, WRITE SAME, SYNCHRONIZE CACHE, VERIFY (10) or (16).
 */
int dw_cdb_parse(const uint8_t *cdb, size_t len, struct dw_cdb_extent *ret);

/**
 * dw_cdb_inquiry() - INQUIRY (SPC)
 * @cdb: DW_CDB_MAX bytes
 * @vpd_page: 0..FFh, or -1 for standard INQUIRY data
 * @alloc: allocation length in bytes
 *
 * Return: 6; -EINVAL for another page.
 */
int dw_cdb_inquiry(uint8_t *cdb, int vpd_page, uint16_t alloc);

/** dw_cdb_test_unit_ready() - TEST UNIT READY (SPC); @cdb has DW_CDB_MAX bytes.
 *  Return: 6. */
int dw_cdb_test_unit_ready(uint8_t *cdb);

/**
 * dw_cdb_request_sense() - REQUEST SENSE (SPC)
 * @cdb: DW_CDB_MAX bytes
 * @desc: ask for descriptor format
 * @alloc: allocation length in bytes
 *
 * Return: 6.
 */
int dw_cdb_request_sense(uint8_t *cdb, bool desc, uint8_t alloc);

#define DW_SANITIZE_LIST_LEN 8 /* bytes of the parameter list of an overwrite */

/**
 * dw_cdb_sanitize() - SANITIZE (SBC) that returns at once (IMMED=1), and after a failure leaves
 *	the disk to any command (AUSE=1)
 * @cdb: DW_CDB_MAX bytes
 * @sa: DW_SA_SANITIZE_*
 *
 * An overwrite has a parameter list of DW_SANITIZE_LIST_LEN bytes, the others have none.
 *
 * Return: 10; -EINVAL for another service action.
 */
int dw_cdb_sanitize(uint8_t *cdb, uint8_t sa);

/**
 * dw_sanitize_list() - parameter list of an overwrite: once, with four bytes as pattern (SBC)
 * @list: DW_SANITIZE_LIST_LEN bytes
 * @byte: what every byte of the medium becomes
 */
void dw_sanitize_list(uint8_t *list, uint8_t byte);

/** dw_cdb_sanitize_exit() - SANITIZE, EXIT FAILURE MODE (SBC): a disk on which a sanitize failed
 *  takes commands again. Return: 10. */
int dw_cdb_sanitize_exit(uint8_t *cdb);

/** dw_sanitize_fits() - are these a CDB and a list of the two functions before? @data: as long as
 *  the CDB says, or NULL for none. */
bool dw_sanitize_fits(const uint8_t *cdb, const uint8_t *data, uint32_t data_len);

/** dw_cdb_read_capacity10() - READ CAPACITY(10) (SBC), 8 bytes of reply; @cdb has
 *  DW_CDB_MAX bytes. Return: 10. */
int dw_cdb_read_capacity10(uint8_t *cdb);

/**
 * dw_cdb_read_capacity16() - READ CAPACITY(16) (SBC), 32 bytes of reply
 * @cdb: DW_CDB_MAX bytes
 * @alloc: allocation length in bytes
 *
 * Return: 16.
 */
int dw_cdb_read_capacity16(uint8_t *cdb, uint32_t alloc);

/**
 * dw_cdb_mode_sense() - MODE SENSE(6) or (10) (SPC)
 * @cdb: DW_CDB_MAX bytes
 * @size: 6 or 10
 * @req: what is asked for
 *
 * Return: @size; -EINVAL for another size, page or page control; -ERANGE for an
 * allocation length above 255 in the 6-byte CDB.
 */
int dw_cdb_mode_sense(uint8_t *cdb, unsigned int size, const struct dw_mode_request *req);

/* Of byte 1 of MODE SELECT, SP: what is selected stays when power is off. */
#define DW_MODE_SELECT_SP 0x01

/**
 * dw_cdb_mode_select() - MODE SELECT(6) or (10) with PF=1, SP=0: nothing is saved (SPC)
 * @cdb: DW_CDB_MAX bytes
 * @size: 6 or 10
 * @list_len: bytes of parameter list
 *
 * Return: @size; -EINVAL for another size; -ERANGE for a list above 255 bytes in the
 * 6-byte CDB.
 */
int dw_cdb_mode_select(uint8_t *cdb, unsigned int size, uint16_t list_len);

/**
 * dw_cdb_log_sense() - LOG SENSE (SPC), cumulative values as they are now
 * @cdb: DW_CDB_MAX bytes
 * @page: 0..3Fh, without subpage
 * @alloc: allocation length in bytes
 *
 * Return: 10; -EINVAL for another page.
 */
int dw_cdb_log_sense(uint8_t *cdb, uint8_t page, uint16_t alloc);

/** dw_cdb_start() - START STOP UNIT with START=1, IMMED=0 (SBC); @cdb has DW_CDB_MAX
 *  bytes. Return: 6. */
int dw_cdb_start(uint8_t *cdb);

/** dw_cdb_stop() - START STOP UNIT with START=0, which flushes the cache first (SBC); @cdb has
 *  DW_CDB_MAX bytes. Return: 6. */
int dw_cdb_stop(uint8_t *cdb);

/** dw_cdb_receive_diagnostic() - RECEIVE DIAGNOSTIC RESULTS of that page (SPC), @alloc bytes of
 *  room; @cdb has DW_CDB_MAX bytes. Return: 6. */
int dw_cdb_receive_diagnostic(uint8_t *cdb, uint8_t page, uint16_t alloc);

/** dw_cdb_send_diagnostic() - SEND DIAGNOSTIC with a page of @len bytes, no self-test (SPC); @cdb
 *  has DW_CDB_MAX bytes. Return: 6. */
int dw_cdb_send_diagnostic(uint8_t *cdb, uint16_t len);

/** dw_cdb_read_defects() - READ DEFECT DATA (10 or 12) of the grown list (SBC), in bytes from
 *  index; @alloc bytes of room. Return: @size; -EINVAL; -ERANGE. */
int dw_cdb_read_defects(uint8_t *cdb, unsigned int size, uint32_t alloc);

/**
 * dw_cdb_rsoc() - REPORT SUPPORTED OPERATION CODES (SPC)
 * @cdb: DW_CDB_MAX bytes
 * @req: what is asked for
 *
 * Return: 12; -EINVAL for an option above 3.
 */
int dw_cdb_rsoc(uint8_t *cdb, const struct dw_rsoc_request *req);

/**
 * dw_cdb_pr_in() - PERSISTENT RESERVE IN (SPC)
 * @cdb: DW_CDB_MAX bytes
 * @sa: DW_SA_PR_READ_KEYS .. DW_SA_PR_READ_FULL_STATUS
 * @alloc: allocation length in bytes
 *
 * Return: 10; -EINVAL for another service action.
 */
int dw_cdb_pr_in(uint8_t *cdb, uint8_t sa, uint16_t alloc);

/**
 * dw_cdb_pr_out() - PERSISTENT RESERVE OUT with the 24-byte parameter list (SPC)
 * @cdb: DW_CDB_MAX bytes
 * @sa: DW_SA_PR_REGISTER, _RESERVE, _RELEASE or _REGISTER_AND_IGNORE
 * @type: reservation type, 1..8; 0 for registering
 *
 * Return: 10; -EINVAL for another service action or type.
 */
int dw_cdb_pr_out(uint8_t *cdb, uint8_t sa, uint8_t type);

/**
 * dw_cdb_report_luns() - REPORT LUNS with SELECT REPORT 0 (SPC)
 * @cdb: DW_CDB_MAX bytes
 * @alloc: allocation length in bytes, >= 16
 *
 * Return: 12; -EINVAL for a smaller allocation length.
 */
int dw_cdb_report_luns(uint8_t *cdb, uint32_t alloc);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_RSOC_H
#define DW_SCSI_RSOC_H

/*
 * REPORT SUPPORTED OPERATION CODES: what a disk reports it can do. Believed only after
 * every check that the format allows: hosts have answered with the reply to another
 * command and status GOOD. @len is what was really transferred.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scsi/cmd.h"

/** enum dw_rsoc_reach - as it stands there; disks of older standards do not say */
enum dw_rsoc_reach {
	DW_RSOC_UNTOLD = 0,
	DW_RSOC_THIS = 1,
	DW_RSOC_SOME = 2,
	DW_RSOC_ALL = 3,
};

/**
 * struct dw_rsoc_one - reply about one command
 * @supported: as the standard has it, or in a vendor's way
 * @vendor: in a vendor's way
 * @reach: enum dw_rsoc_reach: the logical units that it affects (MLU, SPC-5)
 * @cdb_len: bytes of @usage; 0 = the disk does not say which bits it knows
 * @usage: CDB usage data: bits that are evaluated
 * @nominal_s, @recommended_s: command timeouts in s, 0 = none given
 */
struct dw_rsoc_one {
	bool supported;
	bool vendor;
	uint8_t reach;
	uint8_t cdb_len;
	uint8_t usage[DW_CDB_MAX];
	uint32_t nominal_s;
	uint32_t recommended_s;
};

/**
 * dw_rsoc_one() - read the reply to reporting options 1..3 (SPC)
 * @data: the reply
 * @len: its length in bytes
 * @opcode: operation code that was asked for
 * @ret: filled
 *
 * Return: 0; -ENODATA when the disk does not know at present; -EBADMSG when the reply
 * cannot be one about @opcode.
 */
int dw_rsoc_one(const uint8_t *data, size_t len, uint8_t opcode, struct dw_rsoc_one *ret);

/**
 * dw_rsoc_bit() - is a bit of the CDB evaluated?
 * @one: reply about the command
 * @byte: byte of the CDB
 * @mask: the bit
 *
 * Return: 1, 0, or -1 when the disk does not say.
 */
int dw_rsoc_bit(const struct dw_rsoc_one *one, unsigned int byte, uint8_t mask);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * By what a disk erases itself. A command that it does not name is never tried: the answer to the
 * trial would be an erased disk. SANITIZE of one logical unit may reach the others of its device,
 * so these are counted, as the device itself reports them.
 */
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "device/ask.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"

#define LUNS_HEADER 8
#define LUNS_MAX    64
#define LUN_LEN     8

/* 1 where it is not told. Well known logical units (SAM, address method 11b) have no medium. */
static uint32_t count_units(struct dw_device *d)
{
	uint8_t buf[LUNS_HEADER + LUNS_MAX * LUN_LEN];
	struct dw_cmd cmd = { .data = buf, .data_len = sizeof(buf) };
	struct dw_answer a;
	uint32_t units = 0;
	size_t end;

	cmd.cdb_len = (uint8_t)dw_cdb_report_luns(cmd.cdb, sizeof(buf));
	if (dw_ask(d, &cmd, &a) || a.got < LUNS_HEADER)
		return 1;
	end = dw_min_u64(a.got, LUNS_HEADER + (uint64_t)dw_get_be32(buf));
	for (size_t at = LUNS_HEADER; at + LUN_LEN <= end; at += LUN_LEN)
		units += buf[at] >> 6 != 3;
	return units ? units : 1;
}

void dw_device_probe_operations(struct dw_device *d)
{
	static const uint8_t sa[DW_OPERATION_COUNT] = {
		[DW_OPERATION_OVERWRITE] = DW_SA_SANITIZE_OVERWRITE,
		[DW_OPERATION_BLOCK_ERASE] = DW_SA_SANITIZE_BLOCK_ERASE,
		[DW_OPERATION_CRYPTO_ERASE] = DW_SA_SANITIZE_CRYPTO_ERASE,
	};
	struct dw_caps *c = &d->caps;
	struct dw_rsoc_one one;

	d->n_units = 1;
	for (unsigned int o = 1; o < DW_OPERATION_COUNT && c->rsoc; o++)
		if (dw_ask_opcode(d, DW_OPCODE_SANITIZE, sa[o], &one) == 1 &&
		    !one.vendor) {
			c->operations |= (uint8_t)(1u << o);
			c->operation_ns[o] = one.nominal_s * DW_NS_PER_S;
		}
	if (c->operations)
		d->n_units = count_units(d);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A reset is read again by filling one and comparing: no bit can be left out of the look. */
#include "scsi/zbc.h"

#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/cdb.h"

#define PARTIAL 0x80
#define ALL     0x01

static int start(uint8_t *cdb, uint8_t opcode, uint8_t sa, uint64_t lba)
{
	memset(cdb, 0, DW_CDB_MAX);
	cdb[0] = opcode;
	cdb[1] = sa;
	dw_put_be64(cdb + 2, lba);
	return 16;
}

int dw_cdb_report_zones(uint8_t *cdb, uint64_t lba, uint32_t alloc)
{
	int r = start(cdb, DW_OPCODE_REPORT_ZONES, DW_SA_REPORT_ZONES, lba);

	dw_put_be32(cdb + 10, alloc);
	cdb[14] = PARTIAL;
	return r;
}

int dw_cdb_reset_zone(uint8_t *cdb, uint64_t lba, bool all)
{
	int r = start(cdb, DW_OPCODE_RESET_WRITE_POINTER, DW_SA_RESET_WRITE_POINTER,
		      all ? 0 : lba);

	cdb[14] = all ? ALL : 0;
	return r;
}

bool dw_cdb_parse_reset(const uint8_t *cdb, size_t len, struct dw_cdb_reset *ret)
{
	struct dw_cdb_reset reset;
	uint8_t want[DW_CDB_MAX];

	if (len < 16)
		return false;
	reset.lba = dw_get_be64(cdb + 2);
	reset.all = cdb[14] & ALL;
	if (memcmp(cdb, want, (size_t)dw_cdb_reset_zone(want, reset.lba, reset.all)) != 0)
		return false;
	*ret = reset;
	return true;
}

uint64_t dw_zbc_last(const uint8_t *buf)
{
	return dw_get_be64(buf + 8);
}

size_t dw_zbc_count(const uint8_t *buf, size_t len)
{
	uint64_t bytes;

	if (len < DW_ZBC_HEADER)
		return 0;
	bytes = dw_min_u64(dw_get_be32(buf), len - DW_ZBC_HEADER);
	return (size_t)(bytes / DW_ZBC_DESCRIPTOR);
}

void dw_zbc_zone(const uint8_t *buf, size_t i, struct dw_zbc_zone *ret)
{
	const uint8_t *d = buf + DW_ZBC_HEADER + i * DW_ZBC_DESCRIPTOR;

	*ret = (struct dw_zbc_zone){
		.type = d[0] & 0x0f,
		.condition = d[1] >> 4,
		.nlb = dw_get_be64(d + 8),
		.first = dw_get_be64(d + 16),
		.pointer = dw_get_be64(d + 24),
	};
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A header of 48 bytes, then features: their code, their length, their data. */
#include "scsi/tcg.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/cdb.h"
#include "scsi/cmd.h"

#define HEADER      48
#define FEATURE     4
#define LOCKING     0x0002
#define SUPPORTED   0x01
#define ENABLED     0x02
#define LOCKED      0x04
#define MBR_ENABLED 0x10
#define MBR_DONE    0x20

int dw_cdb_tcg_discovery(uint8_t *cdb)
{
	static const uint8_t discovery[12] = { DW_OPCODE_SECURITY_PROTOCOL_IN, 1, 0, 1 };

	memset(cdb, 0, DW_CDB_MAX);
	memcpy(cdb, discovery, sizeof(discovery));
	dw_put_be32(cdb + 6, DW_TCG_LEN);
	return sizeof(discovery);
}

static enum dw_lock lock_of(uint8_t flags)
{
	bool shadow = (flags & MBR_ENABLED) && !(flags & MBR_DONE);

	if (!(flags & SUPPORTED))
		return DW_LOCK_NONE;
	return (flags & ENABLED) && ((flags & LOCKED) || shadow) ? DW_LOCK_SHUT
								 : DW_LOCK_OPEN;
}

int dw_tcg_lock(const uint8_t *data, size_t len, enum dw_lock *ret)
{
	size_t end, n;

	if (len < HEADER || dw_get_be32(data) < HEADER - 4 || dw_get_be32(data) > 65536)
		return -EBADMSG;
	end = dw_min_u64(len, 4 + (uint64_t)dw_get_be32(data));
	*ret = DW_LOCK_NONE;
	for (size_t at = HEADER; end - at > FEATURE; at += n) {
		n = FEATURE + (size_t)data[at + 3];
		if (n > end - at)
			break;
		if (dw_get_be16(data + at) == LOCKING && n > FEATURE)
			*ret = lock_of(data[at + FEATURE]);
	}
	return 0;
}

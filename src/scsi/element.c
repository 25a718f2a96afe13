/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A header of 32 bytes, then a descriptor of 32 bytes for each element. */
#include "scsi/element.h"

#include <errno.h>
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/cdb.h"

#define HEADER     32
#define DESCRIPTOR 32
#define HEALTH_AT  15
#define BLOCKS_AT  16
#define REMOVED                                                                          \
	0xfb /* and above: depopulated, on the way there or back, or failed in it */

int dw_cdb_elements(uint8_t *cdb)
{
	memset(cdb, 0, DW_CDB_MAX);
	cdb[0] = DW_OPCODE_SERVICE_ACTION_IN_16;
	cdb[1] = DW_SA_PHYSICAL_ELEMENTS;
	dw_put_be32(cdb + 10, DW_ELEMENTS_LEN);
	return 16;
}

int dw_elements_read(const uint8_t *data, size_t len, struct dw_elements *ret)
{
	uint64_t n;

	*ret = (struct dw_elements){ 0 };
	if (len < HEADER || dw_get_be32(data + 4) > dw_get_be32(data))
		return -EBADMSG;
	n = dw_min_u64(dw_get_be32(data + 4), (len - HEADER) / DESCRIPTOR);
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *e = data + HEADER + DESCRIPTOR * i;
		uint64_t blocks = dw_get_be64(e + BLOCKS_AT);

		if (e[HEALTH_AT] < REMOVED)
			continue;
		/* all ones and zero are no number (SBC-4) */
		if (blocks == 0 || blocks > INT64_MAX / DW_ELEMENTS_LEN)
			blocks = 1;
		ret->removed++;
		ret->blocks += blocks;
	}
	return 0;
}

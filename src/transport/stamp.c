/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data come in whole cache lines, sectors and frames: a word at either end of each sector
 * finds every hole of a sector's length, every transfer that ends early, and costs a quarter
 * of what it costs to write all bytes.
 */
#include "transport/stamp.h"

#include <stdatomic.h>
#include <string.h>

#include "base/util.h"
#include "scsi/cdb.h"

#define STEP 512u

bool dw_stamped(const struct dw_cmd *cmd)
{
	struct dw_cdb_extent x;

	return cmd->dir == DW_DIR_IN && cmd->data &&
	       !dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x) && x.verb == DW_EXTENT_READ;
}

void dw_stamp(struct dw_cmd *cmd)
{
	static _Atomic uint64_t counter;
	uint8_t *p = cmd->data;
	uint64_t mark;

	if (!dw_stamped(cmd))
		return;
	mark = (atomic_fetch_add(&counter, 1) + 1) * UINT64_C(0x9e3779b97f4a7c15);
	for (uint32_t at = 0, n; at < cmd->data_len; at += n) {
		n = (uint32_t)dw_min_u64(STEP, cmd->data_len - at);
		if (n < sizeof(mark))
			break;
		memcpy(p + at, &mark, sizeof(mark));
		memcpy(p + at + n - sizeof(mark), &mark, sizeof(mark));
	}
}

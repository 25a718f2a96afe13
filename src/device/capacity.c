/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * READ CAPACITY(16), then (10) where that is not answered, or with nonsense: bridges send 8 bytes,
 * or blocks of 263520264 bytes, or 130 PB, or abort it. Some adapters take no CDB of 16 bytes, and
 * this is the first: it finds out. What (16) tells beyond 2^32 blocks is compared with (10), which
 * then says that it cannot tell; where it tells a number instead, a block decides that only one of
 * the two has. It is the larger one unless that block does not exist: what is taken too small
 * leaves data, and what is taken too large only fails.
 */
#include "device/capacity.h"

#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "device/open.h"
#include "scsi/capacity.h"
#include "scsi/cdb.h"
#include "transport/path_end.h"

#define ASC_RANGE 0x21 /* logical block address out of range */

bool dw_capacity_is_doubtful(uint64_t blocks)
{
	return blocks > DW_BLOCKS_10;
}

static int ask_capacity(struct dw_device *d, bool long_form, struct dw_capacity *ret)
{
	uint8_t buf[32];
	struct dw_cmd cmd = { .data = buf, .data_len = long_form ? 32 : 8 };
	struct dw_answer a = { 0 };
	int r = long_form ? dw_cdb_read_capacity16(cmd.cdb, 32)
			  : dw_cdb_read_capacity10(cmd.cdb);

	cmd.cdb_len = (uint8_t)r;
	r = dw_ask(d, &cmd, &a);
	if (long_form)
		d->caps.narrow = r && dw_path_unsent(&a.done);
	if (r)
		return dw_answer_needed(r, &a);
	return long_form ? dw_capacity16(buf, a.got, ret)
			 : dw_capacity10(buf, a.got, ret);
}

/* Does the disk say that the last block of @c is out of its range? */
static bool is_beyond(struct dw_device *d, const struct dw_capacity *c)
{
	const struct dw_cdb_extent x = { .verb = DW_EXTENT_READ,
					 .lba = c->blocks - 1,
					 .nlb = 1 };
	struct dw_cmd cmd = { .cdb_len = 16, .data_len = c->block_size };
	struct dw_answer a;
	int r = dw_cdb_fill_extent(cmd.cdb, 16, &x);

	cmd.data = r < 0 ? NULL : malloc(c->block_size);
	if (!cmd.data)
		return false;
	d->caps.blocks = c->blocks; /* how far a command may reach */
	d->caps.block_size = c->block_size;
	r = dw_ask(d, &cmd, &a);
	free(cmd.data);
	return r == 1 && a.sense.key == DW_KEY_ILLEGAL_REQUEST &&
	       a.sense.asc == ASC_RANGE;
}

static void take_capacity(struct dw_device *d, const struct dw_capacity *cap)
{
	struct dw_disk_info *info = &d->info;
	struct dw_caps *c = &d->caps;

	c->blocks = info->blocks = cap->blocks;
	c->block_size = info->block_size = cap->block_size;
	c->pi_type = info->pi_type = cap->pi_type;
	c->physical_exp = cap->physical_exp;
	c->lowest_aligned = cap->lowest_aligned;
	c->lbpme = info->lbpme = cap->lbpme;
	info->physical_block_size = cap->block_size << cap->physical_exp;
}

int dw_device_probe_capacity(struct dw_device *d)
{
	struct dw_capacity cap = { 0 }, ten = { 0 };
	int r = ask_capacity(d, true, &cap), r10;

	if (r && d->caps.narrow) /* one abort may have been an accident */
		r = ask_capacity(d, true, &cap);
	if (!r && !dw_capacity_is_doubtful(cap.blocks)) {
		take_capacity(d, &cap);
		return 0;
	}
	r10 = ask_capacity(d, false, &ten);
	if (!r && !r10 && is_beyond(d, &cap))
		r = -EBADMSG;
	if (!r || !r10)
		take_capacity(d, r ? &ten : &cap);
	if (!r || !r10)
		return 0;
	if (r10 == -ERANGE)
		return d->caps.narrow ? -EMSGSIZE : -EFBIG;
	return r10 == -EBADMSG ? -ENOMEDIUM : r10;
}

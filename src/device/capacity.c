/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * READ CAPACITY(16), then (10) where that is not answered, or with nonsense: bridges send 8 bytes,
 * or blocks of 263520264 bytes, or 130 PB, or abort it. Some adapters take no CDB of 16 bytes, and
 * this is the first: it finds out. What (16) tells beyond 2^32 blocks is compared with (10), which
 * then says that it cannot tell; where it reports a number instead, a block decides that only one
 * of
 * the two has. It is the larger one unless that block does not exist: what is taken too small
 * leaves data, and what is taken too large only fails. Bridges are asked (10) first.
 */
#include "device/capacity.h"

#include <errno.h>
#include <stdlib.h>

#include "device/open.h"
#include "device/profile.h"
#include "device/node.h"
#include "scsi/capacity.h"
#include "scsi/cdb.h"
#include "transport/path_end.h"
#include "transport/spared.h"

#define ASC_RANGE 0x21 /* logical block address out of range */
#define SECTOR    512  /* of sysfs */

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
	struct dw_cmd cmd = { .data_len = c->block_size };
	struct dw_answer a;
	int r = dw_cdb_fill_extent(cmd.cdb, c->blocks > DW_BLOCKS_10 ? 16 : 10, &x);

	cmd.cdb_len = (uint8_t)r;
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

/* Bytes that the kernel shows, 0 = none; it knows bridges that tell too much or too little. */
static uint64_t kernel_bytes(const struct dw_machine *m, const struct dw_device *d)
{
	char dir[PATH_MAX];
	uint64_t sectors;

	return !dw_node_block_dir(m, &d->info, dir) && dw_sysfs_u64(dir, "size", &sectors)
		       ? sectors * SECTOR
		       : 0;
}

/* Some bridges tell the number of blocks where the last of them is asked for. It takes the kernel,
 * which has a list of these, and the bridge itself to leave a block out. */
static bool is_one_too_many(const struct dw_machine *m, struct dw_device *d,
			    const struct dw_capacity *c)
{
	return dw_profile_of(&d->info)->short_capacity && c->blocks > 1 &&
	       kernel_bytes(m, d) == (c->blocks - 1) * c->block_size && is_beyond(d, c);
}

static void take_capacity(const struct dw_machine *m, struct dw_device *d,
			  const struct dw_capacity *cap)
{
	struct dw_disk_info *info = &d->info;
	struct dw_caps *c = &d->caps;

	info->one_too_many = is_one_too_many(m, d, cap);
	c->blocks = info->blocks = cap->blocks - info->one_too_many;
	c->block_size = info->block_size = cap->block_size;
	c->pi_type = info->pi_type = cap->pi_type;
	c->physical_exp = cap->physical_exp;
	c->lowest_aligned = cap->lowest_aligned;
	c->lbpme = info->lbpme = cap->lbpme;
	info->physical_block_size = cap->block_size << cap->physical_exp;
}

/* Both answer, and tell different numbers. */
static const struct dw_capacity *
find_true(struct dw_device *d, const struct dw_capacity *a, const struct dw_capacity *b)
{
	bool first = a->blocks * a->block_size > b->blocks * b->block_size;
	const struct dw_capacity *larger = first ? a : b;

	return is_beyond(d, larger) ? (first ? b : a) : larger;
}

/* A bridge that claims an old standard, and whose answer to (10) nobody doubts, is spared (16). */
static bool is_short_enough(const struct dw_machine *m, const struct dw_device *d,
			    const struct dw_capacity *ten)
{
	uint64_t shown = kernel_bytes(m, d);

	return d->caps.version < DW_VERSION_SPC3 && shown &&
	       shown <= ten->blocks * ten->block_size;
}

static int failure(const struct dw_device *d, int r10)
{
	if (r10 == -ERANGE)
		return d->caps.narrow ? -EMSGSIZE : -EFBIG;
	return r10 == -EBADMSG ? -ENOMEDIUM : r10;
}

int dw_device_probe_capacity(const struct dw_machine *m, struct dw_device *d)
{
	bool bridge = dw_profile_of(&d->info)->short_capacity;
	struct dw_capacity cap = { 0 }, ten = { 0 };
	const struct dw_capacity *found = &cap;
	int r10 = bridge ? ask_capacity(d, false, &ten) : -ENODATA, r;

	if (!r10 && is_short_enough(m, d, &ten)) {
		dw_spared_never(d->spared, DW_OPCODE_SERVICE_ACTION_IN_16);
		take_capacity(m, d, &ten);
		return 0;
	}
	r = ask_capacity(d, true, &cap);
	if (r && d->caps.narrow) /* one abort may have been an accident */
		r = ask_capacity(d, true, &cap);
	if (!bridge && (r || dw_capacity_is_doubtful(cap.blocks)))
		r10 = ask_capacity(d, false, &ten);
	if (r && r10)
		return failure(d, r10);
	if (r)
		found = &ten;
	else if (!r10 && ten.blocks * ten.block_size != cap.blocks * cap.block_size)
		found = find_true(d, &cap, &ten);
	take_capacity(m, d, found);
	return 0;
}

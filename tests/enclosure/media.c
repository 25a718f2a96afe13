/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands that touch the medium (SBC-3, clause 5). A range is taken from the CDB
 * once, checked once, and cut short by bad blocks and torn commands in one
 * place, so that reading, writing and verifying agree about them.
 */
#include "cmd.h"

#include "be.h"

#include <stdlib.h>
#include <string.h>
#include <linux/virtio_scsi.h>

static unsigned int group(const struct dw_cmd *c)
{
	return c->cdb[0] >> 5;
}

/**
 * dw_media_range - LBA and number of blocks out of a CDB
 * @c: command; by_lba, lba and nlb are filled in for media commands
 */
void dw_media_range(struct dw_cmd *c)
{
	if (!(c->opcode->op & DW_OP_MEDIA) || c->opcode->op == DW_OP_UNMAP)
		return;
	c->by_lba = true;
	switch (group(c)) {
	case 0:
		c->lba = be_get24(c->cdb + 1) & 0x1fffff;
		c->nlb = c->cdb[4] ? c->cdb[4] : 256;
		break;
	case 1:
	case 2:
		c->lba = be_get32(c->cdb + 2);
		c->nlb = be_get16(c->cdb + 7);
		break;
	default:
		c->lba = be_get64(c->cdb + 2);
		c->nlb = be_get32(c->cdb + 10);
	}
}

static bool in_range(struct dw_cmd *c)
{
	if (c->lba <= c->lu->blocks && c->nlb <= c->lu->blocks - c->lba &&
	    (c->nlb || c->lba < c->lu->blocks))
		return true;
	dw_cmd_sense(c, &(struct dw_sense){ .key = KEY_ILLEGAL,
					    .asc = ASC_LBA_RANGE,
					    .info_valid = true,
					    .info = c->lba < c->lu->blocks ? c->lu->blocks
									   : c->lba });
	return false;
}

/* a bridge that keeps the low bits of an address, and goes on from there */
static void cut_address(struct dw_cmd *c, uint64_t what)
{
	const struct dw_lu_conf *conf = &c->lu->conf;

	if (conf->lbabits < 64 && (conf->lbacut & what) && c->lba >= conf->lbafrom)
		c->lba &= (UINT64_C(1) << conf->lbabits) - 1;
}

/* RDPROTECT, WRPROTECT, VRPROTECT: without protection data from the host only 0 */
static bool protect_ok(struct dw_cmd *c)
{
	if (group(c) == 0 || !(c->cdb[1] & 0xe0))
		return true;
	if (c->lu->conf.pi_type == 2) /* type 2 wants the 32-byte CDBs for that */
		dw_cmd_check(c, KEY_ILLEGAL, ASC_INVALID_OPCODE);
	else
		dw_cmd_field(c, 1);
	return false;
}

static bool fua(const struct dw_cmd *c)
{
	return group(c) != 0 && (c->cdb[1] & 0x08);
}

static bool dpofua_ok(struct dw_cmd *c)
{
	if (group(c) == 0 || c->lu->conf.dpofua || !(c->cdb[1] & 0x18))
		return true;
	dw_cmd_field(c, 1);
	return false;
}

static bool length_ok(struct dw_cmd *c)
{
	if (!c->lu->conf.max_xfer || c->nlb <= c->lu->conf.max_xfer)
		return true;
	dw_cmd_field(c, group(c) >= 4 ? 10 : 7);
	return false;
}

static bool writable(struct dw_cmd *c)
{
	if (!c->lu->conf.wp && !c->lu->device->mode.swp)
		return true;
	dw_cmd_check(c, KEY_PROTECT, ASC_WRITE_PROTECTED);
	return false;
}

static void pace(struct dw_cmd *c, enum dw_model_kind kind, uint64_t bus, uint64_t media)
{
	struct dw_model_op *op = &c->task->op;

	op->kind = kind;
	op->offset_bytes = c->lba * c->lu->conf.block_bytes;
	op->bus_bytes = bus;
	op->media_bytes = media;
	op->through = fua(c);
}

static void moved(struct dw_cmd *c, uint64_t len, size_t buf_len)
{
	c->task->resid = (uint32_t)(buf_len - len);
	if (len > c->port->stats.largest_bytes)
		c->port->stats.largest_bytes = len;
}

/* SBC-3, 4.18: the first bad block, named in the INFORMATION field */
static void medium_error(struct dw_cmd *c, const struct dw_fault *f, uint64_t lba)
{
	bool write = c->opcode->op & (DW_OP_WRITE | DW_OP_WS);
	struct dw_sense s = f->sense;

	if (!s.key)
		s = (struct dw_sense){ .key = KEY_MEDIUM,
				       .asc = write ? ASC_WRITE_ERROR : ASC_READ_ERROR };
	s.info_valid = f->info;
	s.info = lba;
	c->task->op.hold_ns += f->hold_ns;
	if (f->hold_ns)
		c->task->held_by = DW_HELD_BY_FAULT;
	dw_cmd_sense(c, &s);
}

/* SBC-4, 6.6.2: after some erasures a block is to be written before it is read */
static bool unwritten(struct dw_cmd *c, uint64_t *ret_lba)
{
	uint64_t bs = c->lu->conf.block_bytes;
	struct dw_cdb_extent e;

	if (!(c->opcode->op & (DW_OP_READ | DW_OP_VERIFY)) ||
	    !dw_extents_next(&c->lu->unwritten, c->lba * bs, &e) ||
	    e.start >= (c->lba + c->nlb) * bs)
		return false;
	*ret_lba = e.start / bs;
	dw_cmd_sense(c, &(struct dw_sense){ .key = c->lu->unwritten_key,
					    .asc = c->lu->unwritten_asc,
					    .info_valid = true,
					    .info = *ret_lba });
	return true;
}

/* how many blocks can be carried out; the error, if any, is set already */
static uint64_t good_blocks(struct dw_cmd *c)
{
	struct dw_fault_query q = {
		.lu = c->lu->id, .op = c->opcode->op, .lba = c->lba, .nlb = c->nlb
	};
	const struct dw_fault *f;
	uint64_t bad;

	if (c->limit < c->nlb)
		return c->limit;
	if (unwritten(c, &bad))
		return bad - c->lba;
	f = dw_faults_bad(&c->rack->faults, &q, &bad);
	if (!f)
		return c->nlb;
	medium_error(c, f, bad);
	return bad - c->lba;
}

static void io_result(struct dw_cmd *c, int e)
{
	if (e)
		dw_cmd_check(c, KEY_HARDWARE, ASC_INTERNAL);
}

/* one bit of the medium turns over */
static void flip_bit(struct dw_cmd *c, uint64_t off, uint8_t mask)
{
	uint64_t read = c->lu->bytes_read, written = c->lu->bytes_written;
	uint8_t byte = 0;
	struct iovec v = { &byte, 1 };
	struct dw_iov in = { .v = &v, .n = 1 }, out = in;

	dw_lu_read(c->lu, off, &in, 1);
	byte ^= mask;
	dw_lu_write(c->lu, off, &out, 1, fua(c));
	c->lu->bytes_read = read;
	c->lu->bytes_written = written;
}

/* which bit of the command's blocks; false when it is not to turn over */
static bool corrupts(struct dw_cmd *c, uint64_t *ret_off, uint8_t *ret_mask)
{
	uint64_t bs = c->lu->conf.block_bytes, *rng = &c->rack->faults.rng;

	if (!c->faulty || c->fault.kind != DW_FAULT_CORRUPT || !c->nlb)
		return false;
	*ret_off = (c->lba + dw_rng_next(rng) % c->nlb) * bs + dw_rng_next(rng) % bs;
	*ret_mask = (uint8_t)(1u << dw_rng_next(rng) % 8);
	return true;
}

/* a quiet short read: how many of these blocks get to the guest, which is told of all */
static uint64_t arriving(const struct dw_cmd *c, uint64_t nlb)
{
	if (!c->faulty || c->fault.kind != DW_FAULT_SHORT || !c->fault.quiet)
		return nlb;
	return nlb - (c->fault.blocks < nlb ? c->fault.blocks : nlb);
}

static void moved_lately(struct dw_cmd *c)
{
	uint64_t i = c->lu->n_recent++ % DW_RECENT;

	c->lu->recent[i].lba = c->lba;
	c->lu->recent[i].nlb = c->nlb;
}

/* what is behind a write pointer reads as zeros */
static int read_blocks(struct dw_cmd *c, uint64_t nlb)
{
	static const uint8_t zeros[DW_BLOCK_MAX];
	uint64_t bs = c->lu->conf.block_bytes, there = dw_zoned_written(c);
	int r;

	there = there < nlb ? there : nlb;
	r = dw_lu_read(c->lu, c->lba * bs, &c->task->in, there * bs);
	for (uint64_t i = there; i < nlb; i++)
		dw_iov_copy_out(&c->task->in, zeros, bs);
	return r;
}

/**
 * dw_run_read - READ (6), (10), (16) (SBC-3, 5.11 to 5.15)
 * @c: command
 */
void dw_run_read(struct dw_cmd *c)
{
	uint64_t bs = c->lu->conf.block_bytes, len = c->nlb * bs, good, off;
	uint8_t mask = 0;

	if (!protect_ok(c) || !dpofua_ok(c) || !in_range(c) || !length_ok(c))
		return;
	if (len > c->task->in_len) {
		c->task->response = VIRTIO_SCSI_S_OVERRUN;
		return;
	}
	cut_address(c, DW_CUT_READ);
	if (!dw_zoned_may(c, false))
		return;
	good = good_blocks(c);
	if (c->limit < c->nlb) /* a torn read still has all its data */
		good = c->nlb;
	pace(c, DW_MODEL_READ, good * bs, good * bs);
	if (corrupts(c, &off, &mask)) /* only on its way: the medium is as it was after */
		flip_bit(c, off, mask);
	io_result(c, read_blocks(c, arriving(c, good)));
	moved_lately(c);
	if (mask)
		flip_bit(c, off, mask);
	moved(c, good * bs, c->task->in_len);
	c->port->stats.bytes_in += good * bs;
}

static void wrote(struct dw_cmd *c, uint64_t nlb)
{
	uint64_t off;
	uint8_t mask;

	moved_lately(c);
	dw_zoned_wrote(c, nlb);
	dw_faults_rewritten(&c->rack->faults, c->lu->id, c->lba, nlb);
	if (corrupts(c, &off, &mask))
		flip_bit(c, off, mask);
}

/**
 * dw_run_write - WRITE (6), (10), (16), WRITE AND VERIFY (SBC-3, 5.32 to 5.40)
 * @c: command
 */
void dw_run_write(struct dw_cmd *c)
{
	uint64_t bs = c->lu->conf.block_bytes, len = c->nlb * bs, good;
	bool verify = c->cdb[0] == 0x2e || c->cdb[0] == 0x8e;

	if (!protect_ok(c) || (!verify && !dpofua_ok(c)) || !in_range(c) ||
	    !length_ok(c) || !writable(c))
		return;
	if (len > c->task->out_len) {
		c->task->response = VIRTIO_SCSI_S_OVERRUN;
		return;
	}
	cut_address(c, DW_CUT_WRITE);
	if (!dw_zoned_may(c, true))
		return;
	good = good_blocks(c);
	pace(c, DW_MODEL_WRITE, len, good * bs);
	io_result(c, dw_lu_write(c->lu, c->lba * bs, &c->task->out, good * bs,
				 verify || fua(c)));
	wrote(c, good);
	moved(c, c->task->status ? good * bs : len, c->task->out_len);
	c->port->stats.bytes_out += len;
}

/* what WRITE SAME may look like depends on the disk */
static bool write_same_ok(struct dw_cmd *c, bool ndob)
{
	const struct dw_lu_conf *conf = &c->lu->conf;
	uint8_t flags = c->cdb[1];

	if ((ndob && !conf->ndob) || ((flags & 0x18) && !conf->thin) ||
	    ((flags & 0x18) == 0x10)) {
		dw_cmd_field(c, 1);
		return false;
	}
	if (!c->nlb) {
		if (conf->wsnz) {
			dw_cmd_field(c, group(c) >= 4 ? 10 : 7);
			return false;
		}
		if (c->lba < c->lu->blocks)
			c->nlb = c->lu->blocks - c->lba;
	}
	if (conf->ws_max && c->nlb > conf->ws_max) {
		dw_cmd_field(c, group(c) >= 4 ? 10 : 7);
		return false;
	}
	return true;
}

static int write_same(struct dw_cmd *c, const uint8_t *block, uint64_t good)
{
	uint64_t bs = c->lu->conf.block_bytes;

	if (c->cdb[1] & 0x08)
		return dw_lu_unmap(c->lu, c->lba * bs, good * bs);
	return dw_lu_fill(c->lu, c->lba * bs, good * bs, block, bs, false);
}

/**
 * dw_run_write_same - WRITE SAME (10), (16) (SBC-3, 5.42 and 5.43)
 * @c: command
 */
void dw_run_write_same(struct dw_cmd *c)
{
	bool ndob = c->cdb[0] == 0x93 && (c->cdb[1] & 0x01);
	uint64_t bs = c->lu->conf.block_bytes, good;
	uint8_t block[4096 + 128] = { 0 };

	if (!protect_ok(c) || !write_same_ok(c, ndob) || !in_range(c) || !writable(c))
		return;
	if (!ndob && !dw_cmd_params(c, block, bs))
		return;
	cut_address(c, DW_CUT_SAME);
	if (!dw_zoned_may(c, true))
		return;
	good = good_blocks(c);
	pace(c, DW_MODEL_WRITE, ndob ? 0 : bs, good * bs);
	c->task->op.through = false; /* the bit means UNMAP here */
	io_result(c, write_same(c, block, good));
	wrote(c, good);
	c->port->stats.ws_blocks += good;
}

static void miscompare(struct dw_cmd *c, uint64_t lba, uint64_t offset)
{
	if (c->lu->conf.compare_info == 1)
		offset = lba;
	dw_cmd_sense(c, &(struct dw_sense){ .key = KEY_MISCOMPARE,
					    .asc = ASC_MISCOMPARE,
					    .info_valid = c->lu->conf.compare_info != 2,
					    .info = offset });
}

/* the same ranges each time, which nobody can foretell who does not know the number of the disk */
static bool in_range_skipped(const struct dw_lu *lu, uint64_t lba)
{
	uint64_t rng = lu->id * UINT64_C(0x9e3779b97f4a7c15) + lba / DW_COMPARE_RANGE;

	return dw_rng_next(&rng) % 1000 < lu->conf.compare_permille;
}

static bool is_recent(const struct dw_lu *lu, uint64_t lba)
{
	for (size_t i = 0; i < DW_RECENT; i++)
		if (lba - lu->recent[i].lba < lu->recent[i].nlb)
			return true;
	return false;
}

/* whether it does not look at this block */
static bool skipped(const struct dw_cmd *c, uint64_t lba)
{
	switch (c->lu->conf.compare) {
	case DW_COMPARE_GOOD:
		return true;
	case DW_COMPARE_HALF:
		return c->nlb > 1 && lba >= c->lu->blocks / 2;
	case DW_COMPARE_LATER:
		return c->lu->compares >
		       (c->lu->conf.compare_after ? c->lu->conf.compare_after : 50);
	case DW_COMPARE_LONE:
		return c->nlb > 1;
	case DW_COMPARE_RANGES:
		return in_range_skipped(c->lu, lba);
	case DW_COMPARE_CACHE:
		return !is_recent(c->lu, lba);
	default:
		return false;
	}
}

/* BYTCHK 1: every block against its own data; 3: all against one block */
static void compare(struct dw_cmd *c, uint64_t good, bool one)
{
	uint64_t bs = c->lu->conf.block_bytes, i, k;
	uint8_t want[4096 + 128], have[4096 + 128];

	for (i = 0; i < good; i++) {
		struct iovec v = { have, bs };
		struct dw_iov in = { .v = &v, .n = 1 };

		if ((!one || !i) && !dw_cmd_params(c, want, bs))
			return;
		if (dw_lu_read(c->lu, (c->lba + i) * bs, &in, bs)) {
			dw_cmd_check(c, KEY_HARDWARE, ASC_INTERNAL);
			return;
		}
		if (skipped(c, c->lba + i))
			continue;
		for (k = 0; k < bs && want[k] == have[k]; k++)
			;
		if (k < bs) {
			miscompare(c, c->lba + i, (one ? 0 : i * bs) + k);
			return;
		}
	}
}

/**
 * dw_run_verify - VERIFY (10), (16) (SBC-3, 5.29 and 5.31)
 * @c: command
 */
void dw_run_verify(struct dw_cmd *c)
{
	uint8_t bytchk = (c->cdb[1] >> 1) & 3;
	uint64_t bs = c->lu->conf.block_bytes, good;

	if (!protect_ok(c) || !in_range(c))
		return;
	if (bytchk == 2 || (bytchk && !c->lu->conf.bytchk)) {
		dw_cmd_field(c, 1);
		return;
	}
	cut_address(c, DW_CUT_READ);
	good = good_blocks(c);
	if (good > c->nlb)
		good = c->nlb;
	pace(c, DW_MODEL_READ, 0, good * bs);
	if (!bytchk)
		return;
	c->lu->compares += c->nlb > 1;
	if (c->nlb > 1 && c->lu->conf.compare == DW_COMPARE_REFUSED)
		dw_cmd_field(c, 1);
	else if (c->nlb > 1 && c->lu->conf.compare == DW_COMPARE_WRONG &&
		 c->lba >= c->lu->blocks / 4 * 3)
		miscompare(c, c->lba, 0);
	else
		compare(c, good, bytchk == 3);
}

/**
 * dw_run_sync - SYNCHRONIZE CACHE (10), (16): the range asked for and no more
 *	(SBC-3, 5.26 and 5.27)
 * @c: command
 */
void dw_run_sync(struct dw_cmd *c)
{
	uint64_t bs = c->lu->conf.block_bytes;

	if (!in_range(c))
		return;
	if (!c->nlb)
		c->nlb = c->lu->blocks - c->lba;
	c->task->op.kind = DW_MODEL_FLUSH;
	c->port->stats.flushes++;
	if (!c->limit) /* a dropped flush flushes nothing */
		return;
	if (c->lu->conf.shares)
		io_result(c, dw_rack_flush(c->rack, c->lu));
	else
		io_result(c, dw_lu_sync(c->lu, c->lba * bs, c->nlb * bs));
}

static bool unmap_one(struct dw_cmd *c, const uint8_t *d)
{
	uint64_t bs = c->lu->conf.block_bytes;

	c->lba = be_get64(d);
	c->nlb = be_get32(d + 8);
	if (!in_range(c))
		return false;
	io_result(c, dw_lu_unmap(c->lu, c->lba * bs, c->nlb * bs));
	return c->task->status == SAM_GOOD;
}

/**
 * dw_run_unmap - UNMAP (SBC-3, 5.28)
 * @c: command
 */
void dw_run_unmap(struct dw_cmd *c)
{
	size_t len = be_get16(c->cdb + 7), n, i;
	uint8_t *list;

	if (!len || !writable(c))
		return;
	if (len < 8) {
		dw_cmd_check(c, KEY_ILLEGAL, ASC_LIST_LENGTH);
		return;
	}
	list = calloc(1, len);
	if (!list || !dw_cmd_params(c, list, len)) {
		free(list);
		return;
	}
	n = be_get16(list + 2);
	if (n > len - 8)
		n = len - 8;
	for (i = 0; i + 16 <= n && unmap_one(c, list + 8 + i); i += 16)
		;
	free(list);
}

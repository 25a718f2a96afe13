/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a disk does by itself for a long time. The medium changes as far as the clock says
 * when somebody looks: at each command, at each question from outside, when the power is cut.
 * So a disk that fails, is stuck or loses its power half way has half of its old content.
 */
#include "rack.h"

#include "be.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define WHOLE  65536u /* a progress indication is a numerator over this */
#define BUFFER (1u << 20)

static uint64_t percent(uint64_t n)
{
	return n * WHOLE / 100;
}

/* of 65536, as the clock has it */
static uint64_t elapsed(const struct dw_rack *r, const struct dw_firmware *f)
{
	uint64_t past = r->now_ns > f->since_ns ? r->now_ns - f->since_ns : 0;

	if (past >= f->need_ns)
		return WHOLE;
	return (uint64_t)((double)past * WHOLE / (double)f->need_ns);
}

/* of 65536, as it has come to be: it may be stuck, or end before */
static uint64_t reached(const struct dw_rack *r, const struct dw_lu *lu)
{
	uint64_t p = elapsed(r, &lu->firmware);

	if (lu->conf.stuck_at && p > percent(lu->conf.stuck_at))
		p = percent(lu->conf.stuck_at);
	if (lu->conf.fail_at && p > percent(lu->conf.fail_at))
		p = percent(lu->conf.fail_at);
	return p < WHOLE ? p : WHOLE;
}

/**
 * dw_firmware_progress - how far the disk says to be
 * @r: enclosure
 * @lu: disk, at work
 *
 * Return: numerator over 65536.
 */
uint16_t dw_firmware_progress(const struct dw_rack *r, const struct dw_lu *lu)
{
	uint64_t p = reached(r, lu);

	return (uint16_t)(p < WHOLE ? p : WHOLE - 1);
}

/* one block of @bs bytes as pass @pass leaves it */
static void shape(const struct dw_lu *lu, uint64_t pass, uint64_t lba, uint8_t *to,
		  size_t bs)
{
	const struct dw_firmware *f = &lu->firmware;
	uint64_t rng = f->rng ^ (lba << 8 | lu->id);
	size_t i;

	for (i = 0; i < bs && !f->rng; i++)
		to[i] = f->pattern[i % f->pattern_len];
	for (i = 0; i < bs && f->invert && pass % 2; i++)
		to[i] = (uint8_t)~to[i];
	for (i = 0; i < bs && f->rng; i += 8)
		be_put64(to + i, dw_rng_next(&rng));
}

static bool leaves_zeros(const struct dw_firmware *f, uint64_t pass)
{
	uint8_t want = f->invert && pass % 2 ? 0xff : 0;
	size_t i;

	for (i = 0; i < f->pattern_len && f->pattern[i] == want; i++)
		;
	return !f->rng && i == f->pattern_len;
}

/* blocks of the medium, or of those that were remapped, from byte to byte */
static int put_blocks(const struct dw_lu *lu, bool spare, uint64_t pass, uint64_t off,
		      uint64_t end)
{
	size_t bs = spare ? lu->spare_block : lu->firmware.block_bytes, n;
	int fd = spare ? lu->spare_fd : lu->data_fd;
	static uint8_t buf[BUFFER];

	if (off < end && leaves_zeros(&lu->firmware, pass))
		return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				 (off_t)off, (off_t)(end - off));
	for (; off < end; off += n) {
		for (n = 0; n + bs <= BUFFER && off + n < end; n += bs)
			shape(lu, pass, (off + n) / bs, buf + n, bs);
		if (pwrite(fd, buf, n, (off_t)off) != (ssize_t)n)
			return -EIO;
	}
	return 0;
}

/* the medium as it is when so many bytes of all passes are done; a liar does fewer */
static void move_on(struct dw_lu *lu, uint64_t p)
{
	struct dw_firmware *f = &lu->firmware;
	uint64_t bs = f->block_bytes;
	uint64_t total = f->bytes * f->passes, limit = f->bytes, pass;
	uint64_t end_at =
		p == WHOLE ? total : (uint64_t)((double)total / WHOLE * (double)p);

	if (lu->conf.lie || f->fast)
		limit = lu->conf.lie == 1 || f->fast ? 0 : f->bytes / bs / 2 * bs;
	end_at = end_at / bs * bs;
	for (pass = 0; pass < f->passes; pass++) {
		uint64_t from = pass * f->bytes, off = 0, end = f->bytes;

		if (end_at <= from || f->behind >= from + end)
			continue;
		if (f->behind > from)
			off = f->behind - from;
		if (end_at < from + end)
			end = end_at - from;
		if (end > limit)
			end = limit;
		put_blocks(lu, false, pass, off, end);
	}
	f->behind = end_at > f->behind ? end_at : f->behind;
}

/* what WABEREQ and WACEREQ say of reading afterwards (SBC-4, 6.6.2), and protection information
 * that nobody made */
static void forbid_reading(struct dw_lu *lu)
{
	uint64_t how = 0, guard = lu->conf.mismatch;

	if (lu->firmware.kind == DW_FIRMWARE_BLOCK)
		how = lu->conf.waber;
	if (lu->firmware.kind == DW_FIRMWARE_CRYPTO)
		how = lu->conf.wacer;
	if (lu->firmware.kind != DW_FIRMWARE_BLOCK &&
	    lu->firmware.kind != DW_FIRMWARE_CRYPTO)
		guard = 0;
	if ((how < 2 && !guard) || lu->conf.thin)
		return;
	lu->unwritten_stays = guard == DW_MISMATCH_STAYS;
	lu->unwritten_key = KEY_MEDIUM;
	lu->unwritten_asc = how == 2 ? ASC_READ_ERROR : ASC_WRITE_REQUIRED;
	if (guard) {
		lu->unwritten_key =
			guard == DW_MISMATCH_ILLEGAL ? KEY_ILLEGAL : KEY_ABORTED;
		lu->unwritten_asc = (uint16_t)(ASC_GUARD + (guard > 3 ? 0 : guard - 1));
	}
	dw_extents_add(&lu->unwritten, 0, lu->native * lu->conf.block_bytes);
}

/* the geometry that was asked for; a liar has that, too */
static void reshape(struct dw_rack *r, struct dw_lu *lu)
{
	const struct dw_firmware *f = &lu->firmware;
	bool other = f->block_bytes != lu->conf.block_bytes || f->blocks != lu->blocks;

	lu->conf.block_bytes = f->block_bytes;
	lu->native = lu->medium_bytes / f->block_bytes;
	lu->conf.pi_type = f->pi_type;
	lu->conf.grown = f->grown;
	lu->pending_bytes = lu->pending_blocks = 0;
	dw_lu_clip(lu, f->blocks);
	dw_rack_pace(r, lu);
	if (other)
		dw_rack_ua(r, lu, ASC_CAPACITY_CHANGED, -1);
}

static void complete(struct dw_rack *r, struct dw_lu *lu)
{
	struct dw_firmware *f = &lu->firmware;

	f->state = DW_FIRMWARE_DONE;
	if (f->deep && !f->fast && !lu->conf.lie)
		put_blocks(lu, true, f->passes - 1, 0,
			   lu->conf.remapped * lu->spare_block);
	if (f->kind == DW_FIRMWARE_FORMAT)
		reshape(r, lu);
	forbid_reading(lu);
	if (f->kind == DW_FIRMWARE_ERASE) { /* the user password goes with the data */
		lu->ata.enabled = lu->ata.locked = lu->ata.maximum = false;
		memset(lu->ata.user, 0, DW_PASSWORD);
	}
}

/**
 * dw_firmware_look - let the disk have done what it has had the time for
 * @r: enclosure
 * @lu: disk
 */
void dw_firmware_look(struct dw_rack *r, struct dw_lu *lu)
{
	struct dw_firmware *f = &lu->firmware;
	uint64_t p;

	if (f->state != DW_FIRMWARE_RUNNING || f->unpowered)
		return;
	p = reached(r, lu);
	move_on(lu, p);
	if (lu->conf.fail_at && p >= percent(lu->conf.fail_at))
		f->state = DW_FIRMWARE_FAILED;
	else if (p == WHOLE)
		complete(r, lu);
}

/**
 * dw_firmware_start - the disk begins
 * @r: enclosure
 * @lu: disk; its firmware says what it is to do
 * @ms: how long that takes
 *
 * What the cache held has reached the medium, or will never do so.
 */
void dw_firmware_start(struct dw_rack *r, struct dw_lu *lu, uint64_t ms)
{
	struct dw_firmware *f = &lu->firmware;

	dw_lu_sync(lu, 0, lu->medium_bytes);
	dw_extents_clear(&lu->unwritten);
	if (lu->conf.thin) { /* what is deallocated reads as zeros */
		f->rng = 0;
		f->invert = false;
		f->pattern_len = 1;
		f->pattern[0] = 0;
	}
	f->state = DW_FIRMWARE_RUNNING;
	f->since_ns = r->now_ns;
	f->need_ns = ms * 1000000;
	f->behind = 0;
	dw_firmware_look(r, lu);
}

/**
 * dw_firmware_touch - a command needs the medium
 * @r: enclosure
 * @lu: disk; one with `touch` goes on from where it is stuck
 */
void dw_firmware_touch(const struct dw_rack *r, struct dw_lu *lu)
{
	struct dw_firmware *f = &lu->firmware;
	uint64_t at = f->need_ns / 100 * lu->conf.stuck_at;

	if (!lu->conf.touch || !lu->conf.stuck_at || f->state != DW_FIRMWARE_RUNNING ||
	    r->now_ns - f->since_ns < at)
		return;
	f->since_ns = r->now_ns - at;
	lu->conf.stuck_at = 0;
}

/**
 * dw_firmware_cut - the power is cut
 * @r: enclosure
 * @lu: disk; a sanitize operation rests until it has power again, a format is corrupt, and
 *	SECURITY ERASE UNIT ends
 */
void dw_firmware_cut(struct dw_rack *r, struct dw_lu *lu)
{
	dw_firmware_look(r, lu);
	if (lu->firmware.kind == DW_FIRMWARE_FORMAT &&
	    lu->firmware.state == DW_FIRMWARE_RUNNING)
		lu->firmware.state = DW_FIRMWARE_FAILED;
	if (lu->firmware.kind == DW_FIRMWARE_ERASE)
		lu->firmware.state = DW_FIRMWARE_IDLE;
	lu->firmware.gone_ns = r->now_ns;
	lu->firmware.unpowered = true;
}

/**
 * dw_firmware_power - the disk has power again, and goes on
 * @r: enclosure
 * @lu: disk
 */
void dw_firmware_power(struct dw_rack *r, struct dw_lu *lu)
{
	if (lu->firmware.unpowered)
		lu->firmware.since_ns += r->now_ns - lu->firmware.gone_ns;
	lu->firmware.unpowered = false;
	lu->pending_bytes = lu->pending_blocks = 0;
	if (lu->conf.ata)
		dw_ata_power(lu);
}

/**
 * dw_firmware_sense - what keeps the disk from other commands
 * @r: enclosure
 * @lu: disk
 * @ret_s: sense data, when something does
 *
 * Return: whether it is at work, or has failed and not been told to go on.
 */
bool dw_firmware_sense(const struct dw_rack *r, const struct dw_lu *lu,
		       struct dw_sense *ret_s)
{
	const struct dw_firmware *f = &lu->firmware;
	bool format = f->kind == DW_FIRMWARE_FORMAT;

	if (f->kind == DW_FIRMWARE_ERASE || lu->conf.satl & DW_SATL_IGNORANT)
		return false;
	if (f->state == DW_FIRMWARE_FAILED) {
		*ret_s = (struct dw_sense){ .key = KEY_MEDIUM,
					    .asc = format ? ASC_FORMAT_FAILED
							  : ASC_SANITIZE_FAILED };
		return true;
	}
	if (f->state != DW_FIRMWARE_RUNNING)
		return false;
	*ret_s = (struct dw_sense){ .key = KEY_NOT_READY,
				    .asc = format ? ASC_FORMATTING : ASC_SANITIZING,
				    .progress_valid = lu->conf.progress,
				    .progress = dw_firmware_progress(r, lu) };
	return true;
}

/**
 * dw_firmware_print - what the disk is at, or was
 * @r: enclosure
 * @lu: disk
 * @f: where to: one line, the state, the kind and the numerator over 65536
 */
void dw_firmware_print(struct dw_rack *r, struct dw_lu *lu, FILE *f)
{
	static const char *const states[] = { "idle", "running", "done", "failed" };
	static const char *const kinds[] = { "none",   "overwrite", "block",
					     "crypto", "format",    "erase" };

	dw_firmware_look(r, lu);
	fprintf(f, "%s %s %" PRIu64 "\n", states[lu->firmware.state],
		kinds[lu->firmware.kind],
		lu->firmware.state == DW_FIRMWARE_IDLE ? 0 : reached(r, lu));
}

/* -1 when the bytes of a block are not all the same */
static int same_byte(const uint8_t *p, size_t n)
{
	return memcmp(p, p + 1, n - 1) ? -1 : p[0];
}

static void print_run(FILE *f, uint64_t first, uint64_t end, int byte)
{
	fprintf(f, "%" PRIu64 "-%" PRIu64, first, end - 1);
	if (byte < 0)
		fprintf(f, " mixed\n");
	else
		fprintf(f, " 0x%02x\n", (unsigned int)byte);
}

/**
 * dw_lu_holds - what the medium holds, past the cache
 * @lu: disk
 * @lba: first block, also of those that are hidden
 * @nlb: blocks
 * @spare: of the blocks that were remapped, instead
 * @f: where to: a line for each run of blocks, with the byte they are full of, or "mixed"
 *
 * Return: 0, or -EINVAL for a range that is not there.
 */
int dw_lu_holds(const struct dw_lu *lu, uint64_t lba, uint64_t nlb, bool spare, FILE *f)
{
	uint64_t have = spare ? lu->conf.remapped : lu->native, i, first = lba;
	int fd = spare ? lu->spare_fd : lu->data_fd, byte, before = -2;
	size_t bs = spare ? lu->spare_block : lu->conf.block_bytes;
	uint8_t b[DW_BLOCK_MAX];

	if (!nlb || nlb > have || lba > have - nlb)
		return -EINVAL;
	for (i = lba; i < lba + nlb; i++) {
		if (pread(fd, b, bs, (off_t)(i * bs)) != (ssize_t)bs)
			return -EIO;
		byte = same_byte(b, bs);
		if (before != -2 && byte != before) {
			print_run(f, first, i, before);
			first = i;
		}
		before = byte;
	}
	print_run(f, first, i, before);
	return 0;
}

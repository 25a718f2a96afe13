/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encodes ops as CDBs, and decodes completions. Encoding is a choice between two CDB sizes.
 * Decoding is three tables (sense data, host status, errno), read from the top, of which the
 * first match counts. One rule is above them all: a completion is OK only if nothing contradicts
 * it. The last step takes OK away from a completion with a residual, an unclean host status or
 * deferred sense data.
 */
#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "codec/encode.h"
#include "scsi/ata.h"
#include "scsi/cdb.h"
#include "scsi/format.h"
#include "scsi/mode.h"
#include "scsi/sense.h"
#include "scsi/zbc.h"

/* Bits 3-0 of the driver status; only "none" and "sense" come from current kernels. */
#define DRIVER_MASK    0x0f
#define DRIVER_TIMEOUT 0x06
#define DRIVER_SENSE   0x08

/* The slowest rate that is waited for, and the longest timeout. */
#define SLOWEST_BYTES_PER_MS UINT64_C(10000)
#define SHORT_MS             20000
#define TIMEOUT_MAX_MS       UINT64_C(86400000)

/* The same of a command that erases a whole disk and comes back after that. */
#define SLOWEST_ERASE_PER_MS UINT64_C(25000)
#define ERASE_MIN_MS         UINT64_C(1800000)
#define ERASE_MAX_MS         (14 * TIMEOUT_MAX_MS)

#define ASC_SEQUENCE         0x2c
#define ASC_LBA              0x21
#define ASC_MISCOMPARE       0x1d
#define ASCQ_UNALIGNED_WRITE 0x04

/* LIO's limit for files, which it does not report in VPD B0h */
#define WRITE_SAME_MODEST 4096

/* What a row of a table yields. */
struct meaning {
	uint8_t class;
	const char *detail;
};

#define ANY (-1)

/**
 * struct sense_row - one row of the sense table
 * @key, @asc: sense key and additional sense code, or ANY
 * @lo, @hi: range of the qualifier
 * @to: what it means
 */
struct sense_row {
	int16_t key;
	int16_t asc;
	uint8_t lo;
	uint8_t hi;
	struct meaning to;
};

#define ALL 0x00, 0xff

static const struct sense_row sense_rows[] = {
	{ ANY, 0x74, ALL, { DW_CLASS_PROTECTED, "locked by its encryption" } },

	{ 0x0, 0x5d, ALL, { DW_CLASS_OK, "the disk predicts its failure" } },
	{ 0x0, ANY, ALL, { DW_CLASS_OK, NULL } },
	{ 0x1, 0x5d, ALL, { DW_CLASS_OK, "the disk predicts its failure" } },
	{ 0x1, ANY, ALL, { DW_CLASS_OK, "recovered by the disk" } },

	{ 0x2, 0x04, 0x02, 0x02, { DW_CLASS_NEEDS_START, "not started" } },
	{ 0x2, 0x04, 0x03, 0x03, { DW_CLASS_FAILED, "manual intervention required" } },
	{ 0x2, 0x04, 0x04, 0x04, { DW_CLASS_FAILED, "format is running" } },
	{ 0x2, 0x04, 0x09, 0x09, { DW_CLASS_NOT_READY, "self-test is running" } },
	{ 0x2, 0x04, 0x0b, 0x0c, { DW_CLASS_NOT_READY, "path is not active" } },
	{ 0x2, 0x04, 0x12, 0x12, { DW_CLASS_FAILED, "offline" } },
	{ 0x2, 0x04, 0x1b, 0x1b, { DW_CLASS_FAILED, "sanitize is running" } },
	{ 0x2, 0x04, 0x20, 0x22, { DW_CLASS_FAILED, "reset or power cycle required" } },
	{ 0x2, 0x04, 0x24, 0x24, { DW_CLASS_FAILED, "depopulation is running" } },
	{ 0x2, 0x30, ALL, { DW_CLASS_FAILED, "incompatible medium" } },
	{ 0x2, 0x31, ALL, { DW_CLASS_FAILED, "medium format corrupted" } },
	{ 0x2, 0x3a, ALL, { DW_CLASS_FAILED, "no medium" } },
	{ 0x2, 0x4c, ALL, { DW_CLASS_FAILED, "failed self-configuration" } },
	{ 0x2, ANY, ALL, { DW_CLASS_NOT_READY, "not ready" } },

	{ 0x3, 0x11, 0x15, 0x15, { DW_CLASS_MEDIUM, "write after sanitize required" } },
	{ 0x3, 0x30, ALL, { DW_CLASS_FAILED, "incompatible medium" } },
	{ 0x3, 0x31, 0x03, 0x03, { DW_CLASS_FAILED, "its sanitize operation failed" } },
	{ 0x3, 0x31, ALL, { DW_CLASS_FAILED, "medium format corrupted" } },
	{ 0x3, ANY, ALL, { DW_CLASS_MEDIUM, "medium error" } },

	{ 0x4, ANY, ALL, { DW_CLASS_HARDWARE, "hardware error" } },

	{ 0x5,
	  0x0e,
	  0x03,
	  0x03,
	  { DW_CLASS_BUG, "data length does not match the command" } },
	{ 0x5, 0x0e, ALL, { DW_CLASS_TOO_BIG, "invalid information unit" } },
	{ 0x5, 0x10, ALL, { DW_CLASS_BUG, "protection information refused" } },
	{ 0x5, 0x20, 0x01, 0x0b, { DW_CLASS_PROTECTED, "access denied" } },
	{ 0x5, 0x20, ALL, { DW_CLASS_UNSUPPORTED, "command not supported" } },
	{ 0x5, 0x21, 0x04, 0x08, { DW_CLASS_FAILED, "zoned: needs zone commands" } },
	{ 0x5, 0x21, ALL, { DW_CLASS_RANGE, "LBA out of range" } },
	{ 0x5, 0x25, ALL, { DW_CLASS_GONE, "logical unit not supported" } },
	{ 0x5, 0x55, ALL, { DW_CLASS_TOO_BIG, "out of resources" } },
	{ 0x5, ANY, ALL, { DW_CLASS_UNSUPPORTED, "illegal request" } },

	{ 0x6, 0x29, ALL, { DW_CLASS_RESET, "reset or power on" } },
	{ 0x6, 0x2a, 0x03, 0x05, { DW_CLASS_ATTENTION, "reservations changed" } },
	{ 0x6, 0x2a, 0x09, 0x09, { DW_CLASS_ATTENTION, "capacity changed" } },
	{ 0x6, ANY, ALL, { DW_CLASS_ATTENTION, "unit attention" } },

	{ 0x7, 0x27, 0x07, 0x07, { DW_CLASS_PROTECTED, "thin pool is full" } },
	{ 0x7,
	  0x20,
	  ALL,
	  { DW_CLASS_PROTECTED,
	    "access denied: locked, revert it by its PSID and power-cycle it" } },
	{ 0x7, ANY, ALL, { DW_CLASS_PROTECTED, "write protected" } },

	{ 0x8, ANY, ALL, { DW_CLASS_MEDIUM, "blank check" } },

	{ 0xb, 0x10, ALL, { DW_CLASS_BUG, "protection information refused" } },
	{ 0xb, 0x55, ALL, { DW_CLASS_TOO_BIG, "out of resources" } },
	{ 0xb, ANY, ALL, { DW_CLASS_RETRY, "aborted by the disk" } },

	{ 0x9, ANY, ALL, { DW_CLASS_HARDWARE, "vendor-specific error" } },
	{ ANY,
	  ANY,
	  ALL,
	  { DW_CLASS_BUG, "sense key that no command of ours can cause" } },
};

/* Of host-managed disks, before all others (ZBC). An error in the middle of a zone is one of its
 * blocks, however it is called: the zone is reset, and written again. */
static const struct sense_row zone_rows[] = {
	{ ANY, 0x21, 0x04, 0x04, { DW_CLASS_MEDIUM, "not at its zone's write pointer" } },
	{ ANY, 0x21, 0x05, 0x05, { DW_CLASS_MEDIUM, "across the boundary of a zone" } },
	{ ANY, 0x21, 0x06, 0x07, { DW_CLASS_MEDIUM, "beyond what its zone holds" } },
	{ ANY, 0x27, 0x08, 0x08, { DW_CLASS_MEDIUM, "its zone is read-only" } },
	{ ANY, 0x2c, 0x0e, 0x0e, { DW_CLASS_MEDIUM, "its zone is offline" } },
	{ ANY, 0x55, 0x0e, 0x0f, { DW_CLASS_RETRY, "no zone more can be open" } },
};

#define HOST_ABORT 0x05

/* Host status of the kernel, in ranges. A hard one wins over any sense data; with a soft
 * one the sense data, when there are some, know better. */
static const struct host_row {
	uint16_t lo;
	uint16_t hi;
	bool hard;
	struct meaning to;
} host_rows[] = {
	{ 0x01, 0x01, true, { DW_CLASS_GONE, "no connection" } },
	{ 0x03, 0x03, true, { DW_CLASS_TIMEOUT, "no answer in time" } },
	{ 0x04, 0x04, true, { DW_CLASS_GONE, "bad target" } },
	{ HOST_ABORT, HOST_ABORT, false, { DW_CLASS_RETRY, "aborted by the host" } },
	{ 0x06, 0x06, false, { DW_CLASS_RETRY, "parity error" } },
	{ 0x08, 0x08, true, { DW_CLASS_RESET, "reset by the host" } },
	{ 0x0e, 0x0e, false, { DW_CLASS_RETRY, "transport disrupted" } },
	{ 0x0f, 0x0f, true, { DW_CLASS_GONE, "path failed" } },
	{ 0x10, 0x10, false, { DW_CLASS_HARDWARE, "target failure" } },
	{ 0x11, 0x11, false, { DW_CLASS_RESERVED, "nexus failure" } },
	{ 0x12, 0x12, false, { DW_CLASS_PROTECTED, "space allocation failed" } },
	{ 0x13, 0x13, false, { DW_CLASS_MEDIUM, "medium error" } },
	{ 0x14, 0x14, true, { DW_CLASS_GONE, "path failed" } },
	{ 0x01, 0xffff, false, { DW_CLASS_RETRY, "host error" } },
};

/* Errors of the host; those of the block layer have the meaning of blk_status_t. */
static const struct errno_row {
	int err;
	struct meaning to;
} errno_rows[] = {
	{ ECANCELED, { DW_CLASS_GIVEN_BACK, NULL } },
	{ EPERM, { DW_CLASS_BUG, "refused by the opcode guard" } },
	{ EACCES, { DW_CLASS_BUG, "refused by the kernel" } },
	{ EINVAL, { DW_CLASS_TOO_BIG, "too long for the path" } },
	{ EIO, { DW_CLASS_TOO_BIG, "too long for the path" } },
	{ ENOMEM, { DW_CLASS_TOO_BIG, "too long for the path" } },
	{ ENODEV, { DW_CLASS_GONE, "no such device" } },
	{ ENXIO, { DW_CLASS_GONE, "no such device" } },
	{ EHOSTUNREACH, { DW_CLASS_GONE, "no path is left" } },
	{ EAGAIN, { DW_CLASS_RETRY, "host is busy" } },
	{ EBUSY, { DW_CLASS_RETRY, "host is busy" } },
	{ EINTR, { DW_CLASS_RETRY, "interrupted" } },
	{ EDOM, { DW_CLASS_QUEUE_FULL, "descriptor's queue is full" } },
	{ ENODATA, { DW_CLASS_MEDIUM, "medium error" } },
	{ EILSEQ, { DW_CLASS_MEDIUM, "protection information mismatch" } },
	{ EREMOTEIO, { DW_CLASS_HARDWARE, "target failure" } },
	{ ESTALE, { DW_CLASS_ATTENTION, "another disk may answer" } },
	{ EROFS, { DW_CLASS_PROTECTED, "read-only" } },
	{ ENOSPC, { DW_CLASS_PROTECTED, "space allocation failed" } },
	{ EBADE, { DW_CLASS_RESERVED, "reservation conflict" } },
	{ ETIMEDOUT, { DW_CLASS_TIMEOUT, "no answer in time" } },
	{ ENOLINK, { DW_CLASS_RETRY, "transport error" } },
	{ EOPNOTSUPP, { DW_CLASS_UNSUPPORTED, "operation not supported" } },
};

uint32_t dw_op_timeout_ms(const struct dw_caps *caps, enum dw_verb verb, uint64_t bytes)
{
	uint64_t expected = bytes / SLOWEST_BYTES_PER_MS, ms;

	switch (verb) {
	case DW_VERB_WRITE:
	case DW_VERB_READ:
		ms = dw_max_u64(caps->zoned ? 120000 : 60000, 20000 + 10 * expected);
		break;
	case DW_VERB_WRITE_SAME:
	case DW_VERB_COMPARE:
		ms = 60000 + 5 * expected;
		break;
	case DW_VERB_FLUSH:
		return 180000;
	case DW_VERB_START:
	case DW_VERB_RESET:
		return 120000;
	case DW_VERB_OPERATE:
		return 60000; /* what was written has to leave the cache first */
	default:
		return SHORT_MS;
	}
	ms = dw_max_u64(ms, (uint64_t)caps->timeout_s * 1000);
	return (uint32_t)dw_min_u64(ms, TIMEOUT_MAX_MS);
}

uint32_t dw_operation_timeout_ms(const struct dw_caps *caps, enum dw_operation operation)
{
	uint64_t bytes = caps->blocks * caps->block_size;
	uint64_t stated = caps->self.ns[operation] / DW_NS_PER_MS;
	uint64_t ms = stated ? 2 * stated : bytes / SLOWEST_ERASE_PER_MS;

	if (!dw_operation_blocks(operation))
		return dw_op_timeout_ms(caps, DW_VERB_OPERATE, 0);
	return (uint32_t)dw_min_u64(dw_max_u64(ms, ERASE_MIN_MS), ERASE_MAX_MS);
}

static bool has_extent(const struct dw_op *op)
{
	return dw_verb_flags(op->verb) & DW_VERB_HAS_EXTENT;
}

/* Does WRITE SAME fit the disk at all, and which CDB size takes it? */
static int write_same_size(const struct dw_same_caps *caps, const struct dw_op *op)
{
	if (caps->max && op->nlb > caps->max)
		return -ERANGE;
	if (caps->cdb16)
		return 16;
	return caps->cdb10 ? 10 : -ERANGE;
}

static int encode_extent(const struct dw_caps *caps, const struct dw_op *op, bool zeros,
			 struct dw_cmd *cmd)
{
	struct dw_cdb_extent x = { .lba = op->lba, .nlb = op->nlb };
	bool same = op->verb == DW_VERB_WRITE_SAME;
	bool compare = op->verb == DW_VERB_COMPARE;
	uint64_t bytes = (uint64_t)op->nlb * caps->block_size;
	int size = caps->rw16 ? 16 : 10;

	if (op->nlb == 0 || caps->block_size == 0 || op->lba >= caps->blocks ||
	    op->nlb > caps->blocks - op->lba)
		return -EINVAL;
	if (same) {
		size = write_same_size(&caps->same, op);
		if (size < 0)
			return size;
		bytes = caps->block_size;
	} else if (compare) {
		x.bytchk = DW_BYTCHK_ONE;
		bytes = caps->block_size;
	} else if (bytes > UINT32_MAX) {
		return -ERANGE;
	}
	x.verb = same                        ? DW_EXTENT_WRITE_SAME
		 : compare                   ? DW_EXTENT_VERIFY
		 : op->verb == DW_VERB_WRITE ? DW_EXTENT_WRITE
					     : DW_EXTENT_READ;
	if (op->verb == DW_VERB_WRITE && caps->cache.write_through)
		x.flags |= DW_EXTENT_FUA;
	if (!same && (op->flags & DW_OP_FUA) && caps->fua)
		x.flags |= DW_EXTENT_FUA;
	cmd->dir = op->verb == DW_VERB_READ ? DW_DIR_IN : DW_DIR_OUT;
	if (same && zeros && caps->same.ndob && size == 16) {
		x.flags |= DW_EXTENT_NDOB;
		cmd->dir = DW_DIR_NONE;
		bytes = 0;
	}
	cmd->data_len = (uint32_t)bytes;
	return dw_cdb_fill_extent(cmd->cdb, (unsigned int)size, &x);
}

/* The whole disk: LBA 0, count 0. A disk that is not known to have either CDB is asked
 * all the same; its refusal is an answer that the outcome of the erasure needs. One that has
 * been asked is not asked again. */
static int encode_flush(const struct dw_caps *caps, struct dw_cmd *cmd)
{
	static const struct dw_cdb_extent all = { .verb = DW_EXTENT_SYNC };

	if (caps->cache.sync_tried && !dw_caps_flush(caps))
		return -EOPNOTSUPP;
	return dw_cdb_fill_extent(cmd->cdb, caps->cache.sync16 ? 16 : 10, &all);
}

static int encode_ata_operate(const struct dw_op *op, struct dw_cmd *cmd)
{
	static const enum dw_ata_sanitize what[DW_OPERATION_COUNT] = {
		[DW_OPERATION_OVERWRITE] = DW_ATA_SANITIZE_OVERWRITE,
		[DW_OPERATION_BLOCK_ERASE] = DW_ATA_SANITIZE_BLOCK_ERASE,
		[DW_OPERATION_CRYPTO_ERASE] = DW_ATA_SANITIZE_CRYPTO_ERASE,
	};

	return dw_cdb_ata_sanitize(cmd->cdb, what[op->operation], 0);
}

/* The pattern of an overwrite is the caller's, as all data: dw_encode_pattern(). */
static int encode_operate(const struct dw_self_erase *caps, const struct dw_op *op,
			  struct dw_cmd *cmd)
{
	static const uint8_t sa[DW_OPERATION_COUNT] = {
		[DW_OPERATION_OVERWRITE] = DW_SA_SANITIZE_OVERWRITE,
		[DW_OPERATION_BLOCK_ERASE] = DW_SA_SANITIZE_BLOCK_ERASE,
		[DW_OPERATION_CRYPTO_ERASE] = DW_SA_SANITIZE_CRYPTO_ERASE,
	};

	if (op->operation == DW_OPERATION_NONE || op->operation >= DW_OPERATION_COUNT ||
	    !(caps->operations & 1u << op->operation))
		return -EINVAL;
	if (dw_operation_secures(op->operation)) /* src/own/security.c does that */
		return -EINVAL;
	if (dw_operation_blocks(op->operation) && !caps->nvme)
		return -EINVAL;
	if (caps->ata)
		return encode_ata_operate(op, cmd);
	if (op->operation >= DW_OPERATION_FORMAT_USER)
		return dw_cdb_format_nvme(cmd->cdb,
					  op->operation == DW_OPERATION_FORMAT_USER
						  ? DW_FORMAT_NVME_USER
						  : DW_FORMAT_NVME_CRYPTO);
	if (op->operation == DW_OPERATION_OVERWRITE) {
		cmd->dir = DW_DIR_OUT;
		cmd->data_len = DW_SANITIZE_LIST_LEN;
	}
	return dw_cdb_sanitize(cmd->cdb, sa[op->operation]);
}

/* Only REQUEST SENSE is answered with good status whatever a SCSI disk does (SPC, SBC). */
static int encode_poll(const struct dw_self_erase *caps, struct dw_cmd *cmd)
{
	if (caps->ata)
		return dw_cdb_ata_sanitize(cmd->cdb, DW_ATA_SANITIZE_STATUS, 0);
	cmd->dir = DW_DIR_IN;
	cmd->data_len = DW_POLL_LEN;
	return dw_cdb_request_sense(cmd->cdb, false, DW_POLL_LEN);
}

int dw_encode(const struct dw_caps *caps, const struct dw_op *op, bool zeros,
	      struct dw_cmd *ret)
{
	struct dw_cmd cmd = { .dir = DW_DIR_NONE };
	uint64_t bytes = has_extent(op) ? (uint64_t)op->nlb * caps->block_size : 0;
	int r;

	switch (op->verb) {
	case DW_VERB_WRITE:
	case DW_VERB_WRITE_SAME:
	case DW_VERB_READ:
	case DW_VERB_COMPARE:
		r = encode_extent(caps, op, zeros, &cmd);
		break;
	case DW_VERB_FLUSH:
		r = encode_flush(caps, &cmd);
		break;
	case DW_VERB_READY:
		r = dw_cdb_test_unit_ready(cmd.cdb);
		break;
	case DW_VERB_RESET:
		r = dw_cdb_reset_zone(cmd.cdb, op->lba, !op->nlb);
		break;
	case DW_VERB_START:
		r = dw_cdb_start(cmd.cdb);
		break;
	case DW_VERB_OPERATE:
		r = encode_operate(&caps->self, op, &cmd);
		break;
	case DW_VERB_POLL:
		r = encode_poll(&caps->self, &cmd);
		break;
	default:
		r = -EINVAL;
	}
	if (r < 0)
		return r;
	memcpy(ret->cdb, cmd.cdb, sizeof(ret->cdb));
	ret->cdb_len = (uint8_t)r;
	ret->dir = cmd.dir;
	ret->data_len = cmd.data_len;
	ret->timeout_ms = op->timeout_ms ? op->timeout_ms
			  : op->verb == DW_VERB_OPERATE
				  ? dw_operation_timeout_ms(caps, op->operation)
				  : dw_op_timeout_ms(caps, op->verb, bytes);
	if (op->flags & DW_OP_RECOVERY)
		ret->flags |= DW_CMD_PASS_FENCE;
	else
		ret->flags &= (uint16_t)~DW_CMD_PASS_FENCE;
	return 0;
}

void dw_encode_pattern(const struct dw_self_erase *caps, uint8_t byte, uint8_t *list,
		       struct dw_cmd *cmd)
{
	if (caps->ata) {
		dw_cdb_ata_sanitize(cmd->cdb, DW_ATA_SANITIZE_OVERWRITE, byte);
		return;
	}
	dw_sanitize_list(list, byte);
	cmd->data = list;
}

void dw_encode_cache(uint8_t size, uint8_t *buf, struct dw_cmd *ret)
{
	const struct dw_mode_request req = { .page = DW_MODE_CACHING,
					     .dbd = true,
					     .alloc = DW_CACHE_LEN };

	memset(buf, 0, DW_CACHE_LEN);
	*ret = (struct dw_cmd){ .dir = DW_DIR_IN,
				.flags = DW_CMD_PASS_FENCE,
				.data = buf,
				.data_len = DW_CACHE_LEN,
				.cdb_len = size,
				.timeout_ms = SHORT_MS };
	dw_cdb_mode_sense(ret->cdb, size, &req);
}

int8_t dw_decode_cache(const struct dw_completion *done, uint8_t size)
{
	struct dw_mode_caching page;

	if (done->resid < 0 || done->resid >= DW_CACHE_LEN ||
	    dw_mode_caching(done->cmd->data, DW_CACHE_LEN - (size_t)done->resid, size,
			    &page))
		return DW_UNKNOWN;
	return page.wce ? DW_YES : DW_NO;
}

static struct meaning from_errno(int err)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(errno_rows); i++)
		if (errno_rows[i].err == -err)
			return errno_rows[i].to;
	return (struct meaning){ DW_CLASS_BUG, "unexpected error of the host" };
}

static const struct host_row *find_host(uint16_t host_status)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(host_rows); i++)
		if (host_status >= host_rows[i].lo && host_status <= host_rows[i].hi)
			return &host_rows[i];
	return NULL;
}

/* Whether the disk refused the length: it points at the length field of the CDB, or the length
 * exceeds what it reports (SBC: MAXIMUM TRANSFER LENGTH), or what every disk should take that
 * reports nothing (MAXIMUM WRITE SAME LENGTH). */
static bool length_refused(const struct dw_caps *caps, const struct dw_op *op,
			   const struct dw_sense *s, const struct dw_cmd *cmd)
{
	if (s->key != DW_KEY_ILLEGAL_REQUEST || s->asc != 0x24 || !has_extent(op) ||
	    op->nlb <= 1)
		return false;
	if (s->field_valid && s->field_in_cdb && cmd)
		return cmd->cdb_len == 16 ? s->field >= 10 && s->field <= 13
					  : s->field >= 7 && s->field <= 8;
	if (op->verb == DW_VERB_WRITE_SAME)
		return !caps->same.max && op->nlb > WRITE_SAME_MODEST;
	return caps->limit.max_transfer && op->nlb > caps->limit.max_transfer;
}

/* Deferred sense data belong to an earlier command. This one was not carried out: what would be a
 * fact about it becomes a plain retry. */
static struct meaning defer(struct meaning m)
{
	switch (m.class) {
	case DW_CLASS_OK:
	case DW_CLASS_TOO_BIG:
	case DW_CLASS_UNSUPPORTED:
	case DW_CLASS_RANGE:
	case DW_CLASS_BUG:
		return (struct meaning){ DW_CLASS_RETRY, "deferred error" };
	case DW_CLASS_MEDIUM:
		return (struct meaning){ DW_CLASS_MEDIUM, "deferred medium error" };
	default:
		return m;
	}
}

static bool row_fits(const struct sense_row *row, const struct dw_sense *s)
{
	return (row->key == ANY || row->key == s->key) &&
	       (row->asc == ANY || row->asc == s->asc) && s->ascq >= row->lo &&
	       s->ascq <= row->hi;
}

static const struct sense_row *find_sense(const struct dw_caps *caps,
					  const struct dw_sense *s)
{
	const struct sense_row *row = sense_rows;

	for (size_t i = 0; caps->zones && i < DW_ARRAY_SIZE(zone_rows); i++)
		if (row_fits(&zone_rows[i], s))
			return &zone_rows[i];
	while (!row_fits(row, s))
		row++; /* the last row fits everything */
	return row;
}

static struct meaning from_sense(const struct dw_caps *caps, const struct dw_op *op,
				 const struct dw_sense *s, const struct dw_cmd *cmd)
{
	struct meaning m = find_sense(caps, s)->to;

	/* libata's word for an error that it cannot name, also of READ; only zoned disks mean it */
	if (s->key == DW_KEY_ILLEGAL_REQUEST && s->asc == ASC_LBA &&
	    s->ascq == ASCQ_UNALIGNED_WRITE && !caps->zoned)
		m = (struct meaning){ DW_CLASS_RETRY, "aborted, for no known reason" };
	if (s->deferred)
		return defer(m);
	if (length_refused(caps, op, s, cmd))
		return (struct meaning){ DW_CLASS_TOO_BIG, "length refused by the disk" };
	return m;
}

static struct meaning from_status(uint8_t status)
{
	switch (status) {
	case DW_STATUS_GOOD:
	case DW_STATUS_CONDITION_MET:
		return (struct meaning){ DW_CLASS_OK, NULL };
	case DW_STATUS_CHECK_CONDITION:
		return (struct meaning){ DW_CLASS_RETRY, "sense data are missing" };
	case DW_STATUS_BUSY:
		return (struct meaning){ DW_CLASS_QUEUE_FULL, "busy" };
	case DW_STATUS_TASK_SET_FULL:
		return (struct meaning){ DW_CLASS_QUEUE_FULL, "task set full" };
	case DW_STATUS_RESERVATION_CONFLICT:
		return (struct meaning){ DW_CLASS_RESERVED, "reservation conflict" };
	case DW_STATUS_ACA_ACTIVE:
		return (struct meaning){ DW_CLASS_RETRY, "ACA active" };
	case DW_STATUS_COMMAND_TERMINATED:
	case DW_STATUS_TASK_ABORTED:
		return (struct meaning){ DW_CLASS_RETRY, "task aborted" };
	default:
		return (struct meaning){ DW_CLASS_BUG, "unknown SCSI status" };
	}
}

/* The disk's own report: sense data if there are any, else its status. */
static struct meaning from_disk(const struct dw_caps *caps, const struct dw_op *op,
				const struct dw_completion *done,
				const struct dw_sense *s)
{
	bool good =
		done->status == DW_STATUS_GOOD || done->status == DW_STATUS_CONDITION_MET;

	if (s && (good || done->status == DW_STATUS_CHECK_CONDITION))
		return from_sense(caps, op, s, done->cmd);
	return from_status(done->status);
}

/* The last step: nothing is OK with a host error, a driver error or a residual. */
static struct meaning meaning_of(const struct dw_caps *caps, const struct dw_op *op,
				 const struct dw_completion *done,
				 const struct dw_sense *s)
{
	const struct host_row *host = find_host(done->host_status);
	unsigned int driver = done->driver_status & DRIVER_MASK;
	struct meaning m;

	if (host && host->hard)
		return host->to;
	if (driver == DRIVER_TIMEOUT)
		return (struct meaning){ DW_CLASS_TIMEOUT, "no answer in time" };
	m = from_disk(caps, op, done, s);
	if (m.class != DW_CLASS_OK)
		return m;
	if (host)
		return host->to;
	if (driver != 0 && driver != DRIVER_SENSE)
		return (struct meaning){ DW_CLASS_RETRY, "driver error" };
	/* part of the blocks only: a torn command, to be repeated */
	if (done->resid != 0 && op->verb != DW_VERB_POLL)
		return (struct meaning){ DW_CLASS_RETRY, "residual" };
	return m;
}

/*
 * That blocks differ is an answer (SBC, VERIFY). The INFORMATION field has the block, or a place in
 * the data that were sent, or nothing.
 */
static bool miscompares(const struct dw_op *op, const struct dw_completion *done,
			const struct dw_sense *s, struct dw_result *ret)
{
	unsigned int driver = done->driver_status & DRIVER_MASK;

	/* never more than the guard, which fences a disk whose answer is not good */
	if (op->verb != DW_VERB_COMPARE || done->err || done->host_status ||
	    (driver != 0 && driver != DRIVER_SENSE) ||
	    done->status != DW_STATUS_CHECK_CONDITION || s->deferred ||
	    s->key != DW_KEY_MISCOMPARE || s->asc != ASC_MISCOMPARE)
		return false;
	ret->miscompare = true;
	ret->at_valid = s->info_valid;
	ret->at = s->information;
	return true;
}

static void set_bad_lba(const struct dw_op *op, const struct dw_sense *s,
			struct dw_result *ret)
{
	if (ret->class != DW_CLASS_MEDIUM || s->deferred || !s->info_valid ||
	    !has_extent(op))
		return;
	if (s->information < op->lba || s->information - op->lba >= op->nlb)
		return;
	ret->bad_valid = true;
	ret->bad_lba = s->information;
}

/*
 * The state of an operation is in the sense data of REQUEST SENSE. A failed operation is reported
 * until something else is done (SBC, sanitize operations). An answer without sense data shows
 * nothing.
 */
static struct meaning from_poll(const struct dw_caps *caps, const struct dw_op *op,
				const struct dw_completion *done, struct dw_sense *s,
				struct dw_result *ret)
{
	const struct dw_cmd *cmd = done->cmd;

	if (!cmd || !cmd->data || done->resid < 0 ||
	    (uint32_t)done->resid > cmd->data_len ||
	    dw_sense_parse(cmd->data, cmd->data_len - (uint32_t)done->resid, s))
		return (struct meaning){ DW_CLASS_RETRY, "no sense data in the answer" };
	if (s->deferred)
		return defer(find_sense(caps, s)->to);
	if (s->asc == 0x04 && s->ascq == 0x1b)
		return (struct meaning){ DW_CLASS_RUNNING, NULL };
	if (s->key == DW_KEY_MEDIUM_ERROR && s->asc == 0x31 && s->ascq == 0x03) {
		ret->ended = DW_ENDED_FAILED;
		return (struct meaning){ DW_CLASS_OK, "its sanitize operation failed" };
	}
	/* the answer of an NVMe disk's log without such an operation (transport/nvme.h) */
	if (caps->self.nvme && s->key == DW_KEY_ILLEGAL_REQUEST && s->asc == ASC_SEQUENCE)
		return (struct meaning){ DW_CLASS_OK, "it tells of no such operation" };
	if (s->key == DW_KEY_NO_SENSE || s->key == DW_KEY_RECOVERED_ERROR)
		ret->ended = DW_ENDED_WELL;
	return from_sense(caps, op, s, cmd);
}

/* The disk itself decided so, for the reason in its registers. */
static struct meaning from_abort(const struct dw_op *op, uint8_t reason,
				 struct dw_result *ret)
{
	switch (reason) {
	case DW_ATA_REASON_LAST_FAILED:
		ret->ended = DW_ENDED_FAILED;
		return (struct meaning){ op->verb == DW_VERB_POLL ? DW_CLASS_OK
								  : DW_CLASS_FAILED,
					 "its sanitize operation failed" };
	case DW_ATA_REASON_UNSUPPORTED:
		return (struct meaning){ DW_CLASS_UNSUPPORTED,
					 "the disk does not know this way of SANITIZE" };
	case DW_ATA_REASON_FROZEN:
		return (struct meaning){ DW_CLASS_FAILED,
					 "SANITIZE is frozen until the disk is without "
					 "power: pull it, plug it in, begin again" };
	default:
		return (struct meaning){ DW_CLASS_FAILED, "the disk refuses SANITIZE" };
	}
}

/*
 * The state of SANITIZE DEVICE is in the registers, which come back as sense data. Without them a
 * good end shows only that the translation has passed the command on.
 */
static struct meaning from_ata(const struct dw_op *op, const struct dw_completion *done,
			       struct meaning m, struct dw_result *ret)
{
	struct dw_ata_sanitize_state state;
	int r;

	if (done->err || (m.class != DW_CLASS_OK && m.class != DW_CLASS_RETRY))
		return m;
	r = dw_ata_sanitize_state(
		done->sense, dw_min_u64(done->sense_len, sizeof(done->sense)), &state);
	if (!r && state.aborted && !done->host_status)
		return from_abort(op, state.reason, ret);
	if (m.class != DW_CLASS_OK)
		return m;
	if (r == -EIO)
		return (struct meaning){ DW_CLASS_RETRY, "ATA registers cannot be true" };
	if ((!r || r == -ERANGE) && state.running) {
		ret->progress = state.progress;
		return op->verb == DW_VERB_POLL
			       ? (struct meaning){ DW_CLASS_RUNNING, NULL }
			       : (struct meaning){ DW_CLASS_OK, NULL };
	}
	if (r)
		ret->ended = DW_ENDED_UNREADABLE;
	else if (state.done)
		ret->ended = DW_ENDED_WELL;
	return (struct meaning){ DW_CLASS_OK, NULL };
}

void dw_decode(const struct dw_caps *caps, const struct dw_op *op,
	       const struct dw_completion *done, struct dw_result *ret)
{
	struct dw_sense s;
	struct meaning m;
	bool sensed = false;

	*ret = (struct dw_result){
		.disk = op->disk,
		.slot = op->slot,
		.submit_ns = done->cmd ? done->cmd->submit_ns : 0,
		.start_ns = done->start_ns,
		.end_ns = done->end_ns,
		.host_ns = done->host_ns,
		.identity = DW_IDENTITY_UNKNOWN,
	};
	if (done->err) {
		m = from_errno(done->err);
	} else {
		size_t len = dw_min_u64(done->sense_len, sizeof(done->sense));

		sensed = dw_sense_parse(done->sense, len, &s) == 0;
		m = meaning_of(caps, op, done, sensed ? &s : NULL);
	}
	if (caps->self.ata && dw_verb_flags(op->verb) & DW_VERB_IS_OPERATION) {
		m = from_ata(op, done, m, ret);
		/* registers come back as an error that was recovered, which is none */
		sensed &= m.class != DW_CLASS_OK || ret->ended == DW_ENDED_FAILED;
	} else if (m.class == DW_CLASS_OK && op->verb == DW_VERB_POLL) {
		m = from_poll(caps, op, done, &s, ret);
		sensed = m.class != DW_CLASS_RETRY;
		ret->progress = sensed && s.progress_valid ? s.progress : 0;
	} else if (caps->self.nvme && op->verb == DW_VERB_OPERATE) {
		/* a format that ends well has erased what it had to */
		if (m.class == DW_CLASS_OK && dw_operation_blocks(op->operation))
			ret->ended = DW_ENDED_WELL;
		/* not supported although reported: some machines lock it when they start */
		if (m.class == DW_CLASS_UNSUPPORTED && sensed && s.asc == 0x20 &&
		    dw_operation_blocks(op->operation))
			m.detail = "offered, and refused: the machine has locked it; let "
				   "it sleep and wake, or re-plug the disk";
	}
	if (sensed && miscompares(op, done, &s, ret))
		m = (struct meaning){ DW_CLASS_OK, "a block differs" };
	/* an operation that a poll had not reported */
	if (sensed && !s.deferred && s.key == DW_KEY_NOT_READY && s.asc == 0x04 &&
	    s.ascq == 0x1b && (op->verb == DW_VERB_FLUSH || op->verb == DW_VERB_IDENTIFY))
		m.class = DW_CLASS_RUNNING;
	ret->class = m.class;
	ret->detail = m.detail;
	ret->way =
		m.class == DW_CLASS_RETRY && (done->err || done->host_status) && !sensed;
	ret->aborted = ret->way && !done->err && done->host_status == HOST_ABORT;
	ret->vanished = done->err == -ENODEV || done->err == -ENXIO;
	if (!sensed)
		return;
	ret->sense_key = s.key;
	ret->asc = s.asc;
	ret->ascq = s.ascq;
	ret->deferred = s.deferred;
	ret->recovered = m.class == DW_CLASS_OK && s.key == DW_KEY_RECOVERED_ERROR;
	set_bad_lba(op, &s, ret);
}

bool dw_sense_of_write(const struct dw_op *op, const struct dw_result *r)
{
	bool writes = op->verb == DW_VERB_WRITE || op->verb == DW_VERB_WRITE_SAME ||
		      op->verb == DW_VERB_FLUSH;

	return r->deferred ||
	       (writes && (r->class == DW_CLASS_MEDIUM || r->class == DW_CLASS_HARDWARE));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Safety is enforced in the lowest layer, below everything that could be wrong above it. A
 * command is parsed again, byte by byte, right before it is sent, and compared with the disk and
 * with what is permitted on it. The open mode of the descriptor protects nothing, and a disk
 * believes a CDB that announces more data than follow.
 */
#include "transport/guard.h"

#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <string.h>

#include "base/be.h"
#include "base/zones.h"
#include "scsi/admin.h"
#include "scsi/ata.h"
#include "scsi/ata_security.h"
#include "scsi/cdb.h"
#include "scsi/format.h"
#include "scsi/opcodes.h"
#include "scsi/sense.h"
#include "scsi/ses.h"
#include "scsi/zbc.h"

#define ASC_MISCOMPARE 0x1d
#define NVME_FORMATS   (DW_OPCLASS_NVME_FORMAT | DW_OPCLASS_NVME_CRYPTO)

/* Bytes that the extent moves, and which way; false when it is not for us to know. */
static bool extent_data(const struct dw_cdb_extent *x, uint32_t block_size,
			uint8_t *ret_dir, uint64_t *ret_len)
{
	switch (x->verb) {
	case DW_EXTENT_READ:
		*ret_dir = DW_DIR_IN;
		*ret_len = (uint64_t)x->nlb * block_size;
		return true;
	case DW_EXTENT_WRITE:
		*ret_dir = DW_DIR_OUT;
		*ret_len = (uint64_t)x->nlb * block_size;
		return true;
	case DW_EXTENT_WRITE_SAME:
		*ret_dir = x->flags & DW_EXTENT_NDOB ? DW_DIR_NONE : DW_DIR_OUT;
		*ret_len = x->flags & DW_EXTENT_NDOB ? 0 : block_size;
		return true;
	case DW_EXTENT_VERIFY:
		*ret_dir = x->bytchk ? DW_DIR_OUT : DW_DIR_NONE;
		*ret_len = (uint64_t)(x->bytchk == 3 ? 1
				      : x->bytchk    ? x->nlb
						     : 0) *
			   block_size;
		return true;
	case DW_EXTENT_SYNC:
		*ret_dir = DW_DIR_NONE;
		*ret_len = 0;
		return true;
	default:
		return false;
	}
}

static bool extent_fits(const struct dw_target *target, const struct dw_cmd *cmd,
			const struct dw_cdb_extent *x)
{
	uint64_t len;
	uint8_t dir;

	if (!extent_data(x, target->block_size, &dir, &len))
		return false;
	if (x->nlb == 0 && x->verb != DW_EXTENT_SYNC)
		return false;
	if (x->lba > target->blocks || x->nlb > target->blocks - x->lba)
		return false;
	return cmd->dir == dir && cmd->data_len == len;
}

/* The protocol of ATA PASS-THROUGH(16) says whether one sector comes back, or nothing. What sets
 * the last sector of a disk may name the one for which it has the permit, and no other. */
static bool ata_fits(const struct dw_target *target, const struct dw_cmd *cmd)
{
	enum dw_ata_raise raise;
	uint64_t last;

	raise = dw_ata_raise_find(cmd->cdb, &last);
	if (raise != DW_ATA_RAISE_COUNT && raise != DW_ATA_DCO_RESTORE &&
	    last != target->raise_last)
		return false;
	if (cmd->cdb[1] >> 1 == DW_ATA_PIO_IN)
		return cmd->dir == DW_DIR_IN && cmd->data_len == DW_ATA_SECTOR;
	return cmd->dir == DW_DIR_NONE;
}

/* One bit of the data makes a normal erase an enhanced one, another a password the master's. */
static bool secure_fits(const struct dw_target *target, const struct dw_cmd *cmd)
{
	enum dw_ata_secure what = dw_ata_secure_find(
		cmd->cdb, cmd->data_len ? cmd->data : (const uint8_t *)"", cmd->data_len);

	if (cmd->dir != (cmd->data_len ? DW_DIR_OUT : DW_DIR_NONE))
		return false;
	switch (what) {
	case DW_ATA_SECURE_COUNT:
		return false;
	case DW_ATA_SECURE_ERASE:
		return target->permits & DW_OPCLASS_ATA_NORMAL;
	case DW_ATA_SECURE_ENHANCED:
		return target->permits & DW_OPCLASS_ATA_ENHANCED;
	default:
		return target->permits & DW_OPCLASS_SECURITY;
	}
}

/* SES-3 7.3.2, of an element that is a slot: in bytes 0 and 3 */
#define SES_SELECT     0x80
#define SES_DEVICE_OFF 0x10

/* An enclosure's lights are set by that page; others may replace its firmware. It is sent for one
 * element, and switches no disk off. Of another one that is selected, zeros would end what it was
 * asked for. */
static bool page_fits(const struct dw_cmd *cmd)
{
	const uint8_t *page = cmd->data;
	unsigned int selected = 0;

	if (cmd->dir != DW_DIR_OUT || cmd->data_len != dw_get_be16(cmd->cdb + 3) ||
	    !cmd->data_len || page[0] != DW_SES_STATUS)
		return false;
	for (uint32_t at = DW_SES_HEADER; at + DW_SES_ELEMENT <= cmd->data_len;
	     at += DW_SES_ELEMENT) {
		selected += page[at] >> 7;
		if (page[at] & SES_SELECT && page[at + 3] & SES_DEVICE_OFF)
			return false;
	}
	return selected <= 1;
}

/* A sanitize waits for nothing, and leaves a disk on which it failed to further commands. */
static bool sanitize_fits(const struct dw_cmd *cmd)
{
	uint8_t dir = cmd->data_len ? DW_DIR_OUT : DW_DIR_NONE;

	return cmd->dir == dir && dw_sanitize_fits(cmd->cdb, cmd->data, cmd->data_len);
}

/* A list of defects would be lost, or the medium left as it is, by one bit of these. */
static bool format_fits(const struct dw_cmd *cmd)
{
	return cmd->dir == DW_DIR_OUT &&
	       dw_format_fits(cmd->cdb, cmd->data, cmd->data_len);
}

/*
 * A block descriptor clips a disk, or makes it wait for a format: only who formats sends one. One
 * that unclips a disk has a permit of its own, and changes the length of no block. What is selected
 * is saved (SP) for a format alone.
 */
static bool mode_select_fits(const struct dw_target *target, const struct dw_cmd *cmd)
{
	struct dw_block_descriptor d;

	if (cmd->dir != DW_DIR_OUT || !cmd->data_len)
		return false;
	if (!dw_mode_select_blocks(cmd->cdb, cmd->data, cmd->data_len))
		return !(cmd->cdb[1] & DW_MODE_SELECT_SP);
	if (!dw_block_descriptor_fits(cmd->cdb, cmd->data, cmd->data_len, &d))
		return false;
	if (d.unclips && cmd->cdb[1] & DW_MODE_SELECT_SP)
		return false;
	if (d.unclips)
		return target->permits & DW_OPCLASS_UNCLIP &&
		       d.block_size == target->block_size;
	return target->permits & DW_OPCLASS_FORMAT;
}

static bool is_mode_select(const struct dw_cmd *cmd)
{
	return cmd->cdb[0] == DW_OPCODE_MODE_SELECT_6 ||
	       cmd->cdb[0] == DW_OPCODE_MODE_SELECT_10;
}

/* Format NVM has no data, and no SCSI disk is sent its CDB. */
static bool nvme_format_fits(const struct dw_target *target, const struct dw_cmd *cmd)
{
	return target->nvme && cmd->dir == DW_DIR_NONE && !cmd->data_len;
}

/* Blocks that a reset takes the contents of: those of a zone, which is written from its start on
 * and begins there, or all; 0 = it does not fit the disk. */
static uint64_t reset_blocks(const struct dw_target *target, const struct dw_cmd *cmd)
{
	struct dw_cdb_reset reset;
	struct dw_zone zone;

	if (!target->zones || !dw_cdb_parse_reset(cmd->cdb, cmd->cdb_len, &reset))
		return 0;
	if (reset.all)
		return target->blocks;
	return dw_zones_sequential(target->zones, reset.lba, &zone) &&
			       zone.first == reset.lba
		       ? zone.nlb
		       : 0;
}

static bool reset_fits(const struct dw_target *target, const struct dw_cmd *cmd)
{
	return cmd->dir == DW_DIR_NONE && !cmd->data_len && reset_blocks(target, cmd);
}

bool dw_guard_admin(const struct dw_target *target, uint32_t permits,
		    const struct nvme_passthru_cmd *cmd)
{
	static const struct dw_nvme_unit none;
	const struct dw_nvme_unit *u = target->nvme ? target->nvme : &none;
	struct dw_nvme_admin admin = { .opcode = cmd->opcode,
				       .nsid = cmd->nsid,
				       .cdw10 = cmd->cdw10,
				       .cdw11 = cmd->cdw11,
				       .data_len = cmd->data_len };
	struct nvme_passthru_cmd want = { .opcode = cmd->opcode,
					  .nsid = cmd->nsid,
					  .cdw10 = cmd->cdw10,
					  .cdw11 = cmd->cdw11,
					  .addr = cmd->addr,
					  .data_len = cmd->data_len,
					  .timeout_ms = cmd->timeout_ms };
	uint32_t class = dw_nvme_class(&admin, u->nsid, u->sanicap, u->flbas, u->dps);

	return class & target->permits & permits && class != DW_OPCLASS_NEVER &&
	       !memcmp(cmd, &want, sizeof(want)) && !cmd->data_len == !cmd->addr;
}

bool dw_guard_read(const struct nvme_passthru_cmd *cmd)
{
	struct nvme_passthru_cmd want = { .opcode = DW_NVME_READ,
					  .nsid = cmd->nsid,
					  .cdw10 = cmd->cdw10,
					  .cdw11 = cmd->cdw11,
					  .addr = cmd->addr,
					  .data_len = cmd->data_len,
					  .timeout_ms = cmd->timeout_ms };

	return !memcmp(cmd, &want, sizeof(want)) && cmd->addr && cmd->data_len;
}

int dw_guard_check(const struct dw_target *target, const struct dw_cmd *cmd)
{
	uint32_t class = dw_opcode_class(cmd->cdb, cmd->cdb_len);
	struct dw_cdb_extent x;
	int r;

	if (!(class & target->permits) || class == DW_OPCLASS_NEVER)
		return -EPERM;
	if (cmd->data_len && (!cmd->data || cmd->dir == DW_DIR_NONE))
		return -EPERM;
	r = dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x);
	if (r == 0)
		return extent_fits(target, cmd, &x) ? 0 : -EPERM;
	if (class &
	    (DW_OPCLASS_SECURITY | DW_OPCLASS_ATA_NORMAL | DW_OPCLASS_ATA_ENHANCED))
		return secure_fits(target, cmd) ? 0 : -EPERM;
	if (cmd->cdb[0] == DW_OPCODE_ATA_16)
		return ata_fits(target, cmd) ? 0 : -EPERM;
	if (class & DW_OPCLASS_ERASE)
		return sanitize_fits(cmd) ? 0 : -EPERM;
	if (class & DW_OPCLASS_FORMAT)
		return format_fits(cmd) ? 0 : -EPERM;
	if (class & NVME_FORMATS)
		return nvme_format_fits(target, cmd) ? 0 : -EPERM;
	if (cmd->cdb[0] == DW_OPCODE_RESET_WRITE_POINTER)
		return reset_fits(target, cmd) ? 0 : -EPERM;
	/* without an extent nothing may be written, and nothing sent with a query */
	if (class == DW_OPCLASS_WRITE)
		return -EPERM;
	if (cmd->cdb[0] == DW_OPCODE_SANITIZE && cmd->data_len)
		return -EPERM;
	if (is_mode_select(cmd) && !mode_select_fits(target, cmd))
		return -EPERM;
	if (cmd->cdb[0] == DW_OPCODE_SEND_DIAGNOSTIC && !page_fits(cmd))
		return -EPERM;
	return class == DW_OPCLASS_READ && cmd->dir == DW_DIR_OUT ? -EPERM : 0;
}

uint64_t dw_guard_destroys(const struct dw_target *target, const struct dw_cmd *cmd)
{
	uint32_t class = dw_opcode_class(cmd->cdb, cmd->cdb_len);
	struct dw_cdb_extent x;

	if (class & (DW_OPCLASS_ERASE | DW_OPCLASS_FORMAT | NVME_FORMATS))
		return target->blocks * target->block_size;
	if (cmd->cdb[0] == DW_OPCODE_RESET_WRITE_POINTER && class == DW_OPCLASS_WRITE)
		return reset_blocks(target, cmd) * target->block_size;
	if (class != DW_OPCLASS_WRITE || dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x))
		return 0;
	return (uint64_t)x.nlb * target->block_size;
}

bool dw_guard_passes_fence(const struct dw_cmd *cmd)
{
	return (cmd->flags & DW_CMD_PASS_FENCE) &&
	       (dw_opcode_class(cmd->cdb, cmd->cdb_len) &
		(DW_OPCLASS_READ | DW_OPCLASS_CONTROL));
}

/* Parameter data may be shorter than the room for them; blocks may not. */
static bool residual_matters(const struct dw_cmd *cmd)
{
	struct dw_cdb_extent x;

	return cmd->dir == DW_DIR_OUT || dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x) == 0;
}

/* That blocks differ is the answer of a disk that compares them, and no error of it. */
static bool is_comparison(const struct dw_completion *done)
{
	struct dw_cdb_extent x;
	struct dw_sense sense;

	return !done->err && !done->host_status &&
	       done->status == DW_STATUS_CHECK_CONDITION &&
	       !dw_sense_parse(done->sense, done->sense_len, &sense) &&
	       sense.key == DW_KEY_MISCOMPARE && sense.asc == ASC_MISCOMPARE &&
	       !sense.deferred && !dw_cdb_parse(done->cmd->cdb, done->cmd->cdb_len, &x) &&
	       x.verb == DW_EXTENT_VERIFY && x.bytchk;
}

bool dw_guard_good(const struct dw_completion *done)
{
	struct dw_sense sense;

	if (is_comparison(done))
		return true;
	if (done->err || done->host_status)
		return false;
	if (done->resid && residual_matters(done->cmd))
		return false;
	if (done->status == DW_STATUS_GOOD || done->status == DW_STATUS_CONDITION_MET)
		return true;
	if (done->status != DW_STATUS_CHECK_CONDITION ||
	    dw_sense_parse(done->sense, done->sense_len, &sense) < 0)
		return false;
	return !sense.deferred && sense.key <= DW_KEY_RECOVERED_ERROR;
}

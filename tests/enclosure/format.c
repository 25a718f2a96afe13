/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FORMAT UNIT (SBC-4, 5.3): the block length that MODE SELECT asked for, protection information,
 * an initialization pattern. It reaches what can be addressed, and the remapped blocks only
 * when it drops the list of grown defects. Without power in the middle the format is corrupt.
 */
#include "cmd.h"

#include "be.h"

#include <string.h>

#define LONGLIST 0x20 /* of CDB byte 1 */
#define FMTDATA  0x10
#define CMPLST   0x08

#define FOV   0x80 /* of byte 1 of the list's header */
#define IP    0x08
#define IMMED 0x02
#define TOLD  0x78 /* DPRY, DCRT, STPF, IP: they need FOV */

#define DEFECTS_MAX 1024

/* what the parameter list says */
struct format_list {
	uint8_t usage, flags;
	size_t defects; /* bytes */
};

static bool take_pattern(struct dw_cmd *c, const uint8_t *p, size_t at, size_t len,
			 struct dw_firmware *f, size_t *ret_len)
{
	size_t n = at + 4 <= len ? be_get16(p + at + 2) : 0;

	if (at + 4 + n > len || n > f->block_bytes || p[at + 1] > 1 ||
	    (p[at + 1] == 1 && !n) || p[at] & 0xc0) {
		dw_cmd_list_field(c, (uint16_t)at);
		return false;
	}
	if (p[at + 1] == 1) {
		f->pattern_len = n;
		memcpy(f->pattern, p + at + 4, n);
	}
	*ret_len = 4 + n;
	return true;
}

/* the transfer has no length in the CDB: all the guest sends is the list */
static bool take_list(struct dw_cmd *c, struct format_list *l, struct dw_firmware *f)
{
	uint8_t p[8192] = { 0 };
	size_t head = c->cdb[1] & LONGLIST ? 8 : 4, ip = 0;
	size_t len = c->task->out_len < sizeof(p) ? c->task->out_len : sizeof(p);

	if (len < head) {
		dw_cmd_check(c, KEY_ILLEGAL, ASC_LIST_LENGTH);
		return false;
	}
	if (!dw_cmd_params(c, p, len))
		return false;
	l->usage = p[0] & 0x07;
	l->flags = p[1];
	l->defects = head == 8 ? be_get32(p + 4) : be_get16(p + 2);
	if (!(l->flags & FOV) && l->flags & TOLD) {
		dw_cmd_list_field(c, 1);
		return false;
	}
	if (l->flags & IP && !take_pattern(c, p, head, len, f, &ip))
		return false;
	if (l->defects % 4 || head + ip + l->defects > len) {
		dw_cmd_check(c, KEY_ILLEGAL, ASC_LIST_LENGTH);
		return false;
	}
	return true;
}

/* SBC-4, table 37: FMTPINFO and PROTECTION FIELD USAGE; -1 for what does not exist */
static int protection(uint8_t info, uint8_t usage)
{
	if (info == 3 && usage <= 1)
		return 2 + usage;
	if (usage || info == 1)
		return -1;
	return info ? 1 : 0;
}

static bool protection_ok(struct dw_cmd *c, uint8_t usage, struct dw_firmware *f)
{
	int type = protection(c->cdb[1] >> 6, usage);

	if (type < 0 || (type && (uint64_t)type != c->lu->pi_native)) {
		dw_cmd_field(c, 1);
		return false;
	}
	f->pi_type = (unsigned int)type;
	return true;
}

/* the geometry that MODE SELECT left; without it everything stays, a clip too */
static void plan(const struct dw_lu *lu, struct dw_firmware *f)
{
	uint64_t most;

	memset(f, 0, sizeof(*f));
	f->kind = DW_FIRMWARE_FORMAT;
	f->block_bytes = lu->pending_bytes ? lu->pending_bytes : lu->conf.block_bytes;
	if (lu->pending_bytes && lu->conf.formats)
		f->block_bytes = lu->conf.formats;
	most = lu->medium_bytes / f->block_bytes;
	f->blocks = lu->pending_bytes ? lu->pending_blocks : lu->blocks;
	if (!f->blocks || f->blocks > most)
		f->blocks = most;
	f->bytes = f->blocks * f->block_bytes;
	f->passes = 1;
	f->pattern_len = 1;
	f->grown = lu->conf.grown;
}

static bool format_ok(struct dw_cmd *c)
{
	unsigned int fast = c->cdb[4] & 0x03;

	if (c->lu->conf.wp || c->lu->device->mode.swp)
		dw_cmd_check(c, KEY_PROTECT, ASC_WRITE_PROTECTED);
	else if (fast == 3 || (fast && c->lu->conf.format < 2))
		dw_cmd_field(c, 4);
	else if (!(c->cdb[1] & FMTDATA) && c->cdb[1] & (LONGLIST | CMPLST | 0x07))
		dw_cmd_field(c, 1);
	return c->task->status == SAM_GOOD;
}

/* a device whose format is that of all its logical units, with one block length for them */
static void reach_others(struct dw_cmd *c, const struct dw_firmware *told, uint64_t ms)
{
	struct dw_firmware f;
	struct dw_lu *lu;
	unsigned int i;

	for (i = 0; i < DW_PORTS_MAX; i++) {
		lu = c->rack->port[i].lu;
		if (!c->rack->configured[i] || !lu || lu == c->lu ||
		    !dw_same_device(c->rack, i, c->port->id))
			continue;
		lu->pending_bytes = told->block_bytes;
		lu->pending_blocks = 0;
		plan(lu, &f);
		f.pi_type = told->pi_type;
		f.fast = told->fast;
		f.pattern_len = told->pattern_len;
		memcpy(f.pattern, told->pattern, sizeof(f.pattern));
		lu->firmware = f;
		dw_firmware_start(c->rack, lu, ms);
	}
}

/**
 * dw_run_format - FORMAT UNIT
 * @c: command
 */
void dw_run_format(struct dw_cmd *c)
{
	struct format_list l = { 0 };
	struct dw_firmware f;

	plan(c->lu, &f);
	if (!format_ok(c) || (c->cdb[1] & FMTDATA && !take_list(c, &l, &f)) ||
	    !protection_ok(c, l.usage, &f))
		return;
	f.deep = c->cdb[1] & CMPLST;
	f.grown = (f.deep ? 0 : f.grown) + l.defects / 4;
	if (f.grown > DEFECTS_MAX)
		f.grown = DEFECTS_MAX;
	f.fast = c->cdb[4] & 0x03;
	if (c->lu->conf.format_reach)
		reach_others(c, &f, f.fast ? 0 : c->lu->conf.format_ms);
	c->lu->firmware = f;
	dw_firmware_start(c->rack, c->lu, f.fast ? 0 : c->lu->conf.format_ms);
	if (!(l.flags & IMMED) && !dw_firmware_wait(c))
		dw_cmd_check(c, KEY_MEDIUM, ASC_FORMAT_FAILED);
}

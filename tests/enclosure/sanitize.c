/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SANITIZE (SBC-4, 4.11 and 5.30): the operation reaches every block there is, hidden and
 * remapped ones too. It goes on when the power was cut. One that failed leaves the disk in
 * restricted failure mode, or in the unrestricted one if AUSE was set.
 */
#include "cmd.h"

#include "be.h"

#include <string.h>

#define AUSE  0x20
#define IMMED 0x80

/* the parameter list of overwrite: flags, and a pattern of up to a block */
static bool overwrite_list(struct dw_cmd *c, struct dw_firmware *f)
{
	size_t len = be_get16(c->cdb + 7), n;
	uint8_t list[4 + DW_BLOCK_MAX];

	if (len < 5 || len > 4 + c->lu->conf.block_bytes) {
		dw_cmd_field(c, 7);
		return false;
	}
	if (!dw_cmd_params(c, list, len))
		return false;
	n = be_get16(list + 2);
	f->passes = list[0] & 0x1f;
	f->invert = list[0] & 0x80;
	if (!f->passes || list[0] & 0x60) {
		dw_cmd_list_field(c, 0);
		return false;
	}
	if (!n || n != len - 4) {
		dw_cmd_list_field(c, 2);
		return false;
	}
	f->pattern_len = n;
	memcpy(f->pattern, list + 4, n);
	return true;
}

static void leave_failure(struct dw_cmd *c)
{
	struct dw_firmware *f = &c->lu->firmware;

	if (f->state == DW_FIRMWARE_FAILED && !f->ause)
		dw_cmd_check(c, KEY_MEDIUM, ASC_SANITIZE_FAILED);
	else
		f->state = DW_FIRMWARE_IDLE;
}

/** dw_sanitize_ms - milliseconds that a method of SANITIZE takes, by its service action */
uint64_t dw_sanitize_ms(const struct dw_lu *lu, unsigned int method)
{
	const uint64_t ms[] = { 0, lu->conf.overwrite_ms, lu->conf.block_ms,
				lu->conf.crypto_ms };

	return ms[method];
}

/**
 * dw_sanitize_plan - what a method does to the blocks
 * @lu: disk
 * @method: 1 overwrite (the caller adds pattern and passes), 2 block erase, 3 crypto erase
 * @ret_f: filled in
 *
 * Return: milliseconds that it takes.
 */
uint64_t dw_sanitize_plan(struct dw_lu *lu, unsigned int method,
			  struct dw_firmware *ret_f)
{
	memset(ret_f, 0, sizeof(*ret_f));
	ret_f->kind = (enum dw_firmware_kind)method;
	ret_f->deep = true;
	ret_f->block_bytes = lu->conf.block_bytes;
	ret_f->bytes = lu->native * lu->conf.block_bytes;
	ret_f->passes = 1;
	ret_f->pattern_len = 1;
	ret_f->pattern[0] = (uint8_t)lu->conf.erased;
	if (method == DW_FIRMWARE_CRYPTO)
		ret_f->rng = dw_rng_next(&lu->key_rng) | 1;
	return dw_sanitize_ms(lu, method);
}

/* in restricted failure mode only what stays there is accepted; a running one never is */
static bool admitted(struct dw_cmd *c)
{
	const struct dw_firmware *f = &c->lu->firmware;

	if (f->state == DW_FIRMWARE_FAILED && !f->ause && c->cdb[1] & AUSE) {
		dw_cmd_check(c, KEY_MEDIUM, ASC_SANITIZE_FAILED);
		return false;
	}
	if (c->lu->conf.wp || c->lu->device->mode.swp) {
		dw_cmd_check(c, KEY_PROTECT, ASC_WRITE_PROTECTED);
		return false;
	}
	return true;
}

/**
 * dw_firmware_wait - a command that began something without IMMED ends with it
 * @c: command
 *
 * Return: whether that will have been a success.
 */
bool dw_firmware_wait(struct dw_cmd *c)
{
	const struct dw_lu *lu = c->lu;
	uint64_t need = lu->firmware.need_ns;

	c->task->held_by = DW_HELD_BY_WORK;
	if (lu->conf.stuck_at &&
	    !(lu->conf.fail_at && lu->conf.fail_at <= lu->conf.stuck_at))
		c->task->op.hold_ns = DW_HOLD_EVER; /* until it is aborted */
	else if (lu->conf.fail_at)
		c->task->op.hold_ns = need / 100 * lu->conf.fail_at;
	else
		c->task->op.hold_ns = need;
	return !lu->conf.fail_at;
}

static int device_of(const struct dw_rack *r, unsigned int port)
{
	return r->lu_conf[port].lun_of < 0 ? (int)port : r->lu_conf[port].lun_of;
}

/**
 * dw_same_device - are two disks logical units of one device?
 * @r: shelf
 * @a: port of one
 * @b: port of the other
 */
bool dw_same_device(const struct dw_rack *r, unsigned int a, unsigned int b)
{
	return device_of(r, a) == device_of(r, b);
}

/* the other logical units of the device are sanitized with the one that was told */
static void reach_others(struct dw_cmd *c, const struct dw_firmware *told,
			 unsigned int sa)
{
	struct dw_firmware f;
	struct dw_lu *lu;
	unsigned int i;
	uint64_t ms;

	for (i = 0; i < DW_PORTS_MAX; i++) {
		lu = c->rack->port[i].lu;
		if (!c->rack->configured[i] || !lu || lu == c->lu ||
		    !dw_same_device(c->rack, i, c->port->id))
			continue;
		ms = dw_sanitize_plan(lu, sa, &f);
		f.passes = told->passes;
		f.invert = told->invert;
		f.ause = told->ause;
		f.pattern_len = told->pattern_len;
		memcpy(f.pattern, told->pattern, sizeof(f.pattern));
		lu->firmware = f;
		dw_firmware_start(c->rack, lu, ms);
	}
}

/**
 * dw_run_sanitize - SANITIZE
 * @c: command
 */
void dw_run_sanitize(struct dw_cmd *c)
{
	unsigned int sa = c->cdb[1] & 0x1f;
	struct dw_firmware f;
	uint64_t ms;

	if (sa == 0x1f) {
		leave_failure(c);
		return;
	}
	if (!admitted(c))
		return;
	ms = dw_sanitize_plan(c->lu, sa, &f);
	if (sa == DW_FIRMWARE_OVERWRITE && !overwrite_list(c, &f))
		return;
	if (sa != DW_FIRMWARE_OVERWRITE && be_get16(c->cdb + 7)) {
		dw_cmd_field(c, 7);
		return;
	}
	f.ause = c->cdb[1] & AUSE;
	reach_others(c, &f, sa);
	c->lu->firmware = f;
	dw_firmware_start(c->rack, c->lu, ms);
	if (!(c->cdb[1] & IMMED) && !dw_firmware_wait(c))
		dw_cmd_check(c, KEY_MEDIUM, ASC_SANITIZE_FAILED);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SANITIZE DEVICE of an ATA disk (ACS-4, 7.35): the LBA registers must have the signature of
 * the method. Count and LBA come back with the state, or the reason of an abort.
 */
#include "cmd.h"

#include <string.h>

enum reason { NONE, LAST_FAILED, UNSUPPORTED, FROZEN, ANTIFREEZE };

#define MAY_LEAVE 0x10 /* of COUNT: a failure can be left by SANITIZE STATUS */

static void status(struct dw_cmd *c, const struct dw_ata_cmd *a)
{
	const struct dw_lu *lu = c->lu;
	enum dw_firmware_state s = lu->firmware.state;
	bool ours = lu->firmware.kind <= DW_FIRMWARE_CRYPTO;
	struct dw_ata_regs r = { .lba = 0xffff, .wide = true };

	if (ours && s == DW_FIRMWARE_DONE)
		r.count |= 0x8000;
	if (ours && s == DW_FIRMWARE_RUNNING) {
		r.count |= 0x4000;
		r.lba = lu->conf.progress ? dw_firmware_progress(c->rack, lu) : 0;
	}
	r.count |= lu->ata.sanitize_frozen ? 0x2000 : 0;
	r.count |= lu->ata.antifreeze ? 0x1000 : 0;
	dw_ata_answer(c, a, &r);
}

static bool failed(const struct dw_firmware *f)
{
	return f->state == DW_FIRMWARE_FAILED && f->kind != DW_FIRMWARE_ERASE;
}

static void ask(struct dw_cmd *c, const struct dw_ata_cmd *a)
{
	struct dw_firmware *f = &c->lu->firmware;

	if (failed(f)) {
		if (!(a->count & 1) || !f->ause) {
			dw_ata_abort(c, a, LAST_FAILED);
			return;
		}
		f->state = DW_FIRMWARE_IDLE;
	}
	status(c, a);
}

/* the pattern is in LBA 31:0; with 40h the last pass has it as it is, else the first */
static void plan_overwrite(const struct dw_ata_cmd *a, struct dw_firmware *f)
{
	bool turned;
	unsigned int i;

	f->passes = a->count & 0x0f ? a->count & 0x0f : 16;
	f->invert = a->count & 0x80;
	turned = f->invert && a->count & 0x40 && f->passes % 2 == 0;
	f->pattern_len = 4;
	for (i = 0; i < 4; i++)
		f->pattern[i] = (uint8_t)(a->lba >> 8 * i ^ (turned ? 0xff : 0));
}

static const struct method {
	uint8_t feature;
	unsigned int kind;
	uint64_t bit, mask, signature;
} methods[] = {
	{ 0x11, DW_FIRMWARE_CRYPTO, DW_SANITIZE_CRYPTO, 0xffffffffffff, 0x43727970 },
	{ 0x12, DW_FIRMWARE_BLOCK, DW_SANITIZE_BLOCK, 0xffffffffffff, 0x426b4572 },
	{ 0x14, DW_FIRMWARE_OVERWRITE, DW_SANITIZE_OVERWRITE, 0xffff00000000,
	  0x4f5700000000 },
};

static void begin(struct dw_cmd *c, const struct dw_ata_cmd *a, const struct method *m)
{
	struct dw_firmware *now = &c->lu->firmware, f;
	uint64_t ms;

	if (c->lu->ata.sanitize_frozen) {
		dw_ata_abort(c, a, FROZEN);
	} else if (!(c->lu->conf.sanitize & m->bit)) {
		dw_ata_abort(c, a, UNSUPPORTED);
	} else if (failed(now) && !now->ause && a->count & MAY_LEAVE) {
		dw_ata_abort(c, a, LAST_FAILED);
	} else if ((a->lba & m->mask) != m->signature || c->lu->ata.locked) {
		dw_ata_abort(c, a, NONE);
	} else {
		ms = dw_sanitize_plan(c->lu, m->kind, &f);
		if (m->kind == DW_FIRMWARE_OVERWRITE)
			plan_overwrite(a, &f);
		f.ause = a->count & MAY_LEAVE;
		*now = f;
		dw_firmware_start(c->rack, c->lu, ms);
		status(c, a);
	}
}

static void freeze(struct dw_cmd *c, const struct dw_ata_cmd *a)
{
	struct dw_ata *d = &c->lu->ata;
	bool lock = (a->feature & 0xff) == 0x20;

	if (a->lba != (lock ? 0x46724c6b : 0x416e7469)) {
		dw_ata_abort(c, a, NONE);
	} else if (lock ? d->antifreeze : d->sanitize_frozen) {
		dw_ata_abort(c, a, lock ? ANTIFREEZE : FROZEN);
	} else {
		*(lock ? &d->sanitize_frozen : &d->antifreeze) = true;
		status(c, a);
	}
}

/**
 * dw_ata_sanitize - SANITIZE DEVICE
 * @c: command
 * @a: what it is for the disk
 */
void dw_ata_sanitize(struct dw_cmd *c, const struct dw_ata_cmd *a)
{
	uint8_t feature = (uint8_t)a->feature;
	size_t i;

	if (!c->lu->conf.sanitize || !a->extend) {
		dw_ata_abort(c, a, NONE);
		return;
	}
	if (!feature) {
		ask(c, a);
		return;
	}
	if (c->lu->firmware.state == DW_FIRMWARE_RUNNING) {
		dw_ata_abort(c, a, NONE);
		return;
	}
	if (feature == 0x20 || feature == 0x40) {
		freeze(c, a);
		return;
	}
	for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (methods[i].feature != feature)
			continue;
		begin(c, a, &methods[i]);
		return;
	}
	dw_ata_abort(c, a, UNSUPPORTED);
}

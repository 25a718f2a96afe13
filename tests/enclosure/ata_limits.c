/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an ATA disk hides of its medium: host protected area (ACS-2), accessible max address
 * (ACS-3), device configuration overlay (ATA-7); and the words of IDENTIFY DEVICE that tell
 * which feature sets there are.
 */
#include "cmd.h"

#include "be.h"

#include <string.h>

static uint64_t last_sector(const struct dw_lu *lu, uint64_t blocks)
{
	return blocks * lu->conf.block_bytes / dw_ata_sector(lu) - 1;
}

/* SET MAX ADDRESS EXT, SET ACCESSIBLE MAX ADDRESS EXT: once in a power cycle */
static bool set_max(struct dw_cmd *c, const struct dw_ata_cmd *a, bool keep)
{
	struct dw_lu *lu = c->lu;
	uint64_t n = (a->lba + 1) * dw_ata_sector(lu) / lu->conf.block_bytes;

	if (!n || n > lu->ata.overlay || lu->ata.max_set || lu->ata.max_frozen)
		return false;
	lu->ata.max_set = true;
	if (keep && !lu->conf.deaf)
		lu->ata.kept = n;
	if (!lu->conf.deaf)
		lu->blocks = n;
	dw_rack_pace(c->rack, lu);
	dw_ata_answer(c, a, &(struct dw_ata_regs){ .lba = a->lba, .wide = true });
	return true;
}

static bool accessible(struct dw_cmd *c, const struct dw_ata_cmd *a)
{
	uint64_t last = last_sector(c->lu, c->lu->ata.overlay);

	if (!(c->lu->conf.ata & DW_ATA_AMA) || (a->feature & 0xff) > 2)
		return false;
	if ((a->feature & 0xff) == 1)
		return set_max(c, a, true);
	if ((a->feature & 0xff) == 2)
		c->lu->ata.max_frozen = true;
	dw_ata_answer(c, a, &(struct dw_ata_regs){ .lba = last, .wide = true });
	return true;
}

/* words 3 to 6 have the last sector that there is behind the overlay */
static void overlay_identify(struct dw_cmd *c)
{
	uint8_t b[512] = { 0 };

	dw_ata_put(b, 0, 2, 1);
	dw_ata_put(b, 3, last_sector(c->lu, c->lu->native), 4);
	dw_ata_put(b, 7, 0x008a, 1);
	dw_ata_put(b, 255, 0xa5, 1);
	dw_ata_sum(b);
	dw_cmd_reply(c, b, sizeof(b), sizeof(b));
}

static bool overlay(struct dw_cmd *c, const struct dw_ata_cmd *a)
{
	struct dw_lu *lu = c->lu;
	uint8_t feature = (uint8_t)a->feature;

	if (!(lu->conf.ata & DW_ATA_DCO) || lu->ata.overlay_frozen)
		return false;
	if (feature == 0xc2) {
		overlay_identify(c);
		return true;
	}
	if (feature == 0xc1)
		lu->ata.overlay_frozen = true;
	else if (feature != 0xc0 || lu->blocks != lu->ata.overlay || lu->ata.max_set)
		return false; /* not while there is a host protected area, nor right after */
	if (feature == 0xc0 && !lu->conf.deaf) {
		lu->ata.overlay = lu->native;
		dw_lu_clip(lu, lu->native);
		dw_rack_pace(c->rack, lu);
	}
	dw_ata_answer(c, a, &(struct dw_ata_regs){ 0 });
	return true;
}

/**
 * dw_ata_limits - commands about what can be addressed; all others are aborted
 * @c: command
 * @a: what it is for the disk
 * @native_read: the command before was READ NATIVE MAX ADDRESS EXT
 */
void dw_ata_limits(struct dw_cmd *c, const struct dw_ata_cmd *a, bool native_read)
{
	uint64_t last = last_sector(c->lu, c->lu->ata.overlay);
	bool hpa = c->lu->conf.ata & DW_ATA_HPA, good = false;
	struct dw_ata_regs r = { .lba = last, .wide = a->command == 0x27 };

	if (a->command == 0x27 || a->command == 0xf8) {
		c->lu->ata.native_read = good = hpa;
		if (!r.wide && last > 0x0fffffff)
			r.lba = 0x0fffffff;
		if (good)
			dw_ata_answer(c, a, &r);
	} else if (a->command == 0x37) {
		good = native_read && set_max(c, a, a->count & 1);
	} else if (a->command == 0x78) {
		good = accessible(c, a);
	} else if (a->command == 0xb1) {
		good = overlay(c, a);
	}
	if (!good)
		dw_ata_abort(c, a, 0);
}

/* two minutes each, rounded up; 0 when nothing is told */
static uint16_t told_time(uint64_t ms)
{
	uint64_t n = (ms + 119999) / 120000;

	return (uint16_t)(n > 0x7ffe ? 0xffff : n > 0xfe ? 0x8000 | n : n);
}

static uint16_t security_word(const struct dw_lu *lu)
{
	const struct dw_ata *a = &lu->ata;

	return (uint16_t)(0x01 | (a->enabled ? 0x02 : 0) | (a->locked ? 0x04 : 0) |
			  (a->frozen ? 0x08 : 0) | (a->tries ? 0 : 0x10) |
			  (lu->conf.ata & DW_ATA_ENHANCED ? 0x20 : 0) |
			  (a->maximum ? 0x100 : 0));
}

/* bits 13 to 15: crypto scramble, overwrite, block erase */
static uint16_t sanitize_word(const struct dw_lu *lu)
{
	uint64_t m = lu->conf.sanitize;

	if (!m)
		return 0;
	return (uint16_t)(0x1400 | (m & DW_SANITIZE_CRYPTO ? 0x2000 : 0) |
			  (m & DW_SANITIZE_OVERWRITE ? 0x4000 : 0) |
			  (m & DW_SANITIZE_BLOCK ? 0x8000 : 0));
}

/**
 * dw_ata_words - the words of IDENTIFY DEVICE about feature sets
 * @lu: disk
 * @id: 512 bytes
 */
void dw_ata_words(const struct dw_lu *lu, uint8_t *id)
{
	bool security = lu->conf.ata & DW_ATA_SECURITY, ama = lu->conf.ata & DW_ATA_AMA;
	bool hpa = lu->conf.ata & DW_ATA_HPA, dco = lu->conf.ata & DW_ATA_DCO;
	unsigned int base = hpa ? 0x0401 : 0x0001;

	dw_ata_put(id, 59, sanitize_word(lu), 1);
	dw_ata_put(id, 82, base | (security ? 0x02 : 0), 1);
	dw_ata_put(id, 83, dco ? 0x4c00 : 0x4400, 1);
	dw_ata_put(id, 85, base | (security && lu->ata.enabled ? 0x02 : 0), 1);
	dw_ata_put(id, 86, dco ? 0x8c00 : 0x8400, 1);
	dw_ata_put(id, 87, 0x4000, 1);
	dw_ata_put(id, 119, ama ? 0x4100 : 0x4000, 1);
	dw_ata_put(id, 120, ama ? 0x4100 : 0x4000, 1);
	if (!security)
		return;
	dw_ata_put(id, 89, told_time(lu->conf.erase_ms), 1);
	if (lu->conf.ata & DW_ATA_ENHANCED)
		dw_ata_put(id, 90, told_time(lu->conf.enhanced_ms), 1);
	dw_ata_put(id, 92, lu->ata.master_id, 1);
	dw_ata_put(id, 128, security_word(lu), 1);
}

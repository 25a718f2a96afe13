/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A SATA disk behind a SCSI translation (SAT-4): its IDENTIFY DEVICE data, and
 * ATA PASS-THROUGH(16) for SMART and for what tells and sets the native capacity (ACS-2, ACS-3).
 */
#include "cmd.h"

#include "be.h"

#include <string.h>

#define PAGE 568 /* ATA Information VPD page without its header */

static void put_word(uint8_t *id, unsigned int n, uint64_t v, unsigned int words)
{
	unsigned int i;

	for (i = 0; i < 2 * words; i++)
		id[2 * n + i] = (uint8_t)(v >> 8 * i);
}

static uint64_t sector(const struct dw_lu *lu)
{
	return lu->conf.ata_sector ? lu->conf.ata_sector : lu->conf.block_bytes;
}

static uint64_t sectors(const struct dw_lu *lu, uint64_t blocks)
{
	return blocks * lu->conf.block_bytes / sector(lu);
}

/* words hold two letters each, the first in the high byte */
static void put_text(uint8_t *id, unsigned int n, const char *text, size_t len)
{
	size_t i, end = strlen(text);

	for (i = 0; i < len; i++)
		id[2 * n + (i ^ 1)] = (uint8_t)(i < end ? text[i] : ' ');
}

static void identify(const struct dw_lu *lu, uint8_t *id)
{
	uint64_t n = sectors(lu, lu->blocks);
	uint8_t sum = 0;
	size_t i;

	memset(id, 0, 512);
	put_word(id, 0, 0x0040, 1);
	put_text(id, 10, lu->conf.serial, 20);
	put_text(id, 23, lu->conf.rev, 8);
	put_text(id, 27, lu->conf.model, 40);
	put_word(id, 49, 0x0200, 1);
	put_word(id, 60, n < 0x0fffffff ? n : 0x0fffffff, 2);
	put_word(id, 80, 0x01f0, 1);
	put_word(id, 82, lu->conf.ata & DW_ATA_HPA ? 0x0401 : 0x0001, 1);
	put_word(id, 83, 0x4400, 1);
	put_word(id, 85, lu->conf.ata & DW_ATA_HPA ? 0x0401 : 0x0001, 1);
	put_word(id, 86, 0x8400, 1);
	put_word(id, 87, 0x4000, 1);
	put_word(id, 100, n, 4);
	if (sector(lu) != 512) {
		put_word(id, 106, 0x5000, 1);
		put_word(id, 117, sector(lu) / 2, 2);
	}
	put_word(id, 119, lu->conf.ata & DW_ATA_AMA ? 0x4100 : 0x4000, 1);
	put_word(id, 120, lu->conf.ata & DW_ATA_AMA ? 0x4100 : 0x4000, 1);
	put_word(id, 128, lu->conf.ata & DW_ATA_FROZEN ? 0x0009 : 0x0001, 1);
	put_word(id, 255, 0xa5, 1);
	for (i = 0; i < 511; i++)
		sum = (uint8_t)(sum + id[i]);
	id[511] = (uint8_t)-sum;
}

/**
 * dw_ata_page - ATA Information (VPD 89h)
 * @c: command
 * @b: 568 bytes
 *
 * Return: bytes.
 */
size_t dw_ata_page(const struct dw_cmd *c, uint8_t *b)
{
	memcpy(b + 4, "DISKWIPESHELF SATL      0001", 28);
	b[52] = 0xec;
	identify(c->lu, b + 56);
	return PAGE;
}

/* registers as sense data, 1/00/1D: the fixed format leaves upper halves out */
static void registers(struct dw_cmd *c, bool wide, uint64_t lba)
{
	uint8_t device = wide ? 0x40 : (uint8_t)(0x40 | (lba >> 24 & 0x0f));
	uint8_t *s = c->task->sense;
	bool descriptor = c->lu->mode.dsense;

	if (c->lu->conf.ata & DW_ATA_MUTE || !(c->cdb[2] & 0x20))
		return;
	dw_cmd_check(c, KEY_RECOVERED, 0x001d);
	if (descriptor) {
		uint8_t d[14] = { 0x09, 12, wide };

		d[6] = wide ? (uint8_t)(lba >> 24) : 0;
		d[7] = (uint8_t)lba;
		d[8] = wide ? (uint8_t)(lba >> 32) : 0;
		d[9] = (uint8_t)(lba >> 8);
		d[10] = wide ? (uint8_t)(lba >> 40) : 0;
		d[11] = (uint8_t)(lba >> 16);
		d[12] = device;
		d[13] = 0x50;
		memcpy(s + 8, d, sizeof(d));
		s[7] = sizeof(d);
		c->task->sense_len = 8 + sizeof(d);
		return;
	}
	s[0] |= 0x80;
	memcpy(s + 3, (uint8_t[]){ 0, 0x50, device, 0 }, 4);
	s[8] = (uint8_t)((wide ? 0x80 : 0) | (wide && lba >> 24 ? 0x20 : 0));
	s[9] = (uint8_t)lba;
	s[10] = (uint8_t)(lba >> 8);
	s[11] = (uint8_t)(lba >> 16);
}

static uint64_t cdb_lba(const uint8_t *cdb)
{
	return (uint64_t)cdb[11] << 40 | (uint64_t)cdb[9] << 32 | (uint64_t)cdb[7] << 24 |
	       (uint64_t)cdb[12] << 16 | (uint64_t)cdb[10] << 8 | cdb[8];
}

/* SET MAX ADDRESS EXT, SET ACCESSIBLE MAX ADDRESS EXT */
static bool set_max(struct dw_cmd *c)
{
	uint64_t n = (cdb_lba(c->cdb) + 1) * sector(c->lu) / c->lu->conf.block_bytes;

	if (!n || n > c->lu->native)
		return false;
	dw_lu_clip(c->lu, n);
	registers(c, true, cdb_lba(c->cdb));
	return true;
}

/* the LBA registers make it this command; they come back changed when the disk fails */
static bool smart(struct dw_cmd *c)
{
	uint8_t data[512];

	if (c->cdb[10] != 0x4f || c->cdb[12] != 0xc2)
		return false;
	if (c->cdb[4] == 0xda) {
		registers(c, false, c->lu->conf.failing ? 0x2cf400 : 0xc24f00);
		return true;
	}
	if (c->cdb[4] != 0xd0 && c->cdb[4] != 0xd1)
		return false;
	dw_ata_smart(c->lu, c->cdb[4] == 0xd1, data);
	dw_cmd_reply(c, data, sizeof(data), sizeof(data));
	return true;
}

/**
 * dw_run_ata - ATA PASS-THROUGH(16) (SAT-4, 12.2)
 * @c: command
 *
 * SET MAX ADDRESS EXT is obeyed right after READ NATIVE MAX ADDRESS EXT alone.
 */
void dw_run_ata(struct dw_cmd *c)
{
	uint64_t last = sectors(c->lu, c->lu->native) - 1;
	bool hpa = c->lu->conf.ata & DW_ATA_HPA, ama = c->lu->conf.ata & DW_ATA_AMA;
	bool prelude = c->lu->ata_prelude, good = true;
	uint8_t id[512];

	c->lu->ata_prelude = false;
	c->task->resid = (uint32_t)(c->task->in_len ? c->task->in_len : c->task->out_len);
	if (c->cdb[14] == 0xec) {
		identify(c->lu, id);
		dw_cmd_reply(c, id, sizeof(id), sizeof(id));
	} else if (c->cdb[14] == 0xb0) {
		good = smart(c);
	} else if (c->cdb[14] == 0x27 && hpa) {
		c->lu->ata_prelude = true;
		registers(c, true, last);
	} else if (c->cdb[14] == 0xf8 && hpa) {
		registers(c, false, last < 0x0fffffff ? last : 0x0fffffff);
	} else if (c->cdb[14] == 0x78 && ama && !c->cdb[4]) {
		registers(c, true, last);
	} else if ((c->cdb[14] == 0x37 && prelude) ||
		   (c->cdb[14] == 0x78 && ama && c->cdb[4] == 1)) {
		good = set_max(c);
	} else {
		good = false;
	}
	if (!good)
		dw_cmd_check(c, KEY_ABORTED, 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A SATA disk behind a SCSI translation (SAT-4): its IDENTIFY DEVICE data, SMART, and how
 * registers come back. The fixed format of sense data leaves the upper halves out.
 */
#include "cmd.h"

#include "be.h"

#include <string.h>

#define PAGE 568 /* ATA Information VPD page without its header */

/**
 * dw_ata_put - words of 512 bytes of data
 * @id: the data
 * @n: the first word
 * @v: value, the lowest word first
 * @words: how many
 */
void dw_ata_put(uint8_t *id, unsigned int n, uint64_t v, unsigned int words)
{
	unsigned int i;

	for (i = 0; i < 2 * words; i++)
		id[2 * n + i] = (uint8_t)(v >> 8 * i);
}

/**
 * dw_ata_sum - the last byte: all bytes add up to 0
 * @id: 512 bytes
 */
void dw_ata_sum(uint8_t *id)
{
	uint8_t sum = 0;
	size_t i;

	for (i = 0; i < 511; i++)
		sum = (uint8_t)(sum + id[i]);
	id[511] = (uint8_t)-sum;
}

/**
 * dw_ata_sector - its own logical sector
 * @lu: disk
 *
 * Return: bytes.
 */
uint64_t dw_ata_sector(const struct dw_lu *lu)
{
	return lu->conf.ata_sector ? lu->conf.ata_sector : lu->conf.block_bytes;
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
	uint64_t n = lu->blocks * lu->conf.block_bytes / dw_ata_sector(lu);
	unsigned int i;

	memset(id, 0, 512);
	dw_ata_put(id, 0, 0x0040, 1);
	put_text(id, 10, lu->conf.serial, 20);
	put_text(id, 23, lu->conf.rev, 8);
	put_text(id, 27, lu->conf.model, 40);
	dw_ata_put(id, 49, 0x0200, 1);
	dw_ata_put(id, 60, n < 0x0fffffff ? n : 0x0fffffff, 2);
	dw_ata_put(id, 80, 0x01f0, 1);
	dw_ata_put(id, 100, n, 4);
	if (dw_ata_sector(lu) != 512) {
		dw_ata_put(id, 106, 0x5000, 1);
		dw_ata_put(id, 117, dw_ata_sector(lu) / 2, 2);
	}
	dw_ata_words(lu, id);
	for (i = 0; i < lu->conf.n_words; i++)
		dw_ata_put(id, lu->conf.words[i].n, lu->conf.words[i].value, 1);
	dw_ata_put(id, 255, 0xa5, 1);
	dw_ata_sum(id);
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

/* registers in sense data that is there already: SAT-4, 12.2.2.6 and 12.2.2.7 */
static void put_registers(struct dw_cmd *c, const struct dw_ata_regs *r, bool aborted)
{
	uint8_t device = r->wide ? 0x40 : (uint8_t)(0x40 | (r->lba >> 24 & 0x0f));
	uint8_t error = aborted ? 0x04 : 0, status = aborted ? 0x51 : 0x50;
	uint8_t *s = c->task->sense, *d = s + 8;

	if (s[0] == 0x72) {
		memcpy(d, (uint8_t[]){ 0x09, 12, r->wide, error }, 4);
		d[4] = r->wide ? (uint8_t)(r->count >> 8) : 0;
		d[5] = (uint8_t)r->count;
		d[6] = r->wide ? (uint8_t)(r->lba >> 24) : 0;
		d[7] = (uint8_t)r->lba;
		d[8] = r->wide ? (uint8_t)(r->lba >> 32) : 0;
		d[9] = (uint8_t)(r->lba >> 8);
		d[10] = r->wide ? (uint8_t)(r->lba >> 40) : 0;
		d[11] = (uint8_t)(r->lba >> 16);
		d[12] = device;
		d[13] = status;
		s[7] = 14;
		c->task->sense_len = 8 + 14;
		return;
	}
	s[0] |= 0x80;
	memcpy(s + 3, (uint8_t[]){ error, status, device, (uint8_t)r->count }, 4);
	s[8] = (uint8_t)((r->wide ? 0x80 : 0) | (r->wide && r->count >> 8 ? 0x40 : 0) |
			 (r->wide && r->lba >> 24 ? 0x20 : 0));
	s[9] = (uint8_t)r->lba;
	s[10] = (uint8_t)(r->lba >> 8);
	s[11] = (uint8_t)(r->lba >> 16);
}

/* sense data in the format that this translation uses for it */
static void translated(struct dw_cmd *c, uint8_t key, uint16_t asc)
{
	const struct dw_lu *lu = c->lu;
	bool descriptor = lu->device->mode.dsense, aborted = key == KEY_ABORTED;

	if (lu->conf.satl & DW_SATL_DESCRIPTOR)
		descriptor = true;
	if (lu->conf.satl & DW_SATL_FIXED)
		descriptor = false;
	if (lu->conf.satl & (DW_SATL_LIBATA | DW_SATL_OLD) && !aborted)
		descriptor = true;
	dw_cmd_check(c, key, asc);
	c->task->sense_len = dw_sense_encode(&(struct dw_sense){ .key = key, .asc = asc },
					     descriptor, c->task->sense);
}

/**
 * dw_ata_answer - the command is done; registers come back if they were asked for
 * @c: command
 * @a: what it was for the disk
 * @regs: registers
 */
void dw_ata_answer(struct dw_cmd *c, const struct dw_ata_cmd *a,
		   const struct dw_ata_regs *regs)
{
	if (c->lu->conf.ata & DW_ATA_MUTE || !a->check)
		return;
	translated(c, KEY_RECOVERED, 0x001d);
	put_registers(c, regs, false);
}

/*
 * What libata made of an aborted command before Linux 6.11: ILLEGAL REQUEST, the sense code of
 * "a zone is written out of order", and the registers in the places of a descriptor, over it.
 */
static void old_abort(struct dw_cmd *c, uint64_t lba)
{
	uint8_t *s = c->task->sense;

	dw_cmd_check(c, KEY_ILLEGAL, 0x2104);
	memcpy(s + 8, (uint8_t[]){ 0x04, 0x51, 0x40, 0x01 }, 4);
	s[17] = (uint8_t)lba;
}

/**
 * dw_ata_abort - the disk aborts the command
 * @c: command
 * @a: what it was for the disk
 * @lba: the LBA registers, where they say why
 */
void dw_ata_abort(struct dw_cmd *c, const struct dw_ata_cmd *a, uint64_t lba)
{
	if (c->lu->conf.satl & DW_SATL_OLD && !c->lu->device->mode.dsense) {
		old_abort(c, lba);
		return;
	}
	translated(c, KEY_ABORTED, 0);
	if (!(c->lu->conf.ata & DW_ATA_MUTE))
		put_registers(c, &(struct dw_ata_regs){ .lba = lba, .wide = a->extend },
			      true);
}

/**
 * dw_ata_power - an ATA disk gets power
 * @lu: disk; what it does not keep is as it was first
 */
void dw_ata_power(struct dw_lu *lu)
{
	struct dw_ata *a = &lu->ata;

	a->native_read = a->prepared = a->max_set = a->max_frozen = false;
	a->sanitize_frozen = a->antifreeze = a->overlay_frozen = false;
	a->locked = a->enabled;
	a->frozen = lu->conf.frozen;
	a->tries = 5;
	lu->blocks = a->kept < a->overlay ? a->kept : a->overlay;
}

/**
 * dw_ata_occupied - what keeps the disk from a command
 * @c: command; ended when something does
 *
 * SECURITY ERASE UNIT takes the port as long as it lasts. What a sanitize operation or a lock
 * forbids, the disk aborts. The translation answers the rest from what it knows.
 *
 * Return: whether it is ended.
 */
bool dw_ata_occupied(struct dw_cmd *c)
{
	const struct dw_firmware *f = &c->lu->firmware;
	bool media = c->opcode->op & DW_OP_MEDIA & ~DW_OP_SYNC;
	bool running = f->state == DW_FIRMWARE_RUNNING, failed;

	if (running && f->kind == DW_FIRMWARE_ERASE && c->opcode->flags & OPF_READY) {
		c->task->status = SAM_BUSY;
		return true;
	}
	failed = f->state == DW_FIRMWARE_FAILED && f->kind != DW_FIRMWARE_ERASE;
	if (!media || !(running || failed || c->lu->ata.locked))
		return false;
	translated(c, KEY_ABORTED, 0);
	return true;
}

/* the LBA registers make it this command; they come back changed when the disk fails */
static void smart(struct dw_cmd *c, const struct dw_ata_cmd *a)
{
	uint8_t data[512], feature = (uint8_t)a->feature;

	if ((a->lba & 0xffff00) != 0xc24f00 ||
	    (feature != 0xda && feature != 0xd0 && feature != 0xd1)) {
		dw_ata_abort(c, a, 0);
	} else if (feature == 0xda) {
		dw_ata_answer(c, a,
			      &(struct dw_ata_regs){
				      .lba = c->lu->conf.failing ? 0x2cf400 : 0xc24f00 });
	} else {
		dw_ata_smart(c->lu, feature == 0xd1, data);
		dw_cmd_reply(c, data, sizeof(data), sizeof(data));
	}
}

static void take_cdb(const uint8_t *cdb, struct dw_ata_cmd *ret_a)
{
	const uint8_t *low = cdb + 3;

	*ret_a = (struct dw_ata_cmd){ .check = cdb[2] & 0x20 };
	if (cdb[0] == 0x85) {
		ret_a->extend = cdb[1] & 0x01;
		ret_a->command = cdb[14];
		ret_a->feature = be_get16(cdb + 3);
		ret_a->count = be_get16(cdb + 5);
		ret_a->lba = (uint64_t)cdb[11] << 40 | (uint64_t)cdb[9] << 32 |
			     (uint64_t)cdb[7] << 24 | (uint64_t)cdb[12] << 16 |
			     (uint64_t)cdb[10] << 8 | cdb[8];
		return;
	}
	ret_a->command = cdb[9];
	ret_a->feature = low[0];
	ret_a->count = low[1];
	ret_a->lba = (uint64_t)low[4] << 16 | (uint64_t)low[3] << 8 | low[2];
}

/**
 * dw_run_ata - ATA PASS-THROUGH (12) and (16) (SAT-4, 12.2)
 * @c: command
 */
void dw_run_ata(struct dw_cmd *c)
{
	bool native_read = c->lu->ata.native_read;
	struct dw_ata_cmd a;
	uint8_t id[512];

	take_cdb(c->cdb, &a);
	c->lu->ata.native_read = false;
	if (a.command != 0xf4)
		c->lu->ata.prepared = false;
	c->task->resid = (uint32_t)(c->task->in_len ? c->task->in_len : c->task->out_len);
	if (a.command == 0xec) {
		identify(c->lu, id);
		dw_cmd_reply(c, id, sizeof(id), sizeof(id));
	} else if (a.command == 0xb0) {
		smart(c, &a);
	} else if (a.command == 0xb4) {
		dw_ata_sanitize(c, &a);
	} else if (a.command >= 0xf1 && a.command <= 0xf6) {
		dw_ata_security(c, &a);
	} else {
		dw_ata_limits(c, &a, native_read);
	}
}

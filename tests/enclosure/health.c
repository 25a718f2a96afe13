/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a disk tells of its health: log pages (SPC-4, 7.3; SBC-3, 6.4), the list of its grown
 * defects, and behind a translation the SMART data of an ATA disk (ACS-2, 7.53).
 */
#include "cmd.h"

#include "be.h"

#include <string.h>

#define FAILING    0x5d10 /* hardware impending failure, general hard drive failure */
#define LIST_FIRST 0x03   /* formats with eight bytes for each defect: 3, 4 and 5 */
#define LIST_LAST  0x05

/* errors corrected (none), and in all uncorrected */
static size_t errors(const struct dw_cmd *c, uint8_t *b, uint64_t n)
{
	memcpy(b, (uint8_t[]){ 0, 3, 2, 4, 0, 0, 0, 0, 0, 6, 2, 8 }, 12);
	be_put64(b + 12, n);
	return 20;
}

static size_t write_errors(const struct dw_cmd *c, uint8_t *b)
{
	return errors(c, b, c->lu->device->write_errors);
}

static size_t read_errors(const struct dw_cmd *c, uint8_t *b)
{
	return errors(c, b, c->lu->device->read_errors);
}

static size_t verify_errors(const struct dw_cmd *c, uint8_t *b)
{
	return errors(c, b, 0);
}

static size_t temperature(const struct dw_cmd *c, uint8_t *b)
{
	memcpy(b, (uint8_t[]){ 0, 0, 3, 2, 0, 0, 0, 1, 3, 2, 0, 0 }, 12);
	b[5] = (uint8_t)c->lu->conf.temp;
	b[11] = (uint8_t)c->lu->conf.temp_limit;
	return 12;
}

/* its first parameter has the minutes that the disk has been powered on */
static size_t background_scan(const struct dw_cmd *c, uint8_t *b)
{
	memset(b, 0, 16);
	b[2] = 3;
	b[3] = 12;
	be_put32(b + 4, (uint32_t)(c->lu->conf.hours * 60));
	return 16;
}

static size_t exceptions(const struct dw_cmd *c, uint8_t *b)
{
	memset(b, 0, 8);
	b[2] = 3;
	b[3] = 4;
	be_put16(b + 4, c->lu->conf.failing ? FAILING : 0);
	b[6] = (uint8_t)c->lu->conf.temp;
	return 8;
}

static const struct log_page {
	uint8_t code;
	bool counts; /* one that `log=0` takes away */
	size_t (*fill)(const struct dw_cmd *c, uint8_t *b);
} pages[] = {
	{ 0x02, true, write_errors },     { 0x03, true, read_errors },
	{ 0x05, true, verify_errors },    { 0x0d, false, temperature },
	{ 0x15, false, background_scan }, { 0x2f, false, exceptions },
};

#define N_PAGES (sizeof(pages) / sizeof(pages[0]))

static size_t page_list(const struct dw_cmd *c, uint8_t *b)
{
	size_t i, n = 0;

	b[n++] = 0x00;
	for (i = 0; i < N_PAGES; i++)
		if (!pages[i].counts || c->lu->conf.log)
			b[n++] = pages[i].code;
	return n;
}

/**
 * dw_run_log_sense - LOG SENSE
 * @c: command
 */
void dw_run_log_sense(struct dw_cmd *c)
{
	uint8_t b[64] = { c->cdb[2] & 0x3f };
	size_t i, n = 0;

	if (c->cdb[3]) {
		dw_cmd_field(c, 3);
		return;
	}
	if (b[0] == 0x00)
		n = page_list(c, b + 4);
	for (i = 0; i < N_PAGES; i++)
		if (pages[i].code == b[0] && (!pages[i].counts || c->lu->conf.log))
			n = pages[i].fill(c, b + 4);
	if (!n) {
		dw_cmd_field(c, 2);
		return;
	}
	be_put16(b + 2, (uint16_t)n);
	dw_cmd_reply(c, b, n + 4, be_get16(c->cdb + 7));
}

/**
 * dw_run_elements - GET PHYSICAL ELEMENT STATUS (SBC-4, 5.8), all elements from number 1 on
 * @c: command
 */
void dw_run_elements(struct dw_cmd *c)
{
	uint64_t n = c->lu->conf.elements, gone = c->lu->conf.depopulated, i;
	uint32_t first = be_get32(c->cdb + 6);
	uint8_t b[32 + 32 * 64] = { 0 }, *e = b + 32;

	for (i = first > 1 ? first - 1 : 0; i < n; i++, e += 32) {
		bool removed = gone && i + 1 == n;

		be_put32(e + 4, (uint32_t)i + 1);
		e[13] = removed; /* may be restored */
		e[14] = 1;       /* a storage element */
		e[15] = removed ? 0xff : 0x01;
		be_put64(e + 16, removed ? gone : c->lu->native / n);
	}
	be_put32(b, (uint32_t)n);
	be_put32(b + 4, (uint32_t)((e - b - 32) / 32));
	dw_cmd_reply(c, b, (size_t)(e - b), be_get32(c->cdb + 10));
}

/**
 * dw_run_read_defects - READ DEFECT DATA (10) and (12): the grown list alone (SBC-3, 5.17)
 * @c: command
 *
 * Its blocks are the first ones of the disk.
 */
void dw_run_read_defects(struct dw_cmd *c)
{
	bool wide = c->cdb[0] == 0xb7;
	uint8_t ask = wide ? c->cdb[1] : c->cdb[2];
	uint64_t i, n = ask & 0x08 ? c->lu->conf.grown : 0; /* REQ_GLIST */
	uint8_t b[8 + 8 * 1024] = { 0 };
	size_t at = wide ? 8 : 4;

	if ((ask & 0x07) < LIST_FIRST || (ask & 0x07) > LIST_LAST) {
		dw_cmd_field(c, wide ? 1 : 2);
		return;
	}
	b[1] = ask & 0x1f;
	if (wide)
		be_put32(b + 4, (uint32_t)(8 * n));
	else
		be_put16(b + 2, (uint16_t)(8 * n));
	for (i = 0; i < n; i++)
		be_put64(b + at + 8 * i, i);
	dw_cmd_reply(c, b, at + 8 * (size_t)n,
		     wide ? be_get32(c->cdb + 6) : be_get16(c->cdb + 7));
}

/* attribute @i: flags, values of 1 to 253, and six bytes of its own */
static void attribute(uint8_t *b, unsigned int i, uint8_t id, uint8_t value, uint32_t raw)
{
	uint8_t *a = b + 2 + 12 * (size_t)i;

	a[0] = id;
	a[1] = 0x03; /* pre-failure, kept up while the disk works */
	a[3] = a[4] = value;
	a[5] = (uint8_t)raw;
	a[6] = (uint8_t)(raw >> 8);
	a[7] = (uint8_t)(raw >> 16);
}

/**
 * dw_ata_smart - SMART READ DATA and SMART READ THRESHOLDS
 * @lu: disk
 * @thresholds: the latter
 * @b: 512 bytes
 */
void dw_ata_smart(const struct dw_lu *lu, bool thresholds, uint8_t *b)
{
	uint8_t reallocated = lu->conf.failing ? 5 : 100, sum = 0;
	size_t i;

	memset(b, 0, 512);
	b[0] = 0x10;
	if (thresholds) {
		memcpy(b + 2, (uint8_t[]){ 5, 36 }, 2);
		b[14] = 9;
		b[26] = 194;
	} else {
		attribute(b, 0, 5, reallocated, (uint32_t)lu->conf.grown);
		attribute(b, 1, 9, 99, (uint32_t)lu->conf.hours);
		attribute(b, 2, 194, 100, (uint32_t)lu->conf.temp);
	}
	for (i = 0; i < 511; i++)
		sum = (uint8_t)(sum + b[i]);
	b[511] = (uint8_t)-sum;
}

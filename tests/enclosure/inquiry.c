/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a disk says about itself: INQUIRY and its vital product data, LUNs,
 * sense on request, readiness (SPC-4, clauses 6 and 7).
 */
#include "cmd.h"

#include "be.h"

#include <stdio.h>
#include <string.h>

static uint8_t device_type(const struct dw_cmd *c)
{
	if ((be_get16(c->task->lun + 2) & 0x3fff) != dw_rack_lun(c->rack, c->port->id))
		return 0x7f;
	return (uint8_t)(c->lu->conf.ptype & 0x1f);
}

static bool two_ports(const struct dw_cmd *c)
{
	unsigned int i, n = 0;

	for (i = 0; i < c->rack->n_ports; i++)
		n += c->rack->port[i].lu == c->lu;
	return n > 1;
}

static void standard(struct dw_cmd *c, size_t alloc)
{
	uint8_t b[96] = { 0 };

	b[0] = device_type(c);
	b[1] = c->lu->conf.removable ? 0x80 : 0;
	b[2] = 0x06; /* SPC-4 */
	b[3] = 0x12; /* HISUP, response data format 2 */
	b[4] = sizeof(b) - 5;
	b[5] = c->lu->pi_native ? 0x01 : 0;
	b[6] = (uint8_t)((two_ports(c) ? 0x10 : 0) |
			 (c->lu->conf.ses ? 0x40 : 0)); /* ENCSERV */
	b[7] = 0x02;                                    /* CMDQUE */
	memcpy(b + 8, c->lu->conf.vendor, 8);
	memcpy(b + 16, c->lu->conf.model, 16);
	memcpy(b + 32, c->lu->conf.rev, 4);
	dw_cmd_reply(c, b, sizeof(b), alloc);
}

static size_t serial(const struct dw_cmd *c, uint8_t *b)
{
	size_t n = strlen(c->lu->conf.serial);

	memcpy(b, c->lu->conf.serial, n);
	return n;
}

static uint64_t port_name(const struct dw_cmd *c)
{
	return c->lu->conf.wwn + c->port->rel_port;
}

/* SPC-4, 7.8.6: logical unit NAA and T10 name, target port NAA and number, device NAA */
static size_t identification(const struct dw_cmd *c, uint8_t *b)
{
	const struct dw_lu_conf *conf = &c->lu->conf;
	uint8_t *p = b;
	size_t n;

	memcpy(p, (uint8_t[]){ 0x01, 0x03, 0, 8 }, 4);
	be_put64(p + 4, conf->wwn);
	p += 12;
	n = strlen(conf->serial);
	memcpy(p, (uint8_t[]){ 0x02, 0x01, 0, (uint8_t)(8 + n) }, 4);
	memcpy(p + 4, conf->vendor, 8);
	memcpy(p + 12, conf->serial, n);
	p += 12 + n;
	memcpy(p, (uint8_t[]){ 0x61, 0x93, 0, 8 }, 4);
	be_put64(p + 4, port_name(c));
	p += 12;
	memcpy(p, (uint8_t[]){ 0x61, 0x94, 0, 4, 0, 0 }, 6);
	be_put16(p + 6, (uint16_t)c->port->rel_port);
	p += 8;
	if (conf->device_wwn) {
		memcpy(p, (uint8_t[]){ 0x61, 0xa3, 0, 8 }, 4);
		be_put64(p + 4, conf->device_wwn);
		p += 12;
	}
	return (size_t)(p - b);
}

static size_t extended(const struct dw_cmd *c, uint8_t *b)
{
	static const uint8_t spt[] = { 0, 0, 1, 4 }; /* types supported: 1, 2, 3 alone */

	if (c->lu->pi_native)
		b[0] = (uint8_t)(spt[c->lu->pi_native] << 3 | 0x04);
	b[2] = c->lu->device->mode.wce ? 0x01 : 0; /* V_SUP */
	return 60;
}

/* SBC-3, 6.6.3; 0 stands for "not reported" throughout */
static size_t limits(const struct dw_cmd *c, uint8_t *b)
{
	const struct dw_lu_conf *conf = &c->lu->conf;

	b[0] = conf->wsnz ? 0x01 : 0;
	be_put16(b + 2, (uint16_t)conf->gran);
	be_put32(b + 4, (uint32_t)conf->max_xfer);
	be_put32(b + 8, (uint32_t)conf->opt_xfer);
	if (conf->thin) {
		be_put32(b + 16, 0x400000);
		be_put32(b + 20, 64);
		be_put32(b + 24, 1u << conf->phys_exp);
	}
	if (conf->ws10 || conf->ws16)
		be_put64(b + 32, conf->ws_max);
	return 60;
}

static size_t characteristics(const struct dw_cmd *c, uint8_t *b)
{
	be_put16(b, (uint16_t)c->lu->conf.rpm);
	b[3] = (uint8_t)(c->lu->conf.waber << 6 | c->lu->conf.wacer << 4 |
			 0x02); /* 3.5 inch */
	return 60;
}

static size_t provisioning(const struct dw_cmd *c, uint8_t *b)
{
	const struct dw_lu_conf *conf = &c->lu->conf;

	if (conf->thin) {
		b[1] = (uint8_t)(0x80 | (conf->ws16 ? 0x40 : 0) |
				 (conf->ws10 ? 0x20 : 0));
		b[1] |= conf->lbprz ? 0x04 : 0;
		b[2] = 0x02; /* thin */
	}
	return 4;
}

/* ZBC, 6.5.2 */
static size_t zoned_characteristics(const struct dw_cmd *c, uint8_t *b)
{
	b[0] = c->lu->conf.urswrz;
	be_put32(b + 4, UINT32_MAX);
	be_put32(b + 8, UINT32_MAX);
	be_put32(b + 12, 128);
	return 60;
}

static const struct page {
	uint8_t code;
	bool block_only;
	size_t (*fill)(const struct dw_cmd *c, uint8_t *b);
} pages[] = {
	{ 0x80, false, serial },      { 0x83, false, identification },
	{ 0x86, true, extended },     { 0x89, true, dw_ata_page },
	{ 0xb0, true, limits },       { 0xb1, true, characteristics },
	{ 0xb2, true, provisioning }, { 0xb6, true, zoned_characteristics },
};

#define N_PAGES (sizeof(pages) / sizeof(pages[0]))

static bool page_offered(const struct dw_cmd *c, const struct page *p)
{
	uint64_t t = c->lu->conf.ptype;

	if (c->lu->conf.nameless && (p->code == 0x80 || p->code == 0x83))
		return false;
	if (p->code == 0xb6 && !c->lu->conf.zone)
		return false;
	if (p->code == 0x89 && !c->lu->conf.ata)
		return false;
	return !p->block_only || t == 0x00 || t == 0x0e || t == 0x14;
}

static size_t page_list(const struct dw_cmd *c, uint8_t *b)
{
	size_t i, n = 1;

	for (i = 0; i < N_PAGES; i++)
		if (page_offered(c, &pages[i]))
			b[n++] = pages[i].code;
	return n;
}

static void vital(struct dw_cmd *c, uint8_t code, size_t alloc)
{
	uint8_t b[600] = { 0 };
	size_t i, n = 0;

	for (i = 0; i < N_PAGES; i++)
		if (pages[i].code == code && page_offered(c, &pages[i]))
			n = pages[i].fill(c, b + 4);
	if (code == 0x00)
		n = page_list(c, b + 4);
	if (!n) {
		dw_cmd_field(c, 2);
		return;
	}
	b[0] = device_type(c);
	b[1] = code;
	be_put16(b + 2, (uint16_t)n);
	dw_cmd_reply(c, b, n + 4, alloc);
}

/**
 * dw_run_inquiry - INQUIRY (SPC-4, 6.6)
 * @c: command
 */
void dw_run_inquiry(struct dw_cmd *c)
{
	size_t alloc = c->lu->conf.inq_short ? c->cdb[4] : be_get16(c->cdb + 3);

	if (c->cdb[1] & 0x02)
		dw_cmd_field(c, 1);
	else if (c->cdb[1] & 0x01)
		vital(c, c->cdb[2], alloc);
	else if (c->cdb[2])
		dw_cmd_field(c, 2);
	else
		standard(c, alloc);
}

/**
 * dw_run_report_luns - REPORT LUNS: LUN 0, and those that share its target (SPC-4, 6.33)
 * @c: command
 */
void dw_run_report_luns(struct dw_cmd *c)
{
	uint8_t b[8 + 8 * DW_PORTS_MAX] = { 0 };
	int target = c->rack->lu_conf[c->port->id].lun_of;
	uint8_t select = c->cdb[2];
	size_t alloc = be_get32(c->cdb + 6), n = 1, i;

	if (select > 2) {
		dw_cmd_field(c, 2);
		return;
	}
	if (target < 0)
		target = (int)c->port->id;
	for (i = 0; i < DW_PORTS_MAX; i++)
		if (c->rack->configured[i] && c->rack->lu_conf[i].lun_of == target)
			b[8 + 8 * n++ + 1] =
				(uint8_t)dw_rack_lun(c->rack, (unsigned int)i);
	if (select == 1) /* well known logical units: none */
		n = 0;
	be_put32(b, (uint32_t)(8 * n));
	dw_cmd_reply(c, b, 8 + 8 * n, alloc);
}

/**
 * dw_run_request_sense - REQUEST SENSE (SPC-4, 6.39)
 * @c: command
 */
void dw_run_request_sense(struct dw_cmd *c)
{
	struct dw_sense s = { .key = KEY_NONE };
	struct dw_port *p = c->port;
	uint8_t b[32];
	size_t n;

	if (c->lu->conf.early && c->lu->firmware.state == DW_FIRMWARE_RUNNING) {
		c->lu->conf.early--; /* NO SENSE, though it works */
	} else if (p->n_ua) {
		s = (struct dw_sense){ .key = KEY_UNIT_ATTENTION, .asc = p->ua[0] };
		memmove(p->ua, p->ua + 1, --p->n_ua * sizeof(p->ua[0]));
		p->stats.uas++;
	} else if (dw_firmware_sense(c->rack, c->lu, &s)) {
		/* the same as every other command would hear */
	} else if (c->rack->now_ns < c->lu->ready_ns) {
		s = (struct dw_sense){ .key = KEY_NOT_READY, .asc = ASC_BECOMING_READY };
	} else if (c->lu->device->stopped) {
		s = (struct dw_sense){ .key = KEY_NOT_READY, .asc = ASC_NEEDS_START };
	}
	n = dw_sense_encode(&s, c->cdb[1] & 0x01, b);
	dw_cmd_reply(c, b, n, c->cdb[4]);
}

/**
 * dw_run_tur - TEST UNIT READY; the gate has already asked (SPC-4, 6.47)
 * @c: command
 */
void dw_run_tur(struct dw_cmd *c)
{
	c->task->resid = (uint32_t)(c->task->in_len ? c->task->in_len : c->task->out_len);
}

/**
 * dw_run_start_stop - START STOP UNIT (SBC-3, 5.25)
 * @c: command
 *
 * Stopping flushes the cache first. Power conditions are accepted.
 */
void dw_run_start_stop(struct dw_cmd *c)
{
	if (c->cdb[4] & 0xf0)
		return;
	if (!(c->cdb[4] & 0x01) && dw_rack_flush(c->rack, c->lu))
		dw_cmd_check(c, KEY_HARDWARE, ASC_INTERNAL);
	else
		c->lu->device->stopped = !(c->cdb[4] & 0x01);
}

/**
 * dw_run_read_capacity10 - READ CAPACITY (10) (SBC-3, 5.16)
 * @c: command
 */
void dw_run_read_capacity10(struct dw_cmd *c)
{
	uint64_t last = dw_zoned_capacity(c->lu) - 1;
	uint8_t b[8];

	if (!(c->cdb[8] & 0x01) && be_get32(c->cdb + 2)) {
		dw_cmd_field(c, 2);
		return;
	}
	be_put32(b, last > UINT32_MAX ? UINT32_MAX : (uint32_t)last);
	be_put32(b + 4, (uint32_t)c->lu->conf.block_bytes);
	dw_cmd_reply(c, b, sizeof(b), sizeof(b));
}

/**
 * dw_run_read_capacity16 - READ CAPACITY (16) (SBC-3, 5.17)
 * @c: command
 */
void dw_run_read_capacity16(struct dw_cmd *c)
{
	const struct dw_lu_conf *conf = &c->lu->conf;
	uint8_t b[32] = { 0 };

	be_put64(b, dw_zoned_capacity(c->lu) - 1);
	be_put32(b + 8, (uint32_t)conf->block_bytes);
	if (conf->pi_type)
		b[12] = (uint8_t)((conf->pi_type - 1) << 1 | 0x01);
	if (conf->zone && conf->rc_basis)
		b[12] |= 0x10;
	b[13] = (uint8_t)(conf->phys_exp & 0x0f);
	be_put16(b + 14, (uint16_t)(conf->lowest_aligned & 0x3fff));
	if (conf->thin)
		b[14] |= (uint8_t)(0x80 | (conf->lbprz ? 0x40 : 0));
	dw_cmd_reply(c, b, sizeof(b), be_get32(c->cdb + 10));
}

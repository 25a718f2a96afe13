/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands the disks know: one row each, with the bits of the CDB they look
 * at, which is also what REPORT SUPPORTED OPERATION CODES answers. Reports
 * switched off, or refused by configuration, are as unknown as all others.
 */
#include "cmd.h"

#include "be.h"

#include <string.h>

#define RO      (OPF_READS | OPF_READY)
#define RW      OPF_READY
#define PRIMARY (OPF_ANY_PDT | OPF_RESERVED_OK)

/* the usual places of LBA, length and control byte */
#define CDB10(code, flags)                                                               \
	{                                                                                \
		code, flags, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 0x07                 \
	}
#define CDB16(code, flags)                                                               \
	{                                                                                \
		code, flags, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, \
			0xff, 0xff, 0, 0x07                                              \
	}

/* clang-format off */
static const struct dw_opcode table[] = {
	{ 0x00, -1, 6, OPF_ANY_PDT | OPF_READY | OPF_RESERVED_OK, DW_OP_OTHER, dw_run_tur,
	  { 0x00, 0, 0, 0, 0, 0x07 } },
	{ 0x03, -1, 6, PRIMARY | OPF_NO_UA | OPF_ALWAYS, DW_OP_OTHER, dw_run_request_sense,
	  { 0x03, 0x01, 0, 0, 0xff, 0x07 } },
	{ 0x04, -1, 6, OPF_ON | OPF_ERASES, DW_OP_OTHER, dw_run_format,
	  { 0x04, 0xff, 0, 0, 0x03, 0x07 } },
	{ 0x08, -1, 6, RO, DW_OP_READ, dw_run_read,
	  { 0x08, 0x1f, 0xff, 0xff, 0xff, 0x07 } },
	{ 0x0a, -1, 6, RW, DW_OP_WRITE, dw_run_write,
	  { 0x0a, 0x1f, 0xff, 0xff, 0xff, 0x07 } },
	{ 0x12, -1, 6, PRIMARY | OPF_NO_UA | OPF_ALWAYS, DW_OP_OTHER, dw_run_inquiry,
	  { 0x12, 0x01, 0xff, 0xff, 0xff, 0x07 } },
	{ 0x15, -1, 6, 0, DW_OP_OTHER, dw_run_mode_select,
	  { 0x15, 0x11, 0, 0, 0xff, 0x07 } },
	{ 0x1a, -1, 6, OPF_READS, DW_OP_OTHER, dw_run_mode_sense,
	  { 0x1a, 0x08, 0xff, 0xff, 0xff, 0x07 } },
	{ 0x1b, -1, 6, OPF_READS, DW_OP_OTHER, dw_run_start_stop,
	  { 0x1b, 0x01, 0, 0x0f, 0xf7, 0x07 } },
	{ 0x1c, -1, 6, OPF_ANY_PDT | OPF_ON | OPF_READS, DW_OP_OTHER, dw_run_receive_diagnostic,
	  { 0x1c, 0x01, 0xff, 0xff, 0xff, 0x07 } },
	{ 0x1d, -1, 6, OPF_ANY_PDT | OPF_ON, DW_OP_OTHER, dw_run_send_diagnostic,
	  { 0x1d, 0x10, 0, 0xff, 0xff, 0x07 } },
	{ 0x25, -1, 10, OPF_READS, DW_OP_OTHER, dw_run_read_capacity10,
	  { 0x25, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0x01, 0x07 } },
	{ 0x28, -1, 10, RO, DW_OP_READ, dw_run_read, CDB10(0x28, 0xf8) },
	{ 0x2a, -1, 10, RW, DW_OP_WRITE, dw_run_write, CDB10(0x2a, 0xf8) },
	{ 0x2e, -1, 10, RW | OPF_ON, DW_OP_WRITE, dw_run_write, CDB10(0x2e, 0xf6) },
	{ 0x2f, -1, 10, RO, DW_OP_VERIFY, dw_run_verify, CDB10(0x2f, 0xf6) },
	{ 0x35, -1, 10, RW, DW_OP_SYNC, dw_run_sync, CDB10(0x35, 0x02) },
	{ 0x37, -1, 10, RO, DW_OP_OTHER, dw_run_read_defects,
	  { 0x37, 0, 0x1f, 0, 0, 0, 0, 0xff, 0xff, 0x07 } },
	{ 0x41, -1, 10, RW | OPF_ON, DW_OP_WS, dw_run_write_same, CDB10(0x41, 0xf8) },
	{ 0x42, -1, 10, RW | OPF_ON, DW_OP_UNMAP, dw_run_unmap,
	  { 0x42, 0x01, 0, 0, 0, 0, 0, 0xff, 0xff, 0x07 } },
	{ 0x48, 0x01, 10, OPF_ON | OPF_ERASES, DW_OP_OTHER, dw_run_sanitize,
	  { 0x48, 0xbf, 0, 0, 0, 0, 0, 0xff, 0xff, 0x07 } },
	{ 0x48, 0x02, 10, OPF_ON | OPF_ERASES, DW_OP_OTHER, dw_run_sanitize,
	  { 0x48, 0xbf, 0, 0, 0, 0, 0, 0xff, 0xff, 0x07 } },
	{ 0x48, 0x03, 10, OPF_ON | OPF_ERASES, DW_OP_OTHER, dw_run_sanitize,
	  { 0x48, 0xbf, 0, 0, 0, 0, 0, 0xff, 0xff, 0x07 } },
	{ 0x48, 0x1f, 10, OPF_ON | OPF_ERASES, DW_OP_OTHER, dw_run_sanitize,
	  { 0x48, 0xbf, 0, 0, 0, 0, 0, 0xff, 0xff, 0x07 } },
	{ 0x4d, -1, 10, OPF_READS, DW_OP_OTHER, dw_run_log_sense,
	  { 0x4d, 0x01, 0xff, 0xff, 0, 0xff, 0xff, 0xff, 0xff, 0x07 } },
	{ 0x55, -1, 10, 0, DW_OP_OTHER, dw_run_mode_select,
	  { 0x55, 0x11, 0, 0, 0, 0, 0, 0xff, 0xff, 0x07 } },
	{ 0x5a, -1, 10, OPF_READS, DW_OP_OTHER, dw_run_mode_sense,
	  { 0x5a, 0x18, 0xff, 0xff, 0, 0, 0, 0xff, 0xff, 0x07 } },
	{ 0x5e, 0x00, 10, OPF_RESERVED_OK, DW_OP_OTHER, dw_run_pr_in,
	  { 0x5e, 0x00, 0, 0, 0, 0, 0, 0xff, 0xff, 0x07 } },
	{ 0x5e, 0x01, 10, OPF_RESERVED_OK, DW_OP_OTHER, dw_run_pr_in,
	  { 0x5e, 0x01, 0, 0, 0, 0, 0, 0xff, 0xff, 0x07 } },
	{ 0x5e, 0x02, 10, OPF_RESERVED_OK, DW_OP_OTHER, dw_run_pr_in,
	  { 0x5e, 0x02, 0, 0, 0, 0, 0, 0xff, 0xff, 0x07 } },
	{ 0x5e, 0x03, 10, OPF_RESERVED_OK, DW_OP_OTHER, dw_run_pr_in,
	  { 0x5e, 0x03, 0, 0, 0, 0, 0, 0xff, 0xff, 0x07 } },
	{ 0x5f, 0x00, 10, OPF_RESERVED_OK, DW_OP_OTHER, dw_run_pr_out,
	  { 0x5f, 0x00, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x07 } },
	{ 0x5f, 0x01, 10, OPF_RESERVED_OK, DW_OP_OTHER, dw_run_pr_out,
	  { 0x5f, 0x01, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x07 } },
	{ 0x5f, 0x02, 10, OPF_RESERVED_OK, DW_OP_OTHER, dw_run_pr_out,
	  { 0x5f, 0x02, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x07 } },
	{ 0x5f, 0x03, 10, OPF_RESERVED_OK, DW_OP_OTHER, dw_run_pr_out,
	  { 0x5f, 0x03, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x07 } },
	{ 0x5f, 0x04, 10, OPF_RESERVED_OK, DW_OP_OTHER, dw_run_pr_out,
	  { 0x5f, 0x04, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x07 } },
	{ 0x5f, 0x05, 10, OPF_RESERVED_OK, DW_OP_OTHER, dw_run_pr_out,
	  { 0x5f, 0x05, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x07 } },
	{ 0x5f, 0x06, 10, OPF_RESERVED_OK, DW_OP_OTHER, dw_run_pr_out,
	  { 0x5f, 0x06, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x07 } },
	{ 0x85, -1, 16, RO | OPF_ON, DW_OP_OTHER, dw_run_ata,
	  { 0x85, 0x1f, 0xef, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0x07 } },
	{ 0xa1, -1, 12, RO | OPF_ON, DW_OP_OTHER, dw_run_ata,
	  { 0xa1, 0x1e, 0xef, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0x07 } },
	{ 0x88, -1, 16, RO, DW_OP_READ, dw_run_read, CDB16(0x88, 0xf8) },
	{ 0x8a, -1, 16, RW, DW_OP_WRITE, dw_run_write, CDB16(0x8a, 0xf8) },
	{ 0x8e, -1, 16, RW | OPF_ON, DW_OP_WRITE, dw_run_write, CDB16(0x8e, 0xf6) },
	{ 0x8f, -1, 16, RO, DW_OP_VERIFY, dw_run_verify, CDB16(0x8f, 0xf6) },
	{ 0x91, -1, 16, RW, DW_OP_SYNC, dw_run_sync, CDB16(0x91, 0x02) },
	{ 0x93, -1, 16, RW | OPF_ON, DW_OP_WS, dw_run_write_same, CDB16(0x93, 0xf9) },
	{ 0x94, 0x04, 16, RW | OPF_ON, DW_OP_OTHER, dw_run_reset_zone,
	  { 0x94, 0x04, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0x01, 0x07 } },
	{ 0x95, 0x00, 16, RO | OPF_ON, DW_OP_OTHER, dw_run_report_zones,
	  { 0x95, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xbf, 0x07 } },
	{ 0x9e, 0x10, 16, OPF_READS, DW_OP_OTHER, dw_run_read_capacity16,
	  CDB16(0x9e, 0x10) },
	{ 0x9e, 0x17, 16, RO | OPF_ON, DW_OP_OTHER, dw_run_elements,
	  { 0x9e, 0x17, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xcf, 0x07 } },
	{ 0xa0, -1, 12, PRIMARY | OPF_NO_UA | OPF_ALWAYS, DW_OP_OTHER, dw_run_report_luns,
	  { 0xa0, 0, 0xff, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0x07 } },
	{ 0xa2, -1, 12, OPF_READS | OPF_ON, DW_OP_OTHER, dw_run_security_in,
	  { 0xa2, 0xff, 0xff, 0xff, 0x80, 0, 0xff, 0xff, 0xff, 0xff, 0, 0x07 } },
	{ 0xa3, 0x0c, 12, PRIMARY | OPF_ON | OPF_ALWAYS, DW_OP_OTHER, dw_run_rsoc,
	  { 0xa3, 0x0c, 0x87, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0x07 } },
	{ 0xb7, -1, 12, RO, DW_OP_OTHER, dw_run_read_defects,
	  { 0xb7, 0x1f, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0x07 } },
};
/* clang-format on */

#define N_OPS (sizeof(table) / sizeof(table[0]))

/**
 * dw_opcode_at - rows of the table
 * @i: index from 0
 *
 * Return: the row, NULL after the last.
 */
const struct dw_opcode *dw_opcode_at(size_t i)
{
	return i < N_OPS ? &table[i] : NULL;
}

/**
 * dw_opcode_find - the row of a command
 * @cdb: command, 16 bytes
 *
 * Return: the row, or NULL.
 */
const struct dw_opcode *dw_opcode_find(const uint8_t *cdb)
{
	size_t i;

	for (i = 0; i < N_OPS; i++)
		if (table[i].code == cdb[0] &&
		    (table[i].sa < 0 || table[i].sa == (cdb[1] & 0x1f)))
			return &table[i];
	return NULL;
}

static bool refused(const struct dw_lu *lu, uint8_t code)
{
	return lu->conf.refuse[code / 8] >> (code % 8) & 1;
}

/* leaving failure mode is known to whoever knows a method (SBC-4, 5.30) */
static bool sanitizes(const struct dw_lu *lu, unsigned int sa)
{
	if (lu->conf.ata)
		return false;
	return sa == 0x1f ? lu->conf.sanitize : lu->conf.sanitize >> (sa - 1) & 1;
}

/**
 * dw_opcode_offered - whether a disk knows a command
 * @lu: disk
 * @o: row of the table
 *
 * Return: false when its type or configuration leaves it out.
 */
bool dw_opcode_offered(const struct dw_lu *lu, const struct dw_opcode *o)
{
	bool block = lu->conf.ptype == 0x00 || lu->conf.ptype == 0x0e ||
		     lu->conf.ptype == 0x14;

	if (refused(lu, o->code) || (!block && !(o->flags & OPF_ANY_PDT)))
		return false;
	if (!(o->flags & OPF_ON))
		return true;
	switch (o->code) {
	case 0x04:
		return lu->conf.format && !lu->conf.ata;
	case 0x1c:
	case 0x1d:
		return lu->conf.ses;
	case 0x41:
		return lu->conf.ws10;
	case 0x93:
		return lu->conf.ws16;
	case 0x42:
		return lu->conf.thin;
	case 0x48:
		return sanitizes(lu, (unsigned int)o->sa);
	case 0x85:
		return lu->conf.ata &&
		       !(lu->conf.satl & (DW_SATL_TWELVE | DW_SATL_REFUSED));
	case 0xa1:
		return lu->conf.ata && !(lu->conf.satl & DW_SATL_REFUSED);
	case 0x94:
	case 0x95:
		return lu->conf.zone;
	case 0x9e:
		return lu->conf.elements;
	case 0xa2:
		return lu->conf.tcg;
	case 0xa3:
		return lu->conf.rsoc;
	default:
		return lu->conf.write_and_verify;
	}
}

static void usage(const struct dw_cmd *c, const struct dw_opcode *o, uint8_t *to)
{
	memcpy(to, o->usage, o->cdb_len);
	if (o->code == 0x93 && !c->lu->conf.ndob)
		to[1] &= (uint8_t)~0x01;
	if ((o->code == 0x41 || o->code == 0x93) && !c->lu->conf.thin)
		to[1] &= (uint8_t)~0x18;
	if ((o->op & (DW_OP_READ | DW_OP_WRITE)) && o->cdb_len > 6 && !c->lu->conf.dpofua)
		to[1] &= (uint8_t)~0x18;
}

/* whole seconds that a SANITIZE is said to take, 0 = not told */
static uint32_t told_seconds(const struct dw_lu *lu, const struct dw_opcode *o)
{
	if (!lu->conf.times || o->code != 0x48 || o->sa < 1 || o->sa > 3)
		return 0;
	return (uint32_t)((dw_sanitize_ms(lu, (unsigned int)o->sa) + 999) / 1000);
}

/* SPC-4, 6.36.4: the parameter data of one command */
static void report_one(struct dw_cmd *c, const struct dw_opcode *o, size_t alloc)
{
	uint8_t buf[32] = { 0 };
	size_t n = 4;

	if (!o || !dw_opcode_offered(c->lu, o)) {
		buf[1] = 1;
		dw_cmd_reply(c, buf, n, alloc);
		return;
	}
	buf[1] = 3;
	if (o->code == 0x04) /* SPC-5: MLU */
		buf[1] |= (uint8_t)(c->lu->conf.mlu << 5);
	buf[3] = o->cdb_len;
	usage(c, o, buf + 4);
	n += o->cdb_len;
	if (c->cdb[2] & 0x80) {
		buf[1] |= 0x80;
		be_put16(buf + n, 10);
		be_put32(buf + n + 4, told_seconds(c->lu, o));
		n += 12;
	}
	dw_cmd_reply(c, buf, n, alloc);
}

static void report_all(struct dw_cmd *c, size_t alloc)
{
	bool rctd = c->cdb[2] & 0x80;
	uint8_t buf[4 + 20 * N_OPS] = { 0 }, *p = buf + 4;
	size_t i;

	for (i = 0; i < N_OPS; i++) {
		if (!dw_opcode_offered(c->lu, &table[i]))
			continue;
		p[0] = table[i].code;
		p[5] = (uint8_t)((rctd ? 0x02 : 0) | (table[i].sa >= 0 ? 0x01 : 0));
		be_put16(p + 2, table[i].sa >= 0 ? (uint16_t)table[i].sa : 0);
		be_put16(p + 6, table[i].cdb_len);
		p += 8;
		if (rctd) {
			be_put16(p, 10);
			p += 12;
		}
	}
	be_put32(buf, (uint32_t)(p - buf - 4));
	dw_cmd_reply(c, buf, (size_t)(p - buf), alloc);
}

static const struct dw_opcode *asked(uint8_t code, uint16_t sa, bool with_sa)
{
	uint8_t cdb[16] = { code, (uint8_t)(sa & 0x1f) };
	const struct dw_opcode *o = dw_opcode_find(cdb);

	return o && with_sa && sa > 0x1f ? NULL : o;
}

static bool has_sa(uint8_t code)
{
	size_t i;

	for (i = 0; i < N_OPS; i++)
		if (table[i].code == code)
			return table[i].sa >= 0;
	return false;
}

/**
 * dw_run_rsoc - REPORT SUPPORTED OPERATION CODES (SPC-4, 6.36)
 * @c: command
 */
void dw_run_rsoc(struct dw_cmd *c)
{
	uint8_t option = c->cdb[2] & 0x07, code = c->cdb[3];
	uint16_t sa = be_get16(c->cdb + 4);
	size_t alloc = be_get32(c->cdb + 6);

	switch (option) {
	case 0:
		report_all(c, alloc);
		break;
	case 1:
		if (has_sa(code))
			dw_cmd_field(c, 2);
		else
			report_one(c, asked(code, 0, false), alloc);
		break;
	case 2:
		if (!has_sa(code))
			dw_cmd_field(c, 2);
		else
			report_one(c, asked(code, sa, true), alloc);
		break;
	case 3:
		if (!has_sa(code) && sa)
			report_one(c, NULL, alloc);
		else
			report_one(c, asked(code, sa, has_sa(code)), alloc);
		break;
	default:
		dw_cmd_field(c, 2);
	}
}

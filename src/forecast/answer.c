/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parameter data of a simulated disk: as much as identification asks for, so that the same
 * sequence that looks at a disk after a reset looks at this one.
 */
#include <stdio.h>
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/cdb.h"
#include "scsi/sense.h"
#include "scsi/vpd.h"
#include "forecast/world.h"

#define ROOM 96

void sim_answer_names(const struct station_disk *s, uint32_t unit, char serial[24],
		      char wwn[24])
{
	snprintf(serial, 24, "SIM%08u", unit + 1);
	snprintf(wwn, 24, "0x3000000%09x", unit + 1);
}

/* an ASCII field, padded with blanks */
static void put_field(uint8_t *to, const char *text, size_t size)
{
	size_t n = strlen(text);

	memset(to, ' ', size);
	memcpy(to, text, n < size ? n : size);
}

static uint32_t standard(const struct sim_disk *d, uint8_t *p)
{
	p[2] = 6; /* SPC-4 */
	p[3] = 2;
	p[4] = 31;
	p[7] = 2;
	put_field(p + 8, d->spec->vendor, 8);
	put_field(p + 16, d->spec->model, 16);
	put_field(p + 32, "1", 4);
	return 36;
}

/* VPD 80h and 83h with one NAA designator; 0 = there is no such page */
static uint32_t page(const struct sim_disk *d, uint8_t code, uint8_t *p)
{
	char serial[24], wwn[24];

	sim_answer_names(d->spec, d->unit, serial, wwn);
	p[1] = code;
	if (code == DW_VPD_SERIAL) {
		p[3] = (uint8_t)strlen(serial);
		memcpy(p + 4, serial, p[3]);
		return 4u + p[3];
	}
	if (code != DW_VPD_DESIGNATORS)
		return 0;
	p[3] = 12;
	p[4] = 1;
	p[5] = 3;
	p[7] = 8;
	dw_put_be64(p + 8, (UINT64_C(3) << 60) + d->unit + 1);
	return 16;
}

static uint32_t capacity16(const struct sim_disk *d, uint8_t *p)
{
	dw_put_be64(p, d->spec->blocks - 1);
	dw_put_be32(p + 8, (uint32_t)d->spec->sector);
	p[13] = (uint8_t)__builtin_ctzll(d->spec->physical / d->spec->sector);
	return 32;
}

static uint32_t capacity10(const struct sim_disk *d, uint8_t *p)
{
	dw_put_be32(p, (uint32_t)dw_min_u64(d->spec->blocks - 1, UINT32_MAX));
	dw_put_be32(p + 4, (uint32_t)d->spec->sector);
	return 8;
}

static uint32_t data_for(const struct sim_disk *d, const uint8_t *cdb, uint8_t *p)
{
	switch (cdb[0]) {
	case DW_OPCODE_INQUIRY:
		return cdb[1] & 1 ? page(d, cdb[2], p) : standard(d, p);
	case DW_OPCODE_READ_CAPACITY_10:
		return capacity10(d, p);
	case DW_OPCODE_SERVICE_ACTION_IN_16:
		return (cdb[1] & 0x1f) == DW_SA_READ_CAPACITY_16 ? capacity16(d, p) : 0;
	default:
		return 0;
	}
}

void sim_answer(const struct sim_world *w, const struct sim_disk *d, struct sim_op *o)
{
	uint8_t data[ROOM] = { 0 };
	struct dw_cmd *cmd = o->cmd;
	uint32_t n;

	if (cmd->cdb[0] == DW_OPCODE_TEST_UNIT_READY ||
	    cmd->cdb[0] == DW_OPCODE_START_STOP_UNIT)
		return;
	n = data_for(d, cmd->cdb, data);
	if (!n) {
		sim_fault_sense(o, DW_KEY_ILLEGAL_REQUEST,
				cmd->cdb[0] == DW_OPCODE_INQUIRY ? 0x24 : 0x20, 0);
		return;
	}
	n = (uint32_t)dw_min_u64(n, cmd->data_len);
	memcpy(cmd->data, data, n);
	o->resid = (int32_t)(cmd->data_len - n);
}

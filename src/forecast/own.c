/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A disk that erases itself needs its medium alone, in the time that it states. It answers
 * questions meanwhile, and no command that needs the medium. A reset changes nothing about that
 * work; a block that cannot be written lets it end badly.
 */
#include <string.h>

#include "base/be.h"
#include "scsi/cdb.h"
#include "scsi/sense.h"
#include "forecast/world.h"

#define SENSE_LEN      18
#define SERVICE_ACTION 0x1f

static uint64_t seen(const struct sim_world *w)
{
	return w->now_ns + w->leapt_ns;
}

static bool ends_well(const struct sim_disk *d)
{
	for (uint32_t i = 0; i < d->spec->n_faults; i++)
		if (d->spec->fault[i].kind == STATION_UNWRITABLE)
			return false;
	return true;
}

bool sim_own_work(const struct sim_world *w, struct sim_disk *d)
{
	if (!d->own_until_ns)
		return false;
	if (seen(w) < d->own_until_ns)
		return true;
	d->own_until_ns = 0;
	d->own_failed = !ends_well(d);
	return false;
}

/* @action: byte 1 of SANITIZE (SBC) */
static uint64_t own_ns(const struct station_disk *s, uint8_t action)
{
	switch (action & SERVICE_ACTION) {
	case DW_SA_SANITIZE_BLOCK_ERASE:
		return s->block_erase_ns;
	case DW_SA_SANITIZE_CRYPTO_ERASE:
		return s->crypto_erase_ns;
	default:
		return s->sanitize_ns;
	}
}

void sim_own_command(const struct sim_world *w, struct sim_disk *d,
		     const struct dw_cmd *cmd)
{
	if (sim_own_work(w, d) || cmd->cdb[0] != DW_OPCODE_SANITIZE)
		return;
	d->own_begun_ns = seen(w);
	d->own_until_ns = d->own_begun_ns + own_ns(d->spec, cmd->cdb[1]);
	d->own_failed = false;
	d->own_count++;
}

/* fixed format; progress is there while it works (SPC) */
static void put_sense(uint8_t *data, uint8_t key, uint8_t asc, uint8_t ascq)
{
	memset(data, 0, SENSE_LEN);
	data[0] = 0x70;
	data[2] = key;
	data[7] = SENSE_LEN - 8;
	data[12] = asc;
	data[13] = ascq;
}

void sim_own_answer(const struct sim_world *w, struct sim_disk *d,
		    struct dw_completion *ret)
{
	uint8_t *data = ret->cmd->data;
	double part;

	if (ret->cmd->cdb[0] != DW_OPCODE_REQUEST_SENSE)
		return;
	ret->resid = (int32_t)ret->cmd->data_len - SENSE_LEN;
	if (sim_own_work(w, d)) {
		part = (double)(seen(w) - d->own_begun_ns) /
		       (double)(d->own_until_ns - d->own_begun_ns);
		put_sense(data, DW_KEY_NOT_READY, 0x04, 0x1b);
		data[15] = 0x80; /* SKSV */
		dw_put_be16(data + 16, (uint16_t)(UINT16_MAX * part));
	} else if (d->own_failed) {
		put_sense(data, DW_KEY_MEDIUM_ERROR, 0x31, 0x03);
	} else {
		put_sense(data, DW_KEY_NO_SENSE, 0, 0);
	}
}

uint64_t sim_own_left(const struct sim_world *w, const struct sim_disk *d)
{
	return d->own_until_ns > seen(w) ? d->own_until_ns - seen(w) : UINT64_MAX;
}

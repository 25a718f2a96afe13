/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What goes wrong. A command may meet a bad block, a pending unit attention or bad luck; a
 * disk may hang, be reset, become slow or leave at a time that the station names. How it shows
 * is what a host sees: sense data, a host status, or nothing until the timeout.
 */
#include <math.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/sense.h"
#include "forecast/leap.h"
#include "forecast/world.h"

#define CHECK_CONDITION   0x02
#define TASK_SET_FULL     0x28
#define DID_NO_CONNECT    0x01
#define DID_RESET         0x08
#define BAD_BLOCK_RETRIES 8 /* revolutions, or ms, until a disk gives up */
#define RESET_NS          (500 * DW_NS_PER_MS)

void sim_fault_sense(struct sim_op *o, uint8_t key, uint8_t asc, uint8_t ascq)
{
	o->status = CHECK_CONDITION;
	o->key = key;
	o->asc = asc;
	o->ascq = ascq;
	o->resid = (int32_t)dw_min_u64(o->cmd->data_len, INT32_MAX);
}

/* descriptor format, with the information descriptor where a block is named (SPC) */
uint32_t sim_fault_put_sense(const struct sim_op *o, uint8_t *sense)
{
	if (o->status != CHECK_CONDITION)
		return 0;
	sense[0] = 0x72;
	sense[1] = o->key;
	sense[2] = o->asc;
	sense[3] = o->ascq;
	if (!o->info)
		return 8;
	sense[7] = 12;
	sense[9] = 10;
	sense[10] = 0x80;
	dw_put_be64(sense + 12, o->info_lba);
	return 20;
}

static bool reads(const struct sim_op *o)
{
	return o->kind == SIM_READ || o->kind == SIM_COMPARE;
}

/* the first block of the op that is bad for it; false = none */
static bool bad_block(const struct sim_disk *d, const struct sim_op *o, uint64_t *ret)
{
	uint8_t kind = reads(o) ? STATION_UNREADABLE : STATION_UNWRITABLE;
	bool found = false;

	for (uint32_t i = 0; i < d->spec->n_faults; i++) {
		const struct station_fault *f = &d->spec->fault[i];
		uint64_t at = dw_max_u64(f->lba, o->lba);

		if (f->kind != kind || at >= f->lba + f->nlb || at >= o->lba + o->nlb)
			continue;
		*ret = found ? dw_min_u64(*ret, at) : at;
		found = true;
	}
	return found;
}

/* a chance of p for each command: a geometric number of them go well before */
void sim_fault_draw(struct sim_disk *d)
{
	double n = log1p(-dw_rng_unit(&d->rng)) / log1p(-d->chance);

	d->luck = n < 1e18 ? 1 + (uint64_t)n : UINT64_MAX;
}

/* the command meets a transient error */
static bool bad_luck(struct sim_disk *d)
{
	if (d->chance <= 0 || --d->luck)
		return false;
	sim_fault_draw(d);
	return true;
}

bool sim_fault_command(struct sim_world *w, struct sim_disk *d, struct sim_op *o)
{
	struct sim_arm *a;

	if (d->gone) {
		o->host_status = DID_NO_CONNECT;
		o->err = w->gone_err;
		return true;
	}
	if (d->at > d->spec->tagged) {
		o->status = TASK_SET_FULL;
		o->resid = (int32_t)dw_min_u64(o->cmd->data_len, INT32_MAX);
		return true;
	}
	/* INQUIRY is answered in any state (SPC) */
	if (d->attention && o->cmd->cdb[0] != 0x12) {
		d->attention = false;
		sim_fault_sense(o, DW_KEY_UNIT_ATTENTION, 0x29, 0x02);
		return true;
	}
	if (o->kind != SIM_OWN && o->cmd->cdb[0] != 0x12 && sim_own_work(w, d)) {
		sim_fault_sense(o, DW_KEY_NOT_READY, 0x04, 0x1b);
		return true;
	}
	if (!d->spec->n_faults || !o->nlb)
		return false;
	if (bad_luck(d)) {
		sim_fault_sense(o, DW_KEY_ABORTED_COMMAND, 0x47, 0x00);
		return true;
	}
	if (!bad_block(d, o, &o->info_lba))
		return false;
	o->info = true;
	sim_fault_sense(o, DW_KEY_MEDIUM_ERROR, reads(o) ? 0x11 : 0x0c, 0x00);
	a = sim_disk_arm(d, o->lba);
	a->media_free_ns =
		dw_max_u64(a->media_free_ns, w->now_ns) +
		(uint64_t)(BAD_BLOCK_RETRIES * (d->rev_ns > 0 ? d->rev_ns : 1e6));
	return true;
}

/* all that is at the disk ends now, the same way */
static void drop_all(struct sim_world *w, uint32_t disk, uint16_t host_status)
{
	struct sim_disk *d = &w->disk[disk];

	while (sim_list_take(w, &d->pending) != SIM_NONE)
		;
	d->moving = SIM_NONE;
	for (uint32_t i = 0; i < w->n_ops; i++) {
		struct sim_op *o = &w->op[i];

		if (!o->cmd || o->disk != disk || !o->out || o->phase == SIM_READY ||
		    o->phase == SIM_HELD)
			continue;
		o->status = 0;
		o->host_status = host_status;
		o->err = d->gone ? w->gone_err : 0;
		sim_event(w, i, w->now_ns, SIM_DONE);
	}
}

static void reset(struct sim_world *w, struct sim_disk *d)
{
	drop_all(w, d->unit, DID_RESET);
	d->attention = true;
	d->stalled_ns = 0;
	for (uint32_t i = 0; i < d->arms; i++)
		d->arm[i] = (struct sim_arm){ .media_free_ns = w->now_ns + RESET_NS };
	d->cache = d->spec->cache; /* the saved mode page */
	if (w->observer.reset)
		w->observer.reset(w->observer.ctx, d->unit);
}

void sim_disk_pull(struct sim_world *w, uint32_t unit)
{
	w->disk[unit].gone = true;
	w->moves++;
	drop_all(w, unit, DID_NO_CONNECT);
}

void sim_disk_insert(struct sim_world *w, uint32_t unit)
{
	struct sim_disk *d = &w->disk[unit];

	d->gone = false;
	d->own_until_ns = 0; /* the power was off */
	w->moves++;
	reset(w, d);
}

void sim_fault_happen(struct sim_world *w, uint32_t disk, uint32_t fault)
{
	struct sim_disk *d = &w->disk[disk];
	const struct station_fault *f = &d->spec->fault[fault];

	if (d->gone)
		return;
	if (w->leap)
		sim_leap_disturbed(w);
	switch ((enum station_fault_kind)f->kind) {
	case STATION_STALL:
		d->stalled_ns = w->now_ns + f->for_ns;
		sim_disk_hold(d, w->now_ns, f->for_ns);
		break;
	case STATION_RESET:
		reset(w, d);
		break;
	case STATION_REMOVE:
		sim_disk_pull(w, disk);
		break;
	case STATION_SLOW:
		d->slow = f->share;
		break;
	case STATION_ABORT:
	case STATION_UNWRITABLE:
	case STATION_UNREADABLE:
		break;
	}
}

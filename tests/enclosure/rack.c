/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ports, logical units and what may happen to them from outside: resets, disks
 * pulled and put back, ports that suddenly lead to another disk. Several ports
 * may lead to one logical unit. Unit attentions belong to a port, since the guest
 * is one initiator and each port therefore one I_T nexus.
 */
#include "rack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/virtio_scsi.h>

/**
 * dw_rack_init - an empty enclosure with default settings
 * @r: enclosure to fill
 */
void dw_rack_init(struct dw_rack *r)
{
	memset(r, 0, sizeof(*r));
	r->conf = (struct dw_rack_conf){ .id = 1,
					 .seed = 1,
					 .max_sectors = 0xffff,
					 .seg_max = 126,
					 .cmd_per_lun = 64,
					 .queues = 1 };
}

/**
 * dw_rack_pace - take over the timing of a disk's present settings
 * @r: enclosure
 * @lu: disk whose cache or rate may have changed
 */
void dw_rack_pace(struct dw_rack *r, struct dw_lu *lu)
{
	struct dw_model_disk *d = &r->media[lu->id];
	const struct dw_lu_conf *c = &lu->conf;

	d->capacity_bytes = dw_lu_bytes(lu);
	d->cache_on = lu->device->mode.wce;
	if (r->conf.fast)
		return;
	d->outer_bps = c->rate_bps;
	d->inner_bps = c->inner_bps;
	d->rev_ns = c->rpm > 1 && c->rate_bps ? 60000000000u / c->rpm : 0;
	d->seek_ns = c->seek_us * 1000;
	d->overhead_ns = c->overhead_us * 1000;
	d->cache_bytes = c->cache_bytes;
	d->slow_permille = (uint32_t)c->slow_permille;
}

static int start_lu(struct dw_rack *r, unsigned int i, int dir_fd)
{
	const struct dw_lu_conf *c = &r->lu_conf[i];
	struct dw_lu *lu = calloc(1, sizeof(*lu));
	int e;

	if (!lu)
		return -ENOMEM;
	r->lu[i] = lu;
	e = dw_lu_init(lu, c, i, dir_fd);
	if (e)
		return e;
	lu->ready_ns = r->start_ns + c->ready_ms * 1000000;
	dw_rack_pace(r, lu);
	return 0;
}

/**
 * dw_rack_lun - the number of a logical unit at its target
 * @r: enclosure
 * @port: of the logical unit
 *
 * Return: 0, or from 1 on for those that are a further one of another's target.
 */
unsigned int dw_rack_lun(const struct dw_rack *r, unsigned int port)
{
	int target = r->lu_conf[port].lun_of;
	unsigned int i, n = target >= 0;

	for (i = 0; i < port && target >= 0; i++)
		n += r->configured[i] && r->lu_conf[i].lun_of == target;
	return n;
}

/**
 * dw_rack_route - the logical unit that an address of the guest means
 * @r: enclosure
 * @lun: 1, target, and the logical unit in two bytes (virtio 1.1, 5.6.6.1)
 *
 * Return: its port; of a logical unit that is not there that of the target; NULL without a
 * target.
 */
struct dw_port *dw_rack_route(struct dw_rack *r, const uint8_t lun[8])
{
	unsigned int id = lun[1], n = (lun[2] << 8 | lun[3]) & 0x3fff, i;

	if (lun[0] != 1 || id >= DW_PORTS_MAX ||
	    (r->configured[id] && r->lu_conf[id].lun_of >= 0))
		return NULL;
	for (i = id + 1; i < DW_PORTS_MAX && n; i++)
		if (r->configured[i] && r->lu_conf[i].lun_of == (int)id &&
		    dw_rack_lun(r, i) == n)
			return &r->port[i];
	return &r->port[id];
}

/**
 * dw_rack_flush - what the caches of a device's logical units hold goes to the medium
 * @r: enclosure
 * @lu: one of them
 *
 * Return: 0 or a negative errno.
 */
int dw_rack_flush(struct dw_rack *r, const struct dw_lu *lu)
{
	unsigned int i;
	int e = 0;

	for (i = 0; i < DW_PORTS_MAX && !e; i++)
		if (r->lu[i] && r->lu[i]->device == lu->device)
			e = dw_lu_sync(r->lu[i], 0, dw_lu_bytes(r->lu[i]));
	return e;
}

/**
 * dw_rack_mode - the mode parameters of a device have changed
 * @r: enclosure
 * @lu: the logical unit that was told
 * @except: the port that knows
 */
void dw_rack_mode(struct dw_rack *r, struct dw_lu *lu, int except)
{
	unsigned int i;

	for (i = 0; i < DW_PORTS_MAX; i++) {
		if (!r->lu[i] || r->lu[i]->device != lu->device)
			continue;
		dw_rack_pace(r, r->lu[i]);
		dw_rack_ua(r, r->lu[i], ASC_MODE_CHANGED, except);
	}
}

/**
 * dw_rack_load - commands that a device has
 * @r: enclosure
 * @lu: one of its logical units
 *
 * Return: how many.
 */
uint64_t dw_rack_load(const struct dw_rack *r, const struct dw_lu *lu)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < r->n_ports; i++)
		if (r->port[i].lu && r->port[i].lu->device == lu->device)
			n += r->port[i].in_flight;
	return n;
}

static int start_port(struct dw_rack *r, unsigned int i, int dir_fd)
{
	struct dw_port *p = &r->port[i];
	int same = r->lu_conf[i].same_as, target = r->lu_conf[i].lun_of, e = 0;

	if (target >= (int)i || (target >= 0 && (!r->configured[target] || same >= 0 ||
						 r->lu_conf[target].lun_of >= 0)))
		return -EINVAL;
	if (same < 0)
		e = start_lu(r, i, dir_fd);
	else if (same >= (int)i || !r->lu[same])
		return -EINVAL; /* the logical unit comes first */
	if (e)
		return e;
	p->lu = r->lu[same < 0 ? (int)i : same];
	if (target >= 0 && r->lu_conf[i].shares)
		p->lu->device = r->lu[target];
	p->rel_port = same < 0 ? 1 : i - (unsigned int)same + 1;
	p->gone = !r->lu_conf[i].present;
	dw_port_ua(p, ASC_POWER_ON);
	return 0;
}

/**
 * dw_rack_start - power on what has been configured
 * @r: enclosure
 * @dir_fd: folder for the media, borrowed; -1 for memory
 * @now_ns: time
 *
 * Return: 0 or a negative errno; -EINVAL when same_as or lun_of names no earlier disk.
 */
int dw_rack_start(struct dw_rack *r, int dir_fd, uint64_t now_ns)
{
	struct dw_model_conf m = { 0 };
	unsigned int i;
	int e = 0;

	r->start_ns = r->now_ns = now_ns;
	r->faults.rng = r->conf.seed;
	if (!r->conf.fast)
		m = (struct dw_model_conf){ .bus_bps = r->conf.bus_bps,
					    .bus_cmd_ns = r->conf.bus_cmd_us * 1000,
					    .bus_retry = r->conf.bus_retry,
					    .buffer_bytes = r->conf.buffer_bytes,
					    .overflow_ns = r->conf.overflow_us * 1000 };
	dw_model_init(&r->model, &m, r->media, DW_PORTS_MAX);
	for (i = 0; i < DW_PORTS_MAX; i++) {
		r->port[i].id = i;
		if (!r->configured[i])
			continue;
		r->n_ports = i + 1;
		if (!e)
			e = start_port(r, i, dir_fd);
	}
	return e;
}

/**
 * dw_rack_drop - forget all commands under way, without an answer
 * @r: enclosure
 *
 * For a guest that is no longer there; the done callback still runs, so that
 * the owner can free its tasks.
 */
void dw_rack_drop(struct dw_rack *r)
{
	unsigned int i;

	for (i = 0; i < DW_PORTS_MAX; i++)
		dw_rack_abort(r, i, 0, false);
}

/**
 * dw_rack_deinit - power off
 * @r: enclosure; no command may be under way
 */
void dw_rack_deinit(struct dw_rack *r)
{
	unsigned int i;

	for (i = 0; i < DW_PORTS_MAX; i++) {
		if (!r->lu[i])
			continue;
		dw_firmware_look(r, r->lu[i]);
		dw_lu_deinit(r->lu[i], r->conf.keep_cache);
		free(r->lu[i]);
		r->lu[i] = NULL;
	}
	dw_faults_deinit(&r->faults);
	dw_model_deinit(&r->model);
}

static void unlink_task(struct dw_rack *r, struct dw_task *t)
{
	if (t->prev)
		t->prev->next = t->next;
	else
		r->tasks = t->next;
	if (t->next)
		t->next->prev = t->prev;
	r->port[t->port].in_flight--;
	r->port[t->port].polls -= dw_task_is_poll(t);
	r->in_flight--;
}

/**
 * dw_rack_finish - answer a command
 * @r: enclosure
 * @t: command, no longer in the timing model; its owner's from here on
 */
void dw_rack_finish(struct dw_rack *r, struct dw_task *t)
{
	unlink_task(r, t);
	t->done(t, t->arg);
}

/**
 * dw_rack_next - when dw_rack_advance() has something to do
 * @r: enclosure
 *
 * Return: time in ns, UINT64_MAX for not before another command comes.
 */
uint64_t dw_rack_next(const struct dw_rack *r)
{
	return dw_model_next(&r->model);
}

/**
 * dw_rack_advance - answer the commands that have ended
 * @r: enclosure
 * @now_ns: time
 */
void dw_rack_advance(struct dw_rack *r, uint64_t now_ns)
{
	struct dw_model_op *op;

	r->now_ns = now_ns;
	while ((op = dw_model_pop(&r->model, now_ns)))
		dw_rack_finish(r, op->cookie);
}

static void kill_task(struct dw_rack *r, struct dw_task *t, uint8_t response)
{
	dw_model_cancel(&r->model, &t->op, r->now_ns);
	t->response = response;
	t->status = 0;
	t->sense_len = 0;
	t->resid = (uint32_t)(t->in_len ? t->in_len : t->out_len);
	r->port[t->port].stats.aborted++;
	dw_rack_finish(r, t);
}

static bool kill_all(struct dw_rack *r, const struct dw_port *p, const struct dw_lu *lu,
		     uint8_t response)
{
	struct dw_task *t, *next;
	bool any = false;

	for (t = r->tasks; t; t = next) {
		next = t->next;
		if (p ? t->port != p->id : r->port[t->port].lu != lu)
			continue;
		kill_task(r, t, response);
		any = true;
	}
	return any;
}

/**
 * dw_rack_abort - end commands of a port as aborted
 * @r: enclosure
 * @port: number
 * @tag: of the command, if @by_tag
 * @by_tag: that one only, else all
 *
 * Return: whether there were any.
 */
bool dw_rack_abort(struct dw_rack *r, unsigned int port, uint64_t tag, bool by_tag)
{
	struct dw_task *t;

	if (!by_tag)
		return kill_all(r, &r->port[port], NULL, VIRTIO_SCSI_S_ABORTED);
	for (t = r->tasks; t; t = t->next) {
		if (t->port != port || t->tag != tag)
			continue;
		kill_task(r, t, VIRTIO_SCSI_S_ABORTED);
		return true;
	}
	return false;
}

/**
 * dw_rack_let_go - end commands now as they would have ended later
 * @r: enclosure
 * @port: number; -1 for all
 * @by: those that are held by this
 */
void dw_rack_let_go(struct dw_rack *r, int port, enum dw_holder by)
{
	for (struct dw_task *t = r->tasks; t; t = t->next)
		if (t->held_by == by && (port < 0 || t->port == (unsigned int)port))
			dw_model_let_go(&r->model, &t->op, r->now_ns);
}

/**
 * dw_port_ua - queue a unit attention for one port
 * @p: port
 * @asc: ASC and ASCQ; 0 for none; dropped when it is queued already
 */
void dw_port_ua(struct dw_port *p, uint16_t asc)
{
	size_t i;

	for (i = 0; i < p->n_ua; i++)
		if (p->ua[i] == asc)
			return;
	if (!asc || p->n_ua == DW_UA_MAX)
		return;
	p->ua[p->n_ua++] = asc;
}

/**
 * dw_rack_ua - queue a unit attention on all ports of a logical unit
 * @r: enclosure
 * @lu: logical unit
 * @asc: ASC and ASCQ; 0 for none
 * @except: port that caused it and hears nothing, or -1
 */
void dw_rack_ua(struct dw_rack *r, const struct dw_lu *lu, uint16_t asc, int except)
{
	unsigned int i;

	for (i = 0; i < r->n_ports; i++)
		if (r->port[i].lu == lu && (int)i != except)
			dw_port_ua(&r->port[i], asc);
}

/**
 * dw_rack_reset - a logical unit is reset
 * @r: enclosure
 * @lu: logical unit
 * @lose: its volatile cache goes too, as with a loss of power
 * @asc: unit attention afterwards, 0 for none
 *
 * Commands under way end with the response "reset".
 */
void dw_rack_reset(struct dw_rack *r, struct dw_lu *lu, bool lose, uint16_t asc)
{
	unsigned int i;

	kill_all(r, NULL, lu, VIRTIO_SCSI_S_RESET);
	if (lose)
		dw_lu_lose(lu);
	lu->device->mode = lu->device->saved;
	dw_rack_pace(r, lu);
	for (i = 0; i < r->n_ports; i++) /* a reset clears older attentions */
		if (r->port[i].lu == lu && asc)
			r->port[i].n_ua = 0;
	dw_rack_ua(r, lu, asc, -1);
}

static bool powered(const struct dw_rack *r, const struct dw_lu *lu)
{
	unsigned int i;

	for (i = 0; i < r->n_ports; i++)
		if (r->port[i].lu == lu && !r->port[i].gone)
			return true;
	return false;
}

static void tell(struct dw_rack *r, enum dw_event event, unsigned int port, uint16_t asc)
{
	if (r->event)
		r->event(r->event_arg, event, port, asc);
}

/**
 * dw_rack_gone - a disk is pulled
 * @r: enclosure
 * @port: number
 * @quiet: the HBA does not notice by itself
 */
void dw_rack_gone(struct dw_rack *r, unsigned int port, bool quiet)
{
	struct dw_port *p = &r->port[port];

	if (!p->lu || p->gone)
		return;
	p->gone = true;
	kill_all(r, p, NULL, VIRTIO_SCSI_S_BAD_TARGET);
	if (!powered(r, p->lu)) {
		dw_firmware_cut(r, p->lu);
		dw_lu_lose(p->lu);
	}
	if (!quiet)
		tell(r, DW_EVENT_REMOVED, port, 0);
}

/**
 * dw_rack_back - the disk is put back, powered on again
 * @r: enclosure
 * @port: number
 * @quiet: the HBA does not notice by itself
 */
void dw_rack_back(struct dw_rack *r, unsigned int port, bool quiet)
{
	struct dw_port *p = &r->port[port];

	if (!p->lu || !p->gone)
		return;
	if (!powered(r, p->lu))
		dw_firmware_power(r, p->lu);
	p->gone = false;
	p->n_ua = 0;
	dw_port_ua(p, ASC_POWER_ON);
	p->lu->device->stopped = p->lu->conf.stopped;
	p->lu->ready_ns = r->now_ns + p->lu->conf.ready_ms * 1000000;
	if (!quiet)
		tell(r, DW_EVENT_ARRIVED, port, 0);
}

/**
 * dw_rack_swap - two ports exchange their disks
 * @r: enclosure
 * @a: a port
 * @b: the other
 * @asc: unit attention on both, 0 for none
 *
 * Commands under way have already reached the disk they were sent to.
 */
void dw_rack_swap(struct dw_rack *r, unsigned int a, unsigned int b, uint16_t asc)
{
	struct dw_lu *lu = r->port[a].lu;

	r->port[a].lu = r->port[b].lu;
	r->port[b].lu = lu;
	dw_port_ua(&r->port[a], asc);
	dw_port_ua(&r->port[b], asc);
}

/**
 * dw_rack_resize - a disk suddenly has another capacity
 * @r: enclosure
 * @port: number
 * @blocks: new capacity in logical blocks, not 0
 * @quiet: no unit attention and no event
 *
 * Return: 0 or a negative errno.
 */
int dw_rack_resize(struct dw_rack *r, unsigned int port, uint64_t blocks, bool quiet)
{
	struct dw_lu *lu = r->port[port].lu;
	int e;

	if (!lu || !blocks)
		return -EINVAL;
	e = dw_lu_resize(lu, blocks);
	if (e)
		return e;
	dw_rack_pace(r, lu);
	if (quiet)
		return 0;
	dw_rack_ua(r, lu, ASC_CAPACITY_CHANGED, -1);
	tell(r, DW_EVENT_PARAM, port, ASC_CAPACITY_CHANGED);
	return 0;
}

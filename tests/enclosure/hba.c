/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The virtio-scsi device (virtio 1.1, clause 5.6): requests become commands of
 * the enclosure and their answers used buffers; task management and hot-plug
 * events have rings of their own. An event that finds no buffer waits for one.
 */
#include "hba.h"

#include "be.h"
#include "loop.h"

#include <stdlib.h>
#include <string.h>
#include <linux/virtio_config.h>
#include <linux/virtio_scsi.h>

enum { Q_CONTROL, Q_EVENT, Q_REQUEST };

/* one request of the guest, while the enclosure has it */
struct request {
	struct dw_task task;
	struct dw_hba *hba;
	struct dw_vring *q;
	struct dw_iov resp;
	uint16_t head;
	struct iovec v[];
};

/**
 * dw_hba_features - virtio feature bits on offer
 *
 * Return: bits.
 */
uint64_t dw_hba_features(void)
{
	return 1ull << VIRTIO_F_VERSION_1 | 1ull << VIRTIO_RING_F_INDIRECT_DESC |
	       1ull << VIRTIO_RING_F_EVENT_IDX | 1ull << VIRTIO_SCSI_F_HOTPLUG |
	       1ull << VIRTIO_SCSI_F_CHANGE;
}

/**
 * dw_hba_config - the device's configuration space
 * @h: device
 * @buf: where to
 * @len: bytes; what is beyond the structure is zeroed
 */
void dw_hba_config(const struct dw_hba *h, uint8_t *buf, size_t len)
{
	const struct dw_rack_conf *c = &h->rack->conf;
	struct virtio_scsi_config conf = {
		.num_queues = (uint32_t)c->queues,
		.seg_max = (uint32_t)c->seg_max,
		.max_sectors = (uint32_t)c->max_sectors,
		.cmd_per_lun = (uint32_t)c->cmd_per_lun,
		.event_info_size = sizeof(struct virtio_scsi_event),
		.sense_size = VIRTIO_SCSI_SENSE_DEFAULT_SIZE,
		.cdb_size = VIRTIO_SCSI_CDB_DEFAULT_SIZE,
		.max_lun = DW_PORTS_MAX,
		.max_target = (uint16_t)(h->rack->n_ports ? h->rack->n_ports - 1 : 0),
	};

	memset(buf, 0, len);
	memcpy(buf, &conf, len < sizeof(conf) ? len : sizeof(conf));
}

static void answer(struct dw_task *t, void *arg)
{
	struct request *q = arg;
	struct virtio_scsi_cmd_resp resp = {
		.sense_len = (uint32_t)t->sense_len,
		.resid = t->resid,
		.status = t->status,
		.response = t->response,
	};
	size_t data = t->in_len > t->resid ? t->in_len - t->resid : 0;

	memcpy(resp.sense, t->sense, t->sense_len);
	dw_iov_copy_out(&q->resp, &resp, sizeof(resp));
	dw_vring_push(q->q, q->head, (uint32_t)(sizeof(resp) + data));
	free(q);
}

static void request(struct dw_hba *h, struct dw_vring *ring, const struct dw_chain *c,
		    uint64_t now_ns)
{
	size_t n = c->n_out + c->n_in;
	struct request *q = calloc(1, sizeof(*q) + n * sizeof(q->v[0]));
	struct virtio_scsi_cmd_req req;
	struct dw_iov out;

	if (!q) {
		dw_vring_push(ring, c->head, 0);
		return;
	}
	memcpy(q->v, c->v, n * sizeof(q->v[0]));
	q->hba = h;
	q->q = ring;
	q->head = c->head;
	out = (struct dw_iov){ .v = q->v, .n = c->n_out };
	q->resp = (struct dw_iov){ .v = q->v + c->n_out, .n = c->n_in };
	if (c->in_len < sizeof(struct virtio_scsi_cmd_resp) ||
	    dw_iov_copy_in(&out, &req, sizeof(req)) < sizeof(req)) {
		dw_vring_push(ring, c->head, 0);
		free(q);
		return;
	}
	memcpy(q->task.lun, req.lun, sizeof(req.lun));
	q->task.tag = req.tag;
	memcpy(q->task.cdb, req.cdb, sizeof(q->task.cdb));
	q->task.out = out;
	q->task.out_len = c->out_len - sizeof(req);
	q->task.in = q->resp;
	dw_iov_skip(&q->task.in, sizeof(struct virtio_scsi_cmd_resp));
	q->task.in_len = c->in_len - sizeof(struct virtio_scsi_cmd_resp);
	q->task.done = answer;
	q->task.arg = q;
	dw_rack_submit(h->rack, &q->task, now_ns);
}

static bool query(const struct dw_rack *r, unsigned int port, uint64_t tag, bool by_tag)
{
	const struct dw_task *t;

	for (t = r->tasks; t; t = t->next)
		if (t->port == port && (!by_tag || t->tag == tag))
			return true;
	return false;
}

static uint8_t manage(struct dw_rack *r, const struct virtio_scsi_ctrl_tmf_req *q)
{
	struct dw_port *p = dw_rack_route(r, q->lun);
	unsigned int id = p ? p->id : 0;

	if (!p || !p->lu || p->gone)
		return VIRTIO_SCSI_S_BAD_TARGET;
	if ((be_get16(q->lun + 2) & 0x3fff) != dw_rack_lun(r, id))
		return VIRTIO_SCSI_S_INCORRECT_LUN;
	switch (q->subtype) {
	case VIRTIO_SCSI_T_TMF_ABORT_TASK:
		dw_rack_abort(r, id, q->tag, true);
		return VIRTIO_SCSI_S_FUNCTION_SUCCEEDED;
	case VIRTIO_SCSI_T_TMF_ABORT_TASK_SET:
	case VIRTIO_SCSI_T_TMF_CLEAR_TASK_SET:
	case VIRTIO_SCSI_T_TMF_I_T_NEXUS_RESET:
		dw_rack_abort(r, id, 0, false);
		return VIRTIO_SCSI_S_FUNCTION_SUCCEEDED;
	case VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET:
		dw_rack_reset(r, p->lu, true, ASC_DEVICE_RESET);
		return VIRTIO_SCSI_S_FUNCTION_SUCCEEDED;
	case VIRTIO_SCSI_T_TMF_QUERY_TASK:
	case VIRTIO_SCSI_T_TMF_QUERY_TASK_SET:
		return query(r, id, q->tag, q->subtype == VIRTIO_SCSI_T_TMF_QUERY_TASK)
			       ? VIRTIO_SCSI_S_FUNCTION_SUCCEEDED
			       : VIRTIO_SCSI_S_OK;
	default:
		return VIRTIO_SCSI_S_FUNCTION_REJECTED;
	}
}

static void control(struct dw_hba *h, struct dw_vring *ring, const struct dw_chain *c)
{
	struct dw_iov out = { .v = c->v, .n = c->n_out };
	struct dw_iov in = { .v = c->v + c->n_out, .n = c->n_in };
	struct virtio_scsi_ctrl_tmf_req tmf = { 0 };
	struct virtio_scsi_ctrl_an_resp an = { 0 };
	size_t n = dw_iov_copy_in(&out, &tmf, sizeof(tmf));
	uint8_t response;

	if (n >= sizeof(tmf) && tmf.type == VIRTIO_SCSI_T_TMF) {
		response = manage(h->rack, &tmf);
		n = dw_iov_copy_out(&in, &response, 1);
	} else {
		n = dw_iov_copy_out(&in, &an, sizeof(an));
	}
	dw_vring_push(ring, c->head, (uint32_t)n);
}

static void fill_event(struct dw_hba *h, struct virtio_scsi_event *e)
{
	struct dw_hba_event w = h->waiting[0];
	unsigned int lun, target;

	memmove(h->waiting, h->waiting + 1, --h->n_waiting * sizeof(w));
	lun = dw_rack_lun(h->rack, w.port);
	target = lun ? (unsigned int)h->rack->lu_conf[w.port].lun_of : w.port;
	*e = (struct virtio_scsi_event){ .lun = { 1, (uint8_t)target, lun ? 0x40 : 0,
						  (uint8_t)lun } };
	if (w.event == DW_EVENT_PARAM) {
		e->event = VIRTIO_SCSI_T_PARAM_CHANGE;
		e->reason = w.asc >> 8 | (uint32_t)(w.asc & 0xff) << 8;
	} else {
		e->event = VIRTIO_SCSI_T_TRANSPORT_RESET;
		e->reason = w.event == DW_EVENT_REMOVED ? VIRTIO_SCSI_EVT_RESET_REMOVED
							: VIRTIO_SCSI_EVT_RESET_RESCAN;
	}
	if (h->missed)
		e->event |= VIRTIO_SCSI_T_EVENTS_MISSED;
	h->missed = false;
}

static void events(struct dw_hba *h)
{
	struct virtio_scsi_event e;

	while (h->n_waiting && dw_vring_pop(&h->q[Q_EVENT], &h->mem, &h->chain) == 1) {
		struct dw_iov in = { .v = h->chain.v + h->chain.n_out,
				     .n = h->chain.n_in };

		fill_event(h, &e);
		dw_vring_push(&h->q[Q_EVENT], h->chain.head,
			      (uint32_t)dw_iov_copy_out(&in, &e, sizeof(e)));
	}
}

static void on_event(void *arg, enum dw_event event, unsigned int port, uint16_t asc)
{
	struct dw_hba *h = arg;

	if (h->n_waiting == DW_HBA_EVENTS)
		h->missed = true;
	else
		h->waiting[h->n_waiting++] = (struct dw_hba_event){ event, port, asc };
	events(h);
}

/**
 * dw_hba_init - a device in front of an enclosure
 * @h: device to fill
 * @r: enclosure, borrowed
 */
void dw_hba_init(struct dw_hba *h, struct dw_rack *r)
{
	unsigned int i;

	memset(h, 0, sizeof(*h));
	h->rack = r;
	for (i = 0; i < DW_HBA_QUEUES; i++)
		h->q[i].enabled = true;
	r->event = on_event;
	r->event_arg = h;
}

/**
 * dw_hba_run - take what a ring holds
 * @h: device
 * @queue: number of the ring
 */
void dw_hba_run(struct dw_hba *h, unsigned int queue)
{
	struct dw_vring *q = &h->q[queue];

	if (queue == Q_EVENT) {
		events(h);
		return;
	}
	while (dw_vring_pop(q, &h->mem, &h->chain) == 1) {
		if (queue == Q_CONTROL)
			control(h, q, &h->chain);
		else
			request(h, q, &h->chain, dw_loop_now());
	}
}

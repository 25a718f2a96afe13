/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of a command through a port: is anything there, does the logical unit
 * exist, unit attention, is the command known, reservation, readiness, faults,
 * and then its own function. It is carried out on arrival; its answer waits
 * until the timing model says it has ended. That order of checks is SAM's and
 * SPC's: a queue that is full answers before a unit attention, and a unit
 * attention before everything that looks at the CDB.
 */
#include "cmd.h"

#include "be.h"

#include <stdlib.h>
#include <string.h>
#include <linux/virtio_scsi.h>

static uint32_t task_len(const struct dw_task *t)
{
	return (uint32_t)(t->in_len ? t->in_len : t->out_len);
}

/**
 * dw_cmd_sense - end a command with CHECK CONDITION
 * @c: command
 * @s: sense data
 */
void dw_cmd_sense(struct dw_cmd *c, const struct dw_sense *s)
{
	bool descriptor = c->lu && c->lu->device->mode.dsense;

	c->task->status = SAM_CHECK;
	c->task->sense_len = dw_sense_encode(s, descriptor, c->task->sense);
	c->port->stats.checks++;
	if (c->lu && s->key == KEY_MEDIUM && s->asc == ASC_WRITE_ERROR)
		c->lu->device->write_errors++;
	if (c->lu && s->key == KEY_MEDIUM && s->asc == ASC_READ_ERROR)
		c->lu->device->read_errors++;
}

/**
 * dw_cmd_check - end a command with CHECK CONDITION
 * @c: command
 * @key: sense key
 * @asc: ASC and ASCQ
 */
void dw_cmd_check(struct dw_cmd *c, enum dw_key key, uint16_t asc)
{
	dw_cmd_sense(c, &(struct dw_sense){ .key = (uint8_t)key, .asc = asc });
}

/**
 * dw_cmd_field - invalid field in CDB
 * @c: command
 * @byte: where
 */
void dw_cmd_field(struct dw_cmd *c, uint16_t byte)
{
	dw_cmd_sense(c, &(struct dw_sense){ .key = KEY_ILLEGAL,
					    .asc = ASC_CDB_FIELD,
					    .field_valid = true,
					    .field = byte });
}

/**
 * dw_cmd_list_field - invalid field in parameter list
 * @c: command
 * @byte: where
 */
void dw_cmd_list_field(struct dw_cmd *c, uint16_t byte)
{
	dw_cmd_sense(c, &(struct dw_sense){ .key = KEY_ILLEGAL,
					    .asc = ASC_LIST_FIELD,
					    .field_valid = true,
					    .field_in_list = true,
					    .field = byte });
}

static bool answering(const struct dw_cmd *c)
{
	return c->faulty && c->fault.kind == DW_FAULT_ANSWER;
}

static void deliver(struct dw_cmd *c, const void *buf, size_t n)
{
	n = dw_iov_copy_out(&c->task->in, buf, n);
	c->task->resid = (uint32_t)(task_len(c->task) - n);
	c->port->stats.bytes_in += n;
}

/**
 * dw_cmd_reply - parameter data to the guest
 * @c: command
 * @buf: data
 * @len: bytes of it
 * @alloc: ALLOCATION LENGTH; less is no error
 */
void dw_cmd_reply(struct dw_cmd *c, const void *buf, size_t len, size_t alloc)
{
	const struct dw_answer *a = answering(c) ? c->fault.answer : NULL;
	uint8_t *edited = NULL;

	if (a && (edited = malloc(len + a->len + 1))) {
		memcpy(edited, buf, len);
		len = dw_answer_edit(a, edited, len, len + a->len);
		buf = edited;
	}
	deliver(c, buf, len < alloc ? len : alloc);
	free(edited);
}

/**
 * dw_cmd_params - parameter list from the guest
 * @c: command; ended with an error when the list is short
 * @buf: where to
 * @want: PARAMETER LIST LENGTH
 *
 * Return: false when there were fewer bytes.
 */
bool dw_cmd_params(struct dw_cmd *c, void *buf, size_t want)
{
	size_t n = dw_iov_copy_in(&c->task->out, buf, want);

	if (n < want) {
		c->task->response = VIRTIO_SCSI_S_OVERRUN;
		return false;
	}
	c->task->resid = (uint32_t)(task_len(c->task) - n);
	c->port->stats.bytes_out += n;
	return true;
}

static unsigned int lun_number(const struct dw_task *t)
{
	return be_get16(t->lun + 2) & 0x3fff;
}

static void count(struct dw_port *p, const struct dw_task *t)
{
	p->stats.commands++;
	p->stats.by_opcode[t->cdb[0]]++;
}

static void query(const struct dw_cmd *c, struct dw_fault_query *ret_q)
{
	*ret_q = (struct dw_fault_query){
		.port = c->port->id,
		.lu = c->lu->id,
		.op = c->opcode ? c->opcode->op : DW_OP_OTHER,
		.cdb = c->cdb,
		.by_lba = c->by_lba,
		.lba = c->lba,
		.nlb = c->nlb,
		.attention =
			c->port->n_ua && !(c->opcode && c->opcode->flags & OPF_NO_UA),
		.working = c->lu->firmware.state == DW_FIRMWARE_RUNNING,
		.worked = c->lu->firmware.state == DW_FIRMWARE_DONE ||
			  c->lu->firmware.state == DW_FIRMWARE_FAILED,
		.in_flight = c->port->in_flight,
		.now_ns = c->rack->now_ns - c->rack->start_ns,
	};
}

static void pick_fault(struct dw_cmd *c)
{
	const struct dw_fault *f;
	struct dw_fault_query q;

	query(c, &q);
	f = dw_faults_match(&c->rack->faults, &q);
	if (!f)
		return;
	c->fault = *f;
	c->faulty = true;
}

/* full queues, which answer before anything else */
static bool queue_full(struct dw_cmd *c)
{
	if (c->faulty && c->fault.kind == DW_FAULT_STATUS)
		c->task->status = c->fault.status;
	else if (c->lu->conf.max_depth &&
		 dw_rack_load(c->rack, c->lu) > c->lu->conf.max_depth)
		c->task->status = SAM_TASK_SET_FULL;
	return c->task->status != SAM_GOOD;
}

static bool attention(struct dw_cmd *c)
{
	struct dw_port *p = c->port;

	if (c->faulty && c->fault.kind == DW_FAULT_UA)
		dw_port_ua(p, c->fault.sense.asc);
	if (!p->n_ua || (c->opcode && c->opcode->flags & OPF_NO_UA))
		return false;
	dw_cmd_check(c, KEY_UNIT_ATTENTION, p->ua[0]);
	memmove(p->ua, p->ua + 1, --p->n_ua * sizeof(p->ua[0]));
	p->stats.uas++;
	return true;
}

static bool not_ready(struct dw_cmd *c)
{
	if (!(c->opcode->flags & OPF_READY))
		return false;
	if (c->rack->now_ns < c->lu->ready_ns)
		dw_cmd_check(c, KEY_NOT_READY, ASC_BECOMING_READY);
	else if (c->lu->device->stopped)
		dw_cmd_check(c, KEY_NOT_READY, ASC_NEEDS_START);
	return c->task->status != SAM_GOOD;
}

/* after a failure: the same again, and with a corrupt format what touches no block */
static bool survives(const struct dw_cmd *c, bool format)
{
	if (c->opcode->flags & OPF_ERASES)
		return (c->cdb[0] == 0x04) == format;
	return format && !(c->opcode->flags & OPF_READY) && c->cdb[0] != 0x25 &&
	       c->cdb[0] != 0x9e;
}

/* a disk that erases itself, or failed to, does little else (SBC-4, 4.11 and 4.33) */
static bool occupied(struct dw_cmd *c)
{
	const struct dw_firmware *f = &c->lu->firmware;
	struct dw_sense s;

	if (c->lu->conf.ata && c->opcode->code != 0x00)
		return dw_ata_occupied(c);
	if (c->lu->conf.ata && dw_ata_occupied(c))
		return true;
	if (c->opcode->op & DW_OP_READ)
		dw_firmware_touch(c->rack, c->lu);
	if (!dw_firmware_sense(c->rack, c->lu, &s) || c->opcode->flags & OPF_ALWAYS)
		return false;
	if (f->state == DW_FIRMWARE_FAILED && survives(c, f->kind == DW_FIRMWARE_FORMAT))
		return false;
	dw_cmd_sense(c, &s);
	return true;
}

static void absent_lun(struct dw_cmd *c)
{
	if (c->cdb[0] == 0x12 || c->cdb[0] == 0xa0)
		c->opcode->run(c);
	else
		dw_cmd_check(c, KEY_ILLEGAL, ASC_NO_SUCH_LUN);
}

/* a rule answers in the disk's place */
static void answer(struct dw_cmd *c)
{
	const struct dw_answer *a = c->fault.answer;
	struct dw_task *t = c->task;

	t->resid = t->in_len ? task_len(t) : 0;
	if (a->len)
		deliver(c, a->bytes, a->len < a->room ? a->len : a->room);
	t->response = c->fault.response;
	t->status = c->fault.status;
	if (a->raw_len) {
		t->status = SAM_CHECK;
		t->sense_len = a->raw_len;
		memcpy(t->sense, a->raw, a->raw_len);
		c->port->stats.checks++;
	} else if (a->checks) {
		dw_cmd_sense(c, &c->fault.sense);
	}
}

/* whether a rule answers, and the disk hears nothing of the command */
static bool answered(struct dw_cmd *c)
{
	if (!answering(c) || !c->fault.answer->whole || c->fault.done)
		return false;
	answer(c);
	return true;
}

static bool gate(struct dw_cmd *c)
{
	if (lun_number(c->task) != dw_rack_lun(c->rack, c->port->id)) {
		absent_lun(c);
		return false;
	}
	if (queue_full(c) || attention(c) || answered(c))
		return false;
	if (c->cdb[0] == 0x48 && c->opcode && c->lu->conf.sanitize && !c->lu->conf.ata &&
	    !dw_opcode_offered(c->lu, c->opcode)) {
		dw_cmd_field(c, 1);
		return false;
	}
	if (!c->opcode || !dw_opcode_offered(c->lu, c->opcode)) {
		dw_cmd_check(c, KEY_ILLEGAL, ASC_INVALID_OPCODE);
		return false;
	}
	if (dw_pr_conflict(c)) {
		c->task->status = SAM_CONFLICT;
		return false;
	}
	return !occupied(c) && !not_ready(c) && !dw_tcg_forbids(c);
}

/* before the command's own function: how much of it happens */
static bool before(struct dw_cmd *c)
{
	c->limit = UINT64_MAX;
	if (!c->faulty)
		return true;
	switch (c->fault.kind) {
	case DW_FAULT_CHECK:
		if (c->fault.done)
			return true;
		if (c->fault.info && c->by_lba && c->fault.sense.key == KEY_MEDIUM) {
			c->fault.sense.info_valid = true;
			c->fault.sense.info = c->lba;
		}
		dw_cmd_sense(c, &c->fault.sense);
		return false;
	case DW_FAULT_RESPONSE:
		c->task->response = c->fault.response;
		return c->fault.done;
	case DW_FAULT_STALL:
		return c->fault.response == VIRTIO_SCSI_S_OK || c->fault.done;
	case DW_FAULT_DROP:
		c->limit = 0;
		if (c->cdb[0] == 0x85)
			c->task->resid = 0;
		return c->cdb[0] != 0x85;
	case DW_FAULT_TORN:
		c->limit = c->fault.blocks ? c->fault.blocks
					   : dw_rng_next(&c->rack->faults.rng) %
						     (c->nlb ? c->nlb : 1);
		return true;
	default:
		return true;
	}
}

/* after it: what the guest hears */
static void after(struct dw_cmd *c)
{
	struct dw_task *t = c->task;

	if (answering(c) && c->fault.done)
		answer(c);
	if (!c->faulty || t->status != SAM_GOOD)
		return;
	switch (c->fault.kind) {
	case DW_FAULT_CHECK:
		dw_cmd_sense(c, &c->fault.sense);
		break;
	case DW_FAULT_TORN:
		if (!c->fault.quiet && c->limit < c->nlb)
			dw_cmd_sense(c, &c->fault.sense);
		break;
	case DW_FAULT_STALL:
		t->response = c->fault.response;
		break;
	case DW_FAULT_SHORT:
		if (c->fault.quiet)
			break;
		t->resid = (uint32_t)(c->fault.blocks * c->lu->conf.block_bytes);
		if (t->resid > task_len(t))
			t->resid = task_len(t);
		break;
	default:
		break;
	}
}

/* what the command sets off in the enclosure, once it is under way */
static void consequence(struct dw_rack *r, struct dw_port *p, const struct dw_fault *f)
{
	uint16_t asc = f->sense.key ? f->sense.asc : ASC_POWER_ON;

	switch (f->kind) {
	case DW_FAULT_RESET:
		dw_rack_reset(r, p->lu, f->lose, f->quiet ? 0 : asc);
		break;
	case DW_FAULT_GONE:
		dw_rack_gone(r, p->id, f->quiet);
		break;
	case DW_FAULT_SWAP:
		if (f->arg < DW_PORTS_MAX && r->port[f->arg].lu)
			dw_rack_swap(r, p->id, (unsigned int)f->arg, f->quiet ? 0 : asc);
		break;
	case DW_FAULT_CAPACITY:
		dw_rack_resize(r, p->id, f->arg, f->quiet);
		break;
	default:
		break;
	}
}

static void carry_out(struct dw_cmd *c)
{
	if (c->lu && c->opcode)
		dw_media_range(c);
	pick_fault(c);
	if (c->faulty)
		c->task->op.hold_ns = c->fault.hold_ns;
	if (c->faulty && c->fault.hold_ns)
		c->task->held_by = DW_HELD_BY_FAULT;
	if (!gate(c))
		return;
	if (before(c))
		c->opcode->run(c);
	else if (c->fault.kind == DW_FAULT_STALL)
		c->task->response = c->fault.response;
	after(c);
}

static void enlist(struct dw_rack *r, struct dw_port *p, struct dw_task *t)
{
	t->prev = NULL;
	t->next = r->tasks;
	if (r->tasks)
		r->tasks->prev = t;
	r->tasks = t;
	p->in_flight++;
	p->polls += dw_task_is_poll(t);
	if (p->in_flight - p->polls > p->stats.peak)
		p->stats.peak = p->in_flight - p->polls;
	if (++r->in_flight > r->peak)
		r->peak = r->in_flight;
}

static void prepare(struct dw_task *t, unsigned int port)
{
	t->status = SAM_GOOD;
	t->response = VIRTIO_SCSI_S_OK;
	t->sense_len = 0;
	t->resid = task_len(t);
	t->port = port;
	t->held_by = DW_HELD_BY_NOBODY;
	memset(&t->op, 0, sizeof(t->op));
	t->op.cookie = t;
}

/**
 * dw_rack_submit - a command comes from the guest
 * @r: enclosure
 * @t: command, first part filled in; the enclosure's until its done callback,
 *     which comes from here or from dw_rack_advance()
 * @now_ns: time
 */
void dw_rack_submit(struct dw_rack *r, struct dw_task *t, uint64_t now_ns)
{
	struct dw_port *at = dw_rack_route(r, t->lun), *p = at ? at : &r->port[0];
	struct dw_cmd c = { .rack = r,
			    .port = p,
			    .lu = p->lu,
			    .task = t,
			    .cdb = t->cdb,
			    .opcode = dw_opcode_find(t->cdb) };

	r->now_ns = now_ns;
	prepare(t, p->id);
	if (!at || !p->lu || p->gone) {
		t->response = VIRTIO_SCSI_S_BAD_TARGET;
		t->done(t, t->arg);
		return;
	}
	enlist(r, p, t);
	count(p, t);
	dw_firmware_look(r, p->lu);
	carry_out(&c);
	t->op.disk = c.lu->id;
	t->op.bus = (unsigned int)r->lu_conf[t->port].bus;
	if (dw_model_submit(&r->model, &t->op, now_ns)) {
		t->response = VIRTIO_SCSI_S_BUSY;
		dw_rack_finish(r, t);
		return;
	}
	if (c.faulty && t->response == VIRTIO_SCSI_S_OK)
		consequence(r, p, &c.fault);
	dw_rack_advance(r, now_ns);
}

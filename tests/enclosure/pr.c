/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Persistent reservations (SPC-4, 5.13, 6.15, 6.16). A nexus is a port of the
 * HBA, or the one foreign host that configuration may put in front of a disk.
 * With the all-registrants types every registered nexus is a holder.
 */
#include "cmd.h"

#include "be.h"

#include <string.h>
#include <linux/virtio_scsi.h>

enum {
	TYPE_WRITE_EX = 1,
	TYPE_EX_ACCESS = 3,
	TYPE_WRITE_EX_RO = 5,
	TYPE_EX_ACCESS_RO = 6,
	TYPE_WRITE_EX_AR = 7,
	TYPE_EX_ACCESS_AR = 8,
};

static bool type_ok(uint8_t t)
{
	return t == TYPE_WRITE_EX || t == TYPE_EX_ACCESS ||
	       (t >= TYPE_WRITE_EX_RO && t <= TYPE_EX_ACCESS_AR);
}

static bool all_registrants(uint8_t t)
{
	return t == TYPE_WRITE_EX_AR || t == TYPE_EX_ACCESS_AR;
}

static struct dw_pr_reg *registration(struct dw_pr *pr, unsigned int nexus)
{
	size_t i;

	for (i = 0; i < pr->n; i++)
		if (pr->reg[i].nexus == nexus)
			return &pr->reg[i];
	return NULL;
}

static bool holds(struct dw_pr *pr, unsigned int nexus)
{
	if (!pr->held)
		return false;
	if (all_registrants(pr->type))
		return registration(pr, nexus) != NULL;
	return pr->holder == nexus;
}

/**
 * dw_pr_conflict - whether a reservation stops a command
 * @c: command
 *
 * Return: true for RESERVATION CONFLICT.
 */
bool dw_pr_conflict(const struct dw_cmd *c)
{
	struct dw_pr *pr = &c->lu->pr;
	bool reads = c->opcode->flags & OPF_READS;

	if (!pr->held || (c->opcode->flags & OPF_RESERVED_OK) || holds(pr, c->port->id))
		return false;
	switch (pr->type) {
	case TYPE_WRITE_EX:
		return !reads;
	case TYPE_EX_ACCESS:
		return true;
	default:
		break;
	}
	if (registration(pr, c->port->id))
		return false;
	return pr->type == TYPE_WRITE_EX_RO || pr->type == TYPE_WRITE_EX_AR ? !reads
									    : true;
}

static void read_keys(struct dw_cmd *c, size_t alloc)
{
	uint8_t b[8 + 8 * DW_PR_MAX] = { 0 };
	struct dw_pr *pr = &c->lu->pr;
	size_t i;

	be_put32(b, pr->generation);
	be_put32(b + 4, (uint32_t)(8 * pr->n));
	for (i = 0; i < pr->n; i++)
		be_put64(b + 8 + 8 * i, pr->reg[i].key);
	dw_cmd_reply(c, b, 8 + 8 * pr->n, alloc);
}

static void read_reservation(struct dw_cmd *c, size_t alloc)
{
	struct dw_pr *pr = &c->lu->pr;
	uint8_t b[24] = { 0 };

	be_put32(b, pr->generation);
	if (pr->held) {
		be_put32(b + 4, 16);
		be_put64(b + 8, all_registrants(pr->type) ? 0 : pr->key);
		b[21] = pr->type;
	}
	dw_cmd_reply(c, b, pr->held ? 24 : 8, alloc);
}

static void capabilities(struct dw_cmd *c, size_t alloc)
{
	static const uint8_t b[8] = { 0, 8, 0x00, 0x80, 0xea, 0x01, 0, 0 };

	dw_cmd_reply(c, b, sizeof(b), alloc);
}

static void full_status(struct dw_cmd *c, size_t alloc)
{
	uint8_t b[8 + 48 * DW_PR_MAX] = { 0 }, *p = b + 8;
	struct dw_pr *pr = &c->lu->pr;
	size_t i;

	be_put32(b, pr->generation);
	for (i = 0; i < pr->n; i++, p += 48) {
		bool holder = holds(pr, pr->reg[i].nexus);

		be_put64(p, pr->reg[i].key);
		p[12] = holder ? 0x01 : 0;
		p[13] = holder ? pr->type : 0;
		be_put16(p + 18, 1);
		be_put32(p + 20, 24);
		p[24] = 0x06; /* SAS transport ID */
		be_put64(p + 28, 0x3000000000000000u | pr->reg[i].nexus);
	}
	be_put32(b + 4, (uint32_t)(p - b - 8));
	dw_cmd_reply(c, b, (size_t)(p - b), alloc);
}

/**
 * dw_run_pr_in - PERSISTENT RESERVE IN
 * @c: command
 */
void dw_run_pr_in(struct dw_cmd *c)
{
	static void (*const run[])(struct dw_cmd *, size_t) = {
		read_keys,
		read_reservation,
		capabilities,
		full_status,
	};

	run[c->cdb[1] & 0x03](c, be_get16(c->cdb + 7));
}

static void tell_registrants(struct dw_cmd *c, uint16_t asc)
{
	struct dw_pr *pr = &c->lu->pr;
	size_t i;

	for (i = 0; i < pr->n; i++)
		if (pr->reg[i].nexus != c->port->id && pr->reg[i].nexus < DW_PORTS_MAX)
			dw_port_ua(&c->rack->port[pr->reg[i].nexus], asc);
}

static void drop_reservation(struct dw_cmd *c, bool tell)
{
	struct dw_pr *pr = &c->lu->pr;

	if (tell && pr->type >= TYPE_WRITE_EX_RO)
		tell_registrants(c, ASC_PR_RELEASED);
	pr->held = false;
	pr->key = 0;
	pr->type = 0;
}

static void unregister(struct dw_cmd *c, struct dw_pr_reg *reg)
{
	struct dw_pr *pr = &c->lu->pr;
	bool held = holds(pr, reg->nexus) && (!all_registrants(pr->type) || pr->n == 1);

	if (held)
		drop_reservation(c, true);
	*reg = pr->reg[--pr->n];
}

static void register_key(struct dw_cmd *c, uint64_t key, uint64_t action_key, bool ignore)
{
	struct dw_pr *pr = &c->lu->pr;
	struct dw_pr_reg *reg = registration(pr, c->port->id);

	if (!ignore && (reg ? reg->key != key : key != 0)) {
		c->task->status = SAM_CONFLICT;
		return;
	}
	if (!reg && !action_key)
		return;
	if (!reg && pr->n == DW_PR_MAX) {
		dw_cmd_check(c, KEY_ILLEGAL, 0x5504);
		return;
	}
	pr->generation++;
	if (!action_key) {
		unregister(c, reg);
		return;
	}
	if (!reg)
		reg = &pr->reg[pr->n++];
	*reg = (struct dw_pr_reg){ c->port->id, action_key };
	if (pr->held && pr->holder == c->port->id)
		pr->key = action_key;
}

static void reserve(struct dw_cmd *c, uint64_t key, uint8_t type)
{
	struct dw_pr *pr = &c->lu->pr;

	if (pr->held && (!holds(pr, c->port->id) || pr->type != type)) {
		c->task->status = SAM_CONFLICT;
		return;
	}
	pr->held = true;
	pr->holder = c->port->id;
	pr->key = key;
	pr->type = type;
}

static void release(struct dw_cmd *c, uint8_t type)
{
	struct dw_pr *pr = &c->lu->pr;

	if (!pr->held || !holds(pr, c->port->id))
		return;
	if (pr->type != type)
		dw_cmd_check(c, KEY_ILLEGAL, ASC_INVALID_RELEASE);
	else
		drop_reservation(c, true);
}

static void clear(struct dw_cmd *c)
{
	struct dw_pr *pr = &c->lu->pr;

	tell_registrants(c, ASC_PR_PREEMPTED);
	drop_reservation(c, false);
	pr->n = 0;
	pr->generation++;
}

static size_t remove_key(struct dw_cmd *c, uint64_t key, bool all)
{
	struct dw_pr *pr = &c->lu->pr;
	size_t i, n = 0, gone;

	for (i = 0; i < pr->n; i++) {
		const struct dw_pr_reg *reg = &pr->reg[i];

		if (reg->nexus == c->port->id || (!all && reg->key != key)) {
			pr->reg[n++] = *reg;
			continue;
		}
		if (reg->nexus < DW_PORTS_MAX)
			dw_port_ua(&c->rack->port[reg->nexus], ASC_PR_REG_PREEMPTED);
	}
	gone = pr->n - n;
	pr->n = n;
	return gone;
}

static void preempt(struct dw_cmd *c, uint64_t key, uint64_t victim, uint8_t type)
{
	struct dw_pr *pr = &c->lu->pr;
	bool ar = pr->held && all_registrants(pr->type);
	bool take = pr->held && (ar ? !victim : pr->key == victim);
	unsigned int holder = pr->holder;

	if (!victim && !ar) {
		dw_cmd_list_field(c, 8);
		return;
	}
	if (!remove_key(c, victim, ar && !victim) && !take) {
		c->task->status = SAM_CONFLICT;
		return;
	}
	pr->generation++;
	if (!take)
		return;
	if (c->cdb[1] == 0x05 && holder < DW_PORTS_MAX && holder != c->port->id)
		dw_rack_abort(c->rack, holder, 0, false);
	pr->held = true;
	pr->holder = c->port->id;
	pr->key = key;
	pr->type = type;
}

/**
 * dw_run_pr_out - PERSISTENT RESERVE OUT
 * @c: command
 */
void dw_run_pr_out(struct dw_cmd *c)
{
	uint8_t sa = c->cdb[1] & 0x1f, type = c->cdb[2] & 0x0f, list[24];
	bool reg = sa == 0x00 || sa == 0x06;
	struct dw_pr_reg *mine;
	uint64_t key, action;

	if (be_get32(c->cdb + 5) != sizeof(list)) {
		dw_cmd_check(c, KEY_ILLEGAL, ASC_LIST_LENGTH);
		return;
	}
	if (!reg && sa != 0x03 && ((c->cdb[2] & 0xf0) || !type_ok(type))) {
		dw_cmd_field(c, 2);
		return;
	}
	if (!dw_cmd_params(c, list, sizeof(list)))
		return;
	key = be_get64(list);
	action = be_get64(list + 8);
	mine = registration(&c->lu->pr, c->port->id);
	if (!reg && (!mine || mine->key != key)) {
		c->task->status = SAM_CONFLICT;
		return;
	}
	if (reg)
		register_key(c, key, action, sa == 0x06);
	else if (sa == 0x01)
		reserve(c, key, type);
	else if (sa == 0x02)
		release(c, type);
	else if (sa == 0x03)
		clear(c);
	else
		preempt(c, key, action, type);
}

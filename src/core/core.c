/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The step: timers that are due, disks that something happened to, then columns of the
 * strategy until it has nothing more to send. Only disks that are touched cost time, so that a
 * step is O(ready + log n) however many disks there are.
 */
#include "core/core.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "core/internal.h"

#define NO_SLOT UINT32_MAX
#define SHUT_NS (100 * DW_NS_PER_MS) /* a shut gate is looked at again */

int dw_core_new(const struct dw_core_config *config, struct dw_core **ret)
{
	struct dw_core *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->cfg = *config;
	c->free_slot = NO_SLOT;
	dw_gate_init(&c->gate, 1, 0);
	*ret = c;
	return 0;
}

void dw_core_free(struct dw_core *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->n; i++) {
		core_disk_deinit(c->disk[i]);
		free(c->disk[i]);
	}
	free(c->disk);
	free(c->view_disk);
	free(c->ready);
	free(c->todo);
	free(c->slot);
	free(c->op);
	free(c->event);
	free(c->history);
	free(c->column.entry);
	dw_heap_deinit(&c->timers);
	dw_strategy_deinit(&c->cfg.strategy_state);
	dw_controller_deinit(&c->cfg.controller_state);
	free(c);
}

void core_set_error(struct dw_core *c, int error)
{
	if (error < 0 && !c->error)
		c->error = error;
}

/* make room for one more disk in every array that has a place per disk */
static int reserve_disk(struct dw_core *c)
{
	uint32_t cap = c->cap ? 2 * c->cap : 16;
	void *disk, *view, *ready, *todo;

	if (c->n < c->cap)
		return 0;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	disk = realloc(c->disk, cap * sizeof(*c->disk));
	c->disk = disk ? disk : c->disk;
	view = realloc(c->view_disk, cap * sizeof(*c->view_disk));
	c->view_disk = view ? view : c->view_disk;
	ready = realloc(c->ready, cap * sizeof(*c->ready));
	c->ready = ready ? ready : c->ready;
	todo = realloc(c->todo, cap * sizeof(*c->todo));
	c->todo = todo ? todo : c->todo;
	/* the views may have moved even if the next array found no room */
	for (uint32_t i = 0; i < c->n; i++)
		c->disk[i]->view = &c->view_disk[i];
	if (!disk || !view || !ready || !todo)
		return -ENOMEM;
	c->cap = cap;
	return 0;
}

int dw_core_add(struct dw_core *c, const struct dw_disk_plan *plan, uint64_t expected_ns,
		const struct dw_fault *faults, uint32_t n_faults, uint32_t *ret_disk)
{
	struct core_disk *d;
	int r = reserve_disk(c);

	if (r < 0)
		return r;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	if (n_faults) {
		d->state.fault = calloc(n_faults, sizeof(*faults));
		if (!d->state.fault) {
			free(d);
			return -ENOMEM;
		}
		memcpy(d->state.fault, faults, n_faults * sizeof(*faults));
		d->state.n_faults = d->cap_faults = n_faults;
	}
	d->plan = *plan;
	d->id = c->n;
	d->view = &c->view_disk[c->n];
	core_disk_init(d);
	*d->view = (struct dw_view_disk){
		.expected_ns = expected_ns,
		.block_size = plan->block_size,
		.optimal = plan->optimal,
		.told = plan->told,
		.max = core_disk_limit(d),
		.most = core_disk_most(d),
		.depth = 1,
	};
	c->disk[c->n++] = d;
	c->view.unfinished++;
	core_touch(c, d);
	*ret_disk = d->id;
	return 0;
}

void dw_core_limit(struct dw_core *c, uint32_t active)
{
	c->cfg.strategy_state.limit = active;
}

void core_touch(struct dw_core *c, struct core_disk *d)
{
	if (d->queued)
		return;
	d->queued = true;
	c->todo[(c->todo_head + c->n_todo++) % c->cap] = d->id;
}

void core_set_timer(struct dw_core *c, struct core_disk *d, uint64_t ns)
{
	if (d->timer_ns == ns)
		return;
	d->timer_ns = ns;
	core_set_error(c, dw_heap_push(&c->timers, ns, d->id));
}

static struct core_slot *slot_take(struct dw_core *c, uint32_t *ret)
{
	if (c->free_slot == NO_SLOT) {
		uint32_t n = c->n_slots ? 2 * c->n_slots : 64;
		struct core_slot *slot = realloc(c->slot, n * sizeof(*slot));

		if (!slot)
			return NULL;
		c->slot = slot;
		for (uint32_t i = c->n_slots; i < n; i++) {
			slot[i] = (struct core_slot){ .next_free = c->free_slot };
			c->free_slot = i;
		}
		c->n_slots = n;
	}
	*ret = c->free_slot;
	c->free_slot = c->slot[*ret].next_free;
	return &c->slot[*ret];
}

static void slot_put(struct dw_core *c, uint32_t i)
{
	c->slot[i].used = false;
	c->slot[i].next_free = c->free_slot;
	c->free_slot = i;
}

static struct dw_op *op_new(struct dw_core *c)
{
	if (c->op_head && c->op_head == c->op_n)
		c->op_head = c->op_n = 0;
	if (c->op_n == c->op_cap) {
		uint32_t cap = c->op_cap ? 2 * c->op_cap : 64;
		struct dw_op *op = realloc(c->op, cap * sizeof(*op));

		if (!op)
			return NULL;
		c->op = op;
		c->op_cap = cap;
	}
	return &c->op[c->op_n++];
}

bool core_is_transfer(uint8_t verb)
{
	return verb == DW_VERB_WRITE || verb == DW_VERB_READ;
}

int core_emit(struct dw_core *c, struct core_disk *d, uint8_t verb,
	      const struct dw_extent *extent, uint16_t flags)
{
	struct core_slot *s = NULL;
	uint32_t i = NO_SLOT;
	struct dw_op *op;

	if (verb < DW_VERB_LIFT) {
		s = slot_take(c, &i);
		if (!s) {
			core_set_error(c, -ENOMEM);
			return -ENOMEM;
		}
		*s = (struct core_slot){ .disk = d->id, .verb = verb, .used = true };
		if (extent)
			s->extent = *extent;
	}
	op = op_new(c);
	if (!op) {
		if (s)
			slot_put(c, i);
		core_set_error(c, -ENOMEM);
		return -ENOMEM;
	}
	*op = (struct dw_op){
		.disk = d->id,
		.slot = i,
		.verb = verb,
		.pass = d->state.pass,
		.flags = flags,
		.lba = extent ? extent->lba : 0,
		.nlb = extent ? (uint32_t)extent->nlb : 0,
		.step = c->step,
	};
	if (s) {
		d->state.submitted++;
		d->transfers += core_is_transfer(verb);
		c->transfers += core_is_transfer(verb);
		c->inflight++;
	}
	if (extent)
		dw_gate_enter(&c->gate, d->id, extent->nlb * d->plan.block_size);
	return 0;
}

struct dw_core_event *core_event_new(struct dw_core *c, struct core_disk *d, uint8_t kind)
{
	static struct dw_core_event nowhere;
	struct dw_core_event *e;

	if (c->event_head && c->event_head == c->event_n)
		c->event_head = c->event_n = 0;
	if (c->event_n == c->event_cap) {
		uint32_t cap = c->event_cap ? 2 * c->event_cap : 64;

		e = realloc(c->event, cap * sizeof(*e));
		if (!e) {
			core_set_error(c, -ENOMEM);
			return &nowhere;
		}
		c->event = e;
		c->event_cap = cap;
	}
	e = &c->event[c->event_n++];
	*e = (struct dw_core_event){
		.kind = kind,
		.phase = d->state.phase,
		.pass = d->state.pass,
		.disk = d->id,
		.now_ns = c->now_ns,
		.lba = d->state.mark,
	};
	return e;
}

void core_notice(struct dw_core *c, struct core_disk *d, const char *fmt, ...)
{
	struct dw_core_event *e = core_event_new(c, d, DW_CORE_EVENT_NOTICE);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
}

bool dw_core_op(struct dw_core *c, struct dw_op *ret)
{
	if (c->op_head == c->op_n)
		return false;
	*ret = c->op[c->op_head++];
	return true;
}

bool dw_core_event(struct dw_core *c, struct dw_core_event *ret)
{
	if (c->event_head == c->event_n)
		return false;
	*ret = c->event[c->event_head++];
	return true;
}

/* the controller's choice, within what the disk can take in the phase in hand */
static void apply_depth(struct dw_core *c, struct core_disk *d)
{
	struct dw_pick pick = { .depth = 1 };
	uint32_t depth;

	d->view->most = core_disk_most(d);
	d->view->max = core_disk_limit(d);
	if (d->state.phase == DW_CORE_DONE)
		return;
	c->cfg.controller->pick(&c->cfg.controller_state, &c->view, d->id, &pick);
	depth = (uint32_t)dw_max_u64(1, dw_min_u64(pick.depth, d->view->most));
	if (depth == d->state.depth)
		return;
	d->state.depth = depth;
	c->changes++;
	if (!d->state.fenced) /* else the lifted fence brings it */
		core_emit(c, d, DW_VERB_DEPTH, NULL, 0);
}

/* keep the ready list and the disk's view true */
static void update_view(struct dw_core *c, struct core_disk *d)
{
	struct dw_view_disk *v = d->view;
	bool ready;

	apply_depth(c, d);
	v->left = dw_cursor_left(&d->cursor);
	v->transfers = d->transfers;
	v->depth = d->state.depth;
	v->room = core_disk_room(c, d);
	ready = v->room > 0;
	if (ready && d->in_ready == UINT32_MAX) {
		d->in_ready = c->view.n_ready;
		c->ready[c->view.n_ready++] = d->id;
	} else if (!ready && d->in_ready != UINT32_MAX) {
		uint32_t last = c->ready[--c->view.n_ready];

		c->ready[d->in_ready] = last;
		c->disk[last]->in_ready = d->in_ready;
		d->in_ready = UINT32_MAX;
	}
}

static int history_add(struct dw_core *c, uint32_t disk, bool new_column)
{
	struct dw_history_run *last = c->n_history ? &c->history[c->n_history - 1] : NULL;

	if (last && !new_column && last->disk == disk) {
		last->count++;
		return 0;
	}
	if (c->n_history == c->cap_history) {
		size_t cap = c->cap_history ? 2 * c->cap_history : 64;
		struct dw_history_run *h = realloc(c->history, cap * sizeof(*h));

		if (!h)
			return -ENOMEM;
		c->history = h;
		c->cap_history = cap;
	}
	c->n_columns += new_column;
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): no capacity without an array */
	c->history[c->n_history++] = (struct dw_history_run){
		.disk = disk,
		.column = c->n_columns - 1,
		.count = 1,
	};
	return 0;
}

/* consecutive columns that name the same single disk are one column */
static void record_column(struct dw_core *c)
{
	const struct dw_column *col = &c->column;
	bool single = true, merge;

	for (uint32_t i = 1; i < col->n; i++)
		single = single && col->entry[i] == col->entry[0];
	merge = single && c->history_single && c->n_history &&
		c->history[c->n_history - 1].disk == col->entry[0];
	for (uint32_t i = 0; i < col->n; i++)
		core_set_error(c, history_add(c, col->entry[i], !merge && !i));
	c->history_single = single;
}

/* a window with less room than the column takes those whose turn it is, by their number */
static void cut_column(struct dw_core *c, uint32_t room)
{
	struct dw_column *col = &c->column;

	for (uint32_t i = 0; i < room; i++) {
		uint32_t best = i, last = i ? col->entry[i - 1] : c->gate.turn, disk;

		for (uint32_t k = i; k < col->n; k++)
			if ((col->entry[k] + c->n - last - 1) % c->n <
			    (col->entry[best] + c->n - last - 1) % c->n)
				best = k;
		disk = col->entry[best];
		col->entry[best] = col->entry[i];
		col->entry[i] = disk;
	}
	col->n = room;
}

/* what holds for all disks */
static void look(struct dw_core *c)
{
	c->view.n = c->n;
	c->view.disk = c->view_disk;
	c->view.ready = c->ready;
	c->view.inflight = c->inflight;
	c->view.active =
		c->cfg.strategy->concurrency(&c->cfg.strategy_state, c->view.unfinished);
	if (!c->view.active)
		c->view.active = 1;
}

/* ask the strategy for columns until it wants to wait */
static void send_columns(struct dw_core *c)
{
	uint32_t sent;

	do {
		c->column.n = 0;
		look(c);
		core_set_error(c, c->cfg.strategy->next(&c->cfg.strategy_state, &c->view,
							&c->column));
		if (c->column.n > dw_gate_room(&c->gate))
			cut_column(c, dw_gate_room(&c->gate));
		sent = 0;
		for (uint32_t i = 0; i < c->column.n; i++) {
			struct core_disk *d = c->disk[c->column.entry[i]];

			if (core_disk_send(c, d))
				c->column.entry[sent++] = d->id;
		}
		c->column.n = sent;
		for (uint32_t i = 0; i < sent; i++)
			update_view(c, c->disk[c->column.entry[i]]);
		if (sent && c->cfg.record)
			record_column(c);
		c->step += sent > 0;
	} while (sent && !c->error);
}

int dw_core_step(struct dw_core *c, uint64_t now_ns)
{
	struct dw_heap_item due;

	c->now_ns = now_ns = dw_max_u64(c->now_ns, now_ns);
	dw_gate_advance(&c->gate, now_ns);
	while (dw_heap_peek(&c->timers) <= now_ns && dw_heap_pop(&c->timers, &due)) {
		struct core_disk *d = c->disk[due.tag];

		if (d->timer_ns == due.ns) {
			d->timer_ns = 0;
			core_touch(c, d);
		}
	}
	look(c);
	while (c->n_todo) {
		struct core_disk *d = c->disk[c->todo[c->todo_head]];

		c->todo_head = (c->todo_head + 1) % c->cap;
		c->n_todo--;
		d->queued = false;
		core_disk_advance(c, d);
		update_view(c, d);
	}
	if (!c->stopping && dw_gate_open(&c->gate))
		send_columns(c);
	return c->error;
}

static void observe(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		    const struct dw_result *r)
{
	struct dw_observation o = {
		.disk = d->id,
		.verb = s->verb,
		.class = r->class,
		.blocks = s->extent.nlb,
		.service_ns = r->end_ns - r->start_ns,
		.end_ns = r->end_ns,
	};

	c->view.inflight = c->inflight;
	core_set_error(
		c, c->cfg.controller->observe(&c->cfg.controller_state, &c->view, &o));
}

int dw_core_result(struct dw_core *c, const struct dw_result *r, uint64_t now_ns)
{
	struct core_slot s;
	struct core_disk *d;

	c->now_ns = dw_max_u64(c->now_ns, now_ns); /* results may come in late */
	if (r->slot >= c->n_slots || !c->slot[r->slot].used)
		return -EINVAL;
	s = c->slot[r->slot];
	d = c->disk[s.disk];
	slot_put(c, r->slot);
	d->state.submitted--;
	d->transfers -= core_is_transfer(s.verb);
	c->transfers -= core_is_transfer(s.verb);
	c->inflight--;
	dw_gate_advance(&c->gate, c->now_ns);
	if (s.extent.nlb)
		dw_gate_leave(&c->gate);
	if (r->start_ns)
		d->state.commands++;
	if (s.verb <= DW_VERB_FLUSH && r->start_ns && c->cfg.controller->observe)
		observe(c, d, &s, r);
	core_starved_result(c, d, &s, r);
	if (s.verb >= DW_VERB_IDENTIFY)
		core_policy_answer(c, d, &s, r);
	else if (r->class == DW_CLASS_OK)
		core_disk_good(c, d, &s, r);
	else
		core_policy_bad(c, d, &s, r);
	core_touch(c, d);
	return c->error;
}

/* when the gate is to be looked at, as far as anybody stands before it */
static uint64_t gate_timer(const struct dw_core *c)
{
	if (c->stopping || !c->view.n_ready)
		return UINT64_MAX;
	if (c->gate.share <= 0)
		return c->now_ns + SHUT_NS;
	return dw_gate_opens_ns(&c->gate);
}

uint64_t dw_core_timer(const struct dw_core *c)
{
	uint64_t ns = dw_min_u64(dw_heap_peek(&c->timers), gate_timer(c));

	return c->n_todo ? 0 : ns;
}

void dw_core_share(struct dw_core *c, double share, uint64_t quantum_ns)
{
	c->gate.share = share;
	if (quantum_ns)
		c->gate.quantum_ns = quantum_ns;
}

uint64_t dw_core_on_ns(const struct dw_core *c)
{
	return c->gate.on_ns;
}

bool dw_core_done(const struct dw_core *c)
{
	return c->finished == c->n && !c->inflight;
}

void dw_core_refuse(struct dw_core *c, uint32_t disk, const char *reason, uint64_t now_ns)
{
	c->now_ns = now_ns;
	core_disk_end(c, c->disk[disk], DW_END_FAILED, reason);
}

void dw_core_stop(struct dw_core *c, bool abort)
{
	c->stopping = true;
	c->abort = c->abort || abort;
	for (uint32_t i = 0; i < c->n; i++)
		core_touch(c, c->disk[i]);
}

const struct dw_disk_state *dw_core_state(const struct dw_core *c, uint32_t disk)
{
	return &c->disk[disk]->state;
}

const struct dw_disk_plan *dw_core_plan(const struct dw_core *c, uint32_t disk)
{
	return &c->disk[disk]->plan;
}

uint32_t dw_core_inflight(const struct dw_core *c)
{
	return c->inflight;
}

bool dw_core_stalled(const struct dw_core *c)
{
	return !dw_core_done(c) && !c->inflight && c->op_head == c->op_n &&
	       dw_core_timer(c) == UINT64_MAX;
}

const struct dw_history_run *dw_core_history(const struct dw_core *c, size_t *ret_n)
{
	*ret_n = c->n_history;
	return c->cfg.record ? c->history : NULL;
}

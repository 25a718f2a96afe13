/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The step of the core: timers that are due, then disks that something happened to, then, for
 * each link with such a disk, columns of the strategy until it has nothing more to send. Other
 * disks and links cost no time, so that a step is O(ready + log n) for any number of disks.
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

int dw_core_new(struct dw_core **ret)
{
	struct dw_core *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->slots.free = NO_SLOT;
	*ret = c;
	return 0;
}

static void disk_free(struct core_disk *d)
{
	core_disk_deinit(d);
	free(d);
}

void dw_core_free(struct dw_core *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->disk[i])
			disk_free(c->disk[i]);
	for (uint32_t i = 0; i < c->n_links; i++)
		if (c->link[i])
			core_link_free(c->link[i]);
	free(c->disk);
	free(c->link);
	free(c->slots.v);
	free(c->ops.v);
	free(c->events.v);
	free(c->schedule.run);
	free(c->column.entry);
	dw_heap_deinit(&c->vacant);
	dw_heap_deinit(&c->timers);
	free(c);
}

void core_set_error(struct dw_core *c, int error)
{
	if (error < 0 && !c->error)
		c->error = error;
}

/* a number for a disk */
static int new_number(struct dw_core *c, uint32_t *ret)
{
	struct dw_heap_item least;

	if (dw_heap_pop(&c->vacant, &least)) {
		*ret = (uint32_t)least.tag;
		return 0;
	}
	if (dw_room(&c->disk, c->n, &c->cap, sizeof(struct core_disk *)) < 0)
		return -ENOMEM;
	*ret = c->n++;
	return 0;
}

static void number_back(struct dw_core *c, uint32_t id)
{
	c->disk[id] = NULL;
	core_set_error(c, dw_heap_push(&c->vacant, id, id));
}

static int take_faults(struct core_disk *d, const struct dw_core_disk *from)
{
	if (!from->n_faults)
		return 0;
	d->state.faults.v = calloc(from->n_faults, sizeof(*from->faults));
	if (!d->state.faults.v)
		return -ENOMEM;
	memcpy(d->state.faults.v, from->faults, from->n_faults * sizeof(*from->faults));
	d->state.faults.n = d->state.faults.cap = from->n_faults;
	return 0;
}

/* the disk has its place: what others see of it */
static int take_part(struct dw_core *c, struct core_disk *d,
		     const struct dw_core_disk *from)
{
	int r;

	d->plan = *from->plan;
	d->rules = from->rules;
	r = core_disk_init(d);
	if (r < 0)
		return r;
	if (!d->plan.verify_only)
		core_fault_cut(c, d, d->plan.first_pass, d->plan.first_lba);
	core_disk_doubts(c, d);
	*d->view = (struct dw_view_disk){
		.total = d->plan.blocks,
		.rotates = from->rotates,
		.expected_ns = from->expected_ns,
		.priority = from->priority,
		.owner = from->owner,
		.block_size = d->plan.block_size,
		.optimal = d->plan.optimal,
		.reported = d->plan.reported,
		.max = core_disk_limit(d),
		.most = core_disk_most(d),
		.depth = 1,
		.out = true,
	};
	return core_link_in(c, d);
}

int dw_core_add(struct dw_core *c, uint32_t link, const struct dw_core_disk *disk,
		uint32_t *ret_disk)
{
	struct core_disk *d = calloc(1, sizeof(*d));
	int r = d ? take_faults(d, disk) : -ENOMEM;

	if (!r)
		r = new_number(c, &d->id);
	if (r < 0)
		goto fail;
	r = core_link_take(c->link[link], d);
	if (!r) {
		r = take_part(c, d, disk);
		if (r < 0)
			core_link_leave(d->link, d);
	}
	if (r < 0) {
		number_back(c, d->id);
		goto fail;
	}
	c->disk[d->id] = d;
	c->present++;
	core_touch(c, d);
	*ret_disk = d->id;
	return 0;
fail:
	if (d)
		disk_free(d);
	return r;
}

/* ops and events about the disk that nobody has taken yet */
static bool is_reported_of(const struct dw_core *c, uint32_t disk)
{
	for (uint32_t i = c->ops.head; i < c->ops.n; i++)
		if (c->ops.v[i].disk == disk)
			return true;
	for (uint32_t i = c->events.head; i < c->events.n; i++)
		if (c->events.v[i].disk == disk)
			return true;
	return false;
}

/* Takes the disk out of the list for the next step. */
static void untouch(struct dw_core *c, struct core_disk *d)
{
	struct core_disk *before = NULL;

	if (!d->queued)
		return;
	for (struct core_disk *i = c->next.disk; i != d; i = i->todo_next)
		before = i;
	*(before ? &before->todo_next : &c->next.disk) = d->todo_next;
	if (c->next.disk_end == d)
		c->next.disk_end = before;
}

int dw_core_remove(struct dw_core *c, uint32_t disk)
{
	struct core_disk *d = c->disk[disk];

	bool ended = d->state.phase == DW_CORE_DONE;

	if ((!ended && (d->state.phase != DW_CORE_WAITING || d->state.commands)) ||
	    d->state.submitted || is_reported_of(c, disk))
		return -EBUSY;
	d->state.phase = DW_CORE_DONE;
	core_link_out(c, d);
	core_link_update(c, d); /* without a step it is still among the ready ones */
	untouch(c, d);
	core_link_leave(d->link, d);
	number_back(c, disk);
	c->present--;
	c->finished -= ended;
	c->paused -= d->state.paused;
	disk_free(d);
	return 0;
}

void core_touch(struct dw_core *c, struct core_disk *d)
{
	if (d->queued)
		return;
	d->queued = true;
	d->todo_next = NULL;
	*(c->next.disk ? &c->next.disk_end->todo_next : &c->next.disk) = d;
	c->next.disk_end = d;
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
	struct core_slots *s = &c->slots;
	uint32_t n = s->n;

	if (s->free == NO_SLOT) {
		if (dw_room(&s->v, n, &s->n, sizeof(*s->v)) < 0)
			return NULL;
		for (; n < s->n; n++) {
			s->v[n].next_free = s->free;
			s->free = n;
		}
	}
	*ret = s->free;
	s->free = s->v[*ret].next_free;
	return &s->v[*ret];
}

static void slot_put(struct dw_core *c, uint32_t i)
{
	c->slots.v[i].used = false;
	c->slots.v[i].next_free = c->slots.free;
	c->slots.free = i;
}

static struct dw_op *op_new(struct dw_core *c)
{
	struct core_ops *q = &c->ops;

	if (q->head && q->head == q->n)
		q->head = q->n = 0;
	if (dw_room(&q->v, q->n, &q->cap, sizeof(*q->v)) < 0)
		return NULL;
	return &q->v[q->n++];
}

bool core_is_transfer(uint8_t verb)
{
	return verb == DW_VERB_WRITE || verb == DW_VERB_READ;
}

/* its extent counts for the window of the link */
static bool takes_bus(uint8_t verb)
{
	return verb != DW_VERB_RESET && verb != DW_VERB_COMPARE;
}

int core_emit(struct dw_core *c, struct core_disk *d, uint8_t verb,
	      const struct dw_extent *extent, uint16_t flags)
{
	struct core_slot *s = NULL;
	uint32_t i = NO_SLOT;
	struct dw_op *op;

	if (!(dw_verb_flags(verb) & DW_VERB_IS_NOTE)) {
		s = slot_take(c, &i);
		if (!s) {
			core_set_error(c, -ENOMEM);
			return -ENOMEM;
		}
		*s = (struct core_slot){ .disk = d->id,
					 .verb = verb,
					 .fua = flags & DW_OP_FUA,
					 .used = true };
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
		.operation = verb == DW_VERB_OPERATE ? d->plan.operation : 0,
		.seed = flags & DW_OP_PLANT ? d->state.compare.seed : 0,
	};
	if (s) {
		d->state.submitted++;
		if (core_is_transfer(verb) && !d->transfers)
			d->crowd.moved_ns = c->now_ns;
		d->transfers += core_is_transfer(verb);
		d->link->transfers += core_is_transfer(verb);
		d->link->view.inflight += !d->view->out;
		c->slots.inflight++;
	}
	if (extent && takes_bus(verb))
		dw_gate_enter(&d->link->gate, d->place, extent->nlb * d->plan.block_size);
	return 0;
}

struct dw_core_event *core_event_new(struct dw_core *c, struct core_disk *d, uint8_t kind)
{
	static struct dw_core_event nowhere;
	struct core_events *q = &c->events;
	struct dw_core_event *e;

	if (q->head && q->head == q->n)
		q->head = q->n = 0;
	if (dw_room(&q->v, q->n, &q->cap, sizeof(*q->v)) < 0) {
		core_set_error(c, -ENOMEM);
		return &nowhere;
	}
	e = &q->v[q->n++];
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
	if (c->ops.head == c->ops.n)
		return false;
	*ret = c->ops.v[c->ops.head++];
	return true;
}

bool dw_core_event(struct dw_core *c, struct dw_core_event *ret)
{
	if (c->events.head == c->events.n)
		return false;
	*ret = c->events.v[c->events.head++];
	return true;
}

/* a timer that was set again since is void */
static void timer_due(struct dw_core *c, const struct dw_heap_item *due)
{
	struct core_disk *d;
	struct core_link *l;

	if (due->tag & CORE_LINK_TIMER) {
		l = c->link[due->tag & ~CORE_LINK_TIMER];
		if (l)
			core_turns_due(c, l);
		if (l && l->timer_ns == due->ns) {
			l->timer_ns = 0;
			core_link_touch(c, l);
		}
		return;
	}
	d = c->disk[due->tag];
	if (d && d->timer_ns == due->ns) {
		d->timer_ns = 0;
		core_touch(c, d);
	}
}

int dw_core_step(struct dw_core *c, uint64_t now_ns)
{
	struct dw_heap_item due;

	c->now_ns = now_ns = dw_max_u64(c->now_ns, now_ns);
	while (dw_heap_peek(&c->timers) <= now_ns && dw_heap_pop(&c->timers, &due))
		timer_due(c, &due);
	while (c->next.disk) {
		struct core_disk *d = c->next.disk;

		c->next.disk = d->todo_next;
		d->queued = false;
		core_disk_advance(c, d);
		core_link_update(c, d);
	}
	while (c->next.link) {
		struct core_link *l = c->next.link;

		core_link_send(c, l);
		c->next.link = l->due_next;
		l->due = false;
	}
	return c->error;
}

int dw_core_result(struct dw_core *c, const struct dw_result *r, uint64_t now_ns)
{
	struct core_slot s;
	struct core_disk *d;

	c->now_ns = dw_max_u64(c->now_ns, now_ns); /* results may come in late */
	if (r->slot >= c->slots.n || !c->slots.v[r->slot].used)
		return -EINVAL;
	s = c->slots.v[r->slot];
	d = c->disk[s.disk];
	slot_put(c, r->slot);
	d->state.submitted--;
	d->transfers -= core_is_transfer(s.verb);
	d->link->transfers -= core_is_transfer(s.verb);
	d->link->view.inflight -= !d->view->out;
	c->slots.inflight--;
	dw_gate_advance(&d->link->gate, c->now_ns);
	if (s.extent.nlb && takes_bus(s.verb))
		dw_gate_leave(&d->link->gate);
	if (r->start_ns)
		d->state.commands++;
	if (dw_verb_flags(s.verb) & DW_VERB_IS_WORK && r->start_ns && !d->view->out &&
	    d->link->cfg.controller->observe)
		core_link_observe(c, d, &s, r);
	core_starved_result(c, d, &s, r);
	core_turns_result(c, d, &s, r);
	if (s.extent.nlb)
		d->patience.suspect = false;
	if (!d->state.fenced)
		d->patience.idle_ns = c->now_ns;
	if (d->rec.leaving)
		core_leave_answer(d, &s, r);
	else if (dw_verb_flags(s.verb) & DW_VERB_IS_OPERATION)
		core_operation_result(c, d, &s, r);
	else if (r->class == DW_CLASS_RUNNING)
		core_operation_works(c, d, &s, r);
	else if (dw_verb_flags(s.verb) & DW_VERB_IS_ASKED)
		core_recover_answer(c, d, &s, r);
	else if (r->class == DW_CLASS_OK)
		core_disk_good(c, d, &s, r);
	else if (s.verb != DW_VERB_CYCLE || r->class != DW_CLASS_GIVEN_BACK)
		core_policy_bad(c, d, &s, r);
	core_touch(c, d);
	return c->error;
}

uint64_t dw_core_timer(const struct dw_core *c)
{
	return c->next.disk || c->next.link ? 0 : dw_heap_peek(&c->timers);
}

bool dw_core_done(const struct dw_core *c)
{
	return c->finished == c->present && !c->slots.inflight;
}

void dw_core_refuse(struct dw_core *c, uint32_t disk, const char *reason, uint64_t now_ns)
{
	c->now_ns = now_ns;
	core_disk_end(c, c->disk[disk], DW_END_FAILED, reason);
	core_touch(c, c->disk[disk]);
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
	return c->slots.inflight;
}

bool dw_core_stalled(const struct dw_core *c)
{
	return c->finished + c->paused < c->present && !c->slots.inflight &&
	       c->ops.head == c->ops.n && dw_core_timer(c) == UINT64_MAX;
}

void dw_core_record(struct dw_core *c, bool on)
{
	c->schedule.recorders += on ? 1 : -1;
	if (c->schedule.recorders)
		return;
	free(c->schedule.run);
	c->schedule.run = NULL;
	c->schedule.n = c->schedule.cap = 0;
	c->schedule.columns = 0;
}

const struct dw_history_run *dw_core_history(const struct dw_core *c, size_t *ret_n)
{
	*ret_n = c->schedule.n;
	return c->schedule.recorders ? c->schedule.run : NULL;
}

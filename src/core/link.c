/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A link: disks that share a host adapter or a bus, and with it a strategy, a controller and a
 * gate, which see these disks alone. A disk has a place on its link. The place is reused when the
 * disk has left, so that what is kept for each place does not grow with the number of disks so
 * far.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "core/internal.h"

#define SHUT_NS (100 * DW_NS_PER_MS) /* a shut gate is checked again */

int dw_core_link_new(struct dw_core *c, const struct dw_core_link *cfg,
		     uint32_t *ret_link)
{
	struct core_link *l = calloc(1, sizeof(*l));
	int r = l ? 0 : -ENOMEM;
	uint32_t id = 0;

	while (id < c->n_links && c->link[id])
		id++;
	if (!r && id == c->n_links)
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
		r = dw_grow(&c->link, id, id + 1, sizeof(l));
	if (r < 0) {
		free(l);
		return r;
	}
	*l = (struct core_link){
		.cfg = *cfg,
		.id = id,
		.strategy.limit = cfg->active,
		.controller = { .fixed_blocks = cfg->fixed_blocks,
				.buffer_bytes = cfg->buffer_bytes },
		.view.active = 1,
		.starved.last = UINT32_MAX,
	};
	dw_gate_init(&l->gate, 1, 0);
	if (cfg->strategy->init)
		r = cfg->strategy->init(&l->strategy);
	if (!r && cfg->controller->init)
		r = cfg->controller->init(&l->controller);
	if (r < 0) {
		if (cfg->strategy->free)
			cfg->strategy->free(&l->strategy);
		free(l);
		return r;
	}
	c->n_links += id == c->n_links;
	c->link[id] = l;
	*ret_link = id;
	return 0;
}

void dw_core_link_drop(struct dw_core *c, uint32_t link)
{
	struct core_link *l = c->link[link], *before = NULL;

	for (struct core_link *i = c->next.link; l->due && i != l; i = i->due_next)
		before = i;
	if (l->due)
		*(before ? &before->due_next : &c->next.link) = l->due_next;
	if (l->due && c->next.link_end == l)
		c->next.link_end = before;
	c->link[link] = NULL;
	core_link_free(l);
}

void core_link_free(struct core_link *l)
{
	if (l->cfg.strategy->free)
		l->cfg.strategy->free(&l->strategy);
	if (l->cfg.controller->free)
		l->cfg.controller->free(&l->controller);
	free(l->disk);
	free(l->view_disk);
	free(l->ready);
	free(l->vacant);
	free(l);
}

static int reserve_link(struct core_link *l)
{
	uint32_t cap = l->cap ? 2 * l->cap : 16;

	if (l->view.n < l->cap)
		return 0;
	if (dw_grow(&l->disk, l->cap, cap, sizeof(struct core_disk *)) < 0 ||
	    dw_grow(&l->ready, l->cap, cap, sizeof(*l->ready)) < 0 ||
	    dw_grow(&l->vacant, l->cap, cap, sizeof(*l->vacant)) < 0 ||
	    dw_grow(&l->view_disk, l->cap, cap, sizeof(*l->view_disk)) < 0)
		return -ENOMEM;
	l->cap = cap;
	l->view.disk = l->view_disk;
	l->view.ready = l->ready;
	for (uint32_t i = 0; i < l->view.n; i++)
		if (l->disk[i])
			l->disk[i]->view = &l->view_disk[i];
	return 0;
}

int core_link_take(struct core_link *l, struct core_disk *d)
{
	int r = l->n_vacant ? 0 : reserve_link(l);

	if (r < 0)
		return r;
	d->link = l;
	d->place = l->n_vacant ? l->vacant[--l->n_vacant] : l->view.n++;
	d->view = &l->view_disk[d->place];
	*d->view = (struct dw_view_disk){ .out = true };
	l->disk[d->place] = d;
	return 0;
}

void core_link_leave(struct core_link *l, struct core_disk *d)
{
	*d->view = (struct dw_view_disk){ .out = true };
	l->disk[d->place] = NULL;
	if (l->starved.last == d->place)
		l->starved.last = UINT32_MAX;
	if (l->reset == d->place)
		l->reset_ns = 0;
	if (l->hung == d)
		l->hung = NULL;
	l->vacant[l->n_vacant++] = d->place;
}

static void count_active(struct core_link *l)
{
	uint32_t n = l->cfg.strategy->concurrency(&l->strategy, l->view.unfinished);

	l->view.active = n ? n : 1;
}

bool core_link_needed(const struct core_disk *d)
{
	uint8_t phase =
		d->state.phase == DW_CORE_WAITING ? d->flush.after : d->state.phase;

	return phase != DW_CORE_OPERATE && phase != DW_CORE_CYCLE &&
	       phase != DW_CORE_CONTROL && phase != DW_CORE_COMPARE;
}

/* disks on links that share the limit of @l */
static uint32_t admitted_elsewhere(const struct dw_core *c, const struct core_link *l)
{
	uint32_t n = 0;

	if (!l->cfg.shared || !l->strategy.limit)
		return 0;
	for (uint32_t i = 0; i < c->n_links; i++) {
		const struct core_link *o = c->link[i];

		if (o && o != l && o->cfg.shared == l->cfg.shared)
			n += dw_strategy_admitted(o->cfg.strategy, &o->strategy,
						  o->view.unfinished);
	}
	return n;
}

/* the place that a disk of @l leaves may be that of another link's: those come first, so that
 * links take turns */
static void touch_sharing(struct dw_core *c, const struct core_link *l)
{
	for (uint32_t i = 0; i < c->n_links && l->cfg.shared; i++)
		if (c->link[i] && c->link[i] != l &&
		    c->link[i]->cfg.shared == l->cfg.shared)
			core_link_touch(c, c->link[i]);
}

int core_link_in(struct dw_core *c, struct core_disk *d)
{
	struct core_link *l = d->link;
	int r = 0;

	if (!core_link_needed(d))
		return 0;
	d->view->out = false;
	l->view.unfinished++;
	count_active(l);
	if (l->cfg.strategy->disk_in)
		r = l->cfg.strategy->disk_in(&l->strategy, &l->view, d->place);
	if (r < 0) {
		d->view->out = true;
		l->view.unfinished--;
		count_active(l);
		return r;
	}
	if (l->cfg.controller->disk_in)
		r = l->cfg.controller->disk_in(&l->controller, &l->view, d->place);
	if (r < 0)
		core_link_out(c, d);
	return r;
}

int core_link_back(struct dw_core *c, struct core_disk *d)
{
	if (!d->view->out)
		return 0;
	d->state.ns.back = c->now_ns;
	d->view->expected_ns =
		0; /* last of those that wait: the estimate was for the whole disk */
	return core_link_in(c, d);
}

void core_link_out(struct dw_core *c, struct core_disk *d)
{
	struct core_link *l = d->link;

	if (d->view->out)
		return;
	d->view->out = true;
	l->view.unfinished--;
	count_active(l);
	if (l->cfg.strategy->disk_out)
		l->cfg.strategy->disk_out(&l->strategy, &l->view, d->place);
	if (l->cfg.controller->disk_out)
		l->cfg.controller->disk_out(&l->controller, &l->view, d->place);
	touch_sharing(c, l);
	core_aside_wake(c, l);
}

void core_link_touch(struct dw_core *c, struct core_link *l)
{
	if (l->due)
		return;
	l->due = true;
	l->due_next = NULL;
	*(c->next.link ? &c->next.link_end->due_next : &c->next.link) = l;
	c->next.link_end = l;
}

/* the controller's choice, within what the disk can take in the phase in hand */
static void apply_depth(struct dw_core *c, struct core_disk *d)
{
	struct core_link *l = d->link;
	struct dw_pick pick = { .depth = 1 };
	uint32_t depth;

	d->view->most = core_disk_most(d);
	d->view->max = core_disk_limit(d);
	if (d->view->out)
		return;
	l->cfg.controller->pick(&l->controller, &l->view, d->place, &pick);
	depth = (uint32_t)dw_max_u64(1, dw_min_u64(pick.depth, d->view->most));
	if (depth == d->state.steer.depth)
		return;
	d->state.steer.depth = depth;
	c->changes++;
	if (!d->state.fenced) /* else lifting the fence renews it */
		core_emit(c, d, DW_VERB_DEPTH, NULL, 0);
}

void core_link_update(struct dw_core *c, struct core_disk *d)
{
	struct core_link *l = d->link;
	struct dw_view_disk *v = d->view;
	bool ready;

	apply_depth(c, d);
	v->left = dw_cursor_left(&d->cursor);
	v->transfers = d->transfers;
	v->depth = d->state.steer.depth;
	v->room = core_disk_room(d);
	ready = v->room > 0;
	if (ready && d->in_ready == UINT32_MAX) {
		d->in_ready = l->view.n_ready;
		l->ready[l->view.n_ready++] = d->place;
	} else if (!ready && d->in_ready != UINT32_MAX) {
		uint32_t last = l->ready[--l->view.n_ready];

		l->ready[d->in_ready] = last;
		l->disk[last]->in_ready = d->in_ready;
		d->in_ready = UINT32_MAX;
	}
	core_link_touch(c, l);
}

static int history_add(struct core_schedule *s, const struct core_disk *d,
		       bool new_column)
{
	struct dw_history_run *last = s->n ? &s->run[s->n - 1] : NULL;

	if (last && !new_column && last->disk == d->id) {
		last->count++;
		return 0;
	}
	if (dw_room(&s->run, s->n, &s->cap, sizeof(*s->run)) < 0)
		return -ENOMEM;
	s->columns += new_column;
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): no capacity without an array */
	s->run[s->n++] = (struct dw_history_run){
		.disk = d->id,
		.link = d->link->id,
		.column = s->columns - 1,
		.count = 1,
	};
	return 0;
}

/* consecutive columns that name the same single disk are one column */
static void record_column(struct dw_core *c, const struct core_link *l)
{
	const struct dw_column *col = &c->column;
	struct core_schedule *s = &c->schedule;
	bool single = true, merge;

	for (uint32_t i = 1; i < col->n; i++)
		single = single && col->entry[i] == col->entry[0];
	merge = single && s->single && s->n &&
		s->run[s->n - 1].disk == l->disk[col->entry[0]]->id;
	for (uint32_t i = 0; i < col->n; i++)
		core_set_error(c, history_add(s, l->disk[col->entry[i]], !merge && !i));
	s->single = single;
}

/* Orders a column that is longer than the room of the window by the turns of its disks. */
static void cut_column(struct dw_column *col, const struct core_link *l, uint32_t room)
{
	uint32_t n = l->view.n;

	for (uint32_t i = 0; i < room; i++) {
		uint32_t best = i, last = i ? col->entry[i - 1] : l->gate.turn, disk;

		for (uint32_t k = i; k < col->n; k++)
			if ((col->entry[k] + n - last - 1) % n <
			    (col->entry[best] + n - last - 1) % n)
				best = k;
		disk = col->entry[best];
		col->entry[best] = col->entry[i];
		col->entry[i] = disk;
	}
	col->n = room;
}

/* one column; false when the strategy wants to wait */
static bool send_column(struct dw_core *c, struct core_link *l)
{
	struct dw_column *col = &c->column;
	uint32_t sent = 0;

	col->n = 0;
	l->strategy.elsewhere = admitted_elsewhere(c, l);
	core_set_error(c, l->cfg.strategy->next(&l->strategy, &l->view, col));
	if (col->n > dw_gate_room(&l->gate))
		cut_column(col, l, dw_gate_room(&l->gate));
	for (uint32_t i = 0; i < col->n; i++)
		if (core_disk_send(c, l->disk[col->entry[i]]))
			col->entry[sent++] = col->entry[i];
	col->n = sent;
	for (uint32_t i = 0; i < sent; i++)
		core_link_update(c, l->disk[col->entry[i]]);
	if (sent && c->schedule.recorders)
		record_column(c, l);
	c->step += sent > 0;
	return sent;
}

/* When the gate is to be checked, if any disk waits for it. */
static void watch_gate(struct dw_core *c, struct core_link *l)
{
	uint64_t ns = UINT64_MAX, before = l->timer_ns;

	if (l->view.n_ready && l->gate.share <= 0)
		ns = c->now_ns + SHUT_NS;
	else if (l->view.n_ready)
		ns = dw_gate_opens_ns(&l->gate);
	l->timer_ns = ns == UINT64_MAX ? 0 : ns;
	if (l->timer_ns && l->timer_ns != before)
		core_set_error(c, dw_heap_push(&c->timers, ns, CORE_LINK_TIMER | l->id));
}

void core_link_send(struct dw_core *c, struct core_link *l)
{
	dw_gate_advance(&l->gate, c->now_ns);
	if (dw_gate_open(&l->gate))
		while (send_column(c, l) && !c->error)
			;
	watch_gate(c, l);
}

void core_link_observe(struct dw_core *c, const struct core_disk *d,
		       const struct core_slot *s, const struct dw_result *r)
{
	struct core_link *l = d->link;
	struct dw_observation o = {
		.disk = d->place,
		.verb = s->verb,
		.class = r->class,
		.blocks = s->extent.nlb,
		.service_ns = r->end_ns - r->start_ns,
		.end_ns = r->end_ns,
		.host_ns = r->host_ns,
	};

	core_set_error(c, l->cfg.controller->observe(&l->controller, &l->view, &o));
}

void dw_core_share(struct dw_core *c, uint32_t link, double share, uint64_t quantum_ns)
{
	struct core_link *l = c->link[link];

	dw_gate_advance(&l->gate, c->now_ns);
	l->gate.share = share;
	if (quantum_ns)
		l->gate.quantum_ns = quantum_ns;
	core_link_touch(c, l);
}

uint64_t dw_core_on_ns(struct dw_core *c, uint32_t link)
{
	dw_gate_advance(&c->link[link]->gate, c->now_ns);
	return c->link[link]->gate.on_ns;
}

int dw_core_priority(struct dw_core *c, uint32_t disk, int32_t priority)
{
	struct core_disk *d = c->disk[disk];
	bool waits = d->state.phase == DW_CORE_WAITING && !d->view->out;

	if (waits)
		core_link_out(c, d);
	d->view->priority = priority;
	core_touch(c, d);
	return waits ? core_link_in(c, d) : 0;
}

uint64_t dw_core_still(const struct dw_core *c)
{
	uint64_t ns = UINT64_MAX;

	for (uint32_t i = 0; i < c->n_links; i++) {
		const struct core_link *l = c->link[i];

		if (l && l->view.unfinished && l->cfg.controller->still)
			ns = dw_min_u64(ns, l->cfg.controller->still(&l->controller));
	}
	return ns;
}

uint64_t dw_core_leapt(struct dw_core *c, uint32_t link, uint64_t ns, double rate)
{
	struct core_link *l = link < c->n_links ? c->link[link] : NULL;

	if (!l || !l->cfg.controller->leapt)
		return 0;
	return l->cfg.controller->leapt(&l->controller, &l->view, ns, rate);
}

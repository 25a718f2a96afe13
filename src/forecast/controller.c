/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A controller takes commands in the order in which they come, as many as its queue and its
 * buffer hold; a command keeps its room until it has ended. Its processor takes a fixed time
 * for each. A transfer longer than the buffer passes it in loads, each after the first at
 * a price.
 */
#include "base/util.h"
#include "forecast/world.h"

static struct sim_controller *controller_of(struct sim_world *w, const struct sim_op *o)
{
	uint32_t c = w->disk[o->disk].controller[o->path];

	return c == STATION_NONE ? NULL : &w->controller[c];
}

static uint64_t room_for(const struct sim_controller *c, const struct sim_op *o)
{
	return c->buffer ? dw_min_u64(o->bus_bytes, c->buffer) : 0;
}

static bool has_room(const struct sim_controller *c, const struct sim_op *o)
{
	if (c->queue && c->at >= c->queue)
		return false;
	return !c->buffer || c->used + room_for(c, o) <= c->buffer;
}

static void admit_op(struct sim_world *w, struct sim_controller *c, uint32_t i)
{
	struct sim_op *o = &w->op[i];
	uint64_t at = dw_max_u64(w->now_ns, c->cpu_free_ns) + c->command_ns;

	c->cpu_free_ns = at;
	c->at++;
	o->admitted = true;
	o->held = room_for(c, o);
	c->used += o->held;
	if (c->buffer && o->bus_bytes > c->buffer)
		at += (o->bus_bytes - 1) / c->buffer * c->overflow_ns;
	sim_arrive_at(w, i, at);
}

void sim_controller_enter(struct sim_world *w, uint32_t i)
{
	struct sim_op *o = &w->op[i];
	struct sim_controller *c = controller_of(w, o);

	if (!c) {
		sim_arrive_at(w, i, w->now_ns);
	} else if (!c->wait.n && has_room(c, o)) {
		admit_op(w, c, i);
	} else {
		o->phase = SIM_HELD;
		sim_list_add(w, &c->wait, i);
	}
}

void sim_controller_leave(struct sim_world *w, uint32_t i)
{
	struct sim_op *o = &w->op[i];
	struct sim_controller *c = controller_of(w, o);

	if (!c || !o->admitted)
		return;
	o->admitted = false;
	c->at--;
	c->used -= o->held;
	while (c->wait.n && has_room(c, &w->op[c->wait.head]))
		admit_op(w, c, sim_list_take(w, &c->wait));
}

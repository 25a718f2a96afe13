/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The world: disks in virtual time behind the interface of a transport. A heap holds what is
 * to happen; reap moves the clock from one event to the next until a command has ended, or to
 * its deadline. Nothing else moves the clock, so that what the core does takes no time.
 */
#include "forecast/leap.h"

#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "scsi/cdb.h"
#include "scsi/sense.h"
#include "forecast/load.h"
#include "transport/guard.h"

#define TIMED_OUT    0x03 /* DID_TIME_OUT */
#define OPS_AT_FIRST 64

static struct sim_world *world_of(struct dw_transport *t)
{
	return dw_container_of(t, struct sim_world, base);
}

void sim_list_add(struct sim_world *w, struct sim_list *l, uint32_t i)
{
	w->op[i].next = SIM_NONE;
	if (l->n++)
		w->op[l->tail].next = i;
	else
		l->head = i;
	l->tail = i;
}

uint32_t sim_list_take(struct sim_world *w, struct sim_list *l)
{
	uint32_t i = l->head;

	if (!l->n)
		return SIM_NONE;
	l->head = w->op[i].next;
	l->n--;
	return i;
}

static uint32_t op_new(struct sim_world *w)
{
	uint32_t i = w->free_op;

	if (i == SIM_NONE) {
		uint32_t n = w->n_ops ? 2 * w->n_ops : OPS_AT_FIRST;
		struct sim_op *v = realloc(w->op, n * sizeof(*v));

		if (!v)
			return SIM_NONE;
		w->op = v;
		for (i = n; i-- > w->n_ops;) {
			v[i] = (struct sim_op){ .next = w->free_op };
			w->free_op = i;
		}
		w->n_ops = n;
		i = w->free_op;
	}
	w->free_op = w->op[i].next;
	return i;
}

static void op_free(struct sim_world *w, uint32_t i)
{
	w->op[i].cmd = NULL;
	w->op[i].event++;
	w->op[i].next = w->free_op;
	w->free_op = i;
}

/* an earlier event of the op counts no more */
void sim_event(struct sim_world *w, uint32_t i, uint64_t ns, uint8_t phase)
{
	struct sim_op *o = &w->op[i];
	uint64_t tag = (uint64_t)(++o->event & 0x7fffffff) << 32 | i;

	o->phase = phase;
	if (dw_heap_push(&w->due, ns, tag) < 0)
		w->error = -ENOMEM;
}

static void post_fault(struct sim_world *w, uint32_t disk, uint32_t fault)
{
	uint64_t at = SIM_START_NS + w->disk[disk].spec->fault[fault].at_ns;

	if (dw_heap_push(&w->faults, at, (uint64_t)fault << 32 | disk) < 0)
		w->error = -ENOMEM;
	w->fault_ns = dw_heap_peek(&w->faults);
}

/* nobody waits longer than the timeout */
void sim_end(struct sim_world *w, uint32_t i, uint64_t ns)
{
	struct sim_op *o = &w->op[i];
	uint64_t patience = o->start_ns + o->cmd->timeout_ms * DW_NS_PER_MS;

	if (ns > patience) {
		ns = dw_max_u64(patience, w->now_ns);
		o->host_status = TIMED_OUT;
		o->status = 0;
	}
	sim_event(w, i, ns, SIM_DONE);
}

static void op_arrives(struct sim_world *w, uint32_t i)
{
	struct sim_op *o = &w->op[i];
	struct sim_disk *d = &w->disk[o->disk];

	o->here = true;
	d->here++;
	if (sim_fault_command(w, d, o))
		sim_end(w, i,
			o->info ? sim_disk_arm(d, o->lba)->media_free_ns : w->now_ns);
	else
		sim_disk_arrive(w, i);
}

void sim_arrive_at(struct sim_world *w, uint32_t i, uint64_t ns)
{
	ns += w->disk[w->op[i].disk].spec->overhead_ns;
	if (ns > w->now_ns)
		sim_event(w, i, ns, SIM_ARRIVE);
	else
		op_arrives(w, i);
}

static void make_ready(struct sim_world *w, uint32_t i)
{
	w->op[i].phase = SIM_READY;
	sim_list_add(w, &w->ready, i);
}

/* give back what has not been at the device */
static void give_back_op(struct sim_world *w, uint32_t i, int err)
{
	w->op[i].err = err;
	w->op[i].start_ns = 0;
	w->op[i].end_ns = w->now_ns;
	make_ready(w, i);
}

static void cancel_queue(struct sim_world *w, struct sim_disk *d)
{
	uint32_t i;

	while ((i = sim_list_take(w, &d->queue)) != SIM_NONE)
		give_back_op(w, i, -ECANCELED);
}

static void fence(struct sim_world *w, struct sim_disk *d)
{
	d->fenced = true;
	cancel_queue(w, d);
}

static void start_op(struct sim_world *w, struct sim_disk *d, uint32_t i)
{
	struct sim_op *o = &w->op[i];

	if (dw_guard_check(&d->target, o->cmd) < 0) {
		give_back_op(w, i, -EPERM);
		fence(w, d);
		return;
	}
	o->start_ns = w->now_ns;
	o->path = sim_bus_choose(w, d);
	o->out = true;
	d->at++;
	if (w->leap && o->kind == SIM_FLUSH)
		sim_leap_flush(w, d);
	if (w->observer.begun)
		w->observer.begun(w->observer.ctx, d->unit, o->cmd, d->at);
	sim_controller_enter(w, i);
}

static void send_next(struct sim_world *w, struct sim_disk *d)
{
	while (d->queue.n && d->at < d->target.depth)
		start_op(w, d, sim_list_take(w, &d->queue));
}

static void fill_completion(struct sim_world *w, const struct sim_op *o,
			    struct dw_completion *ret)
{
	o->cmd->submit_ns = o->submit_ns + w->leapt_ns;
	*ret = (struct dw_completion){
		.cmd = o->cmd,
		.cookie = o->cmd->cookie,
		.handle = o->disk,
		.err = o->err,
		.status = o->status,
		.host_status = o->host_status,
		.resid = o->resid,
		.start_ns = o->start_ns ? o->start_ns + w->leapt_ns : 0,
		.end_ns = o->end_ns + w->leapt_ns,
		.host_ns = w->station->host_ns ? w->station->host_ns : STATION_HOST_NS,
	};
	if (o->kind == SIM_OWN && !o->status && !o->host_status && !o->err)
		sim_own_answer(w, &w->disk[o->disk], ret);
	if (o->status)
		ret->sense_len = (uint8_t)sim_fault_put_sense(o, ret->sense);
}

static void finish(struct sim_world *w, uint32_t i)
{
	struct sim_op *o = &w->op[i];
	struct sim_disk *d = &w->disk[o->disk];
	bool good;

	if (o->kind == SIM_OTHER && !o->status && !o->host_status)
		sim_answer(w, d, o);
	o->end_ns = w->now_ns;
	o->out = false;
	d->at--;
	d->here -= o->here;
	good = !o->host_status &&
	       (!o->status || (o->kind == SIM_COMPARE && o->key == DW_KEY_MISCOMPARE));
	if (good && (o->kind == SIM_WRITE || o->kind == SIM_SAME))
		sim_odd_wrote(w, d, o);
	if (w->leap && good && o->nlb)
		sim_leap_done(w, d, o);
	sim_controller_leave(w, i);
	if (w->observer.ended)
		w->observer.ended(w->observer.ctx, d->unit, o->cmd, good);
	/* a page that is not known is an answer, but fences as on any transport */
	make_ready(w, i);
	if (!good)
		fence(w, d);
	send_next(w, d);
}

/* a disk that hangs ends nothing, except that the host loses patience */
static bool hangs(struct sim_world *w, uint32_t i)
{
	struct sim_op *o = &w->op[i];
	struct sim_disk *d = &w->disk[o->disk];

	if (w->now_ns >= d->stalled_ns || o->host_status)
		return false;
	sim_end(w, i, d->stalled_ns);
	return true;
}

static void happen(struct sim_world *w, uint64_t tag)
{
	uint32_t i = (uint32_t)tag;
	struct sim_op *o;

	if (tag & SIM_LOAD_TAG) {
		sim_loads_happen(w, i);
		return;
	}
	o = &w->op[i];
	if ((o->event & 0x7fffffff) != tag >> 32)
		return;
	switch ((enum sim_phase)o->phase) {
	case SIM_ARRIVE:
		op_arrives(w, i);
		break;
	case SIM_MOVE:
		sim_disk_move(w, i);
		break;
	case SIM_SEND:
		sim_end(w, i, sim_bus_move(w, &w->disk[o->disk], o));
		break;
	case SIM_DONE:
		if (!hangs(w, i))
			finish(w, i);
		break;
	default:
		break;
	}
}

static int take_ready(struct sim_world *w, struct dw_completion *out, size_t max)
{
	size_t n = 0;
	uint32_t i;

	while (n < max && (i = sim_list_take(w, &w->ready)) != SIM_NONE) {
		fill_completion(w, &w->op[i], &out[n++]);
		op_free(w, i);
	}
	return (int)n;
}

/* the next thing happens, unless it is later than @until */
static bool next_event(struct sim_world *w, uint64_t until)
{
	uint64_t ns = dw_heap_peek(&w->due);
	struct dw_heap_item item;

	if (dw_min_u64(ns, w->fault_ns) > until)
		return false;
	if (w->fault_ns < ns) {
		dw_heap_pop(&w->faults, &item);
		w->now_ns = w->fault_ns;
		ns = dw_heap_peek(&w->faults);
		w->fault_ns = ns == UINT64_MAX ? ns : ns - w->leapt_ns;
		sim_fault_happen(w, (uint32_t)item.tag, (uint32_t)(item.tag >> 32));
		return true;
	}
	if (!dw_heap_pop(&w->due, &item))
		return false;
	w->now_ns = dw_max_u64(w->now_ns, item.ns);
	happen(w, item.tag);
	return true;
}

void sim_world_begin(struct sim_world *w, uint64_t now_ns)
{
	uint64_t shift = now_ns - w->now_ns - w->leapt_ns;

	w->gone_err = -ENODEV;
	w->leapt_ns += shift;
	for (size_t i = 0; i < w->faults.n; i++) /* their order stays */
		w->faults.v[i].ns += shift;
}

int sim_world_advance(struct sim_world *w, uint64_t until_ns)
{
	uint64_t until = until_ns - dw_min_u64(until_ns, w->leapt_ns);

	while (!w->error && next_event(w, until))
		;
	w->now_ns = dw_max_u64(w->now_ns, until);
	return w->error;
}

uint64_t sim_world_next(const struct sim_world *w)
{
	uint64_t ns = dw_min_u64(dw_heap_peek(&w->due), w->fault_ns);

	if (w->ready.n || w->error)
		return w->now_ns + w->leapt_ns;
	return ns == UINT64_MAX ? ns : ns + w->leapt_ns;
}

static int reap(struct dw_transport *t, struct dw_completion *out, size_t max,
		uint64_t deadline_ns)
{
	struct sim_world *w = world_of(t);
	uint64_t until = w->now_ns;

	if (deadline_ns == UINT64_MAX)
		until = UINT64_MAX;
	else if (deadline_ns > until + w->leapt_ns)
		until = deadline_ns - w->leapt_ns;
	while (!w->ready.n && !w->error && next_event(w, until))
		;
	if (w->error)
		return w->error;
	if (!w->ready.n && deadline_ns != UINT64_MAX)
		w->now_ns = until;
	return take_ready(w, out, max);
}

static uint8_t kind_of_extent(const struct dw_cdb_extent *x)
{
	switch (x->verb) {
	case DW_EXTENT_WRITE:
		return SIM_WRITE;
	case DW_EXTENT_WRITE_SAME:
		return SIM_SAME;
	case DW_EXTENT_READ:
		return SIM_READ;
	case DW_EXTENT_SYNC:
		return SIM_FLUSH;
	case DW_EXTENT_VERIFY:
		return x->bytchk == DW_BYTCHK_ONE ? SIM_COMPARE : SIM_OTHER;
	default:
		return SIM_OTHER;
	}
}

static void read_command(struct sim_world *w, const struct sim_disk *d, struct sim_op *o,
			 struct dw_cmd *cmd)
{
	uint32_t event = o->event;
	struct dw_cdb_extent x;

	*o = (struct sim_op){ .cmd = cmd, .disk = d->unit, .event = event };
	o->kind = cmd->cdb[0] == DW_OPCODE_SANITIZE ||
				  cmd->cdb[0] == DW_OPCODE_REQUEST_SENSE
			  ? SIM_OWN
			  : SIM_OTHER;
	if (dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x) < 0)
		return;
	o->kind = kind_of_extent(&x);
	if (o->kind == SIM_FLUSH || o->kind == SIM_OTHER)
		return;
	o->lba = x.lba;
	o->nlb = x.nlb;
	o->bytes = (uint64_t)x.nlb * d->spec->sector;
	o->bus_bytes = cmd->data_len;
}

static int submit(struct dw_transport *t, uint32_t handle, struct dw_cmd *cmd)
{
	struct sim_world *w = world_of(t);
	struct sim_disk *d = &w->disk[handle];
	uint32_t i;

	if (d->queue.n >= d->target.depth + DW_AHEAD_MAX)
		return -EAGAIN;
	i = op_new(w);
	if (i == SIM_NONE)
		return -ENOMEM;
	read_command(w, d, &w->op[i], cmd);
	w->op[i].submit_ns = w->now_ns;
	if (d->fenced && !dw_guard_passes_fence(cmd)) {
		give_back_op(w, i, -ECANCELED);
		return 0;
	}
	sim_list_add(w, &d->queue, i);
	send_next(w, d);
	return 0;
}

static int attach_target(struct dw_transport *t, const struct dw_target *target,
			 uint32_t *ret_handle)
{
	struct sim_world *w = world_of(t);
	struct sim_disk *d;

	if (target->sg_fd < 0 || (uint32_t)target->sg_fd >= w->n_disks)
		return -ENODEV;
	d = &w->disk[target->sg_fd];
	if (d->attached)
		return -EBUSY;
	d->target = *target;
	d->attached = true;
	d->fenced = false;
	*ret_handle = d->unit;
	return 0;
}

static void detach(struct dw_transport *t, uint32_t handle)
{
	world_of(t)->disk[handle].attached = false;
}

static void flush(struct dw_transport *t)
{
}

static void wake(struct dw_transport *t)
{
}

static void cancel(struct dw_transport *t, uint32_t handle)
{
	struct sim_world *w = world_of(t);

	cancel_queue(w, &w->disk[handle]);
}

static void unfence(struct dw_transport *t, uint32_t handle)
{
	world_of(t)->disk[handle].fenced = false;
}

static void set_permits(struct dw_transport *t, uint32_t handle, uint32_t permits)
{
	world_of(t)->disk[handle].target.permits = permits;
}

static void set_depth(struct dw_transport *t, uint32_t handle, uint32_t depth)
{
	struct sim_world *w = world_of(t);

	w->disk[handle].target.depth = depth;
	send_next(w, &w->disk[handle]);
}

static int no_fd(struct dw_transport *t)
{
	return -1;
}

static uint64_t sim_now(struct dw_transport *t)
{
	struct sim_world *w = world_of(t);

	return w->now_ns + w->leapt_ns;
}

static void free_sim_world(struct dw_transport *t)
{
	struct sim_world *w = world_of(t);

	dw_heap_deinit(&w->due);
	dw_heap_deinit(&w->faults);
	free(w->leap);
	sim_loads_free(w->loads);
	free(w->server);
	free(w->controller);
	for (uint32_t i = 0; i < w->n_disks && w->disk; i++)
		dw_extents_deinit(&w->disk[i].odd);
	free(w->disk);
	free(w->op);
	free(w);
}

static const struct dw_transport_ops ops = {
	.attach = attach_target,
	.detach = detach,
	.submit = submit,
	.flush = flush,
	.reap = reap,
	.wake = wake,
	.cancel = cancel,
	.unfence = unfence,
	.set_permits = set_permits,
	.set_depth = set_depth,
	.fd = no_fd,
	.now = sim_now,
	.free = free_sim_world,
};

static void init_nodes(struct sim_world *w, const struct dw_station *s)
{
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		const struct station_node *n = &s->node[i];

		w->server[i] = (struct sim_server){
			.ns_per_byte = n->rate ? 1e9 / (double)n->rate : 0,
			.command_ns = n->kind == STATION_BUS ? n->command_ns : 0,
			.up = n->on,
			.parallel = n->parallel,
			.retry = n->retry,
		};
		w->controller[i] = (struct sim_controller){
			.command_ns = n->command_ns,
			.buffer = n->buffer,
			.queue = n->queue,
			.overflow_ns = n->overflow_ns,
			.wait = { SIM_NONE, SIM_NONE, 0 },
		};
	}
}

/* which controller a path leads to, and whether a bus on it does not queue */
static void trace_path(struct sim_world *w, struct sim_disk *d, uint32_t path)
{
	uint32_t at = path < d->spec->n_on ? d->spec->on[path] : STATION_NONE;

	d->controller[path] = STATION_NONE;
	for (; at != STATION_NONE; at = w->server[at].up) {
		d->retries[path] |= w->server[at].retry;
		if (w->station->node[at].kind == STATION_CONTROLLER)
			d->controller[path] = at;
	}
}

static void init_disk(struct sim_world *w, uint32_t unit, const struct station_disk *spec,
		      uint64_t seed)
{
	struct sim_disk *d = &w->disk[unit];

	sim_disk_init(d, spec, seed + unit * UINT64_C(0x9e3779b97f4a7c15));
	d->unit = unit;
	trace_path(w, d, 0);
	trace_path(w, d, 1);
	for (uint32_t f = 0; f < spec->n_faults; f++) {
		if (spec->fault[f].kind == STATION_ABORT)
			d->chance = spec->fault[f].share;
		else if (spec->fault[f].kind >= STATION_STALL)
			post_fault(w, unit, f);
	}
	if (d->chance > 0)
		sim_fault_draw(d);
}

int sim_world_new(const struct dw_station *station, uint64_t seed, bool coarse,
		  struct sim_world **ret)
{
	struct sim_world *w = calloc(1, sizeof(*w));
	uint32_t unit = 0;

	if (!w)
		return -ENOMEM;
	w->base.ops = &ops;
	w->station = station;
	w->fault_ns = UINT64_MAX;
	w->now_ns = SIM_START_NS;
	w->free_op = SIM_NONE;
	w->n_disks = station->n_units;
	w->server = calloc(station->n_nodes + 1, sizeof(*w->server));
	w->controller = calloc(station->n_nodes + 1, sizeof(*w->controller));
	w->disk = calloc(w->n_disks, sizeof(*w->disk));
	if (!w->server || !w->controller || !w->disk) {
		free_sim_world(&w->base);
		return -ENOMEM;
	}
	init_nodes(w, station);
	if (!coarse && sim_loads_new(w, seed, &w->loads) < 0) {
		free_sim_world(&w->base);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < station->n_disks; i++)
		for (uint64_t k = 0; k < station->disk[i].count; k++)
			init_disk(w, unit++, &station->disk[i], seed);
	if (w->error || (coarse && sim_leap_new(w) < 0)) {
		free_sim_world(&w->base);
		return -ENOMEM;
	}
	*ret = w;
	return 0;
}

const struct station_disk *sim_world_disk(const struct dw_station *station, uint32_t unit,
					  uint32_t *ret_index)
{
	uint32_t i = 0;

	while (unit >= station->disk[i].count)
		unit -= (uint32_t)station->disk[i++].count;
	*ret_index = unit;
	return &station->disk[i];
}

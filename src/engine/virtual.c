/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Virtual disks: added by their description, or found and opened in real time. */
#include "engine/virtual.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/rng.h"
#include "base/util.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/plan.h"
#include "engine/resets.h"
#include "engine/slots.h"
#include "judge/verdict.h"
#include "scsi/opcodes.h"

#define AHEAD 8

/** struct virtual_world - the transport that was passed in */
struct virtual_world {
	struct dw_world base;
	struct dw_virtual v;
};

static const struct dw_virtual *virtual_of(struct dw_world *w)
{
	return &dw_container_of(w, struct virtual_world, base)->v;
}

static uint64_t virtual_now(struct dw_world *w)
{
	struct dw_transport *t = virtual_of(w)->transport;

	return t->ops->now(t);
}

/* the same on every run */
static struct timespec virtual_time_of_day(struct dw_world *w, uint64_t now_ns)
{
	struct timespec t = virtual_of(w)->epoch;

	now_ns += (uint64_t)t.tv_nsec;
	t.tv_sec += (time_t)(now_ns / DW_NS_PER_S);
	t.tv_nsec = (long)(now_ns % DW_NS_PER_S);
	return t;
}

static int prepare(struct dw_world *w, struct job_disk *d, struct dw_error *err)
{
	(void)w;
	(void)err;
	if (dw_caps_switch_cache(&d->caps, d->job->spec.write_cache)) {
		d->cache.switched = true;
		d->caps.cache.wce = DW_YES;
	}
	return 0;
}

static int attach_unit(struct dw_world *w, struct job_disk *d)
{
	struct dw_target target = {
		.sg_fd = d->place.unit,
		.blk_fd = -1,
		.permits = DW_OPCLASS_READ,
		.block_size = d->caps.block_size,
		.blocks = d->caps.blocks,
		.depth = 1, /* the core says when it is to be more */
		.max_bytes = d->plan.const_max * d->plan.block_size,
		.lease = job_lease(d),
	};

	if (!d->job->spec.verify_only)
		target.permits |=
			DW_OPCLASS_CONTROL | DW_OPCLASS_WRITE | job_plan_permit(&d->plan);
	d->place.transport = virtual_of(w)->transport;
	return d->place.transport->ops->attach(d->place.transport, &target,
					       &d->place.handle);
}

/* The blocks have no contents: nothing is sent, and what is read is as it was. What is planted is
 * not what others share. */
static int skip_contents(struct job_disk *d, struct job_slot *s)
{
	static uint8_t nothing;

	(void)d;
	s->cmd.data = &nothing;
	if (!(s->op.flags & DW_OP_PLANT))
		s->cmd.flags |= DW_CMD_CONST;
	s->cmd.pattern = s->op.pass;
	s->found.compared = s->op.nlb;
	s->found.n_runs = 0;
	return 0;
}

/* the loop takes no time here: more would cost the simulation some and gain nothing */
static void commands_ahead(const struct job_disk *d, struct dw_core_rules *rules)
{
	(void)d;
	rules->ahead = AHEAD;
}

static const char *way(struct dw_world *w, const struct job_disk *d)
{
	(void)d;
	return virtual_of(w)->path;
}

static int origin(struct dw_world *w, struct dw_job *job, uint64_t ret[2])
{
	struct dw_rng rng;

	(void)w;
	dw_rng_seed(&rng, job->spec.seed);
	ret[0] = dw_rng_next(&rng);
	ret[1] = dw_rng_next(&rng);
	return 0;
}

static bool count_simulated(struct dw_world *w, const struct dw_job *job,
			    struct dw_io_count *ret)
{
	const struct dw_virtual *v = virtual_of(w);

	(void)job;
	if (v->others)
		v->others(v->transport, ret);
	return v->others;
}

static int wiring(struct dw_world *w, const struct dw_job *job,
		  struct dw_trace_head *head)
{
	const struct dw_virtual *v = virtual_of(w);
	dw_autofree uint32_t *units = NULL;

	if (!v->wiring)
		return 0;
	units = calloc(job->n_disks, sizeof(*units));
	if (!units)
		return -ENOMEM;
	for (uint32_t i = 0; i < job->n_disks; i++)
		units[i] = (uint32_t)job->disk[i]->place.unit;
	return v->wiring(v->ctx, units, head);
}

static int leap(struct dw_world *w, struct dw_engine *e)
{
	const struct dw_virtual *v = virtual_of(w);

	return v->between ? v->between(v->transport, e) : 0;
}

/* --- in real time ---------------------------------------------------------- */

static void name_adapter(struct job_disk *d)
{
	const struct dw_virtual *v = virtual_of(d->job->engine->world);

	if (v->adapter)
		snprintf(d->place.adapter, sizeof(d->place.adapter), "%u",
			 v->adapter(v->ctx, (uint32_t)d->place.unit));
}

static void take_virtual(struct job_disk *d, const struct dw_virtual_disk *from)
{
	d->info = from->info;
	d->caps = from->caps;
	d->place.unit = (int)from->unit;
	d->place.pass_ns = from->pass_ns;
	name_adapter(d);
}

static int open_unit(struct dw_world *w, struct job_disk *d, const struct dw_disk *want,
		     struct dw_verdict *v)
{
	const struct dw_virtual *world = virtual_of(w);
	struct dw_virtual_disk found;
	int r = world->open(world->transport, &want->info, &d->job->spec, &found);

	if (r == -ENODEV)
		return dw_verdict_set(v, DW_REFUSAL_MISSING, "the disk has vanished");
	if (!r)
		take_virtual(d, &found);
	return r;
}

static int discover_units(struct dw_world *w, const char *path, struct dw_disk **ret,
			  size_t *ret_n)
{
	const struct dw_virtual *v = virtual_of(w);

	return v->discover(v->transport, path, ret, ret_n);
}

static struct timespec wall_clock(struct dw_world *w, uint64_t now_ns)
{
	struct timespec t;

	(void)w;
	(void)now_ns;
	clock_gettime(CLOCK_REALTIME, &t);
	return t;
}

/* Its records are among others: each run has a name of its own, and says what it is. */
static int live_origin(struct dw_world *w, struct dw_job *job, uint64_t ret[2])
{
	snprintf(job->result.simulation, sizeof(job->result.simulation), "%s",
		 virtual_of(w)->mode);
	return getrandom(ret, 2 * sizeof(*ret), 0) == 2 * sizeof(*ret) ? 0 : -EIO;
}

static void free_virtual(struct dw_world *w)
{
	free(dw_container_of(w, struct virtual_world, base));
}

static const struct dw_world_ops virtual_ops = {
	.now = virtual_now,
	.time_of_day = virtual_time_of_day,
	.prepare = prepare,
	.attach = attach_unit,
	.fill = skip_contents,
	.ahead = commands_ahead,
	.way = way,
	.origin = origin,
	.others = count_simulated,
	.wiring = wiring,
	.leap = leap,
	.free = free_virtual,
};

static const struct dw_world_ops live_ops = {
	.now = virtual_now,
	.time_of_day = wall_clock,
	.open = open_unit,
	.discover = discover_units,
	.prepare = prepare,
	.attach = attach_unit,
	.fill = skip_contents,
	.ahead = commands_ahead,
	.way = way,
	.origin = live_origin,
	.others = count_simulated,
	.wiring = wiring,
	.free = free_virtual,
	.simulated = true,
};

int dw_engine_take_virtual(struct dw_engine *e, const struct dw_virtual *v)
{
	struct virtual_world *w;
	int r;

	for (const struct dw_job *job = e->jobs; job; job = job->in.next)
		if (job->n_disks)
			return -EBUSY;
	for (uint32_t i = 0; i < ENGINE_TRANSPORTS; i++)
		if (e->transport[i])
			return -EBUSY;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	*w = (struct virtual_world){ .base.ops = v->open ? &live_ops : &virtual_ops,
				     .v = *v };
	r = v->open ? dw_loop_watch(e->loop, v->transport->ops->fd(v->transport)) : 0;
	if (r < 0) {
		free(w);
		return r;
	}
	e->world->ops->free(e->world);
	e->world = &w->base;
	e->transport[0] = v->transport;
	if (!v->open)
		dw_loop_inline(e->loop);
	return 0;
}

int dw_job_virtual(struct dw_job *job)
{
	struct dw_world *w = job->engine->world;
	struct dw_rng rng;

	if (job->n_disks || w->ops != &virtual_ops)
		return -EBUSY;
	if (virtual_of(w)->between && job->spec.background.kind != DW_BACKGROUND_OFF)
		return -EOPNOTSUPP;
	snprintf(job->result.simulation, sizeof(job->result.simulation), "%s",
		 virtual_of(w)->mode);
	if (!job->key.set)
		return 0;
	dw_rng_seed(&rng, job->spec.seed);
	for (size_t i = 0; i < sizeof(job->key.secret->bytes); i++)
		job->key.secret->bytes[i] = (uint8_t)dw_rng_next(&rng);
	dw_key_check(job->key.secret, job->result.key_check);
	return 0;
}

int dw_job_add_virtual(struct dw_job *job, const struct dw_virtual_disk *disk,
		       struct dw_verdict *ret_verdict)
{
	struct job_disk *d;

	*ret_verdict = (struct dw_verdict){ 0 };
	if (job_reached(job, JOB_BEGUN) || job->engine->world->ops != &virtual_ops)
		return -EBUSY;
	d = job_disk_new(job);
	if (!d)
		return -ENOMEM;
	take_virtual(d, disk);
	return job_take_disk(job, d, ret_verdict);
}

void dw_virtual_wake(struct dw_engine *e, uint64_t ns)
{
	e->wake_ns = ns;
}

uint32_t dw_virtual_count(const struct dw_engine *e)
{
	return e->cap_disks;
}

uint64_t dw_virtual_changes(const struct dw_engine *e)
{
	return dw_core_changes(e->core);
}

bool dw_virtual_pace(const struct dw_engine *e, uint32_t i, uint32_t *ret_unit,
		     struct dw_core_pace *ret)
{
	if (!e->disk[i])
		return false;
	dw_core_pace(e->core, i, ret);
	*ret_unit = (uint32_t)e->disk[i]->place.unit;
	return true;
}

uint64_t dw_virtual_still(const struct dw_engine *e)
{
	return dw_core_still(e->core);
}

uint32_t dw_virtual_links(const struct dw_engine *e)
{
	return e->n_links;
}

uint32_t dw_virtual_link(const struct dw_engine *e, uint32_t i)
{
	return e->disk[i] ? e->disk[i]->place.link : UINT32_MAX;
}

uint64_t dw_virtual_leapt(struct dw_engine *e, uint32_t link, uint64_t ns, double rate)
{
	return dw_core_leapt(e->core, link, ns, rate);
}

void dw_virtual_leap(struct dw_engine *e, uint32_t i, const struct dw_core_leap *leap)
{
	struct job_disk *d = e->disk[i];
	uint64_t now_ns = e->world->ops->now(e->world);
	struct dw_result result = { .class = DW_CLASS_OK,
				    .submit_ns = now_ns - leap->ns,
				    .start_ns = now_ns - leap->ns,
				    .end_ns = now_ns };
	struct dw_op op[DW_ORDER_REGIONS];
	size_t n = dw_core_leap(e->core, i, leap, now_ns, op);

	for (size_t k = 0; k < n; k++) {
		op[k].disk = d->id;
		job_busy_add(&d->busy, &op[k], &result);
		if (d->job->trace.file)
			dw_trace_line(d->job->trace.file, &op[k], &result);
	}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Simulated disks in real time: the world of world.c behind a transport whose clock is the
 * machine's, and which wakes the engine when something has ended. The engine finds, opens, loses
 * and drives its disks as it does real ones. The world may be asked from several threads (the
 * engine's, those in which disks are opened and given back, who pulls a disk): one lock.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/util.h"
#include "diskwipe/health.h"
#include "diskwipe/simulate.h"
#include "engine/engine.h"
#include "engine/virtual.h"
#include "forecast/load.h"
#include "forecast/simulate.h"
#include "transport/meter.h"
#include "transport/open.h"

#define TURN_NS      (2 * DW_NS_PER_MS) /* commands wait at the disk meanwhile: none is late */
#define ROOM_DEGREES 30                 /* of a disk at rest whose file says nothing */
#define WORK_DEGREES 8                  /* more at work */
#define LIMIT        60                 /* up to which the disks may be used, they say */

/** struct live_unit - a disk as discovery tells it; @warmer: degrees more than usual */
struct live_unit {
	struct dw_disk_info info;
	int32_t warmer;
};

/**
 * struct dw_simulation - the disks of a station in real time
 * @base: the transport that an engine is given; the simulation outlives it
 * @world: driven by @ops
 * @lock: of all that follows, and of @world
 * @timer: readable when something is due; @armed_ns: for when it is set, UINT64_MAX = it is not
 * @more: what had ended did not fit into the last reap: there is no wait for the rest
 * @moved: eventfd, written when @moves of the world has changed; @moves: as told last
 */
struct dw_simulation {
	struct dw_transport base;
	struct dw_station *station;
	struct sim_world *world;
	const struct dw_transport_ops *ops;
	pthread_mutex_t lock;
	int timer;
	uint64_t armed_ns;
	bool more;
	int moved;
	uint64_t moves;
	struct live_unit *unit;
};

static struct dw_simulation *live_of(struct dw_transport *t)
{
	return dw_container_of(t, struct dw_simulation, base);
}

/* --- time ------------------------------------------------------------------ */

static struct dw_transport *enter(struct dw_simulation *s)
{
	pthread_mutex_lock(&s->lock);
	sim_world_advance(s->world, dw_clock_ns()); /* an error is told by reap */
	return &s->world->base;
}

/* What is due within one turn is collected together. */
static void arm(struct dw_simulation *s)
{
	uint64_t ns = sim_world_next(s->world), one = 1;
	struct itimerspec t = { .it_value = { 0 } };

	if (s->moves != s->world->moves && write(s->moved, &one, sizeof(one)) > 0)
		s->moves = s->world->moves;
	if (ns != UINT64_MAX)
		ns = s->more ? 1 : (ns / TURN_NS + 1) * TURN_NS;
	if (ns == s->armed_ns)
		return;
	s->armed_ns = ns;
	if (ns != UINT64_MAX) {
		t.it_value.tv_sec = (time_t)(ns / DW_NS_PER_S);
		t.it_value.tv_nsec = (long)(ns % DW_NS_PER_S);
	}
	timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &t, NULL);
}

static void leave(struct dw_simulation *s)
{
	arm(s);
	pthread_mutex_unlock(&s->lock);
}

/* --- the transport ----------------------------------------------------------- */

static int live_attach(struct dw_transport *t, const struct dw_target *target,
		       uint32_t *ret_handle)
{
	struct dw_simulation *s = live_of(t);
	struct dw_transport *inner = enter(s);
	int r = s->ops->attach(inner, target, ret_handle);

	leave(s);
	return r;
}

static void live_detach(struct dw_transport *t, uint32_t handle)
{
	struct dw_simulation *s = live_of(t);

	s->ops->detach(enter(s), handle);
	leave(s);
}

static int live_submit(struct dw_transport *t, uint32_t handle, struct dw_cmd *cmd)
{
	struct dw_simulation *s = live_of(t);
	int r = s->ops->submit(enter(s), handle, cmd);

	leave(s);
	return r;
}

static int live_reap(struct dw_transport *t, struct dw_completion *out, size_t max,
		     uint64_t deadline_ns)
{
	struct dw_simulation *s = live_of(t);
	int n = s->ops->reap(enter(s), out, max, 0);

	(void)deadline_ns; /* the engine waits for the descriptor */
	s->armed_ns = 0;   /* set again, it is not readable any more */
	s->more = s->world->ready.n > 0;
	arm(s);
	pthread_mutex_unlock(&s->lock);
	return n;
}

static void live_cancel(struct dw_transport *t, uint32_t handle)
{
	struct dw_simulation *s = live_of(t);

	s->ops->cancel(enter(s), handle);
	leave(s);
}

static void live_unfence(struct dw_transport *t, uint32_t handle)
{
	struct dw_simulation *s = live_of(t);

	s->ops->unfence(enter(s), handle);
	leave(s);
}

static void live_permits(struct dw_transport *t, uint32_t handle, uint32_t permits)
{
	struct dw_simulation *s = live_of(t);

	s->ops->set_permits(enter(s), handle, permits);
	leave(s);
}

static void live_depth(struct dw_transport *t, uint32_t handle, uint32_t depth)
{
	struct dw_simulation *s = live_of(t);

	s->ops->set_depth(enter(s), handle, depth);
	leave(s);
}

static bool live_quiet(struct dw_transport *t)
{
	struct dw_simulation *s = live_of(t);
	bool quiet;

	enter(s);
	quiet = sim_world_next(s->world) == UINT64_MAX;
	leave(s);
	return quiet;
}

static void live_nothing(struct dw_transport *t)
{
	(void)t;
}

static int live_fd(struct dw_transport *t)
{
	return live_of(t)->timer;
}

static uint64_t live_now(struct dw_transport *t)
{
	(void)t;
	return dw_clock_ns();
}

static const struct dw_transport_ops live_ops = {
	.attach = live_attach,
	.detach = live_detach,
	.submit = live_submit,
	.flush = live_nothing,
	.reap = live_reap,
	.wake = live_nothing,
	.cancel = live_cancel,
	.unfence = live_unfence,
	.set_permits = live_permits,
	.set_depth = live_depth,
	.fd = live_fd,
	.quiet = live_quiet,
	.now = live_now,
	.free = live_nothing,
};

/* --- its disks --------------------------------------------------------------- */

/* The disk that is meant: its name, serial number, WWN or slot; -ENODEV. */
static int find_unit(const struct dw_simulation *s, const char *what, uint32_t *ret)
{
	for (uint32_t i = 0; i < s->station->n_units && what[0]; i++) {
		const struct dw_disk_info *info = &s->unit[i].info;

		if (!strcmp(what, info->sg) || !strcmp(what, info->serial) ||
		    !strcmp(what, info->wwn) || !strcmp(what, info->slot)) {
			*ret = i;
			return 0;
		}
	}
	return -ENODEV;
}

static int live_open(struct dw_transport *t, const struct dw_disk_info *want,
		     const struct dw_job_spec *spec, struct dw_virtual_disk *ret)
{
	struct dw_simulation *s = live_of(t);
	struct sim_world *w;
	uint32_t unit;
	int r;

	enter(s);
	w = s->world;
	r = find_unit(s, want->serial, &unit);
	if (!r && w->disk[unit].gone)
		r = -ENODEV;
	if (!r && w->disk[unit].attached)
		r = -EBUSY;
	if (!r) {
		sim_disk_of(s->station, unit, spec, ret);
		ret->info = s->unit[unit].info;
		w->disk[unit].cache = sim_has_cache(w->disk[unit].spec, spec);
	}
	leave(s);
	return r;
}

static int live_discover(struct dw_transport *t, const char *path, struct dw_disk **ret,
			 size_t *ret_n)
{
	struct dw_simulation *s = live_of(t);
	struct dw_disk *v = calloc(s->station->n_units, sizeof(*v));
	uint32_t only = 0;
	size_t n = 0;
	int r = v ? 0 : -ENOMEM;

	enter(s);
	if (!r && path)
		r = find_unit(s, path, &only);
	for (uint32_t i = 0; i < s->station->n_units && !r; i++)
		if (!s->world->disk[i].gone && (!path || i == only))
			v[n++].info = s->unit[i].info;
	leave(s);
	if (r < 0) {
		free(v);
		return r;
	}
	*ret = v;
	*ret_n = n;
	return 0;
}

/* --- the beginning, the end --------------------------------------------------- */

/* What takes its time by the size of the disk takes a part of it, and what happens then. */
static void shrink_disk(struct station_disk *d, uint64_t by)
{
	uint64_t least = 64 * d->physical;

	d->capacity = dw_max_u64(d->capacity / by, least);
	d->sanitize_ns /= by;
	d->block_erase_ns /= by;
	for (uint32_t i = 0; i < d->n_faults; i++) {
		d->fault[i].lba /= by;
		d->fault[i].at_ns /= by;
	}
}

/* A name is never that of a file. */
static int check_name(const struct station_disk *d, struct dw_error *err)
{
	int r;

	if (!strchr(d->name, '/'))
		return 0;
	r = dw_error_set(err, -EINVAL, DW_ERROR_CONTENT, d->name,
			 "a simulated disk has no path: give it a name without '/'");
	if (err)
		err->line = d->line;
	return r;
}

static int shrink_station(struct dw_station *s, uint64_t by, struct dw_error *err)
{
	int r = 0;

	if (!by)
		return dw_error_set(err, -EINVAL, DW_ERROR_CONTENT, "shrink",
				    "it divides capacities: 1 leaves them");
	for (uint32_t i = 0; i < s->n_disks && !r; i++) {
		shrink_disk(&s->disk[i], by);
		r = check_name(&s->disk[i], err);
	}
	return r ? r : station_check(s, err);
}

/* A shelf is what disks hang on, its slots are counted, and its adapter is a host. */
static int describe_units(struct dw_simulation *s)
{
	const struct dw_station *st = s->station;
	dw_autofree uint32_t *used = calloc(st->n_nodes + 1, sizeof(*used));

	s->unit = calloc(st->n_units, sizeof(*s->unit));
	if (!s->unit || !used)
		return -ENOMEM;
	for (uint32_t i = 0; i < st->n_units; i++) {
		struct dw_disk_info *info = &s->unit[i].info;
		uint32_t index;
		const struct station_disk *d = sim_world_disk(st, i, &index);
		uint32_t at = d->n_on ? d->on[0] : st->n_nodes;

		sim_describe(st, i, info);
		info->host = station_adapter(st, d);
		info->target = i;
		snprintf(info->slot, sizeof(info->slot), "%s:%u",
			 d->n_on ? d->on_name[0] : "rack", ++used[at]);
		snprintf(info->host_driver, sizeof(info->host_driver), "simulated");
	}
	return 0;
}

static int begin(struct dw_simulation *s, uint64_t seed)
{
	int r = sim_world_new(s->station, seed, false, &s->world);

	if (r < 0)
		return r;
	s->ops = s->world->base.ops;
	sim_world_begin(s->world, dw_clock_ns());
	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	s->moved = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->timer < 0 || s->moved < 0)
		return -errno;
	arm(s);
	return describe_units(s);
}

int dw_simulation_new(const char *path, uint64_t shrink, struct dw_simulation **ret,
		      struct dw_error *err)
{
	struct dw_simulation *s = calloc(1, sizeof(*s));
	int r;

	dw_error_clear(err);
	if (!s)
		return dw_error_system(err, -ENOMEM, NULL);
	*s = (struct dw_simulation){
		.base.ops = &live_ops, .timer = -1, .moved = -1, .armed_ns = UINT64_MAX
	};
	pthread_mutex_init(&s->lock, NULL);
	r = dw_station_load(path, &s->station, err);
	if (!r) {
		r = shrink_station(s->station, shrink, err);
		if (r)
			dw_error_in(err, path, err ? err->line : 0);
	}
	if (!r)
		r = dw_error_system(err, begin(s, dw_clock_ns()), NULL);
	if (r < 0)
		dw_simulation_free(s);
	else
		*ret = s;
	return r;
}

void dw_simulation_free(struct dw_simulation *s)
{
	if (!s)
		return;
	if (s->world)
		s->world->base.ops->free(&s->world->base);
	if (s->timer >= 0)
		close(s->timer);
	if (s->moved >= 0)
		close(s->moved);
	dw_station_free(s->station);
	pthread_mutex_destroy(&s->lock);
	free(s->unit);
	free(s);
}

static void count_others(struct dw_transport *t, struct dw_io_count *ret)
{
	struct dw_simulation *s = live_of(t);

	enter(s);
	sim_loads_count(&s->world->base, ret);
	leave(s);
}

int dw_engine_simulate(struct dw_engine *engine, struct dw_simulation *s)
{
	struct dw_virtual v = { .transport = &s->base,
				.path = "simulated",
				.mode = "real time",
				.others = s->world->loads ? count_others : NULL,
				.wiring = sim_wiring,
				.adapter = sim_adapter,
				.ctx = s->station,
				.open = live_open,
				.discover = live_discover };

	dw_disk_open_never();
	return dw_engine_take_virtual(engine, &v);
}

/* --- what people do to it ------------------------------------------------------- */

int dw_simulation_fd(const struct dw_simulation *s)
{
	return s->moved;
}

static int move(struct dw_simulation *s, const char *what, bool gone,
		void (*how)(struct sim_world *w, uint32_t unit))
{
	uint32_t unit;
	int r;

	enter(s);
	r = find_unit(s, what, &unit);
	if (!r && s->world->disk[unit].gone == gone)
		r = -EALREADY;
	if (!r)
		how(s->world, unit);
	leave(s);
	return r;
}

int dw_simulation_pull(struct dw_simulation *s, const char *what)
{
	return move(s, what, true, sim_disk_pull);
}

int dw_simulation_insert(struct dw_simulation *s, const char *what)
{
	return move(s, what, false, sim_disk_insert);
}

int dw_simulation_heat(struct dw_simulation *s, const char *what, int32_t degrees)
{
	uint32_t unit;
	int r;

	if (degrees < -100 || degrees > 100)
		return -ERANGE;
	enter(s);
	r = find_unit(s, what, &unit);
	if (!r)
		s->unit[unit].warmer = degrees;
	leave(s);
	return r;
}

static int32_t temperature_of(const struct dw_simulation *s, uint32_t unit)
{
	const struct sim_disk *d = &s->world->disk[unit];
	int32_t own = (int32_t)d->spec->temperature;

	return (own ? own : ROOM_DEGREES) + (d->attached ? WORK_DEGREES : 0) +
	       s->unit[unit].warmer;
}

int dw_simulation_health(struct dw_simulation *s, const char *what, struct dw_health *ret)
{
	uint32_t unit;
	int r;

	*ret = (struct dw_health){ .state = DW_HEALTH_GOOD,
				   .temperature_limit = LIMIT,
				   .power_on_hours = -1,
				   .grown_defects = -1,
				   .read_errors = -1,
				   .write_errors = -1 };
	enter(s);
	r = find_unit(s, what, &unit);
	if (!r && s->world->disk[unit].gone)
		r = -ENODEV;
	if (!r)
		ret->temperature = temperature_of(s, unit);
	leave(s);
	return r;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The disks of this machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>

#include <diskwipe/identity.h>

#include "base/util.h"
#include "device/topology.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/paths.h"
#include "engine/plan.h"
#include "engine/resets.h"
#include "engine/slots.h"
#include "engine/own.h"
#include "engine/resume.h"
#include "device/host.h"
#include "device/uevents.h"
#include "judge/verdict.h"
#include "own/claim.h"
#include "scsi/opcodes.h"
#include "transport/blk.h"
#include "transport/meter.h"

#define FILES_KEPT 64

enum { SCSI, PATHS, BLOCK, BLOCK_OWN };

_Static_assert(BLOCK_OWN < ENGINE_TRANSPORTS, "each has its place");

/** struct disks_world - @block_name: how commands to disks without SCSI travel */
struct disks_world {
	struct dw_world base;
	const char *block_name;
};

static struct disks_world *disks_of(struct dw_world *w)
{
	return dw_container_of(w, struct disks_world, base);
}

static uint64_t disks_now(struct dw_world *w)
{
	(void)w;
	return dw_clock_ns();
}

static struct timespec disks_time_of_day(struct dw_world *w, uint64_t now_ns)
{
	struct timespec t;

	(void)w;
	(void)now_ns;
	clock_gettime(CLOCK_REALTIME, &t);
	return t;
}

/* The open disk must be the one that was shown. What was shown may be the kernel's copy; this is
 * the disk's answer. */
static int check_same(const struct dw_disk_info *want, const struct dw_disk_info *have,
		      struct dw_verdict *v)
{
	if (!dw_disk_match(want, have, want->scsi ? DW_SAME_SHOWN : DW_SAME_NAME))
		return dw_verdict_set(v, DW_REFUSAL_CHANGED, DW_ANOTHER_DISK);
	if (want->blocks != have->blocks || want->block_size != have->block_size)
		return dw_verdict_set(v, DW_REFUSAL_CHANGED,
				      "capacity or block size has changed");
	return 0;
}

/* the host adapter, else what is nearest to the host */
static void find_adapter(struct job_disk *d)
{
	struct dw_topology t;

	if (dw_topology_read(&dw_machine_self, &d->info, &t))
		return;
	for (uint32_t i = 0; i < t.n; i++) {
		snprintf(d->place.adapter, sizeof(d->place.adapter), "%s",
			 t.node[i].name);
		if (t.node[i].kind == DW_TOPOLOGY_CONTROLLER)
			return;
	}
}

static uint8_t begun_operation(const struct dw_job *job, const struct dw_state_entry *e)
{
	const struct dw_method *m =
		job->method.chosen ? dw_method_find(e->method) : &job->method;

	return m && e->operating ? m->operation : DW_OPERATION_NONE;
}

/*
 * A disk that was commanded to erase itself by the job that is resumed. It cannot be read, and
 * reports no capacity: until it has ended, the capacity is that of the state file.
 */
static int open_operating(struct job_disk *d, const struct dw_disk *unit,
			  const char *node, struct dw_disk_info *want,
			  struct dw_verdict *v)
{
	const struct dw_job *job = d->job;
	const struct dw_state_entry *e =
		job->resuming ? job_resume_find(job, want) : NULL;
	uint8_t operation;
	int r;

	if (!want->operating || !e)
		return -ENOMEDIUM;
	operation = begun_operation(job, e);
	if (!operation || dw_operation_blocks(operation))
		return dw_verdict_set(v, DW_REFUSAL_NO_MEDIUM,
				      "it works on a SANITIZE of which the state knows "
				      "nothing; resume the job when it has ended");
	if (unit->n_others)
		return dw_verdict_set(
			v, DW_REFUSAL_NO_MEDIUM,
			"it works on a SANITIZE, and its paths cannot be "
			"proven meanwhile; resume the job when it has ended");
	want->block_size = e->disk.block_size;
	want->blocks = e->disk.capacity_bytes / want->block_size;
	r = dw_device_open_operating(node, want->blocks, want->block_size, &d->device);
	if (!r && d->device->sanitize.running)
		d->device->caps.self.operations |= (uint8_t)(1u << operation);
	return r;
}

/*
 * Descriptors get the lowest free number: one near the limit was among the last. The remaining
 * ones are for the disks that run, which have to be found and opened again.
 */
static bool is_among_the_last(const struct dw_device *d)
{
	struct rlimit limit;
	int fd = d->sg_fd > d->blk_fd ? d->sg_fd : d->blk_fd;

	return !getrlimit(RLIMIT_NOFILE, &limit) &&
	       (rlim_t)fd + FILES_KEPT >= limit.rlim_cur;
}

static int open_disk(struct dw_world *w, struct job_disk *d, const struct dw_disk *unit,
		     struct dw_verdict *v)
{
	struct dw_disk_info copy = unit->info, *want = &copy;
	const char *node = want->sg[0] ? want->sg : want->block;
	int r = dw_device_open(node, &d->device);

	(void)w;
	if (r == -ENOMEDIUM)
		r = open_operating(d, unit, node, want, v);
	if (r > 0)
		return r;
	if (r == -ENOENT || r == -ENXIO || r == -ENODEV)
		return dw_verdict_set(v, DW_REFUSAL_MISSING, "the node has vanished");
	if (!r && is_among_the_last(d->device))
		r = -EMFILE;
	if (r == -EMFILE || r == -ENFILE) {
		dw_verdict_of_error(r, v);
		return 1;
	}
	if (r < 0)
		return r;
	d->device->info.name_shared = want->name_shared;
	r = check_same(want, &d->device->info, v);
	if (!r)
		job_health_before(d);
	if (!r && !d->job->spec.verify_only)
		r = job_paths_claim(d->job, d, unit, v);
	if (r)
		return r;
	if (d->job->method.operation || d->job->method.chosen)
		dw_device_report_whole(d->device);
	d->info = d->device->info;
	if (!d->info.slot[0])
		memcpy(d->info.slot, want->slot, sizeof(d->info.slot));
	d->caps = d->device->caps;
	find_adapter(d);
	return 0;
}

static int listen_to_kernel(struct dw_world *w, struct dw_job *job)
{
	struct dw_engine *e = job->engine;
	int r = e->uevents ? 0 : job_events_open(job);

	(void)w;
	if (r || !e->uevents)
		return r;
	return dw_loop_watch(e->loop, dw_uevents_fd(e->uevents));
}

/* the longest transfer that is planned */
static void raise_limits(struct job_disk *d)
{
	uint32_t bytes = d->plan.const_max * d->plan.block_size;
	struct dw_device *path[DW_PATHS_MAX];
	size_t n = job_paths_devices(d, path);

	for (size_t i = 0; i < n; i++)
		dw_device_raise_max_sectors(path[i], bytes);
}

static int prepare(struct dw_world *w, struct job_disk *d, struct dw_error *err)
{
	const struct dw_job_spec *spec = &d->job->spec;
	struct dw_verdict v;
	int r;

	(void)w;
	if (!d->device || !d->device->claim.held)
		return 0;
	r = spec->reserve ? job_paths_reserve(d, &v) : 0;
	if (r > 0)
		return dw_error_set(err, -EBUSY, DW_ERROR_DISK,
				    d->info.sg[0] ? d->info.sg : d->info.block,
				    "%s; leave it out, or do without the reservation",
				    v.reason);
	if (r < 0)
		return dw_error_system(err, r, "reservation");
	if (d->caps.scsi)
		raise_limits(d);
	if (d->device->sanitize.running)
		return 0;
	if (dw_caps_switch_cache(&d->caps, spec->write_cache)) {
		d->cache.switched = dw_device_set_wce(d->device, true) == 0;
		d->caps.cache.wce = d->device->caps.cache.wce;
	}
	return 0;
}

static int new_paths(const struct dw_executor *executor, struct dw_transport **t)
{
	struct dw_sender sender;
	int r = dw_sgio_sender(&sender);

	if (r < 0)
		return r;
	r = dw_paths_new(&sender, executor, t);
	if (r < 0)
		sender.free(sender.ctx);
	return r;
}

static int new_transport(struct disks_world *w, struct dw_engine *e, uint32_t kind)
{
	struct dw_executor executor;
	struct dw_transport *t;
	int r = engine_workers(e, &executor);

	if (r < 0)
		return r;
	if (kind == BLOCK)
		r = dw_blk_new(&executor, &t, &w->block_name);
	else if (kind == BLOCK_OWN)
		r = dw_blk_sync_new(&executor, &t);
	else if (kind == PATHS)
		r = new_paths(&executor, &t);
	else
		r = dw_sgio_new(&executor, &t);
	return r < 0 ? r : engine_add_transport(e, kind, t);
}

/* without workers the disk's thread makes the data of a command right before it */
static void commands_ahead(const struct job_disk *d, struct dw_core_rules *rules)
{
	rules->ahead = DW_AHEAD_MAX;
	rules->ahead_data = d->caps.scsi && dw_workers_default() == 0 ? DW_AHEAD_MAX : 0;
}

/* An operation of the block device may take any time: it runs in a thread of its own. */
static uint32_t kind_of(const struct job_disk *d)
{
	if (d->caps.scsi)
		return d->paths ? PATHS : SCSI;
	return d->plan.operation ? BLOCK_OWN : BLOCK;
}

static int attach_disk(struct dw_world *w, struct job_disk *d)
{
	uint32_t kind = kind_of(d);
	uint32_t bytes = d->plan.const_max * d->plan.block_size;
	struct dw_engine *e = d->job->engine;
	struct dw_target target;
	int r = e->transport[kind] ? 0 : new_transport(disks_of(w), e, kind);

	if (r < 0)
		return r;
	d->place.transport = e->transport[kind];
	dw_device_target(d->device, 1, bytes, &target); /* more as the core says */
	target.paths = job_paths_set(d->job, d);
	target.lease = job_lease(d);
	if (d->device->claim.held)
		target.permits |= job_plan_permit(&d->plan);
	if (d->step.sealed)
		target.permits &= ~(uint32_t)DW_OPCLASS_WRITE;
	return d->place.transport->ops->attach(d->place.transport, &target,
					       &d->place.handle);
}

static const char *way(struct dw_world *w, const struct job_disk *d)
{
	const struct dw_engine *e = d->job->engine;

	if (d->place.transport == e->transport[BLOCK])
		return disks_of(w)->block_name;
	if (d->place.transport == e->transport[BLOCK_OWN])
		return "pwrite";
	return d->paths ? job_paths_way(d)
			: dw_sgio_path(d->place.transport, d->place.handle);
}

static int origin(struct dw_world *w, struct dw_job *job, uint64_t ret[2])
{
	(void)w;
	if (getrandom(ret, 2 * sizeof(*ret), 0) != 2 * sizeof(*ret))
		return -EIO;
	dw_host_read(&dw_machine_self, &job->result.host);
	return 0;
}

/* beside those that are open */
static int find_others(struct dw_world *w, struct dw_job *job)
{
	dw_autofree const struct dw_disk_info **own = NULL;
	struct dw_neighbours *found;
	size_t n = 0;
	int r;

	(void)w;
	own = calloc(job->n_disks + 1, sizeof(const struct dw_disk_info *));
	if (!own)
		return -ENOMEM;
	for (uint32_t i = 0; i < job->n_disks; i++)
		if (!job->disk[i]->step.released)
			own[n++] = &job->disk[i]->info;
	r = dw_neighbours_new(&dw_machine_self, own, n, &found);
	if (r < 0)
		return r;
	dw_neighbours_free(job->background.neighbours);
	job->background.neighbours = found;
	return 0;
}

static bool count_others(struct dw_world *w, const struct dw_job *job,
			 struct dw_io_count *ret)
{
	(void)w;
	dw_neighbours_count(job->background.neighbours, ret);
	return dw_neighbours_n(job->background.neighbours) > 0;
}

static void free_disks(struct dw_world *w)
{
	free(disks_of(w));
}

int dw_world_disks(struct dw_world **ret)
{
	static const struct dw_world_ops ops = {
		.now = disks_now,
		.time_of_day = disks_time_of_day,
		.open = open_disk,
		.listen = listen_to_kernel,
		.prepare = prepare,
		.attach = attach_disk,
		.fill = job_fill,
		.ahead = commands_ahead,
		.way = way,
		.origin = origin,
		.find_others = find_others,
		.others = count_others,
		.free = free_disks,
	};
	struct disks_world *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->base.ops = &ops;
	*ret = &w->base;
	return 0;
}

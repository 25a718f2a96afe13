/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The measurement of real disks: each is opened without a claim, so that the transport lets
 * reads through and nothing else, and given to the runner.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <diskwipe/identity.h>

#include "base/util.h"
#include "forecast/measure.h"
#include "device/device.h"
#include "device/profile.h"

#define BUFFER_BYTES (4 * DW_MIB)
#define DEPTH        4

/** struct rig - what is open: of every disk that can be read */
struct rig {
	struct dw_transport *scsi;
	struct dw_transport *block;
	struct dw_device **device;
	struct probe_disk *disk;
	uint32_t *unit;
	uint32_t n;
	void *buffer;
};

static void rig_deinit(struct rig *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct dw_transport *t = r->disk[i].transport;

		if (t)
			t->ops->detach(t, r->disk[i].handle);
		dw_device_close(r->device[i]);
	}
	if (r->scsi)
		r->scsi->ops->free(r->scsi);
	if (r->block)
		r->block->ops->free(r->block);
	if (r->buffer)
		munmap(r->buffer, BUFFER_BYTES);
	free(r->device);
	free(r->disk);
	free(r->unit);
}

static int rig_init(struct rig *r, size_t n)
{
	r->device = calloc(n + 1, sizeof(struct dw_device *));
	r->disk = calloc(n + 1, sizeof(*r->disk));
	r->unit = calloc(n + 1, sizeof(*r->unit));
	r->buffer = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (r->buffer == MAP_FAILED)
		r->buffer = NULL;
	return r->device && r->disk && r->unit && r->buffer ? 0 : -ENOMEM;
}

static int transport_for(struct rig *r, bool scsi, struct dw_transport **ret)
{
	struct dw_transport **t = scsi ? &r->scsi : &r->block;
	const char *name;
	int result = 0;

	if (!*t)
		result = scsi ? dw_sgio_new(NULL, t) : dw_blk_new(NULL, t, &name);
	*ret = *t;
	return result;
}

static int attach_disk(struct rig *r, struct dw_device *d, struct probe_disk *ret)
{
	uint64_t longest = dw_min_u64(d->caps.limit.max_bytes, BUFFER_BYTES);
	struct dw_target target;
	int result;

	if (!d->caps.block_size || d->caps.blocks < 4096 || longest < d->caps.block_size)
		return -ENOMEDIUM;
	*ret = (struct probe_disk){
		.blocks = d->caps.blocks,
		.block_size = d->caps.block_size,
		.max_blocks = (uint32_t)(longest / d->caps.block_size),
		.rw16 = d->caps.rw16 || !d->caps.scsi,
	};
	result = transport_for(r, d->caps.scsi, &ret->transport);
	if (result < 0)
		return result;
	dw_device_target(d, DEPTH, (uint32_t)longest, &target);
	return ret->transport->ops->attach(ret->transport, &target, &ret->handle);
}

/* The station's disk that bears the name of this one's node. */
static uint32_t unit_of(const struct dw_station *s, const struct dw_disk_info *info)
{
	const char *node = info->sg[0] ? info->sg : info->block;

	for (uint32_t i = 0; i < s->n_disks; i++)
		if (!strcmp(s->disk[i].name, dw_path_base(node)))
			return i;
	return STATION_NONE; /* the second path of another */
}

/* Does it compare its blocks with one that is sent? Only a disk that lists its commands tells; that
 * it does so truly is seen by the differences that an erasure plants. */
static void take_commands(const struct dw_device *d, struct station_disk *ret)
{
	if (d->caps.rsoc && !dw_profile_of(&d->info)->soft_length)
		ret->compare = d->caps.verify && !d->caps.self.nvme;
}

static int open_disk(struct rig *r, struct dw_station *s, const struct dw_disk_info *info)
{
	struct dw_device *d;
	uint32_t unit = unit_of(s, info);
	int result;

	if (unit == STATION_NONE)
		return 0;
	result = dw_device_open(info->sg[0] ? info->sg : info->block, &d);
	if (result < 0)
		return result;
	if (!dw_disk_match(&d->info, info, DW_SAME_MEDIUM) && info->serial[0])
		result = -ESTALE;
	if (!result)
		result = attach_disk(r, d, &r->disk[r->n]);
	if (result < 0) {
		dw_device_close(d);
		return result;
	}
	take_commands(d, &s->disk[unit]);
	r->device[r->n] = d;
	r->unit[r->n++] = unit;
	return 0;
}

static int measure_station(struct rig *r, struct dw_station *s,
			   const struct dw_probe_spec *spec)
{
	struct timespec now;
	struct measure m = { .station = s,
			     .disk = r->disk,
			     .n = r->n,
			     .unit = r->unit,
			     .seconds = spec->seconds };
	int result;

	clock_gettime(CLOCK_REALTIME, &now);
	m.seed = (uint64_t)now.tv_sec;
	result = measure_plan(&m);
	if (!result)
		result = probe_run(&(struct probe_run){ .disk = r->disk,
							.n_disks = r->n,
							.group = m.group,
							.n_groups = m.n_groups,
							.buffer = r->buffer,
							.buffer_bytes = BUFFER_BYTES,
							.stopped = spec->stopped,
							.ctx = spec->ctx });
	if (!result)
		result = measure_estimate(&m);
	measure_deinit(&m);
	return result;
}

int dw_station_probe(struct dw_station *s, const struct dw_disk_info *disks, size_t n,
		     const struct dw_probe_spec *spec, int *ret_result)
{
	struct rig r = { 0 };
	int result = rig_init(&r, n);

	for (size_t i = 0; i < n && !result; i++)
		ret_result[i] = open_disk(&r, s, &disks[i]);
	if (!result && !r.n)
		result = -ENODEV;
	if (!result)
		result = measure_station(&r, s, spec);
	rig_deinit(&r);
	return result;
}

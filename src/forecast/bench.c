/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The series of a measurement: every disk alone, then all together. As in the review, two
 * commands are at a disk where rates are measured, one served and one waiting; a load raises
 * that number, and among several disks each command goes to one of them at random.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "forecast/lane.h"
#include "device/open.h"

#define MOST_BYTES   (4 * DW_MIB)
#define RATE_DEPTH   2
#define LOAD_BYTES   4096u
#define MOST_LENGTHS 4096

struct bench_run {
	const struct dw_bench_spec *spec;
	struct dw_transport *transport;
	struct dw_bench_lane *lane;
	size_t n;
	uint32_t lengths[64];
	const uint32_t *length;
	size_t n_lengths;
	struct dw_rng rng;
	void (*report)(void *ctx, double done);
	void *ctx;
	size_t done;
	size_t points;
	struct dw_error *err;
};

size_t dw_bench_lengths(uint32_t block_size, uint32_t ret[64])
{
	size_t n = 0;

	for (uint64_t b = 1; b * block_size <= MOST_BYTES; b *= 2) {
		if (b > 4)
			ret[n++] = (uint32_t)b - 1;
		ret[n++] = (uint32_t)b;
	}
	return n;
}

/* How long a transfer has to be possible; finding that out by reading takes its time. */
static uint32_t longest_transfer(const struct dw_bench_spec *spec, uint32_t block_size)
{
	uint64_t blocks = 0;

	for (size_t i = 0; i < spec->n_blocks; i++)
		blocks = dw_max_u64(blocks, spec->blocks[i]);
	if (spec->kind == DW_BENCH_LOAD && !blocks)
		return LOAD_BYTES;
	return (uint32_t)dw_min_u64(blocks ? blocks * block_size : MOST_BYTES,
				    MOST_BYTES);
}

static int open_lane(struct bench_run *r, const struct dw_disk_info *info,
		     struct dw_bench_lane *lane)
{
	const char *node = info->sg[0] ? info->sg : info->block;
	struct dw_target target;
	int e = dw_device_open(node, &lane->device);

	if (!e &&
	    (!lane->device->info.scsi || !dw_disk_same_node(&lane->device->info, info)))
		e = -ENODEV;
	if (e)
		return dw_error_set(r->err, e, DW_ERROR_DISK, node, "%s",
				    e == -ENODEV ? "is not, or no longer, that SCSI disk"
						 : strerror(-e));
	dw_device_probe_length(lane->device,
			       longest_transfer(r->spec, lane->device->caps.block_size));
	dw_device_target(lane->device, DW_BENCH_DEPTH, MOST_BYTES, &target);
	return r->transport->ops->attach(r->transport, &target, &lane->handle);
}

static bool lane_fits(const struct bench_run *r, const struct dw_bench_lane *lane,
		      size_t n, uint32_t blocks)
{
	uint64_t shift = r->spec->misalign_bytes;

	for (size_t i = 0; i < n; i++) {
		const struct dw_caps *c = &lane[i].device->caps;

		if ((uint64_t)blocks * c->block_size > c->limit.max_bytes ||
		    blocks + shift / c->block_size + (UINT64_C(1) << c->physical_exp) >
			    c->blocks)
			return false;
	}
	return true;
}

static int measure_one(struct bench_run *r, struct dw_bench_lane *lane, size_t n,
		       uint32_t blocks, uint32_t depth, struct dw_bench_series *s)
{
	struct dw_reads reads = {
		.transport = r->transport,
		.lane = lane,
		.n = n,
		.depth = depth,
		.spread = r->spec->kind == DW_BENCH_LOAD,
		.blocks = blocks,
		.random = r->spec->kind != DW_BENCH_CONTIGUOUS,
		.shift = r->spec->misalign_bytes / lane->device->caps.block_size,
		.misalign_bytes = r->spec->misalign_bytes,
		.seconds = r->spec->seconds,
		.rng = &r->rng,
	};
	int e = 0;

	for (size_t i = 0; i < n; i++)
		r->transport->ops->set_depth(r->transport, lane[i].handle, depth);
	if (lane_fits(r, lane, n, blocks))
		e = dw_reads_measure(&reads, &s->point[s->n], r->err);
	else
		e = -EMSGSIZE;
	s->n += !e;
	/* the host may have no memory for long transfers now, as after a large erase */
	if (e == -EMSGSIZE)
		e = 0;
	r->done++;
	if (r->report)
		r->report(r->ctx, (double)r->done / (double)r->points);
	return e;
}

static size_t points_of(const struct bench_run *r)
{
	size_t n = 0;

	if (r->spec->kind != DW_BENCH_LOAD)
		return r->n_lengths;
	for (uint32_t d = 1; d <= r->spec->depth_max; d *= 2)
		n++;
	return n;
}

/* All points of one disk, or of all. */
static int measure_series(struct bench_run *r, struct dw_bench_lane *lane, size_t n,
			  struct dw_bench_series *s)
{
	const struct dw_disk_info *info = &lane->device->info;
	int e = 0;

	snprintf(s->name, sizeof(s->name), "%s",
		 n > 1         ? "together"
		 : info->sg[0] ? info->sg
			       : info->block);
	if (n == 1) {
		snprintf(s->vendor, sizeof(s->vendor), "%s", info->vendor);
		snprintf(s->model, sizeof(s->model), "%s", info->model);
		snprintf(s->serial, sizeof(s->serial), "%s", info->serial);
		s->capacity_bytes = info->blocks * info->block_size;
	}
	s->point = calloc(points_of(r) + 1, sizeof(*s->point));
	if (!s->point)
		return -ENOMEM;
	if (r->spec->kind != DW_BENCH_LOAD) {
		for (size_t i = 0; !e && i < r->n_lengths; i++)
			e = measure_one(r, lane, n, r->length[i], RATE_DEPTH, s);
		return e;
	}
	for (uint32_t d = 1; !e && d <= r->spec->depth_max; d *= 2)
		e = measure_one(r, lane, n, r->length[0], d, s);
	return e;
}

/* Lengths asked for, or the usual ones; disks together must agree on what a block is. */
static int settle_lengths(struct bench_run *r)
{
	uint32_t size = r->lane[0].device->caps.block_size;

	for (size_t i = 1; i < r->n; i++) {
		if (r->lane[i].device->caps.block_size == size)
			continue;
		return dw_error_set(
			r->err, -EINVAL, DW_ERROR_DISK, r->lane[i].device->info.sg,
			"its blocks have another size; measure the disks one by one");
	}
	r->length = r->spec->blocks;
	r->n_lengths = r->spec->n_blocks;
	if (r->n_lengths)
		return 0;
	r->length = r->lengths;
	r->n_lengths = dw_bench_lengths(size, r->lengths);
	if (r->spec->kind == DW_BENCH_LOAD)
		r->lengths[0] = size < LOAD_BYTES ? LOAD_BYTES / size : 1;
	return 0;
}

static int run_all(struct bench_run *r, struct dw_bench *b)
{
	int e = settle_lengths(r);

	b->n_disks = r->n;
	b->series = e ? NULL : calloc(r->n + 1, sizeof(*b->series));
	if (!e && !b->series)
		e = -ENOMEM;
	r->points = points_of(r) * (r->n + (r->n > 1));
	for (size_t i = 0; !e && i < r->n; i++)
		e = measure_series(r, &r->lane[i], 1, &b->series[b->n++]);
	if (!e && r->n > 1)
		e = measure_series(r, r->lane, r->n, &b->series[b->n++]);
	for (size_t i = 0; !e && i < b->n; i++) {
		if (b->series[i].n)
			continue;
		e = dw_error_set(r->err, -EINVAL, DW_ERROR_DISK, b->series[i].name,
				 "no such length can be read there");
	}
	return e;
}

static void close_lanes(struct bench_run *r, size_t attached)
{
	for (size_t i = 0; i < attached; i++)
		r->transport->ops->detach(r->transport, r->lane[i].handle);
	if (r->transport)
		r->transport->ops->free(r->transport);
	for (size_t i = 0; r->lane && i < r->n; i++)
		dw_device_close(r->lane[i].device);
	free(r->lane);
}

int dw_bench_run(const struct dw_bench_spec *spec, const struct dw_disk_info *disks,
		 size_t n, void (*report)(void *ctx, double done), void *ctx,
		 struct dw_bench **ret, struct dw_error *err)
{
	struct bench_run r = {
		.spec = spec, .n = n, .report = report, .ctx = ctx, .err = err
	};
	struct dw_bench *b = calloc(1, sizeof(*b));
	size_t attached = 0;
	int e;

	dw_error_clear(err);
	dw_rng_seed(&r.rng, spec->seed);
	r.lane = calloc(n, sizeof(*r.lane));
	e = b && r.lane ? dw_sgio_new(NULL, &r.transport) : -ENOMEM;
	while (!e && attached < n) {
		e = open_lane(&r, &disks[attached], &r.lane[attached]);
		attached += !e;
	}
	if (!e)
		e = run_all(&r, b);
	close_lanes(&r, attached);
	if (e) {
		dw_bench_free(b);
		return dw_error_system(err, e, NULL);
	}
	b->spec = *spec;
	b->spec.blocks = NULL;
	*ret = b;
	return 0;
}

void dw_bench_free(struct dw_bench *b)
{
	for (size_t i = 0; b && i < b->n; i++)
		free(b->series[i].point);
	if (b)
		free(b->series);
	free(b);
}

double dw_bench_at_response(const struct dw_bench_series *s, double threshold_s,
			    bool *ret_least)
{
	double most = 0, at;

	*ret_least = false;
	for (size_t i = 0; i < s->n; i++) {
		const struct dw_bench_point *b = &s->point[i], *a = i ? b - 1 : b;

		if (b->response_s <= threshold_s) {
			most = b->per_second > most ? b->per_second : most;
			continue;
		}
		if (!i)
			return 0;
		at = a->per_second + (b->per_second - a->per_second) *
					     (threshold_s - a->response_s) /
					     (b->response_s - a->response_s);
		return at > most ? at : most;
	}
	*ret_least = true;
	return most;
}

static int by_rate(const void *a, const void *b)
{
	const struct dw_bench_point *x = a, *y = b;

	return (x->bytes_per_second > y->bytes_per_second) -
	       (x->bytes_per_second < y->bytes_per_second);
}

double dw_bench_plateau(const struct dw_bench_series *s)
{
	struct dw_bench_point *point = calloc(s->n + 1, sizeof(*point));
	uint32_t longest = 0;
	double median = 0;
	size_t n = 0;

	if (!point)
		return 0;
	for (size_t i = 0; i < s->n; i++)
		longest = s->point[i].bytes > longest ? s->point[i].bytes : longest;
	for (size_t i = 0; i < s->n; i++)
		if (s->point[i].bytes >= longest / 8)
			point[n++] = s->point[i];
	qsort(point, n, sizeof(*point), by_rate);
	if (n)
		median = (point[(n - 1) / 2].bytes_per_second +
			  point[n / 2].bytes_per_second) /
			 2;
	free(point);
	return median;
}

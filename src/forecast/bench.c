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

#include "base/rng.h"
#include "base/util.h"
#include "codec/encode.h"
#include "device/device.h"
#include "device/open.h"
#include "diskwipe/bench.h"
#include "transport/transport.h"

/*
 * One point of a measurement: reads are kept at the disks for a while. One more than the depth
 * waits in this program for each disk, so that none at the disk is missing while the loop turns
 * round: the rate times the response is the depth (Little). Only a load on several disks has as
 * many as the depth in all, and those that wait for a disk count. Counting begins with
 * the command that ends when every disk has had one (in a load, as many as the depth), and
 * stops with the last that ends in time: the time to get going and to run dry count for nothing.
 */

#define PAGE  4096u
#define LEAST 8  /* commands of each disk that are counted, however slow it is */
#define MOST  10 /* times as long as asked, then it is over all the same */

#define DW_BENCH_DEPTH 64

/**
 * struct dw_bench_lane - a disk, opened and attached for reading
 * @next_lba: where contiguous reading continues
 * @flying: commands sent and not yet reaped
 * @counted: commands that ended during the measurement under way
 */
struct dw_bench_lane {
	struct dw_device *device;
	uint32_t handle;
	uint64_t next_lba;
	uint32_t flying;
	uint64_t counted;
};

/**
 * struct dw_reads - a point to be measured
 * @lane, @n: the disks that take part
 * @depth: commands at each disk at once, or, if @spread, at all of them together
 * @spread: each command goes to a disk at random
 * @blocks: transfer length
 * @random: at random places
 * @shift: blocks past an aligned place
 */
struct dw_reads {
	struct dw_transport *transport;
	struct dw_bench_lane *lane;
	size_t n;
	uint32_t depth;
	bool spread;
	uint32_t blocks;
	bool random;
	uint64_t shift;
	uint64_t misalign_bytes;
	double seconds;
	struct dw_rng *rng;
};

struct slot {
	struct dw_cmd cmd;
	struct dw_op op;
	size_t lane;
};

struct reads_run {
	const struct dw_reads *m;
	struct slot *slot;
	size_t n_slots;
	uint8_t *memory;
	size_t room; /* of a slot's data */
	uint64_t begin_ns;
	uint64_t first_ns; /* end of the command that counting began with, 0 = none yet */
	uint64_t last_ns;
	uint64_t counted;
	double response_s;
	struct dw_error *err;
};

/* commands of a load that go to any of several disks */
static bool among_disks(const struct dw_reads *m)
{
	return m->spread && m->n > 1;
}

static uint64_t pick_lba(const struct dw_reads *m, struct dw_bench_lane *lane)
{
	const struct dw_caps *c = &lane->device->caps;
	uint64_t grain = UINT64_C(1) << c->physical_exp;
	uint64_t last = c->blocks - m->blocks - m->shift, lba;

	if (m->random)
		return dw_rng_below(m->rng, last / grain + 1) * grain + m->shift;
	if (lane->next_lba > last)
		lane->next_lba = 0;
	lba = lane->next_lba + m->shift;
	lane->next_lba += m->blocks;
	return lba;
}

static int send_read(struct reads_run *r, struct slot *s)
{
	const struct dw_reads *m = r->m;
	struct dw_bench_lane *lane;
	int e;

	if (m->spread)
		s->lane = (size_t)dw_rng_below(m->rng, m->n);
	lane = &m->lane[s->lane];
	s->op = (struct dw_op){ .verb = DW_VERB_READ,
				.nlb = m->blocks,
				.lba = pick_lba(m, lane) };
	s->cmd = (struct dw_cmd){ .cookie = (uint64_t)(s - r->slot) };
	e = dw_encode(&lane->device->caps, &s->op, false, &s->cmd);
	if (e)
		return e;
	s->cmd.data =
		r->memory + (size_t)(s - r->slot) * r->room + m->misalign_bytes % PAGE;
	e = m->transport->ops->submit(m->transport, lane->handle, &s->cmd);
	lane->flying += !e;
	return e;
}

static int judge_read(const struct reads_run *r, const struct slot *s,
		      const struct dw_completion *done)
{
	const struct dw_device *d = r->m->lane[s->lane].device;
	struct dw_result result;

	dw_decode(&d->caps, &s->op, done, &result);
	if (result.class == DW_CLASS_OK)
		return 0;
	if (result.class == DW_CLASS_GIVEN_BACK)
		return -ECANCELED; /* another one is why, before or after it */
	if (result.class == DW_CLASS_TOO_BIG)
		return -EMSGSIZE;
	return dw_error_set(r->err, -EIO, DW_ERROR_DISK,
			    d->info.sg[0] ? d->info.sg : d->info.block,
			    "reading %u blocks from %llu: %s", s->op.nlb,
			    (unsigned long long)s->op.lba, dw_class_name(result.class));
}

static bool got_going(const struct reads_run *r)
{
	uint64_t all = 0;
	bool each = true;

	for (size_t i = 0; i < r->m->n; i++) {
		each &= r->m->lane[i].counted > 0;
		all += r->m->lane[i].counted;
	}
	return r->m->spread ? all >= r->m->depth : each;
}

static void count_read(struct reads_run *r, const struct slot *s,
		       const struct dw_completion *done)
{
	r->m->lane[s->lane].counted++;
	if (!r->first_ns) {
		if (got_going(r))
			r->first_ns = done->end_ns;
		return;
	}
	r->counted++;
	r->last_ns = done->end_ns;
	r->response_s += (double)(done->end_ns - (among_disks(r->m) ? done->cmd->submit_ns
								    : done->start_ns)) /
			 1e9;
}

/* Time is up, and every disk has had enough commands. */
static bool enough(const struct reads_run *r)
{
	const struct dw_reads *m = r->m;
	double past = (double)(m->transport->ops->now(m->transport) - r->begin_ns) / 1e9;

	if (past < m->seconds)
		return false;
	return r->counted >= LEAST * m->n || past > MOST * m->seconds;
}

static size_t flying(const struct reads_run *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->m->n; i++)
		n += r->m->lane[i].flying;
	return n;
}

static int pump(struct reads_run *r)
{
	const struct dw_transport_ops *ops = r->m->transport->ops;
	struct dw_completion done[DW_BENCH_DEPTH + 1];
	bool over = false;
	int e = 0;

	while (flying(r)) {
		int n = ops->reap(r->m->transport, done, DW_ARRAY_SIZE(done), UINT64_MAX);

		if (n < 0 && n != -EINTR)
			return n;
		over |= enough(r);
		for (int i = 0; i < n; i++) {
			struct slot *s = &r->slot[done[i].cookie];
			int this = judge_read(r, s, &done[i]);

			r->m->lane[s->lane].flying--;
			if (!this && !over)
				count_read(r, s, &done[i]);
			if (!e || e == -ECANCELED)
				e = this ? this : e;
			if (!e && !over)
				e = send_read(r, s);
		}
		ops->flush(r->m->transport);
	}
	return e;
}

static void sum_up_point(const struct reads_run *r, struct dw_bench_point *ret)
{
	const struct dw_reads *m = r->m;
	uint32_t size = m->lane[0].device->caps.block_size;

	*ret = (struct dw_bench_point){ .blocks = m->blocks,
					.bytes = m->blocks * size,
					.depth = m->depth,
					.commands = r->counted };
	if (!r->counted || r->last_ns <= r->first_ns)
		return;
	ret->per_second = (double)r->counted / ((double)(r->last_ns - r->first_ns) / 1e9);
	ret->bytes_per_second = ret->per_second * (double)ret->bytes;
	ret->response_s = r->response_s / (double)r->counted;
}

/* Read for so long; 0; -ENOMEM; -EMSGSIZE: reads of that length are refused now, others are
 * not; other negative errno with @err. */
static int reads_measure(const struct dw_reads *m, struct dw_bench_point *ret,
			 struct dw_error *err)
{
	size_t bytes = (size_t)m->blocks * m->lane[0].device->caps.block_size;
	struct reads_run r = { .m = m,
			       .n_slots = among_disks(m) ? m->depth
							 : (m->depth + 1ul) * m->n,
			       .room = (bytes + 2ul * PAGE - 1) / PAGE * PAGE,
			       .err = err };
	int e = 0;

	/* NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI): a depth of at least one */
	r.slot = calloc(r.n_slots, sizeof(*r.slot));
	r.memory = aligned_alloc(PAGE, r.n_slots * r.room);
	if (r.slot && r.memory) {
		memset(r.memory, 0, r.n_slots * r.room);
		for (size_t i = 0; i < m->n; i++)
			m->lane[i].counted = 0;
		r.begin_ns = m->transport->ops->now(m->transport);
		for (size_t i = 0; !e && i < r.n_slots; i++) {
			/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): at least one lane */
			r.slot[i].lane = i % m->n;
			e = send_read(&r, &r.slot[i]);
		}
		m->transport->ops->flush(m->transport);
		/* also what was sent before something failed comes back */
		e = e ? (pump(&r), e) : pump(&r);
		for (size_t i = 0; e == -EMSGSIZE && i < m->n; i++)
			m->transport->ops->unfence(m->transport, m->lane[i].handle);
	} else {
		e = -ENOMEM;
	}
	if (!e)
		sum_up_point(&r, ret);
	free(r.slot);
	free(r.memory);
	return e;
}

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
		e = reads_measure(&reads, &s->point[s->n], r->err);
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

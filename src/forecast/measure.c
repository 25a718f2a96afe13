/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is read, and when. A disk by itself:
 *
 *	zones	   in sequence at five places: the rate of the medium
 *	lengths	   in sequence, from one sector to 4 MiB: t(L) = max(L / rate, overhead + L / link)
 *	near, far  single blocks, a little back each time, and from edge to edge: seeks
 *
 * and, behind each node that several disks share, all of them at once:
 *
 *	shared	   in sequence with three lengths: what passes is the node's rate, where it is less
 *		   than what the disks did alone, and more for each command where short ones
 *		   fare worse than long ones
 *	held	   far from sequence with two lengths: by Little's law, throughput times latency
 *		   alone is the number of commands that are served at once; what the
 *		   controller's buffer does not hold waits
 *
 * Disks behind one controller go one after the other, different controllers side by side.
 */
#include "forecast/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/rng.h"
#include "base/util.h"

#define ZONES      5
#define NEAR_SHARE 1000 /* a near seek goes over that part of the disk */
#define FEW        8
#define TOGETHER   12 /* reads of each disk, for a rate of all of them */
#define LOW        0.15

/** struct planner - @group: where streams go, @rng: the places that they read */
struct planner {
	struct measure *m;
	struct probe_group *group;
	struct dw_rng rng;
};

static const struct station_disk *spec(const struct measure *m, uint32_t i)
{
	return &m->station->disk[m->unit[i]];
}

static uint64_t limit_ns(const struct measure *m, double share)
{
	return (uint64_t)(m->seconds * share * 1e9);
}

/* whole blocks, at least one, at most what a read may have and 1/@part of the disk */
static uint32_t blocks_of(const struct probe_disk *d, uint64_t bytes, uint64_t part)
{
	uint64_t n = bytes / d->block_size;

	n = dw_min_u64(n, dw_min_u64(d->max_blocks, d->blocks / part));
	return (uint32_t)dw_max_u64(n, 1);
}

/* SSDs show their rate with several commands only; a second one could make a disk seek */
static uint32_t depth(const struct measure *m, uint32_t i)
{
	return spec(m, i)->rpm ? 1 : 4;
}

/* in reads of 1 MiB, less where the disk is small */
static int add_zones(struct planner *p, uint32_t i)
{
	const struct probe_disk *d = &p->m->disk[i];
	struct probe_stream s = { .purpose = PROBE_ZONE,
				  .disk = i,
				  .nlb = blocks_of(d, DW_MIB, 256),
				  .depth = depth(p->m, i),
				  .limit_ns = limit_ns(p->m, 0.035) };
	uint64_t region = d->blocks / 8;
	int r = 0;

	s.most = (uint32_t)dw_min_u64(dw_max_u64(region / s.nlb, 2), 512);
	region = dw_min_u64(region, (uint64_t)s.most * s.nlb);
	for (uint32_t z = 0; z < ZONES && !r; z++) {
		s.lba = (d->blocks - region) / (ZONES - 1) * z;
		if (z + 1 <
		    ZONES) /* where nobody has read before, this time and last time */
			s.lba += dw_rng_below(&p->rng, d->blocks / 32 + 1);
		r = probe_group_add(p->group, &s, true);
	}
	return r;
}

static int add_lengths(struct planner *p, uint32_t i)
{
	static const uint64_t bytes[] = { 512,         4 * DW_KIB,   16 * DW_KIB,
					  64 * DW_KIB, 256 * DW_KIB, 2 * DW_MIB,
					  4 * DW_MIB };
	const struct probe_disk *d = &p->m->disk[i];
	int r = 0;

	for (uint32_t k = 0; k < DW_ARRAY_SIZE(bytes) && !r; k++) {
		uint32_t times = bytes[k] < DW_MIB ? 2 : 1;
		struct probe_stream s = { .purpose = PROBE_LENGTH,
					  .disk = i,
					  .nlb = blocks_of(d, bytes[k], 8),
					  .depth = 1,
					  .limit_ns = limit_ns(p->m, 0.02) };
		uint64_t most = bytes[k] < DW_MIB ? 100 : 16;

		if ((uint64_t)s.nlb * d->block_size < bytes[k] && k)
			continue; /* too long here; it was measured with less */
		s.most = (uint32_t)dw_max_u64(dw_min_u64(most, d->blocks / 4 / s.nlb), 2);
		while (times-- && !r) {
			s.lba = dw_rng_below(&p->rng, d->blocks / 2);
			r = probe_group_add(p->group, &s, true);
		}
	}
	return r;
}

static uint64_t near_stride(const struct probe_disk *d, uint32_t nlb)
{
	return dw_max_u64(d->blocks / NEAR_SHARE, 2 * (uint64_t)nlb);
}

static int add_seeks(struct planner *p, uint32_t i)
{
	const struct probe_disk *d = &p->m->disk[i];
	struct probe_stream s = { .purpose = PROBE_NEAR,
				  .disk = i,
				  .walk = PROBE_JUMP,
				  .nlb = (uint32_t)(spec(p->m, i)->physical /
						    spec(p->m, i)->sector),
				  .depth = 1,
				  .most = 100,
				  .limit_ns = limit_ns(p->m, 0.1) };
	int r;

	s.lba = dw_rng_below(&p->rng, d->blocks - s.nlb);
	s.stride = near_stride(d, s.nlb);
	r = probe_group_add(p->group, &s, true);
	s.purpose = PROBE_FAR;
	s.walk = PROBE_ENDS;
	s.stride = d->blocks / 2000 + s.nlb;
	s.lba = dw_rng_below(&p->rng, d->blocks / 100 + 1);
	s.most = 60;
	s.limit_ns = limit_ns(p->m, 0.1);
	return r < 0 ? r : probe_group_add(p->group, &s, true);
}

/* a node of the disk's way, by its first path */
static bool way_passes(const struct measure *m, uint32_t i, uint32_t node)
{
	const struct station_disk *d = spec(m, i);
	uint32_t at = d->n_on ? d->on[0] : STATION_NONE;

	while (at != STATION_NONE && at != node)
		at = m->station->node[at].on;
	return at == node;
}

static uint32_t count_behind(const struct measure *m, uint32_t node)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n; i++)
		n += way_passes(m, i, node);
	return n;
}

/* Nodes with the same disks are measured as one: the one next to the disks. */
static bool adds_nothing(const struct measure *m, uint32_t node)
{
	const struct dw_station *s = m->station;
	uint32_t n = count_behind(m, node);

	for (uint32_t i = 0; i < s->n_nodes; i++)
		if (s->node[i].on == node && count_behind(m, i) == n)
			return true;
	return n < 2;
}

static int add_shared(struct planner *p, uint32_t node, uint64_t bytes, bool held)
{
	struct probe_stream s = { .purpose = held ? PROBE_HELD : PROBE_SHARED,
				  .walk = held ? PROBE_JUMP : PROBE_FORWARD,
				  .node = node,
				  .limit_ns = limit_ns(p->m, held ? 0.08 : 0.05),
				  .least = TOGETHER };
	bool first = true;
	int r = 0;

	for (uint32_t i = 0; i < p->m->n && !r; i++) {
		const struct probe_disk *d = &p->m->disk[i];

		if (!way_passes(p->m, i, node))
			continue;
		s.disk = i;
		s.nlb = blocks_of(d, bytes, held ? 32 : 64);
		s.depth = held ? 1 : depth(p->m, i);
		s.stride = near_stride(d, s.nlb);
		s.lba = dw_rng_below(&p->rng, d->blocks / 4 + 1);
		s.most = held ? 2000
			      : (uint32_t)dw_min_u64(d->blocks / 2 / s.nlb + 2, 8000);
		r = probe_group_add(p->group, &s, first);
		first = false;
	}
	return r;
}

static int plan_node(struct planner *p, uint32_t node)
{
	int r = 0;

	if (adds_nothing(p->m, node))
		return 0;
	r = add_shared(p, node, DW_MIB, false);
	if (!r)
		r = add_shared(p, node, 128 * DW_KIB, false);
	if (!r)
		r = add_shared(p, node, 16 * DW_KIB, false);
	if (!r)
		r = add_shared(p, node, 256 * DW_KIB, true);
	return r < 0 ? r : add_shared(p, node, DW_MIB, true);
}

/* the node nearest to the host */
static uint32_t root(const struct measure *m, uint32_t at)
{
	while (at != STATION_NONE && m->station->node[at].on != STATION_NONE)
		at = m->station->node[at].on;
	return at;
}

/* the same for a disk, STATION_NONE when it has nothing above it */
static uint32_t top(const struct measure *m, uint32_t i)
{
	return spec(m, i)->n_on ? root(m, spec(m, i)->on[0]) : STATION_NONE;
}

static bool is_first(const struct measure *m, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (top(m, k) == top(m, i) && top(m, i) != STATION_NONE)
			return false;
	return true;
}

static int plan_group(struct planner *p, uint32_t leader)
{
	uint32_t host = top(p->m, leader);
	int r = 0;

	for (uint32_t i = leader; i < p->m->n && !r; i++) {
		if (i != leader && (host == STATION_NONE || top(p->m, i) != host))
			continue;
		r = add_zones(p, i);
		if (!r)
			r = add_lengths(p, i);
		if (!r)
			r = add_seeks(p, i);
	}
	for (uint32_t k = 0; k < p->m->station->n_nodes && !r; k++)
		if (root(p->m, k) == host)
			r = plan_node(p, k);
	return r;
}

int measure_plan(struct measure *m)
{
	struct planner p = { .m = m };
	int r = 0;

	dw_rng_seed(&p.rng, m->seed);
	m->group = calloc(m->n + 1, sizeof(*m->group));
	if (!m->group)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->n && !r; i++) {
		if (!is_first(m, i))
			continue;
		p.group = &m->group[m->n_groups++];
		r = plan_group(&p, i);
	}
	return r;
}

void measure_deinit(struct measure *m)
{
	for (uint32_t i = 0; i < m->n_groups; i++)
		probe_group_deinit(&m->group[i]);
	free(m->group);
	m->group = NULL;
	m->n_groups = 0;
}

/* the middle of @n values, or the mean of what is between the outermost @cut on either side */
static double middle(double *v, uint32_t n, uint32_t cut)
{
	double sum = 0;

	if (!cut)
		return dw_median(v, n);
	dw_sort(v, n);
	for (uint32_t i = cut; i < n - cut; i++)
		sum += v[i];
	return sum / (n - 2 * cut);
}

/* ends of the reads that ended well, but for the first, which began with a seek */
static double *ends(const struct probe_stream *s, uint32_t *ret_n)
{
	double *v = calloc(s->n + 1, sizeof(*v));
	uint32_t n = 0;

	for (uint32_t i = 0; v && i < s->n; i++)
		if (s->sample[i].end_ns)
			v[n++] = (double)(s->sample[i].end_ns - s->sample[0].start_ns);
	*ret_n = v ? n : 0;
	return v;
}

double measure_mean_ns(const struct probe_stream *s)
{
	uint32_t n, apart;
	dw_autofree double *v = ends(s, &n);

	if (n < 2)
		return 0;
	apart = n < 16 ? n / 2 : n / 8;
	for (uint32_t i = 0; i + apart < n; i++)
		v[i] = (v[i + apart] - v[i]) / apart;
	return middle(v, n - apart, 0);
}

/* the slope of the line that a share of LOW of the points lie below, by reweighting */
static double low_slope(const double *v, uint32_t n)
{
	double at = v[0], slope = (v[n - 1] - v[0]) / (n - 1);
	double least = 1e-4 * (v[n - 1] - v[0]);

	for (int turn = 0; turn < 30; turn++) {
		double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, det;

		for (uint32_t i = 0; i < n; i++) {
			double off = v[i] - at - slope * i;
			double k = (off > 0 ? LOW : 1 - LOW) / fmax(fabs(off), least);

			w += k;
			wx += k * i;
			wy += k * v[i];
			wxx += k * i * i;
			wxy += k * i * v[i];
		}
		det = w * wxx - wx * wx;
		if (!(det > 0))
			break;
		slope = (w * wxy - wx * wy) / det;
		at = (wy - slope * wx) / w;
	}
	return slope;
}

double measure_flow_ns(const struct probe_stream *s)
{
	uint32_t n;
	dw_autofree double *v = ends(s, &n);

	if (n < FEW || s->failed)
		return measure_mean_ns(s);
	return low_slope(v, n);
}

double measure_latency_ns(const struct probe_stream *s)
{
	dw_autofree double *v = calloc(s->n + 1, sizeof(*v));
	uint32_t n = 0;

	for (uint32_t i = 1; v && i < s->n; i++)
		if (s->sample[i].end_ns)
			v[n++] = (double)(s->sample[i].end_ns - s->sample[i].start_ns);
	return n < FEW / 2 ? 0 : middle(v, n, dw_max_u64(n / 4, 1));
}

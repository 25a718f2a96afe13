/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From times to a station. First each disk:
 *
 *	rate(x) = outer - (outer - inner) x	   by least squares over the zones
 *	t(L) = tau + L / link			   over the lengths that the medium does not limit
 *	latency = tau + seek(d) + revolution / 2 + L / rate,
 *	seek(d) = track + (full - track) sqrt(d)   two distances, two unknowns
 *
 * then the nodes, from what all disks did at once: where they were slower than alone,
 *
 *	time per command = command + L / rate of the node
 *
 * and last what of tau is left for the disk when its nodes have had theirs.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "forecast/measure.h"
#include "forecast/typical.h"
#include "base/beside.h"

#define POINTS     8
#define FREE_SHARE 0.93 /* above that part of what disks do alone a node is no limit */
#define QUORUM     0.75 /* of the disks of a step */
#define HELD_SHARE 0.8  /* below that part of the disks at work some wait */

/** struct facts - of a disk: @tau_ns, @link_ns: per command and per byte; near: see latency */
struct facts {
	double outer;
	double inner;
	double fit;
	double tau_ns;
	double link_ns;
	double near_ns;
	double overflow_ns;
	uint64_t fits_bytes;
	uint64_t over_bytes;
	bool known;
};

/** struct load - all disks behind a node: commands per second, mean bytes, and what the
 *  disks would do alone, how much of that they did together, how many of them did less */
struct load {
	double commands;
	double bytes;
	double alone;
	double served;
	uint32_t disks;
	uint32_t waiting;
};

/* Least squares of relative errors; y > 0. False when there is no line. */
static bool line_fit(const double *x, const double *y, uint32_t n,
		     struct measure_line *ret)
{
	double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, sum = 0, det;

	for (uint32_t i = 0; i < n; i++) { /* weight 1 / y^2: relative errors */
		double k = 1 / (y[i] * y[i]);

		w += k;
		wx += k * x[i];
		wy += k * y[i];
		wxx += k * x[i] * x[i];
		wxy += k * x[i] * y[i];
	}
	det = w * wxx - wx * wx;
	if (n < 2 || !(det > 1e-12 * w * wxx))
		return false;
	ret->slope = (w * wxy - wx * wy) / det;
	ret->at = (wy - ret->slope * wx) / w;
	for (uint32_t i = 0; i < n; i++)
		sum += pow((ret->at + ret->slope * x[i]) / y[i] - 1, 2);
	ret->residual = sqrt(sum / n);
	return true;
}

static struct station_disk *spec(const struct measure *m, uint32_t i)
{
	return &m->station->disk[m->unit[i]];
}

static double revolution_ns(const struct station_disk *d)
{
	return d->rpm ? 60e9 / (double)d->rpm : 0;
}

static double bytes_of(const struct measure *m, const struct probe_stream *s)
{
	return (double)s->nlb * m->disk[s->disk].block_size;
}

/* where a stream in sequence was, as a share of the disk */
static double stream_place(const struct measure *m, const struct probe_stream *s)
{
	return ((double)s->lba + (double)s->n * s->nlb / 2) /
	       (double)m->disk[s->disk].blocks;
}

static double rate_at(const struct facts *f, double x)
{
	return f->outer + (f->inner - f->outer) * x;
}

/* time of a command in sequence for a disk that is alone */
static double alone_ns(const struct facts *f, double bytes, double x)
{
	return fmax(bytes * 1e9 / rate_at(f, x), f->tau_ns + bytes * f->link_ns);
}

/* call @fn for each stream of a disk; the groups hold those of many */
static void each_stream(const struct measure *m, uint32_t disk, uint8_t purpose,
			void (*fn)(const struct measure *m, const struct probe_stream *s,
				   void *ctx),
			void *ctx)
{
	for (uint32_t g = 0; g < m->n_groups; g++)
		for (uint32_t k = 0; k < m->group[g].n_streams; k++) {
			const struct probe_stream *s = &m->group[g].stream[k];

			if (s->disk == disk && s->purpose == purpose)
				fn(m, s, ctx);
		}
}

/** struct points - what a line goes through */
struct points {
	const struct facts *f;
	double x[POINTS];
	double y[POINTS];
	uint32_t n;
};

static void zone_point(const struct measure *m, const struct probe_stream *s, void *ctx)
{
	struct points *p = ctx;
	double ns = measure_flow_ns(s);

	if (!(ns > 0) || p->n == POINTS)
		return;
	p->x[p->n] = stream_place(m, s);
	p->y[p->n++] = bytes_of(m, s) * 1e9 / ns;
}

/* a line through the zones, without the worst while they do not lie on one */
static bool fit_zones(struct points *p, struct measure_line *ret)
{
	while (line_fit(p->x, p->y, p->n, ret)) {
		uint32_t worst = 0;

		if (ret->residual < 0.02 || p->n <= 3)
			return true;
		for (uint32_t i = 1; i < p->n; i++) {
			double off =
				fabs(ret->at + ret->slope * p->x[i] - p->y[i]) / p->y[i];

			if (off > fabs(ret->at + ret->slope * p->x[worst] - p->y[worst]) /
					  p->y[worst])
				worst = i;
		}
		p->n--;
		p->x[worst] = p->x[p->n];
		p->y[worst] = p->y[p->n];
	}
	return false;
}

static bool estimate_rates(const struct measure *m, uint32_t i, struct facts *f)
{
	struct points p = { .f = f };
	struct measure_line line = { 0 };
	double sum = 0;

	each_stream(m, i, PROBE_ZONE, zone_point, &p);
	if (!p.n)
		return false;
	for (uint32_t k = 0; k < p.n; k++)
		sum += p.y[k];
	f->outer = sum / p.n;
	f->inner = f->outer;
	for (uint32_t k = 0; k < p.n; k++)
		f->fit += pow(p.y[k] / f->outer - 1, 2) / p.n;
	f->fit = sqrt(f->fit);
	if (!spec(m, i)->rpm || !fit_zones(&p, &line) || line.slope > 0 ||
	    !(line.at + line.slope > 0))
		return true;
	f->outer = line.at;
	f->inner = line.at + line.slope;
	f->fit = line.residual;
	return true;
}

/* lengths that take clearly longer than the medium needs; of two tries the better one */
static void length_point(const struct measure *m, const struct probe_stream *s, void *ctx)
{
	struct points *p = ctx;
	double ns = measure_mean_ns(s), bytes = bytes_of(m, s);
	bool media = ns < 1.15 * bytes * 1e9 / rate_at(p->f, stream_place(m, s));

	if (!(ns > 0) || bytes > 300 * DW_KIB || (media && p->n))
		return;
	for (uint32_t i = 0; i < p->n; i++)
		if (fabs(p->x[i] - bytes) < 1) {
			p->y[i] = fmin(p->y[i], ns);
			return;
		}
	if (p->n == POINTS)
		return;
	p->x[p->n] = bytes;
	p->y[p->n++] = ns;
}

static void estimate_overhead(const struct measure *m, uint32_t i, struct facts *f)
{
	const struct station_disk *d = spec(m, i);
	double known = d->link ? 1e9 / (double)d->link : 0;
	struct measure_line line;
	struct points p = { .f = f };

	each_stream(m, i, PROBE_LENGTH, length_point, &p);
	if (!p.n)
		return;
	f->link_ns = known;
	f->tau_ns = fmax(p.y[0] - p.x[0] * known, 0);
	if (p.n < 3 || !line_fit(p.x, p.y, p.n, &line) || line.at <= 0 ||
	    line.residual > 0.05)
		return;
	/* a slope like the medium's is not that of the link, a small one lost in tau */
	if (line.slope <= 0 || line.slope * p.x[p.n - 1] < 0.05 * line.at ||
	    (d->rpm && line.slope > 0.7e9 / f->outer))
		return;
	f->tau_ns = line.at;
	f->link_ns = line.slope;
}

/* a read that is longer than the controller's buffer takes a revolution more, or the like */
static void look_for_overflow(const struct measure *m, const struct probe_stream *s,
			      void *ctx)
{
	struct facts *f = ctx;
	double ns = measure_flow_ns(s), bytes = bytes_of(m, s);
	double plain = alone_ns(f, bytes, stream_place(m, s));
	double rev = revolution_ns(spec(m, s->disk));

	if (!(ns > 0) || bytes < 200 * DW_KIB)
		return;
	if (ns < 1.1 * plain || ns - plain < 0.25 * rev) {
		f->fits_bytes = dw_max_u64(f->fits_bytes, (uint64_t)bytes);
	} else if (bytes > (double)f->over_bytes) {
		f->over_bytes = (uint64_t)bytes;
		f->overflow_ns = ns - plain;
	}
}

struct jumps {
	double ns;
	double share; /* of the disk, from one read to the next */
};

static void jump(const struct measure *m, const struct probe_stream *s, void *ctx)
{
	struct jumps *j = ctx;
	double blocks = (double)m->disk[s->disk].blocks;

	j->ns = measure_latency_ns(s);
	j->share = (double)s->stride / blocks;
	if (s->walk == PROBE_ENDS)
		j->share =
			1 - 2 * ((double)s->lba + s->n * (double)s->stride / 4) / blocks;
	j->share = fmin(fmax(j->share, 0), 1);
}

static void estimate_seeks(const struct measure *m, uint32_t i, struct facts *f)
{
	struct station_disk *d = spec(m, i);
	double rest = f->tau_ns + revolution_ns(d) / 2 +
		      (double)d->physical * 1e9 / ((f->outer + f->inner) / 2);
	struct jumps near = { 0 }, far = { 0 };
	double a, b, slope;

	each_stream(m, i, PROBE_NEAR, jump, &near);
	each_stream(m, i, PROBE_FAR, jump, &far);
	f->near_ns = near.ns;
	if (!d->rpm || !(near.ns > 0) || !(far.ns > 0) || far.share <= near.share)
		return;
	a = fmax(near.ns - rest, 0);
	b = fmax(far.ns - rest, a);
	slope = (b - a) / (sqrt(far.share) - sqrt(near.share));
	d->seek_track_ns = (uint64_t)fmax(a - slope * sqrt(near.share), 0);
	d->seek_full_ns = d->seek_track_ns + (uint64_t)slope;
	typical_known(d->assumed, "seek");
}

static uint64_t rounded(double value, uint64_t unit)
{
	return (uint64_t)(value / (double)unit + 0.5) * unit;
}

static void estimate_disk(const struct measure *m, uint32_t i, struct facts *f)
{
	struct station_disk *d = spec(m, i);

	f->known = estimate_rates(m, i, f);
	if (!f->known)
		return;
	estimate_overhead(m, i, f);
	each_stream(m, i, PROBE_LENGTH, look_for_overflow, f);
	estimate_seeks(m, i, f);
	d->outer = rounded(f->outer, 1000);
	d->inner = dw_min_u64(rounded(f->inner, 1000), d->outer);
	if (f->link_ns > 0)
		d->link = rounded(1e9 / f->link_ns, 1000);
	typical_known(d->assumed, "outer");
	typical_known(d->assumed, "inner");
	typical_known(d->assumed, "overhead");
}

/* reads per second in the time in which all streams of the step were at work */
static double pace(const struct probe_stream *s, uint64_t from, uint64_t to)
{
	uint64_t first = 0, last = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t end = s->sample[i].end_ns;

		if (!end || end < from || end > to)
			continue;
		first = first ? dw_min_u64(first, end) : end;
		last = dw_max_u64(last, end);
		n++;
	}
	return n < 3 || last == first ? 0 : (n - 1) * 1e9 / (double)(last - first);
}

static uint64_t last_end(const struct probe_stream *s)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < s->n; i++)
		last = dw_max_u64(last, s->sample[i].end_ns);
	return last;
}

/* a read of PROBE_HELD for a disk that is alone: they go over much of a small disk */
static double jump_ns(const struct measure *m, const struct facts *f,
		      const struct probe_stream *s)
{
	double bytes = bytes_of(m, s), blocks = (double)m->disk[s->disk].blocks, sum = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t lba = probe_stream_lba(s, m->disk[s->disk].blocks, i);

		sum += 1e9 / rate_at(f, (double)lba / blocks);
	}
	return f->near_ns + bytes * (sum / s->n + f->link_ns);
}

/* One step of a group: streams of several disks behind one node. If too few of them were at
 * work at the same time, nothing is known. */
static struct load weigh(const struct measure *m, const struct facts *f,
			 const struct probe_stream *s, uint32_t n)
{
	struct load l = { 0 };
	uint64_t from = 0, to = UINT64_MAX;

	for (uint32_t i = 0; i < n; i++) {
		if (!s[i].n)
			continue;
		from = dw_max_u64(from, s[i].sample[0].end_ns);
		to = dw_min_u64(to, last_end(&s[i]));
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct facts *of = &f[s[i].disk];
		double x = pace(&s[i], from, to), bytes = bytes_of(m, &s[i]), ns;

		if (!(x > 0) || !of->known)
			continue;
		ns = alone_ns(of, bytes, stream_place(m, &s[i]));
		if (s[i].purpose == PROBE_HELD)
			ns = jump_ns(m, of, &s[i]);
		l.commands += x;
		l.bytes += x * bytes;
		l.alone += 1e9 / ns;
		l.served += x * ns / 1e9;
		l.waiting += x * ns / 1e9 < HELD_SHARE;
		l.disks++;
	}
	l.bytes /= l.commands > 0 ? l.commands : 1;
	return l.disks < QUORUM * n ? (struct load){ 0 } : l;
}

/** struct estimated_sharing - a node as the steps show it */
struct estimated_sharing {
	struct points
		slow; /* time of a command over its bytes, where the node was the limit */
	double most;  /* bytes per second that passed */
	uint32_t disks;
	struct load held[2];
	uint32_t n_held;
};

static void look_at_node(const struct measure *m, const struct facts *f, uint32_t node,
			 struct estimated_sharing *ret)
{
	for (uint32_t g = 0; g < m->n_groups; g++)
		for (uint32_t k = 0; k < m->group[g].n_steps; k++) {
			const struct probe_group *q = &m->group[g];
			const struct probe_stream *s = &q->stream[q->first[k]];
			struct load l;

			if (s->purpose < PROBE_SHARED || s->node != node)
				continue;
			l = weigh(m, f, s, q->first[k + 1] - q->first[k]);
			if (l.disks < 2)
				continue;
			ret->disks = l.disks;
			if (s->purpose == PROBE_HELD && ret->n_held < 2) {
				ret->held[ret->n_held++] = l;
				continue;
			}
			ret->most = fmax(ret->most, l.commands * l.bytes);
			if (l.commands < FREE_SHARE * l.alone) {
				ret->slow.x[ret->slow.n] = l.bytes;
				ret->slow.y[ret->slow.n++] = 1e9 / l.commands;
			}
		}
}

/* Time of a command over its bytes; the first point is that of the longest reads. No node is
 * faster than is known, and no command takes less than nothing. */
static struct measure_line node_line(const struct points *p, double known)
{
	double whole = p->y[0] / p->x[0], last = p->y[p->n - 1];
	struct measure_line l = { 0 };
	bool two = p->n >= 2 && line_fit(p->x, p->y, p->n, &l);

	if (two && l.residual > 0.03) /* disturbed: the extremes, exact for long reads */
		l.slope = (p->y[0] - last) / (p->x[0] - p->x[p->n - 1]);
	else if (!two)
		l.slope = p->x[0] > 100 * DW_KIB ? whole : known;
	l.slope = fmin(fmax(l.slope, known), whole);
	l.at = p->y[0] - l.slope * p->x[0];
	return l;
}

static void estimate_flow(struct station_node *n, const struct estimated_sharing *s)
{
	struct measure_line line;

	if (!s->slow.n) {
		snprintf(n->note, sizeof(n->note),
			 "probed: %.1f MB/s of %u disks pass without a wait",
			 s->most / 1e6, s->disks);
		return;
	}
	line = node_line(&s->slow, n->rate ? 1e9 / (double)n->rate : 0);
	if (line.slope > 0)
		n->rate = rounded(1e9 / line.slope, 1000);
	if (n->kind != STATION_LINK)
		n->command_ns = rounded(line.at, 100);
	typical_known(n->assumed, "rate");
	typical_known(n->assumed, "command");
	snprintf(n->note, sizeof(n->note),
		 "probed: the limit of %u disks, %.1f MB/s, +-%.1f %%", s->disks,
		 s->most / 1e6, 100 * line.residual);
}

static struct station_node *controller_of(const struct measure *m, uint32_t at)
{
	while (at != STATION_NONE && m->station->node[at].kind != STATION_CONTROLLER)
		at = m->station->node[at].on;
	return at == STATION_NONE ? NULL : &m->station->node[at];
}

static struct station_node *controller_over(const struct measure *m, uint32_t i)
{
	const struct station_disk *d = spec(m, i);

	return d->n_on ? controller_of(m, d->on[0]) : NULL;
}

/* how much of the disks' own pace is left when they queue for the node: exact mean value analysis,
 * whose exponential service is rather too much of a queue */
static double queued_share(const struct station_node *n, const struct load *l)
{
	double alone = l->disks / l->alone, needs = (double)n->command_ns / 1e9;
	struct dw_closed_beside b = { .n = l->disks, .k = 1 };

	if (n->rate)
		needs += l->bytes / (double)n->rate;
	b.demand[0] = needs;
	b.think = fmax(alone - needs, 0);
	return alone / (b.think + dw_closed_beside(&b, 0, NULL));
}

/* A node that carries about what it carried at most, or queues before it, explain a wait by
 * themselves; and one disk that is late is not kept waiting by others. */
static bool waits(const struct station_node *n, const struct estimated_sharing *s,
		  const struct load *l)
{
	if (s->slow.n && l->commands * l->bytes > 0.8 * s->most)
		return false;
	return l->disks > 2 && 2 * l->waiting > l->disks &&
	       l->served < HELD_SHARE * l->disks * queued_share(n, l);
}

/* Fewer commands served than sent: by their bytes if longer ones are fewer, else by number. */
static void estimate_room(const struct measure *m, uint32_t node,
			  const struct estimated_sharing *s)
{
	const struct station_node *n = &m->station->node[node];
	struct station_node *c = controller_of(m, node);
	uint32_t first = 0;
	double held;

	while (first < s->n_held && !waits(n, s, &s->held[first]))
		first++;
	if (!c || first == s->n_held)
		return;
	held = fmax(floor(s->held[first].served + 0.4), 1);
	if (!first && s->n_held == 2 && s->held[1].served > 0.8 * s->held[0].served) {
		c->queue = (uint64_t)held;
		return;
	}
	c->buffer = (uint64_t)held * rounded(s->held[first].bytes, DW_KIB);
	snprintf(c->note, sizeof(c->note),
		 "probed: %.1f reads of %.0f KiB at once, of %u that were sent",
		 s->held[first].served, s->held[first].bytes / 1024,
		 s->held[first].disks);
}

/* What a too long transfer costs; where the buffer ends, if nothing else told. One buffer serves
 * all disks: what passed for one of them was not too long for another, only late. */
static void estimate_overflow(const struct measure *m, struct station_node *c,
			      const struct facts *f)
{
	const struct facts *over = NULL;
	uint64_t fits = 0;

	for (uint32_t i = 0; i < m->n; i++)
		if (f[i].known && controller_over(m, i) == c)
			fits = dw_max_u64(fits, f[i].fits_bytes);
	for (uint32_t i = 0; i < m->n; i++)
		if (f[i].known && controller_over(m, i) == c && f[i].over_bytes > fits)
			over = &f[i];
	if (!over || !fits)
		return;
	if (!c->buffer)
		c->buffer = fits;
	if (over->over_bytes > c->buffer) {
		uint64_t more = (over->over_bytes - 1) / c->buffer;

		c->overflow_ns = rounded(over->overflow_ns / (double)more, 1000);
	}
}

static void finish_disk(const struct measure *m, uint32_t i, const struct facts *f)
{
	struct station_disk *d = spec(m, i);
	double rev = revolution_ns(d), left = f->tau_ns;
	int n;

	for (uint32_t at = d->n_on ? d->on[0] : STATION_NONE; at != STATION_NONE;
	     at = m->station->node[at].on)
		left -= (double)m->station->node[at].command_ns;
	d->overhead_ns = rounded(fmax(left, 0), 1000);
	n = snprintf(d->note, sizeof(d->note), "probed: rate +-%.1f %%, tau %.2f ms",
		     100 * f->fit, f->tau_ns / 1e6);
	if (d->rpm)
		n += snprintf(d->note + n, sizeof(d->note) - (size_t)n,
			      " (%.2f rev at %llu rpm)", f->tau_ns / rev,
			      (unsigned long long)d->rpm);
	if (d->rpm && !d->cache)
		snprintf(d->note + n, sizeof(d->note) - (size_t)n,
			 ", cache off: a write at depth 1 loses %.0f rev",
			 ceil((f->tau_ns + 1) / rev));
}

int measure_estimate(struct measure *m)
{
	dw_autofree struct facts *f = calloc(m->n + 1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->n; i++)
		estimate_disk(m, i, &f[i]);
	for (uint32_t k = 0; k < m->station->n_nodes; k++) {
		struct estimated_sharing s = { 0 };

		look_at_node(m, f, k, &s);
		if (!s.disks)
			continue;
		estimate_flow(&m->station->node[k], &s);
		estimate_room(m, k, &s);
	}
	for (uint32_t k = 0; k < m->station->n_nodes; k++)
		if (m->station->node[k].kind == STATION_CONTROLLER)
			estimate_overflow(m, &m->station->node[k], f);
	for (uint32_t i = 0; i < m->n; i++)
		if (f[i].known)
			finish_disk(m, i, &f[i]);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From traces to a station: the disks each by itself, from the times when what they share was
 * not full; then what they share, from the times when it was. Full is a node whose throughput
 * stands still at its highest, or near the rate that is known. Every other chunk is held out and
 * only asked at the end.
 */
#include "forecast/fit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "forecast/describe.h"
#include "forecast/fit_disk.h"
#include "forecast/typical.h"

#define PLATEAU    0.025 /* a throughput varies less than that where a node is full */
#define FULL_SHARE 0.85  /* of the plateau: above it a disk may have waited */
#define SLOWED     1.07

static void facts_of(const struct dw_trace_disk *t, struct dw_disk_info *ret)
{
	bool real = strcmp(t->transport, "simulated") != 0;

	*ret = (struct dw_disk_info){
		.blocks = t->blocks,
		.block_size = t->block_size,
		.physical_block_size = t->physical_block_size,
		.rotation = (uint16_t)t->rotation,
		.wce = (int8_t)((int)t->write_cache - 1),
		.scsi = true,
	};
	snprintf(ret->sg, sizeof(ret->sg), "%.31s", t->device);
	snprintf(ret->vendor, sizeof(ret->vendor), "%s", t->vendor);
	snprintf(ret->model, sizeof(ret->model), "%s", t->model);
	snprintf(ret->transport, sizeof(ret->transport), "%s", t->transport);
	if (real) {
		snprintf(ret->serial, sizeof(ret->serial), "%s", t->serial);
		snprintf(ret->wwn, sizeof(ret->wwn), "%s", t->wwn);
	}
}

static int add_nodes(struct dw_station *s, const struct fit_data *data)
{
	static const uint8_t kinds[] = { [DW_TRACE_LINK] = STATION_LINK,
					 [DW_TRACE_CONTROLLER] = STATION_CONTROLLER,
					 [DW_TRACE_BUS] = STATION_BUS };

	for (uint32_t i = 0; i < data->n_nodes; i++) {
		const struct dw_trace_node *t = &data->node[i];
		struct station_node n = { .kind = kinds[t->kind],
					  .on = STATION_NONE,
					  .rate = t->rate };

		snprintf(n.name, sizeof(n.name), "%s", t->name);
		snprintf(n.on_name, sizeof(n.on_name), "%s", t->on);
		if (station_add_node(s, &n) == STATION_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* Without a station to begin with: what the traces say of the wiring. */
static void wire(struct station_disk *d, const struct dw_trace_disk *t)
{
	d->n_on = 0;
	memset(d->on_name, 0, sizeof(d->on_name));
	if (sscanf(t->on, "%31s %31s", d->on_name[0], d->on_name[1]) >= 1)
		d->n_on = d->on_name[1][0] ? 2 : 1;
}

static int begin_station(const struct fit_data *data, const struct dw_station *base,
			 struct dw_station **ret)
{
	static const struct dw_station nothing;
	dw_autofree struct dw_disk_info *infos =
		calloc(data->n_disks + 1, sizeof(*infos));
	struct dw_station *s;
	int r;

	if (!infos)
		return -ENOMEM;
	for (uint32_t i = 0; i < data->n_disks; i++)
		facts_of(&data->disk[i].facts, &infos[i]);
	r = station_select(&dw_machine_self, base ? base : &nothing, infos, data->n_disks,
			   &s, NULL, NULL);
	if (r < 0)
		return r;
	if (!base) {
		r = add_nodes(s, data);
		for (uint32_t i = 0; i < data->n_disks && data->n_nodes; i++)
			wire(&s->disk[i], &data->disk[i].facts);
		if (!r)
			r = station_check(s, NULL);
	}
	if (r < 0)
		dw_station_free(s);
	else
		*ret = s;
	return r;
}

static bool passes_node(const struct dw_station *s, uint32_t disk, uint32_t node)
{
	const struct station_disk *d = &s->disk[disk];
	uint32_t at = d->n_on ? d->on[0] : STATION_NONE;

	while (at != STATION_NONE && at != node)
		at = s->node[at].on;
	return at == node;
}

/** struct flow - a node in a trace: bytes of each window, and the rate where it is full */
struct flow {
	double bytes[FIT_WINDOWS];
	double full; /* bytes of a window, 0 = it never was */
};

static void find_plateau(const struct station_node *n, double seconds, struct flow *f)
{
	double top = 0, sum = 0, squares = 0, known = (double)n->rate * seconds;
	uint32_t k = 0, busy = 0;

	for (uint32_t w = 0; w < FIT_WINDOWS; w++) {
		top = fmax(top, f->bytes[w]);
		busy += f->bytes[w] > 0;
	}
	for (uint32_t w = 0; w < FIT_WINDOWS; w++) {
		if (f->bytes[w] < 0.9 * top)
			continue;
		k++;
		sum += f->bytes[w];
		squares += f->bytes[w] * f->bytes[w];
	}
	if (n->rate && !strstr(n->assumed, "rate") && top < 0.9 * known)
		return; /* far from what it can */
	if (k < 5 || k < busy / 10 || !(sum > 0))
		return;
	if (sqrt(fmax(squares / k - pow(sum / k, 2), 0)) < PLATEAU * sum / k)
		f->full = sum / k;
}

/* A disk that was in the trace already: it was pulled, and joined again. */
static bool is_back(const struct fit_load *l, uint32_t i)
{
	uint32_t k = 0;

	while (l->disk[k] != l->disk[i])
		k++;
	return k < i;
}

/* Flow through a node; false when fewer than two disks of the trace pass it. */
static bool look_at_flow(const struct dw_station *s, uint32_t node,
			 const struct fit_load *l, struct flow *f)
{
	uint32_t disks = 0;

	*f = (struct flow){ 0 };
	for (uint32_t i = 0; i < l->n_disks; i++) {
		if (!passes_node(s, l->disk[i], node))
			continue;
		disks += !is_back(l, i);
		for (uint32_t w = 0; w < FIT_WINDOWS; w++)
			f->bytes[w] += l->bytes[i][w];
	}
	if (disks < 2)
		return false;
	find_plateau(&s->node[node], (double)l->window_ns / 1e9, f);
	return true;
}

/* In that window, or in one beside it, which the same commands may reach into. */
static bool was_full(const struct flow *f, uint32_t w)
{
	uint32_t last = (uint32_t)dw_min_u64(w + 1, FIT_WINDOWS - 1);

	for (uint32_t k = w ? w - 1 : 0; k <= last; k++)
		if (f->bytes[k] > FULL_SHARE * f->full)
			return true;
	return false;
}

static void mark_contended(const struct dw_station *s, uint32_t node, uint32_t trace,
			   const struct flow *f, struct fit_data *data)
{
	if (!(f->full > 0))
		return;
	for (uint32_t i = 0; i < data->n_disks; i++) {
		struct fit_disk *d = &data->disk[i];

		for (uint32_t k = 0; k < d->n_chunks && passes_node(s, i, node); k++) {
			struct fit_chunk *c = &d->chunk[k];
			uint32_t w = fit_window(&data->load[trace], c->at_ns);

			if (c->trace == trace && c->verb != DW_VERB_WRITE_SAME &&
			    w < FIT_WINDOWS && was_full(f, w))
				c->contended = true;
		}
	}
}

/* by how much chunks took longer than alone while the node was full; 0 = nobody can tell */
static double slowdown(const struct dw_station *s, uint32_t node, uint32_t trace,
		       const struct fit_data *data, const struct fit_model *m)
{
	dw_autofree double *v = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < data->n_disks; i++) {
		const struct fit_disk *d = &data->disk[i];
		double *more;

		if (!(m[i].outer > 0) || m[i].all || !passes_node(s, i, node))
			continue;
		more = reallocarray(v, n + FIT_CHUNKS, sizeof(*v));
		if (!more)
			return 0;
		v = more;
		for (uint32_t k = 0; k < d->n_chunks; k++)
			if (d->chunk[k].contended && d->chunk[k].trace == trace)
				v[n++] = d->chunk[k].ns /
					 fit_model_ns(&m[i], &s->disk[i], &d->chunk[k]);
	}
	return v ? fit_median(v, n) : 0;
}

/* Nodes that are full only because those above them are would get their rate: the one next to
 * the disks has it. */
static bool is_lowest(const struct dw_station *s, uint32_t node, const struct fit_load *l)
{
	for (uint32_t k = 0; k < s->n_nodes; k++) {
		uint32_t here = 0, there = 0;

		if (s->node[k].on != node)
			continue;
		for (uint32_t i = 0; i < l->n_disks; i++) {
			here += passes_node(s, l->disk[i], node);
			there += passes_node(s, l->disk[i], k);
		}
		if (here == there)
			return false;
	}
	return true;
}

/* One above it, of a rate that is known, that is as full: then that is the limit. */
static bool is_above(const struct dw_station *s, uint32_t node, double rate)
{
	for (uint32_t at = s->node[node].on; at != STATION_NONE; at = s->node[at].on)
		if (s->node[at].rate && !strstr(s->node[at].assumed, "rate") &&
		    (double)s->node[at].rate < 1.07 * rate)
			return true;
	return false;
}

static void fit_node(struct dw_station *s, uint32_t node, const struct fit_data *data,
		     const struct fit_model *m)
{
	struct station_node *n = &s->node[node];
	struct flow f;

	for (uint32_t t = 0; t < data->n_loads; t++) {
		const struct fit_load *l = &data->load[t];
		double slow;

		if (!is_lowest(s, node, l) || !look_at_flow(s, node, l, &f) ||
		    !(f.full > 0) ||
		    is_above(s, node, f.full * 1e9 / (double)l->window_ns))
			continue;
		slow = slowdown(s, node, t, data, m);
		if (slow < SLOWED)
			continue;
		n->rate = (uint64_t)(f.full * 1e6 / (double)l->window_ns + 0.5) * 1000;
		typical_known(n->assumed, "rate");
		snprintf(n->note, sizeof(n->note),
			 "fitted: full for a time, commands took %.2f times as long",
			 slow);
	}
}

static double path_ns(const struct dw_station *s, const struct station_disk *d)
{
	double ns = 0;

	for (uint32_t at = d->n_on ? d->on[0] : STATION_NONE; at != STATION_NONE;
	     at = s->node[at].on)
		ns += (double)s->node[at].command_ns;
	return ns;
}

/** struct errors - relative ones, of what was fitted and of what was held out */
struct errors {
	double *fitted;
	double *held;
	uint32_t n_fitted;
	uint32_t n_held;
};

static void add_errors(const struct fit_disk *f, const struct station_disk *d,
		       const struct fit_model *m, struct errors *e)
{
	for (uint32_t k = 0; k < f->n_chunks; k++) {
		double off = fabs(fit_model_ns(m, d, &f->chunk[k]) / f->chunk[k].ns - 1);

		if (f->chunk[k].contended && !m->all)
			continue;
		if (k % 2)
			e->held[e->n_held++] = off;
		else
			e->fitted[e->n_fitted++] = off;
	}
}

/* the rest of the points after those far off; @v is sorted */
static void residual(double *v, uint32_t n, double *ret, double *ret_left_out)
{
	double far = fmax(3 * 1.4826 * fit_median(v, n), 0.005), sum = 0;
	uint32_t k = 0;

	while (k < n && v[k] <= far) {
		sum += v[k] * v[k];
		k++;
	}
	*ret = k ? 100 * sqrt(sum / k) : 0;
	*ret_left_out = n ? 100.0 * (n - k) / n : 0;
}

static void note_disk(const struct fit_disk *f, struct station_disk *d,
		      const struct fit_model *m)
{
	double v[FIT_CHUNKS];
	struct errors e = { .fitted = v, .held = v + FIT_CHUNKS / 2 };
	double fit, left_out, held;
	int n;

	add_errors(f, d, m, &e);
	residual(e.fitted, e.n_fitted, &fit, &left_out);
	held = 100 * fit_median(e.held, e.n_held);
	n = snprintf(d->note, sizeof(d->note),
		     "fitted: %llu commands, residual %.1f %%, held out %.1f %%",
		     (unsigned long long)f->commands, fit, held);
	if (m->turns > 0)
		n += snprintf(d->note + n, sizeof(d->note) - (size_t)n,
			      ", writes lose %.0f rev", m->turns);
	if (m->contended)
		snprintf(d->note + n, sizeof(d->note) - (size_t)n, ", never alone");
}

static int sum_up_fit(const struct fit_data *data, const struct dw_station *s,
		      const struct fit_model *m, struct dw_fit *ret)
{
	size_t room = (size_t)data->n_disks * FIT_CHUNKS + 1;
	dw_autofree double *fitted = calloc(room, sizeof(*fitted));
	dw_autofree double *held = calloc(room, sizeof(*held));
	struct errors e = { fitted, held, 0, 0 };

	if (!fitted || !held)
		return -ENOMEM;
	for (uint32_t i = 0; i < data->n_disks; i++) {
		ret->commands += data->disk[i].commands;
		ret->failed += data->disk[i].failed;
		if (!(m[i].outer > 0))
			continue;
		ret->disks++;
		add_errors(&data->disk[i], &s->disk[i], &m[i], &e);
	}
	ret->points = e.n_fitted;
	residual(fitted, e.n_fitted, &ret->residual, &ret->left_out);
	ret->held_out = 100 * fit_median(held, e.n_held);
	if (e.n_held)
		ret->held_out_90 = 100 * held[e.n_held * 9 / 10];
	return 0;
}

static int fit_all(struct fit_data *data, struct dw_station *s, struct dw_fit *ret,
		   struct dw_error *err)
{
	dw_autofree struct fit_model *m = calloc(data->n_disks + 1, sizeof(*m));
	struct flow f;
	uint32_t done = 0;

	if (!m)
		return -ENOMEM;
	for (uint32_t t = 0; t < data->n_loads; t++)
		for (uint32_t k = 0; k < s->n_nodes; k++)
			if (look_at_flow(s, k, &data->load[t], &f))
				mark_contended(s, k, t, &f, data);
	for (uint32_t i = 0; i < data->n_disks; i++) {
		struct station_disk *d = &s->disk[i];

		if (!fit_disk(&data->disk[i], d, path_ns(s, d), &m[i]))
			continue;
		note_disk(&data->disk[i], d, &m[i]);
		done++;
	}
	for (uint32_t k = 0; k < s->n_nodes; k++)
		fit_node(s, k, data, m);
	if (!done)
		return dw_error_set(
			err, -EINVAL, DW_ERROR_MODEL, NULL,
			"no disk has enough commands in sequence to be fitted");
	return sum_up_fit(data, s, m, ret);
}

int dw_station_fit(const char *const *traces, size_t n, const struct dw_station *base,
		   struct dw_station **ret, struct dw_fit *ret_fit, struct dw_error *err)
{
	struct fit_data data = { 0 };
	struct dw_station *s = NULL;
	int r = 0;

	dw_error_clear(err);
	*ret_fit = (struct dw_fit){ 0 };
	for (size_t i = 0; i < n && !r; i++)
		r = fit_read(&data, traces[i], err);
	if (!r && !data.n_disks)
		r = dw_error_set(err, -EINVAL, DW_ERROR_MODEL, NULL,
				 "the traces name no disk");
	if (!r) {
		r = begin_station(&data, base, &s);
		if (r == -EINVAL)
			dw_error_set(err, r, DW_ERROR_MODEL, NULL,
				     "the traces have a disk that no topology file can "
				     "describe: too small, or wired in a circle");
	}
	if (!r)
		r = fit_all(&data, s, ret_fit, err);
	dw_error_system(err, r, NULL);
	if (r < 0)
		dw_station_free(s);
	else
		*ret = s;
	fit_data_deinit(&data);
	return r;
}

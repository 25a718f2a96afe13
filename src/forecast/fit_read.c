/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From lines of a trace to chunks: what was in sequence and without a pause. */
#include <diskwipe/identity.h>

#include "forecast/fit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

#define CHUNK_LEAST  8 /* commands */
#define WINDOW_FIRST (10 * DW_NS_PER_MS)

void fit_data_deinit(struct fit_data *d)
{
	for (uint32_t i = 0; i < d->n_disks; i++)
		free(d->disk[i].chunk);
	for (uint32_t i = 0; i < d->n_loads; i++) {
		free(d->load[i].bytes);
		free(d->load[i].disk);
	}
	free(d->disk);
	free(d->node);
	free(d->load);
	*d = (struct fit_data){ 0 };
}

static bool same_disk(const struct dw_trace_disk *a, const struct dw_trace_disk *b)
{
	struct dw_identity x = dw_identity_named(a->serial, a->wwn),
			   y = dw_identity_named(b->serial, b->wwn);

	return a->blocks == b->blocks && a->block_size == b->block_size &&
	       (dw_identity_match(&x, &y, DW_SAME_NAMED) ||
		(dw_identity_match(&x, &y, DW_SAME_NAME) &&
		 !strcmp(a->device, b->device)));
}

static int find_disk(struct fit_data *d, const struct dw_trace_disk *t, uint32_t *ret)
{
	struct fit_disk *v;

	for (*ret = 0; *ret < d->n_disks; ++*ret)
		if (same_disk(&d->disk[*ret].facts, t))
			return 0;
	v = reallocarray(d->disk, d->n_disks + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	d->disk = v;
	v += d->n_disks++;
	*v = (struct fit_disk){ .facts = *t };
	v->chunk = calloc(FIT_CHUNKS, sizeof(*v->chunk));
	return v->chunk ? 0 : -ENOMEM;
}

static int take_nodes(struct fit_data *d, const struct dw_trace_head *h)
{
	for (uint32_t i = 0; i < h->n_nodes; i++) {
		struct dw_trace_node *v;
		uint32_t k = 0;

		while (k < d->n_nodes && strcmp(d->node[k].name, h->node[i].name) != 0)
			k++;
		if (k < d->n_nodes)
			continue;
		v = reallocarray(d->node, d->n_nodes + 1, sizeof(*v));
		if (!v)
			return -ENOMEM;
		d->node = v;
		v[d->n_nodes++] = h->node[i];
	}
	return 0;
}

static int new_load(struct fit_data *d, const struct dw_trace_head *h)
{
	struct fit_load *l = reallocarray(d->load, d->n_loads + 1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	d->load = l;
	l[d->n_loads++] = (struct fit_load){ .window_ns = WINDOW_FIRST };
	return take_nodes(d, h);
}

/* The disks of the head that the load does not have yet: those of the start, or one that joined. */
static int add_disks_to_load(struct fit_data *d, const struct dw_trace_head *h)
{
	struct fit_load *l = &d->load[d->n_loads - 1];
	uint32_t from = l->n_disks, n = h->n_disks;
	int r;

	if (n == from)
		return 0;
	r = dw_grow(&l->bytes, from, n, sizeof(*l->bytes));
	if (!r)
		r = dw_grow(&l->disk, from, n, sizeof(*l->disk));
	for (uint32_t i = from; i < n && !r; i++)
		r = find_disk(d, &h->disk[i], &l->disk[i]);
	l->n_disks = r ? from : n;
	return r;
}

uint32_t fit_window(const struct fit_load *l, uint64_t at_ns)
{
	return (uint32_t)dw_min_u64(at_ns / l->window_ns, FIT_WINDOWS);
}

/* Twice as wide windows, until the time has one. */
static void make_room(struct fit_load *l, uint64_t at_ns)
{
	const uint32_t half = FIT_WINDOWS / 2;

	for (; fit_window(l, at_ns) >= FIT_WINDOWS; l->window_ns *= 2)
		for (uint32_t i = 0; i < l->n_disks; i++) {
			double *v = l->bytes[i];

			for (uint32_t w = 0; w < half; w++)
				v[w] = v[(size_t)2 * w] + v[(size_t)2 * w + 1];
			memset(v + half, 0, half * sizeof(*v));
		}
}

/* Bytes of one command where it ended; of many in one line spread over their time. */
static void count_bytes(struct fit_load *l, const struct dw_trace_command *c,
			double bytes)
{
	uint64_t from = c->commands > 1 ? c->start_ns : c->end_ns, span;
	size_t first, last;

	make_room(l, c->end_ns);
	first = fit_window(l, from);
	last = fit_window(l, c->end_ns);
	span = c->end_ns - from;
	for (size_t w = first; w <= last; w++) {
		uint64_t a = dw_max_u64(from, w * l->window_ns);
		uint64_t b = dw_min_u64(c->end_ns, (w + 1) * l->window_ns);
		double share = span ? (double)(b - a) / (double)span : 1;

		l->bytes[c->disk][w] += bytes * share;
	}
}

static void add_chunk(struct fit_disk *d, const struct fit_chunk *c, uint64_t blocks)
{
	if (d->n_chunks == FIT_CHUNKS) {
		for (size_t i = 0; i < FIT_CHUNKS / 2; i++)
			d->chunk[i] = d->chunk[2 * i];
		d->n_chunks = FIT_CHUNKS / 2;
		d->chunk_blocks = 2 * dw_max_u64(d->chunk_blocks, blocks);
	}
	d->chunk[d->n_chunks++] = *c;
}

static void close_chunk(struct fit_disk *d, uint32_t trace)
{
	uint64_t bytes = d->facts.block_size, middle;
	struct fit_chunk c = { .verb = d->run.verb,
			       .overlapped = d->run.overlapped,
			       .trace = trace };

	middle = d->run.first_lba + (d->run.next_lba - d->run.first_lba) / 2;
	c.x = (double)middle / (double)d->facts.blocks;
	c.bytes = (double)(d->run.blocks * bytes);
	c.ns = (double)(d->run.last_ns - d->run.first_ns) / d->run.n;
	c.at_ns = d->run.first_ns + (d->run.last_ns - d->run.first_ns) / 2;
	if (c.ns > 0)
		add_chunk(d, &c, d->run.next_lba - d->run.first_lba);
}

/*
 * A line of many that says itself how long those took that followed one another: a chunk, as
 * its commands would have been one by one.
 */
static void take_several(struct fit_disk *d, const struct dw_trace_command *c,
			 uint32_t trace)
{
	struct fit_chunk chunk = {
		.verb = c->verb,
		.overlapped = c->mean_ns * c->commands > c->end_ns - c->start_ns,
		.x = ((double)c->lba + (double)c->span / 2) / (double)d->facts.blocks,
		.bytes = (double)c->blocks / (double)c->commands *
			 (double)d->facts.block_size,
		.ns = (double)c->close_ns / c->close,
		.trace = trace,
		.at_ns = c->start_ns + (c->end_ns - c->start_ns) / 2,
	};

	if (c->close >= CHUNK_LEAST && chunk.ns > 0)
		add_chunk(d, &chunk, c->span);
}

/* The first command of a run only says when the second may begin. */
static void begin_run(struct fit_disk *d, const struct dw_trace_command *c)
{
	d->run.open = true;
	d->run.verb = c->verb;
	d->run.overlapped = false;
	d->run.blocks = c->blocks / c->commands;
	d->run.next_lba = c->lba + c->span;
	d->run.first_lba = d->run.next_lba;
	d->run.first_ns = c->end_ns;
	d->run.last_ns = c->end_ns;
	d->run.n = 0;
}

static bool goes_on(const struct fit_disk *d, const struct dw_trace_command *c)
{
	return d->run.open && c->verb == d->run.verb && c->lba == d->run.next_lba &&
	       c->blocks / c->commands == d->run.blocks && c->end_ns >= d->run.last_ns &&
	       c->start_ns <= d->run.last_ns + DW_TRACE_PAUSE_NS;
}

static void take_jump(struct fit_disk *d, const struct dw_trace_command *c)
{
	struct fit_jump *j = &d->jump[d->n_jumps];
	double far = (double)c->lba - (double)d->head_lba;

	if (c->verb != DW_VERB_READ || d->n_jumps == FIT_JUMPS || c->commands > 1 ||
	    c->lba == d->head_lba || c->start_ns < d->run.last_ns)
		return;
	j->far = (far < 0 ? -far : far) / (double)d->facts.blocks;
	j->x = (double)c->lba / (double)d->facts.blocks;
	j->bytes = (double)c->blocks * d->facts.block_size;
	j->ns = (double)(c->end_ns - c->start_ns);
	d->n_jumps++;
}

static void take_command(struct fit_disk *d, const struct dw_trace_command *c,
			 uint32_t trace)
{
	if (c->several) {
		take_several(d, c, trace);
		begin_run(d, c);
		return;
	}
	if (!goes_on(d, c)) {
		take_jump(d, c);
		begin_run(d, c);
		return;
	}
	d->run.overlapped |= c->start_ns < d->run.last_ns;
	d->run.next_lba += c->blocks;
	d->run.last_ns = c->end_ns;
	d->run.n += c->commands;
	if (d->run.n < CHUNK_LEAST ||
	    d->run.next_lba - d->run.first_lba < d->chunk_blocks)
		return;
	close_chunk(d, trace);
	begin_run(d, c);
}

static void add_to_load(struct fit_data *d, uint32_t trace,
			const struct dw_trace_command *c)
{
	struct fit_load *l = &d->load[trace];
	struct fit_disk *disk;

	if (c->disk >= l->n_disks || c->end_class == DW_CLASS_GIVEN_BACK || !c->blocks ||
	    !c->commands)
		return;
	disk = &d->disk[l->disk[c->disk]];
	disk->commands += c->commands;
	if (c->end_class != DW_CLASS_OK) {
		disk->failed += c->commands;
		disk->run.open = false;
		return;
	}
	if (c->verb != DW_VERB_WRITE_SAME)
		count_bytes(l, c, (double)c->blocks * disk->facts.block_size);
	take_command(disk, c, trace);
	disk->head_lba = c->lba + c->span;
}

int fit_read(struct fit_data *d, const char *path, struct dw_error *err)
{
	struct dw_trace_command c;
	struct dw_trace_reader *reader;
	int r = dw_trace_reader_open(path, &reader, err);

	if (!r) {
		const struct dw_trace_head *head = dw_trace_reader_head(reader);

		r = new_load(d, head);
		if (!r)
			r = add_disks_to_load(d, head);
		while (!r && (r = dw_trace_reader_next(reader, &c, err)) == 1) {
			r = add_disks_to_load(d, head);
			if (!r)
				add_to_load(d, d->n_loads - 1, &c);
		}
		dw_trace_reader_free(reader);
		for (uint32_t i = 0; i < d->n_disks; i++)
			d->disk[i].run.open = false;
	}
	return dw_error_system(err, r, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The runner: as many reads under way as each stream wants, and a few more that wait in the
 * transport, so that the disk never waits for this loop. Times are those of the transport,
 * which stamps each read where it is sent.
 */
#include "forecast/streams.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/util.h"
#include "scsi/cdb.h"
#include "transport/guard.h"

#define AHEAD      4 /* reads that wait behind those at the disk; of long ones one will do */
#define LONG_BYTES (128 * DW_KIB)
#define BATCH      64
#define FAILED_MAX 8
#define STRETCH    5 /* times its limit for a stream with too few reads */
#define TIMEOUT_MS 30000
#define WAIT_MS    100

/** struct flight - a read under way; @next: index of the next free one */
struct flight {
	struct dw_cmd cmd;
	struct probe_stream *stream;
	uint32_t number;
	uint32_t next;
};

struct runner {
	struct probe_run *run;
	struct flight *flight;
	uint32_t free;
	struct dw_transport *transport[2];
	uint32_t n_transports;
};

uint64_t probe_stream_lba(const struct probe_stream *s, uint64_t blocks, uint32_t i)
{
	uint64_t room = blocks - s->nlb + 1, at;

	switch ((enum probe_walk)s->walk) {
	case PROBE_JUMP:
		return (s->lba + room - s->stride % room * i % room) % room;
	case PROBE_ENDS:
		at = (s->lba + i / 2 * s->stride) % room;
		return i % 2 ? room - 1 - at : at;
	case PROBE_FORWARD:
		break;
	}
	return s->lba + (uint64_t)i * s->nlb;
}

/* time is up, the disk is read to its end, or too much went wrong */
static bool is_over(const struct runner *r, const struct probe_stream *s)
{
	const struct probe_disk *d = &r->run->disk[s->disk];
	uint64_t now = d->transport->ops->now(d->transport);
	uint64_t limit = s->n < s->least ? STRETCH * s->limit_ns : s->limit_ns;

	if (s->n >= s->most || s->failed >= FAILED_MAX)
		return true;
	if (s->began_ns && now - s->began_ns >= limit)
		return true;
	return probe_stream_lba(s, d->blocks, s->n) + s->nlb > d->blocks;
}

static int send_one(struct runner *r, struct probe_stream *s)
{
	const struct probe_disk *d = &r->run->disk[s->disk];
	struct flight *f = &r->flight[r->free];
	struct dw_cdb_extent x = { .verb = DW_EXTENT_READ,
				   .lba = probe_stream_lba(s, d->blocks, s->n),
				   .nlb = s->nlb };
	int len, result;

	f->cmd = (struct dw_cmd){ .dir = DW_DIR_IN,
				  .data = r->run->buffer,
				  .data_len = s->nlb * d->block_size,
				  .timeout_ms = TIMEOUT_MS,
				  .cookie = r->free };
	len = dw_cdb_fill_extent(f->cmd.cdb, d->rw16 ? 16 : 10, &x);
	if (len < 0)
		return len;
	f->cmd.cdb_len = (uint8_t)len;
	result = d->transport->ops->submit(d->transport, d->handle, &f->cmd);
	if (result < 0)
		return result;
	r->free = f->next;
	f->stream = s;
	f->number = s->n;
	s->sample[s->n++] = (struct probe_sample){ 0 };
	s->out++;
	return 0;
}

static uint32_t ahead(const struct probe_stream *s, const struct probe_disk *d)
{
	return (uint64_t)s->nlb * d->block_size < LONG_BYTES ? AHEAD : 1;
}

/* Fill up. A disk that fenced itself is first let run dry. */
static int feed(struct runner *r, struct probe_stream *s)
{
	const struct probe_disk *d = &r->run->disk[s->disk];
	int result = 0;

	if (s->fenced && s->out)
		return 0;
	if (s->fenced)
		d->transport->ops->unfence(d->transport, d->handle);
	s->fenced = false;
	while (!result && s->out < s->depth + ahead(s, d) && !is_over(r, s))
		result = send_one(r, s);
	if (!s->began_ns && s->n)
		s->began_ns = d->transport->ops->now(d->transport);
	d->transport->ops->flush(d->transport);
	return result == -EAGAIN ? 0 : result;
}

static int begin_stream(struct runner *r, struct probe_stream *s)
{
	const struct probe_disk *d = &r->run->disk[s->disk];

	s->sample = calloc(s->most, sizeof(*s->sample));
	if (!s->sample)
		return -ENOMEM;
	d->transport->ops->set_depth(d->transport, d->handle, s->depth);
	return feed(r, s);
}

static int begin_step(struct runner *r, struct probe_group *g)
{
	int result = 0;

	for (uint32_t i = g->first[g->at]; i < g->first[g->at + 1] && !result; i++)
		result = begin_stream(r, &g->stream[i]);
	return result;
}

/* Begin the next step that has something to do when the one at work is through. */
static int advance_group(struct runner *r, struct probe_group *g)
{
	int result = 0;

	while (g->at < g->n_steps && !result) {
		bool busy = false;

		for (uint32_t i = g->first[g->at]; i < g->first[g->at + 1]; i++)
			busy |= g->stream[i].out > 0;
		if (busy)
			return 0;
		g->at++;
		if (g->at < g->n_steps)
			result = begin_step(r, g);
	}
	return result;
}

static int take_completion(struct runner *r, const struct dw_completion *done)
{
	struct flight *f = &r->flight[done->cookie];
	struct probe_stream *s = f->stream;

	f->next = r->free;
	r->free = (uint32_t)done->cookie;
	s->out--;
	if (dw_guard_good(done)) {
		s->sample[f->number] =
			(struct probe_sample){ done->start_ns, done->end_ns };
	} else {
		s->failed += done->err != -ECANCELED;
		s->fenced = true;
	}
	return feed(r, s);
}

/* One transport waits by itself; of two, both are looked at. */
static int wait_for_news(struct runner *r)
{
	struct pollfd p[2];

	if (r->n_transports == 1 && r->transport[0]->ops->fd(r->transport[0]) < 0)
		return 0;
	for (uint32_t i = 0; i < r->n_transports; i++)
		p[i] = (struct pollfd){ .fd = r->transport[i]->ops->fd(r->transport[i]),
					.events = POLLIN };
	return poll(p, r->n_transports, WAIT_MS) < 0 && errno != EINTR ? -errno : 0;
}

static int collect_completions(struct runner *r)
{
	struct dw_completion done[BATCH];
	bool alone =
		r->n_transports == 1 && r->transport[0]->ops->fd(r->transport[0]) < 0;
	int result = 0;

	for (uint32_t i = 0; i < r->n_transports && !result; i++) {
		struct dw_transport *t = r->transport[i];
		int n = t->ops->reap(t, done, BATCH, alone ? UINT64_MAX : 0);

		if (n < 0 && n != -EINTR)
			return n;
		for (int k = 0; k < n && !result; k++)
			result = take_completion(r, &done[k]);
	}
	return result;
}

static uint32_t under_way(const struct probe_run *run)
{
	uint32_t n = 0;

	for (uint32_t g = 0; g < run->n_groups; g++)
		for (uint32_t i = 0; i < run->group[g].n_streams; i++)
			n += run->group[g].stream[i].out;
	return n;
}

static int begin_streams(struct runner *r)
{
	uint32_t n = 0;
	int result = 0;

	for (uint32_t i = 0; i < r->run->n_disks; i++) {
		struct dw_transport *t = r->run->disk[i].transport;

		if (r->n_transports && t == r->transport[0])
			continue;
		if (r->n_transports < 2 && (!r->n_transports || t != r->transport[1]))
			r->transport[r->n_transports++] = t;
	}
	for (uint32_t g = 0; g < r->run->n_groups; g++)
		for (uint32_t i = 0; i < r->run->group[g].n_streams; i++)
			n += r->run->group[g].stream[i].depth + AHEAD;
	r->flight = calloc(n + 1, sizeof(*r->flight));
	if (!r->flight)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		r->flight[i].next = i + 1;
	for (uint32_t g = 0; g < r->run->n_groups && !result; g++) {
		r->run->group[g].at = 0;
		if (r->run->group[g].n_steps)
			result = begin_step(r, &r->run->group[g]);
	}
	return result;
}

/* What is at the disks comes back before the buffers go. */
static void drain(struct runner *r)
{
	for (uint32_t g = 0; g < r->run->n_groups; g++)
		for (uint32_t i = 0; i < r->run->group[g].n_streams; i++)
			r->run->group[g].stream[i].most = 0;
	while (under_way(r->run) && wait_for_news(r) >= 0 && collect_completions(r) >= 0)
		;
}

int probe_run(struct probe_run *run)
{
	struct runner r = { .run = run };
	int result = begin_streams(&r);

	while (!result) {
		for (uint32_t g = 0; g < run->n_groups && !result; g++)
			result = advance_group(&r, &run->group[g]);
		if (result || !under_way(run))
			break;
		if (run->stopped && run->stopped(run->ctx))
			result = -EINTR;
		if (!result)
			result = wait_for_news(&r);
		if (!result)
			result = collect_completions(&r);
	}
	drain(&r);
	free(r.flight);
	return result;
}

int probe_group_add(struct probe_group *g, const struct probe_stream *s, bool step)
{
	struct probe_stream *v = reallocarray(g->stream, g->n_streams + 1, sizeof(*v));
	uint32_t *first;

	if (!v)
		return -ENOMEM;
	g->stream = v;
	first = reallocarray(g->first, g->n_steps + 2, sizeof(*first));
	if (!first)
		return -ENOMEM;
	g->first = first;
	if (step || !g->n_steps)
		first[g->n_steps++] = g->n_streams;
	v[g->n_streams++] = *s;
	first[g->n_steps] = g->n_streams;
	return 0;
}

void probe_group_deinit(struct probe_group *g)
{
	for (uint32_t i = 0; i < g->n_streams; i++)
		free(g->stream[i].sample);
	free(g->stream);
	free(g->first);
	*g = (struct probe_group){ 0 };
}

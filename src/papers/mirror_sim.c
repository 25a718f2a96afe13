/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mirrored disks as they happen. A request waits in a common line, or its copies wait in
 * the lines of the disks, or, under CMQ, first the one and then the other. Whenever
 * something happened, the policy starts what it may. A copy that is not wanted any more is
 * dropped when its turn comes, or aborted where the policy says so; what an aborted copy had
 * announced for later is known by its outdated number and ignored.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "papers/mirror.h"
#include "papers/random.h"

#define NONE UINT32_MAX

enum { READ, UPDATE };

struct request {
	double arrived;
	uint32_t index; /* by arrival, for the batch */
	uint8_t kind;
	uint8_t left;   /* copies to be done before it is complete */
	uint8_t copies; /* that are still in some line or in service */
	bool complete;
	bool started;
};

/* A line of requests, in a ring. */
struct mirror_line {
	uint32_t *item;
	size_t cap;
	size_t head;
	size_t n;
};

struct mirror_world {
	const struct dw_mirror *m;
	struct dw_rng rng;
	struct dw_heap heap;
	struct request *request;
	size_t n_request;
	uint32_t *spare;
	size_t n_spare;
	struct mirror_line common;
	struct mirror_line line[2];
	uint32_t serving[2];
	uint32_t number[2]; /* of what the disk does, against aborted ends */
	double now;
	double count;
	double warm;
	uint32_t arrivals;
	double completed;
	bool no_memory;
	struct dw_ratio response[2];
};

static double service(struct mirror_world *w)
{
	const struct dw_service_time *s = &w->m->service;
	double time;

	if (!s->real)
		return dw_random_exponential(&w->rng, s->one[0]);
	time = s->transfer + dw_random_uniform(&w->rng, s->latency);
	if (dw_rng_unit(&w->rng) >= s->sequential)
		time += dw_random_uniform(&w->rng, s->seek);
	return time;
}

static void put(struct mirror_world *w, struct mirror_line *l, uint32_t request)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 16;
		uint32_t *item = malloc(cap * sizeof(*item));

		if (!item) {
			w->no_memory = true;
			return;
		}
		for (size_t i = 0; i < l->n; i++)
			item[i] = l->item[(l->head + i) % l->cap];
		free(l->item);
		*l = (struct mirror_line){ .item = item, .cap = cap, .n = l->n };
	}
	l->item[(l->head + l->n++) % l->cap] = request;
}

static uint32_t take_request(struct mirror_line *l)
{
	uint32_t request = l->item[l->head];

	l->head = (l->head + 1) % l->cap;
	l->n--;
	return request;
}

static bool idle(const struct mirror_world *w, int disk)
{
	return w->serving[disk] == NONE;
}

static void start_request(struct mirror_world *w, int disk, uint32_t request)
{
	w->request[request].started = true;
	w->serving[disk] = request;
	w->number[disk]++;
	if (dw_event_push(&w->heap, w->now + service(w),
			  (uint64_t)w->number[disk] << 2 | (uint64_t)disk) < 0)
		w->no_memory = true;
}

static void drop_copy(struct mirror_world *w, uint32_t request)
{
	if (!--w->request[request].copies)
		w->spare[w->n_spare++] = request;
}

static void start_both(struct mirror_world *w, uint32_t request)
{
	w->request[request].copies = 2;
	start_request(w, 0, request);
	start_request(w, 1, request);
}

/* One of the disks that are free, at random when both are. */
static int free_disk(struct mirror_world *w)
{
	if (idle(w, 0) && idle(w, 1))
		return (int)dw_rng_below(&w->rng, 2);
	return idle(w, 0) ? 0 : 1;
}

static bool updating(const struct mirror_world *w)
{
	for (int d = 0; d < 2; d++)
		if (!idle(w, d) && w->request[w->serving[d]].kind == UPDATE)
			return true;
	return false;
}

/* Whether a read may start under a policy with one line, and on which disk. */
static int disk_for_read(struct mirror_world *w)
{
	bool both = idle(w, 0) && idle(w, 1), one = idle(w, 0) || idle(w, 1);

	switch (w->m->policy) {
	case DW_S_PSSQ:
		return both ? 0 : -1;
	case DW_C_PSSQ:
		return idle(w, 0) ? 0 : -1;
	case DW_CR_ESQ:
		return one && !updating(w) ? free_disk(w) : -1;
	default:
		return one ? free_disk(w) : -1;
	}
}

static void dispatch_single(struct mirror_world *w)
{
	while (w->common.n) {
		uint32_t head = w->common.item[w->common.head];
		bool both = idle(w, 0) && idle(w, 1);
		int disk = -1;

		if (w->request[head].kind == UPDATE || w->m->policy == DW_MR_ESQ) {
			if (!both)
				return;
			start_both(w, take_request(&w->common));
			continue;
		}
		disk = disk_for_read(w);
		if (disk < 0)
			return;
		w->request[head].copies = 1;
		start_request(w, disk, take_request(&w->common));
	}
}

/* A disk's own line comes before the common one, which only CMQ has. */
static void dispatch_common(struct mirror_world *w)
{
	for (int d = 0; d < 2; d++)
		if (idle(w, d) && w->line[d].n)
			start_request(w, d, take_request(&w->line[d]));
	while (w->common.n && (idle(w, 0) || idle(w, 1))) {
		int disk = free_disk(w);
		uint32_t head = take_request(&w->common);

		w->request[head].copies = w->request[head].kind == UPDATE ? 2 : 1;
		start_request(w, disk, head);
		if (w->request[head].kind == READ)
			continue;
		if (idle(w, !disk))
			start_request(w, !disk, head);
		else
			put(w, &w->line[!disk], head);
	}
}

/* Whether a copy that comes to its turn is still wanted. */
static bool wanted(const struct mirror_world *w, uint32_t request)
{
	const struct request *r = &w->request[request];

	if (r->kind == UPDATE || w->m->policy != DW_MR_DMQA)
		return true;
	return w->m->abort_start ? !r->started : !r->complete;
}

static void dispatch_lines(struct mirror_world *w)
{
	int first = (int)dw_rng_below(&w->rng, 2);

	for (int i = 0; i < 2; i++) {
		int d = i ? !first : first;

		while (idle(w, d) && w->line[d].n) {
			uint32_t next = take_request(&w->line[d]);

			if (wanted(w, next))
				start_request(w, d, next);
			else
				drop_copy(w, next);
		}
	}
}

static void dispatch(struct mirror_world *w)
{
	if (w->m->policy == DW_CMQ)
		dispatch_common(w);
	else if (w->m->policy <= DW_MR_ESQ)
		dispatch_single(w);
	else
		dispatch_lines(w);
}

static size_t at_disk(const struct mirror_world *w, int disk)
{
	return w->line[disk].n + !idle(w, disk);
}

static void queue_read(struct mirror_world *w, uint32_t request)
{
	size_t a = at_disk(w, 0), b = at_disk(w, 1);
	int disk = (int)dw_rng_below(&w->rng, 2);

	if (w->m->policy >= DW_MR_DMQ) {
		w->request[request].copies = 2;
		put(w, &w->line[0], request);
		put(w, &w->line[1], request);
		return;
	}
	if (w->m->policy == DW_R_DMQ)
		disk = dw_rng_unit(&w->rng) >= w->m->alpha;
	else if (a != b)
		disk = a > b;
	w->request[request].copies = 1;
	put(w, &w->line[disk], request);
}

static uint32_t new_request(struct mirror_world *w)
{
	size_t cap = w->n_request ? 2 * w->n_request : 64;
	struct request *request;
	uint32_t *spare;

	if (w->n_spare)
		return w->spare[--w->n_spare];
	request = realloc(w->request, cap * sizeof(*request));
	if (request)
		w->request = request;
	spare = realloc(w->spare, cap * sizeof(*spare));
	if (spare)
		w->spare = spare;
	if (!request || !spare)
		return NONE;
	for (size_t i = cap; i-- > w->n_request;)
		w->spare[w->n_spare++] = (uint32_t)i;
	w->n_request = cap;
	return w->spare[--w->n_spare];
}

static void request_arrives(struct mirror_world *w)
{
	uint32_t i = new_request(w);
	struct request *r;

	if (i == NONE) {
		w->no_memory = true;
		return;
	}
	r = &w->request[i];
	*r = (struct request){ .arrived = w->now,
			       .index = w->arrivals++,
			       .kind = dw_rng_unit(&w->rng) < w->m->pr ? READ : UPDATE };
	r->left = r->kind == UPDATE ? 2 : 1;
	if (w->m->policy <= DW_MR_ESQ || w->m->policy == DW_CMQ) {
		put(w, &w->common, i);
	} else if (r->kind == READ) {
		queue_read(w, i);
	} else {
		r->copies = 2;
		put(w, &w->line[0], i);
		put(w, &w->line[1], i);
	}
}

static void complete(struct mirror_world *w, struct request *r)
{
	double b = ((double)r->index - w->warm) / w->count * DW_MODEL_BATCHES;

	r->complete = true;
	w->completed++;
	if (b < 0 || b >= DW_MODEL_BATCHES)
		return;
	w->response[r->kind].num[(size_t)b] += 1e3 * (w->now - r->arrived);
	w->response[r->kind].den[(size_t)b]++;
}

/* The other disk stops with the same read, where the policy aborts. */
static void abort_other(struct mirror_world *w, int disk, uint32_t request)
{
	bool aborts = w->m->policy == DW_MR_ESQ || w->m->policy == DW_MR_DMQA;

	if (!aborts || w->request[request].kind != READ || w->serving[!disk] != request)
		return;
	w->serving[!disk] = NONE;
	w->number[!disk]++;
	drop_copy(w, request);
}

static void end(struct mirror_world *w, int disk, uint32_t number)
{
	uint32_t i = w->serving[disk];
	struct request *r;

	if (number != w->number[disk] || i == NONE)
		return;
	r = &w->request[i];
	w->serving[disk] = NONE;
	abort_other(w, disk, i);
	if (!r->complete && !--r->left)
		complete(w, r);
	drop_copy(w, i);
}

static int play_mirror(struct dw_model_call *call, struct mirror_world *w)
{
	double last = w->warm + w->count, next = 0, gap = 1 / w->m->lambda;
	uint64_t events = 0;

	next = dw_random_exponential(&w->rng, gap);
	/* Some continue arriving until all that count are answered. */
	while (!w->no_memory && w->completed < last + last / 20) {
		double then = (double)dw_heap_peek(&w->heap) / DW_TICKS;
		uint64_t tag = 0;

		if (next <= then) {
			w->now = next;
			next += dw_random_exponential(&w->rng, gap);
			request_arrives(w);
		} else {
			dw_event_pop(&w->heap, &w->now, &tag);
			end(w, (int)(tag & 3), (uint32_t)(tag >> 2));
		}
		if (!w->no_memory)
			dispatch(w);
		if (!(++events & 65535))
			dw_call_tell(call, w->completed / (last + last / 20));
	}
	return w->no_memory ? -ENOMEM : 0;
}

int dw_mirror_simulate(struct dw_model_call *call, const struct dw_mirror *m,
		       double count, uint64_t seed)
{
	struct mirror_world *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->m = m;
	w->count = count;
	w->warm = floor(count / 20) + 1000;
	w->serving[0] = w->serving[1] = NONE;
	dw_rng_seed(&w->rng, seed);
	r = play_mirror(call, w);
	if (!r) {
		dw_out_simulated(call, "read_ms", &w->response[READ], 1, false, 95);
		dw_out_simulated(call, "update_ms", &w->response[UPDATE], 1, false, 95);
	}
	dw_heap_deinit(&w->heap);
	free(w->request);
	free(w->spare);
	free(w->common.item);
	free(w->line[0].item);
	free(w->line[1].item);
	free(w);
	return r;
}

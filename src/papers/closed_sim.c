/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The closed system as it happens. A user thinks, then passes the stations before the disks
 * and, as often as the transaction seeks, again those and a disk; the demand of the stations
 * is spread over the seeks. A disk first seeks, then needs the channel, if there is one, for
 * latency and transfer; while it waits for that it is busy. All queues are first come, first
 * served. Without disks a transaction passes every station once.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "papers/closed.h"
#include "papers/random.h"

#define WARM_UP 600.0
#define NOBODY  UINT32_MAX

enum phase { ARRIVE, SERVED, SOUGHT };

struct closed_user {
	double asked;
	uint32_t next; /* in the queue that it is in */
	uint32_t rounds;
	size_t station;
};

struct queue {
	uint32_t head; /* is being served */
	uint32_t tail;
	double busy_since;
};

struct closed_world {
	const struct dw_closed *c;
	struct dw_rng rng;
	struct dw_heap heap;
	struct closed_user *user;
	struct queue *queue; /* of each station, then of the channel */
	uint32_t *waiting;   /* disks that wait for the channel, in order */
	size_t n_waiting;
	bool channel_busy;
	double now;
	double length; /* of a batch */
	double *busy;  /* of each station in each batch */
	struct dw_ratio throughput;
	struct dw_ratio response;
};

static uint64_t tag_of(enum phase phase, uint64_t id)
{
	return id << 2 | phase;
}

static double burst(struct closed_world *w, size_t station)
{
	double mean = w->c->demand[station];

	return dw_random_exponential(&w->rng, w->c->disks ? mean / w->c->seeks : mean);
}

static bool is_disk(const struct closed_world *w, size_t station)
{
	return station >= w->c->k - w->c->disks;
}

static int reserve_channel(struct closed_world *w, size_t disk)
{
	double time = w->c->latency * 2 * dw_rng_unit(&w->rng) + w->c->transfer;

	w->channel_busy = w->c->channel;
	return dw_event_push(&w->heap, w->now + time, tag_of(SERVED, disk));
}

static int serve(struct closed_world *w, size_t station)
{
	if (!is_disk(w, station))
		return dw_event_push(&w->heap, w->now + burst(w, station),
				     tag_of(SERVED, station));
	return dw_event_push(&w->heap, w->now + dw_random_uniform(&w->rng, w->c->seek),
			     tag_of(SOUGHT, station));
}

/* Busy time falls to the batches it spans. */
static void account(struct closed_world *w, size_t station, double from, double to)
{
	for (size_t b = 0; b < DW_MODEL_BATCHES; b++) {
		double begin = WARM_UP + (double)b * w->length, end = begin + w->length;
		double first = from > begin ? from : begin, last = to < end ? to : end;

		if (last > first)
			w->busy[station * DW_MODEL_BATCHES + b] += last - first;
	}
}

static int join_queue(struct closed_world *w, uint32_t u, size_t station)
{
	struct queue *q = &w->queue[station];

	w->user[u].station = station;
	w->user[u].next = NOBODY;
	if (q->head != NOBODY) {
		w->user[q->tail].next = u;
		q->tail = u;
		return 0;
	}
	q->head = q->tail = u;
	q->busy_since = w->now;
	return serve(w, station);
}

static int think(struct closed_world *w, uint32_t u)
{
	return dw_event_push(&w->heap,
			     w->now + dw_random_exponential(&w->rng, w->c->think),
			     tag_of(ARRIVE, u));
}

/* The answer is there: count it in its batch. */
static int answer(struct closed_world *w, uint32_t u)
{
	double batch = (w->now - WARM_UP) / w->length;

	if (batch >= 0 && batch < DW_MODEL_BATCHES) {
		size_t b = (size_t)batch;

		w->throughput.num[b]++;
		w->response.num[b] += w->now - w->user[u].asked;
		w->response.den[b]++;
	}
	return think(w, u);
}

static int user_arrives(struct closed_world *w, uint32_t u)
{
	double rounds = floor(w->c->seeks);

	w->user[u].asked = w->now;
	if (dw_rng_unit(&w->rng) < w->c->seeks - rounds)
		rounds++;
	w->user[u].rounds = (uint32_t)rounds;
	if (w->c->disks && !rounds)
		return answer(w, u);
	return join_queue(w, u, 0);
}

static size_t pick_disk(struct closed_world *w)
{
	size_t first = w->c->k - w->c->disks, last = w->c->k - 1;
	double x = dw_rng_unit(&w->rng);

	for (size_t d = first; d < last; d++) {
		x -= w->c->share[d - first];
		if (x < 0)
			return d;
	}
	return last;
}

static int onward(struct closed_world *w, uint32_t u)
{
	size_t before = w->c->k - w->c->disks;
	size_t next = w->user[u].station + 1;

	if (next < before)
		return join_queue(w, u, next);
	if (!w->c->disks)
		return answer(w, u);
	if (next == before)
		return join_queue(w, u, pick_disk(w));
	return --w->user[u].rounds ? join_queue(w, u, 0) : answer(w, u);
}

static int served(struct closed_world *w, size_t station)
{
	struct queue *q = &w->queue[station];
	uint32_t u = q->head;
	int r = 0;

	if (is_disk(w, station) && w->c->channel) {
		w->channel_busy = false;
		if (w->n_waiting) {
			size_t disk = w->waiting[0];

			w->n_waiting--;
			for (size_t i = 0; i < w->n_waiting; i++)
				w->waiting[i] = w->waiting[i + 1];
			r = reserve_channel(w, disk);
		}
	}
	q->head = w->user[u].next;
	if (!r && q->head != NOBODY)
		r = serve(w, station);
	else
		account(w, station, q->busy_since, w->now);
	return r ? r : onward(w, u);
}

static int sought(struct closed_world *w, size_t disk)
{
	if (!w->channel_busy)
		return reserve_channel(w, disk);
	w->waiting[w->n_waiting++] = (uint32_t)disk;
	return 0;
}

static int step(struct closed_world *w, uint64_t tag)
{
	uint64_t id = tag >> 2;

	switch ((enum phase)(tag & 3)) {
	case ARRIVE:
		return user_arrives(w, (uint32_t)id);
	case SERVED:
		return served(w, (size_t)id);
	case SOUGHT:
		return sought(w, (size_t)id);
	}
	return -EINVAL;
}

static int play_closed(struct dw_model_call *call, struct closed_world *w, size_t n)
{
	double end = WARM_UP + w->length * DW_MODEL_BATCHES;
	uint64_t tag, events = 0;
	int r = 0;

	for (size_t i = 0; i <= w->c->k; i++)
		w->queue[i].head = NOBODY;
	for (uint32_t u = 0; !r && u < n; u++)
		r = think(w, u);
	while (!r && dw_event_pop(&w->heap, &w->now, &tag) && w->now < end) {
		r = step(w, tag);
		if (!(++events & 65535))
			dw_call_tell(call, w->now / end);
	}
	for (size_t i = 0; i < w->c->k; i++)
		if (w->queue[i].head != NOBODY)
			account(w, i, w->queue[i].busy_since, end);
	return r;
}

static void report_closed(struct dw_model_call *call, struct closed_world *w,
			  struct dw_ratio *use, struct dw_closed_point *ret_point,
			  double *ret_utilisation)
{
	for (size_t b = 0; b < DW_MODEL_BATCHES; b++) {
		w->throughput.den[b] = w->length / 60;
		w->response.num[b] *= 1e3;
	}
	for (size_t i = 0; i < w->c->k; i++) {
		for (size_t b = 0; b < DW_MODEL_BATCHES; b++) {
			use[i].num[b] = w->busy[i * DW_MODEL_BATCHES + b];
			use[i].den[b] = w->length;
		}
		ret_utilisation[i] = dw_ratio_mean(&use[i]);
	}
	ret_point->throughput = dw_ratio_mean(&w->throughput) / 60;
	ret_point->response = dw_ratio_mean(&w->response) / 1e3;
	dw_out_simulated(call, "throughput_per_min", &w->throughput, 1, false, 95);
	dw_out_simulated(call, "response_ms", &w->response, 1, false, 95);
	dw_out_simulated(call, "utilisation", use, w->c->k, true, 95);
}

int dw_closed_simulate(struct dw_model_call *call, const struct dw_closed *c, size_t n,
		       struct dw_closed_point *ret_point, double *ret_utilisation)
{
	struct closed_world w = { .c = c, .length = c->hours * 3600 / DW_MODEL_BATCHES };
	struct dw_ratio *use = calloc(c->k, sizeof(*use));
	int r = -ENOMEM;

	dw_rng_seed(&w.rng, c->seed);
	w.user = calloc(n, sizeof(*w.user));
	w.queue = calloc(c->k + 1, sizeof(*w.queue));
	w.waiting = calloc(c->k + 1, sizeof(*w.waiting));
	w.busy = calloc(c->k * DW_MODEL_BATCHES, sizeof(*w.busy));
	if (use && w.user && w.queue && w.waiting && w.busy)
		r = play_closed(call, &w, n);
	if (!r)
		report_closed(call, &w, use, ret_point, ret_utilisation);
	dw_heap_deinit(&w.heap);
	free(w.user);
	free(w.queue);
	free(w.waiting);
	free(w.busy);
	free(use);
	return r;
}

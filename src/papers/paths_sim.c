/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reconnections as they happen, in the setting of Brandwajn's figure 12: requests come to
 * each device at random and queue for it; seek and latency together are uniform; then the
 * device needs its string, if it is on one, and a path: any free one, or the one that was
 * drawn for this transfer. If it does not get them it comes back a revolution later. The
 * transfer is exponential, the overhead constant; both hold device, string and path.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "papers/paths_sim.h"
#include "papers/random.h"

#define NO_PATH SIZE_MAX

enum event { ARRIVE, ATTEMPT, DONE };

/* Arrivals wait in a list of their times. */
struct paths_device {
	double *arrival;
	size_t head;
	size_t n;
	uint32_t cap;
	size_t path;
	double misses;
	double began;
};

enum {
	BUSY = 0,
	SUBSTRING = DW_PATHS_MOST + 1,
	UNIT,
	MISS,
	MISSES,
	RECONNECT,
	SERVICE,
	SQUARE,
	DEVICE,
	RESPONSE,
	MEASURES
};

struct paths_world {
	const struct dw_paths *p;
	struct dw_rng rng;
	struct dw_heap heap;
	struct paths_device *device;
	size_t n;
	bool *string_busy;
	bool path_busy[DW_PATHS_MOST];
	size_t busy_paths;
	size_t busy_devices;
	double gap; /* mean time between requests of a device */
	double now;
	double last;
	double counted;
	double count;
	double warm;
	double told; /* share of all simulations that went before */
	double share;
	struct dw_ratio of[MEASURES];
};

static size_t batch(const struct paths_world *w)
{
	double b = (w->counted - w->warm) / w->count * DW_MODEL_BATCHES;

	return b < 0 || b >= DW_MODEL_BATCHES ? SIZE_MAX : (size_t)b;
}

static void sample(struct paths_world *w, size_t measure, double num, double den)
{
	size_t b = batch(w);

	if (b == SIZE_MAX)
		return;
	w->of[measure].num[b] += num;
	w->of[measure].den[b] += den;
}

static int push(struct paths_world *w, double delay, enum event e, size_t d)
{
	return dw_event_push(&w->heap, (w->now + delay) * 1e-3, (uint64_t)d << 2 | e);
}

static size_t random_free_path(struct paths_world *w)
{
	size_t nth = (size_t)dw_rng_below(&w->rng, w->p->paths - w->busy_paths), i = 0;

	for (;; i++)
		if (!w->path_busy[i] && !nth--)
			return i;
}

static int begin_request(struct paths_world *w, size_t d)
{
	struct paths_device *v = &w->device[d];
	double mean = w->p->seek + w->p->turn / 2;

	v->misses = 0;
	v->began = w->now;
	v->path = w->p->dynamic ? NO_PATH : (size_t)dw_rng_below(&w->rng, w->p->paths);
	w->busy_devices++;
	return push(w, dw_random_uniform(&w->rng, mean), ATTEMPT, d);
}

static int request_comes(struct paths_world *w, size_t d)
{
	struct paths_device *v = &w->device[d];
	int r = push(w, dw_random_exponential(&w->rng, w->gap), ARRIVE, d);

	if (v->head + v->n == v->cap && v->head > v->n) {
		for (size_t i = 0; i < v->n; i++)
			v->arrival[i] = v->arrival[v->head + i];
		v->head = 0;
	}
	if (dw_room(&v->arrival, v->head + v->n, &v->cap, sizeof(*v->arrival)) < 0)
		return -ENOMEM;
	v->arrival[v->head + v->n++] = w->now;
	return !r && v->n == 1 ? begin_request(w, d) : r;
}

/* Whether the path that this transfer needs is free; the dynamic one is picked here. */
static bool get_path(struct paths_world *w, struct paths_device *v)
{
	if (!w->p->dynamic)
		return !w->path_busy[v->path];
	if (w->busy_paths == w->p->paths)
		return false;
	v->path = random_free_path(w);
	return true;
}

static bool *string_of(struct paths_world *w, size_t d)
{
	return w->p->per_unit ? &w->string_busy[d / (size_t)w->p->per_unit] : NULL;
}

static int attempt(struct paths_world *w, size_t d)
{
	struct paths_device *v = &w->device[d];
	bool *string = string_of(w, d);
	bool free_string = !string || !*string, got = free_string && get_path(w, v);

	if (!v->misses) {
		sample(w, SUBSTRING, free_string, 1);
		sample(w, UNIT, got, free_string);
		sample(w, MISS, !got, 1);
	}
	if (!got) {
		v->misses++;
		return push(w, w->p->turn, ATTEMPT, d);
	}
	if (string)
		*string = true;
	w->path_busy[v->path] = true;
	w->busy_paths++;
	return push(w, dw_random_exponential(&w->rng, w->p->transfer) + w->p->overhead,
		    DONE, d);
}

static int request_done(struct paths_world *w, size_t d)
{
	struct paths_device *v = &w->device[d];
	double service = w->now - v->began;

	if (w->p->per_unit)
		*string_of(w, d) = false;
	w->path_busy[v->path] = false;
	w->busy_paths--;
	w->busy_devices--;
	sample(w, MISSES, v->misses, 1);
	sample(w, RECONNECT, v->misses * w->p->turn, 1);
	sample(w, SERVICE, service, 1);
	sample(w, SQUARE, service * service, 1);
	sample(w, RESPONSE, w->now - v->arrival[v->head], 1);
	w->counted++;
	v->head++;
	return --v->n ? begin_request(w, d) : 0;
}

static void pass_time(struct paths_world *w)
{
	double time = w->now - w->last;

	for (size_t j = 0; j <= w->p->paths; j++)
		sample(w, BUSY + j, j == w->busy_paths ? time : 0, time);
	sample(w, DEVICE, time * (double)w->busy_devices / (double)w->n, time);
	w->last = w->now;
}

static int play_paths(struct dw_model_call *call, struct paths_world *w)
{
	uint64_t tag, events = 0;
	double seconds;
	int r = 0;

	for (size_t d = 0; !r && d < w->n; d++)
		r = push(w, dw_random_exponential(&w->rng, w->gap), ARRIVE, d);
	while (!r && w->counted < w->warm + w->count &&
	       dw_event_pop(&w->heap, &seconds, &tag)) {
		size_t d = (size_t)(tag >> 2);

		w->now = seconds * 1e3;
		pass_time(w);
		if ((tag & 3) == ARRIVE)
			r = request_comes(w, d);
		else
			r = (tag & 3) == ATTEMPT ? attempt(w, d) : request_done(w, d);
		if (!(++events & 65535))
			dw_call_tell(call, w->told + w->share * w->counted /
							     (w->warm + w->count));
	}
	return r;
}

/* The variation of each batch about the common mean. */
static void vary(struct paths_world *w)
{
	double mean = dw_ratio_mean(&w->of[SERVICE]);

	for (size_t b = 0; b < DW_MODEL_BATCHES; b++)
		w->of[SQUARE].num[b] = w->of[SQUARE].num[b] / (mean * mean) -
				       2 * w->of[SERVICE].num[b] / mean +
				       w->of[SERVICE].den[b];
}

/* x of equation (3) from the time with one path busy over that with none; all of it only,
 * so its interval is that of the ratio. */
static void leave_x(struct dw_model_call *call, const struct paths_world *w)
{
	struct dw_ratio x = { 0 };

	for (size_t b = 0; b < DW_MODEL_BATCHES; b++) {
		x.num[b] = w->of[BUSY + 1].num[b] / w->p->units;
		x.den[b] = w->of[BUSY].num[b];
	}
	dw_out_simulated(call, "x", &x, 1, false, 90);
}

static void report_paths(struct dw_model_call *call, struct paths_world *w)
{
	static const struct {
		const char *name;
		size_t measure;
	} row[] = {
		{ "p_substring", SUBSTRING },
		{ "p_unit", UNIT },
		{ "p_miss_first", MISS },
		{ "misses", MISSES },
		{ "reconnect_ms", RECONNECT },
		{ "service_ms", SERVICE },
		{ "cv2", SQUARE },
		{ "device_utilisation", DEVICE },
		{ "response_ms", RESPONSE },
	};

	vary(w);
	dw_out_simulated(call, "path_busy_p", w->of, w->p->paths + 1, true, 90);
	leave_x(call, w);
	for (size_t i = 0; i < DW_ARRAY_SIZE(row); i++)
		dw_out_simulated(call, row[i].name, &w->of[row[i].measure], 1, false, 90);
}

/* One minus the response with any path over that with a fixed one, batch by batch. */
static void leave_gain(struct dw_model_call *call, const struct paths_world *a,
		       const struct paths_world *b)
{
	const struct dw_ratio *fixed = &(a->p->dynamic ? b : a)->of[RESPONSE];
	const struct dw_ratio *any = &(a->p->dynamic ? a : b)->of[RESPONSE];
	struct dw_ratio gain = { 0 };

	for (size_t i = 0; i < DW_MODEL_BATCHES; i++) {
		gain.den[i] = fixed->num[i] / fixed->den[i];
		gain.num[i] = gain.den[i] - any->num[i] / any->den[i];
	}
	dw_out_simulated(call, "gain_dynamic", &gain, 1, false, 90);
}

static void free_paths_world(struct paths_world *w)
{
	for (size_t d = 0; w && w->device && d < w->n; d++)
		free(w->device[d].arrival);
	if (!w)
		return;
	dw_heap_deinit(&w->heap);
	free(w->device);
	free(w->string_busy);
	free(w);
}

static struct paths_world *new_world(const struct dw_paths *p, double rate, double count,
				     uint64_t seed)
{
	struct paths_world *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->p = p;
	w->n = (size_t)dw_paths_devices(p);
	w->gap = dw_paths_devices(p) / (rate * (double)p->paths);
	w->count = count;
	w->warm = count / 10;
	w->share = 0.5;
	dw_rng_seed(&w->rng, seed);
	w->device = calloc(w->n, sizeof(*w->device));
	w->string_busy = calloc((size_t)p->units, sizeof(*w->string_busy));
	if (w->device && w->string_busy)
		return w;
	free_paths_world(w);
	return NULL;
}

int dw_paths_simulate(struct dw_model_call *call, const struct dw_paths *p, double rate,
		      double count, uint64_t seed)
{
	struct dw_paths turned = *p;
	struct dw_service at;
	struct paths_world *w = new_world(p, rate, count, seed), *other = NULL;
	int r = w ? play_paths(call, w) : -ENOMEM;

	turned.dynamic = !p->dynamic;
	if (!r)
		report_paths(call, w);
	if (!r && dw_paths_service(&turned, rate, &at)) {
		other = new_world(&turned, rate, count, seed);
		if (other)
			other->told = 0.5;
		r = other ? play_paths(call, other) : -ENOMEM;
		if (!r)
			leave_gain(call, w, other);
	}
	free_paths_world(w);
	free_paths_world(other);
	return r;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dynamic reconnection (Brandwajn): what it gains at a load, and from which load on it gains
 * so much. The equations are in paths.c. The gain is nothing without load and goes to one
 * where the fixed path is overloaded, so the lowest load with a given gain is looked for
 * from below.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/paths.h"
#include "base/util.h"
#include "papers/model.h"
#include "papers/random.h"

/*
 * Reconnections as they happen, in the setting of Brandwajn's figure 12: requests come to
 * each device at random and queue for it; seek and latency together are uniform; then the
 * device needs its string, if it is on one, and a path: any free one, or the one that was
 * drawn for this transfer. If it does not get them it comes back a revolution later. The
 * transfer is exponential, the overhead constant; both hold device, string and path.
 */

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

/* @count transfers, and as many with the other kind of paths for the gain, if they can carry
 * them; leaves "simulated" outputs. 0, -ENOMEM. */
static int paths_simulate(struct dw_model_call *call, const struct dw_paths *p,
			  double rate, double count, uint64_t seed)
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

enum { USE, RATE, RATE_BYTES, GAIN, GAIN_BYTES };

#define STEPS 200
#define SCAN  2000

static int read_topology(struct dw_model_call *call, struct dw_paths *p)
{
	bool dual = dw_call_word(call, "topology") == 0;
	bool sub = dw_call_has(call, "substrings"),
	     per = dw_call_has(call, "per_substring");
	double devices = dw_call_number(call, "devices");

	if (dual && (sub || per))
		return dw_call_fail(call, "%s goes with topology=substring",
				    sub ? "substrings" : "per_substring");
	if (dual && !dw_call_has(call, "devices"))
		return dw_call_fail(call, "devices is missing");
	if (!dual && (!sub || !per))
		return dw_call_fail(call, "%s is missing",
				    sub ? "per_substring" : "substrings");
	p->units = dual ? devices : dw_call_number(call, "substrings");
	p->per_unit = dual ? 0 : dw_call_number(call, "per_substring");
	if (dw_call_has(call, "devices") && devices != dw_paths_devices(p))
		return dw_call_fail(call, "devices is not substrings * per_substring");
	p->paths = (size_t)dw_call_number(call, "paths");
	p->dynamic = dw_call_number(call, "dynamic") != 0;
	return 0;
}

static void read_times(struct dw_model_call *call, struct dw_paths *p)
{
	unsigned form = dw_call_form(call);

	p->seek = dw_call_number(call, "seek_ms");
	p->no_seek = dw_call_number(call, "no_seek");
	p->turn = dw_call_number(call, "revolution_ms");
	p->overhead = dw_call_number(call, "overhead_ms");
	p->transfer = dw_call_number(call, "transfer_ms");
	if (form == RATE_BYTES || form == GAIN_BYTES)
		p->transfer = dw_call_number(call, "bytes") /
				      (1e3 * dw_call_number(call, "rate_mb_s")) +
			      dw_call_number(call, "search_ms");
}

static void leave_misses(struct dw_model_call *call, const struct dw_paths *p,
			 const struct dw_misses *at)
{
	dw_out_array(call, "path_busy_p", at->busy, p->paths + 1);
	dw_out_number(call, "x", at->x);
	dw_out_number(call, "p_substring", at->substring);
	dw_out_number(call, "p_unit", at->unit);
	dw_out_number(call, "p_miss_first", at->first);
}

/* Gain of any path over a fixed one; NAN where one of them is overloaded. @ret_printed: by the
 * service time that the paper prints, without the overhead; may be NULL. */
static double gain_at(const struct dw_paths *p, double rate, double *ret_printed)
{
	struct dw_paths fixed = *p, dynamic = *p;
	struct dw_service a, b;

	if (ret_printed)
		*ret_printed = NAN;

	fixed.dynamic = false;
	dynamic.dynamic = true;
	if (!dw_paths_service(&fixed, rate, &a) || !dw_paths_service(&dynamic, rate, &b))
		return NAN;
	if (ret_printed)
		*ret_printed = 1 - b.response_printed / a.response_printed;
	return 1 - b.response / a.response;
}

/* Least upper bound of the rates at which the fixed path is stable. */
static double rate_limit(const struct dw_paths *p)
{
	struct dw_paths fixed = *p;
	struct dw_service s;
	double lo = 0, hi = 1 / (p->transfer + p->overhead);

	fixed.dynamic = false;
	for (int i = 0; i < STEPS; i++) {
		double mid = (lo + hi) / 2;

		if (dw_paths_service(&fixed, mid, &s))
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static double find_rate(const struct dw_paths *p, double target)
{
	double limit = rate_limit(p), lo = 0, hi = limit;

	for (int i = 1; i <= SCAN; i++) {
		hi = limit * i / SCAN;
		if (gain_at(p, hi, NULL) >= target)
			break;
		lo = hi;
	}
	if (!(gain_at(p, hi, NULL) >= target))
		return NAN;
	for (int i = 0; i < 100; i++) {
		double mid = (lo + hi) / 2;

		if (gain_at(p, mid, NULL) >= target)
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}

static int leave_service(struct dw_model_call *call, const struct dw_paths *p,
			 double rate)
{
	struct dw_service s;
	double gain, printed;

	if (!dw_paths_service(p, rate, &s))
		return dw_call_fail(call, "unstable: %s",
				    s.service > 0 ? "the devices are overloaded"
						  : "the paths are overloaded");
	leave_misses(call, p, &s.at);
	dw_out_number(call, "misses", s.misses);
	dw_out_number(call, "reconnect_ms", s.misses * p->turn);
	dw_out_number(call, "service_ms", s.service);
	dw_out_number(call, "cv2", s.cv2);
	dw_out_number(call, "device_utilisation", s.device);
	dw_out_number(call, "response_ms", s.response);
	dw_out_number(call, "service_ms_printed", s.service_printed);
	dw_out_number(call, "response_ms_printed", s.response_printed);
	gain = gain_at(p, rate, &printed);
	dw_out_number(call, "gain_dynamic", gain);
	dw_out_number(call, "gain_dynamic_printed", printed);
	return 0;
}

static int run_use(struct dw_model_call *call, const struct dw_paths *p)
{
	struct dw_misses at;

	if (!dw_paths_misses(p, dw_call_number(call, "utilisation"), &at))
		return dw_call_fail(call, "unstable: the devices cannot keep the paths so"
					  " busy");
	if (at.substring <= 0)
		return dw_call_fail(call, "unstable: the substrings are overloaded");
	leave_misses(call, p, &at);
	return 0;
}

static int run_gain(struct dw_model_call *call, const struct dw_paths *p)
{
	double rate = find_rate(p, dw_call_number(call, "target_gain"));

	if (!isfinite(rate))
		return dw_call_fail(call,
				    "no load with a stable fixed path gains so much");
	dw_out_number(call, "rate_for_gain", 1e3 * rate);
	return 0;
}

static int run_reconnect(struct dw_model_call *call)
{
	struct dw_paths p = { 0 };
	unsigned form = dw_call_form(call);
	double rate = dw_call_number(call, "rate_per_channel") / 1e3;
	int r = read_topology(call, &p);

	if (r)
		return r;
	if (form == USE)
		return run_use(call, &p);
	read_times(call, &p);
	if (form == RATE_BYTES || form == GAIN_BYTES)
		dw_out_number(call, "transfer_ms", p.transfer);
	if (form == GAIN || form == GAIN_BYTES)
		return run_gain(call, &p);
	if (dw_call_has(call, "simulate") != dw_call_has(call, "seed"))
		return dw_call_fail(call, "%s is missing",
				    dw_call_has(call, "seed") ? "simulate" : "seed");
	if (dw_call_number(call, "simulate") * 1.2 >
	    DW_LONGEST * 1e3 * rate * (double)p.paths)
		return dw_call_fail(call, "the rate is too small to simulate so many");
	r = leave_service(call, &p, rate);
	if (!r && dw_call_has(call, "simulate"))
		r = paths_simulate(call, &p, rate, dw_call_number(call, "simulate"),
				   (uint64_t)dw_call_number(call, "seed"));
	return r;
}

#define F(form) (1u << (form))
#define RATES   (F(RATE) | F(RATE_BYTES))
#define GAINS   (F(GAIN) | F(GAIN_BYTES))
#define TIMES   (RATES | GAINS)
#define BYTES   (F(RATE_BYTES) | F(GAIN_BYTES))
#define GIVEN   (F(RATE) | F(GAIN))

static const struct dw_model_key keys[] = {
	{ "topology", "", DW_MODEL_WORD, .needed = 31, .words = "dual|substring",
	  .help = "dual-ported devices, or strings that share a path" },
	{ "devices", "", DW_MODEL_WHOLE, .min = 1, .max = 1e6, .help = "dual: how many" },
	{ "substrings", "", DW_MODEL_WHOLE, .min = 1, .max = 1e6,
	  .help = "substring: how many strings" },
	{ "per_substring", "", DW_MODEL_WHOLE, .min = 1, .max = 1e6,
	  .help = "substring: devices of a string" },
	{ "paths", "", DW_MODEL_WHOLE, .min = 1, .max = DW_PATHS_MOST, .fallback = "2",
	  .help = "that they share" },
	{ "dynamic", "", DW_MODEL_FLAG, .needed = F(USE) | RATES,
	  .help = "any free path will do" },
	{ "utilisation", "", .max = 1, .below = true, .forms = F(USE), .needed = F(USE),
	  .help = "of a path" },
	{ "rate_per_channel", "1/s", .above = true, .forms = RATES, .needed = RATES,
	  .help = "transfers of a path" },
	{ "target_gain", "", .above = true, .max = 1, .below = true, .forms = GAINS,
	  .needed = GAINS, .help = "of response, whose lowest rate is sought" },
	{ "seek_ms", "ms", .forms = TIMES, .needed = TIMES, .help = "average seek" },
	{ "revolution_ms", "ms", .above = true, .forms = TIMES, .needed = TIMES,
	  .help = "of a device" },
	{ "transfer_ms", "ms", .above = true, .forms = GIVEN, .needed = GIVEN,
	  .help = "average transfer" },
	{ "bytes", "bytes", .above = true, .forms = BYTES, .needed = BYTES,
	  .help = "of a transfer, in place of transfer_ms" },
	{ "rate_mb_s", "MB/s", .above = true, .forms = BYTES, .needed = BYTES,
	  .help = "of a device" },
	{ "search_ms", "ms", .forms = BYTES, .fallback = "0",
	  .help = "before a transfer" },
	{ "overhead_ms", "ms", .forms = TIMES, .fallback = "1",
	  .help = "that the path is held as well" },
	{ "no_seek", "", .max = 1, .below = true, .forms = TIMES, .fallback = "0.4",
	  .help = "share of transfers without a seek" },
	{ "simulate", "", DW_MODEL_WHOLE, .min = 100, .max = 1e9, .forms = RATES,
	  .help = "transfers" },
	{ "seed", "", DW_MODEL_WHOLE, .max = 9007199254740992.0, .forms = RATES,
	  .help = "of the simulation" },
};

const struct dw_model dw_model_reconnect = {
	.name = "reconnect",
	.paper = "Brandwajn",
	.summary = "Missed reconnections and I/O time with fixed and dynamic paths.",
	.outputs = "path_busy_p[] x p_substring p_unit p_miss_first misses reconnect_ms"
		   " service_ms cv2 device_utilisation response_ms service_ms_printed"
		   " response_ms_printed gain_dynamic gain_dynamic_printed transfer_ms"
		   " rate_for_gain",
	.forms = { "utilisation", "rate", "rate and bytes", "gain", "gain and bytes" },
	.keys = keys,
	.n_keys = DW_ARRAY_SIZE(keys),
	.run = run_reconnect,
};

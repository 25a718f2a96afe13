/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Users at terminals and the stations that serve them (Dyal and Draughn). Exact mean value
 * analysis, one user after the other:
 *
 *	R_k = D_k (1 + Q_k(n-1)),  X = n / (Z + sum R),  Q_k = X R_k
 *
 * Schweitzer's approximation puts Q_k(n-1) = (n-1)/n Q_k(n) and iterates. The bounds are
 * X <= min(n/(Z + D), 1/D_max) and R >= max(D, n D_max - Z). The system transfer function
 * (figures 10 and 11) looks for the number of users at which another system has the same
 * response or throughput; between whole numbers that quantity is taken as linear in n, and
 * the other one follows from Little's law n = X (Z + R).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/beside.h"
#include "base/util.h"
#include "papers/model.h"
#include "papers/random.h"

/*
 * The closed system as it happens. A user thinks, then passes the stations before the disks
 * and, as often as the transaction seeks, again those and a disk; the demand of the stations
 * is spread over the seeks. A disk first seeks, then needs the channel, if there is one, for
 * latency and transfer; while it waits for that it is busy. All queues are first come, first
 * served. Without disks a transaction passes every station once.
 */

#define WARM_UP 600.0
#define NOBODY  UINT32_MAX

enum { DW_CLOSED_MVA, DW_CLOSED_SCHWEITZER, DW_CLOSED_BOUNDS, DW_CLOSED_SIMULATE };

/** struct dw_closed - @demand: of a transaction at each of @k stations, disks last */
struct dw_closed {
	double think;
	const double *demand;
	size_t k;
	size_t disks;
	bool channel;
	double seeks;
	double seek;
	double latency;
	double transfer;
	const double *share;
	double hours;
	uint64_t seed;
};

/** struct dw_closed_point - throughput (1/s) and response (s) at a number of users */
struct dw_closed_point {
	double throughput;
	double response;
};

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

/* Simulate @n users; leaves "simulated" outputs and gives the means. 0, -ENOMEM. */
static int closed_simulate(struct dw_model_call *call, const struct dw_closed *c,
			   size_t n, struct dw_closed_point *ret_point,
			   double *ret_utilisation)
{
	struct closed_world w = { .c = c, .length = c->hours * 3600 / DW_MODEL_BATCHES };
	/* NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI): at least one station */
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

#define MOST_USERS 1000000
#define ITERATIONS 100000

static double total(const struct dw_closed *c, double *ret_largest)
{
	double sum = 0, largest = 0;

	for (size_t i = 0; i < c->k; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): k demands */
		sum += c->demand[i];
		largest = c->demand[i] > largest ? c->demand[i] : largest;
	}
	if (ret_largest)
		*ret_largest = largest;
	return sum;
}

/* From the queues that n-1 users make to those of n; queue has k. */
static struct dw_closed_point mva_step(const struct dw_closed *c, double n, double *queue)
{
	struct dw_closed_point p = { 0 };

	for (size_t i = 0; i < c->k; i++) {
		queue[i] = c->demand[i] * (1 + queue[i]);
		p.response += queue[i];
	}
	p.throughput = n / (c->think + p.response);
	for (size_t i = 0; i < c->k; i++)
		queue[i] *= p.throughput;
	return p;
}

static struct dw_closed_point mva(const struct dw_closed *c, size_t n, double *queue)
{
	struct dw_closed_point p = { 0 };

	for (size_t u = 1; u <= n; u++)
		p = mva_step(c, (double)u, queue);
	return p;
}

static struct dw_closed_point schweitzer(const struct dw_closed *c, size_t n,
					 double *queue)
{
	double users = (double)n, off = 1;
	struct dw_closed_point p = { 0 };

	for (size_t i = 0; i < c->k; i++)
		queue[i] = users / (double)c->k;
	for (int round = 0; round < ITERATIONS && off > 1e-15; round++) {
		double before = p.throughput;

		for (size_t i = 0; i < c->k; i++)
			queue[i] *= (users - 1) / users;
		p = mva_step(c, users, queue);
		off = fabs(p.throughput - before) / p.throughput;
	}
	return p;
}

static struct dw_closed_point bounds(const struct dw_closed *c, size_t n)
{
	double largest, sum = total(c, &largest), users = (double)n;
	double light = users / (c->think + sum), heavy = users * largest - c->think;

	return (struct dw_closed_point){
		.throughput = light * largest < 1 ? light : 1 / largest,
		.response = heavy > sum ? heavy : sum,
	};
}

static int analyse(struct dw_model_call *call, const struct dw_closed *c, size_t n,
		   struct dw_closed_point *ret, double *utilisation)
{
	int method = dw_call_word(call, "method");
	double *queue = calloc(c->k + 1, sizeof(*queue));
	int r = queue ? 0 : -ENOMEM;

	if (!r && method == DW_CLOSED_SIMULATE)
		r = closed_simulate(call, c, n, ret, utilisation);
	else if (!r && method == DW_CLOSED_SCHWEITZER)
		*ret = schweitzer(c, n, queue);
	else if (!r)
		*ret = method == DW_CLOSED_MVA ? mva(c, n, queue) : bounds(c, n);
	for (size_t i = 0; !r && method != DW_CLOSED_SIMULATE && i < c->k; i++)
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): k demands */
		utilisation[i] = ret->throughput * c->demand[i];
	free(queue);
	return r;
}

/* Users and point at which the other system's response (or throughput) is @wanted. */
static int transfer(struct dw_model_call *call, const struct dw_closed *other,
		    bool same_response, double wanted)
{
	double *queue = calloc(other->k, sizeof(*queue));
	double before = 0, now = 0, n = 0;
	struct dw_closed_point p;

	if (!queue)
		return -ENOMEM;
	for (size_t u = 1; u <= MOST_USERS && now < wanted; u++) {
		before = now;
		p = mva_step(other, (double)u, queue);
		now = same_response ? p.response : p.throughput;
		n = (double)u;
		if (same_response && u == 1)
			before = now;
	}
	free(queue);
	if (now < wanted)
		return dw_call_fail(call, "the other system never gets there");
	if (same_response && n == 1 && now > wanted)
		return dw_call_fail(call, "the other system is slower with one user"
					  " already");
	if (now > before)
		n -= (now - wanted) / (now - before);
	p.response = same_response ? wanted : n / wanted - other->think;
	p.throughput = same_response ? n / (other->think + wanted) : wanted;
	dw_out_number(call, "n", n);
	dw_out_number(call, "throughput_per_min", 60 * p.throughput);
	dw_out_number(call, "response_ms", 1e3 * p.response);
	return 0;
}

static int run_transfer(struct dw_model_call *call, const struct dw_closed *c,
			const struct dw_closed_point *p)
{
	bool same_response = dw_call_word(call, "same") == 0;
	struct dw_closed other = { .think = c->think };
	double largest;

	other.demand = dw_call_array(call, "other_demands", NULL, &other.k);
	if (total(&other, &largest) <= 0)
		return dw_call_fail(call, "other_demands are nothing at all");
	return transfer(call, &other, same_response,
			same_response ? p->response : p->throughput);
}

/* The stations: those of demands=, then the disks with their share of the seeks. */
static int collect_stations(struct dw_model_call *call, struct dw_closed *c,
			    double *ret_demand)
{
	size_t cpus, n = 1;
	const double *demands = dw_call_array(call, "demands", NULL, &cpus);
	double sum = 0;

	for (c->k = 0; c->k < cpus; c->k++)
		ret_demand[c->k] = demands[c->k];
	if (dw_call_form(call) & 1) {
		c->seeks = dw_call_number(call, "seeks");
		c->seek = dw_call_number(call, "seek_ms") / 1e3;
		c->latency = dw_call_number(call, "latency_ms") / 1e3;
		c->transfer = dw_call_number(call, "transfer_ms") / 1e3;
		c->channel = dw_call_word(call, "channel") == 1;
		if (dw_call_has(call, "share"))
			c->share = dw_call_array(call, "share", NULL, &n);
		for (c->disks = 0; c->disks < n; c->disks++) {
			double share = c->share ? c->share[c->disks] : 1;

			sum += share;
			ret_demand[c->k++] =
				c->seeks * share * (c->seek + c->latency + c->transfer);
		}
		if (fabs(sum - 1) > 1e-6)
			return dw_call_fail(call, "the shares make %.9g, not 1", sum);
	}
	c->demand = ret_demand;
	return 0;
}

static size_t most_stations(const struct dw_model_call *call)
{
	size_t cpus, disks = 0;

	dw_call_array(call, "demands", NULL, &cpus);
	dw_call_array(call, "share", NULL, &disks);
	return cpus + disks + 1;
}

static int solve_closed(struct dw_model_call *call, struct dw_closed *c,
			double *utilisation)
{
	size_t n = (size_t)dw_call_number(call, "n");
	struct dw_closed_point p;
	double largest, sum = total(c, &largest);
	int r;

	if (sum <= 0)
		return dw_call_fail(call, "the demands are nothing at all");
	r = analyse(call, c, n, &p, utilisation);
	if (!r && dw_call_has(call, "same"))
		return run_transfer(call, c, &p);
	if (r)
		return r;
	dw_out_number(call, "throughput_per_min", 60 * p.throughput);
	dw_out_number(call, "response_ms", 1e3 * p.response);
	dw_out_array(call, "utilisation", utilisation, c->k);
	dw_out_array(call, "demands_s", c->demand, c->k);
	dw_out_number(call, "knee", (c->think + sum) / largest);
	return 0;
}

static int run_closed(struct dw_model_call *call)
{
	struct dw_closed c = { .think = dw_call_number(call, "think_s"),
			       .hours = dw_call_number(call, "hours"),
			       .seed = (uint64_t)dw_call_number(call, "seed") };
	bool simulates = dw_call_word(call, "method") == DW_CLOSED_SIMULATE;
	bool disk = dw_call_word(call, "service") == 1;
	double *demand, *utilisation;
	int r;

	if (simulates && !dw_call_has(call, "seed"))
		return dw_call_fail(call, "seed is missing");
	if (disk != (dw_call_form(call) & 1))
		return dw_call_fail(call, disk ? "seek_ms is missing"
					       : "seek_ms goes with service=disk");
	demand = calloc(most_stations(call), sizeof(*demand));
	utilisation = calloc(most_stations(call), sizeof(*utilisation));
	r = demand && utilisation ? collect_stations(call, &c, demand) : -ENOMEM;
	if (!r)
		r = solve_closed(call, &c, utilisation);
	free(demand);
	free(utilisation);
	return r;
}

/* Forms: 0 stations, 1 with disks, 2 and 3 the same with another system beside it. */
#define DISK  (1u << 1 | 1u << 3)
#define OTHER (1u << 2 | 1u << 3)

static const struct dw_model_key keys[] = {
	{ "n", "", DW_MODEL_WHOLE, .min = 1, .max = MOST_USERS, .needed = 15,
	  .help = "number of users" },
	{ "think_s", "s", .needed = 15, .help = "from an answer to the next request" },
	{ "demands", "s", DW_MODEL_ARRAY, .needed = 15,
	  .help = "of a transaction at each station; with disks, at those before them" },
	{ "method", "", DW_MODEL_WORD, .needed = 15,
	  .words = "mva|schweitzer|bounds|simulate", .help = "how to compute" },
	{ "service", "", DW_MODEL_WORD, .words = "exponential|disk",
	  .fallback = "exponential", .help = "disk: with disks behind the stations" },
	{ "seek_ms", "ms", .forms = DISK, .needed = DISK, .help = "average seek" },
	{ "latency_ms", "ms", .forms = DISK, .needed = DISK, .help = "average latency" },
	{ "transfer_ms", "ms", .forms = DISK, .needed = DISK, .help = "transfer" },
	{ "seeks", "", .above = true, .forms = DISK, .needed = DISK,
	  .help = "of a transaction" },
	{ "share", "", DW_MODEL_ARRAY, .max = 1, .forms = DISK,
	  .help = "of the seeks that go to each disk (default: one disk)" },
	{ "channel", "", DW_MODEL_WORD, .forms = DISK, .words = "none|latency+transfer",
	  .fallback = "none", .help = "what the disks share, simulated only" },
	{ "seed", "", DW_MODEL_WHOLE, .max = 9007199254740992.0,
	  .help = "of the simulation" },
	{ "hours", "h", .above = true, .max = 4000, .fallback = "3",
	  .help = "of simulated time, after ten minutes" },
	{ "same", "", DW_MODEL_WORD, .forms = OTHER, .needed = OTHER,
	  .words = "response|throughput",
	  .help = "of the other system, which is sought" },
	{ "other_demands", "s", DW_MODEL_ARRAY, .forms = OTHER, .needed = OTHER,
	  .help = "of a transaction in the other system" },
};

const struct dw_model dw_model_closed = {
	.name = "closed",
	.paper = "Dyal and Draughn",
	.summary = "Throughput and response of users at shared stations and disks.",
	.outputs = "throughput_per_min response_ms utilisation[] demands_s[] knee n",
	.forms = { "stations", "disks", "stations beside others", "disks beside others" },
	.keys = keys,
	.n_keys = DW_ARRAY_SIZE(keys),
	.run = run_closed,
};

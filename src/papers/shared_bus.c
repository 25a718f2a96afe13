/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disks that share a bus, two ways (Tikhomirov, section 5.3).
 *
 * Sharing: the bus gives every active disk its weighted part, but no more than the disk can
 * take; what is left over goes to the others. Between two finishes all rates are constant,
 * so the finishes are found one after the other.
 *
 * Retry: a command holds the bus while its data goes over, and a disk that finds the bus
 * busy comes back after a whole revolution (Brandwajn's missed reconnection). That is
 * simulated with at most some thousand commands a disk, and the times are scaled up.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/util.h"
#include "papers/model.h"
#include "papers/random.h"

#define COMMANDS 6000

static void report_sharing(struct dw_model_call *call, const double *finish, size_t n)
{
	double sum = 0, last = 0;

	for (size_t i = 0; i < n; i++) {
		sum += finish[i];
		last = finish[i] > last ? finish[i] : last;
	}
	dw_out_array(call, "finish_s", finish, n);
	dw_out_number(call, "makespan_s", last);
	dw_out_number(call, "mean_s", sum / (double)n);
}

struct sharing {
	struct dw_model_call *call;
	const double *rate;
	size_t n;
	double capacity;
	double *left;
	double *now; /* rate at present, below zero = not given yet */
	double *finish;
};

static double disk_weight(const struct sharing *s, size_t i)
{
	return dw_call_has(s->call, "weights") ? dw_call_each(s->call, "weights", i) : 1;
}

/* Fill up: a disk whose part is more than it can take gets its rate and is done with. */
static void share_bus(struct sharing *s)
{
	double capacity = s->capacity, sum;
	bool more = true;

	for (size_t i = 0; i < s->n; i++)
		s->now[i] = s->left[i] > 0 ? -1 : 0;
	while (more) {
		double level;

		more = false;
		sum = 0;
		for (size_t i = 0; i < s->n; i++)
			sum += s->now[i] < 0 ? disk_weight(s, i) : 0;
		level = capacity / sum;
		for (size_t i = 0; i < s->n; i++) {
			if (s->now[i] >= 0 || s->rate[i] > disk_weight(s, i) * level)
				continue;
			s->now[i] = s->rate[i];
			capacity -= s->rate[i];
			more = true;
		}
		for (size_t i = 0; !more && i < s->n; i++)
			if (s->now[i] < 0)
				s->now[i] = disk_weight(s, i) * level;
	}
}

/* Until the next disk finishes; false when all have. */
static bool advance_sharing(struct sharing *s, double *time)
{
	double step = INFINITY;

	share_bus(s);
	for (size_t i = 0; i < s->n; i++)
		if (s->left[i] > 0 && s->left[i] / s->now[i] < step)
			step = s->left[i] / s->now[i];
	if (step == INFINITY)
		return false;
	*time += step;
	for (size_t i = 0; i < s->n; i++) {
		double before = s->left[i];

		if (before <= 0)
			continue;
		s->left[i] -= s->now[i] * step;
		if (s->left[i] > before * 1e-13)
			continue;
		s->left[i] = 0;
		s->finish[i] = *time;
	}
	return true;
}

static int run_sharing(struct dw_model_call *call)
{
	struct sharing s = { .call = call,
			     .capacity = dw_call_number(call, "capacity_mb_s") };
	double time = 0;
	int r;

	s.rate = dw_call_array(call, "rates", NULL, &s.n);
	r = dw_call_each_fits(call, "volume_mb", s.n);
	if (!r && dw_call_has(call, "weights"))
		r = dw_call_each_fits(call, "weights", s.n);
	if (r)
		return r;
	s.left = calloc(s.n, sizeof(*s.left));
	s.now = calloc(s.n, sizeof(*s.now));
	s.finish = calloc(s.n, sizeof(*s.finish));
	r = s.left && s.now && s.finish ? 0 : -ENOMEM;
	for (size_t i = 0; !r && i < s.n; i++)
		s.left[i] = dw_call_each(call, "volume_mb", i);
	while (!r && advance_sharing(&s, &time))
		;
	if (!r)
		report_sharing(call, s.finish, s.n);
	free(s.left);
	free(s.now);
	free(s.finish);
	return r;
}

struct retry {
	const double *t_ws;
	size_t n;
	double commands;  /* of a disk */
	double simulated; /* of them */
	double turn;
	double hold;
	double jitter;
	struct dw_rng rng;
	struct dw_heap heap;
};

static int simulate(struct dw_model_call *call, struct retry *b, double *finish,
		    double *sent)
{
	uint64_t i;
	double now;
	double busy_until = 0, total = b->simulated * (double)b->n, done = 0;
	int r = 0;

	for (i = 0; !r && i < b->n; i++)
		r = dw_event_push(&b->heap, b->turn * dw_rng_unit(&b->rng), i);
	while (!r && dw_event_pop(&b->heap, &now, &i)) {
		double next;

		if (now < busy_until) {
			r = dw_event_push(&b->heap, now + b->turn, i);
			continue;
		}
		busy_until = now + b->hold;
		next = b->turn + b->t_ws[i] / b->commands;
		next *= 1 + b->jitter * (2 * dw_rng_unit(&b->rng) - 1);
		next = next > b->hold ? next : b->hold;
		finish[i] = now + next;
		if (++sent[i] < b->simulated)
			r = dw_event_push(&b->heap, now + next, i);
		done++;
		if (!((uint64_t)done & 65535))
			dw_call_tell(call, done / total);
	}
	return r;
}

static int run_retry(struct dw_model_call *call)
{
	double blocks = dw_call_number(call, "blocks");
	double sector = dw_call_number(call, "sector");
	struct retry b = { .turn = 60 / dw_call_number(call, "rpm"),
			   .jitter = dw_call_number(call, "jitter") };
	double *finish, *sent;
	int r = -ENOMEM;

	b.t_ws = dw_call_array(call, "t_ws", NULL, &b.n);
	b.commands = dw_thesis_commands(dw_call_number(call, "bytes"), sector, blocks);
	b.simulated = b.commands < COMMANDS ? b.commands : COMMANDS;
	b.hold = dw_call_has(call, "hold_ms")
			 ? dw_call_number(call, "hold_ms") / 1e3
			 : blocks * sector / dw_call_number(call, "bus_rate");
	for (size_t i = 0; i < b.n; i++)
		if (b.simulated * (2 * (b.turn + b.t_ws[i] / b.commands) +
				   (double)b.n * (b.hold + b.turn)) >
		    DW_LONGEST)
			return dw_call_fail(call, "commands are too long to simulate");
	dw_rng_seed(&b.rng, (uint64_t)dw_call_number(call, "seed"));
	finish = calloc(b.n, sizeof(*finish));
	sent = calloc(b.n, sizeof(*sent));
	if (finish && sent)
		r = simulate(call, &b, finish, sent);
	for (size_t i = 0; !r && i < b.n; i++)
		finish[i] *= b.commands / b.simulated;
	if (!r)
		report_sharing(call, finish, b.n);
	dw_heap_deinit(&b.heap);
	free(finish);
	free(sent);
	return r;
}

static int run_shared_bus(struct dw_model_call *call)
{
	return dw_call_form(call) ? run_retry(call) : run_sharing(call);
}

static const struct dw_model_key keys[] = {
	{ "rates", "MB/s", DW_MODEL_ARRAY, .above = true, .forms = 1, .needed = 1,
	  .help = "what each disk can take" },
	{ "volume_mb", "MB", DW_MODEL_EACH, .forms = 1, .needed = 1,
	  .help = "to write, by disk" },
	{ "capacity_mb_s", "MB/s", .above = true, .forms = 1, .needed = 1,
	  .help = "of the bus" },
	{ "weights", "", DW_MODEL_ARRAY, .above = true, .forms = 1,
	  .help = "of the disks (default: equal)" },
	{ "t_ws", "s", DW_MODEL_ARRAY, .above = true, .forms = 2, .needed = 2,
	  .help = "time of each disk without the bus" },
	{ "blocks", "", DW_MODEL_WHOLE, .min = 1, .forms = 2, .needed = 2,
	  .help = "of one command" },
	{ "bus_rate", "bytes/s", .above = true, .forms = 2, .needed = 2,
	  .help = "of the bus" },
	{ "rpm", "1/min", .above = true, .forms = 2, .needed = 2,
	  .help = "speed of the spindles" },
	{ "bytes", "bytes", .above = true, .forms = 2, .needed = 2,
	  .help = "capacity of each disk" },
	{ "sector", "bytes", DW_MODEL_WHOLE, .min = 1, .forms = 2, .fallback = "512",
	  .help = "size of a block" },
	{ "hold_ms", "ms", .above = true, .forms = 2,
	  .help = "time of a command on the bus (default: by bus_rate)" },
	{ "jitter", "", .max = 1, .below = true, .forms = 2, .fallback = "0.005",
	  .help = "of the time between commands, uniform" },
	{ "seed", "", DW_MODEL_WHOLE, .max = 9007199254740992.0, .forms = 2, .needed = 2,
	  .help = "of the simulation" },
};

const struct dw_model dw_model_shared_bus = {
	.name = "shared_bus",
	.paper = "Tikhomirov",
	.summary = "Finish times of disks that share a bus, by sharing or by retrying.",
	.outputs = "finish_s[] makespan_s mean_s",
	.forms = { "sharing", "retry" },
	.keys = keys,
	.n_keys = DW_ARRAY_SIZE(keys),
	.run = run_shared_bus,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functional of time of a schedule H (Tikhomirov, equation 3.11), h_ij commands to disk
 * i in step j, tau_i seconds a command of disk i, b seconds a command on the bus:
 *
 *	serial   T = sum_ij h_ij tau_i
 *	barrier  T = sum_j max(max_i h_ij tau_i, b sum_i h_ij)
 *	free     T = max(max_i tau_i sum_j h_ij, b sum_ij h_ij)
 *
 * The strategies of the thesis are H without writing it down: sequential is the diagonal
 * matrix (4.1), round-robin has one command in each step (4.2), proportional spreads the
 * commands of every disk evenly over the steps.
 */
#include <stdlib.h>

#include "base/util.h"
#include "papers/model.h"

enum { SERIAL, BARRIER, FREE };
enum { SEQUENTIAL, ROUND_ROBIN, PROPORTIONAL };

/* Sums over a schedule: of all commands, of each disk, of the steps with barriers. */
struct sums {
	double bus;
	double serial;
	double barrier;
	double free;
	double total;
	double longest;
};

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static void add_commands(struct sums *s, double tau, double commands)
{
	s->total += commands;
	s->serial += tau * commands;
	s->longest = larger(s->longest, tau * commands);
	s->free = larger(s->longest, s->bus * s->total);
}

static void sum_matrix(struct dw_model_call *call, struct sums *s, size_t rows, size_t n)
{
	const double *h = dw_call_array(call, "h", NULL, &n);

	for (size_t i = 0; i < rows; i++) {
		double commands = 0;

		for (size_t j = 0; j < n; j++)
			commands += h[i * n + j];
		add_commands(s, dw_call_each(call, "tau", i), commands);
	}
	for (size_t j = 0; j < n; j++) {
		double slowest = 0, sent = 0;

		for (size_t i = 0; i < rows; i++) {
			slowest = larger(slowest,
					 h[i * n + j] * dw_call_each(call, "tau", i));
			sent += h[i * n + j];
		}
		s->barrier += larger(slowest, s->bus * sent);
	}
}

static void sum_strategy(struct dw_model_call *call, struct sums *s, int strategy,
			 const double *n, size_t disks)
{
	for (size_t i = 0; i < disks; i++) {
		double tau = dw_call_each(call, "tau", i);

		add_commands(s, tau, n[i]);
		s->barrier += n[i] * larger(tau, s->bus);
	}
	if (strategy == PROPORTIONAL)
		s->barrier = s->free;
}

static int run_strategy(struct dw_model_call *call, struct sums *s)
{
	int strategy = dw_call_word(call, "strategy");
	bool has_steps = dw_call_has(call, "steps");
	size_t disks;
	const double *n = dw_call_array(call, "n", NULL, &disks);
	int r = dw_call_each_fits(call, "tau", disks);

	if (r)
		return r;
	if (has_steps != (strategy == PROPORTIONAL))
		return dw_call_fail(call,
				    has_steps ? "steps goes with strategy=proportional"
						" only"
					      : "steps is missing");
	sum_strategy(call, s, strategy, n, disks);
	dw_out_number(call, "rows", (double)disks);
	if (strategy == SEQUENTIAL)
		dw_out_number(call, "steps", (double)disks);
	else
		dw_out_number(call, "steps",
			      strategy == ROUND_ROBIN ? s->total
						      : dw_call_number(call, "steps"));
	return 0;
}

static int run_functional(struct dw_model_call *call)
{
	struct sums s = { .bus = dw_call_number(call, "bus_s") };
	int mode = dw_call_word(call, "mode"), r;
	size_t rows, n;

	if (dw_call_form(call)) {
		r = run_strategy(call, &s);
	} else {
		dw_call_array(call, "h", &rows, &n);
		r = dw_call_each_fits(call, "tau", rows);
		if (!r)
			sum_matrix(call, &s, rows, n);
	}
	if (r)
		return r;
	dw_out_number(call, "seconds",
		      mode == SERIAL    ? s.serial
		      : mode == BARRIER ? s.barrier
					: s.free);
	dw_out_number(call, "t_min", s.free);
	return 0;
}

static const struct dw_model_key keys[] = {
	{ "h", "", DW_MODEL_MATRIX, .forms = 1, .needed = 1,
	  .help = "commands: a row for each disk, a column for each step" },
	{ "strategy", "", DW_MODEL_WORD, .forms = 2, .needed = 2,
	  .words = "sequential|round-robin|proportional", .help = "instead of h" },
	{ "n", "", DW_MODEL_ARRAY, .forms = 2, .needed = 2,
	  .help = "commands of each disk" },
	{ "steps", "", DW_MODEL_WHOLE, .min = 1, .forms = 2,
	  .help = "of the proportional strategy" },
	{ "tau", "s", DW_MODEL_EACH, .needed = 3, .help = "time of a command, by disk" },
	{ "bus_s", "s", .fallback = "0", .help = "time of a command on the bus" },
	{ "mode", "", DW_MODEL_WORD, .needed = 3, .words = "serial|barrier|free",
	  .help = "what may go on at the same time" },
};

const struct dw_model dw_model_functional = {
	.name = "functional",
	.paper = "Tikhomirov",
	.summary = "Time of a schedule H.",
	.outputs = "seconds t_min rows steps",
	.forms = { "matrix", "strategy" },
	.keys = keys,
	.n_keys = DW_ARRAY_SIZE(keys),
	.run = run_functional,
};

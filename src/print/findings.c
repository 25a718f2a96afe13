/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "print/findings.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/units.h>

#include "base/order.h"
#include "base/util.h"
#include "cost/peers.h"
#include "print/scale.h"

#define BUSY    0.85 /* of a node's rate: it is what limits */
#define LATE    1.10 /* beside the median finish */
#define WAITING 0.3  /* of the disks' time: turns are what limits */
#define TEXT    40
#define NAME    24 /* characters of a model or serial number in a sentence */

__attribute__((format(printf, 2, 3))) static void say(struct findings *f,
						      const char *format, ...)
{
	va_list args;

	if (f->n_lines == FINDINGS_LINES)
		return;
	va_start(args, format);
	vsnprintf(f->line[f->n_lines++], sizeof(f->line[0]), format, args);
	va_end(args);
}

__attribute__((format(printf, 2, 3))) static void head(struct findings *f,
						       const char *format, ...)
{
	size_t at = strlen(f->headline);
	va_list args;

	if (at)
		at += (size_t)snprintf(f->headline + at, sizeof(f->headline) - at, "; ");
	if (at >= sizeof(f->headline))
		return;
	va_start(args, format);
	vsnprintf(f->headline + at, sizeof(f->headline) - at, format, args);
	va_end(args);
}

static int find_node(const struct run *run, const char *name, size_t len)
{
	for (uint32_t i = 0; i < run->head.n_nodes; i++)
		if (strlen(run->head.node[i].name) == len &&
		    !strncmp(run->head.node[i].name, name, len))
			return (int)i;
	return -1;
}

/* Is @node on the way from @at to the host? A loop in the wiring ends at its length. */
static bool upward(const struct run *run, int at, uint32_t node)
{
	for (uint32_t i = 0; at >= 0 && i <= run->head.n_nodes; i++) {
		if ((uint32_t)at == node)
			return true;
		at = find_node(run, run->head.node[at].on, strlen(run->head.node[at].on));
	}
	return false;
}

double findings_passes(const struct run *run, size_t disk, uint32_t node)
{
	const char *on = run->head.disk[disk].on;
	double paths = 0, through = 0;

	while (*on) {
		size_t len = strcspn(on, " ");

		paths++;
		through += upward(run, find_node(run, on, len), node);
		on += len + strspn(on + len, " ");
	}
	return paths > 0 ? through / paths : 0;
}

static int compare_peers(const struct run *run, struct findings *f)
{
	dw_autofree struct dw_peer *peer = calloc(run->n + 1, sizeof(*peer));

	if (!peer)
		return -ENOMEM;
	for (size_t i = 0; i < run->n; i++)
		peer[i] = (struct dw_peer){ .model = run->disk[i].model,
					    .bytes = run->disk[i].bytes_total,
					    .rate = run_write_rate(&run->disk[i]) };
	if (dw_peers_compare(peer, run->n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < run->n; i++) {
		f->beside[i] = peer[i].beside;
		f->suspect[i] = peer[i].slow;
	}
	return 0;
}

/* The rate at which, or faster, half of the data passed: that of the time when most disks were at
 * work, however short the rest was. */
static double half_passed(double *bin, size_t n)
{
	double total = 0, sum = 0;
	size_t i = n;

	for (size_t k = 0; k < n; k++)
		total += bin[k];
	dw_sort(bin, n);
	while (i && sum < total / 2)
		sum += bin[--i];
	return i < n ? bin[i] : 0;
}

/* The share of its rate that a node carried. */
static struct node_use use_of(const struct run *run, uint32_t node)
{
	struct node_use use = { .node = node };
	double share[256];
	size_t i, n = dw_min_u64(run->n, DW_ARRAY_SIZE(share));
	double *bin = calloc(run->bins + 1, sizeof(double));

	if (!bin)
		return use;
	for (size_t from = 0; from < run->n; from += n) {
		for (i = from; i < run->n && i < from + n; i++)
			share[i - from] = findings_passes(run, i, node);
		for (i = from; i < run->n && i < from + n; i++)
			for (size_t k = 0; k < run->n_bins_used && share[i - from]; k++)
				bin[k] += share[i - from] * run->disk[i].moved[k];
	}
	use.rate = half_passed(bin, run->n_bins_used) / fmin(run->bin_ns / 1e9, run->end);
	use.share = use.rate / (double)run->head.node[node].rate;
	free(bin);
	return use;
}

static int by_share(const void *a, const void *b)
{
	const struct node_use *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

static void use_nodes(const struct run *run, struct findings *f)
{
	for (uint32_t i = 0; i < run->head.n_nodes; i++)
		if (run->head.node[i].rate && f->n_nodes < FINDINGS_NODES)
			f->node[f->n_nodes++] = use_of(run, i);
	qsort(f->node, f->n_nodes, sizeof(f->node[0]), by_share);
}

static double busy_seconds(const struct run_disk *d)
{
	double s = 0;

	for (size_t i = 0; i < RUN_KINDS; i++)
		s += d->pace[i];
	return s;
}

/* How much of their time the disks had nothing to do: they waited for a turn. */
static double idle_share(const struct run *run)
{
	double idle = 0, all = 0;

	for (size_t i = 0; i < run->n; i++) {
		const struct run_disk *d = &run->disk[i];

		if (!d->commands)
			continue;
		all += run_disk_took(d);
		idle += fmax(run_disk_took(d) - busy_seconds(d), 0);
	}
	return all > 0 && run->has_trace ? idle / all : 0;
}

/* Disks joined in their order: the last one, or none. */
static bool has_joined(const struct run *run)
{
	return run->n && run->disk[run->n - 1].joined > 0;
}

static void say_turns(const struct run *run, struct findings *f)
{
	double idle = idle_share(run);

	if (idle < WAITING || run->n < 2)
		return;
	head(f, "disks wait for their turn %.0f %% of the time (%s)", 100 * idle,
	     run->strategy[0] ? run->strategy : "strategy unknown");
}

static double median_took(const struct run *run, double *scratch)
{
	for (size_t i = 0; i < run->n; i++)
		scratch[i] = run_disk_took(&run->disk[i]);
	return dw_median(scratch, run->n);
}

/* When the job would have ended without the disks that are worth a look. */
static double end_without(const struct run *run, const struct findings *f)
{
	double end = 0;

	for (size_t i = 0; i < run->n; i++)
		if (!f->suspect[i])
			end = fmax(end, run->disk[i].end);
	return end;
}

/* "sg5 (PLATTER-X, serial number 00A7)", as far as that is known; long names are cut. */
static const char *full_name(const struct run_disk *d, char *buf, size_t size)
{
	size_t len = strlen(d->serial);
	bool cut = len > NAME;

	if (d->model[0] || len)
		snprintf(buf, size, "%s (%.*s%s%s%s%s)", d->label, NAME, d->model,
			 d->model[0] && len ? ", " : "", len ? "serial number " : "",
			 cut ? "\u2026" : "", d->serial + (cut ? len - NAME : 0));
	else
		snprintf(buf, size, "%s", d->label);
	return buf;
}

static void say_slowest(const struct run *run, struct findings *f, double *scratch)
{
	const struct run_disk *d = &run->disk[f->slowest];
	double beside = f->beside[f->slowest], middle = median_took(run, scratch);
	double took = run_disk_took(d);
	bool together = run->has_trace && !has_joined(run);
	char late[TEXT], total[TEXT], name[200];

	if (run->n < 2 || !(middle > 0))
		return;
	if (f->suspect[f->slowest])
		head(f, "slowest disk: %s, %.0f %% below its peers", d->label,
		     100 * (1 - beside));
	else if (took > middle * LATE && idle_share(run) < WAITING)
		head(f, "slowest disk: %s, %s %.0f %% %s the median disk", d->label,
		     together ? "done" : "took", 100 * (took / middle - 1),
		     together ? "after" : "longer than");
	else
		return;
	say(f, "%s took %s, the median disk %s.", full_name(d, name, sizeof(name)),
	    plot_text_seconds(took, total, sizeof(total)),
	    plot_text_seconds(middle, late, sizeof(late)));
}

static void say_suspects(const struct run *run, struct findings *f)
{
	char names[160] = "", left[TEXT];
	double end = end_without(run, f);
	size_t n = 0, at = 0;

	for (size_t i = 0; i < run->n; i++) {
		if (!f->suspect[i])
			continue;
		n++;
		if (at < 120)
			at += (size_t)snprintf(names + at, sizeof(names) - at,
					       "%s%s (\u2212%.0f %%)", at ? ", " : "",
					       run->disk[i].label,
					       100 * (1 - f->beside[i]));
		else if (at < 150)
			at += (size_t)snprintf(names + at, sizeof(names) - at, " ...");
	}
	if (!n)
		return;
	say(f, "Slower than %.0f %% of their peers: %zu of %zu: %s.", 100 * DW_PEERS_SLOW,
	    n, run->n, names);
	if (end > 0 && end < run->end * 0.98)
		say(f, "The others had ended after %s, %.0f %% earlier.",
		    plot_text_seconds(end, left, sizeof(left)),
		    100 * (1 - end / run->end));
}

static void say_bus(const struct run *run, struct findings *f)
{
	static const char *const kinds[] = { "link", "controller", "bus" };
	const struct dw_trace_node *node;
	char rate[TEXT], limit[TEXT];

	if (!f->n_nodes || !(f->node[0].rate > 0))
		return;
	node = &run->head.node[f->node[0].node];
	if (f->node[0].share >= BUSY)
		head(f, "%s %s %.0f %% busy", kinds[node->kind], node->name,
		     100 * f->node[0].share);
	say(f,
	    "Busiest shared link: %s, %s of %s (%.0f %%) while half of the data passed.",
	    node->name, plot_text_rate(f->node[0].rate, rate, sizeof(rate)),
	    plot_text_rate((double)node->rate, limit, sizeof(limit)),
	    100 * f->node[0].share);
}

/*
 * Where no limit is known, that disks become faster when others have ended shows that they
 * share one: zones make them slower towards the end, never faster. That holds for disks that
 * began together.
 */
static void say_shared(const struct run *run, struct findings *f)
{
	dw_autofree double *plateau = calloc(run->n_bins_used + 1, sizeof(double));
	double early = 0, early_n = 0, late = 0, late_n = 0;
	size_t n = 0;
	char rate[TEXT];

	for (size_t k = 0; plateau && run->n >= 4 && k < run->n_bins_used; k++) {
		double sum = 0, active = 0;

		for (size_t i = 0; i < run->n; i++) {
			sum += run_time_rate(run, &run->disk[i], k);
			active += run_time_rate(run, &run->disk[i], k) > 0;
		}
		if (active > 0.9 * (double)run->n) {
			early += sum;
			early_n += active;
			plateau[n++] = sum;
		} else if (active > 0 && active < 0.6 * (double)run->n) {
			late += sum;
			late_n += active;
		}
	}
	if (f->n_nodes || has_joined(run) || !(early > 0) || late_n < 5 ||
	    late / late_n < 1.2 * early / early_n)
		return;
	head(f, "disks share something that carries about %s",
	     plot_text_rate(dw_median(plateau, n), rate, sizeof(rate)));
	say(f, "Disks ran %.0f %% faster when fewer than 60 %% of them were active.",
	    100 * (late / late_n / (early / early_n) - 1));
}

/*
 * Write cache off and one command at a time: each waits for its sector to come round. Disks
 * that are quicker than that have no such wait.
 */
static void say_revolutions(const struct run *run, struct findings *f)
{
	double lost = 0, spent = 0, turn = 0;

	for (size_t i = 0; i < run->n && run->has_trace; i++) {
		const struct dw_trace_disk *t = &run->head.disk[i];
		const struct run_disk *d = &run->disk[i];

		if (t->rotation < 2 || t->write_cache != 1 || run->head.spec.depth != 1)
			continue;
		turn = 60.0 / t->rotation;
		lost += (double)d->sent[RUN_WRITE] * turn;
		spent += d->pace[RUN_WRITE];
	}
	if (!(spent > 0) || lost < 0.25 * spent || lost > 0.97 * spent)
		return;
	head(f, "about %.0f %% of writing is lost revolutions", 100 * lost / spent);
	say(f,
	    "Write cache off and one command at a time: each write waits about one "
	    "revolution (%.3g ms); longer or more commands would help.",
	    turn * 1e3);
}

static void say_errors(const struct run *run, struct findings *f)
{
	size_t bad = 0, worst = 0;
	uint64_t all = 0;
	char name[200];

	for (size_t i = 0; i < run->n; i++) {
		bad += run->disk[i].bad > 0;
		all += run->disk[i].bad;
		if (run->disk[i].bad > run->disk[worst].bad)
			worst = i;
	}
	if (all)
		head(f, "%llu failed command%s on %zu disk%s", (unsigned long long)all,
		     all == 1 ? "" : "s", bad, bad == 1 ? "" : "s");
	if (all)
		say(f,
		    "%llu command%s on %zu disk%s did not end well, most on %s (%llu).",
		    (unsigned long long)all, all == 1 ? "" : "s", bad,
		    bad == 1 ? "" : "s", full_name(&run->disk[worst], name, sizeof(name)),
		    (unsigned long long)run->disk[worst].bad);
}

static void say_forecast(const struct run *run, struct findings *f)
{
	char was[TEXT], is[TEXT], error[TEXT];

	if (!(run->predicted > 0) || !(run->end > 0))
		return;
	say(f, "Predicted %s, measured %s: %s%s.",
	    plot_text_seconds(run->predicted, was, sizeof(was)),
	    plot_text_seconds(run->end, is, sizeof(is)),
	    plot_text_error(run->end / run->predicted - 1, error, sizeof(error)),
	    isnan(run->low) || isnan(run->high)             ? ""
	    : run->end >= run->low && run->end <= run->high ? ", within the interval"
							    : ", outside the interval");
}

/* One line what was done, always there. */
static void say_job(const struct run *run, struct findings *f)
{
	char total[TEXT], bytes[TEXT] = "", rate[TEXT];
	double sum = 0;

	for (size_t i = 0; i < run->n; i++)
		for (size_t k = 0; k < RUN_OTHER; k++)
			sum += run->disk[i].bytes[k];
	dw_size_format((uint64_t)sum, bytes, sizeof(bytes));
	say(f, "%zu disk%s, %s in %s, %s%s%s%s%s%s%s%s.", run->n, run->n == 1 ? "" : "s",
	    bytes, plot_text_seconds(run->end, total, sizeof(total)),
	    plot_text_rate(run->end > 0 ? sum / run->end : 0, rate, sizeof(rate)),
	    run->method[0] ? "; method " : "", run->method,
	    run->strategy[0] ? ", strategy " : "", run->strategy,
	    run->controller[0] ? ", controller " : "", run->controller,
	    run->simulation[0] ? "; simulated" : "");
	if (run->has_trace && !run->complete)
		say(f, "The trace was cut off: what came after %s is not known.", total);
	else if (run->outcome[0])
		say(f, "Outcome: %s%s%s.", run->outcome,
		    run->started[0] && !run->simulation[0] ? "; started " : "",
		    run->started[0] && !run->simulation[0] ? run->started : "");
}

static bool anything(const struct run *run)
{
	for (size_t i = 0; i < run->n; i++)
		if (run->disk[i].end > 0)
			return true;
	return false;
}

/* Nothing of the above: that says what is not the limit, not what is. */
static void say_disks(const struct run *run, struct findings *f)
{
	const struct run_disk *last = run->disk;
	const char *not = run->has_trace
				  ? "no shared limit: each disk ran at its own rate"
				  : "no single disk stands out";
	double first = last->end;
	char rate[TEXT] = "unknown rate";

	for (size_t i = 0; i < run->n; i++) {
		first = fmin(first, run->disk[i].end);
		if (run->disk[i].end > last->end)
			last = &run->disk[i];
	}
	if (!isnan(run_write_rate(last)))
		plot_text_rate(run_write_rate(last), rate, sizeof(rate));
	if (run->n == 1)
		head(f, "one disk, %s on average", rate);
	else if (first > 0.95 * last->end)
		head(f, "%s: all ended within %.0f %%", not,
		     ceil(100 * (1 - first / last->end)));
	else
		head(f, "%s: last was %s%s%s%s", not, last->label,
		     last->model[0] ? " (" : "", last->model, last->model[0] ? ")" : "");
}

static void say_all(const struct run *run, struct findings *f, double *scratch)
{
	say_job(run, f);
	if (!anything(run)) {
		head(f, run->n ? "No command had ended" : "No disks");
		return;
	}
	say_slowest(run, f, scratch);
	say_turns(run, f);
	say_bus(run, f);
	if (run->has_trace && idle_share(run) < WAITING)
		say_shared(run, f);
	say_revolutions(run, f);
	say_suspects(run, f);
	say_errors(run, f);
	say_forecast(run, f);
	if (!f->headline[0])
		say_disks(run, f);
	if (f->headline[0] >= 'a' && f->headline[0] <= 'z')
		f->headline[0] = (char)(f->headline[0] - 'a' + 'A');
}

int findings_new(const struct run *run, struct findings *ret)
{
	dw_autofree double *scratch = calloc(run->n + 1, sizeof(double));

	*ret = (struct findings){ 0 };
	ret->beside = calloc(run->n + 1, sizeof(double));
	ret->suspect = calloc(run->n + 1, sizeof(bool));
	if (!scratch || !ret->beside || !ret->suspect || compare_peers(run, ret) < 0) {
		findings_deinit(ret);
		return -ENOMEM;
	}
	for (size_t i = 0; i < run->n; i++)
		if (run_disk_took(&run->disk[i]) >
		    run_disk_took(&run->disk[ret->slowest]))
			ret->slowest = i;
	use_nodes(run, ret);
	say_all(run, ret, scratch);
	return 0;
}

void findings_deinit(struct findings *f)
{
	free(f->beside);
	free(f->suspect);
	f->beside = NULL;
	f->suspect = NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rates over time: all disks together, what they pass through, and each for itself. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "print/figures.h"

#define TOP    24.0
#define HEIGHT 240.0

static struct plot_scale time_scale(const struct run *run)
{
	double all = (double)run->n_bins_used * run->bin_ns / 1e9;

	return (struct plot_scale){ PLOT_DURATION, 0, all > 0 ? all : 1 };
}

/* Bytes in the last bin are those of a part of its time. */
static double bin_seconds(const struct run *run, size_t bin)
{
	double from = (double)bin * run->bin_ns / 1e9;

	return fmax(fmin(run->bin_ns / 1e9, run->end - from), run->bin_ns / 1e10);
}

static double bin_rate(const struct run *run, const struct run_disk *d, size_t bin)
{
	return (d->moved[bin] + d->local[bin]) / bin_seconds(run, bin);
}

/* Blocks that WRITE SAME fills come to be without passing the bus: together with what passes it
 * they would be a rate that nothing has. @local: these, else the others. */
static double part_rate(const struct run *run, const struct run_disk *d, size_t bin,
			bool local)
{
	return (local ? d->local[bin] : d->moved[bin]) / bin_seconds(run, bin);
}

static double total_peak(const struct run *run, bool local)
{
	double peak = 0;

	for (size_t k = 0; k < run->n_bins_used; k++) {
		double sum = 0;

		for (size_t i = 0; i < run->n; i++)
			sum += part_rate(run, &run->disk[i], k, local);
		peak = fmax(peak, sum);
	}
	return peak;
}

/* The node with the least rate that the data of all disks pass; -1 = there is none. */
static int common_node(const struct run *run)
{
	int best = -1;

	for (uint32_t k = 0; k < run->head.n_nodes; k++) {
		bool all = run->head.node[k].rate > 0;

		for (size_t i = 0; i < run->n && all; i++)
			all = findings_passes(run, i, k) > 0.999;
		if (all &&
		    (best < 0 || run->head.node[k].rate < run->head.node[best].rate))
			best = (int)k;
	}
	return best;
}

static uint32_t layer_color(const struct report *r, size_t disk)
{
	if (r->findings.suspect[disk])
		return disk % 2 ? PLOT_RED : 0xb34e00;
	return disk % 2 ? PLOT_BLUE : 0x3d93c4;
}

/* One disk over the other; or, when there are many, those worth a look over all others. */
static void draw_layers(struct plot *p, const struct plot_axes *a, const struct report *r,
			double worth, bool local)
{
	const struct run *run = &r->run;
	bool each = run->n <= FIGURE_EACH;
	double low[512] = { 0 }, high[512] = { 0 };

	for (int pass = 0; pass < (each ? 1 : 2); pass++) {
		for (size_t i = 0; i < run->n; i++) {
			if (!each && r->findings.suspect[i] != (pass == 1))
				continue;
			for (size_t k = 0; k < run->n_bins_used; k++)
				high[k] +=
					part_rate(run, &run->disk[i], k, local) / worth;
			if (!each)
				continue;
			plot_axes_steps(p, a, low, high, run->n_bins_used,
					layer_color(r, i));
			memcpy(low, high, sizeof(low));
		}
		if (!each)
			plot_axes_steps(p, a, low, high, run->n_bins_used,
					pass ? PLOT_RED : PLOT_BLUE);
		memcpy(low, high, sizeof(low));
	}
}

static void draw_limit(struct plot *p, const struct plot_axes *a, const struct run *run,
		       double worth, bool local)
{
	static const struct plot_pen pen = { PLOT_INK, 1.5, true };
	struct plot_font font = { .size = 11, .color = PLOT_INK, .anchor = PLOT_RIGHT };
	struct plot_point right;
	int node = common_node(run);
	char text[128], rate[32];
	double limit;

	if (node < 0)
		return;
	if (local) {
		snprintf(text, sizeof(text), "WRITE SAME passes no data over %s",
			 run->head.node[node].name);
		plot_text(p, a->box.x + a->box.w - 4, a->box.y - 5, &font, text);
		return;
	}
	limit = (double)run->head.node[node].rate;
	plot_text_rate(limit, rate, sizeof(rate));
	snprintf(text, sizeof(text), "%s carries at most %s%s", run->head.node[node].name,
		 rate, limit / worth > a->y.hi ? ", beyond this figure" : "");
	right = plot_axes_at(a, a->x.hi, limit / worth);
	if (limit / worth <= a->y.hi)
		plot_segment(p, (struct plot_point){ a->box.x, right.y }, right, &pen);
	plot_text(p, right.x - 4, right.y - 5, &font, text);
}

static void draw_part(struct plot *p, const struct plot_figure *f, bool local)
{
	const struct report *r = figure_report(f);
	static const struct plot_key key[] = {
		{ "disks, one over the other", { PLOT_BLUE, 2, false }, false },
		{ "disks slower than their peers", { PLOT_RED, 2, false }, false },
	};
	struct plot_axes a = {
		.box = { FIGURE_LEFT, TOP + 10, PLOT_WIDTH - FIGURE_LEFT - FIGURE_RIGHT,
			 HEIGHT },
		.x = time_scale(&r->run),
		.x_title = "time since the job's start",
		.x_ticks = 12,
	};
	double worth, peak = total_peak(&r->run, local);
	const char *unit = plot_rate_unit(peak, &worth);
	int node = common_node(&r->run);
	bool suspects = false;

	for (size_t i = 0; i < r->run.n; i++)
		suspects |= r->findings.suspect[i];
	if (node >= 0 && !local && (double)r->run.head.node[node].rate < 3 * peak)
		peak = fmax(peak, (double)r->run.head.node[node].rate * 1.02);
	a.y = (struct plot_scale){ PLOT_LINEAR, 0, plot_scale_top(peak / worth) };
	a.y_title = unit;
	plot_keys(p, (struct plot_point){ FIGURE_LEFT, 12 }, key, suspects ? 2 : 1);
	plot_axes_draw(p, &a);
	draw_layers(p, &a, r, worth, local);
	draw_limit(p, &a, &r->run, worth, local);
}

static void draw_moved(struct plot *p, const struct plot_figure *f)
{
	draw_part(p, f, false);
}

static void draw_local(struct plot *p, const struct plot_figure *f)
{
	draw_part(p, f, true);
}

void figure_total(struct report *r)
{
	bool moved = r->run.has_trace && r->run.n && total_peak(&r->run, false) > 0;
	bool local = r->run.has_trace && r->run.n && total_peak(&r->run, true) > 0;

	if (moved)
		figure_add(r, TOP + 10 + HEIGHT + FIGURE_FOOT,
			   local ? "All disks together: data over the bus"
				 : "All disks together")
			->draw = draw_moved;
	if (local)
		figure_add(r, TOP + 10 + HEIGHT + FIGURE_FOOT,
			   "All disks together: blocks that WRITE SAME filled")
			->draw = draw_local;
}

/* --- what the data pass through ------------------------------------------------------ */

#define NODE_ROW   16.0
#define NODE_LEFT  130.0
#define NODE_RIGHT 210.0

static void draw_node(struct plot *p, const struct report *r, const struct node_use *use,
		      struct plot_box row)
{
	const struct run *run = &r->run;
	double share[512] = { 0 };
	struct plot_heat heat = { row, 1, run->n_bins_used, share, 1 };

	for (size_t i = 0; i < run->n; i++) {
		double through = findings_passes(run, i, use->node);

		for (size_t k = 0; k < run->n_bins_used && through > 0; k++)
			share[k] += through * run->disk[i].moved[k] /
				    bin_seconds(run, k) /
				    (double)run->head.node[use->node].rate;
	}
	plot_heat_draw(p, &heat);
}

static void draw_nodes(struct plot *p, const struct plot_figure *f)
{
	const struct report *r = figure_report(f);
	struct plot_font name = { .size = 11, .color = PLOT_INK, .anchor = PLOT_RIGHT };
	struct plot_font note = { .size = 11, .color = PLOT_INK };
	struct plot_axes a = {
		.box = { NODE_LEFT, TOP, PLOT_WIDTH - NODE_LEFT - NODE_RIGHT,
			 NODE_ROW * (double)r->findings.n_nodes },
		.x = time_scale(&r->run),
		.y = { PLOT_LINEAR, 0, 1 },
		.x_title = "time since the job's start",
		.y_ticks = 1,
	};
	char text[96], rate[32], limit[32];

	plot_heat_scale(p, (struct plot_point){ FIGURE_LEFT, 12 }, "idle", "full");
	plot_axes_draw(p, &a);
	for (size_t i = 0; i < r->findings.n_nodes; i++) {
		const struct node_use *u = &r->findings.node[i];
		const struct dw_trace_node *n = &r->run.head.node[u->node];
		double y = TOP + NODE_ROW * (double)i;

		draw_node(p, r, u,
			  (struct plot_box){ a.box.x, y, a.box.w, NODE_ROW - 2 });
		plot_text(p, NODE_LEFT - 6, y + 11, &name,
			  plot_text_fit(n->name, 11, NODE_LEFT - 12, text, sizeof(text)));
		snprintf(text, sizeof(text), "%.0f %%: %s of %s", 100 * u->share,
			 plot_text_rate(u->rate, rate, sizeof(rate)),
			 plot_text_rate((double)n->rate, limit, sizeof(limit)));
		note.bold = i == 0;
		plot_text(p, PLOT_WIDTH - NODE_RIGHT + 8, y + 11, &note, text);
	}
}

void figure_nodes(struct report *r)
{
	if (r->run.n && r->findings.n_nodes && r->findings.node[0].rate > 0)
		figure_add(r, TOP + NODE_ROW * (double)r->findings.n_nodes + FIGURE_FOOT,
			   "Use of buses, controllers and links")
			->draw = draw_nodes;
}

/* --- each disk ----------------------------------------------------------------------- */

static double rate_peak(const struct run *run)
{
	double peak = 0;

	for (size_t i = 0; i < run->n; i++)
		for (size_t k = 0; k < run->n_bins_used; k++)
			peak = fmax(peak, bin_rate(run, &run->disk[i], k));
	return peak;
}

/* A cross on the upper edge for each time at which something went wrong. */
static void draw_wrong(struct plot *p, const struct plot_axes *a, const struct run *run,
		       const struct run_disk *d)
{
	static const struct plot_pen pen = { PLOT_RED, 2, false };

	for (size_t k = 0; k < run->n_bins_used; k++) {
		struct plot_point c =
			plot_axes_at(a, ((double)k + 0.5) * run->bin_ns / 1e9, a->y.hi);

		if (!(d->wrong[k] > 0))
			continue;
		c.y += 5;
		plot_segment(p, (struct plot_point){ c.x - 4, c.y - 4 },
			     (struct plot_point){ c.x + 4, c.y + 4 }, &pen);
		plot_segment(p, (struct plot_point){ c.x - 4, c.y + 4 },
			     (struct plot_point){ c.x + 4, c.y - 4 }, &pen);
	}
}

static void draw_panels(struct plot *p, const struct plot_figure *f)
{
	const struct report *r = figure_report(f);
	double worth, peak = rate_peak(&r->run), high[512];
	const char *unit = plot_rate_unit(peak, &worth);
	struct figure_panels g;
	char text[96];

	figure_panels(r->run.n, &g);
	for (size_t i = 0; i < r->run.n; i++) {
		struct plot_axes a = {
			.box = figure_panel(&g, i),
			.x = time_scale(&r->run),
			.y = { PLOT_LINEAR, 0, plot_scale_top(peak / worth) },
			.x_title = i + g.columns >= r->run.n ? "time" : NULL,
			.y_title = i % g.columns ? NULL : unit,
			.x_ticks = g.columns > 2 ? 4 : 8,
			.y_ticks = 4,
			.name = figure_name(r, i, text, sizeof(text)),
			.name_color = figure_disk_color(r, i),
		};

		plot_axes_draw(p, &a);
		for (size_t k = 0; k < r->run.n_bins_used; k++)
			high[k] = bin_rate(&r->run, &r->run.disk[i], k) / worth;
		plot_axes_steps(p, &a, NULL, high, r->run.n_bins_used,
				r->findings.suspect[i] ? PLOT_RED : PLOT_BLUE);
		draw_wrong(p, &a, &r->run, &r->run.disk[i]);
	}
}

static double heat_value(const struct figure_heat *h, size_t disk, size_t column)
{
	const struct run *run = &h->report->run;
	double rate = bin_rate(run, &run->disk[disk], column);

	return rate > 0 ? rate : NAN;
}

static void draw_map(struct plot *p, const struct plot_figure *f)
{
	const struct report *r = figure_report(f);
	struct figure_heat heat = {
		.report = r,
		.box = { FIGURE_LEFT, TOP, PLOT_WIDTH - FIGURE_LEFT - FIGURE_RIGHT,
			 figure_heat_height(&r->run) },
		.columns = r->run.n_bins_used,
		.value = heat_value,
		.top = rate_peak(&r->run),
	};
	struct plot_axes a = {
		.box = heat.box,
		.x = time_scale(&r->run),
		.y = { PLOT_LINEAR, 0, 1 },
		.x_title = "time since the job's start",
		.x_ticks = 12,
		.y_ticks = 1,
	};
	char text[48];

	plot_heat_scale(p, (struct plot_point){ FIGURE_LEFT, 12 }, "0",
			plot_text_rate(heat.top, text, sizeof(text)));
	plot_axes_draw(p, &a);
	figure_heat_draw(p, &heat);
}

void figure_rates(struct report *r)
{
	struct figure_panels g;
	double height;

	if (!r->run.has_trace || !(rate_peak(&r->run) > 0))
		return;
	if (r->run.n <= FIGURE_EACH) {
		height = figure_panels(r->run.n, &g);
		figure_add(r, height, "Rate of each disk over time")->draw = draw_panels;
		return;
	}
	figure_add(r, TOP + figure_heat_height(&r->run) + FIGURE_FOOT,
		   "Rate of each disk over time")
		->draw = draw_map;
}

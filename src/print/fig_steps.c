/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Commands: their length and what it brought, their turns, and how long they took. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "print/figures.h"

#define TOP    24.0
#define HEIGHT 220.0

/* --- transfer lengths ---------------------------------------------------------------- */

static const struct {
	enum run_kind kind;
	uint32_t color;
	const char *text;
} kinds[] = {
	{ RUN_WRITE, PLOT_BLUE, "WRITE" },
	{ RUN_SAME, PLOT_PURPLE, "WRITE SAME" },
	{ RUN_READ, PLOT_GREEN, "READ" },
};

/* A disk's last command is shorter than the others; that is no measurement of a length. */
static bool counts(const struct run *run, const struct run_length *l)
{
	double most = 0;

	for (size_t i = 0; i < run->n_lengths; i++)
		if (run->length[i].kind == l->kind)
			most = fmax(most, run->length[i].bytes);
	return l->pace > 0 && l->commands > 2 * (double)run->n &&
	       l->bytes > 0.0002 * most;
}

static size_t count_kind(const struct run *run, enum run_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n_lengths; i++)
		n += run->length[i].kind == kind && counts(run, &run->length[i]);
	return n;
}

static int by_bytes(const void *a, const void *b)
{
	const struct plot_point *x = a, *y = b;

	return (x->x > y->x) - (x->x < y->x);
}

/* The curve of one kind; the length that most bytes went by has a ring round it. */
static void draw_kind(struct plot *p, const struct plot_axes *a, const struct run *run,
		      size_t kind)
{
	static const struct plot_pen ring = { PLOT_ORANGE, 3, false };
	struct plot_pen pen = { kinds[kind].color, 1.5, false };
	struct plot_point at[RUN_LENGTHS];
	const struct run_length *chosen = NULL;
	size_t n = 0;

	for (size_t i = 0; i < run->n_lengths; i++) {
		const struct run_length *l = &run->length[i];

		if (l->kind != kinds[kind].kind || !counts(run, l))
			continue;
		at[n++] = (struct plot_point){ l->bytes_each, l->bytes / l->pace };
		if (!chosen || l->bytes > chosen->bytes)
			chosen = l;
	}
	qsort(at, n, sizeof(at[0]), by_bytes);
	plot_axes_curve(p, a, at, n, &pen);
	for (size_t i = 0; i < n; i++) {
		struct plot_point c = plot_axes_at(a, at[i].x, at[i].y);
		struct plot_point square[] = { { c.x - 8, c.y - 8 },
					       { c.x + 8, c.y - 8 },
					       { c.x + 8, c.y + 8 },
					       { c.x - 8, c.y + 8 },
					       { c.x - 8, c.y - 8 } };

		plot_rect(p, (struct plot_box){ c.x - 3, c.y - 3, 6, 6 }, pen.color);
		if (at[i].x == chosen->bytes_each)
			plot_line(p, square, 5, &ring);
	}
}

static void draw_lengths(struct plot *p, const struct plot_figure *f)
{
	const struct run *run = &figure_report(f)->run;
	struct plot_axes a = {
		.box = { FIGURE_LEFT, TOP + 8, PLOT_WIDTH - FIGURE_LEFT - FIGURE_RIGHT,
			 HEIGHT },
		.x = { PLOT_LOG2, INFINITY, 0 },
		.x_title = "transfer length",
		.x_ticks = 12,
	};
	struct plot_key key[DW_ARRAY_SIZE(kinds) + 1];
	double worth, peak = 0;
	size_t n = 0;

	for (size_t i = 0; i < run->n_lengths; i++) {
		const struct run_length *l = &run->length[i];

		if (!counts(run, l))
			continue;
		a.x.lo = fmin(a.x.lo, l->bytes_each / 1.5);
		a.x.hi = fmax(a.x.hi, l->bytes_each * 1.5);
		peak = fmax(peak, l->bytes / l->pace);
	}
	for (size_t k = 0; k < DW_ARRAY_SIZE(kinds); k++)
		if (count_kind(run, kinds[k].kind))
			key[n++] = (struct plot_key){ kinds[k].text,
						      { kinds[k].color, 1.5, false },
						      true };
	key[n++] = (struct plot_key){ "most bytes went by this length",
				      { PLOT_ORANGE, 3, false },
				      true };
	a.y_title = plot_rate_unit(peak, &worth);
	a.y = (struct plot_scale){ PLOT_LINEAR, 0, plot_scale_top(peak / worth) };
	plot_keys(p, (struct plot_point){ FIGURE_LEFT, 12 }, key, n);
	plot_axes_draw(p, &a);
	a.y.hi *= worth;
	for (size_t k = 0; k < DW_ARRAY_SIZE(kinds); k++)
		draw_kind(p, &a, run, k);
}

void figure_lengths(struct report *r)
{
	bool several =
		count_kind(&r->run, RUN_WRITE) > 1 || count_kind(&r->run, RUN_SAME) > 1;

	if (r->run.has_trace && several)
		figure_add(r, TOP + 8 + HEIGHT + FIGURE_FOOT,
			   "Mean rate of a disk by transfer length")
			->draw = draw_lengths;
}

/* --- the schedule -------------------------------------------------------------------- */

/** struct columns - bins of steps, those that name the same single disk made one */
struct columns {
	size_t n;
	size_t first[RUN_STEPS + 1];
};

/* The only disk of a column; -1 = there are several; -2 = none. */
static long single(const struct run *run, size_t column)
{
	long disk = -2;

	for (size_t i = 0; i < run->n; i++) {
		if (!(run->disk[i].steps[column] > 0))
			continue;
		if (disk >= 0)
			return -1;
		disk = (long)i;
	}
	return disk;
}

static void merge_columns(const struct run *run, struct columns *c)
{
	long last = -1;

	c->n = 0;
	for (size_t k = 0; k < run->n_steps_used; k++) {
		long now = single(run, k);

		if (now == -2 || (now >= 0 && now == last))
			continue;
		c->first[c->n++] = k;
		last = now;
	}
	c->first[c->n] = run->n_steps_used;
}

static double commands_in(const struct report *r, const struct columns *c, size_t disk,
			  size_t column)
{
	double sum = 0;

	for (size_t k = c->first[column]; k < c->first[column + 1]; k++)
		sum += r->run.disk[disk].steps[k];
	return sum;
}

static double schedule_value(const struct figure_heat *h, size_t disk, size_t column)
{
	double v = commands_in(h->report, h->ctx, disk, column);

	return v > 0 ? v : NAN;
}

/* Numbers of steps below the columns, as many as have room. */
static void draw_steps(struct plot *p, const struct run *run, const struct columns *c,
		       struct plot_box box)
{
	struct plot_font font = { .size = 11, .color = PLOT_INK, .anchor = PLOT_MIDDLE };
	double each = box.w / (double)c->n, end = -INFINITY;
	char text[32];

	for (size_t k = 0; k < c->n; k++) {
		double x = box.x + each * (double)k;

		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)c->first[k] *
				 (unsigned long long)run->step_width);
		if (x - plot_text_width(text, 11) / 2 < end + 30)
			continue;
		plot_text(p, x, box.y + box.h + 15, &font, text);
		end = x + plot_text_width(text, 11) / 2;
	}
	snprintf(text, sizeof(text), "first step of a column");
	plot_text(p, box.x + box.w / 2, box.y + box.h + 31, &font, text);
}

static void draw_schedule(struct plot *p, const struct plot_figure *f)
{
	const struct report *r = figure_report(f);
	struct figure_heat heat = {
		.report = r,
		.box = { FIGURE_LEFT, TOP, PLOT_WIDTH - FIGURE_LEFT - FIGURE_RIGHT,
			 figure_heat_height(&r->run) },
		.value = schedule_value,
	};
	struct figure_top top;
	struct columns c;
	char text[96];

	merge_columns(&r->run, &c);
	heat.columns = c.n;
	heat.ctx = &c;
	if (!c.n || figure_heat_top(&heat, &top) < 0)
		return;
	heat.top = top.usual;
	if (top.most > top.usual)
		snprintf(text, sizeof(text),
			 "%.0f commands or more (95th percentile); at most %.0f",
			 top.usual, top.most);
	else
		snprintf(text, sizeof(text), "%.0f command%s", top.most,
			 top.most > 1 ? "s" : "");
	plot_heat_scale(p, (struct plot_point){ FIGURE_LEFT, 12 }, "0", text);
	figure_heat_draw(p, &heat);
	draw_steps(p, &r->run, &c, heat.box);
}

void figure_schedule(struct report *r)
{
	struct columns c;

	if (!r->run.has_trace || !r->run.n)
		return;
	merge_columns(&r->run, &c);
	if (c.n)
		figure_add(
			r, TOP + figure_heat_height(&r->run) + FIGURE_FOOT,
			"Turns: how many commands each disk got at each step (schedule H)")
			->draw = draw_schedule;
}

/* --- service times ------------------------------------------------------------------- */

struct span {
	size_t from;
	size_t to;
};

/* Whole decades that hold all service times. */
static struct span service_span(const struct run *run)
{
	struct span s = { RUN_SERVICE, 0 };

	for (size_t i = 0; i < run->n; i++) {
		for (size_t k = 0; k < RUN_SERVICE; k++) {
			if (!run->disk[i].service[k])
				continue;
			s.from = dw_min_u64(s.from, k / 10 * 10);
			s.to = dw_max_u64(s.to, (k / 10 + 1) * 10);
		}
	}
	return s;
}

static double most_in_bin(const struct run *run, double *sum)
{
	double most = 0;

	for (size_t k = 0; k < RUN_SERVICE; k++) {
		for (size_t i = 0; i < run->n; i++)
			sum[k] += run->disk[i].service[k];
		most = fmax(most, sum[k]);
	}
	return most;
}

static double service_value(const struct figure_heat *h, size_t disk, size_t column)
{
	const struct run_disk *d = &h->report->run.disk[disk];
	const struct span *s = h->ctx;
	double all = 0;

	for (size_t k = 0; k < RUN_SERVICE; k++)
		all += d->service[k];
	return d->service[s->from + column] ? d->service[s->from + column] / all : NAN;
}

static double value_of_bin(size_t bin)
{
	return RUN_SERVICE_LO * pow(10, (double)bin / 10);
}

/* All commands above; below, a row for each disk. */
static void draw_service(struct plot *p, const struct plot_figure *f)
{
	const struct report *r = figure_report(f);
	double sum[RUN_SERVICE] = { 0 }, most = most_in_bin(&r->run, sum),
	       high[RUN_SERVICE];
	struct span s = service_span(&r->run);
	struct plot_axes a = {
		.box = { FIGURE_LEFT, TOP, PLOT_WIDTH - FIGURE_LEFT - FIGURE_RIGHT, 130 },
		.x = { PLOT_LINEAR, 0, (double)(s.to - s.from) },
		.y_title = "% of commands",
		.x_ticks = 12,
	};
	double all = 0;

	for (size_t k = 0; k < RUN_SERVICE; k++)
		all += sum[k];
	a.y = (struct plot_scale){ PLOT_LINEAR, 0, plot_scale_top(100 * most / all) };
	for (size_t k = s.from; k < s.to; k++)
		high[k - s.from] = 100 * sum[k] / all;
	plot_axes_steps(p, &a, NULL, high, s.to - s.from, PLOT_BLUE);
	a.x = (struct plot_scale){ PLOT_LOG10, value_of_bin(s.from), value_of_bin(s.to) };
	a.x_title = r->run.n > 1 ? NULL : "service time of a command";
	plot_axes_draw(p, &a);
	if (r->run.n > 1) {
		struct figure_heat heat = {
			.report = r,
			.box = { a.box.x, TOP + 130 + 14, a.box.w,
				 figure_heat_height(&r->run) },
			.columns = s.to - s.from,
			.value = service_value,
			.ctx = &s,
			.top = 0.5,
		};

		a.box = heat.box;
		a.x_title = "service time of a command";
		a.y = (struct plot_scale){ PLOT_LINEAR, 0, 1 };
		a.y_ticks = 1;
		a.y_title = NULL;
		plot_axes_draw(p, &a);
		figure_heat_draw(p, &heat);
	}
	plot_heat_scale(p, (struct plot_point){ PLOT_WIDTH - 420, 12 }, "0",
			"half of a disk's commands or more");
}

void figure_service(struct report *r)
{
	struct span s = service_span(&r->run);
	double height = TOP + 130 + FIGURE_FOOT;

	if (!r->run.has_trace || s.to <= s.from)
		return;
	if (r->run.n > 1)
		height += 14 + figure_heat_height(&r->run);
	figure_add(r, height, "Service times")->draw = draw_service;
}

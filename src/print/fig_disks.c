/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When each disk ended, and what it did until then: the figure that shows at a glance who
 * keeps the others waiting. Many disks stand in the order of their end.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "print/figures.h"
#include "print/legend.h"

#define ROW   18.0
#define LEFT  120.0
#define RIGHT 290.0
#define TOP   24.0
#define SEEN  0.001 /* of the time: less is not to be seen */

static const struct {
	enum run_kind kind;
	uint32_t color;
	const char *text;
} parts[] = {
	{ RUN_OWN, PLOT_ORANGE, "working by itself" },
	{ RUN_WRITE, PLOT_BLUE, "writing" },
	{ RUN_SAME, PLOT_SKY, "WRITE SAME" },
	{ RUN_FLUSH, PLOT_PURPLE, "flushing" },
	{ RUN_READ, PLOT_GREEN, "reading, verifying" },
	{ RUN_OTHER, PLOT_GREY, "other commands" },
};

static double longest_time(const struct run *run)
{
	double t = run->has_trace ? run->end : 0;

	for (size_t i = 0; i < run->n; i++) {
		t = fmax(t, run->disk[i].end);
		if (!isnan(run->disk[i].high))
			t = fmax(t, run->disk[i].high);
		if (!isnan(run->disk[i].predicted))
			t = fmax(t, run->disk[i].predicted);
	}
	return t > 0 ? t : 1;
}

static bool has_forecast(const struct run *run)
{
	for (size_t i = 0; i < run->n; i++)
		if (!isnan(run->disk[i].predicted))
			return true;
	return false;
}

static void draw_keys(struct plot *p, const struct run *run)
{
	struct plot_key key[8] = { 0 };
	size_t n = 0;

	for (size_t k = 0; k < DW_ARRAY_SIZE(parts); k++) {
		double sum = 0;

		for (size_t i = 0; i < run->n; i++)
			sum += run->disk[i].pace[parts[k].kind];
		if (sum > SEEN * longest_time(run))
			key[n++] = (struct plot_key){ parts[k].text,
						      { parts[k].color, 2, false },
						      false };
	}
	if (run->has_trace)
		key[n++] = (struct plot_key){ "nothing to do, or waiting",
					      { PLOT_FAINT, 2, false },
					      false };
	if (has_forecast(run))
		key[n++] = (struct plot_key){ "predicted end, with its interval",
					      { PLOT_INK, 2, false },
					      true };
	plot_keys(p, (struct plot_point){ FIGURE_LEFT, 12 }, key, n);
}

static void draw_bar(struct plot *p, const struct plot_axes *a, const struct run_disk *d,
		     double y)
{
	struct plot_box b = { .y = y + 3, .h = ROW - 6 };
	double at = isnan(d->begin) ? 0 : d->begin;

	b.x = plot_axes_at(a, at, 0).x;
	b.w = plot_axes_at(a, d->end, 0).x - b.x;
	plot_rect(p, b, PLOT_FAINT);
	for (size_t k = 0; k < DW_ARRAY_SIZE(parts); k++) {
		b.x = plot_axes_at(a, at, 0).x;
		at += d->pace[parts[k].kind];
		b.w = plot_axes_at(a, at, 0).x - b.x;
		plot_rect(p, b, parts[k].color);
	}
}

static void draw_forecast(struct plot *p, const struct plot_axes *a,
			  const struct run_disk *d, double y)
{
	static const struct plot_pen thick = { PLOT_INK, 3, false },
				     thin = { PLOT_INK, 1, false };
	double x = plot_axes_at(a, d->predicted, 0).x, middle = y + ROW / 2;

	if (isnan(d->predicted))
		return;
	plot_segment(p, (struct plot_point){ x, y + 2 },
		     (struct plot_point){ x, y + ROW - 2 }, &thick);
	if (!isnan(d->low) && !isnan(d->high))
		plot_segment(p,
			     (struct plot_point){ plot_axes_at(a, d->low, 0).x, middle },
			     (struct plot_point){ plot_axes_at(a, d->high, 0).x, middle },
			     &thin);
}

static void label_disk(const struct report *r, size_t i, char *buf, size_t size)
{
	const struct run_disk *d = &r->run.disk[i];
	double rate = run_write_rate(d);
	char t[32], v[32] = "";

	if (!isnan(rate))
		plot_text_rate(rate, v, sizeof(v));
	snprintf(buf, size, "%s  %s", plot_text_seconds(d->end, t, sizeof(t)), v);
	if (r->findings.suspect[i])
		snprintf(buf, size, "%s  %s (\u2212%.0f %%)",
			 plot_text_seconds(d->end, t, sizeof(t)), v,
			 100 * (1 - r->findings.beside[i]));
}

/* What a result says of a disk that was not simply erased. */
static const char *remark(const struct run_disk *d)
{
	if (!d->outcome[0] || d->outcome[0] == 'e' || d->outcome[0] == 'a')
		return d->exceptions ? "exceptions" : "";
	return d->outcome;
}

static void draw_rows(struct plot *p, const struct plot_figure *f)
{
	const struct report *r = figure_report(f);
	struct plot_font name = { .size = 11, .anchor = PLOT_RIGHT },
			 note = { .size = 11 };
	struct plot_axes a = {
		.box = { LEFT, TOP, PLOT_WIDTH - LEFT - RIGHT, ROW * (double)r->run.n },
		.x = { PLOT_DURATION, 0, longest_time(&r->run) },
		.y = { PLOT_LINEAR, 0, 1 },
		.x_title = r->run.has_trace ? "time since the job's start"
					    : "time of each disk",
		.y_ticks = 1,
	};
	char text[96];

	draw_keys(p, &r->run);
	plot_axes_draw(p, &a);
	for (size_t i = 0; i < r->run.n; i++) {
		const struct run_disk *d = &r->run.disk[i];
		double y = TOP + ROW * (double)i;

		draw_bar(p, &a, d, y);
		draw_forecast(p, &a, d, y);
		name.color = note.color = figure_disk_color(r, i);
		name.bold = note.bold = i == r->findings.slowest && r->run.n > 1;
		plot_text(
			p, LEFT - 6, y + 13, &name,
			plot_text_fit_name(d->label, 11, LEFT - 12, text, sizeof(text)));
		label_disk(r, i, text, sizeof(text));
		plot_text(p, PLOT_WIDTH - RIGHT + 8, y + 13, &note, text);
		note.anchor = PLOT_RIGHT;
		note.color = PLOT_RED;
		plot_text(p, PLOT_WIDTH - 8, y + 13, &note, remark(d));
		note.anchor = PLOT_LEFT;
	}
}

static int by_end(const void *a, const void *b, void *ctx)
{
	const struct run *run = ctx;
	const struct run_disk *x = &run->disk[*(const size_t *)a],
			      *y = &run->disk[*(const size_t *)b];

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x < y ? -1 : 1;
}

/* A bar for each disk, or for the last of several where there are more than pixels. */
static void draw_sorted(struct plot *p, const struct plot_axes *a, const struct report *r,
			const size_t *order, double (*value)(const struct run_disk *d))
{
	size_t bars = dw_min_u64(r->run.n, 400);

	for (size_t k = 0; k < bars; k++) {
		size_t first = k * r->run.n / bars;
		size_t last = (k + 1) * r->run.n / bars - 1;
		const struct run_disk *d = &r->run.disk[order[last]];
		struct plot_point top = plot_axes_at(a, (double)first, value(d));
		double right = plot_axes_at(a, (double)last + 1, 0).x;

		if (isnan(value(d)))
			continue;
		plot_rect(p,
			  (struct plot_box){ top.x, top.y, right - top.x + 0.4,
					     a->box.y + a->box.h - top.y },
			  r->findings.suspect[order[last]] ? PLOT_RED : PLOT_BLUE);
	}
}

static double end_of(const struct run_disk *d)
{
	return d->end;
}

static double rate_of(const struct run_disk *d)
{
	return run_write_rate(d);
}

static void draw_many(struct plot *p, const struct plot_figure *f)
{
	const struct report *r = figure_report(f);
	dw_autofree size_t *order = calloc(r->run.n + 1, sizeof(size_t));
	static const struct plot_key keys[] = {
		{ "a disk", { PLOT_BLUE, 2, false }, false },
		{ "slower than its peers", { PLOT_RED, 2, false }, false },
	};
	struct plot_axes a = {
		.box = { FIGURE_LEFT, TOP, PLOT_WIDTH - FIGURE_LEFT - FIGURE_RIGHT, 150 },
		.x = { PLOT_LINEAR, 0, (double)r->run.n },
		.y = { PLOT_DURATION, 0, longest_time(&r->run) * 1.05 },
		.y_title = "end",
	};
	double worth, most = 0;
	char title[48];

	if (!order)
		return;
	for (size_t i = 0; i < r->run.n; i++) {
		order[i] = i;
		most = fmax(most, run_write_rate(&r->run.disk[i]));
	}
	qsort_r(order, r->run.n, sizeof(*order), by_end, (void *)&r->run);
	plot_keys(p, (struct plot_point){ FIGURE_LEFT, 12 }, keys, 2);
	plot_axes_draw(p, &a);
	draw_sorted(p, &a, r, order, end_of);
	a.box.y += 150 + 20;
	snprintf(title, sizeof(title), "mean rate, %s", plot_rate_unit(most, &worth));
	a.y = (struct plot_scale){ PLOT_LINEAR, 0, plot_scale_top(most / worth) };
	a.x_title = "disks, in the order in which they ended";
	a.y_title = title;
	plot_axes_draw(p, &a);
	a.y.hi *= worth;
	draw_sorted(p, &a, r, order, rate_of);
}

void figure_disks(struct report *r)
{
	bool many = r->run.n > FIGURE_ROWS;
	double height = TOP + (many ? 320 : ROW * (double)r->run.n) + FIGURE_FOOT;

	if (!r->run.n)
		return;
	figure_add(r, height, "When each disk ended")->draw =
		many ? draw_many : draw_rows;
}

/* --- which is which ------------------------------------------------------------------ */

static bool is_notable(const struct report *r, size_t disk)
{
	return r->findings.suspect[disk] || r->run.disk[disk].bad ||
	       r->run.disk[disk].exceptions ||
	       (disk == r->findings.slowest && r->run.n > 1);
}

/* In the order of the run; where there are more than rows, those worth a look come first. */
static size_t fill_rows(const struct report *r, struct legend_row ret[LEGEND_MAX])
{
	bool all = r->run.n <= LEGEND_MAX;
	size_t n = 0;

	for (int pass = all ? 1 : 0; pass < 2; pass++) {
		for (size_t i = 0; i < r->run.n && n < LEGEND_MAX; i++) {
			const struct run_disk *d = &r->run.disk[i];

			if (!all && is_notable(r, i) != (pass == 0))
				continue;
			ret[n++] = (struct legend_row){
				.device = d->device[0] ? d->device : d->label,
				.vendor = d->vendor,
				.model = d->model,
				.serial = d->serial,
				.bytes = d->bytes_total,
				.color = figure_disk_color(r, i),
			};
		}
	}
	return n;
}

static void draw_legend_of_run(struct plot *p, const struct plot_figure *f)
{
	const struct report *r = figure_report(f);
	struct legend_row row[LEGEND_MAX];

	fill_rows(r, row);
	legend_draw(p, 0, row, r->run.n);
}

void figure_legend(struct report *r)
{
	if (r->run.n)
		figure_add(r, legend_height(r->run.n), "Disks")->draw =
			draw_legend_of_run;
}

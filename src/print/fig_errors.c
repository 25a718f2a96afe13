/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What went wrong, and what was expected instead of what came. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "print/figures.h"

#define ROW   18.0
#define LEFT  150.0
#define RIGHT 130.0
#define TOP   24.0
#define MOST  24 /* rows */

/** struct shown - disks in the order in which they are shown */
struct shown {
	size_t disk[MOST];
	size_t n;
	size_t left_out;
};

/* Insert a disk by the value it is sorted by, largest first. */
static void insert(struct shown *s, const struct run *run, size_t disk,
		   double (*value)(const struct run_disk *d))
{
	size_t at = s->n;

	while (at && value(&run->disk[s->disk[at - 1]]) < value(&run->disk[disk]))
		at--;
	if (s->n == MOST)
		s->left_out++;
	if (at == MOST)
		return;
	memmove(&s->disk[at + 1], &s->disk[at],
		(dw_min_u64(s->n, MOST - 1) - at) * sizeof(s->disk[0]));
	s->disk[at] = disk;
	s->n = dw_min_u64(s->n + 1, MOST);
}

static struct shown choose_shown(const struct run *run,
				 double (*value)(const struct run_disk *d))
{
	struct shown s = { 0 };

	for (size_t i = 0; i < run->n; i++)
		if (value(&run->disk[i]) > 0)
			insert(&s, run, i, value);
	return s;
}

static void draw_left_out(struct plot *p, const struct shown *s, double y)
{
	struct plot_font font = { .size = 11, .color = PLOT_GREY };
	char text[64];

	snprintf(text, sizeof(text), "and %zu more disks with less", s->left_out);
	if (s->left_out)
		plot_text(p, LEFT, y, &font, text);
}

/* --- errors -------------------------------------------------------------------------- */

static double bad_of(const struct run_disk *d)
{
	return (double)(d->bad + d->exceptions);
}

static void describe_bad(const struct run_disk *d, char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = '\0';
	for (int k = 0; k < DW_CLASS_COUNT && at + 40 < size; k++)
		if (d->class[k] && dw_class_is_bad((enum dw_class)k))
			at += (size_t)snprintf(buf + at, size - at, "%s%llu %s",
					       at ? ", " : "",
					       (unsigned long long)d->class[k],
					       dw_class_name((enum dw_class)k));
	if (!at && d->bad)
		at += (size_t)snprintf(buf, size, "%llu commands",
				       (unsigned long long)d->bad);
	if (d->exceptions && at + 40 < size)
		snprintf(buf + at, size - at, "%s%llu run%s of blocks not erased",
			 at ? "; " : "", (unsigned long long)d->exceptions,
			 d->exceptions == 1 ? "" : "s");
}

static void draw_errors(struct plot *p, const struct plot_figure *f)
{
	const struct run *run = &figure_report(f)->run;
	struct shown s = choose_shown(run, bad_of);
	struct plot_font name = { .size = 11, .color = PLOT_INK, .anchor = PLOT_RIGHT };
	struct plot_font note = { .size = 11, .color = PLOT_INK };
	double most = bad_of(&run->disk[s.disk[0]]), wide = 200;
	char text[256];

	for (size_t i = 0; i < s.n; i++) {
		const struct run_disk *d = &run->disk[s.disk[i]];
		double y = ROW * (double)i, w = wide * bad_of(d) / most;

		plot_text(
			p, LEFT - 6, y + 13, &name,
			plot_text_fit_name(d->label, 11, LEFT - 12, text, sizeof(text)));
		plot_rect(p, (struct plot_box){ LEFT, y + 3, fmax(w, 2), ROW - 6 },
			  PLOT_RED);
		describe_bad(d, text, sizeof(text));
		plot_text(p, LEFT + fmax(w, 2) + 8, y + 13, &note, text);
	}
	draw_left_out(p, &s, ROW * (double)s.n + 13);
}

void figure_errors(struct report *r)
{
	struct shown s = choose_shown(&r->run, bad_of);

	if (s.n)
		figure_add(r, ROW * (double)(s.n + (s.left_out > 0)) + 10,
			   "What did not end well")
			->draw = draw_errors;
}

/* --- forecast ------------------------------------------------------------------------ */

static double error_of(const struct run_disk *d)
{
	return d->predicted > 0 && d->end > 0 ? fabs(d->end / d->predicted - 1) + 1e-12
					      : 0;
}

static double widest(const struct run *run, const struct shown *s)
{
	double t = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct run_disk *d = &run->disk[s->disk[i]];

		t = fmax(t, fmax(d->end, d->predicted));
		t = isnan(d->high) ? t : fmax(t, d->high);
	}
	return t * 1.02;
}

static void draw_pair(struct plot *p, const struct plot_axes *a, const struct run_disk *d,
		      double y)
{
	static const struct plot_pen line = { PLOT_GREY, 1.5, false };
	struct plot_point was = plot_axes_at(a, d->predicted, 0),
			  is = plot_axes_at(a, d->end, 0);

	if (!isnan(d->low) && !isnan(d->high)) {
		double x = plot_axes_at(a, d->low, 0).x;

		plot_rect(p,
			  (struct plot_box){ x, y + 3, plot_axes_at(a, d->high, 0).x - x,
					     ROW - 6 },
			  PLOT_FAINT);
	}
	plot_segment(p, (struct plot_point){ was.x, y + ROW / 2 },
		     (struct plot_point){ is.x, y + ROW / 2 }, &line);
	plot_rect(p, (struct plot_box){ was.x - 6, y + ROW / 2 - 6, 12, 12 },
		  PLOT_ORANGE);
	plot_rect(p, (struct plot_box){ is.x - 4, y + ROW / 2 - 4, 8, 8 }, PLOT_BLUE);
}

static void draw_forecast(struct plot *p, const struct plot_figure *f)
{
	static const struct plot_key key[] = {
		{ "predicted", { PLOT_ORANGE, 2, false }, false },
		{ "its interval", { PLOT_FAINT, 2, false }, false },
		{ "measured", { PLOT_BLUE, 2, false }, false },
	};
	const struct run *run = &figure_report(f)->run;
	struct shown s = choose_shown(run, error_of);
	struct plot_font name = { .size = 11, .color = PLOT_INK, .anchor = PLOT_RIGHT };
	struct plot_font note = { .size = 11, .color = PLOT_INK };
	struct plot_axes a = {
		.box = { LEFT, TOP, PLOT_WIDTH - LEFT - RIGHT, ROW * (double)s.n },
		.x = { PLOT_DURATION, 0, widest(run, &s) },
		.y = { PLOT_LINEAR, 0, 1 },
		.x_title = "end",
		.y_ticks = 1,
	};
	char text[64];

	plot_keys(p, (struct plot_point){ FIGURE_LEFT, 12 }, key, 3);
	plot_axes_draw(p, &a);
	for (size_t i = 0; i < s.n; i++) {
		const struct run_disk *d = &run->disk[s.disk[i]];
		double y = TOP + ROW * (double)i;

		draw_pair(p, &a, d, y);
		plot_text(
			p, LEFT - 6, y + 13, &name,
			plot_text_fit_name(d->label, 11, LEFT - 12, text, sizeof(text)));
		plot_text_error(d->end / d->predicted - 1, text, sizeof(text));
		plot_text(p, PLOT_WIDTH - RIGHT + 8, y + 13, &note, text);
	}
	draw_left_out(p, &s, TOP + ROW * (double)s.n + FIGURE_FOOT);
}

void figure_forecast(struct report *r)
{
	struct shown s = choose_shown(&r->run, error_of);

	if (s.n)
		figure_add(r,
			   TOP + ROW * (double)s.n + FIGURE_FOOT + (s.left_out ? 16 : 0),
			   "Predicted and measured end, largest error first")
			->draw = draw_forecast;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rates over addresses. A disk turns evenly and its outer tracks are longer: where it writes as
 * fast as its medium takes, the rate falls as a straight line from the first block to the
 * last. Where it does not, something else is the limit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/util.h"
#include "print/figures.h"

#define TOP    24.0
#define HEIGHT 200.0
#define BEYOND 3.0 /* times the largest median of a disk: not what the medium does */

static double peak_of(const struct run *run)
{
	double peak = 0;

	for (size_t i = 0; i < run->n; i++)
		for (size_t k = 0; k < RUN_PLACES; k++)
			peak = fmax(peak, run_place_rate(&run->disk[i], k));
	return peak;
}

static double median_of(const struct run_disk *d)
{
	double rate[RUN_PLACES];
	size_t n = 0;

	for (size_t k = 0; k < RUN_PLACES; k++)
		if (!isnan(run_place_rate(d, k)))
			rate[n++] = run_place_rate(d, k);
	return n ? dw_median(rate, n) : 0;
}

/*
 * Where the axis of rates ends. A few commands that went into a cache seem to be many times faster
 * than the medium; they must not make all else flat.
 */
static double top_of(const struct run *run)
{
	double peak = peak_of(run), usual = 0;

	for (size_t i = 0; i < run->n; i++)
		usual = fmax(usual, median_of(&run->disk[i]));
	return peak > BEYOND * usual ? 2 * usual : peak;
}

static void say_beyond(struct plot *p, const struct run *run, double top)
{
	struct plot_font font = { .size = 11, .color = PLOT_INK, .anchor = PLOT_RIGHT };

	if (peak_of(run) <= top)
		return;
	plot_text(p, PLOT_WIDTH - 330, -12, &font, "cut above: what a cache took");
}

/* There is a key only for what is drawn. */
static bool has_fit(const struct run *run)
{
	double rate[2];

	for (size_t i = 0; i < run->n; i++)
		if (run_fit_zone(&run->disk[i], rate))
			return true;
	return false;
}

static void draw_fit(struct plot *p, const struct plot_axes *a, const struct run_disk *d,
		     double worth)
{
	static const struct plot_pen pen = { PLOT_ORANGE, 2, false };
	struct plot_point line[2];
	double rate[2];

	if (!run_fit_zone(d, rate))
		return;
	line[0] = (struct plot_point){ a->x.lo, rate[0] / worth };
	line[1] = (struct plot_point){ a->x.hi, rate[1] / worth };
	plot_axes_curve(p, a, line, 2, &pen);
}

static void name_panel(const struct report *r, size_t i, char *buf, size_t size)
{
	double rate[2], worth;
	const char *unit;
	char name[64];

	figure_name(r, i, buf, size);
	if (!run_fit_zone(&r->run.disk[i], rate))
		return;
	unit = plot_rate_unit(fmax(rate[0], rate[1]), &worth);
	snprintf(buf, size, "%s, %.3g to %.3g %s",
		 figure_label(r, i, 12, name, sizeof(name)), rate[0] / worth,
		 rate[1] / worth, unit);
}

static void draw_panel(struct plot *p, const struct plot_axes *a,
		       const struct run_disk *d, double worth)
{
	static const struct plot_pen pen = { PLOT_BLUE, 1.5, false };
	struct plot_point at[RUN_PLACES];

	for (size_t k = 0; k < RUN_PLACES; k++)
		at[k] = (struct plot_point){
			((double)k + 0.5) / RUN_PLACES * a->x.hi,
			run_place_rate(d, k) / worth,
		};
	plot_axes_draw(p, a);
	plot_axes_curve(p, a, at, RUN_PLACES, &pen);
	draw_fit(p, a, d, worth);
}

static void draw_panels(struct plot *p, const struct plot_figure *f)
{
	static const struct plot_key key[] = {
		{ "measured", { PLOT_BLUE, 1.5, false }, true },
		{ "zone curve, fitted", { PLOT_ORANGE, 2, false }, true },
	};
	const struct report *r = figure_report(f);
	double worth, peak = top_of(&r->run);
	const char *unit = plot_rate_unit(peak, &worth);
	struct figure_panels g;
	char text[96];

	figure_panels(r->run.n, &g);
	plot_keys(p, (struct plot_point){ PLOT_WIDTH - 300, -12 }, key,
		  has_fit(&r->run) ? 2 : 1);
	say_beyond(p, &r->run, plot_scale_top(peak / worth) * worth);
	for (size_t i = 0; i < r->run.n; i++) {
		struct plot_axes a = {
			.box = figure_panel(&g, i),
			.x = { PLOT_LINEAR, 0, 100 },
			.y = { PLOT_LINEAR, 0, plot_scale_top(peak / worth) },
			.x_title = i + g.columns >= r->run.n ? "address, % of the disk"
							     : NULL,
			.y_title = figure_panel(&g, i).x > FIGURE_LEFT ? NULL : unit,
			.x_ticks = 5,
			.y_ticks = 4,
			.name = text,
			.name_color = figure_disk_color(r, i),
		};

		name_panel(r, i, text, sizeof(text));
		draw_panel(p, &a, &r->run.disk[i], worth);
	}
}

/* --- many disks ---------------------------------------------------------------------- */

static void percentiles(const struct run *run, double *scratch,
			struct plot_point at[3][RUN_PLACES], double worth)
{
	static const double share[] = { 0.05, 0.5, 0.95 };

	for (size_t k = 0; k < RUN_PLACES; k++) {
		size_t n = 0;

		for (size_t i = 0; i < run->n; i++) {
			double rate = run_place_rate(&run->disk[i], k);

			if (!isnan(rate))
				scratch[n++] = rate;
		}
		dw_median(scratch, n); /* puts them in order */
		for (size_t j = 0; j < 3; j++)
			at[j][k] = (struct plot_point){
				((double)k + 0.5) / RUN_PLACES * 100,
				n ? scratch[(size_t)((double)(n - 1) * share[j])] / worth
				  : NAN,
			};
	}
}

static void draw_many(struct plot *p, const struct plot_figure *f)
{
	static const struct plot_key key[] = {
		{ "95th percentile", { PLOT_SKY, 1.5, false }, true },
		{ "median", { PLOT_BLUE, 2, false }, true },
		{ "5th percentile", { PLOT_RED, 1.5, false }, true },
	};
	const struct report *r = figure_report(f);
	double worth, peak = top_of(&r->run);
	dw_autofree double *scratch = calloc(r->run.n + 1, sizeof(double));
	struct plot_point at[3][RUN_PLACES];
	struct plot_axes a = {
		.box = { FIGURE_LEFT, TOP, PLOT_WIDTH - FIGURE_LEFT - FIGURE_RIGHT,
			 HEIGHT },
		.x = { PLOT_LINEAR, 0, 100 },
		.x_title = "address, % of the disk",
		.x_ticks = 10,
	};

	if (!scratch)
		return;
	a.y_title = plot_rate_unit(peak, &worth);
	a.y = (struct plot_scale){ PLOT_LINEAR, 0, plot_scale_top(peak / worth) };
	percentiles(&r->run, scratch, at, worth);
	plot_keys(p, (struct plot_point){ FIGURE_LEFT, 12 }, key, 3);
	plot_axes_draw(p, &a);
	plot_axes_curve(p, &a, at[2], RUN_PLACES, &key[0].pen);
	plot_axes_curve(p, &a, at[0], RUN_PLACES, &key[2].pen);
	plot_axes_curve(p, &a, at[1], RUN_PLACES, &key[1].pen);
}

void figure_places(struct report *r)
{
	struct figure_panels g;
	bool many = r->run.n > FIGURE_EACH;
	double height = many ? TOP + HEIGHT + FIGURE_FOOT : figure_panels(r->run.n, &g);

	if (r->run.has_trace && peak_of(&r->run) > 0)
		figure_add(r, height,
			   r->run.head.run.verify_only
				   ? "Reading rate over the addresses"
				   : "Writing rate over the addresses")
			->draw = many ? draw_many : draw_panels;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A measurement of diskwipe bench: rate over transfer length, a line for each disk and one for all,
 * or of a load the response time over operations per second with lines at 20 and 100 ms.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "file/file.h"
#include "print/axes.h"
#include "print/figures.h"
#include "print/legend.h"
#include "print/plot.h"

#define TOP    14.0
#define HEIGHT 340.0

static struct plot_pen pen_of(const struct dw_bench *b, size_t series)
{
	static const uint32_t colors[] = { PLOT_BLUE,   PLOT_ORANGE, PLOT_GREEN,
					   PLOT_PURPLE, PLOT_SKY,    PLOT_RED };
	size_t n = DW_ARRAY_SIZE(colors);

	if (series >= b->n_disks)
		return (struct plot_pen){ PLOT_INK, 2.5, false };
	return (struct plot_pen){ colors[series % n], 2, series / n % 2 };
}

static bool is_load(const struct dw_bench *b)
{
	return b->spec.kind == DW_BENCH_LOAD;
}

static struct plot_point value_of_point(const struct dw_bench *b,
					const struct dw_bench_point *v)
{
	if (is_load(b))
		return (struct plot_point){ v->per_second, v->response_s };
	return (struct plot_point){ v->bytes, v->bytes_per_second };
}

/* From the shortest to the longest length, a curve of one length in the middle. */
static void measure_axes(const struct dw_bench *b, struct plot_axes *a)
{
	double least = INFINITY, x_most = 0, y_most = 0;

	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < b->series[i].n; k++) {
			struct plot_point v = value_of_point(b, &b->series[i].point[k]);

			least = fmin(least, v.x);
			x_most = fmax(x_most, v.x);
			y_most = fmax(y_most, v.y);
		}
	}
	a->x = (struct plot_scale){ PLOT_LINEAR, 0, plot_scale_top(x_most) };
	if (!is_load(b) && x_most > 0)
		a->x = (struct plot_scale){ PLOT_LOG2, x_most > least ? least : least / 2,
					    x_most > least ? x_most : 2 * x_most };
	a->y = (struct plot_scale){ PLOT_DURATION, 0, y_most > 0 ? y_most * 1.02 : 1 };
	if (!is_load(b))
		a->y = (struct plot_scale){ PLOT_LINEAR, 0, plot_scale_top(y_most) };
}

static void draw_threshold(struct plot *p, const struct plot_axes *a, double seconds)
{
	static const struct plot_pen pen = { PLOT_GREY, 1, true };

	if (seconds < a->y.hi)
		plot_segment(p, plot_axes_at(a, a->x.lo, seconds),
			     plot_axes_at(a, a->x.hi, seconds), &pen);
}

static void draw_series(struct plot *p, const struct plot_axes *a,
			const struct dw_bench *b, size_t series)
{
	const struct dw_bench_series *s = &b->series[series];
	dw_autofree struct plot_point *at = calloc(s->n + 1, sizeof(*at));
	struct plot_pen pen = pen_of(b, series);

	for (size_t k = 0; at && k < s->n; k++) {
		struct plot_point v = value_of_point(b, &s->point[k]);

		at[k] = plot_axes_at(a, v.x, v.y);
		plot_rect(p, (struct plot_box){ at[k].x - 2.5, at[k].y - 2.5, 5, 5 },
			  pen.color);
	}
	if (at)
		plot_line(p, at, s->n, &pen);
}

/* The last line of the legend is that of all disks at once. */
static void draw_legend(struct plot *p, const struct dw_bench *b, double top)
{
	dw_autofree struct legend_row *row = calloc(b->n + 1, sizeof(*row));

	for (size_t i = 0; row && i < b->n; i++) {
		const struct dw_bench_series *s = &b->series[i];

		row[i] = (struct legend_row){
			.device = s->name,
			.vendor = s->vendor,
			.model = s->model,
			.serial = s->serial,
			.bytes = s->capacity_bytes,
			.pen = pen_of(b, i),
			.color = PLOT_INK,
		};
	}
	if (row)
		legend_draw(p, top, row, b->n);
}

static void draw_bench(struct plot *p, const struct plot_figure *f)
{
	const struct dw_bench *b = f->data;
	struct plot_axes a = {
		.box = { FIGURE_LEFT, TOP, PLOT_WIDTH - FIGURE_LEFT - FIGURE_RIGHT,
			 HEIGHT },
		.x_title = is_load(b) ? "operations per second" : "transfer length",
		.y_title = "response time",
		.x_ticks = 16,
		.y_ticks = 8,
	};
	double worth = 1;

	measure_axes(b, &a);
	if (!is_load(b)) {
		a.y_title = plot_rate_unit(a.y.hi, &worth);
		a.y.hi /= worth;
	}
	plot_axes_draw(p, &a);
	a.y.hi *= worth;
	if (is_load(b)) {
		draw_threshold(p, &a, 0.02);
		draw_threshold(p, &a, 0.1);
	}
	for (size_t i = 0; i < b->n; i++)
		draw_series(p, &a, b, i);
	draw_legend(p, b, TOP + HEIGHT + FIGURE_FOOT);
}

const char *dw_bench_title(const struct dw_bench *b)
{
	static const char *const kinds[] = {
		[DW_BENCH_CONTIGUOUS] = "Rate over transfer length, contiguous",
		[DW_BENCH_RANDOM] = "Rate over transfer length, at random places",
		[DW_BENCH_LOAD] = "Response time over operations per second",
	};

	return kinds[b->spec.kind];
}

int dw_bench_write(const struct dw_bench *b, const char *output, struct dw_error *err)
{
	struct plot_figure f = {
		.height = TOP + HEIGHT + FIGURE_FOOT + legend_height(b->n),
		.draw = draw_bench,
		.data = b,
	};
	struct plot_document d = { .title = "diskwipe bench",
				   .figure = &f,
				   .n_figures = 1 };
	enum plot_format format;
	int r = plot_output(output, &format, err);

	if (r)
		return r;
	snprintf(f.title, sizeof(f.title), "%s", dw_bench_title(b));
	r = plot_write(&d, format, output);
	return dw_error_file(err, r, output, dw_file_error(r));
}

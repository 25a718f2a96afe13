/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "print/figures.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/util.h"

#define GAP_X 16.0
#define GAP_Y 26.0
#define TOP   18.0

struct plot_figure *figure_add(struct report *r, double height, const char *title)
{
	struct plot_figure *f = &r->figure[r->n_figures++];

	f->height = height;
	f->data = r;
	snprintf(f->title, sizeof(f->title), "%s", title);
	return f;
}

const struct report *figure_report(const struct plot_figure *f)
{
	return f->data;
}

double figure_panels(size_t n, struct figure_panels *g)
{
	g->columns = n <= 1 ? 1 : n <= 4 ? 2 : n <= 9 ? 3 : 4;
	g->rows = (n + g->columns - 1) / g->columns;
	g->w = (PLOT_WIDTH - FIGURE_LEFT - FIGURE_RIGHT -
		GAP_X * (double)(g->columns - 1)) /
	       (double)g->columns;
	g->h = n <= 1 ? 220 : n <= 4 ? 160 : 110;
	return TOP + (double)g->rows * (g->h + GAP_Y) - GAP_Y + FIGURE_FOOT;
}

struct plot_box figure_panel(const struct figure_panels *g, size_t i)
{
	size_t row = i / g->columns, column = i % g->columns;

	return (struct plot_box){
		.x = FIGURE_LEFT + (double)column * (g->w + GAP_X),
		.y = TOP + (double)row * (g->h + GAP_Y),
		.w = g->w,
		.h = g->h,
	};
}

uint32_t figure_disk_color(const struct report *r, size_t disk)
{
	return r->findings.suspect[disk] ? PLOT_RED : PLOT_INK;
}

const char *figure_label(const struct report *r, size_t disk, size_t most, char *buf,
			 size_t size)
{
	return plot_text_fit_name(r->run.disk[disk].label, 1,
				  plot_text_width("x", 1) * ((double)most + 0.5), buf,
				  size);
}

const char *figure_name(const struct report *r, size_t disk, char *buf, size_t size)
{
	char name[64];

	if (r->findings.suspect[disk])
		snprintf(buf, size, "%s: %.0f %% below peers",
			 figure_label(r, disk, 14, name, sizeof(name)),
			 100 * (1 - r->findings.beside[disk]));
	else
		figure_label(r, disk, 32, buf, size);
	return buf;
}

static size_t heat_rows(const struct run *run)
{
	return dw_min_u64(run->n, FIGURE_HEAT);
}

static double row_height(const struct run *run)
{
	size_t rows = heat_rows(run);

	return rows <= FIGURE_EACH ? 16 : rows <= FIGURE_ROWS ? 12 : 4;
}

double figure_heat_height(const struct run *run)
{
	return (double)heat_rows(run) * row_height(run);
}

/* Names beside the rows, as many as have room. */
static void draw_names(struct plot *p, const struct figure_heat *h, size_t rows)
{
	const struct report *r = h->report;
	struct plot_font font = { .size = 10, .anchor = PLOT_RIGHT };
	double each = h->box.h / (double)rows;
	size_t every = (size_t)ceil(11.0 / each);
	char text[48];

	for (size_t row = 0; row < rows; row += every) {
		size_t disk = row * r->run.n / rows;

		font.color = figure_disk_color(r, disk);
		plot_text(p, h->box.x - 6, h->box.y + each * (double)row + each / 2 + 4,
			  &font,
			  plot_text_fit_name(r->run.disk[disk].label, font.size,
					     FIGURE_LEFT - 12, text, sizeof(text)));
	}
}

static double mean_of(const struct figure_heat *h, size_t from, size_t to, size_t column)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		double v = h->value(h, i, column);

		if (isnan(v))
			continue;
		sum += v;
		n++;
	}
	return n ? sum / (double)n : NAN;
}

/* The cells of a map, row by row; owned. */
static double *heat_cells(const struct figure_heat *h)
{
	size_t rows = heat_rows(&h->report->run), n = h->report->run.n;
	double *value = calloc(rows * h->columns + 1, sizeof(double));

	for (size_t row = 0; value && row < rows; row++)
		for (size_t k = 0; k < h->columns; k++)
			value[row * h->columns + k] =
				mean_of(h, row * n / rows, (row + 1) * n / rows, k);
	return value;
}

int figure_heat_top(const struct figure_heat *h, struct figure_top *ret)
{
	dw_autofree double *value = heat_cells(h);
	size_t cells = heat_rows(&h->report->run) * h->columns, n = 0;

	*ret = (struct figure_top){ 1, 1 };
	if (!value)
		return -ENOMEM;
	for (size_t i = 0; i < cells; i++)
		if (!isnan(value[i]))
			value[n++] = value[i];
	if (!n)
		return 0;
	ret->usual = fmax(dw_quantile(value, n, FIGURE_USUAL), 1);
	ret->most = fmax(value[n - 1], 1);
	return 0;
}

void figure_heat_draw(struct plot *p, const struct figure_heat *h)
{
	size_t rows = heat_rows(&h->report->run);
	dw_autofree double *value = heat_cells(h);
	struct plot_heat heat = { h->box, rows, h->columns, value, h->top };

	if (!value || !rows || !h->columns)
		return;
	plot_heat_draw(p, &heat);
	draw_names(p, h, rows);
}

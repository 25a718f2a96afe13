/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "print/legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <diskwipe/units.h>

#include "base/util.h"
#include "print/figures.h"

#define ROW    16.0
#define SMALL  11.0
#define GAP    14.0
#define LINE   26.0 /* a piece of a line, before the text */
#define SINGLE 8    /* rows in one column; more have two */

enum { DEVICE, MODEL, SERIAL, SIZE, CELLS };

static const char *const titles[CELLS] = { "device", "model", "serial number", "size" };

/** struct legend_cells - the texts of a row */
struct legend_cells {
	char text[CELLS][96];
};

/* A vendor "ATA" is the name of a translation, and many models begin with their vendor's. */
static void name_model(const struct legend_row *r, char *buf, size_t size)
{
	bool named = r->vendor[0] && strcmp(r->vendor, "ATA") &&
		     strncasecmp(r->model, r->vendor, strlen(r->vendor));

	snprintf(buf, size, "%s%s%s", named ? r->vendor : "",
		 named && r->model[0] ? " " : "", r->model);
}

static void fill_cells(const struct legend_row *r, struct legend_cells *ret)
{
	snprintf(ret->text[DEVICE], sizeof(ret->text[0]), "%s", r->device);
	name_model(r, ret->text[MODEL], sizeof(ret->text[0]));
	snprintf(ret->text[SERIAL], sizeof(ret->text[0]), "%s", r->serial);
	ret->text[SIZE][0] = '\0';
	if (r->bytes)
		dw_size_format(r->bytes, ret->text[SIZE], sizeof(ret->text[0]));
}

static size_t count_columns(size_t n)
{
	return n > SINGLE ? 2 : 1;
}

static size_t count_rows(size_t n)
{
	size_t columns = count_columns(n), shown = dw_min_u64(n, LEGEND_MAX);

	return (shown + columns - 1) / columns;
}

double legend_height(size_t n)
{
	return ROW * (double)(count_rows(n) + 1 + (n > LEGEND_MAX)) + 8;
}

/* What the longest text of each cell needs; model and serial number share what is left. */
static void measure_cells(const struct legend_row *row, size_t n, double room,
			  double ret[CELLS])
{
	double rest, both;

	for (size_t k = 0; k < CELLS; k++)
		ret[k] = plot_text_width(titles[k], SMALL);
	for (size_t i = 0; i < n; i++) {
		struct legend_cells c;

		fill_cells(&row[i], &c);
		for (size_t k = 0; k < CELLS; k++)
			ret[k] = fmax(ret[k], plot_text_width(c.text[k], SMALL));
	}
	ret[DEVICE] = fmin(ret[DEVICE], room / 4);
	rest = room - ret[DEVICE] - ret[SIZE] - (CELLS - 1) * GAP;
	both = ret[MODEL] + ret[SERIAL];
	if (both <= rest)
		return;
	ret[MODEL] = fmin(ret[MODEL], fmax(rest / 2, rest - ret[SERIAL]));
	ret[SERIAL] = rest - ret[MODEL];
}

static const char *fit_cell(const char *text, size_t cell, double width, char *buf,
			    size_t size)
{
	width += 0.01;
	if (cell == MODEL)
		return plot_text_fit(text, SMALL, width, buf, size);
	return plot_text_fit_name(text, SMALL, width, buf, size);
}

static void draw_cells(struct plot *p, struct plot_point at, const struct legend_cells *c,
		       const double width[CELLS], uint32_t color)
{
	struct plot_font font = { .size = SMALL, .color = color };
	char text[112];

	for (size_t k = 0; k < CELLS; k++) {
		struct plot_point to = at;

		font.anchor = k == SIZE ? PLOT_RIGHT : PLOT_LEFT;
		if (k == SIZE)
			to.x += width[k];
		plot_text(p, to.x, to.y, &font,
			  fit_cell(c->text[k], k, width[k], text, sizeof(text)));
		at.x += width[k] + GAP;
	}
}

static void draw_heading(struct plot *p, struct plot_point at, const double width[CELLS])
{
	struct legend_cells c;

	for (size_t k = 0; k < CELLS; k++)
		snprintf(c.text[k], sizeof(c.text[0]), "%s", titles[k]);
	draw_cells(p, at, &c, width, PLOT_GREY);
}

void legend_draw(struct plot *p, double top, const struct legend_row *row, size_t n)
{
	size_t shown = dw_min_u64(n, LEGEND_MAX), columns = count_columns(n);
	size_t rows = count_rows(n);
	bool lines = n && row[0].pen.width > 0;
	double left = FIGURE_LEFT, before = lines ? LINE : 0, width[CELLS];
	double each = (PLOT_WIDTH - left - FIGURE_RIGHT) / (double)columns;
	struct plot_font font = { .size = SMALL, .color = PLOT_GREY };
	struct legend_cells c;
	char text[48];

	measure_cells(row, shown, each - before - 2 * GAP, width);
	for (size_t k = 0; k < columns && shown; k++)
		draw_heading(
			p,
			(struct plot_point){ left + each * (double)k + before, top + 12 },
			width);
	for (size_t i = 0; i < shown; i++) {
		size_t column = i / rows, line = i % rows + 1;
		struct plot_point at = { left + each * (double)column,
					 top + 12 + ROW * (double)line };

		fill_cells(&row[i], &c);
		if (lines)
			plot_segment(p, (struct plot_point){ at.x, at.y - 4 },
				     (struct plot_point){ at.x + LINE - 6, at.y - 4 },
				     &row[i].pen);
		at.x += before;
		draw_cells(p, at, &c, width, row[i].color);
	}
	snprintf(text, sizeof(text), "and %zu more disks", n - shown);
	if (n > shown)
		plot_text(p, left, top + 12 + ROW * (double)(rows + 1), &font, text);
}

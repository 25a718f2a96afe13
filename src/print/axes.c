/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "print/axes.h"

#include <math.h>

#include "base/util.h"

#define SMALL  11.0
#define SHADES 32

static const struct plot_pen grid = { .color = 0xe6e6e6, .width = 1 };
static const struct plot_pen frame = { .color = PLOT_GREY, .width = 1 };

static double held(double v)
{
	return v < 0 ? 0 : v > 1 ? 1 : v;
}

struct plot_point plot_axes_at(const struct plot_axes *a, double x, double y)
{
	return (struct plot_point){
		a->box.x + held(plot_scale_at(&a->x, x)) * a->box.w,
		a->box.y + a->box.h * (1 - held(plot_scale_at(&a->y, y))),
	};
}

static void draw_x(struct plot *p, const struct plot_axes *a)
{
	struct plot_font font = { .size = SMALL,
				  .color = PLOT_INK,
				  .anchor = PLOT_MIDDLE };
	double foot = a->box.y + a->box.h, right = a->box.x + a->box.w, end = -INFINITY;
	struct plot_tick tick[PLOT_TICKS_MAX];
	size_t n = plot_scale_ticks(&a->x, a->x_ticks ? a->x_ticks : 8, tick);

	for (size_t i = 0; i < n; i++) {
		double x = plot_axes_at(a, tick[i].value, 0).x;
		double half = plot_text_width(tick[i].text, SMALL) / 2;

		plot_segment(p, (struct plot_point){ x, a->box.y },
			     (struct plot_point){ x, foot }, &grid);
		/* held off the next panel; what would touch the one before is left out */
		x = fmin(x, right + 4 - half);
		if (!a->x_title || x - half < end + 4)
			continue;
		plot_text(p, x, foot + 15, &font, tick[i].text);
		end = x + half;
	}
	if (a->x_title)
		plot_text(p, a->box.x + a->box.w / 2, foot + 31, &font, a->x_title);
}

static void draw_y(struct plot *p, const struct plot_axes *a)
{
	struct plot_font font = { .size = SMALL,
				  .color = PLOT_INK,
				  .anchor = PLOT_RIGHT };
	struct plot_tick tick[PLOT_TICKS_MAX];
	size_t n = plot_scale_ticks(&a->y, a->y_ticks ? a->y_ticks : 5, tick);

	for (size_t i = 0; i < n; i++) {
		double y = plot_axes_at(a, 0, tick[i].value).y;

		plot_segment(p, (struct plot_point){ a->box.x, y },
			     (struct plot_point){ a->box.x + a->box.w, y }, &grid);
		if (a->y_title)
			plot_text(p, a->box.x - 6, y + 4, &font, tick[i].text);
	}
	font.anchor = PLOT_MIDDLE;
	font.upward = true;
	if (a->y_title)
		plot_text(p, a->box.x - 46, a->box.y + a->box.h / 2, &font, a->y_title);
}

void plot_axes_draw(struct plot *p, const struct plot_axes *a)
{
	struct plot_font font = { .size = SMALL + 1, .color = a->name_color };
	double foot = a->box.y + a->box.h;
	struct plot_point corner[] = { { a->box.x, a->box.y },
				       { a->box.x, foot },
				       { a->box.x + a->box.w, foot } };
	char text[128];

	draw_x(p, a);
	draw_y(p, a);
	plot_line(p, corner, 3, &frame);
	if (a->name)
		plot_text(p, a->box.x, a->box.y - 5, &font,
			  plot_text_fit(a->name, font.size, a->box.w + 10, text,
					sizeof(text)));
}

static void draw_run(struct plot *p, const struct plot_point *at, size_t n,
		     const struct plot_pen *pen)
{
	double r = pen->width;

	if (n == 1)
		plot_rect(p, (struct plot_box){ at->x - r, at->y - r, 2 * r, 2 * r },
			  pen->color);
	else
		plot_line(p, at, n, pen);
}

void plot_axes_curve(struct plot *p, const struct plot_axes *a,
		     const struct plot_point *values, size_t n,
		     const struct plot_pen *pen)
{
	struct plot_point run[1024];
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (isnan(values[i].x) || isnan(values[i].y) || k == DW_ARRAY_SIZE(run)) {
			draw_run(p, run, k, pen);
			k = 0;
		}
		if (!isnan(values[i].x) && !isnan(values[i].y))
			run[k++] = plot_axes_at(a, values[i].x, values[i].y);
	}
	draw_run(p, run, k, pen);
}

/* The mean of @group values from @i on; 0 without values. */
static double mean_from(const double *v, size_t n, size_t i, size_t group)
{
	size_t to = dw_min_u64(n, i + group);
	double sum = 0;

	for (size_t k = i; v && k < to; k++)
		sum += v[k];
	return sum / (double)(to - i);
}

/* Intervals that are narrower than a pixel or so are drawn as one. */
void plot_axes_steps(struct plot *p, const struct plot_axes *a, const double *low,
		     const double *high, size_t n, uint32_t color)
{
	size_t group = (size_t)fmax(1, floor(1.5 * (double)n / a->box.w)), k = 0, last;
	double width = (a->x.hi - a->x.lo) / (double)n;
	struct plot_point at[2048];

	if (!n || 4 * (n / group + 1) > DW_ARRAY_SIZE(at))
		return;
	last = (n - 1) / group * group;
	for (size_t i = 0; i < n; i += group) {
		double x = a->x.lo + width * (double)i;
		double end = a->x.lo + width * (double)dw_min_u64(n, i + group);

		at[k++] = plot_axes_at(a, x, mean_from(high, n, i, group));
		at[k++] = plot_axes_at(a, end, mean_from(high, n, i, group));
	}
	for (size_t i = last + group; i >= group; i -= group) {
		double x = a->x.lo + width * (double)(i - group);
		double end = a->x.lo + width * (double)dw_min_u64(n, i);

		at[k++] = plot_axes_at(a, end, mean_from(low, n, i - group, group));
		at[k++] = plot_axes_at(a, x, mean_from(low, n, i - group, group));
	}
	plot_fill(p, at, k, color);
}

void plot_keys(struct plot *p, struct plot_point at, const struct plot_key *key, size_t n)
{
	struct plot_font font = { .size = SMALL, .color = PLOT_INK };

	for (size_t i = 0; i < n; i++) {
		if (key[i].line)
			plot_segment(p, (struct plot_point){ at.x, at.y - 4 },
				     (struct plot_point){ at.x + 20, at.y - 4 },
				     &key[i].pen);
		else
			plot_rect(p, (struct plot_box){ at.x + 4, at.y - 10, 12, 12 },
				  key[i].pen.color);
		plot_text(p, at.x + 26, at.y, &font, key[i].text);
		at.x += 26 + plot_text_width(key[i].text, SMALL) + 14;
	}
}

/* White over blue to nearly black: monotonous in lightness. */
uint32_t plot_shade(double share)
{
	static const double stop[][3] = { { 247, 251, 255 },
					  { 158, 202, 225 },
					  { 49, 130, 189 },
					  { 8, 69, 148 },
					  { 3, 19, 43 } };
	const size_t last = DW_ARRAY_SIZE(stop) - 1;
	double v = held(share) * (double)last;
	size_t i = (size_t)fmin(floor(v), (double)(last - 1));
	uint32_t color = 0;

	if (isnan(share))
		return 0xeeeeee;
	for (size_t k = 0; k < 3; k++) {
		double from = stop[i][k], to = stop[i + 1][k];

		color = color << 8 |
			(uint32_t)lround(from + (to - from) * (v - (double)i));
	}
	return color;
}

static int shade_number(const struct plot_heat *h, size_t row, size_t column)
{
	double v = h->value[row * h->columns + column];

	return isnan(v) ? -1 : (int)lround(held(v / h->top) * SHADES);
}

void plot_heat_draw(struct plot *p, const struct plot_heat *h)
{
	double w = h->box.w / (double)h->columns, t = h->box.h / (double)h->rows;

	for (size_t row = 0; row < h->rows; row++) {
		size_t from = 0;

		for (size_t i = 1; i <= h->columns; i++) {
			int shade = shade_number(h, row, from);
			struct plot_box cell = {
				.x = h->box.x + w * (double)from,
				.y = h->box.y + t * (double)row,
				/* no light between cells that touch */
				.w = w * (double)(i - from) + (i < h->columns ? 0.4 : 0),
				.h = t > 6 ? t - 1 : t + 0.4,
			};

			if (i < h->columns && shade_number(h, row, i) == shade)
				continue;
			plot_rect(p, cell,
				  plot_shade(shade < 0 ? NAN : shade / (double)SHADES));
			from = i;
		}
	}
}

void plot_heat_scale(struct plot *p, struct plot_point at, const char *lo, const char *hi)
{
	struct plot_font font = { .size = SMALL, .color = PLOT_INK };
	double left = at.x + plot_text_width(lo, SMALL) + 6;

	plot_text(p, at.x, at.y, &font, lo);
	for (int i = 0; i <= SHADES; i++)
		plot_rect(p, (struct plot_box){ left + 4 * i, at.y - 10, 4, 12 },
			  plot_shade(i / (double)SHADES));
	plot_text(p, left + 4 * (SHADES + 1) + 6, at.y, &font, hi);
}

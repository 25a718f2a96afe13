/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_AXES_H
#define DW_PRINT_AXES_H

/*
 * A panel with two axes, their marks, and curves in it.
 */
#include "print/canvas.h"
#include "print/scale.h"

/**
 * struct plot_axes - one panel
 * @box: of the plane itself; marks and titles lie outside
 * @x_title, @y_title: with the unit; NULL = neither title nor texts of the marks
 * @x_ticks, @y_ticks: at most
 * @name: above the panel, NULL = none
 */
struct plot_axes {
	struct plot_box box;
	struct plot_scale x;
	struct plot_scale y;
	const char *x_title;
	const char *y_title;
	size_t x_ticks;
	size_t y_ticks;
	const char *name;
	uint32_t name_color;
};

/** plot_axes_draw() - grid, frame, marks and titles. */
void plot_axes_draw(struct plot *p, const struct plot_axes *a);

/** plot_axes_at() - the place of a pair of values, held within the panel. */
struct plot_point plot_axes_at(const struct plot_axes *a, double x, double y);

/** plot_axes_curve() - a line through @n pairs of values; a y that is no number breaks it,
 *  and a pair alone is a dot. */
void plot_axes_curve(struct plot *p, const struct plot_axes *a,
		     const struct plot_point *values, size_t n,
		     const struct plot_pen *pen);

/** plot_axes_steps() - the surface from @low to @high over @n equal intervals of x; NULL
 *  as @low = 0. */
void plot_axes_steps(struct plot *p, const struct plot_axes *a, const double *low,
		     const double *high, size_t n, uint32_t color);

/**
 * struct plot_key - an explanation of a colour
 * @line: drawn as a line with @pen, else as a square
 */
struct plot_key {
	const char *text;
	struct plot_pen pen;
	bool line;
};

/** plot_keys() - explanations side by side, the first at @at. */
void plot_keys(struct plot *p, struct plot_point at, const struct plot_key *key,
	       size_t n);

/** plot_shade() - light to dark for 0..1, the same for everyone's eyes; grey = no number. */
uint32_t plot_shade(double share);

/**
 * struct plot_heat - a heat map
 * @box: of the cells
 * @rows, @columns: @value[row * columns + column], no number = nothing there
 * @top: value that is darkest, > 0
 */
struct plot_heat {
	struct plot_box box;
	size_t rows;
	size_t columns;
	const double *value;
	double top;
};

/** plot_heat_draw() - its cells, equal neighbours as one. */
void plot_heat_draw(struct plot *p, const struct plot_heat *h);

/** plot_heat_scale() - the colours with their values: @lo and @hi as text, at @at. */
void plot_heat_scale(struct plot *p, struct plot_point at, const char *lo,
		     const char *hi);

#endif

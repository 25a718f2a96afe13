/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Curves as a picture, a panel for each: what a sweep of a model draws. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "file/file.h"
#include "print/axes.h"
#include "print/output.h"
#include "print/plot.h"

#define PANEL 190.0
#define LEFT  76.0
#define RIGHT 30.0

static void widen(struct plot_scale *s, double v)
{
	if (!isfinite(v))
		return;
	s->lo = fmin(s->lo, v);
	s->hi = fmax(s->hi, v);
}

/* A curve without extent still has a place on its axis. */
static void room(struct plot_scale *s)
{
	double span = s->hi - s->lo;

	if (span > 0)
		return;
	span = s->lo != 0 ? fabs(s->lo) / 2 : 1;
	s->lo -= span;
	s->hi += span;
}

static bool scales(const struct dw_curve *c, struct plot_axes *a)
{
	a->x = a->y = (struct plot_scale){ PLOT_LINEAR, INFINITY, -INFINITY };
	for (size_t i = 0; i < c->n; i++) {
		widen(&a->x, c->x[i]);
		widen(&a->y, c->y[i]);
	}
	if (!isfinite(a->x.lo) || !isfinite(a->y.lo))
		return false;
	room(&a->x);
	room(&a->y);
	return true;
}

static void draw(struct plot *p, const struct plot_figure *f)
{
	static const struct plot_pen pen = { PLOT_BLUE, 2, false };
	const struct dw_curve *c = f->data;
	struct plot_axes a = {
		.box = { LEFT, 6, PLOT_WIDTH - LEFT - RIGHT, PANEL - 56 },
		.x_title = c->x_name,
		.y_title = "",
	};
	struct plot_point run[256];
	size_t k = 0;

	if (!scales(c, &a))
		return;
	plot_axes_draw(p, &a);
	for (size_t i = 0; i < c->n; i++) {
		double y = isfinite(c->y[i]) ? c->y[i] : NAN;

		run[k++] = (struct plot_point){ c->x[i], y };
		if (k < DW_ARRAY_SIZE(run) && i + 1 < c->n)
			continue;
		plot_axes_curve(p, &a, run, k, &pen);
		run[0] = run[k - 1];
		k = 1;
	}
}

int dw_curves_write(const struct dw_curve *curve, size_t n, const char *output,
		    struct dw_error *err)
{
	dw_autofree struct plot_figure *figure = calloc(n + 1, sizeof(*figure));
	struct plot_document d = { .title = "diskwipe model", .figure = figure };
	enum plot_format format;
	struct plot_axes axes;
	int r = plot_output(output, &format, err);

	if (r || !figure)
		return r ? r : dw_error_system(err, -ENOMEM, NULL);
	for (size_t i = 0; i < n; i++) {
		struct plot_figure *f = &figure[d.n_figures];

		if (!scales(&curve[i], &axes))
			continue;
		d.n_figures++;
		f->height = PANEL;
		f->draw = draw;
		f->data = &curve[i];
		snprintf(f->title, sizeof(f->title), "%.45s over %.40s", curve[i].y_name,
			 curve[i].x_name);
	}
	r = plot_write(&d, format, output);
	return dw_error_file(err, r, output, dw_file_error(r));
}

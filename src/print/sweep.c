/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sweep of diskwipe model as a picture. Its document is an array of calls that differ in one key;
 * each output that is a number in the first call is a curve over that key.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "base/util.h"
#include "file/file.h"
#include "print/axes.h"
#include "print/plot.h"

#define PANEL 190.0
#define LEFT  76.0
#define RIGHT 30.0

/** struct curve - @n pairs of numbers; infinite ones and no numbers are left out */
struct curve {
	const char *x_name;
	const char *y_name;
	const double *x;
	const double *y;
	size_t n;
};

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

static bool scales(const struct curve *c, struct plot_axes *a)
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
	const struct curve *c = f->data;
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

static int curves_write(const struct curve *curve, size_t n, const char *output,
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

#define SIMULATED "simulated."

/** struct swept_calls - @name: of outputs, each a curve; @x: @n numbers; @y: @n for each curve */
struct swept_calls {
	const json_t *calls;
	const char *key;
	char (*name)[80];
	struct curve *curve;
	size_t n_curves;
	double *x;
	double *y;
	size_t n;
};

static double number_of(const json_t *v)
{
	return json_is_number(v) ? json_number_value(v) : NAN;
}

static const json_t *inputs_of(const struct swept_calls *s, size_t i)
{
	return json_object_get(json_array_get(s->calls, i), "inputs");
}

/* What a simulation found is in an object of its own. */
static double output_of(const struct swept_calls *s, size_t i, const char *name)
{
	const json_t *outputs = json_object_get(json_array_get(s->calls, i), "outputs");
	size_t len = strlen(SIMULATED);

	if (!strncmp(name, SIMULATED, len))
		return number_of(json_object_get(json_object_get(outputs, "simulated"),
						 name + len));
	return number_of(json_object_get(outputs, name));
}

static bool are_calls(const json_t *calls)
{
	for (size_t i = 0; i < json_array_size(calls); i++) {
		const json_t *call = json_array_get(calls, i);

		if (!json_is_string(json_object_get(call, "model")) ||
		    !json_is_object(json_object_get(call, "inputs")) ||
		    !json_is_object(json_object_get(call, "outputs")))
			return false;
	}
	return true;
}

/* The first number that is not the same in all calls. */
static const char *key_of(const struct swept_calls *s)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)inputs_of(s, 0), key, v)
	{
		for (size_t i = 1; json_is_number(v) && i < s->n; i++) {
			double other = number_of(json_object_get(inputs_of(s, i), key));

			if (other < number_of(v) || other > number_of(v))
				return key;
		}
	}
	return NULL;
}

static void add_curves(struct swept_calls *s, json_t *outputs, const char *prefix)
{
	const char *key;
	json_t *v;

	json_object_foreach(outputs, key, v)
	{
		const char *half = strstr(key, "_half");

		if (!json_is_number(v) || (prefix[0] && half && !half[strlen("_half")]))
			continue;
		snprintf(s->name[s->n_curves++], sizeof(*s->name), "%s%.60s", prefix,
			 key);
	}
}

static int make_curves(struct swept_calls *s)
{
	json_t *outputs = json_object_get(json_array_get(s->calls, 0), "outputs");
	json_t *simulated = json_object_get(outputs, "simulated");
	size_t most = json_object_size(outputs) + json_object_size(simulated);

	s->name = calloc(most + 1, sizeof(*s->name));
	s->curve = calloc(most + 1, sizeof(*s->curve));
	s->x = calloc(s->n, sizeof(*s->x));
	s->y = calloc((most + 1) * s->n, sizeof(*s->y));
	if (!s->name || !s->curve || !s->x || !s->y)
		return -ENOMEM;
	add_curves(s, outputs, "");
	add_curves(s, simulated, SIMULATED);
	for (size_t i = 0; i < s->n; i++)
		s->x[i] = number_of(json_object_get(inputs_of(s, i), s->key));
	for (size_t k = 0; k < s->n_curves; k++) {
		double *y = s->y + k * s->n;

		for (size_t i = 0; i < s->n; i++)
			y[i] = output_of(s, i, s->name[k]);
		s->curve[k] = (struct curve){ s->key, s->name[k], s->x, y, s->n };
	}
	return 0;
}

static int draw_calls(struct swept_calls *s, const char *output, char ret_headline[256],
		      struct dw_error *err)
{
	int r;

	s->n = json_array_size(s->calls);
	if (!are_calls(s->calls))
		return dw_error_content(err, NULL, "an array, but no sweep of a model");
	s->key = key_of(s);
	if (!s->key)
		return dw_error_content(
			err, NULL,
			"nothing to draw: no key has two values in this sweep");
	r = dw_error_system(err, make_curves(s), NULL);
	if (!r)
		r = curves_write(s->curve, s->n_curves, output, err);
	if (!r)
		snprintf(ret_headline, 256, "%.100s over %.100s",
			 json_string_value(
				 json_object_get(json_array_get(s->calls, 0), "model")),
			 s->key);
	free(s->name);
	free(s->curve);
	free(s->x);
	free(s->y);
	return r;
}

int dw_sweep_write(const char *text, size_t len, const char *output,
		   char ret_headline[256], struct dw_error *err)
{
	json_t *calls = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	struct swept_calls s = { .calls = calls };
	int r = -ENOMSG;

	if (json_is_array(calls))
		r = draw_calls(&s, output, ret_headline, err);
	json_decref(calls);
	return r;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The document of a model's call. Whole numbers are written as such, others with 12
 * significant digits, simulated ones in an object of their own with the half width of
 * their interval beside them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <diskwipe/diskwipe.h>

#include "papers/papers.h"

/* a name of a file may be no UTF-8 */
static json_t *text_value(const char *text)
{
	json_t *v = json_string(text);

	return v ? v : json_string("?");
}

static json_t *json_number(double x)
{
	char text[40];

	if (x == floor(x) && fabs(x) < 9e15)
		return json_integer((json_int_t)x);
	snprintf(text, sizeof(text), "%.12g", x);
	return json_real(strtod(text, NULL));
}

static json_t *row(const double *v, const char *const *text, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		if (json_array_append_new(array, text ? text_value(text[i])
						      : json_number(v[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *output_value(const struct dw_model_output *o, const double *v)
{
	json_t *array;

	if (!o->n)
		return o->text ? text_value(o->text[0]) : json_number(*v);
	if (!o->rows)
		return row(v, o->text, o->n);
	array = json_array();
	for (size_t i = 0; i < o->rows; i++) {
		if (json_array_append_new(array, row(v + i * o->n, NULL, o->n)) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

/* "simulated.busy" goes as "busy" and "busy_half" into the object "simulated". */
static int add_output(json_t *object, const struct dw_model_output *o)
{
	static const char prefix[] = "simulated.";
	const char *name = o->name;
	json_t *inner;
	char half[64];

	if (!o->half)
		return json_object_set_new(object, name, output_value(o, o->value));
	inner = json_object_get(object, "simulated");
	if (!inner) {
		inner = json_object();
		if (json_object_set_new(object, "simulated", inner) < 0)
			return -1;
	}
	name += strncmp(name, prefix, sizeof(prefix) - 1) ? 0 : sizeof(prefix) - 1;
	snprintf(half, sizeof(half), "%s_half", name);
	if (json_object_set_new(inner, name, output_value(o, o->value)) < 0)
		return -1;
	return json_object_set_new(inner, half, output_value(o, o->half));
}

static json_t *collect_outputs(const struct dw_model_call *call,
			       bool (*get)(const struct dw_model_call *call, size_t i,
					   struct dw_model_output *ret))
{
	json_t *object = json_object();
	struct dw_model_output o;

	for (size_t i = 0; get(call, i, &o); i++) {
		if (add_output(object, &o) < 0) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

char *dw_model_json(const struct dw_model_call *call)
{
	json_t *inputs = collect_outputs(call, dw_model_call_input);
	json_t *outputs = collect_outputs(call, dw_model_call_output);
	json_t *doc = json_pack("{s:i, s:{s:s, s:s}, s:s, s:o, s:o}", "schema", 1, "tool",
				"name", "diskwipe", "version", dw_version(), "model",
				dw_model_call_model(call)->name, "inputs", inputs,
				"outputs", outputs);
	char *text =
		doc ? json_dumps(doc, JSON_REAL_PRECISION(15) | JSON_INDENT(2)) : NULL;

	json_decref(doc);
	return text;
}

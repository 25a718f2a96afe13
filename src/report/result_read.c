/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/result_read.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/units.h>

#include "base/util.h"
#include "file/file.h"
#include "report/json.h"

/** struct result_reading - what is looked for next; @where, then the key; the first error stays */
struct result_reading {
	const json_t *object;
	char where[32];
	char *err;
	bool bad;
};

__attribute__((format(printf, 2, 3))) static void wrong(struct result_reading *r,
							const char *format, ...)
{
	va_list args;

	if (r->bad)
		return;
	r->bad = true;
	va_start(args, format);
	vsnprintf(r->err, DW_ERR_TEXT, format, args);
	va_end(args);
}

/* Null and missing keys are empty: a result may tell of a job that never began. */
static void get_text(struct result_reading *r, const char *key, char *ret, size_t size)
{
	const json_t *v = json_object_get(r->object, key);

	ret[0] = '\0';
	if (!v || json_is_null(v))
		return;
	if (!json_is_string(v) || json_string_length(v) >= size)
		wrong(r, "%s.%s: not text, or too long", r->where, key);
	else
		snprintf(ret, size, "%s", json_string_value(v));
}

static uint64_t get_count(struct result_reading *r, const char *key)
{
	const json_t *v = json_object_get(r->object, key);

	if (!v)
		return 0;
	if (!json_is_integer(v) || json_integer_value(v) < 0) {
		wrong(r, "%s.%s: not a count", r->where, key);
		return 0;
	}
	return (uint64_t)json_integer_value(v);
}

static double get_seconds(struct result_reading *r, const char *key, double missing)
{
	const json_t *v = json_object_get(r->object, key);

	if (!v || json_is_null(v))
		return missing;
	if (!json_is_number(v) || !(json_number_value(v) >= 0) ||
	    json_number_value(v) > 1e10) {
		wrong(r, "%s.%s: not a time in seconds", r->where, key);
		return missing;
	}
	return json_number_value(v);
}

static struct result_reading inner(const struct result_reading *r, const char *key)
{
	struct result_reading in = *r;

	in.object = json_object_get(r->object, key);
	return in;
}

static void get_forecast(struct result_reading *r, const char *name, double ret[4])
{
	struct result_reading in = inner(r, "forecast");

	ret[0] = ret[1] = ret[2] = ret[3] = NAN;
	if (!json_is_object(in.object))
		return;
	ret[0] = get_seconds(&in, name, NAN);
	ret[1] = get_seconds(&in, "low_seconds", NAN);
	ret[2] = get_seconds(&in, "high_seconds", NAN);
	ret[3] = get_seconds(&in, "start_seconds", 0);
	r->bad = in.bad;
}

static double pass_seconds(struct result_reading *r)
{
	const json_t *passes = json_object_get(r->object, "passes"), *pass;
	double sum = 0;
	size_t i;

	json_array_foreach(passes, i, pass)
	{
		struct result_reading in = *r;

		in.object = pass;
		sum += get_seconds(&in, "seconds", 0);
		r->bad = in.bad;
	}
	return sum;
}

static void get_disk(struct result_reading *r, struct dw_result_disk *d)
{
	struct result_reading errors = inner(r, "errors");
	double forecast[4];

	get_text(r, "device", d->device, sizeof(d->device));
	get_text(r, "model", d->model, sizeof(d->model));
	get_text(r, "serial", d->serial, sizeof(d->serial));
	get_text(r, "outcome", d->outcome, sizeof(d->outcome));
	d->capacity_bytes = get_count(r, "capacity_bytes");
	d->bytes_written = get_count(r, "bytes_written");
	d->bytes_verified = get_count(r, "bytes_verified");
	d->commands = get_count(r, "commands");
	d->seconds = get_seconds(r, "seconds", 0);
	d->pass_seconds = pass_seconds(r);
	d->exceptions = json_array_size(json_object_get(r->object, "exceptions"));
	get_forecast(r, "finish_seconds", forecast);
	d->predicted = forecast[0];
	d->low = forecast[1];
	d->high = forecast[2];
	d->predicted_start = forecast[3];
	d->retried = get_count(&errors, "retried");
	d->timeouts = get_count(&errors, "timeouts");
	r->bad |= errors.bad;
}

static void get_job(struct result_reading *r, struct dw_result_doc *doc)
{
	double forecast[4];

	get_text(r, "strategy", doc->strategy, sizeof(doc->strategy));
	get_text(r, "controller", doc->controller, sizeof(doc->controller));
	get_text(r, "method", doc->method, sizeof(doc->method));
	get_text(r, "started", doc->started, sizeof(doc->started));
	get_text(r, "simulation", doc->simulation, sizeof(doc->simulation));
	get_text(r, "outcome", doc->outcome, sizeof(doc->outcome));
	doc->seconds = get_seconds(r, "seconds", 0);
	get_forecast(r, "seconds", forecast);
	doc->predicted = forecast[0];
	doc->low = forecast[1];
	doc->high = forecast[2];
}

/* Documents of diskwipe have a tool, and a result has a job and disks. */
static void check_kind(struct result_reading *r)
{
	struct result_reading tool = inner(r, "tool");
	char name[16];

	get_text(&tool, "name", name, sizeof(name));
	if (strcmp(name, "diskwipe") != 0 || json_object_get(r->object, "document") ||
	    !json_is_object(json_object_get(r->object, "job")) ||
	    !json_is_array(json_object_get(r->object, "disks")))
		wrong(r, "not a result of diskwipe: no tool, job and disks");
}

static int get_doc(const json_t *root, struct dw_result_doc *doc, char err[DW_ERR_TEXT])
{
	struct result_reading r = { .object = root, .where = "result", .err = err }, in;
	const json_t *disks = json_object_get(root, "disks");

	check_kind(&r);
	if (r.bad)
		return -EINVAL;
	in = inner(&r, "job");
	snprintf(in.where, sizeof(in.where), "job");
	get_job(&in, doc);
	doc->n = json_array_size(disks);
	doc->disk = calloc(doc->n + 1, sizeof(*doc->disk));
	if (!doc->disk)
		return -ENOMEM;
	for (size_t i = 0; i < doc->n && !in.bad; i++) {
		in.object = json_array_get(disks, i);
		snprintf(in.where, sizeof(in.where), "disks[%zu]", i);
		if (!json_is_object(in.object))
			wrong(&in, "%s: not an object", in.where);
		get_disk(&in, &doc->disk[i]);
	}
	return in.bad ? -EINVAL : 0;
}

int dw_result_parse(const char *text, size_t len, struct dw_result_doc *ret,
		    char err[DW_ERR_TEXT])
{
	struct dw_result_doc doc = { 0 };
	json_error_t e;
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
	int r;

	if (!root) {
		snprintf(
			err, DW_ERR_TEXT,
			"neither a trace nor a result in JSON: line %d, column %d: %.100s",
			e.line, e.column, e.text);
		dw_text_printable(err);
		return -EINVAL;
	}
	snprintf(err, DW_ERR_TEXT, "out of memory");
	r = get_doc(root, &doc, err);
	json_decref(root);
	if (r)
		dw_result_deinit(&doc);
	else
		*ret = doc;
	return r;
}

int dw_result_read(const char *path, struct dw_result_doc *ret, char err[DW_ERR_TEXT])
{
	dw_autofree char *text = NULL;
	char why[DW_ERR_TEXT] = "";
	size_t len;
	int r = dw_file_read(path, DW_RESULT_BYTES_MAX, &text, &len);

	if (r < 0)
		snprintf(why, sizeof(why), "%s", dw_file_error(r));
	else
		r = dw_result_parse(text, len, ret, why);
	if (r < 0)
		snprintf(err, DW_ERR_TEXT, "%.100s: %.150s", path, why);
	return r;
}

void dw_result_deinit(struct dw_result_doc *doc)
{
	free(doc->disk);
	*doc = (struct dw_result_doc){ 0 };
}

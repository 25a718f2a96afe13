/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The forecast as an object of its own, and as part of plans and results. */
#include <math.h>

#include <diskwipe/diskwipe.h>

#include "report/json.h"

static json_t *seconds(double s)
{
	return json_real(round(s * 1e3) / 1e3);
}

static json_t *phases(const struct dw_phase_seconds *p)
{
	return json_pack("{s:o, s:o, s:o}", "write", seconds(p->write), "flush",
			 seconds(p->flush), "verify", seconds(p->verify));
}

static int add_measured(json_t *object, double took, double error, const char *why)
{
	int r = json_object_set_new(object, "measured_seconds", seconds(took));

	r |= json_object_set_new(object, "error_percent", seconds(error));
	return r | json_object_set_new(object, "why", dw_json_text(why));
}

json_t *dw_json_forecast_disk(const struct dw_forecast_disk *d)
{
	json_t *o = json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "start_seconds",
		seconds(d->start), "finish_seconds", seconds(d->finish), "low_seconds",
		seconds(d->low), "high_seconds", seconds(d->high), "alone_seconds",
		seconds(d->alone), "phases", phases(&d->phase), "bytes_per_second",
		(json_int_t)llround(d->rate), "limit", dw_json_text(d->limit));
	int r = o ? 0 : -1;

	if (r || !d->measured)
		return o;
	r = add_measured(o, d->took, d->error, d->why);
	r |= json_object_set_new(o, "measured_phases", phases(&d->took_phase));
	r |= json_object_set_new(o, "beside_peers_percent", seconds(d->beside));
	r |= json_object_set_new(o, "suspect", json_boolean(d->suspect));
	if (!r)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *terms(const struct dw_forecast *f)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "slowest_disk",
			 seconds(f->slowest), "bus", seconds(f->bus), "bus_name",
			 dw_json_text(f->bus_name), "slots", seconds(f->slots),
			 "commands", seconds(f->commands), "controller_name",
			 dw_json_text(f->controller_name));
}

json_t *dw_json_forecast(const struct dw_forecast *f)
{
	json_t *o = json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:I, s:o}", "method",
		dw_json_text(f->method), "seconds", seconds(f->seconds), "low_seconds",
		seconds(f->low), "high_seconds", seconds(f->high), "t_min_seconds",
		seconds(f->t_min), "binding", dw_json_text(f->binding), "terms", terms(f),
		"bytes_per_second", (json_int_t)llround(f->rate), "strategy",
		dw_json_text(f->strategy), "active", (json_int_t)f->active, "assumed",
		dw_json_text(f->assumed));

	if (o && f->measured && add_measured(o, f->took, f->error, f->why)) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *disks(const struct dw_forecast *f)
{
	json_t *array = json_array();

	for (size_t i = 0; i < f->n; i++) {
		json_t *d = dw_json_forecast_disk(&f->disk[i]);

		if (!d ||
		    json_object_set_new(d, "device", dw_json_text(f->disk[i].device)) ||
		    json_array_append_new(array, d)) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

json_t *dw_json_forecast_all(const struct dw_forecast *f)
{
	json_t *o = dw_json_forecast(f);

	if (o && json_object_set_new(o, "disks", disks(f))) {
		json_decref(o);
		return NULL;
	}
	return o;
}

char *dw_forecast_json(const struct dw_forecast *f)
{
	json_t *doc =
		json_pack("{s:s, s:i, s:o, s:o}", "document", "forecast", "schema", 1,
			  "tool", dw_json_tool(), "forecast", dw_json_forecast_all(f));

	return doc ? dw_json_dump(doc, false) : NULL;
}

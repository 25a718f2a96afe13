/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The key "background" of a job: times in seconds, shares of 1. */
#include "report/json.h"

static json_t *forecast_value(const struct dw_background_forecast *f)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:f}", "share", f->share, "response",
			 f->response, "response_before", f->response_before, "knee",
			 f->knee, "knee_before", f->knee_before);
}

json_t *dw_json_background(const struct dw_background *asked,
			   const struct dw_background_result *r)
{
	json_t *v = asked->kind == DW_BACKGROUND_SHARE
			    ? json_pack("{s:f}", "asked_share", asked->share)
			    : json_pack("{s:f}", "asked_response",
					(double)asked->response_ns / 1e9);
	int bad = v ? 0 : -1;

	if (r->users && !bad) {
		bad |= json_object_set_new(v, "users", json_integer(r->users));
		bad |= json_object_set_new(v, "think", json_real(r->think));
		bad |= json_object_set_new(v, "demand", json_real(r->demand));
		bad |= json_object_set_new(v, "forecast", forecast_value(&r->forecast));
	}
	if (!bad) {
		json_t *more = json_pack(
			"{s:i, s:f, s:f, s:f, s:I, s:f, s:f}", "others", (int)r->n_others,
			"measured_before", r->measured_before, "target", r->target,
			"measured", r->measured, "answers", (json_int_t)r->answers,
			"share", r->share, "used", r->used);

		bad = more ? json_object_update(v, more) : -1;
		json_decref(more);
	}
	if (bad) {
		json_decref(v);
		return NULL;
	}
	return v;
}

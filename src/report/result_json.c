/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result document, written. What it reports stands in tables (result_table.c). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "core/spec.h"
#include "report/json.h"
#include "report/result.h"

static int set_table(json_t *object, const char *key, const struct dw_table *table,
		     const void *base)
{
	return json_object_set_new(object, key, dw_json_table(table, base));
}

static json_t *disk_value(const struct dw_disk_result *d,
			  const struct dw_forecast_disk *forecast)
{
	json_t *disk = dw_json_table(&dw_disk_table, d);
	int r = disk ? 0 : -1;

	if (!r && d->outcome == DW_OUTCOME_STOPPED)
		r = set_table(disk, "stopped", &dw_stopped_table, d);
	if (!r && forecast)
		r = set_table(disk, "forecast", &dw_forecast_disk_table, forecast);
	if (!r)
		return disk;
	json_decref(disk);
	return NULL;
}

char *dw_disk_result_text(const struct dw_disk_result *d)
{
	return dw_json_dump(disk_value(d, NULL), true);
}

static json_t *disks_value(const struct dw_result_doc *doc)
{
	const struct dw_forecast *f = &doc->forecast;
	json_t *array = json_array();

	for (size_t i = 0; i < doc->job.n_disks; i++) {
		json_t *disk =
			disk_value(&doc->job.disk[i], i < f->n ? &f->disk[i] : NULL);

		if (json_array_append_new(array, disk) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *job_value(const struct dw_result_doc *doc)
{
	json_t *job = dw_json_table(&dw_job_table, doc);

	if (!job || !doc->forecast.method[0] ||
	    !set_table(job, "forecast", &dw_forecast_table, &doc->forecast))
		return job;
	json_decref(job);
	return NULL;
}

char *dw_result_doc_json(const struct dw_result_doc *doc, bool line)
{
	json_t *root = json_object();
	json_t *left_out = dw_json_table(&dw_refused_table, &doc->job);
	int r = left_out ? 0 : -1;

	if (line)
		r |= json_object_set_new(root, "event", json_string("result"));
	r |= json_object_set_new(root, "schema", json_integer(1));
	r |= json_object_set_new(
		root, "tool",
		json_pack("{s:s, s:s}", "name", "diskwipe", "version", doc->tool));
	r |= json_object_set_new(root, "job", job_value(doc));
	r |= json_object_set_new(root, "disks", disks_value(doc));
	r |= json_object_update(root, left_out);
	if (doc->error[0])
		r |= json_object_set_new(root, "error", dw_json_text(doc->error));
	json_decref(left_out);
	if (!r)
		return dw_json_dump(root, line);
	json_decref(root);
	return NULL;
}

/* What a method asks for is known when the first disk has its plan. */
static void explain_verify(struct dw_result_doc *doc)
{
	const struct dw_job_spec *spec = &doc->job.spec;
	const char *mode = doc->job.n_disks ? doc->job.disk[0].verify.mode : "";

	if (spec->verify == DW_VERIFY_AUTO)
		snprintf(doc->verify_asked, sizeof(doc->verify_asked), "auto");
	switch (dw_spec_verify(spec)) {
	case DW_VERIFY_OFF:
		mode = "off";
		break;
	case DW_VERIFY_FULL:
		mode = "full";
		break;
	case DW_VERIFY_DEVICE:
		mode = "device";
		break;
	case DW_VERIFY_SAMPLE:
		snprintf(doc->verify, sizeof(doc->verify), "sample:%g%%",
			 spec->verify_percent);
		return;
	case DW_VERIFY_AUTO: /* not of dw_spec_verify() */
	case DW_VERIFY_DEFAULT:
		break;
	}
	snprintf(doc->verify, sizeof(doc->verify), "%s", mode[0] ? mode : "default");
}

static void explain_controller(struct dw_result_doc *doc)
{
	const struct dw_job_spec *spec = &doc->job.spec;

	if (!strcmp(spec->controller, "fixed") && spec->fixed_blocks)
		snprintf(doc->controller, sizeof(doc->controller), "fixed:%u",
			 spec->fixed_blocks);
	else
		snprintf(doc->controller, sizeof(doc->controller), "%s",
			 spec->controller);
}

/* A document without a job, or without a start, still says when it was made. */
static void explain_when(struct dw_job_result *job)
{
	if (!job->started.tv_sec && !job->simulation[0])
		clock_gettime(CLOCK_REALTIME, &job->started);
	if (!job->finished.tv_sec)
		job->finished = job->started;
}

/* Borrows the lists of @result. */
static void doc_of(const struct dw_job_result *result, const char *outcome,
		   const char *error, struct dw_result_doc *doc)
{
	const struct dw_job_result *r = &doc->job;
	const struct dw_job_spec *spec = &r->spec;

	if (result)
		doc->job = *result;
	else
		dw_job_spec_init(&doc->job.spec);
	if (r->forecast)
		doc->forecast = *r->forecast;
	explain_when(&doc->job);
	explain_controller(doc);
	explain_verify(doc);
	if (spec->background.kind == DW_BACKGROUND_RESPONSE)
		doc->asked_response = (double)spec->background.response_ns / 1e9;
	if (!outcome)
		outcome = dw_outcome_name(r->outcome, spec->verify_only);
	snprintf(doc->outcome, sizeof(doc->outcome), "%s", outcome);
	snprintf(doc->tool, sizeof(doc->tool), "%s", dw_version());
	snprintf(doc->command, sizeof(doc->command), "%s",
		 r->command[0] ? r->command : dw_spec_word(spec, "command"));
	snprintf(doc->method, sizeof(doc->method), "%s",
		 spec->pattern[0] ? "custom" : spec->method);
	if (r->state_error)
		snprintf(doc->state_error, sizeof(doc->state_error), "%s",
			 strerror(-r->state_error));
	if (r->trace_error)
		snprintf(doc->trace_error, sizeof(doc->trace_error), "%s",
			 strerror(-r->trace_error));
	if (error)
		snprintf(doc->error, sizeof(doc->error), "%s", error);
}

char *dw_job_report_json(const struct dw_job_result *result, const char *outcome,
			 const char *error, bool line)
{
	dw_autofree struct dw_result_doc *doc = calloc(1, sizeof(*doc));

	if (!doc)
		return NULL;
	doc_of(result, outcome, error, doc);
	return dw_result_doc_json(doc, line);
}

/* who it is: what the events name by its number */
static json_t *identity_value(const struct dw_disk_info *i, size_t number,
			      const struct dw_forecast_disk *f)
{
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "disk",
			 (json_int_t)number, "device",
			 dw_json_text(i->sg[0] ? i->sg : i->block), "vendor",
			 dw_json_text(i->vendor), "model", dw_json_text(i->model),
			 "serial", dw_json_text_or_null(i->serial), "wwn",
			 dw_json_text_or_null(i->wwn), "capacity_bytes",
			 (json_int_t)(i->blocks * i->block_size), "forecast_seconds",
			 f ? json_real(round(f->finish * 1e3) / 1e3) : json_null());
}

char *dw_job_begin_json(const struct dw_job_result *result)
{
	static const char *const later[] = { "outcome", "finished", "seconds" };
	dw_autofree struct dw_result_doc *doc = calloc(1, sizeof(*doc));
	json_t *disks = json_array(), *job = NULL, *line;

	if (doc) {
		doc_of(result, NULL, NULL, doc);
		job = job_value(doc);
	}
	for (size_t i = 0; i < DW_ARRAY_SIZE(later); i++)
		json_object_del(job, later[i]);
	for (size_t i = 0; doc && i < doc->job.n_disks; i++)
		json_array_append_new(
			disks, identity_value(&doc->job.disk[i].info, i,
					      i < doc->forecast.n ? &doc->forecast.disk[i]
								  : NULL));
	line = json_pack("{s:s, s:f, s:i, s:{s:s, s:s}, s:o, s:o}", "event", "job",
			 "seconds", 0.0, "schema", 1, "tool", "name", "diskwipe",
			 "version", dw_version(), "job", job, "disks", disks);
	return line ? dw_json_dump(line, true) : NULL;
}

char *dw_job_result_json(const struct dw_job_result *result)
{
	return dw_job_report_json(result, NULL, NULL, false);
}

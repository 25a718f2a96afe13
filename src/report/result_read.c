/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result document, read back whole by the tables by which it was written. */
#include <diskwipe/result.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "report/record.h"
#include "report/result.h"

static int unpack(const struct dw_table *table, const json_t *v, const char *where,
		  void *base, struct dw_error *err)
{
	return dw_record_unpack_open(table->field, table->n, v, where, base, err);
}

/* Documents of diskwipe have a tool, and a result has a job and disks. */
static bool is_result(const json_t *root, char version[32])
{
	const json_t *tool = json_object_get(root, "tool");
	char name[16];

	return !dw_record_text(json_object_get(tool, "name"), name, sizeof(name)) &&
	       !strcmp(name, "diskwipe") &&
	       !dw_record_text(json_object_get(tool, "version"), version, 32) &&
	       json_integer_value(json_object_get(root, "schema")) == 1 &&
	       !json_object_get(root, "document") &&
	       json_is_object(json_object_get(root, "job")) &&
	       json_is_array(json_object_get(root, "disks"));
}

static int read_job(const json_t *job, struct dw_result_doc *doc, struct dw_error *err)
{
	const json_t *forecast = json_object_get(job, "forecast");
	int r = unpack(&dw_job_table, job, "job", doc, err);

	if (!r && forecast)
		r = unpack(&dw_forecast_table, forecast, "job.forecast", &doc->forecast,
			   err);
	for (int o = DW_OUTCOME_NONE; o <= DW_OUTCOME_REMOVED; o++)
		for (int only = 0; only < 2; only++)
			if (!strcmp(doc->outcome,
				    dw_outcome_name((enum dw_outcome)o, only))) {
				doc->job.outcome = (enum dw_outcome)o;
				doc->job.spec.verify_only |= only;
			}
	return r;
}

static int read_disk_result(const json_t *v, const char *where, struct dw_disk_result *d,
			    struct dw_error *err)
{
	int r = unpack(&dw_disk_table, v, where, d, err);

	if (!r && d->outcome == DW_OUTCOME_STOPPED)
		r = unpack(&dw_stopped_table, json_object_get(v, "stopped"), where, d,
			   err);
	return r;
}

static void disk_result_deinit(struct dw_disk_result *d)
{
	dw_record_free(dw_disk_table.field, dw_disk_table.n, d);
}

int dw_disk_result_parse(const char *text, struct dw_disk_result *ret,
			 struct dw_error *err)
{
	struct dw_disk_result d = { 0 };
	json_t *v = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	int r = v ? read_disk_result(v, "", &d, err)
		  : dw_error_content(err, NULL, "not JSON");

	json_decref(v);
	if (r < 0)
		disk_result_deinit(&d);
	else
		*ret = d;
	return r;
}

/* Only disks that the job had when it began have a forecast: the first ones. */
static int read_disk(const json_t *v, struct dw_result_doc *doc, size_t i,
		     struct dw_error *err)
{
	struct dw_disk_result *d = &doc->job.disk[i];
	const json_t *forecast = json_object_get(v, "forecast");
	char where[DW_PLACE_TEXT];
	int r;

	snprintf(where, sizeof(where), "disks[%zu]", i);
	r = read_disk_result(v, where, d, err);
	if (r || !forecast || doc->forecast.n != i)
		return r;
	doc->forecast.n++;
	return unpack(&dw_forecast_disk_table, forecast, where, &doc->forecast.disk[i],
		      err);
}

static int read_disks(const json_t *disks, struct dw_result_doc *doc,
		      struct dw_error *err)
{
	struct dw_job_result *job = &doc->job;
	size_t n = json_array_size(disks);
	int r = 0;

	job->disk = calloc(n + 1, sizeof(*job->disk));
	doc->forecast.disk = calloc(n + 1, sizeof(*doc->forecast.disk));
	if (!job->disk || !doc->forecast.disk)
		return dw_error_system(err, -ENOMEM, NULL);
	for (; job->n_disks < n && !r; job->n_disks++)
		r = read_disk(json_array_get(disks, job->n_disks), doc, job->n_disks,
			      err);
	return r;
}

static int read_doc(const json_t *root, struct dw_result_doc *doc, struct dw_error *err)
{
	const json_t *error = json_object_get(root, "error");
	int r;

	if (!is_result(root, doc->tool))
		return dw_error_content(
			err, NULL, "not a result of diskwipe: no tool, job and disks");
	r = read_job(json_object_get(root, "job"), doc, err);
	if (!r)
		r = read_disks(json_object_get(root, "disks"), doc, err);
	if (!r)
		r = unpack(&dw_refused_table, root, "", &doc->job, err);
	if (!r && error && dw_record_text(error, doc->error, sizeof(doc->error)))
		r = dw_error_content(err, "error", "not text, or too long");
	doc->job.forecast = doc->forecast.method[0] ? &doc->forecast : NULL;
	return r;
}

int dw_result_parse(const char *text, size_t len, struct dw_result_doc **ret,
		    struct dw_error *err)
{
	struct dw_result_doc *doc;
	json_error_t e;
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
	int r = -ENOMEM;

	if (!root)
		return dw_error_content(
			err, NULL,
			"neither a trace nor a result in JSON: line %d, column %d: %s",
			e.line, e.column, e.text);
	doc = calloc(1, sizeof(*doc));
	if (doc)
		r = read_doc(root, doc, err);
	dw_error_system(err, r, NULL);
	json_decref(root);
	if (r)
		dw_result_free(doc);
	else
		*ret = doc;
	return r;
}

void dw_result_free(struct dw_result_doc *doc)
{
	if (!doc)
		return;
	for (size_t i = 0; i < doc->job.n_disks; i++)
		disk_result_deinit(&doc->job.disk[i]);
	dw_record_free(dw_refused_table.field, dw_refused_table.n, &doc->job);
	free(doc->forecast.disk);
	free(doc->job.disk);
	free(doc);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One event of a job as one line of JSON. Every line has the event, the time and, unless
 * it is about the whole job, the disk; the rest is there when it says something.
 */
#include <math.h>

#include "report/json.h"

static const char *event_name(enum dw_event_kind kind)
{
	switch (kind) {
	case DW_EVENT_STARTED:
		return "started";
	case DW_EVENT_PASS:
		return "pass";
	case DW_EVENT_PROGRESS:
		return "progress";
	case DW_EVENT_NOTICE:
		return "notice";
	case DW_EVENT_EXCEPTION:
		return "exception";
	case DW_EVENT_FLUSHED:
		return "flushed";
	case DW_EVENT_DISK_DONE:
		return "disk-done";
	case DW_EVENT_ADDED:
		return "added";
	case DW_EVENT_REFUSED:
		return "refused";
	case DW_EVENT_PAUSED:
		return "paused";
	case DW_EVENT_RESUMED:
		return "resumed";
	case DW_EVENT_JOB_DONE:
		break;
	}
	return "job-done";
}

static int merge(json_t *line, json_t *more)
{
	int r = more ? json_object_update(line, more) : -1;

	json_decref(more);
	return r;
}

static json_t *about_disk(const struct dw_event *e, const struct dw_job_result *result)
{
	const struct dw_disk_info *info;

	if (!result || e->disk >= result->n_disks)
		return json_pack("{s:I}", "disk", (json_int_t)e->disk);
	info = &result->disk[e->disk].info;
	return json_pack("{s:I, s:o, s:o}", "disk", (json_int_t)e->disk, "device",
			 dw_json_device(info), "serial",
			 dw_json_text_or_null(info->serial));
}

static json_t *about_progress(const struct dw_progress *p)
{
	json_t *o =
		json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
			  "phase", dw_phase_name(p->phase), "pass", (json_int_t)p->pass,
			  "passes", (json_int_t)p->n_passes, "lba", (json_int_t)p->lba,
			  "bytes_done", (json_int_t)p->bytes_done, "bytes_total",
			  (json_int_t)p->bytes_total, "bytes_per_second",
			  (json_int_t)llround(p->rate), "errors", (json_int_t)p->errors,
			  "exceptions", (json_int_t)p->exceptions, "transfer_blocks",
			  (json_int_t)p->transfer_blocks, "depth", (json_int_t)p->depth);

	if (o && p->eta_seconds >= 0 &&
	    json_object_set_new(o, "eta_seconds", json_real(round(p->eta_seconds))) < 0) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *about_exception(const struct dw_exception *e)
{
	return json_pack("{s:I, s:I, s:s, s:o}", "lba", (json_int_t)e->lba, "blocks",
			 (json_int_t)e->blocks, "kind", dw_exception_name(e->kind),
			 "sense", dw_json_text(e->sense));
}

/* How many disks ended how. */
static json_t *outcomes(const struct dw_job_result *result)
{
	json_t *o = json_object();

	for (size_t i = 0; o && i < result->n_disks; i++) {
		const char *name = dw_outcome_name(result->disk[i].outcome,
						   result->spec.verify_only);
		json_int_t n = json_integer_value(json_object_get(o, name));

		if (json_object_set_new(o, name, json_integer(n + 1)) < 0) {
			json_decref(o);
			return NULL;
		}
	}
	return o;
}

/* What the kind of event adds to its line. */
static json_t *about_kind(const struct dw_event *e, const struct dw_job_result *result)
{
	switch (e->kind) {
	case DW_EVENT_EXCEPTION:
		return about_exception(&e->exception);
	case DW_EVENT_DISK_DONE:
		return json_pack("{s:s}", "outcome",
				 dw_outcome_name(e->progress.outcome,
						 result && result->spec.verify_only));
	case DW_EVENT_JOB_DONE:
		if (!result)
			return json_pack("{s:s}", "outcome", "pending");
		return json_pack(
			"{s:s, s:o}", "outcome",
			dw_outcome_name(result->outcome, result->spec.verify_only),
			"outcomes", outcomes(result));
	case DW_EVENT_STARTED:
	case DW_EVENT_PASS:
	case DW_EVENT_PROGRESS:
	case DW_EVENT_FLUSHED:
	case DW_EVENT_PAUSED:
	case DW_EVENT_RESUMED:
		return about_progress(&e->progress);
	case DW_EVENT_NOTICE:
	case DW_EVENT_ADDED:
	case DW_EVENT_REFUSED:
		break;
	}
	return json_object();
}

char *dw_event_json(const struct dw_event *event, const struct dw_job_result *result)
{
	json_t *line = json_pack("{s:s, s:o}", "event", event_name(event->kind),
				 "seconds", json_real(round(event->seconds * 1e3) / 1e3));
	int r = line ? 0 : -1;

	if (!r && event->kind != DW_EVENT_JOB_DONE && event->disk != DW_EVENT_OF_JOB)
		r |= merge(line, about_disk(event, result));
	if (!r)
		r |= merge(line, about_kind(event, result));
	if (!r && event->text[0])
		r |= json_object_set_new(line, "text", dw_json_text(event->text));
	if (r) {
		json_decref(line);
		return NULL;
	}
	return dw_json_dump(line, true);
}

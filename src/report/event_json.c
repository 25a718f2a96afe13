/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One event of a job as one line of JSON. Every line has the event, the time and, unless
 * it is about the whole job, the disk; the rest is there when it reports something.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "report/json.h"
#include "report/result.h"

#define EVENT(type, member, key_, ...)                                                   \
	DW_FIELD_AS(type, struct dw_event_doc, event.member, key_, __VA_ARGS__)
#define AT(type, member, ...) EVENT(type, progress.member, #member, __VA_ARGS__)
#define SAID(member, ...)     DW_FIELD(TEXT, struct dw_event_doc, member, __VA_ARGS__)
#define ENDED(word, o, only)                                                             \
	DW_FIELD_AS(NUMBER, struct dw_event_doc, outcomes[only][o], word, SMALL,         \
		    .optional = true)
#define LARGE .max = INT64_MAX
#define SMALL .max = UINT32_MAX

static const char *const words[] = {
	[DW_EVENT_STARTED] = "started",     [DW_EVENT_PASS] = "pass",
	[DW_EVENT_PROGRESS] = "progress",   [DW_EVENT_NOTICE] = "notice",
	[DW_EVENT_EXCEPTION] = "exception", [DW_EVENT_FLUSHED] = "flushed",
	[DW_EVENT_DISK_DONE] = "disk-done", [DW_EVENT_JOB_DONE] = "job-done",
	[DW_EVENT_ADDED] = "added",         [DW_EVENT_REFUSED] = "refused",
	[DW_EVENT_PAUSED] = "paused",       [DW_EVENT_RESUMED] = "resumed",
	[DW_EVENT_REMAINING] = "remaining",
};

static const struct dw_field event_rows[] = {
	EVENT(WORD, kind, "event", .words = words, .max = DW_EVENT_REMAINING),
	EVENT(REAL, seconds, "seconds", .max = DW_SECONDS_MAX, .decimals = 3),
	EVENT(TEXT, text, "text", .optional = true),
};

static const struct dw_field disk_rows[] = {
	EVENT(NUMBER, disk, "disk", SMALL),
	SAID(device, .optional = true),
	SAID(serial, .null = true),
};

static const struct dw_field progress_rows[] = {
	AT(WORD, phase, .words = dw_phase_words, .max = DW_PHASE_COUNT - 1),
	AT(NUMBER, pass, SMALL),
	EVENT(NUMBER, progress.n_passes, "passes", SMALL),
	AT(NUMBER, lba, LARGE),
	AT(NUMBER, bytes_done, LARGE),
	AT(NUMBER, bytes_total, LARGE),
	EVENT(WHOLE, progress.rate, "bytes_per_second", .max = DW_REAL_MAX),
	AT(NUMBER, errors, LARGE),
	AT(NUMBER, exceptions, SMALL),
	AT(NUMBER, transfer_blocks, SMALL),
	AT(NUMBER, depth, SMALL),
};

static const struct dw_field eta_rows[] = {
	AT(WHOLE, eta_seconds, .max = DW_SECONDS_MAX),
};

static const struct dw_field remaining_rows[] = {
	EVENT(WHOLE, progress.eta_seconds, "remaining_seconds", .max = DW_SECONDS_MAX),
	DW_FIELD(TIME, struct dw_event_doc, expected_end),
};

static const struct dw_field exception_rows[] = {
	EVENT(NUMBER, exception.lba, "lba", LARGE),
	EVENT(NUMBER, exception.blocks, "blocks", LARGE),
	EVENT(WORD, exception.kind, "kind", .words = dw_exception_words,
	      .max = DW_UNSTEADY),
	EVENT(TEXT, exception.sense, "sense"),
};

static const struct dw_field outcome_rows[] = { SAID(outcome) };

static const struct dw_field ended_rows[] = {
	ENDED("pending", DW_OUTCOME_NONE, 0),
	ENDED("erased", DW_OUTCOME_ERASED, 0),
	ENDED("erased-with-exceptions", DW_OUTCOME_EXCEPTIONS, 0),
	ENDED("as-expected", DW_OUTCOME_ERASED, 1),
	ENDED("not-as-expected", DW_OUTCOME_EXCEPTIONS, 1),
	ENDED("failed", DW_OUTCOME_FAILED, 0),
	ENDED("stopped", DW_OUTCOME_STOPPED, 0),
	ENDED("removed", DW_OUTCOME_REMOVED, 0),
};

static const struct dw_field outcomes_rows[] = {
	{ .key = "outcomes",
	  .type = DW_FIELD_RECORD,
	  .size = sizeof(struct dw_event_doc),
	  .fields = ended_rows,
	  .n_fields = DW_ARRAY_SIZE(ended_rows) },
};

#define ROWS(rows)                                                                       \
	(struct dw_table)                                                                \
	{                                                                                \
		(rows), DW_ARRAY_SIZE(rows)                                              \
	}

size_t dw_event_tables(const struct dw_event_doc *doc, struct dw_table ret[4])
{
	size_t n = 0;

	ret[n++] = ROWS(event_rows);
	if (doc->event.kind != DW_EVENT_JOB_DONE && doc->event.disk != DW_EVENT_OF_JOB)
		ret[n++] = ROWS(disk_rows);
	switch (doc->event.kind) {
	case DW_EVENT_EXCEPTION:
		ret[n++] = ROWS(exception_rows);
		break;
	case DW_EVENT_DISK_DONE:
		ret[n++] = ROWS(outcome_rows);
		break;
	case DW_EVENT_JOB_DONE:
		ret[n++] = ROWS(outcome_rows);
		ret[n++] = ROWS(outcomes_rows);
		break;
	case DW_EVENT_STARTED:
	case DW_EVENT_PASS:
	case DW_EVENT_PROGRESS:
	case DW_EVENT_FLUSHED:
	case DW_EVENT_PAUSED:
	case DW_EVENT_RESUMED:
		ret[n++] = ROWS(progress_rows);
		if (doc->event.progress.eta_seconds >= 0)
			ret[n++] = ROWS(eta_rows);
		break;
	case DW_EVENT_REMAINING:
		if (doc->event.progress.eta_seconds >= 0)
			ret[n++] = ROWS(remaining_rows);
		break;
	case DW_EVENT_NOTICE:
	case DW_EVENT_ADDED:
	case DW_EVENT_REFUSED:
		break;
	}
	return n;
}

char *dw_event_doc_json(const struct dw_event_doc *doc)
{
	struct dw_table table[4];
	size_t n = dw_event_tables(doc, table);
	json_t *line = json_object();
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		json_t *more = dw_json_table(&table[i], doc);

		r |= more ? json_object_update(line, more) : -1;
		json_decref(more);
	}
	if (!r)
		return dw_json_dump(line, true);
	json_decref(line);
	return NULL;
}

static void explain_disk(const struct dw_disk_info *i, struct dw_event_doc *doc)
{
	snprintf(doc->device, sizeof(doc->device), "%s", i->sg[0] ? i->sg : i->block);
	snprintf(doc->serial, sizeof(doc->serial), "%s", i->serial);
}

static struct timespec later(struct timespec t, double seconds)
{
	double whole = floor(seconds);

	t.tv_sec += (time_t)whole;
	t.tv_nsec += (long)((seconds - whole) * 1e9);
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	return t;
}

char *dw_event_json(const struct dw_event *event, const struct dw_job_result *result)
{
	bool only = result && result->spec.verify_only;
	enum dw_outcome o = event->kind == DW_EVENT_DISK_DONE ? event->progress.outcome
			    : result                          ? result->outcome
							      : DW_OUTCOME_NONE;
	struct dw_event_doc doc = { .event = *event };

	if (result && event->kind == DW_EVENT_REMAINING)
		doc.expected_end = later(result->started,
					 event->seconds + event->progress.eta_seconds);
	if (result && event->disk < result->n_disks)
		explain_disk(&result->disk[event->disk].info, &doc);
	for (size_t i = 0; result && i < result->n_disks; i++) {
		enum dw_outcome of = result->disk[i].outcome;
		bool word =
			!strcmp(dw_outcome_name(of, true), dw_outcome_name(of, false));

		doc.outcomes[only && !word][of]++;
	}
	snprintf(doc.outcome, sizeof(doc.outcome), "%s", dw_outcome_name(o, only));
	return dw_event_doc_json(&doc);
}

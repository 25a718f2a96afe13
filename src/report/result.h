/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_RESULT_H
#define DW_REPORT_RESULT_H

/*
 * Tables of what results, events, forecasts and measurements consist of: documents are written
 * and read by them.
 */
#include <diskwipe/result.h>

#include "base/field.h"

#define DW_SECONDS_MAX UINT64_C(10000000000)
#define DW_REAL_MAX    UINT64_C(1000000000000000)

/* Words by value. */
extern const char *const dw_outcome_words[];
extern const char *const dw_verified_words[];
extern const char *const dw_hidden_words[];
extern const char *const dw_exception_words[];
extern const char *const dw_phase_words[];

/** struct dw_table - rows that describe one struct */
struct dw_table {
	const struct dw_field *field;
	size_t n;
};

/* Of struct dw_restored and of struct dw_health, also of other documents. */
#define DW_RESTORED_FIELDS 2
#define DW_HEALTH_FIELDS   8
extern const struct dw_field dw_restored_fields[DW_RESTORED_FIELDS];
extern const struct dw_field dw_health_fields[DW_HEALTH_FIELDS];

/* Key "job", of struct dw_result_doc; without the forecast. */
extern const struct dw_table dw_job_table;

/* An item of "disks", of struct dw_disk_result; without the forecast and where it stopped. */
extern const struct dw_table dw_disk_table;

/* Key "stopped" of a stopped disk, of struct dw_disk_result. */
extern const struct dw_table dw_stopped_table;

/* Key "refused", of struct dw_job_result. */
extern const struct dw_table dw_refused_table;

/* An exception, of struct dw_exception. */
extern const struct dw_table dw_exception_table;

/* A forecast, of struct dw_forecast: without its disks, and of one of them. */
extern const struct dw_table dw_forecast_table;
extern const struct dw_table dw_forecast_disk_table;

/* All its disks under the key "disks". */
extern const struct dw_table dw_forecast_disks_table;

/* A measurement, of struct dw_bench, by its kind. */
extern const struct dw_table dw_bench_tables[];

/**
 * struct dw_event_doc - all that the line of an event says
 * @device, @serial: of its disk; empty = not known
 * @outcome: of a disk or job that is done, in words
 * @outcomes: of a job that is done: how many disks ended how, by dw_outcome_name()'s arguments
 * @expected_end: of a job, at its start and the time that remains
 */
struct dw_event_doc {
	struct dw_event event;
	char device[64];
	char serial[DW_SERIAL_MAX];
	char outcome[32];
	uint32_t outcomes[2][DW_OUTCOME_REMOVED + 1];
	struct timespec expected_end;
};

/** dw_event_tables() - the tables that make up the line of such an event; returns how many. */
size_t dw_event_tables(const struct dw_event_doc *doc, struct dw_table ret[4]);

/** dw_event_doc_json() - as one line without newline; malloc'd; NULL on -ENOMEM. */
char *dw_event_doc_json(const struct dw_event_doc *doc);

/** dw_disk_result_text() - an item of "disks" on one line; malloc'd; NULL on -ENOMEM. */
char *dw_disk_result_text(const struct dw_disk_result *d);

/** dw_disk_result_parse() - the same, read; @ret: dw_disk_result_deinit(), untouched on failure. 0,
 *  -EINVAL or -ENOMEM with @err. */
int dw_disk_result_parse(const char *text, struct dw_disk_result *ret,
			 struct dw_error *err);

/** dw_result_doc_json() - as a document; one line that ends a stream of events if @line.
 *  malloc'd; NULL on -ENOMEM. */
char *dw_result_doc_json(const struct dw_result_doc *doc, bool line);

#endif

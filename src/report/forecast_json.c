/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The forecast as a document of its own, and what of it stands in plans and results. */
#include <stdlib.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "report/json.h"
#include "report/record.h"
#include "report/result.h"

#define TABLE(rows)                                                                      \
	{                                                                                \
		(rows), DW_ARRAY_SIZE(rows)                                              \
	}

#define MEMBERS(rows) .fields = (rows), .n_fields = DW_ARRAY_SIZE(rows)
#define SECONDS       .max = DW_SECONDS_MAX, .decimals = 3
#define PERCENT       .max = DW_REAL_MAX, .below_zero = true, .decimals = 3
#define REALS         .max = DW_REAL_MAX

#define PHASE(member) DW_FIELD(REAL, struct dw_phase_seconds, member, SECONDS)
#define DISK(type, member, key_, ...)                                                    \
	DW_FIELD_AS(type, struct dw_forecast_disk, member, key_, __VA_ARGS__)
#define JOB(type, member, key_, ...)                                                     \
	DW_FIELD_AS(type, struct dw_forecast, member, key_, __VA_ARGS__)
#define AFTER(struct_) .when = offsetof(struct_, measured)

static const struct dw_field phase_rows[] = { PHASE(write), PHASE(flush), PHASE(verify) };

static const struct dw_field disk_rows[] = {
	DISK(TEXT, device, "device"),
	DISK(TEXT, model, "model"),
	DISK(TEXT, group, "group"),
	DISK(REAL, start, "start_seconds", SECONDS),
	DISK(REAL, finish, "finish_seconds", SECONDS),
	DISK(REAL, low, "low_seconds", SECONDS),
	DISK(REAL, high, "high_seconds", SECONDS),
	DISK(BOOL, vague, "vague", .optional = true),
	DISK(REAL, alone, "alone_seconds", SECONDS),
	DISK(RECORD, phase, "phases", MEMBERS(phase_rows)),
	DISK(WHOLE, rate, "bytes_per_second", REALS),
	DISK(REAL, verify_share, "verify_share", .max = 1, .optional = true),
	DISK(BOOL, compares, "compares", .optional = true),
	DISK(TEXT, limit, "limit"),
	DISK(REAL, took, "measured_seconds", SECONDS, AFTER(struct dw_forecast_disk)),
	DISK(REAL, error, "error_percent", PERCENT, AFTER(struct dw_forecast_disk)),
	DISK(TEXT, why, "why", AFTER(struct dw_forecast_disk)),
	DISK(RECORD, took_phase, "measured_phases", MEMBERS(phase_rows),
	     AFTER(struct dw_forecast_disk)),
	DISK(REAL, beside, "beside_peers_percent", PERCENT,
	     AFTER(struct dw_forecast_disk)),
	DISK(BOOL, suspect, "suspect", AFTER(struct dw_forecast_disk)),
};

static const struct dw_field term_rows[] = {
	JOB(REAL, slowest, "slowest_disk", SECONDS),
	JOB(REAL, bus, "bus", SECONDS),
	JOB(TEXT, bus_name, "bus_name"),
	JOB(REAL, slots, "slots", SECONDS),
	JOB(REAL, commands, "commands", SECONDS),
	JOB(TEXT, controller_name, "controller_name"),
};

static const struct dw_field job_rows[] = {
	JOB(TEXT, method, "method"),
	JOB(REAL, seconds, "seconds", SECONDS),
	JOB(REAL, low, "low_seconds", SECONDS),
	JOB(REAL, high, "high_seconds", SECONDS),
	JOB(BOOL, vague, "vague", .optional = true),
	JOB(REAL, t_min, "t_min_seconds", SECONDS),
	JOB(TEXT, binding, "binding"),
	{ .key = "terms",
	  .type = DW_FIELD_RECORD,
	  .size = sizeof(struct dw_forecast),
	  MEMBERS(term_rows) },
	JOB(WHOLE, rate, "bytes_per_second", REALS),
	JOB(TEXT, strategy, "strategy"),
	JOB(NUMBER, active, "active", .max = UINT32_MAX),
	JOB(TEXT, assumed, "assumed"),
	JOB(TEXT, verify_chosen, "verify_chosen", .optional = true),
	JOB(TEXT, verify_why, "verify_why", .optional = true),
	JOB(REAL, verify_full, "verify_full_seconds", SECONDS, .optional = true),
	JOB(REAL, verify_device, "verify_device_seconds", SECONDS, .optional = true),
	JOB(REAL, took, "measured_seconds", SECONDS, AFTER(struct dw_forecast)),
	JOB(REAL, error, "error_percent", PERCENT, AFTER(struct dw_forecast)),
	JOB(TEXT, why, "why", AFTER(struct dw_forecast)),
};

static const struct dw_field disks_rows[] = {
	DW_FIELD_OWNED(struct dw_forecast, disk, "disks", n, disk_rows,
		       DW_ARRAY_SIZE(disk_rows)),
};

const struct dw_table dw_forecast_table = TABLE(job_rows);
const struct dw_table dw_forecast_disk_table = TABLE(disk_rows);
const struct dw_table dw_forecast_disks_table = TABLE(disks_rows);

json_t *dw_json_forecast_all(const struct dw_forecast *f)
{
	json_t *o = dw_json_table(&dw_forecast_table, f);
	json_t *disks = dw_json_table(&dw_forecast_disks_table, f);
	int r = disks ? json_object_update(o, disks) : -1;

	json_decref(disks);
	if (!r)
		return o;
	json_decref(o);
	return NULL;
}

char *dw_forecast_json(const struct dw_forecast *f)
{
	return dw_json_dump(json_pack("{s:s, s:i, s:o, s:o}", "document", "forecast",
				      "schema", 1, "tool", dw_json_tool(), "forecast",
				      dw_json_forecast_all(f)),
			    false);
}

static int read_forecast(const json_t *o, struct dw_forecast *f)
{
	const struct dw_table *job = &dw_forecast_table,
			      *disks = &dw_forecast_disks_table;
	struct dw_error err;
	int r = dw_record_unpack_open(job->field, job->n, o, "forecast", f, &err);

	return r ? r
		 : dw_record_unpack_open(disks->field, disks->n, o, "forecast", f, &err);
}

/* What comes from elsewhere is shown, and nothing is decided by it. */
struct dw_forecast *dw_plan_forecast(const char *text)
{
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const json_t *o = json_object_get(root, "forecast");
	struct dw_forecast *f = o ? calloc(1, sizeof(*f)) : NULL;

	if (f && read_forecast(o, f)) {
		dw_forecast_free(f);
		f = NULL;
	}
	json_decref(root);
	return f;
}

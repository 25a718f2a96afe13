/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a result document says of each disk and of the job. Its keys are an interface: they are
 * always there unless they are marked as optional, byte counts are integers, times carry
 * their zone.
 */
#include <string.h>

#include <diskwipe/result.h>

#include "base/util.h"
#include "report/json.h"
#include "report/record.h"
#include "report/result.h"

#define TABLE(rows)                                                                      \
	{                                                                                \
		(rows), DW_ARRAY_SIZE(rows)                                              \
	}

#define MEMBERS(rows) .fields = (rows), .n_fields = DW_ARRAY_SIZE(rows)

#define ITEMS(struct_, count_, item, rows)                                               \
	DW_FIELD_COUNT(struct_, count_), .stride = sizeof(item), MEMBERS(rows)

/* Keys under one of a struct's own that is none of its members. */
#define GROUP(struct_, key_, rows, ...)                                                  \
	{                                                                                \
		.key = (key_), .type = DW_FIELD_RECORD, .size = sizeof(struct_),         \
		MEMBERS(rows), __VA_ARGS__                                               \
	}

#define WHOLE_NUMBER .max = INT64_MAX

#define SECONDS .max = DW_SECONDS_MAX, .decimals = 6

#define REALS .max = DW_REAL_MAX

/* A disk is called by its sg node, else by its block node; read back, that is one name. */
static json_t *pack_device(const void *base)
{
	return dw_json_device(&((const struct dw_disk_result *)base)->info);
}

static const char *unpack_device(const json_t *v, void *base)
{
	struct dw_disk_info *i = &((struct dw_disk_result *)base)->info;

	return dw_record_text(v, i->block, sizeof(i->block));
}

static json_t *pack_paths(const void *base)
{
	const struct dw_disk_result *d = base;
	json_t *array;

	if (!d->n_paths)
		return dw_json_paths(&d->info);
	array = json_array();
	for (uint32_t i = 0; i < d->n_paths; i++)
		if (json_array_append_new(array, dw_json_text(d->paths[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static const char *unpack_paths(const json_t *v, void *base)
{
	struct dw_disk_result *d = base;
	const char *wrong = NULL;
	size_t n = json_array_size(v);

	if (!json_is_array(v) || n > DW_ARRAY_SIZE(d->paths))
		return "not a list, or too many";
	for (size_t i = 0; i < n && !wrong; i++)
		wrong = dw_record_text(json_array_get(v, i), d->paths[i],
				       sizeof(d->paths[i]));
	d->n_paths = (uint32_t)n;
	return wrong;
}

static json_t *pack_capacity(const void *base)
{
	const struct dw_disk_info *i = &((const struct dw_disk_result *)base)->info;

	return json_integer((json_int_t)(i->blocks * i->block_size));
}

static const char *unpack_capacity(const json_t *v, void *base)
{
	struct dw_disk_info *i = &((struct dw_disk_result *)base)->info;
	json_int_t bytes = json_integer_value(v);

	if (!json_is_integer(v) || bytes < 0 ||
	    (i->block_size ? bytes % i->block_size : bytes))
		return "not a number of whole blocks";
	i->blocks = i->block_size ? (uint64_t)bytes / i->block_size : 0;
	return NULL;
}

static json_t *pack_outcome(const void *base)
{
	const struct dw_disk_result *d = base;

	return json_string(dw_outcome_name(d->outcome, d->verify_only));
}

static const char *unpack_outcome(const json_t *v, void *base)
{
	struct dw_disk_result *d = base;
	const char *text = json_is_string(v) ? json_string_value(v) : "";

	for (int o = DW_OUTCOME_NONE; o <= DW_OUTCOME_REMOVED; o++)
		for (int only = 0; only < 2; only++)
			if (!strcmp(text, dw_outcome_name((enum dw_outcome)o, only))) {
				d->outcome = (enum dw_outcome)o;
				d->verify_only = only;
				return NULL;
			}
	return "not one of the known words";
}

static json_t *pack_mode(const void *base)
{
	const char *mode = ((const struct dw_disk_result *)base)->verify.mode;

	return dw_json_text(mode[0] ? mode : "off");
}

static const char *unpack_mode(const json_t *v, void *base)
{
	struct dw_disk_result *d = base;

	return dw_record_text(v, d->verify.mode, sizeof(d->verify.mode));
}

static json_t *pack_verified(const void *base)
{
	char text[160];

	return json_string(dw_verified_text(base, text, sizeof(text)));
}

static json_t *pack_refusal(const void *base)
{
	const struct dw_refused *r = base;

	return json_string(dw_refusal_name(r->verdict.refusal));
}

static const char *unpack_refusal(const json_t *v, void *base)
{
	const char *text = json_is_string(v) ? json_string_value(v) : "";

	for (int r = 0; r < DW_REFUSAL_COUNT; r++)
		if (!strcmp(text, dw_refusal_name((enum dw_refusal)r))) {
			((struct dw_refused *)base)->verdict.refusal = (enum dw_refusal)r;
			return NULL;
		}
	return "not one of the known words";
}

/* What a disk does not tell of its health is null. */
#define HEALTH_CODEC(member, type, none, least)                                          \
	static json_t *pack_##member(const void *base)                                   \
	{                                                                                \
		json_int_t v = ((const struct dw_health *)base)->member;                 \
                                                                                         \
		return v == (none) ? json_null() : json_integer(v);                      \
	}                                                                                \
                                                                                         \
	static const char *unpack_##member(const json_t *v, void *base)                  \
	{                                                                                \
		json_int_t n = json_is_null(v) ? (none) : json_integer_value(v);         \
                                                                                         \
		if (!json_is_null(v) && !json_is_integer(v))                             \
			return "not a whole number";                                     \
		if (!json_is_null(v) && (n < (least) || n != (type)n))                   \
			return "out of range";                                           \
		((struct dw_health *)base)->member = (type)n;                            \
		return NULL;                                                             \
	}                                                                                \
                                                                                         \
	static const struct dw_field_codec member##_codec = { pack_##member,             \
							      unpack_##member }

HEALTH_CODEC(temperature, int32_t, DW_TEMPERATURE_UNKNOWN, DW_TEMPERATURE_UNKNOWN + 1);
HEALTH_CODEC(temperature_limit, int32_t, DW_TEMPERATURE_UNKNOWN,
	     DW_TEMPERATURE_UNKNOWN + 1);
HEALTH_CODEC(power_on_hours, int64_t, -1, 0);
HEALTH_CODEC(grown_defects, int64_t, -1, 0);
HEALTH_CODEC(read_errors, int64_t, -1, 0);
HEALTH_CODEC(write_errors, int64_t, -1, 0);

static const struct dw_field_codec device = { pack_device, unpack_device };
static const struct dw_field_codec paths = { pack_paths, unpack_paths };
static const struct dw_field_codec capacity = { pack_capacity, unpack_capacity };
static const struct dw_field_codec outcome = { pack_outcome, unpack_outcome };
static const struct dw_field_codec mode = { pack_mode, unpack_mode };
static const struct dw_field_codec verified = { pack_verified, NULL };
static const struct dw_field_codec refusal = { pack_refusal, unpack_refusal };

#define DISK(type, member, key_, ...)                                                    \
	DW_FIELD_AS(type, struct dw_disk_result, member, key_, __VA_ARGS__)
#define PASS(type, member, ...) DW_FIELD(type, struct dw_pass_result, member, __VA_ARGS__)
#define USE(type, member, ...)  DW_FIELD(type, struct dw_path_use, member, __VA_ARGS__)
#define BAD(type, member, ...)  DW_FIELD(type, struct dw_exception, member, __VA_ARGS__)

static const struct dw_field pass_rows[] = {
	PASS(TEXT, pattern),
	PASS(TEXT, command),
	PASS(REAL, seconds, SECONDS),
	PASS(NUMBER, bytes, WHOLE_NUMBER),
};

static const struct dw_field exception_rows[] = {
	BAD(NUMBER, lba, WHOLE_NUMBER),
	BAD(NUMBER, blocks, WHOLE_NUMBER),
	BAD(WORD, kind, .words = dw_exception_words, .max = DW_UNSTEADY),
	BAD(TEXT, sense),
};

static const struct dw_field path_use_rows[] = {
	USE(TEXT, device),
	USE(TEXT, state),
	USE(NUMBER, commands, WHOLE_NUMBER),
	USE(NUMBER, failures, WHOLE_NUMBER),
	USE(NUMBER, returns, WHOLE_NUMBER),
};

static const struct dw_field verify_rows[] = {
	{ .key = "mode", .type = DW_FIELD_CODED, .codec = &mode },
	DISK(NUMBER, verify.samples, "samples", WHOLE_NUMBER),
	DISK(TEXT, verify.seed, "seed", .optional = true),
	DISK(NUMBER, verify.blocks, "blocks", WHOLE_NUMBER),
	DISK(NUMBER, verify.mismatches, "mismatches", WHOLE_NUMBER),
	DISK(REAL, verify.bound, "bound", .max = 1),
	DISK(BOOL, verify.fua, "fua"),
	DISK(WORD, verify.done, "done", .words = dw_verified_words,
	     .max = DW_VERIFIED_FULL),
	DISK(NUMBER, verify.read, "read", WHOLE_NUMBER),
	DISK(NUMBER, info.blocks, "of", WHOLE_NUMBER),
	DISK(NUMBER, verify.places, "places", .max = UINT32_MAX, .optional = true),
	{ .key = "text", .type = DW_FIELD_CODED, .codec = &verified },
	DISK(NUMBER, verify.planted, "planted", .max = UINT32_MAX, .optional = true),
	DISK(NUMBER, verify.found, "planted_found", .max = UINT32_MAX, .optional = true),
	DISK(NUMBER, verify.compared, "device_compared", WHOLE_NUMBER, .optional = true),
	DISK(REAL, verify.skipped, "device_skipped", .max = 1, .optional = true),
	DISK(TEXT, verify.not_compared, "device_refused", .optional = true),
	DISK(TEXT, verify.copies, "policy", .optional = true),
	DISK(NUMBER, verify.sweeps, "sweeps", .max = UINT32_MAX, .optional = true),
	DISK(REAL, verify.simulated, "simulated_gain", REALS, .below_zero = true,
	     .optional = true),
};

static const struct dw_field error_rows[] = {
	DISK(NUMBER, errors.retried, "retried", WHOLE_NUMBER),
	DISK(NUMBER, errors.split, "split", WHOLE_NUMBER),
	DISK(NUMBER, errors.timeouts, "timeouts", WHOLE_NUMBER),
	DISK(NUMBER, errors.resets, "resets", WHOLE_NUMBER),
};

#define RESTORED(type, member, key_, ...)                                                \
	DW_FIELD_AS(type, struct dw_restored, member, key_, __VA_ARGS__)

const struct dw_field dw_restored_fields[] = {
	RESTORED(WORD, by, "by", .words = dw_hidden_words, .max = DW_HIDDEN_COUNT - 1),
	RESTORED(NUMBER, blocks, "blocks", WHOLE_NUMBER),
};

static const char *const health_words[] = { "unknown", "good", "failing" };

#define HEALTH(member)                                                                   \
	DW_FIELD_AS(CODED, struct dw_health, member, #member, .codec = &member##_codec,  \
		    .null = true)

const struct dw_field dw_health_fields[] = {
	DW_FIELD(WORD, struct dw_health, state, .words = health_words,
		 .max = DW_HEALTH_FAILING),
	DW_FIELD(TEXT, struct dw_health, text, .null = true),
	HEALTH(temperature),
	HEALTH(temperature_limit),
	HEALTH(power_on_hours),
	HEALTH(grown_defects),
	HEALTH(read_errors),
	HEALTH(write_errors),
};

_Static_assert(DW_ARRAY_SIZE(dw_restored_fields) == DW_RESTORED_FIELDS, "result.h");
_Static_assert(DW_ARRAY_SIZE(dw_health_fields) == DW_HEALTH_FIELDS, "result.h");

static const struct dw_field disk_rows[] = {
	{ .key = "device", .type = DW_FIELD_CODED, .codec = &device },
	{ .key = "paths", .type = DW_FIELD_CODED, .codec = &paths },
	DISK(TEXT, info.vendor, "vendor"),
	DISK(TEXT, info.model, "model"),
	DISK(TEXT, info.revision, "revision"),
	DISK(TEXT, info.serial, "serial", .null = true),
	DISK(TEXT, info.wwn, "wwn", .null = true),
	DISK(BOOL, info.name_shared, "name_shared", .optional = true),
	DISK(TEXT, info.transport, "transport", .optional = true),
	DISK(TEXT, info.host_driver, "host_driver", .optional = true),
	DISK(TEXT, info.phy, "phy", .optional = true),
	DISK(TEXT, info.slot, "slot", .optional = true),
	DISK(TEXT, medium, "medium", .optional = true),
	DISK(NUMBER, info.block_size, "block_size", .max = UINT32_MAX),
	{ .key = "capacity_bytes", .type = DW_FIELD_CODED, .codec = &capacity },
	DISK(NUMBER, info.hidden_blocks, "hidden_blocks", WHOLE_NUMBER),
	DISK(WORD, info.hidden_by, "hidden_by", .words = dw_hidden_words,
	     .max = DW_HIDDEN_COUNT - 1, .null = true),
	DISK(TEXT, hidden_reason, "hidden_reason", .null = true),
	DISK(LIST, restored, "restored",
	     ITEMS(struct dw_disk_result, n_restored, struct dw_restored,
		   dw_restored_fields)),
	DISK(TEXT, method, "method"),
	DISK(TEXT, level, "level", .null = true),
	DISK(TEXT, level_reason, "level_reason", .null = true),
	DISK(TEXT, level_limit, "level_limit", .null = true),
	DISK(TEXT, command, "command"),
	{ .key = "outcome", .type = DW_FIELD_CODED, .codec = &outcome },
	DISK(TEXT, reason, "reason", .null = true),
	DISK(REAL, seconds, "seconds", SECONDS),
	DISK(REAL, flush_seconds, "flush_seconds", SECONDS),
	DISK(REAL, verify_seconds, "verify_seconds", SECONDS),
	DISK(REAL, waited_seconds, "waited_seconds", SECONDS),
	DISK(TIME, started, "started", .optional = true),
	DISK(TIME, finished, "finished", .optional = true),
	DISK(NUMBER, bytes_written, "bytes_written", WHOLE_NUMBER),
	DISK(NUMBER, bytes_verified, "bytes_verified", WHOLE_NUMBER),
	DISK(NUMBER, bytes_compared, "bytes_compared", WHOLE_NUMBER),
	DISK(NUMBER, commands, "commands", WHOLE_NUMBER),
	DISK(WHOLE, mean_bytes_per_second, "mean_bytes_per_second", REALS),
	DISK(NUMBER, transfer_blocks, "transfer_blocks", .max = UINT32_MAX),
	DISK(NUMBER, depth, "depth", .max = UINT32_MAX),
	DW_FIELD_OWNED(struct dw_disk_result, pass, "passes", n_passes, pass_rows,
		       DW_ARRAY_SIZE(pass_rows)),
	DW_FIELD_OWNED(struct dw_disk_result, exception, "exceptions", n_exceptions,
		       exception_rows, DW_ARRAY_SIZE(exception_rows)),
	GROUP(struct dw_disk_result, "verify", verify_rows),
	GROUP(struct dw_disk_result, "errors", error_rows),
	DISK(TEXT, signatures, "signatures"),
	DISK(TEXT, path, "path"),
	DISK(TEXTS, notes, "notes", DW_FIELD_COUNT(struct dw_disk_result, n_notes),
	     .stride = sizeof(((struct dw_disk_result *)0)->notes[0])),
	DISK(TEXT, path_mode, "path_mode"),
	DISK(LIST, path_use, "path_use",
	     ITEMS(struct dw_disk_result, n_path_use, struct dw_path_use, path_use_rows)),
	DISK(BOOL, flush_refused, "flush_refused"),
	DISK(BOOL, write_cache_switched, "write_cache_switched"),
	DISK(BOOL, left_working, "left_working", .optional = true),
	DISK(BOOL, info.password_left, "password_left", .optional = true),
	DISK(BOOL, purge_requested, "purge_requested", .optional = true),
	DISK(BOOL, purge_attested, "purge_attested", .optional = true),
	DISK(BOOL, earlier, "earlier", .optional = true),
	DISK(RECORD, health_before, "health_before", MEMBERS(dw_health_fields),
	     .optional = true),
	DISK(RECORD, health_after, "health_after", MEMBERS(dw_health_fields),
	     .optional = true),
	{ .key = "stopped", .type = DW_FIELD_OTHER, .optional = true },
	{ .key = "forecast", .type = DW_FIELD_OTHER, .optional = true },
};

static const struct dw_field stopped_rows[] = {
	DISK(NUMBER, stopped_pass, "pass", .max = UINT32_MAX),
	DISK(NUMBER, stopped_lba, "lba", WHOLE_NUMBER),
};

#define REFUSED(type, member, key_) DW_FIELD_AS(type, struct dw_refused, member, key_, )

static const struct dw_field refused_rows[] = {
	REFUSED(TEXT, device, "device"),
	REFUSED(TEXT, verdict.reason, "reason"),
	{ .key = "kind", .type = DW_FIELD_CODED, .codec = &refusal },
	REFUSED(TEXT, verdict.release, "release"),
};

static const struct dw_field left_out_rows[] = {
	DW_FIELD_OWNED(struct dw_job_result, refused, "refused", n_refused, refused_rows,
		       DW_ARRAY_SIZE(refused_rows)),
};

#define JOB(type, member, key_, ...)                                                     \
	DW_FIELD_AS(type, struct dw_result_doc, job.member, key_, __VA_ARGS__)
#define DOC(type, member, ...) DW_FIELD(type, struct dw_result_doc, member, __VA_ARGS__)
#define HOST(member)           DW_FIELD(TEXT, struct dw_host, member, )
#define SHARED(type, member, ...)                                                        \
	DW_FIELD(type, struct dw_paths_forecast, member, __VA_ARGS__)
#define BESIDE(type, member, ...)                                                        \
	DW_FIELD(type, struct dw_background_forecast, member, __VA_ARGS__)

static const struct dw_field host_rows[] = {
	HOST(name),
	HOST(serial),
	HOST(asset_tag),
	HOST(kernel),
};

static const char *const path_modes[] = { "fixed", "dynamic" };

static const struct dw_field paths_rows[] = {
	SHARED(NUMBER, devices, .max = UINT32_MAX),
	SHARED(NUMBER, paths, .max = UINT32_MAX),
	SHARED(NUMBER, transfer, .max = UINT32_MAX),
	SHARED(REAL, media_rate, REALS),
	SHARED(REAL, path_rate, REALS),
	SHARED(REAL, revolution_ms, REALS),
	SHARED(REAL, fixed_rate, REALS),
	SHARED(REAL, dynamic_rate, REALS),
	SHARED(REAL, fixed_misses, REALS),
	SHARED(REAL, dynamic_misses, REALS),
	SHARED(REAL, gain, REALS, .below_zero = true),
	DW_FIELD_AS(WORD, struct dw_paths_forecast, dynamic, "mode", .words = path_modes,
		    .max = 1),
	SHARED(TEXT, why),
};

static const struct dw_field background_forecast_rows[] = {
	BESIDE(REAL, share, REALS),           BESIDE(REAL, response, REALS),
	BESIDE(REAL, response_before, REALS), BESIDE(REAL, knee, REALS),
	BESIDE(REAL, knee_before, REALS),
};

static const struct dw_field background_rows[] = {
	JOB(REAL, spec.background.share, "asked_share", .max = 1, .optional = true),
	DOC(REAL, asked_response, SECONDS, .optional = true),
	JOB(NUMBER, background.users, "users", .max = UINT32_MAX, .optional = true),
	JOB(REAL, background.think, "think", REALS, .optional = true),
	JOB(REAL, background.demand, "demand", REALS, .optional = true),
	JOB(RECORD, background.forecast, "forecast", MEMBERS(background_forecast_rows),
	    .optional = true),
	JOB(NUMBER, background.n_others, "others", .max = UINT32_MAX),
	JOB(REAL, background.measured_before, "measured_before", REALS),
	JOB(REAL, background.target, "target", REALS),
	JOB(REAL, background.measured, "measured", REALS),
	JOB(NUMBER, background.answers, "answers", WHOLE_NUMBER),
	JOB(REAL, background.share, "share", REALS),
	JOB(REAL, background.used, "used", REALS),
};

static const struct dw_field job_rows[] = {
	JOB(TEXT, spec.strategy, "strategy"),
	DOC(TEXT, controller),
	DOC(TEXT, command),
	DOC(TEXT, method),
	DOC(TEXT, verify),
	DOC(TEXT, verify_asked, .optional = true),
	JOB(TIME, started, "started"),
	JOB(TIME, finished, "finished"),
	JOB(REAL, seconds, "seconds", SECONDS),
	DOC(TEXT, outcome),
	JOB(TEXT, id, "id", .optional = true),
	JOB(RECORD, host, "host", MEMBERS(host_rows)),
	JOB(TEXT, key_check, "key_check", .optional = true),
	DOC(TEXT, state_error, .optional = true),
	DOC(TEXT, trace_error, .optional = true),
	JOB(RECORD, paths, "paths", MEMBERS(paths_rows), .optional = true),
	JOB(TEXT, simulation, "simulation", .optional = true),
	GROUP(struct dw_result_doc, "background", background_rows, .optional = true),
	JOB(TEXT, spec.pattern, "pattern", .optional = true),
	{ .key = "forecast", .type = DW_FIELD_OTHER, .optional = true },
};

const struct dw_table dw_job_table = TABLE(job_rows);
const struct dw_table dw_disk_table = TABLE(disk_rows);
const struct dw_table dw_stopped_table = TABLE(stopped_rows);
const struct dw_table dw_exception_table = TABLE(exception_rows);
const struct dw_table dw_refused_table = TABLE(left_out_rows);

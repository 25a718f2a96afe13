/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a record says, as tables of its members. JSON has one form here: keys sorted, no blanks, no
 * character beyond ASCII, no fractions. So the same facts are the same bytes everywhere.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "proof/proof.h"
#include "report/json.h"
#include "report/record.h"
#include "report/result.h"

#define PLAIN (JSON_SORT_KEYS | JSON_COMPACT | JSON_ENSURE_ASCII)

#define WHOLE_NUMBER            .max = INT64_MAX
#define OURS(type, member, ...) DW_FIELD(type, struct dw_proof, member, __VA_ARGS__)
#define OURS_AS(type, member, key_, ...)                                                 \
	DW_FIELD_AS(type, struct dw_proof, member, key_, __VA_ARGS__)
#define HOST(member)            DW_FIELD(TEXT, struct dw_host, member, )
#define PASS(type, member, ...) DW_FIELD(type, struct dw_proof_pass, member, __VA_ARGS__)
#define HEAD(type, member, ...) DW_FIELD(type, struct dw_head, member, __VA_ARGS__)
#define DRAW(type, member, ...) DW_FIELD(type, struct dw_draw, member, __VA_ARGS__)
#define GROUP(key_, rows)                                                                \
	{                                                                                \
		.key = (key_), .type = DW_FIELD_RECORD, .size = sizeof(struct dw_proof), \
		.fields = (rows), .n_fields = DW_ARRAY_SIZE(rows)                        \
	}

static json_t *pack_max_temperature(const void *base)
{
	int32_t t = ((const struct dw_proof *)base)->max_temperature;

	return t == DW_TEMPERATURE_UNKNOWN ? json_null() : json_integer(t);
}

static const char *unpack_max_temperature(const json_t *v, void *base)
{
	json_int_t t = json_is_null(v) ? DW_TEMPERATURE_UNKNOWN : json_integer_value(v);

	if ((!json_is_null(v) && !json_is_integer(v)) || t < DW_TEMPERATURE_UNKNOWN ||
	    t > INT32_MAX)
		return "not a temperature";
	((struct dw_proof *)base)->max_temperature = (int32_t)t;
	return NULL;
}

static const struct dw_field_codec max_temperature = { pack_max_temperature,
						       unpack_max_temperature };

static const struct dw_field host_fields[] = { HOST(name), HOST(serial), HOST(asset_tag),
					       HOST(kernel) };

static const struct dw_field info_fields[] = {
	OURS_AS(TEXT, device, "device", ),
	OURS_AS(TEXT, info.vendor, "vendor", ),
	OURS_AS(TEXT, info.model, "model", ),
	OURS_AS(TEXT, info.revision, "revision", ),
	OURS_AS(TEXT, info.serial, "serial", .null = true),
	OURS_AS(TEXT, info.wwn, "wwn", .null = true),
	OURS_AS(BOOL, info.name_shared, "name_shared", .optional = true),
	OURS_AS(TEXT, info.transport, "transport", ),
	OURS_AS(NUMBER, info.block_size, "block_size", .max = UINT32_MAX),
	OURS_AS(NUMBER, info.physical_block_size, "physical_block_size",
		.max = UINT32_MAX),
	OURS_AS(NUMBER, info.blocks, "blocks", WHOLE_NUMBER),
	OURS_AS(NUMBER, info.hidden_blocks, "hidden_blocks", WHOLE_NUMBER),
	OURS_AS(WORD, info.hidden_by, "hidden_by", .words = dw_hidden_words,
		.max = DW_HIDDEN_COUNT - 1, .null = true),
	OURS(TEXT, hidden_reason, .null = true),
	OURS(LIST, restored, DW_FIELD_COUNT(struct dw_proof, n_restored),
	     .stride = sizeof(struct dw_restored), .fields = dw_restored_fields,
	     .n_fields = DW_RESTORED_FIELDS),
	OURS_AS(BOOL, info.password_left, "password_left", .optional = true),
	OURS(TEXT, medium),
	OURS_AS(TEXT, info.host_driver, "host_driver", ),
	OURS_AS(TEXT, info.phy, "phy", ),
	OURS_AS(TEXT, info.slot, "slot", ),
};

static const struct dw_field asked_fields[] = {
	OURS_AS(TEXT, asked_method, "method", ),
	OURS_AS(TEXT, asked_level, "level", ),
	OURS(BOOL, or_clear, ),
};

static const struct dw_field pass_fields[] = {
	PASS(TEXT, pattern),
	PASS(TEXT, command),
	PASS(NUMBER, microseconds, WHOLE_NUMBER),
	PASS(NUMBER, bytes, WHOLE_NUMBER),
};

static const struct dw_field time_fields[] = {
	OURS_AS(TIME, started, "started", .optional = true),
	OURS_AS(TIME, finished, "finished", .optional = true),
	OURS(NUMBER, microseconds, WHOLE_NUMBER),
	OURS_AS(NUMBER, flush_microseconds, "flush", WHOLE_NUMBER),
	OURS_AS(NUMBER, verify_microseconds, "verify", WHOLE_NUMBER),
	OURS_AS(NUMBER, waited_microseconds, "waited", WHOLE_NUMBER),
	OURS_AS(NUMBER, forecast_microseconds, "forecast", WHOLE_NUMBER),
};

static const struct dw_field verify_fields[] = {
	OURS_AS(TEXT, verify.mode, "asked", ),
	OURS_AS(WORD, verify.done, "done", .words = dw_verified_words,
		.max = DW_VERIFIED_FULL),
	OURS_AS(NUMBER, verify.read, "blocks", WHOLE_NUMBER),
	OURS_AS(NUMBER, verify.samples, "samples", WHOLE_NUMBER),
	OURS_AS(NUMBER, verify.mismatches, "mismatches", WHOLE_NUMBER),
	OURS_AS(NUMBER, verify.bound_ppb, "bound_ppb", .max = 1000000000),
	OURS_AS(BOOL, verify.fua, "fua", ),
	OURS_AS(TEXT, verify.seed, "seed", ),
	OURS_AS(NUMBER, verify.places, "places", .max = UINT32_MAX, .optional = true),
	OURS_AS(NUMBER, verify.planted, "planted", .max = UINT32_MAX, .optional = true),
	OURS_AS(NUMBER, verify.found, "planted_found", .max = UINT32_MAX,
		.optional = true),
	OURS_AS(NUMBER, verify.compared, "device_compared", WHOLE_NUMBER,
		.optional = true),
	OURS_AS(NUMBER, verify.skipped_ppb, "device_skipped_ppb", .max = 1000000000,
		.optional = true),
	OURS_AS(TEXT, verify.not_compared, "device_refused", .optional = true),
};

static const struct dw_field error_fields[] = {
	OURS_AS(NUMBER, errors.retried, "retried", WHOLE_NUMBER),
	OURS_AS(NUMBER, errors.split, "split", WHOLE_NUMBER),
	OURS_AS(NUMBER, errors.timeouts, "timeouts", WHOLE_NUMBER),
	OURS_AS(NUMBER, errors.resets, "resets", WHOLE_NUMBER),
};

static const struct dw_field second_fields[] = {
	DW_FIELD(NUMBER, struct dw_second, draw, .min = 1, WHOLE_NUMBER),
	DW_FIELD_AS(NUMBER, struct dw_second, drawn.sequence, "sequence", .min = 1,
		    WHOLE_NUMBER),
	DW_FIELD_AS(TEXT, struct dw_second, drawn.record, "record", ),
	DW_FIELD(NUMBER, struct dw_second, compared, .min = 1, WHOLE_NUMBER),
	DW_FIELD(TEXT, struct dw_second, erased_by, ),
};

static const struct dw_field job_fields[] = {
	OURS_AS(TEXT, job, "id", ),
	OURS_AS(TEXT, strategy, "strategy", ),
	OURS_AS(TEXT, simulation, "simulation", .optional = true),
	OURS_AS(TEXT, key_check, "key_check", .optional = true),
};

static const struct dw_field proof_fields[] = {
	{ .key = "document", .type = DW_FIELD_OTHER },
	{ .key = "schema", .type = DW_FIELD_OTHER },
	{ .key = "exceptions", .type = DW_FIELD_OTHER },
	OURS(NUMBER, sequence, .min = 1, WHOLE_NUMBER),
	OURS(TEXT, previous),
	OURS(TEXT, id),
	OURS(TIME, written),
	OURS(TEXT, tool),
	OURS(TEXT, build, .null = true),
	OURS(BOOL, clock_synchronised, ),
	OURS_AS(RECORD, host, "host", .fields = host_fields,
		.n_fields = DW_ARRAY_SIZE(host_fields)),
	OURS_AS(TEXT, operator_name, "operator", ),
	OURS(TEXT, bay),
	OURS(TEXT, label),
	OURS(TEXT, asked_by, .optional = true),
	OURS(TEXT, station, .optional = true),
	OURS(TEXT, customer, .optional = true),
	OURS_AS(TEXT, order_number, "order", .optional = true),
	OURS(TEXT, asset, .optional = true),
	GROUP("job", job_fields),
	GROUP("disk", info_fields),
	OURS(TEXT, outcome),
	OURS(TEXT, reason, .null = true),
	OURS(TEXT, method),
	OURS(TEXT, level),
	OURS(TEXT, level_reason, .null = true),
	OURS(TEXT, level_limit, .null = true),
	OURS(NUMBER, level_table, .optional = true, .max = UINT32_MAX),
	OURS(BOOL, purge_requested, .optional = true),
	OURS(BOOL, purge_attested, .optional = true),
	GROUP("asked", asked_fields),
	OURS(TEXT, command),
	OURS(TEXT, path),
	OURS(NUMBER, bytes_per_second, WHOLE_NUMBER),
	OURS(TEXT, signatures),
	OURS(TEXTS, notes, DW_FIELD_COUNT(struct dw_proof, n_notes),
	     .stride = sizeof(((struct dw_proof *)0)->notes[0])),
	OURS_AS(RECORD, health_before, "health_before", .fields = dw_health_fields,
		.n_fields = DW_HEALTH_FIELDS, .optional = true),
	OURS_AS(RECORD, health_after, "health_after", .fields = dw_health_fields,
		.n_fields = DW_HEALTH_FIELDS, .optional = true),
	{ .key = "max_temperature", .type = DW_FIELD_CODED, .codec = &max_temperature },
	GROUP("times", time_fields),
	OURS(NUMBER, bytes_written, WHOLE_NUMBER),
	OURS(NUMBER, bytes_verified, WHOLE_NUMBER),
	OURS(NUMBER, bytes_compared, WHOLE_NUMBER),
	OURS(NUMBER, commands, WHOLE_NUMBER),
	DW_FIELD_OWNED(struct dw_proof, pass, "passes", n_passes, pass_fields,
		       DW_ARRAY_SIZE(pass_fields)),
	GROUP("verification", verify_fields),
	GROUP("errors", error_fields),
	OURS_AS(RECORD, second, "second_check", .fields = second_fields,
		.n_fields = DW_ARRAY_SIZE(second_fields), .optional = true),
};

/* what makes a record a link of the chain; no version changes it */
static const struct dw_field link_fields[] = {
	OURS(NUMBER, sequence, .min = 1, WHOLE_NUMBER),
	OURS(TEXT, previous),
	OURS(TEXT, id),
	OURS(TIME, written),
};

static const struct dw_field head_fields[] = {
	{ .key = "document", .type = DW_FIELD_OTHER },
	{ .key = "schema", .type = DW_FIELD_OTHER },
	HEAD(NUMBER, sequence, .min = 1, WHOLE_NUMBER),
	HEAD(TEXT, record),
	HEAD(TIME, written),
};

static const struct dw_field drawn_fields[] = {
	DW_FIELD(NUMBER, struct dw_drawn, sequence, .min = 1, WHOLE_NUMBER),
	DW_FIELD(TEXT, struct dw_drawn, record, ),
};

static const struct dw_field draw_fields[] = {
	{ .key = "document", .type = DW_FIELD_OTHER },
	{ .key = "schema", .type = DW_FIELD_OTHER },
	DRAW(NUMBER, sequence, .min = 1, WHOLE_NUMBER),
	DRAW(TEXT, previous),
	DRAW(TEXT, id),
	DRAW(TIME, written),
	DRAW(TEXT, tool),
	DW_FIELD_AS(RECORD, struct dw_draw, host, "host", .fields = host_fields,
		    .n_fields = DW_ARRAY_SIZE(host_fields), .optional = true),
	DW_FIELD_AS(TEXT, struct dw_draw, operator_name, "operator", ),
	DRAW(NUMBER, share_ppm, .min = 1, .max = 1000000),
	DRAW(TIME, since, .optional = true),
	DRAW(TIME, until, .optional = true),
	DRAW(TEXT, label),
	DRAW(NUMBER, population, .min = 1, WHOLE_NUMBER),
	DRAW(TEXT, seed),
	DW_FIELD_OWNED(struct dw_draw, picked, "picked", n_picked, drawn_fields,
		       DW_ARRAY_SIZE(drawn_fields)),
};

#define AUDIT(type, member, ...) DW_FIELD(type, struct dw_audit, member, __VA_ARGS__)
#define ROW(type, member, ...)   DW_FIELD(type, struct dw_audit_row, member, __VA_ARGS__)

static const struct dw_field audit_row_fields[] = {
	ROW(NUMBER, row, .min = 1, WHOLE_NUMBER),
	ROW(NUMBER, at, WHOLE_NUMBER),
	ROW(NUMBER, uid, .max = UINT32_MAX),
	ROW(NUMBER, pid, .max = UINT32_MAX),
	ROW(NUMBER, loginuid, .max = UINT32_MAX),
	ROW(TEXT, comm),
	ROW(TEXT, bus),
	ROW(TEXT, what),
	ROW(TEXT, job, .null = true),
	ROW(TEXT, text),
};

static const struct dw_field audit_fields[] = {
	{ .key = "document", .type = DW_FIELD_OTHER },
	{ .key = "schema", .type = DW_FIELD_OTHER },
	AUDIT(NUMBER, sequence, .min = 1, WHOLE_NUMBER),
	AUDIT(TEXT, previous),
	AUDIT(TEXT, id),
	AUDIT(TIME, written),
	AUDIT(TEXT, tool),
	DW_FIELD_AS(RECORD, struct dw_audit, host, "host", .fields = host_fields,
		    .n_fields = DW_ARRAY_SIZE(host_fields), .optional = true),
	AUDIT(NUMBER, store, WHOLE_NUMBER),
	AUDIT(NUMBER, first, .min = 1, WHOLE_NUMBER),
	AUDIT(NUMBER, last, WHOLE_NUMBER),
	DW_FIELD_OWNED(struct dw_audit, row, "rows", n_rows, audit_row_fields,
		       DW_ARRAY_SIZE(audit_row_fields)),
};

static const char *const entry_kinds[] = {
	[DW_ENTRY_ERASURE] = "erasure-record",
	[DW_ENTRY_DRAW] = "draw-record",
	[DW_ENTRY_AUDIT] = "audit-record",
};

static char *plain_text(const json_t *doc)
{
	dw_autofree char *line = json_dumps(doc, PLAIN);
	char *text;

	return line && asprintf(&text, "%s\n", line) >= 0 ? text : NULL;
}

static bool is_plain_text_of(const json_t *doc, const char *text, size_t len)
{
	dw_autofree char *again = plain_text(doc);

	return again && strlen(again) == len && !memcmp(again, text, len);
}

/* Is it JSON in its only form: sorted, without blanks, ASCII, a newline? */
static bool is_plain_json(const char *text, size_t len)
{
	json_t *doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	bool plain = doc && is_plain_text_of(doc, text, len);

	json_decref(doc);
	return plain;
}

static char *document(const char *kind, const struct dw_field *fields, size_t n,
		      const void *base, json_t *more)
{
	json_t *doc = NULL;
	char *text = NULL;
	int r = dw_record_pack(fields, n, base, &doc);

	if (r) {
		json_decref(more);
		return NULL;
	}
	r = json_object_set_new(doc, "document", json_string(kind)) |
	    json_object_set_new(doc, "schema", json_integer(1));
	if (more)
		r |= json_object_set_new(doc, "exceptions", more);
	if (!r)
		text = plain_text(doc);
	json_decref(doc);
	return text;
}

static int read_document(const char *text, size_t len, const char *kind,
			 const struct dw_field *fields, size_t n, void *base,
			 json_t **ret_doc, struct dw_error *err)
{
	int r;

	dw_error_clear(err);
	r = dw_record_parse(text, len, kind, ret_doc, err);
	/* what is no record of that kind may still be JSON, which is another fault */
	if (r ? !is_plain_json(text, len) : !is_plain_text_of(*ret_doc, text, len)) {
		dw_error_clear(err);
		return dw_error_content(err, NULL,
					"not JSON in the form that a record has");
	}
	/* keys of later versions are passed over */
	return r ? r : dw_record_unpack_open(fields, n, *ret_doc, "", base, err);
}

static const char *const head_kinds[] = {
	[DW_LEDGER_HEAD] = "ledger-head",
	[DW_LEDGER_DAY] = "ledger-day",
};

char *dw_head_json(enum dw_ledger_file kind, const struct dw_head *h)
{
	return document(head_kinds[kind], head_fields, DW_ARRAY_SIZE(head_fields), h,
			NULL);
}

int dw_head_parse(enum dw_ledger_file kind, const char *text, size_t len,
		  struct dw_head *ret, struct dw_error *err)
{
	json_t *doc = NULL;
	int r;

	*ret = (struct dw_head){ .sequence = 0 };
	r = read_document(text, len, head_kinds[kind], head_fields,
			  DW_ARRAY_SIZE(head_fields), ret, &doc, err);
	json_decref(doc);
	return r;
}

/* What is of no kind is reported as an erasure record that is none. */
int dw_proof_link_parse(const char *text, size_t len, enum dw_entry *ret_kind,
			struct dw_proof *ret, struct dw_error *err)
{
	json_t *doc = NULL;
	int r = -EINVAL;

	for (size_t i = DW_ARRAY_SIZE(entry_kinds); i > 0 && r == -EINVAL; i--) {
		*ret = (struct dw_proof){ .sequence = 0 };
		*ret_kind = (enum dw_entry)(i - 1);
		json_decref(doc);
		doc = NULL;
		r = read_document(text, len, entry_kinds[i - 1], link_fields,
				  DW_ARRAY_SIZE(link_fields), ret, &doc, err);
	}
	json_decref(doc);
	return r;
}

char *dw_audit_json(const struct dw_audit *a)
{
	return document(entry_kinds[DW_ENTRY_AUDIT], audit_fields,
			DW_ARRAY_SIZE(audit_fields), a, NULL);
}

int dw_audit_parse(const char *text, size_t len, struct dw_audit *ret,
		   struct dw_error *err)
{
	json_t *doc = NULL;
	int r;

	*ret = (struct dw_audit){ .sequence = 0 };
	r = read_document(text, len, entry_kinds[DW_ENTRY_AUDIT], audit_fields,
			  DW_ARRAY_SIZE(audit_fields), ret, &doc, err);
	json_decref(doc);
	if (!r && ret->last + 1 != ret->first + ret->n_rows)
		r = dw_error_content(err, "rows", "not as many as it says");
	for (uint32_t i = 0; i < ret->n_rows && !r; i++)
		if (ret->row[i].row != ret->first + i)
			r = dw_error_content(err, "rows", "one is missing");
	if (r)
		dw_audit_deinit(ret);
	return r;
}

char *dw_draw_json(const struct dw_draw *d)
{
	return document("draw-record", draw_fields, DW_ARRAY_SIZE(draw_fields), d, NULL);
}

int dw_draw_parse(const char *text, size_t len, struct dw_draw *ret, struct dw_error *err)
{
	json_t *doc = NULL;
	int r;

	*ret = (struct dw_draw){ .sequence = 0 };
	r = read_document(text, len, "draw-record", draw_fields,
			  DW_ARRAY_SIZE(draw_fields), ret, &doc, err);
	json_decref(doc);
	if (r)
		dw_draw_deinit(ret);
	return r;
}

static json_t *exceptions_value(const struct dw_proof *p)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < p->n_exceptions; i++)
		if (json_array_append_new(array, dw_json_table(&dw_exception_table,
							       &p->exception[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	return array;
}

char *dw_proof_json(const struct dw_proof *p)
{
	json_t *exceptions = exceptions_value(p);

	return exceptions ? document("erasure-record", proof_fields,
				     DW_ARRAY_SIZE(proof_fields), p, exceptions)
			  : NULL;
}

static int read_exceptions(const json_t *array, struct dw_proof *p, struct dw_error *err)
{
	size_t n = json_array_size(array);
	int r = 0;

	if (!json_is_array(array))
		return dw_error_content(err, "exceptions", "not a list");
	if (!n)
		return 0;
	p->exception = calloc(n, sizeof(*p->exception));
	if (!p->exception)
		return -ENOMEM;
	for (size_t i = 0; i < n && !r; i++)
		r = dw_record_unpack(dw_exception_table.field, dw_exception_table.n,
				     json_array_get(array, i), "exceptions",
				     &p->exception[i], err);
	p->n_exceptions = (uint32_t)n;
	return r;
}

int dw_proof_parse(const char *text, size_t len, struct dw_proof *ret,
		   struct dw_error *err)
{
	json_t *doc = NULL;
	int r;

	*ret = (struct dw_proof){ .sequence = 0 };
	r = read_document(text, len, "erasure-record", proof_fields,
			  DW_ARRAY_SIZE(proof_fields), ret, &doc, err);
	if (!r)
		r = read_exceptions(json_object_get(doc, "exceptions"), ret, err);
	json_decref(doc);
	if (r)
		dw_proof_deinit(ret);
	return r;
}

void dw_proof_deinit(struct dw_proof *p)
{
	free(p->pass);
	free(p->exception);
	*p = (struct dw_proof){ .sequence = 0 };
}

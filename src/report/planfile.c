/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plan file: what is to be done, and to which disks, by serial, WWN and capacity. It is
 * made to be read by a person before it is run, so it is indented, and every option stands
 * in it: a plan means the same whatever the defaults of the program that runs it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/identity.h>

#include "base/error.h"
#include "base/util.h"
#include "core/spec.h"
#include "file/file.h"
#include "report/json.h"
#include "report/planfile.h"

#define ENTRY(type, member, ...) DW_FIELD(type, struct dw_plan_entry, member, __VA_ARGS__)

const struct dw_field dw_entry_fields[] = {
	ENTRY(TEXT, device),
	ENTRY(TEXT, vendor),
	ENTRY(TEXT, model),
	ENTRY(TEXT, serial),
	ENTRY(TEXT, wwn),
	ENTRY(NUMBER, capacity_bytes, .min = 1, .max = INT64_MAX),
	ENTRY(NUMBER, block_size, .min = 1, .max = 65536),
};

_Static_assert(DW_ARRAY_SIZE(dw_entry_fields) == DW_ENTRY_FIELDS, "planfile.h");

static const struct dw_field plan_fields[] = {
	{ .key = "document", .type = DW_FIELD_OTHER },
	{ .key = "schema", .type = DW_FIELD_OTHER },
	{ .key = "tool", .type = DW_FIELD_OTHER },
	{ .key = "job", .type = DW_FIELD_OTHER },
	DW_FIELD_OWNED(struct dw_plan_doc, entry, "disks", n, dw_entry_fields,
		       DW_ENTRY_FIELDS, .min = 1, .max = DW_DOC_DISKS_MAX),
};

int dw_spec_pack(const struct dw_job_spec *spec, json_t **ret_object)
{
	return dw_record_pack(dw_spec_table, dw_spec_rows, spec, ret_object);
}

int dw_spec_unpack(const json_t *object, struct dw_job_spec *ret_spec,
		   struct dw_error *err)
{
	struct dw_job_spec spec = { .verify_policy = "both" };
	int r = dw_record_unpack(dw_spec_table, dw_spec_rows, object, "job", &spec, err);

	if (r < 0)
		return r;
	r = dw_spec_check(&spec, err);
	if (r < 0)
		dw_error_under(err, "job");
	else
		*ret_spec = spec;
	return r;
}

int dw_entry_check(const struct dw_plan_entry *entry, const char *where,
		   struct dw_error *err)
{
	int r;

	if (entry->capacity_bytes % entry->block_size == 0)
		return 0;
	r = dw_error_content(err, "capacity_bytes", "no multiple of block_size");
	dw_error_under(err, where);
	return r;
}

static bool same_disk(const struct dw_plan_entry *a, const struct dw_plan_entry *b)
{
	struct dw_identity x = dw_identity_named(a->serial, a->wwn),
			   y = dw_identity_named(b->serial, b->wwn);

	return a->capacity_bytes == b->capacity_bytes &&
	       dw_identity_match(&x, &y, DW_SAME_NAME);
}

int dw_entries_check(const struct dw_plan_entry *entry, size_t n, struct dw_error *err)
{
	char where[32];

	for (size_t i = 0; i < n; i++) {
		snprintf(where, sizeof(where), "disks[%zu]", i);
		if (!entry[i].serial[0] && !entry[i].wwn[0])
			return dw_error_content(
				err, where,
				"neither serial nor WWN: cannot be recognised");
		for (size_t k = 0; k < i; k++)
			if (same_disk(&entry[i], &entry[k]))
				return dw_error_content(
					err, where,
					"same serial, WWN and capacity as disks[%zu]", k);
	}
	return 0;
}

int dw_document_pack(const char *kind, const struct dw_job_spec *spec,
		     const struct dw_field *field, size_t n, const void *base,
		     json_t **ret_doc)
{
	json_t *doc = NULL, *job = NULL, *members = NULL;
	int r = dw_record_pack(field, n, base, &members);

	if (r == 0)
		r = dw_spec_pack(spec, &job);
	if (r == 0) {
		doc = json_pack("{s:s, s:i, s:o, s:o}", "document", kind, "schema", 1,
				"tool", dw_json_tool(), "job", job);
		r = doc && json_object_update(doc, members) == 0 ? 0 : -ENOMEM;
	}
	json_decref(members);
	if (r < 0)
		json_decref(doc);
	else
		*ret_doc = doc;
	return r;
}

static int plan_text(const struct dw_plan_doc *plan, char **ret_text)
{
	json_t *doc = NULL;
	int r = dw_entries_check(plan->entry, plan->n, NULL);

	if (r == 0)
		r = dw_document_pack("plan", &plan->spec, plan_fields,
				     DW_ARRAY_SIZE(plan_fields), plan, &doc);
	if (r < 0)
		return r;
	if (plan->forecast &&
	    json_object_set_new(doc, "forecast", dw_json_forecast_all(plan->forecast)) <
		    0) {
		json_decref(doc);
		return -ENOMEM;
	}
	*ret_text = dw_json_dump(doc, false);
	return *ret_text ? 0 : -ENOMEM;
}

char *dw_plan_json(const struct dw_plan_doc *plan)
{
	char *text;

	return plan_text(plan, &text) < 0 ? NULL : text;
}

int dw_plan_write(const char *path, const struct dw_plan_doc *plan)
{
	dw_autofree char *text = NULL;
	int r = plan_text(plan, &text);
	size_t len;

	if (r < 0)
		return r;
	len = strlen(text);
	text[len] = '\n'; /* files end with a newline; the 0 is not written */
	return dw_file_write(path, text, len + 1);
}

static int check_plan(const struct dw_plan_doc *plan, struct dw_error *err)
{
	char where[32];
	int r = 0;

	for (size_t i = 0; i < plan->n && r == 0; i++) {
		snprintf(where, sizeof(where), "disks[%zu]", i);
		r = dw_entry_check(&plan->entry[i], where, err);
	}
	return r < 0 ? r : dw_entries_check(plan->entry, plan->n, err);
}

int dw_plan_parse(const char *text, size_t len, struct dw_plan_doc *ret_plan,
		  struct dw_error *err)
{
	struct dw_plan_doc plan = { 0 };
	json_t *doc;
	int r;

	r = dw_record_parse(text, len, "plan", &doc, err);
	if (r < 0)
		return r;
	/* what was expected when the plan was made binds nobody */
	json_object_del(doc, "forecast");
	r = dw_record_unpack(plan_fields, DW_ARRAY_SIZE(plan_fields), doc, "", &plan,
			     err);
	if (r == 0)
		r = dw_spec_unpack(json_object_get(doc, "job"), &plan.spec, err);
	if (r == 0)
		r = check_plan(&plan, err);
	json_decref(doc);
	if (r < 0)
		dw_plan_deinit(&plan);
	else
		*ret_plan = plan;
	return r;
}

int dw_plan_read(const char *path, struct dw_plan_doc *ret_plan, struct dw_error *err)
{
	dw_autofree char *text = NULL;
	size_t len;
	int r = dw_record_file(path, DW_DOC_BYTES_MAX, &text, &len, err);

	if (r < 0)
		return r;
	r = dw_plan_parse(text, len, ret_plan, err);
	if (r < 0)
		dw_error_in(err, path, 0);
	return r;
}

/**
 * dw_plan_deinit() - release what a plan owns
 * @plan: read by dw_plan_read() or dw_resume_disks(), or all zero
 */
void dw_plan_deinit(struct dw_plan_doc *plan)
{
	free(plan->entry);
	*plan = (struct dw_plan_doc){ 0 };
}

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

static const struct dw_field entry_fields[] = {
	ENTRY(TEXT, device),
	ENTRY(TEXT, vendor),
	ENTRY(TEXT, model),
	ENTRY(TEXT, serial),
	ENTRY(TEXT, wwn),
	ENTRY(NUMBER, capacity_bytes, .min = 1, .max = INT64_MAX),
	ENTRY(NUMBER, block_size, .min = 1, .max = 65536),
};

static const struct dw_field plan_fields[] = {
	{ .key = "document", .type = DW_FIELD_OTHER },
	{ .key = "schema", .type = DW_FIELD_OTHER },
	{ .key = "tool", .type = DW_FIELD_OTHER },
	{ .key = "job", .type = DW_FIELD_OTHER },
	{ .key = "disks", .type = DW_FIELD_OTHER },
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

int dw_entry_pack(const struct dw_plan_entry *entry, json_t **ret_object)
{
	return dw_record_pack(entry_fields, DW_ARRAY_SIZE(entry_fields), entry,
			      ret_object);
}

int dw_entry_unpack(const json_t *object, const char *where,
		    struct dw_plan_entry *ret_entry, struct dw_error *err)
{
	int r = dw_record_unpack(entry_fields, DW_ARRAY_SIZE(entry_fields), object, where,
				 ret_entry, err);

	if (r == 0 && ret_entry->capacity_bytes % ret_entry->block_size) {
		r = dw_error_content(err, "capacity_bytes", "no multiple of block_size");
		dw_error_under(err, where);
	}
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

static int pack_entries(const struct dw_plan_doc *plan, json_t **ret_array)
{
	json_t *array = json_array(), *object;
	int r = array ? 0 : -ENOMEM;

	for (size_t i = 0; i < plan->n && r == 0; i++) {
		r = dw_entry_pack(&plan->entry[i], &object);
		if (r == 0 && json_array_append_new(array, object) < 0)
			r = -ENOMEM;
	}
	if (r < 0)
		json_decref(array);
	else
		*ret_array = array;
	return r;
}

static int plan_text(const struct dw_plan_doc *plan, char **ret_text)
{
	json_t *job, *disks, *doc;
	int r = dw_entries_check(plan->entry, plan->n, NULL);

	if (r < 0)
		return r;
	r = dw_spec_pack(&plan->spec, &job);
	if (r < 0)
		return r;
	r = pack_entries(plan, &disks);
	if (r < 0) {
		json_decref(job);
		return r;
	}
	doc = json_pack("{s:s, s:i, s:o, s:o, s:o}", "document", "plan", "schema", 1,
			"tool", dw_json_tool(), "job", job, "disks", disks);
	if (doc && plan->forecast &&
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

static int unpack_entries(const json_t *array, struct dw_plan_doc *plan,
			  struct dw_error *err)
{
	size_t n = json_array_size(array);
	char where[32];
	int r = 0;

	if (!json_is_array(array) || n == 0 || n > DW_DOC_DISKS_MAX)
		return dw_error_content(err, "disks", "not a list of 1 to %d disks",
					DW_DOC_DISKS_MAX);
	plan->entry = calloc(n, sizeof(*plan->entry));
	if (!plan->entry)
		return dw_error_system(err, -ENOMEM, NULL);
	plan->n = n;
	for (size_t i = 0; i < n && r == 0; i++) {
		snprintf(where, sizeof(where), "disks[%zu]", i);
		r = dw_entry_unpack(json_array_get(array, i), where, &plan->entry[i],
				    err);
	}
	return r < 0 ? r : dw_entries_check(plan->entry, n, err);
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
		r = unpack_entries(json_object_get(doc, "disks"), &plan, err);
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

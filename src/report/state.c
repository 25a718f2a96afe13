/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state file is read after something went wrong, perhaps with the machine, so it
 * carries a checksum over its canonical form (compact, keys sorted): what has been damaged
 * or cut is refused and never taken for another state.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/crc.h"
#include "base/util.h"
#include "core/spec.h"
#include "file/file.h"
#include "file/password.h"
#include "report/planfile.h"
#include "report/result.h"
#include "report/state.h"

#define FAULT(type, member, ...) DW_FIELD(type, struct dw_fault, member, __VA_ARGS__)

static const struct dw_field fault_fields[] = {
	FAULT(NUMBER, lba, .max = INT64_MAX),
	FAULT(NUMBER, nlb, .min = 1, .max = INT64_MAX),
	FAULT(WORD, kind, .max = DW_UNSTEADY, .words = dw_exception_words),
	FAULT(NUMBER, sense_key, .max = UINT8_MAX),
	FAULT(NUMBER, asc, .max = UINT8_MAX),
	FAULT(NUMBER, ascq, .max = UINT8_MAX),
	FAULT(NUMBER, pass, .max = UINT8_MAX),
};

static json_t *pack_witness(const void *base)
{
	return json_string(((const struct dw_state_entry *)base)->witness);
}

static const char *unpack_witness(const json_t *v, void *base)
{
	struct dw_state_entry *e = base;

	if (!json_is_string(v))
		return "not a text";
	e->witness = strdup(json_string_value(v));
	return e->witness ? NULL : dw_record_no_memory;
}

static json_t *pack_result(const void *base)
{
	return json_loads(((const struct dw_state_entry *)base)->result, 0, NULL);
}

/* Its keys may be those of another version, which keeps no disk from being resumed. */
static const char *unpack_result(const json_t *v, void *base)
{
	struct dw_state_entry *e = base;

	if (!json_is_object(v))
		return "not an object";
	e->result = json_dumps(v, JSON_COMPACT);
	return e->result ? NULL : dw_record_no_memory;
}

static const struct dw_field_codec witness_codec = { pack_witness, unpack_witness };
static const struct dw_field_codec result_codec = { pack_result, unpack_result };

#define DISK(type, member, ...) DW_FIELD(type, struct dw_state_entry, member, __VA_ARGS__)

static const struct dw_field disk_fields[] = {
	DW_FIELD_AS(RECORD, struct dw_state_entry, disk, "identity",
		    .fields = dw_entry_fields, .n_fields = DW_ENTRY_FIELDS),
	DISK(BOOL, name_shared, .optional = true),
	DISK(NUMBER, pass, .max = DW_PASSES_MAX),
	DISK(NUMBER, lba, .max = INT64_MAX),
	DISK(TEXT, order, .optional = true),
	DISK(BOOL, operating, .optional = true),
	DISK(BOOL, power_cycle, .optional = true),
	DISK(BOOL, planted, .optional = true),
	DISK(BITS, plant_seed, .optional = true),
	DISK(TEXT, method, .optional = true),
	DISK(NUMBER, longest, .max = UINT32_MAX, .optional = true),
	DISK(NUMBER, bytes_written, .max = INT64_MAX),
	DISK(WORD, outcome, .max = DW_OUTCOME_REMOVED, .words = dw_outcome_words),
	DW_FIELD_OWNED(struct dw_state_entry, fault, "faults", n_faults, fault_fields,
		       DW_ARRAY_SIZE(fault_fields)),
	DISK(CODED, witness, .codec = &witness_codec, .optional = true),
	DISK(CODED, result, .codec = &result_codec, .optional = true),
};

static const struct dw_field state_fields[] = {
	{ .key = "document", .type = DW_FIELD_OTHER },
	{ .key = "schema", .type = DW_FIELD_OTHER },
	{ .key = "tool", .type = DW_FIELD_OTHER },
	{ .key = "job", .type = DW_FIELD_OTHER },
	{ .key = "checksum", .type = DW_FIELD_OTHER },
	DW_FIELD(TEXT, struct dw_state_doc, key_check),
	DW_FIELD(TEXT, struct dw_state_doc, simulation, .optional = true),
	DW_FIELD_OWNED(struct dw_state_doc, entry, "disks", n, disk_fields,
		       DW_ARRAY_SIZE(disk_fields), .min = 1, .max = DW_DOC_DISKS_MAX),
};

/* Checksum of the document without its key "checksum". */
static int checksum(json_t *doc, char ret_text[17])
{
	json_t *rest = json_copy(doc);
	char *text = NULL;

	if (rest) {
		json_object_del(rest, "checksum");
		text = json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS);
	}
	json_decref(rest);
	if (!text)
		return -ENOMEM;
	snprintf(ret_text, 17, "%016" PRIx64, dw_crc64(text, strlen(text)));
	free(text);
	return 0;
}

static int state_document(const struct dw_state_doc *state, json_t **ret_doc)
{
	json_t *doc;
	char sum[17];
	int r = dw_document_pack("state", &state->spec, state_fields,
				 DW_ARRAY_SIZE(state_fields), state, &doc);

	if (r < 0)
		return r;
	r = checksum(doc, sum);
	if (r == 0 && json_object_set_new(doc, "checksum", json_string(sum)) < 0)
		r = -ENOMEM;
	if (r < 0)
		json_decref(doc);
	else
		*ret_doc = doc;
	return r;
}

int dw_state_write(const char *path, const struct dw_state_doc *state)
{
	json_t *doc;
	char *text;
	int r = state_document(state, &doc);

	if (r < 0)
		return r;
	text = json_dumps(doc, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(doc);
	if (!text)
		return -ENOMEM;
	r = dw_file_replace(path, text, strlen(text), 0600);
	free(text);
	return r;
}

static int wrong_key(struct dw_error *err, const char *where, const char *key,
		     const char *reason)
{
	int r = dw_error_content(err, key, "%s", reason);

	dw_error_under(err, where);
	return r;
}

static int check_entry(const struct dw_state_entry *e, unsigned n_passes,
		       const char *where, struct dw_error *err)
{
	uint64_t blocks = e->disk.capacity_bytes / e->disk.block_size;
	struct dw_order order;
	char key[80];
	int r;

	snprintf(key, sizeof(key), "%s.identity", where);
	r = dw_entry_check(&e->disk, key, err);
	if (r < 0)
		return r;
	if (e->pass > n_passes)
		return wrong_key(err, where, "pass", "more than the method has");
	if (e->lba > blocks)
		return wrong_key(err, where, "lba", "beyond the end");
	if (e->order[0] && dw_order_parse(e->order, blocks, &order))
		return wrong_key(err, where, "order", "no order of its blocks");
	for (uint32_t i = 0; i < e->n_faults; i++) {
		snprintf(key, sizeof(key), "faults[%u]", i);
		if (e->fault[i].lba >= blocks ||
		    e->fault[i].nlb > blocks - e->fault[i].lba)
			return wrong_key(err, where, key, "beyond the end");
	}
	return 0;
}

static int check_entries(const struct dw_state_doc *state, struct dw_error *err)
{
	struct dw_method method;
	char where[32];
	int r = 0;

	if (dw_spec_method(&state->spec, &method, err) < 0)
		return -EINVAL;
	for (size_t i = 0; i < state->n && r == 0; i++) {
		snprintf(where, sizeof(where), "disks[%zu]", i);
		r = check_entry(&state->entry[i], method.n_passes, where, err);
	}
	return r;
}

static int check_sum(json_t *doc, struct dw_error *err)
{
	const char *reported = json_string_value(json_object_get(doc, "checksum"));
	char sum[17];

	if (checksum(doc, sum) < 0)
		return dw_error_system(err, -ENOMEM, NULL);
	if (!reported || strcmp(reported, sum) != 0)
		return dw_error_content(err, "checksum",
					"the file is damaged or was edited");
	return 0;
}

int dw_state_parse(const char *text, size_t len, struct dw_state_doc *ret_state,
		   struct dw_error *err)
{
	struct dw_state_doc state = { 0 };
	json_t *doc;
	int r;

	r = dw_record_parse(text, len, "state", &doc, err);
	if (r < 0)
		return r;
	r = check_sum(doc, err);
	if (r == 0)
		r = dw_record_unpack(state_fields, DW_ARRAY_SIZE(state_fields), doc, "",
				     &state, err);
	if (r == 0)
		r = dw_spec_unpack(json_object_get(doc, "job"), &state.spec, err);
	if (r == 0)
		r = check_entries(&state, err);
	json_decref(doc);
	if (r < 0)
		dw_state_deinit(&state);
	else
		*ret_state = state;
	return r;
}

int dw_state_read(const char *path, struct dw_state_doc *ret_state, struct dw_error *err)
{
	dw_autofree char *text = NULL;
	size_t len;
	int r = dw_record_file(path, DW_DOC_BYTES_MAX, &text, &len, err);

	if (r < 0)
		return r;
	r = dw_state_parse(text, len, ret_state, err);
	if (r < 0)
		dw_error_in(err, path, 0);
	return r;
}

void dw_state_deinit(struct dw_state_doc *state)
{
	for (size_t i = 0; i < state->n; i++) {
		free(state->entry[i].witness);
		free(state->entry[i].result);
	}
	dw_record_free(state_fields, DW_ARRAY_SIZE(state_fields), state);
	*state = (struct dw_state_doc){ 0 };
}

static int copy_text(const char *text, char **ret)
{
	*ret = text ? strdup(text) : NULL;
	return text && !*ret ? -ENOMEM : 0;
}

int dw_state_copy(const struct dw_state_entry *e, struct dw_state_entry *ret)
{
	size_t size = e->n_faults * sizeof(*e->fault);

	*ret = *e;
	ret->fault = size ? malloc(size) : NULL;
	if (ret->fault)
		memcpy(ret->fault, e->fault, size);
	return (size && !ret->fault ? -ENOMEM : 0) |
	       copy_text(e->witness, &ret->witness) | copy_text(e->result, &ret->result);
}

/* one that failed works on by itself, and may end that well; or it was not unplugged */
bool dw_state_unfinished(const struct dw_state_entry *e)
{
	return e->outcome == DW_OUTCOME_NONE || e->outcome == DW_OUTCOME_STOPPED ||
	       e->outcome == DW_OUTCOME_REMOVED ||
	       (e->outcome == DW_OUTCOME_FAILED && (e->operating || e->power_cycle));
}

bool dw_state_nameless(const struct dw_state_entry *e)
{
	return e->name_shared || (!e->disk.serial[0] && !e->disk.wwn[0]);
}

/*
 * A disk that was told to erase itself by SECURITY ERASE UNIT may be locked by our password. Where
 * the machine's own record of that is gone, or this is another machine, the state is the record.
 */
static void keep_password(const struct dw_state_doc *state,
			  const struct dw_state_entry *e)
{
	const struct dw_method *m =
		dw_method_find(e->method[0] ? e->method : state->spec.method);
	struct dw_disk_info info = { 0 };

	if (!e->operating || !m || !dw_operation_secures(m->operation))
		return;
	memcpy(info.serial, e->disk.serial, sizeof(info.serial));
	memcpy(info.wwn, e->disk.wwn, sizeof(info.wwn));
	memcpy(info.model, e->disk.model, sizeof(info.model));
	dw_password_store(&info); /* without it the disk is refused, and that is said */
}

/* What nothing can name is left out; the others continue. */
static int take_unfinished(const struct dw_state_doc *state, struct dw_plan_doc *plan,
			   struct dw_error *err)
{
	size_t left_out = 0;

	plan->spec = state->spec;
	plan->entry = calloc(state->n, sizeof(*plan->entry));
	if (!plan->entry)
		return dw_error_system(err, -ENOMEM, NULL);
	for (size_t i = 0; i < state->n; i++)
		if (!dw_state_unfinished(&state->entry[i])) {
			plan->ended[state->entry[i].outcome]++;
		} else if (dw_state_nameless(&state->entry[i])) {
			left_out++;
		} else {
			keep_password(state, &state->entry[i]);
			plan->entry[plan->n++] = state->entry[i].disk;
		}
	if (left_out && !plan->n)
		return dw_error_content(
			err, "disks",
			"has only disks with no name of their own left, which "
			"cannot be recognised; erase them again");
	return dw_entries_check(plan->entry, plan->n, err);
}

int dw_resume_disks(const char *path, struct dw_plan_doc *ret_plan, struct dw_error *err)
{
	struct dw_plan_doc plan = { 0 };
	struct dw_state_doc state;
	int r = dw_state_read(path, &state, err);

	if (r < 0)
		return r;
	r = take_unfinished(&state, &plan, err);
	dw_state_deinit(&state);
	if (r == 0) {
		*ret_plan = plan;
		return 0;
	}
	dw_error_in(err, path, 0);
	dw_plan_deinit(&plan);
	return r;
}

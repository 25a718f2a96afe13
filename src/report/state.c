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
#include "report/json.h"
#include "report/planfile.h"
#include "report/state.h"

static const char *const outcome_words[] = {
	[DW_OUTCOME_NONE] = "pending",
	[DW_OUTCOME_ERASED] = "erased",
	[DW_OUTCOME_EXCEPTIONS] = "erased-with-exceptions",
	[DW_OUTCOME_FAILED] = "failed",
	[DW_OUTCOME_STOPPED] = "stopped",
	[DW_OUTCOME_REMOVED] = "removed",
};
static const char *const fault_words[] = {
	[DW_FAULT_UNWRITABLE] = "unwritable",
	[DW_FAULT_UNREADABLE] = "unreadable",
	[DW_FAULT_MISMATCH] = "mismatch",
	[DW_FAULT_UNSTEADY] = "unsteady",
};

static const struct dw_field state_fields[] = {
	{ .key = "document", .type = DW_FIELD_OTHER },
	{ .key = "schema", .type = DW_FIELD_OTHER },
	{ .key = "tool", .type = DW_FIELD_OTHER },
	{ .key = "job", .type = DW_FIELD_OTHER },
	{ .key = "disks", .type = DW_FIELD_OTHER },
	{ .key = "checksum", .type = DW_FIELD_OTHER },
	DW_FIELD(TEXT, struct dw_state_doc, key_check),
	DW_FIELD(TEXT, struct dw_state_doc, simulation, .optional = true),
};

#define DISK(type, member, ...) DW_FIELD(type, struct dw_state_entry, member, __VA_ARGS__)

static const struct dw_field disk_fields[] = {
	{ .key = "identity", .type = DW_FIELD_OTHER },
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
	DISK(WORD, outcome, .max = DW_OUTCOME_REMOVED, .words = outcome_words),
	{ .key = "faults", .type = DW_FIELD_OTHER },
	{ .key = "witness", .type = DW_FIELD_OTHER, .optional = true },
	{ .key = "result", .type = DW_FIELD_OTHER, .optional = true },
};

#define FAULT(type, member, ...) DW_FIELD(type, struct dw_fault, member, __VA_ARGS__)

static const struct dw_field fault_fields[] = {
	FAULT(NUMBER, lba, .max = INT64_MAX),
	FAULT(NUMBER, nlb, .min = 1, .max = INT64_MAX),
	FAULT(WORD, kind, .max = DW_FAULT_UNSTEADY, .words = fault_words),
	FAULT(NUMBER, sense_key, .max = UINT8_MAX),
	FAULT(NUMBER, asc, .max = UINT8_MAX),
	FAULT(NUMBER, ascq, .max = UINT8_MAX),
	FAULT(NUMBER, pass, .max = UINT8_MAX),
};

/* Packed items one after the other; @pack makes the one at @base. */
static int pack_array(int (*pack)(const void *base, json_t **ret_object),
		      const void *base, size_t size, size_t n, json_t **ret_array)
{
	json_t *array = json_array(), *object;
	int r = array ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && r == 0; i++) {
		r = pack((const char *)base + i * size, &object);
		if (r == 0 && json_array_append_new(array, object) < 0)
			r = -ENOMEM;
	}
	if (r < 0)
		json_decref(array);
	else
		*ret_array = array;
	return r;
}

static int pack_fault(const void *base, json_t **ret_object)
{
	return dw_record_pack(fault_fields, DW_ARRAY_SIZE(fault_fields), base,
			      ret_object);
}

static int pack_disk(const void *base, json_t **ret_object)
{
	const struct dw_state_entry *d = base;
	json_t *object, *part;
	int r = dw_record_pack(disk_fields, DW_ARRAY_SIZE(disk_fields), d, &object);

	if (r < 0)
		return r;
	r = dw_entry_pack(&d->disk, &part);
	if (r == 0 && json_object_set_new(object, "identity", part) < 0)
		r = -ENOMEM;
	if (r == 0)
		r = pack_array(pack_fault, d->fault, sizeof(*d->fault), d->n_faults,
			       &part);
	if (r == 0 && json_object_set_new(object, "faults", part) < 0)
		r = -ENOMEM;
	if (r == 0 && d->witness &&
	    json_object_set_new(object, "witness", json_string(d->witness)) < 0)
		r = -ENOMEM;
	if (r == 0 && d->result &&
	    json_object_set_new(object, "result", json_loads(d->result, 0, NULL)) < 0)
		r = -ENOMEM;
	if (r < 0)
		json_decref(object);
	else
		*ret_object = object;
	return r;
}

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
	json_t *doc, *job, *disks;
	char sum[17];
	int r = dw_spec_pack(&state->spec, &job);

	if (r < 0)
		return r;
	r = pack_array(pack_disk, state->entry, sizeof(*state->entry), state->n, &disks);
	if (r < 0) {
		json_decref(job);
		return r;
	}
	doc = json_pack("{s:s, s:i, s:o, s:s, s:o, s:o}", "document", "state", "schema",
			1, "tool", dw_json_tool(), "key_check", state->key_check, "job",
			job, "disks", disks);
	if (!doc)
		return -ENOMEM;
	if (state->simulation[0] &&
	    json_object_set_new(doc, "simulation", json_string(state->simulation)) < 0)
		r = -ENOMEM;
	if (r == 0)
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
	char key[24];

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

static int unpack_faults(const json_t *array, const char *where, struct dw_state_entry *d,
			 struct dw_error *err)
{
	char place[80];
	int r = 0;

	if (!json_is_array(array))
		return wrong_key(err, where, "faults", "not a list");
	d->n_faults = (uint32_t)json_array_size(array);
	if (!d->n_faults)
		return 0;
	d->fault = calloc(d->n_faults, sizeof(*d->fault));
	if (!d->fault) {
		d->n_faults = 0;
		return dw_error_system(err, -ENOMEM, NULL);
	}
	for (uint32_t i = 0; i < d->n_faults && r == 0; i++) {
		snprintf(place, sizeof(place), "%s.faults[%u]", where, i);
		r = dw_record_unpack(fault_fields, DW_ARRAY_SIZE(fault_fields),
				     json_array_get(array, i), place, &d->fault[i], err);
	}
	return r;
}

static int unpack_witness(const json_t *text, const char *where, struct dw_state_entry *d,
			  struct dw_error *err)
{
	if (!text)
		return 0;
	if (!json_is_string(text))
		return wrong_key(err, where, "witness", "not a text");
	d->witness = strdup(json_string_value(text));
	return d->witness ? 0 : dw_error_system(err, -ENOMEM, NULL);
}

/* Its keys may be those of another version, which keeps no disk from being resumed. */
static int unpack_result(const json_t *object, const char *where,
			 struct dw_state_entry *d, struct dw_error *err)
{
	if (!object)
		return 0;
	if (!json_is_object(object))
		return wrong_key(err, where, "result", "not an object");
	d->result = json_dumps(object, JSON_COMPACT);
	return d->result ? 0 : dw_error_system(err, -ENOMEM, NULL);
}

static int unpack_disk(const json_t *object, const char *where, struct dw_state_entry *d,
		       struct dw_error *err)
{
	char place[48];
	int r = dw_record_unpack(disk_fields, DW_ARRAY_SIZE(disk_fields), object, where,
				 d, err);

	snprintf(place, sizeof(place), "%s.identity", where);
	if (r == 0)
		r = dw_entry_unpack(json_object_get(object, "identity"), place, &d->disk,
				    err);
	if (r == 0)
		r = unpack_faults(json_object_get(object, "faults"), where, d, err);
	if (r == 0)
		r = unpack_witness(json_object_get(object, "witness"), where, d, err);
	if (r == 0)
		r = unpack_result(json_object_get(object, "result"), where, d, err);
	return r;
}

static int unpack_disks(const json_t *array, struct dw_state_doc *state,
			struct dw_error *err)
{
	struct dw_method method;
	size_t n = json_array_size(array);
	char where[32];
	int r = 0;

	if (!json_is_array(array) || n == 0 || n > DW_DOC_DISKS_MAX)
		return dw_error_content(err, "disks", "not a list of 1 to %d disks",
					DW_DOC_DISKS_MAX);
	if (dw_spec_method(&state->spec, &method, err) < 0)
		return -EINVAL;
	state->entry = calloc(n, sizeof(*state->entry));
	if (!state->entry)
		return dw_error_system(err, -ENOMEM, NULL);
	state->n = n;
	for (size_t i = 0; i < n && r == 0; i++) {
		snprintf(where, sizeof(where), "disks[%zu]", i);
		r = unpack_disk(json_array_get(array, i), where, &state->entry[i], err);
		if (r == 0)
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
		r = unpack_disks(json_object_get(doc, "disks"), &state, err);
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
		free(state->entry[i].fault);
		free(state->entry[i].witness);
		free(state->entry[i].result);
	}
	free(state->entry);
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
			"cannot be recognised; erase them anew");
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

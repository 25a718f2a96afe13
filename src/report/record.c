/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Members of structs to JSON and back. The same range check stands on both ways,
 * but for how many items a list has that is owned: a job that has no disk yet has a state.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <diskwipe/units.h>

#include "base/error.h"
#include "file/file.h"
#include "report/json.h"
#include "report/record.h"

#define SCHEMA 1

const char dw_record_no_memory[] = "out of memory";

static json_t *pack_numbers(const struct dw_field *f, const void *base)
{
	size_t n = dw_field_count(f, base);
	const uint64_t *v = (const void *)((const char *)base + f->offset);
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		if (json_array_append_new(array, json_integer((json_int_t)v[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *pack_list(const struct dw_field *f, const void *base)
{
	const char *item = dw_field_items(f, base);
	json_t *array = json_array();

	for (size_t i = 0; i < dw_field_count(f, base); i++, item += f->stride) {
		json_t *v = NULL;

		if (f->type == DW_FIELD_TEXTS)
			v = dw_json_text(item);
		else
			dw_record_pack(f->fields, f->n_fields, item, &v);
		if (json_array_append_new(array, v) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

/* JSON has neither infinity nor "no number": both are null. */
static json_t *pack_real(const struct dw_field *f, double v)
{
	double unit = pow(10, f->decimals);

	if (!isfinite(v))
		return json_null();
	if (f->type == DW_FIELD_WHOLE)
		return json_integer((json_int_t)llround(v));
	return json_real(f->decimals ? round(v * unit) / unit : v);
}

static json_t *pack_time(const struct timespec *t)
{
	char text[DW_UNIT_TEXT];
	struct tm tm = { 0 };

	localtime_r(&t->tv_sec, &tm);
	return json_string(dw_time_format(t, (int32_t)tm.tm_gmtoff, text, sizeof(text)));
}

static json_t *pack_text(const struct dw_field *f, const char *text)
{
	return f->null ? dw_json_text_or_null(text) : dw_json_text(text);
}

static json_t *pack_field(const struct dw_field *f, const void *base)
{
	const void *at = (const char *)base + f->offset;
	json_t *object = NULL;
	char bits[17];

	switch (f->type) {
	case DW_FIELD_TEXT:
	case DW_FIELD_NAME:
		return pack_text(f, at);
	case DW_FIELD_REAL:
	case DW_FIELD_WHOLE:
		return pack_real(f, *(const double *)at);
	case DW_FIELD_TIME:
		return pack_time(at);
	case DW_FIELD_TEXTS:
	case DW_FIELD_LIST:
		return pack_list(f, base);
	case DW_FIELD_CODED:
		return f->codec->pack(base);
	case DW_FIELD_BOOL:
		return json_boolean(*(const bool *)at);
	case DW_FIELD_SHARE:
		return json_real(*(const double *)at);
	case DW_FIELD_BITS:
		snprintf(bits, sizeof(bits), "%016" PRIx64, dw_field_number(f, base));
		return json_string(bits);
	case DW_FIELD_WORD:
		return pack_text(f, f->words[dw_field_number(f, base)]);
	case DW_FIELD_NUMBERS:
		return pack_numbers(f, base);
	case DW_FIELD_RECORD:
		return dw_record_pack(f->fields, f->n_fields, at, &object) ? NULL
									   : object;
	default:
		return json_integer((json_int_t)dw_field_number(f, base));
	}
}

int dw_record_pack(const struct dw_field *field, size_t n, const void *base,
		   json_t **ret_object)
{
	json_t *object = json_object();
	int r = object ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && r == 0; i++) {
		const struct dw_field *f = &field[i];

		if (f->type == DW_FIELD_OTHER || f->one_run ||
		    !dw_field_counts(f, base) ||
		    (f->optional && dw_field_is_none(f, base)))
			continue;
		if (dw_field_wrong(f, base))
			r = -ERANGE;
		else if (json_object_set_new(object, f->key, pack_field(f, base)) < 0)
			r = -ENOMEM;
	}
	if (r < 0)
		json_decref(object);
	else
		*ret_object = object;
	return r;
}

const char *dw_record_text(const json_t *v, char *at, size_t size)
{
	if (!json_is_string(v))
		return "not text";
	if (json_string_length(v) >= size)
		return "too long";
	memset(at, 0, size);
	memcpy(at, json_string_value(v), json_string_length(v));
	return NULL;
}

static const char *unpack_bits(const json_t *v, uint64_t *at)
{
	const char *text = json_is_string(v) ? json_string_value(v) : "";

	if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return "not 16 hexadecimal digits";
	*at = strtoull(text, NULL, 16);
	return NULL;
}

static const char *unpack_word(const struct dw_field *f, const json_t *v, void *base)
{
	if (!json_is_string(v))
		return "not text";
	for (uint64_t i = f->min; i <= f->max; i++) {
		if (!strcmp(f->words[i], json_string_value(v))) {
			dw_field_set_number(f, base, i);
			return NULL;
		}
	}
	return "not one of the known words";
}

static const char *unpack_number(const struct dw_field *f, const json_t *v, void *base)
{
	if (!json_is_integer(v))
		return "not a whole number";
	if (json_integer_value(v) < 0)
		return "out of range";
	if (f->size < sizeof(uint64_t) && json_integer_value(v) >> 8 * f->size)
		return "out of range";
	dw_field_set_number(f, base, (uint64_t)json_integer_value(v));
	return NULL;
}

static const char *unpack_numbers(const struct dw_field *f, const json_t *v, void *base)
{
	uint64_t *at = (void *)((char *)base + f->offset);
	size_t n = json_array_size(v);

	if (!json_is_array(v))
		return "not a list";
	if (!n || n > f->size / sizeof(*at))
		return "out of range";
	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(v, i);

		if (!json_is_integer(item) || json_integer_value(item) < 0)
			return "not a list of whole numbers";
		at[i] = (uint64_t)json_integer_value(item);
	}
	dw_field_set_count(f, base, n);
	return NULL;
}

static const char *unpack_real(const struct dw_field *f, const json_t *v, double *at)
{
	bool fits = f->type == DW_FIELD_WHOLE ? json_is_integer(v) : json_is_number(v);

	*at = json_is_null(v) ? NAN : json_number_value(v);
	return fits || json_is_null(v) ? NULL : "not a number";
}

static const char *unpack_time(const json_t *v, struct timespec *at)
{
	struct tm tm = { 0 };
	const char *end = json_is_string(v) ? strptime(json_string_value(v),
						       "%Y-%m-%dT%H:%M:%S%z", &tm)
					    : NULL;
	long east = tm.tm_gmtoff; /* timegm() takes it away */

	if (!end || *end)
		return "not a time";
	*at = (struct timespec){ .tv_sec = timegm(&tm) - east };
	return NULL;
}

static const char *unpack_texts(const struct dw_field *f, const json_t *v, void *base)
{
	char *at = (char *)base + f->offset;
	size_t n = json_array_size(v);
	const char *wrong = NULL;

	if (!json_is_array(v))
		return "not a list";
	if (n > f->size / f->stride)
		return "too many";
	for (size_t i = 0; i < n && !wrong; i++)
		wrong = dw_record_text(json_array_get(v, i), at + i * f->stride,
				       f->stride);
	dw_field_set_count(f, base, n);
	return wrong;
}

/* NULL, or what is wrong with the value. */
static const char *unpack_value(const struct dw_field *f, const json_t *v, void *base)
{
	void *at = (char *)base + f->offset;

	if (f->null && json_is_null(v) && f->type != DW_FIELD_CODED)
		return NULL; /* as it was: empty */
	switch (f->type) {
	case DW_FIELD_TEXT:
	case DW_FIELD_NAME:
		return dw_record_text(v, at, f->size);
	case DW_FIELD_REAL:
	case DW_FIELD_WHOLE:
		return unpack_real(f, v, at);
	case DW_FIELD_TIME:
		return unpack_time(v, at);
	case DW_FIELD_TEXTS:
		return unpack_texts(f, v, base);
	case DW_FIELD_CODED:
		return f->codec->unpack ? f->codec->unpack(v, base) : NULL;
	case DW_FIELD_BITS:
		return unpack_bits(v, at);
	case DW_FIELD_WORD:
		return unpack_word(f, v, base);
	case DW_FIELD_SHARE:
		*(double *)at = json_number_value(v);
		return json_is_number(v) ? NULL : "not a number";
	case DW_FIELD_BOOL:
		*(bool *)at = json_is_true(v);
		return json_is_boolean(v) ? NULL : "neither true nor false";
	case DW_FIELD_NUMBER:
		return unpack_number(f, v, base);
	case DW_FIELD_NUMBERS:
		return unpack_numbers(f, v, base);
	case DW_FIELD_RECORD:
	case DW_FIELD_LIST:
	case DW_FIELD_OTHER:
		break;
	}
	return NULL;
}

static const char *unpack_field(const struct dw_field *f, const json_t *v, void *base)
{
	const char *wrong = unpack_value(f, v, base);

	return wrong ? wrong : dw_field_wrong(f, base);
}

static const char *unknown_key(const struct dw_field *field, size_t n,
			       const json_t *object)
{
	for (void *at = json_object_iter((json_t *)object); at;
	     at = json_object_iter_next((json_t *)object, at)) {
		const char *key = json_object_iter_key(at);
		size_t i = 0;

		while (i < n && (field[i].one_run || strcmp(field[i].key, key)))
			i++;
		if (i == n)
			return key;
	}
	return NULL;
}

static int unpack_record(const struct dw_field *field, size_t n, const json_t *object,
			 const char *where, void *base, bool open, struct dw_error *err);

/* Room for all of them first: what was read so far is freed with the struct. */
static int unpack_list(const struct dw_field *f, const json_t *v, const char *where,
		       void *base, bool open, struct dw_error *err)
{
	char *at = (char *)base + f->offset, place[DW_PLACE_TEXT];
	size_t n = json_array_size(v);
	int r = 0;

	if (!json_is_array(v))
		return dw_error_content(err, where, "not a list");
	if (!dw_field_count_fits(f, n))
		return dw_error_content(err, where,
					"not %" PRIu64 " to %" PRIu64 " items", f->min,
					f->max);
	if (f->owned) {
		char *items = calloc(n + 1, f->stride);

		if (!items)
			return dw_error_system(err, -ENOMEM, NULL);
		memcpy(at, &items, sizeof(items));
		at = items;
	} else if (n > f->size / f->stride) {
		return dw_error_content(err, where, "too many");
	}
	dw_field_set_count(f, base, n);
	for (size_t i = 0; i < n && r == 0; i++) {
		snprintf(place, sizeof(place), "%.100s[%zu]", where, i);
		r = unpack_record(f->fields, f->n_fields, json_array_get(v, i), place,
				  at + i * f->stride, open, err);
	}
	return r;
}

static int unpack_member(const struct dw_field *f, const json_t *v, const char *where,
			 void *base, bool open, struct dw_error *err)
{
	const char *wrong;

	if (f->type == DW_FIELD_RECORD)
		return unpack_record(f->fields, f->n_fields, v, where,
				     (char *)base + f->offset, open, err);
	if (f->type == DW_FIELD_LIST)
		return unpack_list(f, v, where, base, open, err);
	wrong = unpack_field(f, v, base);
	if (wrong == dw_record_no_memory)
		return dw_error_system(err, -ENOMEM, NULL);
	return wrong ? dw_error_content(err, where, "%s", wrong) : 0;
}

/* Members that are off without a key are on with it. */
static void switch_on(const struct dw_field *field, size_t n, const json_t *object,
		      void *base)
{
	for (size_t i = 0; i < n; i++)
		if (field[i].when && json_object_get(object, field[i].key))
			*(bool *)((char *)base + field[i].when) = true;
}

static int unpack_record(const struct dw_field *field, size_t n, const json_t *object,
			 const char *where, void *base, bool open, struct dw_error *err)
{
	const char *dot = *where ? "." : "", *key;
	char place[DW_PLACE_TEXT];
	int r = 0;

	if (!json_is_object(object))
		return dw_error_content(err, *where ? where : "document",
					"not an object");
	switch_on(field, n, object, base);
	for (size_t i = 0; i < n && !r; i++) {
		const struct dw_field *f = &field[i];
		const json_t *v = f->one_run ? NULL : json_object_get(object, f->key);
		bool must = !f->optional && !f->one_run && dw_field_counts(f, base);

		snprintf(place, sizeof(place), "%s%s%s", where, dot, f->key);
		if (!v && must)
			return dw_error_content(err, place, "missing");
		if (v)
			r = unpack_member(f, v, place, base, open, err);
	}
	if (r)
		return r;
	key = open ? NULL : unknown_key(field, n, object);
	if (!key)
		return 0;
	snprintf(place, sizeof(place), "%s%s%.64s", where, dot, key);
	return dw_error_content(err, place, "unknown key");
}

int dw_record_unpack(const struct dw_field *field, size_t n, const json_t *object,
		     const char *where, void *base, struct dw_error *err)
{
	return unpack_record(field, n, object, where, base, false, err);
}

int dw_record_unpack_open(const struct dw_field *field, size_t n, const json_t *object,
			  const char *where, void *base, struct dw_error *err)
{
	return unpack_record(field, n, object, where, base, true, err);
}

void dw_record_free(const struct dw_field *field, size_t n, void *base)
{
	for (size_t i = 0; i < n; i++) {
		const struct dw_field *f = &field[i];
		char *at = (char *)base + f->offset, *items;

		if (f->type == DW_FIELD_RECORD)
			dw_record_free(f->fields, f->n_fields, at);
		if (f->type != DW_FIELD_LIST || !f->owned)
			continue;
		memcpy(&items, at, sizeof(items));
		/* a copy for which there was no memory has their number and not them */
		for (size_t k = 0; items && k < dw_field_count(f, base); k++)
			dw_record_free(f->fields, f->n_fields, items + k * f->stride);
		free(items);
		dw_field_set_count(f, base, 0);
		memset(at, 0, f->size);
	}
}

int dw_record_parse(const char *text, size_t len, const char *kind, json_t **ret_document,
		    struct dw_error *err)
{
	json_error_t e = { 0 };
	json_t *doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e), *v;
	int r = 0;

	/* jansson has no text for some wants of memory */
	if (!doc && (!e.text[0] || json_error_code(&e) == json_error_out_of_memory))
		return dw_error_system(err, -ENOMEM, NULL);
	if (!doc)
		return dw_error_content(err, NULL, "not a %s: line %d, column %d: %s",
					kind, e.line, e.column, e.text);
	v = json_object_get(doc, "document");
	if (!json_is_string(v) || strcmp(json_string_value(v), kind))
		r = dw_error_content(err, NULL,
				     "not a %s of diskwipe: no \"document\": \"%s\"",
				     kind, kind);
	v = json_object_get(doc, "schema");
	if (r == 0 && (!json_is_integer(v) || json_integer_value(v) != SCHEMA))
		r = dw_error_content(err, "schema",
				     "missing, or not %d: written by another version",
				     SCHEMA);
	if (r < 0)
		json_decref(doc);
	else
		*ret_document = doc;
	return r;
}

int dw_record_file(const char *path, size_t max, char **ret_text, size_t *ret_len,
		   struct dw_error *err)
{
	int r = dw_file_read(path, max, ret_text, ret_len);

	dw_error_clear(err);
	return r < 0 ? dw_error_file(err, r, path, dw_file_error(r)) : 0;
}

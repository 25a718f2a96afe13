/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Members of structs to JSON and back. The same range check stands on both ways. Text from
 * a file that goes into an error line is shown without control characters.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/units.h>

#include "report/json.h"
#include "report/record.h"

#define SCHEMA 1

static json_t *pack_numbers(const struct dw_field *f, const void *base)
{
	uint32_t n = *(const uint32_t *)((const char *)base + f->count);
	const uint64_t *v = (const void *)((const char *)base + f->offset);
	json_t *array = json_array();

	for (uint32_t i = 0; i < n; i++)
		if (json_array_append_new(array, json_integer((json_int_t)v[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *pack_field(const struct dw_field *f, const void *base)
{
	const void *at = (const char *)base + f->offset;
	json_t *object = NULL;
	char bits[17];

	switch (f->type) {
	case DW_FIELD_TEXT:
	case DW_FIELD_NAME:
		return dw_json_text(at);
	case DW_FIELD_BOOL:
		return json_boolean(*(const bool *)at);
	case DW_FIELD_SHARE:
		return json_real(*(const double *)at);
	case DW_FIELD_BITS:
		snprintf(bits, sizeof(bits), "%016" PRIx64, dw_field_number(f, base));
		return json_string(bits);
	case DW_FIELD_WORD:
		return json_string(f->words[dw_field_number(f, base)]);
	case DW_FIELD_NUMBERS:
		return pack_numbers(f, base);
	case DW_FIELD_RECORD:
		return dw_record_pack(f->fields, f->n_fields, at, &object) ? NULL
									   : object;
	default:
		return json_integer((json_int_t)dw_field_number(f, base));
	}
}

/**
 * dw_record_pack() - a struct as an object
 * @field: its members; those of type OTHER are left to the caller, and those of one run out
 * @n: their number
 * @base: the struct
 * @ret_object: new reference
 *
 * Return: 0, -ERANGE (a value that dw_record_unpack() would refuse), -ENOMEM.
 */
int dw_record_pack(const struct dw_field *field, size_t n, const void *base,
		   json_t **ret_object)
{
	json_t *object = json_object();
	int r = object ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && r == 0; i++) {
		const struct dw_field *f = &field[i];

		if (f->type == DW_FIELD_OTHER || f->one_run ||
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

__attribute__((format(printf, 2, 3))) static int fail(char err[DW_ERR_TEXT],
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err, DW_ERR_TEXT, format, args);
	va_end(args);
	dw_text_printable(err);
	return -EINVAL;
}

static const char *unpack_text(const struct dw_field *f, const json_t *v, char *at)
{
	if (!json_is_string(v))
		return "not text";
	if (json_string_length(v) >= f->size)
		return "too long";
	memset(at, 0, f->size);
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
	*(uint32_t *)((char *)base + f->count) = (uint32_t)n;
	return NULL;
}

/* NULL, or what is wrong with the value. */
static const char *unpack_value(const struct dw_field *f, const json_t *v, void *base)
{
	void *at = (char *)base + f->offset;

	switch (f->type) {
	case DW_FIELD_TEXT:
	case DW_FIELD_NAME:
		return unpack_text(f, v, at);
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

/**
 * dw_record_unpack() - a struct from an object
 * @field: all keys that the object must have, and no other
 * @n: their number
 * @object: any value
 * @where: its place in the document, for @err; "" = the document itself
 * @base: the struct
 * @err: one line, on error
 *
 * Return: 0 or -EINVAL; some members may have been set then.
 */
int dw_record_unpack(const struct dw_field *field, size_t n, const json_t *object,
		     const char *where, void *base, char err[DW_ERR_TEXT])
{
	const char *dot = *where ? "." : "", *key;
	char place[80];

	if (!json_is_object(object))
		return fail(err, "%s: not an object", *where ? where : "document");
	for (size_t i = 0; i < n; i++) {
		const struct dw_field *f = &field[i];
		const json_t *v = f->one_run ? NULL : json_object_get(object, f->key);
		const char *wrong = f->optional || f->one_run ? NULL : "missing";

		snprintf(place, sizeof(place), "%s%s%s", where, dot, f->key);
		if (v && f->type == DW_FIELD_RECORD &&
		    dw_record_unpack(f->fields, f->n_fields, v, place,
				     (char *)base + f->offset, err) < 0)
			return -EINVAL;
		if (v)
			wrong = unpack_field(f, v, base);
		if (wrong)
			return fail(err, "%s: %s", place, wrong);
	}
	key = unknown_key(field, n, object);
	if (key)
		return fail(err, "%s%s%.64s: unknown key", where, dot, key);
	return 0;
}

/**
 * dw_record_parse() - a document
 * @text: JSON
 * @len: its bytes
 * @kind: what its key "document" must say
 * @ret_document: new reference, an object of schema 1
 * @err: one line, on error
 *
 * Return: 0 or -EINVAL (also when memory is short, which the parser does not tell apart).
 */
int dw_record_parse(const char *text, size_t len, const char *kind, json_t **ret_document,
		    char err[DW_ERR_TEXT])
{
	json_error_t e;
	json_t *doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e), *v;
	int r = 0;

	if (!doc)
		return fail(err, "not a %s: line %d, column %d: %s", kind, e.line,
			    e.column, e.text);
	v = json_object_get(doc, "document");
	if (!json_is_string(v) || strcmp(json_string_value(v), kind))
		r = fail(err, "not a %s of diskwipe: no \"document\": \"%s\"", kind,
			 kind);
	v = json_object_get(doc, "schema");
	if (r == 0 && (!json_is_integer(v) || json_integer_value(v) != SCHEMA))
		r = fail(err, "schema: missing, or not %d: written by another version",
			 SCHEMA);
	if (r < 0)
		json_decref(doc);
	else
		*ret_document = doc;
	return r;
}

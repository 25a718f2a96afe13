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

static uint64_t get_number(const struct dw_field *f, const void *at)
{
	if (f->size == sizeof(uint8_t))
		return *(const uint8_t *)at;
	if (f->size == sizeof(uint32_t))
		return *(const uint32_t *)at;
	return *(const uint64_t *)at;
}

static void set_number(const struct dw_field *f, void *at, uint64_t v)
{
	if (f->size == sizeof(uint8_t))
		*(uint8_t *)at = (uint8_t)v;
	else if (f->size == sizeof(uint32_t))
		*(uint32_t *)at = (uint32_t)v;
	else
		*(uint64_t *)at = v;
}

static bool in_range(const struct dw_field *f, uint64_t v)
{
	return v >= f->min && v <= f->max && v <= INT64_MAX;
}

static json_t *pack_field(const struct dw_field *f, const void *at)
{
	char bits[17];

	switch (f->type) {
	case DW_FIELD_TEXT:
		return dw_json_text(at);
	case DW_FIELD_BOOL:
		return json_boolean(*(const bool *)at);
	case DW_FIELD_SHARE:
		return json_real(*(const double *)at);
	case DW_FIELD_BITS:
		snprintf(bits, sizeof(bits), "%016" PRIx64, get_number(f, at));
		return json_string(bits);
	case DW_FIELD_WORD:
		return json_string(f->words[get_number(f, at)]);
	default:
		return json_integer((json_int_t)get_number(f, at));
	}
}

/* Zero, or empty. */
static bool is_nothing(const struct dw_field *f, const char *at)
{
	for (size_t i = 0; i < (f->type == DW_FIELD_TEXT ? 1 : f->size); i++)
		if (at[i])
			return false;
	return true;
}

static bool can_be_packed(const struct dw_field *f, const void *at)
{
	switch (f->type) {
	case DW_FIELD_NUMBER:
	case DW_FIELD_WORD:
		return in_range(f, get_number(f, at));
	case DW_FIELD_SHARE:
		return *(const double *)at > 0 && *(const double *)at <= (double)f->max;
	case DW_FIELD_TEXT:
		return memchr(at, '\0', f->size);
	default:
		return true;
	}
}

/**
 * dw_record_pack() - a struct as an object
 * @field: its members; those of type OTHER are left to the caller
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
		const void *at = (const char *)base + f->offset;

		if (f->type == DW_FIELD_OTHER || (f->optional && is_nothing(f, at)))
			continue;
		if (!can_be_packed(f, at))
			r = -ERANGE;
		else if (json_object_set_new(object, f->key, pack_field(f, at)) < 0)
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

/* NULL, or what is wrong with the value. */
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

static const char *unpack_word(const struct dw_field *f, const json_t *v, void *at)
{
	if (!json_is_string(v))
		return "not text";
	for (uint64_t i = f->min; i <= f->max; i++) {
		if (!strcmp(f->words[i], json_string_value(v))) {
			set_number(f, at, i);
			return NULL;
		}
	}
	return "not one of the known words";
}

static const char *unpack_share(const struct dw_field *f, const json_t *v, double *at)
{
	double share = json_number_value(v);

	if (!json_is_number(v))
		return "not a number";
	if (!(share > 0 && share <= (double)f->max))
		return "out of range";
	*at = share;
	return NULL;
}

static const char *unpack_field(const struct dw_field *f, const json_t *v, void *at)
{
	switch (f->type) {
	case DW_FIELD_TEXT:
		return unpack_text(f, v, at);
	case DW_FIELD_BITS:
		return unpack_bits(v, at);
	case DW_FIELD_WORD:
		return unpack_word(f, v, at);
	case DW_FIELD_SHARE:
		return unpack_share(f, v, at);
	case DW_FIELD_BOOL:
		if (!json_is_boolean(v))
			return "neither true nor false";
		*(bool *)at = json_is_true(v);
		return NULL;
	case DW_FIELD_OTHER:
		return NULL;
	default:
		if (!json_is_integer(v))
			return "not a whole number";
		if (json_integer_value(v) < 0 ||
		    !in_range(f, (uint64_t)json_integer_value(v)))
			return "out of range";
		set_number(f, at, (uint64_t)json_integer_value(v));
		return NULL;
	}
}

static const char *unknown_key(const struct dw_field *field, size_t n,
			       const json_t *object)
{
	for (void *at = json_object_iter((json_t *)object); at;
	     at = json_object_iter_next((json_t *)object, at)) {
		const char *key = json_object_iter_key(at);
		size_t i = 0;

		while (i < n && strcmp(field[i].key, key))
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

	if (!json_is_object(object))
		return fail(err, "%s: not an object", *where ? where : "document");
	for (size_t i = 0; i < n; i++) {
		const json_t *v = json_object_get(object, field[i].key);
		const char *wrong = field[i].optional ? NULL : "missing";

		if (v)
			wrong = unpack_field(&field[i], v,
					     (char *)base + field[i].offset);
		if (wrong)
			return fail(err, "%s%s%s: %s", where, dot, field[i].key, wrong);
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_RECORD_H
#define DW_REPORT_RECORD_H

/*
 * Plain structs as JSON objects by a table of their members: one table writes and reads,
 * so that what is written can be read. Reading is strict: a missing, repeated or unknown
 * key, another type or a value out of range is an error that names the place.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define DW_ERR_TEXT 256

enum dw_field_type {
	DW_FIELD_TEXT,   /* char[size], NUL-terminated */
	DW_FIELD_NUMBER, /* unsigned of 1, 4 or 8 bytes, min..max, below 2^63 */
	DW_FIELD_BITS,   /* uint64_t as 16 hexadecimal digits */
	DW_FIELD_BOOL,
	DW_FIELD_SHARE, /* double in (0, max] */
	DW_FIELD_WORD,  /* an enum of 1 or 4 bytes, as one of words[min..max] */
	DW_FIELD_OTHER, /* the caller's: only its presence is checked */
};

/**
 * struct dw_field - one member
 * @key: in the object
 * @type: enum dw_field_type
 * @offset, @size: of the member; @in bytes
 * @min, @max: range of numbers and words
 * @words: of an enum, by value
 * @optional: left out when it is zero or empty; of OTHER, may be missing
 */
struct dw_field {
	const char *key;
	enum dw_field_type type;
	size_t offset;
	size_t size;
	uint64_t min;
	uint64_t max;
	const char *const *words;
	bool optional;
};

#define DW_FIELD(type_, struct_, member, ...)                                            \
	{                                                                                \
		.key = #member, .type = DW_FIELD_##type_,                                \
		.offset = offsetof(struct_, member),                                     \
		.size = sizeof(((struct_ *)0)->member), __VA_ARGS__                      \
	}

/** dw_record_pack() - a new object of the fields of @base; 0, -ERANGE (a value could not be
 *  read back), -ENOMEM. */
int dw_record_pack(const struct dw_field *field, size_t n, const void *base,
		   json_t **ret_object);

/** dw_record_unpack() - fill the fields of @base from an object; 0 or -EINVAL with one line
 *  in @err that names @where ("disks[3]"; empty = the document). */
int dw_record_unpack(const struct dw_field *field, size_t n, const json_t *object,
		     const char *where, void *base, char err[DW_ERR_TEXT]);

/** dw_record_parse() - a document of that kind ("plan") and schema 1; 0, -EINVAL or -ENOMEM
 *  with one line in @err. */
int dw_record_parse(const char *text, size_t len, const char *kind, json_t **ret_document,
		    char err[DW_ERR_TEXT]);

#endif

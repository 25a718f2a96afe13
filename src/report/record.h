/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_RECORD_H
#define DW_REPORT_RECORD_H

/*
 * Plain structs as JSON objects by a table of their members: one table writes and reads,
 * so that what is written can be read. Reading is strict: a missing, repeated or unknown
 * key, another type or a value out of range is an error that names the place.
 */
#include <stddef.h>

#include <jansson.h>

#include <diskwipe/error.h>

#include "base/field.h"

#define DW_PLACE_TEXT 160

/**
 * struct dw_field_codec - a member that has a form of its own
 * @pack: of the struct; a new reference, NULL on -ENOMEM
 * @unpack: into the struct, after the members above it; NULL, or what is wrong with @v, or
 *	dw_record_no_memory. NULL itself: it follows from the others, and is not read
 */
struct dw_field_codec {
	json_t *(*pack)(const void *base);
	const char *(*unpack)(const json_t *v, void *base);
};

/** dw_record_no_memory - nothing is wrong with the value: reading fails with -ENOMEM. */
extern const char dw_record_no_memory[];

/** dw_record_pack() - a new object of the fields of @base, without those of type OTHER, which are
 *  the caller's, and those of one run; 0, -ERANGE (a value could not be read back), -ENOMEM. */
int dw_record_pack(const struct dw_field *field, size_t n, const void *base,
		   json_t **ret_object);

/**
 * dw_record_unpack() - fill the fields of @base, which is zero, from an object
 * @field: all keys that the object must have, and no other
 * @n: their number
 * @object: any value
 * @where: its place in the document, for @err: "disks[3]"; empty = the document itself
 * @base: the struct; dw_record_free() if it owns lists, after an error as well
 * @err: the place is its subject
 *
 * Return: 0, -EINVAL or -ENOMEM; some members may have been set then.
 */
int dw_record_unpack(const struct dw_field *field, size_t n, const json_t *object,
		     const char *where, void *base, struct dw_error *err);

/** dw_record_unpack_open() - the same; keys that it does not know are passed over. */
int dw_record_unpack_open(const struct dw_field *field, size_t n, const json_t *object,
			  const char *where, void *base, struct dw_error *err);

/** dw_record_text() - a text of less than @size bytes into @at; NULL, or what is wrong with @v. */
const char *dw_record_text(const json_t *v, char *at, size_t size);

/** dw_record_free() - free the lists that the fields of @base own. */
void dw_record_free(const struct dw_field *field, size_t n, void *base);

/** dw_record_parse() - a document of that kind ("plan") and schema 1, a new reference; 0 or
 *  -EINVAL with @err, also when memory is short. */
int dw_record_parse(const char *text, size_t len, const char *kind, json_t **ret_document,
		    struct dw_error *err);

/** dw_record_file() - the text of the file of a document, up to @max bytes; free(@ret_text). 0 or
 *  negative errno with @err. */
int dw_record_file(const char *path, size_t max, char **ret_text, size_t *ret_len,
		   struct dw_error *err);

#endif

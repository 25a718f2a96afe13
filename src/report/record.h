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

#include "base/field.h"

#define DW_ERR_TEXT 256

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_JSON_TEXT_H
#define DW_SERVICE_JSON_TEXT_H

/* A flat JSON object, written member by member. Nothing is read: jansson stays in the library. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct json_text - the object; @failed: there was no memory */
struct json_text {
	char *text;
	size_t len;
	size_t cap;
	bool failed;
};

/** json_begin() - an empty object. */
void json_begin(struct json_text *t);

/** json_add_text() - a member; @value is taken for UTF-8, and what is none of it is replaced. */
void json_add_text(struct json_text *t, const char *key, const char *value);

/** json_number() - a member. */
void json_number(struct json_text *t, const char *key, uint64_t value);

/** json_end() - the text with a newline, malloc'd; NULL without memory. */
char *json_end(struct json_text *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/diskwipe.h>

static void append(struct json_text *t, const char *text, size_t len)
{
	size_t cap = t->cap;
	char *more;

	while (!t->failed && t->len + len + 1 > cap)
		cap = 2 * cap + 256;
	if (!t->failed && cap != t->cap) {
		more = realloc(t->text, cap);
		t->failed = !more;
		if (more) {
			t->text = more;
			t->cap = cap;
		}
	}
	if (t->failed)
		return;
	memcpy(t->text + t->len, text, len);
	t->len += len;
	t->text[t->len] = '\0';
}

static void put(struct json_text *t, const char *text)
{
	append(t, text, strlen(text));
}

/* after dw_text_printable() there is neither a control character nor bad UTF-8 */
static void quoted(struct json_text *t, const char *value)
{
	char *copy = strdup(value);

	if (!copy) {
		t->failed = true;
		return;
	}
	dw_text_printable(copy);
	put(t, "\"");
	for (const char *c = copy; *c; c++) {
		if (*c == '"' || *c == '\\')
			put(t, "\\");
		append(t, c, 1);
	}
	put(t, "\"");
	free(copy);
}

void json_begin(struct json_text *t)
{
	*t = (struct json_text){ 0 };
	put(t, "{");
}

static void name_member(struct json_text *t, const char *key)
{
	if (t->len > 1)
		put(t, ",");
	quoted(t, key);
	put(t, ":");
}

void json_string(struct json_text *t, const char *key, const char *value)
{
	name_member(t, key);
	quoted(t, value);
}

void json_number(struct json_text *t, const char *key, uint64_t value)
{
	char text[24];

	name_member(t, key);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	put(t, text);
}

char *json_end(struct json_text *t)
{
	put(t, "}\n");
	if (!t->failed)
		return t->text;
	free(t->text);
	return NULL;
}

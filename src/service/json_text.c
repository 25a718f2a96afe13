/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flat object needs no library: keys are ours, and values are made printable
 * before they are quoted.
 */
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

static void append_text(struct json_text *t, const char *text)
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
	append_text(t, "\"");
	for (const char *c = copy; *c; c++) {
		if (*c == '"' || *c == '\\')
			append_text(t, "\\");
		append(t, c, 1);
	}
	append_text(t, "\"");
	free(copy);
}

void json_begin(struct json_text *t)
{
	*t = (struct json_text){ 0 };
	append_text(t, "{");
}

static void name_member(struct json_text *t, const char *key)
{
	if (t->len > 1)
		append_text(t, ",");
	quoted(t, key);
	append_text(t, ":");
}

void json_add_text(struct json_text *t, const char *key, const char *value)
{
	name_member(t, key);
	quoted(t, value);
}

void json_number(struct json_text *t, const char *key, uint64_t value)
{
	char text[24];

	name_member(t, key);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	append_text(t, text);
}

char *json_end(struct json_text *t)
{
	append_text(t, "}\n");
	if (!t->failed)
		return t->text;
	free(t->text);
	return NULL;
}

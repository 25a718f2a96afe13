/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes of the SSH protocol. What is read has one form only: other text that means the same bytes
 * would be a change that nobody sees. */
#include "proof/wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "data/sign.h"

#define LINE 70

void dw_wire_bytes(struct dw_wire *w, const void *data, size_t len)
{
	if (len > sizeof(w->data) - w->len) {
		w->full = true;
		return;
	}
	if (len)
		memcpy(w->data + w->len, data, len);
	w->len += len;
}

void dw_wire_u32(struct dw_wire *w, uint32_t v)
{
	uint8_t b[4];

	dw_put_be32(b, v);
	dw_wire_bytes(w, b, sizeof(b));
}

void dw_wire_string(struct dw_wire *w, const void *data, size_t len)
{
	dw_wire_u32(w, (uint32_t)len);
	dw_wire_bytes(w, data, len);
}

void dw_wire_text(struct dw_wire *w, const char *text)
{
	dw_wire_string(w, text, strlen(text));
}

const uint8_t *dw_wire_take(struct dw_wire_in *in, size_t len)
{
	const uint8_t *at = in->at;

	if (in->bad || len > in->left) {
		in->bad = true;
		return NULL;
	}
	in->at += len;
	in->left -= len;
	return at;
}

uint32_t dw_wire_take_u32(struct dw_wire_in *in)
{
	const uint8_t *at = dw_wire_take(in, 4);

	return at ? dw_get_be32(at) : 0;
}

struct dw_wire_in dw_wire_take_string(struct dw_wire_in *in)
{
	uint32_t len = dw_wire_take_u32(in);
	const uint8_t *at = dw_wire_take(in, len);

	return (struct dw_wire_in){ .at = at, .left = at ? len : 0, .bad = !at };
}

bool dw_wire_is(const struct dw_wire_in *in, const char *text)
{
	return !in->bad && in->left == strlen(text) && !memcmp(in->at, text, in->left);
}

char *dw_armour(const char *name, const void *data, size_t len)
{
	dw_autofree char *plain = dw_base64(data, len);
	size_t n = plain ? strlen(plain) : 0, size;
	char *text = NULL;
	FILE *f = plain ? open_memstream(&text, &size) : NULL;

	if (!f)
		return NULL;
	fprintf(f, "-----BEGIN %s-----\n", name);
	for (size_t at = 0; at < n; at += LINE)
		fprintf(f, "%.*s\n", LINE, plain + at);
	fprintf(f, "-----END %s-----\n", name);
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

/* characters between the first line and the last, without the ends of lines; 0 = none */
static size_t join_lines(const char *name, const char *text, size_t len, char *ret)
{
	char head[80], tail[80];
	size_t first, last, n = 0;

	snprintf(head, sizeof(head), "-----BEGIN %s-----\n", name);
	snprintf(tail, sizeof(tail), "-----END %s-----\n", name);
	first = strlen(head);
	last = strlen(tail);
	if (len < first + last || memcmp(text, head, first) != 0 ||
	    memcmp(text + len - last, tail, last) != 0)
		return 0;
	for (size_t i = first; i < len - last; i++)
		if (text[i] != '\n')
			ret[n++] = text[i];
	return n;
}

int dw_armour_parse(const char *name, const char *text, size_t len, struct dw_wire *ret)
{
	dw_autofree char *plain = malloc(len + 1), *again = NULL;
	dw_autofree uint8_t *data = NULL;
	size_t n;
	int r;

	*ret = (struct dw_wire){ .len = 0 };
	if (!plain)
		return -ENOMEM;
	r = dw_base64_parse(plain, join_lines(name, text, len, plain), &data, &n);
	if (r)
		return r;
	dw_wire_bytes(ret, data, n);
	if (ret->full)
		return -EINVAL;
	again = dw_armour(name, data, n);
	if (!again)
		return -ENOMEM;
	return strlen(again) == len && !memcmp(again, text, len) ? 0 : -EINVAL;
}

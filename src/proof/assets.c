/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asset tags of disks, read from a CSV file (RFC 4180) with serial number and tag. Anything that is
 * no such file is an error, as a record would name the wrong disk with the tag of another.
 */
#include <stdlib.h>
#include <string.h>

#include <diskwipe/units.h>

#include "base/error.h"
#include "base/util.h"
#include "file/file.h"
#include "proof/proof.h"

#define BYTES_MAX 16777216
#define MARK      "\xef\xbb\xbf" /* byte order mark of UTF-8, which spreadsheets write */

/** struct asset_reader - @at: the text that is left; @line: of it, from 1; @comma: the separator */
struct asset_reader {
	const char *at;
	uint32_t line;
	char comma;
};

static const char too_long[] = "a serial number or a tag is too long";

static bool is_end(const struct asset_reader *r)
{
	return *r->at == r->comma || *r->at == '\n' || *r->at == '\r' || !*r->at;
}

static void trim(char *text)
{
	size_t n = strlen(text), skip = strspn(text, " \t");

	while (n > skip && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	memmove(text, text + skip, n - skip);
	text[n - skip] = '\0';
}

/* Reads a cell without its quotation marks. Returns NULL, or what is wrong with it. */
static const char *read_cell(struct asset_reader *r, char *buf, size_t size)
{
	size_t n = 0;
	bool quoted, closed = false;

	r->at += strspn(r->at, " ");
	quoted = *r->at == '"';
	r->at += quoted;
	while (quoted ? *r->at && *r->at != '\n' : !is_end(r)) {
		closed = quoted && *r->at == '"' && *++r->at != '"';
		if (closed)
			break;
		if (n + 1 >= size)
			return too_long;
		buf[n++] = *r->at++;
	}
	buf[n] = '\0';
	if (quoted && (!closed || !is_end(r)))
		return "a quotation mark is missing";
	trim(buf);
	return dw_text_is_printable(buf) ? NULL
					 : "it has control characters, or is no UTF-8";
}

/* Passes over a cell, which may contain line ends within quotation marks. */
static const char *skip_cell(struct asset_reader *r)
{
	r->at += strspn(r->at, " ");
	if (*r->at != '"') {
		while (!is_end(r))
			r->at++;
		return NULL;
	}
	for (r->at++; *r->at; r->at++) {
		if (*r->at == '"' && r->at[1] != '"') {
			r->at++;
			return is_end(r) ? NULL : "a quotation mark is missing";
		}
		r->at += *r->at == '"';
	}
	return "a quotation mark is missing";
}

/* Reads a line; an empty one gives an empty serial number and tag. NULL, or what is wrong. */
static const char *read_line(struct asset_reader *r, struct dw_asset *ret)
{
	const char *why = read_cell(r, ret->serial, sizeof(ret->serial));

	ret->tag[0] = '\0';
	if (!why && *r->at == r->comma) {
		r->at++;
		why = read_cell(r, ret->tag, sizeof(ret->tag));
	}
	r->line++;
	while (!why && *r->at == r->comma) {
		r->at++;
		why = skip_cell(r);
	}
	r->at += *r->at == '\r' && r->at[1] == '\n';
	if (!why && *r->at && *r->at != '\n')
		why = "a line does not end as lines do, by a line feed";
	r->at += *r->at == '\n';
	if (!why && !ret->serial[0] != !ret->tag[0])
		why = "a line has a serial number and a tag";
	return why;
}

static int compare(const void *a, const void *b)
{
	const struct dw_asset *x = a, *y = b;

	return strcmp(x->serial, y->serial);
}

static int sort(struct dw_assets *a, const char *path, struct dw_error *err)
{
	if (a->n)
		qsort(a->asset, a->n, sizeof(*a->asset), compare);
	for (size_t i = 1; i < a->n; i++)
		if (!compare(&a->asset[i - 1], &a->asset[i]) &&
		    strcmp(a->asset[i - 1].tag, a->asset[i].tag) != 0) {
			dw_error_set(err, -EINVAL, DW_ERROR_CONTENT, NULL,
				     "serial number %s has two tags, '%s' and '%s'",
				     a->asset[i].serial, a->asset[i - 1].tag,
				     a->asset[i].tag);
			dw_error_in(err, path, 0);
			return -EINVAL;
		}
	return 0;
}

static int read_lines(struct asset_reader *r, struct dw_assets *ret, const char *path,
		      struct dw_error *err)
{
	while (*r->at) {
		struct dw_asset a;
		const char *why = read_line(r, &a);

		if (why) {
			dw_error_set(err, -EINVAL, DW_ERROR_CONTENT, NULL, "%s", why);
			dw_error_in(err, path, r->line);
			return -EINVAL;
		}
		if (!a.serial[0] || (r->line == 1 && !strncasecmp(a.serial, "serial", 6)))
			continue;
		if (dw_grow(&ret->asset, ret->n, ret->n + 1, sizeof(a)))
			return dw_error_system(err, -ENOMEM, NULL);
		ret->asset[ret->n++] = a;
	}
	return sort(ret, path, err);
}

int dw_assets_read(const char *path, struct dw_assets *ret, struct dw_error *err)
{
	dw_autofree char *text = NULL;
	struct asset_reader r = { .comma = ',' };
	size_t len;
	int e = dw_file_read(path, BYTES_MAX, &text, &len);

	dw_error_clear(err);
	*ret = (struct dw_assets){ .n = 0 };
	if (e)
		return dw_error_file(err, e, path, dw_file_error(e));
	r.at = text + (strncmp(text, MARK, strlen(MARK)) ? 0 : strlen(MARK));
	if (strlen(text) != len)
		e = dw_error_file(err, -EINVAL, path, "it is no text");
	if (r.at[strcspn(r.at, ",;\n")] == ';')
		r.comma = ';';
	if (!e)
		e = read_lines(&r, ret, path, err);
	if (e)
		dw_assets_deinit(ret);
	return e;
}

const char *dw_assets_find(const struct dw_assets *a, const char *serial)
{
	struct dw_asset key;
	const struct dw_asset *found;

	if (!serial[0] || !a->n || strlen(serial) >= sizeof(key.serial))
		return NULL;
	memcpy(key.serial, serial, strlen(serial) + 1);
	found = bsearch(&key, a->asset, a->n, sizeof(key), compare);
	return found ? found->tag : NULL;
}

void dw_assets_deinit(struct dw_assets *a)
{
	free(a->asset);
	*a = (struct dw_assets){ .n = 0 };
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers as bytes. A file that describes a real device says what was seen on its wire:
 * parameter data and sense data byte for byte, and for which bytes of a CDB. What it does
 * not say, the disk answers by itself; a few bytes of that can be changed, too, so that a
 * description has what is odd about the device, and no more.
 */
#include "answer.h"

#include "words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "*N" after a byte: so many of it */
static bool repeat(const char **text, uint8_t *bytes, size_t *len)
{
	char *end;
	unsigned long n;

	if (**text != '*')
		return true;
	if (!*len || !isdigit((unsigned char)(*text)[1]))
		return false;
	n = strtoul(*text + 1, &end, 10);
	if (n < 1 || n > DW_ANSWER_MAX - *len + 1)
		return false;
	memset(bytes + *len, bytes[*len - 1], n - 1);
	*len += n - 1;
	*text = end;
	return true;
}

/* 'letters', which stand for their codes */
static bool letters(const char **text, uint8_t *bytes, size_t *len)
{
	const char *end = strchr(*text + 1, '\'');
	size_t n = end ? (size_t)(end - *text) - 1 : 0;

	if (!end || n > DW_ANSWER_MAX - *len)
		return false;
	memcpy(bytes + *len, *text + 1, n);
	*len += n;
	*text = end + 1;
	return true;
}

static bool pair(const char **text, uint8_t *bytes, size_t *len)
{
	int hi = digit((*text)[0]), lo = hi < 0 ? -1 : digit((*text)[1]);

	if (lo < 0 || *len == DW_ANSWER_MAX)
		return false;
	bytes[(*len)++] = (uint8_t)(hi << 4 | lo);
	*text += 2;
	return repeat(text, bytes, len);
}

/**
 * dw_bytes_parse - bytes as a person writes them
 * @text: "0080 00 08 'SERIAL  ' 00*500": pairs of hex digits, letters, so many of a byte
 * @ret_bytes: bytes, the caller's
 * @ret_len: how many
 *
 * Return: false when the text is something else.
 */
bool dw_bytes_parse(const char *text, uint8_t **ret_bytes, size_t *ret_len)
{
	uint8_t *bytes = malloc(DW_ANSWER_MAX), *fitted;
	size_t len = 0;
	bool ok = bytes;

	while (ok && *text) {
		if (isspace((unsigned char)*text))
			text++;
		else if (*text == '\'')
			ok = letters(&text, bytes, &len);
		else
			ok = pair(&text, bytes, &len);
	}
	if (!ok) {
		free(bytes);
		return false;
	}
	fitted = realloc(bytes, len ? len : 1);
	*ret_bytes = fitted ? fitted : bytes;
	*ret_len = len;
	return true;
}

/**
 * dw_pattern_parse - the first bytes of a CDB
 * @text: "12 01 b0"; ".." stands for any byte
 * @p: pattern; what the text says is added
 *
 * Return: false when the text is something else.
 */
bool dw_pattern_parse(const char *text, struct dw_cdb_pattern *p)
{
	size_t i;

	for (i = 0; *text; i++) {
		while (isspace((unsigned char)*text))
			text++;
		if (!*text)
			break;
		if (i == sizeof(p->byte) || !text[1])
			return false;
		if (strncmp(text, "..", 2) != 0) {
			if (digit(text[0]) < 0 || digit(text[1]) < 0)
				return false;
			p->byte[i] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
			p->mask[i] = 0xff;
		}
		text += 2;
	}
	return i > 0;
}

/**
 * dw_pattern_byte - one field of a CDB
 * @p: pattern; the field is added
 * @at: byte
 * @mask: its bits
 * @text: number
 *
 * Return: false when the number is none, or does not fit.
 */
bool dw_pattern_byte(struct dw_cdb_pattern *p, unsigned int at, uint8_t mask,
		     const char *text)
{
	uint64_t v;

	if (!dw_number_parse(text, &v) || v & ~(uint64_t)mask)
		return false;
	p->byte[at] = (uint8_t)((p->byte[at] & ~mask) | v);
	p->mask[at] |= mask;
	return true;
}

/**
 * dw_pattern_fits - whether a command is what a rule is about
 * @p: pattern
 * @cdb: 16 bytes
 *
 * Return: whether it is.
 */
bool dw_pattern_fits(const struct dw_cdb_pattern *p, const uint8_t *cdb)
{
	size_t i;

	for (i = 0; i < sizeof(p->byte); i++)
		if ((cdb[i] & p->mask[i]) != (p->byte[i] & p->mask[i]))
			return false;
	return true;
}

static bool widen(struct dw_answer *a, size_t len)
{
	uint8_t *bytes, *mask;

	if (len <= a->len)
		return true;
	bytes = realloc(a->bytes, len);
	if (bytes)
		a->bytes = bytes;
	mask = realloc(a->mask, len);
	if (mask)
		a->mask = mask;
	if (!bytes || !mask)
		return false;
	memset(a->bytes + a->len, 0, len - a->len);
	memset(a->mask + a->len, 0, len - a->len);
	a->len = len;
	return true;
}

static bool set_len(struct dw_answer *a, size_t len)
{
	size_t had = a->len;

	if (!widen(a, len))
		return false;
	if (len > had)
		memset(a->mask + had, 0xff, len - had);
	a->len = len;
	return true;
}

static bool put_bytes(struct dw_answer *a, size_t at, const uint8_t *bytes, size_t n)
{
	if (at + n > DW_ANSWER_MAX || !widen(a, at + n))
		return false;
	memcpy(a->bytes + at, bytes, n);
	memset(a->mask + at, 0xff, n);
	return true;
}

static bool parse_data(struct dw_answer *a, const char *text)
{
	uint8_t *bytes;
	size_t n;
	bool ok;

	if (!dw_bytes_parse(text, &bytes, &n))
		return false;
	ok = put_bytes(a, 0, bytes, n);
	free(bytes);
	a->given = a->whole = true;
	return ok;
}

/* "OFFSET:BYTES", or "OFFSET:BYTE/MASK" for some bits of one byte */
static bool parse_patch(struct dw_answer *a, const char *text)
{
	uint8_t *bytes = NULL, *mask = NULL;
	size_t n, m = 0;
	uint64_t at;
	char *copy = strdup(text), *colon = copy ? strchr(copy, ':') : NULL, *slash;
	bool ok = false;

	if (colon) {
		*colon++ = 0;
		slash = strchr(colon, '/');
		if (slash)
			*slash++ = 0;
		ok = dw_number_parse(copy, &at) && at < DW_ANSWER_MAX &&
		     dw_bytes_parse(colon, &bytes, &n) && n &&
		     (!slash || (dw_bytes_parse(slash, &mask, &m) && m == n)) &&
		     put_bytes(a, at, bytes, n);
		if (ok && mask)
			memcpy(a->mask + at, mask, n);
	}
	free(bytes);
	free(mask);
	free(copy);
	a->whole = a->given;
	return ok;
}

static bool parse_raw(struct dw_answer *a, const char *text)
{
	uint8_t *bytes;
	size_t n;

	if (!dw_bytes_parse(text, &bytes, &n))
		return false;
	a->raw_len = n;
	if (n <= sizeof(a->raw))
		memcpy(a->raw, bytes, n);
	free(bytes);
	a->checks = true;
	return n <= sizeof(a->raw);
}

static bool parse(struct dw_answer *a, const char *key, const char *value)
{
	uint64_t v;

	if (!strcmp(key, "data"))
		return parse_data(a, value);
	if (!strcmp(key, "patch"))
		return parse_patch(a, value);
	if (!strcmp(key, "raw"))
		return parse_raw(a, value);
	if (!dw_number_parse(value, &v) || v > DW_ANSWER_MAX)
		return false;
	if (!strcmp(key, "len"))
		return a->given && set_len(a, v);
	a->room = v;
	a->whole = a->given;
	return true;
}

/**
 * dw_answer_new - an answer that says nothing: GOOD, without data
 *
 * Return: it, or NULL.
 */
struct dw_answer *dw_answer_new(void)
{
	struct dw_answer *a = calloc(1, sizeof(*a));

	if (a) {
		a->whole = true;
		a->room = SIZE_MAX;
	}
	return a;
}

/**
 * dw_answer_key - one key of an answer
 * @key: name
 * @value: its value
 * @a: answer
 * @ret_ok: whether the value is right
 *
 * Return: false when the key is something else.
 */
bool dw_answer_key(const char *key, const char *value, struct dw_answer *a, bool *ret_ok)
{
	static const char *const keys[] = { "data", "len", "patch", "raw", "bytes" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i], key))
			break;
	if (i == sizeof(keys) / sizeof(keys[0]))
		return false;
	*ret_ok = parse(a, key, value);
	return true;
}

/**
 * dw_answer_edit - parameter data as the rule wants them
 * @a: answer
 * @buf: data of the disk, changed in place; nothing is read of it when the answer is whole
 * @len: bytes of it
 * @max: room
 *
 * Return: bytes.
 */
size_t dw_answer_edit(const struct dw_answer *a, uint8_t *buf, size_t len, size_t max)
{
	size_t i, end = a->len < max ? a->len : max;

	if (a->whole)
		len = 0;
	if (end > len)
		memset(buf + len, 0, end - len);
	for (i = 0; i < end; i++)
		buf[i] = (uint8_t)((buf[i] & ~a->mask[i]) | (a->bytes[i] & a->mask[i]));
	len = end > len ? end : len;
	return len < a->room ? len : a->room;
}

/**
 * dw_answer_free - free an answer
 * @a: answer or NULL
 */
void dw_answer_free(struct dw_answer *a)
{
	if (!a)
		return;
	free(a->bytes);
	free(a->mask);
	free(a);
}

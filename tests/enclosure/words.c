/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one grammar of configuration lines, faults and control commands: words
 * apart by blanks, "key=value", double quotes around blanks, '#' to the end of
 * the line for remarks, numbers in any C base with an optional K, M, G or T.
 */
#include "words.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* copies one word down over its quotes; returns where the next begins */
static char *word_end(char *s)
{
	char *to = s;
	bool quoted = false;

	for (; *s && (quoted || !isspace((unsigned char)*s)); s++) {
		if (*s == '"')
			quoted = !quoted;
		else
			*to++ = *s;
	}
	if (*s)
		s++;
	*to = 0;
	return s;
}

/**
 * dw_words_split - cut a line
 * @line: text, changed in place; the words point into it
 * @w: words
 * @max: room for them
 *
 * Return: how many, or -E2BIG.
 */
int dw_words_split(char *line, struct dw_word *w, size_t max)
{
	size_t n = 0;

	for (;;) {
		char *s;

		while (isspace((unsigned char)*line))
			line++;
		if (!*line || *line == '#')
			return (int)n;
		if (n == max)
			return -E2BIG;
		s = line;
		line = word_end(s);
		w[n].key = s;
		w[n].value = strchr(s, '=');
		if (w[n].value)
			*w[n].value++ = 0;
		n++;
	}
}

static unsigned int suffix(const char *s)
{
	static const char letters[] = "KMGT";
	const char *p;

	if (!s[0])
		return 0;
	p = strchr(letters, toupper((unsigned char)s[0]));
	if (!p || s[1])
		return 99;
	return 10 * (unsigned int)(p - letters + 1);
}

/**
 * dw_number_parse - a number with an optional binary suffix
 * @text: such as "300", "0x10", "64M"
 * @ret_v: value
 *
 * Return: false when the text is something else or too large.
 */
bool dw_number_parse(const char *text, uint64_t *ret_v)
{
	unsigned long long v;
	unsigned int shift;
	char *end;

	if (!text || !isdigit((unsigned char)*text))
		return false;
	errno = 0;
	v = strtoull(text, &end, 0);
	shift = suffix(end);
	if (errno || shift == 99 || (shift && v >> (64 - shift)))
		return false;
	*ret_v = v << shift;
	return true;
}

/**
 * dw_range_parse - "A" or "A-B"
 * @text: text
 * @ret_lo: A
 * @ret_hi: B, or A
 *
 * Return: false when the text is something else, or B below A.
 */
bool dw_range_parse(const char *text, uint64_t *ret_lo, uint64_t *ret_hi)
{
	char buf[64], *dash;

	if (!text || strlen(text) >= sizeof(buf))
		return false;
	strcpy(buf, text);
	dash = strchr(buf, '-');
	if (dash)
		*dash = 0;
	if (!dw_number_parse(buf, ret_lo))
		return false;
	*ret_hi = *ret_lo;
	if (dash && !dw_number_parse(dash + 1, ret_hi))
		return false;
	return *ret_hi >= *ret_lo;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text that comes from a disk, a label, a mount point or a process may hold what a terminal
 * obeys. There is one place that decides what may be shown.
 */
#include <string.h>

#include <diskwipe/units.h>

#include "base/util.h"

/* The bytes of one character of UTF-8 and its number; 0 when it is none. */
static size_t decode(const unsigned char *s, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80   ? 1
		   : s[0] < 0xc2 ? 0
		   : s[0] < 0xe0 ? 2
		   : s[0] < 0xf0 ? 3
		   : s[0] < 0xf5 ? 4
				 : 0;
	uint32_t c = n < 2 ? s[0] : s[0] & (0x7fu >> n);

	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (!n || c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*ret = c;
	return n;
}

static bool is_harmless(uint32_t c)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} bad[] = {
		{ 0, 0x1f },          /* C0 */
		{ 0x7f, 0x9f },       /* DEL, C1 */
		{ 0x61c, 0x61c },     /* marks of direction */
		{ 0x200e, 0x200f },   /* the same */
		{ 0x2028, 0x202e },   /* ends of lines, overrides of direction */
		{ 0x2066, 0x2069 },   /* isolates */
		{ 0xfeff, 0xfeff },   /* byte order */
		{ 0xfff9, 0xfffb },   /* annotations */
		{ 0xfffe, 0xffff },   /* no characters, and none in XML */
		{ 0xe0000, 0xe0fff }, /* tags */
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(bad); i++)
		if (c >= bad[i].first && c <= bad[i].last)
			return false;
	return true;
}

bool dw_text_is_formula(const char *text)
{
	static const char *const signs[] = { "=",      "+",      "-",     "@",
					     "\t",     "\r",     "\n",    "\uff1d",
					     "\uff0b", "\uff0d", "\uff20" };

	for (size_t i = 0; i < DW_ARRAY_SIZE(signs); i++)
		if (!strncmp(text, signs[i], strlen(signs[i])))
			return true;
	return false;
}

char *dw_text_utf8(char *text)
{
	uint32_t c;
	size_t n;

	for (char *at = text; *at; at += n ? n : 1) {
		n = decode((const unsigned char *)at, &c);
		if (!n)
			*at = '?';
	}
	return text;
}

bool dw_text_is_printable(const char *text)
{
	const unsigned char *from = (const unsigned char *)text;

	while (*from) {
		uint32_t c = 0;
		size_t n = decode(from, &c);

		if (!n || !is_harmless(c))
			return false;
		from += n;
	}
	return true;
}

char *dw_text_printable(char *text)
{
	const unsigned char *from = (const unsigned char *)text;
	char *to;

	while (*from >= 0x20 && *from < 0x7f) /* nearly always that is all of it */
		from++;
	to = text + (from - (const unsigned char *)text);
	while (*from) {
		uint32_t c = 0;
		size_t n = decode(from, &c);

		if (n && is_harmless(c)) {
			memmove(to, from, n);
			to += n;
		} else {
			*to++ = '?';
		}
		from += n ? n : 1;
	}
	*to = '\0';
	return text;
}

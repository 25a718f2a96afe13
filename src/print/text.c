/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include <diskwipe/units.h>

#include "base/util.h"
#include "print/text.h"

/* A copy that is safe to show; free() it. Without memory nothing is shown. */
static char *clean_copy(const char *text)
{
	char *copy = strdup(text);

	return copy ? dw_text_printable(copy) : NULL;
}

void paper_csv(FILE *f, const char *text)
{
	dw_autofree char *copy = clean_copy(text);

	fputc('"', f);
	/* what stands there before it is made printable counts as well */
	if (dw_text_is_formula(text))
		fputc('\'', f);
	for (const char *c = copy ? copy : ""; *c; c++) {
		if (*c == '"')
			fputc('"', f);
		fputc(*c, f);
	}
	fputc('"', f);
}

void paper_json(FILE *f, const char *text)
{
	dw_autofree char *copy = clean_copy(text);

	fputc('"', f);
	for (const char *c = copy ? copy : ""; *c; c++) {
		if (*c == '"' || *c == '\\')
			fputc('\\', f);
		fputc(*c, f);
	}
	fputc('"', f);
}

void paper_zpl(FILE *f, const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789 .-";
	dw_autofree char *copy = clean_copy(text);

	for (const char *c = copy ? copy : ""; *c; c++)
		fprintf(f, strchr(plain, *c) ? "%c" : "_%02X", (unsigned char)*c);
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t paper_characters(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += begins_character(*text);
	return n;
}

const char *paper_fit(const char *text, size_t most, char *buf, size_t size)
{
	dw_autofree char *copy = clean_copy(text);
	const char *from = copy ? copy : "";
	bool all = paper_characters(from) <= most && strlen(from) < size;
	size_t len = 0, n = 0, room = most > 3 ? most - 3 : 0;

	if (all) {
		snprintf(buf, size, "%s", from);
		return buf;
	}
	/* a character goes in as a whole, or not at all */
	for (size_t i = 0; i + 4 < size; i++) {
		if (begins_character(from[i]))
			len = i;
		if (!from[i] || (begins_character(from[i]) && n++ == room))
			break;
	}
	snprintf(buf, size, "%.*s...", (int)len, from);
	return buf;
}

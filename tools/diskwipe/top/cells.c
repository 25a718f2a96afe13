/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text into cells. What a disk calls itself is hostile: a character gets into a cell only if it
 * is printable and one or two places wide; a terminal is sent cells and nothing else.
 */
#include <stdlib.h>
#include <string.h>

#include "top/layout.h"

#define TEXT_MAX 1024 /* characters of a line that are looked at */

void top_page_deinit(struct top_page *p)
{
	free(p->cell);
	*p = (struct top_page){ 0 };
}

void top_page_clear(struct top_page *p, unsigned width, unsigned height)
{
	size_t n = (size_t)width * height;

	if (p->width != width || p->height != height) {
		free(p->cell);
		p->cell = cli_allocate(n, sizeof(*p->cell));
		p->width = width;
		p->height = height;
	}
	for (size_t i = 0; i < n; i++)
		p->cell[i] = (struct top_cell){ .c = L' ' };
}

/* Printable characters of @text, each with its width; returns how many. */
static size_t read_text(const char *text, wchar_t wide[TEXT_MAX], int width[TEXT_MAX])
{
	char clean[4 * TEXT_MAX];
	const char *at = clean;
	mbstate_t state = { 0 };
	size_t n = 0;

	snprintf(clean, sizeof(clean), "%s", text);
	dw_text_printable(clean);
	while (*at && n < TEXT_MAX) {
		size_t len = mbrtowc(&wide[n], at, MB_CUR_MAX, &state);
		bool known = len && len <= MB_CUR_MAX;

		if (!known)
			memset(&state, 0, sizeof(state));
		width[n] = known ? wcwidth(wide[n]) : 1;
		if (!known || width[n] < 1 || width[n] > 2) {
			wide[n] = L'?';
			width[n] = 1;
		}
		n++;
		at += known ? len : 1;
	}
	return n;
}

unsigned top_text_width(const char *text)
{
	wchar_t wide[TEXT_MAX];
	int width[TEXT_MAX];
	unsigned sum = 0;
	size_t n = read_text(text, wide, width);

	for (size_t i = 0; i < n; i++)
		sum += (unsigned)width[i];
	return sum;
}

const char *top_text_line(const char *text, unsigned room, char line[TOP_TEXT])
{
	size_t take = strlen(text);

	while (take && (snprintf(line, TOP_TEXT, "%.*s", (int)take, text),
			top_text_width(line) > room)) {
		const char *blank = memrchr(text, ' ', take);

		take = blank && blank > text ? (size_t)(blank - text) : 0;
	}
	if (!take) {
		take = strlen(text);
		snprintf(line, TOP_TEXT, "%s", text);
	}
	text += take;
	return text + strspn(text, " ");
}

unsigned top_page_put(struct top_page *p, unsigned y, unsigned x, unsigned room,
		      unsigned look, const char *text)
{
	struct top_cell *line = p->cell + (size_t)y * p->width;
	wchar_t wide[TEXT_MAX];
	int width[TEXT_MAX];
	unsigned end, sum = 0;
	size_t n = read_text(text, wide, width), i;

	if (y >= p->height || x >= p->width || !room)
		return x;
	end = room < p->width - x ? x + room : p->width;
	for (i = 0; i < n; i++)
		sum += (unsigned)width[i];
	for (i = 0; i < n; i++) {
		/* the last place is for the mark, where not all of the rest fits */
		if (x + sum > end && x + (unsigned)width[i] + 1 > end)
			break;
		line[x++] =
			(struct top_cell){ .c = wide[i], .look = (unsigned char)look };
		if (width[i] == 2)
			line[x++] = (struct top_cell){ .look = (unsigned char)look };
		sum -= (unsigned)width[i];
	}
	if (i < n && x < end)
		line[x++] = (struct top_cell){ .c = L'~', .look = (unsigned char)look };
	return x;
}

bool top_page_small(struct top_page *p)
{
	if (p->width >= TOP_MIN_WIDTH && p->height >= TOP_MIN_HEIGHT)
		return false;
	top_page_put(p, 0, 0, p->width, TOP_PLAIN,
		     "terminal too small: it takes 40x10; q quits");
	return true;
}

void top_page_footer(struct top_page *p, const char *const *keys, const char *text)
{
	unsigned x = 0, last = (unsigned)strlen(text);

	last = last < p->width ? p->width - last : 0;
	for (; *keys; keys++)
		if (x + strlen(*keys) < last)
			x = top_page_put(p, p->height - 1, x, p->width, TOP_PLAIN,
					 *keys) +
			    1;
	top_page_put(p, p->height - 1, last, p->width, TOP_BOLD, text);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_TOP_LAYOUT_H
#define DISKWIPE_TOP_LAYOUT_H

/*
 * A screen of `diskwipe top`, or of the guided start, as cells. A cell holds one printable
 * character, or nothing where the one before it is two places wide: whatever a text holds, no
 * line is wider than the screen.
 */
#include <wchar.h>

#include "top/model.h"

#define TOP_MIN_WIDTH  40
#define TOP_MIN_HEIGHT 10

enum top_look {
	TOP_PLAIN,
	TOP_BOLD,
	TOP_BAD,
	TOP_GOOD,
	TOP_NOTE,
	TOP_DIM, /* no colour: fainter, where the terminal can */
	TOP_LOOKS,
	TOP_REVERSE = 8, /* a flag beside these */
};

struct top_cell {
	wchar_t c; /* 0 = covered by the one before */
	unsigned char look;
};

/** struct top_page - @height lines of @width cells, one after the other; owned */
struct top_page {
	unsigned width;
	unsigned height;
	struct top_cell *cell;
};

/** top_page_deinit() - free the cells. */
void top_page_deinit(struct top_page *p);

/** top_page_clear() - @width by @height blanks. */
void top_page_clear(struct top_page *p, unsigned width, unsigned height);

/**
 * top_page_put() - write a text
 * @y, @x: where it begins, from 0
 * @room: places that it may take; a longer one ends with a mark
 * @look: enum top_look, with TOP_REVERSE
 * @text: anything; what is not printable becomes a question mark
 *
 * Return: the place behind it.
 */
unsigned top_page_put(struct top_page *p, unsigned y, unsigned x, unsigned room,
		      unsigned look, const char *text);

/** top_page_small() - whether it has too few places, which is then all that it reports. */
bool top_page_small(struct top_page *p);

/** top_page_footer() - the last line: of @keys, which end with NULL, those that fit, and @text at
 *  its end. */
void top_page_footer(struct top_page *p, const char *const *keys, const char *text);

/** top_text_width() - places that a text takes. */
unsigned top_text_width(const char *text);

/** top_text_line() - what of a text goes into a line of @room places, broken at a blank, as @line;
 *  what has none is taken whole. Returns the rest. */
const char *top_text_line(const char *text, unsigned room, char line[TOP_TEXT]);

/** top_layout() - draw @t on @width by @height cells. Renews t->grid, and brings t->first and
 *  t->scroll to where cursor and page are. */
void top_layout(struct top *t, unsigned width, unsigned height, struct top_page *p);

/** top_layout_wall() - the mode TOP_WALL. */
void top_layout_wall(struct top *t, struct top_page *p);

/** top_layout_page() - the modes that are no list: details, help, questions. */
void top_layout_page(struct top *t, struct top_page *p);

#endif

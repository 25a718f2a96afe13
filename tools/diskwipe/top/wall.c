/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wall screen: three counts, and what is wrong, in letters that are read three metres away.
 * A letter is five lines of three dots; a dot is as large as the terminal has room for.
 */
#include <string.h>

#include "top/layout.h"

#define DOTS_WIDE 3
#define DOTS_HIGH 5
#define DOT_CELLS 2 /* a cell is twice as high as it is wide */
#define LINES     5
#define LINE      32

/* Lines from the top, three bits each, the left dot first. */
static const struct {
	char c;
	unsigned short dots;
} letters[] = {
	{ '0', 075557 }, { '1', 026227 }, { '2', 071747 }, { '3', 071717 },
	{ '4', 055711 }, { '5', 074717 }, { '6', 074757 }, { '7', 071122 },
	{ '8', 075757 }, { '9', 075717 }, { 'A', 025755 }, { 'D', 065556 },
	{ 'E', 074647 }, { 'F', 074644 }, { 'I', 072227 }, { 'K', 055655 },
	{ 'L', 044447 }, { 'N', 065555 }, { 'O', 075557 }, { 'R', 065655 },
	{ 'S', 034216 }, { 'T', 072222 }, { 'W', 055775 }, { 'd', 011757 },
	{ 'h', 044755 }, { 'm', 007755 }, { '>', 042124 }, { 's', 003636 },
};

/** struct wall_line - what is written large, and how it looks */
struct wall_line {
	char text[LINE];
	unsigned look;
};

static unsigned dots_of(char c)
{
	for (size_t i = 0; i < CLI_ARRAY_SIZE(letters); i++)
		if (letters[i].c == c)
			return letters[i].dots;
	return 0;
}

static unsigned width_of(const char *text, unsigned scale)
{
	unsigned n = (unsigned)strlen(text);

	return n ? (n * (DOTS_WIDE + 1) - 1) * DOT_CELLS * scale : 0;
}

static void put_dot(const struct top *t, struct top_page *p, unsigned y, unsigned x,
		    unsigned scale, unsigned look)
{
	for (unsigned dy = 0; dy < scale; dy++)
		for (unsigned dx = 0; dx < scale * DOT_CELLS; dx++)
			top_page_put(p, y + dy, x + dx, 1, look,
				     t->unicode ? "\u2588" : "#");
}

static void put_large(const struct top *t, struct top_page *p, unsigned y, unsigned scale,
		      const struct wall_line *line)
{
	for (unsigned i = 0; line->text[i]; i++) {
		unsigned dots = dots_of(line->text[i]);
		unsigned at = i * (DOTS_WIDE + 1) * DOT_CELLS * scale;

		for (unsigned n = 0; n < DOTS_WIDE * DOTS_HIGH; n++)
			if (dots >> (DOTS_WIDE * DOTS_HIGH - 1 - n) & 1)
				put_dot(t, p, y + n / DOTS_WIDE * scale,
					at + n % DOTS_WIDE * DOT_CELLS * scale, scale,
					line->look);
	}
}

/* In the order of their importance: those that find no room are left out from the end. */
static size_t collect(const struct top *t, struct wall_line line[LINES])
{
	size_t count[TOP_KINDS] = { 0 }, n = 0;
	bool known = true;
	uint64_t end = 0;
	char left[16];

	if (t->away[0]) { /* then counts are old */
		line[0].look = TOP_BAD;
		snprintf(line[0].text, LINE, "NO NEWS");
		return 1;
	}

	for (size_t i = 0; i < t->station->n_disks; i++) {
		const struct cli_station_disk *d = &t->station->disk[i];

		count[top_kind(d)]++;
		known &= !top_has_job(d) || d->expected_end_time;
		if (top_has_job(d) && d->expected_end_time > end)
			end = d->expected_end_time;
	}
	line[n].look = count[TOP_TROUBLE] ? TOP_BAD : TOP_PLAIN;
	snprintf(line[n++].text, LINE, "%zu FAILED", count[TOP_TROUBLE]);
	line[n].look = TOP_GOOD;
	snprintf(line[n++].text, LINE, "%zu DONE", count[TOP_DONE]);
	line[n].look = TOP_PLAIN;
	snprintf(line[n++].text, LINE, "%zu WORK", count[TOP_WORKING]);
	if (count[TOP_WAITING]) {
		line[n].look = TOP_NOTE;
		snprintf(line[n++].text, LINE, "%zu WAIT", count[TOP_WAITING]);
	}
	if (known && end > t->now_us) {
		line[n].look = TOP_PLAIN;
		snprintf(line[n++].text, LINE, "%s LEFT",
			 top_duration((end - t->now_us) / 1000000, left));
	}
	return n;
}

/* How large @n lines can be on the screen; 0 = they do not fit at all. */
static unsigned scale_of(const struct wall_line *line, size_t n, unsigned width,
			 unsigned height)
{
	unsigned scale = height / ((unsigned)n * (DOTS_HIGH + 1));

	for (size_t i = 0; i < n; i++)
		while (scale && width_of(line[i].text, scale) > width)
			scale--;
	return scale;
}

/* What there is to say in words, a line each; the first ones may be a service that is away. */
static unsigned put_sayings(const struct top *t, struct top_page *p, unsigned lines)
{
	struct top_part part[TOP_PARTS];
	size_t n = top_words(t, p->width, part);
	unsigned y = 0;

	if (t->station->manager.station)
		top_page_put(p, y++, 0, p->width, TOP_BOLD, t->station->manager.station);
	for (size_t i = 0; i < n && y < lines; i++)
		if (part[i].kind == TOP_TROUBLE || part[i].kind == TOP_WAITING)
			top_page_put(p, y++, 0, p->width,
				     part[i].kind == TOP_TROUBLE ? TOP_BAD | TOP_REVERSE
								 : TOP_NOTE,
				     part[i].text);
	return y;
}

void top_layout_wall(struct top *t, struct top_page *p)
{
	struct wall_line line[LINES];
	size_t n = collect(t, line), all = n;
	unsigned y = put_sayings(t, p, p->height / 4), scale;

	while (!(scale = scale_of(line, n, p->width, p->height - y)) && n > 3)
		n--;
	n = scale ? n : all;
	for (size_t i = 0; i < n && y < p->height; i++) {
		if (!scale)
			top_page_put(p, y++, 0, p->width, line[i].look | TOP_BOLD,
				     line[i].text);
		else
			put_large(t, p, y + (unsigned)i * (DOTS_HIGH + 1) * scale, scale,
				  &line[i]);
	}
}

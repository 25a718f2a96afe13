/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "print/canvas.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"

#define EM_SHARE  0.58 /* mean width of a character, of the widest usual sans-serif font */
#define HEAD_SIZE 22.0
#define LINE_SIZE 13.0
#define MARGIN    20.0
#define TITLE     44.0 /* above a figure, with its name */

static const char *const ends[] = {
	[PLOT_SVG] = ".svg",
	[PLOT_HTML] = ".html",
	[PLOT_PDF] = ".pdf",
	[PLOT_PNG] = ".png",
};

int plot_format_find(const char *path, enum plot_format *ret)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < DW_ARRAY_SIZE(ends); i++) {
		size_t n = strlen(ends[i]);

		if (len > n && !strcasecmp(path + len - n, ends[i])) {
			*ret = (enum plot_format)i;
			return 0;
		}
	}
	return -EINVAL;
}

bool plot_format_have(enum plot_format format)
{
	return format == PLOT_SVG || format == PLOT_HTML || plot_cairo_have();
}

void plot_line(struct plot *p, const struct plot_point *at, size_t n,
	       const struct plot_pen *pen)
{
	if (n >= 2)
		p->backend->line(p, at, n, pen);
}

void plot_segment(struct plot *p, struct plot_point from, struct plot_point to,
		  const struct plot_pen *pen)
{
	struct plot_point at[] = { from, to };

	plot_line(p, at, 2, pen);
}

void plot_fill(struct plot *p, const struct plot_point *at, size_t n, uint32_t color)
{
	if (n >= 3)
		p->backend->fill(p, at, n, color);
}

void plot_rect(struct plot *p, struct plot_box b, uint32_t color)
{
	struct plot_point at[] = {
		{ b.x, b.y },
		{ b.x + b.w, b.y },
		{ b.x + b.w, b.y + b.h },
		{ b.x, b.y + b.h },
	};

	if (b.w > 0 && b.h > 0)
		plot_fill(p, at, 4, color);
}

void plot_text(struct plot *p, double x, double y, const struct plot_font *font,
	       const char *text)
{
	if (*text)
		p->backend->text(p, (struct plot_point){ x, y }, font, text);
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

double plot_text_width(const char *text, double size)
{
	size_t n = 0;

	for (; *text; text++)
		n += begins_character(*text);
	return (double)n * size * EM_SHARE;
}

const char *plot_text_fit(const char *text, double size, double width, char *buf,
			  size_t len)
{
	size_t most = width > 0 ? (size_t)(width / size / EM_SHARE) : 0, n = 0, i = 0;

	snprintf(buf, len, "%s", text);
	if (plot_text_width(text, size) <= width)
		return buf;
	for (i = 0; buf[i]; i++) {
		n += begins_character(buf[i]);
		if (n >= most || i + 4 >= len)
			break;
	}
	snprintf(buf + i, len - i, "\u2026");
	return buf;
}

const char *plot_text_fit_name(const char *text, double size, double width, char *buf,
			       size_t len)
{
	size_t most = width > 0 ? (size_t)(width / size / EM_SHARE) : 0, n = strlen(text);
	size_t tail = most > 1 ? most / 2 : 0, head = most > 1 ? most - 1 - tail : 0;

	/* names are ASCII as a rule; others keep whole characters */
	if (plot_text_width(text, size) <= width)
		return plot_text_fit(text, size, width, buf, len);
	while (tail && tail < n && !begins_character(text[n - tail]))
		tail--;
	while (head && !begins_character(text[head]))
		head--;
	snprintf(buf, len, "%.*s\u2026%s", (int)head, text,
		 text + n - dw_min_u64(tail, n));
	return buf;
}

static double head_height(const struct plot_document *d)
{
	return d->headline ? MARGIN + HEAD_SIZE + 14 + 20 * (double)d->n_lines : 0;
}

/* The headline in words, and what else there is to say. */
static void draw_head(struct plot *p, const struct plot_document *d)
{
	struct plot_font font = { .size = HEAD_SIZE, .color = PLOT_INK, .bold = true };
	double width = PLOT_WIDTH - 2 * MARGIN;
	char text[512];

	while (plot_text_width(d->headline, font.size) > width && font.size > 13)
		font.size -= 1;
	plot_text(p, MARGIN, MARGIN + HEAD_SIZE, &font,
		  plot_text_fit(d->headline, font.size, width, text, sizeof(text)));
	font = (struct plot_font){ .size = LINE_SIZE, .color = PLOT_INK };
	for (size_t i = 0; i < d->n_lines; i++)
		plot_text(
			p, MARGIN, MARGIN + HEAD_SIZE + 24 + 20 * (double)i, &font,
			plot_text_fit(d->line[i], font.size, width, text, sizeof(text)));
}

static void draw_figure(struct plot *to, const struct plot_figure *f)
{
	struct plot_font font = { .size = 16, .color = PLOT_INK, .bold = true };

	to->backend->begin(to, f->title, f->height + TITLE);
	plot_text(to, MARGIN, TITLE - 14, &font, f->title);
	to->top += TITLE;
	f->draw(to, f);
	to->top -= TITLE;
	to->backend->end(to);
}

int plot_write(const struct plot_document *d, enum plot_format format, const char *path)
{
	double height = head_height(d);
	struct plot *p = NULL;
	int r;

	for (size_t i = 0; i < d->n_figures; i++)
		height += d->figure[i].height + TITLE;
	height += MARGIN;
	if (format == PLOT_SVG || format == PLOT_HTML)
		r = plot_svg_new(path, format == PLOT_HTML, height, d, &p);
	else
		r = plot_cairo_new(path, format == PLOT_PDF, height, d, &p);
	if (r)
		return r;
	if (d->headline && format != PLOT_HTML) {
		p->backend->begin(p, d->headline, head_height(d));
		draw_head(p, d);
		p->backend->end(p);
	}
	for (size_t i = 0; i < d->n_figures; i++)
		draw_figure(p, &d->figure[i]);
	return p->backend->finish(p);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_PEN_H
#define DW_PRINT_PEN_H

/* Text and lines on a page, in points from its upper left corner. */
#include <pango/pangocairo.h>
#include <stdbool.h>

/** struct dw_ink - a colour, 0 to 1 each */
struct dw_ink {
	double r, g, b;
};

/** struct dw_pen - @layout: reused for every text; @dry: only measure; @unknown: characters that
 *  were written as their codes, as no font has them */
struct dw_pen {
	cairo_t *cr;
	PangoLayout *layout;
	double width, height;
	bool dry;
	size_t unknown;
};

/** struct dw_type - how a text looks; @tag: its place in the structure of the PDF */
struct dw_type {
	const char *family;
	double size;
	bool bold;
	bool italic;
	PangoAlignment align;
	struct dw_ink ink;
	const char *tag;
};

/** dw_pen_text() - hostile text with its upper left corner at @x, @y; returns its height. What is
 *  no visible character, or turns the direction of a line, is shown as U+FFFD. */
double dw_pen_text(struct dw_pen *p, const struct dw_type *type, double x, double y,
		   double width, const char *text);

/** dw_pen_box() - filled. */
void dw_pen_box(struct dw_pen *p, double x, double y, double width, double height,
		const struct dw_ink *ink);

/** dw_pen_tag() - begin an element of the structure; dw_pen_end() ends it. */
void dw_pen_tag(struct dw_pen *p, const char *tag);
void dw_pen_end(struct dw_pen *p, const char *tag);

/** dw_pen_code() - a QR code, @size wide; false: it cannot be made. */
bool dw_pen_code(struct dw_pen *p, double x, double y, double size, const char *text);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_CANVAS_H
#define DW_PRINT_CANVAS_H

/*
 * Something to draw on. Lengths are pixels of a figure PLOT_WIDTH wide, y grows downward.
 * SVG and HTML are written as text, which needs no library and keeps words words; PDF and
 * PNG are cairo's. A drawing is the same for all of them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/error.h>

#define PLOT_WIDTH 1000.0

/* A page of a PDF is A4 with a margin, in points; a figure is as wide as the page without it. */
#define PLOT_PAGE_W      595.276
#define PLOT_PAGE_H      841.89
#define PLOT_PAGE_MARGIN 24.0
#define PLOT_PAGE_SCALE  ((PLOT_PAGE_W - 2 * PLOT_PAGE_MARGIN) / PLOT_WIDTH)
#define PLOT_PAGE_ROOM   ((PLOT_PAGE_H - 2 * PLOT_PAGE_MARGIN) / PLOT_PAGE_SCALE)

/* Okabe and Ito's palette, to be told apart with any colour vision. */
#define PLOT_INK    0x222222
#define PLOT_GREY   0x767676
#define PLOT_FAINT  0xdddddd
#define PLOT_WHITE  0xffffff
#define PLOT_BLUE   0x0072b2
#define PLOT_SKY    0x56b4e9
#define PLOT_ORANGE 0xe69f00
#define PLOT_RED    0xd55e00
#define PLOT_GREEN  0x009e73
#define PLOT_PURPLE 0xcc79a7

enum plot_format { PLOT_SVG, PLOT_HTML, PLOT_PDF, PLOT_PNG };
enum plot_anchor { PLOT_LEFT, PLOT_MIDDLE, PLOT_RIGHT };

struct plot_point {
	double x;
	double y;
};

struct plot_box {
	double x;
	double y;
	double w;
	double h;
};

/** struct plot_pen - @color 0xRRGGBB, @width, @dashed */
struct plot_pen {
	uint32_t color;
	double width;
	bool dashed;
};

/** struct plot_font - @size of the em, @color, where the point is, read upward if @upward */
struct plot_font {
	double size;
	uint32_t color;
	enum plot_anchor anchor;
	bool bold;
	bool upward;
};

struct plot;

/** struct plot_backend - what a format has to do; coordinates are those of the figure */
struct plot_backend {
	void (*begin)(struct plot *p, const char *title, double height);
	void (*end)(struct plot *p);
	void (*line)(struct plot *p, const struct plot_point *at, size_t n,
		     const struct plot_pen *pen);
	void (*fill)(struct plot *p, const struct plot_point *at, size_t n,
		     uint32_t color);
	void (*text)(struct plot *p, struct plot_point at, const struct plot_font *font,
		     const char *text);
	int (*finish)(struct plot *p);
};

/** struct plot - the part that all formats have; @top: the y of what is drawn at 0 */
struct plot {
	const struct plot_backend *backend;
	double top;
};

/**
 * struct plot_figure - one picture of a report
 * @title: its name, drawn by plot_figures()
 * @height: without the title
 * @draw: draws into 0..PLOT_WIDTH x 0..@height
 * @data: for it
 */
struct plot_figure {
	char title[96];
	double height;
	void (*draw)(struct plot *p, const struct plot_figure *f);
	const void *data;
};

/**
 * struct plot_document - what is written
 * @headline: in words
 * @line, @n_lines: below it
 * @created: "2026-11-21T01:34:05+01:00", of what is drawn, or empty
 */
struct plot_document {
	const char *title;
	const char *headline;
	const char (*line)[256];
	size_t n_lines;
	const char *created;
	const struct plot_figure *figure;
	size_t n_figures;
};

/** plot_format_find() - the format of a file by the end of its name; -EINVAL. */
int plot_format_find(const char *path, enum plot_format *ret);

/** plot_format_have() - can this build write it? */
bool plot_format_have(enum plot_format format);

/** plot_output() - the format of a file that is to be written; -EINVAL (its name does not
 *  tell) or -ENOTSUP (not in this build). */
int plot_output(const char *path, enum plot_format *ret, struct dw_error *err);

/** plot_write() - a document as a file, which is replaced; 0, -ENOMEM, -ENOTSUP (no cairo),
 *  or the errno of writing. */
int plot_write(const struct plot_document *d, enum plot_format format, const char *path);

/** plot_svg_new() - text into a file: one SVG of @height, or HTML. 0 or negative errno. */
int plot_svg_new(const char *path, bool html, double height,
		 const struct plot_document *d, struct plot **ret);

/** plot_cairo_new() - PNG of @height, or PDF in pages. 0, -ENOTSUP, -ENOMEM, -errno. */
int plot_cairo_new(const char *path, bool pdf, double height,
		   const struct plot_document *d, struct plot **ret);

/** plot_cairo_have() - was this built with cairo? */
bool plot_cairo_have(void);

/** plot_line() - through @n points; fewer than two draw nothing. */
void plot_line(struct plot *p, const struct plot_point *at, size_t n,
	       const struct plot_pen *pen);

/** plot_segment() - one straight line. */
void plot_segment(struct plot *p, struct plot_point from, struct plot_point to,
		  const struct plot_pen *pen);

/** plot_fill() - a polygon; fewer than three points draw nothing. */
void plot_fill(struct plot *p, const struct plot_point *at, size_t n, uint32_t color);

/** plot_rect() - a filled rectangle; an empty one draws nothing. */
void plot_rect(struct plot *p, struct plot_box box, uint32_t color);

/** plot_text() - a line of text, its baseline's anchor at @x, @y. */
void plot_text(struct plot *p, double x, double y, const struct plot_font *font,
	       const char *text);

/** plot_text_width() - pixels a text takes at most, whatever font the reader has. */
double plot_text_width(const char *text, double size);

/** plot_text_fit() - @text cut to @width pixels, with an ellipsis; returns @buf. */
const char *plot_text_fit(const char *text, double size, double width, char *buf,
			  size_t len);

/** plot_text_fit_name() - the same of a name, with the ellipsis in its middle: what tells names of
 *  one kind apart mostly stands at their end. */
const char *plot_text_fit_name(const char *text, double size, double width, char *buf,
			       size_t len);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_LABEL_H
#define DW_PRINT_LABEL_H

/*
 * The label of a disk: what is on it and where, once for all formats. Lengths are millimetres from
 * the upper left corner.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "print/qr.h"
#include "print/verdict.h"

#define PAPER_LABEL_LINES 16

/**
 * struct paper_label_size - what labels there are
 * @name: of --size
 * @dpi: of the printers that take it
 */
struct paper_label_size {
	const char *name;
	double width;
	double height;
	unsigned dpi;
};

/** paper_label_size() - of that name, NULL = there is none. */
const struct paper_label_size *paper_label_size(const char *name);

/**
 * struct paper_label_line - a line of text
 * @x, @y: where it begins; its upper edge
 * @height: of its capitals with what they need above and below; @width: at most
 * @bold, @light: light is white on what is black there
 */
struct paper_label_line {
	char text[200];
	double x;
	double y;
	double height;
	double width;
	bool bold;
	bool light;
};

/**
 * struct paper_label - a label
 * @kind: of the record
 * @framed: it may go on: ERASED or AS EXPECTED in a frame; else NOT ERASED is on a black band
 * @band: height of the band or frame on top
 * @qr_x, @qr_y, @module: the code, and the width of one of its modules
 */
struct paper_label {
	const struct paper_label_size *size;
	enum dw_paper_kind kind;
	bool framed;
	double band;
	struct paper_label_line line[PAPER_LABEL_LINES];
	size_t n;
	struct paper_qr qr;
	double qr_x;
	double qr_y;
	double module;
};

/** paper_label() - of a record; 0 or what paper_qr() returns. */
int paper_label(const struct dw_paper_record *r, const struct paper_label_size *size,
		struct paper_label *ret);

/** paper_label_zpl() - a label in ZPL II, for the resolution of its size. */
void paper_label_zpl(FILE *f, const struct paper_label *l);

struct paper_drawing;

/** paper_drawing_new() - a PDF of labels of that size, a page each, into @f; @created: when the
 *  first record was written. 0 or -ENOMEM. */
int paper_drawing_new(FILE *f, const struct paper_label_size *size, const char *created,
		      struct paper_drawing **ret);

/** paper_drawing_page() - one more label. Returns how many characters are printed as their codes,
 *  as no font of this machine has them. */
size_t paper_drawing_page(struct paper_drawing *d, const struct paper_label *l);

/** paper_drawing_end() - write and free it; 0 or negative errno. */
int paper_drawing_end(struct paper_drawing *d);

/** paper_label_png() - a label as a picture, into @f; @ret_unknown: as of paper_drawing_page(). 0,
 *  -ENOMEM or -EIO. */
int paper_label_png(FILE *f, const struct paper_label *l, size_t *ret_unknown);

#endif

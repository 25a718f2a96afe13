/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PAPER_LABEL_H
#define DW_PAPER_LABEL_H

/*
 * The label of a disk: what is on it and where, once for all formats. Lengths are millimetres from
 * the upper left corner.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "paper/qr.h"

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
 * @erased: it says so; else it has a black band with NOT ERASED
 * @band: height of the band, or of the frame around ERASED, on top
 * @qr_x, @qr_y, @module: the code, and the width of one of its modules
 */
struct paper_label {
	const struct paper_label_size *size;
	bool erased;
	double band;
	struct paper_label_line line[PAPER_LABEL_LINES];
	size_t n;
	struct paper_qr qr;
	double qr_x;
	double qr_y;
	double module;
};

/** paper_erased() - does the record prove that this disk is erased? Only an attempt that ended so,
 *  left no block out, reached a level, and was no simulation, does. */
bool paper_erased(const struct dw_proof *p);

/** paper_reason() - why a disk is not erased, in words that are never empty. */
const char *paper_reason(const struct dw_proof *p);

/** paper_level() - "Clear", "Purge" or "None". */
const char *paper_level(const struct dw_proof *p);

/** paper_bytes() - capacity of the disk, at most UINT64_MAX. */
uint64_t paper_bytes(const struct dw_proof *p);

/** paper_label() - of a record; @hash: its SHA-256. 0 or what paper_qr() returns. */
int paper_label(const struct dw_proof *p, const char *hash,
		const struct paper_label_size *size, struct paper_label *ret);

/** paper_label_zpl() - a label in ZPL II, for the resolution of its size. */
void paper_label_zpl(FILE *f, const struct paper_label *l);

struct paper_drawing;

/** paper_drawing_new() - a PDF of labels of that size, a page each, into @f; @created: when the
 *  first record was written. 0 or -ENOMEM. */
int paper_drawing_new(FILE *f, const struct paper_label_size *size, const char *created,
		      struct paper_drawing **ret);

/** paper_drawing_page() - one more label. */
void paper_drawing_page(struct paper_drawing *d, const struct paper_label *l);

/** paper_drawing_end() - write and free it; 0 or negative errno. */
int paper_drawing_end(struct paper_drawing *d);

/** paper_label_png() - a label as a picture, into @f; 0, -ENOMEM or -EIO. */
int paper_label_png(FILE *f, const struct paper_label *l);

#endif

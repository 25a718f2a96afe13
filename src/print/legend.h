/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_LEGEND_H
#define DW_PRINT_LEGEND_H

/*
 * Which disk a short name in a figure stands for: a table of device, model, serial number and size.
 */
#include "print/canvas.h"

#define LEGEND_MAX 96 /* rows */

/**
 * struct legend_row - a disk
 * @device: its node; @vendor, @model, @serial: empty = not known
 * @bytes: capacity, 0 = not known
 * @pen: of its line in the figure; width 0 = it has none
 * @color: of the text
 */
struct legend_row {
	const char *device;
	const char *vendor;
	const char *model;
	const char *serial;
	uint64_t bytes;
	struct plot_pen pen;
	uint32_t color;
};

/** legend_height() - of a table of @n rows, at most LEGEND_MAX of them drawn. */
double legend_height(size_t n);

/** legend_draw() - the first LEGEND_MAX of @n rows below @top, with their heading, and how many
 *  more there are. What is too long is cut: a model at its end, other names in their middle. */
void legend_draw(struct plot *p, double top, const struct legend_row *row, size_t n);

#endif

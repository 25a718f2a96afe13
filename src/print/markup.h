/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_MARKUP_H
#define DW_PRINT_MARKUP_H

#include <stdio.h>

/** plot_markup() - text into SVG or HTML, between tags or as the value of an attribute: markup as
 *  entities. What a reader cannot see and a program may obey (control characters, overrides of
 *  direction, no UTF-8) is "?". */
void plot_markup(FILE *f, const char *text);

#endif

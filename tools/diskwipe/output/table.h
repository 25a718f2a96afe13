/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_TABLE_H
#define DISKWIPE_TABLE_H

/* Column tables: the only user of libsmartcols. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * struct cli_column - a column
 * @name: heading; borrowed until the table ends
 * @right: its text stands there
 * @cut: may be shortened on a narrow terminal, with a mark
 * @drop: may be left out there, those with 1 first; 0 = never
 */
struct cli_column {
	const char *name;
	bool right;
	bool cut;
	unsigned drop;
};

struct cli_table;

/** cli_table_new() - a table on @f; ends the program when there is no memory. */
struct cli_table *cli_table_new(FILE *f, const struct cli_column *columns, size_t n,
				bool headings, bool color);

/** cli_table_line() - begin a line; @color is the name of a colour, NULL = none. */
void cli_table_line(struct cli_table *t, const char *color);

/** cli_table_add() - text of the next column in the line begun last. */
void cli_table_add(struct cli_table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** cli_or_dash() - @text, "-" if it is empty. */
const char *cli_or_dash(const char *text);

/** cli_table_end() - print and free. */
void cli_table_end(struct cli_table *t);

#endif

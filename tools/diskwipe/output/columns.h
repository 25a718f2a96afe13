/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_COLUMNS_H
#define DISKWIPE_COLUMNS_H

/* The choice of columns: -o NAME,... or -o +NAME,... */
#include "cli.h"

#define CLI_COLUMNS_MAX 40

/**
 * struct cli_heading - what there is to choose from
 * @help: one line
 * @usual: shown unless others are asked for
 * @right, @cut: as of struct cli_column
 * @drop: the same, unless it was asked for
 */
struct cli_heading {
	const char *name;
	const char *help;
	bool usual;
	bool right;
	bool cut;
	unsigned drop;
};

/** struct cli_columns - those that were chosen, by their places in the table; @heading: their names
 *  in capitals, as all tables have them */
struct cli_columns {
	size_t n;
	size_t column[CLI_COLUMNS_MAX];
	char heading[CLI_COLUMNS_MAX][24];
};

/** struct cli_headings - a table of columns, each a struct that begins with its heading */
struct cli_headings {
	const void *first;
	size_t n;
	size_t size;
};

#define CLI_HEADINGS(table)                                                              \
	((struct cli_headings){ (table), CLI_ARRAY_SIZE(table), sizeof((table)[0]) })

struct cli_table;

/** cli_columns_begin() - an empty table on the standard output, of those columns that
 *  c->show.output names, else of the usual ones; @chosen has to live as long as @ret. 0, or an exit
 *  code after cli_fail(). */
int cli_columns_begin(struct cli *c, struct cli_headings of, struct cli_columns *chosen,
		      struct cli_table **ret);

/** cli_columns_help() - print what there is to choose from. */
void cli_columns_help(struct cli_headings of);

#endif

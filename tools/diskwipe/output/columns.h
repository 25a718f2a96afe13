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

/** cli_columns_choose() - of the @n rows of a table those that c->show.output names, else the usual
 *  ones; 0, or an exit code after cli_fail(). */
int cli_columns_choose(struct cli *c, const struct cli_heading *const *heads, size_t n,
		       struct cli_columns *ret);

struct cli_table;

/** cli_columns_table() - an empty table of them on the standard output; @chosen has to live as long
 *  as that. */
struct cli_table *cli_columns_table(struct cli *c, const struct cli_heading *const *heads,
				    struct cli_columns *chosen);

/** cli_columns_help() - print what there is to choose from. */
void cli_columns_help(const struct cli_heading *const *heads, size_t n);

#endif

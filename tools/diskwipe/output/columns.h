/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_COLUMNS_H
#define DISKWIPE_COLUMNS_H

/* The choice of columns: -o NAME,... or -o +NAME,... */
#include "client/client.h"
#include "output/table.h"

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

/** struct cli_cell - what a cell is made from: @found is a disk of this machine, @shown one of
 *  @station; @member is of the column */
struct cli_cell {
	const struct cli *c;
	const struct dw_disk *found;
	const struct cli_station *station;
	const struct cli_station_disk *shown;
	size_t member;
};

/** struct cli_choice - a column; @member: offset of what @text reports, of those that use it */
struct cli_choice {
	struct cli_heading head;
	void (*text)(const struct cli_cell *x, char *buf, size_t size);
	size_t member;
};

/** struct cli_choices - the columns that there are, then those that were chosen: their places, and
 *  their names in capitals, as all tables have them */
struct cli_choices {
	const struct cli_choice *of;
	size_t n_of;
	size_t n;
	size_t column[CLI_COLUMNS_MAX];
	char heading[CLI_COLUMNS_MAX][24];
	struct cli_table *table;
};

/** cli_table_out() - a table on the standard output, as c->show has tables. */
struct cli_table *cli_table_out(const struct cli *c, const struct cli_column *columns,
				size_t n);

/** cli_columns_begin() - an empty table on the standard output, of those columns that
 *  c->show.output names, else of the usual ones. 0, or an exit code after cli_fail(). */
int cli_columns_begin(struct cli *c, struct cli_choices *k);

/** cli_columns_line() - a line of it, as cli_table_line(). */
void cli_columns_line(struct cli_choices *k, struct cli_cell x, const char *color);

/** cli_columns_help() - print what there is to choose from. */
void cli_columns_help(const struct cli_choice *of, size_t n);

#endif

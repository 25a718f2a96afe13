/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Column tables by libsmartcols: as wide as they need to be into a pipe, cut to the
 * terminal otherwise.
 */
#include <stdlib.h>

#include <libsmartcols/libsmartcols.h>

#include "cli.h"
#include "table.h"

struct cli_table {
	struct libscols_table *table;
	struct libscols_line *line;
};

static void must(bool good)
{
	if (good)
		return;
	fputs("diskwipe: out of memory\n", stderr);
	exit(CLI_EXIT_USAGE);
}

struct cli_table *cli_table_new(FILE *f, const struct cli_column *columns, size_t n,
				bool headings, bool color)
{
	struct cli_table *t = cli_allocate(1, sizeof(*t));

	t->table = scols_new_table();
	must(t->table);
	scols_table_set_stream(t->table, f);
	scols_table_enable_noheadings(t->table, !headings);
	scols_table_enable_colors(t->table, color);
	for (size_t i = 0; i < n; i++) {
		int flags = (columns[i].right ? SCOLS_FL_RIGHT : 0) |
			    (columns[i].cut ? SCOLS_FL_TRUNC : 0);

		must(scols_table_new_column(t->table, columns[i].name, 0, flags));
	}
	return t;
}

void cli_table_line(struct cli_table *t, const char *color)
{
	t->line = scols_table_new_line(t->table, NULL);
	must(t->line);
	if (color)
		must(!scols_line_set_color(t->line, color));
}

void cli_table_cell(struct cli_table *t, size_t i, const char *text)
{
	must(!scols_line_set_data(t->line, i, text));
}

void cli_table_end(struct cli_table *t)
{
	if (!scols_table_is_empty(t->table))
		scols_print_table(t->table);
	scols_unref_table(t->table);
	free(t);
}

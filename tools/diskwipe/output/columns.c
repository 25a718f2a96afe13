/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns by their names. */
#include <ctype.h>
#include <string.h>

#include "output/columns.h"
#include "output/table.h"

static const struct cli_heading *heading(const struct cli_headings *of, size_t i)
{
	return (const void *)((const char *)of->first + i * of->size);
}

static int find_column(const struct cli_headings *of, const char *name, size_t len)
{
	for (size_t i = 0; i < of->n; i++)
		if (strlen(heading(of, i)->name) == len &&
		    !strncmp(heading(of, i)->name, name, len))
			return (int)i;
	return -1;
}

static void choose_usual(const struct cli_headings *of, struct cli_columns *ret)
{
	for (size_t i = 0; i < of->n; i++)
		if (heading(of, i)->usual)
			ret->column[ret->n++] = i;
}

static int no_column(struct cli *c, const struct cli_headings *of, const char *name,
		     size_t len)
{
	const char *names[CLI_COLUMNS_MAX + 1] = { 0 };
	const char *near;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)len, name);
	for (size_t i = 0; i < of->n; i++)
		names[i] = heading(of, i)->name;
	near = cli_nearest(word, names);
	return cli_fail(c, CLI_EXIT_USAGE, "--output: no column '%s'; %s%s%s", word,
			near ? "did you mean '" : "see diskwipe help columns",
			near ? near : "", near ? "'?" : "");
}

static bool is_chosen(const struct cli_columns *chosen, size_t column)
{
	for (size_t i = 0; i < chosen->n; i++)
		if (chosen->column[i] == column)
			return true;
	return false;
}

static int choose(struct cli *c, const struct cli_headings *of, struct cli_columns *ret)
{
	const char *at = c->show.output;

	if (!at || *at == '+')
		choose_usual(of, ret);
	if (!at)
		return 0;
	at += *at == '+';
	for (;;) {
		size_t len = strcspn(at, ",");
		int i = find_column(of, at, len);

		if (i < 0)
			return no_column(c, of, at, len);
		if (!is_chosen(ret, (size_t)i))
			ret->column[ret->n++] = (size_t)i;
		if (!at[len])
			return 0;
		at += len + 1;
	}
}

static void capitals(const char *name, char *buf, size_t size)
{
	size_t n = 0;

	for (; name[n] && n + 1 < size; n++)
		buf[n] = (char)toupper((unsigned char)name[n]);
	buf[n] = '\0';
}

int cli_columns_begin(struct cli *c, struct cli_headings of, struct cli_columns *chosen,
		      struct cli_table **ret)
{
	struct cli_column columns[CLI_COLUMNS_MAX];
	int r;

	chosen->n = 0;
	r = choose(c, &of, chosen);
	if (r)
		return r;
	for (size_t i = 0; i < chosen->n; i++) {
		const struct cli_heading *h = heading(&of, chosen->column[i]);

		capitals(h->name, chosen->heading[i], sizeof(chosen->heading[i]));
		columns[i] = (struct cli_column){ chosen->heading[i], h->right, h->cut,
						  c->show.output ? 0 : h->drop };
	}
	*ret = cli_table_new(stdout, columns, chosen->n, !c->show.no_headings,
			     cli_color_wanted(c, stdout));
	return 0;
}

void cli_columns_help(struct cli_headings of)
{
	for (size_t i = 0; i < of.n; i++)
		printf("  %-20s %s%s\n", heading(&of, i)->name, heading(&of, i)->help,
		       heading(&of, i)->usual ? " (usual)" : "");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns by their names. */
#include <ctype.h>
#include <string.h>

#include "output/columns.h"
#include "output/table.h"

static int find_column(const struct cli_heading *const *heads, size_t n, const char *name,
		       size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(heads[i]->name) == len && !strncmp(heads[i]->name, name, len))
			return (int)i;
	return -1;
}

static void choose_usual(const struct cli_heading *const *heads, size_t n,
			 struct cli_columns *ret)
{
	for (size_t i = 0; i < n; i++)
		if (heads[i]->usual)
			ret->column[ret->n++] = i;
}

static int no_column(struct cli *c, const struct cli_heading *const *heads, size_t n,
		     const char *name, size_t len)
{
	const char *names[CLI_COLUMNS_MAX + 1] = { 0 };
	const char *near;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)len, name);
	for (size_t i = 0; i < n; i++)
		names[i] = heads[i]->name;
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

int cli_columns_choose(struct cli *c, const struct cli_heading *const *heads, size_t n,
		       struct cli_columns *ret)
{
	const char *at = c->show.output;

	if (!at || *at == '+')
		choose_usual(heads, n, ret);
	if (!at)
		return 0;
	at += *at == '+';
	for (;;) {
		size_t len = strcspn(at, ",");
		int i = find_column(heads, n, at, len);

		if (i < 0)
			return no_column(c, heads, n, at, len);
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

struct cli_table *cli_columns_table(struct cli *c, const struct cli_heading *const *heads,
				    struct cli_columns *chosen)
{
	struct cli_column columns[CLI_COLUMNS_MAX];

	for (size_t i = 0; i < chosen->n; i++) {
		const struct cli_heading *h = heads[chosen->column[i]];

		capitals(h->name, chosen->heading[i], sizeof(chosen->heading[i]));
		columns[i] = (struct cli_column){ chosen->heading[i], h->right, h->cut,
						  c->show.output ? 0 : h->drop };
	}
	return cli_table_new(stdout, columns, chosen->n, !c->show.no_headings,
			     cli_color_wanted(c, stdout));
}

void cli_columns_help(const struct cli_heading *const *heads, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("  %-20s %s%s\n", heads[i]->name, heads[i]->help,
		       heads[i]->usual ? " (usual)" : "");
}

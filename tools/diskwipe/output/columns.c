/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns by their names. */
#include <ctype.h>
#include <string.h>

#include "output/columns.h"

static int find_column(const struct cli_choices *k, const char *name, size_t len)
{
	for (size_t i = 0; i < k->n_of; i++)
		if (strlen(k->of[i].head.name) == len &&
		    !strncmp(k->of[i].head.name, name, len))
			return (int)i;
	return -1;
}

static void choose_usual(struct cli_choices *k)
{
	for (size_t i = 0; i < k->n_of; i++)
		if (k->of[i].head.usual)
			k->column[k->n++] = i;
}

static int no_column(struct cli *c, const struct cli_choices *k, const char *name,
		     size_t len)
{
	const char *names[CLI_COLUMNS_MAX + 1] = { 0 };
	const char *near;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)len, name);
	for (size_t i = 0; i < k->n_of; i++)
		names[i] = k->of[i].head.name;
	near = cli_nearest(word, names);
	return cli_fail(c, CLI_EXIT_USAGE, "--output: no column '%s'; %s%s%s", word,
			near ? "did you mean '" : "see diskwipe help columns",
			near ? near : "", near ? "'?" : "");
}

static bool is_chosen(const struct cli_choices *k, size_t column)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->column[i] == column)
			return true;
	return false;
}

static int choose(struct cli *c, struct cli_choices *k)
{
	const char *at = c->show.output;

	if (!at || *at == '+')
		choose_usual(k);
	if (!at)
		return 0;
	at += *at == '+';
	for (;;) {
		size_t len = strcspn(at, ",");
		int i = find_column(k, at, len);

		if (i < 0)
			return no_column(c, k, at, len);
		if (!is_chosen(k, (size_t)i))
			k->column[k->n++] = (size_t)i;
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

struct cli_table *cli_table_out(const struct cli *c, const struct cli_column *columns,
				size_t n)
{
	return cli_table_new(stdout, columns, n, !c->show.no_headings,
			     cli_color_wanted(c, stdout));
}

int cli_columns_begin(struct cli *c, struct cli_choices *k)
{
	struct cli_column columns[CLI_COLUMNS_MAX];
	int r = choose(c, k);

	if (r)
		return r;
	for (size_t i = 0; i < k->n; i++) {
		const struct cli_heading *h = &k->of[k->column[i]].head;

		capitals(h->name, k->heading[i], sizeof(k->heading[i]));
		columns[i] = (struct cli_column){ k->heading[i], h->right, h->cut,
						  c->show.output ? 0 : h->drop };
	}
	k->table = cli_table_out(c, columns, k->n);
	return 0;
}

void cli_columns_line(struct cli_choices *k, struct cli_cell x, const char *color)
{
	cli_table_line(k->table, color);
	for (size_t i = 0; i < k->n; i++) {
		const struct cli_choice *of = &k->of[k->column[i]];
		char text[512];

		x.member = of->member;
		of->text(&x, text, sizeof(text));
		cli_table_add(k->table, "%s", text);
	}
}

void cli_columns_help(const struct cli_choice *of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("  %-20s %s%s\n", of[i].head.name, of[i].head.help,
		       of[i].head.usual ? " (usual)" : "");
}

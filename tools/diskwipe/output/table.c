/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Column tables. Into a pipe they are as wide as they need to be. On a terminal that is too
 * narrow long texts are shortened, with a mark, and columns that can be spared are left out,
 * by name; when the rest is still too wide, each line becomes several. libsmartcols prints
 * what has been laid out.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <libsmartcols/libsmartcols.h>

#include "cli.h"
#include "output/table.h"

#define FULL    SIZE_MAX /* nothing has to be shortened */
#define ROOMY   16       /* characters that a shortened text keeps while columns can go */
#define NARROW  8        /* and when none is left that can */
#define ESCAPED 4        /* a byte that is no character is printed as \xNN */

struct line {
	const char *color;
	char **cell;
};

struct cli_table {
	FILE *f;
	struct cli_column *column;
	size_t n;
	struct line *line;
	size_t n_lines;
	size_t filled; /* cells of the last line */
	size_t *width; /* as laid out; 0 = left out */
	bool headings;
	bool color;
};

static void must(bool good)
{
	if (good)
		return;
	fprintf(stderr, "%s: out of memory\n", cli_name);
	exit(CLI_EXIT_USAGE);
}

struct cli_table *cli_table_new(FILE *f, const struct cli_column *columns, size_t n,
				bool headings, bool color)
{
	struct cli_table *t = cli_allocate(1, sizeof(*t));

	*t = (struct cli_table){ .f = f, .n = n, .headings = headings, .color = color };
	t->column = cli_allocate(n, sizeof(*t->column));
	memcpy(t->column, columns, n * sizeof(*columns));
	t->width = cli_allocate(n, sizeof(*t->width));
	return t;
}

void cli_table_line(struct cli_table *t, const char *color)
{
	t->line = realloc(t->line, (t->n_lines + 1) * sizeof(*t->line));
	must(t->line);
	t->line[t->n_lines].color = color;
	t->line[t->n_lines++].cell = cli_allocate(t->n, sizeof(char *));
	t->filled = 0;
}

void cli_table_add(struct cli_table *t, const char *format, ...)
{
	char **cell = &t->line[t->n_lines - 1].cell[t->filled++];
	va_list args;

	va_start(args, format);
	must(vasprintf(cell, format, args) >= 0);
	va_end(args);
	dw_text_printable(*cell);
}

const char *cli_or_dash(const char *text)
{
	return text[0] ? text : "-";
}

static const char *cell_text(const struct cli_table *t, size_t line, size_t column)
{
	const char *text = t->line[line].cell[column];

	return text ? text : "";
}

/* How many bytes of @text fit into @most places of a terminal; how many they take up. */
static size_t measure(const char *text, size_t most, size_t *ret_width)
{
	size_t at = 0, width = 0, len = strlen(text);
	mbstate_t state = { 0 };

	while (at < len) {
		wchar_t c;
		size_t n = mbrtowc(&c, text + at, len - at, &state), places = ESCAPED;

		if (n == (size_t)-1 || n == (size_t)-2 || !n) {
			memset(&state, 0, sizeof(state));
			n = 1;
		} else if (wcwidth(c) >= 0) {
			places = (size_t)wcwidth(c);
		}
		if (width + places > most)
			break;
		width += places;
		at += n;
	}
	*ret_width = width;
	return at;
}

static size_t natural_width(const struct cli_table *t, size_t column)
{
	size_t most = 0, width;

	if (t->headings)
		measure(t->column[column].name, FULL, &most);
	for (size_t i = 0; i < t->n_lines; i++) {
		measure(cell_text(t, i, column), FULL, &width);
		most = width > most ? width : most;
	}
	return most;
}

static size_t total_width(const struct cli_table *t)
{
	size_t sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += t->width[i] ? t->width[i] + 1 : 0;
	return sum ? sum - 1 : 0;
}

/* Whether it fits after the longest texts were shortened, but for @least places. */
static bool shorten(struct cli_table *t, size_t room, size_t least)
{
	for (;;) {
		size_t longest = t->n;

		if (total_width(t) <= room)
			return true;
		for (size_t i = 0; i < t->n; i++)
			if (t->column[i].cut && t->width[i] > least &&
			    (longest == t->n || t->width[i] > t->width[longest]))
				longest = i;
		if (longest == t->n)
			return false;
		t->width[longest]--;
	}
}

/* The columns of which @gone have left, as wide as they would be. */
static void choose(struct cli_table *t, unsigned gone)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct cli_column *c = &t->column[i];

		t->width[i] = natural_width(t, i) ?: 1;
		if (c->drop && c->drop <= gone)
			t->width[i] = 0;
	}
}

/* Whether the columns that are left fit side by side. */
static bool lay_out(struct cli_table *t, size_t room)
{
	unsigned most = 0;
	bool gives = false;

	for (size_t i = 0; i < t->n; i++) {
		most = t->column[i].drop > most ? t->column[i].drop : most;
		gives |= t->column[i].drop || t->column[i].cut;
	}
	choose(t, 0);
	if (!room || !gives)
		return true;
	for (unsigned gone = 0; gone <= most; gone++) {
		choose(t, gone);
		if (shorten(t, room, ROOMY))
			return true;
	}
	return shorten(t, room, NARROW);
}

/* @text in @width places, with a mark if it is not the whole; free() it. */
static char *fitted(const char *text, size_t width)
{
	const char *mark = MB_CUR_MAX > 1 ? "\xe2\x80\xa6" : "~";
	size_t whole, used, len;
	char *short_text;

	measure(text, FULL, &whole);
	if (whole <= width)
		return strdup(text);
	len = measure(text, width - 1, &used);
	short_text = malloc(len + strlen(mark) + 1);
	if (short_text)
		sprintf(short_text, "%.*s%s", (int)len, text, mark);
	return short_text;
}

static void print_columns(const struct cli_table *t)
{
	struct libscols_table *table = scols_new_table();

	must(table);
	scols_table_set_stream(table, t->f);
	scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
	scols_table_enable_noheadings(table, !t->headings);
	scols_table_enable_colors(table, t->color);
	for (size_t i = 0; i < t->n; i++)
		must(!t->width[i] ||
		     scols_table_new_column(table, t->column[i].name, 0,
					    t->column[i].right ? SCOLS_FL_RIGHT : 0));
	for (size_t i = 0; i < t->n_lines; i++) {
		struct libscols_line *line = scols_table_new_line(table, NULL);

		must(line);
		if (t->line[i].color)
			must(!scols_line_set_color(line, t->line[i].color));
		for (size_t k = 0, at = 0; k < t->n; k++) {
			char *text;

			if (!t->width[k])
				continue;
			text = fitted(cell_text(t, i, k), t->width[k]);
			must(text && !scols_line_refer_data(line, at++, text));
		}
	}
	if (!scols_table_is_empty(table))
		scols_print_table(table);
	scols_unref_table(table);
}

static void print_left_out(const struct cli_table *t)
{
	bool any = false;

	for (size_t i = 0; i < t->n; i++) {
		if (t->width[i])
			continue;
		fprintf(t->f, "%s%s", any ? ", " : "not shown: ", t->column[i].name);
		any = true;
	}
	if (any)
		fputc('\n', t->f);
}

/* Every value on a line of its own, under the first. */
static void print_lines(const struct cli_table *t)
{
	for (size_t i = 0; i < t->n_lines; i++) {
		fprintf(t->f, "%s\n", cell_text(t, i, 0));
		for (size_t k = 1; k < t->n; k++)
			if (cell_text(t, i, k)[0])
				fprintf(t->f, "  %s: %s\n", t->column[k].name,
					cell_text(t, i, k));
	}
}

void cli_table_end(struct cli_table *t)
{
	if (!lay_out(t, cli_terminal_width(t->f))) {
		print_lines(t);
	} else if (t->n_lines) {
		print_columns(t);
		print_left_out(t);
	}
	for (size_t i = 0; i < t->n_lines; i++) {
		for (size_t k = 0; k < t->n; k++)
			free(t->line[i].cell[k]);
		free(t->line[i].cell);
	}
	free(t->line);
	free(t->column);
	free(t->width);
	free(t);
}

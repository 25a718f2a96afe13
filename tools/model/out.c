/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What models have to say, for people: help from the table of models, one call as lines of
 * name and value, a sweep as a table with a column for each number.
 */
#include <math.h>
#include <string.h>

#include "out.h"
#include "output/table.h"

#define MOST_COLUMNS 40

void cli_model_list(FILE *f)
{
	const struct dw_model *m;

	for (size_t i = 0; (m = dw_model_at(i)); i++)
		fprintf(f, "  %-13s %s\n", m->name, m->summary);
}

static void print_key(const struct dw_model *m, const struct dw_model_key *k, FILE *f)
{
	char left[80];
	const char *join = " (";

	snprintf(left, sizeof(left), "%s=%s", k->name,
		 k->kind == DW_MODEL_WORD ? k->words : k->unit);
	fprintf(f, "  %-27s %s", left, k->help);
	if (m->forms[0] && k->forms) {
		for (size_t i = 0; m->forms[i]; i++) {
			if (!(k->forms & 1u << i))
				continue;
			fprintf(f, "%s%s", join, m->forms[i]);
			join = ", ";
		}
		fputc(')', f);
	}
	if (k->fallback)
		fprintf(f, " [%s]", k->fallback);
	else if (!k->needed)
		fputs(" [optional]", f);
	fputc('\n', f);
}

void cli_model_help(const struct dw_model *model, FILE *f)
{
	fprintf(f, "Usage: diskwipe model %s key=value...\n%s (%s)\n", model->name,
		model->summary, model->paper);
	if (model->forms[0]) {
		fputs("\nForms:", f);
		for (size_t i = 0; model->forms[i]; i++)
			fprintf(f, "%s %s", i ? "," : "", model->forms[i]);
		fputc('\n', f);
	}
	fputs("\nKeys:\n", f);
	for (size_t i = 0; i < model->n_keys; i++)
		print_key(model, &model->keys[i], f);
	fprintf(f, "\nOutputs:\n  %s\n", model->outputs);
}

static void print_values(const struct dw_model_output *o, size_t row)
{
	size_t n = o->n ? o->n : 1;

	for (size_t i = 0; i < n; i++) {
		fputs(i ? ", " : "", stdout);
		if (o->text)
			fputs(o->text[i], stdout);
		else
			printf("%.12g", o->value[row * o->n + i]);
		if (o->half)
			printf(" +- %.3g", o->half[row * o->n + i]);
	}
}

void cli_model_print(const struct dw_model_call *call)
{
	struct dw_model_output o;
	int width = 0;

	for (size_t i = 0; dw_model_call_output(call, i, &o); i++)
		if ((int)strlen(o.name) > width)
			width = (int)strlen(o.name);
	for (size_t i = 0; dw_model_call_output(call, i, &o); i++) {
		for (size_t row = 0; row < (o.rows ? o.rows : 1); row++) {
			printf("%-*s  ", width, row ? "" : o.name);
			print_values(&o, row);
			putchar('\n');
		}
	}
}

/* number @name of a call, input or output; NAN when it has none. */
static double number_of_call(const struct dw_model_call *call, const char *name)
{
	struct dw_model_output o;

	for (size_t i = 0; dw_model_call_input(call, i, &o); i++)
		if (!strcmp(o.name, name) && !o.n && o.value)
			return o.value[0];
	for (size_t i = 0; dw_model_call_output(call, i, &o); i++)
		if (!strcmp(o.name, name) && !o.n && o.value)
			return o.value[0];
	return NAN;
}

void cli_model_table(const char *key, struct dw_model_call *const *calls, size_t n)
{
	struct cli_column column[MOST_COLUMNS] = { { .name = key, .right = true } };
	size_t columns = 1;
	struct cli_table *t;
	struct dw_model_output o;

	for (size_t c = 0; c < n; c++) {
		for (size_t i = 0; dw_model_call_output(calls[c], i, &o); i++) {
			bool known = o.n || !o.value || columns == MOST_COLUMNS;

			for (size_t k = 1; !known && k < columns; k++)
				known = !strcmp(column[k].name, o.name);
			if (!known)
				column[columns++] = (struct cli_column){ .name = o.name,
									 .right = true };
		}
	}
	t = cli_table_new(stdout, column, columns, true, false);
	for (size_t c = 0; c < n; c++) {
		cli_table_line(t, NULL);
		for (size_t k = 0; k < columns; k++) {
			double x = number_of_call(calls[c], column[k].name);

			cli_table_add(t, isfinite(x) ? "%.12g" : "-", x);
		}
	}
	cli_table_end(t);
}

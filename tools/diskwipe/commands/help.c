/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe help: a verb's options, the methods, or the columns of the list. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "options.h"
#include "output/out.h"
#include "output/station.h"
#include "program.h"

/* diskwipe model, and help for a model: another program has both, and takes all words. */

static const struct cli_program modeller = { "diskwipe-model", "diskwipe",
					     "models are computed by" };

/* Is there a model of that name? */
static bool cli_model_known(const char *name)
{
	const char *argv[] = { NULL, "--help", "--", name, NULL };
	char reported[CLI_PROGRAM_TEXT];

	return cli_program_run(&modeller, argv, NULL, reported) == 0;
}

/* Become the program that explains a model; NULL = all of them, and how they are called. An
 * exit code if that fails. */
static int cli_model_explain(struct cli *c, const char *name)
{
	const char *argv[] = { NULL, "--help", name ? "--" : NULL, name, NULL };

	return cli_program_exec(c, &modeller, argv);
}

int cli_verb_model(struct cli *c)
{
	const char **argv = cli_allocate(c->n_operands + 2, sizeof(*argv));
	int r;

	memcpy(argv + 1, c->operand, c->n_operands * sizeof(*argv));
	r = cli_program_exec(c, &modeller, argv);
	free(argv);
	return r;
}

static void print_columns(void)
{
	puts("Columns of list:");
	cli_table_columns();
	puts("\nColumns of status:");
	cli_table_station_columns();
}

int cli_verb_help(struct cli *c)
{
	const char *topic = c->n_operands ? c->operand[0] : "";
	const struct cli_verb *verb = cli_verb_find(topic), *v;
	const char *names[32] = { "methods", "columns" }, *near;
	size_t n = 2;

	if (c->n_operands > 1)
		return cli_fail(c, CLI_EXIT_USAGE, "help: one topic at a time");
	if (!topic[0])
		cli_options_overview(stdout);
	else if (!strcmp(topic, "methods"))
		cli_table_methods();
	else if (!strcmp(topic, "columns"))
		print_columns();
	else if (verb && verb->foreign)
		return cli_model_explain(c, NULL);
	else if (verb)
		cli_options_help(verb, true, stdout);
	else if (cli_model_known(topic))
		return cli_model_explain(c, topic);
	else {
		for (size_t i = 0; (v = cli_verb_at(i)) && n < 30; i++) {
			names[n++] = v->name;
			if (v->alias)
				names[n++] = v->alias;
		}
		near = cli_nearest(topic, names);
		if (near && cli_verb_find(near))
			near = cli_verb_find(near)->name;
		return cli_fail(c, CLI_EXIT_USAGE, "help: no topic '%s'; %s%s%s", topic,
				near ? "did you mean '" : "see diskwipe --help",
				near ? near : "", near ? "'?" : "");
	}
	return 0;
}

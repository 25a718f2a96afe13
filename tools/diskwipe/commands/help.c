/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe help: a verb's options, the methods, or the columns of the list. */
#include <string.h>

#include "commands/help.h"
#include "options.h"
#include "output/out.h"
#include "output/station.h"

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

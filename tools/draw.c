/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "draw.h"

#include <stdlib.h>

static const struct cli_program drawer = { "diskwipe-report", "figures are drawn by" };

int cli_draw_check(struct cli *c, const char *output)
{
	const char *argv[] = { NULL, "draw", "--check", "-o", output, NULL };
	char told[CLI_PROGRAM_TEXT];

	if (output && cli_program_run(&drawer, argv, NULL, told))
		return cli_fail(c, CLI_EXIT_USAGE, "%s", told);
	return 0;
}

int cli_draw(const char *trace, const char *document, const char *output,
	     char told[CLI_PROGRAM_TEXT])
{
	const char *argv[] = { NULL, "draw", "-o", output, "--", trace, "-", NULL };

	if (!trace) {
		argv[5] = "-";
		argv[6] = NULL;
	}
	return cli_program_run(&drawer, argv, document, told);
}

int cli_draw_or_fail(struct cli *c, const char *document)
{
	char told[CLI_PROGRAM_TEXT];

	if (cli_draw(NULL, document, c->output, told))
		return cli_fail(c, CLI_EXIT_USAGE, "%s", told);
	return 0;
}

/* The words as they were given: it asks for what is missing, and says what is wrong. */
int cli_verb_report(struct cli *c)
{
	const char **argv = cli_allocate(c->n_operands + 8, sizeof(*argv));
	size_t n = 1;
	int r;

	argv[n++] = "draw";
	if (c->quiet)
		argv[n++] = "--quiet";
	if (c->output) {
		argv[n++] = "-o";
		argv[n++] = c->output;
	}
	argv[n++] = "--";
	for (size_t i = 0; i < c->n_operands; i++)
		argv[n++] = c->operand[i];
	r = cli_program_exec(c, &drawer, argv);
	free(argv);
	return r;
}

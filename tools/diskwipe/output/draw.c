/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/draw.h"

const struct cli_program cli_drawer = { "diskwipe-report", "diskwipe-report",
					"figures are drawn by" };

int cli_draw_check(struct cli *c, const char *output)
{
	const char *argv[] = { NULL, "draw", "--check", "-o", output, NULL };
	char reported[CLI_PROGRAM_TEXT];

	if (output && cli_program_run(&cli_drawer, argv, NULL, reported))
		return cli_fail(c, CLI_EXIT_USAGE, "%s", reported);
	return 0;
}

int cli_draw(const char *trace, const char *document, const char *output,
	     char reported[CLI_PROGRAM_TEXT])
{
	const char *argv[] = { NULL, "draw", "-o", output, "--", trace, "-", NULL };

	if (!trace) {
		argv[5] = "-";
		argv[6] = NULL;
	}
	return cli_program_run(&cli_drawer, argv, document, reported);
}

int cli_draw_or_fail(struct cli *c, const char *document)
{
	char reported[CLI_PROGRAM_TEXT];

	if (cli_draw(NULL, document, c->show.output, reported))
		return cli_fail(c, CLI_EXIT_USAGE, "%s", reported);
	return 0;
}

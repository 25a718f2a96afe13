/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe report: pictures of a run, from its trace, its result or both. */
#include "cli.h"
#include "options.h"
#include "plot/plot.h"

int cli_verb_report(struct cli *c)
{
	struct dw_error err = { 0 };
	char headline[256];

	if (c->n_operands < 1 || c->n_operands > 2)
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"one trace or result, or a trace and the result of the same "
			"run; see diskwipe report --help");
	if (!c->output)
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"-o FILE is missing; FILE ends in .html, .svg, .pdf or .png");
	if (dw_report_write(c->operand, c->n_operands, c->output, headline, &err) < 0)
		return cli_error(c, CLI_EXIT_USAGE, &err);
	cli_say(c, "%s", headline);
	return CLI_EXIT_OK;
}

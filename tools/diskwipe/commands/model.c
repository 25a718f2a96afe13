/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe model, and help for a model: another program has both, and takes all words. */
#include <stdlib.h>
#include <string.h>

#include "commands/help.h"
#include "program.h"

static const struct cli_program modeller = { "diskwipe-model", "diskwipe",
					     "models are computed by" };

bool cli_model_known(const char *name)
{
	const char *argv[] = { NULL, "--help", "--", name, NULL };
	char reported[CLI_PROGRAM_TEXT];

	return cli_program_run(&modeller, argv, NULL, reported) == 0;
}

int cli_model_explain(struct cli *c, const char *name)
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

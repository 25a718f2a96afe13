/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe report: becomes the program that draws, which asks for what is missing. */
#include <stdlib.h>

#include "output/draw.h"

int cli_verb_report(struct cli *c)
{
	const char **argv = cli_allocate(c->n_operands + 8, sizeof(*argv));
	size_t n = 1;
	int r;

	argv[n++] = "draw";
	if (c->show.quiet)
		argv[n++] = "--quiet";
	if (c->show.output) {
		argv[n++] = "-o";
		argv[n++] = c->show.output;
	}
	argv[n++] = "--";
	for (size_t i = 0; i < c->n_operands; i++)
		argv[n++] = c->operand[i];
	r = cli_program_exec(c, &cli_drawer, argv);
	free(argv);
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_DRAW_H
#define DISKWIPE_DRAW_H

/* Figures, which the program diskwipe-report draws. */
#include "cli.h"
#include "program.h"

/** cli_drawer - that program. */
extern const struct cli_program cli_drawer;

/** cli_draw_check() - before anything is done: is there what draws, and can it draw under the name
 *  @output, unless that is NULL? 0, or an exit code after cli_fail(). */
int cli_draw_check(struct cli *c, const char *output);

/**
 * cli_draw() - draw
 * @trace: of the run; NULL = none
 * @document: in memory, of a result, a measurement or a sweep
 * @output: the file
 * @reported: the headline; on failure why
 *
 * Return: 0, or -1 with nothing said.
 */
int cli_draw(const char *trace, const char *document, const char *output,
	     char reported[CLI_PROGRAM_TEXT]);

/** cli_draw_or_fail() - draw a document; 0, or an exit code after cli_fail(). */
int cli_draw_or_fail(struct cli *c, const char *document);

#endif

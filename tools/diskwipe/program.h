/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_PROGRAM_H
#define DISKWIPE_PROGRAM_H

/*
 * The other programs of diskwipe, which this one calls. They are looked for beside it and nowhere
 * else: diskwipe runs as root, and PATH may be anybody's.
 */
#include <limits.h>
#include <stddef.h>

#include "cli.h"

/**
 * struct cli_program - a program that diskwipe calls
 * @name: its file
 * @package: what is to be installed
 * @what: what it does, as in "figures are drawn by diskwipe-report"
 */
struct cli_program {
	const char *name;
	const char *package;
	const char *what;
};

#define CLI_PROGRAM_TEXT 640

/** cli_program_exec() - become that program; @argv[0] is set by this. It returns when that fails:
 *  an exit code after cli_fail(). */
int cli_program_exec(struct cli *c, const struct cli_program *p, const char **argv);

/**
 * cli_program_run() - run it and wait for it
 * @argv: NULL after the last; @argv[0] is set by this
 * @input: what it reads on the standard input, NULL = nothing
 * @reported: the last line that it wrote without its name; on failure why it failed
 *
 * Return: 0 if it ended with exit status 0, else -1 with nothing said.
 */
int cli_program_run(const struct cli_program *p, const char **argv, const char *input,
		    char reported[CLI_PROGRAM_TEXT]);

#endif

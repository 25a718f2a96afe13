/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_OPTIONS_H
#define DISKWIPE_OPTIONS_H

/* The one table of options: parsed from, helped from, completed and documented against. */
#include "cli.h"

struct cli_option;

/** cli_setter - takes the argument of option @o, NULL when there is none; 0, or an exit code
 *  after cli_fail() */
typedef int cli_setter(struct cli *c, const struct cli_option *o, const char *arg);

/**
 * struct cli_option - a row of the option table
 * @name: long name
 * @argument: its name in the help, NULL = takes none; "[X]" = optional
 * @help: one line, without a full stop
 * @verbs: mask of enum cli_verb_bit
 * @usual: those of @verbs whose --help names it; a command none of whose options is usual has
 *	few, and names all
 * @alias: a former name that continues working, NULL = none
 * @letter: short name, 0 = none
 * @planned: belongs to what a plan fixes: not together with --plan or --resume
 * @set: takes the argument; NULL = the place is a bool, which becomes true
 * @at: the place, an offset in struct cli, or in what the verb has for itself
 * @own: size of the latter, 0 = it is in struct cli
 * @least, @most: of a number
 * @member: of struct dw_job_spec, for cli_set_spec, which takes its type, range and words from
 *	dw_spec_find()
 */
struct cli_option {
	const char *name;
	const char *argument;
	const char *help;
	uint32_t verbs;
	uint32_t usual;
	const char *alias;
	char letter;
	bool planned;
	cli_setter *set;
	size_t at;
	size_t own;
	uint32_t least;
	uint32_t most;
	const char *member;
};

/** cli_option_at() - option @i of the table, NULL after the last. */
const struct cli_option *cli_option_at(size_t i);

/** cli_option_place() - where what @o sets is. */
void *cli_option_place(struct cli *c, const struct cli_option *o);

/** cli_option_given() - whether the option @name was on the command line. */
bool cli_option_given(const struct cli *c, const char *name);

/** cli_error_text() - what failed in the library, for people: a member of the spec is the option
 *  that sets it; returns @buf. */
const char *cli_error_text(const struct dw_error *err, char buf[DW_ERROR_TEXT]);

/** cli_error() - cli_fail() with that. */
int cli_error(struct cli *c, enum cli_exit code, const struct dw_error *err);

/** cli_options_parse() - read the options of c->verb and collect operands; @argv[0] is
 *  skipped. 0, or an exit code after cli_fail(). */
int cli_options_parse(struct cli *c, int argc, char **argv);

/** cli_options_overview() - print the commands, on one screen. */
void cli_options_overview(FILE *f);

/** cli_options_help() - print how a verb is used, and its usual options, or @all of them and the
 *  exit codes. */
void cli_options_help(const struct cli_verb *verb, bool all, FILE *f);

/** cli_no_device() - the failure of a command that needs a disk; @see: where to look. Says so where
 *  an option has taken a node for its value. Returns the exit code. */
int cli_no_device(struct cli *c, const char *see);

#endif

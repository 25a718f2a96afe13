/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_PROGRAM_H
#define DISKWIPE_PROGRAM_H

/*
 * The words of a small program: tables of its commands and options, by which they are read, checked
 * and printed. diskwipe itself has more to say of an option, and a table of its own.
 */
#include <stdbool.h>
#include <stddef.h>

#include "common/say.h"

/** what the program ends with when its words are wrong */
#define PROGRAM_USAGE 1

/** @letter of an option that has none: this plus a number of its own */
#define PROGRAM_LONG 256

/** struct program_verb - a row of the table of commands; @bit: in the masks of the options */
struct program_verb {
	const char *name;
	unsigned bit;
	const char *summary;
};

/**
 * struct program_option - a row of the table of options
 * @letter: unique; from PROGRAM_LONG on it is not offered as one. 'h' and 'V' are of every program
 * @verbs: whose it is; 0 = of a program without commands
 * @argument: what it is called in the help; NULL = it has none
 * @at: where it goes in the struct of the program's options: a const char *, borrowed from argv, or
 *  a bool if it has no argument
 * @take: instead of @at: reads @text into @options; 0, or an exit code after cli_refuse()
 */
struct program_option {
	const char *name;
	int letter;
	unsigned verbs;
	const char *argument;
	const char *help;
	size_t at;
	int (*take)(void *options, const char *text);
};

/**
 * struct program - what a program says of itself
 * @called: as which users call it: messages point to its --help
 * @usage: what the help begins with; @closing: what it ends with, NULL = nothing
 * @width: of the left column of the help
 * @verb: NULL = it has no commands
 */
struct program {
	const char *called;
	const char *usage;
	const char *closing;
	int width;
	const struct program_verb *verb;
	size_t n_verbs;
	const struct program_option *option;
	size_t n_options;
};

/**
 * struct program_call - the words of one call, borrowed from argv
 * @help: the text is wanted; @version: that is wanted
 * @error: what was refused, as it was reported
 */
struct program_call {
	const struct program_verb *verb;
	const char **operand;
	size_t n_operands;
	bool help;
	bool version;
	char error[512];
};

/**
 * program_parse() - read the words of a call
 * @options: the program's own struct, into which the rows point
 *
 * Return: 0, or PROGRAM_USAGE after cli_refuse(). With a call for help or version nothing else is
 * looked at that stands behind it.
 */
int program_parse(const struct program *p, int argc, char **argv, void *options,
		  struct program_call *ret);

/** program_answer() - print version or help if the call is for these; false = it is not. */
bool program_answer(const struct program *p, const struct program_call *call);

/** program_help() - print the usage, commands, options and closing. */
void program_help(const struct program *p);

#endif

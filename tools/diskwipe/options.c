/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the option table to getopt_long() and to the help text. getopt_long() returns the
 * row's place in the table, offset so that it cannot be a character.
 */
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

#define FIRST          1000
#define MAX_OPTIONS    96
#define HELP_INDENT    32 /* where what an option is for begins */
#define BEFORE_OPTIONS "put the command before options: diskwipe %s ..."
#define HELP_LEAST     20 /* places for that, in which words still fit */

struct getopt_tables {
	struct option longs[MAX_OPTIONS + 1];
	char shorts[3 * MAX_OPTIONS + 4];
};

static int argument_kind(const struct cli_option *o)
{
	if (!o->argument)
		return no_argument;
	return o->argument[0] == '[' ? optional_argument : required_argument;
}

static void add_long(struct getopt_tables *t, size_t *n, const struct cli_option *o,
		     const char *name, int place)
{
	if (*n < MAX_OPTIONS)
		t->longs[(*n)++] = (struct option){ .name = name,
						    .has_arg = argument_kind(o),
						    .val = FIRST + place };
}

static void make_tables(const struct cli_verb *verb, struct getopt_tables *t)
{
	const struct cli_option *o;
	size_t n = 0, len = 2;

	memset(t, 0, sizeof(*t));
	memcpy(t->shorts,
	       "-:", 2); /* operands come in order, as the argument of option 1 */
	for (size_t i = 0; (o = cli_option_at(i)) && n < MAX_OPTIONS; i++) {
		if (!(o->verbs & verb->bit))
			continue;
		add_long(t, &n, o, o->name, (int)i);
		if (o->alias)
			add_long(t, &n, o, o->alias, (int)i);
		if (!o->letter)
			continue;
		t->shorts[len++] = o->letter;
		if (argument_kind(o) == required_argument)
			t->shorts[len++] = ':';
	}
}

static int find_letter(const struct cli_verb *verb, int letter)
{
	const struct cli_option *o;

	for (int i = 0; (o = cli_option_at((size_t)i)); i++)
		if (o->letter == letter && o->verbs & verb->bit)
			return i;
	return -1;
}

static int take(struct cli *c, int place, const char *arg)
{
	const struct cli_option *o = cli_option_at((size_t)place);

	/* NOLINTNEXTLINE(clang-analyzer-core.*): getopt returns only letters of the tables */
	c->given[place] = true;
	if (arg && !strncmp(arg, "/dev/", strlen("/dev/"))) {
		c->took = o;
		c->took_node = arg;
	}
	if (o->set)
		return o->set(c, o, arg);
	*(bool *)cli_option_place(c, o) = true;
	return 0;
}

/* A word after the first that names a verb and no file was meant to be the verb. */
static int take_operand(struct cli *c, const char *word)
{
	bool is_word = c->verb->bit == CLI_HELP ||
		       (c->verb->bit & (CLI_RECORDS | CLI_QC) && !c->n_operands);

	if (cli_verb_find(word) && !is_word && access(word, F_OK) < 0)
		return cli_fail(c, CLI_EXIT_USAGE, BEFORE_OPTIONS, word);
	c->operand[c->n_operands++] = word;
	return 0;
}

static bool begins_several(const struct cli *c, const char *name)
{
	const struct cli_option *o;
	size_t n = 0;

	for (size_t i = 0; (o = cli_option_at(i)); i++)
		n += o->verbs & c->verb->bit &&
		     (!strncmp(o->name, name, strlen(name)) ||
		      (o->alias && !strncmp(o->alias, name, strlen(name))));
	return n > 1;
}

static bool is_of_another(const char *name)
{
	const struct cli_option *o;

	for (size_t i = 0; (o = cli_option_at(i)); i++)
		if (!strcmp(o->name, name) || (o->alias && !strcmp(o->alias, name)))
			return true;
	return false;
}

/* The option of this verb that @name was probably meant to be, NULL = none. */
static const char *nearest_option(const struct cli *c, const char *name)
{
	const char *names[MAX_OPTIONS + 1] = { 0 }, *near;
	const struct cli_option *o;
	size_t n = 0;

	for (size_t i = 0; (o = cli_option_at(i)) && n + 1 < MAX_OPTIONS; i++) {
		if (!(o->verbs & c->verb->bit))
			continue;
		names[n++] = o->name;
		if (o->alias)
			names[n++] = o->alias;
	}
	near = cli_nearest(name, names);
	for (size_t i = 0; near && (o = cli_option_at(i)); i++)
		if (o->alias && !strcmp(o->alias, near))
			return o->name;
	return near;
}

/* The command may stand behind its options: they were read as those of erase. */
static const char *verb_behind(char *const *rest)
{
	for (; *rest; rest++)
		if (cli_verb_find(*rest) && access(*rest, F_OK) < 0)
			return *rest;
	return NULL;
}

/* @rest: the words behind it */
static int unknown_option(struct cli *c, const char *word, char *const *rest)
{
	const char *near, *verb = verb_behind(rest);
	char name[32];

	snprintf(name, sizeof(name), "%s", word + strspn(word, "-"));
	name[strcspn(name, "=")] = '\0';
	near = nearest_option(c, name);
	if (verb && !near && !c->n_operands && c->verb->bit == CLI_ERASE)
		return cli_fail(c, CLI_EXIT_USAGE, BEFORE_OPTIONS, verb);
	if (is_of_another(name))
		return cli_fail(c, CLI_EXIT_USAGE,
				"--%s: not an option of '%s'; see diskwipe %s --help",
				name, c->verb->name, c->verb->name);
	if (begins_several(c, name))
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"%s: more than one option begins so; see diskwipe %s --help",
			word, c->verb->name);
	if (near)
		return cli_fail(c, CLI_EXIT_USAGE,
				"%s: unknown option; did you mean '--%s'?", word, near);
	return cli_fail(c, CLI_EXIT_USAGE, "%s: unknown option; see diskwipe %s --help",
			word, c->verb->name);
}

static bool is_name(const struct cli_option *o, const char *word, size_t len)
{
	const char *const names[] = { o->name, o->alias };

	for (size_t i = 0; i < 2; i++)
		if (names[i] && strlen(names[i]) == len && !strncmp(names[i], word, len))
			return true;
	return false;
}

/* A beginning is enough for getopt, but "--all DISK" is not "--allow=DISK": the name of another
 * command's option is none, and a value that is a word of its own needs the whole name, as it may
 * be a disk. @word: "--NAME" or "--NAME=VALUE". */
static int check_name(struct cli *c, int place, const char *word, char *const *rest)
{
	const struct cli_option *o = cli_option_at((size_t)place), *other;
	size_t len = strcspn(word + 2, "=");

	if (is_name(o, word + 2, len))
		return 0;
	for (size_t i = 0; (other = cli_option_at(i)); i++)
		if (is_name(other, word + 2, len))
			return unknown_option(c, word, rest);
	if (argument_kind(o) != required_argument || word[2 + len] == '=')
		return 0;
	return cli_fail(c, CLI_EXIT_USAGE,
			"%s: the beginning of --%s, which has a value: write --%s=%s",
			word, o->name, o->name, o->argument);
}

static int no_value(struct cli *c, const char *word, char *const *rest)
{
	int place = optopt - FIRST;
	int r = place >= 0 && !strncmp(word, "--", 2) ? check_name(c, place, word, rest)
						      : 0;

	if (r)
		return r;
	return cli_fail(c, CLI_EXIT_USAGE, "%s: needs a value; see diskwipe %s --help",
			word, c->verb->name);
}

static int complain(struct cli *c, int code, char **argv)
{
	const char *word = argv[optind - 1];
	const struct cli_option *o;

	if (code == ':')
		return no_value(c, word, argv + optind);
	if (optopt >= FIRST) {
		o = cli_option_at((size_t)(optopt - FIRST));
		return cli_fail(c, CLI_EXIT_USAGE, "--%s: takes no value", o->name);
	}
	if (optopt)
		return cli_fail(c, CLI_EXIT_USAGE,
				"-%c: unknown option; see diskwipe %s --help", optopt,
				c->verb->name);
	return unknown_option(c, word, argv + optind);
}

void *cli_option_place(struct cli *c, const struct cli_option *o)
{
	return (o->own ? (char *)c->own : (char *)c) + o->at;
}

bool cli_option_given(const struct cli *c, const char *name)
{
	const struct cli_option *o;

	for (size_t i = 0; (o = cli_option_at(i)); i++)
		if (c->given[i] && !strcmp(o->name, name))
			return true;
	return false;
}

const char *cli_error_text(const struct dw_error *err, char buf[DW_ERROR_TEXT])
{
	const struct cli_option *o;

	for (size_t i = 0; err->kind == DW_ERROR_MEMBER && (o = cli_option_at(i)); i++) {
		if (strcmp(o->member ? o->member : o->name, err->subject))
			continue;
		snprintf(buf, DW_ERROR_TEXT, "--%s: %s", o->name, err->reason);
		return buf;
	}
	return dw_error_text(err, buf);
}

int cli_no_device(struct cli *c, const char *see)
{
	if (c->took)
		return cli_fail(c, CLI_EXIT_USAGE,
				"no device named: %s is the value of --%s; see %s",
				c->took_node, c->took->name, see);
	return cli_fail(c, CLI_EXIT_USAGE, "no device named; see %s", see);
}

int cli_error(struct cli *c, enum cli_exit code, const struct dw_error *err)
{
	char text[DW_ERROR_TEXT];

	return cli_fail(c, code, "%s", cli_error_text(err, text));
}

static int take_long(struct cli *c, int place, char **argv)
{
	bool apart = optarg && optarg == argv[optind - 1];
	int r = check_name(c, place, argv[optind - (apart ? 2 : 1)], argv + optind);

	return r ? r : take(c, place, optarg);
}

int cli_options_parse(struct cli *c, int argc, char **argv)
{
	struct getopt_tables tables;
	const struct cli_option *o;
	int code, r = 0;

	make_tables(c->verb, &tables);
	for (size_t i = 0; (o = cli_option_at(i)) && !c->own; i++)
		if (o->own && o->verbs & c->verb->bit)
			c->own = cli_allocate(1, o->own);
	c->operand = cli_allocate((size_t)argc + 1, sizeof(*c->operand));
	c->pick.exclude = cli_allocate((size_t)argc + 1, sizeof(*c->pick.exclude));
	opterr = 0;
	optind = 0; /* begin again: these may be the second words of a process */
	while (!r && (code = getopt_long(argc, argv, tables.shorts, tables.longs,
					 NULL)) != -1) {
		if (code == 1)
			r = take_operand(c, optarg);
		else if (code == '?' || code == ':')
			r = complain(c, code, argv);
		else if (code >= FIRST)
			r = take_long(c, code - FIRST, argv);
		else
			r = take(c, find_letter(c->verb, code), optarg);
	}
	while (!r && optind < argc)
		c->operand[c->n_operands++] = argv[optind++];
	return r;
}

/* Between words, where the terminal has no more places. */
static void print_wrapped(const char *text, FILE *f)
{
	size_t width = cli_terminal_width(f), room = SIZE_MAX;

	if (width > HELP_INDENT + HELP_LEAST)
		room = width - HELP_INDENT;
	while (strlen(text) > room) {
		size_t n = room;

		while (n && text[n] != ' ')
			n--;
		if (!n)
			break;
		fprintf(f, "%.*s\n%*s", (int)n, text, HELP_INDENT, "");
		text += n + 1;
	}
	fprintf(f, "%s\n", text);
}

static void print_option(const struct cli_option *o, FILE *f)
{
	char left[48];
	const char *join = "";

	if (o->argument)
		join = o->argument[0] == '[' ? "[=" : "=";
	snprintf(left, sizeof(left), "  %c%c%c --%s%s%s", o->letter ? '-' : ' ',
		 o->letter ? o->letter : ' ', o->letter ? ',' : ' ', o->name, join,
		 o->argument ? o->argument + (o->argument[0] == '[') : "");
	fprintf(f, "%-*s ", HELP_INDENT - 1, left);
	print_wrapped(o->help, f);
}

/* The commands that speak with the service, in a line: it all has to fit on a screen. */
static void print_service(FILE *f)
{
	const struct cli_verb *v;
	bool any = false;

	fputs("  The service: ", f);
	for (size_t i = 0; (v = cli_verb_at(i)); i++) {
		if (!(v->bit & CLI_SERVICE))
			continue;
		fprintf(f, "%s%s", any ? ", " : "", v->name);
		any = true;
	}
	fputc('\n', f);
}

void cli_options_overview(FILE *f)
{
	const struct cli_verb *v;

	fputs("Usage: diskwipe [COMMAND] [OPTIONS] [DEVICE...]\n"
	      "Erase disks, many at once, and prove it. Without a command: erase.\n",
	      f);
	for (size_t i = 0; (v = cli_verb_at(i)); i++)
		if (!(v->bit & CLI_SERVICE))
			fprintf(f, "  %-9s %s\n", v->name, v->summary);
	print_service(f);
	fputs("To begin with, plain diskwipe on a terminal shows the disks to choose from; or:\n"
	      "  diskwipe list                 the disks, and whether each may be erased\n"
	      "  diskwipe --dry-run /dev/sg1   what would be done to one\n"
	      "Options of a command: diskwipe help COMMAND. All of it: diskwipe(1).\n",
	      f);
}

static void print_exits(FILE *f)
{
	fputs("\nExit status:\n"
	      "  0  all that were confirmed are erased as asked\n"
	      "  1  usage or configuration, or output that could not be written\n"
	      "  2  refused, not confirmed, or nothing left\n"
	      "  3  some of several disks are not wholly erased\n"
	      "  4  none is\n"
	      "  5  verification found a mismatch\n"
	      "  7  no disk could be opened for want of rights\n"
	      "  8  the service cannot be reached, or has gone (submit, status ...)\n"
	      "  9  the last record of a folder is not finished (records verify, qc)\n"
	      "  130, 129, 143  stopped by SIGINT (Ctrl-C), SIGHUP or SIGTERM\n"
	      "  6  the same where no signal can end a process\n",
	      f);
}

/* Whether a command has so many options that some are usual and the others are not. */
static bool has_usual(const struct cli_verb *verb)
{
	const struct cli_option *o;

	for (size_t i = 0; (o = cli_option_at(i)); i++)
		if (o->usual & verb->bit)
			return true;
	return false;
}

void cli_options_help(const struct cli_verb *verb, bool all, FILE *f)
{
	const struct cli_option *o;
	bool erases = verb->bit == CLI_ERASE;
	size_t more = 0;

	all |= !has_usual(verb);
	fprintf(f, "Usage: diskwipe %s%s%s [OPTIONS]%s%s\n", erases ? "[" : "",
		verb->name, erases ? "]" : "", verb->operands[0] ? " " : "",
		verb->operands);
	fprintf(f, "%s\n", verb->summary);
	fprintf(f, "\nOptions:\n");
	for (size_t i = 0; (o = cli_option_at(i)); i++) {
		if (all ? o->verbs & verb->bit : o->usual & verb->bit)
			print_option(o, f);
		else
			more += o->verbs & verb->bit ? 1 : 0;
	}
	if (all && verb->bit & (CLI_ERASE | CLI_VERIFY | CLI_SERVICE))
		print_exits(f);
	if (more)
		fprintf(f, "\n%zu more options: diskwipe %s --help=all\n", more,
			verb->name);
	if (all)
		fprintf(f,
			"\nSizes: K, M, G, T or KiB, MiB ... are powers of 1024, KB, MB ... of"
			" 1000.\n");
	fputs("See diskwipe(1).\n", f);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/program.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/diskwipe.h>

#define MOST_OPTIONS 40

static int refuse(struct program_call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct program_call *call, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(call->error, sizeof(call->error), format, args);
	va_end(args);
	return cli_refuse(PROGRAM_USAGE, "%s", call->error);
}

static void print_option(const struct program *p, const struct program_option *o)
{
	char letter[8] = "   ", text[64];

	if (o->letter < PROGRAM_LONG)
		snprintf(letter, sizeof(letter), "-%c,", o->letter);
	snprintf(text, sizeof(text), "%s --%s%s%s", letter, o->name,
		 o->argument ? "=" : "", o->argument ? o->argument : "");
	printf("  %-*s %s\n", p->width, text, o->help);
}

void program_help(const struct program *p)
{
	fputs(p->usage, stdout);
	for (size_t i = 0; i < p->n_verbs; i++)
		printf("  %-*s %s\n", p->width, p->verb[i].name, p->verb[i].summary);
	if (p->n_verbs)
		putchar('\n');
	for (size_t i = 0; i < p->n_options; i++)
		print_option(p, &p->option[i]);
	if (p->closing)
		printf("\n%s", p->closing);
}

bool program_answer(const struct program *p, const struct program_call *call)
{
	if (call->version)
		printf("%s %s\n", cli_name, dw_version());
	else if (call->help)
		program_help(p);
	return call->version || call->help;
}

static bool ask(const char *word, struct program_call *ret)
{
	ret->help = !strcmp(word, "--help") || !strcmp(word, "-h");
	ret->version = !strcmp(word, "--version") || !strcmp(word, "-V");
	return ret->help || ret->version;
}

/* The first word of a program with commands. */
static int find_verb(const struct program *p, const char *word, struct program_call *ret)
{
	if (word && ask(word, ret))
		return 0;
	for (size_t i = 0; i < p->n_verbs && word && !ret->verb; i++)
		if (!strcmp(word, p->verb[i].name))
			ret->verb = &p->verb[i];
	if (ret->verb)
		return 0;
	if (word && word[0] != '-')
		return refuse(ret, "%s: no such command; see %s --help", word, p->called);
	return refuse(ret, "name a command first; see %s --help", p->called);
}

/* @letters gets two characters for each option, one before them and a zero. */
static void make_getopt(const struct program *p, char *letters, struct option *longs)
{
	if (p->n_options > MOST_OPTIONS)
		abort();
	*letters++ = ':'; /* no message of getopt's own */
	for (size_t i = 0; i < p->n_options; i++) {
		const struct program_option *o = &p->option[i];

		longs[i] = (struct option){ .name = o->name,
					    .has_arg = o->argument != NULL,
					    .val = o->letter };
		if (o->letter >= PROGRAM_LONG)
			continue;
		*letters++ = (char)o->letter;
		if (o->argument)
			*letters++ = ':';
	}
	*letters = '\0';
	longs[p->n_options] = (struct option){ .name = NULL };
}

static const struct program_option *option_of(const struct program *p, int letter)
{
	for (size_t i = 0; i < p->n_options; i++)
		if (p->option[i].letter == letter)
			return &p->option[i];
	return NULL;
}

static int refuse_word(const struct program *p, const char *word,
		       struct program_call *call)
{
	char letter[3] = { '-', (char)optopt };

	/* of a cluster the word is not behind yet, and the one before may be a long option */
	if (optopt && optopt < PROGRAM_LONG &&
	    (!option_of(p, optopt) || strncmp(word, "--", 2) != 0))
		word = letter;
	return refuse(call,
		      "%s: no such option, or its argument is missing; see %s --help",
		      word, p->called);
}

static int take_option(const struct program_option *o, struct program_call *call,
		       void *options)
{
	void *member = (char *)options + o->at;

	if (call->verb && !(o->verbs & call->verb->bit))
		return refuse(call, "--%s is not for %s", o->name, call->verb->name);
	if (o->take)
		return o->take(options, optarg);
	if (o->argument)
		*(const char **)member = optarg;
	else
		*(bool *)member = true;
	return 0;
}

int program_parse(const struct program *p, int argc, char **argv, void *options,
		  struct program_call *ret)
{
	struct option longs[MOST_OPTIONS + 1];
	char letters[2 * MOST_OPTIONS + 2];
	int letter, r;

	*ret = (struct program_call){ .verb = NULL };
	if (p->n_verbs) {
		r = find_verb(p, argc > 1 ? argv[1] : NULL, ret);
		if (r || !ret->verb)
			return r;
		argc--;
		argv++;
	}
	make_getopt(p, letters, longs);
	while ((letter = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		const struct program_option *o = option_of(p, letter);

		if (!o)
			return refuse_word(p, argv[optind - 1], ret);
		ret->help |= letter == 'h';
		ret->version |= letter == 'V';
		if (letter == 'h' || letter == 'V')
			continue;
		r = take_option(o, ret, options);
		if (r)
			return r;
	}
	ret->operand = (const char **)argv + optind;
	ret->n_operands = (size_t)(argc - optind);
	return 0;
}

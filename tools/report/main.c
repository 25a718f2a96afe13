/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe-report: figures of runs, and records on paper. It alone has canvas and fonts: what
 * erases disks is not linked with them, and calls it.
 */
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <diskwipe/diskwipe.h>

#include "report.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define TABLES   (REPORT_LABEL | REPORT_SUMMARY)
#define RECORDS  (TABLES | REPORT_CERTIFICATE)
#define ALL      (RECORDS | REPORT_DRAW)
#define DAY_S    86400

static const struct report_verb verbs[] = {
#ifdef DW_PAPER /* pango and libqrencode */
	{ "certificate", REPORT_CERTIFICATE, "A page for each disk, as PDF.",
	  report_print, report_certificate },
	{ "label", REPORT_LABEL, "Labels for disks: PNG, PDF or ZPL.", report_print,
	  report_label },
	{ "summary", REPORT_SUMMARY,
	  "Counts and tables of many records: HTML, CSV, JSON.", report_print,
	  report_summary },
#endif
	{ "draw", REPORT_DRAW, "Figures of a run, a measurement or a sweep.", report_draw,
	  NULL },
};

/** struct report_option - a row of the table of options */
struct report_option {
	const char *name;
	char letter;
	unsigned verbs;
	const char *argument;
	const char *help;
};

static const struct report_option options[] = {
	{ "output", 'o', ALL, "FILE",
	  "where to, or DIR/; records: default standard output" },
	{ "check", 't', REPORT_DRAW | REPORT_CERTIFICATE, NULL,
	  "only say whether FILE can be made" },
	{ "quiet", 'q', REPORT_DRAW, NULL, "do not say what was drawn" },
	{ "format", 'f', TABLES, "NAME",
	  "label: png, pdf, zpl; summary: html, csv, json" },
	{ "size", 's', REPORT_LABEL, "NAME", "62 (mm, the default) or 4x6 (inch)" },
	{ "paper", 'p', REPORT_CERTIFICATE, "NAME", "a4 (the default) or letter" },
	{ "language", 'L', REPORT_CERTIFICATE, "NAME", "en (the default) or de" },
	{ "firm", 'F', REPORT_CERTIFICATE, "FILE",
	  "name, address, logo, words of the firm" },
	{ "sign-cert", 'C', REPORT_CERTIFICATE, "FILE", "sign the PDF with it (PEM)" },
	{ "sign-key", 'K', REPORT_CERTIFICATE, "FILE", "its private key (PEM)" },
	{ "chain", 'c', REPORT_CERTIFICATE, "FILE",
	  "certificates between it and a root" },
	{ "signers", 'S', RECORDS, "FILE",
	  "who may sign, as ssh-keygen's allowed_signers" },
	{ "serial", 'n', RECORDS, "TEXT", "of a folder: records of that disk only" },
	{ "since", 'd', RECORDS, "DAY",
	  "of a folder: from that day on (UTC, 2026-11-25)" },
	{ "until", 'u', RECORDS, "DAY", "of a folder: up to that day and with it" },
	{ "last", 'l', RECORDS, "N", "of a folder: the newest N" },
	{ "job", 'j', RECORDS, "ID",
	  "of a folder: of that job, or of the one that begins so" },
	{ "label", 'b', RECORDS, "TEXT", "of a folder: of jobs of that name" },
	{ "customer", 'k', RECORDS, "NAME", "of a folder: disks of that customer" },
	{ "order", 'r', RECORDS, "TEXT", "of a folder: of that order" },
	{ "asset", 'a', RECORDS, "TAG", "of a folder: the disk with that tag" },
	{ "operator", 'w', RECORDS, "NAME", "of a folder: what that person did" },
	{ "all", 'A', REPORT_CERTIFICATE, NULL,
	  "of a folder: all of its lots on one paper" },
	{ "per", 'P', REPORT_CERTIFICATE | REPORT_SUMMARY, "WHAT",
	  "with -o DIR/: a file for each disk or lot" },
	{ "help", 'h', ALL, NULL, "this text" },
	{ "version", 'V', ALL, NULL, "version of the program" },
};

int report_fail(enum dw_paper_exit code, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "diskwipe-report: %s\n", dw_text_printable(text));
	return code;
}

static void print_help(void)
{
	puts("Usage: diskwipe-report COMMAND [OPTION...] RECORD|DIR...\n"
	     "       diskwipe-report draw [OPTION...] -o FILE TRACE|DOCUMENT...\n\n"
	     "Draw what runs did, and print signed records of erased disks. Each record is\n"
	     "checked first: nothing is printed of one that is not as it was signed.\n");
	for (size_t i = 0; i < COUNT(verbs); i++)
		printf("  %-18s %s\n", verbs[i].name, verbs[i].summary);
	putchar('\n');
	for (size_t i = 0; i < COUNT(options); i++) {
		char text[64];

		snprintf(text, sizeof(text), "-%c, --%s%s%s", options[i].letter,
			 options[i].name, options[i].argument ? "=" : "",
			 options[i].argument ? options[i].argument : "");
		printf("  %-22s %s\n", text, options[i].help);
	}
	puts("\nExit status: 0; 1: usage, or a file cannot be read or written; 5: a record is\n"
	     "not as it was signed. See diskwipe-report(1).");
}

static int parse_day(const char *option, const char *text, time_t *ret)
{
	struct tm tm = { .tm_sec = 0 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);

	if (!end || *end)
		return report_fail(DW_PAPER_FAILED,
				   "--%s: '%s' is not a day like 2026-11-25", option,
				   text);
	*ret = timegm(&tm);
	return 0;
}

static int parse_last(const char *text, size_t *ret)
{
	uint64_t n;

	if (dw_number_parse(text, &n) || !n)
		return report_fail(DW_PAPER_FAILED, "--last: '%s' is not a number from 1",
				   text);
	*ret = (size_t)n;
	return 0;
}

static int set_option(struct report_options *c, int letter, const char *text)
{
	const struct {
		int letter;
		const char **to;
	} texts[] = {
		{ 'f', &c->format },
		{ 's', &c->size },
		{ 'p', &c->paper },
		{ 'L', &c->language },
		{ 'F', &c->firm },
		{ 'C', &c->sign_cert },
		{ 'K', &c->sign_key },
		{ 'c', &c->chain },
		{ 'S', &c->selection.signers },
		{ 'n', &c->selection.serial },
		{ 'o', &c->output },
		{ 'b', &c->selection.label },
		{ 'k', &c->selection.customer },
		{ 'r', &c->selection.order },
		{ 'a', &c->selection.asset },
		{ 'w', &c->selection.operator_name },
		{ 'P', &c->per },
		{ 'j', &c->selection.job },
	};

	if (letter == 't' || letter == 'q' || letter == 'A') {
		*(letter == 't' ? &c->check : letter == 'q' ? &c->quiet : &c->all) = true;
		return 0;
	}
	if (letter == 'd')
		return parse_day("since", text, &c->selection.since);
	if (letter == 'u') {
		int r = parse_day("until", text, &c->selection.until);

		c->selection.until += r ? 0 : DAY_S;
		return r;
	}
	if (letter == 'l')
		return parse_last(text, &c->selection.last);
	for (size_t i = 0; i < COUNT(texts); i++)
		if (texts[i].letter == letter) {
			*texts[i].to = letter == 'o' && !strcmp(text, "-") ? NULL : text;
			return 0;
		}
	return report_fail(DW_PAPER_FAILED, "see diskwipe-report --help");
}

static const struct report_option *option_of(int letter)
{
	for (size_t i = 0; i < COUNT(options); i++)
		if (options[i].letter == letter)
			return &options[i];
	return NULL;
}

/* -1 = go on; else the program ends with that. */
static int parse(struct report_options *c, int argc, char **argv)
{
	struct option longs[COUNT(options) + 1] = { { 0 } };
	char letters[2 * COUNT(options) + 1] = "";
	int letter, r;

	for (size_t i = 0; i < COUNT(options); i++) {
		size_t len = strlen(letters);

		longs[i] = (struct option){ .name = options[i].name,
					    .has_arg = options[i].argument != NULL,
					    .val = options[i].letter };
		letters[len++] = options[i].letter;
		letters[len] = options[i].argument ? ':' : '\0';
	}
	while ((letter = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		const struct report_option *o = option_of(letter);

		if (letter == 'h') {
			print_help();
			return DW_PAPER_OK;
		}
		if (letter == 'V') {
			printf("diskwipe-report %s\n", dw_version());
			return DW_PAPER_OK;
		}
		if (o && !(o->verbs & c->verb->bit))
			return report_fail(DW_PAPER_FAILED, "--%s is not for %s", o->name,
					   c->verb->name);
		r = set_option(c, letter, optarg);
		if (r)
			return r;
	}
	c->operand = (const char **)argv + optind;
	c->n_operands = (size_t)(argc - optind);
	return -1;
}

int main(int argc, char **argv)
{
	struct report_options c = { .verb = NULL };
	int r;

	signal(SIGXFSZ, SIG_IGN); /* a write beyond a limit fails, no more than that */
	setlocale(LC_CTYPE, "");
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		print_help();
		return DW_PAPER_OK;
	}
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		printf("diskwipe-report %s\n", dw_version());
		return DW_PAPER_OK;
	}
	for (size_t i = 0; i < COUNT(verbs) && argc > 1; i++)
		if (!strcmp(argv[1], verbs[i].name))
			c.verb = &verbs[i];
	if (!c.verb)
		return report_fail(DW_PAPER_FAILED,
				   "%s%sname a command; see diskwipe-report "
				   "--help",
				   argc > 1 ? argv[1] : "", argc > 1 ? " is none: " : "");
	r = parse(&c, argc - 1, argv + 1);
	if (r >= 0)
		return r;
	return c.verb->run(&c);
}

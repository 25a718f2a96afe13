/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe-report: figures of runs, and records on paper. It alone has canvas and fonts: what
 * erases disks is not linked with them, and calls it.
 */
#include <locale.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <diskwipe/diskwipe.h>

#include "print/plot.h"
#include "report.h"

/*
 * diskwipe-report draw: figures of a run, of a measurement or of a sweep of a model. diskwipe calls
 * it for `diskwipe report` and for its own --report and -o.
 */

static int failed(const struct dw_error *err)
{
	char text[DW_ERROR_TEXT];

	return cli_refuse(DW_PAPER_FAILED, "%s", dw_error_text(err, text));
}

static int report_draw(const struct report_options *o)
{
	struct dw_error err = { 0 };
	const char *source[2];
	char headline[256];

	if (!o->check && (o->n_operands < 1 || o->n_operands > 2))
		return cli_refuse(
			DW_PAPER_FAILED,
			"one trace or result, or a trace and the result of the same run; see "
			"diskwipe-report --help");
	if (!o->output)
		return cli_refuse(
			DW_PAPER_FAILED,
			"-o FILE is missing; FILE ends in .html, .svg, .pdf or .png");
	if (o->check)
		return dw_report_check(o->output, &err) < 0 ? failed(&err) : DW_PAPER_OK;
	for (size_t i = 0; i < o->n_operands; i++)
		source[i] =
			strcmp(o->operand[i], "-") != 0 ? o->operand[i] : "/dev/stdin";
	if (dw_report_write(source, o->n_operands, o->output, headline, &err) < 0)
		return failed(&err);
	if (!o->quiet)
		fprintf(stderr, "%s\n", headline);
	return DW_PAPER_OK;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define TABLES   (REPORT_LABEL | REPORT_SUMMARY)
#define RECORDS  (TABLES | REPORT_CERTIFICATE)
#define ALL      (RECORDS | REPORT_DRAW)
#define DAY_S    86400

const char cli_name[] = "diskwipe-report";

static const struct program_verb verbs[] = {
#ifdef DW_PAPER /* pango and libqrencode */
	{ "certificate", REPORT_CERTIFICATE, "A page for each disk, as PDF." },
	{ "label", REPORT_LABEL, "Labels for disks: PNG, PDF or ZPL." },
	{ "summary", REPORT_SUMMARY,
	  "Counts and tables of many records: HTML, CSV, JSON." },
#endif
	{ "draw", REPORT_DRAW, "Figures of a run, a measurement or a sweep." },
};

/* AT() - the member of struct report_options that a row is for */
#define AT(member) .at = offsetof(struct report_options, member)

static int take_output(void *options, const char *text)
{
	((struct report_options *)options)->output = strcmp(text, "-") != 0 ? text : NULL;
	return 0;
}

static int parse_day(const char *option, const char *text, time_t *ret)
{
	struct tm tm = { .tm_sec = 0 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);

	if (!end || *end)
		return cli_refuse(DW_PAPER_FAILED,
				  "--%s: '%s' is not a day like 2026-11-25", option,
				  text);
	*ret = timegm(&tm);
	return 0;
}

static int take_since(void *options, const char *text)
{
	return parse_day("since", text,
			 &((struct report_options *)options)->selection.since);
}

/* The day is in it. */
static int take_until(void *options, const char *text)
{
	struct report_options *o = options;
	int r = parse_day("until", text, &o->selection.until);

	o->selection.until += r ? 0 : DAY_S;
	return r;
}

static int take_last(void *options, const char *text)
{
	struct report_options *o = options;
	uint64_t n;

	if (dw_number_parse(text, &n) || !n)
		return cli_refuse(DW_PAPER_FAILED, "--last: '%s' is not a number from 1",
				  text);
	o->selection.last = (size_t)n;
	return 0;
}

static const struct program_option options[] = {
	{ "output", 'o', ALL, "FILE",
	  "where to, or DIR/; records: default standard output", .take = take_output },
	{ "check", 't', REPORT_DRAW | REPORT_CERTIFICATE, NULL,
	  "only say whether FILE can be made", AT(check) },
	{ "quiet", 'q', REPORT_DRAW, NULL, "do not say what was drawn", AT(quiet) },
	{ "format", 'f', TABLES, "NAME", "label: png, pdf, zpl; summary: html, csv, json",
	  AT(format) },
	{ "size", 's', REPORT_LABEL, "NAME", "62 (mm, the default) or 4x6 (inch)",
	  AT(size) },
	{ "paper", 'p', REPORT_CERTIFICATE, "NAME", "a4 (the default) or letter",
	  AT(paper) },
	{ "language", 'L', REPORT_CERTIFICATE, "NAME", "en (the default) or de",
	  AT(language) },
	{ "firm", 'F', REPORT_CERTIFICATE, "FILE",
	  "name, address, logo, words of the firm", AT(firm) },
	{ "sign-cert", 'C', REPORT_CERTIFICATE, "FILE", "sign the PDF with it (PEM)",
	  AT(sign_cert) },
	{ "sign-key", 'K', REPORT_CERTIFICATE, "FILE", "its private key (PEM)",
	  AT(sign_key) },
	{ "chain", 'c', REPORT_CERTIFICATE, "FILE", "certificates between it and a root",
	  AT(chain) },
	{ "signers", 'S', RECORDS, "FILE",
	  "who may sign, as ssh-keygen's allowed_signers", AT(selection.signers) },
	{ "from", 'D', RECORDS, "DATABASE", "postgresql://...: of a fleet's ledger",
	  AT(from) },
	{ "serial", 'n', RECORDS, "TEXT", "of a folder: records of that disk only",
	  AT(selection.serial) },
	{ "since", 'd', RECORDS, "DAY", "of a folder: from that day on (UTC, 2026-11-25)",
	  .take = take_since },
	{ "until", 'u', RECORDS, "DAY", "of a folder: up to that day and with it",
	  .take = take_until },
	{ "last", 'l', RECORDS, "N", "of a folder: the newest N", .take = take_last },
	{ "job", 'j', RECORDS, "ID",
	  "of a folder: of that job, or of the one that begins so", AT(selection.job) },
	{ "label", 'b', RECORDS, "TEXT", "of a folder: of jobs of that name",
	  AT(selection.label) },
	{ "lot", 'B', RECORDS, "TEXT", "the same", AT(selection.label) },
	{ "customer", 'k', RECORDS, "NAME", "of a folder: disks of that customer",
	  AT(selection.customer) },
	{ "order", 'r', RECORDS, "TEXT", "of a folder: of that order",
	  AT(selection.order) },
	{ "asset", 'a', RECORDS, "TAG", "of a folder: the disk with that tag",
	  AT(selection.asset) },
	{ "operator", 'w', RECORDS, "NAME", "of a folder: what that person did",
	  AT(selection.operator_name) },
	{ "all", 'A', REPORT_CERTIFICATE, NULL,
	  "of a folder: all of its lots on one paper", AT(all) },
	{ "per", 'P', REPORT_CERTIFICATE | REPORT_SUMMARY, "WHAT",
	  "with -o DIR/: a file for each disk or lot", AT(per) },
	{ "help", 'h', ALL, NULL, "this text" },
	{ "version", 'V', ALL, NULL, "version of the program" },
};

static const struct program program = {
	.called = "diskwipe-report",
	.usage =
		"Usage: diskwipe-report COMMAND [OPTION...] RECORD|DIR...\n"
		"       diskwipe-report draw [OPTION...] -o FILE TRACE|DOCUMENT...\n\n"
		"Draw what runs did, and print signed records of erased disks. Each record is\n"
		"checked first: nothing is printed of one that is not as it was signed.\n\n",
	.closing =
		"Exit status: 0; 1: usage, or a file cannot be read or written; 5: a record is\n"
		"not as it was signed. See diskwipe-report(1).\n",
	.width = 22,
	.verb = verbs,
	.n_verbs = COUNT(verbs),
	.option = options,
	.n_options = COUNT(options),
};

static int run(struct report_options *o)
{
	switch (o->verb->bit) {
#ifdef DW_PAPER
	case REPORT_LABEL:
		return report_print(o, report_label);
	case REPORT_SUMMARY:
		return report_print(o, report_summary);
	case REPORT_CERTIFICATE:
		return report_print(o, report_certificate);
#endif
	default:
		return report_draw(o);
	}
}

int main(int argc, char **argv)
{
	struct report_options o = { .verb = NULL };
	struct program_call call;
	int r;

	signal(SIGXFSZ, SIG_IGN); /* a write beyond a limit fails, no more than that */
	setlocale(LC_CTYPE, "");
	r = program_parse(&program, argc, argv, &o, &call);
	if (r || program_answer(&program, &call))
		return r;
	o.verb = call.verb;
	o.operand = call.operand;
	o.n_operands = call.n_operands;
	return run(&o);
}

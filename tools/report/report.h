/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_REPORT_PROGRAM_H
#define DISKWIPE_REPORT_PROGRAM_H

/* diskwipe-report: figures, and records on paper. What its verbs share. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/program.h"
#include "print/checked.h"

/** enum report_verb_bit - the commands, in the masks of the options */
enum report_verb_bit {
	REPORT_LABEL = 1 << 0,
	REPORT_SUMMARY = 1 << 1,
	REPORT_CERTIFICATE = 1 << 2,
	REPORT_DRAW = 1 << 3,
};

/**
 * struct report_options - one call of the program; texts are borrowed from argv
 * @selection: which records
 * @from: database of a fleet's ledger; NULL = operands have the records
 * @output: file of -o; NULL = standard output
 * @format, @size, @paper, @language: words as they were given; NULL = not
 * @per: word of --per; NULL = not given
 * @check: print nothing, only say whether it could be; @quiet: of a drawing
 * @all: print all lots of a folder on one paper
 * @firm: the firm's file; @sign_cert, @sign_key, @chain: PEM files; NULL = none
 */
struct report_options {
	const struct program_verb *verb;
	struct dw_paper_selection selection;
	const char *from;
	const char *output;
	const char *format;
	const char *size;
	const char *paper;
	const char *language;
	const char *firm;
	const char *sign_cert;
	const char *sign_key;
	const char *chain;
	const char *per;
	bool check;
	bool quiet;
	bool all;
	const char **operand;
	size_t n_operands;
};

/** report_printer - prints @in, at least one record, all checked; returns an exit code */
typedef int report_printer(const struct report_options *o, struct dw_paper_records *in);

/** report_write() - a document to the file @path, NULL = standard output; 0 or an exit code. */
int report_write(const char *path, const char *data, size_t len);

/** report_unknown() - tell on stderr that @n characters are printed as their codes, if any. */
void report_unknown(size_t n);

/** report_print() - the commands of records: read and check those, then @print. An exit code. */
int report_print(const struct report_options *o, report_printer *print);

/** report_certificate_check() - --check: can certificates be printed to the file of -o? An exit
 *  code. */
int report_certificate_check(const struct report_options *o);

/** report_label(), report_summary(), report_certificate() - the commands; each returns an exit
 *  code. */
report_printer report_label, report_summary, report_certificate;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_REPORT_H
#define DISKWIPE_REPORT_H

/* diskwipe-report: records on paper. What its verbs share. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paper/input.h"

enum report_exit {
	REPORT_OK = 0,
	REPORT_USAGE = 1,      /* usage, or a file that cannot be read or written */
	REPORT_NOT_SIGNED = 5, /* a record is not as it was signed */
};

struct report;

/**
 * struct report_verb - a row of the table of verbs
 * @bit: in the masks of the options
 * @run: with c->in; returns an exit code
 */
struct report_verb {
	const char *name;
	unsigned bit;
	const char *summary;
	int (*run)(struct report *c);
};

enum report_verb_bit { REPORT_LABEL = 1 << 0, REPORT_SUMMARY = 1 << 1 };

/**
 * struct report - one call of the program; texts are borrowed from argv
 * @select: which records
 * @output: file of -o; NULL = standard output
 * @format, @size: words as they were given; NULL = not
 * @in: the records, checked
 */
struct report {
	const struct report_verb *verb;
	struct paper_select select;
	const char *output;
	const char *format;
	const char *size;
	const char **operand;
	size_t n_operands;
	struct paper_input in;
};

/** report_fail() - tell on stderr why; returns @code. */
int report_fail(enum report_exit code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** report_write() - a document to the file @path, NULL = standard output; 0 or an exit code. */
int report_write(const char *path, const char *data, size_t len);

/** report_label(), report_summary() - the verbs; each returns an exit code. */
int report_label(struct report *c);
int report_summary(struct report *c);

#endif

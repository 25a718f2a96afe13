/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_OUT_H
#define DISKWIPE_OUT_H

/* Results: tables for people, one document for programs. */
#include "cli.h"
#include "job/select.h"

/** cli_out_error() - with --json or --json-lines, the document of a call that failed before
 *  it had a result; @code decides the outcome it names. */
void cli_out_error(struct cli *c, int code);

/**
 * cli_out_result() - the result of a job, as asked: table, document or last line
 * @result: borrowed
 * @outcome: of the job instead of the result's own, NULL = that
 */
void cli_out_result(struct cli *c, const struct dw_job_result *result,
		    const char *outcome);

/** cli_out_lost() - when the result could not be written to stdout: what came of each disk, on
 *  stderr; else nothing. */
void cli_out_lost(const struct dw_job_result *result);

/** cli_out_refusal() - the outcome of a job that did not begin, by its exit code. */
const char *cli_out_refusal(const struct cli *c, int code);

/** cli_out_begin() - with --json-lines, the first line: what the job is. */
void cli_out_begin(struct cli *c, const struct dw_job_result *result);

/** cli_out_event() - with --json-lines, one line; else nothing. */
void cli_out_event(struct cli *c, const struct dw_event *e,
		   const struct dw_job_result *result);

/** cli_out_text() - print a malloc'd text with a newline and free it; NULL = no memory. */
int cli_out_text(struct cli *c, char *text);

/** cli_table_disks() - the list; columns of c->show.output. 0 or an exit code. */
int cli_table_disks(struct cli *c, const struct dw_disk *disks, size_t n);

/** cli_table_question() - the disks a question is about, on @f. */
void cli_table_question(const struct cli *c, FILE *f, const struct dw_disk *disks,
			size_t n);

/** cli_table_inspection() - what one disk can do. */
void cli_table_inspection(struct cli *c, const struct dw_inspection *can);

/** cli_table_methods() - the methods and what each is worth. */
void cli_table_methods(void);

/** cli_table_columns() - the columns of the list. */
void cli_table_columns(void);

#endif

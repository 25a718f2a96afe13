/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe-report draw: figures of a run, of a measurement or of a sweep of a model. diskwipe calls
 * it for `diskwipe report` and for its own --report and -o.
 */
#include <stdio.h>
#include <string.h>

#include <diskwipe/diskwipe.h>

#include "print/plot.h"

#include "report.h"

static int failed(const struct dw_error *err)
{
	char text[DW_ERROR_TEXT];

	return cli_refuse(DW_PAPER_FAILED, "%s", dw_error_text(err, text));
}

int report_draw(const struct report_options *o)
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

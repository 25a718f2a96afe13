/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_PLOT_H
#define DW_PRINT_PLOT_H

/*
 * Pictures of a run, made afterwards from its trace or its result. What is written depends
 * on these files alone: equal files give equal reports.
 */
#include <stddef.h>

#include <diskwipe/bench.h>
#include <diskwipe/error.h>

/**
 * dw_report_write() - draw a report
 * @source: a trace, the document of a result, of a measurement or of a sweep of a model, or
 *	first the trace and then the result of one run
 * @n: 1 or 2
 * @output: file to replace; its name ends in .html, .svg, .pdf or .png
 * @ret_headline: what limited the run, or what is drawn, in words
 * @err: on failure why
 *
 * Traces may be of any length, and cut off; memory depends on the number of disks alone.
 *
 * Return: 0; -EINVAL for what is not understood; -ENOTSUP for PDF and PNG in a build
 * without cairo; another negative errno of reading or writing.
 */
int dw_report_write(const char *const *source, size_t n, const char *output,
		    char ret_headline[256], struct dw_error *err);

/** dw_report_check() - can a picture be written under this name? Nothing is. 0, -EINVAL (its end
 *  names no format) or -ENOTSUP (a format that this build does not have), with @err. */
int dw_report_check(const char *output, struct dw_error *err);

/** dw_bench_write() - draw a measurement, a line for each series; as dw_report_write(). */
int dw_bench_write(const struct dw_bench *b, const char *output, struct dw_error *err);

/** dw_bench_title() - what its figure is headed by. */
const char *dw_bench_title(const struct dw_bench *b);

/** dw_sweep_write() - draw a sweep of a model from its document, as dw_report_write(); -ENOMSG if
 *  that is none. */
int dw_sweep_write(const char *text, size_t len, const char *output,
		   char ret_headline[256], struct dw_error *err);

#endif

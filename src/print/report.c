/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way in: files to figures to a file. A document tells by itself what it is of. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/util.h"
#include "file/file.h"
#include "print/figures.h"
#include "print/plot.h"

#define BYTES_MAX (256u << 20)

/* 1 a trace, 0 something else, negative errno with @err. A pipe can be read but once, so there is
 * a document in it. */
static int is_trace(const char *path, struct dw_error *err)
{
	char text[32];
	dw_autoclose int fd = dw_file_open(path, false); /* it is opened once more */
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	int r = fd;

	if (fd < 0 && dw_file_descriptor(path) >= 0)
		return 0;
	if (fd >= 0)
		r = n < 0 ? -errno : dw_trace_is(text, (size_t)n);
	if (r < 0)
		return dw_error_file(err, r, path, dw_file_error(r));
	return r;
}

/* A result, after the trace if that is not NULL. */
static int read_result(const char *trace, const char *text, size_t len, struct run *run,
		       struct dw_error *err)
{
	struct dw_result_doc *doc = NULL;
	int r = dw_result_parse(text, len, &doc, err);

	if (!r && trace)
		r = run_from_trace(trace, run, err);
	if (!r)
		r = trace ? run_add_result(run, doc, err) : run_from_result(doc, run);
	dw_result_free(doc);
	return dw_error_system(err, r, NULL);
}

int plot_output(const char *output, enum plot_format *ret, struct dw_error *err)
{
	if (plot_format_find(output, ret) < 0)
		return dw_error_file(err, -EINVAL, output,
				     "the name has to end in .html, .svg, .pdf or .png");
	if (!plot_format_have(*ret))
		return dw_error_file(
			err, -ENOTSUP, output,
			"built without cairo, which writes PDF and PNG; take .html or "
			".svg, or build it with libcairo2-dev");
	return 0;
}

int dw_report_check(const char *output, struct dw_error *err)
{
	enum plot_format format;

	dw_error_clear(err);
	return plot_output(output, &format, err);
}

static void add_figures(struct report *r)
{
	figure_disks(r);
	figure_total(r);
	figure_nodes(r);
	figure_forecast(r);
	figure_rates(r);
	figure_places(r);
	figure_lengths(r);
	figure_schedule(r);
	figure_service(r);
	figure_errors(r);
	figure_legend(r);
}

static int write_report(struct report *r, enum plot_format format, const char *output,
			struct dw_error *err)
{
	struct plot_document d = {
		.title = "diskwipe report",
		.headline = r->findings.headline,
		.line = (const char(*)[256])r->findings.line,
		.n_lines = r->findings.n_lines,
		.created = r->run.started,
		.figure = r->figure,
	};
	int n;

	add_figures(r);
	d.n_figures = r->n_figures;
	n = plot_write(&d, format, output);
	if (n < 0)
		dw_error_file(err, n, output, dw_file_error(n));
	return n;
}

/* The report of a run that was read with the outcome @n_err; the run is freed. */
static int finish_report(struct report *r, int n_err, const char *output,
			 char ret_headline[256], struct dw_error *err)
{
	enum plot_format format = PLOT_SVG;

	if (!n_err)
		n_err = plot_output(output, &format, err);
	if (!n_err)
		n_err = findings_new(&r->run, &r->findings);
	if (!n_err)
		n_err = write_report(r, format, output, err);
	if (!n_err)
		snprintf(ret_headline, 256, "%s", r->findings.headline);
	findings_deinit(&r->findings);
	run_deinit(&r->run);
	return n_err;
}

static int write_run(const char *trace, const char *text, size_t len, const char *output,
		     char ret_headline[256], struct dw_error *err)
{
	dw_autofree struct report *r = calloc(1, sizeof(*r));
	int n_err;

	if (!r)
		return dw_error_system(err, -ENOMEM, NULL);
	n_err = text ? read_result(trace, text, len, &r->run, err)
		     : run_from_trace(trace, &r->run, err);
	return finish_report(r, n_err, output, ret_headline, err);
}

static int write_bench(const char *text, size_t len, const char *output,
		       char ret_headline[256], struct dw_error *err)
{
	struct dw_bench *b = NULL;
	int r = dw_bench_parse(text, len, &b, err);

	if (!r)
		r = dw_bench_write(b, output, err);
	if (!r)
		snprintf(ret_headline, 256, "%s", dw_bench_title(b));
	dw_bench_free(b);
	return r;
}

/* What stands in the document @path, with the trace of the same run unless that is NULL. */
static int write_document(const char *trace, const char *path, const char *output,
			  char ret_headline[256], struct dw_error *err)
{
	dw_autofree char *text = NULL;
	size_t len;
	int r = dw_file_read(path, BYTES_MAX, &text, &len);

	if (r < 0)
		return dw_error_file(err, r, path, dw_file_error(r));
	r = -ENOMSG;
	if (!trace)
		r = write_bench(text, len, output, ret_headline, err);
	if (r == -ENOMSG && !trace)
		r = dw_sweep_write(text, len, output, ret_headline, err);
	if (r == -ENOMSG)
		r = write_run(trace, text, len, output, ret_headline, err);
	if (r < 0)
		dw_error_in(err, path, 0);
	return r;
}

int dw_report_write(const char *const *source, size_t n, const char *output,
		    char ret_headline[256], struct dw_error *err)
{
	int r = dw_report_check(output, err), trace;

	if (r)
		return r;
	trace = is_trace(source[0], err);
	if (trace < 0)
		return trace;
	if (trace && n < 2)
		return write_run(source[0], NULL, 0, output, ret_headline, err);
	return write_document(trace ? source[0] : NULL, source[trace ? 1 : 0], output,
			      ret_headline, err);
}

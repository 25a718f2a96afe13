/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe-report label: one label for each record. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <diskwipe/diskwipe.h>

#include "print/label.h"
#include "report.h"

static int no_memory(int r)
{
	return cli_refuse(DW_PAPER_FAILED, "a label could not be drawn: %s",
			  strerror(-r));
}

static int label_of(const struct report_options *o, const struct dw_paper_records *in,
		    size_t i, struct paper_label *ret)
{
	const struct paper_label_size *size = paper_label_size(o->size ? o->size : "62");
	int e = paper_label(&in->record[i], size, ret);

	return e ? no_memory(e) : 0;
}

static int draw_zpl(const struct report_options *o, const struct dw_paper_records *in,
		    FILE *f)
{
	for (size_t i = 0; i < in->n; i++) {
		struct paper_label label;
		int r = label_of(o, in, i, &label);

		if (r)
			return r;
		paper_label_zpl(f, &label);
	}
	return 0;
}

static int draw_pdf(const struct report_options *o, const struct dw_paper_records *in,
		    FILE *f)
{
	char created[DW_UNIT_TEXT];
	struct paper_label label;
	struct paper_drawing *d;
	size_t unknown = 0;
	int r, e;

	dw_time_format(&in->record[0].proof.written, 0, created, sizeof(created));
	r = label_of(o, in, 0, &label);
	if (r)
		return r;
	e = paper_drawing_new(f, label.size, created, &d);
	if (e)
		return no_memory(e);
	for (size_t i = 0; i < in->n && !r; i++) {
		r = label_of(o, in, i, &label);
		if (!r)
			unknown += paper_drawing_page(d, &label);
	}
	report_unknown(unknown);
	e = paper_drawing_end(d);
	return r || !e ? r : no_memory(e);
}

/* The document of @draw to @path. */
static int write_whole(const struct report_options *o, const struct dw_paper_records *in,
		       const char *path,
		       int (*draw)(const struct report_options *o,
				   const struct dw_paper_records *in, FILE *f))
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	int r;

	if (!f)
		return cli_refuse(DW_PAPER_FAILED, "there is no memory");
	r = draw(o, in, f);
	if (fclose(f) && !r)
		r = cli_refuse(DW_PAPER_FAILED, "there is no memory");
	if (!r)
		r = report_write(path, text, len);
	free(text);
	return r;
}

static int write_png(const struct report_options *o, const struct dw_paper_records *in,
		     size_t i, const char *path, size_t *unknown)
{
	struct paper_label label;
	char *data = NULL;
	size_t len = 0, more = 0;
	int r = label_of(o, in, i, &label), e;
	FILE *f = r ? NULL : open_memstream(&data, &len);

	if (!f)
		return r ? r : cli_refuse(DW_PAPER_FAILED, "there is no memory");
	e = paper_label_png(f, &label, &more);
	*unknown += more;
	if (fclose(f) || e)
		r = cli_refuse(DW_PAPER_FAILED, "a label could not be drawn");
	else
		r = report_write(path, data, len);
	free(data);
	return r;
}

/* Files in the folder of -o, called by the records' numbers and hashes, of which no two are the
 * same. */
static int write_folder(const struct report_options *o, const struct dw_paper_records *in,
			size_t *unknown)
{
	int r = 0;

	for (size_t i = 0; i < in->n && !r; i++) {
		const struct dw_paper_record *p = &in->record[i];
		char *path;

		if (asprintf(&path, "%s/label-%08llu-%.8s.png", o->output,
			     (unsigned long long)p->proof.sequence, p->hash) < 0)
			return cli_refuse(DW_PAPER_FAILED, "there is no memory");
		r = write_png(o, in, i, path, unknown);
		free(path);
	}
	return r;
}

/* A picture of each. */
static int write_pngs(const struct report_options *o, const struct dw_paper_records *in)
{
	size_t unknown = 0;
	struct stat st;
	int r;

	if (o->output && !stat(o->output, &st) && S_ISDIR(st.st_mode))
		r = write_folder(o, in, &unknown);
	else if (in->n == 1)
		r = write_png(o, in, 0, o->output, &unknown);
	else
		r = cli_refuse(DW_PAPER_FAILED,
			       "%zu pictures do not fit into one file: name a folder by "
			       "-o, or take --format=pdf",
			       in->n);
	report_unknown(unknown);
	return r;
}

/* Without --format the end of the file's name tells it. */
static const char *format_of(const struct report_options *o)
{
	const char *dot = o->output ? strrchr(o->output, '.') : NULL;

	if (o->format)
		return o->format;
	return dot && dot[1] && !strchr(dot, '/') ? dot + 1 : "png";
}

int report_label(const struct report_options *o, struct dw_paper_records *in)
{
	const char *format = format_of(o);

	if (o->size && !paper_label_size(o->size))
		return cli_refuse(DW_PAPER_FAILED, "--size: '%s' is neither 62 nor 4x6",
				  o->size);
	if (!strcmp(format, "png"))
		return write_pngs(o, in);
	if (!strcmp(format, "pdf"))
		return write_whole(o, in, o->output, draw_pdf);
	if (!strcmp(format, "zpl"))
		return write_whole(o, in, o->output, draw_zpl);
	return cli_refuse(DW_PAPER_FAILED,
			  "--format: labels are png, pdf or zpl, not '%s'", format);
}

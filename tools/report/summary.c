/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe-report summary: many records at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/tally.h"
#include "report.h"

static const struct {
	const char *name;
	void (*write)(FILE *f, const struct paper_summary *s);
} formats[] = {
	{ "html", paper_summary_html },
	{ "csv", paper_summary_csv },
	{ "json", paper_summary_json },
};

/* Without --format the end of the file's name tells it. */
static size_t find_format(const struct report_options *o)
{
	const char *dot = o->output ? strrchr(o->output, '.') : NULL;
	const char *name = o->format ? o->format : dot ? dot + 1 : "html";
	size_t i = 0;

	while (i < sizeof(formats) / sizeof(formats[0]) &&
	       strcmp(name, formats[i].name) != 0)
		i++;
	return i;
}

int report_summary(const struct report_options *o, struct dw_paper_records *in)
{
	size_t i = find_format(o), len = 0;
	struct paper_summary s;
	char *text = NULL;
	FILE *f;
	int r;

	if (i == sizeof(formats) / sizeof(formats[0]))
		return cli_refuse(
			DW_PAPER_FAILED,
			"summaries are html, csv or json; name one by --format");
	if (paper_summary(in, &s))
		return cli_refuse(DW_PAPER_FAILED, "there is no memory");
	f = open_memstream(&text, &len);
	if (f)
		formats[i].write(f, &s);
	if (!f || fclose(f))
		r = cli_refuse(DW_PAPER_FAILED, "there is no memory");
	else
		r = report_write(o->output, text, len);
	free(text);
	paper_summary_free(&s);
	return r;
}

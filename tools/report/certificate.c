/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe-report certificate: a page for each disk, as PDF. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <diskwipe/diskwipe.h>

#include "print/certificate.h"
#include "report.h"

static int take_style(const struct report_options *o, struct dw_paper_style *ret)
{
	const char *language = o->language ? o->language : "en";
	const char *paper = o->paper ? o->paper : "a4";
	char why[DW_PAPER_WHY];

	*ret = (struct dw_paper_style){ .words = dw_words_find(language),
					.letter = !strcmp(paper, "letter") };
	if (!ret->words)
		return cli_refuse(DW_PAPER_FAILED,
				  "--language: '%s' is not there; en and de are",
				  language);
	if (!ret->letter && strcmp(paper, "a4") != 0)
		return cli_refuse(DW_PAPER_FAILED,
				  "--paper: '%s' is not there; a4 and letter are", paper);
	if (!o->sign_cert != !o->sign_key || (o->chain && !o->sign_cert))
		return cli_refuse(DW_PAPER_FAILED,
				  "--sign-cert and --sign-key are needed together");
	return dw_firm_read(o->firm, &ret->firm, why)
		       ? cli_refuse(DW_PAPER_FAILED, "%s", why)
		       : 0;
}

int report_certificate_check(const struct report_options *o)
{
	struct dw_paper_style style;
	int r = take_style(o, &style);

	if (r)
		return r;
	r = o->output ? dw_file_check(o->output) : 0;
	return r ? cli_refuse(DW_PAPER_FAILED, "%s: %s", o->output, dw_file_error(r))
		 : DW_PAPER_OK;
}

int report_certificate(const struct report_options *o, struct dw_paper_records *in)
{
	const struct dw_pdf_signing signing = { o->sign_cert, o->sign_key, o->chain };
	char why[DW_PAPER_WHY], text[DW_ERROR_TEXT];
	struct dw_paper_style style;
	struct dw_error err;
	struct dw_bytes pdf;
	size_t unknown;
	int r = take_style(o, &style);

	if (r)
		return r;
	r = dw_paper_seals(in, &err);
	if (r)
		return cli_refuse(r > 0 ? r : (int)DW_PAPER_FAILED,
				  "%s; nothing was printed", dw_error_text(&err, text));
	r = dw_certificate_pdf(in, &style, &pdf, &unknown, why);
	if (r)
		return cli_refuse(r, "%s", why);
	r = dw_pdf_finish(&pdf, in, style.words->code, &signing, time(NULL), why);
	if (r)
		cli_refuse(r, "%s", why);
	else
		r = report_write(o->output, pdf.data, pdf.len);
	report_unknown(unknown);
	free(pdf.data);
	return r;
}

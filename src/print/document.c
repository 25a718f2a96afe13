/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pages of a paper as a PDF. What is in it follows from the records: it has no other date. */
#include <cairo-pdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "print/page.h"

static cairo_status_t take_bytes(void *data, const unsigned char *bytes, unsigned int len)
{
	return dw_bytes_add(data, bytes, len) ? CAIRO_STATUS_WRITE_ERROR
					      : CAIRO_STATUS_SUCCESS;
}

/* Letters stand where the font wants them, not where dots of a screen are. */
static void set_metrics(PangoLayout *layout)
{
	cairo_font_options_t *o = cairo_font_options_create();

	cairo_font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
	cairo_font_options_set_hint_style(o, CAIRO_HINT_STYLE_NONE);
	pango_cairo_context_set_font_options(pango_layout_get_context(layout), o);
	pango_layout_context_changed(layout);
	cairo_font_options_destroy(o);
}

static int64_t newest(const struct dw_paper_records *records)
{
	int64_t t = 0;

	for (size_t i = 0; i < records->n; i++)
		if (records->record[i].proof.written.tv_sec > t)
			t = records->record[i].proof.written.tv_sec;
	return t;
}

static void describe_pdf(cairo_surface_t *s, const struct dw_paper_records *records,
			 const struct dw_paper_style *style)
{
	enum dw_word w = records->n > 1 ? DW_WORD_SUMMARY
					: dw_page_says(&records->record[0])->title;
	time_t t = (time_t)newest(records);
	struct tm tm;
	char date[32] = "";

	if (gmtime_r(&t, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_TITLE,
				       style->words->word[w]);
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_AUTHOR,
				       style->firm.name[0] ? style->firm.name
							   : "diskwipe");
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATOR, "diskwipe-report");
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, date);
}

static bool draw_pages(struct dw_page *page, const struct dw_paper_records *records,
		       char *why)
{
	size_t summaries = dw_page_summaries(records->n);

	page->pages = summaries + records->n;
	for (size_t i = 0; i < page->pages; i++) {
		const struct dw_paper_record *r =
			i < summaries ? NULL : &records->record[i - summaries];

		page->number = i + 1;
		if (!r)
			dw_page_summary(page, records, i);
		else if (!dw_page_disk(page, r)) {
			snprintf(
				why, DW_PAPER_WHY,
				"the page of the disk '%.64s' cannot be drawn: it does not "
				"fit, or the logo is no PNG file",
				r->proof.info.serial);
			return false;
		}
		cairo_show_page(page->pen->cr);
	}
	return true;
}

enum dw_paper_exit dw_certificate_pdf(const struct dw_paper_records *records,
				      const struct dw_paper_style *style,
				      struct dw_bytes *ret, size_t *ret_unknown,
				      char why[DW_PAPER_WHY])
{
	struct dw_pen pen = { .width = style->letter ? 612 : 595.276,
			      .height = style->letter ? 792 : 841.89 };
	struct dw_page page = { .pen = &pen, .style = style };
	cairo_surface_t *s;
	bool good;

	*ret = (struct dw_bytes){ .data = NULL };
	s = cairo_pdf_surface_create_for_stream(take_bytes, ret, pen.width, pen.height);
	/* the form of its table of objects to which dw_pdf_finish() can add */
	cairo_pdf_surface_restrict_to_version(s, CAIRO_PDF_VERSION_1_4);
	describe_pdf(s, records, style);
	pen.cr = cairo_create(s);
	pen.layout = pango_cairo_create_layout(pen.cr);
	set_metrics(pen.layout);
	good = draw_pages(&page, records, why);
	*ret_unknown = pen.unknown;
	g_object_unref(pen.layout);
	cairo_surface_finish(s);
	if (good && (cairo_status(pen.cr) || cairo_surface_status(s))) {
		snprintf(why, DW_PAPER_WHY, "cairo: %s",
			 cairo_status_to_string(cairo_surface_status(s)));
		good = false;
	}
	cairo_destroy(pen.cr);
	cairo_surface_destroy(s);
	if (good)
		return DW_PAPER_OK;
	free(ret->data);
	*ret = (struct dw_bytes){ .data = NULL };
	return DW_PAPER_FAILED;
}

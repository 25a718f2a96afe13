/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first pages of a paper about several disks: how many of each kind, and a line for each. */
#include <stdio.h>
#include <string.h>

#include <diskwipe/units.h>

#include "print/page.h"

#define MARGIN 51.0 /* points */
#define LINE   14.0 /* points of a line of the table */
#define LINES  34   /* of a page; Letter has room for them */

size_t dw_page_summaries(size_t n)
{
	return n < 2 ? 0 : (n + LINES - 1) / LINES;
}

/* How many disks of each kind, and what was erased: by the last attempt at each. */
static double put_counts(struct dw_page *p, const struct dw_paper_records *records,
			 double y)
{
	size_t count[DW_PAPER_KINDS] = { 0 }, kinds = DW_PAPER_AS_EXPECTED;
	char text[160], n[DW_PAPER_NUMBER], size[DW_UNIT_TEXT], more[64] = "";
	size_t earlier = 0;
	uint64_t bytes = 0;
	struct dw_type line = dw_page_type(10, false, &dw_ink_dark, "P");
	double width;

	for (size_t i = 0; i < records->n; i++) {
		const struct dw_paper_record *r = &records->record[i];

		earlier += r->superseded;
		if (r->superseded)
			continue;
		count[dw_paper_kind(r)]++;
		if (paper_erased(r) &&
		    __builtin_add_overflow(bytes, paper_bytes(&r->proof), &bytes))
			bytes = UINT64_MAX;
	}
	kinds += count[DW_PAPER_AS_EXPECTED] > 0;
	width = (p->pen->width - 2 * MARGIN) / (double)kinds;
	for (size_t i = 0; i < kinds; i++) {
		struct dw_ink ink = dw_page_ink(p->style, (enum dw_paper_kind)i);
		struct dw_type big = {
			.family = DW_PAPER_SERIF, .size = 30, .ink = ink, .tag = "P"
		};
		struct dw_type small = dw_page_type(8, true, &ink, "P");
		double x = MARGIN + width * (double)i;

		dw_pen_text(p->pen, &big, x, y, width - 8, dw_page_number(count[i], n));
		dw_pen_text(p->pen, &small, x, y + 38, width - 8,
			    dw_page_word(p, dw_page_loud((enum dw_paper_kind)i)));
	}
	dw_size_format(bytes, size, sizeof(size));
	if (earlier)
		snprintf(more, sizeof(more), " · %s: %zu",
			 dw_page_word(p, DW_WORD_EARLIER_ATTEMPTS), earlier);
	snprintf(text, sizeof(text), "%s: %s · %s: %zu%s", dw_page_word(p, DW_WORD_TOTAL),
		 size, dw_page_word(p, DW_WORD_ALL_DISKS), records->n - earlier, more);
	y += 60;
	dw_pen_text(p->pen, &line, MARGIN, y, p->pen->width - 2 * MARGIN, text);
	return y + 22;
}

/* One line; what is too long for its cell ends in an ellipsis. */
static void put_line(struct dw_page *p, double y, const char *const cell[5], bool bold,
		     const struct dw_ink *last)
{
	static const double at[] = { 0, 0.07, 0.36, 0.60, 0.76, 1 };
	double width = p->pen->width - 2 * MARGIN;

	dw_pen_tag(p->pen, "TR");
	pango_layout_set_ellipsize(p->pen->layout, PANGO_ELLIPSIZE_END);
	for (size_t i = 0; i < 5; i++) {
		struct dw_type t =
			dw_page_type(7.6, bold || i == 4, i == 4 ? last : &dw_ink_dark,
				     bold ? "TH" : "TD");

		dw_pen_text(p->pen, &t, MARGIN + width * at[i], y,
			    width * (at[i + 1] - at[i]) - 4, cell[i]);
	}
	pango_layout_set_ellipsize(p->pen->layout, PANGO_ELLIPSIZE_NONE);
	dw_pen_end(p->pen, "TR");
	dw_pen_box(p->pen, MARGIN, y + LINE - 2.5, width, 0.4, &dw_ink_hair);
}

static void put_record(struct dw_page *p, const struct dw_paper_record *r, size_t page,
		       double y)
{
	enum dw_paper_kind kind = dw_paper_kind(r);
	struct dw_ink ink = r->superseded ? dw_ink_dark : dw_page_ink(p->style, kind);
	char model[192], size[64], number[DW_PAPER_NUMBER], *space;

	snprintf(model, sizeof(model), "%s %s", r->proof.info.vendor,
		 r->proof.info.model);
	dw_page_size(r->proof.info.blocks, r->proof.info.block_size, size, sizeof(size));
	space = strstr(size, " (");
	if (space)
		*space = '\0';
	put_line(p, y,
		 (const char *const[]){
			 dw_page_number(page, number),
			 r->proof.info.serial[0] ? r->proof.info.serial : r->proof.device,
			 model, size,
			 dw_page_word(p, r->superseded ? DW_WORD_EARLIER
						       : dw_page_loud(kind)) },
		 false, &ink);
}

void dw_page_summary(struct dw_page *p, const struct dw_paper_records *records,
		     size_t index)
{
	struct dw_type title = { .family = DW_PAPER_SERIF, .size = 29, .tag = "H1" };
	size_t summaries = dw_page_summaries(records->n);
	double y;

	p->ink = dw_page_ink(p->style, DW_PAPER_ERASED);
	for (size_t i = 0; i < records->n; i++)
		if (!records->record[i].superseded &&
		    dw_paper_kind(&records->record[i]) != DW_PAPER_ERASED)
			p->ink = dw_ink_dark;
	title.ink = p->ink;
	y = dw_page_head(p, MARGIN);
	y += dw_pen_text(p->pen, &title, MARGIN, y, p->pen->width - 2 * MARGIN,
			 dw_page_word(p, DW_WORD_SUMMARY)) +
	     8;
	y = put_counts(p, records, y);
	dw_pen_tag(p->pen, "Table");
	put_line(p, y,
		 (const char *const[]){ "", dw_page_word(p, DW_WORD_SERIAL),
					dw_page_word(p, DW_WORD_MODEL),
					dw_page_word(p, DW_WORD_CAPACITY),
					dw_page_word(p, DW_WORD_OUTCOME) },
		 true, &dw_ink_dark);
	for (size_t i = index * LINES; i < records->n && i < (index + 1) * LINES; i++) {
		y += LINE;
		put_record(p, &records->record[i], summaries + i + 1, y);
	}
	dw_pen_end(p->pen, "Table");
	dw_page_foot(p, MARGIN);
}

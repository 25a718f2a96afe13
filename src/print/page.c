/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the pages of a paper have in common, and values as text. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "print/page.h"

#define LOGO_HEIGHT 36.0  /* points */
#define LOGO_WIDTH  180.0 /* at most; a wide one is lower */

const struct dw_ink dw_ink_soft = { 0.42, 0.45, 0.50 };
const struct dw_ink dw_ink_dark = { 0.10, 0.12, 0.16 };
const struct dw_ink dw_ink_hair = { 0.80, 0.82, 0.85 };

int dw_bytes_add(struct dw_bytes *b, const void *data, size_t len)
{
	if (len >= b->size - b->len) {
		size_t size = 2 * b->size + len + 1;
		char *more = realloc(b->data, size);

		if (!more)
			return -ENOMEM;
		b->data = more;
		b->size = size;
	}
	memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
	return 0;
}

static const struct dw_page_says says[DW_PAPER_KINDS] = {
	[DW_PAPER_ERASED] = { DW_WORD_CERTIFICATE, DW_WORD_ERASED, DW_WORD_SAYS_ERASED },
	[DW_PAPER_EXCEPTIONS] = { DW_WORD_RECORD_EXCEPTIONS, DW_WORD_EXCEPTIONS_LOUD,
				  DW_WORD_SAYS_EXCEPTIONS },
	[DW_PAPER_NOT_ERASED] = { DW_WORD_RECORD_NOT_ERASED, DW_WORD_NOT_ERASED,
				  DW_WORD_SAYS_NOT_ERASED },
	[DW_PAPER_AS_EXPECTED] = { DW_WORD_RECORD_CHECK, DW_WORD_AS_EXPECTED,
				   DW_WORD_SAYS_AS_EXPECTED },
};

static const struct dw_page_says simulated = { DW_WORD_RECORD_NOT_ERASED,
					       DW_WORD_NOT_ERASED,
					       DW_WORD_SAYS_SIMULATION };

static const struct dw_page_says overwritten = { DW_WORD_CERTIFICATE, DW_WORD_ERASED,
						 DW_WORD_SAYS_OVERWRITTEN };

/* By the host's writes alone; what a disk erases by itself may not be written. */
static bool was_overwritten(const struct dw_proof *p)
{
	for (uint32_t i = 0; i < p->n_passes; i++)
		if (strncmp(p->pass[i].command, "write", strlen("write")))
			return false;
	return p->n_passes;
}

const struct dw_page_says *dw_page_says(const struct dw_paper_record *r)
{
	enum dw_paper_kind kind = dw_paper_kind(r);

	if (r->proof.simulation[0])
		return &simulated;
	if (kind == DW_PAPER_ERASED && was_overwritten(&r->proof))
		return &overwritten;
	return &says[kind];
}

enum dw_word dw_page_loud(enum dw_paper_kind kind)
{
	return says[kind].loud;
}

const char *dw_page_word(const struct dw_page *p, enum dw_word w)
{
	return p->style->words->word[w];
}

const char *dw_page_fill(char *buf, size_t size, const char *pattern,
			 const char *const *value)
{
	size_t n = 0;

	while (*pattern && n + 1 < size) {
		if (pattern[0] != '%' || pattern[1] != 's' || !*value) {
			buf[n++] = *pattern++;
			continue;
		}
		for (const char *v = *value++; *v && n + 1 < size;)
			buf[n++] = *v++;
		pattern += 2;
	}
	buf[n] = '\0';
	return buf;
}

struct dw_ink dw_page_ink(const struct dw_paper_style *style, enum dw_paper_kind kind)
{
	const double *own = style->firm.colour;

	if (kind == DW_PAPER_NOT_ERASED)
		return (struct dw_ink){ 0.76, 0.07, 0.12 };
	if (kind == DW_PAPER_EXCEPTIONS)
		return (struct dw_ink){ 0.78, 0.36, 0.0 };
	if (kind == DW_PAPER_AS_EXPECTED)
		return (struct dw_ink){ 0.25, 0.30, 0.38 };
	return (struct dw_ink){ own[0], own[1], own[2] };
}

struct dw_type dw_page_type(double size, bool bold, const struct dw_ink *ink,
			    const char *tag)
{
	return (struct dw_type){ .family = DW_PAPER_SANS,
				 .size = size,
				 .bold = bold,
				 .ink = *ink,
				 .tag = tag };
}

static double put_logo(struct dw_page *p, double margin)
{
	cairo_surface_t *logo = cairo_image_surface_create_from_png(p->style->firm.logo);
	double width = 0, scale;

	if (cairo_surface_status(logo)) {
		p->failed = true;
	} else {
		width = cairo_image_surface_get_width(logo);
		scale = LOGO_HEIGHT / cairo_image_surface_get_height(logo);
		if (scale * width > LOGO_WIDTH)
			scale = LOGO_WIDTH / width;
		width *= scale;
		/* by its name the picture is in the PDF once, however many pages show it */
		cairo_surface_set_mime_data(logo, CAIRO_MIME_TYPE_UNIQUE_ID,
					    (const unsigned char *)"logo", 4, NULL, NULL);
		cairo_save(p->pen->cr);
		cairo_translate(p->pen->cr, margin, margin);
		cairo_scale(p->pen->cr, scale, scale);
		cairo_set_source_surface(p->pen->cr, logo, 0, 0);
		cairo_paint(p->pen->cr);
		cairo_restore(p->pen->cr);
		width += 12;
	}
	cairo_surface_destroy(logo);
	return width;
}

double dw_page_head(struct dw_page *p, double margin)
{
	const struct dw_firm *f = &p->style->firm;
	struct dw_type name = dw_page_type(12, true, &dw_ink_dark, "P");
	struct dw_type text = dw_page_type(8, false, &dw_ink_soft, "P");
	double x = margin, y = margin, width;

	dw_pen_box(p->pen, 0, 0, p->pen->width, 9, &p->ink);
	if (f->logo[0])
		x += put_logo(p, margin);
	width = p->pen->width - margin - x;
	if (f->name[0])
		y += dw_pen_text(p->pen, &name, x, y, width, f->name) + 1;
	if (f->address[0])
		y += dw_pen_text(p->pen, &text, x, y, width, f->address);
	if (f->logo[0] && y < margin + LOGO_HEIGHT)
		y = margin + LOGO_HEIGHT;
	return y > margin ? y + 14 : margin;
}

void dw_page_foot(struct dw_page *p, double margin)
{
	struct dw_type t = dw_page_type(7, false, &dw_ink_soft, "P");
	char text[128], n[2][DW_PAPER_NUMBER];

	t.align = PANGO_ALIGN_RIGHT;
	dw_page_fill(text, sizeof(text), dw_page_word(p, DW_WORD_PAGE),
		     (const char *const[]){ dw_page_number(p->number, n[0]),
					    dw_page_number(p->pages, n[1]), NULL });
	dw_pen_text(p->pen, &t, margin, p->pen->height - 34, p->pen->width - 2 * margin,
		    text);
}

const char *dw_page_number(uint64_t n, char buf[DW_PAPER_NUMBER])
{
	char plain[24];
	int len = snprintf(plain, sizeof(plain), "%" PRIu64, n), at = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0) {
			buf[at++] = '\xc2';
			buf[at++] = '\xa0';
		}
		buf[at++] = plain[i];
	}
	buf[at] = '\0';
	return buf;
}

const char *dw_page_size(uint64_t blocks, uint32_t block_size, char *buf, size_t size)
{
	static const char *const unit[] = { "kB", "MB", "GB", "TB", "PB", "EB" };
	unsigned __int128 bytes = (unsigned __int128)blocks * block_size;
	double v = (double)bytes / 1e3;
	char n[DW_PAPER_NUMBER];
	size_t i = 0;

	for (; v >= 1000 && i < 5; i++)
		v /= 1000;
	snprintf(buf, size, bytes > UINT64_MAX ? "%.2f %s" : "%.2f %s (%s B)", v, unit[i],
		 dw_page_number((uint64_t)bytes, n));
	return buf;
}

const char *dw_page_time(int64_t t, char *buf, size_t size)
{
	time_t at = (time_t)t;
	struct tm tm;

	buf[0] = '\0';
	if (t && gmtime_r(&at, &tm))
		strftime(buf, size, "%Y-%m-%d %H:%M:%S", &tm);
	return buf;
}

const char *dw_page_duration(uint64_t microseconds, char *buf, size_t size)
{
	uint64_t s = microseconds / 1000000;

	if (s < 60)
		snprintf(buf, size, "%.1f s", (double)microseconds / 1e6);
	else if (s < 3600)
		snprintf(buf, size, "%" PRIu64 " min %02" PRIu64 " s", s / 60, s % 60);
	else
		snprintf(buf, size, "%" PRIu64 " h %02" PRIu64 " min", s / 3600,
			 s / 60 % 60);
	return buf;
}

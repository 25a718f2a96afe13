/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_PAGE_H
#define DW_PRINT_PAGE_H

/* What the pages of a paper have in common. */
#include "print/certificate.h"
#include "print/pen.h"

#define DW_PAPER_SANS  "Source Sans 3, Noto Sans, DejaVu Sans, sans-serif"
#define DW_PAPER_SERIF "Source Serif 4, Noto Serif, DejaVu Serif, serif"

#define DW_PAPER_NUMBER 40 /* bytes of a number with its blanks */

/** struct dw_page - the page being drawn; @number of @pages, from 1; @ink: by what it says;
 *  @failed: something could not be drawn */
struct dw_page {
	struct dw_pen *pen;
	const struct dw_paper_style *style;
	size_t number;
	size_t pages;
	struct dw_ink ink;
	bool failed;
};

/** struct dw_page_says - the words of a kind of record: @loud: of its field of colour, @sentence:
 *  what it means */
struct dw_page_says {
	enum dw_word title;
	enum dw_word loud;
	enum dw_word sentence;
};

/** dw_page_says() - static. */
const struct dw_page_says *dw_page_says(const struct dw_paper_record *r);

/** dw_page_loud() - the same, of the kind. */
enum dw_word dw_page_loud(enum dw_paper_kind kind);

/** dw_page_word() - in the language of the paper; static. */
const char *dw_page_word(const struct dw_page *p, enum dw_word w);

/** dw_page_fill() - the words of @pattern with the values, NULL after the last, where it has %s;
 *  returns @buf. */
const char *dw_page_fill(char *buf, size_t size, const char *pattern,
			 const char *const *value);

/** dw_page_ink() - the colour of a kind of record. */
struct dw_ink dw_page_ink(const struct dw_paper_style *style, enum dw_paper_kind kind);

/** dw_ink_soft - of labels; dw_ink_dark - of values; dw_ink_hair - of lines */
extern const struct dw_ink dw_ink_soft, dw_ink_dark, dw_ink_hair;

/** dw_page_type() - sans serif. */
struct dw_type dw_page_type(double size, bool bold, const struct dw_ink *ink,
			    const char *tag);

/** dw_page_head() - logo, name and address of the firm; returns where the page goes on. */
double dw_page_head(struct dw_page *p, double margin);

/** dw_page_foot() - number of the page. */
void dw_page_foot(struct dw_page *p, double margin);

/* Values as text; each returns its buffer. */

/** dw_page_number() - "1 234 567", with blanks that do not break a line. */
const char *dw_page_number(uint64_t n, char buf[DW_PAPER_NUMBER]);

/** dw_page_size() - "4.00 TB (4000787030016 bytes)". */
const char *dw_page_size(uint64_t blocks, uint32_t block_size, char *buf, size_t size);

/** dw_page_time() - "2026-11-25 13:30:00" in UTC; empty if @t is 0. */
const char *dw_page_time(int64_t t, char *buf, size_t size);

/** dw_page_duration() - "3 h 04 min 05 s". */
const char *dw_page_duration(uint64_t microseconds, char *buf, size_t size);

/** dw_page_disk() - the page of a record; false: it cannot be drawn. */
bool dw_page_disk(struct dw_page *p, const struct dw_paper_record *r);

/** dw_page_summaries() - how many pages the table of @n records takes. */
size_t dw_page_summaries(size_t n);

/** dw_page_summary() - page @index of them. */
void dw_page_summary(struct dw_page *p, const struct dw_paper_records *records,
		     size_t index);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a label says, and where. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <diskwipe/units.h>

#include "base/util.h"
#include "print/label.h"
#include "print/text.h"

#define INCH   25.4
#define NARROW 0.5  /* width of a character, of the height of its line */
#define DAY    10   /* characters of a date */
#define SHORT  16   /* digits of a hash that tell it from others by eye */
#define MARGIN 0.04 /* of the width of a label */

static const struct paper_label_size sizes[] = {
	{ "62", 62, 50, 300 },
	{ "4x6", 101.6, 152.4, 203 },
};

const struct paper_label_size *paper_label_size(const char *name)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(sizes); i++)
		if (!strcmp(name, sizes[i].name))
			return &sizes[i];
	return NULL;
}

/* A line below the one before; what does not fit into @rows rows of that height is cut. */
static void add_line(struct paper_label *l, double *y, double height, double width,
		     size_t rows, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

static void add_line(struct paper_label *l, double *y, double height, double width,
		     size_t rows, const char *format, ...)
{
	size_t each = (size_t)(width / height / NARROW), at = 0, len;
	char text[512], shown[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	paper_fit(text, each * rows, shown, sizeof(shown));
	len = strlen(shown);
	while (at < len && l->n < PAPER_LABEL_LINES) {
		struct paper_label_line *line = &l->line[l->n++];
		size_t n = 0, to = at;

		while (to < len && n <= each) {
			n += ((unsigned char)shown[++to] & 0xc0) != 0x80;
			if (n == each)
				break;
		}
		*line = (struct paper_label_line){ .x = MARGIN * l->size->width,
						   .y = *y,
						   .height = height,
						   .width = width };
		snprintf(line->text, sizeof(line->text), "%.*s", (int)(to - at),
			 shown + at);
		*y += height * 1.15;
		at = to;
	}
}

static void add_band(struct paper_label *l, double *y)
{
	static const char *const says[DW_PAPER_KINDS] = {
		[DW_PAPER_ERASED] = "ERASED",
		[DW_PAPER_EXCEPTIONS] = "NOT ERASED",
		[DW_PAPER_NOT_ERASED] = "NOT ERASED",
		[DW_PAPER_AS_EXPECTED] = "AS EXPECTED",
	};
	double w = l->size->width;
	struct paper_label_line *line = &l->line[l->n];

	l->band = w * (l->framed ? 0.145 : 0.165);
	*y = l->band * 0.12;
	add_line(l, y, l->band * 0.8, w * (1 - 2 * MARGIN), 1, "%s", says[l->kind]);
	line->bold = true;
	line->light = !l->framed;
	*y = l->band + w * 0.02;
}

/* The serial is the one thing that must be whole: it gets as many rows as it needs. */
static void add_serial(struct paper_label *l, const struct dw_proof *p, double *y)
{
	const char *serial = p->info.serial[0] ? p->info.serial : "no serial number";
	double room = l->size->width * (1 - 2 * MARGIN), height = l->size->width * 0.085;
	size_t n = paper_characters(serial), first = l->n;

	while ((double)n * height * NARROW > 2 * room)
		height *= 0.9;
	add_line(l, y, height, room, 3, "%s", serial);
	for (size_t i = first; i < l->n; i++)
		l->line[i].bold = true;
	*y += l->size->width * 0.01;
}

static void add_small(struct paper_label *l, const struct dw_proof *p, const char *hash,
		      double *y, double room, double small)
{
	char day[DW_UNIT_TEXT], place[DW_PAPER_PLACE];

	dw_time_format(p->finished.tv_sec ? &p->finished : &p->written, 0, day,
		       sizeof(day));
	day[DAY] = '\0';
	add_line(l, y, small, room, 1, "%s", day);
	if (p->method[0])
		add_line(l, y, small, room, 1, "%s", p->method);
	if (p->operator_name[0])
		add_line(l, y, small, room, 2, "by: %s", p->operator_name);
	if (paper_place(p, place)[0])
		add_line(l, y, small, room, 1, "bay: %s", place);
	if (p->label[0])
		add_line(l, y, small, room, 2, "%s", p->label);
	add_line(l, y, small, room, 1, "record %llu", (unsigned long long)p->sequence);
	add_line(l, y, small, room, 1, "%.*s", SHORT, hash);
}

/* As large as it may be so that it ends above @bottom. */
static void fit_small(struct paper_label *l, const struct dw_proof *p, const char *hash,
		      double from, double bottom, double room, double small)
{
	size_t n = l->n;
	double y = from;

	add_small(l, p, hash, &y, room, small);
	if (y <= bottom)
		return;
	l->n = n;
	small *= (bottom - from) / (y - from);
	y = from;
	add_small(l, p, hash, &y, room, small);
}

/* Modules are whole dots of the printer: those of one width are read best. */
static void place_code(struct paper_label *l, double side)
{
	double dot = INCH / l->size->dpi, n = l->qr.size + PAPER_QR_QUIET;
	double edge = MARGIN * l->size->width;

	l->module = floor(side / n / dot) * dot;
	if (l->module < dot)
		l->module = dot;
	side = l->module * l->qr.size;
	l->qr_x = floor((l->size->width - edge - side) / dot) * dot;
	l->qr_y = floor((l->size->height - edge - side) / dot) * dot;
}

int paper_label(const struct dw_paper_record *record, const struct paper_label_size *size,
		struct paper_label *ret)
{
	const struct dw_proof *p = &record->proof;
	char text[PAPER_QR_TEXT], bytes[DW_UNIT_TEXT];
	double y = 0, w = size->width, room = w * (1 - 2 * MARGIN), side;
	bool tall = size->height > w;
	int r;

	*ret = (struct paper_label){
		.size = size,
		.kind = record->later ? DW_PAPER_NOT_ERASED : dw_paper_kind(record),
	};
	ret->framed = ret->kind == DW_PAPER_ERASED || ret->kind == DW_PAPER_AS_EXPECTED;
	r = paper_qr(paper_qr_text(record, text), &ret->qr);
	if (r)
		return r;
	add_band(ret, &y);
	if (record->later)
		add_line(ret, &y, w * 0.045, room, 2,
			 "a later record of this disk, %llu, says so",
			 (unsigned long long)record->later);
	else if (ret->kind == DW_PAPER_ERASED)
		add_line(ret, &y, w * 0.05, room, 1, "%s (NIST SP 800-88)",
			 paper_level(record));
	else
		add_line(ret, &y, w * 0.045, room, 2, "%s", paper_reason(record));
	if (p->info.password_left)
		add_line(ret, &y, w * 0.045, room, 1, "LOCKED, ATA password: diskwipe");
	dw_size_format(paper_bytes(p), bytes, sizeof(bytes));
	add_line(ret, &y, w * 0.045, room, 1, "%s%s%s%s%s", p->info.vendor,
		 p->info.vendor[0] ? " " : "", p->info.model,
		 p->info.model[0] ? "  " : "", p->info.blocks ? bytes : p->device);
	add_serial(ret, p, &y);
	/* beside the code there is room on a wide label, above it on a high one */
	side = tall ? w * 0.62 : size->height - y - w * MARGIN;
	place_code(ret, side > w * 0.5 && !tall ? w * 0.5 : side);
	if (tall)
		fit_small(ret, p, record->hash, y,
			  ret->qr_y - PAPER_QR_QUIET * ret->module, room, w * 0.052);
	else
		fit_small(ret, p, record->hash, y, size->height - w * MARGIN,
			  ret->qr_x - PAPER_QR_QUIET * ret->module - w * MARGIN,
			  w * 0.042);
	return 0;
}

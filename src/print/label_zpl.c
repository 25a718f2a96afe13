/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Labels in ZPL II. Text comes as hexadecimal digits where it is more than a letter or a digit
 * (^FH), so that a disk cannot give the printer a command. The code is sent as dots: which
 * modules there are is then not up to the printer.
 */
#include <math.h>

#include "print/label.h"
#include "print/text.h"

#define INCH 25.4

static unsigned dots(const struct paper_label *l, double mm)
{
	return (unsigned)lround(mm / INCH * l->size->dpi);
}

static void put_line(FILE *f, const struct paper_label *l,
		     const struct paper_label_line *line)
{
	unsigned height = dots(l, line->height), width = height;
	size_t n = paper_characters(line->text);
	unsigned most = n ? (unsigned)(dots(l, line->width) / n) : height;

	/* a character of font 0 is at most about 0.7 of its width wide */
	if (most < width * 7 / 10)
		width = most * 10 / 7;
	fprintf(f, "^FO%u,%u^A0N,%u,%u%s^FH_^FD", dots(l, line->x), dots(l, line->y),
		height, width ? width : 1, line->light ? "^FR" : "");
	paper_zpl(f, line->text);
	fputs("^FS\n", f);
}

static void put_code(FILE *f, const struct paper_label *l)
{
	unsigned each = dots(l, l->module), side = l->qr.size * each;
	unsigned row = (side + 7) / 8;

	fprintf(f, "^FO%u,%u^GFA,%u,%u,%u,", dots(l, l->qr_x), dots(l, l->qr_y),
		row * side, row * side, row);
	for (unsigned y = 0; y < side; y++) {
		for (unsigned x = 0; x < row * 8; x += 4) {
			unsigned digit = 0;

			for (unsigned bit = 0; bit < 4; bit++)
				digit = digit << 1 |
					paper_qr_dark(&l->qr, (x + bit) / each, y / each);
			fprintf(f, "%X", digit);
		}
	}
	fputs("^FS\n", f);
}

void paper_label_zpl(FILE *f, const struct paper_label *l)
{
	unsigned width = dots(l, l->size->width), band = dots(l, l->band);

	fprintf(f, "^XA\n^CI28\n^PW%u\n^LL%u\n^LH0,0\n", width, dots(l, l->size->height));
	fprintf(f, "^FO0,0^GB%u,%u,%u^FS\n", width, band, l->framed ? 4 : band);
	for (size_t i = 0; i < l->n; i++)
		put_line(f, l, &l->line[i]);
	put_code(f, l);
	fputs("^XZ\n", f);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labels by cairo, their text by pango: PDF, with a page for each, and PNG. */
#include <errno.h>
#include <stdlib.h>

#include <cairo-pdf.h>
#include <pango/pangocairo.h>

#include "print/label.h"

#define INCH  25.4
#define POINT (72 / INCH) /* points in a millimetre */
#define EM    0.72        /* of a line's height is the em */

struct paper_drawing {
	cairo_surface_t *surface;
};

/* Returns how many characters no font has. */
static size_t draw_line(cairo_t *c, const struct paper_label_line *line)
{
	size_t unknown;
	PangoLayout *layout = pango_cairo_create_layout(c);
	PangoFontDescription *font = pango_font_description_new();
	int width, height;

	pango_font_description_set_family_static(font, "sans");
	pango_font_description_set_weight(font, line->bold ? PANGO_WEIGHT_BOLD
							   : PANGO_WEIGHT_NORMAL);
	pango_font_description_set_absolute_size(font,
						 line->height * EM * 16 * PANGO_SCALE);
	pango_layout_set_font_description(layout, font);
	pango_layout_set_single_paragraph_mode(layout, true);
	/* what comes from the right stands at the left, too: all begin at one edge */
	pango_layout_set_auto_dir(layout, false);
	pango_layout_set_text(layout, line->text, -1);
	pango_layout_get_size(layout, &width, &height);
	cairo_save(c);
	cairo_translate(c, line->x, line->y);
	/* drawn large and made smaller: hints for the pixels of a screen move no letter */
	cairo_scale(c, 1.0 / 16, 1.0 / 16);
	if (width > line->width * 16 * PANGO_SCALE)
		cairo_scale(c, line->width * 16 * PANGO_SCALE / width, 1);
	if (line->light)
		cairo_set_source_rgb(c, 1, 1, 1);
	else
		cairo_set_source_rgb(c, 0, 0, 0);
	pango_cairo_show_layout(c, layout);
	unknown = (size_t)pango_layout_get_unknown_glyphs_count(layout);
	cairo_restore(c);
	pango_font_description_free(font);
	g_object_unref(layout);
	return unknown;
}

static void draw_code(cairo_t *c, const struct paper_label *l)
{
	cairo_set_source_rgb(c, 0, 0, 0);
	for (unsigned y = 0; y < l->qr.size; y++)
		for (unsigned x = 0; x < l->qr.size; x++)
			if (paper_qr_dark(&l->qr, x, y))
				cairo_rectangle(c, l->qr_x + x * l->module,
						l->qr_y + y * l->module, l->module,
						l->module);
	/* edges that are shared are drawn once: no grey lines between modules */
	cairo_set_antialias(c, CAIRO_ANTIALIAS_NONE);
	cairo_fill(c);
	cairo_set_antialias(c, CAIRO_ANTIALIAS_DEFAULT);
}

static size_t draw_label(cairo_t *c, const struct paper_label *l, double scale)
{
	double edge = l->size->width * 0.01;
	size_t unknown = 0;

	cairo_save(c);
	cairo_scale(c, scale, scale);
	cairo_set_source_rgb(c, 1, 1, 1);
	cairo_paint(c);
	cairo_set_source_rgb(c, 0, 0, 0);
	if (l->framed) {
		cairo_set_line_width(c, edge);
		cairo_rectangle(c, edge / 2, edge / 2, l->size->width - edge,
				l->band - edge);
		cairo_stroke(c);
	} else {
		cairo_rectangle(c, 0, 0, l->size->width, l->band);
		cairo_fill(c);
	}
	for (size_t i = 0; i < l->n; i++)
		unknown += draw_line(c, &l->line[i]);
	draw_code(c, l);
	cairo_restore(c);
	return unknown;
}

static int as_errno(cairo_status_t status)
{
	if (!status)
		return 0;
	return status == CAIRO_STATUS_NO_MEMORY ? -ENOMEM : -EIO;
}

static cairo_status_t write_bytes(void *f, const unsigned char *data, unsigned int len)
{
	return fwrite(data, 1, len, f) == len ? CAIRO_STATUS_SUCCESS
					      : CAIRO_STATUS_WRITE_ERROR;
}

int paper_drawing_new(FILE *f, const struct paper_label_size *size, const char *created,
		      struct paper_drawing **ret)
{
	struct paper_drawing *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return -ENOMEM;
	d->surface = cairo_pdf_surface_create_for_stream(
		write_bytes, f, size->width * POINT, size->height * POINT);
	cairo_pdf_surface_set_metadata(d->surface, CAIRO_PDF_METADATA_TITLE,
				       "Labels of disks");
	cairo_pdf_surface_set_metadata(d->surface, CAIRO_PDF_METADATA_CREATE_DATE,
				       created);
	r = as_errno(cairo_surface_status(d->surface));
	if (r) {
		cairo_surface_destroy(d->surface);
		free(d);
		return r;
	}
	*ret = d;
	return 0;
}

size_t paper_drawing_page(struct paper_drawing *d, const struct paper_label *l)
{
	cairo_t *c = cairo_create(d->surface);
	size_t unknown = draw_label(c, l, POINT);

	cairo_show_page(c);
	cairo_destroy(c);
	return unknown;
}

int paper_drawing_end(struct paper_drawing *d)
{
	int r;

	cairo_surface_finish(d->surface);
	r = as_errno(cairo_surface_status(d->surface));
	cairo_surface_destroy(d->surface);
	free(d);
	return r;
}

int paper_label_png(FILE *f, const struct paper_label *l, size_t *ret_unknown)
{
	double scale = l->size->dpi / INCH;
	cairo_surface_t *s = cairo_image_surface_create(
		CAIRO_FORMAT_RGB24, (int)(l->size->width * scale + 0.5),
		(int)(l->size->height * scale + 0.5));
	cairo_t *c = cairo_create(s);
	int r;

	*ret_unknown = draw_label(c, l, scale);
	cairo_destroy(c);
	r = as_errno(cairo_surface_write_to_png_stream(s, write_bytes, f));
	cairo_surface_destroy(s);
	return r;
}

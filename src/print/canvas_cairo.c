/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PDF and PNG by cairo. A PDF has pages of A4, a figure is never cut by the end of one; its
 * dates are those of what is drawn, so that equal inputs give equal files.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cairo-pdf.h>
#include <cairo.h>

#include "file/file.h"
#include "print/canvas.h"

#define PNG_LONGEST 32000.0

struct picture {
	struct plot base;
	cairo_surface_t *surface;
	cairo_t *cr;
	struct dw_output out;
	FILE *f;   /* of out */
	int error; /* of writing @f, negative errno */
	bool pdf;
	double next; /* top of the next figure */
};

bool plot_cairo_have(void)
{
	return true;
}

static struct picture *picture_of(struct plot *p)
{
	return (struct picture *)p;
}

static void set_color(cairo_t *cr, uint32_t color)
{
	cairo_set_source_rgb(cr, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
			     (color & 255) / 255.0);
}

static void trace_path(struct picture *s, const struct plot_point *at, size_t n)
{
	cairo_new_path(s->cr);
	for (size_t i = 0; i < n; i++)
		cairo_line_to(s->cr, at[i].x, at[i].y + s->base.top);
}

static void picture_line(struct plot *p, const struct plot_point *at, size_t n,
			 const struct plot_pen *pen)
{
	static const double dashes[] = { 6, 4 };
	struct picture *s = picture_of(p);

	trace_path(s, at, n);
	set_color(s->cr, pen->color);
	cairo_set_line_width(s->cr, pen->width);
	cairo_set_dash(s->cr, dashes, pen->dashed ? 2 : 0, 0);
	cairo_stroke(s->cr);
}

static void picture_fill(struct plot *p, const struct plot_point *at, size_t n,
			 uint32_t color)
{
	struct picture *s = picture_of(p);

	trace_path(s, at, n);
	cairo_close_path(s->cr);
	set_color(s->cr, color);
	cairo_fill(s->cr);
}

static void picture_text(struct plot *p, struct plot_point at,
			 const struct plot_font *font, const char *text)
{
	struct picture *s = picture_of(p);
	cairo_text_extents_t extents;

	cairo_select_font_face(s->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       font->bold ? CAIRO_FONT_WEIGHT_BOLD
					  : CAIRO_FONT_WEIGHT_NORMAL);
	/* The usual font is wider than those a browser takes. */
	cairo_set_font_size(s->cr, font->size * 0.93);
	cairo_text_extents(s->cr, text, &extents);
	set_color(s->cr, font->color);
	cairo_save(s->cr);
	cairo_translate(s->cr, at.x, at.y + s->base.top);
	if (font->upward)
		cairo_rotate(s->cr, -M_PI / 2);
	cairo_move_to(s->cr,
		      font->anchor == PLOT_LEFT     ? 0
		      : font->anchor == PLOT_MIDDLE ? -extents.x_advance / 2
						    : -extents.x_advance,
		      0);
	cairo_show_text(s->cr, text);
	cairo_restore(s->cr);
}

static void picture_begin(struct plot *p, const char *title, double height)
{
	struct picture *s = picture_of(p);

	if (s->pdf && s->next > 0 && s->next + height > PLOT_PAGE_ROOM) {
		cairo_show_page(s->cr);
		s->next = 0;
	}
	s->base.top = s->next;
	s->next += height;
	cairo_save(s->cr);
	/* what is higher than a page is made smaller, and stands in its middle */
	if (s->pdf && height > PLOT_PAGE_ROOM) {
		double scale = PLOT_PAGE_ROOM / height;

		cairo_translate(s->cr, PLOT_WIDTH * (1 - scale) / 2, 0);
		cairo_scale(s->cr, scale, scale);
	}
}

static void picture_end(struct plot *p)
{
	cairo_restore(picture_of(p)->cr);
}

static int error_of(cairo_status_t status)
{
	if (!status)
		return 0;
	return status == CAIRO_STATUS_NO_MEMORY ? -ENOMEM : -EIO;
}

/* cairo's own files are closed without a look at what that says. */
static cairo_status_t write_out(void *picture, const unsigned char *data, unsigned n)
{
	struct picture *s = picture;

	if (fwrite(data, 1, n, s->f) == n)
		return CAIRO_STATUS_SUCCESS;
	s->error = -errno;
	return CAIRO_STATUS_WRITE_ERROR;
}

static int picture_finish(struct plot *p)
{
	struct picture *s = picture_of(p);
	cairo_status_t status = cairo_status(s->cr);
	int r;

	cairo_destroy(s->cr);
	if (!status && !s->pdf)
		status = cairo_surface_write_to_png_stream(s->surface, write_out, s);
	cairo_surface_finish(s->surface);
	if (!status)
		status = cairo_surface_status(s->surface);
	cairo_surface_destroy(s->surface);
	r = dw_output_close(&s->out, true);
	if (s->error)
		r = s->error;
	free(s);
	return r < 0 ? r : error_of(status);
}

static const struct plot_backend picture_backend = {
	.begin = picture_begin,
	.end = picture_end,
	.line = picture_line,
	.fill = picture_fill,
	.text = picture_text,
	.finish = picture_finish,
};

static cairo_surface_t *open_pdf(struct picture *p, const struct plot_document *d)
{
	cairo_surface_t *s = cairo_pdf_surface_create_for_stream(
		write_out, p, PLOT_PAGE_W, PLOT_PAGE_H);
	const char *created =
		d->created && *d->created ? d->created : "1970-01-01T00:00:00+00:00";

	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_TITLE, d->title);
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, created);
	return s;
}

int plot_cairo_new(const char *path, bool pdf, double height,
		   const struct plot_document *d, struct plot **ret)
{
	struct picture *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->base.backend = &picture_backend;
	s->pdf = pdf;
	r = dw_output_open(&s->out, path, 0644, false);
	if (r) {
		free(s);
		return r;
	}
	s->f = s->out.f;
	s->surface =
		pdf ? open_pdf(s, d)
		    : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)PLOT_WIDTH,
						 (int)ceil(fmin(height, PNG_LONGEST)));
	s->cr = cairo_create(s->surface);
	r = error_of(cairo_status(s->cr));
	if (r) {
		cairo_destroy(s->cr);
		cairo_surface_destroy(s->surface);
		dw_output_close(&s->out, false);
		free(s);
		return r;
	}
	if (pdf) {
		cairo_translate(s->cr, PLOT_PAGE_MARGIN, PLOT_PAGE_MARGIN);
		cairo_scale(s->cr, PLOT_PAGE_SCALE, PLOT_PAGE_SCALE);
	} else {
		set_color(s->cr, PLOT_WHITE);
		cairo_paint(s->cr);
	}
	*ret = &s->base;
	return 0;
}

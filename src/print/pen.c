/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text, lines and codes on a page; the structure of a PDF goes with them. */
#include <stdlib.h>

#include <diskwipe/units.h>

#include "print/pen.h"
#include "print/qr.h"

/* What has no width would make two serial numbers look the same. */
static bool is_shown(gunichar c)
{
	return g_unichar_isdefined(c) && !(c >= 0x200b && c <= 0x200d) &&
	       !(c >= 0x2060 && c <= 0x206f);
}

/* Without marks that would let a line say something else than its characters in their order. */
static char *visible(const char *text)
{
	char *valid = dw_text_printable(g_strdup(text));
	GString *s = g_string_new(NULL);

	for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
		gunichar c = g_utf8_get_char(at);

		g_string_append_unichar(s, is_shown(c) ? c : 0xfffd);
	}
	g_free(valid);
	return g_string_free(s, FALSE);
}

/* A ligature could not be searched for, and a serial number has none. */
static void set_plain_letters(PangoLayout *layout)
{
	PangoAttrList *list = pango_attr_list_new();

	pango_attr_list_insert(list, pango_attr_font_features_new("liga=0, clig=0"));
	pango_layout_set_attributes(layout, list);
	pango_attr_list_unref(list);
}

double dw_pen_text(struct dw_pen *p, const struct dw_type *type, double x, double y,
		   double width, const char *text)
{
	PangoFontDescription *font = pango_font_description_new();
	char *shown = visible(text);
	int height;

	pango_font_description_set_family(font, type->family);
	pango_font_description_set_absolute_size(font, type->size * PANGO_SCALE);
	pango_font_description_set_weight(font, type->bold ? PANGO_WEIGHT_BOLD
							   : PANGO_WEIGHT_NORMAL);
	pango_font_description_set_style(font, type->italic ? PANGO_STYLE_ITALIC
							    : PANGO_STYLE_NORMAL);
	pango_layout_set_font_description(p->layout, font);
	pango_layout_set_width(p->layout, (int)(width * PANGO_SCALE));
	pango_layout_set_wrap(p->layout, PANGO_WRAP_WORD_CHAR);
	pango_layout_set_alignment(p->layout, type->align);
	set_plain_letters(p->layout);
	pango_layout_set_text(p->layout, shown, -1);
	pango_layout_get_size(p->layout, NULL, &height);
	if (!p->dry) {
		cairo_set_source_rgb(p->cr, type->ink.r, type->ink.g, type->ink.b);
		dw_pen_tag(p, type->tag);
		cairo_move_to(p->cr, x, y);
		pango_cairo_show_layout(p->cr, p->layout);
		p->unknown += (size_t)pango_layout_get_unknown_glyphs_count(p->layout);
		dw_pen_end(p, type->tag);
	}
	pango_font_description_free(font);
	g_free(shown);
	return (double)height / PANGO_SCALE;
}

void dw_pen_box(struct dw_pen *p, double x, double y, double width, double height,
		const struct dw_ink *ink)
{
	if (p->dry)
		return;
	cairo_set_source_rgb(p->cr, ink->r, ink->g, ink->b);
	cairo_rectangle(p->cr, x, y, width, height);
	cairo_fill(p->cr);
}

void dw_pen_tag(struct dw_pen *p, const char *tag)
{
	if (!p->dry && tag)
		cairo_tag_begin(p->cr, tag, NULL);
}

void dw_pen_end(struct dw_pen *p, const char *tag)
{
	if (!p->dry && tag)
		cairo_tag_end(p->cr, tag);
}

bool dw_pen_code(struct dw_pen *p, double x, double y, double size, const char *text)
{
	struct paper_qr *code = malloc(sizeof(*code));
	bool good = code && !paper_qr(text, code);
	double module = good ? size / (code->size + 2 * PAPER_QR_QUIET) : 0;

	for (unsigned i = 0; good && !p->dry && i < code->size * code->size; i++) {
		unsigned col = i % code->size, line = i / code->size;

		if (paper_qr_dark(code, col, line))
			cairo_rectangle(p->cr, x + (col + PAPER_QR_QUIET) * module,
					y + (line + PAPER_QR_QUIET) * module, module,
					module);
	}
	if (good && !p->dry) {
		cairo_set_source_rgb(p->cr, 0, 0, 0);
		cairo_fill(p->cr);
	}
	free(code);
	return good;
}

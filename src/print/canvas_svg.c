/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SVG as text, alone or inside HTML: no script, nothing from elsewhere, and words that can be
 * searched and read aloud.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "file/file.h"
#include "print/canvas.h"
#include "print/markup.h"

struct svg {
	struct plot base;
	struct dw_output out;
	FILE *f; /* of out */
	bool html;
	double next; /* top of the next figure; each has its own SVG in HTML */
};

static struct svg *svg_of(struct plot *p)
{
	return (struct svg *)p;
}

/* At most two decimals, none that are zero; never a locale's comma. */
static void write_number(FILE *f, double v)
{
	long long hundredths = llround(v * 100);
	long long whole = llabs(hundredths) / 100, rest = llabs(hundredths) % 100;

	fprintf(f, "%s%lld", hundredths < 0 ? "-" : "", whole);
	if (rest)
		fprintf(f, rest % 10 ? ".%02lld" : ".%lld", rest % 10 ? rest : rest / 10);
}

static void write_path(struct svg *s, const struct plot_point *at, size_t n)
{
	fputs("<path d=\"", s->f);
	for (size_t i = 0; i < n; i++) {
		fputc(i ? 'L' : 'M', s->f);
		write_number(s->f, at[i].x);
		fputc(' ', s->f);
		write_number(s->f, at[i].y + s->base.top);
	}
}

static void svg_line(struct plot *p, const struct plot_point *at, size_t n,
		     const struct plot_pen *pen)
{
	struct svg *s = svg_of(p);

	write_path(s, at, n);
	fprintf(s->f, "\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"", pen->color);
	write_number(s->f, pen->width);
	fprintf(s->f, "\"%s/>\n", pen->dashed ? " stroke-dasharray=\"6 4\"" : "");
}

static void svg_fill(struct plot *p, const struct plot_point *at, size_t n,
		     uint32_t color)
{
	struct svg *s = svg_of(p);

	write_path(s, at, n);
	fprintf(s->f, "z\" fill=\"#%06x\"/>\n", color);
}

static void svg_text(struct plot *p, struct plot_point at, const struct plot_font *font,
		     const char *text)
{
	static const char *const anchors[] = { "", " text-anchor=\"middle\"",
					       " text-anchor=\"end\"" };
	struct svg *s = svg_of(p);

	fputs("<text x=\"", s->f);
	write_number(s->f, at.x);
	fputs("\" y=\"", s->f);
	write_number(s->f, at.y + s->base.top);
	fputs("\" font-size=\"", s->f);
	write_number(s->f, font->size);
	fprintf(s->f, "\" fill=\"#%06x\"%s%s", font->color, anchors[font->anchor],
		font->bold ? " font-weight=\"bold\"" : "");
	if (font->upward) {
		fputs(" transform=\"rotate(-90 ", s->f);
		write_number(s->f, at.x);
		fputc(' ', s->f);
		write_number(s->f, at.y + s->base.top);
		fputs(")\"", s->f);
	}
	fputc('>', s->f);
	plot_markup(s->f, text);
	fputs("</text>\n", s->f);
}

static void open_svg(struct svg *s, double height, const char *label)
{
	fprintf(s->f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		"width=\"%.0f\" height=\"%.0f\" role=\"img\" "
		"font-family=\"Helvetica, Arial, sans-serif\" aria-label=\"",
		PLOT_WIDTH, height, PLOT_WIDTH, height);
	plot_markup(s->f, label);
	fputs("\">\n", s->f);
	if (!s->html)
		fputs("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", s->f);
}

static void svg_begin(struct plot *p, const char *title, double height)
{
	struct svg *s = svg_of(p);

	if (s->html) {
		open_svg(s, ceil(height), title);
		return;
	}
	s->base.top = s->next;
	s->next += height;
}

static void svg_end(struct plot *p)
{
	if (svg_of(p)->html)
		fputs("</svg>\n", svg_of(p)->f);
}

static void begin_html(struct svg *s, const struct plot_document *d)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>",
	      s->f);
	plot_markup(s->f, d->title);
	fputs("</title>\n<style>body{font-family:Helvetica,Arial,sans-serif;color:#222;"
	      "background:#fff;max-width:1000px;margin:20px auto;padding:0 10px}"
	      "h1{font-size:22px}li{margin:4px 0}svg{display:block;max-width:100%;"
	      "height:auto;break-inside:avoid}</style>\n</head><body>\n<h1>",
	      s->f);
	plot_markup(s->f, d->headline ? d->headline : d->title);
	fputs("</h1>\n<ul>\n", s->f);
	for (size_t i = 0; i < d->n_lines; i++) {
		fputs("<li>", s->f);
		plot_markup(s->f, d->line[i]);
		fputs("</li>\n", s->f);
	}
	fputs(d->n_lines ? "</ul>\n" : "<li>nothing more</li></ul>\n", s->f);
}

static int svg_finish(struct plot *p)
{
	struct svg *s = svg_of(p);
	int r;

	fputs(s->html ? "</body></html>\n" : "</svg>\n", s->f);
	r = dw_output_close(&s->out, true);
	free(s);
	return r;
}

static const struct plot_backend svg_backend = {
	.begin = svg_begin,
	.end = svg_end,
	.line = svg_line,
	.fill = svg_fill,
	.text = svg_text,
	.finish = svg_finish,
};

int plot_svg_new(const char *path, bool html, double height,
		 const struct plot_document *d, struct plot **ret)
{
	struct svg *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->base.backend = &svg_backend;
	s->html = html;
	r = dw_output_open(&s->out, path, 0644, false);
	if (r) {
		free(s);
		return r;
	}
	s->f = s->out.f;
	if (html)
		begin_html(s, d);
	else
		open_svg(s, ceil(height), d->headline ? d->headline : d->title);
	*ret = &s->base;
	return 0;
}

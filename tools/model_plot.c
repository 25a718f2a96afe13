/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep as a picture: SVG text, one panel under the other, each with one output over the
 * swept key and the least and largest value at its axes.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "model_out.h"

#define WIDTH  640.0
#define PANEL  200.0
#define LEFT   110.0
#define MARGIN 30.0

struct panel {
	FILE *f;
	const char *key;
	const char *name;
	double top;
	double x[2];
	double y[2];
};

static void widen(double range[2], double v)
{
	if (!isfinite(v))
		return;
	range[0] = v < range[0] ? v : range[0];
	range[1] = v > range[1] ? v : range[1];
}

static double place(const double range[2], double v, double from, double to)
{
	double span = range[1] - range[0];

	return span > 0 ? from + (v - range[0]) / span * (to - from) : (from + to) / 2;
}

static void label(FILE *f, double x, double y, const char *anchor, double v)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%.6g</text>\n", x, y,
		anchor, v);
}

static void draw(const struct panel *p, struct dw_model_call *const *calls, size_t n)
{
	double right = WIDTH - MARGIN, top = p->top + MARGIN,
	       foot = p->top + PANEL - MARGIN;

	fprintf(p->f, "<path d=\"M%.1f %.1fV%.1fH%.1f\" stroke=\"#888\"/>\n", LEFT, top,
		foot, right);
	fprintf(p->f, "<text x=\"%.1f\" y=\"%.1f\">%s over %s</text>\n", LEFT, top - 10,
		p->name, p->key);
	label(p->f, LEFT, foot + 16, "middle", p->x[0]);
	label(p->f, right, foot + 16, "end", p->x[1]);
	label(p->f, LEFT - 6, foot, "end", p->y[0]);
	label(p->f, LEFT - 6, top + 4, "end", p->y[1]);
	fputs("<polyline stroke=\"#1f5fbf\" stroke-width=\"2\" points=\"", p->f);
	for (size_t i = 0; i < n; i++) {
		double x = cli_model_number(calls[i], p->key);
		double y = cli_model_number(calls[i], p->name);

		if (isfinite(y))
			fprintf(p->f, "%.2f,%.2f ", place(p->x, x, LEFT, right),
				place(p->y, y, foot, top));
	}
	fputs("\"/>\n", p->f);
}

static bool prepare(struct panel *p, const char *name, struct dw_model_call *const *calls,
		    size_t n)
{
	p->name = name;
	p->x[0] = p->y[0] = INFINITY;
	p->x[1] = p->y[1] = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		widen(p->x, cli_model_number(calls[i], p->key));
		widen(p->y, cli_model_number(calls[i], name));
	}
	return isfinite(p->y[0]);
}

int cli_model_plot(struct cli *c, const char *key, struct dw_model_call *const *calls,
		   size_t n)
{
	struct panel p = { .key = key };
	struct dw_model_output o;
	size_t panels = 0;

	p.f = fopen(c->output, "we");
	if (!p.f)
		return cli_fail(c, CLI_EXIT_USAGE, "%s: %s", c->output, strerror(errno));
	for (size_t i = 0; dw_model_call_output(calls[0], i, &o); i++)
		panels += prepare(&p, o.name, calls, n);
	fprintf(p.f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\""
		" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
		"<style>path,polyline{fill:none}</style>\n",
		WIDTH, PANEL * (double)panels);
	for (size_t i = 0; dw_model_call_output(calls[0], i, &o); i++) {
		if (!prepare(&p, o.name, calls, n))
			continue;
		draw(&p, calls, n);
		p.top += PANEL;
	}
	fputs("</svg>\n", p.f);
	if (ferror(p.f) | fclose(p.f))
		return cli_fail(c, CLI_EXIT_USAGE, "%s: cannot write", c->output);
	return 0;
}

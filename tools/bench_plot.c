/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The graphs of the review: throughput over transfer length, a line for each disk and one for
 * all, and response over operations per second with lines at 100 ms and 20 ms.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_plot.h"

#define WIDTH  720.0
#define HEIGHT 420.0
#define LEFT   80.0
#define RIGHT  560.0
#define TOP    30.0
#define FOOT   370.0
#define TICKS  5

static const char *const colors[] = { "#1f5fbf", "#c0392b", "#1e8449", "#8e44ad",
				      "#b9770e", "#117a8b", "#555555" };

struct frame {
	FILE *f;
	bool load;
	double x_most;
	double y_most;
};

static double x_of(const struct frame *p, const struct dw_bench_point *v)
{
	return p->load ? v->per_second : v->bytes / 1024.0;
}

static double y_of(const struct frame *p, const struct dw_bench_point *v)
{
	return p->load ? v->response_s * 1e3 : v->bytes_per_second / 1e6;
}

static double at_x(const struct frame *p, double v)
{
	return LEFT + v / p->x_most * (RIGHT - LEFT);
}

static double at_y(const struct frame *p, double v)
{
	return FOOT - v / p->y_most * (FOOT - TOP);
}

/* The next of 1, 2, 2.5, 5, 10 ... */
static double round_up(double v)
{
	static const double steps[] = { 1, 2, 2.5, 5, 10 };
	double unit = v > 0 ? pow(10, floor(log10(v))) : 1;
	size_t i = 0;

	while (v > 0 && i + 1 < CLI_ARRAY_SIZE(steps) && steps[i] * unit < v * (1 - 1e-9))
		i++;
	return steps[i] * unit;
}

static void measure(struct frame *p, const struct dw_bench *b)
{
	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < b->series[i].n; k++) {
			p->x_most = fmax(p->x_most, x_of(p, &b->series[i].point[k]));
			p->y_most = fmax(p->y_most, y_of(p, &b->series[i].point[k]));
		}
	}
	p->x_most = TICKS * round_up(p->x_most / TICKS);
	p->y_most = TICKS * round_up(p->y_most / TICKS);
}

static void axes(const struct frame *p)
{
	fprintf(p->f, "<path d=\"M%.0f %.0fV%.0fH%.0f\" stroke=\"#333\"/>\n", LEFT, TOP,
		FOOT, RIGHT);
	for (int i = 0; i <= TICKS; i++) {
		double x = p->x_most * i / TICKS, y = p->y_most * i / TICKS;

		fprintf(p->f,
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.4g</text>\n"
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
			at_x(p, x), FOOT + 18, x, LEFT - 6, at_y(p, y) + 4, y);
	}
	fprintf(p->f,
		"<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n"
		"<text x=\"%.0f\" y=\"%.0f\">%s</text>\n",
		(LEFT + RIGHT) / 2, FOOT + 40,
		p->load ? "operations per second" : "transfer length, KiB", LEFT - 60,
		TOP - 12, p->load ? "response, ms" : "MB/s");
}

static void threshold(const struct frame *p, double ms)
{
	if (!p->load || ms > p->y_most)
		return;
	fprintf(p->f,
		"<path d=\"M%.0f %.1fH%.0f\" stroke=\"#999\" stroke-dasharray=\"4\"/>\n",
		LEFT, at_y(p, ms), RIGHT);
}

static void line(const struct frame *p, const struct dw_bench_series *s, size_t i)
{
	const char *color = colors[i % CLI_ARRAY_SIZE(colors)];

	fprintf(p->f, "<polyline stroke=\"%s\" stroke-width=\"2\" points=\"", color);
	for (size_t k = 0; k < s->n; k++)
		fprintf(p->f, "%.1f,%.1f ", at_x(p, x_of(p, &s->point[k])),
			at_y(p, y_of(p, &s->point[k])));
	fprintf(p->f, "\"/>\n<text x=\"%.0f\" y=\"%.0f\" fill=\"%s\">%s</text>\n",
		RIGHT + 20, TOP + 18 * (double)i + 10, color, s->name);
}

int cli_bench_plot(struct cli *c, const struct dw_bench *b)
{
	struct frame p = { .load = b->spec.kind == DW_BENCH_LOAD };
	char *text = NULL;
	size_t len = 0;
	int r;

	p.f = open_memstream(&text, &len);
	if (!p.f)
		return cli_fail(c, CLI_EXIT_USAGE, "out of memory");
	measure(&p, b);
	fprintf(p.f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\""
		" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
		"<style>path,polyline{fill:none}</style>\n",
		WIDTH, HEIGHT);
	axes(&p);
	threshold(&p, 100);
	threshold(&p, 20);
	for (size_t i = 0; i < b->n; i++)
		line(&p, &b->series[i], i);
	fputs("</svg>\n", p.f);
	r = ferror(p.f) | fclose(p.f) ? -ENOMEM : dw_file_write(c->output, text, len);
	free(text);
	if (r < 0)
		return cli_fail(c, CLI_EXIT_USAGE, "%s: %s", c->output, dw_file_error(r));
	return 0;
}

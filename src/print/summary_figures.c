/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the records themselves tell of the runs: when each bay had a disk, how long disks took and
 * were to take, and how fast they were. Colours are the page's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/units.h>

#include "base/util.h"
#include "print/verdict.h"
#include "print/tally.h"
#include "print/text.h"
#include "print/markup.h"

#define WIDTH    1000.0
#define NAMES    190.0 /* room for names at the left */
#define ROW      18.0
#define ROWS_MAX 48
#define NAME     28 /* characters of a name */
#define TICKS    5
#define SIDE     360.0
#define EDGE     76.0

/**
 * struct paper_bar - a disk in the figure of times
 * @place: where it was
 * @row: its line; disks of one place that overlap in time have a line each
 */
struct paper_bar {
	const struct dw_paper_record *record;
	char place[DW_PAPER_PLACE];
	size_t row;
};

static void open_figure(FILE *f, const char *title, const char *text, double width,
			double height)
{
	fprintf(f,
		"<h2>%s</h2>\n<p class=\"soft\">%s</p>\n<svg viewBox=\"0 0 %.0f %.0f\" "
		"role=\"img\" aria-label=\"%s\"%s>\n",
		title, text, width, height, title,
		width < WIDTH ? " style=\"max-width:34rem\"" : "");
}

static void put_text(FILE *f, double x, double y, const char *class, const char *anchor,
		     const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\" text-anchor=\"%s\">", x, y,
		class, anchor);
	plot_markup(f, text);
	fputs("</text>\n", f);
}

static void put_rule(FILE *f, double x1, double y1, double x2, double y2)
{
	fprintf(f,
		"<line class=\"l\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
		x1, y1, x2, y2);
}

static int compare_bars(const void *a, const void *b)
{
	const struct paper_bar *x = a, *y = b;
	const struct timespec *s = &x->record->proof.started,
			      *t = &y->record->proof.started;
	int r = strverscmp(x->place, y->place);

	if (!r)
		r = (s->tv_sec > t->tv_sec) - (s->tv_sec < t->tv_sec);
	return r ? r : (x->record > y->record) - (x->record < y->record);
}

static bool has_times(const struct dw_proof *p)
{
	return p->started.tv_sec && p->finished.tv_sec >= p->started.tv_sec;
}

/* The first of the rows from @from on that is free when the bar begins; @end: of each row, the
 * end of its last bar. */
static size_t free_row(const struct dw_proof *p, size_t from, size_t n, const time_t *end)
{
	while (from < n && end[from] > p->started.tv_sec)
		from++;
	return from;
}

/* Place by place, each disk as high as there is room. Returns the number of rows. */
static size_t set_rows(struct paper_bar *bar, size_t n, time_t *end)
{
	size_t rows = 0, first = 0;

	for (size_t i = 0; i < n; i++) {
		const struct dw_proof *p = &bar[i].record->proof;

		if (i && strcmp(bar[i - 1].place, bar[i].place) != 0)
			first = rows;
		bar[i].row = free_row(p, first, rows, end);
		if (bar[i].row == rows)
			rows++;
		end[bar[i].row] = p->finished.tv_sec;
	}
	return rows;
}

/* The runs, by place and time. Returns their number. */
static size_t find_bars(const struct dw_paper_records *in, struct paper_bar *bar)
{
	size_t n = 0;

	for (size_t i = 0; i < in->n; i++) {
		const struct dw_proof *p = &in->record[i].proof;

		if (!has_times(p))
			continue;
		bar[n].record = &in->record[i];
		if (!paper_place(p, bar[n].place)[0])
			snprintf(bar[n].place, sizeof(bar[n].place), "%s", p->device);
		n++;
	}
	qsort(bar, n, sizeof(*bar), compare_bars);
	return n;
}

static void span_of(const struct dw_paper_records *in, double *ret_from, double *ret_to)
{
	*ret_from = INFINITY;
	*ret_to = -INFINITY;
	for (size_t i = 0; i < in->n; i++) {
		const struct dw_proof *p = &in->record[i].proof;

		if (!has_times(p))
			continue;
		*ret_from = fmin(*ret_from, (double)p->started.tv_sec);
		*ret_to = fmax(*ret_to, (double)p->finished.tv_sec);
	}
	*ret_to = fmax(*ret_to, *ret_from + 1);
}

static bool is_good(const struct dw_paper_record *r)
{
	return paper_erased(r) || dw_paper_kind(r) == DW_PAPER_AS_EXPECTED;
}

static void put_title(FILE *f, const struct dw_paper_record *r)
{
	const struct dw_proof *p = &r->proof;

	fputs("<title>", f);
	plot_markup(f, p->info.serial[0] ? p->info.serial : p->device);
	fputs(paper_erased(r) ? ": erased"
	      : is_good(r)    ? ": as expected"
			      : ": NOT erased, ",
	      f);
	if (!is_good(r))
		plot_markup(f, paper_outcome(r));
	fputs("</title>", f);
}

static void put_time_axis(FILE *f, double from, double to, double height)
{
	for (int i = 0; i <= TICKS; i++) {
		double x = NAMES + (WIDTH - NAMES - 20) * i / TICKS;
		struct timespec t = { .tv_sec =
					      (time_t)(from + (to - from) * i / TICKS) };
		char text[DW_UNIT_TEXT];

		put_rule(f, x, 0, x, height - ROW);
		dw_time_format(&t, 0, text, sizeof(text));
		text[16] = '\0';
		text[10] = ' ';
		put_text(f, x, height - 4, "s",
			 i == TICKS ? "end"
			 : i        ? "middle"
				    : "start",
			 text + 5);
	}
}

static void draw_bar(FILE *f, const struct paper_bar *bar, double from, double scale)
{
	const struct dw_proof *p = &bar->record->proof;
	double x = NAMES + ((double)p->started.tv_sec - from) * scale;
	double w = (double)(p->finished.tv_sec - p->started.tv_sec) * scale;

	fprintf(f,
		"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"%.1f\" rx=\"2\">",
		is_good(bar->record) ? "g" : "b", x, ROW * (double)bar->row + 3,
		fmax(w - 1, 1.5), ROW - 5);
	put_title(f, bar->record);
	fputs("</rect>\n", f);
}

static void draw_timeline(FILE *f, const struct dw_paper_records *in,
			  const struct paper_bar *bar, size_t n, size_t rows)
{
	size_t shown = rows > ROWS_MAX ? ROWS_MAX : rows;
	double from, to, height = ROW * ((double)shown + 1) + 6;
	char name[4 * NAME + 4], note[160];

	span_of(in, &from, &to);
	snprintf(note, sizeof(note),
		 "Each bar is a disk, from its first command to its end (UTC)%s.",
		 rows > shown ? "; only the first bays are shown" : "");
	open_figure(f, "Bays in time", note, WIDTH, height);
	put_time_axis(f, from, to, height);
	for (size_t i = 0; i < n; i++) {
		const char *place = bar[i].place;

		if (bar[i].row >= shown)
			continue;
		if (!i || strcmp(bar[i - 1].place, place) != 0)
			put_text(f, 0, ROW * (double)bar[i].row + 13, "", "start",
				 paper_fit(place[0] ? place : "no bay", NAME, name,
					   sizeof(name)));
		draw_bar(f, &bar[i], from, (WIDTH - NAMES - 20) / (to - from));
	}
	fputs("</svg>\n", f);
}

static bool is_forecast(const struct dw_paper_record *r)
{
	const struct dw_proof *p = &r->proof;

	return p->forecast_microseconds && p->microseconds && paper_erased(r);
}

static void draw_forecasts(FILE *f, const struct dw_paper_records *in)
{
	double most = 0, scale;
	char text[DW_UNIT_TEXT];
	size_t n = 0;

	for (size_t i = 0; i < in->n; i++) {
		const struct dw_proof *p = &in->record[i].proof;

		if (!is_forecast(&in->record[i]))
			continue;
		n++;
		most = fmax(most, fmax((double)p->forecast_microseconds,
				       (double)p->microseconds));
	}
	if (!n)
		return;
	open_figure(
		f, "Forecast and measured",
		"Each point is an erased disk. On the line the forecast was right; above "
		"it the disk took longer.",
		SIDE + EDGE + 20, SIDE + EDGE);
	scale = (SIDE - 10) / most;
	put_rule(f, EDGE, SIDE, EDGE + SIDE, SIDE);
	put_rule(f, EDGE, 0, EDGE, SIDE);
	put_rule(f, EDGE, SIDE, EDGE + SIDE - 10, 10);
	for (size_t i = 0; i < in->n; i++) {
		const struct dw_proof *p = &in->record[i].proof;

		if (!is_forecast(&in->record[i]))
			continue;
		fprintf(f,
			"<circle class=\"m\" fill-opacity=\".7\" r=\"4\" cx=\"%.1f\" "
			"cy=\"%.1f\">",
			EDGE + (double)p->forecast_microseconds * scale,
			SIDE - (double)p->microseconds * scale);
		put_title(f, &in->record[i]);
		fputs("</circle>\n", f);
	}
	dw_duration_format((uint64_t)most * 1000, text, sizeof(text));
	put_text(f, EDGE + SIDE - 10, SIDE + 16, "s", "end", text);
	put_text(f, EDGE - 6, 16, "s", "end", text);
	put_text(f, EDGE + SIDE / 2, SIDE + 34, "", "middle", "forecast");
	put_text(f, EDGE - 8, SIDE / 2, "", "end", "measured");
	fputs("</svg>\n", f);
}

static double record_rate(const struct dw_proof *p)
{
	return p->microseconds ? (double)p->bytes_written / (double)p->microseconds : 0;
}

static int compare_rates(const void *a, const void *b)
{
	const struct dw_proof *const *x = a, *const *y = b;

	return (record_rate(*x) > record_rate(*y)) - (record_rate(*x) < record_rate(*y));
}

static void draw_rate(FILE *f, const struct dw_proof *p, double y, double most)
{
	double w = (WIDTH - NAMES - 100) * record_rate(p) / most;
	char name[4 * NAME + 4], text[DW_UNIT_TEXT];

	put_text(f, 0, y + 13, "", "start",
		 paper_fit(p->info.serial[0] ? p->info.serial : p->device, NAME, name,
			   sizeof(name)));
	fprintf(f,
		"<rect class=\"m\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		"rx=\"2\"/>\n",
		NAMES, y + 3, fmax(w, 1), ROW - 5);
	dw_rate_format(p->bytes_written, p->microseconds * 1000, text, sizeof(text));
	put_text(f, NAMES + fmax(w, 1) + 8, y + 13, "s", "start", text);
}

/* The slowest first: those are what one looks for. */
static void draw_rates(FILE *f, const struct dw_paper_records *in,
		       const struct dw_proof **sorted)
{
	size_t n = 0, shown;

	for (size_t i = 0; i < in->n; i++)
		if (record_rate(&in->record[i].proof) > 0)
			sorted[n++] = &in->record[i].proof;
	if (!n)
		return;
	qsort(sorted, n, sizeof(struct dw_proof *), compare_rates);
	shown = n > ROWS_MAX ? ROWS_MAX : n;
	open_figure(f, "Rates",
		    n > shown ? "Bytes written in the time that a disk took; the slowest "
				"disks only."
			      : "Bytes written in the time that a disk took.",
		    WIDTH, ROW * (double)shown);
	for (size_t i = 0; i < shown; i++)
		draw_rate(f, sorted[i], ROW * (double)i, record_rate(sorted[shown - 1]));
	fputs("</svg>\n", f);
}

void paper_summary_figures(FILE *f, const struct paper_summary *s)
{
	dw_autofree struct paper_bar *bar = calloc(s->in->n + 1, sizeof(*bar));
	dw_autofree time_t *end = calloc(s->in->n + 1, sizeof(*end));
	const struct dw_proof **sorted = calloc(s->in->n + 1, sizeof(struct dw_proof *));
	size_t n = bar && end ? find_bars(s->in, bar) : 0;

	if (n)
		draw_timeline(f, s->in, bar, n, set_rows(bar, n, end));
	draw_forecasts(f, s->in);
	if (sorted)
		draw_rates(f, s->in, sorted);
	free(sorted);
}

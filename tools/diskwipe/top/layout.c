/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of disks. They stand in as many columns as it takes to show all of them at once, each
 * column downwards as bays do in a rack. What a row tells depends on the width of its column:
 * its fields are taken by importance until there is no room, and shown in their own order.
 */
#include <string.h>

#include "top/layout.h"

#define US         UINT64_C(1000000)
#define MIN_COLUMN 26 /* mark, bay, state, bar, percent */
#define MAX_BAR    30
#define LABEL_MIN  4
#define LABEL_MAX  16
#define LABEL_TURN 7 /* before which the name of a bay gets what it takes */

enum field {
	LABEL,
	STATE,
	BAR,
	SHARE,
	LEFT,
	RATE,
	HEAT,
	BAD,
	PASS,
	SIZE,
	SERIAL,
	MODEL,
	NOTE,
	FIELDS
};

/* In the order of the screen. @turn: which is given up last has 1. */
static const struct {
	const char *heading;
	unsigned width;
	unsigned turn;
	bool right;
} fields[FIELDS] = {
	[LABEL] = { "BAY", LABEL_MIN, 1, false },
	[STATE] = { "STATE", 8, 2, false },
	[BAR] = { "", 5, 4, false },
	[SHARE] = { "%", 4, 3, true },
	[LEFT] = { "LEFT", 5, 5, true },
	[RATE] = { "RATE", 4, 6, true },
	[HEAT] = { "TEMP", 4, 8, true },
	[BAD] = { "BAD", 4, 7, true },
	[PASS] = { "PASS", 4, 11, true },
	[SIZE] = { "SIZE", 7, 10, true },
	[SERIAL] = { "SERIAL", 12, 9, false },
	[MODEL] = { "MODEL", 16, 12, false },
	[NOTE] = { "", 24, 13, false },
};

/* The width of each field in a row, 0 = not shown. */
struct row_form {
	unsigned width[FIELDS];
};

static unsigned longest(const struct top *t, enum field f)
{
	unsigned most = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct cli_station_disk *d = t->row[i];
		char label[TOP_LABEL];
		unsigned n = top_text_width(f == LABEL   ? top_label(d, label)
					    : f == MODEL ? d->model
							 : d->serial);

		most = n > most ? n : most;
	}
	return most;
}

/* Names take what the longest needs, but no more than the table grants before all are in. */
static unsigned least(const struct top *t, enum field f)
{
	unsigned heading = (unsigned)strlen(fields[f].heading), most;

	if (f != LABEL && f != SERIAL && f != MODEL)
		return fields[f].width;
	most = longest(t, f);
	if (most < heading)
		return heading;
	return most < fields[f].width ? most : fields[f].width;
}

static void widen(struct row_form *form, enum field f, unsigned to, unsigned *left)
{
	unsigned more = form->width[f] && to > form->width[f] ? to - form->width[f] : 0;

	more = more < *left ? more : *left;
	form->width[f] += more;
	*left -= more;
}

static struct row_form form_row(const struct top *t, unsigned width)
{
	struct row_form form = { 0 };
	unsigned left = width - 2, label = longest(t, LABEL);

	label = label < LABEL_MAX ? label : LABEL_MAX;
	for (unsigned turn = 1; turn <= FIELDS; turn++) {
		if (turn == LABEL_TURN)
			widen(&form, LABEL, label, &left);
		for (unsigned f = 0; f < FIELDS; f++) {
			unsigned need;

			if (fields[f].turn != turn)
				continue;
			need = least(t, (enum field)f) + (turn > 1);
			if (need > left)
				goto full;
			form.width[f] = need - (turn > 1);
			left -= need;
		}
	}
full:
	widen(&form, LABEL, label, &left);
	widen(&form, SERIAL, longest(t, SERIAL), &left);
	widen(&form, BAR, 10, &left);
	widen(&form, MODEL, longest(t, MODEL), &left);
	widen(&form, BAR, MAX_BAR, &left);
	widen(&form, NOTE, width, &left);
	return form;
}

static const char *short_rate(uint64_t rate, char buf[16])
{
	static const char unit[] = "kMGT";
	double value = (double)rate / 1e3;
	size_t i = 0;

	for (; value >= 999.5 && unit[i + 1]; i++)
		value /= 1e3;
	snprintf(buf, 16, value < 9.95 && i > 1 ? "%.1f%c" : "%.0f%c", value, unit[i]);
	return buf;
}

static bool is_moving(const struct cli_station_disk *d)
{
	return top_kind(d) == TOP_WORKING || d->progress > 0;
}

static double share_of(const struct cli_station_disk *d)
{
	double share = top_kind(d) == TOP_DONE ? 1 : d->progress;

	return share > 0 ? share < 1 ? share : 1 : 0;
}

/* Full only when it is: 99.9 % is not done. */
static void bar_text(const struct top *t, const struct cli_station_disk *d,
		     unsigned width, char *buf, size_t size)
{
	unsigned full = (unsigned)(share_of(d) * width);

	buf[0] = '\0';
	if (!is_moving(d) && top_kind(d) != TOP_DONE)
		return;
	for (unsigned i = 0; i < width && strlen(buf) + 4 < size; i++)
		strcat(buf, i < full     ? t->unicode ? "\u2588" : "#"
			    : t->unicode ? "\u2591"
					 : ".");
}

static void left_text(const struct top *t, const struct cli_station_disk *d, char *buf)
{
	enum top_kind kind = top_kind(d);

	buf[0] = '\0';
	if ((kind == TOP_WORKING || kind == TOP_WAITING) && d->expected_end_time)
		top_duration(d->expected_end_time > t->now_us
				     ? (d->expected_end_time - t->now_us) / US
				     : 0,
			     buf);
}

static void number_text(const struct top *t, const struct cli_station_disk *d,
			enum field f, char *buf, size_t size)
{
	buf[0] = '\0';
	switch (f) {
	case SHARE:
		if (is_moving(d) || top_kind(d) == TOP_DONE)
			snprintf(buf, size, "%u%%", (unsigned)(share_of(d) * 100));
		break;
	case LEFT:
		left_text(t, d, buf);
		break;
	case RATE:
		if (d->rate && top_kind(d) == TOP_WORKING)
			short_rate(d->rate, buf);
		break;
	case HEAT:
		if (d->temperature > CLI_NO_TEMPERATURE)
			snprintf(buf, size, "%d%s", d->temperature,
				 t->unicode ? "\u00b0" : "C");
		break;
	case BAD:
		if (d->bad_blocks > 999)
			snprintf(buf, size, ">999");
		else if (d->bad_blocks)
			snprintf(buf, size, "%u", d->bad_blocks);
		break;
	case PASS:
		if (is_moving(d) && cli_station_disk_pass(d))
			snprintf(buf, size, "%u/%u", cli_station_disk_pass(d), d->passes);
		break;
	case SIZE:
		dw_size_format(d->capacity, buf, size);
		break;
	default:
		break;
	}
}

static void field_text(const struct top *t, const struct cli_station_disk *d,
		       enum field f, unsigned width, char *buf, size_t size)
{
	char label[TOP_LABEL];

	switch (f) {
	case LABEL:
		snprintf(buf, size, "%s", top_label(d, label));
		break;
	case STATE:
		snprintf(buf, size, "%s", top_state_word(d));
		break;
	case BAR:
		bar_text(t, d, width, buf, size);
		break;
	case SERIAL:
		snprintf(buf, size, "%s", d->serial);
		break;
	case MODEL:
		snprintf(buf, size, "%s", d->model);
		break;
	case NOTE:
		snprintf(buf, size, "%s", d->message[0] ? d->message : d->reason);
		break;
	default:
		number_text(t, d, f, buf, size);
	}
}

static unsigned look_of(const struct cli_station_disk *d)
{
	switch (top_kind(d)) {
	case TOP_TROUBLE:
		return TOP_BAD;
	case TOP_DONE:
		return TOP_GOOD;
	default:
		return top_needs_care(d) ? TOP_NOTE : TOP_PLAIN;
	}
}

/* The end of a name tells bays of one rack apart, not its beginning. */
static void put_label(struct top_page *p, unsigned y, unsigned x, unsigned width,
		      unsigned look, const char *text)
{
	if (top_text_width(text) > width) {
		while (*text && top_text_width(text) >= width)
			text++;
		x = top_page_put(p, y, x, 1, look, "~");
		width--;
	}
	top_page_put(p, y, x, width, look, text);
}

static void put_row(const struct top *t, struct top_page *p, const struct row_form *form,
		    unsigned y, unsigned x, size_t i)
{
	const struct cli_station_disk *d = t->row[i];
	unsigned look = look_of(d) | (i == t->at ? TOP_REVERSE : 0);
	char text[TOP_TEXT],
		mark[3] = { i == t->at ? '>' : ' ', top_marked(t, d)    ? '*'
						    : top_needs_care(d) ? '!'
									: ' ' };

	for (unsigned n = 0; n < t->grid.width; n++)
		top_page_put(p, y, x + n, 1, i == t->at ? TOP_REVERSE : 0, " ");
	x = top_page_put(p, y, x, 2, look, mark);
	for (unsigned f = 0; f < FIELDS; f++) {
		unsigned width = form->width[f], n;

		if (!width)
			continue;
		field_text(t, d, (enum field)f, width, text, sizeof(text));
		n = top_text_width(text);
		if (f == LABEL)
			put_label(p, y, x, width, look, text);
		else
			top_page_put(p, y,
				     x + (fields[f].right && n < width ? width - n : 0),
				     width, look, text);
		x += width + 1;
	}
}

static void put_headings(const struct top *t, struct top_page *p,
			 const struct row_form *form, unsigned y)
{
	for (unsigned c = 0; c < t->grid.columns && (size_t)c * t->grid.rows < t->n_rows;
	     c++) {
		unsigned x = c * (t->grid.width + 1) + 2;

		for (unsigned f = 0; f < FIELDS; f++) {
			unsigned width = form->width[f];
			unsigned n = (unsigned)strlen(fields[f].heading);

			if (!width)
				continue;
			top_page_put(p, y, x + (fields[f].right ? width - n : 0), width,
				     TOP_BOLD, fields[f].heading);
			x += width + 1;
		}
	}
}

/* As few columns as show every row; where none do, as many as there may be. */
static void arrange(struct top *t, unsigned width, unsigned height)
{
	unsigned most = (width + 1) / (MIN_COLUMN + 1), columns = t->columns;
	struct top_grid *g = &t->grid;

	most = most ? most : 1;
	if (!columns)
		for (columns = 1; columns < most && (size_t)columns * height < t->n_rows;)
			columns++;
	g->columns = columns < most ? columns : most;
	g->width = (width + 1) / g->columns - 1;
	/* headings where they hide no row that could be seen */
	g->heading = height > 3 && ((size_t)g->columns * (height - 1) >= t->n_rows ||
				    (size_t)g->columns * height < t->n_rows);
	g->rows = height - g->heading;
	if (g->fits != ((size_t)g->columns * g->rows >= t->n_rows)) {
		g->fits = !g->fits;
		top_sort(t);
	}
	if (g->fits && t->n_rows) /* columns of one length */
		g->rows = (unsigned)((t->n_rows + g->columns - 1) / g->columns);
}

/* Bring the cursor onto the screen: by rows in one column, by whole columns in several. */
static void follow_cursor(struct top *t)
{
	size_t rows = t->grid.rows, page = rows * t->grid.columns;
	size_t step = t->grid.columns > 1 ? rows : 1;
	size_t last = t->n_rows > page ? (t->n_rows - page + step - 1) / step * step : 0;

	t->first = t->first / step * step;
	if (t->at < t->first)
		t->first = t->at / step * step;
	if (t->at >= t->first + page)
		t->first = (t->at + 1 - page + step - 1) / step * step;
	if (t->first > last)
		t->first = last;
}

static void put_list(struct top *t, struct top_page *p, unsigned y)
{
	struct row_form form = form_row(t, t->grid.width);

	if (t->grid.heading)
		put_headings(t, p, &form, y++);
	for (unsigned c = 0; c < t->grid.columns; c++)
		for (unsigned r = 0; r < t->grid.rows; r++) {
			size_t i = t->first + (size_t)c * t->grid.rows + r;

			if (i < t->n_rows)
				put_row(t, p, &form, y + r, c * (t->grid.width + 1), i);
		}
	if (!t->n_rows)
		top_page_put(p, y, 2, p->width - 2, TOP_PLAIN,
			     t->station->n_disks ? "no disk of this kind; f shows others"
						 : "no disk is in the station");
}

static unsigned part_look(const struct top_part *part)
{
	return part->kind == TOP_TROUBLE   ? TOP_BAD
	       : part->kind == TOP_WAITING ? TOP_NOTE
					   : TOP_PLAIN;
}

/* The station's name, then what there is to say, each where it fits first. */
static void put_words(const struct top *t, struct top_page *p, unsigned lines)
{
	struct top_part part[TOP_PARTS];
	size_t n = top_words(t, p->width, part);
	const char *name = t->station->manager.station;
	bool reported[TOP_PARTS] = { false };

	for (unsigned y = 0; y < lines; y++) {
		unsigned x = 0;

		if (!y && name && name[0] && p->width >= 60)
			x = top_page_put(p, 0, 0, p->width / 4, TOP_BOLD, name) + 2;
		for (size_t i = 0; i < n; i++) {
			unsigned width = top_text_width(part[i].text);

			if (reported[i] || (x && x + width > p->width))
				continue;
			x = top_page_put(p, y, x, p->width - x, part_look(&part[i]),
					 part[i].text);
			x += 2;
			reported[i] = true;
		}
	}
}

/* What is known of the work on a disk: bad blocks, repeated commands, rate, start and end, each
 * where there is one. */
static void work_text(const struct top *t, const struct cli_station_disk *d, char *buf,
		      size_t size)
{
	char text[DW_UNIT_TEXT], clock[32];
	int n = 0;

	buf[0] = '\0';
	if (d->bad_blocks)
		n = snprintf(buf, size, "  %u bad block%s", d->bad_blocks,
			     d->bad_blocks == 1 ? "" : "s");
	if (d->errors)
		n += snprintf(buf + n, size - (size_t)n, "  %llu repeated",
			      (unsigned long long)d->errors);
	if (d->rate && top_kind(d) == TOP_WORKING)
		n += snprintf(buf + n, size - (size_t)n, "  %s",
			      dw_rate_format(d->rate, 1000 * US, text, sizeof(text)));
	if (d->expected_start_time && top_kind(d) == TOP_WAITING)
		n += snprintf(buf + n, size - (size_t)n, "  starts %s",
			      top_clock(d->expected_start_time, t->now_us, clock));
	if (d->expected_end_time && top_has_job(d))
		snprintf(buf + n, size - (size_t)n, "  ends %s",
			 top_clock(d->expected_end_time, t->now_us, clock));
}

/* One line about the disk under the cursor, unless there is an answer to a command. */
static void put_disk(const struct top *t, struct top_page *p, unsigned y)
{
	const struct cli_station_disk *d = top_disk_at(t);
	char text[2 * TOP_TEXT], label[TOP_LABEL], size[DW_UNIT_TEXT], work[160];
	const char *why;

	if (t->message[0] || !d) {
		top_page_put(p, y, 0, p->width, TOP_BOLD, t->message);
		return;
	}
	work_text(t, d, work, sizeof(work));
	why = d->message[0] ? d->message : d->reason;
	snprintf(text, sizeof(text), "%s%s%s%s  %s  %s%s  %s %s", top_label(d, label),
		 why[0] ? ": " : "", why, why[0] ? " " : "",
		 d->serial[0] ? d->serial : d->wwn,
		 dw_size_format(d->capacity, size, sizeof(size)), work, d->vendor,
		 d->model);
	top_page_put(p, y, 0, p->width, look_of(d), text);
}

/* Keys; what does not fit from the left is told by ?. */
static void put_footer(const struct top *t, struct top_page *p)
{
	static const char *const keys[] = { "?=help",   "q=quit",     "Enter=details",
					    "s=start",  "p=pause",    "r=resume",
					    "c=cancel", "Space=mark", "o=order",
					    "f=filter", "v=columns",  NULL };
	char text[128];
	int n = 0;

	if (t->n_marks)
		n = snprintf(text, sizeof(text), "%zu marked ", t->n_marks);
	if (t->grid.fits)
		snprintf(text + n, sizeof(text) - (size_t)n, "%s by %s",
			 top_filter_name(t->filter), top_order_name(t->order));
	else
		snprintf(text + n, sizeof(text) - (size_t)n, "%zu/%zu, %s by %s",
			 t->at + 1, t->n_rows, top_filter_name(t->filter),
			 top_order_name(t->order));
	top_page_footer(p, keys, text);
}

void top_layout(struct top *t, unsigned width, unsigned height, struct top_page *p)
{
	unsigned lines = height >= 40 ? 3 : 2;

	top_page_clear(p, width, height);
	t->small = top_page_small(p);
	if (t->small) {
		t->grid = (struct top_grid){
			.columns = 1, .rows = 1, .width = width, .fits = t->grid.fits
		};
		return;
	}
	if (t->mode == TOP_WALL) {
		top_layout_wall(t, p);
		return;
	}
	put_words(t, p, lines);
	arrange(t, width, height - lines - 2);
	follow_cursor(t);
	if (t->mode == TOP_LIST) {
		put_list(t, p, lines);
		put_disk(t, p, height - 2);
		put_footer(t, p);
	} else {
		top_layout_page(t, p);
	}
}

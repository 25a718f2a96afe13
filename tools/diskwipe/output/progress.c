/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress. The block of lines is drawn downwards and then rewound by as many screen rows
 * as it takes up now, which after the window was made narrower are more than its lines.
 * Only cursor up, carriage return, erase and colours are used; every terminal has them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output/progress.h"

#define MIN_WIDTH 20
#define MAX_WIDTH 200
#define MAX_BAR   40
#define DRAWING   65536 /* bytes of the longest: lines of a tall terminal */

FILE *cli_meter_stream(void)
{
	int fd = dup(STDERR_FILENO);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (f)
		setvbuf(f, NULL, _IOFBF, DRAWING);
	else if (fd >= 0)
		close(fd);
	return f ? f : stderr;
}

void cli_meter_resize(struct cli_meter *m)
{
	struct winsize ws = { 0 };

	ioctl(fileno(m->f), TIOCGWINSZ, &ws);
	m->width = ws.ws_col ? ws.ws_col : cli_environment_number("COLUMNS", 80);
	m->height = ws.ws_row ? ws.ws_row : cli_environment_number("LINES", 24);
	if (m->width < MIN_WIDTH)
		m->width = MIN_WIDTH;
	if (m->width > MAX_WIDTH)
		m->width = MAX_WIDTH;
	if (m->height < 3)
		m->height = 3;
}

void cli_meter_forget(struct cli_meter *m)
{
	m->lines = 0;
	cli_meter_resize(m);
}

void cli_meter_init(struct cli_meter *m, FILE *f, bool bars, bool color)
{
	*m = (struct cli_meter){ .f = f, .bars = bars, .color = color };
	cli_meter_resize(m);
}

void cli_meter_deinit(struct cli_meter *m)
{
	free(m->length);
	m->length = NULL;
	m->room = 0;
}

/* Back to where the first line began. */
static void rewind_lines(struct cli_meter *m)
{
	unsigned rows = 0;

	for (unsigned i = 0; i < m->lines; i++)
		rows += m->length[i] ? (m->length[i] + m->width - 1) / m->width : 1;
	if (rows)
		fprintf(m->f, "\r\033[%uA", rows);
	m->lines = 0;
}

/* The terminal is the shell's, as after Ctrl-Z and bg: nothing is drawn over what stands there. */
static bool in_background(const struct cli_meter *m)
{
	pid_t front = tcgetpgrp(fileno(m->f));

	return front >= 0 && front != getpgrp();
}

void cli_meter_clear(struct cli_meter *m)
{
	if (in_background(m))
		m->lines = 0;
	if (!m->lines)
		return;
	rewind_lines(m);
	fputs("\033[J", m->f);
	fflush(m->f);
}

static void append(char *buf, size_t size, size_t *len, const char *text)
{
	size_t n = strlen(text);

	if (*len + n >= size)
		n = size - *len - 1;
	memcpy(buf + *len, text, n);
	*len += n;
	buf[*len] = '\0';
}

static void append_bar(char *buf, size_t size, size_t *len, double share, unsigned width)
{
	unsigned full = (unsigned)(share * width);
	char bar[MAX_BAR + 3];

	memset(bar + 1, '.', width);
	memset(bar + 1, '#', full);
	bar[0] = '[';
	bar[width + 1] = ']';
	bar[width + 2] = '\0';
	append(buf, size, len, bar);
}

static double share_of(const struct dw_progress *p)
{
	double share;

	if (p->phase == DW_PHASE_DONE && p->outcome == DW_OUTCOME_ERASED)
		return 1;
	if (!p->bytes_total)
		return 0;
	share = (double)p->bytes_done / (double)p->bytes_total;
	return share > 1 ? 1 : share;
}

static const char *eta_text(double seconds, char *buf, size_t size)
{
	if (seconds < 0)
		snprintf(buf, size, "-:--:--");
	else
		dw_duration_format((uint64_t)(seconds * 1e9), buf, size);
	return buf;
}

static const char *rate_text(double rate, char *buf, size_t size)
{
	return dw_rate_format(rate > 0 ? (uint64_t)rate : 0, 1000000000, buf, size);
}

/* What a disk is doing: "writing 2/3", or what came of it. */
static void state_text(const struct cli_row *row, char *buf, size_t size)
{
	const struct dw_progress *p = &row->p;

	if (p->phase == DW_PHASE_DONE)
		snprintf(buf, size, "%s", dw_outcome_name(p->outcome, row->verify_only));
	else if (p->n_passes > 1 && p->phase != DW_PHASE_WAITING)
		snprintf(buf, size, "%s %u/%u", dw_phase_name(p->phase),
			 p->pass < p->n_passes ? p->pass + 1 : p->n_passes, p->n_passes);
	else
		snprintf(buf, size, "%s", dw_phase_name(p->phase));
}

/* A bad block costs several commands that are repeated: the two are not one number. */
static void errors_text(const struct dw_progress *p, char *buf, size_t size)
{
	if (p->exceptions)
		snprintf(buf, size, "%u bad, %llu retries", p->exceptions,
			 (unsigned long long)p->errors);
	else
		snprintf(buf, size, "%llu retries", (unsigned long long)p->errors);
}

static void transfer_text(const struct cli_row *row, char *buf, size_t size)
{
	uint64_t bytes = (uint64_t)row->p.transfer_blocks * row->block_size;

	if (!bytes)
		snprintf(buf, size, "-");
	else if (bytes >= UINT64_C(1024) * 1024)
		snprintf(buf, size, "%.3g MiB", (double)bytes / (1024 * 1024));
	else
		snprintf(buf, size, "%.4g KiB", (double)bytes / 1024);
}

/* What stands right of the bar, as much of it as the width allows. */
static void tail_text(const struct cli_row *row, unsigned width, char *buf, size_t size)
{
	char rate[DW_UNIT_TEXT] = "", eta[DW_UNIT_TEXT] = "", text[48];
	size_t len = 0;

	if (row->p.phase != DW_PHASE_DONE) {
		rate_text(row->p.rate, rate, sizeof(rate));
		eta_text(row->p.eta_seconds, eta, sizeof(eta));
	}
	snprintf(text, sizeof(text), " %5.1f%%", share_of(&row->p) * 100);
	append(buf, size, &len, text);
	snprintf(text, sizeof(text), "  %9.20s  %8.20s", rate, eta);
	append(buf, size, &len, text);
	if (width < 56)
		return;
	state_text(row, text, sizeof(text));
	append(buf, size, &len, "  ");
	append(buf, size, &len, text);
	for (size_t i = strlen(text); i < 12; i++)
		append(buf, size, &len, " ");
	if (width < 72)
		return;
	transfer_text(row, text, 20);
	for (size_t i = strlen(text); i < 8; i++)
		append(buf, size, &len, " ");
	append(buf, size, &len, text);
	append(buf, size, &len, "  ");
	errors_text(&row->p, text, sizeof(text));
	append(buf, size, &len, text);
}

static size_t row_text(const struct cli_row *row, unsigned width, char *buf, size_t size)
{
	const char *slash = strrchr(row->name, '/');
	char head[32], tail[192];
	size_t len = 0, fixed;

	if (size > width + 1)
		size = width + 1;
	snprintf(head, sizeof(head), "%-6.20s ", slash ? slash + 1 : row->name);
	tail_text(row, width, tail, sizeof(tail));
	append(buf, size, &len, head);
	fixed = len + strlen(tail) + 2;
	if (fixed + 4 < size)
		append_bar(buf, size, &len, share_of(&row->p),
			   size - 1 - fixed > MAX_BAR ? MAX_BAR
						      : (unsigned)(size - 1 - fixed));
	append(buf, size, &len, tail);
	return len;
}

/**
 * struct total - all disks together
 * @ended: how many, by outcome
 */
struct total {
	size_t ended[CLI_OUTCOMES];
	size_t working;
	size_t waiting;
	double rate;
};

static struct total sum_up(const struct cli_row *rows, size_t n)
{
	struct total t = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct dw_progress *p = &rows[i].p;

		if (p->phase == DW_PHASE_DONE) {
			t.ended[p->outcome]++;
			continue;
		}
		t.working += p->phase != DW_PHASE_WAITING;
		t.waiting += p->phase == DW_PHASE_WAITING;
		t.rate += p->rate;
	}
	return t;
}

static void append_count(char *buf, size_t size, size_t *len, size_t n, const char *what)
{
	char text[64];

	if (!n)
		return;
	snprintf(text, sizeof(text), "%s%zu %s", *len ? ", " : "", n, what);
	append(buf, size, len, text);
}

/* "40 erased, 1 failed, 3 stopped, 2 at work"; where that is too long what needs to be
 * seen comes first. */
static void states_text(const struct total *t, bool verify_only, bool last, char *buf,
			size_t size)
{
	size_t ended[CLI_OUTCOMES], good = t->ended[DW_OUTCOME_ERASED], len;

	memcpy(ended, t->ended, sizeof(ended));
	if (last)
		ended[DW_OUTCOME_ERASED] = 0;
	len = cli_outcomes_text(ended, verify_only, buf, size);
	append_count(buf, size, &len, t->working, "at work");
	append_count(buf, size, &len, t->waiting, "waiting");
	if (last)
		append_count(buf, size, &len, good,
			     dw_outcome_name(DW_OUTCOME_ERASED, verify_only));
}

static void clocks_text(const struct cli_meter *m, const struct total *t, int less,
			char *buf, size_t size)
{
	char rate[DW_UNIT_TEXT], left[DW_UNIT_TEXT], past[DW_UNIT_TEXT];
	bool going = t->working + t->waiting;

	buf[0] = '\0';
	eta_text(m->seconds, past, sizeof(past));
	eta_text(m->left, left, sizeof(left));
	if (!less && going)
		snprintf(buf, size, "; %s; elapsed %s, remaining %s",
			 rate_text(t->rate, rate, sizeof(rate)), past, left);
	else if (!less)
		snprintf(buf, size, "; elapsed %s", past);
	else if (less == 1 && going)
		snprintf(buf, size, "; remaining %s", left);
}

/* The line of the whole, with the times of @m; @hidden disks have no line of their own. */
static size_t total_text(const struct cli_meter *m, const struct cli_row *rows, size_t n,
			 size_t hidden, unsigned width, char *buf, size_t size)
{
	char states[192], clocks[3 * DW_UNIT_TEXT + 24], more[48] = "";
	struct total t = sum_up(rows, n);
	bool verify_only = n && rows[0].verify_only;
	int len;

	if (size > width + 1)
		size = width + 1;
	if (hidden)
		snprintf(more, sizeof(more), " (%zu not shown)", hidden);
	/* with less and less beside the states */
	for (int less = 0; less <= 4; less++) {
		clocks_text(m, &t, less, clocks, sizeof(clocks));
		states_text(&t, verify_only, less == 4, states, sizeof(states));
		len = snprintf(buf, size, "%zu disk%s%s: %s%s", n, n == 1 ? "" : "s",
			       less < 3 ? more : "", states, clocks);
		if (len < (int)size)
			return (size_t)len;
	}
	return size - 1;
}

static const char *color_of(const struct dw_progress *p)
{
	if (p->phase != DW_PHASE_DONE)
		return p->exceptions || p->phase == DW_PHASE_RECOVER ? "\033[33m" : NULL;
	switch (p->outcome) {
	case DW_OUTCOME_ERASED:
		return "\033[32m";
	case DW_OUTCOME_FAILED:
	case DW_OUTCOME_REMOVED:
		return "\033[31m";
	default:
		return "\033[33m";
	}
}

static void put_line(struct cli_meter *m, const char *text, size_t len, const char *color)
{
	if (m->lines >= m->room) {
		unsigned room = m->room ? 2 * m->room : 32;
		unsigned *longer = realloc(m->length, room * sizeof(*longer));

		if (!longer)
			return;
		m->length = longer;
		m->room = room;
	}
	m->length[m->lines++] = (unsigned)len;
	if (color && m->color)
		fprintf(m->f, "%s%s\033[0m\033[K\n", color, text);
	else
		fprintf(m->f, "%s\033[K\n", text);
}

enum { TROUBLE, WORKING, WAITING, ERASED, RANKS };

/* How much a disk has to be seen: what ended otherwise than erased stays. */
static unsigned rank(const struct dw_progress *p)
{
	if (p->phase == DW_PHASE_WAITING)
		return WAITING;
	if (p->phase != DW_PHASE_DONE)
		return WORKING;
	return p->outcome == DW_OUTCOME_ERASED ? ERASED : TROUBLE;
}

/* Choose @room rows by rank, the first ones of a rank; returns how many are hidden. */
static size_t choose(const struct cli_row *rows, size_t n, size_t room, bool *shown)
{
	size_t left = room;

	for (unsigned r = 0; r < RANKS; r++) {
		for (size_t i = 0; i < n && left; i++) {
			if (rank(&rows[i].p) != r)
				continue;
			shown[i] = true;
			left--;
		}
	}
	return n > room ? n - room : 0;
}

static void draw_row(struct cli_meter *m, const struct cli_row *row)
{
	char text[MAX_WIDTH + 1];
	size_t len = row_text(row, m->width - 1, text, sizeof(text));

	put_line(m, text, len, color_of(&row->p));
}

void cli_meter_draw(struct cli_meter *m, const struct cli_row *rows, size_t n)
{
	char text[MAX_WIDTH + 1];
	size_t hidden, len;
	bool *shown;

	if (in_background(m)) {
		m->lines = 0;
		return;
	}
	shown = cli_allocate(n, sizeof(*shown));
	hidden = choose(rows, n, m->height - 2, shown);
	rewind_lines(m);
	for (size_t i = 0; i < n && hidden; i++)
		if (shown[i] && rank(&rows[i].p) == TROUBLE)
			draw_row(m, &rows[i]);
	for (size_t i = 0; i < n; i++)
		if (shown[i] && !(hidden && rank(&rows[i].p) == TROUBLE))
			draw_row(m, &rows[i]);
	len = total_text(m, rows, n, hidden, m->width - 1, text, sizeof(text));
	put_line(m, text, len, NULL);
	fputs("\033[J", m->f);
	fflush(m->f);
	free(shown);
}

void cli_meter_print(struct cli_meter *m, const struct cli_row *rows, size_t n)
{
	char text[MAX_WIDTH + 1];

	for (size_t i = 0; i < n; i++) {
		row_text(&rows[i], 100, text, sizeof(text));
		fprintf(m->f, "%s\n", text);
	}
	total_text(m, rows, n, 0, 100, text, sizeof(text));
	fprintf(m->f, "%s\n", text);
	fflush(m->f);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A station in words: how many disks do what, when all is done, what decides that, and what
 * needs somebody. Only what the service tells of each disk is used; why a disk is slow it does
 * not tell, and so nothing is said of it here.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "top/model.h"

#define SLOW     0.7 /* of the median rate: then a disk ends last because it is slow */
#define US       UINT64_C(1000000)
#define NEAR_DAY (6 * 86400LL)

const char *top_duration(uint64_t seconds, char buf[16])
{
	uint64_t minutes = seconds / 60, hours = minutes / 60;

	if (seconds < 60)
		snprintf(buf, 16, "%us", (unsigned)seconds);
	else if (minutes < 60)
		snprintf(buf, 16, "%um", (unsigned)minutes);
	else if (hours < 48)
		snprintf(buf, 16, "%uh%02u", (unsigned)hours, (unsigned)(minutes % 60));
	else if (hours < 2400)
		snprintf(buf, 16, "%ud%02u", (unsigned)(hours / 24),
			 (unsigned)(hours % 24));
	else
		snprintf(buf, 16, ">99d");
	return buf;
}

const char *top_clock(uint64_t us, uint64_t now_us, char buf[32])
{
	static const char *const day[] = {
		"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"
	};
	time_t then = (time_t)(us / US), now = (time_t)(now_us / US);
	struct tm a = { 0 }, b = { 0 };

	localtime_r(&then, &a);
	localtime_r(&now, &b);
	if (a.tm_yday == b.tm_yday && a.tm_year == b.tm_year)
		snprintf(buf, 32, "%02d:%02d", a.tm_hour, a.tm_min);
	else if (llabs((long long)then - (long long)now) < NEAR_DAY)
		snprintf(buf, 32, "%s %02d:%02d", day[a.tm_wday % 7], a.tm_hour,
			 a.tm_min);
	else
		snprintf(buf, 32, "%04d-%02d-%02d", a.tm_year + 1900, a.tm_mon + 1,
			 a.tm_mday);
	return buf;
}

/* What all disks come to. */
struct headline {
	size_t count[TOP_KINDS];
	uint64_t rate;
	uint64_t first_start;
	uint64_t last_start;
	const struct cli_station_disk *last; /* that ends last */
	const struct cli_station_disk *hot;
	size_t without_end;
};

struct top_saying {
	struct top_part *part;
	size_t n;
};

__attribute__((format(printf, 3, 4))) static void
report_part(struct top_saying *w, enum top_kind kind, const char *format, ...)
{
	va_list args;

	if (w->n == TOP_PARTS)
		return;
	w->part[w->n].kind = kind;
	va_start(args, format);
	vsnprintf(w->part[w->n].text, TOP_TEXT, format, args);
	va_end(args);
	dw_text_printable(w->part[w->n++].text);
}

static void add_waiting(struct headline *h, const struct cli_station_disk *d)
{
	uint64_t start = d->expected_start_time;

	if (!start || !strcmp(d->state, "paused"))
		return;
	if (!h->first_start || start < h->first_start)
		h->first_start = start;
	if (start > h->last_start)
		h->last_start = start;
}

static struct headline sum_up(const struct cli_station *s)
{
	struct headline h = { 0 };
	int32_t hottest = 0;
	uint64_t end = 0;

	for (size_t i = 0; i < s->n_disks; i++) {
		const struct cli_station_disk *d = &s->disk[i];
		enum top_kind kind = top_kind(d);

		h.count[kind]++;
		if (d->temperature > hottest) {
			hottest = d->temperature;
			h.hot = d;
		}
		if (kind == TOP_WAITING)
			add_waiting(&h, d);
		if (kind == TOP_WORKING)
			h.rate += d->rate;
		if (kind != TOP_WORKING && kind != TOP_WAITING)
			continue;
		h.without_end += !d->expected_end_time;
		if (d->expected_end_time > end) {
			end = d->expected_end_time;
			h.last = d;
		}
	}
	return h;
}

__attribute__((format(printf, 3, 4))) static void append(char *buf, size_t size,
							 const char *format, ...)
{
	size_t len = strlen(buf);
	va_list args;

	va_start(args, format);
	vsnprintf(buf + len, size - len, format, args);
	va_end(args);
}

/* "2 FAILED, 34 erase, 12 wait, 10 done": those that there are. */
static void report_counts(struct top_saying *w, const struct headline *h)
{
	static const char *const word[TOP_KINDS] = { [TOP_TROUBLE] = "FAILED",
						     [TOP_WORKING] = "erase",
						     [TOP_WAITING] = "wait",
						     [TOP_DONE] = "done",
						     [TOP_STOPPED] = "stopped" };
	char text[160] = "";

	for (size_t i = 0; i < TOP_KINDS; i++)
		if (h->count[i] && word[i])
			append(text, sizeof(text), "%s%zu %s", text[0] ? ", " : "",
			       h->count[i], word[i]);
	if (!text[0])
		append(text, sizeof(text), "nothing to do");
	report_part(w, h->count[TOP_TROUBLE] ? TOP_TROUBLE : TOP_KINDS, "%s", text);
}

static void tell_end(struct top_saying *w, const struct headline *h, uint64_t now_us)
{
	char rate[DW_UNIT_TEXT], clock[32], left[16], who[32] = "all";
	uint64_t end = h->last ? h->last->expected_end_time : 0;

	if (h->count[TOP_WORKING])
		report_part(w, TOP_KINDS, "%s",
			    dw_rate_format(h->rate, 1000 * US, rate, sizeof(rate)));
	if (!end)
		return;
	if (h->without_end)
		snprintf(who, sizeof(who), "all but %zu", h->without_end);
	report_part(w, TOP_KINDS, "%s done %s (%s)", who, top_clock(end, now_us, clock),
		    top_duration(end > now_us ? (end - now_us) / US : 0, left));
}

static bool fails_health(const struct cli_station_disk *d)
{
	return !strncmp(d->health, "failing", 7);
}

static bool has_failed(const struct cli_station_disk *d)
{
	return top_kind(d) == TOP_TROUBLE;
}

/* "FAILED: A03 B12 +3": as many names as there is room for. */
static void report_names(struct top_saying *w, const struct top *t, unsigned width,
			 const char *before, bool (*is)(const struct cli_station_disk *))
{
	char text[TOP_TEXT], label[TOP_LABEL];
	size_t more = 0, len = (size_t)snprintf(text, sizeof(text), "%s:", before);

	if (width >= sizeof(text))
		width = sizeof(text) - 1;
	for (size_t i = 0; i < t->station->n_disks; i++) {
		const struct cli_station_disk *d = &t->station->disk[i];

		if (!is(d))
			continue;
		top_label(d, label);
		if (more || len + strlen(label) + strlen(" +999") >= width)
			more++;
		else
			len += (size_t)snprintf(text + len, sizeof(text) - len, " %s",
						label);
	}
	if (more)
		append(text, sizeof(text), " +%zu", more);
	if (text[strlen(before) + 1])
		report_part(w, TOP_TROUBLE, "%s", text);
}

static int compare_rates(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Of the disks that move; 0 = fewer than three do, and there is nothing to compare. */
static uint64_t median_rate(const struct cli_station *s)
{
	uint64_t *rate = cli_allocate(s->n_disks, sizeof(*rate)), median = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n_disks; i++)
		if (top_kind(&s->disk[i]) == TOP_WORKING && s->disk[i].rate)
			rate[n++] = s->disk[i].rate;
	qsort(rate, n, sizeof(*rate), compare_rates);
	if (n >= 3)
		median = rate[n / 2];
	free(rate);
	return median;
}

/* Which disk decides when all is done, and whether that is its rate or what it has to do. */
static void report_last(struct top_saying *w, const struct top *t,
			const struct headline *h)
{
	uint64_t median = median_rate(t->station);
	char label[TOP_LABEL], rate[DW_UNIT_TEXT], others[DW_UNIT_TEXT];

	if (!h->last || h->count[TOP_WORKING] + h->count[TOP_WAITING] < 2)
		return;
	top_label(h->last, label);
	if (top_kind(h->last) == TOP_WORKING && h->last->rate &&
	    (double)h->last->rate < SLOW * (double)median)
		report_part(w, TOP_WAITING, "%s ends last: slow, %s, median %s", label,
			    dw_rate_format(h->last->rate, 1000 * US, rate, sizeof(rate)),
			    dw_rate_format(median, 1000 * US, others, sizeof(others)));
	else
		report_part(w, TOP_KINDS, "%s ends last", label);
}

static void report_waiting(struct top_saying *w, const struct headline *h,
			   uint64_t now_us)
{
	char first[32], last[32];

	if (!h->first_start)
		return;
	top_clock(h->first_start, now_us, first);
	top_clock(h->last_start, now_us, last);
	if (!strcmp(first, last))
		report_part(w, TOP_KINDS, "next starts %s", first);
	else
		report_part(w, TOP_KINDS, "next starts %s, last %s", first, last);
}

static void report_rest(struct top_saying *w, const struct top *t,
			const struct headline *h)
{
	char label[TOP_LABEL];

	if (h->hot)
		report_part(w, TOP_KINDS, "hottest %s %d C", top_label(h->hot, label),
			    h->hot->temperature);
	if (h->count[TOP_FREE])
		report_part(w, TOP_KINDS, "%zu free", h->count[TOP_FREE]);
	if (t->note[0] && t->now_us < t->note_us + TOP_NEWS)
		report_part(w, TOP_WAITING, "service: %s", t->note);
}

size_t top_words(const struct top *t, unsigned width, struct top_part part[TOP_PARTS])
{
	struct headline h = sum_up(t->station);
	struct top_saying w = { .part = part };

	if (t->away[0])
		report_part(&w, TOP_TROUBLE, "%s", t->away);
	if (t->station->manager.simulated)
		report_part(&w, TOP_WAITING, "SIMULATED");
	report_counts(&w, &h);
	tell_end(&w, &h, t->now_us);
	report_names(&w, t, width, "FAILED", has_failed);
	report_last(&w, t, &h);
	report_waiting(&w, &h, t->now_us);
	report_names(&w, t, width, "failing health", fails_health);
	report_rest(&w, t, &h);
	return w.n;
}

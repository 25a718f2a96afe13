/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of `diskwipe top`. The station is read again and again, and its disks come and
 * go: cursor and marks are therefore kept by the paths of disks, never by their places.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "top/model.h"

void top_init(struct top *t)
{
	static const struct cli_station nothing;

	*t = (struct top){ .station = &nothing, .grid.fits = true };
}

void top_deinit(struct top *t)
{
	free(t->row);
	free(t->mark);
	free(t->target);
	*t = (struct top){ 0 };
}

bool top_has_job(const struct cli_station_disk *d)
{
	return strcmp(d->job, "/") != 0 && d->job[0] && !d->outcome[0];
}

/* What has ended, by its outcome. */
static enum top_kind kind_of_outcome(const char *outcome)
{
	static const struct {
		const char *name;
		enum top_kind kind;
	} known[] = { { "", TOP_DONE },
		      { "erased", TOP_DONE },
		      { "as-expected", TOP_DONE },
		      { "stopped", TOP_STOPPED },
		      { "cancelled", TOP_STOPPED } };

	for (size_t i = 0; i < CLI_ARRAY_SIZE(known); i++)
		if (!strcmp(outcome, known[i].name))
			return known[i].kind;
	return TOP_TROUBLE;
}

/* Each state with its word on the screen; a state that is not here is work of some kind. */
static const struct {
	const char *state;
	enum top_kind kind;
	const char *word;
} states[] = {
	{ "free", TOP_FREE, "free" },
	{ "offered", TOP_FREE, "offered" },
	{ "refused", TOP_REFUSED, "refused" },
	{ "queued", TOP_WAITING, "queued" },
	{ "waiting", TOP_WAITING, "waiting" },
	{ "paused", TOP_WAITING, "paused" },
	{ "absent", TOP_ABSENT, "absent" },
	{ "quarantined", TOP_TROUBLE, "STALLED" },
	{ "claiming", TOP_WORKING, "claims" },
	{ "writing", TOP_WORKING, "writes" },
	{ "flushing", TOP_WORKING, "flushes" },
	{ "verifying", TOP_WORKING, "verifies" },
	{ "repairing", TOP_WORKING, "repairs" },
	{ "recovering", TOP_WORKING, "recovers" },
	{ "sanitizing", TOP_WORKING, "sanitize" },
	{ "power-cycling", TOP_TROUBLE, "UNPLUG" },
	{ "pausing", TOP_WORKING, "pausing" },
	{ "stopping", TOP_WORKING, "stopping" },
};

static size_t state_row(const struct cli_station_disk *d)
{
	size_t i = 0;

	while (i < CLI_ARRAY_SIZE(states) && strcmp(states[i].state, d->state) != 0)
		i++;
	return i;
}

enum top_kind top_kind(const struct cli_station_disk *d)
{
	size_t i = state_row(d);

	if (!strcmp(d->state, "done"))
		return cli_station_used_again(d) ? TOP_STOPPED
						 : kind_of_outcome(d->outcome);
	if (i == CLI_ARRAY_SIZE(states))
		return TOP_WORKING;
	if (states[i].kind != TOP_ABSENT)
		return states[i].kind;
	/* out of its bay: the work that it had is not done, or what came of it still counts */
	if (top_has_job(d) || kind_of_outcome(d->outcome) == TOP_TROUBLE)
		return TOP_TROUBLE;
	return TOP_ABSENT;
}

const char *top_state_word(const struct cli_station_disk *d)
{
	size_t i = state_row(d);

	switch (top_kind(d)) {
	case TOP_TROUBLE:
		return top_has_job(d)                                  ? "PULLED"
		       : !strcmp(d->outcome, "removed")                ? "REMOVED"
		       : !strcmp(d->outcome, "erased-with-exceptions") ? "BAD BLKS"
		       : !strcmp(d->outcome, "not-as-expected")        ? "DIFFERS"
		       : !strcmp(d->state, "quarantined")              ? "STALLED"
								       : "FAILED";
	case TOP_DONE:
		return !strcmp(d->outcome, "as-expected") ? "verified" : "erased";
	case TOP_STOPPED:
		return cli_station_used_again(d) ? "USED" : "stopped";
	default:
		return i < CLI_ARRAY_SIZE(states) ? states[i].word : "works";
	}
}

bool top_needs_care(const struct cli_station_disk *d)
{
	return d->bad_blocks || d->errors || !strncmp(d->health, "failing", 7);
}

/* "Slot 3" has "3", but "Shelf 13" has not. */
static bool ends_in(const char *bay, const char *slot)
{
	size_t len = strlen(bay), n = strlen(slot);

	return len >= n && !strcmp(bay + len - n, slot) &&
	       (len == n || !isalnum((unsigned char)bay[len - n - 1]));
}

const char *top_label(const struct cli_station_disk *d, char buf[TOP_LABEL])
{
	const char *slash = strrchr(d->device[0] ? d->device : d->path, '/');
	const char *text = d->bay[0]       ? d->bay
			   : d->slot[0]    ? d->slot
			   : d->address[0] ? d->address
			   : slash         ? slash + 1
					   : d->device;

	const char *colon = strrchr(d->slot, ':'); /* "ENCLOSURE:SLOT" */
	const char *slot = colon ? colon + 1 : d->slot;

	/* a section of the configuration may be a bay of many slots */
	if (d->bay[0] && slot[0] && !ends_in(d->bay, slot))
		snprintf(buf, TOP_LABEL, "%.*s, %.*s", TOP_LABEL / 2, text, TOP_LABEL / 3,
			 slot);
	else
		snprintf(buf, TOP_LABEL, "%s", text);
	return dw_text_printable(buf);
}

/* In a rack: by bay, and what is in no bay behind it; numbers in a name count as numbers. */
static int compare_place(const struct cli_station_disk *a,
			 const struct cli_station_disk *b)
{
	int r = (a->bay[0] == '\0') - (b->bay[0] == '\0');

	if (!r)
		r = strverscmp(a->bay, b->bay);
	if (!r)
		r = (a->slot[0] == '\0') - (b->slot[0] == '\0');
	if (!r)
		r = strverscmp(a->slot, b->slot);
	if (!r)
		r = strverscmp(a->address, b->address);
	return r ? r : strverscmp(a->path, b->path);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_key(const struct top *t, const struct cli_station_disk *a,
		       const struct cli_station_disk *b)
{
	bool works_a = top_kind(a) == TOP_WORKING, works_b = top_kind(b) == TOP_WORKING;

	switch (t->order) {
	case TOP_BY_STATE:
		return (int)top_kind(a) - (int)top_kind(b);
	case TOP_BY_END: /* what has none yet comes last: 0 - 1 is the greatest number */
		return compare_numbers(a->expected_end_time - 1,
				       b->expected_end_time - 1);
	case TOP_BY_RATE:
		if (works_a != works_b)
			return works_a ? -1 : 1;
		return works_a ? compare_numbers(a->rate, b->rate) : 0;
	case TOP_BY_ERRORS:
		return b->bad_blocks != a->bad_blocks
			       ? compare_numbers(b->bad_blocks, a->bad_blocks)
			       : compare_numbers(b->errors, a->errors);
	case TOP_BY_HEAT:
		return (b->temperature > a->temperature) -
		       (b->temperature < a->temperature);
	default:
		return 0;
	}
}

static int compare_rows(const void *x, const void *y, void *arg)
{
	const struct cli_station_disk *a = *(const struct cli_station_disk *const *)x;
	const struct cli_station_disk *b = *(const struct cli_station_disk *const *)y;
	const struct top *t = arg;
	int r = 0;

	/* what failed has to be seen without a key where not all can be seen */
	if (!t->grid.fits)
		r = (top_kind(a) != TOP_TROUBLE) - (top_kind(b) != TOP_TROUBLE);
	if (!r)
		r = compare_key(t, a, b);
	return r ? r : compare_place(a, b);
}

static bool passes(const struct top *t, const struct cli_station_disk *d)
{
	switch (t->filter) {
	case TOP_ONLY_WORKING:
		return top_kind(d) == TOP_WORKING;
	case TOP_ONLY_WAITING:
		return top_kind(d) == TOP_WAITING;
	case TOP_ONLY_FAILED:
		return top_kind(d) == TOP_TROUBLE;
	default:
		return true;
	}
}

const struct cli_station_disk *top_disk_at(const struct top *t)
{
	return t->at < t->n_rows ? t->row[t->at] : NULL;
}

void top_move(struct top *t, size_t at)
{
	t->at = at < t->n_rows ? at : t->n_rows ? t->n_rows - 1 : 0;
	if (t->n_rows)
		snprintf(t->cursor, sizeof(t->cursor), "%s", t->row[t->at]->path);
}

static size_t find_mark(const struct top *t, const char *path)
{
	size_t i = 0;

	while (i < t->n_marks && strcmp(t->mark[i], path) != 0)
		i++;
	return i;
}

bool top_marked(const struct top *t, const struct cli_station_disk *d)
{
	return find_mark(t, d->path) < t->n_marks;
}

static void drop_mark(struct top *t, size_t i)
{
	if (i != --t->n_marks)
		memcpy(t->mark[i], t->mark[t->n_marks], TOP_PATH);
}

void top_mark(struct top *t, const struct cli_station_disk *d)
{
	size_t i = find_mark(t, d->path);
	void *more;

	if (i < t->n_marks) {
		drop_mark(t, i);
		return;
	}
	more = realloc(t->mark, (t->n_marks + 1) * sizeof(*t->mark));
	if (!more)
		return;
	t->mark = more;
	snprintf(t->mark[t->n_marks++], TOP_PATH, "%s", d->path);
}

static bool is_shown(const struct top *t, const char *path)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (!strcmp(t->row[i]->path, path))
			return true;
	return false;
}

void top_sort(struct top *t)
{
	size_t at = t->touched ? t->at : 0;

	t->n_rows = 0;
	for (size_t i = 0; i < t->station->n_disks; i++)
		if (passes(t, &t->station->disk[i]))
			t->row[t->n_rows++] = &t->station->disk[i];
	if (t->n_rows)
		qsort_r(t->row, t->n_rows, sizeof(const struct cli_station_disk *),
			compare_rows, t);
	for (size_t i = 0; i < t->n_rows && t->touched; i++)
		if (!strcmp(t->row[i]->path, t->cursor))
			at = i;
	top_move(t, at);
	/* a command never is about a disk that is not shown */
	for (size_t i = t->n_marks; i-- > 0;)
		if (!is_shown(t, t->mark[i]))
			drop_mark(t, i);
}

static void take_note(struct top *t)
{
	char *const *notes = t->station->manager.notes;
	char newest[TOP_TEXT] = "";

	for (; notes && *notes; notes++)
		snprintf(newest, sizeof(newest), "%s", *notes);
	if (!strcmp(newest, t->note))
		return;
	memcpy(t->note, newest, sizeof(t->note));
	t->note_us = t->now_us;
}

void top_update(struct top *t, const struct cli_station *s, uint64_t now_us)
{
	t->station = s;
	t->now_us = now_us;
	take_note(t);
	if (now_us >= t->reported_us + TOP_NEWS)
		t->message[0] = '\0';
	free(t->row);
	t->row = cli_allocate(s->n_disks, sizeof(const struct cli_station_disk *));
	top_sort(t);
}

const struct cli_station_job *top_job_of(const struct top *t,
					 const struct cli_station_disk *d)
{
	for (size_t i = 0; i < t->station->n_jobs; i++)
		if (!strcmp(t->station->job[i].path, d->job))
			return &t->station->job[i];
	return NULL;
}

void top_say(struct top *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(t->message, sizeof(t->message), format, args);
	t->reported_us = t->now_us;
	va_end(args);
}

const char *top_order_name(enum top_order o)
{
	static const char *const names[TOP_ORDERS] = { "bay",  "state",  "end",
						       "rate", "errors", "temperature" };

	return names[o];
}

const char *top_filter_name(enum top_filter f)
{
	static const char *const names[TOP_FILTERS] = { "all", "working", "waiting",
							"failed" };

	return names[f];
}

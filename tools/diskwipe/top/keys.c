/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys. A command is about the marked disks or, without marks and among the details of a disk,
 * the one under the cursor. What it is about is copied when the key is pressed, so that a question
 * and its answer mean the same disks whatever the station tells in between.
 */
#include <stdlib.h>
#include <string.h>

#include "job/confirm.h"
#include "top/keys.h"

static bool can_pause(const struct cli_station_disk *d)
{
	return top_has_job(d) && strcmp(d->state, "paused") != 0 &&
	       strcmp(d->state, "pausing") != 0;
}

static bool can_resume(const struct cli_station_disk *d)
{
	return top_has_job(d) &&
	       (!strcmp(d->state, "paused") || !strcmp(d->state, "pausing"));
}

static bool can_cancel(const struct cli_station_disk *d)
{
	return top_has_job(d);
}

static bool can_start(const struct cli_station_disk *d)
{
	return top_kind(d) == TOP_FREE && !d->refusal[0];
}

/* As diskwipe erase names it: with a disk's texts, of which none is obeyed. */
static void describe(struct top_target *g, const struct cli_station_disk *d)
{
	char size[DW_UNIT_TEXT];

	snprintf(g->line, sizeof(g->line), "%s  %s  %s %s  %s  %s%s%s%s", g->label,
		 d->device[0] ? d->device : d->block, d->vendor, d->model,
		 d->serial[0] ? d->serial : d->wwn,
		 dw_size_format(d->capacity, size, sizeof(size)),
		 d->signatures[0] ? "  holds: " : "", d->signatures,
		 strncmp(d->health, "failing", 7) ? "" : "  failing");
	dw_text_printable(g->line);
}

static void take_target(struct top *t, const struct cli_station_disk *d)
{
	struct top_target *g = &t->target[t->n_targets++];

	*g = (struct top_target){ .capacity = d->capacity };
	snprintf(g->path, sizeof(g->path), "%s", d->path);
	snprintf(g->job, sizeof(g->job), "%s", d->job);
	snprintf(g->device, sizeof(g->device), "%s", d->device[0] ? d->device : d->block);
	snprintf(g->serial, sizeof(g->serial), "%s", d->serial);
	snprintf(g->wwn, sizeof(g->wwn), "%s", d->wwn);
	top_label(d, g->label);
	describe(g, d);
}

/* The disks that are meant and @may be; the first that may not be is @ret_not. */
static void choose(struct top *t, bool (*may)(const struct cli_station_disk *),
		   const struct cli_station_disk **ret_not)
{
	const struct cli_station_disk *at = top_disk_at(t);

	*ret_not = NULL;
	free(t->target);
	t->target = cli_allocate(t->n_rows, sizeof(*t->target));
	t->n_targets = 0;
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct cli_station_disk *d = t->row[i];

		if (t->n_marks && t->mode == TOP_LIST ? !top_marked(t, d) : d != at)
			continue;
		if (may(d))
			take_target(t, d);
		else if (!*ret_not)
			*ret_not = d;
	}
}

static enum top_action print_not(struct top *t, const struct cli_station_disk *d,
				 const char *what)
{
	char label[TOP_LABEL];

	if (d && d->refusal[0] && !strcmp(what, "started"))
		top_say(t, "%s may not be erased: %s", top_label(d, label),
			d->reason[0] ? d->reason : d->refusal);
	else if (d)
		top_say(t, "%s is %s: it cannot be %s", top_label(d, label), d->state,
			what);
	else
		top_say(t, "there is no disk that could be %s", what);
	return TOP_ACT_NONE;
}

static enum top_action command(struct top *t,
			       bool (*may)(const struct cli_station_disk *),
			       const char *what, enum top_action action)
{
	const struct cli_station_disk *other;

	choose(t, may, &other);
	return t->n_targets ? action : print_not(t, other, what);
}

static enum top_action ask(struct top *t, enum top_mode mode)
{
	t->mode = mode;
	t->scroll = 0;
	t->answer[0] = '\0';
	t->message[0] = '\0';
	t->forecast[0] = '\0';
	return TOP_ACT_ASKED;
}

static enum top_action ask_cancel(struct top *t)
{
	enum top_action a = command(t, can_cancel, "cancelled", TOP_ACT_ASKED);

	return a == TOP_ACT_ASKED ? ask(t, TOP_ASK_CANCEL) : a;
}

/* All or none: a number that somebody counted has to be the number of the marked disks. */
static enum top_action ask_start(struct top *t)
{
	const struct cli_station_disk *other;

	if (t->away[0]) {
		top_say(t, "the service does not answer: nothing can be started");
		return TOP_ACT_NONE;
	}
	choose(t, can_start, &other);
	if (other || !t->n_targets)
		return print_not(t, other, "started");
	for (size_t i = 0; i < t->n_targets; i++) {
		if (t->target[i].serial[0] || t->target[i].wwn[0])
			continue;
		top_say(t, "%s has no serial and no WWN: erase it by diskwipe erase %s",
			t->target[i].label, t->target[i].device);
		return TOP_ACT_NONE;
	}
	return ask(t, TOP_ASK_START);
}

const char *top_answer(const struct top *t, char buf[TOP_ANSWER])
{
	struct dw_disk disk = { 0 };

	if (t->n_targets) {
		snprintf(disk.info.serial, sizeof(disk.info.serial), "%s",
			 t->target[0].serial);
		snprintf(disk.info.wwn, sizeof(disk.info.wwn), "%s", t->target[0].wwn);
	}
	return cli_confirm_answer(&disk, t->n_targets, buf, TOP_ANSWER);
}

static bool is_answered(const struct top *t)
{
	char wanted[TOP_ANSWER], given[TOP_ANSWER];
	size_t len;

	snprintf(given, sizeof(given), "%s", t->answer + strspn(t->answer, " "));
	len = strlen(given);
	while (len && given[len - 1] == ' ')
		given[--len] = '\0';
	return len && !strcmp(given, top_answer(t, wanted));
}

static enum top_action leave_page(struct top *t)
{
	t->mode = TOP_LIST;
	t->scroll = 0;
	return TOP_ACT_NONE;
}

/* Move in a page of text; the layout knows how far it goes. */
static bool scroll_page(struct top *t, int key)
{
	size_t page = t->grid.rows > 1 ? t->grid.rows - 1 : 1;

	if (key == TOP_KEY_DOWN)
		t->scroll++;
	else if (key == TOP_KEY_PAGE_DOWN)
		t->scroll += page;
	else if (key == TOP_KEY_UP)
		t->scroll -= t->scroll ? 1 : 0;
	else if (key == TOP_KEY_PAGE_UP)
		t->scroll -= t->scroll < page ? t->scroll : page;
	else
		return false;
	return true;
}

static enum top_action give_up(struct top *t)
{
	leave_page(t);
	top_say(t, "not confirmed; nothing was written");
	return TOP_ACT_NONE;
}

static enum top_action key_of_start(struct top *t, int key)
{
	size_t len = strlen(t->answer);

	if (scroll_page(t, key))
		return TOP_ACT_NONE;
	if (key == TOP_KEY_ESCAPE)
		return give_up(t);
	if (key == TOP_KEY_ENTER && !is_answered(t))
		return give_up(t);
	if (key == TOP_KEY_ENTER) {
		leave_page(t);
		return TOP_ACT_START;
	}
	if (key == TOP_KEY_ERASE && len)
		t->answer[len - 1] = '\0';
	else if (key >= ' ' && key < 127 && len + 1 < sizeof(t->answer)) {
		t->answer[len] = (char)key;
		t->answer[len + 1] = '\0';
	}
	return TOP_ACT_NONE;
}

static enum top_action key_of_cancel(struct top *t, int key)
{
	if (scroll_page(t, key))
		return TOP_ACT_NONE;
	leave_page(t);
	if (key == 'y' || key == 'Y')
		return TOP_ACT_CANCEL;
	top_say(t, "nothing was cancelled");
	return TOP_ACT_NONE;
}

/* All that are shown, or none when all are. */
static void mark_all(struct top *t)
{
	bool all = t->n_marks == t->n_rows;

	for (size_t i = 0; i < t->n_rows; i++)
		if (top_marked(t, t->row[i]) == all)
			top_mark(t, t->row[i]);
}

static void mark_one(struct top *t)
{
	const struct cli_station_disk *d = top_disk_at(t);

	if (d)
		top_mark(t, d);
	top_move(t, t->at + 1);
}

/* Up and down stay in the list; left and right go by whole columns. */
static bool move_cursor(struct top *t, int key)
{
	size_t rows = t->grid.rows ? t->grid.rows : 1;
	size_t page = rows * (t->grid.columns ? t->grid.columns : 1);
	size_t back = 0, on = 0;

	if (key == TOP_KEY_UP || key == 'k')
		back = 1;
	else if (key == TOP_KEY_DOWN || key == 'j')
		on = 1;
	else if (key == TOP_KEY_LEFT)
		back = rows;
	else if (key == TOP_KEY_RIGHT)
		on = rows;
	else if (key == TOP_KEY_PAGE_UP)
		back = page;
	else if (key == TOP_KEY_PAGE_DOWN)
		on = page;
	else if (key == TOP_KEY_HOME)
		back = t->at;
	else if (key == TOP_KEY_END)
		on = t->n_rows;
	else
		return false;
	top_move(t, t->at + on - (back < t->at ? back : t->at));
	return true;
}

static bool change_view(struct top *t, int key)
{
	if (key == 'o')
		t->order = (t->order + 1) % TOP_ORDERS;
	else if (key == 'f')
		t->filter = (t->filter + 1) % TOP_FILTERS;
	else if (key == 'v')
		t->columns = (t->columns + 1) % 4;
	else
		return false;
	top_sort(t);
	return true;
}

static enum top_action command_key(struct top *t, int key)
{
	switch (key) {
	case 'p':
		return command(t, can_pause, "paused", TOP_ACT_PAUSE);
	case 'r':
		return command(t, can_resume, "resumed", TOP_ACT_RESUME);
	case 'c':
		return ask_cancel(t);
	case 's':
		return ask_start(t);
	default:
		return TOP_ACT_NONE;
	}
}

static enum top_action key_of_list(struct top *t, int key)
{
	t->message[0] = '\0';
	if (move_cursor(t, key) || change_view(t, key))
		return TOP_ACT_NONE;
	if (key == ' ')
		mark_one(t);
	else if (key == 'a')
		mark_all(t);
	else if (key == TOP_KEY_ESCAPE)
		t->n_marks = 0;
	else if (key == TOP_KEY_ENTER && top_disk_at(t))
		t->mode = TOP_DETAILS;
	else if (key == '?' || key == 'h')
		t->mode = TOP_HELP;
	else
		return command_key(t, key);
	return TOP_ACT_NONE;
}

/* A page is left by any key but those that move in it and, from the details, commands. */
static enum top_action key_of_page(struct top *t, int key)
{
	if (t->mode == TOP_DETAILS && (key == TOP_KEY_LEFT || key == TOP_KEY_RIGHT)) {
		t->scroll = 0;
		top_move(t, key == TOP_KEY_LEFT ? t->at - (t->at ? 1 : 0) : t->at + 1);
		return TOP_ACT_NONE;
	}
	if (scroll_page(t, key))
		return TOP_ACT_NONE;
	if (t->mode == TOP_DETAILS && key > ' ' && key < 127 && strchr("prcs", key)) {
		t->message[0] = '\0';
		return command_key(t, key);
	}
	t->message[0] = '\0';
	return leave_page(t);
}

enum top_action top_key(struct top *t, int key)
{
	if (key == TOP_KEY_NONE)
		return TOP_ACT_NONE;
	if (key == TOP_KEY_REDRAW)
		return TOP_ACT_REDRAW;
	t->touched = true;
	/* nobody answers a question that is not to be seen */
	if (t->small || t->mode == TOP_WALL)
		return key == 'q' ? TOP_ACT_QUIT : TOP_ACT_NONE;
	switch (t->mode) {
	case TOP_ASK_START:
		return key_of_start(t, key);
	case TOP_ASK_CANCEL:
		return key_of_cancel(t, key);
	case TOP_DETAILS:
	case TOP_HELP:
		return key_of_page(t, key);
	default:
		return key == 'q' ? TOP_ACT_QUIT : key_of_list(t, key);
	}
}

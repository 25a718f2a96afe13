/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages of text: the details of a disk, the keys, a question. A page may be longer than the
 * screen; it is written from its first line on, and what is above or below the window is only
 * counted.
 */
#include <string.h>

#include "top/keys.h"
#include "top/layout.h"

#define US   UINT64_C(1000000)
#define NAME 14 /* places of a property's name */

/**
 * struct roll - a page that is being written
 * @from, @rows: lines of the screen that it has
 * @line: where the next one goes, from the top of the page
 */
struct roll {
	const struct top *t;
	struct top_page *p;
	unsigned from;
	unsigned rows;
	size_t line;
};

static void put_at(struct roll *r, unsigned x, unsigned look, const char *text)
{
	size_t y = r->line - r->t->scroll;

	if (r->line >= r->t->scroll && y < r->rows)
		top_page_put(r->p, r->from + (unsigned)y, x, r->p->width - x, look, text);
}

/* Break a text into lines at blanks; one without blanks ends with a mark. */
static void put_wrapped(struct roll *r, unsigned x, unsigned look, const char *text)
{
	unsigned room = r->p->width - x;
	char line[TOP_TEXT];

	do {
		text = top_text_line(text, room, line);
		put_at(r, x, look, line);
		r->line++;
	} while (*text);
}

static void put_text(struct roll *r, const char *name, const char *text)
{
	if (!text || !text[0])
		return;
	put_at(r, 0, TOP_PLAIN, name);
	put_wrapped(r, NAME, TOP_PLAIN, text);
}

static void put_time(struct roll *r, const char *name, uint64_t us)
{
	char clock[32];

	if (us)
		put_text(r, name, top_clock(us, r->t->now_us, clock));
}

static void put_number(struct roll *r, const char *name, uint64_t n)
{
	char text[DW_UNIT_TEXT];

	put_text(r, name, dw_count_format(n, text, sizeof(text)));
}

static void put_size(struct roll *r, const char *name, uint64_t bytes)
{
	char text[DW_UNIT_TEXT];

	put_text(r, name, dw_size_format(bytes, text, sizeof(text)));
}

static void put_work(struct roll *r, const struct cli_station_disk *d)
{
	char text[160], done[DW_UNIT_TEXT], all[DW_UNIT_TEXT];

	if (d->bytes_total) {
		snprintf(text, sizeof(text), "%.1f%%, %s of %s", d->progress * 100,
			 dw_size_format(d->bytes, done, sizeof(done)),
			 dw_size_format(d->bytes_total, all, sizeof(all)));
		put_text(r, "progress", text);
	}
	if (cli_station_disk_pass(d)) {
		snprintf(text, sizeof(text), "%u of %u", cli_station_disk_pass(d),
			 d->passes);
		put_text(r, "pass", text);
	}
	if (d->rate)
		put_text(r, "rate",
			 dw_rate_format(d->rate, 1000 * US, text, sizeof(text)));
	put_number(r, "bad blocks", d->bad_blocks);
	put_number(r, "repeated", d->errors);
	put_time(r, "started", d->start_time);
	if (!d->start_time)
		put_time(r, "starts", d->expected_start_time);
	put_time(r, "ends", d->expected_end_time);
	put_text(r, "outcome", d->outcome);
	put_text(r, "message", d->message);
}

static void put_identity(struct roll *r, const struct cli_station_disk *d)
{
	char text[64];

	put_text(r, "bay", d->bay);
	put_text(r, "slot", d->slot);
	put_text(r, "address", d->address);
	put_text(r, "device", d->device);
	put_text(r, "block device", d->block);
	put_text(r, "vendor", d->vendor);
	put_text(r, "model", d->model);
	put_text(r, "revision", d->revision);
	put_text(r, "serial", d->serial);
	put_text(r, "WWN", d->wwn);
	put_size(r, "capacity", d->capacity);
	if (d->block_size)
		put_number(r, "block size", d->block_size);
	put_text(r, "transport", d->transport);
	if (d->temperature > CLI_NO_TEMPERATURE) {
		snprintf(text, sizeof(text), "%d C", d->temperature);
		put_text(r, "temperature", text);
	}
	put_text(r, "health", d->health);
	put_text(r, "holds", d->signatures);
}

static void put_job(struct roll *r, const struct cli_station_job *j)
{
	char text[64];

	if (!j)
		return;
	r->line++;
	put_text(r, "job", j->id);
	put_text(r, "label", j->label);
	put_text(r, "job state", j->state);
	put_text(r, "job outcome", j->outcome);
	put_text(r, "method", j->method);
	put_text(r, "verify", j->verify);
	snprintf(text, sizeof(text), "%u of %u done", j->disks_done, j->disks);
	put_text(r, "disks", text);
	snprintf(text, sizeof(text), "%d", j->priority);
	put_text(r, "priority", text);
	snprintf(text, sizeof(text), "%u", j->uid);
	put_text(r, "user id", text);
	put_time(r, "submitted", j->submit_time);
	put_time(r, "job ends", j->expected_end_time);
	put_time(r, "job ended", j->end_time);
	put_text(r, "job message", j->message);
}

static void put_details(struct roll *r)
{
	const struct cli_station_disk *d = top_disk_at(r->t);

	if (!d)
		return;
	put_text(r, "state", d->state);
	put_work(r, d);
	put_text(r, "refused", d->refusal);
	put_text(r, "reason", d->reason);
	put_text(r, "release", d->release);
	r->line++;
	put_identity(r, d);
	put_job(r, top_job_of(r->t, d));
}

static void put_help(struct roll *r)
{
	static const char *const key[][2] = {
		{ "arrows, k j", "move; left and right by columns" },
		{ "PgUp PgDn", "by screens; Home, End: first and last disk" },
		{ "Enter", "all that is known of the disk" },
		{ "Space",
		  "mark the disk for the next command; a: all or none; Esc: none" },
		{ "s", "start to erase free or offered disks, after a question" },
		{ "p r", "pause, resume" },
		{ "c", "cancel, after a question" },
		{ "o", "order: bay, state, end, rate, errors, temperature" },
		{ "f", "filter: all, working, waiting, failed" },
		{ "v", "columns: as many as needed, 1, 2, 3" },
		{ "Ctrl-L", "draw again" },
		{ "q", "quit; jobs go on" },
	};
	static const char *const rest[] = {
		"Commands are about the marked disks, without marks about the one at the cursor.",
		"> cursor, * marked, ! errors or failing health.",
		"States in capitals need attention.",
		"LEFT is the time that remains: 45s, 12m, 1h02, 3d04 (days and hours).",
	};

	for (size_t i = 0; i < CLI_ARRAY_SIZE(key); i++)
		put_text(r, key[i][0], key[i][1]);
	r->line++;
	for (size_t i = 0; i < CLI_ARRAY_SIZE(rest); i++)
		put_wrapped(r, 0, TOP_PLAIN, rest[i]);
}

static void put_targets(struct roll *r)
{
	if (r->t->mode == TOP_ASK_START && r->t->forecast[0])
		put_wrapped(r, 0, TOP_PLAIN, r->t->forecast);
	for (size_t i = 0; i < r->t->n_targets; i++)
		put_wrapped(r, 2, TOP_PLAIN, r->t->target[i].line);
}

/* What is asked, and what was typed so far with a cursor behind it. */
static void put_question(const struct top *t, struct top_page *p)
{
	char text[2 * TOP_TEXT], answer[TOP_ANSWER];
	unsigned y = p->height - 2, x;

	if (t->deaf) {
		top_page_put(p, y, 0, p->width, TOP_BOLD, t->away);
		return;
	}
	if (t->mode == TOP_ASK_CANCEL) {
		top_page_put(p, y, 0, p->width, TOP_BOLD,
			     "What was begun stays half erased. y = yes");
		top_page_put(p, y + 1, 0, p->width, TOP_PLAIN, "any other key = no");
		return;
	}
	if (t->n_targets == 1)
		snprintf(text, sizeof(text), "Type the last %zu characters of its %s: ",
			 strlen(top_answer(t, answer)),
			 t->target[0].serial[0] ? "serial" : "WWN");
	else
		snprintf(text, sizeof(text), "Type the number of disks above: ");
	x = top_page_put(p, y, 0, p->width - 1, TOP_BOLD, text);
	x = top_page_put(p, y, x, p->width - x - 1, TOP_PLAIN, t->answer);
	top_page_put(p, y, x, 1, TOP_REVERSE, " ");
	top_page_put(p, y + 1, 0, p->width, TOP_PLAIN, "Enter = answer  Esc = no");
}

static void title_text(const struct top *t, char *buf, size_t size)
{
	const struct cli_station_disk *d = top_disk_at(t);
	char label[TOP_LABEL];

	switch (t->mode) {
	case TOP_HELP:
		snprintf(buf, size, "Keys");
		break;
	case TOP_ASK_CANCEL:
		snprintf(buf, size, "To be cancelled: %zu disk%s", t->n_targets,
			 t->n_targets == 1 ? "" : "s");
		break;
	case TOP_ASK_START:
		snprintf(buf, size, "To be ERASED by %s:", t->how);
		break;
	default:
		snprintf(buf, size, "%s", d ? top_label(d, label) : "no disk");
	}
}

static void put_page(struct roll *r)
{
	r->line = 0;
	if (r->t->mode == TOP_HELP)
		put_help(r);
	else if (r->t->mode == TOP_DETAILS)
		put_details(r);
	else
		put_targets(r);
}

static void put_page_footer(const struct top *t, struct top_page *p, size_t more)
{
	const char *keys[5];
	char on[64];
	int n = 0;

	snprintf(on, sizeof(on), "Down=%zu more ", more);
	if (more)
		keys[n++] = on;
	keys[n++] = "any other key=back ";
	if (t->mode == TOP_DETAILS) {
		keys[n++] = "s p r c=as in the list ";
		keys[n++] = "Left Right=other disk";
	}
	keys[n] = NULL;
	top_page_put(p, p->height - 2, 0, p->width, TOP_BOLD, t->message);
	top_page_footer(p, keys, "");
}

void top_layout_page(struct top *t, struct top_page *p)
{
	bool asks = t->mode == TOP_ASK_CANCEL || t->mode == TOP_ASK_START;
	struct roll r = { .t = t, .p = p, .from = 1, .rows = p->height - 3 };
	char title[TOP_TEXT], more[64];
	size_t scroll = t->scroll, below;

	top_page_clear(p, p->width, p->height);
	t->grid.rows = r.rows;
	/* once beyond all lines, to count them */
	t->scroll = SIZE_MAX;
	put_page(&r);
	t->scroll = r.line > r.rows ? r.line - r.rows : 0;
	t->scroll = scroll < t->scroll ? scroll : t->scroll;
	put_page(&r);
	title_text(t, title, sizeof(title));
	top_page_put(p, 0, 0, p->width, TOP_BOLD, title);
	below = r.line > t->scroll + r.rows ? r.line - t->scroll - r.rows : 0;
	if (!asks) {
		put_page_footer(t, p, below);
		return;
	}
	put_question(t, p);
	snprintf(more, sizeof(more), "%s%zu more lines: Up, Down", t->scroll ? "^ " : "",
		 below);
	if (below || t->scroll)
		top_page_put(p, p->height - 1, p->width > 60 ? 30 : 40, p->width,
			     TOP_PLAIN, more);
}

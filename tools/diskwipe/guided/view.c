/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guided start on a page of cells: what is chosen, the disks with a box each, all that is to
 * be said of the one under the cursor, and the keys. What a colour or a faint letter tells stands
 * in letters as well: a disk that may not be erased has no box, and its reason.
 */
#include <string.h>

#include "guided/view.h"
#include "job/verification.h"

#define BOX      6 /* "> [x] " */
#define SIZE     7
#define SERIAL   20
#define MODEL    24
#define NOTE_MIN 16 /* of what a disk holds, or why it may not be erased */
#define LOW      16 /* lines of a screen that has one for the disk under the cursor */
#define ABOUT    4  /* lines for it on a higher one */
#define BEFORE   14 /* places before what an item is */

/* The width of each column, 0 = not shown. */
struct guided_form {
	unsigned device;
	unsigned model;
	unsigned serial;
	unsigned note;
};

static unsigned at_most(unsigned n, unsigned most)
{
	return n < most ? n : most;
}

static struct guided_form form_rows(const struct guided *g, unsigned width)
{
	struct guided_form f = { .device = 6, .model = 5, .serial = 6 };
	unsigned left = width - BOX;

	for (size_t i = 0; i < g->n_rows; i++) {
		const struct dw_disk_info *info = &g->row[i].disk.info;
		unsigned device = top_text_width(cli_disk_node(info)),
			 model = top_text_width(info->model),
			 serial = top_text_width(info->serial);

		f.device = device > f.device ? at_most(device, SERIAL) : f.device;
		f.model = model > f.model ? at_most(model, MODEL) : f.model;
		f.serial = serial > f.serial ? at_most(serial, SERIAL) : f.serial;
	}
	f.device = at_most(f.device, left - SIZE - 2);
	left -= f.device + 1 + SIZE + 1;
	f.serial = at_most(f.serial, left);
	left -= f.serial;
	if (left < f.model + NOTE_MIN + 2)
		f.model = 0;
	else
		left -= f.model + 1;
	f.note = left > 1 ? left - 1 : 0;
	return f;
}

static unsigned put_column(struct top_page *p, unsigned y, unsigned x, unsigned width,
			   unsigned look, const char *text)
{
	if (!width)
		return x;
	top_page_put(p, y, x, width, look, text);
	return x + width + 1;
}

static void put_columns(struct top_page *p, unsigned y, const struct guided_form *f,
			unsigned look, const char *const text[5])
{
	unsigned n = at_most(top_text_width(text[1]), SIZE), x = BOX;

	x = put_column(p, y, x, f->device, look, text[0]);
	put_column(p, y, x + SIZE - n, n, look, text[1]);
	x = put_column(p, y, x + SIZE + 1, f->model, look, text[2]);
	x = put_column(p, y, x, f->serial, look, text[3]);
	put_column(p, y, x, f->note, look, text[4]);
}

static void put_row(const struct guided *g, struct top_page *p,
		    const struct guided_form *f, unsigned y, size_t i)
{
	const struct guided_row *r = &g->row[i];
	const struct dw_disk *d = &r->disk;
	unsigned reverse = i == g->at ? TOP_REVERSE : 0;
	unsigned look = reverse | (r->marked       ? TOP_BOLD
				   : guided_may(r) ? TOP_PLAIN
						   : TOP_DIM);
	char size[DW_UNIT_TEXT], box[BOX + 1];
	const char *text[] = {
		cli_disk_node(&d->info),
		dw_size_format(cli_disk_bytes(&d->info), size, sizeof(size)),
		d->info.model, d->info.serial,
		guided_may(r) ? d->verdict.signatures : d->verdict.reason
	};

	for (unsigned x = 0; x < p->width; x++)
		top_page_put(p, y, x, 1, reverse, " ");
	snprintf(box, sizeof(box), "%c %s", i == g->at ? '>' : ' ',
		 r->marked       ? "[x]"
		 : guided_may(r) ? "[ ]"
				 : " - ");
	top_page_put(p, y, 0, BOX, look, box);
	put_columns(p, y, f, look, text);
}

/* The first line that is shown, so that line @at is. */
static size_t follow(size_t first, size_t at, size_t n, size_t rows)
{
	if (at < first)
		first = at;
	if (at >= first + rows)
		first = at + 1 - rows;
	return n > rows && first > n - rows ? n - rows : n > rows ? first : 0;
}

static void put_list(struct guided *g, struct top_page *p, unsigned y, unsigned rows)
{
	static const char *const headings[] = { "DEVICE", "SIZE", "MODEL", "SERIAL",
						"HOLDS, OR WHY NOT" };
	struct guided_form f = form_rows(g, p->width);

	put_columns(p, y++, &f, TOP_BOLD, headings);
	g->page = rows - 1;
	g->first = follow(g->first, g->at, g->n_rows, g->page);
	for (unsigned i = 0; i < g->page && g->first + i < g->n_rows; i++)
		put_row(g, p, &f, y + i, g->first + i);
	if (g->row && !g->n_rows)
		top_page_put(p, y, BOX, p->width - BOX, TOP_PLAIN,
			     "no disk is here; r looks again");
}

static void put_wrapped(struct top_page *p, unsigned *y, unsigned end, unsigned look,
			const char *text)
{
	char line[TOP_TEXT];

	while (*text && *y < end) {
		/* the last line says that there is more */
		if (*y + 1 == end)
			snprintf(line, sizeof(line), "%s", text);
		else
			text = top_text_line(text, p->width, line);
		top_page_put(p, (*y)++, 0, p->width, look, line);
	}
}

/* What there is of it, each with what stands before it. */
static void add(char *text, size_t size, const char *before, const char *value)
{
	size_t len = strlen(text);

	if (value[0])
		snprintf(text + len, size - len, "%s%s", before, value);
}

/* All that is to be said of the disk under the cursor. */
static void put_disk(const struct guided *g, struct top_page *p, unsigned y, unsigned end)
{
	const struct guided_row *r = g->at < g->n_rows ? &g->row[g->at] : NULL;
	char text[1024] = "", size[DW_UNIT_TEXT];
	const struct dw_disk_info *info;

	if (!r)
		return;
	info = &r->disk.info;
	if (!guided_may(r)) {
		add(text, sizeof(text), "", cli_disk_node(info));
		add(text, sizeof(text), " may not be erased: ", r->disk.verdict.reason);
		add(text, sizeof(text), "; to release it: ", r->disk.verdict.release);
		put_wrapped(p, &y, end, TOP_NOTE, text);
	}
	text[0] = '\0';
	add(text, sizeof(text), "", cli_disk_node(info));
	add(text, sizeof(text), "  ", info->vendor);
	add(text, sizeof(text), info->vendor[0] ? " " : "  ", info->model);
	add(text, sizeof(text), "  ", info->serial[0] ? info->serial : info->wwn);
	add(text, sizeof(text), "  ",
	    dw_size_format(cli_disk_bytes(info), size, sizeof(size)));
	add(text, sizeof(text), "  ", info->transport);
	add(text, sizeof(text), "  slot ", info->slot);
	add(text, sizeof(text), "  holds: ", r->disk.verdict.signatures);
	put_wrapped(p, &y, end, TOP_PLAIN, text);
}

/* Method, level, and what is read back, of which the method decides where nobody else does. */
static void put_choices(const struct guided *g, struct top_page *p, unsigned *y)
{
	struct guided_item item[GUIDED_CHOICES] = { 0 };
	char text[TOP_TEXT], usual[96];
	struct dw_job_spec spec;

	for (unsigned c = 0; c < GUIDED_CHOICES; c++)
		guided_item_at((enum guided_choice)c, g->chosen[c], &item[c]);
	dw_job_spec_init(&spec);
	snprintf(spec.method, sizeof(spec.method), "%s", item[GUIDED_METHOD].word);
	cli_verification_say(&spec, NULL, usual, sizeof(usual));
	snprintf(text, sizeof(text), "method %s, level %s, %sverification: %s",
		 item[GUIDED_METHOD].word, item[GUIDED_LEVEL].word,
		 g->paper[0] && !g->service ? "certificate, " : "",
		 item[GUIDED_VERIFY].option[0] ? item[GUIDED_VERIFY].word : usual);
	put_wrapped(p, y, p->height < LOW ? 2 : 3, TOP_PLAIN, text);
}

/* Returns the line after it. */
static unsigned put_head(const struct guided *g, struct top_page *p)
{
	char text[TOP_TEXT], bytes[DW_UNIT_TEXT];
	uint64_t all;
	size_t n = guided_marked(g, &all), may = 0;
	unsigned y = 1;

	for (size_t i = 0; i < g->n_rows; i++)
		may += guided_may(&g->row[i]);
	if (!g->row)
		snprintf(text, sizeof(text), "diskwipe");
	else
		snprintf(text, sizeof(text), "diskwipe: %zu disk%s, %zu may be erased",
			 g->n_rows, g->n_rows == 1 ? "" : "s", may);
	if (n)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "; %zu marked, %s", n,
			 dw_size_format(all, bytes, sizeof(bytes)));
	/* what is marked is what may not be cut */
	if (n && top_text_width(text) > p->width)
		snprintf(text, sizeof(text), "%zu of %zu disk%s marked, %s", n, g->n_rows,
			 g->n_rows == 1 ? "" : "s", bytes);
	top_page_put(p, 0, 0, p->width, TOP_BOLD, text);
	put_choices(g, p, &y);
	return y;
}

static void lay_list(struct guided *g, struct top_page *p)
{
	static const char *const keys[] = { "?=help", "q=quit",   "Space=mark", "s=start",
					    "p=plan", "m=method", "v=verify",   "l=level",
					    "c=pdf",  "r=look",   NULL };
	unsigned about = p->height < LOW ? 2 : ABOUT, end = p->height - 2 - about;
	unsigned y = put_head(g, p);
	char text[64] = "";

	if (g->note[0])
		top_page_put(p, y++, 0, p->width, TOP_NOTE, g->note);
	put_list(g, p, y, end - y);
	put_disk(g, p, end, end + about);
	top_page_put(p, p->height - 2, 0, p->width, TOP_BOLD, g->message);
	if (g->n_rows > g->page)
		snprintf(text, sizeof(text), "%zu/%zu", g->at + 1, g->n_rows);
	if (g->row)
		top_page_footer(p, keys, text);
}

static void put_item(struct top_page *p, unsigned y, const struct guided_item *item,
		     unsigned title, bool at)
{
	unsigned look = at ? TOP_REVERSE : TOP_PLAIN;

	top_page_put(p, y, 0, 2, look, at ? "> " : "  ");
	top_page_put(p, y, 2, p->width - 2, look, item->word);
	if (title < p->width)
		top_page_put(p, y, title, p->width - title, look, item->title);
}

static void lay_choice(struct guided *g, struct top_page *p)
{
	static const char *const titles[GUIDED_CHOICES] = { "Method", "Verification",
							    "Level" };
	static const char *const keys[] = { "Enter=take", "Esc=back", "Up Down=move",
					    NULL };
	unsigned y = p->height - 1 - ABOUT, title = 0;
	struct guided_item item;
	char text[TOP_TEXT];
	size_t n = 0;

	for (; guided_item_at(g->choice, n, &item); n++)
		if (strlen(item.word) > title)
			title = (unsigned)strlen(item.word);
	g->page = y - 1;
	g->first_item = follow(g->first_item, g->item, n, g->page);
	top_page_put(p, 0, 0, p->width, TOP_BOLD, titles[g->choice]);
	for (unsigned i = 0; i < g->page && g->first_item + i < n; i++) {
		guided_item_at(g->choice, g->first_item + i, &item);
		put_item(p, 1 + i, &item, title + 4, g->first_item + i == g->item);
	}
	guided_item_at(g->choice, g->item, &item);
	snprintf(text, sizeof(text), "%s", item.title);
	add(text, sizeof(text), "; ", item.worth);
	put_wrapped(p, &y, p->height - 1, TOP_PLAIN, text);
	top_page_footer(p, keys, "");
}

#define KEY 11 /* places before what a key does */

/* From line @n of the help on; those from @first on are on the page. Returns the next number. */
static size_t put_help(const struct guided *g, struct top_page *p, size_t n, unsigned x,
		       const char *key, const char *text)
{
	char line[TOP_TEXT];

	do {
		bool shown = n >= g->first_item && n < g->first_item + g->page;
		unsigned y = shown ? 1 + (unsigned)(n - g->first_item) : p->height;

		text = top_text_line(text, p->width - x, line);
		top_page_put(p, y, 0, x, TOP_BOLD, key);
		top_page_put(p, y, x, p->width - x, TOP_PLAIN, line);
		key = "";
		n++;
	} while (*text);
	return n;
}

static size_t put_helps(const struct guided *g, struct top_page *p)
{
	static const char *const key[][2] = {
		{ "Space", "mark the disk under the cursor, or take its mark away" },
		{ "s, Enter", "start: the disks are claimed, then you are asked" },
		{ "p", "what it would do, and how long it takes; writes nothing" },
		{ "m v l", "method, verification, level" },
		{ "c", "a signed certificate at the end, as a PDF in this folder" },
		{ "r", "look for disks again" },
		{ "q, Ctrl-C", "quit; nothing has been written" },
		{ "arrows", "move; also k j PgUp PgDn Home End" },
		{ "Ctrl-L", "draw the screen again" },
	};
	size_t n = 0;

	for (size_t i = 0; i < CLI_ARRAY_SIZE(key); i++)
		n = put_help(g, p, n, KEY, key[i][0], key[i][1]);
	n = put_help(g, p, n + 1, 0, "",
		     "Without this screen: diskwipe list, diskwipe erase DEVICE");
	return put_help(g, p, n, 0, "", "More: diskwipe --help, man diskwipe");
}

static void lay_help(struct guided *g, struct top_page *p)
{
	char text[64] = "";
	size_t n, more;

	g->page = 0; /* counts only */
	n = put_helps(g, p);
	g->page = p->height - 2;
	g->first_item = follow(g->first_item, g->first_item, n, g->page);
	put_helps(g, p);
	more = n > g->first_item + g->page ? n - g->first_item - g->page : 0;
	if (more)
		snprintf(text, sizeof(text), "Down=%zu more  ", more);
	add(text, sizeof(text), "", "any other key=back");
	top_page_put(p, 0, 0, p->width, TOP_BOLD, "Keys");
	top_page_put(p, p->height - 1, 0, p->width, TOP_PLAIN, text);
}

void guided_layout(struct guided *g, unsigned width, unsigned height, struct top_page *p)
{
	top_page_clear(p, width, height);
	g->small = top_page_small(p);
	if (g->small)
		return;
	if (g->mode == GUIDED_CHOOSE)
		lay_choice(g, p);
	else if (g->mode == GUIDED_HELP)
		lay_help(g, p);
	else
		lay_list(g, p);
}

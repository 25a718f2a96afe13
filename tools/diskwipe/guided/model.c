/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of the guided start, and what is chosen. Between two looks at the machine disks come,
 * go and change their nodes. A mark stays with a name and a capacity: it is gone where the disk
 * is not there as it was.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "guided/model.h"

#define CERTIFICATE "--certificate="

static const struct guided_item verifications[] = {
	{ "usual", "what the method asks for: mostly a sample of 1 %", "", { NULL } },
	{ "sample:10%", "a sample of 10 %", "", { "--verify=sample:10%" } },
	{ "full",
	  "every block is read",
	  "it takes about as long as a pass that writes",
	  { "--verify=full" } },
	{ "off",
	  "nothing is read",
	  "no proof is left but the answers of the disk",
	  { "--verify=off" } },
};

static const struct guided_item levels[] = {
	{ "clear",
	  "every block that a host can reach is overwritten",
	  "blocks that the disk has replaced are not reached",
	  { NULL } },
	{ "purge",
	  "each disk erases itself; one that cannot is skipped",
	  "the method becomes auto",
	  { "--level=purge" } },
	{ "purge or clear",
	  "each disk erases itself; one that cannot is cleared",
	  "the method becomes auto",
	  { "--level=purge", "--or-clear" } },
};

static bool method_at(size_t i, struct guided_item *ret)
{
	struct dw_method_info m;

	if (!dw_method_info_get(i, &m))
		return false;
	*ret = (struct guided_item){ m.name, m.title, m.worth, { "--method", m.name } };
	return true;
}

bool guided_item_at(enum guided_choice choice, size_t i, struct guided_item *ret)
{
	size_t n = choice == GUIDED_VERIFY ? CLI_ARRAY_SIZE(verifications)
					   : CLI_ARRAY_SIZE(levels);

	if (choice == GUIDED_METHOD)
		return method_at(i, ret);
	if (i >= n)
		return false;
	*ret = choice == GUIDED_VERIFY ? verifications[i] : levels[i];
	return true;
}

static void choose_method(struct guided *g, const char *name)
{
	struct guided_item item;

	for (size_t i = 0; method_at(i, &item); i++)
		if (!strcmp(item.word, name))
			g->chosen[GUIDED_METHOD] = i;
}

/* The method that a level has where none is named; see cli_set_level(). */
static void choose_usual_method(struct guided *g)
{
	struct dw_job_spec usual;

	dw_job_spec_init(&usual);
	choose_method(g, g->chosen[GUIDED_LEVEL] ? "auto" : usual.method);
}

void guided_init(struct guided *g)
{
	*g = (struct guided){ .page = 1 };
	choose_usual_method(g);
}

void guided_deinit(struct guided *g)
{
	free(g->row);
	g->row = NULL;
	g->n_rows = 0;
}

void guided_say(struct guided *g, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(g->message, sizeof(g->message), format, args);
	va_end(args);
}

bool guided_may(const struct guided_row *r)
{
	return r->disk.verdict.refusal == DW_REFUSAL_NONE;
}

size_t guided_marked(const struct guided *g, uint64_t *ret_bytes)
{
	uint64_t bytes = 0;
	size_t n = 0;

	for (size_t i = 0; i < g->n_rows; i++) {
		if (!g->row[i].marked)
			continue;
		bytes += cli_disk_bytes(&g->row[i].disk.info);
		n++;
	}
	if (ret_bytes)
		*ret_bytes = bytes;
	return n;
}

/* As it would be found again; see cli_select_planned(). */
static bool is_as_it_was(const struct dw_disk_info *was, const struct dw_disk_info *is)
{
	return dw_disk_match(was, is, DW_SAME_NAMED) &&
	       dw_disk_match(was, is, DW_SAME_CAPACITY);
}

static const struct guided_row *find_row(const struct guided *g,
					 const struct dw_disk_info *info)
{
	for (size_t i = 0; i < g->n_rows; i++)
		if (is_as_it_was(&g->row[i].disk.info, info))
			return &g->row[i];
	return NULL;
}

/* What is marked is named by what it is: a disk without a name can only be named by its node. */
static void refuse_nameless(struct dw_disk *d)
{
	const struct dw_verdict *v = cli_nameless(&d->info);

	if (!v || d->verdict.refusal != DW_REFUSAL_NONE)
		return;
	d->verdict = *v;
	snprintf(d->verdict.release, sizeof(d->verdict.release), "diskwipe %s",
		 cli_disk_node(&d->info));
}

static bool is_another_path(const struct guided_row *row, size_t n,
			    const struct dw_disk_info *info)
{
	for (size_t i = 0; i < n; i++)
		if (dw_disk_same_unit(&row[i].disk.info, info))
			return true;
	return false;
}

void guided_take(struct guided *g, struct dw_disk *disks, size_t n)
{
	struct guided_row *row = cli_allocate(n, sizeof(*row));
	size_t before = guided_marked(g, NULL), n_rows = 0, at = g->at, lost;

	dw_disks_refuse_duplicates(disks, n);
	for (size_t i = 0; i < n; i++) {
		struct guided_row *r = &row[n_rows];
		const struct guided_row *was = find_row(g, &disks[i].info);

		if (is_another_path(row, n_rows, &disks[i].info))
			continue;
		r->disk = disks[i];
		refuse_nameless(&r->disk);
		r->marked = was && was->marked && guided_may(r);
		if (was && was == &g->row[g->at])
			at = n_rows;
		n_rows++;
	}
	free(g->row);
	g->row = row;
	g->n_rows = n_rows;
	g->at = at < n_rows ? at : n_rows ? n_rows - 1 : 0;
	lost = before - guided_marked(g, NULL);
	if (lost)
		guided_say(g,
			   "%zu of the marked disks %s not here as before, and %s no "
			   "longer marked",
			   lost, lost == 1 ? "is" : "are", lost == 1 ? "is" : "are");
}

/* Returns whether the key is one that moves. */
static bool move(size_t *at, size_t n, size_t page, int key)
{
	size_t last = n ? n - 1 : 0;

	if (key == TOP_KEY_UP || key == 'k')
		*at -= *at ? 1 : 0;
	else if (key == TOP_KEY_DOWN || key == 'j')
		*at += 1;
	else if (key == TOP_KEY_PAGE_UP)
		*at -= *at < page ? *at : page;
	else if (key == TOP_KEY_PAGE_DOWN)
		*at += page;
	else if (key == TOP_KEY_HOME)
		*at = 0;
	else if (key == TOP_KEY_END)
		*at = last;
	else
		return false;
	*at = *at < last ? *at : last;
	return true;
}

/* The next one is probably meant as well. */
static void mark(struct guided *g)
{
	struct guided_row *r = g->at < g->n_rows ? &g->row[g->at] : NULL;

	if (!r) {
		guided_say(g, "there is no disk to mark");
	} else if (guided_may(r)) {
		r->marked = !r->marked;
		move(&g->at, g->n_rows, g->page, TOP_KEY_DOWN);
	} else {
		guided_say(g, "%s cannot be marked: it may not be erased",
			   cli_disk_node(&r->disk.info));
	}
}

static enum guided_action with_marks(struct guided *g, enum guided_action action)
{
	if (guided_marked(g, NULL))
		return action;
	guided_say(g, "no disk is marked; Space marks the one under the cursor");
	return GUIDED_NONE;
}

static enum guided_action open_choice(struct guided *g, enum guided_choice choice)
{
	g->mode = GUIDED_CHOOSE;
	g->choice = choice;
	g->item = g->chosen[choice];
	return GUIDED_NONE;
}

static void choose(struct guided *g)
{
	g->chosen[g->choice] = g->item;
	g->mode = GUIDED_LIST;
	if (g->choice == GUIDED_LEVEL)
		choose_usual_method(g);
}

/* A new name each time: no paper is written over another. */
static void choose_paper(struct guided *g)
{
	time_t now = time(NULL);
	struct tm tm;

	if (g->service)
		guided_say(g, "the service signs what it does, if it is configured to: "
			      "diskwipe-report prints it");
	else if (g->paper[0] || !localtime_r(&now, &tm))
		g->paper[0] = '\0';
	else if (strftime(g->paper, sizeof(g->paper),
			  CERTIFICATE "diskwipe-%Y%m%d-%H%M%S.pdf", &tm))
		guided_say(g, "a signed certificate will be in %s, in this folder",
			   g->paper + strlen(CERTIFICATE));
}

static enum guided_action key_of_choice(struct guided *g, int key)
{
	struct guided_item item;
	size_t n = 0;

	while (guided_item_at(g->choice, n, &item))
		n++;
	if (key == TOP_KEY_ENTER || key == ' ')
		choose(g);
	else if (key == TOP_KEY_ESCAPE || key == TOP_KEY_LEFT || key == 'q')
		g->mode = GUIDED_LIST;
	else
		move(&g->item, n, g->page, key);
	return GUIDED_NONE;
}

static enum guided_action key_of_list(struct guided *g, int key)
{
	switch (key) {
	case ' ':
		mark(g);
		return GUIDED_NONE;
	case 'm':
		return open_choice(g, GUIDED_METHOD);
	case 'v':
		return open_choice(g, GUIDED_VERIFY);
	case 'l':
		return open_choice(g, GUIDED_LEVEL);
	case 'c':
		choose_paper(g);
		return GUIDED_NONE;
	case 'p':
		return with_marks(g, GUIDED_PLAN);
	case 's':
	case TOP_KEY_ENTER:
		return with_marks(g, GUIDED_START);
	case 'r':
		return GUIDED_RESCAN;
	case '?':
	case 'h':
		g->mode = GUIDED_HELP;
		g->first_item = 0;
		return GUIDED_NONE;
	case 'q':
		return GUIDED_QUIT;
	default:
		move(&g->at, g->n_rows, g->page, key);
		return GUIDED_NONE;
	}
}

enum guided_action guided_key(struct guided *g, int key)
{
	g->message[0] = '\0';
	if (key == TOP_KEY_REDRAW)
		return GUIDED_REDRAW;
	if (g->small) /* nobody sees what a key would do */
		return key == 'q' ? GUIDED_QUIT : GUIDED_NONE;
	if (g->mode == GUIDED_LIST)
		return key_of_list(g, key);
	if (g->mode == GUIDED_CHOOSE)
		return key_of_choice(g, key);
	/* the layout knows how many lines the help has */
	if (!move(&g->first_item, SIZE_MAX, g->page, key))
		g->mode = GUIDED_LIST;
	return GUIDED_NONE;
}

int guided_words(const struct guided *g, bool preview, const char *word[GUIDED_WORDS])
{
	struct guided_item item;
	int n = 0;

	word[n++] = cli_name;
	word[n++] = g->service ? "submit" : "erase";
	for (unsigned c = 0; c < GUIDED_CHOICES; c++) {
		if (!guided_item_at((enum guided_choice)c, g->chosen[c], &item))
			continue;
		for (size_t i = 0; i < CLI_ARRAY_SIZE(item.option); i++)
			if (item.option[i])
				word[n++] = item.option[i];
	}
	if (g->paper[0] && !g->service)
		word[n++] = g->paper;
	if (preview)
		word[n++] = "--dry-run";
	else if (g->service)
		word[n++] = "--wait";
	word[n] = NULL;
	return n;
}

void guided_plan(const struct cli *c, const struct guided *g, struct dw_plan_doc *ret)
{
	*ret = (struct dw_plan_doc){ 0 };
	ret->entry = cli_allocate(g->n_rows, sizeof(*ret->entry));
	for (size_t i = 0; i < g->n_rows; i++)
		if (g->row[i].marked)
			cli_select_entry(c, &g->row[i].disk.info, &ret->entry[ret->n++]);
}

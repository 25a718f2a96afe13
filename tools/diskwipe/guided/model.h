/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_GUIDED_MODEL_H
#define DISKWIPE_GUIDED_MODEL_H

/*
 * What the guided start knows: disks, which of them are marked, and what is chosen for them.
 * Nothing here knows a terminal, and nothing erases: all that comes of it is a list of words and
 * a list of identities.
 */
#include "job/select.h"
#include "top/keys.h"

#define GUIDED_WORDS 16 /* of a command, at most, with NULL at its end */
#define GUIDED_PAPER 48 /* bytes of the option that names a certificate */

/** struct guided_row - a disk; @disk.verdict: why it cannot be marked */
struct guided_row {
	struct dw_disk disk;
	bool marked;
};

enum guided_mode { GUIDED_LIST, GUIDED_CHOOSE, GUIDED_HELP };

enum guided_choice { GUIDED_METHOD, GUIDED_VERIFY, GUIDED_LEVEL, GUIDED_CHOICES };

/**
 * struct guided_item - what can be chosen
 * @word: what it is called; @title: what it is
 * @worth: what there is to say of it besides; empty = nothing
 * @option: words of the command line that ask for it, NULL = no more
 */
struct guided_item {
	const char *word;
	const char *title;
	const char *worth;
	const char *option[2];
};

/**
 * struct guided - the screen's whole state
 * @row: the disks, each once; NULL = nobody has looked yet; owned
 * @at: row of the cursor; @first: row at the top of the screen
 * @chosen: item of each choice
 * @choice, @item, @first_item: the choice that is open, its cursor, and what is at the top, also
 *  of the help
 * @page: rows that the screen has, by the layout
 * @service: it runs here, and erases what is marked
 * @note: what there is to say of the service, empty = nothing
 * @paper: the option of erase that prints a certificate, empty = none is wanted
 * @records: the service's folder of signed records, empty = none
 * @message: of the last key, empty = none
 * @small: the terminal shows nothing of all this
 */
struct guided {
	struct guided_row *row;
	size_t n_rows;
	size_t at;
	size_t first;
	size_t chosen[GUIDED_CHOICES];
	enum guided_mode mode;
	enum guided_choice choice;
	size_t item;
	size_t first_item;
	size_t page;
	bool service;
	char note[TOP_TEXT];
	char records[TOP_PATH];
	char paper[GUIDED_PAPER];
	char message[TOP_TEXT];
	bool small;
};

/** enum guided_action - what a key asks of the program */
enum guided_action {
	GUIDED_NONE,
	GUIDED_QUIT,
	GUIDED_REDRAW,
	GUIDED_RESCAN,
	GUIDED_PLAN,
	GUIDED_START,
};

/** guided_init() - no disks; what `diskwipe erase` does without an option. */
void guided_init(struct guided *g);

/** guided_deinit() - free what it owns. */
void guided_deinit(struct guided *g);

/** guided_take() - the machine's disks as they are now, which are changed. Marks stay with disks
 *  that are there as they were, and the cursor with its disk. */
void guided_take(struct guided *g, struct dw_disk *disks, size_t n);

/** guided_may() - whether a disk can be marked. */
bool guided_may(const struct guided_row *r);

/** guided_marked() - how many are; @ret_bytes: of all of them, may be NULL. */
size_t guided_marked(const struct guided *g, uint64_t *ret_bytes);

/** guided_item_at() - item @i of a choice; false after the last. */
bool guided_item_at(enum guided_choice choice, size_t i, struct guided_item *ret);

/** guided_key() - @key was pressed: enum top_key, or a character. */
enum guided_action guided_key(struct guided *g, int key);

/** guided_say() - put a message on the screen. */
void guided_say(struct guided *g, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** guided_words() - the command that does what was chosen, or with @preview tells of it; returns
 *  their number. */
int guided_words(const struct guided *g, bool preview, const char *word[GUIDED_WORDS]);

/** guided_plan() - the marked disks, by what they are; dw_plan_deinit(). */
void guided_plan(const struct cli *c, const struct guided *g, struct dw_plan_doc *ret);

#endif

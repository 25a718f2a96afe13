/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_TOP_KEYS_H
#define DISKWIPE_TOP_KEYS_H

/* What keys do. */
#include "top/model.h"

/** enum top_key - keys that are no characters; a character is its own number */
enum top_key {
	TOP_KEY_NONE = 0,
	TOP_KEY_ENTER = '\n',
	TOP_KEY_ESCAPE = 27,
	TOP_KEY_ERASE = 127,
	TOP_KEY_UP = 0x1000,
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_REDRAW,
	TOP_KEY_OTHER,
};

/** enum top_action - what a key asks of the program; its disks are t->target[] */
enum top_action {
	TOP_ACT_NONE,
	TOP_ACT_QUIT,
	TOP_ACT_REDRAW,
	TOP_ACT_ASKED, /* a question is open: what was typed before does not answer it */
	TOP_ACT_PAUSE,
	TOP_ACT_RESUME,
	TOP_ACT_CANCEL,
	TOP_ACT_START,
};

/** top_key() - @key was pressed. */
enum top_action top_key(struct top *t, int key);

/** top_answer() - what has to be typed to start t->target[]: the same as for diskwipe erase;
 *  returns @buf. */
const char *top_answer(const struct top *t, char buf[TOP_ANSWER]);

#endif

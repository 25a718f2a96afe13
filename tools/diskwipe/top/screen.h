/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_TOP_SCREEN_H
#define DISKWIPE_TOP_SCREEN_H

/* The terminal of `diskwipe top` and of the guided start: the only user of curses. */
#include "top/keys.h"
#include "top/layout.h"

/** top_screen_begin() - take the terminal; false = it cannot do what is needed, then it is as
 *  it was. */
bool top_screen_begin(bool color);

/** top_screen_end() - give it back as it was; may be called twice. */
void top_screen_end(void);

/** top_screen_size() - its size now, in places. */
void top_screen_size(unsigned *ret_width, unsigned *ret_height);

/** top_screen_draw() - show a page; only what has changed is sent. */
void top_screen_draw(const struct top_page *p);

/** top_screen_redraw() - send everything with the next page. */
void top_screen_redraw(void);

/** top_screen_gone() - wait for a key, at most @ms milliseconds. Whether the terminal has gone: it
 *  answers at once then, and has no key. Where Ctrl-Z was pressed the program stops here. */
bool top_screen_gone(int ms);

/** top_screen_key() - a key that was pressed, TOP_KEY_NONE = none; does not wait. */
int top_screen_key(void);

/** top_screen_flush() - forget what was typed until the terminal has all that was drawn. */
void top_screen_flush(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells to a terminal. Curses keeps what the terminal shows and sends the difference, so that
 * nothing flickers and a serial line is not filled. Signals stay with the program: handlers that
 * are installed before curses are left alone by it. That of curses for Ctrl-Z gives the terminal
 * back in the middle of whatever is done, a drawing of curses as well.
 */
#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "signals.h"
#include "top/screen.h"

#define ESCAPE_MS 100 /* that the rest of a key's sequence may take on a slow line */

static SCREEN *screen;
static bool colored;
static volatile sig_atomic_t stop_wanted;
static struct sigaction stop_before;

static void note_stop(int sig)
{
	(void)sig;
	stop_wanted = 1;
}

static void catch_stop(bool on)
{
	struct sigaction note = { .sa_handler = note_stop, .sa_flags = SA_RESTART };

	sigemptyset(&note.sa_mask);
	sigaction(SIGTSTP, on ? &note : &stop_before, NULL);
}

/* Ctrl-Z: the terminal is as it was until somebody lets the program go on. */
static void suspend(void)
{
	stop_wanted = 0;
	endwin();
	catch_stop(false);
	raise(SIGTSTP);
	catch_stop(true);
	clearok(curscr, TRUE); /* others have written on it */
	refresh();
}

static void begin_colors(bool color)
{
	colored = color && has_colors() && start_color() == OK;
	if (!colored)
		return;
	use_default_colors();
	init_pair(TOP_BAD, COLOR_RED, -1);
	init_pair(TOP_GOOD, COLOR_GREEN, -1);
	init_pair(TOP_NOTE, COLOR_YELLOW, -1);
}

static bool has_capability(const char *name)
{
	const char *text = tigetstr(name);

	return text && text != (const char *)-1;
}

bool top_screen_begin(bool color)
{
	const char *term = getenv("TERM");

	if (!term || !*term)
		return false;
	sigaction(SIGTSTP, NULL, &stop_before);
	if (stop_before.sa_handler == SIG_DFL)
		catch_stop(true);
	cli_signals_screen(true);
	screen = newterm(NULL, stdout, stdin);
	if (!screen) {
		catch_stop(false);
		cli_signals_screen(false);
		return false;
	}
	if (!has_capability("cup") || !has_capability("clear")) {
		top_screen_end();
		return false;
	}
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	begin_colors(color);
	return true;
}

void top_screen_end(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
	catch_stop(false);
	cli_signals_screen(false);
	if (stop_wanted) {
		stop_wanted = 0;
		raise(SIGTSTP);
	}
}

void top_screen_size(unsigned *ret_width, unsigned *ret_height)
{
	struct winsize ws = { 0 };

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) && ws.ws_row && ws.ws_col &&
	    (ws.ws_row != LINES || ws.ws_col != COLS))
		resizeterm(ws.ws_row, ws.ws_col);
	*ret_width = (unsigned)COLS;
	*ret_height = (unsigned)LINES;
}

static attr_t attributes_of(unsigned look)
{
	attr_t a = look & TOP_REVERSE ? A_REVERSE : A_NORMAL;

	look &= TOP_REVERSE - 1;
	if (look == TOP_DIM)
		return a | A_DIM;
	return look == TOP_BOLD || look == TOP_BAD ? a | A_BOLD : a;
}

static short pair_of(unsigned look)
{
	look &= TOP_REVERSE - 1;
	return colored && look > TOP_BOLD && look != TOP_DIM ? (short)look : 0;
}

void top_screen_draw(const struct top_page *p)
{
	const struct top_cell *cell = p->cell;

	for (unsigned y = 0; y < p->height; y++)
		for (unsigned x = 0; x < p->width; x++, cell++) {
			wchar_t text[2] = { cell->c };
			cchar_t c;

			if (!cell->c || setcchar(&c, text, attributes_of(cell->look),
						 pair_of(cell->look), NULL) == ERR)
				continue;
			mvadd_wch((int)y, (int)x, &c);
		}
	move((int)p->height - 1, 0);
	refresh();
}

void top_screen_redraw(void)
{
	clearok(stdscr, TRUE);
}

static int special_key(int key)
{
	static const struct {
		int curses;
		int key;
	} known[] = {
		{ KEY_UP, TOP_KEY_UP },         { KEY_DOWN, TOP_KEY_DOWN },
		{ KEY_LEFT, TOP_KEY_LEFT },     { KEY_RIGHT, TOP_KEY_RIGHT },
		{ KEY_PPAGE, TOP_KEY_PAGE_UP }, { KEY_NPAGE, TOP_KEY_PAGE_DOWN },
		{ KEY_HOME, TOP_KEY_HOME },     { KEY_END, TOP_KEY_END },
		{ KEY_ENTER, TOP_KEY_ENTER },   { KEY_BACKSPACE, TOP_KEY_ERASE },
		{ KEY_DC, TOP_KEY_ERASE },      { '\r', TOP_KEY_ENTER },
		{ '\b', TOP_KEY_ERASE },        { 'L' - '@', TOP_KEY_REDRAW },
	};

	for (size_t i = 0; i < CLI_ARRAY_SIZE(known); i++)
		if (known[i].curses == key)
			return known[i].key;
	return key < 128 ? key : TOP_KEY_OTHER;
}

bool top_screen_gone(int ms)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

	if (stop_wanted)
		suspend();
	return poll(&p, 1, ms) > 0 && p.revents & (POLLHUP | POLLERR | POLLNVAL);
}

int top_screen_key(void)
{
	int key = getch();

	/* the size has been asked for anyway */
	while (key == KEY_RESIZE)
		key = getch();
	return key == ERR ? TOP_KEY_NONE : special_key(key);
}

void top_screen_flush(void)
{
	tcdrain(STDOUT_FILENO);
	flushinp();
}

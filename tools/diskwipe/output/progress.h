/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_PROGRESS_H
#define DISKWIPE_PROGRESS_H

/*
 * A line per disk, redrawn in place on a terminal, said now and then elsewhere. Rendering
 * takes values and a stream, so that tests can look at it.
 */
#include "cli.h"

/** struct cli_row - what a disk's line shows */
struct cli_row {
	const char *name;
	uint32_t block_size;
	bool verify_only;
	struct dw_progress p;
};

/**
 * struct cli_meter - the lines on the screen
 * @f: where they are
 * @bars: redraw in place; else plain lines
 * @color: colours are wanted
 * @seconds: of the job, @left: until its last disk ends; negative = unknown
 * @width, @height: of the terminal in characters
 * @lines: how many lines are drawn now
 * @length: how many characters each of them has: a narrower terminal wraps them
 */
struct cli_meter {
	FILE *f;
	bool bars;
	bool color;
	double seconds;
	double left;
	unsigned width;
	unsigned height;
	unsigned lines;
	unsigned *length;
	unsigned room;
};

/** cli_meter_init() - @bars on @f, of the size of its terminal. */
void cli_meter_init(struct cli_meter *m, FILE *f, bool bars, bool color);

/** cli_meter_deinit() - free what it holds; what is drawn stays. */
void cli_meter_deinit(struct cli_meter *m);

/** cli_meter_stream() - stderr for drawings: each goes to the terminal at once, so that it does
 *  not flicker, and is not cut in two where the program is stopped. To be closed unless it is
 *  stderr. */
FILE *cli_meter_stream(void);

/** cli_meter_resize() - ask the terminal for its size; COLUMNS and LINES where it has none. */
void cli_meter_resize(struct cli_meter *m);

/** cli_meter_forget() - something else stands below the lines that were drawn: new ones follow. */
void cli_meter_forget(struct cli_meter *m);

/** cli_meter_clear() - wipe the lines off, for other text to take their place. */
void cli_meter_clear(struct cli_meter *m);

/** cli_meter_draw() - draw all lines again: as many disks as fit, and a last line for the whole.
 *  Where not all fit, those that failed or stopped are on top, then those at work. Nothing in the
 *  background of a terminal's shell. */
void cli_meter_draw(struct cli_meter *m, const struct cli_row *rows, size_t n);

/** cli_meter_print() - the same as plain lines below each other, all of them. */
void cli_meter_print(struct cli_meter *m, const struct cli_row *rows, size_t n);

#endif

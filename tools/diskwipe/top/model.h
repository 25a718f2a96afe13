/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_TOP_MODEL_H
#define DISKWIPE_TOP_MODEL_H

/*
 * What `diskwipe top` knows: the disks of a station in the order in which they are shown, what
 * is chosen of them, and what may be said of all. Nothing here knows a terminal, a bus or a
 * clock.
 */
#include "client/client.h"

#define TOP_PATH   256 /* bytes of an object path */
#define TOP_LABEL  64  /* bytes of a disk's name on the screen */
#define TOP_TEXT   512 /* bytes of a message */
#define TOP_HOW    256 /* bytes of what a start does */
#define TOP_ANSWER 32  /* bytes of what is typed at a question */

/** enum top_kind - what a disk's state comes to; the first has to be seen first */
enum top_kind {
	TOP_TROUBLE, /* failed, or pulled out while it was erased */
	TOP_WORKING,
	TOP_WAITING,
	TOP_DONE,
	TOP_STOPPED,
	TOP_FREE,
	TOP_REFUSED,
	TOP_ABSENT,
	TOP_KINDS
};

enum top_order {
	TOP_BY_BAY,
	TOP_BY_STATE,
	TOP_BY_END,
	TOP_BY_RATE,
	TOP_BY_ERRORS,
	TOP_BY_HEAT,
	TOP_ORDERS
};

enum top_filter {
	TOP_ALL,
	TOP_ONLY_WORKING,
	TOP_ONLY_WAITING,
	TOP_ONLY_FAILED,
	TOP_FILTERS
};

enum top_mode {
	TOP_LIST,
	TOP_WALL, /* to be seen from afar; no key does anything but quit */
	TOP_DETAILS,
	TOP_HELP,
	TOP_ASK_CANCEL,
	TOP_ASK_START,
};

/**
 * struct top_target - a disk that a command is about, as it stood when it was chosen
 * @line: what it is, for the question
 */
struct top_target {
	char path[TOP_PATH];
	char job[TOP_PATH];
	char label[TOP_LABEL];
	char device[TOP_LABEL];
	char serial[DW_SERIAL_MAX];
	char wwn[DW_WWN_MAX];
	uint64_t capacity;
	char line[TOP_TEXT];
};

/**
 * struct top_grid - how the list stands on the screen
 * @heading: there is a line of headings
 * @fits: every row is on the screen
 */
struct top_grid {
	unsigned columns;
	unsigned rows;
	unsigned width;
	bool heading;
	bool fits;
};

/**
 * struct top - a screen's whole state
 * @station: as it was read last; borrowed
 * @away: why the service does not answer, empty = it does
 * @now_us: time that remaining times count from, microseconds since the epoch
 * @row: of the disks that the filter lets through, in order; owned
 * @cursor: path of the disk that the cursor is on, which is row @at
 * @touched: a key was pressed; before, the cursor stays on the first row
 * @mark: paths of the marked disks; owned
 * @columns: that were asked for, 0 = as many as are needed
 * @first: row that stands at the top left
 * @scroll: lines of another page that are above the screen; the layout keeps it in bounds
 * @target: what a question or a command is about; owned
 * @how: what a start erases with: "method zero, verify full"
 * @forecast: of the disks that a question is about, empty = none
 * @message: of the last command, from @reported_us on for a minute; empty = none
 * @note: the newest remark of the service, which came at @note_us or was there at the first
 *	reading; it is shown for a minute
 * @unicode: the terminal has more than ASCII
 * @small: the terminal shows nothing of all this
 * @deaf: keys are forgotten now, so a question does not yet say how it is answered
 */
struct top {
	const struct cli_station *station;
	char away[TOP_TEXT];
	uint64_t now_us;
	const struct cli_station_disk **row;
	size_t n_rows;
	char cursor[TOP_PATH];
	size_t at;
	bool touched;
	char (*mark)[TOP_PATH];
	size_t n_marks;
	enum top_order order;
	enum top_filter filter;
	enum top_mode mode;
	unsigned columns;
	size_t first;
	size_t scroll;
	struct top_grid grid;
	struct top_target *target;
	size_t n_targets;
	char how[TOP_HOW];
	char forecast[TOP_TEXT];
	char answer[TOP_ANSWER];
	char message[TOP_TEXT];
	uint64_t reported_us;
	char note[TOP_TEXT];
	uint64_t note_us;
	bool unicode;
	bool small;
	bool deaf;
};

/**
 * struct top_part - something to say about the station, in words
 * @kind: that decides how it looks: TOP_TROUBLE, TOP_WAITING for a remark, TOP_KINDS for plain
 */
struct top_part {
	char text[TOP_TEXT];
	enum top_kind kind;
};

#define TOP_PARTS 11
#define TOP_NEWS  UINT64_C(60000000) /* microseconds for which a remark is news */

/** top_init() - an empty screen; every order and filter at its first value. */
void top_init(struct top *t);

/** top_deinit() - free what it owns. */
void top_deinit(struct top *t);

/** top_update() - the station as it is at @now_us; @s must live until the next update. Cursor
 *  and marks stay with their disks. */
void top_update(struct top *t, const struct cli_station *s, uint64_t now_us);

/** top_sort() - renew the rows, after order or filter or what fits has changed. */
void top_sort(struct top *t);

/** top_move() - put the cursor on row @at, or the last. */
void top_move(struct top *t, size_t at);

/** top_kind() - what the state of @d comes to. */
enum top_kind top_kind(const struct cli_station_disk *d);

/** top_state_word() - at most 8 letters; what needs somebody is in capitals. */
const char *top_state_word(const struct cli_station_disk *d);

/** top_has_job() - whether a job that has not ended has the disk. */
bool top_has_job(const struct cli_station_disk *d);

/** top_label() - what a disk is called in the rack: bay, else slot, else address, else node.
 *  Returns @buf. */
const char *top_label(const struct cli_station_disk *d, char buf[TOP_LABEL]);

/** top_marked() - whether a disk is marked. */
bool top_marked(const struct top *t, const struct cli_station_disk *d);

/** top_mark() - mark a disk, or take its mark away. */
void top_mark(struct top *t, const struct cli_station_disk *d);

/** top_disk_at() - the disk that the cursor is on, NULL = there is none. */
const struct cli_station_disk *top_disk_at(const struct top *t);

/** top_job_of() - the job that has or had the disk, NULL = none that is known. */
const struct cli_station_job *top_job_of(const struct top *t,
					 const struct cli_station_disk *d);

/** top_needs_care() - whether something about a disk is not as it should be: errors, a failing
 *  state of health. */
bool top_needs_care(const struct cli_station_disk *d);

/** top_words() - what there is to say, the most important first, each at most @width places
 *  wide; returns how many. */
size_t top_words(const struct top *t, unsigned width, struct top_part part[TOP_PARTS]);

/** top_say() - put a message on the screen. */
void top_say(struct top *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** top_duration() - seconds in at most 5 letters: 45s, 12m, 1h02, 17h40, 3d04; returns @buf. */
const char *top_duration(uint64_t seconds, char buf[16]);

/** top_clock() - a time of day, with the day where it is not @now_us's; returns @buf. */
const char *top_clock(uint64_t us, uint64_t now_us, char buf[32]);

/** top_order_name() - of enum top_order; top_filter_name() - of enum top_filter. */
const char *top_order_name(enum top_order o);
const char *top_filter_name(enum top_filter f);

#endif

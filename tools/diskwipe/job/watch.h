/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_WATCH_H
#define DISKWIPE_WATCH_H

/* What is shown while a job runs. */
#include "output/progress.h"

/**
 * struct cli_watch - what is shown of a running job
 * @seconds: of the job when bars, and plain lines, were last drawn
 * @exceptions: reported so far, for each disk
 * @held: an exception that blocks next to it may still join, if @holds; since @since on the
 *	watcher's clock, negative = not looked at yet
 */
struct cli_watch {
	struct cli *c;
	struct dw_job *job;
	struct cli_meter meter;
	struct cli_row *row;
	uint32_t *exceptions;
	size_t n;
	enum cli_progress how;
	FILE *screen;
	double drawn;
	double printed;
	struct dw_event held;
	bool holds;
	double since;
};

/** cli_progress_wanted() - --progress, or what fits where the standard error goes. */
enum cli_progress cli_progress_wanted(const struct cli *c);

/** cli_watch_begin() - of @job with its disks; the job and @c must outlive it. */
void cli_watch_begin(struct cli_watch *w, struct cli *c, struct dw_job *job);

/** cli_watch_events() - tell what has happened since. */
void cli_watch_events(struct cli_watch *w);

/** cli_watch_continue() - if the program was stopped and continues: nothing drawn is there. */
void cli_watch_continue(struct cli_watch *w);

/** cli_watch_tick() - redraw when it is time to; @seconds on the watcher's own clock, since
 *  the job began. What is shown is the time of the disks. */
void cli_watch_tick(struct cli_watch *w, double seconds);

/** cli_watch_timeout() - milliseconds from @seconds until it is time to redraw; -1 = never. */
int cli_watch_timeout(const struct cli_watch *w, double seconds);

/** cli_watch_status() - print where every disk stands, asked for or not. */
void cli_watch_status(struct cli_watch *w);

/** cli_watch_end() - draw a last time, free. */
void cli_watch_end(struct cli_watch *w);

#endif

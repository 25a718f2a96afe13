/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_SIGNALS_H
#define DISKWIPE_SIGNALS_H

#include <stdbool.h>

#include <diskwipe/job.h>

/* seconds between a second request to stop and a third one that is heard */
#define CLI_INSIST_S 5

/** cli_signals_begin() - from now on INT, TERM and HUP are a request to stop, USR1 to be told
 *  where things stand, WINCH that the terminal has changed, CONT that the program goes on. The
 *  third request ends the program at once, if it comes CLI_INSIST_S after the second or later. */
void cli_signals_begin(void);

/** cli_signals_screen() - a screen begins, or has ended: the terminal is given back as it is now,
 *  should the program end at once, and nothing is printed on the screen before. */
void cli_signals_screen(bool on);

/** cli_signals_wake() - the engine to wake when a signal comes; NULL = none any more. */
void cli_signals_wake(struct dw_engine *engine);

/** cli_signals_waiting() - disks are asked before an erase, or that has ended: a request to stop is
 *  answered at once, though it is obeyed when they have answered. */
void cli_signals_waiting(bool on);

/** cli_signals_stop() - the signal that asked to stop, 0 = none yet. */
int cli_signals_stop(void);

/** cli_signals_count() - how many times was asked to stop. */
int cli_signals_count(void);

/** cli_signals_await() - wait until @fd can be read; false = was asked to stop meanwhile. */
bool cli_signals_await(int fd);

/** cli_signals_status() - true once for each USR1. */
bool cli_signals_status(void);

/** cli_signals_resized() - true once after the terminal has changed. */
bool cli_signals_resized(void);

/** cli_signals_continued() - true once after the program was stopped and goes on: what it had drawn
 *  is no longer where it was. */
bool cli_signals_continued(void);

/** cli_signals_raise() - end as the signal @sig would have ended the program. */
void cli_signals_raise(int sig);

#endif

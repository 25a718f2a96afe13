/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_COST_COURSE_H
#define DW_COST_COURSE_H

/*
 * The course of one disk: when it has done which share of its work. It is recorded while a
 * forecast is calculated or simulated, and says afterwards how far a disk is on its way.
 */
#include <stdbool.h>
#include <stdint.h>

#define DW_COURSE_POINTS 257 /* at even shares of the work, both ends included */

/**
 * struct dw_course - seconds since the job's start; all zero: not begun
 * @start, @finish: of the disk; finish is after the last flush
 * @at: when each share was done
 * @points: so many are known, @share, @seconds: of the last note
 */
struct dw_course {
	double start;
	double finish;
	float at[DW_COURSE_POINTS];
	uint32_t points;
	double share;
	double seconds;
};

/** dw_course_begin() - the disk begins, with @share of its work done already, 0 to 1. */
void dw_course_begin(struct dw_course *c, double share, double seconds);

/** dw_course_note() - @share is done; it grew evenly since it was noted last, if it grew. */
void dw_course_note(struct dw_course *c, double share, double seconds);

/** dw_course_end() - the disk has ended. */
void dw_course_end(struct dw_course *c, double seconds);

/** dw_course_stretch() - all times by that factor. */
void dw_course_stretch(struct dw_course *c, double by);

/** dw_course_later() - when clearly more than @share is done, by two points: what it waits for at
 *  @share is over then. */
double dw_course_later(const struct dw_course *c, double share);

#endif

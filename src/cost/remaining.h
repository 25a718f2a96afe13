/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_COST_REMAINING_H
#define DW_COST_REMAINING_H

/*
 * The remaining time of one disk. What is expected is its course; what is measured is its pace:
 * seconds that a second of the course takes. Both are known with an error, the standard deviation
 * of the logarithm, and count by the inverse of its square. Pure: the clock is the caller's.
 *
 * The kinds of work are measured each by itself, as WRITE SAME says little of reading. What a write
 * cache takes in before it is full is no rate: the pace counts from where it is steady, and what
 * the disk was ahead until then is what it still has to do when the host has written all.
 */
#include <stdbool.h>
#include <stdint.h>

#include "cost/course.h"

#define DW_REMAINING_PHASES 128 /* DW_PASSES_MAX, each with a verification */

enum dw_work_kind {
	DW_WORK_WRITE,
	DW_WORK_SAME,
	DW_WORK_OPERATE,
	DW_WORK_VERIFY,
	DW_WORKS
};

/**
 * struct dw_work_phase - a part of a disk's work
 * @until: share of all its work that is done when it ends
 * @ends: by the course, with what it waits for at its end
 * @work: enum dw_work_kind; @cached: a write cache takes part
 */
struct dw_work_phase {
	double until;
	double ends;
	uint8_t work;
	bool cached;
};

/** struct dw_span - @is: seconds measured, @should: seconds of the course in these */
struct dw_span {
	double is;
	double should;
};

/**
 * struct dw_startup - the part of a phase until its pace is steady
 * @since: when it began, @first: the share that was done then
 * @steady: the pace is; @takes: seconds until it was, @took_in: share that was done until then
 * @known: these two are
 * @before, @now: the last two bins, @steps: in the newest
 * @drained: seconds of the course by which a flush has made up for what was in the cache
 */
struct dw_startup {
	double since;
	double first;
	bool steady;
	bool known;
	double takes;
	double took_in;
	struct dw_span before;
	struct dw_span now;
	uint32_t steps;
	double drained;
};

/**
 * struct dw_remaining - of one disk
 * @course: what is expected, @error: of its pace
 * @phase: of its work, in their order
 * @most_cached: share of its work that no cache holds
 * @at, @clock, @share: when it was observed last, what time it was by its course, and what was done
 * @guessed: as dw_remaining_expect() was told
 * @moves: it has begun; @in: number of its phase; @flushing: as observed last
 * @pace: measured of each work
 * @step, @open: seconds that a step of the share takes, and since the last one
 * @late: seconds for which neither the course nor a cache has had anything to wait for
 */
struct dw_remaining {
	struct dw_course course;
	double error;
	struct dw_work_phase phase[DW_REMAINING_PHASES];
	uint32_t n_phases;
	double most_cached;
	bool guessed;
	bool moves;
	bool flushing;
	uint32_t in;
	double at;
	double clock;
	double share;
	struct dw_span pace[DW_WORKS];
	struct dw_startup startup;
	double step;
	double open;
	double late;
};

/**
 * struct dw_sighting - of a disk, by any clock that goes on
 * @at: seconds, @share: of all its work that is done, @phase: number of it
 * @flushing: nothing is written, as its cache is emptied
 * @idle: since the last observation it was paused, or waited for others: that is no pace
 * @since: seconds that have passed since it told the share
 */
struct dw_sighting {
	double at;
	double share;
	uint32_t phase;
	bool flushing;
	bool idle;
	double since;
};

/** struct dw_estimate - of a pace: @log: its logarithm, @error: standard deviation of that;
 *  @slower: of what it may be slower by, if a cache fills still */
struct dw_estimate {
	double log;
	double error;
	double slower;
};

/** struct dw_time_left - @seconds: the estimate; it lies between @low and @high 9 times of 10 */
struct dw_time_left {
	double seconds;
	double low;
	double high;
};

/**
 * dw_remaining_expect() - the phases are known: take them from the course
 * @falls: the course is a guess: the times of its phases count, within which the rate falls by
 *	that, as far as is known; 0 = it is as described, its cache too
 */
void dw_remaining_expect(struct dw_remaining *e, double falls);

/** dw_remaining_begin() - of a disk that begins now, at @at seconds. */
void dw_remaining_begin(struct dw_remaining *e, double at);

/** dw_remaining_observe() - what there is to see; times never go back. */
void dw_remaining_observe(struct dw_remaining *e, const struct dw_sighting *o);

/** dw_remaining_write() - phase @i is written by WRITE after all, through a cache or not. */
void dw_remaining_write(struct dw_remaining *e, uint32_t i, bool cached);

/** dw_remaining_turn() - it waits for its turn, at @phase and @share; what it waits for by its
 *  course is over. */
void dw_remaining_turn(struct dw_remaining *e, double at, uint32_t phase, double share);

/** dw_remaining_measured() - the pace of a work and its error, as measured; infinite error: it is
 *  not yet. */
struct dw_estimate dw_remaining_measured(const struct dw_remaining *e,
					 enum dw_work_kind work);

/** dw_remaining_differs() - what was measured is not what the course says, with all their errors;
 *  of a course that is a guess: is it slower? */
bool dw_remaining_differs(const struct dw_remaining *e);

/** dw_pace_mix() - of one that is expected and one that is measured. Where they contradict each
 *  other, what is expected is less sure than it says. */
struct dw_estimate dw_pace_mix(const struct dw_estimate *expected,
			       const struct dw_estimate *measured);

/** dw_pace_expected() - of each work of a disk: what @peers have shown, in this or in another work;
 *  where they have not, or are NULL, its course with the error @error. */
void dw_pace_expected(const struct dw_estimate *peers, double error,
		      struct dw_estimate ret[DW_WORKS]);

/**
 * dw_remaining_left() - from the last observation on, or of all its work if it has not begun
 * @e: of a disk
 * @expected: of each work
 */
struct dw_time_left dw_remaining_left(const struct dw_remaining *e,
				      const struct dw_estimate expected[DW_WORKS]);

/** dw_time_known() - to a factor of two, or to two seconds? Else it is not shown. */
bool dw_time_known(const struct dw_time_left *t);

#endif

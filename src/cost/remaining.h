/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_COST_REMAINING_H
#define DW_COST_REMAINING_H

/*
 * Estimates the remaining time of one disk. The expectation is its course: how much of its work is
 * done when. The measurement is its pace: seconds that pass for a second of the course. Both have
 * an error, the standard deviation of the logarithm of the pace, and weigh by the inverse of its
 * square. Pure: the caller supplies the time.
 *
 * The kinds of work have a pace each, as WRITE SAME says little about reading. What a write cache
 * accepts until it is full is no rate: the pace is measured from the moment at which it is steady.
 * What the disk was ahead of its medium at that moment has to be written at the end of the phase.
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
 * struct dw_work_phase - a part of the work of a disk: one pass of writing or of verification
 * @until: share of all work that is done at its end
 * @ends: time of its end in the course, with the flush after it
 * @work: enum dw_work_kind
 * @cached: a write cache takes part
 */
struct dw_work_phase {
	double until;
	double ends;
	uint8_t work;
	bool cached;
};

/** dw_work_moves() - whether data pass the link in that kind of work. */
bool dw_work_moves(uint8_t work);

/** struct dw_span - @is: seconds that passed, @should: seconds of the course for the same work */
struct dw_span {
	double is;
	double should;
};

/**
 * struct dw_startup - the beginning of a phase, until its pace is steady
 * @since: time at which the phase began, or went on after a flush
 * @first: share of the work that was done then
 * @steady: the pace is steady
 * @known: @takes and @took_in are known
 * @takes: seconds until the pace was steady
 * @took_in: share of the work that was done in that time
 * @before, @now: the last complete interval of measurement, and the current one
 * @steps: reports of progress in the current one
 * @drained: seconds of the course by which flushes have emptied the cache
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
 * struct dw_remaining - the estimator of one disk
 * @course: the expectation
 * @error: of its pace
 * @phase, @n_phases: of its work, in order
 * @most_cached: share of the work that is more than any cache holds
 * @usual_cached: share of the work that an ordinary cache may hold at the end of a phase
 * @guessed: the course is a guess, see dw_remaining_expect()
 * @on_medium: it turns, so that WRITE SAME goes at the rate of its medium, as reading does
 * @crowd: with @on_medium, how many times slower reading may be, as others use the link too
 * @written: WRITE SAME is not used any more
 * @moves: the disk has begun
 * @flushing: it was flushing at the last observation
 * @in: number of the current phase
 * @at, @share: time and share of the work at the last observation
 * @clock: time in the course at the last observation
 * @pace: measured, of each kind of work
 * @startup: of the current phase
 * @step: seconds between two reports of progress, smoothed
 * @open: seconds since the last report
 * @late: seconds of flushing that neither the course nor a cache explains
 */
struct dw_remaining {
	struct dw_course course;
	double error;
	struct dw_work_phase phase[DW_REMAINING_PHASES];
	uint32_t n_phases;
	double most_cached;
	double usual_cached;
	bool guessed;
	bool on_medium;
	double crowd;
	bool written;
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
 * struct dw_work_observed - of a disk
 * @at: time in seconds, by any clock that never goes back
 * @share: of all its work that is done
 * @phase: number of the current phase
 * @flushing: its cache is being emptied, and nothing is written
 * @idle: since the last observation the disk was paused or waited for others: no pace is measured
 * @since: seconds since the disk reported @share
 */
struct dw_work_observed {
	double at;
	double share;
	uint32_t phase;
	bool flushing;
	bool idle;
	double since;
};

/**
 * struct dw_estimate - of a pace
 * @log: its logarithm
 * @error: standard deviation of @log
 * @slower: further error towards slower, while a cache may be filling
 * @borrowed: it is the pace of another kind of work
 */
struct dw_estimate {
	double log;
	double error;
	double slower;
	bool borrowed;
};

/**
 * struct dw_time_left - @seconds: the estimate; @low, @high: its interval of 90 %
 * @moving: seconds of the estimate in which data pass the link
 * @share: of all work that is done in these
 */
struct dw_time_left {
	double seconds;
	double low;
	double high;
	double moving;
	double share;
};

/**
 * dw_remaining_expect() - set the ends of the phases from the course
 * @falls: 0 = the course describes the disk and its cache; else it is a guess of which only the
 *	times of whole phases count, and within a phase the rate falls by this ratio
 */
void dw_remaining_expect(struct dw_remaining *e, double falls);

/** dw_remaining_begin() - the disk begins at @at seconds. */
void dw_remaining_begin(struct dw_remaining *e, double at);

/** dw_remaining_observe() - take account of an observation; their times never go back. */
void dw_remaining_observe(struct dw_remaining *e, const struct dw_work_observed *o);

/** dw_remaining_write() - what was to be written by WRITE SAME is written by WRITE, through a cache
 *  or not. Its pace stays apart from that of WRITE where the course has other rates for them. */
void dw_remaining_write(struct dw_remaining *e, bool cached);

/** dw_remaining_turn() - the disk waits for its next turn, at @phase and @share. What the course
 *  waits for there is over. */
void dw_remaining_turn(struct dw_remaining *e, double at, uint32_t phase, double share);

/** dw_remaining_measured() - the measured pace of a kind of work; its error is infinite if nothing
 *  was measured. */
struct dw_estimate dw_remaining_measured(const struct dw_remaining *e,
					 enum dw_work_kind work);

/** dw_remaining_differs() - whether the measurement contradicts the course, beyond their errors; of
 *  a course that is a guess, whether the disk is slower. */
bool dw_remaining_differs(const struct dw_remaining *e);

/** dw_pace_mix() - the weighted mean of expectation and measurement. If they contradict each other,
 *  the expectation loses weight. */
struct dw_estimate dw_pace_mix(const struct dw_estimate *expected,
			       const struct dw_estimate *measured);

/** dw_pace_expected() - the expected pace of each kind of work: that of @peers, measured in the
 *  same or in another kind; without peers (NULL) that of the course, with the error @error. */
void dw_pace_expected(const struct dw_estimate *peers, double error,
		      struct dw_estimate ret[DW_WORKS]);

/** dw_remaining_left() - the remaining time from the last observation on; @expected: of each kind
 *  of work. */
struct dw_time_left dw_remaining_left(const struct dw_remaining *e,
				      const struct dw_estimate expected[DW_WORKS]);

/** dw_time_known() - whether it is known to a factor of two, or to two seconds; else it is not
 *  shown. */
bool dw_time_known(const struct dw_time_left *t);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_YIELD_H
#define DW_SCHED_YIELD_H

/*
 * Disks that will end early give way to those that end last. The adaptive controller has one
 * setting for all disks of a link; while some give way, each of the two groups has its own, some
 * steps from it. A job ends with its last disk, so what counts is what the others gain.
 */
#include <stdbool.h>
#include <stdint.h>

#include "sched/ends.h"
#include "sched/gauge.h"
#include "sched/grid.h"

#define DW_WAYS 5 /* in which they give way */

/**
 * struct dw_yield - which disks give way, and how
 * @ends: when each disk will end
 * @uneven: some will end well before the others
 * @how: the way that is in use, or was last; it is tried first
 * @first: a trial of it comes before others, as one of those was the latest
 * @most_s: for how long at most they give way next
 * @others: of a trial, rate of the disks that do not give way
 * @until_ns: when those that give way no longer do
 */
struct dw_yield {
	struct dw_ends ends;
	bool uneven;
	uint8_t how;
	bool first;
	double most_s;
	struct dw_gauge others;
	uint64_t until_ns;
};

/** enum dw_yield_verdict - what a trial says so far */
enum dw_yield_verdict {
	DW_YIELD_OPEN,
	DW_YIELD_NO,
	DW_YIELD_YES,
};

/** dw_yield_reset() - nothing is known of the disks: they, or the phases that they are in, are
 *  others. */
void dw_yield_reset(struct dw_yield *y);

/** dw_yield_look() - at the end of a slice of the base: renew @uneven when it is time; @verb: of
 *  the latest command of each disk. */
void dw_yield_look(struct dw_yield *y, const struct dw_view *view, const uint8_t *verb,
		   uint64_t now_ns);

/** dw_yield_setting() - of the disks that are @ahead, or of the others, in the way @how from
 *  @base; perhaps not on the grid. */
struct dw_setting dw_yield_setting(struct dw_setting base, uint8_t how, bool ahead);

/** dw_yield_deepens() - in that way some disks have more commands at once than in the base. */
bool dw_yield_deepens(uint8_t how);

/** dw_yield_pays() - there is enough time left for a trial of the way @how, and few ways are
 *  tried for little. */
bool dw_yield_pays(const struct dw_yield *y, uint8_t how);

/**
 * dw_yield_judge() - whether the others gain, and most of what is taken from those ahead
 * @y: with what the others had in the trial
 * @base, @trial: rate of all disks, before and in it
 * @for_ns: how long the trial has lasted: it is decided after 3 s, or, while a group ends too few
 *	commands, after 12 s; then the members of @y are void as well
 * @ret_ns: with DW_YIELD_YES, for how long: until both groups will end at once, but at most
 *	20 s, the next time twice as long, and so on up to 300 s and a sixteenth of the time left
 *
 * Return: enum dw_yield_verdict.
 */
int dw_yield_judge(struct dw_yield *y, const struct dw_gauge *base,
		   const struct dw_gauge *trial, uint64_t for_ns, uint64_t *ret_ns);

#endif

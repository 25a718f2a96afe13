/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_ENDS_H
#define DW_SCHED_ENDS_H

/*
 * When each disk of a link will end at its present rate, and which disks are well ahead of those
 * that end last. A link that is the limit is better used by the latter: the job ends with them.
 */
#include <stdbool.h>
#include <stdint.h>

#include "sched/strategy.h"

/**
 * struct dw_end - one disk
 * @left: its blocks when the measurement began
 * @rate: bytes per second by the latest dw_ends_measure(); 0 = it did not count
 * @moved: it has ended a transfer since the measurement began
 * @ahead: it will end early
 */
struct dw_end {
	uint64_t left;
	double rate;
	bool moved;
	bool ahead;
};

/**
 * struct dw_ends - the disks of a link; zeroed at the beginning
 * @disk, @n: by place; owned
 * @from_ns: when the measurement began, 0 = it has not
 * @chosen: dw_ends_choose() has told who is ahead
 * @first_s, @last_s: seconds until the disks that are ahead will have ended, and the others; means
 * @first_rate, @last_rate: bytes per second of either
 * @limit_s: seconds until all would have ended if they ended at once
 * @doubt: share of these seconds that may be an error
 */
struct dw_ends {
	struct dw_end *disk;
	uint32_t n;
	uint64_t from_ns;
	bool chosen;
	double first_s;
	double last_s;
	double first_rate;
	double last_rate;
	double limit_s;
	double doubt;
};

/** dw_ends_reserve() - make room for @places; 0 or -ENOMEM. */
int dw_ends_reserve(struct dw_ends *e, uint32_t places);

/** dw_ends_free() - free what @e owns. */
void dw_ends_free(struct dw_ends *e);

/** dw_ends_begin() - measure from @now_ns on; who is ahead stays as it is. */
void dw_ends_begin(struct dw_ends *e, const struct dw_view *view, uint64_t now_ns);

/**
 * dw_ends_choose() - tell the disks that are ahead from the others
 * @e: has measured for some seconds
 * @view: the disks
 * @now_ns: the end of the measurement
 *
 * A disk counts if it has ended a transfer. The rate of one that rotates is taken to fall by half
 * from its first block to its last.
 *
 * Return: whether some end before the last one by 3 % of the time left.
 */
bool dw_ends_choose(struct dw_ends *e, const struct dw_view *view, uint64_t now_ns);

/** dw_ends_measure() - who still is ahead, and rates and times of the two groups, in a measurement
 *  that began after they were chosen; whether those ahead still are by more than @doubt, and the
 *  members are valid. */
bool dw_ends_measure(struct dw_ends *e, const struct dw_view *view, uint64_t now_ns);

/** dw_ends_behind() - @disk had a rate in the latest measurement, and is not ahead. */
bool dw_ends_behind(const struct dw_ends *e, uint32_t disk);

/** dw_ends_renew() - those that would end with the others, at the rates that were measured, no
 *  longer are ahead; whether some still are. */
bool dw_ends_renew(struct dw_ends *e, const struct dw_view *view);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_QUEUE_H
#define DW_SCHED_QUEUE_H

/*
 * Admission: disks wait in a queue, and a limited number is admitted at once. A disk of higher
 * priority is admitted first, then one whose owner has the fewest disks admitted, then, if
 * configured, the one that will take longest, then the one that came first. An admitted disk
 * stays admitted until it is taken out.
 */
#include <stdbool.h>
#include <stdint.h>

struct dw_view;
struct dw_column;

/**
 * struct dw_queue - the queue; all zero at the start
 * @longest_first: the expected time counts
 * @waiting, @n_waiting: disks that wait, the next to be admitted last; owned
 * @turn: for each disk, the count of admissions when it was admitted, 0 = it is not; owned
 * @cap: number of disks that the arrays have room for
 * @share: for each owner, the number of its disks that are admitted; owned; @owners: its room
 * @running: number of disks that are admitted
 * @admitted: number of admissions so far
 */
struct dw_queue {
	bool longest_first;
	uint32_t *waiting;
	uint32_t n_waiting;
	uint64_t *turn;
	uint32_t cap;
	uint32_t *share;
	uint32_t owners;
	uint32_t running;
	uint64_t admitted;
};

/** dw_queue_in() - add @disk of @view to those that wait; 0 or -ENOMEM. O(n) moves, log n
 *  comparisons. */
int dw_queue_in(struct dw_queue *q, const struct dw_view *view, uint32_t disk);

/** dw_queue_out() - remove @disk, which waits or is admitted. */
void dw_queue_out(struct dw_queue *q, const struct dw_view *view, uint32_t disk);

/** dw_queue_next() - admit up to @limit disks, 0 = all, less @elsewhere; add those of the admitted
 *  that can take commands to @ret, to their depth, in the order of admission. 0 or -ENOMEM. */
int dw_queue_next(struct dw_queue *q, const struct dw_view *view, uint32_t limit,
		  uint32_t elsewhere, struct dw_column *ret);

/** dw_queue_deinit() - free what the queue owns. */
void dw_queue_deinit(struct dw_queue *q);

#endif

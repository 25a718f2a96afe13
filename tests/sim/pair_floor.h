/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TEST_PAIR_FLOOR_H
#define DW_TEST_PAIR_FLOOR_H

/* What no job with a fixed pair of length and depth can undercut, by the station alone: so that
 * a pair need not be simulated, or not to its end, to know that it is not the best. */
#include <stdint.h>

#include "station/station.h"

/** struct pair - a fixed setting and how long the job takes with it */
struct pair {
	uint32_t bytes;
	uint32_t depth;
	double seconds;
};

/**
 * pair_floor() - the least time of a WRITE pass without verification
 * @s: checked; one path with at most one bus and one controller
 * @p: the pair
 * @at: seconds since the start
 * @done: bytes of each disk that have ended by then, NULL = none
 *
 * The larger of: the slowest medium (stalls and slow disks counted; three standard errors of
 * its jitter less), the slowest link, the bus, the controller's processor, and the time that
 * the commands spend in the controller's room or at their disk divided by how many can be
 * there at once.
 *
 * Return: seconds since the start.
 */
double pair_floor(const struct dw_station *s, const struct pair *p, double at,
		  const uint64_t *done);

#endif

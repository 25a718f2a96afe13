/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_COPIES_H
#define DW_SCHED_COPIES_H

/*
 * Sampled verification of two copies of the same data, the members of a mirror. A read from
 * one copy says nothing about the other, so each copy is read whatever its policy is; what
 * a policy decides is which copy serves the reads beyond that. The sample of a copy is cut
 * into sweeps: samples of their own over the whole disk.
 *
 *	both	each copy reads its DW_COPIES_SWEEPS
 *	common	each reads DW_COPIES_LEAST; the rest of both is in a common queue, from which the
 *		copy that is free first takes the next
 *	auto	common, if a simulation with the copies' measured service times (mean and squared
 *		coefficient of variation) gains enough by it, else both
 */
#include <stdbool.h>
#include <stdint.h>

#define DW_COPIES_SWEEPS 4u
#define DW_COPIES_LEAST  2u
#define DW_COPIES_GAIN   0.05 /* of the time, from which on auto takes common */

enum dw_copies_policy { DW_COPIES_BOTH, DW_COPIES_COMMON, DW_COPIES_AUTO };

/**
 * struct dw_copy - the progress of a copy
 * @mean_s, @cv2: mean > 0 and squared coefficient of variation of the time of a read
 * @ready_s: seconds until it can begin its next sweep
 * @done: number of sweeps that it has read, the current one included
 */
struct dw_copy {
	double mean_s;
	double cv2;
	double ready_s;
	uint32_t done;
};

/** struct dw_copies_forecast - seconds until both copies are verified */
struct dw_copies_forecast {
	double both;
	double common;
};

/** dw_copies_policy_list() - NULL-terminated names, static. */
const char *const *dw_copies_policy_list(void);

/** dw_copies_policy_find() - "both", "common", "auto"; -1 = none of them. */
int dw_copies_policy_find(const char *name);

/** dw_copies_policy_name() - the name of a policy; static. */
const char *dw_copies_policy_name(int policy);

/** dw_copies_share() - whether a copy of @units units that reads the fewest of its sweeps, of a
 *  sample of @percent, still proves DW_SAMPLE_BOUND; if not, each has to read its own. */
bool dw_copies_share(uint64_t units, double percent);

/** dw_copies_simulate() - estimate the time left; @units: reads of a sweep, > 0. */
void dw_copies_simulate(const struct dw_copy copy[2], uint64_t units, uint64_t seed,
			struct dw_copies_forecast *ret);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_SHARE_H
#define DW_SCHED_SHARE_H

/*
 * The share of the host adapter that a job may use while the response of the others stays at its
 * target. The closed model gives the first share; measurements correct it:
 *
 *	s = 1 - exp(-v),  v += min(k / GAIN, STEP) x (target - response) / target
 *
 * for k answers of the others with that mean response. 1/(1-s) = exp(v) is the factor by which
 * the model stretches the demand on the shared station, so that response grows about as fast in v
 * as it is large. Each answer counts alike: in the steady state the mean over all of them is the
 * target.
 */
#include <stdbool.h>
#include <stdint.h>

#define DW_SHARE_MIN  0.01
#define DW_SHARE_MOST 0.98 /* beside others; alone a job may have all */

/**
 * struct dw_share - the controller of the share; start from dw_share_init()
 * @target_ns: the target of the response
 * @feed_forward: share that the model allows, 0..1
 * @v: its present value
 * @idle: number of consecutive intervals without any I/O of the others
 * @stuck_ns: time for which an I/O of the others has not ended
 */
struct dw_share {
	double target_ns;
	double feed_forward;
	double v;
	uint32_t idle;
	uint64_t stuck_ns;
};

/**
 * struct dw_share_seen - measurements of an interval
 * @ns: its length, > 0
 * @answers: I/Os of others that ended in it
 * @answer_ns: sum of their response times
 * @waiting: I/Os of others in flight at its end
 * @used: the job's own share of the time in it, 0..1
 */
struct dw_share_seen {
	uint64_t ns;
	uint64_t answers;
	double answer_ns;
	uint64_t waiting;
	double used;
};

/** dw_clamp() - @x, at least @low, at most @high. */
static inline double dw_clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

/** dw_share_init() - @target_ns > 0, @feed_forward 0..1. */
void dw_share_init(struct dw_share *s, double target_ns, double feed_forward);

/** dw_share_now() - the share, DW_SHARE_MIN..DW_SHARE_MOST; 1 while nobody else is there. */
double dw_share_now(const struct dw_share *s);

/**
 * dw_share_measured() - one more interval
 *
 * Without any I/O of the others the share grows; when they are back it is the model's again
 * at most. An I/O that does not end counts as an answer as old as it is. While the job does
 * not use its share, the share does not grow: nothing would be learnt from the response.
 */
void dw_share_measured(struct dw_share *s, const struct dw_share_seen *seen);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/share.h"

#include <math.h>

#define GAIN      16.0 /* answers */
#define STEP      0.25 /* most that an interval counts */
#define WORST     4.0  /* most that a response counts, in targets */
#define UNUSED    0.5  /* of the share: below that it is not what limits the job */
#define IDLE      4    /* intervals after which the others are gone */
#define IDLE_STEP 0.05

static double v_of(double share)
{
	return -log1p(-dw_clamp(share, DW_SHARE_MIN, DW_SHARE_MOST));
}

void dw_share_init(struct dw_share *s, double target_ns, double feed_forward)
{
	*s = (struct dw_share){
		.target_ns = target_ns,
		.feed_forward = feed_forward,
		.v = v_of(feed_forward),
	};
}

double dw_share_now(const struct dw_share *s)
{
	if (s->idle > IDLE && s->v >= v_of(DW_SHARE_MOST))
		return 1;
	return -expm1(-s->v);
}

static void move(struct dw_share *s, double by)
{
	s->v = dw_clamp(s->v + by, v_of(DW_SHARE_MIN), v_of(DW_SHARE_MOST));
}

static void nobody(struct dw_share *s)
{
	s->stuck_ns = 0;
	if (++s->idle > IDLE)
		move(s, IDLE_STEP);
}

static void back(struct dw_share *s)
{
	if (s->idle > IDLE && s->v > v_of(s->feed_forward))
		s->v = v_of(s->feed_forward);
	s->idle = 0;
}

void dw_share_measured(struct dw_share *s, const struct dw_share_seen *seen)
{
	double answers = (double)seen->answers, response, error;

	if (!seen->answers && !seen->waiting) {
		nobody(s);
		return;
	}
	back(s);
	s->stuck_ns = seen->answers ? 0 : s->stuck_ns + seen->ns;
	response = seen->answers ? seen->answer_ns / answers : (double)s->stuck_ns;
	if (!seen->answers && response <= s->target_ns)
		return;
	answers = answers > 1 ? answers : 1;
	error = 1 - dw_clamp(response / s->target_ns, 0, WORST);
	if (error > 0 && seen->used < UNUSED * dw_share_now(s))
		return;
	move(s, dw_clamp(answers / GAIN, 0, STEP) * error);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cost/course.h"

#include <math.h>

#define LAST (DW_COURSE_POINTS - 1)

/* the points up to @share, in a straight line from the last note */
static void fill(struct dw_course *c, double share, double seconds)
{
	for (; c->points <= LAST && c->points <= share * LAST; c->points++) {
		double part = share > c->share ? ((double)c->points / LAST - c->share) /
							 (share - c->share)
					       : 1;

		c->at[c->points] = (float)(c->seconds + part * (seconds - c->seconds));
	}
	c->share = share;
	c->seconds = seconds;
}

void dw_course_begin(struct dw_course *c, double share, double seconds)
{
	*c = (struct dw_course){ .start = seconds, .share = share, .seconds = seconds };
	fill(c, share, seconds);
}

void dw_course_note(struct dw_course *c, double share, double seconds)
{
	fill(c, fmin(fmax(share, c->share), 1), seconds);
}

void dw_course_end(struct dw_course *c, double seconds)
{
	c->finish = seconds;
	fill(c, 1, seconds);
}

void dw_course_stretch(struct dw_course *c, double by)
{
	c->start *= by;
	c->finish *= by;
	for (uint32_t k = 0; k <= LAST; k++)
		c->at[k] *= (float)by;
}

static double seconds_at(const struct dw_course *c, uint32_t k)
{
	return k <= LAST ? c->at[k] : c->finish;
}

double dw_course_later(const struct dw_course *c, double share)
{
	return seconds_at(c, (uint32_t)(fmin(fmax(share, 0), 1) * LAST) + 2);
}

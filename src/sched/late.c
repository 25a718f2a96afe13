/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/late.h"

#include <math.h>

#define LAST  0.7   /* of the longest time left: one of those that end last */
#define LOSS  0.05  /* what they may lose */
#define GAIN  0.08  /* what they have to gain; the way back is a loss of more than LOSS */
#define LESS  0.005 /* of the rate of all, for their sake */
#define PRICE 0.03  /* more of the rate of all than that goes before them */
#define SURE  2.0   /* standard errors */
#define SOME  4.0   /* commands, where there were none */

/** struct sums - of what all disks got, and of those that end last; whether one goes first */
struct sums {
	struct dw_late all;
	struct dw_late last;
	bool first;
};

void dw_late_reset(struct dw_late *d, uint32_t n, bool trial)
{
	for (uint32_t i = 0; i < n; i++)
		*(trial ? &d[i].trial : &d[i].base) = 0;
}

void dw_late_accept(struct dw_late *d, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		d[i].base = d[i].trial;
		d[i].notch = d[i].tried;
	}
}

bool dw_late_keep(struct dw_late *d, uint32_t n, bool level)
{
	bool some = false;

	for (uint32_t i = 0; i < n; i++) {
		some |= d[i].notch != 0;
		d[i].tried = level ? 0 : d[i].notch;
	}
	return some;
}

void dw_late_forget(struct dw_late *d, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		d[i].base /= 2;
}

void dw_late_level(struct dw_late *d, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		d[i].notch = d[i].tried = 0;
}

/* time left at its pace with the base; infinite for a disk whose commands do not come back,
 * none for one that waits to be admitted */
static double time_left(const struct dw_late *d, const struct dw_view_disk *v)
{
	if (v->out || !v->left)
		return 0;
	if (d->base > 0 && !d->first)
		return (double)v->left * v->block_size / d->base;
	return v->transfers || d->first ? INFINITY : 0;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double longest_left(const struct dw_late *d, const struct dw_view *view)
{
	double longest = 0;

	for (uint32_t i = 0; i < view->n; i++)
		longest = larger(longest, time_left(&d[i], &view->disk[i]));
	return longest;
}

bool dw_late_favour(struct dw_late *d, const struct dw_view *view, int depth, int top)
{
	double longest = longest_left(d, view);
	bool some = false, others = false;

	if (longest >= INFINITY) /* who is last is not known */
		return false;
	dw_late_keep(d, view->n, false);
	for (uint32_t i = 0; i < view->n; i++) {
		if (view->disk[i].out)
			continue;
		if (time_left(&d[i], &view->disk[i]) >= LAST * longest &&
		    depth + d[i].notch < top) {
			d[i].tried++;
			some = true;
		} else {
			others = true;
		}
	}
	return some && others;
}

static void add(struct dw_late *sum, const struct dw_late *d)
{
	sum->base += d->base;
	sum->trial += d->trial;
}

static struct sums sum_up(const struct dw_late *d, const struct dw_view *view)
{
	double longest = longest_left(d, view);
	struct sums s = { 0 };

	for (uint32_t i = 0; i < view->n; i++) {
		add(&s.all, &d[i]);
		if (time_left(&d[i], &view->disk[i]) >= LAST * longest) {
			add(&s.last, &d[i]);
			s.first |= d[i].first;
		}
	}
	return s;
}

int dw_late_vote(const struct dw_late *d, const struct dw_view *view, double ratio,
		 uint64_t bytes)
{
	double share, commands, doubt, theirs;
	struct sums s;

	if (ratio <= 1 - LESS)
		return 0;
	s = sum_up(d, view);
	if (s.all.base <= 0 || s.all.trial <= 0 || (ratio >= 1 + PRICE && !s.first))
		return 0;
	if (s.last.base <= 0)
		return s.last.trial >= SOME * (double)bytes;
	share = s.last.base / s.all.base;
	theirs = s.last.trial / s.all.trial / share * ratio;
	/* of as many as they would have with that share some are in the trial by chance */
	commands = share * s.all.trial / (double)bytes;
	doubt = SURE / sqrt(commands);
	if (theirs < 1 - (s.first ? LOSS : larger(LOSS, doubt)))
		return -1;
	return theirs > 1 + larger(GAIN, doubt);
}

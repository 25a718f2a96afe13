/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/yield.h"

#include <math.h>

#include "base/util.h"
#include "plan/op.h"

#define LOOK_NS     (3 * DW_NS_PER_S) /* in which it is seen when disks will end */
#define GAIN        0.007
#define SHARED      0.7  /* of what is taken from disks that are ahead, what others get */
#define WORTH       0.1  /* of the time left: for less only the first way is tried */
#define SURE        2.6  /* standard errors */
#define COARSE      0.02 /* difference that one second cannot tell from none */
#define TRIAL_NS    (3 * DW_NS_PER_S) /* in which a trial is decided */
#define SILENT_NS   (4 * TRIAL_NS)    /* or in this, while too few commands have ended */
#define LASTS_S     20.0
#define LASTS_MAX_S 300.0
#define LASTS_SHARE 16

/* Steps from the base of the disks that are not ahead, and of those that are. Where a buffer has
 * room for few commands, it is filled by the latter, and the former cannot have more at once. */
static const struct dw_setting ways[DW_WAYS][2] = {
	{ { 0, 0 }, { 0, -1 } }, { { 0, 1 }, { 0, 0 } },   { { 1, 0 }, { 0, 0 } },
	{ { 1, 0 }, { 0, -1 } }, { { 0, 1 }, { -1, -1 } },
};

void dw_yield_reset(struct dw_yield *y)
{
	y->uneven = y->ends.chosen = false;
	y->first = true;
	y->most_s = LASTS_S;
}

/* Some disks read while others write. On a bus that does not queue, who is served is luck then, and
 * nobody has to lose more of it. */
static bool is_mixed(const struct dw_view *view, const uint8_t *verb)
{
	bool reads = false, writes = false;

	for (uint32_t i = 0; i < view->n; i++) {
		reads |= !view->disk[i].out && verb[i] == DW_VERB_READ;
		writes |= !view->disk[i].out && verb[i] == DW_VERB_WRITE;
	}
	return reads && writes;
}

/* A job ends with its last disk, and is not to wait for another's. */
static bool is_shared(const struct dw_view *view)
{
	const struct dw_view_disk *one = NULL;

	for (uint32_t i = 0; i < view->n; i++) {
		if (view->disk[i].out)
			continue;
		if (one && one->owner != view->disk[i].owner)
			return true;
		one = &view->disk[i];
	}
	return false;
}

void dw_yield_look(struct dw_yield *y, const struct dw_view *view, const uint8_t *verb,
		   uint64_t now_ns)
{
	struct dw_ends *e = &y->ends;

	if (!e->from_ns || now_ns < e->from_ns + LOOK_NS)
		return;
	/* who is behind by chance is not behind in the next window: what is known of a group was
	 * measured after it was chosen */
	if (view->active < view->unfinished || is_mixed(view, verb) || is_shared(view))
		y->uneven = e->chosen = false;
	else if (e->chosen)
		y->uneven = e->chosen = dw_ends_measure(e, view, now_ns);
	else
		e->chosen = dw_ends_choose(e, view, now_ns);
	dw_ends_begin(e, view, now_ns);
}

struct dw_setting dw_yield_setting(struct dw_setting base, uint8_t how, bool ahead)
{
	struct dw_setting s = { base.l + ways[how][ahead].l,
				base.d + ways[how][ahead].d };

	if (s.d < 0) { /* half the length instead */
		s.d = 0;
		s.l--;
	}
	return s;
}

bool dw_yield_deepens(uint8_t how)
{
	return ways[how][false].d > 0;
}

bool dw_yield_pays(const struct dw_yield *y, uint8_t how)
{
	const struct dw_ends *e = &y->ends;

	return y->uneven && e->last_s > LASTS_S &&
	       (!how || e->first_s < (1 - WORTH) * e->last_s);
}

/* For how long; @others, @all: rates in the trial as multiples of those before. */
static uint64_t lasts_ns(const struct dw_ends *e, double others, double all,
			 double most_s)
{
	double before = e->first_rate + e->last_rate;
	double first = (all * before - others * e->last_rate) / e->first_rate;
	double even_s = (e->last_s - e->first_s) / (others - fmin(first, 1));

	return (uint64_t)(1e9 * fmin(even_s, most_s));
}

int dw_yield_judge(struct dw_yield *y, const struct dw_gauge *base,
		   const struct dw_gauge *trial, uint64_t for_ns, uint64_t *ret_ns)
{
	bool over = for_ns >= TRIAL_NS;
	double error, others, all, got, lost;

	if (trial->n < 3 || y->others.n < 3) {
		if (for_ns < SILENT_NS)
			return DW_YIELD_OPEN;
		y->uneven = y->ends.chosen = false; /* the others may do nothing */
		return DW_YIELD_NO;
	}
	all = dw_gauge_compare(base, trial, &error);
	/* of what the others had before there are no slices: they are taken to scatter alike */
	dw_gauge_compare(&y->others, &y->others, &error);
	others = dw_gauge_mean(&y->others) / y->ends.last_rate;
	got = (others - 1) * y->ends.last_rate;
	lost = (1 - all) * dw_gauge_mean(base);
	if (fabs(others - 1 - GAIN) < SURE * error + COARSE / trial->seconds &&
	    lost < got && !over)
		return DW_YIELD_OPEN;
	if (others < 1 + GAIN || got < SHARED * (got + lost))
		return DW_YIELD_NO;
	*ret_ns = lasts_ns(&y->ends, others, all, y->most_s);
	/* what some seconds say may have been chance, and what was taken is not given back */
	y->most_s = fmax(LASTS_S, fmin(fmin(2 * y->most_s, LASTS_MAX_S),
				       y->ends.last_s / LASTS_SHARE));
	return DW_YIELD_YES;
}

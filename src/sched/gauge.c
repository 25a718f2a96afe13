/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/gauge.h"

#include <math.h>

#define ERROR_MIN 0.0005 /* what the edges of slices leave in any case */

void dw_gauge_reset(struct dw_gauge *g, uint64_t now_ns, uint32_t need, uint64_t least_ns)
{
	*g = (struct dw_gauge){
		.need = need, .least_ns = least_ns, .from_ns = now_ns, .slice_ns = now_ns
	};
}

bool dw_gauge_add(struct dw_gauge *g, uint64_t now_ns, double score, uint64_t host_ns)
{
	double seconds;

	g->score += score;
	g->host += (double)host_ns / 1e9;
	g->count++;
	if (g->count < g->need || now_ns < g->slice_ns + g->least_ns)
		return false;
	seconds = (double)(now_ns - g->slice_ns) / 1e9;
	g->rate = g->score / seconds;
	g->n++;
	g->total += g->score;
	g->seconds += seconds;
	g->rates += g->rate;
	g->squares += g->rate * g->rate;
	g->cost += g->host;
	g->slice_ns = now_ns;
	g->score = 0;
	g->host = 0;
	g->count = 0;
	return true;
}

void dw_gauge_forget(struct dw_gauge *g)
{
	g->n /= 2;
	g->total /= 2;
	g->seconds /= 2;
	g->rates /= 2;
	g->squares /= 2;
	g->cost /= 2;
}

void dw_gauge_extend(struct dw_gauge *g, uint64_t ns)
{
	double share = g->seconds > 0 ? (double)ns / 1e9 / g->seconds : 0;
	uint32_t n = (uint32_t)(g->n * share);

	g->slice_ns += ns;
	if (!n)
		return;
	share = 1 + (double)n / g->n;
	g->n += n;
	g->total *= share;
	g->seconds *= share;
	g->rates *= share;
	g->squares *= share;
	g->cost *= share;
}

double dw_gauge_mean(const struct dw_gauge *g)
{
	return g->seconds > 0 ? g->total / g->seconds : 0;
}

double dw_gauge_cost(const struct dw_gauge *g)
{
	return g->seconds > 0 ? g->cost / g->seconds : 0;
}

/* sum of squared relative deviations of the slices */
static double slice_spread(const struct dw_gauge *g)
{
	double mean = g->n ? g->rates / g->n : 0, sum;

	if (mean <= 0)
		return 0;
	sum = g->squares / (mean * mean) - g->n;
	return sum > 0 ? sum : 0;
}

double dw_gauge_compare(const struct dw_gauge *a, const struct dw_gauge *b,
			double *ret_error)
{
	double n = a->n + b->n, ratio = dw_gauge_mean(b) / dw_gauge_mean(a);
	double variance = (slice_spread(a) + slice_spread(b)) / (n > 3 ? n - 2 : 1);
	double error = sqrt(variance * (1.0 / a->n + 1.0 / b->n));

	*ret_error = ratio * (error > ERROR_MIN ? error : ERROR_MIN);
	return ratio;
}

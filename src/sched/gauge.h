/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_GAUGE_H
#define DW_SCHED_GAUGE_H

/*
 * Measures a rate under noise. Completions are cut into slices of time; the spread of the slices
 * shows how certain their mean is. Times are those of the completions.
 */
#include <stdbool.h>
#include <stdint.h>

/**
 * struct dw_gauge - a rate and its spread
 * @need: least number of commands in a slice
 * @least_ns: least time of a slice
 * @from_ns: start of the measurement; @slice_ns: start of the current slice
 * @score, @count: amount and number of completions in the current slice
 * @n: number of whole slices; @rate: rate of the latest
 * @total, @seconds: amount and time of all slices
 * @rates, @squares: sums of the slices' rates, and of their squares
 * @host: CPU time of the host in the current slice; @cost: in all slices; seconds
 */
struct dw_gauge {
	uint32_t need;
	uint64_t least_ns;
	uint64_t from_ns;
	uint64_t slice_ns;
	double score;
	uint32_t count;
	uint32_t n;
	double rate;
	double total;
	double seconds;
	double rates;
	double squares;
	double host;
	double cost;
};

/** dw_gauge_reset() - begin again at @now_ns with slices of at least @need commands and
 *  @least_ns. */
void dw_gauge_reset(struct dw_gauge *g, uint64_t now_ns, uint32_t need,
		    uint64_t least_ns);

/**
 * dw_gauge_add() - add a completion
 * @g: the gauge
 * @now_ns: when it ended
 * @score: its amount
 * @host_ns: CPU time of the host for it
 *
 * Return: whether that ends a slice.
 */
bool dw_gauge_add(struct dw_gauge *g, uint64_t now_ns, double score, uint64_t host_ns);

/** dw_gauge_forget() - halve the weight of what was measured so far. */
void dw_gauge_forget(struct dw_gauge *g);

/** dw_gauge_extend() - add @ns in which the rate was that of the slices so far, if any. */
void dw_gauge_extend(struct dw_gauge *g, uint64_t ns);

/** dw_gauge_mean() - score per second over all slices; 0 without any. */
double dw_gauge_mean(const struct dw_gauge *g);

/** dw_gauge_cost() - CPU time of the host, seconds per second over all slices; 0 without any. */
double dw_gauge_cost(const struct dw_gauge *g);

/**
 * dw_gauge_compare() - the ratio of two rates
 * @a, @b: together with at least three slices; @a has a rate above 0
 * @ret_error: standard error of the ratio, from the spread of both (Welch's t with a common
 *	relative variance)
 *
 * Return: mean of @b over mean of @a.
 */
double dw_gauge_compare(const struct dw_gauge *a, const struct dw_gauge *b,
			double *ret_error);

#endif

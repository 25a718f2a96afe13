/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Users beside a job that takes a share of a station (Dyal and Draughn, used the other way
 * round): the station that is left to them is slower by 1/(1 - share). Exact mean value
 * analysis of a few stations, and what follows from it: the share at which a response is
 * still kept, and the knee.
 */
#include <math.h>

#include "base/beside.h"

#define HALVINGS   60
#define MOST_USERS 256

double dw_closed_beside(const struct dw_closed_beside *b, double share, double *ret_last)
{
	double queue[DW_CLOSED_STATIONS] = { 0 }, response = 0;

	for (size_t n = 1; n <= b->n; n++) {
		response = 0;
		for (size_t i = 0; i < b->k; i++) {
			double demand = b->demand[i];

			if (i + 1 == b->k)
				demand /= 1 - share;
			queue[i] = demand * (1 + queue[i]);
			response += queue[i];
		}
		if (ret_last)
			*ret_last = queue[b->k - 1];
		for (size_t i = 0; i < b->k; i++)
			queue[i] *= (double)n / (b->think + response);
	}
	return response;
}

double dw_closed_share(const struct dw_closed_beside *b, double target, double most)
{
	double low = 0, high = most;

	if (dw_closed_beside(b, most, NULL) <= target)
		return most;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;

		if (dw_closed_beside(b, middle, NULL) <= target)
			low = middle;
		else
			high = middle;
	}
	return low;
}

double dw_closed_knee(const struct dw_closed_beside *b, double share)
{
	double sum = b->think, largest = 0;

	for (size_t i = 0; i < b->k; i++) {
		double demand = b->demand[i] / (i + 1 == b->k ? 1 - share : 1);

		sum += demand;
		largest = demand > largest ? demand : largest;
	}
	return largest > 0 ? sum / largest : 0;
}

/* the demand on a single station with which users of that think time have the response */
static double demand_of(struct dw_closed_beside *b, double response)
{
	double low = 0, high = response;

	for (int i = 0; i < HALVINGS; i++) {
		b->demand[0] = (low + high) / 2;
		if (dw_closed_beside(b, 0, NULL) < response)
			low = b->demand[0];
		else
			high = b->demand[0];
	}
	return high;
}

void dw_closed_fit(double rate, double response, size_t most,
		   struct dw_closed_beside *ret)
{
	double there = ceil(rate * response);

	*ret = (struct dw_closed_beside){ .n = most ? most : 1, .k = 1 };
	if (there > (double)ret->n)
		ret->n = (size_t)there;
	if (ret->n > MOST_USERS)
		ret->n = MOST_USERS;
	ret->think = (double)ret->n / rate - response;
	if (ret->think < 0)
		ret->think = 0;
	ret->demand[0] = demand_of(ret, response);
}

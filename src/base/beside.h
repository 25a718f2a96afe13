/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_BESIDE_H
#define DW_BASE_BESIDE_H

/* Users beside a job, in a closed system; times in seconds. */
#include <stddef.h>

/** struct dw_closed_beside - users beside a job that takes a share of the last station
 *  @n: users, >= 1; @think, @demand: s; @k: stations, 1..DW_CLOSED_STATIONS */
#define DW_CLOSED_STATIONS 8
struct dw_closed_beside {
	size_t n;
	double think;
	double demand[DW_CLOSED_STATIONS];
	size_t k;
};

/**
 * dw_closed_beside() - response of the users by exact mean value analysis
 * @share: of the last station that the job takes, 0..1 without 1: the demand on it is
 *	1/(1 - share) as long (Dyal and Draughn's model; the stretch is an approximation)
 * @ret_last: residence at the last station, s; NULL = not wanted
 * Return: seconds.
 */
double dw_closed_beside(const struct dw_closed_beside *b, double share, double *ret_last);

/** dw_closed_share() - the largest share, up to @most, at which the response is no more than
 *  @target s; 0 = none. */
double dw_closed_share(const struct dw_closed_beside *b, double target, double most);

/** dw_closed_knee() - the number of users from which on the response grows in proportion:
 *  (think + sum D) / max D, with the job's share. */
double dw_closed_knee(const struct dw_closed_beside *b, double share);

/**
 * dw_closed_fit() - one station from what was seen of it
 * @rate: answers per second, > 0; @response: s, > 0
 * @most: most seen on their way at once
 *
 * Users: as many as were seen at once, and no fewer than are there on average (Little's law,
 * rate x response). Their think time is n / rate - response; the demand is that with which
 * the model has the response.
 */
void dw_closed_fit(double rate, double response, size_t most,
		   struct dw_closed_beside *ret);

#endif

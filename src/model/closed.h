/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_MODEL_CLOSED_H
#define DW_MODEL_CLOSED_H

/* A closed system: users who think, then pass through stations; times in seconds. */
#include "model/model.h"

enum { DW_CLOSED_MVA, DW_CLOSED_SCHWEITZER, DW_CLOSED_BOUNDS, DW_CLOSED_SIMULATE };

/** struct dw_closed - @demand: of a transaction at each of @k stations, disks last */
struct dw_closed {
	double think;
	const double *demand;
	size_t k;
	size_t disks;
	bool channel;
	double seeks;
	double seek;
	double latency;
	double transfer;
	const double *share;
	double hours;
	uint64_t seed;
};

/** struct dw_closed_point - throughput (1/s) and response (s) at a number of users */
struct dw_closed_point {
	double throughput;
	double response;
};

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

/** dw_closed_simulate() - simulate @n users; leaves "simulated" outputs and gives the means.
 *  0, -ENOMEM. */
int dw_closed_simulate(struct dw_model_call *call, const struct dw_closed *c, size_t n,
		       struct dw_closed_point *ret_point, double *ret_utilisation);

#endif

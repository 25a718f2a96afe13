/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PAPERS_CLOSED_H
#define DW_PAPERS_CLOSED_H

/* A closed system: users who think, then pass through stations; times in seconds. */
#include "base/beside.h"
#include "papers/model.h"

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

/** dw_closed_simulate() - simulate @n users; leaves "simulated" outputs and gives the means.
 *  0, -ENOMEM. */
int dw_closed_simulate(struct dw_model_call *call, const struct dw_closed *c, size_t n,
		       struct dw_closed_point *ret_point, double *ret_utilisation);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FORECAST_FIT_DISK_H
#define DW_FORECAST_FIT_DISK_H

/* What the chunks of one disk say of it. */
#include "forecast/fit.h"

/**
 * struct fit_model - t(L, x) of a disk, times in ns
 * @outer, @inner: bytes per second; 0 = nothing was found
 * @same: rate of WRITE SAME where it is not the medium's, else 0
 * @turns: revolutions that a write or WRITE SAME loses, cache off and alone
 * @rev_ns: of a revolution, 0 = none
 * @tau_ns: of a command, 0 = it never was the limit
 * @link_ns: per byte
 * @all: all chunks had to do, @contended: among them contended ones
 */
struct fit_model {
	double outer;
	double inner;
	double same;
	double turns;
	double rev_ns;
	double tau_ns;
	double link_ns;
	bool all;
	bool contended;
};

/**
 * fit_disk() - fit the model to every other chunk
 * @f: chunks and jumps
 * @d: the station's disk; it gets what was found, and keeps the rest
 * @path_ns: command times of the nodes above it
 * @ret: the model
 *
 * Return: false when there are too few chunks; @d is as it was.
 */
bool fit_disk(const struct fit_disk *f, struct station_disk *d, double path_ns,
	      struct fit_model *ret);

/** fit_model_ns() - how long a command of chunk @c takes by the model. */
double fit_model_ns(const struct fit_model *m, const struct station_disk *d,
		    const struct fit_chunk *c);

#endif

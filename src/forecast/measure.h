/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FORECAST_MEASURE_H
#define DW_FORECAST_MEASURE_H

/* Which streams measure a station, and what follows from them. */
#include "forecast/streams.h"
#include "station/station.h"

/**
 * struct measure - a station under measurement
 * @station: its values are replaced by measured ones; borrowed
 * @disk, @n: those that can be read; borrowed
 * @unit: for each of them its disk in @station, each of a count of 1
 * @seconds: for each disk, roughly
 * @seed: of the places that are read
 * @group, @n_groups: what to run; of each disk's controller one
 */
struct measure {
	struct dw_station *station;
	const struct probe_disk *disk;
	uint32_t n;
	const uint32_t *unit;
	double seconds;
	uint64_t seed;
	struct probe_group *group;
	uint32_t n_groups;
};

/** measure_plan() - fill in the groups: each disk by itself, then all disks behind each node
 *  that several share. 0 or -ENOMEM; measure_deinit() in any case. */
int measure_plan(struct measure *m);

/** measure_estimate() - from the streams to the station: rates, overhead and seeks of disks,
 *  then rate and command time of shared nodes and the controller's buffer. What was measured is
 *  no longer assumed; notes say how well the model fits. 0 or -ENOMEM. */
int measure_estimate(struct measure *m);

/** measure_deinit() - free the groups. */
void measure_deinit(struct measure *m);

/** measure_mean_ns() - the time from one read to the next of a stream in sequence: the median
 *  over pairs of reads an eighth of the stream apart, which a few late reads do not move; 0 = too
 *  few reads. */
double measure_mean_ns(const struct probe_stream *s);

/** measure_flow_ns() - the same where the disk reads ahead: what came late is caught up with,
 *  so that no read ends before the medium has its data, and the slope of the lower edge counts
 *  (quantile regression at 0.15). With reads that failed, measure_mean_ns(). */
double measure_flow_ns(const struct probe_stream *s);

/** measure_latency_ns() - how long a read took, without the slowest and fastest quarter; 0 = too
 *  few reads. */
double measure_latency_ns(const struct probe_stream *s);

/** struct measure_line - y = @at + @slope x, @residual: root mean square relative to y */
struct measure_line {
	double at;
	double slope;
	double residual;
};

#endif

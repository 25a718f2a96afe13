/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FORECAST_LANE_H
#define DW_FORECAST_LANE_H

/* A disk under measurement, and a run of reads on some of them at once. */
#include "base/rng.h"
#include "device/device.h"
#include "diskwipe/bench.h"
#include "transport/transport.h"

#define DW_BENCH_DEPTH 64

/**
 * struct dw_bench_lane - a disk, opened and attached for reading
 * @next_lba: where contiguous reading continues
 * @flying: commands sent and not yet reaped
 * @counted: commands that ended during the measurement under way
 */
struct dw_bench_lane {
	struct dw_device *device;
	uint32_t handle;
	uint64_t next_lba;
	uint32_t flying;
	uint64_t counted;
};

/**
 * struct dw_reads - a point to be measured
 * @lane, @n: the disks that take part
 * @depth: commands at each disk at once, or, if @spread, at all of them together
 * @spread: each command goes to a disk at random
 * @blocks: transfer length
 * @random: at random places
 * @shift: blocks past an aligned place
 */
struct dw_reads {
	struct dw_transport *transport;
	struct dw_bench_lane *lane;
	size_t n;
	uint32_t depth;
	bool spread;
	uint32_t blocks;
	bool random;
	uint64_t shift;
	uint64_t misalign_bytes;
	double seconds;
	struct dw_rng *rng;
};

/** dw_reads_measure() - read for so long; 0; -ENOMEM; -EMSGSIZE: reads of that length are refused
 *  now, others are not; other negative errno with @err. */
int dw_reads_measure(const struct dw_reads *m, struct dw_bench_point *ret,
		     struct dw_error *err);

#endif

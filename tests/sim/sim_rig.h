/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_SIM_RIG_H
#define DW_TESTS_SIM_RIG_H

/*
 * A job on a simulated station, watched: which pass each block holds, on the medium and in the
 * volatile cache, and whether the rules of a transport and of the core are kept.
 */
#include "base/rng.h"
#include "diskwipe/diskwipe.h"
#include "plan/order.h"
#include "forecast/simulate.h"

#define RIG_DISKS 24
#define OLD       0xff /* what was there before */
#define TORN      0xfe /* a write that did not end well */

/**
 * struct rig_disk - what is known of one disk
 * @medium, @cache: for each block the pass that is there
 * @writes: good writes of each block
 * @read: whether it was read since it was written last
 * @most: commands at the device at once
 * @next: position of the sweep where the next write has to begin
 * @order: of the sweep
 * @pass: of the latest write
 * @leap_from, @leap_to: writes go on there when they have come here
 * @disordered: a write did not begin there
 */
struct rig_disk {
	const struct station_disk *spec;
	uint8_t *medium;
	uint8_t *cache;
	uint16_t *writes;
	bool *read;
	uint32_t most;
	uint64_t next;
	struct dw_order order;
	uint64_t leap_from;
	uint64_t leap_to;
	uint8_t pass;
	bool disordered;
};

/** struct rig - a station, its disks' contents, and the job that runs on them; @left_out: bits of
 *  the units that the job is not given */
struct rig {
	struct dw_rng rng;
	struct dw_station station;
	struct rig_disk disk[RIG_DISKS];
	struct dw_job_spec spec;
	struct dw_job *job;
	struct sim_world *world;
	uint64_t commands;
	uint64_t leaps;
	uint64_t stop_at;
	uint64_t stop_leap;
	uint32_t left_out;
	bool coarse;
	bool abort;
};

/** rig_draw() - a random station without faults, its disks @scale times 1 to 16 MB, and settings
 *  of a job; nothing watches. */
void rig_draw(struct rig *r, uint64_t seed, uint64_t scale);

/** rig_depth() - commands that a disk may have at once. */
uint32_t rig_depth(const struct rig *r);

/** rig_init() - the same with disks that are watched, some of them swept in another order than
 *  upwards; with a @scale of more than 1, in coarse mode. */
void rig_init(struct rig *r, uint64_t seed, uint64_t scale);

/** rig_faults() - add random faults; some disks stay sound. */
void rig_faults(struct rig *r);

/** rig_start() - make the job of r->spec on the station and start it. */
void rig_start(struct rig *r);

/** rig_run() - until it ends, at most @seconds of virtual time; it stops (with
 *  r->abort at once) after r->stop_at commands, or after the command that
 *  follows leap r->stop_leap, unless that is 0. */
void rig_run(struct rig *r, double seconds);

/** rig_end() - free the job; what the disks hold stays, less what was only cached. */
void rig_end(struct rig *r);

void rig_deinit(struct rig *r);

#endif

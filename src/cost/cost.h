/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_COST_COST_H
#define DW_COST_COST_H

/*
 * The time of a pass. A disk becomes a list of phases, each a curve along its medium with what
 * a byte costs on every resource that it passes; then the disks of a job go through their
 * phases together and share these resources. Forecast, admission, intervals and the time that
 * is left all ask here. Pure: no I/O, no clock.
 */
#include <stdbool.h>
#include <stdint.h>

#include "cost/course.h"
#include "cost/curve.h"
#include "diskwipe/job.h"
#include "diskwipe/predict.h"
#include "plan/plan.h"
#include "station/station.h"

/* resources of a node of the wiring: number 4 x node + one of these; then the turn of each
 * adapter, where disks take turns */
enum dw_cost_part {
	DW_COST_RATE,
	DW_COST_COMMANDS,
	DW_COST_BUFFER,
	DW_COST_QUEUE,
	DW_COST_PARTS,
};

enum dw_cost_kind { DW_COST_WRITE, DW_COST_VERIFY };

/** struct dw_cost_use - seconds of a resource that a byte costs */
struct dw_cost_use {
	uint32_t resource;
	double cost;
};

#define DW_COST_USES 48

/**
 * struct dw_cost_phase - a stretch of the medium in one manner
 * @kind: enum dw_cost_kind, @pass: of the plan
 * @from, @to: on the medium, bytes
 * @share: bytes moved for a byte of the medium: 1, less for a sample
 * @curve: of a byte moved
 * @command: bytes of a command, @weight: bytes on their way, for the share of a bus
 * @fixed: seconds besides: flushes, identification, the first seek
 * @drain: of the writing, seconds in which only the cache is emptied
 * @turn: seconds of a command when disks take turns, one command at a time
 * @by_itself: the disk needs nothing that others use: it waits for no place among those that are
 *	admitted
 * @limit: why it is not quicker than the medium, static text, NULL = the medium
 */
struct dw_cost_phase {
	uint8_t kind;
	uint8_t pass;
	double from;
	double to;
	double share;
	struct dw_cost_curve curve;
	double command;
	double weight;
	double fixed;
	double drain;
	double turn;
	bool by_itself;
	const char *limit;
	struct dw_cost_use use[DW_COST_USES];
	uint32_t n_use;
};

/**
 * struct dw_cost_disk - a disk with all its phases
 * @phase: owned
 * @alone: seconds with everything for itself
 * @commands: in all
 * @room, @n_at: bytes and commands it may hold in a controller at once
 * @simple: nothing about it needs the simulator
 */
struct dw_cost_disk {
	struct dw_cost_phase *phase;
	uint32_t n_phases;
	double alone;
	double commands;
	double room;
	double n_at;
	bool simple;
};

/**
 * struct dw_cost_case - what is asked of one disk
 * @station: its wiring, @disk: its description there
 * @plan: what is done with it, @spec: and how
 * @adapter: station_adapter() of the disk, @disks: so many at once share that, >= 1
 * @turns: these take turns, one command at a time over all of them
 */
struct dw_cost_case {
	const struct dw_station *station;
	const struct station_disk *disk;
	const struct dw_disk_plan *plan;
	const struct dw_job_spec *spec;
	uint32_t adapter;
	uint32_t disks;
	bool turns;
};

/** dw_cost_resources() - how many resources a station has: the parts of each node, and the
 *  turns. */
uint32_t dw_cost_resources(const struct dw_station *station);

/** dw_cost_disk_init() - the phases of a disk; dw_cost_disk_deinit(). 0 or -ENOMEM. */
int dw_cost_disk_init(struct dw_cost_disk *d, const struct dw_cost_case *c);

/** dw_cost_disk_deinit() - free what dw_cost_disk_init() has made; all zero is accepted. */
void dw_cost_disk_deinit(struct dw_cost_disk *d);

/** dw_cost_phase_seconds() - of a phase with everything for itself, less what is fixed. */
double dw_cost_phase_seconds(const struct dw_cost_phase *p);

/** dw_cost_disk_slot() - seconds with everything for itself for which it needs a slot. */
double dw_cost_disk_slot(const struct dw_cost_disk *d);

/** dw_cost_disk_phases() - the same for the whole disk, by kind. */
void dw_cost_disk_phases(const struct dw_cost_disk *d, struct dw_phase_seconds *ret);

/**
 * struct dw_cost_stream - one disk on its way; from @start on for dw_cost_run() to fill
 * @disk: its phases, borrowed
 * @link: number of what it is scheduled by
 * @course: where its course goes; NULL = nobody asks
 * @start, @finish: seconds from now
 * @seconds: by kind
 */
struct dw_cost_stream {
	const struct dw_cost_disk *disk;
	uint32_t link;
	struct dw_course *course;
	double start;
	double finish;
	struct dw_phase_seconds seconds;
};

/**
 * struct dw_cost_rack - what the disks have in common
 * @n_resources: dw_cost_resources()
 * @n_links: that streams have, >= 1
 * @slots: how many continue at once on each link, beside those that work by themselves; >= 1
 */
struct dw_cost_rack {
	uint32_t n_resources;
	uint32_t n_links;
	uint32_t slots;
};

/**
 * dw_cost_run() - all disks to their end, sharing what they share
 * @s: in the order in which they are admitted
 * @ret_seconds: until the last one ends
 *
 * Weighted max-min sharing of every resource: who wants less than its part gets what it
 * wants, the others share the rest by the bytes they keep on their way.
 *
 * Return: 0, -EINVAL when the times do not add up, -ENOMEM.
 */
int dw_cost_run(struct dw_cost_stream *s, uint32_t n, const struct dw_cost_rack *rack,
		double *ret_seconds);

/** dw_cost_load() - the share of the busiest resource that all disks at full speed, as many at
 *  once as may be, would use. 0 or -ENOMEM. */
int dw_cost_load(const struct dw_cost_stream *s, uint32_t n,
		 const struct dw_cost_rack *rack, double *ret);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PREDICT_PREDICT_H
#define DW_PREDICT_PREDICT_H

/*
 * What the files of the predictor share. A disk becomes a list of phases, each a curve along
 * its medium with what a byte costs on every resource that it passes; the fluid form lets the
 * disks of a station share these resources; where that does not hold the simulator is asked.
 */
#include "diskwipe/predict.h"
#include "engine/internal.h"
#include "model/curve.h"
#include "station/station.h"

/* resources of a node of the wiring: number 4 x node + one of these */
enum pf_part { PF_RATE, PF_COMMANDS, PF_BUFFER, PF_QUEUE, PF_PARTS };

enum pf_kind { PF_WRITE, PF_VERIFY };

/** struct pf_use - seconds of a resource that a byte costs */
struct pf_use {
	uint32_t resource;
	double cost;
};

#define PF_USES 48

/**
 * struct pf_phase - a stretch of the medium in one manner
 * @from, @to: on the medium, bytes
 * @share: bytes moved for a byte of the medium: 1, less for a sample
 * @curve: of a byte moved
 * @command: bytes of a command, @weight: bytes on their way, for the share of a bus
 * @fixed: seconds besides: flushes, identification, the first seek
 * @drain: of the writing, seconds in which only the cache is emptied
 * @turn: seconds of a command when disks take turns, one command at a time
 * @limit: why it is not quicker than the medium, static text, NULL = the medium
 */
struct pf_phase {
	uint8_t kind;
	double from;
	double to;
	double share;
	struct dw_curve curve;
	double command;
	double weight;
	double fixed;
	double drain;
	double turn;
	const char *limit;
	struct pf_use use[PF_USES];
	uint32_t n_use;
};

/**
 * struct pf_disk - a disk with all its phases
 * @spec: borrowed, @plan: a copy, @unit: its number in the station
 * @alone: seconds with everything for itself
 * @commands: in all
 * @room, @n_at: bytes and commands it may hold in a controller at once
 * @simple: nothing about it needs the simulator
 */
struct pf_disk {
	const struct station_disk *spec;
	struct dw_disk_plan plan;
	uint32_t unit;
	struct pf_phase *phase;
	uint32_t n_phases;
	double alone;
	double commands;
	double room;
	double n_at;
	bool simple;
};

/** struct pf_times - what is said of one disk, seconds since the job's start */
struct pf_times {
	double start;
	double finish;
	struct dw_phase_seconds phase;
};

/**
 * struct pf_job - a question, made ready
 * @station: one section for each disk; owned
 * @real: the job that is looked at, NULL = none
 * @order: in which disks are admitted, @slots: how many at once
 * @simple: the closed form may be used as far as single disks are concerned
 * @patient: seconds may go by
 */
struct pf_job {
	struct dw_job_spec spec;
	struct dw_station *station;
	struct dw_job *real;
	struct pf_disk *disk;
	uint32_t n;
	uint32_t n_resources;
	uint32_t *order;
	uint32_t slots;
	bool simple;
	bool patient;
};

/** struct pf_fluid - outcome of the fluid form; @shared: a resource was used up */
struct pf_fluid {
	double seconds;
	bool shared;
};

/* profile.c */

/** pf_disk_init() - the phases of a disk from its description, its plan and the spec; @disks
 *  at once share what they hang on. 0 or -ENOMEM. */
int pf_disk_init(struct pf_disk *d, const struct dw_station *station,
		 const struct dw_job_spec *spec, uint32_t disks);

/** pf_phase_seconds() - of a phase with everything for itself, less what is fixed. */
double pf_phase_seconds(const struct pf_phase *p);

/** pf_disk_phases() - the same for the whole disk, by kind. */
void pf_disk_phases(const struct pf_disk *d, struct dw_phase_seconds *ret);

/* job.c */

/** pf_job_init() - make a question ready; @real NULL = as the station says. 0, -EINVAL with
 *  @err, -ENOMEM. */
int pf_job_init(struct pf_job *j, const struct dw_job_spec *spec, struct dw_job *real,
		const struct dw_station *station, char err[256]);
void pf_job_deinit(struct pf_job *j);

/** pf_job_disk() - the phases of disk @i from its spec and plan. 0 or -ENOMEM. */
int pf_job_disk(struct pf_job *j, uint32_t i);

/** pf_station_single() - a copy with one section for each disk, so that each can be changed;
 *  dw_station_free(). 0 or -ENOMEM. */
int pf_station_single(const struct dw_station *s, struct dw_station **ret);

/* fluid.c */

/**
 * pf_fluid_run() - all disks to their end, sharing what they share
 * @j: the question; its order and slots hold
 * @ret_times: one for each disk
 *
 * Weighted max-min sharing of every resource: who wants less than its part gets what it
 * wants, the others share the rest by the bytes they keep on their way.
 *
 * Return: 0 or -ENOMEM.
 */
int pf_fluid_run(const struct pf_job *j, struct pf_times *ret_times,
		 struct pf_fluid *ret);

/** pf_fluid_load() - the share of the busiest resource that all disks at full speed, @slots of
 *  them at once, would use. -ENOMEM or 0. */
int pf_fluid_load(const struct pf_job *j, double *ret);

/* simulated.c */

/** pf_simulate() - ask the simulator; 0, 1 when it would take too long, -errno. */
int pf_simulate(const struct pf_job *j, bool coarse, struct pf_times *ret_times,
		double *ret_seconds);

/** pf_virtual_job() - a job on simulated disks, for the question; not started. 0 or -errno. */
int pf_virtual_job(const struct dw_job_spec *spec, struct dw_job *real,
		   const struct dw_station *station, bool coarse, struct dw_job **ret,
		   char err[256]);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FORECAST_PREDICT_H
#define DW_FORECAST_PREDICT_H

/*
 * What the files of the predictor share. The time of a pass and what disks share is src/cost;
 * where that does not hold the simulator is asked.
 */
#include "diskwipe/predict.h"
#include "cost/cost.h"
#include "engine/disk.h"
#include "engine/job.h"
#include "station/station.h"

/**
 * struct pf_disk - a disk of the question
 * @spec: its description; borrowed, @plan: a copy, @unit: its number in the station, @link: of
 *	its adapter among those of the question
 */
struct pf_disk {
	const struct station_disk *spec;
	struct dw_disk_plan plan;
	uint32_t unit;
	uint32_t link;
	struct dw_cost_disk cost;
};

/**
 * struct pf_times - what is said of one disk, seconds since the job's start
 * @chance: by that share of it @finish differs from one simulation to the next
 */
struct pf_times {
	double start;
	double finish;
	struct dw_phase_seconds phase;
	struct dw_course course;
	double chance;
};

/**
 * struct pf_job - a question, made ready
 * @station: one section for each disk; owned
 * @real: the job that is looked at, NULL = none
 * @order: in which disks are admitted, @slots: how many at once on each adapter, @turns: one
 *	command at a time over all of these
 * @links: adapters, @most: disks on the one that has most
 * @simple: the closed form may be used as far as single disks are concerned
 * @patient: seconds may go by
 */
struct pf_job {
	struct dw_job_spec spec;
	struct dw_station *station;
	struct dw_job *real;
	struct pf_disk *disk;
	uint32_t n;
	uint32_t *order;
	uint32_t slots;
	uint32_t links;
	uint32_t most;
	bool turns;
	bool simple;
	bool patient;
};

/* job.c */

/** pf_job_init() - make a question ready; @real NULL = as the station says. 0, -EINVAL with
 *  @err, -ENOMEM. */
int pf_job_init(struct pf_job *j, const struct dw_job_spec *spec, struct dw_job *real,
		const struct dw_station *station, struct dw_error *err);
void pf_job_deinit(struct pf_job *j);

/** pf_at_once() - whether two of its disks may be at work at the same time. */
bool pf_at_once(const struct pf_job *j);

/** pf_job_disk() - the phases of disk @i from its spec and plan. 0 or -ENOMEM. */
int pf_job_disk(struct pf_job *j, uint32_t i);

/** pf_station_single() - a copy with one section for each disk, so that each can be changed;
 *  dw_station_free(). 0 or -ENOMEM. */
int pf_station_single(const struct dw_station *s, struct dw_station **ret);

/** pf_shared() - all disks to their end by dw_cost_run(); @ret_times: one for each. 0, -EINVAL,
 *  -ENOMEM. */
int pf_shared(const struct pf_job *j, struct pf_times *ret_times, double *ret_seconds);

/** pf_load() - dw_cost_load() of the question. 0 or -ENOMEM. */
int pf_load(const struct pf_job *j, double *ret);

/* simulated.c */

/** pf_simulate() - ask the simulator; @ret_times: one for each disk, and one with the chance of
 *  the job. 0, 1 when it would take too long, -errno. */
int pf_simulate(const struct pf_job *j, bool coarse, struct pf_times *ret_times,
		double *ret_seconds);

/** pf_virtual_job() - a job on simulated disks, for the question; not started; @seed: what chance
 *  decides. 0 or -errno. */
int pf_virtual_job(const struct dw_job_spec *spec, struct dw_job *real,
		   const struct dw_station *station, bool coarse, uint64_t seed,
		   struct dw_job **ret, struct dw_error *err);

#endif

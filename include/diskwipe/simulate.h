/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_SIMULATE_H
#define DISKWIPE_SIMULATE_H

/*
 * A job on disks that a file describes, in virtual time: the same core, strategies,
 * controllers, progress and result as on real disks, and no device is touched.
 *
 *	dw_station_load() -> dw_job_new() -> dw_job_simulate() -> dw_job_start()
 *	-> while (dw_job_step() == 1) ... -> dw_job_result()
 */
#include <diskwipe/engine.h>
#include <diskwipe/error.h>
#include <diskwipe/health.h>
#include <diskwipe/job.h>
#include <diskwipe/public.h>
#include <diskwipe/station.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * dw_job_simulate() - put all disks of a station into a job that has none yet
 * @job: made by dw_job_new(), not started; its seed decides all randomness
 * @station: borrowed until the job is freed
 * @coarse: leap over stretches of time in which all disks go on evenly
 * @err: on failure why
 *
 * Disks that the spec does not fit are refused and named in the result. The job's clock is
 * virtual from then on: it begins at 1970-01-01 00:00:00 UTC.
 *
 * Return: 0; -EINVAL; another negative errno.
 */
DW_PUBLIC int dw_job_simulate(struct dw_job *job, const struct dw_station *station,
			      bool coarse, struct dw_error *err);

/**
 * dw_simulation_coarse() - does the size of the work ask for a coarse simulation?
 * @spec: of the job
 * @station: its disks
 *
 * Up to about 1 TB together the exact one takes seconds. A coarse one leaves other work out,
 * so it is never advised with that. Any thread.
 *
 * Return: what dw_job_simulate() had best be given.
 */
DW_PUBLIC bool dw_simulation_coarse(const struct dw_job_spec *spec,
				    const struct dw_station *station);

/*
 * The disks of a station in real time: an engine finds, opens, erases and loses them as it does
 * those of a machine. They have no contents: a block that can be read counts as what was written.
 *
 *	dw_simulation_new() -> dw_engine_new() -> dw_engine_simulate() -> dw_engine_discover() ...
 *
 * Its other functions may be called from any thread. A disk is named by its section ("bay-3"), its
 * serial number, WWN or slot ("wide-port:3").
 */
struct dw_simulation;

/**
 * dw_simulation_new() - the disks of a topology file, all present; its clock begins
 * @path: the file. Times of faults count from now
 * @shrink: capacities, the times of SANITIZE, and where and when faults happen are divided by it;
 *	at least 1. Rates are not: so a job takes a part of the time, and looks as it would
 * @ret: dw_simulation_free()
 *
 * Return: 0; -EINVAL; another negative errno.
 */
DW_PUBLIC int dw_simulation_new(const char *path, uint64_t shrink,
				struct dw_simulation **ret, struct dw_error *err);

/** dw_simulation_free() - after its engine; NULL is accepted. */
DW_PUBLIC void dw_simulation_free(struct dw_simulation *s);

/**
 * dw_engine_simulate() - let an engine have these disks instead of the machine's
 * @engine: without jobs
 * @s: of one engine alone; it must outlive it
 *
 * From then on the process opens no disk of the machine any more, whoever asks in it: the library
 * refuses that where nodes are opened, for good. The results of all jobs say "real time" in
 * struct dw_job_result.simulation.
 *
 * Return: 0; -EBUSY: the engine has jobs with disks; another negative errno.
 */
DW_PUBLIC int dw_engine_simulate(struct dw_engine *engine, struct dw_simulation *s);

/** dw_simulation_fd() - an eventfd, readable when a disk went or came, by itself or pulled: read
 *  it, then look for disks. */
DW_PUBLIC int dw_simulation_fd(const struct dw_simulation *s);

/** dw_simulation_pull(), dw_simulation_insert() - pull a disk, put it back. 0; -ENODEV: there is
 *  none of that name; -EALREADY: it is pulled, or there. */
DW_PUBLIC int dw_simulation_pull(struct dw_simulation *s, const char *what);
DW_PUBLIC int dw_simulation_insert(struct dw_simulation *s, const char *what);

/** dw_simulation_heat() - make a disk warmer than its file says, by @degrees, -100..100. 0;
 *  -ENODEV; -ERANGE. */
DW_PUBLIC int dw_simulation_heat(struct dw_simulation *s, const char *what,
				 int32_t degrees);

/** dw_simulation_health() - what dw_disk_health() would say: good, the file's temperature, and some
 *  degrees more at work. 0; -ENODEV. */
DW_PUBLIC int dw_simulation_health(struct dw_simulation *s, const char *what,
				   struct dw_health *ret);

#ifdef __cplusplus
}
#endif

#endif

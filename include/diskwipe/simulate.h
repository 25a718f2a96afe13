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
#include <diskwipe/error.h>
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

#ifdef __cplusplus
}
#endif

#endif

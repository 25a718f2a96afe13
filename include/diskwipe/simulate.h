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
#include <diskwipe/job.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dw_station;

/**
 * dw_station_load() - read a station file
 * @path: the file; strict: an unknown or repeated key is an error
 * @ret: dw_station_free()
 * @err: on failure one line for people, "FILE:LINE: what"
 *
 * Return: 0; -EINVAL for what is not understood; negative errno of reading.
 */
int dw_station_load(const char *path, struct dw_station **ret, char err[256]);

/** dw_station_free() - free it; NULL is accepted. */
void dw_station_free(struct dw_station *s);

/** dw_station_disks() - how many disks it has. */
uint32_t dw_station_disks(const struct dw_station *s);

/** dw_station_title() - what the file calls it, empty = nothing. */
const char *dw_station_title(const struct dw_station *s);

/**
 * dw_job_simulate() - put all disks of a station into a job that has none yet
 * @job: made by dw_job_new(), not started; its seed decides all randomness
 * @station: borrowed until the job is freed
 * @coarse: advance runs of identical commands as one event
 * @err: one line why not
 *
 * Disks that the spec does not fit are refused and named in the result. The job's clock is
 * virtual from then on: it begins at 1970-01-01 00:00:00 UTC.
 *
 * Return: 0; -EINVAL with @err; negative errno.
 */
int dw_job_simulate(struct dw_job *job, const struct dw_station *station, bool coarse,
		    char err[256]);

#ifdef __cplusplus
}
#endif

#endif

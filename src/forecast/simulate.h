/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FORECAST_SIMULATE_H
#define DW_FORECAST_SIMULATE_H

#include "engine/virtual.h"
#include "report/trace.h"
#include "forecast/world.h"

/**
 * sim_job_add() - dw_job_simulate() for those who want to look at the world
 * @ret: the world, owned by the job; filled whenever the job has it
 * Return: 0 or negative errno.
 */
int sim_job_add(struct dw_job *job, const struct dw_station *station, bool coarse,
		struct sim_world **ret);

/**
 * sim_wiring() - from a trace to a station: title, nodes, what each disk hangs on
 * @ctx: struct dw_station
 * @units: the disks of @head in the station's order of single disks
 * @head: with its disks; gets nodes
 * Return: 0 or -ENOMEM.
 */
int sim_wiring(const void *ctx, const uint32_t *units, struct dw_trace_head *head);

/** sim_adapter() - dw_virtual.adapter; @ctx: struct dw_station. */
uint32_t sim_adapter(const void *ctx, uint32_t unit);

/** sim_job_begin() - the same without its disks. */
int sim_job_begin(struct dw_job *job, const struct dw_station *station, bool coarse,
		  struct sim_world **ret);

/** sim_job_add_unit() - add disk @unit of the station; a refusal is noted. 0 or negative errno. */
int sim_job_add_unit(struct dw_job *job, const struct dw_station *station, uint32_t unit);

/** sim_describe() - disk @unit of a station as discovery would have found it. */
void sim_describe(const struct dw_station *station, uint32_t unit,
		  struct dw_disk_info *ret);

/** sim_disk_of() - disk @unit of a station for a job with @spec. */
void sim_disk_of(const struct dw_station *station, uint32_t unit,
		 const struct dw_job_spec *spec, struct dw_virtual_disk *ret);

/** sim_has_cache() - a disk's volatile cache is on during a job: it is, or is switched on. */
bool sim_has_cache(const struct station_disk *s, const struct dw_job_spec *spec);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SIM_SIMULATE_H
#define DW_SIM_SIMULATE_H

#include "sim/world.h"

/**
 * sim_job_add() - dw_job_simulate() for those who want to look at the world
 * @ret: the world, owned by the job; filled whenever the job has it
 * Return: 0 or negative errno.
 */
int sim_job_add(struct dw_job *job, const struct dw_station *station, bool coarse,
		struct sim_world **ret);

#endif

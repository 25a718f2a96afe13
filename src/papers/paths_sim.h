/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PAPERS_PATHS_SIM_H
#define DW_PAPERS_PATHS_SIM_H

#include "base/paths.h"
#include "papers/model.h"

/** dw_paths_simulate() - @count transfers, and as many with the other kind of paths for the
 *  gain, if they can carry them; leaves "simulated" outputs. 0, -ENOMEM. */
int dw_paths_simulate(struct dw_model_call *call, const struct dw_paths *p, double rate,
		      double count, uint64_t seed);

#endif

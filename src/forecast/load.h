/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FORECAST_LOAD_H
#define DW_FORECAST_LOAD_H

/*
 * Other work at the station's controllers: users who think, then have some bytes read from
 * a disk of their own, which is none of the job's, over the same links and buses.
 */
#include "device/iostat.h"
#include "forecast/world.h"

struct sim_loads;

/** sim_loads_new() - the users of all loads of @station begin to think at SIM_START_NS;
 *  0 or -ENOMEM. @ret is NULL when there are none. */
int sim_loads_new(struct sim_world *w, uint64_t seed, struct sim_loads **ret);

/** sim_loads_free() - NULL is accepted. */
void sim_loads_free(struct sim_loads *l);

/** sim_loads_happen() - the next thing happens to user @user, counted over all loads. */
void sim_loads_happen(struct sim_world *w, uint32_t user);

/** sim_loads_count() - what has been answered so far, as a kernel counts it. */
void sim_loads_count(struct dw_transport *t, struct dw_io_count *ret);

#endif

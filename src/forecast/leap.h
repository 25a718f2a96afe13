/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FORECAST_LEAP_H
#define DW_FORECAST_LEAP_H

/* Coarse mode: what leap.c wants to hear of, and where it is asked to leap. */
#include "diskwipe/engine.h"
#include "forecast/world.h"

/** sim_leap_new() - make the world measure its disks; 0 or -ENOMEM. w->leap is freed with it. */
int sim_leap_new(struct sim_world *w);

/** sim_leap_done() - a command with blocks has ended well. */
void sim_leap_done(struct sim_world *w, const struct sim_disk *d, const struct sim_op *o);

/** sim_leap_flush() - a flush goes out to the disk. */
void sim_leap_flush(struct sim_world *w, const struct sim_disk *d);

/** sim_leap_disturbed() - something has happened that makes what was measured worthless. */
void sim_leap_disturbed(struct sim_world *w);

/** sim_leap_between() - dw_virtual.between of a coarse simulation. */
int sim_leap_between(struct dw_transport *t, struct dw_engine *e);

#endif

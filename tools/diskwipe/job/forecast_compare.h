/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_FORECAST_COMPARE_H
#define DISKWIPE_FORECAST_COMPARE_H

/* Forecasts of a topology file's disks, and of what would be if they were others. */
#include "cli.h"

/** cli_forecast_only() - plan --topology without a device: print the forecast, or with
 *  --compare, --replace and --without how others differ. Exit code. */
int cli_forecast_only(struct cli *c);

#endif

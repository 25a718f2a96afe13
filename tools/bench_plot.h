/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_BENCH_PLOT_H
#define DISKWIPE_BENCH_PLOT_H

/* A measurement as a picture. */
#include "cli.h"

/** cli_bench_plot() - draw @b into c->output: rate over transfer length, or of a load the response
 *  over operations per second. 0, or an exit code after cli_fail(). */
int cli_bench_plot(struct cli *c, const struct dw_bench *b);

#endif

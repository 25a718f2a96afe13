/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TOOLS_AWAIT_H
#define DW_TOOLS_AWAIT_H

#include "cli.h"

/**
 * cli_await() - wait for disks that spin up, and say so; or that udevd looks at for a moment
 * @c: what was asked for
 * @all: the machine's disks; those that were waited for are examined again
 * @n: their number
 *
 * Those that are named, or all where none is. Disks spin up by turns, so the wait is one for all
 * of them, and ends after three minutes; for udevd, after ten seconds.
 */
void cli_await(const struct cli *c, struct dw_disk *all, size_t n);

/** cli_await_moment() - wait while udevd looks at an examined disk, for ten seconds at most; the
 *  verdict is the latest. */
void cli_await_moment(const struct cli *c, struct dw_disk *d);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_FOLLOW_H
#define DISKWIPE_FOLLOW_H

/* Jobs of the service, as they continue. */
#include "client/client.h"

/**
 * cli_follow() - show the progress of jobs until all have ended, or the user leaves them
 * @k: connected
 * @station: as it was read last; read again
 * @jobs: their paths
 * @n: how many, at least one
 *
 * A signal leaves the jobs alone: they continue, and how to come back is said.
 *
 * Return: the exit code of `diskwipe erase` for what came of them, or another after cli_fail().
 */
int cli_follow(struct cli *c, struct cli_client *k, struct cli_station *station,
	       const char *const *jobs, size_t n);

#endif

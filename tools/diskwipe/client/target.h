/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_TARGET_H
#define DISKWIPE_TARGET_H

/* Jobs and disks of the station by the words that people use for them. */
#include "client/client.h"

#define CLI_JOB_DIGITS 8 /* of its UUID, at least */

/** struct cli_target - what a word means: one of both is NULL */
struct cli_target {
	const struct cli_station_job *job;
	const struct cli_station_disk *disk;
};

/** cli_targets_find() - what each of c->operand means, one for each, pointing into @s; free()
 *  @ret. 0, or an exit code after cli_fail(). */
int cli_targets_find(struct cli *c, const struct cli_station *s, struct cli_target **ret);

/** cli_job_name() - the first digits of its UUID, or the whole where these are ambiguous in
 *  @s; returns @buf. */
const char *cli_job_name(const struct cli_station *s, const struct cli_station_job *job,
			 char *buf, size_t size);

/** cli_station_disk_name() - what a disk is called by: node, else bay, else serial. */
const char *cli_station_disk_name(const struct cli_station_disk *d);

#endif

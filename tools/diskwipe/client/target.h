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

/** struct cli_targets - of all words */
struct cli_targets {
	struct cli_target *list;
	size_t n;
};

/**
 * enum cli_target_use - what is done with a target
 * @CLI_TARGET_SHOW: a label stands for all of its jobs
 * @CLI_TARGET_FOLLOW: for those that have not ended, if there is one
 * @CLI_TARGET_CHANGE: the same, and each word has to mean one job or disk
 */
enum cli_target_use {
	CLI_TARGET_SHOW,
	CLI_TARGET_FOLLOW,
	CLI_TARGET_CHANGE,
};

/** cli_targets_find() - what the words of c->operand mean, in their order, pointing into @s. @ret:
 *  cli_targets_free(), after a failure too. 0, or an exit code after cli_fail(). */
int cli_targets_find(struct cli *c, const struct cli_station *s, enum cli_target_use use,
		     struct cli_targets *ret);

/** cli_targets_free() - Safe without any. */
void cli_targets_free(struct cli_targets *t);

/** cli_job_name() - the first digits of its UUID, or the whole where these are ambiguous in
 *  @s; returns @buf. */
const char *cli_job_name(const struct cli_station *s, const struct cli_station_job *job,
			 char *buf, size_t size);

/** cli_station_disk_name() - what a disk is called by: node, else bay, else serial. */
const char *cli_station_disk_name(const struct cli_station_disk *d);

#endif

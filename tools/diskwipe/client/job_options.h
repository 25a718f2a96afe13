/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_JOB_OPTIONS_H
#define DISKWIPE_JOB_OPTIONS_H

/* What the command line says of a job that the service is to do. */
#include "cli.h"

#define CLI_JOB_OPTIONS_MAX 40

/** struct cli_job_options - members of the job's specification; @value points into @text */
struct cli_job_options {
	const char *key[CLI_JOB_OPTIONS_MAX];
	const char *value[CLI_JOB_OPTIONS_MAX];
	char text[CLI_JOB_OPTIONS_MAX][600];
	size_t n;
};

/** cli_job_options_collect() - whatever was given, and nothing else: the rest is the service's
 *  choice. */
void cli_job_options_collect(const struct cli *c, struct cli_job_options *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_BACKGROUND_OUT_H
#define DISKWIPE_BACKGROUND_OUT_H

/* What is printed of a job that runs beside other work. */
#include <stdio.h>

#include "cli.h"

/** cli_background_plan() - one line what is to be expected, on @f; nothing where nothing was
 *  asked for. */
void cli_background_plan(FILE *f, const struct dw_background *b);

/** cli_background_facts() - the same for the JSON document: what is known without a job. */
void cli_background_facts(const struct dw_background *b,
			  struct dw_background_result *ret);

/** cli_background_result() - one line what came of it, on stdout. */
void cli_background_result(const struct dw_job_result *r);

#endif

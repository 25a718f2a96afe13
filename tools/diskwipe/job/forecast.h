/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_FORECAST_H
#define DISKWIPE_FORECAST_H

/*
 * What is said of a job before it begins, and afterwards of that. A forecast never keeps a
 * job from being done: where there can be none, one line says so.
 */
#include "cli.h"
#include "job/select.h"

/** cli_forecast_prepare() - read the file of --topology and settle what --active=auto asks; before
 *  a disk is touched. 0 or an exit code. */
int cli_forecast_prepare(struct cli *c);

/** cli_forecast_disks() - for disks that are not claimed; fills c->predict.forecast if it can. */
void cli_forecast_disks(struct cli *c, const struct cli_selection *s);

/** cli_forecast_job() - for a job that has its disks, told to it; fills c->predict.forecast if it
 *  can. */
void cli_forecast_job(struct cli *c, struct dw_job *job, const struct cli_selection *s);

/** cli_forecast_simulated() - the same for a job on the disks of a station. */
void cli_forecast_simulated(struct cli *c, struct dw_job *job,
			    const struct dw_station *station);

/** cli_forecast_admit() - for --active=auto without a job: choose, tell, and put the choice
 *  into the spec. @ret_order: for the forecast, free(). 0 or an exit code. */
int cli_forecast_admit(struct cli *c, const struct dw_station *station,
		       uint32_t **ret_order);

/** cli_forecast_chosen() - what the verification "auto" comes to by c->predict.forecast, and in
 *  full if there is none, goes into the spec, unless it was chosen before. */
void cli_forecast_chosen(struct cli *c);

/** cli_forecast_say() - c->predict.forecast in two or three lines on stderr, unless --quiet. */
void cli_forecast_say(const struct cli *c);

/** cli_forecast_print() - the first of them, without its end, to a file. */
void cli_forecast_print(const struct dw_forecast *f, FILE *to);

/** cli_forecast_table() - a line for each disk on @f, then those lines. */
void cli_forecast_table(const struct cli *c, FILE *f, const struct dw_forecast *forecast);

/** cli_forecast_outcome() - what became of c->predict.forecast, for people, on stdout. */
void cli_forecast_outcome(const struct cli *c);

/** cli_forecast_free() - what the above have left in @c. */
void cli_forecast_free(struct cli *c);

#endif

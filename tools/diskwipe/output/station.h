/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_OUT_STATION_H
#define DISKWIPE_OUT_STATION_H

/* Tables of the station's jobs, disks and records on the standard output. */
#include "client/client.h"

/** cli_table_jobs() - of @jobs, which ends with NULL. */
void cli_table_jobs(struct cli *c, const struct cli_station *s,
		    const struct cli_station_job *const *jobs);

/** cli_table_station() - of @disks, which ends with NULL; columns of c->show.output. 0 or an exit
 *  code. */
int cli_table_station(struct cli *c, const struct cli_station *s,
		      const struct cli_station_disk *const *disks);

/** cli_table_queue() - the disks of @disks that wait, in their order, with the times. */
void cli_table_queue(struct cli *c, const struct cli_station *s,
		     const struct cli_station_disk *const *disks);

/** cli_table_ended() - what came of the disks of a job. */
void cli_table_ended(struct cli *c, const struct cli_station_disk *const *disks);

/** cli_table_records() - the newest first. */
void cli_table_records(struct cli *c, const struct cli_record *records, size_t n);

/** cli_table_station_columns() - the columns of cli_table_station(). */
void cli_table_station_columns(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_CLIENT_JSON_H
#define DISKWIPE_CLIENT_JSON_H

/* What the service says, as JSON and CSV on the standard output. */
#include "client/client.h"

/** cli_json_station() - one document; of @jobs and @disks, which end with NULL. */
void cli_json_station(const struct cli_station *s,
		      const struct cli_station_job *const *jobs,
		      const struct cli_station_disk *const *disks);

/** cli_json_records() - one document. */
void cli_json_records(const struct cli_record *records, size_t n);

/** cli_csv_records() - a line of names, then one for each record, as RFC 4180 has it. */
void cli_csv_records(const struct cli_record *records, size_t n);

#endif

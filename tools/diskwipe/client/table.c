/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which property of the service is which member. Members are called as in JSON, and so are the
 * keys there: device, bytes_total.
 */
#include "client/table.h"

#include <string.h>

#define DISK(name, type, member)                                                         \
	{                                                                                \
		name, #member, type, offsetof(struct cli_station_disk, member)           \
	}
#define JOB(name, type, member)                                                          \
	{                                                                                \
		name, #member, type, offsetof(struct cli_station_job, member)            \
	}
#define DISK_ROW(name, type, member, size) DISK(#name, BUS_##type, member),
#define JOB_ROW(name, type, member, size)  JOB(#name, BUS_##type, member),
#define MANAGER(name, type, member)                                                      \
	{                                                                                \
		name, #member, type, offsetof(struct cli_manager, member)                \
	}
#define RECORD(name, type, member)                                                       \
	{                                                                                \
		name, #member, type, offsetof(struct cli_record, member)                 \
	}

static const struct cli_property disk_table[] = { DISK("", 'o', path),
						  BUS_DISK_PROPERTIES(DISK_ROW) };

static const struct cli_property job_table[] = { JOB("", 'o', path),
						 JOB("Objects", 'a', objects),
						 BUS_JOB_PROPERTIES(JOB_ROW) };

static const struct cli_property manager_table[] = {
	MANAGER("Version", 's', version),
	MANAGER("Station", 's', station),
	MANAGER("Simulated", 'b', simulated),
	MANAGER("Starting", 'b', starting),
	MANAGER("RecordsFolder", 's', records_folder),
	MANAGER("RecordsTrouble", 's', records_trouble),
	MANAGER("RecordsDue", 'b', records_due),
	MANAGER("Active", 'u', active),
	MANAGER("Waiting", 'u', waiting),
	MANAGER("Notes", 'a', notes),
};

static const struct cli_property record_table[] = {
	RECORD("job", 's', job),
	RECORD("serial", 's', serial),
	RECORD("wwn", 's', wwn),
	RECORD("capacity", 't', capacity),
	RECORD("vendor", 's', vendor),
	RECORD("model", 's', model),
	RECORD("bay", 's', bay),
	RECORD("method", 's', method),
	RECORD("started", 'T', started),
	RECORD("ended", 'T', ended),
	RECORD("outcome", 's', outcome),
	RECORD("reason", 's', reason),
	RECORD("uid", 'u', uid),
	RECORD("label", 's', label),
	RECORD("health_before", 's', health_before),
	RECORD("health_after", 's', health_after),
	RECORD("max_temperature", 'i', max_temperature),
	RECORD("heat_pause_seconds", 'd', heat_pause_seconds),
	RECORD("do_not_reuse", 'b', do_not_reuse),
	RECORD("simulated", 'b', simulated),
};

const struct cli_property *cli_properties(enum cli_table_kind kind, size_t *ret_n)
{
	static const struct {
		const struct cli_property *rows;
		size_t n;
	} tables[] = {
		[CLI_TABLE_DISK] = { disk_table, CLI_ARRAY_SIZE(disk_table) },
		[CLI_TABLE_JOB] = { job_table, CLI_ARRAY_SIZE(job_table) },
		[CLI_TABLE_MANAGER] = { manager_table, CLI_ARRAY_SIZE(manager_table) },
		[CLI_TABLE_RECORD] = { record_table, CLI_ARRAY_SIZE(record_table) },
	};

	*ret_n = tables[kind].n;
	return tables[kind].rows;
}

unsigned cli_station_disk_pass(const struct cli_station_disk *d)
{
	if (!d->passes || d->outcome[0] || !strcmp(d->job, "/"))
		return 0;
	return d->pass < d->passes ? d->pass + 1 : d->passes;
}

bool cli_station_used_again(const struct cli_station_disk *d)
{
	return d->signatures && d->signatures[0] &&
	       (!strcmp(d->outcome, "erased") || !strcmp(d->outcome, "as-expected"));
}

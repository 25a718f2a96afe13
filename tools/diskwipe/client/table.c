/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which property of the service is which member. Members are called as in JSON, and so are the
 * keys there: device, bytes_total.
 */
#include "client/table.h"

#define DISK(name, type, member)                                                         \
	{                                                                                \
		name, #member, type, offsetof(struct cli_station_disk, member)           \
	}
#define JOB(name, type, member)                                                          \
	{                                                                                \
		name, #member, type, offsetof(struct cli_station_job, member)            \
	}
#define MANAGER(name, type, member)                                                      \
	{                                                                                \
		name, #member, type, offsetof(struct cli_manager, member)                \
	}
#define RECORD(name, type, member)                                                       \
	{                                                                                \
		name, #member, type, offsetof(struct cli_record, member)                 \
	}

static const struct cli_property disk_table[] = {
	DISK("", 'o', path),
	DISK("Device", 's', device),
	DISK("Block", 's', block),
	DISK("Serial", 's', serial),
	DISK("WWN", 's', wwn),
	DISK("Vendor", 's', vendor),
	DISK("Model", 's', model),
	DISK("Revision", 's', revision),
	DISK("Capacity", 't', capacity),
	DISK("BlockSize", 'u', block_size),
	DISK("Transport", 's', transport),
	DISK("Address", 's', address),
	DISK("Slot", 's', slot),
	DISK("Bay", 's', bay),
	DISK("Signatures", 's', signatures),
	DISK("Refusal", 's', refusal),
	DISK("Reason", 's', reason),
	DISK("Release", 's', release),
	DISK("State", 's', state),
	DISK("Job", 'o', job),
	DISK("Outcome", 's', outcome),
	DISK("Message", 's', message),
	DISK("Progress", 'd', progress),
	DISK("Bytes", 't', bytes),
	DISK("BytesTotal", 't', bytes_total),
	DISK("Rate", 't', rate),
	DISK("Errors", 't', errors),
	DISK("Pass", 'u', pass),
	DISK("Passes", 'u', passes),
	DISK("StartTime", 'T', start_time),
	DISK("ExpectedStartTime", 'T', expected_start_time),
	DISK("ExpectedEndTime", 'T', expected_end_time),
	DISK("Temperature", 'i', temperature),
	DISK("Health", 's', health),
};

static const struct cli_property job_table[] = {
	JOB("", 'o', path),
	JOB("Operation", 's', operation),
	JOB("Progress", 'd', progress),
	JOB("ProgressValid", 'b', progress_valid),
	JOB("Bytes", 't', bytes),
	JOB("Rate", 't', rate),
	JOB("StartTime", 'T', start_time),
	JOB("ExpectedEndTime", 'T', expected_end_time),
	JOB("Objects", 'a', objects),
	JOB("StartedByUID", 'u', uid),
	JOB("Cancelable", 'b', cancelable),
	JOB("Id", 's', id),
	JOB("State", 's', state),
	JOB("Outcome", 's', outcome),
	JOB("ExitCode", 'i', exit_code),
	JOB("Priority", 'i', priority),
	JOB("Label", 's', label),
	JOB("Method", 's', method),
	JOB("Verify", 's', verify),
	JOB("SubmitTime", 'T', submit_time),
	JOB("ExpectedStartTime", 'T', expected_start_time),
	JOB("EndTime", 'T', end_time),
	JOB("Disks", 'u', disks),
	JOB("DisksDone", 'u', disks_done),
	JOB("Message", 's', message),
};

static const struct cli_property manager_table[] = {
	MANAGER("Version", 's', version), MANAGER("Station", 's', station),
	MANAGER("Active", 'u', active),   MANAGER("Waiting", 'u', waiting),
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

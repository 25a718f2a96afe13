/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The station as tables. Times are those of the place: the hour when it is today, else the date
 * as well; a time that is not known is a dash.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output/columns.h"
#include "output/station.h"
#include "output/table.h"
#include "client/target.h"

static const char *time_text(uint64_t usec, char *buf, size_t size)
{
	time_t then = (time_t)(usec / 1000000), now = time(NULL);
	struct tm a, b;
	bool today;

	if (!usec || !localtime_r(&then, &a) || !localtime_r(&now, &b)) {
		snprintf(buf, size, "-");
		return buf;
	}
	today = a.tm_year == b.tm_year && a.tm_yday == b.tm_yday;
	strftime(buf, size, today ? "%H:%M:%S" : "%Y-%m-%d %H:%M", &a);
	return buf;
}

static const char *speed_text(const struct cli *c, uint64_t n, char *buf, size_t size)
{
	if (n)
		return cli_rate_text(c, (double)n, buf, size);
	snprintf(buf, size, "-");
	return buf;
}

static const char *or_dash(const char *text)
{
	return text[0] ? text : "-";
}

static const char *color_of_outcome(const char *outcome)
{
	if (!outcome[0])
		return NULL;
	if (!strcmp(outcome, dw_outcome_name(DW_OUTCOME_ERASED, false)))
		return "green";
	if (!strcmp(outcome, dw_outcome_name(DW_OUTCOME_FAILED, false)) ||
	    !strcmp(outcome, dw_outcome_name(DW_OUTCOME_REMOVED, false)))
		return "red";
	return "yellow";
}

static const char *color_of_disk(const struct cli_station_disk *d)
{
	return cli_station_used_again(d) ? "yellow" : color_of_outcome(d->outcome);
}

static const char *job_of(const struct cli_station *s, const struct cli_station_disk *d,
			  char *buf, size_t size)
{
	const struct cli_station_job *job = cli_station_find_job(s, d->job);

	if (job)
		return cli_job_name(s, job, buf, size);
	snprintf(buf, size, "-");
	return buf;
}

enum { J_JOB, J_STATE, J_LABEL, J_METHOD, J_DISKS, J_DONE, J_RATE, J_ENDS, J_OUTCOME };

static void job_line(const struct cli *c, struct cli_table *t,
		     const struct cli_station *s, const struct cli_station_job *j)
{
	char text[64];

	cli_table_line(t, color_of_outcome(j->outcome));
	cli_table_cell(t, J_JOB, cli_job_name(s, j, text, sizeof(text)));
	cli_table_cell(t, J_STATE, j->state);
	cli_table_cell(t, J_LABEL, or_dash(j->label));
	cli_table_cell(t, J_METHOD, or_dash(j->method));
	snprintf(text, sizeof(text), "%u/%u", j->disks_done, j->disks);
	cli_table_cell(t, J_DISKS, text);
	snprintf(text, sizeof(text), "%.1f%%", j->progress * 100);
	cli_table_cell(t, J_DONE, j->progress_valid ? text : "-");
	cli_table_cell(t, J_RATE, speed_text(c, j->rate, text, sizeof(text)));
	cli_table_cell(t, J_ENDS,
		       time_text(j->end_time ? j->end_time : j->expected_end_time, text,
				 sizeof(text)));
	cli_table_cell(t, J_OUTCOME, or_dash(j->outcome));
}

void cli_table_jobs(struct cli *c, const struct cli_station *s,
		    const struct cli_station_job *const *jobs)
{
	static const struct cli_column heads[] = {
		[J_JOB] = { "JOB" },
		[J_STATE] = { "STATE" },
		[J_LABEL] = { "LABEL", false, true, 3 },
		[J_METHOD] = { "METHOD", false, true, 4 },
		[J_DISKS] = { "DISKS DONE", true, false, 5 },
		[J_DONE] = { "DONE", true },
		[J_RATE] = { "RATE", true, false, 2 },
		[J_ENDS] = { "ENDS", true, false, 1 },
		[J_OUTCOME] = { "OUTCOME" },
	};
	struct cli_table *t =
		cli_table_new(stdout, heads, CLI_ARRAY_SIZE(heads), !c->show.no_headings,
			      cli_color_wanted(c, stdout));

	for (size_t i = 0; jobs[i]; i++)
		job_line(c, t, s, jobs[i]);
	cli_table_end(t);
}

/* What a cell is made from. */
struct station_cell {
	const struct cli *c;
	const struct cli_station *s;
	const struct cli_station_disk *d;
};

#define TEXT_CELL(name, member)                                                          \
	static void name##_cell(const struct station_cell *x, char *buf, size_t size)    \
	{                                                                                \
		snprintf(buf, size, "%s", or_dash(x->d->member));                        \
	}

TEXT_CELL(bay, bay)
TEXT_CELL(slot, slot)
TEXT_CELL(block, block)
TEXT_CELL(address, address)
TEXT_CELL(vendor, vendor)
TEXT_CELL(model, model)
TEXT_CELL(revision, revision)
TEXT_CELL(serial, serial)
TEXT_CELL(wwn, wwn)
TEXT_CELL(transport, transport)
TEXT_CELL(signatures, signatures)
TEXT_CELL(refusal, refusal)
TEXT_CELL(release, release)
TEXT_CELL(health, health)

static void outcome_cell(const struct station_cell *x, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s", or_dash(x->d->outcome),
		 cli_station_used_again(x->d) ? ", used since" : "");
}

static void device_cell(const struct station_cell *x, char *buf, size_t size)
{
	snprintf(buf, size, "%s", or_dash(x->d->device));
}

static void size_cell(const struct station_cell *x, char *buf, size_t size)
{
	cli_size_text(x->c, x->d->capacity, buf, size);
}

static void state_cell(const struct station_cell *x, char *buf, size_t size)
{
	const struct cli_station_disk *d = x->d;

	if (d->passes > 1 && cli_station_disk_pass(d))
		snprintf(buf, size, "%s %u/%u", d->state, cli_station_disk_pass(d),
			 d->passes);
	else
		snprintf(buf, size, "%s", d->state);
}

static void done_cell(const struct station_cell *x, char *buf, size_t size)
{
	if (strcmp(x->d->job, "/") != 0)
		snprintf(buf, size, "%.1f%%", x->d->progress * 100);
	else
		snprintf(buf, size, "-");
}

static void rate_cell(const struct station_cell *x, char *buf, size_t size)
{
	speed_text(x->c, x->d->rate, buf, size);
}

static void ends_cell(const struct station_cell *x, char *buf, size_t size)
{
	time_text(x->d->expected_end_time, buf, size);
}

static void starts_cell(const struct station_cell *x, char *buf, size_t size)
{
	const struct cli_station_disk *d = x->d;

	time_text(d->start_time ? d->start_time : d->expected_start_time, buf, size);
}

static void bad_cell(const struct station_cell *x, char *buf, size_t size)
{
	snprintf(buf, size, "%u", x->d->bad_blocks);
}

static void errors_cell(const struct station_cell *x, char *buf, size_t size)
{
	snprintf(buf, size, "%llu", (unsigned long long)x->d->errors);
}

static void temperature_cell(const struct station_cell *x, char *buf, size_t size)
{
	if (x->d->temperature == CLI_NO_TEMPERATURE)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%d", x->d->temperature);
}

static void job_cell(const struct station_cell *x, char *buf, size_t size)
{
	job_of(x->s, x->d, buf, size);
}

/* What there is to say: of the work, else why it may not be erased. */
static void message_cell(const struct station_cell *x, char *buf, size_t size)
{
	snprintf(buf, size, "%s", x->d->message[0] ? x->d->message : x->d->reason);
}

static const struct station_column {
	struct cli_heading head;
	void (*text)(const struct station_cell *x, char *buf, size_t size);
} columns[] = {
	{ { "bay", "bay that the configuration declares", true, false, false, 3 },
	  bay_cell },
	{ { "device", "the node it is called by; - while it is absent", true },
	  device_cell },
	{ { "block", "block node" }, block_cell },
	{ { "address", "host:channel:target:lun" }, address_cell },
	{ { "slot", "enclosure and slot", false, false, true }, slot_cell },
	{ { "vendor", "vendor" }, vendor_cell },
	{ { "model", "model", true, false, true, 4 }, model_cell },
	{ { "revision", "firmware revision" }, revision_cell },
	{ { "serial", "serial number", true }, serial_cell },
	{ { "wwn", "world wide name" }, wwn_cell },
	{ { "size", "capacity", true, true, false, 5 }, size_cell },
	{ { "transport", "sas, sata, usb ..." }, transport_cell },
	{ { "signatures", "contents: file systems and the like", false, false, true },
	  signatures_cell },
	{ { "state", "what it does, with the pass", true }, state_cell },
	{ { "done", "share of the work that is done", true, true }, done_cell },
	{ { "rate", "rate now", true, true, false, 6 }, rate_cell },
	{ { "starts", "when its work began or is expected to", false, true },
	  starts_cell },
	{ { "ends", "when its work is expected to end", true, true, false, 7 },
	  ends_cell },
	{ { "errors", "commands that were repeated, of the work", false, true },
	  errors_cell },
	{ { "bad", "blocks that could not be erased or verified", false, true },
	  bad_cell },
	{ { "temperature", "degrees Celsius", false, true }, temperature_cell },
	{ { "health", "what the disk says of itself", false, false, true }, health_cell },
	{ { "job", "the job that has it, or had it last", true, false, false, 1 },
	  job_cell },
	{ { "outcome", "what came of that", true }, outcome_cell },
	{ { "refusal", "the kind of reason why it may not be erased" }, refusal_cell },
	{ { "message", "a remark, or why it may not be erased", true, false, true },
	  message_cell },
	{ { "release", "the command that would release it", false, false, true },
	  release_cell },
};

int cli_table_station(struct cli *c, const struct cli_station *s,
		      const struct cli_station_disk *const *disks)
{
	struct cli_columns chosen;
	struct cli_table *t;
	int r = cli_columns_begin(c, CLI_HEADINGS(columns), &chosen, &t);

	if (r)
		return r;
	for (size_t i = 0; disks[i]; i++) {
		struct station_cell x = { c, s, disks[i] };
		char text[512];

		cli_table_line(t, color_of_disk(disks[i]));
		for (size_t k = 0; k < chosen.n; k++) {
			columns[chosen.column[k]].text(&x, text, sizeof(text));
			cli_table_cell(t, k, text);
		}
	}
	cli_table_end(t);
	return 0;
}

void cli_table_station_columns(void)
{
	cli_columns_help(CLI_HEADINGS(columns));
}

void cli_table_queue(struct cli *c, const struct cli_station *s,
		     const struct cli_station_disk *const *disks)
{
	enum { DEVICE, BAY, SERIAL, SIZE, STATE, JOB, PRIORITY, STARTS, ENDS };
	static const struct cli_column heads[] = {
		[DEVICE] = { "DEVICE" },
		[BAY] = { "BAY", false, false, 1 },
		[SERIAL] = { "SERIAL" },
		[SIZE] = { "SIZE", true, false, 2 },
		[STATE] = { "STATE" },
		[JOB] = { "JOB" },
		[PRIORITY] = { "PRIORITY", true, false, 3 },
		[STARTS] = { "STARTS", true },
		[ENDS] = { "ENDS", true },
	};
	struct cli_table *t = cli_table_new(stdout, heads, CLI_ARRAY_SIZE(heads),
					    !c->show.no_headings, false);

	for (size_t i = 0; disks[i]; i++) {
		const struct cli_station_disk *d = disks[i];
		const struct cli_station_job *j = cli_station_find_job(s, d->job);
		char text[64];

		cli_table_line(t, NULL);
		cli_table_cell(t, DEVICE, or_dash(d->device));
		cli_table_cell(t, BAY, or_dash(d->bay));
		cli_table_cell(t, SERIAL, or_dash(d->serial));
		cli_table_cell(t, SIZE,
			       cli_size_text(c, d->capacity, text, sizeof(text)));
		cli_table_cell(t, STATE, d->state);
		cli_table_cell(t, JOB, job_of(s, d, text, sizeof(text)));
		snprintf(text, sizeof(text), "%d", j ? j->priority : 0);
		cli_table_cell(t, PRIORITY, text);
		cli_table_cell(t, STARTS,
			       time_text(d->expected_start_time, text, sizeof(text)));
		cli_table_cell(t, ENDS,
			       time_text(d->expected_end_time, text, sizeof(text)));
	}
	cli_table_end(t);
}

void cli_table_ended(struct cli *c, const struct cli_station_disk *const *disks)
{
	enum { DEVICE, MODEL, SERIAL, SIZE, BAD, OUTCOME, MESSAGE };
	static const struct cli_column heads[] = {
		[DEVICE] = { "DEVICE" },
		[MODEL] = { "MODEL", false, true, 1 },
		[SERIAL] = { "SERIAL" },
		[SIZE] = { "SIZE", true, false, 2 },
		[BAD] = { "BAD BLOCKS", true, false, 3 },
		[OUTCOME] = { "OUTCOME" },
		[MESSAGE] = { "MESSAGE", false, true },
	};
	struct cli_table *t =
		cli_table_new(stdout, heads, CLI_ARRAY_SIZE(heads), !c->show.no_headings,
			      cli_color_wanted(c, stdout));

	for (size_t i = 0; disks[i]; i++) {
		const struct cli_station_disk *d = disks[i];
		char text[64];

		cli_table_line(t, color_of_outcome(d->outcome));
		cli_table_cell(t, DEVICE, or_dash(cli_station_disk_name(d)));
		cli_table_cell(t, MODEL, or_dash(d->model));
		cli_table_cell(t, SERIAL, or_dash(d->serial));
		cli_table_cell(t, SIZE,
			       cli_size_text(c, d->capacity, text, sizeof(text)));
		snprintf(text, sizeof(text), "%u", d->bad_blocks);
		cli_table_cell(t, BAD, text);
		cli_table_cell(t, OUTCOME, or_dash(d->outcome));
		cli_table_cell(t, MESSAGE, d->message);
	}
	cli_table_end(t);
}

void cli_table_records(struct cli *c, const struct cli_record *records, size_t n)
{
	enum { ENDED, JOB, BAY, MODEL, SERIAL, SIZE, METHOD, TEMP, OUTCOME, REASON };
	static const struct cli_column heads[] = {
		[ENDED] = { "ENDED" },
		[JOB] = { "JOB" },
		[BAY] = { "BAY", false, false, 1 },
		[MODEL] = { "MODEL", false, true, 2 },
		[SERIAL] = { "SERIAL" },
		[SIZE] = { "SIZE", true, false, 3 },
		[METHOD] = { "METHOD", false, true, 4 },
		[TEMP] = { "MAX TEMP", true, false, 1 },
		[OUTCOME] = { "OUTCOME" },
		[REASON] = { "REASON", false, true },
	};
	struct cli_table *t =
		cli_table_new(stdout, heads, CLI_ARRAY_SIZE(heads), !c->show.no_headings,
			      cli_color_wanted(c, stdout));

	for (size_t i = 0; i < n; i++) {
		const struct cli_record *r = &records[i];
		char text[64];

		cli_table_line(t, color_of_outcome(r->outcome));
		cli_table_cell(t, ENDED,
			       r->ended ? time_text(r->ended, text, sizeof(text))
					: "goes on");
		snprintf(text, sizeof(text), "%.*s", CLI_JOB_DIGITS, r->job);
		cli_table_cell(t, JOB, text);
		cli_table_cell(t, BAY, or_dash(r->bay));
		cli_table_cell(t, MODEL, or_dash(r->model));
		cli_table_cell(t, SERIAL, or_dash(r->serial));
		cli_table_cell(t, SIZE,
			       cli_size_text(c, r->capacity, text, sizeof(text)));
		cli_table_cell(t, METHOD, or_dash(r->method));
		if (r->max_temperature == CLI_NO_TEMPERATURE)
			snprintf(text, sizeof(text), "-");
		else
			snprintf(text, sizeof(text), "%d C", r->max_temperature);
		cli_table_cell(t, TEMP, text);
		snprintf(text, sizeof(text), "%s%s", r->simulated ? "simulated: " : "",
			 or_dash(r->outcome));
		cli_table_cell(t, OUTCOME, text);
		cli_table_cell(t, REASON, r->reason);
	}
	cli_table_end(t);
}

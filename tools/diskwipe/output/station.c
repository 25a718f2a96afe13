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

static void job_line(const struct cli *c, struct cli_table *t,
		     const struct cli_station *s, const struct cli_station_job *j)
{
	uint64_t ends = j->end_time ? j->end_time : j->expected_end_time;
	char text[64];

	cli_table_line(t, color_of_outcome(j->outcome));
	cli_table_add(t, "%s", cli_job_name(s, j, text, sizeof(text)));
	cli_table_add(t, "%s", j->state);
	cli_table_add(t, "%s", cli_or_dash(j->label));
	cli_table_add(t, "%s", cli_or_dash(j->method));
	cli_table_add(t, "%u/%u", j->disks_done, j->disks);
	cli_table_add(t, j->progress_valid ? "%.1f%%" : "-", j->progress * 100);
	cli_table_add(t, "%s", speed_text(c, j->rate, text, sizeof(text)));
	cli_table_add(t, "%s", time_text(ends, text, sizeof(text)));
	cli_table_add(t, "%s", cli_or_dash(j->outcome));
}

void cli_table_jobs(struct cli *c, const struct cli_station *s,
		    const struct cli_station_job *const *jobs)
{
	static const struct cli_column heads[] = {
		{ "JOB" },
		{ "STATE" },
		{ "LABEL", false, true, 3 },
		{ "METHOD", false, true, 4 },
		{ "DISKS", true, false, 5 }, /* "3/22": 3 of 22 have ended */
		{ "DONE", true },
		{ "RATE", true, false, 2 },
		{ "ENDS", true, false, 1 },
		{ "OUTCOME" },
	};
	struct cli_table *t = cli_table_out(c, heads, CLI_ARRAY_SIZE(heads));

	for (size_t i = 0; jobs[i]; i++)
		job_line(c, t, s, jobs[i]);
	cli_table_end(t);
}

/* the text that the column's member points to */
static void member_cell(const struct cli_cell *x, char *buf, size_t size)
{
	const char *text;

	memcpy(&text, (const char *)x->shown + x->member, sizeof(text));
	snprintf(buf, size, "%s", cli_or_dash(text));
}

static void outcome_cell(const struct cli_cell *x, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s", cli_or_dash(x->shown->outcome),
		 cli_station_used_again(x->shown) ? ", used since" : "");
}

static void size_cell(const struct cli_cell *x, char *buf, size_t size)
{
	cli_size_text(x->c, x->shown->capacity, buf, size);
}

static void state_cell(const struct cli_cell *x, char *buf, size_t size)
{
	const struct cli_station_disk *d = x->shown;

	if (d->passes > 1 && cli_station_disk_pass(d))
		snprintf(buf, size, "%s %u/%u", d->state, cli_station_disk_pass(d),
			 d->passes);
	else
		snprintf(buf, size, "%s", d->state);
}

static void done_cell(const struct cli_cell *x, char *buf, size_t size)
{
	if (strcmp(x->shown->job, "/") != 0)
		snprintf(buf, size, "%.1f%%", x->shown->progress * 100);
	else
		snprintf(buf, size, "-");
}

static void rate_cell(const struct cli_cell *x, char *buf, size_t size)
{
	speed_text(x->c, x->shown->rate, buf, size);
}

static void ends_cell(const struct cli_cell *x, char *buf, size_t size)
{
	time_text(x->shown->expected_end_time, buf, size);
}

static void starts_cell(const struct cli_cell *x, char *buf, size_t size)
{
	const struct cli_station_disk *d = x->shown;

	time_text(d->start_time ? d->start_time : d->expected_start_time, buf, size);
}

static void bad_cell(const struct cli_cell *x, char *buf, size_t size)
{
	snprintf(buf, size, "%u", x->shown->bad_blocks);
}

static void errors_cell(const struct cli_cell *x, char *buf, size_t size)
{
	snprintf(buf, size, "%llu", (unsigned long long)x->shown->errors);
}

static void temperature_cell(const struct cli_cell *x, char *buf, size_t size)
{
	if (x->shown->temperature == CLI_NO_TEMPERATURE)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%d", x->shown->temperature);
}

static void job_cell(const struct cli_cell *x, char *buf, size_t size)
{
	job_of(x->station, x->shown, buf, size);
}

/* What there is to say: of the work, else why it may not be erased. */
static void message_cell(const struct cli_cell *x, char *buf, size_t size)
{
	snprintf(buf, size, "%s",
		 x->shown->message[0] ? x->shown->message : x->shown->reason);
}

#define MEMBER(member) member_cell, offsetof(struct cli_station_disk, member)

static const struct cli_choice columns[] = {
	{ { "bay", "bay that the configuration declares", true, false, false, 3 },
	  MEMBER(bay) },
	{ { "device", "the node it is called by; - while it is absent", true },
	  MEMBER(device) },
	{ { "block", "block node" }, MEMBER(block) },
	{ { "address", "host:channel:target:lun" }, MEMBER(address) },
	{ { "slot", "enclosure and slot", false, false, true }, MEMBER(slot) },
	{ { "vendor", "vendor" }, MEMBER(vendor) },
	{ { "model", "model", true, false, true, 4 }, MEMBER(model) },
	{ { "revision", "firmware revision" }, MEMBER(revision) },
	{ { "serial", "serial number", true }, MEMBER(serial) },
	{ { "wwn", "world wide name" }, MEMBER(wwn) },
	{ { "size", "capacity", true, true, false, 5 }, size_cell },
	{ { "transport", "sas, sata, usb ..." }, MEMBER(transport) },
	{ { "signatures", "contents: file systems and the like", false, false, true },
	  MEMBER(signatures) },
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
	{ { "health", "what the disk says of itself", false, false, true },
	  MEMBER(health) },
	{ { "job", "the job that has it, or had it last", true, false, false, 1 },
	  job_cell },
	{ { "outcome", "what came of that", true }, outcome_cell },
	{ { "refusal", "the kind of reason why it may not be erased" }, MEMBER(refusal) },
	{ { "message", "a remark, or why it may not be erased", true, false, true },
	  message_cell },
	{ { "release", "the command that would release it", false, false, true },
	  MEMBER(release) },
};

int cli_table_station(struct cli *c, const struct cli_station *s,
		      const struct cli_station_disk *const *disks)
{
	struct cli_choices k = { columns, CLI_ARRAY_SIZE(columns) };
	int r = cli_columns_begin(c, &k);

	if (r)
		return r;
	for (size_t i = 0; disks[i]; i++)
		cli_columns_line(
			&k, (struct cli_cell){ .c = c, .station = s, .shown = disks[i] },
			color_of_disk(disks[i]));
	cli_table_end(k.table);
	return 0;
}

void cli_table_station_columns(void)
{
	cli_columns_help(columns, CLI_ARRAY_SIZE(columns));
}

void cli_table_queue(struct cli *c, const struct cli_station *s,
		     const struct cli_station_disk *const *disks)
{
	static const struct cli_column heads[] = {
		{ "DEVICE" },
		{ "BAY", false, false, 1 },
		{ "SERIAL" },
		{ "SIZE", true, false, 2 },
		{ "STATE" },
		{ "JOB" },
		{ "PRIORITY", true, false, 3 },
		{ "STARTS", true },
		{ "ENDS", true },
	};
	struct cli_table *t = cli_table_new(stdout, heads, CLI_ARRAY_SIZE(heads),
					    !c->show.no_headings, false);

	for (size_t i = 0; disks[i]; i++) {
		const struct cli_station_disk *d = disks[i];
		const struct cli_station_job *j = cli_station_find_job(s, d->job);
		uint64_t starts = d->expected_start_time, ends = d->expected_end_time;
		char text[64];

		cli_table_line(t, NULL);
		cli_table_add(t, "%s", cli_or_dash(d->device));
		cli_table_add(t, "%s", cli_or_dash(d->bay));
		cli_table_add(t, "%s", cli_or_dash(d->serial));
		cli_table_add(t, "%s", cli_size_text(c, d->capacity, text, sizeof(text)));
		cli_table_add(t, "%s", d->state);
		cli_table_add(t, "%s", job_of(s, d, text, sizeof(text)));
		cli_table_add(t, "%d", j ? j->priority : 0);
		cli_table_add(t, "%s", time_text(starts, text, sizeof(text)));
		cli_table_add(t, "%s", time_text(ends, text, sizeof(text)));
	}
	cli_table_end(t);
}

void cli_table_ended(struct cli *c, const struct cli_station_disk *const *disks)
{
	static const struct cli_column heads[] = {
		{ "DEVICE" },
		{ "MODEL", false, true, 1 },
		{ "SERIAL" },
		{ "SIZE", true, false, 2 },
		{ "BAD BLOCKS", true, false, 3 },
		{ "OUTCOME" },
		{ "MESSAGE", false, true },
	};
	struct cli_table *t = cli_table_out(c, heads, CLI_ARRAY_SIZE(heads));

	for (size_t i = 0; disks[i]; i++) {
		const struct cli_station_disk *d = disks[i];
		char text[64];

		cli_table_line(t, color_of_outcome(d->outcome));
		cli_table_add(t, "%s", cli_or_dash(cli_station_disk_name(d)));
		cli_table_add(t, "%s", cli_or_dash(d->model));
		cli_table_add(t, "%s", cli_or_dash(d->serial));
		cli_table_add(t, "%s", cli_size_text(c, d->capacity, text, sizeof(text)));
		cli_table_add(t, "%u", d->bad_blocks);
		cli_table_add(t, "%s", cli_or_dash(d->outcome));
		cli_table_add(t, "%s", d->message);
	}
	cli_table_end(t);
}

void cli_table_records(struct cli *c, const struct cli_record *records, size_t n)
{
	static const struct cli_column heads[] = {
		{ "ENDED" },
		{ "JOB" },
		{ "BAY", false, false, 1 },
		{ "MODEL", false, true, 2 },
		{ "SERIAL" },
		{ "SIZE", true, false, 3 },
		{ "METHOD", false, true, 4 },
		{ "MAX TEMP", true, false, 1 },
		{ "OUTCOME" },
		{ "REASON", false, true },
	};
	struct cli_table *t = cli_table_out(c, heads, CLI_ARRAY_SIZE(heads));

	for (size_t i = 0; i < n; i++) {
		const struct cli_record *r = &records[i];
		bool warm = r->max_temperature != CLI_NO_TEMPERATURE;
		char text[64];

		cli_table_line(t, color_of_outcome(r->outcome));
		cli_table_add(t, "%s",
			      r->ended ? time_text(r->ended, text, sizeof(text))
				       : "goes on");
		cli_table_add(t, "%.*s", CLI_JOB_DIGITS, r->job);
		cli_table_add(t, "%s", cli_or_dash(r->bay));
		cli_table_add(t, "%s", cli_or_dash(r->model));
		cli_table_add(t, "%s", cli_or_dash(r->serial));
		cli_table_add(t, "%s", cli_size_text(c, r->capacity, text, sizeof(text)));
		cli_table_add(t, "%s", cli_or_dash(r->method));
		cli_table_add(t, warm ? "%d C" : "-", r->max_temperature);
		cli_table_add(t, "%s%s", r->simulated ? "simulated: " : "",
			      cli_or_dash(r->outcome));
		cli_table_add(t, "%s", r->reason);
	}
	cli_table_end(t);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What came of a job: a table with a line per disk, then what a table has no room for:
 * bad blocks, limits of what was done, where a stopped disk stands. Or the JSON document.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/background.h"
#include "output/out.h"
#include "output/columns.h"

#define SHOWN_EXCEPTIONS 10 /* of a disk, without --verbose */

int cli_out_text(struct cli *c, char *text)
{
	if (!text)
		return cli_fail(c, CLI_EXIT_USAGE, "out of memory");
	puts(text);
	free(text);
	return 0;
}

const char *cli_out_refusal(const struct cli *c, int code)
{
	if (c->ending.signal)
		return "stopped";
	if (code == CLI_EXIT_SOME)
		return dw_refusal_name(DW_REFUSAL_PURGE);
	return code == CLI_EXIT_USAGE ? "invalid" : "refused";
}

void cli_out_error(struct cli *c, int code)
{
	struct dw_job_result result = { .spec = c->spec };

	if (!c->show.json && !c->show.json_lines)
		return;
	cli_out_text(c, dw_job_report_json(&result, cli_out_refusal(c, code),
					   c->error[0] ? c->error : NULL, !c->show.json));
	c->documented = true;
}

static void out_line(struct cli *c, char *line)
{
	cli_out_text(c, line);
	errno = 0;
	if (fflush(stdout) && !c->mute) {
		cli_warn("standard output: %s: events are lost, the job goes on",
			 strerror(errno));
		c->mute = true;
	}
}

void cli_out_begin(struct cli *c, const struct dw_job_result *result)
{
	struct dw_job_result with = *result;

	with.forecast = c->predict.forecast;
	if (c->show.json_lines)
		out_line(c, dw_job_begin_json(&with));
}

void cli_out_event(struct cli *c, const struct dw_event *e,
		   const struct dw_job_result *result)
{
	if (c->show.json_lines)
		out_line(c, dw_event_json(e, result));
}

static const char *outcome_color(enum dw_outcome o)
{
	switch (o) {
	case DW_OUTCOME_ERASED:
		return "green";
	case DW_OUTCOME_FAILED:
	case DW_OUTCOME_REMOVED:
		return "red";
	case DW_OUTCOME_EXCEPTIONS:
	case DW_OUTCOME_STOPPED:
		return "yellow";
	case DW_OUTCOME_NONE:
		break;
	}
	return NULL;
}

static uint64_t bad_blocks(const struct dw_disk_result *d)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < d->n_exceptions; i++)
		n += d->exception[i].blocks;
	return n;
}

static void verified_text(const struct dw_disk_result *d, char *buf, size_t size)
{
	const char *done = dw_verified_name(d->verify.done);

	if (d->verify.mismatches)
		snprintf(buf, size, "%s, %llu differ", done,
			 (unsigned long long)d->verify.mismatches);
	else if (d->verify.done == DW_VERIFIED_NONE && d->verify.places)
		snprintf(buf, size, "%u places", d->verify.places);
	else
		snprintf(buf, size, "%s", done);
}

static void result_line(const struct cli *c, struct cli_table *t,
			const struct dw_job_result *r, const struct dw_disk_result *d)
{
	char text[80];

	cli_table_line(t, outcome_color(d->outcome));
	cli_table_add(t, "%s", cli_disk_node(&d->info));
	cli_table_add(t, "%s", d->info.model);
	cli_table_add(t, "%s", cli_or_dash(d->info.serial));
	cli_table_add(t, "%s",
		      cli_size_text(c, cli_disk_bytes(&d->info), text, sizeof(text)));
	cli_table_add(t, "%s", cli_or_dash(d->command));
	dw_duration_format((uint64_t)(d->seconds * 1e9), text, sizeof(text));
	cli_table_add(t, "%s", text);
	cli_table_add(t, "%s",
		      cli_rate_text(c, d->mean_bytes_per_second, text, sizeof(text)));
	verified_text(d, text, sizeof(text));
	cli_table_add(t, "%s", text);
	cli_table_add(t, "%llu", (unsigned long long)bad_blocks(d));
	cli_table_add(t, "%s", dw_outcome_name(d->outcome, r->spec.verify_only));
}

static void print_exceptions(const struct cli *c, const struct dw_disk_result *d)
{
	for (uint32_t i = 0; i < d->n_exceptions; i++) {
		const struct dw_exception *e = &d->exception[i];

		if (i == SHOWN_EXCEPTIONS && !c->show.verbose) {
			printf("%s: %u more; --verbose or --json shows all\n",
			       cli_disk_node(&d->info), d->n_exceptions - i);
			return;
		}
		printf("%s: %s: LBA %llu, %llu block%s%s%s%s\n", cli_disk_node(&d->info),
		       dw_exception_name(e->kind), (unsigned long long)e->lba,
		       (unsigned long long)e->blocks, e->blocks == 1 ? "" : "s",
		       e->sense[0] ? " (sense " : "", e->sense, e->sense[0] ? ")" : "");
	}
}

typedef const char *remark(const struct dw_disk_result *d, uint32_t i, char *buf,
			   size_t size);

static const char *note_text(const struct dw_disk_result *d, uint32_t i, char *buf,
			     size_t size)
{
	return i < d->n_notes ? d->notes[i] : NULL;
}

/* of places that were read before and after a note tells */
static const char *extent_text(const struct dw_disk_result *d, uint32_t i, char *buf,
			       size_t size)
{
	bool noted = d->verify.done == DW_VERIFIED_NONE && d->verify.places;

	return i || noted ? NULL : dw_verified_text(d, buf, size);
}

static size_t count_remarks(const struct dw_job_result *r, size_t from, size_t to,
			    remark *of, const char *text)
{
	const char *other;
	char buf[160];
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		for (uint32_t j = 0; (other = of(&r->disk[i], j, buf, sizeof(buf))); j++)
			n += !strcmp(other, text);
	return n;
}

/* Remarks are the same for most disks: each once, with the number of disks. */
static void print_remarks(const struct dw_job_result *r, const char *title, remark *of)
{
	const char *text;
	char buf[160];

	for (size_t i = 0; i < r->n_disks; i++) {
		for (uint32_t j = 0; (text = of(&r->disk[i], j, buf, sizeof(buf))); j++) {
			size_t n = count_remarks(r, i, r->n_disks, of, text);

			if (count_remarks(r, 0, i, of, text))
				continue;
			if (n == 1)
				printf("%s: %s: %s\n", title,
				       cli_disk_node(&r->disk[i].info), text);
			else
				printf("%s: %zu disks: %s\n", title, n, text);
		}
	}
}

/* "40 of 44 disks erased, 1 failed, 3 stopped; ..." */
static void print_total(const struct cli *c, const struct dw_job_result *r)
{
	char past[DW_UNIT_TEXT], size[DW_UNIT_TEXT], others[160];
	size_t count[CLI_OUTCOMES] = { 0 }, good;
	uint64_t bytes = 0;

	for (size_t i = 0; i < r->n_disks; i++) {
		count[r->disk[i].outcome]++;
		if (r->disk[i].earlier)
			continue;
		bytes += r->spec.verify_only ? r->disk[i].bytes_compared
					     : r->disk[i].bytes_written;
	}
	good = count[DW_OUTCOME_ERASED];
	count[DW_OUTCOME_ERASED] = 0;
	cli_outcomes_text(count, r->spec.verify_only, others, sizeof(others));
	cli_background_result(r);
	printf("%s%s%s%zu of %zu disk%s %s%s%s; %s %s in %s\n",
	       r->simulation[0] ? "simulated (" : "", r->simulation,
	       r->simulation[0] ? "): " : "", good, r->n_disks,
	       r->n_disks == 1 ? "" : "s",
	       dw_outcome_name(DW_OUTCOME_ERASED, r->spec.verify_only),
	       others[0] ? ", " : "", others, cli_size_text(c, bytes, size, sizeof(size)),
	       r->spec.verify_only ? "read and compared" : "written",
	       dw_duration_format((uint64_t)(r->seconds * 1e9), past, sizeof(past)));
}

static void table_result(struct cli *c, const struct dw_job_result *r)
{
	static const struct cli_column heads[] = {
		{ "DEVICE", false, false },       { "MODEL", false, true, 3 },
		{ "SERIAL", false, false },       { "SIZE", true, false, 6 },
		{ "COMMAND", false, true, 2 },    { "TIME", true, false, 4 },
		{ "RATE", true, false, 1 },       { "VERIFIED", false, false, 7 },
		{ "BAD BLOCKS", true, false, 5 }, { "OUTCOME", false, false },
	};
	struct cli_table *t = cli_table_out(c, heads, CLI_ARRAY_SIZE(heads));

	for (size_t i = 0; i < r->n_disks; i++)
		result_line(c, t, r, &r->disk[i]);
	cli_table_end(t);
	for (size_t i = 0; i < r->n_disks; i++) {
		const struct dw_disk_result *d = &r->disk[i];

		if (d->reason[0])
			printf("%s: %s\n", cli_disk_node(&d->info), d->reason);
		print_exceptions(c, d);
	}
	print_remarks(r, "verified", extent_text);
	print_remarks(r, "note", note_text);
	print_total(c, r);
}

void cli_out_result(struct cli *c, const struct dw_job_result *result,
		    const char *outcome)
{
	const char *error = c->error[0] ? c->error : NULL;

	if (c->show.json || c->show.json_lines)
		cli_out_text(c,
			     dw_job_report_json(result, outcome, error, !c->show.json));
	else if (!outcome)
		table_result(c, result);
	c->documented = true;
}

void cli_out_lost(const struct dw_job_result *r)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	for (size_t i = 0; i < r->n_disks; i++) {
		const struct dw_disk_result *d = &r->disk[i];

		cli_warn("%s: serial %s: %s%s%s", cli_disk_node(&d->info),
			 d->info.serial[0] ? d->info.serial : "unknown",
			 dw_outcome_name(d->outcome, r->spec.verify_only),
			 d->reason[0] ? ": " : "", d->reason);
	}
}

void cli_table_methods(void)
{
	struct dw_method_info m;

	for (size_t i = 0; dw_method_info_get(i, &m); i++)
		printf("%s\n  %s: %s\n  worth today: %s\n", m.name, m.title, m.passes,
		       m.worth);
}

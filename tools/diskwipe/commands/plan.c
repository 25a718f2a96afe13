/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe plan: select disks as erase does, and write down their identities and what is
 * to be done, for erase --plan. Node names stay in it as a hint only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "job/background.h"
#include "job/forecast.h"
#include "job/hidden.h"
#include "options.h"
#include "output/out.h"
#include "job/session.h"
#include "job/ways.h"
#include "output/table.h"
#include "own.h"

/*
 * diskwipe plan --topology FILE: no device is named or touched. The disks of the file are
 * forecast as they are, in every manner (--compare), or with some of them replaced or left out.
 */

static const uint32_t lengths[] = { 64, 256, 1024, 4096 }; /* KiB */

#define N_LENGTHS CLI_ARRAY_SIZE(lengths)

static int failed(struct cli *c, const struct dw_error *err)
{
	char text[DW_ERROR_TEXT];

	return cli_fail(c, CLI_EXIT_USAGE, "no forecast: %s", cli_error_text(err, text));
}

static void finish_text(double seconds, char *buf, size_t size)
{
	if (seconds > 0)
		dw_duration_format((uint64_t)(seconds * 1e9), buf, size);
	else
		snprintf(buf, size, "-");
}

/* how long the job takes in that manner; 0 = not possible */
static double seconds_of(const struct cli *c, const struct dw_job_spec *spec)
{
	struct dw_forecast *f;
	double s;

	if (dw_forecast_station(spec, c->predict.station, NULL, &f, NULL) < 0)
		return 0;
	s = f->n == dw_station_disks(c->predict.station) ? f->seconds : 0;
	dw_forecast_free(f);
	return s;
}

static void compare_line(const struct cli *c, struct cli_table *t, const char *strategy,
			 enum dw_command_mode command)
{
	struct dw_job_spec spec = c->spec;
	char text[DW_UNIT_TEXT];

	snprintf(spec.strategy, sizeof(spec.strategy), "%s", strategy);
	snprintf(spec.controller, sizeof(spec.controller), "fixed");
	spec.command = command;
	cli_table_line(t, NULL);
	cli_table_add(t, "%s", strategy);
	cli_table_add(t, "%s", dw_spec_word(&spec, "command"));
	for (size_t i = 0; i <= N_LENGTHS; i++) {
		spec.fixed_blocks =
			i ? lengths[i - 1] * 1024 / dw_station_sector(c->predict.station)
			  : 0;
		/* longer WRITE SAMEs than the usual ones are not to be had */
		finish_text(command == DW_COMMAND_WRITE_SAME && i ? 0
								  : seconds_of(c, &spec),
			    text, sizeof(text));
		cli_table_add(t, "%s", text);
	}
}

/* that begin at once and need no bus */
static size_t working_alone(const struct dw_forecast *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += !strcmp(f->disk[i].limit, DW_LIMIT_ITSELF);
	return n;
}

static void print_bus(const struct dw_forecast *f)
{
	char text[DW_UNIT_TEXT];

	if (!f->bus_name[0])
		return;
	finish_text(f->bus, text, sizeof(text));
	printf("; %s is in use for %s", f->bus_name, text);
}

static struct dw_forecast *verified(const struct cli *c, enum dw_verify_kind kind)
{
	struct dw_job_spec spec = c->spec;
	struct dw_forecast *f = NULL;

	spec.verify = kind;
	spec.verify_chosen = DW_VERIFY_DEFAULT;
	if (dw_forecast_patient(&spec, c->predict.station, NULL, &f, NULL) < 0)
		return NULL;
	return f;
}

static size_t comparing(const struct dw_forecast *f)
{
	size_t n = 0;

	for (size_t i = 0; f && i < f->n; i++)
		n += f->disk[i].compares;
	return n;
}

/* what it gains that disks compare their blocks themselves, where some can */
static void compare_verification(const struct cli *c)
{
	struct dw_forecast *device = verified(c, DW_VERIFY_DEVICE), *full = NULL;
	char text[DW_UNIT_TEXT];

	if (comparing(device))
		full = verified(c, DW_VERIFY_FULL);
	if (full) {
		finish_text(full->seconds, text, sizeof(text));
		printf("all read after the last pass: %s", text);
		print_bus(full);
		finish_text(device->seconds, text, sizeof(text));
		printf("\ncompared by the disks, %zu of %zu: %s (%+.1f %%)",
		       comparing(device), device->n, text,
		       100 * (device->seconds / full->seconds - 1));
		print_bus(device);
		putchar('\n');
	}
	dw_forecast_free(full);
	dw_forecast_free(device);
}

/* The same job, whose disks would all be overwritten by the host; its forecast replaces that of
 * the command. */
static int forecast_written(struct cli *c)
{
	uint32_t *order = NULL;
	struct dw_error err = { 0 };
	int r;

	snprintf(c->spec.method, sizeof(c->spec.method), "zero");
	c->spec.level = DW_LEVEL_CLEAR;
	r = cli_forecast_admit(c, c->predict.station, &order);
	if (r)
		return r;
	dw_forecast_free(c->predict.forecast);
	c->predict.forecast = NULL;
	r = dw_forecast_patient(&c->spec, c->predict.station, order, &c->predict.forecast,
				&err);
	free(order);
	return r < 0 || !c->predict.forecast ? failed(c, &err) : 0;
}

/* what it gains that disks erase themselves, where some would */
static int compare_ways(struct cli *c)
{
	size_t alone = working_alone(c->predict.forecast), n = c->predict.forecast->n;
	double own = c->predict.forecast->seconds;
	bool purge = c->spec.level == DW_LEVEL_PURGE;
	char text[DW_UNIT_TEXT];
	int r;

	if (n < dw_station_disks(c->predict.station))
		cli_say(c,
			"%zu of %u disks cannot be erased so, and their ways are not "
			"compared; leave such disks out by --without",
			dw_station_disks(c->predict.station) - n,
			dw_station_disks(c->predict.station));
	if (!alone || n < dw_station_disks(c->predict.station))
		return 0;
	finish_text(own, text, sizeof(text));
	printf("each disk in its own way: %s; %zu of %zu erase themselves from the start",
	       text, alone, n);
	print_bus(c->predict.forecast);
	r = forecast_written(c);
	if (r) {
		putchar('\n');
		return r;
	}
	finish_text(c->predict.forecast->seconds, text, sizeof(text));
	printf("\nall written by the host%s: %s (%+.1f %%)",
	       purge ? ", which reaches clear only" : "", text,
	       100 * (c->predict.forecast->seconds / own - 1));
	print_bus(c->predict.forecast);
	putchar('\n');
	return 0;
}

static int compare(struct cli *c)
{
	static const struct cli_column heads[] = {
		{ "STRATEGY", false, false }, { "COMMAND", false, false },
		{ "OPTIMUM", true, false },   { "64 KiB", true, false },
		{ "256 KiB", true, false },   { "1 MiB", true, false },
		{ "4 MiB", true, false },
	};
	struct cli_table *t = cli_table_new(stdout, heads, CLI_ARRAY_SIZE(heads),
					    !c->show.no_headings, false);

	for (const char *const *s = dw_strategy_names(); *s; s++) {
		compare_line(c, t, *s, DW_COMMAND_WRITE);
		compare_line(c, t, *s, DW_COMMAND_WRITE_SAME);
	}
	cli_table_end(t);
	compare_verification(c);
	return compare_ways(c);
}

static int change_error(struct cli *c, const char *what, const char *kind, int r)
{
	if (r == -ENOENT)
		return cli_fail(c, CLI_EXIT_USAGE, "%s: no such disk in %s", what,
				c->predict.file);
	if (r == -ENODEV)
		return cli_fail(c, CLI_EXIT_USAGE,
				"%s: neither a disk section nor a model of %s", kind,
				c->predict.file);
	if (r == -EINVAL)
		return cli_fail(c, CLI_EXIT_USAGE, "%s: no disk would remain without it",
				what);
	return cli_fail(c, CLI_EXIT_USAGE, "%s: %s", what, strerror(-r));
}

static int change(struct cli *c)
{
	const struct cli_plan_options *own = c->own;
	int r = 0;

	for (size_t i = 0; i < own->n_replace && !r; i++) {
		const char *is = strchr(own->replace[i], '=');
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)(is - own->replace[i]),
			 own->replace[i]);
		r = dw_station_replace(c->predict.station, name, is + 1);
		if (r < 0)
			return change_error(c, name, is + 1, r);
	}
	for (size_t i = 0; i < own->n_without && !r; i++) {
		r = dw_station_without(c->predict.station, own->without[i]);
		if (r < 0)
			return change_error(c, own->without[i], "", r);
	}
	return 0;
}

/* the forecast as it is, then with the changes, and what they gain */
static int changed(struct cli *c, double before)
{
	struct dw_error err = { 0 };
	char was[DW_UNIT_TEXT], is[DW_UNIT_TEXT];
	int r = change(c);

	if (r)
		return r;
	dw_forecast_free(c->predict.forecast);
	c->predict.forecast = NULL;
	r = dw_forecast_patient(&c->spec, c->predict.station, NULL, &c->predict.forecast,
				&err);
	if (r < 0 || !c->predict.forecast)
		return failed(c, &err);
	cli_forecast_chosen(c);
	if (c->show.json)
		return 0;
	cli_forecast_table(c, stdout, c->predict.forecast);
	finish_text(before, was, sizeof(was));
	finish_text(c->predict.forecast->seconds, is, sizeof(is));
	printf("changed: %s instead of %s (%+.1f %%)\n", is, was,
	       100 * (c->predict.forecast->seconds / before - 1));
	return 0;
}

/* Plan --topology without a device: print the forecast, or with --compare, --replace and
 * --without how others differ. Exit code. */
static int cli_forecast_only(struct cli *c)
{
	const struct cli_plan_options *own = c->own;
	uint32_t *order = NULL;
	struct dw_error err = { 0 };
	int r;

	if (c->show.output)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--output: a plan names real disks; give their nodes");
	if (own->compare && c->show.json)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--compare and --json cannot be combined");
	r = own->compare ? change(c) : 0;
	if (!r)
		r = cli_forecast_admit(c, c->predict.station, &order);
	if (r)
		return r;
	r = dw_forecast_patient(&c->spec, c->predict.station, order, &c->predict.forecast,
				&err);
	free(order);
	if (r < 0)
		return failed(c, &err);
	if (!own->n_replace && !own->n_without)
		cli_forecast_chosen(c);
	if (own->compare)
		return compare(c);
	r = own->n_replace || own->n_without ? changed(c, c->predict.forecast->seconds)
					     : 0;
	if (r)
		return r;
	if (c->show.json) {
		c->documented = true;
		return cli_out_text(c, dw_forecast_json(c->predict.forecast));
	}
	if (!own->n_replace && !own->n_without)
		cli_forecast_table(c, stdout, c->predict.forecast);
	return 0;
}

/* Nodes are given again at each boot. */
static int name_copies(struct cli *c, const struct cli_selection *s, char *mirror)
{
	const struct dw_disk_info **info =
		cli_allocate(s->n, sizeof(const struct dw_disk_info *));
	struct dw_error err = { 0 };
	int r;

	for (size_t i = 0; i < s->n; i++)
		info[i] = &s->disk[i].info;
	r = dw_mirror_names(mirror, info, s->n, &err);
	free(info);
	return r < 0 ? cli_error(c, CLI_EXIT_USAGE, &err) : 0;
}

/* On a terminal the table says it, if it is wanted, and pages of JSON would push it away. */
static bool wants_document(const struct cli *c)
{
	return c->show.json ||
	       (!c->show.output && (c->show.quiet || !isatty(STDOUT_FILENO)));
}

static int write_plan(struct cli *c, const struct cli_selection *s)
{
	struct dw_plan_doc doc = { .n = s->n };
	char name[CLI_QUOTED];
	int r;

	cli_forecast_disks(c, s);
	doc.spec = c->spec;
	r = name_copies(c, s, doc.spec.mirror);
	if (r)
		return r;
	doc.forecast = c->predict.forecast;
	if (c->predict.forecast && !c->show.quiet)
		cli_forecast_table(c, stderr, c->predict.forecast);

	doc.entry = cli_allocate(s->n, sizeof(*doc.entry));
	for (size_t i = 0; i < s->n; i++)
		cli_select_entry(c, &s->disk[i].info, &doc.entry[i]);
	if (c->show.output)
		r = dw_plan_write(c->show.output, &doc);
	if (r < 0)
		r = cli_fail(c, CLI_EXIT_USAGE, "%s: %s", c->show.output,
			     r == -EINVAL
				     ? "its disks cannot be told apart by serial and WWN"
				     : dw_file_error(r));
	if (!r && wants_document(c)) {
		r = cli_out_text(c, dw_plan_json(&doc));
		c->documented = true;
	}
	if (!r && !c->show.quiet) {
		cli_ways_say(c, s, stderr, "diskwipe: ");
		cli_whole_say(c, s, stderr, "diskwipe: ");
		cli_hidden_say(c, s, stderr, "diskwipe: ");
	}
	if (!r && !c->show.quiet)
		cli_background_plan(stderr, &c->spec.background);
	if (!r && c->show.output)
		cli_say(c, "%s: %zu disk%s; to erase: diskwipe erase --plan %s",
			c->show.output, s->n, s->n == 1 ? "" : "s",
			cli_quote(c->show.output, name));
	if (!r && !c->show.output && !wants_document(c) && !c->show.quiet)
		cli_say(c,
			"%zu disk%s; -o FILE keeps the plan, for diskwipe erase --plan "
			"FILE; --json shows it",
			s->n, s->n == 1 ? "" : "s");
	free(doc.entry);
	return r;
}

int cli_verb_plan(struct cli *c)
{
	const struct cli_plan_options *own = c->own;
	struct cli_selection s = { 0 };
	int r = cli_forecast_prepare(c);

	if (r)
		return r;
	if (c->predict.station && !c->n_operands && !c->pick.rule) {
		r = cli_forecast_only(c);
		if (!r && !c->show.json)
			cli_background_plan(stdout, &c->spec.background);
		return r;
	}
	if (own->compare || own->n_replace || own->n_without)
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"--compare, --replace and --without need a topology file: "
			"give --topology and no device");
	if (!c->n_operands && !c->pick.rule)
		return cli_no_device(c, "diskwipe plan --help");
	if (cli_option_given(c, "method") && c->spec.pattern[0])
		return cli_fail(c, CLI_EXIT_USAGE,
				"--method and --pattern cannot be combined");
	r = cli_config_load(c);
	if (!r)
		r = cli_session_check(c);
	if (!r)
		r = cli_select_named(c, &s);
	if (r)
		return r;
	cli_selection_refuse_nameless(&s);
	cli_ways_fit(c, &s);
	r = cli_whole_fit(c, &s);
	if (r)
		return r;
	cli_selection_report(&s);
	if (s.n) {
		r = write_plan(c, &s);
		if (!r)
			r = (int)cli_selection_short(&s);
	} else {
		r = cli_fail(c, cli_selection_code(&s),
			     "no disk selected that can be erased");
		if (c->show.json)
			cli_session_refused(c, &s, r);
	}
	cli_selection_deinit(&s);
	return r;
}

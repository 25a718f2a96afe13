/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe plan: select disks as erase does, and write down their identities and what is
 * to be done, for erase --plan. Node names stay in it as a hint only.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "job/background.h"
#include "job/forecast.h"
#include "job/forecast_compare.h"
#include "job/hidden.h"
#include "options.h"
#include "output/out.h"
#include "job/session.h"
#include "job/ways.h"
#include "own.h"

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

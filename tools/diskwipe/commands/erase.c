/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe erase: disks that are named, that a plan names, or that a stopped job left
 * behind. Of a plan or a state file the whole of what is to be done is taken; an option
 * that would change it is an error, not a choice.
 */
#include <string.h>
#include <unistd.h>

#include "job/certificate.h"
#include "output/draw.h"
#include "job/forecast.h"
#include "options.h"
#include "job/record.h"
#include "job/session.h"
#include "signals.h"
#include "job/ways.h"
#include "own.h"

#define POWER_CYCLE_S 600 /* for somebody who sits at the terminal */

static int conflict(struct cli *c, const char *file_option)
{
	const struct cli_option *o;

	for (size_t i = 0; (o = cli_option_at(i)); i++)
		if (o->planned && c->given[i])
			return cli_fail(c, CLI_EXIT_USAGE, "--%s: %s fixes that already",
					o->name, file_option);
	if (c->pick.rule)
		return cli_fail(c, CLI_EXIT_USAGE, "--select: %s names its disks itself",
				file_option);
	if (c->n_operands)
		return cli_fail(c, CLI_EXIT_USAGE,
				"%s: it is not in %s, which names its disks itself",
				c->operand[0], file_option);
	return 0;
}

/* What the file fixes replaces the defaults; what concerns this run stays as it was given. */
static void take_spec(struct cli *c, const struct dw_plan_doc *doc)
{
	char operator_name[sizeof(c->spec.operator_name)];
	uint64_t seed = c->spec.seed;

	memcpy(operator_name, c->spec.operator_name, sizeof(operator_name));
	dw_spec_adopt(&c->spec, &doc->spec);
	memcpy(c->spec.operator_name, operator_name, sizeof(operator_name));
	if (seed)
		c->spec.seed = seed;
}

/* A resumed job continues writing its state where it was. */
static void keep_state_file(struct cli *c)
{
	if (!c->spec.state_file[0])
		memcpy(c->spec.state_file, c->spec.resume_file,
		       sizeof(c->spec.state_file));
}

static int read_document(struct cli *c, struct dw_plan_doc *ret)
{
	const struct cli_erase_options *own = c->own;
	const char *file = own->plan_file ? own->plan_file : c->spec.resume_file;
	struct dw_error err = { 0 };
	int r;

	if (own->plan_file && c->spec.resume_file[0])
		return cli_fail(c, CLI_EXIT_USAGE,
				"--plan and --resume cannot be combined");
	r = conflict(c, own->plan_file ? "--plan" : "--resume");
	if (r)
		return r;
	r = own->plan_file ? dw_plan_read(file, ret, &err)
			   : dw_resume_disks(file, ret, &err);
	if (r < 0)
		return cli_error(c, CLI_EXIT_USAGE, &err);
	take_spec(c, ret);
	if (!own->plan_file)
		keep_state_file(c);
	return 0;
}

static int finished(struct cli *c, const struct dw_plan_doc *doc)
{
	size_t count[CLI_OUTCOMES];
	char ended[160];

	for (size_t i = 0; i < CLI_OUTCOMES; i++)
		count[i] = doc->ended[i];
	cli_outcomes_text(count, false, ended, sizeof(ended));
	return cli_fail(c, CLI_EXIT_REFUSED,
			"%s: this job is finished (%s); a disk that is not erased is "
			"erased again by its name",
			c->spec.resume_file, ended);
}

static int select_disks(struct cli *c, struct cli_selection *s)
{
	const struct cli_erase_options *own = c->own;
	struct dw_plan_doc doc = { 0 };
	int r;

	if (own->plan_file || c->spec.resume_file[0]) {
		r = read_document(c, &doc);
		if (r)
			return r;
		if (!own->plan_file && !doc.n)
			r = finished(c, &doc);
		else
			r = cli_select_planned(c, &doc, s);
		dw_plan_deinit(&doc);
		return r;
	}
	if (c->pick.marked)
		return cli_select_planned(c, c->pick.marked, s);
	return cli_select_named(c, s);
}

static int erase_selected(struct cli *c, struct cli_selection *s)
{
	int r;

	cli_ways_fit(c, s);
	r = c->dry_run ? cli_whole_fit(c, s) : 0; /* else the job sees to that */
	if (r)
		return r;
	r = cli_assets_fit(c, s->n + s->n_refused); /* refusals are on record as well */
	if (r)
		return r;
	if (c->dry_run || !s->n)
		cli_selection_report(s);
	if (!s->n) {
		r = cli_fail(c, cli_selection_code(s),
			     "no erasable disk selected; nothing was written");
		return cli_session_refused(c, s, r);
	}
	r = cli_session_check(c);
	if (r)
		return r;
	return c->dry_run ? cli_session_preview(c, s) : cli_session_run(c, s);
}

static bool names_disks(const struct cli *c)
{
	const struct cli_erase_options *own = c->own;

	return c->n_operands || c->pick.rule || c->pick.marked || own->plan_file ||
	       c->spec.resume_file[0];
}

/* Where nobody reads what is asked for, nobody is waited for. */
static void expect_somebody(struct cli *c)
{
	if (!cli_option_given(c, "power-cycle") && !c->show.quiet &&
	    isatty(STDERR_FILENO))
		c->spec.power_cycle_seconds = POWER_CYCLE_S;
}

int cli_verb_erase(struct cli *c)
{
	const struct cli_erase_options *own = c->own;
	struct cli_selection s = { 0 };
	int r;

	if (cli_option_given(c, "method") && c->spec.pattern[0])
		return cli_fail(c, CLI_EXIT_USAGE,
				"--method and --pattern cannot be combined");
	if (!names_disks(c)) /* nothing is made for it, no key either */
		return cli_no_device(c, "diskwipe list and diskwipe --help");
	cli_signals_begin();
	r = cli_draw_check(c, c->report_file);
	expect_somebody(c);
	if (!r)
		r = cli_forecast_prepare(c);
	if (!r)
		r = cli_config_load(c);
	if (!r)
		r = cli_certificate_prepare(c);
	if (!r)
		r = cli_record_open(c);
	if (!r && !own->plan_file && !c->spec.resume_file[0])
		r = cli_session_check(c);
	if (!r)
		r = select_disks(c, &s);
	if (!r)
		r = erase_selected(c, &s);
	cli_selection_deinit(&s);
	cli_record_close(c);
	cli_certificate_free(c);
	return r;
}

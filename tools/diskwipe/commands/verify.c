/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe verify: read disks and compare them with what the last pass of a method left.
 * Nothing is written, so nothing is asked.
 */
#include "output/draw.h"
#include "job/forecast.h"
#include "options.h"
#include "job/record.h"
#include "job/second.h"
#include "job/session.h"
#include "signals.h"

static int verify_selected(struct cli *c, struct cli_selection *s)
{
	int r;

	if (c->dry_run || !s->n)
		cli_selection_report(s);
	if (!s->n) {
		r = cli_fail(c, cli_selection_code(s),
			     "no disk selected that can be verified");
		return cli_session_refused(c, s, r);
	}
	return c->dry_run ? cli_session_preview(c, s) : cli_session_run(c, s);
}

int cli_verb_verify(struct cli *c)
{
	struct cli_selection s = { 0 };
	int r;

	if (!c->n_operands && !c->pick.rule)
		return cli_no_device(c, "diskwipe verify --help");
	if (cli_option_given(c, "method") && c->spec.pattern[0])
		return cli_fail(c, CLI_EXIT_USAGE,
				"--method and --pattern cannot be combined");
	c->spec.verify_only = true;
	cli_signals_begin();
	r = cli_draw_check(c, c->report_file);
	if (!r)
		r = cli_forecast_prepare(c);
	if (!r)
		r = cli_config_load(c);
	if (!r)
		r = cli_record_open(c);
	if (!r)
		r = cli_second_read(c);
	if (!r)
		r = cli_session_check(c);
	if (!r)
		r = cli_select_named(c, &s);
	if (!r)
		r = cli_second_select(c, &s);
	if (!r)
		r = verify_selected(c, &s);
	cli_selection_deinit(&s);
	cli_record_close(c);
	return r;
}

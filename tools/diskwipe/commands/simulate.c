/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe simulate: what erase would do, to disks that a topology file describes, in virtual
 * time. The size of the work decides how, unless it is said. Without a seed of its own it
 * takes 1, so that two calls give the same.
 */
#include <string.h>

#include "output/draw.h"
#include "job/forecast.h"
#include "options.h"
#include "job/session.h"
#include "signals.h"
#include "own.h"

int cli_verb_simulate(struct cli *c)
{
	const struct cli_simulate_options *own = c->own;
	struct dw_station *station = NULL;
	struct dw_error err = { 0 };
	int r;

	if (c->n_operands != 1)
		return cli_fail(c, CLI_EXIT_USAGE,
				"name one topology file; see diskwipe simulate --help");
	if (cli_option_given(c, "method") && c->spec.pattern[0])
		return cli_fail(c, CLI_EXIT_USAGE,
				"--method and --pattern cannot be combined");
	if (own->coarse && own->exact)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--coarse and --exact cannot be combined");
	r = cli_draw_check(c, c->report_file);
	if (!r)
		r = cli_forecast_prepare(c);
	if (r)
		return r;
	r = dw_station_load(c->operand[0], &station, &err);
	if (r < 0)
		return cli_error(c, CLI_EXIT_USAGE, &err);
	if (!c->spec.seed)
		c->spec.seed = 1;
	cli_signals_begin();
	r = cli_session_simulate(
		c, station,
		own->coarse || (!own->exact && dw_simulation_coarse(&c->spec, station)));
	dw_station_free(station);
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe fit: the topology file that fits these traces. */

#include "options.h"

static const char *plural(unsigned long long n)
{
	return n == 1 ? "" : "s";
}

static void report(struct cli *c, const struct dw_fit *f)
{
	cli_say(c, "fitted: %u disk%s, %llu commands (%llu failed), %u points", f->disks,
		plural(f->disks), (unsigned long long)f->commands,
		(unsigned long long)f->failed, f->points);
	cli_say(c,
		"residual %.2f %% (%.1f %% excluded); held out: median %.2f %%, 90 %% within"
		" %.2f %%",
		f->residual, f->left_out, f->held_out, f->held_out_90);
}

int cli_verb_fit(struct cli *c)
{
	struct dw_station *base = NULL, *station = NULL;
	struct dw_fit fit = { 0 };
	struct dw_error err = { 0 };
	int r = 0;

	if (!c->n_operands)
		return cli_fail(c, CLI_EXIT_USAGE,
				"no trace named; see diskwipe fit --help");
	if (c->predict.file)
		r = dw_station_load(c->predict.file, &base, &err);
	if (!r)
		r = dw_station_fit(c->operand, c->n_operands, base, &station, &fit, &err);
	if (r < 0) {
		r = cli_error(c, CLI_EXIT_USAGE, &err);
	} else {
		report(c, &fit);
		r = cli_write_station(c, station);
	}
	dw_station_free(base);
	dw_station_free(station);
	return r;
}

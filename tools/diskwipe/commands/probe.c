/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe probe: measure disks by reading them, and write a topology file of them. A
 * disk in use may be measured; what others do to it meanwhile is measured with it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "output/out.h"
#include "signals.h"
#include "own.h"

#define SECONDS 10

static bool stop_wanted(void *ctx)
{
	return cli_signals_count() > 0;
}

static int base_station(struct cli *c, const struct dw_disk_info *disks, size_t n,
			struct dw_station **ret)
{
	struct dw_station *file = NULL;
	uint8_t *match = cli_allocate(n, 1);
	struct dw_error err = { 0 };
	int r;

	if (c->predict.file)
		r = dw_station_load(c->predict.file, &file, &err);
	else
		r = dw_station_describe(disks, n, ret, &err);
	if (!r && file)
		r = dw_station_select(file, disks, n, ret, match, &err);
	for (size_t i = 0; !r && file && i < n; i++)
		if (match[i] == DW_STATION_ASSUMED)
			cli_warn("%s: not in %s", cli_disk_node(&disks[i]),
				 c->predict.file);
	dw_station_free(file);
	free(match);
	if (r < 0)
		return cli_error(c, CLI_EXIT_USAGE, &err);
	return 0;
}

/* Disks that failed are reported one by one; the others are measured all the same. */
static int report(struct cli *c, const struct dw_disk_info *disks, size_t n,
		  const int *result, int r)
{
	int code = CLI_EXIT_OK;

	if (r == -EINTR) {
		c->ending.signal = cli_signals_stop();
		return cli_fail(c, CLI_EXIT_STOPPED, "stopped; nothing was written");
	}
	for (size_t i = 0; i < n; i++)
		if (result[i] < 0) {
			cli_warn("%s: not measured: %s", cli_disk_node(&disks[i]),
				 result[i] == -ENOMEDIUM ? "too small"
							 : strerror(-result[i]));
			code = CLI_EXIT_SOME;
		}
	if (r == -ENODEV)
		return cli_fail(c, CLI_EXIT_ALL, "no disk could be measured");
	if (r < 0)
		return cli_fail(c, CLI_EXIT_USAGE, "%s", strerror(-r));
	return code;
}

static int measure(struct cli *c, const struct dw_disk_info *disks, size_t n)
{
	const struct cli_probe_options *own = c->own;
	struct dw_probe_spec spec = { .seconds =
					      own->seconds > 0 ? own->seconds : SECONDS,
				      .stopped = stop_wanted };
	struct dw_station *station = NULL;
	int *result = cli_allocate(n, sizeof(*result));
	int code = base_station(c, disks, n, &station), r;

	if (!code) {
		cli_say(c, "reading %zu disk%s, up to %.0f s each", n, n == 1 ? "" : "s",
			spec.seconds);
		cli_signals_begin();
		r = dw_station_probe(station, disks, n, &spec, result);
		code = report(c, disks, n, result, r);
		if (code == CLI_EXIT_OK || code == CLI_EXIT_SOME) {
			r = cli_write_station(c, station);
			code = r ? r : code;
		}
	}
	dw_station_free(station);
	free(result);
	return code;
}

int cli_verb_probe(struct cli *c)
{
	struct cli_selection s = { 0 };
	struct dw_disk_info *disks;
	size_t n;
	int r;

	if (!c->n_operands)
		return cli_no_device(c, "diskwipe probe --help");
	r = cli_select_named(c, &s);
	if (r)
		return r;
	cli_selection_report(&s);
	n = cli_selection_facts(&s, &disks);
	if (n)
		r = measure(c, disks, n);
	else
		r = cli_fail(c, cli_selection_code(&s),
			     "no disk selected that can be measured");
	if (!r && s.n_refused)
		r = CLI_EXIT_REFUSED;
	free(disks);
	cli_selection_deinit(&s);
	return r;
}

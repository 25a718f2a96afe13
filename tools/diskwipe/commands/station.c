/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe topology: the disks of this machine, or those named, as a topology file. A disk in use
 * is described like any other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/out.h"
#include "options.h"

size_t cli_selection_facts(const struct cli_selection *s, struct dw_disk_info **ret)
{
	struct dw_disk_info *disks = cli_allocate(s->n + 1, sizeof(*disks));
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->disk[i].info.blocks)
			disks[n++] = s->disk[i].info;
		else
			cli_warn("%s: skipped: no capacity",
				 cli_disk_node(&s->disk[i].info));
	}
	*ret = disks;
	return n;
}

/* Without a name all disks of the machine are meant, as if each was named. */
static int select_all(struct cli *c, struct cli_selection *ret)
{
	const char **operand = c->operand;
	struct dw_disk *all = NULL;
	size_t n = 0;
	int r = dw_disks_list(NULL, &all, &n);

	if (r < 0)
		return cli_fail(c, CLI_EXIT_USAGE, "the disks cannot be listed: %s",
				strerror(-r));
	c->operand = cli_allocate(n + 1, sizeof(*operand));
	for (size_t i = 0; i < n; i++)
		if (all[i].verdict.refusal != DW_REFUSAL_NO_MEDIUM)
			c->operand[c->n_operands++] = cli_disk_node(&all[i].info);
	r = cli_select_named(c, ret);
	free(c->operand);
	c->operand = operand;
	c->n_operands = 0;
	free(all);
	return r;
}

int cli_write_station(struct cli *c, const struct dw_station *station)
{
	char *text = dw_station_text(station), name[CLI_QUOTED];
	int r;

	if (!text)
		return cli_fail(c, CLI_EXIT_USAGE, "out of memory");
	if (c->show.output)
		r = dw_file_write(c->show.output, text, strlen(text));
	else
		r = fputs(text, stdout) < 0 ? -errno : 0;
	free(text);
	if (r < 0)
		return cli_fail(c, CLI_EXIT_USAGE, "%s: %s",
				c->show.output ? c->show.output : "standard output",
				dw_file_error(r));
	if (c->show.output)
		cli_say(c, "%s: %u disk%s; to try a job on them: diskwipe simulate %s",
			c->show.output, dw_station_disks(station),
			dw_station_disks(station) == 1 ? "" : "s",
			cli_quote(c->show.output, name));
	return 0;
}

static int describe(struct cli *c, const struct cli_selection *s, struct dw_station **ret)
{
	struct dw_disk_info *disks;
	size_t n = cli_selection_facts(s, &disks);
	struct dw_error err = { 0 };
	int r;

	if (!n) {
		free(disks);
		return cli_fail(c, cli_selection_code(s),
				"no disk selected that can be described");
	}
	r = dw_station_describe(disks, n, ret, &err);
	free(disks);
	if (r < 0)
		return cli_error(c, CLI_EXIT_USAGE, &err);
	return 0;
}

int cli_verb_station(struct cli *c)
{
	struct dw_station *station = NULL;
	struct cli_selection s = { 0 };
	int r = c->n_operands ? cli_select_named(c, &s) : select_all(c, &s);

	if (r)
		return r;
	cli_selection_report(&s);
	r = describe(c, &s, &station);
	if (!r)
		r = cli_write_station(c, station);
	if (!r && s.n_refused)
		r = CLI_EXIT_REFUSED;
	dw_station_free(station);
	cli_selection_deinit(&s);
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe list: every disk of the machine, or those named, with its verdict. */
#include <stdlib.h>
#include <string.h>

#include "output/out.h"
#include "job/rule.h"
#include "job/sets.h"
#include "job/words.h"
#include "own.h"

static int examine_named(struct cli *c, struct dw_disk **ret, size_t *ret_n)
{
	struct dw_disk *disks = cli_allocate(c->n_operands, sizeof(*disks));
	size_t n = 0;

	for (size_t i = 0; i < c->n_operands; i++) {
		struct dw_disk *d = &disks[n];
		bool known = false;
		int r = dw_disk_examine(c->operand[i], &c->spec.rules, d);

		if (r < 0) {
			free(disks);
			return cli_fail(c, CLI_EXIT_USAGE, "%s: %s", c->operand[i],
					strerror(-r));
		}
		if (d->verdict.refusal == DW_REFUSAL_MISSING ||
		    d->verdict.refusal == DW_REFUSAL_NOT_A_DISK) {
			cli_fail(c, CLI_EXIT_REFUSED, "%s: %s", c->operand[i],
				 d->verdict.reason);
			free(disks);
			return CLI_EXIT_REFUSED;
		}
		for (size_t j = 0; j < n; j++)
			known |= dw_disk_same_node(&disks[j].info, &d->info);
		n += !known;
	}
	*ret = disks;
	*ret_n = n;
	return 0;
}

static int find(struct cli *c, struct dw_disk **ret, size_t *ret_n)
{
	int r;

	if (c->n_operands)
		return examine_named(c, ret, ret_n);
	r = dw_disks_list(&c->spec.rules, ret, ret_n);
	if (r < 0)
		return cli_fail(c, CLI_EXIT_USAGE, "the disks cannot be listed: %s",
				strerror(-r));
	cli_protect_report(c, *ret, *ret_n);
	return 0;
}

static size_t keep_erasable(struct dw_disk *disks, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (disks[i].verdict.refusal == DW_REFUSAL_NONE)
			disks[kept++] = disks[i];
	return kept;
}

static size_t keep_matching(const struct cli *c, struct dw_disk *disks, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (cli_rule_matches(c->pick.rule, &disks[i]))
			disks[kept++] = disks[i];
	return kept;
}

/* a list of nothing but what could not be opened */
static int rights(struct cli *c, const struct dw_disk *disks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (disks[i].verdict.refusal != DW_REFUSAL_PERMISSION)
			return 0;
	if (!n)
		return 0;
	return cli_fail(c, CLI_EXIT_PERMISSION, "no disk could be examined: %s",
			disks[0].verdict.reason);
}

/* who finds a locked disk has to know by what, and how it is opened */
static void report_passwords(const struct cli *c, const struct dw_disk *disks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (disks[i].info.password_left)
			cli_say(c, "%s: " DW_PASSWORD_WAY, cli_disk_node(&disks[i].info));
}

int cli_verb_list(struct cli *c)
{
	const struct cli_list_options *own = c->own;
	struct dw_disk *disks = NULL;
	size_t n = 0;
	int r = cli_config_load(c);

	if (!r)
		r = cli_words_resolve(c);
	if (!r)
		r = cli_sets_expand(c);
	if (!r)
		r = find(c, &disks, &n);
	if (r)
		return r;
	dw_disks_refuse_duplicates(disks, n);
	if (c->pick.rule)
		n = keep_matching(c, disks, n);
	if (own->erasable)
		n = keep_erasable(disks, n);
	if (!c->show.json) {
		r = cli_table_disks(c, disks, n);
		if (!r && !n)
			cli_say(c, "no disk %s here",
				c->pick.rule    ? "fits the rule"
				: own->erasable ? "may be erased"
						: "is");
		report_passwords(c, disks, n);
	} else {
		r = cli_out_text(c, dw_disks_json(disks, n));
		c->documented = true;
	}
	if (!r && !own->erasable && !c->pick.rule)
		r = rights(c, disks, n);
	free(disks);
	return r;
}

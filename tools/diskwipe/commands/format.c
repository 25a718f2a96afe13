/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe format: disks to another block length. As with an erase, they are claimed before the
 * question is put. What each of them does is printed in plain lines; the disks do the work.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "job/confirm.h"
#include "options.h"
#include "output/out.h"
#include "signals.h"
#include "own.h"

#define STEP_NS       500000000
#define TOLD_EVERY    60   /* steps */
#define STALL_SECONDS 1800 /* without progress, unless --stall-budget says otherwise */

static struct dw_format_spec format_spec(const struct cli *c)
{
	const struct cli_format_options *own = c->own;
	bool given = cli_option_given(c, "stall-budget");

	return (struct dw_format_spec){
		.block_size = own->block_size,
		.pi_type = own->protection,
		.again = own->again,
		.active = c->spec.active,
		.stall_seconds = given ? c->spec.stall_seconds : STALL_SECONDS,
		.rules = c->spec.rules,
	};
}

static void out_document(struct cli *c, const struct dw_format_disk *disks, size_t n,
			 const struct cli_selection *s)
{
	if (!c->show.json)
		return;
	cli_out_text(c, dw_format_json(
				&(struct dw_format_report){ .spec = format_spec(c),
							    .disk = disks,
							    .n = n,
							    .refused = s->refused,
							    .n_refused = s->n_refused }));
	c->documented = true;
}

static void length_text(uint32_t block_size, uint8_t pi, char *buf, size_t size)
{
	snprintf(buf, size, "%u bytes", block_size);
	if (!block_size)
		snprintf(buf, size, "unknown length");
	if (pi)
		snprintf(buf + strlen(buf), size - strlen(buf), ", protection type %u",
			 pi);
}

/* What would be done, and nothing is. */
static int preview_format(struct cli *c, const struct cli_selection *s)
{
	const struct cli_format_options *own = c->own;
	struct dw_format_disk *disks = cli_allocate(s->n, sizeof(*disks));
	char from[64], to[64];

	length_text(own->block_size, own->protection, to, sizeof(to));
	for (size_t i = 0; i < s->n; i++) {
		const struct dw_disk_info *info = &s->disk[i].info;
		bool same = info->block_size == own->block_size &&
			    info->pi_type == own->protection && !own->again;

		disks[i].info = *info;
		length_text(info->block_size, info->pi_type, from, sizeof(from));
		if (!c->show.json)
			printf("%s: blocks of %s: %s%s\n", cli_disk_node(info), from,
			       same ? "nothing to do" : "would be formatted to ",
			       same ? "" : to);
	}
	if (!c->show.json)
		printf("nothing was written\n");
	out_document(c, disks, s->n, s);
	free(disks);
	return CLI_EXIT_OK;
}

static void tell_end(const struct cli *c, const struct dw_format_disk *d)
{
	char to[64];

	length_text(d->block_size, d->pi_type, to, sizeof(to));
	if (d->outcome == DW_FORMAT_FORMATTED)
		cli_say(c, "%s: formatted: %llu blocks of %s%s%s",
			cli_disk_node(&d->info), (unsigned long long)d->blocks, to,
			d->reason[0] ? "; " : "", d->reason);
	else
		cli_say(c, "%s: %s: %s", cli_disk_node(&d->info),
			dw_format_outcome_name((enum dw_format_outcome)d->outcome),
			d->reason);
}

/* Each disk when it begins and when it has ended; all of them now and then. */
static void report_changes(const struct cli *c, struct dw_format *f, uint8_t *before,
			   bool all)
{
	size_t n;
	const struct dw_format_disk *d = dw_format_disks(f, &n);

	for (size_t i = 0; i < n; i++) {
		if (d[i].outcome != before[i] && d[i].outcome == DW_FORMAT_RUNNING)
			cli_say(c, "%s: formatting", cli_disk_node(&d[i].info));
		else if (d[i].outcome != before[i])
			tell_end(c, &d[i]);
		else if (all && d[i].outcome == DW_FORMAT_RUNNING && d[i].progress_known)
			cli_say(c, "%s: formatting, %u %%", cli_disk_node(&d[i].info),
				d[i].progress * 100u / 65536);
		before[i] = d[i].outcome;
	}
}

static void run_format(struct cli *c, struct dw_format *f, size_t n)
{
	const struct timespec nap = { .tv_nsec = STEP_NS };
	uint8_t *before = cli_allocate(n, 1);

	for (unsigned int i = 1; dw_format_step(f); i++) {
		report_changes(c, f, before, i % TOLD_EVERY == 0 || cli_signals_status());
		if (cli_signals_stop()) {
			dw_format_stop(f);
			break;
		}
		nanosleep(&nap, NULL);
	}
	report_changes(c, f, before, false);
	free(before);
}

static int exit_code(const struct dw_format_disk *d, size_t n)
{
	size_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		if (d[i].outcome == DW_FORMAT_STOPPED)
			return CLI_EXIT_STOPPED;
		bad += d[i].outcome != DW_FORMAT_FORMATTED &&
		       d[i].outcome != DW_FORMAT_UNCHANGED;
	}
	if (!bad)
		return CLI_EXIT_OK;
	return bad == n ? CLI_EXIT_ALL : CLI_EXIT_SOME;
}

static int claim_disks(struct cli *c, struct dw_format *f, struct cli_selection *s)
{
	struct dw_verdict *v = cli_allocate(s->n, sizeof(*v));
	size_t n = s->n, at = 0;
	int r = dw_format_add(f, s->disk, n, v);

	for (size_t i = 0; !r && i < n; i++) {
		if (v[i].refusal == DW_REFUSAL_NONE)
			at++;
		else
			cli_selection_refuse(s, at, &v[i]);
	}
	free(v);
	return r ? cli_fail(c, CLI_EXIT_USAGE, "%s", strerror(-r)) : 0;
}

static int format_selected(struct cli *c, struct dw_format *f, struct cli_selection *s)
{
	const struct cli_format_options *own = c->own;
	const struct dw_format_disk *disks;
	char to[64];
	size_t n;
	int r = c->dry_run ? 0 : claim_disks(c, f, s);

	if (r)
		return r;
	cli_selection_report(s);
	if (!s->n)
		return cli_fail(
			c, cli_selection_code(s),
			"no disk selected that may be formatted; nothing was written");
	if (c->dry_run)
		return preview_format(c, s);
	length_text(own->block_size, own->protection, to, sizeof(to));
	cli_say(c, "format to blocks of %s; all data on %s will be lost", to,
		s->n == 1 ? "this disk" : "these disks");
	r = cli_confirm(c, s->named, s->disk, s->n);
	if (!r && cli_signals_stop()) {
		c->ending.signal = cli_signals_stop();
		r = cli_fail(c, CLI_EXIT_REFUSED, "stopped; nothing was written");
	}
	if (r)
		return r;
	run_format(c, f, s->n);
	disks = dw_format_disks(f, &n);
	out_document(c, disks, n, s);
	r = exit_code(disks, n);
	if (r == CLI_EXIT_STOPPED)
		c->ending.signal = cli_signals_stop();
	return r;
}

int cli_verb_format(struct cli *c)
{
	const struct cli_format_options *own = c->own;
	struct cli_selection s = { 0 };
	struct dw_format_spec spec;
	struct dw_format *f = NULL;
	int r;

	if (!own->block_size)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--block-size is missing: which block length, like "
				"--block-size=512?");
	if (!c->n_operands && !c->pick.rule)
		return cli_no_device(c, "diskwipe format --help");
	c->spec.rules.unformatted = true;
	cli_signals_begin();
	r = cli_config_load(c);
	if (r)
		return r;
	spec = format_spec(c);
	r = dw_format_new(&spec, &f);
	if (r)
		return cli_fail(c, CLI_EXIT_USAGE, "--block-size: %s", strerror(-r));
	r = cli_select_named(c, &s);
	if (!r)
		r = format_selected(c, f, &s);
	dw_format_free(f);
	cli_selection_deinit(&s);
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe qc: which erased disks a second person checks, and what came of it. The draw is itself a
 * record. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "job/record.h"
#include "job/second.h"
#include "own.h"

#define PPM_DIGITS 4 /* behind the point of a percentage */

/* "5%", "0.5%": 1 to 1000000 */
static bool parse_share(const char *text, uint64_t *ret_ppm)
{
	uint64_t v = 0;
	int behind = -1, digits = 0;

	for (; isdigit((unsigned char)*text) || (*text == '.' && behind < 0); text++) {
		if (*text == '.') {
			behind = 0;
			continue;
		}
		if (digits++ == 8 || behind == PPM_DIGITS)
			return false;
		v = v * 10 + (uint64_t)(*text - '0');
		behind += behind >= 0;
	}
	if (strcmp(text, "%") != 0 || !digits || !behind)
		return false;
	for (int i = behind < 0 ? 0 : behind; i < PPM_DIGITS; i++)
		v *= 10;
	*ret_ppm = v;
	return v && v <= 1000000;
}

static int read_rule(struct cli *c, struct dw_draw *d)
{
	const struct cli_records_options *own = c->own;
	uint64_t since = 0, until = 0;
	int r;

	if (c->n_operands != 2 || strcmp(c->operand[0], "draw") != 0)
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"name what to do: diskwipe qc draw 5%%, or diskwipe qc status");
	if (!parse_share(c->operand[1], &d->share_ppm))
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"'%s' is no share: above 0%% and up to 100%%, like 5%% or "
			"0.5%%",
			c->operand[1]);
	if (!c->sign.dir || !c->sign.key)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--%s is missing: a draw is a record in that ledger",
				c->sign.dir ? "record-key=FILE" : "record=DIR");
	r = cli_record_time(c, "since", own->since, false, &since);
	if (!r)
		r = cli_record_time(c, "until", own->until, true, &until);
	d->since.tv_sec = (time_t)(since / 1000000);
	d->until.tv_sec = (time_t)(until / 1000000);
	snprintf(d->label, sizeof(d->label), "%s", c->label ? c->label : "");
	cli_record_operator(c, d->operator_name, sizeof(d->operator_name));
	return r;
}

static void show(struct cli *c, const struct dw_draw *d)
{
	cli_say(c, "record %llu: %u of %llu erased disks drawn",
		(unsigned long long)d->sequence, d->n_picked,
		(unsigned long long)d->population);
	for (uint32_t i = 0; i < d->n_picked; i++)
		printf("record-%08llu.json %s\n",
		       (unsigned long long)d->picked[i].sequence, d->picked[i].record);
}

static int draw(struct cli *c)
{
	struct dw_draw d = { .sequence = 0 };
	struct dw_error err = { 0 };
	struct dw_ledger *l = NULL;
	int r = read_rule(c, &d);

	if (r)
		return r;
	r = dw_ledger_open(c->sign.dir, c->sign.key, &l, &err);
	if (!r)
		r = dw_ledger_draw(l, &d, &err);
	if (!r)
		show(c, &d);
	else
		r = cli_error(c, r == -ENOENT && l ? CLI_EXIT_REFUSED : CLI_EXIT_USAGE,
			      &err);
	dw_ledger_close(l);
	dw_draw_deinit(&d);
	return r;
}

int cli_verb_qc(struct cli *c)
{
	if (c->n_operands == 1 && !strcmp(c->operand[0], "status"))
		return cli_second_status(c);
	return draw(c);
}

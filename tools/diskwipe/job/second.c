/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify --drawn and qc status. Which disks are drawn, who erased them, and what they hold by now
 * is in the ledger, which is looked at as records verify does before any of it is believed.
 */
#include <string.h>
#include <strings.h>

#include "options.h"
#include "job/record.h"
#include "job/second.h"
#include "job/session.h"
#include "own.h"

static int read_ledger(struct cli *c, struct dw_proof_check *ret)
{
	struct dw_error err = { 0 };
	char shown[CLI_QUOTED];
	int r = dw_ledger_check(c->sign.dir, c->sign.signers, ret, &err);

	if (r)
		return cli_error(c, CLI_EXIT_USAGE, &err);
	if (!ret->n && !ret->headless)
		return 0;
	cli_quote(c->sign.dir, shown);
	if (ret->n)
		r = cli_fail(
			c, CLI_EXIT_MISMATCH,
			"%s: it is not as it was signed: %s: %s; to see all: diskwipe "
			"records verify %s",
			shown, ret->fault[0].file, ret->fault[0].reason, shown);
	else
		r = cli_fail(
			c, CLI_EXIT_UNFINISHED,
			"%s: no head names its last record; to see more: diskwipe records "
			"verify %s",
			shown, shown);
	dw_proof_check_deinit(ret);
	return r;
}

int cli_second_read(struct cli *c)
{
	const struct cli_verify_options *own = c->own;
	int r;

	if (!own->only_drawn)
		return 0;
	if (!c->sign.dir)
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"--drawn: --record=DIR is missing: the ledger of the draw");
	if (cli_option_given(c, "method") || c->spec.pattern[0])
		return cli_fail(c, CLI_EXIT_USAGE,
				"--drawn: the records say what the disks hold; leave out "
				"--method and --pattern");
	c->sign.drawn = cli_allocate(1, sizeof(*c->sign.drawn));
	r = read_ledger(c, c->sign.drawn);
	if (!r && !c->sign.drawn->n_picks)
		r = cli_fail(c, CLI_EXIT_REFUSED,
			     "%s: there is no draw; diskwipe qc draw 5%% draws",
			     c->sign.dir);
	return r;
}

/* The latest draw that is open, if the disk was drawn more than once. */
static const struct dw_drawn_disk *find_open(const struct cli *c,
					     const struct dw_disk_info *info)
{
	const struct dw_identity is = dw_identity_of(info);
	const struct dw_drawn_disk *ret = NULL;

	for (size_t i = 0; i < c->sign.drawn->n_picks; i++) {
		const struct dw_drawn_disk *k = &c->sign.drawn->pick[i];
		const struct dw_identity drawn = dw_erased_identity(&k->drawn);

		if (!k->checked && dw_identity_match(&drawn, &is, DW_SAME_PRODUCT))
			ret = k;
	}
	return ret;
}

static void leave_out(struct cli_selection *s, size_t i)
{
	cli_warn("%s: skipped: it was not drawn, or it has been checked",
		 cli_disk_node(&s->disk[i].info));
	memmove(&s->disk[i], &s->disk[i + 1], (s->n - i - 1) * sizeof(*s->disk));
	s->n--;
}

/* false, and @ret says why */
static bool may_check(const struct cli *c, const struct dw_drawn_disk *k,
		      const char *name, struct dw_verdict *ret)
{
	*ret = (struct dw_verdict){ .refusal = DW_REFUSAL_ERROR };
	if (!strcasecmp(name, "root"))
		snprintf(ret->reason, sizeof(ret->reason),
			 "root may be anybody, also who erased it: say who checks "
			 "(--operator=NAME)");
	else if (!dw_drawn_may_check(k, name))
		snprintf(ret->reason, sizeof(ret->reason),
			 "%.64s erased it and cannot check it; a second person can "
			 "(--operator=NAME)",
			 k->last.operator_name[0] ? k->last.operator_name
						  : "nobody known");
	else if (!k->last.pattern[0])
		snprintf(ret->reason, sizeof(ret->reason),
			 "what the drive left when it erased itself (record %llu) cannot "
			 "be foretold, so it cannot be compared",
			 (unsigned long long)k->last.of.sequence);
	else if (c->spec.pattern[0] && strcmp(c->spec.pattern, k->last.pattern) != 0)
		snprintf(ret->reason, sizeof(ret->reason),
			 "it was erased with %s, others here with %.32s; check it by "
			 "itself",
			 k->last.pattern, c->spec.pattern);
	else
		return true;
	return false;
}

int cli_second_select(struct cli *c, struct cli_selection *s)
{
	const struct cli_verify_options *own = c->own;
	char name[sizeof(((struct dw_proof *)0)->operator_name)];

	if (!own->only_drawn)
		return 0;
	cli_record_operator(c, name, sizeof(name));
	for (size_t i = 0; i < s->n;) {
		const struct dw_drawn_disk *k = find_open(c, &s->disk[i].info);
		struct dw_verdict v;

		if (!k) {
			leave_out(s, i);
		} else if (!may_check(c, k, name, &v)) {
			cli_selection_refuse(s, i, &v);
		} else {
			snprintf(c->spec.pattern, sizeof(c->spec.pattern), "%s",
				 k->last.pattern);
			i++;
		}
	}
	return s->n ? cli_session_check(c) : 0;
}

/* What was known before the disk was read, if that is still so: somebody may have erased the disk,
 * or checked it. A draw that came meanwhile is another one. */
static const struct dw_drawn_disk *find_still_open(struct cli *c,
						   const struct dw_proof *p)
{
	const struct dw_drawn_disk *k = c->sign.drawn ? find_open(c, &p->info) : NULL;
	struct dw_drawn_disk was;

	if (!k)
		return NULL;
	was = *k;
	dw_proof_check_deinit(c->sign.drawn);
	if (read_ledger(c, c->sign.drawn))
		return NULL;
	for (size_t i = 0; i < c->sign.drawn->n_picks; i++) {
		k = &c->sign.drawn->pick[i];
		if (k->draw == was.draw &&
		    k->drawn.of.sequence == was.drawn.of.sequence && !k->checked &&
		    k->last.of.sequence == was.last.of.sequence)
			return k;
	}
	cli_warn("%s: another record of the disk has come while it was read: this is no "
		 "check of what was drawn",
		 p->device);
	return NULL;
}

void cli_second_note(struct cli *c, struct dw_proof *p)
{
	const struct dw_drawn_disk *k = find_still_open(c, p);

	if (!k)
		return;
	p->second = (struct dw_second){ .draw = k->draw,
					.drawn = k->drawn.of,
					.compared = k->last.of.sequence };
	memcpy(p->second.erased_by, k->last.operator_name, sizeof(p->second.erased_by));
}

static void show_pick(const struct dw_drawn_disk *k)
{
	char model[CLI_QUOTED], serial[CLI_QUOTED], by[CLI_QUOTED], second[CLI_QUOTED];

	printf("draw %llu, record %llu: %s %s, erased by %s: ",
	       (unsigned long long)k->draw, (unsigned long long)k->drawn.of.sequence,
	       cli_quote(k->drawn.model, model), cli_quote(k->drawn.serial, serial),
	       cli_quote(k->last.operator_name, by));
	if (k->checked)
		printf("%s, checked by %s (record %llu)\n", k->outcome,
		       cli_quote(k->checked_by, second), (unsigned long long)k->checked);
	else if (!k->last.pattern[0])
		puts("open; what the drive left cannot be compared");
	else
		puts("open");
}

int cli_second_status(struct cli *c)
{
	static const char expected[] = "as-expected";
	struct dw_proof_check k;
	size_t open = 0, wrong = 0;
	int r;

	if (!c->sign.dir)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--record=DIR is missing: the ledger of the draws");
	r = read_ledger(c, &k);
	if (r)
		return r;
	for (size_t i = 0; i < k.n_picks; i++) {
		open += !k.pick[i].checked;
		wrong += k.pick[i].checked && strcmp(k.pick[i].outcome, expected) != 0;
		show_pick(&k.pick[i]);
	}
	cli_say(c, "%zu drawn: %zu as expected, %zu not as expected, %zu open", k.n_picks,
		k.n_picks - open - wrong, wrong, open);
	dw_proof_check_deinit(&k);
	c->documented = true;
	return wrong ? CLI_EXIT_MISMATCH : open ? CLI_EXIT_SOME : 0;
}

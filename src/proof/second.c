/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The second person. What a draw has drawn is open until somebody who did not erase the disk has
 * compared it, and that is on record. If the disk was erased again in between, what it holds is of
 * that time, and neither of the two may check it.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "plan/method.h"
#include "plan/op.h"
#include "proof/proof.h"

/* The next letter or digit, as a small one; bytes of other alphabets are letters. 0 = the end. */
static int next_letter(const char **at)
{
	for (; **at; ++*at) {
		unsigned char c = (unsigned char)**at;

		if (c >= 0x80 || isalnum(c)) {
			++*at;
			return tolower(c);
		}
	}
	return 0;
}

static bool is_somebody(const char *name)
{
	return next_letter(&name) != 0;
}

static bool is_same_person(const char *a, const char *b)
{
	int x, y;

	do {
		x = next_letter(&a);
		y = next_letter(&b);
	} while (x && x == y);
	return x == y;
}

static bool may_check(const struct dw_erased *e, const char *name)
{
	return is_somebody(e->operator_name) && !is_same_person(e->operator_name, name) &&
	       !(e->asked_by[0] && is_same_person(e->asked_by, name));
}

/* Root without a login may be anybody, also who erased the disk under his own name. */
bool dw_drawn_may_check(const struct dw_drawn_disk *p, const char *operator_name)
{
	return is_somebody(operator_name) && !is_same_person(operator_name, "root") &&
	       may_check(&p->drawn, operator_name) && may_check(&p->last, operator_name);
}

struct dw_identity dw_erased_identity(const struct dw_erased *e)
{
	struct dw_identity i = dw_identity_named(e->serial, e->wwn);

	i.model = e->model;
	return i;
}

static bool is_disk_of(const struct dw_erased *a, const struct dw_erased *b)
{
	const struct dw_identity x = dw_erased_identity(a), y = dw_erased_identity(b);

	return dw_identity_match(&x, &y, DW_SAME_PRODUCT);
}

/* What the drive makes by itself is not always reported. */
static bool is_foretold(const struct dw_proof *p)
{
	const struct dw_method *m = dw_method_find(p->method);

	return !m || !m->operation || dw_operation_foretold(m->operation);
}

static void describe_erased(const struct dw_proof *p, const char hash[DW_PROOF_HASH],
			    struct dw_erased *ret)
{
	*ret = (struct dw_erased){ .of.sequence = p->sequence };
	memcpy(ret->of.record, hash, DW_PROOF_HASH);
	memcpy(ret->model, p->info.model, sizeof(ret->model));
	if (!p->info.name_shared) {
		memcpy(ret->serial, p->info.serial, sizeof(ret->serial));
		memcpy(ret->wwn, p->info.wwn, sizeof(ret->wwn));
	}
	memcpy(ret->operator_name, p->operator_name[0] ? p->operator_name : p->asked_by,
	       sizeof(ret->operator_name));
	memcpy(ret->asked_by, p->asked_by, sizeof(ret->asked_by));
	if (p->n_passes && is_foretold(p))
		memcpy(ret->pattern, p->pass[p->n_passes - 1].pattern,
		       sizeof(ret->pattern));
	memcpy(ret->key_check, p->key_check, sizeof(ret->key_check));
}

static int add_erased(struct dw_seconds *s, const struct dw_erased *e)
{
	int r = dw_grow(&s->erased, s->n_erased, s->n_erased + 1, sizeof(*e));

	if (r)
		return r;
	s->erased[s->n_erased++] = *e;
	for (size_t i = 0; i < s->n_picks; i++)
		if (!s->pick[i].checked && is_disk_of(&s->pick[i].drawn, e))
			s->pick[i].last = *e;
	return 0;
}

static struct dw_drawn_disk *find_pick(struct dw_seconds *s, const struct dw_second *of)
{
	for (size_t i = 0; i < s->n_picks; i++)
		if (s->pick[i].draw == of->draw &&
		    s->pick[i].drawn.of.sequence == of->drawn.sequence &&
		    !strcmp(s->pick[i].drawn.of.record, of->drawn.record))
			return &s->pick[i];
	return NULL;
}

/* In words what a check has found; NULL = nothing yet. Other contents are found as soon as they are
 * read, whatever became of the rest. */
static const char *finding_of(const struct dw_proof *p)
{
	const char *good = dw_outcome_name(DW_OUTCOME_ERASED, true);
	const char *bad = dw_outcome_name(DW_OUTCOME_EXCEPTIONS, true);

	if (p->simulation[0])
		return NULL;
	if (p->verify.mismatches)
		return bad;
	if (p->verify.done == DW_VERIFIED_NONE)
		return NULL;
	if (!strcmp(p->outcome, bad))
		return bad;
	return strcmp(p->outcome, good) ? NULL : good;
}

static bool has_failed(const struct dw_drawn_disk *k)
{
	return k->checked &&
	       !strcmp(k->outcome, dw_outcome_name(DW_OUTCOME_EXCEPTIONS, true));
}

/* NULL, or why it is no check of what was drawn. */
static const char *take_check(struct dw_seconds *s, const struct dw_proof *p,
			      const struct dw_erased *disk)
{
	struct dw_drawn_disk *k = find_pick(s, &p->second);
	const char *finding = finding_of(p);

	if (!k)
		return "no draw has drawn what it says to check";
	if (!is_disk_of(&k->drawn, disk))
		return "it is of another disk than what was drawn";
	if (!dw_drawn_may_check(k, p->operator_name))
		return "who checks is who erased, or may be";
	if (p->second.compared != k->last.of.sequence ||
	    strcmp(p->second.erased_by, k->last.operator_name) != 0)
		return "it compares with another record than that of the last erasure";
	if (!finding || has_failed(k))
		return NULL;
	k->checked = p->sequence;
	memcpy(k->checked_by, p->operator_name, sizeof(k->checked_by));
	snprintf(k->outcome, sizeof(k->outcome), "%s", finding);
	return NULL;
}

int dw_seconds_take(struct dw_seconds *s, const struct dw_proof *p,
		    const char hash[DW_PROOF_HASH], const char **ret_fault)
{
	struct dw_candidate c;
	struct dw_erased e;

	*ret_fault = NULL;
	describe_erased(p, hash, &e);
	dw_candidate_of(p, hash, &c);
	if (p->second.draw)
		*ret_fault = take_check(s, p, &e);
	return c.erased ? add_erased(s, &e) : 0;
}

static int add_pick(struct dw_seconds *s, uint64_t draw, const struct dw_erased *drawn)
{
	struct dw_drawn_disk *k;
	int r = dw_grow(&s->pick, s->n_picks, s->n_picks + 1, sizeof(*k));

	if (r)
		return r;
	k = &s->pick[s->n_picks++];
	*k = (struct dw_drawn_disk){ .draw = draw, .drawn = *drawn, .last = *drawn };
	for (size_t i = 0; i < s->n_erased; i++)
		if (s->erased[i].of.sequence > drawn->of.sequence &&
		    is_disk_of(&s->erased[i], drawn))
			k->last = s->erased[i];
	return 0;
}

int dw_seconds_draw(struct dw_seconds *s, const struct dw_draw *d)
{
	int r = 0;

	for (uint32_t i = 0; i < d->n_picked && !r; i++)
		for (size_t j = 0; j < s->n_erased && !r; j++)
			if (s->erased[j].of.sequence == d->picked[i].sequence)
				r = add_pick(s, d->sequence, &s->erased[j]);
	return r;
}

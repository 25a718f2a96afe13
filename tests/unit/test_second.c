/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The second person: who may check what was drawn, what a check has to say, and what of it is found
 * in a ledger though it is signed.
 */
#include "unit.h"

#include <string.h>

#include <diskwipe/diskwipe.h>

#include "proof/proof.h"

#define DISKS 3

struct fixture {
	struct dw_seconds s;
	uint64_t sequence;
	uint64_t draw;
};

static void hash_of(uint64_t sequence, char ret[DW_PROOF_HASH])
{
	snprintf(ret, DW_PROOF_HASH, "%064llx", (unsigned long long)sequence);
}

static struct dw_proof proof_of(int disk, const char *operator_name, const char *outcome)
{
	struct dw_proof p = { .verify.done = DW_VERIFIED_SAMPLE };

	snprintf(p.info.serial, sizeof(p.info.serial), "S%d", disk);
	snprintf(p.operator_name, sizeof(p.operator_name), "%s", operator_name);
	snprintf(p.outcome, sizeof(p.outcome), "%s", outcome);
	return p;
}

/* What is wrong with it, or NULL. */
static const char *take(struct fixture *f, struct dw_proof *p)
{
	char hash[DW_PROOF_HASH];
	const char *fault;

	p->sequence = ++f->sequence;
	hash_of(p->sequence, hash);
	assert_int_equal(0, dw_seconds_take(&f->s, p, hash, &fault));
	return fault;
}

static void erase(struct fixture *f, int disk, const char *operator_name)
{
	struct dw_proof_pass pass = { .pattern = "00" };
	struct dw_proof p = proof_of(disk, operator_name, "erased");

	p.pass = &pass;
	p.n_passes = 1;
	assert_null(take(f, &p));
}

/* All that was erased until now. */
static void draw(struct fixture *f)
{
	struct dw_drawn picked[2 * DISKS];
	struct dw_draw d = { .sequence = ++f->sequence, .picked = picked };

	for (; d.n_picked < f->s.n_erased; d.n_picked++)
		picked[d.n_picked] = f->s.erased[d.n_picked].of;
	assert_int_equal(0, dw_seconds_draw(&f->s, &d));
	f->draw = d.sequence;
}

static struct dw_proof check_of(const struct fixture *f, int disk, const char *name)
{
	struct dw_proof p = proof_of(disk, name, "as-expected");
	const struct dw_drawn_disk *k = &f->s.pick[disk];

	p.second = (struct dw_second){ .draw = k->draw,
				       .drawn = k->drawn.of,
				       .compared = k->last.of.sequence };
	memcpy(p.second.erased_by, k->last.operator_name, sizeof(p.second.erased_by));
	return p;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	for (int i = 0; i < DISKS; i++)
		erase(f, i, "anna");
	draw(f);
	assert_int_equal(DISKS, f->s.n_picks);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	free(f->s.erased);
	free(f->s.pick);
	free(f);
	return 0;
}

static void a_second_person_checks(void **state)
{
	struct fixture *f = *state;
	struct dw_proof p = check_of(f, 1, "bert");

	assert_null(take(f, &p));
	assert_int_equal(p.sequence, f->s.pick[1].checked);
	assert_string_equal("bert", f->s.pick[1].checked_by);
	assert_string_equal("as-expected", f->s.pick[1].outcome);
	assert_int_equal(0, f->s.pick[0].checked);
	assert_int_equal(0, f->s.pick[2].checked);
}

static void names_of_one_person(void **state)
{
	static const struct {
		const char *erased;
		const char *checks;
		bool may;
	} cases[] = {
		{ "anna", "anna", false },     { "anna", "ANNA", false },
		{ "anna", " an-na. ", false }, { "anna", "bert", true },
		{ "anna", "ann", true },       { "ann", "anna", true },
		{ "", "bert", false },         { "anna", "", false },
		{ "anna", " - ", false },      { ".", "bert", false },
		{ "Åsa", "Åsa", false },       { "Åsa", "Ösa", true },
		{ "lab 1", "lab1", false },    { "lab 1", "lab 2", true },
		{ "anna", "root", false },     { "anna", "Root", false },
		{ "root", "bert", true },      { "anna", "root2", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dw_drawn_disk k = { .draw = 1 };

		snprintf(k.drawn.operator_name, sizeof(k.drawn.operator_name), "%s",
			 cases[i].erased);
		snprintf(k.last.operator_name, sizeof(k.last.operator_name), "%s",
			 cases[i].erased);
		if (dw_drawn_may_check(&k, cases[i].checks) != cases[i].may)
			fail_msg("'%s' checks '%s'", cases[i].checks, cases[i].erased);
		snprintf(k.last.operator_name, sizeof(k.last.operator_name), "zoe");
		assert_false(dw_drawn_may_check(&k, "Zoe"));
		assert_int_equal(cases[i].may, dw_drawn_may_check(&k, cases[i].checks));
	}
}

/* Who asked the service for it is not another person, whoever was named as the operator. */
static void names_of_who_asked(void **state)
{
	struct fixture *f = *state;
	struct dw_proof p = proof_of(0, "bert", "erased");
	const struct dw_drawn_disk *k;

	snprintf(p.asked_by, sizeof(p.asked_by), "anna");
	assert_null(take(f, &p));
	draw(f);
	k = &f->s.pick[f->s.n_picks - 1];
	assert_false(dw_drawn_may_check(k, "Anna"));
	assert_false(dw_drawn_may_check(k, "bert"));
	assert_true(dw_drawn_may_check(k, "carl"));
	/* nobody was named: it is who asked */
	p.operator_name[0] = '\0';
	assert_null(take(f, &p));
	assert_string_equal("anna", k->last.operator_name);
	assert_false(dw_drawn_may_check(k, "anna"));
}

static void erased_again(void **state)
{
	struct fixture *f = *state;
	struct dw_proof p;

	p = check_of(f, 0, "bert");
	erase(f, 0, "carl");
	assert_non_null(take(f, &p)); /* what it compares with is not there any more */
	p = check_of(f, 0, "carl");
	assert_non_null(take(f, &p));
	p = check_of(f, 0, "anna");
	assert_non_null(take(f, &p));
	p = check_of(f, 0, "bert");
	assert_null(take(f, &p));
	assert_int_not_equal(0, f->s.pick[0].checked);
	/* what comes after the check does not undo it */
	erase(f, 0, "anna");
	assert_string_equal("carl", f->s.pick[0].last.operator_name);
	/* drawn now: what it held then is gone */
	draw(f);
	assert_string_equal("S0", f->s.pick[DISKS].drawn.serial);
	assert_string_equal("anna", f->s.pick[DISKS].last.operator_name);
	assert_int_not_equal(f->s.pick[DISKS].drawn.of.sequence,
			     f->s.pick[DISKS].last.of.sequence);
}

/* Docks with one serial number: which of them was erased, or is here, nobody can say. */
static void docks_with_one_serial(void **state)
{
	struct fixture *f = *state;
	struct dw_proof p = proof_of(0, "anna", "erased");
	struct dw_candidate c;

	dw_candidate_of(&p, f->s.erased[0].of.record, &c);
	assert_string_not_equal("", c.disk);
	p.info.name_shared = true;
	dw_candidate_of(&p, f->s.erased[0].of.record, &c);
	assert_string_equal("", c.disk);
	assert_null(take(f, &p));
	assert_string_equal("", f->s.erased[f->s.n_erased - 1].serial);
	assert_string_equal("", f->s.erased[f->s.n_erased - 1].wwn);
}

static void a_false_check_is_found(void **state)
{
	struct fixture *f = *state;
	struct dw_proof p;
	static const char not_drawn[] = "no draw has drawn what it says to check";

	p = check_of(f, 0, "bert");
	p.second.draw++;
	assert_string_equal(not_drawn, take(f, &p));
	p = check_of(f, 0, "bert");
	p.second.drawn.record[3] = 'x';
	assert_string_equal(not_drawn, take(f, &p));
	p = check_of(f, 0, "bert");
	p.second.drawn.sequence = DISKS + 5;
	assert_string_equal(not_drawn, take(f, &p));
	p = check_of(f, 0, "bert");
	snprintf(p.info.serial, sizeof(p.info.serial), "S1");
	assert_string_equal("it is of another disk than what was drawn", take(f, &p));
	p = check_of(f, 0, "Anna");
	assert_string_equal("who checks is who erased, or may be", take(f, &p));
	p = check_of(f, 0, "bert");
	p.second.compared++;
	assert_non_null(take(f, &p));
	p = check_of(f, 0, "bert");
	snprintf(p.second.erased_by, sizeof(p.second.erased_by), "zoe");
	assert_non_null(take(f, &p));
	assert_int_equal(0, f->s.pick[0].checked);
}

static void what_compared_nothing_leaves_it_open(void **state)
{
	static const char *const outcomes[] = { "failed", "stopped", "removed", "refused",
						"erased" };
	struct fixture *f = *state;
	struct dw_proof p;

	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
		p = check_of(f, 2, "bert");
		snprintf(p.outcome, sizeof(p.outcome), "%s", outcomes[i]);
		if (i < 4)
			assert_null(take(f, &p));
		assert_int_equal(0, f->s.pick[2].checked);
	}
	p = check_of(f, 2, "bert");
	p.verify.done = DW_VERIFIED_NONE;
	assert_null(take(f, &p));
	assert_int_equal(0, f->s.pick[2].checked);
	p = check_of(f, 2, "bert");
	snprintf(p.simulation, sizeof(p.simulation), "exact");
	assert_null(take(f, &p));
	assert_int_equal(0, f->s.pick[2].checked);
	p = check_of(f, 2, "bert");
	snprintf(p.outcome, sizeof(p.outcome), "not-as-expected");
	assert_null(take(f, &p));
	assert_string_equal("not-as-expected", f->s.pick[2].outcome);
}

/* Though the check was stopped then, and though another one finds nothing. */
static void other_contents_were_read(void **state)
{
	static const char *const outcomes[] = { "stopped", "failed", "removed" };
	struct fixture *f = *state;
	uint64_t first;
	struct dw_proof p;

	for (int i = 0; i < DISKS; i++) {
		p = check_of(f, i, "bert");
		snprintf(p.outcome, sizeof(p.outcome), "%s", outcomes[i]);
		p.verify.done = i ? DW_VERIFIED_PART : DW_VERIFIED_NONE;
		p.verify.mismatches = 1;
		assert_null(take(f, &p));
		first = p.sequence;
		assert_string_equal("not-as-expected", f->s.pick[i].outcome);
		p = check_of(f, i, "carl");
		assert_null(take(f, &p));
		assert_string_equal("not-as-expected", f->s.pick[i].outcome);
		assert_int_equal(first, f->s.pick[i].checked);
	}
	draw(f);
	p = check_of(f, DISKS, "bert");
	snprintf(p.info.serial, sizeof(p.info.serial), "S0");
	snprintf(p.simulation, sizeof(p.simulation), "exact");
	p.verify.mismatches = 1;
	assert_null(take(f, &p));
	assert_int_equal(0, f->s.pick[DISKS].checked);
}

static void what_is_to_be_read(void **state)
{
	static const struct {
		const char *method;
		const char *pattern;
		const char *expected;
	} cases[] = {
		{ "zero", "00", "00" },
		{ "custom", "924924", "924924" },
		{ "sanitize-overwrite", "00", "00" },
		{ "sanitize-crypto", "00", "" },
		{ "sanitize-block", "00", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f = { .sequence = 0 };
		struct dw_proof_pass pass[2] = { { .pattern = "ff" } };
		struct dw_proof p = proof_of(0, "anna", "erased");

		snprintf(pass[1].pattern, sizeof(pass[1].pattern), "%s",
			 cases[i].pattern);
		snprintf(p.method, sizeof(p.method), "%s", cases[i].method);
		p.pass = pass;
		p.n_passes = 2;
		assert_null(take(&f, &p));
		assert_string_equal(cases[i].expected, f.s.erased[0].pattern);
		free(f.s.erased);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_second_person_checks, setup, teardown),
		cmocka_unit_test(names_of_one_person),
		cmocka_unit_test_setup_teardown(names_of_who_asked, setup, teardown),
		cmocka_unit_test_setup_teardown(erased_again, setup, teardown),
		cmocka_unit_test_setup_teardown(docks_with_one_serial, setup, teardown),
		cmocka_unit_test_setup_teardown(a_false_check_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(what_compared_nothing_leaves_it_open,
						setup, teardown),
		cmocka_unit_test_setup_teardown(other_contents_were_read, setup,
						teardown),
		cmocka_unit_test(what_is_to_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

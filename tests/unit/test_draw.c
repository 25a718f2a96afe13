/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws: sha256sum draws the same; each erased disk is as likely as the others; a draw cannot be
 * made again unseen, and a false one is found though it is signed.
 */
#include "unit.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger.h"

#define RECORDS 24
#define DISKS   17
#define ERASED  13 /* of these disks */
#define MANY    40
#define DRAWS   4000

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void run(const char *format, ...)
{
	char command[2048];
	va_list args;
	int status;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	status = system(command); /* NOLINT(cert-env33-c) */
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("failed: %s", command);
}

/* Every third disk failed; some come twice, two have no names, the first was simulated. */
static void add_records(struct dw_ledger *l, int from, int n)
{
	for (int i = from; i < from + n; i++) {
		struct dw_disk_result disk = { .outcome = i % 3 == 2 ? DW_OUTCOME_FAILED
								     : DW_OUTCOME_ERASED,
					       .finished.tv_sec = 1000 + i };
		struct dw_job_result r = { .disk = &disk, .n_disks = 1 };
		const struct dw_proof_place place = { .label = i % 2 ? "odd" : "" };
		struct dw_proof p;

		if (i != 12 && i != 13)
			snprintf(disk.info.serial, sizeof(disk.info.serial), "S%d",
				 i % DISKS);
		snprintf(r.simulation, sizeof(r.simulation), "%s", i ? "" : "virtual");
		snprintf(r.id, sizeof(r.id), "%08d-0000-4000-8000-000000000000", i);
		assert_int_equal(0, dw_proof_of(&r, 0, &place, &p));
		assert_int_equal(0, dw_ledger_add(l, &p, NULL));
		dw_proof_deinit(&p);
	}
}

static struct dw_draw draw_of(struct dw_ledger *l, uint64_t ppm)
{
	struct dw_draw d = { .share_ppm = ppm, .operator_name = "anna" };
	struct dw_error err = { 0 };

	if (dw_ledger_draw(l, &d, &err))
		fail_msg("%s", error_line(&err));
	return d;
}

/* What an auditor has: a shell, sha256sum, jq; as docs/records.md says. */
static void auditor_draws_the_same(const struct fixture *f, const struct dw_draw *d)
{
	int at = (int)d->sequence;

	run("cd %s && p=$(sha256sum record-%08d.json | cut -d' ' -f1) && "
	    "seed=$(echo diskwipe-draw $p %d | sha256sum | cut -d' ' -f1) && "
	    "last=$(jq -r 'select(.outcome == \"erased\" and .job.simulation == null) | "
	    "[input_filename, (.disk | .model, .serial, .wwn)] | @tsv' record-*.json | "
	    "sort -r | awk -F'\\t' '$3 $4 == \"\" || !seen[$2, $3, $4]++ { print $1 }') "
	    "&& for i in $last; do "
	    "h=$(sha256sum $i | cut -d' ' -f1); "
	    "echo $(echo $seed $h | sha256sum | cut -d' ' -f1) $h; done | "
	    "LC_ALL=C sort | head -n %u | cut -d' ' -f2 | sort > %s/auditor",
	    f->ledger, at - 1, at, d->n_picked, f->dir);
	run("grep -o '\"picked\":.*]' %s/record-%08d.json | grep -oE '[0-9a-f]{64}' | sort "
	    "| cmp - %s/auditor",
	    f->ledger, at, f->dir);
}

static void sha256sum_draws_the_same(void **state)
{
	struct fixture *f = *state;
	struct dw_ledger *l = open_ledger(f);
	struct dw_draw some, all;

	add_records(l, 0, RECORDS);
	some = draw_of(l, 300000);
	all = draw_of(l, 1000000);
	dw_ledger_close(l);
	assert_int_equal(ERASED, some.population);
	assert_int_equal(4, some.n_picked); /* 3.9 */
	assert_int_equal(ERASED, all.n_picked);
	auditor_draws_the_same(f, &some);
	auditor_draws_the_same(f, &all);
	run("ssh-keygen -Y verify -f %s/allowed_signers -I station@example.org "
	    "-n diskwipe-record -s %s/record-%08d.json.sig < %s/record-%08d.json "
	    "> /dev/null",
	    f->ledger, f->ledger, RECORDS + 1, f->ledger, RECORDS + 1);
	assert_true(told(f, NULL, NULL));
	dw_draw_deinit(&some);
	dw_draw_deinit(&all);
}

static void candidates(struct dw_candidate of[MANY])
{
	for (int i = 0; i < MANY; i++) {
		char text[16];

		of[i] = (struct dw_candidate){ .drawn.sequence = (uint64_t)i + 1,
					       .erased = i % 4 != 3,
					       .finished = 1000 + i };
		snprintf(text, sizeof(text), "%d", i);
		snprintf(of[i].label, sizeof(of[i].label), "%s", i % 2 ? "odd" : "even");
		assert_int_equal(0,
				 dw_sha256_hex(text, strlen(text), of[i].drawn.record));
	}
}

static void each_is_as_likely(void **state)
{
	struct dw_candidate of[MANY];
	unsigned count[MANY] = { 0 };
	double chi = 0;

	(void)state;
	candidates(of);
	for (int i = 0; i < DRAWS; i++) {
		struct dw_draw d = { .sequence = 1000 + (uint64_t)i,
				     .share_ppm = 100000 };

		assert_int_equal(0, dw_draw_pick(&d, of, MANY));
		assert_int_equal(30, d.population);
		assert_int_equal(3, d.n_picked);
		for (uint32_t k = 0; k < d.n_picked; k++) {
			assert_true(!k ||
				    d.picked[k].sequence > d.picked[k - 1].sequence);
			count[d.picked[k].sequence - 1]++;
		}
		dw_draw_deinit(&d);
	}
	for (int i = 0; i < MANY; i++) {
		double expected = DRAWS / 10.0, off = count[i] - expected;

		if (of[i].erased)
			chi += off * off / expected;
		else
			assert_int_equal(0, count[i]);
	}
	assert_true(chi < 58.3); /* 29 degrees of freedom, 0.1 % */
	assert_true(chi > 9);    /* nor more even than chance: 99.99 % */
}

static void rules_are_kept(void **state)
{
	static const struct {
		uint64_t ppm, sequence;
		time_t since, until;
		const char *label;
		uint64_t population;
		uint32_t picked;
	} cases[] = {
		{ 1, 100, 0, 0, "", 30, 1 },
		{ 50000, 100, 0, 0, "", 30, 2 },
		{ 100000, 100, 0, 0, "", 30, 3 },
		{ 1000000, 100, 0, 0, "", 30, 30 },
		{ 1000000, 21, 0, 0, "", 15, 15 }, /* what is behind it does not count */
		{ 1000000, 100, 1020, 0, "", 15, 15 },
		{ 1000000, 100, 0, 1020, "", 15, 15 },
		{ 1000000, 100, 1020, 1021, "", 1, 1 },
		{ 1000000, 100, 0, 0, "odd", 10, 10 },
		{ 1000000, 100, 0, 0, "none", 0, 0 },
	};
	struct dw_candidate of[MANY];

	(void)state;
	candidates(of);
	for (size_t i = 0; i < DW_ARRAY_SIZE(cases); i++) {
		struct dw_draw d = { .share_ppm = cases[i].ppm,
				     .sequence = cases[i].sequence,
				     .since.tv_sec = cases[i].since,
				     .until.tv_sec = cases[i].until };

		snprintf(d.label, sizeof(d.label), "%s", cases[i].label);
		assert_int_equal(0, dw_draw_pick(&d, of, MANY));
		assert_int_equal(cases[i].population, d.population);
		assert_int_equal(cases[i].picked, d.n_picked);
		dw_draw_deinit(&d);
	}
	for (uint64_t ppm = 0; ppm <= 1000001; ppm += 1000001) {
		struct dw_draw d = { .share_ppm = ppm };

		assert_int_equal(-EINVAL, dw_draw_pick(&d, of, MANY));
	}
}

/* By its last record that meets the rule; what cannot be told apart counts each time. */
static void a_disk_is_drawn_once(void **state)
{
	struct dw_candidate of[] = {
		{ .drawn.sequence = 1, .disk = "M\tA\t", .erased = true, .label = "lot" },
		{ .drawn.sequence = 2, .disk = "M\tB\t", .erased = true },
		{ .drawn.sequence = 3, .disk = "M\tA\t", .erased = true },
		{ .drawn.sequence = 4, .disk = "M\tB\t", .erased = false },
		{ .drawn.sequence = 5, .disk = "", .erased = true },
		{ .drawn.sequence = 6, .disk = "", .erased = true },
		{ .drawn.sequence = 7, .disk = "N\tA\t", .erased = true },
		{ .drawn.sequence = 9, .disk = "M\tA\t", .erased = true },
	};
	static const uint64_t all[] = { 2, 3, 5, 6, 7 };
	struct dw_draw d = { .sequence = 8, .share_ppm = 1000000 };
	struct dw_draw lot = { .sequence = 8, .share_ppm = 1000000, .label = "lot" };

	(void)state;
	assert_int_equal(0, dw_draw_pick(&d, of, DW_ARRAY_SIZE(of)));
	assert_int_equal(DW_ARRAY_SIZE(all), d.population);
	assert_int_equal(DW_ARRAY_SIZE(all), d.n_picked);
	for (size_t i = 0; i < DW_ARRAY_SIZE(all); i++)
		assert_int_equal(all[i], d.picked[i].sequence);
	assert_int_equal(0, dw_draw_pick(&lot, of, DW_ARRAY_SIZE(of)));
	assert_int_equal(1, lot.n_picked);
	assert_int_equal(1, lot.picked[0].sequence);
	dw_draw_deinit(&d);
	dw_draw_deinit(&lot);
}

static void each_draw_is_seen(void **state)
{
	struct fixture *f = *state;
	struct dw_ledger *l = open_ledger(f);
	struct dw_draw d = { .share_ppm = 1000000 }, first, second;
	struct dw_proof_check c;

	assert_int_equal(-ENOENT, dw_ledger_draw(l, &d, NULL));
	add_records(l, 0, RECORDS);
	first = draw_of(l, 200000);
	second = draw_of(l, 200000);
	assert_string_not_equal(first.seed, second.seed);
	assert_int_equal(first.sequence + 1, second.sequence);
	assert_int_equal(first.population, second.population);
	add_records(l, RECORDS, 3); /* records behind a draw do not change it */
	dw_ledger_close(l);
	assert_int_equal(0, dw_ledger_check(f->ledger, NULL, &c, NULL));
	assert_int_equal(0, c.n);
	assert_int_equal(RECORDS + 5, c.records);
	dw_proof_check_deinit(&c);
	dw_draw_deinit(&first);
	dw_draw_deinit(&second);
}

/* Who has the key signs another draw, and the head with it. */
static void sign_instead(const struct fixture *f, const struct dw_draw *d)
{
	dw_autofree char *text = dw_draw_json(d);

	forge(f, d->sequence, text, &d->written);
}

static void a_false_draw_is_found(void **state)
{
	static const char why[] = "not those that are drawn";
	struct fixture *f = *state;
	struct dw_ledger *l = open_ledger(f);
	char name[DW_LEDGER_NAME];
	struct dw_drawn kept;
	struct dw_draw d;

	add_records(l, 0, RECORDS);
	d = draw_of(l, 200000);
	dw_ledger_close(l);
	dw_ledger_name(DW_LEDGER_RECORD, d.sequence, false, name);
	sign_instead(f, &d);
	assert_true(told(f, NULL, NULL));

	kept = d.picked[0];
	d.picked[0].record[5] ^= 1;
	sign_instead(f, &d);
	assert_true(told(f, name, why));
	d.picked[0] = kept;
	d.picked[0].sequence++;
	sign_instead(f, &d);
	assert_true(told(f, name, why));
	d.picked[0] = kept;

	d.n_picked--;
	sign_instead(f, &d);
	assert_true(told(f, name, why));
	d.n_picked++;

	d.population--;
	sign_instead(f, &d);
	assert_true(told(f, name, why));
	d.population++;

	d.seed[0] = d.seed[0] == '0' ? '1' : '0';
	sign_instead(f, &d);
	assert_true(told(f, name, why));
	dw_draw_deinit(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sha256sum_draws_the_same, setup,
						teardown),
		cmocka_unit_test(each_is_as_likely),
		cmocka_unit_test(rules_are_kept),
		cmocka_unit_test(a_disk_is_drawn_once),
		cmocka_unit_test_setup_teardown(each_draw_is_seen, setup, teardown),
		cmocka_unit_test_setup_teardown(a_false_draw_is_found, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a record of the service says of people: who asked, who was named, and whose disk it is. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/prove.h"

static char dir[48];

static int take(void *ctx, const struct store_record *r)
{
	*(struct store_record *)ctx = *r;
	return 1;
}

/* The record of an attempt of that job, from the store alone; it becomes record 1. */
static void record_of(struct store_job job, const char *asset, struct dw_proof *ret)
{
	static const struct store_caller who = { .comm = "test" };
	struct store_attempt a = { .identity = { .blocks = 1000, .block_size = 512 } };
	char note[STORE_NOTE], path[64];
	struct store_record r = { 0 };
	struct store *s;
	bool used;

	snprintf(path, sizeof(path), "%s/station.db", dir);
	unlink(path);
	assert_int_equal(store_open(path, &s, note), 0);
	snprintf(a.identity.serial, sizeof(a.identity.serial), "S1");
	snprintf(a.asset, sizeof(a.asset), "%s", asset);
	assert_int_equal(store_disk(s, &a.identity, "1", false, 100, &a.disk, &used), 0);
	snprintf(job.id, sizeof(job.id), "00000000-0000-4000-8000-000000000000");
	memcpy(a.job, job.id, sizeof(a.job));
	job.submitted = 1000;
	assert_int_equal(store_submit(s, &job, &a, 1, &who), 0);
	a.ended = 5000;
	a.outcome = OUTCOME_FAILED;
	assert_int_equal(store_end(s, &a, NULL), 0);
	assert_true(store_each_unproven(s, 1, take, &r) >= 0);
	assert_int_equal(prove_make(s, &r, ret), 0);
	assert_int_equal(store_proven(s, r.attempt.id, 1), 0);
	store_close(s);
}

static void who_asked_and_who_did(void **state)
{
	static const struct {
		uint32_t uid, loginuid;
		const char *options, *asked_by, *operator_name;
	} row[] = {
		/* nobody has these numbers */
		{ 12345678, UINT32_MAX, "", "uid 12345678", "uid 12345678" },
		{ 12345678, 23456789, "", "uid 12345678", "uid 12345678" },
		/* sudo: who logged in */
		{ 0, 23456789, "", "uid 23456789", "uid 23456789" },
		/* behind root may be anybody */
		{ 0, UINT32_MAX, "", "root", "" },
		{ 0, 0, "", "root", "" },
		/* a bay */
		{ UINT32_MAX, UINT32_MAX, "", "the service itself",
		  "the service itself" },
		/* who was named; who named him is not lost */
		{ 12345678, UINT32_MAX, "operator=bert\n", "uid 12345678", "bert" },
		{ 0, UINT32_MAX, "operator=bert\n", "root", "bert" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct store_job job = { .uid = row[i].uid, .loginuid = row[i].loginuid };
		struct dw_proof p;

		snprintf(job.options, sizeof(job.options), "%s", row[i].options);
		record_of(job, "", &p);
		if (strcmp(p.asked_by, row[i].asked_by) != 0 ||
		    strcmp(p.operator_name, row[i].operator_name) != 0)
			fail_msg("%zu: '%s' by '%s'", i, p.operator_name, p.asked_by);
		assert_string_equal(p.customer, "");
		dw_proof_deinit(&p);
	}
}

static void whose_disk_it_is(void **state)
{
	struct store_job job = { .uid = 12345678, .label = "lot 7" };
	struct dw_proof p;

	/* of the station, then of the caller */
	snprintf(job.options, sizeof(job.options),
		 "customer=A\norder_number=1\ncustomer=B = C\n");
	record_of(job, "IT-1", &p);
	assert_string_equal(p.customer, "B = C");
	assert_string_equal(p.order_number, "1");
	assert_string_equal(p.asset, "IT-1");
	assert_string_equal(p.label, "lot 7");
	dw_proof_deinit(&p);
}

/* A result has no level that was asked for, and a purge that became a clearing has to show. */
static void what_was_asked(void **state)
{
	static const struct {
		const char *options, *level, *method;
		bool or_clear;
	} row[] = {
		{ "", "clear", "zero", false },
		{ "level=purge\n", "purge", "zero", false },
		{ "level=purge\nor_clear=true\n", "purge", "zero", true },
		{ "method=dod-short\n", "clear", "dod-short", false },
		{ "pattern=00,ff\n", "clear", "custom", false },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct store_job job = { .uid = 0 };
		struct dw_proof p;

		snprintf(job.options, sizeof(job.options), "%s", row[i].options);
		record_of(job, "", &p);
		assert_string_equal(p.asked_level, row[i].level);
		assert_string_equal(p.asked_method, row[i].method);
		assert_int_equal(p.or_clear, row[i].or_clear);
		dw_proof_deinit(&p);
	}
}

/* Signs the record in a ledger of its own; the status of the comparison with the store. */
static int compared(struct dw_proof *p)
{
	char key[64], ledger[64], signers[64], db[64], command[160];
	struct dw_error err = { 0 };
	struct dw_ledger *l;
	char *line;
	FILE *f;

	snprintf(key, sizeof(key), "%s/key", dir);
	snprintf(ledger, sizeof(ledger), "%s/ledger", dir);
	snprintf(signers, sizeof(signers), "%s/signers", dir);
	snprintf(db, sizeof(db), "%s/station.db", dir);
	snprintf(command, sizeof(command), "rm -rf %s* %s", key, ledger);
	assert_int_equal(system(command),
			 0); /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
	assert_int_equal(dw_record_key(key, "station@here", &line, &err), 0);
	f = fopen(signers, "we");
	assert_non_null(f);
	fputs(line, f);
	assert_int_equal(fclose(f), 0);
	free(line);
	assert_int_equal(dw_ledger_open(ledger, key, &l, &err), 0);
	assert_int_equal(dw_ledger_add(l, p, &err), 0);
	dw_ledger_close(l);
	return compare_all(db, ledger, signers);
}

/* A record of a version that did not say who asked is no changed one. */
static void earlier_records_agree(void **state)
{
	static const struct {
		uint32_t uid;
		const char *operator_name;
		int status;
	} row[] = {
		{ 0, "root", 0 },
		{ 0, "anna", 5 },
		{ 12345678, "uid 12345678", 0 },
		{ 12345678, "root", 5 },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct store_job job = { .uid = row[i].uid, .loginuid = UINT32_MAX };
		struct dw_proof p;
		int status;

		record_of(job, "", &p);
		status = compared(&p);
		if (status)
			fail_msg("%zu: of this version: %d", i, status);
		p.asked_by[0] = '\0';
		p.level_table = 0;
		snprintf(p.operator_name, sizeof(p.operator_name), "%s",
			 row[i].operator_name);
		status = compared(&p);
		if (status != row[i].status)
			fail_msg("%zu: %d, not %d", i, status, row[i].status);
		dw_proof_deinit(&p);
	}
}

static int set_up(void **state)
{
	assert_non_null(mkdtemp(scratch_name(dir, sizeof(dir), "prove")));
	return 0;
}

static int tear_down(void **state)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command); /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_asked_and_who_did),
		cmocka_unit_test(whose_disk_it_is),
		cmocka_unit_test(what_was_asked),
		cmocka_unit_test(earlier_records_agree),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

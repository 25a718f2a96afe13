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

/* The record of an attempt of that job, from the store alone. */
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
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

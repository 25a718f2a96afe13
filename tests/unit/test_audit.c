/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The audit trail in the chain: rows go on where the last record ended, whatever stands between; a
 * gap, a row of another table and a day without its mark are found though all is signed.
 */
#include "unit.h"

#include <string.h>
#include <unistd.h>

#include "ledger.h"

#define STORE  1700000000000000
#define FUTURE 2000000000

/* @text: of each row */
static int add_rows(struct dw_ledger *l, uint64_t store, uint64_t first, uint32_t n,
		    const char *text)
{
	struct dw_audit a = { .store = store, .n_rows = n };
	int r;

	a.row = calloc(n + 1, sizeof(*a.row));
	assert_non_null(a.row);
	for (uint32_t i = 0; i < n; i++) {
		a.row[i] = (struct dw_audit_row){ .row = first + i,
						  .at = STORE + i,
						  .uid = UINT32_MAX,
						  .what = "submit" };
		snprintf(a.row[i].text, sizeof(a.row[i].text), "%s", text);
	}
	r = dw_ledger_audit(l, &a, NULL);
	dw_audit_deinit(&a);
	return r;
}

static int add_disk(struct dw_ledger *l, int i)
{
	struct dw_disk_result disk = { .outcome = DW_OUTCOME_ERASED };
	struct dw_job_result r = { .disk = &disk, .n_disks = 1 };
	struct dw_proof p;
	int e;

	snprintf(r.id, sizeof(r.id), "%08d-0000-4000-8000-000000000000", i);
	assert_int_equal(0, dw_proof_of(&r, 0, NULL, &p));
	e = dw_ledger_add(l, &p, NULL);
	dw_proof_deinit(&p);
	return e;
}

static uint64_t audited(struct dw_ledger *l)
{
	struct dw_audit a;

	assert_int_equal(0, dw_ledger_audited(l, &a, NULL));
	assert_null(a.row);
	return a.last;
}

static void rows_go_on_where_they_ended(void **state)
{
	struct fixture *f = *state;
	struct dw_ledger *l = open_ledger(f);

	assert_int_equal(0, audited(l));
	assert_int_equal(0, add_rows(l, 0, 1, 0, "")); /* no table yet */
	assert_int_equal(0, add_rows(l, STORE, 1, 3, "serial =cmd() <script> \"\\\x1b"));
	assert_int_equal(3, audited(l));
	assert_int_equal(0, add_disk(l, 1));
	dw_ledger_close(l);
	l = open_ledger(f);
	assert_int_equal(3, audited(l));
	assert_int_equal(-EINVAL, add_rows(l, STORE, 5, 1, "a gap"));
	assert_int_equal(-EINVAL, add_rows(l, STORE, 3, 2, "one twice"));
	assert_int_equal(0, add_rows(l, STORE, 4, 0, "")); /* a quiet day */
	assert_int_equal(3, audited(l));
	assert_int_equal(0, add_rows(l, STORE, 4, 2, ""));
	assert_int_equal(-EINVAL, add_rows(l, STORE + 1, 6, 1, "another table"));
	assert_int_equal(0, add_rows(l, STORE + 1, 1, 1, ""));
	assert_int_equal(1, audited(l));
	dw_ledger_close(l);
	assert_true(told(f, NULL, NULL));
}

/* It was cut off before the store knew of the record, and others were added meanwhile. */
static void a_disk_is_not_recorded_twice(void **state)
{
	struct fixture *f = *state;
	struct dw_ledger *l = open_ledger(f);
	struct dw_draw d = { .share_ppm = 1000000 };

	assert_int_equal(0, add_disk(l, 1));
	assert_int_equal(0, dw_ledger_draw(l, &d, NULL));
	dw_draw_deinit(&d);
	assert_int_equal(1, add_disk(l, 1));
	dw_ledger_close(l);
	l = open_ledger(f);
	assert_int_equal(0, add_rows(l, STORE, 1, 1, ""));
	assert_int_equal(1, add_disk(l, 1));
	dw_ledger_close(l);
	l = open_ledger(f);
	assert_int_equal(1, add_disk(l, 1));
	assert_int_equal(0, add_disk(l, 2));
	dw_ledger_close(l);
	assert_true(told(f, NULL, NULL));
}

/* Who signs it himself is told as well. */
static void what_is_signed_must_be_right_inside(void **state)
{
	struct fixture *f = *state;
	struct dw_audit_row row[2] = { { .row = 1 }, { .row = 3 } };
	struct dw_audit a = { .sequence = 1,
			      .id = "audit/1",
			      .written.tv_sec = FUTURE,
			      .store = STORE,
			      .first = 1,
			      .last = 2,
			      .row = row,
			      .n_rows = 2 };
	const struct timespec future = { .tv_sec = FUTURE };
	dw_autofree char *gap = NULL, *few = NULL, *later = NULL;

	dw_hash_none(a.previous);
	dw_ledger_close(open_ledger(f));
	gap = dw_audit_json(&a);
	forge(f, 1, gap, &future);
	assert_true(told(f, "record-00000001.json", "one is missing"));
	row[1].row = 2;
	a.last = 3;
	few = dw_audit_json(&a);
	forge(f, 1, few, &future);
	assert_true(told(f, "record-00000001.json", "not as many as it says"));
	a.first = row[0].row = 2;
	row[1].row = 3;
	later = dw_audit_json(&a);
	forge(f, 1, later, &future);
	assert_true(told(f, "record-00000001.json", "before 2 are missing"));
	forge(f, 1,
	      "{\"document\":\"erasure-record\",\"id\":\"x\",\"previous\":\"0000000000000"
	      "000000000000000000000000000000000000000000000000000\",\"schema\":1,"
	      "\"sequence\":1,\"written\":\"2033-05-18T03:33:20+00:00\"}\n",
	      &future);
	assert_true(told(f, "record-00000001.json", ""));
}

/* The last head was written on another day: so is the next record. */
static void a_day_has_its_mark(void **state)
{
	struct fixture *f = *state;
	struct dw_audit a = {
		.sequence = 1, .id = "audit/1", .written.tv_sec = 1700000000, .first = 1
	};
	dw_autofree char *text = NULL;
	struct dw_ledger *l;
	char path[160], sig[170];

	dw_hash_none(a.previous);
	dw_ledger_close(open_ledger(f));
	text = dw_audit_json(&a);
	forge(f, 1, text, &a.written);
	l = open_ledger(f);
	assert_int_equal(0, add_rows(l, 0, 1, 0, "")); /* nothing was asked for */
	dw_ledger_close(l);
	assert_true(told(f, NULL, NULL));
	path_of(f, DW_LEDGER_DAY, 1, path);
	snprintf(sig, sizeof(sig), "%s.sig", path);
	assert_int_equal(0, unlink(sig));
	assert_true(told(f, "day-00000001.json", "missing"));
	assert_int_equal(0, unlink(path));
	assert_true(told(f, "day-00000001.json", "last of its day"));
}

/* Keys that a version has added are missing in the records of those before it. */
static void a_host_may_be_missing(void **state)
{
	struct dw_audit a = { .sequence = 1, .id = "audit/1", .first = 1 }, was;
	dw_autofree char *without = NULL, *with = NULL;

	(void)state;
	dw_hash_none(a.previous);
	without = dw_audit_json(&a);
	assert_non_null(without);
	assert_null(strstr(without, "host"));
	assert_int_equal(0, dw_audit_parse(without, strlen(without), &was, NULL));
	dw_audit_deinit(&was);
	snprintf(a.host.name, sizeof(a.host.name), "station-3");
	with = dw_audit_json(&a);
	assert_non_null(with);
	assert_int_equal(0, dw_audit_parse(with, strlen(with), &was, NULL));
	assert_string_equal("station-3", was.host.name);
	dw_audit_deinit(&was);
}

static void what_is_no_ledger_is_told(void **state)
{
	struct fixture *f = *state;
	struct dw_error err = { 0 };
	struct dw_proof_check c;
	char signers[96];

	snprintf(signers, sizeof(signers), "%s/signers", f->dir);
	assert_int_equal(-ENOENT, dw_ledger_check(f->ledger, NULL, &c, &err));
	assert_null(strstr(error_line(&err), "allowed_signers"));
	assert_int_equal(-ENOENT, dw_ledger_check(f->dir, NULL, &c, &err));
	assert_non_null(strstr(error_line(&err), "is that folder a ledger?"));
	assert_int_equal(-ENOENT, dw_ledger_check(f->dir, signers, &c, &err));
	assert_non_null(strstr(error_line(&err), signers));
}

#define ON_LEDGER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_LEDGER(rows_go_on_where_they_ended),
		ON_LEDGER(a_disk_is_not_recorded_twice),
		ON_LEDGER(what_is_signed_must_be_right_inside),
		ON_LEDGER(a_day_has_its_mark),
		cmocka_unit_test(a_host_may_be_missing),
		ON_LEDGER(what_is_no_ledger_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

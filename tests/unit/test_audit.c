/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The audit trail in the chain: rows go on where the last record ended, whatever stands between; a
 * gap, a row of another table and a day without its mark are found though all is signed.
 */
#include "unit.h"

#include <string.h>
#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "error_line.h"
#include "file/file.h"
#include "proof/proof.h"

#define STORE  1700000000000000
#define FUTURE 2000000000

struct fixture {
	char dir[48];
	char key[64];
	char ledger[64];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char *line = NULL;

	assert_non_null(f);
	snprintf(f->dir, sizeof(f->dir), "/tmp/dw-audit-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->key, sizeof(f->key), "%s/key", f->dir);
	snprintf(f->ledger, sizeof(f->ledger), "%s/ledger", f->dir);
	assert_int_equal(0, dw_record_key(f->key, "station@example.org", &line, NULL));
	free(line);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	remove_tree(f->dir);
	free(f);
	return 0;
}

static struct dw_ledger *open_ledger(const struct fixture *f)
{
	struct dw_error err = { 0 };
	struct dw_ledger *l;

	if (dw_ledger_open(f->ledger, f->key, &l, &err))
		fail_msg("%s", error_line(&err));
	return l;
}

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

/* Is @reason told of @file? NULL: is nothing told? */
static bool told(const struct fixture *f, const char *file, const char *reason)
{
	struct dw_proof_check c;
	bool found;

	assert_int_equal(0, dw_ledger_check(f->ledger, NULL, &c, NULL));
	found = !file && !c.n;
	for (size_t i = 0; file && i < c.n; i++)
		found |= !strcmp(c.fault[i].file, file) &&
			 strstr(c.fault[i].reason, reason);
	dw_proof_check_deinit(&c);
	return found;
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

static void path_of(const struct fixture *f, enum dw_ledger_file kind, uint64_t n,
		    char path[160])
{
	char name[DW_LEDGER_NAME];

	snprintf(path, 160, "%s/%s", f->ledger, dw_ledger_name(kind, n, false, name));
}

/* @text, signed with the key of the ledger, as its record 1, with the head. */
static void forge(const struct fixture *f, const char *text, time_t at)
{
	struct dw_head h = { .sequence = 1, .written.tv_sec = at };
	dw_autofree char *head = NULL;
	struct dw_ssh_key key;
	char path[160];

	assert_int_equal(0, dw_ssh_key_load(f->key, &key, NULL));
	assert_int_equal(0, dw_sha256_hex(text, strlen(text), h.record));
	head = dw_head_json(DW_LEDGER_HEAD, &h);
	path_of(f, DW_LEDGER_RECORD, 1, path);
	assert_int_equal(0, dw_signed_write(path, text, &key));
	path_of(f, DW_LEDGER_HEAD, 1, path);
	assert_int_equal(0, dw_signed_write(path, head, &key));
	dw_ssh_key_wipe(&key);
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
	dw_autofree char *gap = NULL, *few = NULL, *later = NULL;

	dw_hash_none(a.previous);
	dw_ledger_close(open_ledger(f));
	gap = dw_audit_json(&a);
	forge(f, gap, FUTURE);
	assert_true(told(f, "record-00000001.json", "one is missing"));
	row[1].row = 2;
	a.last = 3;
	few = dw_audit_json(&a);
	forge(f, few, FUTURE);
	assert_true(told(f, "record-00000001.json", "not as many as it says"));
	a.first = row[0].row = 2;
	row[1].row = 3;
	later = dw_audit_json(&a);
	forge(f, later, FUTURE);
	assert_true(told(f, "record-00000001.json", "before 2 are missing"));
	forge(f,
	      "{\"document\":\"erasure-record\",\"id\":\"x\",\"previous\":\"0000000000000"
	      "000000000000000000000000000000000000000000000000000\",\"schema\":1,"
	      "\"sequence\":1,\"written\":\"2033-05-18T03:33:20+00:00\"}\n",
	      FUTURE);
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
	forge(f, text, 1700000000);
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

#define ON_LEDGER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_LEDGER(rows_go_on_where_they_ended),
		ON_LEDGER(a_disk_is_not_recorded_twice),
		ON_LEDGER(what_is_signed_must_be_right_inside),
		ON_LEDGER(a_day_has_its_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

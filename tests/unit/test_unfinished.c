/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last record of a ledger that no head names: cut off, or the rest of more. */
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>

#include "ledger.h"

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void run(const char *format, ...)
{
	char command[512];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	assert_int_equal(0, system(command)); /* NOLINT(cert-env33-c) */
}

static void add(const struct fixture *f, int from, int n)
{
	struct dw_ledger *l = open_ledger(f);

	for (int i = from; i < from + n; i++) {
		struct dw_disk_result disk = { .outcome = DW_OUTCOME_FAILED };
		struct dw_job_result r = { .disk = &disk, .n_disks = 1 };
		struct dw_proof p;

		snprintf(r.id, sizeof(r.id), "%08d-0000-4000-8000-000000000000", i);
		assert_int_equal(0, dw_proof_of(&r, 0, NULL, &p));
		assert_int_equal(0, dw_ledger_add(l, &p, NULL));
		dw_proof_deinit(&p);
	}
	dw_ledger_close(l);
}

static void is(const struct fixture *f, uint64_t records, bool headless)
{
	struct dw_proof_check c;

	assert_int_equal(0, dw_ledger_check(f->ledger, NULL, &c, NULL));
	assert_int_equal(0, c.n);
	assert_int_equal(records, c.records);
	assert_int_equal(headless, c.headless);
	assert_true(!headless || c.unfinished);
	assert_int_equal(records && !headless, c.head[0] != 0);
	dw_proof_check_deinit(&c);
}

/* What is on the medium when the writing of a record is cut off after each of its files. */
static void cut_off_after_each_file(void **state)
{
	static const char *const files[] = { "record-00000005.json",
					     "record-00000005.json.sig",
					     "head-00000005.json",
					     "head-00000005.json.sig" };
	const struct fixture *f = *state;

	add(f, 0, 4);
	run("cp -a %s %s/before", f->ledger, f->dir);
	add(f, 4, 1);
	run("cp -a %s %s/after", f->ledger, f->dir);
	for (size_t cut = 0; cut < 5; cut++) {
		run("rm -rf %s; cp -a %s/before %s", f->ledger, f->dir, f->ledger);
		for (size_t i = 0; i < cut; i++)
			run("cp %s/after/%s %s", f->dir, files[i], f->ledger);
		/* no head says that it is the last: it may have been more that went */
		is(f, cut > 3 ? 5 : 4, cut == 2 || cut == 3);
		add(f, cut > 1 ? 5 : 4, 2);
		is(f, cut > 1 ? 7 : 6, false);
		run("test $(ls %s/head-* | wc -l) = 2", f->ledger);
	}
}

/* cut down to its first record, which is all that it could have been once */
static void first_record_alone(void **state)
{
	const struct fixture *f = *state;

	add(f, 0, 3);
	run("rm %1$s/head-* %1$s/record-00000002.json* %1$s/record-00000003.json*",
	    f->ledger);
	is(f, 0, true);
}

/* What is behind one record without a head was signed, and is not written over. */
static void heads_are_gone(void **state)
{
	const struct fixture *f = *state;
	struct dw_error err = { 0 };
	struct dw_ledger *l;

	add(f, 0, 3);
	run("rm %s/head-*", f->ledger);
	run("cp -a %1$s %1$s.before", f->ledger);
	assert_int_equal(-EINVAL, dw_ledger_open(f->ledger, f->key, &l, &err));
	assert_non_null(strstr(err.reason, "its end is not whole"));
	run("diff -r %1$s %1$s.before", f->ledger);
}

/* what is signed has to fit all the same */
static void another_record_behind(void **state)
{
	const struct fixture *f = *state;

	add(f, 0, 3);
	run("for s in '' .sig; do cp %1$s/record-00000002.json$s "
	    "%1$s/record-00000004.json$s; done",
	    f->ledger);
	assert_true(told(f, "record-00000004.json", "it is record 2, not 4"));
}

static const struct fixture *ledger_of; /* what another process adds to, and its lock */
static int lock_of;
static void (*once_listed)(void);
static int naps;

int __real_closedir(DIR *d);
int __wrap_closedir(DIR *d);

/* The files of a ledger have been listed. */
int __wrap_closedir(DIR *d)
{
	void (*next)(void) = once_listed;

	once_listed = NULL;
	if (next)
		next();
	return __real_closedir(d);
}

/* Who has the lock writes the head while it is waited for. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	if (++naps == 3) {
		run("mv %1$s.head/* %1$s", ledger_of->ledger);
		close(lock_of);
	}
	return 0;
}

static void a_record_is_added(void)
{
	add(ledger_of, 3, 1);
}

/* A ledger to which a service adds is whole, whenever it is looked at. */
static void a_writer_is_no_fault(void **state)
{
	char lock[80];

	ledger_of = *state;
	add(ledger_of, 0, 3);
	once_listed = a_record_is_added; /* the head that was listed goes */
	is(ledger_of, 4, false);

	/* the last record is signed, and its head is not there yet */
	run("cp -r %1$s %1$s.before", ledger_of->ledger);
	add(ledger_of, 4, 1);
	run("mkdir %1$s.head && mv %1$s/head-* %1$s.head && cp %1$s.before/head-* %1$s",
	    ledger_of->ledger);
	snprintf(lock, sizeof(lock), "%s/.lock", ledger_of->ledger);
	lock_of = open(lock, O_RDWR | O_CLOEXEC);
	assert_true(lock_of >= 0 && !flock(lock_of, LOCK_EX));
	naps = 0;
	is(ledger_of, 5, false);
	assert_int_equal(3, naps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cut_off_after_each_file, setup, teardown),
		cmocka_unit_test_setup_teardown(first_record_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(heads_are_gone, setup, teardown),
		cmocka_unit_test_setup_teardown(another_record_behind, setup, teardown),
		cmocka_unit_test_setup_teardown(a_writer_is_no_fault, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

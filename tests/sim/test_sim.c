/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole jobs on random stations in virtual time, through core, engine and simulator: what must
 * hold whatever the station, the settings and the faults are.
 *
 *	test_sim [FIRST-SEED COUNT]: with those seeds instead of the first 1,000
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "sim_rig.h"
#include "../unit/error_line.h"

#define COARSE   24  /* times the size of exact mode's disks, so that there are leaps */
#define PATIENCE 1e6 /* virtual seconds that no job needs */

static uint64_t first_seed = 1, n_seeds = 400, n_leaps;

static uint64_t n_passes(const struct rig *r)
{
	uint64_t n = 1;

	for (const char *p = r->spec.pattern; *p; p++)
		n += *p == ',';
	return n;
}

static bool told(const struct dw_disk_result *d, uint64_t lba)
{
	for (uint32_t i = 0; i < d->n_exceptions; i++)
		if (lba >= d->exception[i].lba &&
		    lba < d->exception[i].lba + d->exception[i].blocks)
			return true;
	return false;
}

/* sound disks: every block once in every pass, in order, and never too much at once */
static void sound(uint64_t seed, uint64_t scale)
{
	const struct dw_job_result *res;
	struct rig r;

	rig_init(&r, seed, scale);
	rig_start(&r);
	rig_run(&r, PATIENCE);
	res = dw_job_result(r.job);
	for (uint32_t i = 0; i < res->n_disks; i++) {
		const struct rig_disk *d = &r.disk[i];

		if (res->disk[i].outcome != DW_OUTCOME_ERASED)
			fail_msg("seed %llu disk %u: %s", (unsigned long long)seed, i,
				 res->disk[i].reason);
		assert_true(d->most <= rig_depth(&r));
		/* beyond its depth a disk answers TASK SET FULL, and pieces come back */
		if (rig_depth(&r) > d->spec->tagged)
			continue;
		if (d->disordered)
			fail_msg("seed %llu disk %u: out of order",
				 (unsigned long long)seed, i);
		for (uint64_t b = 0; b < d->spec->blocks; b++)
			if (d->writes[b] != n_passes(&r) ||
			    d->medium[b] != n_passes(&r) - 1)
				fail_msg("seed %llu disk %u block %llu: %u writes",
					 (unsigned long long)seed, i,
					 (unsigned long long)b, d->writes[b]);
		/* a bound of 0 says that every block was read */
		if (res->disk[i].verify.bound == 0 &&
		    res->disk[i].verify.blocks != d->spec->blocks)
			fail_msg("seed %llu disk %u: %llu blocks prove nothing",
				 (unsigned long long)seed, i,
				 (unsigned long long)res->disk[i].verify.blocks);
		assert_int_equal(res->disk[i].bytes_written,
				 n_passes(&r) * d->spec->blocks * d->spec->sector);
	}
	n_leaps += r.leaps;
	rig_deinit(&r);
}

/* what a result calls verified was read, after it was written; no more than that */
static void judge_verified(const struct rig *r, uint64_t seed)
{
	const struct dw_job_result *res = dw_job_result(r->job);

	for (uint32_t i = 0; i < res->n_disks && !r->coarse; i++) {
		const struct dw_disk_result *d = &res->disk[i];
		uint64_t blocks = r->disk[i].spec->blocks, read = 0;
		bool whole = d->outcome == DW_OUTCOME_ERASED ||
			     d->outcome == DW_OUTCOME_EXCEPTIONS ||
			     (d->outcome == DW_OUTCOME_FAILED &&
			      (d->verify.mismatches || d->n_exceptions));

		for (uint64_t b = 0; b < blocks; b++)
			read += r->disk[i].read[b];
		if (d->verify.read > read ||
		    (d->verify.done == DW_VERIFIED_FULL && read != blocks) ||
		    (d->verify.done > DW_VERIFIED_PART && !whole) ||
		    (d->verify.done <= DW_VERIFIED_PART && d->verify.bound < 1) ||
		    (d->verify.done == DW_VERIFIED_NONE && d->verify.read))
			fail_msg(
				"seed %llu disk %u (%s): %s, %llu blocks, %llu were read",
				(unsigned long long)seed, i,
				dw_outcome_name(d->outcome, false),
				dw_verified_name(d->verify.done),
				(unsigned long long)d->verify.read,
				(unsigned long long)read);
	}
}

/* what a result says of a disk is so on its medium */
static void judge(const struct rig *r, uint64_t seed)
{
	const struct dw_job_result *res = dw_job_result(r->job);

	for (uint32_t i = 0; i < res->n_disks; i++) {
		const struct dw_disk_result *d = &res->disk[i];
		uint64_t sure = 0, pass = n_passes(r) - 1;

		if (d->outcome == DW_OUTCOME_ERASED ||
		    d->outcome == DW_OUTCOME_EXCEPTIONS)
			sure = r->disk[i].spec->blocks;
		else if (d->outcome == DW_OUTCOME_STOPPED)
			sure = d->stopped_lba, pass = d->stopped_pass;
		assert_true(d->outcome != DW_OUTCOME_NONE);
		assert_true(r->disk[i].most <= rig_depth(r));
		for (uint64_t at = 0; at < sure; at++) {
			uint64_t run, b = dw_order_lba(&r->disk[i].order, at, &run);

			if (r->disk[i].medium[b] < pass || r->disk[i].medium[b] >= TORN)
				if (!told(d, b))
					fail_msg(
						"seed %llu disk %u (%s) block %llu: %u there",
						(unsigned long long)seed, i,
						dw_outcome_name(d->outcome, false),
						(unsigned long long)b,
						r->disk[i].medium[b]);
		}
	}
}

/* a disk without faults does not suffer from those of the others */
static void unharmed(const struct rig *r, uint64_t seed)
{
	const struct dw_job_result *res = dw_job_result(r->job);

	for (uint32_t i = 0; i < res->n_disks; i++)
		if (!r->disk[i].spec->n_faults &&
		    res->disk[i].outcome != DW_OUTCOME_ERASED)
			fail_msg("seed %llu disk %u: %s: %s", (unsigned long long)seed, i,
				 dw_outcome_name(res->disk[i].outcome, false),
				 res->disk[i].reason);
}

static void faulty(uint64_t seed, uint64_t scale)
{
	struct rig r;

	rig_init(&r, seed, scale);
	rig_faults(&r);
	rig_start(&r);
	rig_run(&r, PATIENCE);
	judge(&r, seed);
	judge_verified(&r, seed);
	unharmed(&r, seed);
	n_leaps += r.leaps;
	rig_deinit(&r);
}

static char folder[32];

/* stopped anywhere, cache lost, continued: nothing is left out */
static void stopped(uint64_t seed, uint64_t scale)
{
	struct rig r;

	rig_init(&r, seed, scale);
	if (seed & 1)
		rig_faults(&r);
	snprintf(r.spec.pattern, sizeof(r.spec.pattern), "00,ff"); /* no key to keep */
	snprintf(r.spec.state_file, sizeof(r.spec.state_file), "%s/state", folder);
	r.stop_at = 1 + dw_rng_below(&r.rng, 400 * scale);
	r.abort = dw_rng_below(&r.rng, 2);
	r.stop_leap = scale > 1 ? 1 + dw_rng_below(&r.rng, 8) : 0;
	rig_start(&r);
	rig_run(&r, PATIENCE);
	judge(&r, seed);
	judge_verified(&r, seed);
	while (dw_job_result(r.job)->outcome == DW_OUTCOME_STOPPED) {
		rig_end(&r);
		memcpy(r.spec.resume_file, r.spec.state_file, sizeof(r.spec.resume_file));
		r.stop_leap = 0;
		/* the order is that of the file, whatever the disk tells now */
		for (uint32_t i = 0; seed & 2 && i < r.station.n_disks; i++)
			r.station.disk[i].actuators = seed % 5;
		r.stop_at = r.commands + (dw_rng_below(&r.rng, 2) ? 300 : 100000000);
		rig_start(&r);
		rig_run(&r, PATIENCE);
		judge(&r, seed);
		judge_verified(&r, seed);
	}
	if (!(seed & 1))
		unharmed(&r, seed);
	n_leaps += r.leaps;
	rig_deinit(&r);
}

/* a job in that order stops on the way and leaves its state file */
static void stop_on_the_way(struct rig *r, const char *order, const char *near)
{
	rig_init(r, 4, 1);
	snprintf(r->spec.pattern, sizeof(r->spec.pattern), "00,ff");
	snprintf(r->spec.order, sizeof(r->spec.order), "%s", order);
	snprintf(r->spec.near, sizeof(r->spec.near), "%s", near);
	snprintf(r->spec.state_file, sizeof(r->spec.state_file), "%s/state", folder);
	r->stop_at = 60;
	rig_start(r);
	rig_run(r, PATIENCE);
	assert_int_equal(dw_job_result(r->job)->outcome, DW_OUTCOME_STOPPED);
	memcpy(r->spec.resume_file, r->spec.state_file, sizeof(r->spec.resume_file));
	rig_end(r);
}

/* a mark is a position of the sweep: a job in another order would leave blocks out */
static void other_order(void **state)
{
	static const struct {
		const char *order[2], *near[2], *says;
	} rows[] = {
		{ { "near-first", "" }, { "5", "" }, "order near-first near 5;" },
		{ { "near-first", "near-first" }, { "5", "6" }, "near 5;" },
		{ { "near-first", "near-first" }, { "5", "5-6" }, "near 5;" },
		{ { "near-first", "near-first" }, { "5", "0-5" }, "near 5;" },
		{ { "near-first", "near-first" }, { "start", "end" }, "near start;" },
		{ { "", "near-first" }, { "", "5" }, "order ascending;" },
		{ { "", "" }, { "", "" }, NULL },
		{ { "near-first", "near-first" }, { "5", "5" }, NULL },
		{ { "near-first", "near-first" }, { "start", "0-0" }, NULL },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		struct dw_error err = { 0 };
		struct rig r;

		stop_on_the_way(&r, rows[i].order[0], rows[i].near[0]);
		snprintf(r.spec.order, sizeof(r.spec.order), "%s", rows[i].order[1]);
		snprintf(r.spec.near, sizeof(r.spec.near), "%s", rows[i].near[1]);
		assert_int_equal(dw_job_new(NULL, &r.spec, &r.job, &err),
				 rows[i].says ? -EINVAL : 0);
		assert_true(!rows[i].says || strstr(error_line(&err), rows[i].says));
		rig_deinit(&r);
	}
}

static void sound_stations(void **state)
{
	for (uint64_t s = first_seed; s < first_seed + n_seeds; s++)
		sound(s, 1);
}

static void faulty_stations(void **state)
{
	for (uint64_t s = first_seed; s < first_seed + n_seeds; s++)
		faulty(s + UINT64_C(1000000007), 1);
}

static void stopped_jobs(void **state)
{
	for (uint64_t s = first_seed; s < first_seed + n_seeds / 4; s++)
		stopped(s + UINT64_C(2000000011), 1);
}

/* the same where the simulation leaps */
static void coarse_jobs(void **state)
{
	n_leaps = 0;
	for (uint64_t s = first_seed; s < first_seed + n_seeds / 40; s++) {
		sound(s, COARSE);
		faulty(s + UINT64_C(1000000007), COARSE);
		stopped(s + UINT64_C(2000000011), COARSE);
	}
	assert_true(n_seeds < 1000 || n_leaps > 9); /* few jobs are long enough */
}

/* the same seed gives the same result, byte for byte */
static void repeatable(void **state)
{
	char *text[2];

	for (uint64_t seed = 1; seed <= 12; seed++) {
		for (int i = 0; i < 2; i++) {
			struct rig r;

			rig_init(&r, seed, seed & 1 ? 1 : COARSE);
			rig_faults(&r);
			rig_start(&r);
			rig_run(&r, PATIENCE);
			text[i] = dw_job_result_json(dw_job_result(r.job));
			rig_deinit(&r);
		}
		assert_string_equal(text[0], text[1]);
		free(text[0]);
		free(text[1]);
	}
}

static int begin(void **state)
{
	/* the state is written durably and often */
	snprintf(folder, sizeof(folder), "%s/diskwipe-sim-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/state", folder);
	unlink(path);
	return rmdir(folder);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(sound_stations), cmocka_unit_test(faulty_stations),
		cmocka_unit_test(stopped_jobs),   cmocka_unit_test(coarse_jobs),
		cmocka_unit_test(repeatable),     cmocka_unit_test(other_order),
	};

	if (argc == 3) {
		first_seed = strtoull(argv[1], NULL, 10);
		n_seeds = strtoull(argv[2], NULL, 10);
	}
	return cmocka_run_group_tests(all, begin, end);
}

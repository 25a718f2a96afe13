/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that are killed at random moments and resumed, while each time other disks are not
 * there, on random stations with faults: no disk is lost from the state file or from a result, and
 * what ended once ended so for good.
 *
 *	test_resumed [FIRST-SEED COUNT]: with those seeds
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "file/file.h"
#include "report/planfile.h"
#include "report/state.h"
#include "sim_rig.h"
#include "forecast/world.h"

#define ROUNDS   8 /* of them the last without kills, all disks there */
#define PATIENCE 50000

static uint64_t first_seed = 1, n_seeds = 150;
static unsigned int n_absent, n_killed, n_carried, n_unerased, n_other;

/**
 * struct past - what is known of the disks
 * @ended: by unit, how each ended; NONE = it has not
 * @other: bits of the units whose result another version wrote, or none
 */
struct past {
	struct rig rig;
	char folder[32];
	enum dw_outcome ended[RIG_DISKS];
	uint32_t other;
};

static uint32_t unit_of(const struct past *p, const char *serial)
{
	struct dw_disk_info info;
	uint32_t i = 0;

	for (; i < p->rig.station.n_units; i++) {
		sim_describe(&p->rig.station, i, &info);
		if (!strcmp(info.serial, serial))
			break;
	}
	assert_true(i < p->rig.station.n_units);
	return i;
}

/* every disk once, and each that ended as it ended */
static void look_at_state(struct past *p, uint64_t seed)
{
	uint32_t seen = 0, all = (1u << p->rig.station.n_units) - 1;
	struct dw_state_doc doc;
	struct dw_error err;

	assert_int_equal(dw_state_read(p->rig.spec.state_file, &doc, &err), 0);
	for (size_t i = 0; i < doc.n; i++) {
		const struct dw_state_entry *e = &doc.entry[i];
		uint32_t unit = unit_of(p, e->disk.serial);
		enum dw_outcome *ended = &p->ended[unit];

		assert_false(seen & 1u << unit);
		seen |= 1u << unit;
		assert_true(*ended == DW_OUTCOME_NONE || *ended == e->outcome);
		if (!dw_state_unfinished(e)) {
			assert_true(e->result || p->other & 1u << unit);
			*ended = e->outcome;
		}
	}
	if (seen != all)
		fail_msg("seed %llu: the state has disks %x of %x",
			 (unsigned long long)seed, seen, all);
	dw_state_deinit(&doc);
}

static bool holds_last_pass(const struct rig_disk *d)
{
	for (uint64_t i = 0; i < d->spec->blocks; i++)
		if (d->medium[i] != 1)
			return false;
	return true;
}

/* every disk, and each as the state has it; 0 only if all are erased */
static void look_at_result(struct past *p, uint64_t seed)
{
	const struct dw_job_result *r = dw_job_result(p->rig.job);
	bool all = true;

	if (r->n_disks != p->rig.station.n_units)
		fail_msg("seed %llu: %zu of %u disks are in the result",
			 (unsigned long long)seed, r->n_disks, p->rig.station.n_units);
	for (size_t i = 0; i < r->n_disks; i++) {
		const struct dw_disk_result *d = &r->disk[i];
		uint32_t unit = unit_of(p, d->info.serial);
		bool erased = d->outcome == DW_OUTCOME_ERASED;

		n_carried += d->earlier;
		n_unerased += d->earlier && p->ended[unit] > DW_OUTCOME_ERASED;
		all &= erased;
		assert_int_not_equal(d->outcome, DW_OUTCOME_NONE);
		if (p->ended[unit])
			assert_int_equal(d->outcome, p->ended[unit]);
		assert_true(erased || d->reason[0]);
		assert_true(!erased || holds_last_pass(&p->rig.disk[unit]));
		if (p->rig.left_out & 1u << unit && !p->ended[unit]) {
			assert_true(d->earlier);
			assert_int_equal(d->outcome, DW_OUTCOME_REMOVED);
			assert_non_null(strstr(d->reason, "not here"));
		}
	}
	assert_int_equal(dw_job_exit_code(r) == 0, all);
}

static void leave_out(struct past *p)
{
	struct dw_refused out = { .verdict = { .refusal = DW_REFUSAL_MISSING,
					       .reason = "not here" } };
	struct dw_disk_info info;

	for (uint32_t i = 0; i < p->rig.station.n_units; i++) {
		if (!(p->rig.left_out & 1u << i) || p->ended[i])
			continue;
		sim_describe(&p->rig.station, i, &info);
		memcpy(out.serial, info.serial, sizeof(out.serial));
		memcpy(out.wwn, info.wwn, sizeof(out.wwn));
		assert_int_equal(dw_job_refuse(p->rig.job, &out), 0);
		n_absent++;
	}
}

/* As a version before this wrote it, which had no results in it, or one that knows other keys. */
static void write_as_others(struct past *p)
{
	static char unknown[] = "{\"outcome\":\"erased\"}";
	struct dw_state_doc doc;
	struct dw_error err;

	assert_int_equal(dw_state_read(p->rig.spec.state_file, &doc, &err), 0);
	for (size_t i = 0; i < doc.n; i++) {
		struct dw_state_entry *e = &doc.entry[i];

		if (dw_state_unfinished(e) || dw_rng_below(&p->rig.rng, 4))
			continue;
		free(e->result);
		e->result = dw_rng_below(&p->rig.rng, 2) ? strdup(unknown) : NULL;
		p->other |= 1u << unit_of(p, e->disk.serial);
		n_other++;
	}
	assert_int_equal(dw_state_write(p->rig.spec.state_file, &doc), 0);
	dw_state_deinit(&doc);
}

/* What is written after that is not there: the file is as it was. */
static void kill_job(struct past *p)
{
	struct rig *r = &p->rig;
	char *text;
	size_t len;

	assert_int_equal(dw_file_read(r->spec.state_file, DW_DOC_BYTES_MAX, &text, &len),
			 0);
	rig_end(r);
	assert_int_equal(dw_file_replace(r->spec.state_file, text, len, 0600), 0);
	free(text);
	n_killed++;
}

/* true: it ended */
static bool run(struct past *p, uint64_t commands)
{
	struct rig *r = &p->rig;
	uint64_t until = r->commands + commands;
	struct dw_event e;
	int n = 1;

	while (n == 1 && r->commands < until) {
		n = dw_job_step(r->job, 0);
		while (dw_job_next_event(r->job, &e))
			;
		assert_true(dw_job_seconds(r->job) < PATIENCE);
	}
	assert_true(n >= 0);
	return n == 0;
}

static void one_run(struct past *p, uint64_t seed, int round)
{
	struct rig *r = &p->rig;
	uint32_t all = (1u << r->station.n_units) - 1;
	bool last = round == ROUNDS - 1, kills = !last && dw_rng_below(&r->rng, 2);

	r->left_out = 0;
	for (uint32_t i = 0; i < r->station.n_units && round; i++)
		if (p->ended[i] || (!last && dw_rng_below(&r->rng, 3) == 0))
			r->left_out |= 1u << i;
	if (r->left_out == all)
		return;
	rig_start(r);
	leave_out(p);
	memcpy(r->spec.resume_file, r->spec.state_file, sizeof(r->spec.resume_file));
	if (!run(p, kills ? 1 + dw_rng_below(&r->rng, 600) : UINT64_MAX / 2)) {
		kill_job(p);
	} else {
		look_at_state(p, seed);
		look_at_result(p, seed);
		rig_end(r);
	}
	look_at_state(p, seed);
	write_as_others(p);
}

static void nothing_lost(void **state)
{
	(void)state;
	for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
		struct past p = { .folder = "/dev/shm/dw-resumed-XXXXXX" };

		assert_non_null(mkdtemp(p.folder));
		rig_init(&p.rig, seed, 1);
		if (seed % 4)
			rig_faults(&p.rig);
		snprintf(p.rig.spec.pattern, sizeof(p.rig.spec.pattern), "00,ff");
		snprintf(p.rig.spec.state_file, sizeof(p.rig.spec.state_file), "%s/state",
			 p.folder);
		for (int round = 0; round < ROUNDS; round++)
			one_run(&p, seed, round);
		unlink(p.rig.spec.state_file);
		assert_int_equal(rmdir(p.folder), 0);
		rig_deinit(&p.rig);
	}
	/* the seeds have shown what there is to show */
	if (n_seeds >= 50) {
		const unsigned int shown[] = { n_absent, n_killed, n_carried, n_unerased,
					       n_other };

		for (size_t i = 0; i < DW_ARRAY_SIZE(shown); i++)
			assert_true(shown[i] > n_seeds / 3);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_lost) };

	if (argc == 3) {
		first_seed = strtoull(argv[1], NULL, 10);
		n_seeds = strtoull(argv[2], NULL, 10);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

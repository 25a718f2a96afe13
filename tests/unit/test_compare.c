/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of a run beside its forecast: which disk is suspect, and what all had in common. */
#include <math.h>

#include "base/util.h"
#include "cost/peers.h"
#include "unit.h"

#include <diskwipe/predict.h>

#define DISKS 4

struct run {
	struct dw_forecast f;
	struct dw_forecast_disk forecast[DISKS];
	struct dw_job_result result;
	struct dw_disk_result disk[DISKS];
};

/* disks of one kind that were expected to take 100 s, and took so long */
static void run(struct run *r, size_t n, const double *took, const char *assumed)
{
	memset(r, 0, sizeof(*r));
	r->f.disk = r->forecast;
	r->result.disk = r->disk;
	r->f.n = n;
	r->result.n_disks = n;
	r->f.seconds = 100;
	snprintf(r->f.assumed, sizeof(r->f.assumed), "%s", assumed);
	for (size_t i = 0; i < n; i++) {
		strcpy(r->forecast[i].group, "kind");
		strcpy(r->forecast[i].limit, "medium");
		r->forecast[i].finish = 100;
		r->forecast[i].phase = (struct dw_phase_seconds){ 98, 1, 1 };
		r->disk[i].outcome = DW_OUTCOME_ERASED;
		r->disk[i].seconds = took[i];
		r->disk[i].flush_seconds = 1;
		r->disk[i].verify_seconds = 1;
		r->result.seconds = fmax(r->result.seconds, took[i]);
	}
	dw_forecast_compare(&r->f, &r->result);
}

static void beside_its_peers(void **state)
{
	static const double took[DISKS] = { 100, 102, 145, 99 };
	struct run r;

	run(&r, DISKS, took, "outer, inner");
	assert_true(r.f.measured);
	assert_true(r.forecast[2].suspect);
	/* the middle rate is half way between those of 99 and 101 s */
	assert_true(fabs(r.forecast[2].beside -
			 100 * (2 / (1.0 / 99 + 1.0 / 101) / 144 - 1)) < 1e-9);
	for (size_t i = 0; i < DISKS; i++)
		assert_true(i == 2 || !r.forecast[i].suspect);
	assert_string_equal(r.f.why, "1 disk is slower than its peers");
	assert_string_equal(r.forecast[2].why,
			    "writing slower than expected (rate of the medium)");
	assert_string_equal(r.forecast[3].why, "");
}

/* kinds stand in any order; two of a kind are no peers, nor is one whose rate is not known */
static void kinds(void **state)
{
	struct dw_peer v[] = {
		{ "a", 1, 100 }, { "b", 1, 10 },  { "a", 1, 70 },  { "a", 2, 1 },
		{ "b", 1, 1 },   { "a", 1, NAN }, { "a", 1, 100 }, { "a", 2, 9 },
	};

	assert_int_equal(dw_peers_compare(v, DW_ARRAY_SIZE(v)), 0);
	for (size_t i = 0; i < DW_ARRAY_SIZE(v); i++) {
		bool peers = !strcmp(v[i].model, "a") && v[i].bytes == 1;

		assert_int_equal(v[i].compared, peers && i != 5);
		assert_int_equal(v[i].slow, i == 2);
		assert_true(fabs(v[i].beside - (i == 2 ? 0.7 : 1)) < 1e-9);
	}
}

static void all_alike(void **state)
{
	static const double longer[DISKS] = { 150, 151, 152, 153 };
	static const double shorter[DISKS] = { 80, 81, 82, 83 };
	struct run r;

	run(&r, DISKS, longer, "");
	assert_non_null(strstr(r.f.why, "all disks were slower, median +52 %"));
	run(&r, DISKS, shorter, "");
	assert_non_null(strstr(r.f.why, "all disks were faster, median -18 %"));
	for (size_t i = 0; i < DISKS; i++)
		assert_false(r.forecast[i].suspect);
}

/* Beside its model, which has to know what it is like. */
static void alone(void **state)
{
	static const double took[1] = { 140 };
	struct run r;

	run(&r, 1, took, "seek, overhead");
	assert_true(r.forecast[0].suspect);
	assert_string_equal(r.f.why, "");
	run(&r, 1, took, "command, outer, inner, seek");
	assert_false(r.forecast[0].suspect);
	assert_string_equal(r.forecast[0].why,
			    "writing slower than expected (rate of the medium)");
}

static void not_ended(void **state)
{
	static const double took[2] = { 100, 20 };
	struct run r;

	run(&r, 2, took, "");
	r.disk[1].outcome = DW_OUTCOME_REMOVED;
	r.forecast[1].measured = false;
	dw_forecast_compare(&r.f, &r.result);
	assert_false(r.f.measured);
	assert_true(r.forecast[0].measured);
	assert_false(r.forecast[1].measured);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside_its_peers), cmocka_unit_test(kinds),
		cmocka_unit_test(all_alike),        cmocka_unit_test(alone),
		cmocka_unit_test(not_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

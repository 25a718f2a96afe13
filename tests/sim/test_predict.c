/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forecasts against what the simulator then does, on random stations: how close the closed
 * form is where it calls itself that, how often the truth lies in the interval, and the time
 * that is left during a run.
 *
 *	test_predict [FIRST-SEED COUNT]: with those seeds, and a line for each
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim_rig.h"

#define SCALE 60
/* with fewer seeds the shares of many stations say nothing, and single disks are small: to meet
 * each path once, as the address sanitizer has to; figures are judged in the other build */
#define MANY 24

static uint64_t first_seed = 1, n_seeds = 60;
static bool tell;

struct truth {
	double finish[RIG_DISKS];
	double total;
};

static void simulate(const struct dw_job_spec *spec, const struct dw_station *s,
		     const struct dw_forecast *f, bool coarse, struct truth *ret)
{
	struct dw_job *job;
	struct dw_event e;
	struct dw_error err = { 0 };
	int n;

	assert_int_equal(dw_job_new(NULL, spec, &job, &err), 0);
	assert_int_equal(dw_job_simulate(job, s, coarse, &err), 0);
	dw_forecast_apply(f, job);
	assert_int_equal(dw_job_start(job, &err), 0);
	while ((n = dw_job_step(job, 0)) == 1)
		while (dw_job_next_event(job, &e))
			if (e.kind == DW_EVENT_DISK_DONE)
				ret->finish[e.disk] = e.seconds;
	assert_int_equal(n, 0);
	while (dw_job_next_event(job, &e))
		if (e.kind == DW_EVENT_DISK_DONE)
			ret->finish[e.disk] = e.seconds;
	ret->total = dw_job_result(job)->seconds;
	dw_job_free(job);
}

/* what real shelves do not have, and what would time out */
static void settle(struct rig *r)
{
	for (uint32_t i = 0; i < r->station.n_disks; i++) {
		if (r->station.disk[i].inner < 30000000)
			r->station.disk[i].ws = STATION_WS_NONE;
		r->station.disk[i].tagged = 64;
		/* nobody builds a medium that is faster than the way to it */
		if (r->station.disk[i].link < r->station.disk[i].outer)
			r->station.disk[i].link = 0;
	}
	r->spec.verify_percent = 1;
	r->spec.flush_bytes = UINT64_C(64) << 30;
	r->spec.fixed_blocks = r->spec.fixed_blocks ? 256 : 0;
	r->spec.seed = 7;
}

/* as most shelves are: wide enough wiring, and lengths that stay */
static void befriend(struct rig *r)
{
	struct dw_job_spec *s = &r->spec;

	for (uint32_t i = 0; i < r->station.n_nodes; i++) {
		struct station_node *n = &r->station.node[i];

		n->retry = false;
		n->queue = n->buffer = 0;
		n->rate = n->rate ? n->rate * 8 : 0;
	}
	for (uint32_t i = 0; i < r->station.n_disks; i++) {
		r->station.disk[i].ws_max = 0;
		r->station.disk[i].buffer += 4 << 20;
	}
	snprintf(s->controller, sizeof(s->controller), "fixed");
	if (!strcmp(s->strategy, "round-robin"))
		snprintf(s->strategy, sizeof(s->strategy), "parallel");
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double worst_of(const struct dw_forecast *f, const struct truth *t)
{
	double worst = fabs(f->seconds / t->total - 1);

	for (size_t i = 0; i < f->n; i++)
		worst = fmax(worst, fabs(f->disk[i].finish - t->finish[i]) /
					    fmax(t->finish[i], 1));
	return worst;
}

static void closed_form_is_close(void **state)
{
	double *v = calloc(n_seeds, sizeof(*v));
	size_t n = 0, bounds = 0;

	assert_non_null(v);
	for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
		struct dw_forecast *f;
		struct truth t = { 0 };
		struct dw_error err = { 0 };
		struct rig r;

		rig_draw(&r, seed, SCALE);
		settle(&r);
		if (seed % 3)
			befriend(&r);
		assert_int_equal(dw_forecast_station(&r.spec, &r.station, NULL, &f, &err),
				 0);
		simulate(&r.spec, &r.station, f, false, &t);
		if (tell)
			printf("seed %llu: %.2f %% job %+.2f %% t_min %.3f (%s; %s, depth "
			       "%u, %s, %zu disks) %s\n",
			       (unsigned long long)seed, 100 * worst_of(f, &t),
			       100 * (f->seconds / t.total - 1), f->t_min / t.total,
			       f->method, r.spec.strategy, r.spec.depth,
			       r.spec.controller, f->n, f->binding);
		for (size_t i = 0; tell && i < f->n; i++) {
			uint32_t k;
			const struct station_disk *d =
				sim_world_disk(&r.station, (uint32_t)i, &k);

			if (fabs(f->disk[i].finish - t.finish[i]) > 0.05 * t.finish[i])
				printf("   disk %zu: %.2f is %.2f: %s, write %.2f flush "
				       "%.2f verify %.2f; cache %d rpm %llu ws %lld sector %llu "
				       "rate %llu buffer %llu command %d\n",
				       i, f->disk[i].finish, t.finish[i],
				       f->disk[i].limit, f->disk[i].phase.write,
				       f->disk[i].phase.flush, f->disk[i].phase.verify,
				       d->cache, (unsigned long long)d->rpm,
				       (long long)d->ws, (unsigned long long)d->sector,
				       (unsigned long long)d->outer,
				       (unsigned long long)d->buffer, r.spec.command);
		}
		if (!strcmp(f->method, "closed form"))
			v[n++] = worst_of(f, &t);
		bounds += f->t_min > t.total * 1.03;
		dw_forecast_free(f);
		rig_deinit(&r);
	}
	qsort(v, n, sizeof(*v), ascending);
	if (tell && n)
		printf("closed form %zu times: median %.2f %%, 90 %% within %.2f %%, worst "
		       "%.2f %%; T_min too high %zu times\n",
		       n, 100 * v[n / 2], 100 * v[n * 9 / 10], 100 * v[n - 1], bounds);
	if (n >= 10) {
		assert_true(v[n / 2] < 0.004);
		assert_true(v[n * 9 / 10] < 0.04);
	}
	if (n_seeds >= MANY) {
		assert_true(n >= n_seeds / 4);
		assert_true(bounds <= n_seeds / 20);
	}
	free(v);
}

/* WRITE SAME needs next to nothing of a bus that another disk fills, and gets it */
static void same_beside_a_full_bus(void **state)
{
	struct station_disk disk[2];
	struct station_node bus = {
		.name = "bus", .kind = STATION_BUS, .on = STATION_NONE, .rate = 400000000
	};
	struct dw_station s = { .disk = disk, .n_disks = 2, .node = &bus, .n_nodes = 1 };
	struct dw_job_spec spec;
	struct dw_forecast *f;
	struct truth t = { 0 };
	struct dw_error err = { 0 };

	for (int i = 0; i < 2; i++) {
		station_disk_init(&disk[i]);
		snprintf(disk[i].name, sizeof(disk[i].name), "disk-%d", i);
		strcpy(disk[i].on_name[0], "bus");
		disk[i].n_on = 1;
		disk[i].capacity = UINT64_C(4) << 40;
		disk[i].outer = 500000000;
		disk[i].cache = true;
	}
	disk[0].outer = 200000000;
	disk[0].rpm = 7200;
	disk[0].cache = false;
	assert_int_equal(station_check(&s, &err), 0);
	dw_job_spec_init(&spec);
	spec.seed = 1;
	assert_int_equal(dw_forecast_station(&spec, &s, NULL, &f, &err), 0);
	assert_string_equal(f->method, "closed form, shared");
	simulate(&spec, &s, f, true, &t);
	if (tell)
		printf("beside a full bus: %.1f %.1f s, expected %.1f %.1f s\n",
		       t.finish[0], t.finish[1], f->disk[0].finish, f->disk[1].finish);
	for (int i = 0; i < 2; i++)
		assert_true(fabs(f->disk[i].finish / t.finish[i] - 1) < 0.03);
	dw_forecast_free(f);
}

/* the largest error of the time that is left, as a share of the whole, from 10 % to 75 % */
static double worst_eta(double ratio, bool cache, const char *pattern, int verify,
			bool forecast)
{
	static const double marks[] = { 0.1, 0.25, 0.5, 0.75 };
	struct station_disk d;
	struct dw_station s = { .disk = &d, .n_disks = 1 };
	double eta[4] = { -1, -1, -1, -1 }, at[4] = { 0 }, worst = 0;
	struct dw_forecast *f = NULL;
	struct dw_job_spec spec;
	struct dw_progress p;
	struct dw_job *job;
	struct dw_event e;
	struct dw_error err = { 0 };

	station_disk_init(&d);
	snprintf(d.name, sizeof(d.name), "one");
	d.capacity = UINT64_C(20) << 30;
	d.outer = 200000000;
	d.inner = (uint64_t)(200000000 / ratio);
	d.rpm = 7200;
	d.cache = cache;
	assert_int_equal(station_check(&s, &err), 0);
	dw_job_spec_init(&spec);
	snprintf(spec.controller, sizeof(spec.controller), "fixed");
	spec.seed = 1;
	spec.command = DW_COMMAND_WRITE;
	spec.verify = (enum dw_verify_kind)verify;
	snprintf(spec.pattern, sizeof(spec.pattern), "%s", pattern);
	assert_int_equal(dw_job_new(NULL, &spec, &job, &err), 0);
	assert_int_equal(dw_job_simulate(job, &s, false, &err), 0);
	assert_int_equal(dw_forecast_station(&spec, &s, NULL, &f, &err), 0);
	if (forecast)
		dw_forecast_apply(f, job);
	assert_int_equal(dw_job_start(job, &err), 0);
	while (dw_job_step(job, 0) == 1) {
		while (dw_job_next_event(job, &e))
			;
		dw_job_progress(job, 0, &p);
		for (int i = 0; i < 4; i++) {
			if (eta[i] >= 0 ||
			    (double)p.bytes_done < marks[i] * (double)p.bytes_total)
				continue;
			eta[i] = p.eta_seconds;
			at[i] = dw_job_seconds(job);
		}
	}
	for (int i = 0; i < 4; i++) {
		double total = dw_job_result(job)->seconds;

		assert_true(eta[i] >= 0);
		worst = fmax(worst, fabs(at[i] + eta[i] - total) / total);
	}
	dw_forecast_free(f);
	dw_job_free(job);
	return worst;
}

/* bytes left over the rate of the moment would be 29 % short at the beginning, at 2 : 1 */
static void time_left_follows_the_zones(void **state)
{
	static const struct {
		double ratio;
		bool cache;
		const char *pattern;
		enum dw_verify_kind verify;
		bool forecast;
		double most;
	} cases[] = {
		{ 2, true, "00", DW_VERIFY_FULL, true, 0.01 },
		{ 2, true, "00", DW_VERIFY_FULL, false, 0.03 },
		{ 2, false, "00", DW_VERIFY_FULL, true, 0.01 },
		{ 1.8, true, "00", DW_VERIFY_FULL, false, 0.05 },
		{ 1, true, "00", DW_VERIFY_FULL, true, 0.01 },
		{ 2, true, "00,ff,00", DW_VERIFY_FULL, true, 0.01 },
		{ 2, true, "00,ff,00", DW_VERIFY_FULL, false, 0.03 },
		/* a sample of 1 % takes a third of the time, as it is raised to what proves
		 * something; the seeks of a disk that nobody has described are not known */
		{ 2, true, "00", DW_VERIFY_SAMPLE, true, 0.015 },
		{ 1, true, "00", DW_VERIFY_SAMPLE, true, 0.015 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double w = worst_eta(cases[i].ratio, cases[i].cache, cases[i].pattern,
				     cases[i].verify, cases[i].forecast);

		if (tell)
			printf("time left, %g : 1, cache %d, %s, forecast %d: %.2f %%\n",
			       cases[i].ratio, cases[i].cache, cases[i].pattern,
			       cases[i].forecast, 100 * w);
		assert_true(w < cases[i].most);
	}
}

/* a disk of so many actuators by itself: what it takes; the forecast is added to @forecast */
static double pass_seconds(const struct dw_job_spec *spec, uint64_t actuators, bool cache,
			   double *forecast)
{
	struct station_disk disk;
	struct dw_station s = { .disk = &disk, .n_disks = 1 };
	struct dw_forecast *f;
	struct truth t = { 0 };
	struct dw_error err = { 0 };

	station_disk_init(&disk);
	snprintf(disk.name, sizeof(disk.name), "disk");
	disk.capacity = (n_seeds < MANY ? 10 : 200) * DW_GIB;
	disk.physical = 4096;
	disk.outer = 250000000;
	disk.inner = 125000000;
	disk.rpm = 7200;
	disk.link = 2000000000;
	disk.cache = cache;
	disk.actuators = actuators;
	assert_int_equal(station_check(&s, &err), 0);
	assert_int_equal(dw_forecast_station(spec, &s, NULL, &f, &err), 0);
	simulate(spec, &s, f, true, &t);
	if (tell)
		printf("%llu actuators%s%s, cache %d: %.1f s (%s: %.1f s)\n",
		       (unsigned long long)actuators, spec->order[0] ? ", one sweep" : "",
		       spec->pattern[0] == 'r' ? ", random" : "", cache, t.total,
		       f->method, f->seconds);
	*forecast += f->seconds;
	dw_forecast_free(f);
	return t.total;
}

/* What the controller finds differs from seed to seed, by a third, where revolutions are lost and
 * data of their own are short of buffers. */
static double mean_seconds(const struct dw_job_spec *spec, uint64_t actuators, bool cache)
{
	uint64_t seeds = spec->pattern[0] == 'r' && !cache && n_seeds >= MANY ? 5 : 1;
	struct dw_job_spec seeded = *spec;
	double total = 0, forecast = 0;

	for (seeded.seed = 1; seeded.seed <= seeds; seeded.seed++)
		total += pass_seconds(&seeded, actuators, cache, &forecast);
	assert_true(n_seeds < MANY || fabs(forecast / total - 1) < 0.1);
	return total / (double)seeds;
}

/* Where the ranges of n actuators take turns, a pass takes about one n-th of what it takes in one
 * sweep, whatever is written, with the cache on and without it: the mean of some seeds. */
static void actuators_work_at_once(void **state)
{
	for (uint32_t i = 0; i < 8; i++) {
		uint64_t n = 2 + i % 2;
		bool cache = i & 2;
		struct dw_job_spec turns, sweep;
		double share;

		dw_job_spec_init(&turns);
		snprintf(turns.controller, sizeof(turns.controller), "adaptive");
		snprintf(turns.pattern, sizeof(turns.pattern), i & 4 ? "random" : "00");
		turns.write_cache = DW_WRITE_CACHE_KEEP;
		turns.verify = DW_VERIFY_FULL;
		sweep = turns;
		snprintf(sweep.order, sizeof(sweep.order), "near-first");
		snprintf(sweep.near, sizeof(sweep.near), "end"); /* that is upwards */
		share = mean_seconds(&turns, n, cache) / mean_seconds(&sweep, n, cache);
		assert_true(n_seeds < MANY ||
			    (share * (double)n > 0.95 && share * (double)n < 1.3));
	}
}

/* by up to @share more or less, on a logarithmic scale */
static double off(struct dw_rng *rng, double share)
{
	return pow(1 + share, 2 * dw_rng_unit(rng) - 1);
}

/* the real station: every value is somewhere within what the forecast allows for */
static void disturb(struct rig *r, struct dw_rng *rng, bool guessed)
{
	double media = guessed ? 0.5 : 0.03, commands = guessed ? 0.6 : 0.1;
	double wiring = guessed ? 0.25 : 0.03;

	for (uint32_t i = 0; i < r->station.n_nodes; i++) {
		struct station_node *n = &r->station.node[i];

		n->rate = (uint64_t)((double)n->rate * off(rng, wiring));
		n->command_ns = (uint64_t)((double)n->command_ns * off(rng, commands));
	}
	for (uint32_t i = 0; i < r->station.n_disks; i++) {
		struct station_disk *d = &r->station.disk[i];
		double by = off(rng, media);

		d->outer = (uint64_t)((double)d->outer * by);
		d->inner = (uint64_t)((double)d->inner * by);
		d->overhead_ns = (uint64_t)((double)d->overhead_ns * off(rng, commands));
	}
}

static void assume(struct rig *r)
{
	for (uint32_t i = 0; i < r->station.n_nodes; i++)
		snprintf(r->station.node[i].assumed, 64, "rate, command");
	for (uint32_t i = 0; i < r->station.n_disks; i++)
		snprintf(r->station.disk[i].assumed, 64,
			 "outer, inner, overhead, seek, link");
}

/* how often a disk's and a job's end lie in the interval that was given */
static void intervals_cover(void **state)
{
	size_t disks[2] = { 0 }, in[2] = { 0 }, jobs[2] = { 0 }, in_job[2] = { 0 };

	for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
		int guessed = seed % 2;
		struct dw_forecast *f;
		struct truth t = { 0 };
		struct dw_rng rng;
		struct dw_error err = { 0 };
		struct rig r;

		rig_draw(&r, seed, SCALE);
		settle(&r);
		befriend(&r);
		if (guessed)
			assume(&r);
		assert_int_equal(dw_forecast_station(&r.spec, &r.station, NULL, &f, &err),
				 0);
		dw_rng_seed(&rng, seed);
		disturb(&r, &rng, guessed);
		simulate(&r.spec, &r.station, f, false, &t);
		for (size_t i = 0; i < f->n; i++)
			in[guessed] += t.finish[i] >= f->disk[i].low &&
				       t.finish[i] <= f->disk[i].high;
		disks[guessed] += f->n;
		jobs[guessed]++;
		in_job[guessed] += t.total >= f->low && t.total <= f->high;
		dw_forecast_free(f);
		rig_deinit(&r);
	}
	for (int g = 0; g < 2; g++) {
		if (tell && disks[g])
			printf("%s: %.0f %% of %zu disks in their interval, %.0f %% of %zu "
			       "jobs\n",
			       g ? "guessed" : "given", 100.0 * in[g] / disks[g],
			       disks[g], 100.0 * in_job[g] / jobs[g], jobs[g]);
		if (n_seeds < MANY)
			continue;
		assert_true(in[g] >= disks[g] * 85 / 100 && in[g] <= disks[g] * 98 / 100);
		assert_true(in_job[g] >= jobs[g] * 8 / 10);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(closed_form_is_close),
		cmocka_unit_test(same_beside_a_full_bus),
		cmocka_unit_test(intervals_cover),
		cmocka_unit_test(actuators_work_at_once),
		cmocka_unit_test(time_left_follows_the_zones),
	};

	if (argc == 3) {
		first_seed = strtoull(argv[1], NULL, 10);
		n_seeds = strtoull(argv[2], NULL, 10);
		tell = true;
	}
	return cmocka_run_group_tests(all, NULL, NULL);
}

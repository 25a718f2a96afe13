/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The forecast and the time that is left, on random stations as people own them, with every
 * strategy, methods of several passes, every verification, shared links, and disks that are
 * slower than described: how far the predicted end lies from the true one.
 *
 *	test_eta [FIRST-SEED COUNT]: with those seeds, and a line for each
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/util.h"
#include "diskwipe/job.h"
#include "diskwipe/predict.h"
#include "diskwipe/simulate.h"
#include "station/station.h"
#include "../unit/error_line.h"

#define DISKS   12
#define SAMPLES 400
#define CLOSE   0.05
#define JUMP    0.15
#define LATE    0.20 /* of the job, where its forecast was of other disks */
#define MANY    100  /* stations */
#define BEGUN   0.05 /* of the job, before the time that is left counts */

static uint64_t first_seed = 1, n_seeds = 24;
static bool tell;

/**
 * struct case_ - a station, the job on it, and what was said while it ran
 * @slow: a disk is slower than its description, from a moment on
 * @at, @end: of each sample, and the end that was predicted then, negative = unknown
 * @finish: of each disk, truly
 */
struct case_ {
	struct dw_rng rng;
	struct dw_station station;
	struct dw_job_spec spec;
	bool slow;
	double at[SAMPLES];
	double end[SAMPLES];
	uint32_t n;
	double finish[DISKS];
	double total;
};

static uint64_t pick(struct case_ *c, uint64_t from, uint64_t to)
{
	return from + dw_rng_below(&c->rng, to - from + 1);
}

static void add_node(struct case_ *c, uint8_t kind, uint64_t rate, uint64_t command_ns)
{
	struct dw_station *s = &c->station;
	struct station_node *n = &s->node[s->n_nodes];

	*n = (struct station_node){
		.kind = kind, .on = STATION_NONE, .rate = rate, .command_ns = command_ns
	};
	snprintf(n->name, sizeof(n->name), "node-%u", s->n_nodes);
	if (s->n_nodes)
		snprintf(n->on_name, sizeof(n->on_name), "node-%u", s->n_nodes - 1);
	s->n_nodes++;
}

static void add_disks(struct case_ *c, uint32_t n, bool cache, bool turns, uint64_t outer,
		      uint64_t gigabytes)
{
	for (; n; n--) {
		struct station_disk *d = &c->station.disk[c->station.n_disks];

		station_disk_init(d);
		snprintf(d->name, sizeof(d->name), "disk-%u", c->station.n_disks++);
		snprintf(d->on_name[0], sizeof(d->on_name[0]), "node-%u",
			 c->station.n_nodes - 1);
		d->n_on = 1;
		d->capacity = gigabytes * 1000000000 / 4096 * 4096;
		d->outer = outer;
		d->inner = turns ? outer * 5 / 9 : outer;
		d->rpm = turns ? 7200 : 0;
		d->cache = cache;
		d->ws = pick(c, 0, 1) ? 0 : STATION_WS_NONE;
		d->jitter = 0.01;
	}
}

static void draw_spec(struct case_ *c)
{
	static const char *const strategies[] = { "parallel", "parallel", "longest-first",
						  "sequential", "round-robin" };
	static const char *const patterns[] = { "00", "00", "ff,00", "00,ff,random" };
	struct dw_job_spec *s = &c->spec;

	dw_job_spec_init(s);
	snprintf(s->strategy, sizeof(s->strategy), "%s", strategies[pick(c, 0, 4)]);
	snprintf(s->controller, sizeof(s->controller), "fixed");
	s->fixed_blocks = (uint32_t)(pick(c, 1, 8) * 128 * 1024 / 512);
	s->active = strcmp(s->strategy, "longest-first") ? 0 : (uint32_t)pick(c, 1, 4);
	s->depth = (uint32_t)pick(c, 1, 4);
	s->command = pick(c, 0, 1) ? DW_COMMAND_WRITE : DW_COMMAND_AUTO;
	snprintf(s->pattern, sizeof(s->pattern), "%s", patterns[pick(c, 0, 3)]);
	s->verify = (enum dw_verify_kind)pick(c, 1, 3);
	s->verify_percent = 10;
	s->seed = 7;
}

static void make_slow(struct case_ *c)
{
	struct station_disk *d =
		&c->station.disk[dw_rng_below(&c->rng, c->station.n_disks)];

	c->slow = true;
	d->fault = calloc(1, sizeof(*d->fault));
	assert_non_null(d->fault);
	d->n_faults = 1;
	d->fault[0] =
		(struct station_fault){ .kind = STATION_SLOW,
					.at_ns = 0,
					.share = 0.4 + 0.1 * (double)pick(c, 0, 4) };
}

static void draw(struct case_ *c, uint64_t seed)
{
	static const struct {
		uint64_t link, bus, command_ns, outer;
		bool turns;
	} kinds[] = {
		{ 4800000000, 0, 5000, 220000000, true },         /* a shelf */
		{ 320000000, 160000000, 20000, 80000000, true },  /* parallel SCSI */
		{ 2000000000, 600000000, 5000, 250000000, true }, /* a port multiplier */
		{ 6000000000, 0, 3000, 500000000, false },        /* SSDs */
	};
	size_t kind;
	struct dw_error err = { 0 };

	memset(c, 0, sizeof(*c));
	dw_rng_seed(&c->rng, seed);
	kind = pick(c, 0, DW_ARRAY_SIZE(kinds) - 1);
	c->station.node = calloc(4, sizeof(*c->station.node));
	c->station.disk = calloc(DISKS, sizeof(*c->station.disk));
	assert_true(c->station.node && c->station.disk);
	add_node(c, STATION_LINK, kinds[kind].link, 0);
	add_node(c, STATION_CONTROLLER, 0, kinds[kind].command_ns);
	if (kinds[kind].bus)
		add_node(c, STATION_BUS, kinds[kind].bus, 0);
	for (uint64_t groups = pick(c, 1, 3); groups; groups--)
		add_disks(c, (uint32_t)pick(c, 1, 4), pick(c, 0, 3) > 0,
			  kinds[kind].turns, kinds[kind].outer * pick(c, 60, 120) / 100,
			  pick(c, 2, 8));
	draw_spec(c);
	if (station_check(&c->station, &err))
		fail_msg("seed %llu: %s", (unsigned long long)seed, error_line(&err));
}

static void sample(struct case_ *c, struct dw_job *job, double step)
{
	double now = dw_job_seconds(job), left;

	if (c->n == SAMPLES || now < (c->n + 1) * step)
		return;
	left = dw_job_remaining(job);
	c->at[c->n] = now;
	c->end[c->n++] = left < 0 ? -1 : now + left;
}

static void note(struct case_ *c, struct dw_job *job)
{
	struct dw_event e;

	while (dw_job_next_event(job, &e))
		if (e.kind == DW_EVENT_DISK_DONE)
			c->finish[e.disk] = e.seconds;
}

/* the job runs; what is said on the way is kept */
static void run(struct case_ *c, const struct dw_forecast *f)
{
	struct dw_job *job;
	struct dw_error err = { 0 };
	int r;

	assert_int_equal(dw_job_new(NULL, &c->spec, &job, &err), 0);
	assert_int_equal(dw_job_simulate(job, &c->station, false, &err), 0);
	dw_forecast_apply(f, job);
	assert_int_equal(dw_job_start(job, &err), 0);
	while ((r = dw_job_step(job, 0)) == 1) {
		note(c, job);
		sample(c, job, f->seconds / 100);
	}
	note(c, job);
	assert_int_equal(r, 0);
	c->total = dw_job_result(job)->seconds;
	dw_job_free(job);
}

struct tally {
	double v[65536];
	size_t n;
};

/* of what can be known: a station that is as described; of a disk that is slower, and begins
 * late, nobody knows it before. Round-robin waits in ways that only the simulator has */
static struct tally ends, hard, all_ends, jumps, jobs, disks;

/* disks of jobs in which chance decides much, and those that ended within their interval */
static size_t turned, inside;

static void add(struct tally *t, double v)
{
	assert_true(t->n < DW_ARRAY_SIZE(t->v));
	t->v[t->n++] = v;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(struct tally *t, double share)
{
	qsort(t->v, t->n, sizeof(*t->v), ascending);
	return t->v[(size_t)(share * (double)(t->n - 1))];
}

static bool is_hard(const struct case_ *c)
{
	return c->slow || !strcmp(c->spec.strategy, "round-robin");
}

static void count(const struct case_ *c, const struct dw_forecast *f, uint64_t seed)
{
	double worst = 0, jump = 0;
	uint32_t far = 0, all = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		double error = c->end[i] < 0 ? 1 : fabs(c->end[i] / c->total - 1);

		if (c->at[i] < BEGUN * c->total || c->at[i] > c->total)
			continue;
		add(is_hard(c) ? &hard : &ends, error);
		add(&all_ends, error);
		all++;
		far += error > CLOSE;
		worst = fmax(worst, error);
		if (i && c->at[i - 1] >= BEGUN * c->total && c->end[i - 1] >= 0 &&
		    c->end[i] >= 0)
			jump = fmax(jump, fabs(c->end[i] - c->end[i - 1]) / c->total);
	}
	add(&jumps, jump);
	for (uint32_t i = 0; i < f->n && !c->slow; i++) {
		const struct dw_forecast_disk *d = &f->disk[i];

		add(&disks, fabs(d->finish / c->finish[i] - 1));
		if (strcmp(c->spec.strategy, "round-robin") != 0)
			continue;
		turned++;
		inside += c->finish[i] >= d->low && c->finish[i] <= d->high;
	}
	if (!c->slow)
		add(&jobs, fabs(f->seconds / c->total - 1));
	if (tell)
		printf("%5llu %2zu disks%s %-13s %-13s verify %u depth %u %-20s forecast "
		       "%+5.1f %%, left: %3u of %3u far off, worst %.1f %%, jump %.1f %%\n",
		       (unsigned long long)seed, f->n, c->slow ? ", one slow," : "",
		       c->spec.strategy, c->spec.pattern, c->spec.verify, c->spec.depth,
		       f->method, 100 * (f->seconds / c->total - 1), far, all,
		       100 * worst, 100 * jump);
}

static void free_station(struct dw_station *s)
{
	for (uint32_t i = 0; i < s->n_disks; i++)
		free(s->disk[i].fault);
	free(s->disk);
	free(s->node);
}

static void predicted_ends(void **state)
{
	for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
		struct dw_forecast *f;
		struct case_ c;
		struct dw_error err = { 0 };

		draw(&c, seed);
		assert_int_equal(dw_forecast_station(&c.spec, &c.station, NULL, &f, &err),
				 0);
		if (!pick(&c, 0, 3))
			make_slow(&c);
		run(&c, f);
		count(&c, f, seed);
		dw_forecast_free(f);
		free_station(&c.station);
	}
	printf("forecast of jobs: error median %.1f %%, 90 %% %.1f %%; of disks %.1f, %.1f; "
	       "predicted end: %.1f, %.1f, 95 %% %.1f %%; round-robin and slow disks: %.1f, "
	       "%.1f, %.1f %%; all: 90 %% %.1f %%, jumps: 95 %% of the jobs %.1f %%\n",
	       100 * quantile(&jobs, 0.5), 100 * quantile(&jobs, 0.9),
	       100 * quantile(&disks, 0.5), 100 * quantile(&disks, 0.9),
	       100 * quantile(&ends, 0.5), 100 * quantile(&ends, 0.9),
	       100 * quantile(&ends, 0.95), 100 * quantile(&hard, 0.5),
	       100 * quantile(&hard, 0.9), 100 * quantile(&hard, 0.95),
	       100 * quantile(&all_ends, 0.9), 100 * quantile(&jumps, 0.95));
	printf("round-robin: %zu of %zu disks in their interval\n", inside, turned);
	assert_true(10 * inside >= 8 * turned);
	assert_true(quantile(&jobs, 0.5) < 0.01 && quantile(&jobs, 0.9) < 0.03);
	assert_true(quantile(&disks, 0.5) < 0.01 && quantile(&disks, 0.9) < 0.03);
	assert_true(quantile(&ends, 0.9) < CLOSE);
	assert_true(quantile(&hard, 0.5) < CLOSE);
	/* how many disks are slow, and begin late, is chance where there are few stations */
	assert_true(n_seeds < MANY || quantile(&all_ends, 0.9) < CLOSE);
	assert_true(quantile(&jumps, 0.95) < (n_seeds < MANY ? 2 : 1) * JUMP);
}

/* The forecast is of another kind of disk, as where nobody has described what is there: what is
 * measured counts after minutes, not after a share of the days that were forecast. */
static void forecast_of_others(void **state)
{
	struct dw_error err = { 0 };
	struct dw_forecast *f;
	struct case_ c;

	draw(&c, 1);
	dw_job_spec_init(&c.spec);
	strcpy(c.spec.controller, "fixed");
	c.spec.fixed_blocks = 8192;
	c.spec.depth = 4;
	c.spec.command = DW_COMMAND_WRITE;
	c.spec.verify = DW_VERIFY_OFF;
	c.station.n_disks = 1;
	c.station.disk[0].capacity = 2000000000000 / 4096 * 4096;
	c.station.disk[0].outer = c.station.disk[0].inner = 30000000;
	assert_int_equal(station_check(&c.station, &err), 0);
	assert_int_equal(dw_forecast_station(&c.spec, &c.station, NULL, &f, &err), 0);
	c.station.disk[0].outer = c.station.disk[0].inner = 300000000;
	run(&c, f);
	assert_true(f->seconds > 5 * c.total && c.n > 5);
	for (uint32_t i = 0; i < c.n; i++) {
		if (tell)
			printf("at %.0f s of %.0f: end %.0f\n", c.at[i], c.total,
			       c.end[i]);
		if (c.at[i] >= 0.2 * c.total)
			assert_true(fabs(c.end[i] / c.total - 1) < LATE);
	}
	dw_forecast_free(f);
	free_station(&c.station);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = { cmocka_unit_test(predicted_ends),
					  cmocka_unit_test(forecast_of_others) };

	if (argc == 3) {
		first_seed = strtoull(argv[1], NULL, 10);
		n_seeds = strtoull(argv[2], NULL, 10);
		tell = true;
	}
	return cmocka_run_group_tests(all, NULL, NULL);
}

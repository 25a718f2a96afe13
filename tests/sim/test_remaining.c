/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The remaining time against the truth, at every progress of jobs of 10 seconds to 10 minutes:
 * disks with a cache of any size, one slow disk, WRITE SAME, several passes, verification, disks
 * that wait; described as they are, guessed at, or not forecast at all. And disks that lose what is
 * not flushed, so that their work goes back.
 *
 *	test_remaining [FIRST-SEED COUNT]: with those seeds, and a line for each
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
#include "engine/virtual.h"
#include "forecast/world.h"
#include "station/station.h"
#include "../unit/error_line.h"

#define DISKS       44
#define COMMANDS    15000 /* of a job, about: what it costs the processor */
#define FROM        0.20  /* of the job: from there on it counts */
#define CLOSE       0.25
#define TWICE       2.0
#define CLOSE_SHARE 0.93  /* of what is shown */
#define SHOWN       0.84  /* of the time; 20 jobs under a sanitizer vary more than all */
#define OFF         0.035 /* of the jobs, or one */
#define LONG        2.0   /* seconds that a figure may be off by more than that */
#define STEP        0.25  /* seconds */
#define UNIT        1.0   /* seconds: figures are shown in whole ones */

static uint64_t first_seed = 3001, n_seeds = 200;
static bool tell, tell_steps;

enum known { DESCRIBED, GUESSED, NOT_FORECAST };

/**
 * struct step - what was said at a progress
 * @at: seconds since the job's start, @left: negative = not shown
 */
struct step {
	double at;
	double left;
};

/**
 * struct job_case - a job, the machine as it is and as the forecast takes it
 * @same: disks that take WRITE SAME
 * @slow: a disk is slower than its kind, and its description does not say so
 * @step: @n of them, room for @cap
 * @done: bytes of each disk at its last progress; @back: times that they had become fewer
 */
struct job_case {
	struct dw_rng rng;
	struct dw_station real;
	struct dw_station guess;
	struct dw_job_spec spec;
	enum known known;
	bool same;
	bool slow;
	struct step *step;
	size_t n;
	size_t cap;
	uint64_t done[DISKS];
	uint32_t back;
	double total;
};

static uint64_t pick(struct job_case *c, uint64_t from, uint64_t to)
{
	return from + dw_rng_below(&c->rng, to - from + 1);
}

/* evenly on a logarithmic scale */
static double spread(struct job_case *c, double from, double to)
{
	return from * pow(to / from, dw_rng_unit(&c->rng));
}

static void draw_nodes(struct job_case *c, uint64_t link, uint64_t bus)
{
	struct dw_station *s = &c->real;

	s->node[s->n_nodes++] = (struct station_node){
		.name = "link", .kind = STATION_LINK, .on = STATION_NONE, .rate = link
	};
	s->node[s->n_nodes++] = (struct station_node){ .name = "controller",
						       .on_name = "link",
						       .kind = STATION_CONTROLLER,
						       .on = STATION_NONE,
						       .command_ns = 5000 };
	if (bus)
		s->node[s->n_nodes++] = (struct station_node){ .name = "bus",
							       .on_name = "controller",
							       .kind = STATION_BUS,
							       .on = STATION_NONE,
							       .rate = bus };
}

static void draw_disks(struct job_case *c, uint32_t n, double outer, bool turns)
{
	bool cache = pick(c, 0, 4) > 0;
	uint64_t buffer = (uint64_t)spread(c, 8, 256) * DW_MIB;
	uint64_t ws = !c->same        ? STATION_WS_NONE
		      : pick(c, 0, 1) ? 0
				      : (uint64_t)(outer * spread(c, 0.3, 3));

	for (; n; n--) {
		struct station_disk *d = &c->real.disk[c->real.n_disks];

		station_disk_init(d);
		snprintf(d->name, sizeof(d->name), "disk-%u", c->real.n_disks++);
		snprintf(d->on_name[0], sizeof(d->on_name[0]), "%s",
			 c->real.node[c->real.n_nodes - 1].name);
		d->n_on = 1;
		d->capacity = DW_GIB;
		d->outer = (uint64_t)outer;
		d->inner = turns ? d->outer * 5 / 9 : d->outer;
		d->rpm = turns ? 7200 : 0;
		d->cache = cache;
		d->buffer = buffer;
		d->ws = ws;
		d->jitter = 0.02;
	}
}

/* of its own for WRITE SAME */
static bool has_rate(const struct station_disk *d)
{
	return d->ws && d->ws != STATION_WS_NONE;
}

static void draw_machine(struct job_case *c)
{
	static const struct {
		uint64_t link, bus;
		double from, to;
		bool turns;
		uint32_t most;
	} kinds[] = {
		{ 4800000000, 0, 60e6, 270e6, true, 16 },        /* a shelf */
		{ 320000000, 160000000, 30e6, 120e6, true, 14 }, /* parallel SCSI */
		{ 2000000000, 600000000, 80e6, 250e6, true, 5 }, /* a port multiplier */
		{ 6000000000, 0, 100e6, 500e6, false, 8 },       /* SSDs */
		{ 2000000000, 150000000, 8e6, 120e6, true, DISKS }, /* emulated */
	};
	size_t kind = pick(c, 0, DW_ARRAY_SIZE(kinds) - 1);
	struct station_disk *d;

	draw_nodes(c, kinds[kind].link, kinds[kind].bus);
	for (uint64_t groups = pick(c, 1, 2); groups; groups--)
		draw_disks(c, (uint32_t)pick(c, 1, kinds[kind].most / 2),
			   spread(c, kinds[kind].from, kinds[kind].to),
			   kinds[kind].turns);
	c->slow = !pick(c, 0, 2);
	if (!c->slow)
		return;
	/* nobody knows of one that has not begun */
	c->spec.active = 0;
	d = &c->real.disk[dw_rng_below(&c->rng, c->real.n_disks)];
	d->outer = (uint64_t)fmax((double)d->outer * spread(c, 0.03, 0.5), 1e6);
	d->inner = d->rpm ? d->outer * 5 / 9 : d->outer;
	if (has_rate(d))
		d->ws = d->outer;
}

static void draw_spec(struct job_case *c)
{
	static const char *const patterns[] = { "00", "00", "random", "ff,00",
						"00,ff,random" };
	struct dw_job_spec *s = &c->spec;

	dw_job_spec_init(s);
	snprintf(s->controller, sizeof(s->controller), "fixed");
	snprintf(s->pattern, sizeof(s->pattern), "%s", patterns[pick(c, 0, 4)]);
	s->depth = (uint32_t)pick(c, 1, 4);
	s->verify = (enum dw_verify_kind)pick(c, 1, 3);
	s->verify_percent = 10;
	s->command = c->same ? DW_COMMAND_AUTO : DW_COMMAND_WRITE;
	s->write_cache = DW_WRITE_CACHE_KEEP;
	if (!pick(c, 0, 3))
		s->active = (uint32_t)pick(c, 1, 4);
	s->seed = 7;
}

static struct dw_forecast *forecast(struct job_case *c, struct dw_station *s)
{
	struct dw_error err = { 0 };
	struct dw_forecast *f = NULL;

	if (station_check(s, &err) < 0 ||
	    dw_forecast_station(&c->spec, s, NULL, &f, &err) < 0)
		fail_msg("%s", error_line(&err));
	return f;
}

static double bytes_of(const struct dw_station *s)
{
	double bytes = 0;

	for (uint32_t i = 0; i < s->n_disks; i++)
		bytes += (double)s->disk[i].capacity;
	return bytes;
}

/* as large as the disks have to be for the time that it shall take, and in commands so long that
 * they are not many */
static void fit_length(struct job_case *c)
{
	double wanted = spread(c, 12, 600);

	for (int i = 0; i < 3; i++) {
		struct dw_forecast *f = forecast(c, &c->real);

		for (uint32_t k = 0; k < c->real.n_disks; k++) {
			struct station_disk *d = &c->real.disk[k];
			double size = (double)d->capacity * wanted / f->seconds;

			d->capacity = (uint64_t)fmax(size, 24e6) / 4096 * 4096;
			d->buffer = dw_min_u64(d->buffer, d->capacity / 8);
		}
		dw_forecast_free(f);
	}
	for (c->spec.fixed_blocks = 256;
	     bytes_of(&c->real) * 4 / 512 / c->spec.fixed_blocks > COMMANDS;)
		c->spec.fixed_blocks *= 2;
}

/* what is known of disks that nobody has measured: some figures for all of them */
static void guess(struct job_case *c)
{
	double off = spread(c, 0.1, 8), buffer = spread(c, 8, 256);
	double wiring = spread(c, 0.8, 1.25);

	for (uint32_t i = 0; i < c->guess.n_disks; i++) {
		struct station_disk *d = &c->guess.disk[i];

		d->outer = (uint64_t)((double)d->outer * off);
		d->inner = (uint64_t)((double)d->inner * off);
		d->ws = has_rate(d) ? 0 : d->ws;
		d->buffer = dw_min_u64((uint64_t)buffer * DW_MIB, d->capacity / 8);
		snprintf(d->assumed, sizeof(d->assumed),
			 "outer, inner, seek, buffer, overhead%s",
			 off < 0.6 || off > 1.7 ? ", rpm" : "");
	}
	for (uint32_t i = 0; i < c->guess.n_nodes; i++) {
		struct station_node *n = &c->guess.node[i];

		n->rate = (uint64_t)((double)n->rate * wiring);
		snprintf(n->assumed, sizeof(n->assumed), "rate, command");
	}
}

/* as the real one, but for the disk that is slow */
static void describe(struct job_case *c)
{
	double outer = 0;

	c->guess = c->real;
	c->guess.node = calloc(4, sizeof(*c->guess.node));
	c->guess.disk = calloc(DISKS, sizeof(*c->guess.disk));
	assert_true(c->guess.node && c->guess.disk);
	memcpy(c->guess.node, c->real.node, 4 * sizeof(*c->guess.node));
	memcpy(c->guess.disk, c->real.disk, DISKS * sizeof(*c->guess.disk));
	for (uint32_t i = 0; i < c->guess.n_disks; i++)
		outer = fmax(outer, (double)c->guess.disk[i].outer);
	for (uint32_t i = 0; c->slow && i < c->guess.n_disks; i++) {
		struct station_disk *d = &c->guess.disk[i];

		d->outer = (uint64_t)outer;
		d->inner = d->rpm ? d->outer * 5 / 9 : d->outer;
		d->ws = has_rate(d) ? d->outer : d->ws;
	}
	c->known = (enum known)pick(c, 0, 2);
	if (c->known == GUESSED)
		guess(c);
}

static void draw(struct job_case *c, uint64_t seed)
{
	memset(c, 0, sizeof(*c));
	dw_rng_seed(&c->rng, seed);
	c->real.node = calloc(4, sizeof(*c->real.node));
	c->real.disk = calloc(DISKS, sizeof(*c->real.disk));
	assert_true(c->real.node && c->real.disk);
	c->same = !pick(c, 0, 2);
	draw_spec(c);
	draw_machine(c);
	fit_length(c);
	describe(c);
}

static void note_step(struct job_case *c, struct dw_job *job)
{
	double now = dw_job_seconds(job);

	if (c->n && now < c->step[c->n - 1].at + 0.9 * STEP)
		return;
	if (c->n == c->cap) {
		c->cap = 2 * c->cap + 256;
		c->step = realloc(c->step, c->cap * sizeof(*c->step));
		assert_non_null(c->step);
	}
	c->step[c->n++] = (struct step){ now, dw_job_remaining(job) };
}

static void note_events(struct job_case *c, struct dw_job *job)
{
	struct dw_event e;

	while (dw_job_next_event(job, &e)) {
		if (e.kind != DW_EVENT_PROGRESS || e.disk >= DISKS)
			continue;
		c->back += e.progress.bytes_done < c->done[e.disk];
		c->done[e.disk] = e.progress.bytes_done;
	}
}

static void run(struct job_case *c)
{
	struct dw_forecast *f = forecast(c, &c->guess);
	struct dw_error err = { 0 };
	struct dw_job *job;
	int r;

	assert_int_equal(dw_job_new(NULL, &c->spec, &job, &err), 0);
	assert_int_equal(dw_job_simulate(job, &c->real, false, &err), 0);
	if (c->known != NOT_FORECAST)
		dw_forecast_apply(f, job);
	assert_int_equal(dw_job_start(job, &err), 0);
	do {
		note_events(c, job);
		note_step(c, job);
		dw_virtual_wake(dw_job_engine(job),
				SIM_START_NS +
					(uint64_t)((dw_job_seconds(job) + STEP) * 1e9));
	} while ((r = dw_job_step(job, 0)) == 1);
	assert_int_equal(r, 0);
	c->total = dw_job_result(job)->seconds;
	dw_job_free(job);
	dw_forecast_free(f);
}

/**
 * struct score - seconds of jobs, from FROM on
 * @shown: with a figure, @close: with one that is close; @off: jobs with one that was off by more
 *	than twice for longer than LONG; @off_for: seconds up to now, @worst: at most
 */
struct score {
	double all;
	double shown;
	double close;
	double off_for;
	double worst;
	uint32_t jobs;
	uint32_t off;
};

static bool is_off(double said, double truth)
{
	return fabs(said - truth) > UNIT &&
	       (said > TWICE * truth || truth > TWICE * said);
}

/* what was said at a step, and counted down since */
static void score_step(struct job_case *c, size_t i, struct score *s)
{
	double until = i + 1 < c->n ? c->step[i + 1].at : c->total;

	for (double at = c->step[i].at; at < until; at += STEP) {
		double lasts = fmin(STEP, until - at), truth = c->total - at;
		double left = c->step[i].left;

		if (at < FROM * c->total)
			continue;
		if (left >= 0)
			left = fmax(0, left - (at - c->step[i].at));
		s->all += lasts;
		s->shown += left < 0 ? 0 : lasts;
		s->off_for = left < 0 || !is_off(left, truth) ? 0 : s->off_for + lasts;
		s->worst = fmax(s->worst, s->off_for);
		if (left >= 0 && fabs(left - truth) <= fmax(CLOSE * truth, UNIT))
			s->close += lasts;
	}
}

static void score(struct job_case *c, uint64_t seed, struct score *total)
{
	static const char *const known[] = { "described", "guessed", "not forecast" };
	struct score s = { 0 };

	for (uint32_t i = 0; tell_steps && i < c->real.n_disks; i++)
		printf("  %s on %s: %llu bytes, %llu B/s, WRITE SAME %lld B/s, %llu B of cache\n",
		       c->real.disk[i].name, c->real.disk[i].on_name[0],
		       (unsigned long long)c->real.disk[i].capacity,
		       (unsigned long long)c->real.disk[i].outer,
		       (long long)c->real.disk[i].ws,
		       (unsigned long long)c->real.disk[i].buffer);
	for (uint32_t i = 0; tell_steps && i < c->real.n_nodes; i++)
		printf("  %s: %llu B/s\n", c->real.node[i].name,
		       (unsigned long long)c->real.node[i].rate);
	for (size_t i = 0; i < c->n; i++) {
		if (tell_steps)
			printf("  %.2f: %.1f, %.1f in truth\n", c->step[i].at,
			       c->step[i].left, c->total - c->step[i].at);
		score_step(c, i, &s);
	}
	if (tell)
		printf("%4llu: %2u disks%s, %s%s, verify %u, active %u%s, %s: %.1f s; shown "
		       "%.0f %%, close %.0f %%, off for %.1f s\n",
		       (unsigned long long)seed, c->real.n_disks,
		       c->slow ? ", one slow" : "", c->spec.pattern,
		       c->same ? " by WRITE SAME" : "", c->spec.verify, c->spec.active,
		       c->real.disk[0].cache ? ", cached" : "", known[c->known], c->total,
		       100 * s.shown / s.all, 100 * s.close / fmax(s.shown, 1e-9),
		       s.worst);
	total->all += s.all / c->total;
	total->shown += s.shown / c->total;
	total->close += s.close / c->total;
	total->jobs++;
	total->off += s.worst > LONG;
}

static void release(struct job_case *c)
{
	free(c->real.node);
	free(c->real.disk);
	free(c->guess.node);
	free(c->guess.disk);
	free(c->step);
}

static void remaining_is_true(void **state)
{
	struct score total = { 0 };

	for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
		struct job_case c;

		draw(&c, seed);
		run(&c);
		score(&c, seed, &total);
		release(&c);
	}
	printf("%u jobs, from 20 %% on: a figure is shown %.1f %% of the time; %.1f %% of these "
	       "are within 25 %% of the truth; %u jobs with one that is off by more than two times "
	       "for more than 2 s\n",
	       total.jobs, 100 * total.shown / total.all, 100 * total.close / total.shown,
	       total.off);
	assert_true(total.close >= CLOSE_SHARE * total.shown);
	assert_true(total.shown >= SHOWN * total.all);
	assert_true(total.off <= fmax(1, OFF * total.jobs));
}

static void case_begin(struct job_case *c)
{
	*c = (struct job_case){ 0 };
	dw_rng_seed(&c->rng, 1);
	c->real.node = calloc(4, sizeof(*c->real.node));
	c->real.disk = calloc(DISKS, sizeof(*c->real.disk));
	assert_true(c->real.node && c->real.disk);
	dw_job_spec_init(&c->spec);
	strcpy(c->spec.controller, "fixed");
	c->spec.seed = 7;
}

/* without a forecast */
static void case_run(struct job_case *c)
{
	struct dw_error err = { 0 };

	assert_int_equal(station_check(&c->real, &err), 0);
	describe(c);
	c->known = NOT_FORECAST;
	run(c);
	for (size_t i = 0; tell_steps && i < c->n; i++)
		printf("  %.2f: %.1f, %.1f in truth\n", c->step[i].at, c->step[i].left,
		       c->total - c->step[i].at);
}

/* A reset takes what is in the cache of a disk, which begins again. A figure is shown as before,
 * and is true. */
static void work_goes_back(void **state)
{
	struct station_fault reset = { .kind = STATION_RESET, .at_ns = 40 * DW_NS_PER_S };
	struct job_case c;

	case_begin(&c);
	c.spec.fixed_blocks = 2048;
	c.spec.command = DW_COMMAND_WRITE;
	c.spec.verify = DW_VERIFY_OFF;
	draw_nodes(&c, 1000000000, 0);
	draw_disks(&c, 3, 100e6, false);
	for (uint32_t i = 0; i < c.real.n_disks; i++) {
		c.real.disk[i].capacity = (i ? 8 : 5) * DW_GIB;
		c.real.disk[i].cache = true;
	}
	c.real.disk[0].fault = &reset;
	c.real.disk[0].n_faults = 1;
	case_run(&c);
	assert_int_equal(c.back, 1);
	for (size_t i = 0; i < c.n; i++) {
		double truth = c.total - c.step[i].at;

		if (c.step[i].at > 40.4) /* the reset is known */
			assert_true(c.step[i].left >= 0 &&
				    !is_off(c.step[i].left, truth));
	}
	release(&c);
}

/* WRITE SAME in commands of ten seconds, and full verification, of disks that turn on a wire of
 * 1 GB/s */
static void run_same_then_read(struct job_case *c, uint32_t disks)
{
	case_begin(c);
	c->spec.fixed_blocks = 1000000000 / 512;
	c->spec.depth = 1;
	c->spec.command = DW_COMMAND_WRITE_SAME;
	c->spec.verify = DW_VERIFY_FULL;
	draw_nodes(c, 1000000000, 0);
	draw_disks(c, disks, 100e6, true);
	for (uint32_t i = 0; i < disks; i++) {
		c->real.disk[i].capacity = 20 * DW_GIB;
		c->real.disk[i].ws = 0;
	}
	case_run(c);
}

/* Of a disk that is alone and not forecast a figure is shown while it is filled, and is true. */
static void same_then_read(void **state)
{
	struct job_case c;
	double shown = 0, all = 0;

	run_same_then_read(&c, 1);
	for (size_t i = 0; i < c.n; i++) {
		double truth = c.total - c.step[i].at, left = c.step[i].left;

		if (c.step[i].at < 0.2 * c.total || c.step[i].at > 0.5 * c.total)
			continue;
		all++;
		shown += left >= 0;
		assert_true(left < 0 || !is_off(left, truth));
	}
	assert_true(all > 100 && shown > 0.95 * all);
	release(&c);
}

/* Two disks share a link, and the small one ends first: the other then gets its part, too. */
static void what_one_leaves_others_get(void **state)
{
	struct job_case c;
	int seen = 0;

	case_begin(&c);
	c.spec.fixed_blocks = 2048;
	c.spec.command = DW_COMMAND_WRITE;
	c.spec.verify = DW_VERIFY_OFF;
	draw_nodes(&c, 100000000, 0);
	draw_disks(&c, 2, 100e6, false);
	c.real.disk[0].capacity = 2 * DW_GIB;
	c.real.disk[1].capacity = 8 * DW_GIB;
	case_run(&c);
	for (size_t i = 0; i < c.n; i++) {
		double truth = c.total - c.step[i].at;

		if (c.step[i].at < 0.15 * c.total || c.step[i].at > 0.35 * c.total)
			continue;
		seen++;
		/* what it has alone would be 1.5 to 1.7 times as long */
		assert_true(c.step[i].left >= 0 && c.step[i].left < 1.45 * truth);
	}
	assert_true(seen > 10);
	release(&c);
}

/* Reading takes twice as long as WRITE SAME where it has half of a disk's rate: nobody says
 * otherwise. */
static void reading_shares_the_link(void **state)
{
	struct job_case c;
	int seen = 0;

	run_same_then_read(&c, 20);
	for (size_t i = 0; i < c.n; i++) {
		double truth = c.total - c.step[i].at, left = c.step[i].left;

		seen += left >= 0;
		assert_true(left < 0 || left > 0.7 * truth || truth < 5);
	}
	assert_true(seen > 100);
	release(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = { cmocka_unit_test(remaining_is_true),
					  cmocka_unit_test(work_goes_back),
					  cmocka_unit_test(same_then_read),
					  cmocka_unit_test(what_one_leaves_others_get),
					  cmocka_unit_test(reading_shares_the_link) };

	if (argc >= 3) {
		first_seed = strtoull(argv[1], NULL, 10);
		n_seeds = strtoull(argv[2], NULL, 10);
		tell = true;
		tell_steps = argc > 3;
	}
	return cmocka_run_group_tests(all, NULL, NULL);
}

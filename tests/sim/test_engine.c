/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One engine, many jobs. They come and go while others run, share a bus alike, and leave
 * nothing behind; what one does on its adapter is nothing to another's.
 *	test_engine [SEED TASKS]
 * with so many of the 10,000 tasks of a week.
 */
#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <diskwipe/diskwipe.h>

#include "base/rng.h"
#include "base/util.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/virtual.h"
#include "forecast/simulate.h"
#include "../unit/error_line.h"

#define HOUR       (3600 * DW_NS_PER_S)
#define WEEK       (7 * 24 * HOUR)
#define ADAPTERS   8
#define BAYS       8 /* of an adapter */
#define UNITS      (ADAPTERS * BAYS)
#define TENTHS     10
#define KEPT_LONG  64 /* bytes for a task, at most, in a long week, and in a short one */
#define KEPT_SHORT 8192
#define LONG       5000 /* tasks, in which no array is too small any more after the half */
#define PACE       (WEEK / 10000) /* from one arrival to the next */

static uint32_t tasks = TASKS;
static uint64_t seed = 1;

/** struct rack - an engine on a simulated station */
struct rack {
	struct dw_station *station;
	struct sim_world *world;
	struct dw_engine *engine;
	struct dw_job *first; /* brought the world */
};

static struct dw_station *station_of(const char *text)
{
	struct dw_error err = { 0 };
	char path[] = "/tmp/dw-engine.XXXXXX";
	struct dw_station *s = NULL;
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0 && !fclose(f));
	if (dw_station_load(path, &s, &err) < 0)
		fail_msg("%s", error_line(&err));
	remove(path);
	return s;
}

static struct dw_job *new_job(struct rack *r, const struct dw_job_spec *spec)
{
	struct dw_job *job = NULL;
	struct dw_error err = { 0 };

	assert_int_equal(dw_job_new(r->engine, spec, &job, &err), 0);
	if (!r->first) {
		assert_int_equal(sim_job_begin(job, r->station, false, &r->world), 0);
		r->first = job;
	} else {
		assert_int_equal(dw_job_virtual(job), 0);
	}
	return job;
}

static void rack_begin(struct rack *r, const char *text)
{
	*r = (struct rack){ .station = station_of(text) };
	assert_int_equal(dw_engine_new(&r->engine), 0);
}

static void rack_end(struct rack *r)
{
	dw_engine_free(r->engine);
	dw_station_free(r->station);
}

static void add(struct rack *r, struct dw_job *job, uint32_t from, uint32_t n)
{
	struct dw_error err = { 0 };

	for (uint32_t i = from; i < from + n; i++)
		assert_int_equal(sim_job_add_unit(job, r->station, i), 0);
	if (dw_job_start(job, &err) < 0)
		fail_msg("%s", error_line(&err));
}

static void drop_events(struct dw_job *job)
{
	struct dw_event e;

	while (dw_job_next_event(job, &e))
		;
}

static uint64_t bytes_of(struct dw_job *job)
{
	struct dw_progress p;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < dw_job_result(job)->n_disks; i++) {
		assert_int_equal(dw_job_progress(job, i, &p), 0);
		bytes += p.bytes_done;
	}
	return bytes;
}

static void spec_init(struct dw_job_spec *spec)
{
	dw_job_spec_init(spec);
	spec->seed = 1;
	spec->verify = DW_VERIFY_OFF;
	spec->command = DW_COMMAND_WRITE;
}

static const char shared_bus[] =
	"[bus b]\nrate = 400MB/s\n"
	"[disk d]\ncount = 12\ncapacity = 6GB\nouter = 150MB/s\ninner = 150MB/s\non = b\n";

static uint32_t running(struct dw_job *job)
{
	struct dw_progress p;
	uint32_t n = 0;

	for (uint32_t i = 0; i < dw_job_result(job)->n_disks; i++) {
		assert_int_equal(dw_job_progress(job, i, &p), 0);
		n += p.phase != DW_PHASE_WAITING && p.phase != DW_PHASE_DONE;
	}
	return n;
}

/* two jobs on one bus, one later than the other, each with as many disks at work as the other;
 * of what goes over the bus while both are there, each has its half */
static void jobs_share_a_bus(void **state)
{
	static const char *const strategies[] = { "parallel", "longest-first" };

	for (int s = 0; s < 2; s++) {
		uint64_t before[2], got[2];
		struct dw_job_spec spec;
		struct dw_job *job[2];
		struct rack r;

		rack_begin(&r, shared_bus);
		spec_init(&spec);
		snprintf(spec.strategy, sizeof(spec.strategy), "%s", strategies[s]);
		spec.active = s ? 6 : 0;
		job[0] = new_job(&r, &spec);
		add(&r, job[0], 0, s ? 9 : 6);
		for (int i = 0; i < 20; i++)
			assert_int_equal(dw_engine_step(r.engine, 0), 1);
		job[1] = new_job(&r, &spec);
		add(&r, job[1], s ? 9 : 6, s ? 3 : 6);
		/* longest-first: the second job has its three as places become free */
		while (running(job[1]) < 3)
			assert_int_equal(dw_engine_step(r.engine, 0), 1);
		for (int i = 0; i < 2; i++)
			before[i] = bytes_of(job[i]);
		while (bytes_of(job[1]) - before[1] < UINT64_C(4000000000) &&
		       running(job[0]) + running(job[1]) >= (s ? 6 : 12))
			assert_int_equal(dw_engine_step(r.engine, 0), 1);
		for (int i = 0; i < 2; i++)
			got[i] = bytes_of(job[i]) - before[i];
		print_message("%s: %.3f\n", strategies[s],
			      (double)got[0] / (double)got[1]);
		assert_true(got[1] > UINT64_C(2000000000));
		assert_true(fabs((double)got[0] / (double)got[1] - 1) < 0.05);
		while (dw_engine_step(r.engine, 0) == 1)
			for (int i = 0; i < 2; i++)
				drop_events(job[i]);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(dw_job_result(job[i])->outcome,
					 DW_OUTCOME_ERASED);
			dw_job_free(job[i]);
		}
		rack_end(&r);
	}
}

/* of a limit that jobs have in common, each has its part, however many disks it has */
static void jobs_are_admitted_alike(void **state)
{
	struct dw_job_spec spec;
	struct dw_job *big, *small;
	struct rack r;
	uint32_t done = 0;

	rack_begin(&r, shared_bus);
	spec_init(&spec);
	snprintf(spec.strategy, sizeof(spec.strategy), "longest-first");
	spec.active = 2;
	big = new_job(&r, &spec);
	add(&r, big, 0, 10);
	small = new_job(&r, &spec);
	add(&r, small, 10, 2);
	while (dw_job_step(small, 0) == 1)
		drop_events(small);
	for (uint32_t i = 0; i < 10; i++)
		done += dw_job_result(big)->disk[i].outcome == DW_OUTCOME_ERASED;
	assert_in_range(done, 2, 4); /* two had begun before */
	dw_job_free(small);
	dw_job_free(big);
	rack_end(&r);
}

/* the same where each disk of the big one is a job by itself, if these are a group; else each of
 * them has a turn as the small one has */
static uint32_t done_of_ten(bool group)
{
	struct dw_job *big[10], *small;
	struct dw_job_spec spec;
	struct rack r;
	uint32_t done = 0;

	rack_begin(&r, shared_bus);
	spec_init(&spec);
	snprintf(spec.strategy, sizeof(spec.strategy), "longest-first");
	spec.active = 2;
	for (uint32_t i = 0; i < 10; i++) {
		big[i] = new_job(&r, &spec);
		assert_int_equal(dw_job_group(big[i], group ? 7 : 0), 0);
		add(&r, big[i], i, 1);
		assert_int_equal(dw_job_group(big[i], 8), -EBUSY);
	}
	small = new_job(&r, &spec);
	add(&r, small, 10, 2);
	while (dw_job_step(small, 0) == 1)
		drop_events(small);
	for (uint32_t i = 0; i < 10; i++)
		done += dw_job_result(big[i])->disk[0].outcome == DW_OUTCOME_ERASED;
	dw_job_free(small);
	for (uint32_t i = 10; i--;)
		dw_job_free(big[i]);
	rack_end(&r);
	return done;
}

static void groups_are_admitted_alike(void **state)
{
	assert_in_range(done_of_ten(true), 2, 4);
	assert_in_range(done_of_ten(false), 9, 10);
}

/* the most disks that two jobs with a limit of two have at work at one time, while both have some
 * left: of both, and of each */
static void most_at_work(bool background, uint32_t ret[3])
{
	struct dw_job_spec spec;
	struct dw_job *job[2];
	uint32_t n[2];
	struct rack r;

	rack_begin(&r, shared_bus);
	spec_init(&spec);
	snprintf(spec.strategy, sizeof(spec.strategy), "longest-first");
	spec.active = 2;
	job[0] = new_job(&r, &spec);
	add(&r, job[0], 0, 6);
	snprintf(spec.controller, sizeof(spec.controller), "fixed");
	if (background)
		assert_int_equal(dw_background_parse("share:50%", &spec.background), 0);
	job[1] = new_job(&r, &spec);
	add(&r, job[1], 6, 6);
	memset(ret, 0, 3 * sizeof(*ret));
	do {
		for (int i = 0; i < 2; i++) {
			n[i] = running(job[i]);
			ret[i + 1] = (uint32_t)dw_max_u64(ret[i + 1], n[i]);
			drop_events(job[i]);
		}
		ret[0] = (uint32_t)dw_max_u64(ret[0], n[0] + n[1]);
	} while (dw_engine_step(r.engine, 0) == 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(dw_job_result(job[i])->outcome, DW_OUTCOME_ERASED);
		dw_job_free(job[i]);
	}
	rack_end(&r);
}

/* Jobs that want different things of one adapter have one limit. One in the background, whose
 * disks may stand still, neither takes a place from the others nor waits for one. */
static void the_background_takes_no_place(void **state)
{
	uint32_t most[3];

	most_at_work(false, most);
	assert_int_equal(most[0], 2);
	assert_in_range(most[1], 1, 2);
	assert_in_range(most[2], 1, 2);
	most_at_work(true, most);
	assert_int_equal(most[0], 4);
	assert_int_equal(most[1], 2);
	assert_int_equal(most[2], 2);
}

static double alone_or_beside(const char *strategy, bool beside)
{
	static const char text[] =
		"[controller a]\nrate = 300MB/s\n[controller b]\nrate = 300MB/s\n"
		"[disk x]\ncount = 4\ncapacity = 4GB\nouter = 150MB/s\non = a\n"
		"[disk y]\ncount = 4\ncapacity = 9GB\nouter = 90MB/s\non = b\n";
	struct dw_job *job, *other = NULL;
	struct dw_job_spec spec;
	struct rack r;
	double seconds;

	rack_begin(&r, text);
	spec_init(&spec);
	snprintf(spec.strategy, sizeof(spec.strategy), "%s", strategy);
	job = new_job(&r, &spec);
	add(&r, job, 0, 4);
	if (beside) {
		other = new_job(&r, &spec);
		add(&r, other, 4, 4);
	}
	while (dw_job_step(job, 0) == 1)
		drop_events(job);
	seconds = dw_job_result(job)->seconds;
	dw_job_free(job);
	if (other) /* it is cut off */
		assert_int_equal(dw_job_result(other)->outcome, DW_OUTCOME_NONE);
	dw_job_free(other);
	rack_end(&r);
	return seconds;
}

/* the transfer length that suits one adapter, and whose turn it is there, are none of the other's
 * business */
static void adapters_are_apart(void **state)
{
	static const char *const strategies[] = { "parallel", "sequential",
						  "round-robin" };

	for (int i = 0; i < 3; i++) {
		double alone = alone_or_beside(strategies[i], false);
		double beside = alone_or_beside(strategies[i], true);

		assert_true(fabs(beside / alone - 1) < 0.001);
	}
}

/* a job that is freed while it runs takes nothing with it that another needs */
static void freed_while_it_runs(void **state)
{
	struct dw_job_spec spec;
	struct dw_job *kept;
	struct rack r;

	rack_begin(&r, shared_bus);
	spec_init(&spec);
	kept = new_job(&r, &spec);
	add(&r, kept, 0, 3);
	for (uint32_t i = 0; i < 20; i++) {
		struct dw_job *job = new_job(&r, &spec);

		add(&r, job, 3 + i % 3 * 3, 3);
		assert_int_equal(dw_engine_step(r.engine, 0), 1);
		dw_task_cancel(job, 0);
		dw_task_pause(job, 1);
		dw_job_free(job);
	}
	while (dw_job_step(kept, 0) == 1)
		drop_events(kept);
	assert_int_equal(dw_job_result(kept)->outcome, DW_OUTCOME_ERASED);
	assert_int_equal(r.engine->n_links, 1);
	dw_job_free(kept);
	assert_null(r.engine->jobs);
	for (uint32_t i = 0; i < r.engine->cap_disks; i++)
		assert_null(r.engine->disk[i]);
	rack_end(&r);
}

/**
 * struct week - tasks that come and go
 * @job: of each bay, NULL = it is empty; @until: when its task is cut off, 0 = never
 * @outcome: how many ended so
 */
struct week {
	struct rack rack;
	struct dw_rng rng;
	struct dw_job *job[UNITS];
	uint64_t until[UNITS];
	uint32_t arrived;
	uint32_t cut_off;
	uint32_t outcome[DW_OUTCOME_FAILED + 1];
	uint64_t commands;
};

static uint64_t now_of(const struct week *w)
{
	return engine_clock(w->rack.engine) - SIM_START_NS;
}

/* bays with disks that have their faults: bad blocks, resets, commands that are aborted */
static char *station_text(struct week *w)
{
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	for (int a = 0; a < ADAPTERS; a++)
		fprintf(f, "[controller a%d]\nrate = 3MB/s\ncommand = 5us\n", a);
	for (int i = 0; i < UNITS; i++) {
		fprintf(f,
			"[disk d%d]\non = a%d\ncapacity = %dMB\nouter = %dkB/s\nrpm = "
			"7200\n",
			i, i % ADAPTERS, 900 + (int)dw_rng_below(&w->rng, 1600),
			400 + (int)dw_rng_below(&w->rng, 400));
		if (i % 5 == 0)
			fprintf(f, "fault = unwritable %d 8\n", 1000 * i + 100);
		if (i % 7 == 0)
			fprintf(f, "fault = abort 0.0005\n");
		for (int k = 0; k < 20 && i % 3 == 0; k++)
			fprintf(f, "fault = reset %llus\n",
				(unsigned long long)dw_rng_below(&w->rng,
								 WEEK / DW_NS_PER_S));
	}
	assert_int_equal(fclose(f), 0);
	return text;
}

static void leave(struct week *w, uint32_t bay)
{
	const struct dw_job_result *r = dw_job_result(w->job[bay]);

	if (w->until[bay] && !job_reached(w->job[bay], JOB_OVER)) {
		w->cut_off++;
	} else {
		w->outcome[r->outcome]++;
		w->commands += r->disk[0].commands;
	}
	dw_job_free(w->job[bay]);
	w->job[bay] = NULL;
}

static void live_until(struct week *w, uint64_t ns)
{
	while (now_of(w) < ns) {
		int r;

		dw_virtual_wake(w->rack.engine, ns + SIM_START_NS);
		r = dw_engine_step(w->rack.engine, 0);
		if (r < 0)
			fail_msg("the engine: %s", strerror(-r));
		for (uint32_t i = 0; i < UNITS; i++) {
			if (!w->job[i])
				continue;
			drop_events(w->job[i]);
			if (job_reached(w->job[i], JOB_OVER) ||
			    (w->until[i] && now_of(w) >= w->until[i]))
				leave(w, i);
		}
	}
}

static void arrive(struct week *w)
{
	uint32_t bay = (uint32_t)dw_rng_below(&w->rng, UNITS);
	struct dw_job_spec spec;

	for (uint32_t i = 1; w->job[bay]; i++) {
		bay = (bay + 1) % UNITS;
		if (i % UNITS == 0) /* all are taken */
			live_until(w, now_of(w) + PACE);
	}
	spec_init(&spec);
	spec.seed = 1 + dw_rng_below(&w->rng, 1000000);
	spec.active = 6;
	snprintf(spec.strategy, sizeof(spec.strategy), "longest-first");
	if (!dw_rng_below(&w->rng, 4))
		spec.verify = DW_VERIFY_SAMPLE;
	w->job[bay] = new_job(&w->rack, &spec);
	add(&w->rack, w->job[bay], bay, 1);
	w->until[bay] =
		dw_rng_below(&w->rng, 20) ? 0 : now_of(w) + dw_rng_below(&w->rng, HOUR);
	w->arrived++;
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static size_t bytes_when_empty(struct week *w)
{
	while (w->rack.engine->running)
		live_until(w, now_of(w) + HOUR);
	return mallinfo2().uordblks;
}

/*
 * A week of them: no stall, and none leaves anything behind. What is counted is the second half
 * of them, each time when all have left: the arrays of the engine and of its disks grow until
 * they have had their largest load, and are kept.
 */
static void a_week(void **state)
{
	static struct week w;
	struct dw_job_spec spec;
	struct dw_job *holder;
	size_t half = 0, grown;
	char *text;

	dw_rng_seed(&w.rng, seed);
	text = station_text(&w);
	rack_begin(&w.rack, text);
	free(text);
	spec_init(&spec);
	holder = new_job(&w.rack, &spec); /* brings the world */
	for (int tenth = 1; tenth <= TENTHS; tenth++) {
		uint64_t commands = w.commands;
		double cpu = cpu_seconds();

		for (uint32_t i = 0; i < tasks / TENTHS; i++) {
			live_until(&w, now_of(&w) + PACE);
			arrive(&w);
		}
		print_message("%2d/10: %u arrived, %zu kB, %.2f us for a command\n",
			      tenth, w.arrived, mallinfo2().uordblks / 1000,
			      (cpu_seconds() - cpu) * 1e6 /
				      (double)(w.commands - commands + 1));
		if (tenth == TENTHS / 2)
			half = bytes_when_empty(&w);
	}
	grown = bytes_when_empty(&w);
	grown = grown > half ? grown - half : 0;
	print_message("%zu bytes left behind by a task\n", grown / (tasks / 2));
	assert_true(grown / (tasks / 2) < (tasks < LONG ? KEPT_SHORT : KEPT_LONG));
	print_message("%u erased, %u with exceptions, %u cut off, %u failed\n",
		      w.outcome[DW_OUTCOME_ERASED], w.outcome[DW_OUTCOME_EXCEPTIONS],
		      w.cut_off, w.outcome[DW_OUTCOME_FAILED]);
	assert_int_equal(w.arrived, tasks);
	assert_int_equal(w.outcome[DW_OUTCOME_FAILED], 0);
	assert_true(w.outcome[DW_OUTCOME_ERASED] + w.outcome[DW_OUTCOME_EXCEPTIONS] +
			    w.cut_off >
		    w.arrived * 9 / 10);
	dw_job_free(holder);
	rack_end(&w.rack);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_share_a_bus),
		cmocka_unit_test(jobs_are_admitted_alike),
		cmocka_unit_test(groups_are_admitted_alike),
		cmocka_unit_test(the_background_takes_no_place),
		cmocka_unit_test(adapters_are_apart),
		cmocka_unit_test(freed_while_it_runs),
		cmocka_unit_test(a_week),
	};
	const struct CMUnitTest week[] = { cmocka_unit_test(a_week) };

	if (argc != 3)
		return cmocka_run_group_tests(tests, NULL, NULL);
	seed = strtoull(argv[1], NULL, 10);
	tasks = (uint32_t)strtoul(argv[2], NULL, 10);
	return cmocka_run_group_tests(week, NULL, NULL);
}

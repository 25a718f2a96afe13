/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Estimates the time left. A forecast has the course of each disk: how much of its work is done
 * when, with all its waits. A disk at work is somewhere on its course. Its pace is the real time
 * for a second of the course. A disk that waits begins when one before it ends. Without a
 * forecast the course is that of a typical disk alone, and only measurements count.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "cost/cost.h"
#include "engine/disk.h"
#include "engine/job.h"
#include "engine/own.h"

#define TYPICAL_RATE  150000000
#define TYPICAL_RATIO 2 /* of the rates outside and inside, when it turns */
#define TRUST                                                                            \
	0.04 /* share of the course that the forecast weighs against measurements at first */
#define TRUST_MOST  60    /* seconds: it may be of another kind of disk */
#define MEMORY      0.07  /* what was measured longer ago than that share counts less */
#define STALE       0.002 /* the estimate is renewed after this share of the time left */
#define STALE_LEAST 0.5   /* seconds, and not sooner than that */

/* by itself, from its outer edge on */
static int typical(const struct dw_job *job, struct job_disk *d)
{
	const struct dw_station none = { .title = "" };
	const struct dw_cost_rack rack = { .n_resources = dw_cost_resources(&none),
					   .n_links = 1,
					   .slots = 1 };
	struct dw_cost_stream stream = { .course = &d->eta.course };
	struct dw_cost_disk cost;
	struct station_disk s;
	double seconds;
	int r;

	station_disk_init(&s);
	s.blocks = d->plan.blocks;
	s.sector = d->plan.block_size;
	s.cache = d->caps.wce != DW_NO;
	s.rpm = d->caps.rotation > 1 ? d->caps.rotation : 0;
	s.outer = TYPICAL_RATE;
	s.inner = s.rpm ? TYPICAL_RATE / TYPICAL_RATIO : TYPICAL_RATE;
	r = dw_cost_disk_init(&cost, &(struct dw_cost_case){ .station = &none,
							     .disk = &s,
							     .plan = &d->plan,
							     .spec = &job->spec,
							     .disks = 1 });
	stream.disk = &cost;
	if (!r)
		r = dw_cost_run(&stream, 1, &rack, &seconds);
	dw_cost_disk_deinit(&cost);
	return r;
}

int job_eta_begin(struct dw_job *job, struct job_disk *d)
{
	if (d->eta.known)
		return 0;
	d->eta.guessed = true;
	return typical(job, d);
}

int job_eta_longer(struct job_disk *d)
{
	d->eta = (struct job_eta){ .guessed = true };
	return typical(d->job, d);
}

static double length(const struct job_eta *e)
{
	return e->course.finish - e->course.start;
}

/* seconds that a second of its course takes */
static double pace(const struct job_eta *e)
{
	return e->should > 0 ? e->is / e->should : 1;
}

static bool is_told(const struct job_eta *e)
{
	return e->known || e->should > 0;
}

/* @took seconds passed, and @should of the course */
static void learn(struct job_eta *e, double took, double should)
{
	double forget = exp(-took / (MEMORY * pace(e) * length(e)));

	e->is = e->is * forget + took;
	e->should = e->should * forget + should;
}

/* it runs, waits for its first turn, or for one after its own work */
enum rank { RUNS, WAITS, IS_BACK };

static enum rank rank_of(const struct dw_disk_state *st)
{
	if (st->phase == DW_CORE_WAITING)
		return WAITS;
	return st->back_ns ? IS_BACK : RUNS;
}

/* Takes account of the work since the last call; a disk that waits or is paused has no pace. */
static void mark(struct job_disk *d, uint64_t now_ns, bool counts)
{
	const struct dw_disk_state *st = job_disk_state(d);
	struct job_eta *e = &d->eta;
	double took, share, clock, since = 0;

	if (rank_of(st) == WAITS)
		return;
	if (!e->moves) {
		e->moves = true;
		e->clock = e->course.start;
		e->at_ns = st->started_ns;
		e->is = e->should = e->known ? fmin(TRUST * length(e), TRUST_MOST) : 0;
	}
	if (now_ns <= e->at_ns)
		return;
	took = (double)(now_ns - e->at_ns) / 1e9;
	e->at_ns = now_ns;
	share = st->work_total ? (double)st->work_done / (double)st->work_total : 1;
	if (rank_of(st) == IS_BACK || e->back)
		e->clock = dw_course_later(&e->course, share);
	counts &= rank_of(st) == RUNS && !e->back && length(e) > 0;
	e->back = rank_of(st) == IS_BACK;
	if (!counts)
		return;
	if (st->phase == DW_CORE_OPERATE && now_ns > st->told_ns)
		since = (double)(now_ns - st->told_ns) / 1e9;
	clock = dw_course_clock(&e->course, share, e->clock + (took - since) / pace(e));
	clock += since / pace(e); /* it has made progress since it was asked */
	learn(e, took, fmax(0, clock - e->clock));
	e->clock = clock;
}

void job_eta_event(struct job_disk *d, uint64_t now_ns, enum dw_core_event_kind kind)
{
	mark(d, now_ns, kind != DW_CORE_EVENT_RESUMED && kind != DW_CORE_EVENT_STARTED);
}

static bool takes_part(const struct job_disk *d)
{
	const struct dw_disk_state *st = job_disk_state(d);

	/* nobody knows when the user unplugs it */
	return !d->out[0] && st && !st->paused && st->phase != DW_CORE_DONE &&
	       st->phase != DW_CORE_CYCLE;
}

/** struct turn - of a disk; @slot: it has one that others wait for */
struct turn {
	enum rank rank;
	bool slot;
	double expected;
	struct job_disk *disk;
};

/* Orders those that run before those that wait, and these in the order of the strategy. */
static int earlier(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->expected != y->expected)
		return x->expected < y->expected ? 1 : -1;
	return x->disk->id < y->disk->id ? -1 : x->disk->id > y->disk->id;
}

static uint32_t line_up(struct dw_job *job, struct turn *turn)
{
	const struct dw_strategy *strategy = dw_strategy_find(job->spec.strategy);
	uint32_t n = 0;

	for (uint32_t i = 0; i < job->n_disks; i++) {
		struct job_disk *d = job->disk[i];
		enum rank rank;

		d->eta.finish = -1;
		if (!takes_part(d))
			continue;
		rank = rank_of(job_disk_state(d));
		turn[n++] = (struct turn){
			.rank = rank,
			.slot = rank == RUNS &&
				job_disk_state(d)->phase != DW_CORE_OPERATE,
			.expected = strategy->longest_first ? d->choice.expect : 0,
			.disk = d,
		};
	}
	qsort(turn, n, sizeof(*turn), earlier);
	return n;
}

/* Pace of the disks whose rates are guessed or unknown: measurements of some of them are the best
 * guess for the others; 0 = none. */
static double pace_of_guessed(const struct dw_job *job)
{
	double is = 0, should = 0;

	for (uint32_t i = 0; i < job->n_disks; i++) {
		const struct job_eta *e = &job->disk[i]->eta;

		is += e->guessed ? e->is : 0;
		should += e->guessed ? e->should : 0;
	}
	return should > 0 ? is / should : 0;
}

/* When a waiting disk begins or is resumed: when a disk before it on its link ends and frees its
 * slot. */
static double slot_time(struct turn *turn, uint32_t n, const struct job_disk *d,
			double now)
{
	struct turn *first = NULL;

	for (uint32_t i = 0; i < n; i++)
		if (turn[i].slot && turn[i].disk->place.link == d->place.link &&
		    (!first || turn[i].disk->eta.finish < first->disk->eta.finish))
			first = &turn[i];
	if (!first)
		return now;
	first->slot = false;
	return first->disk->eta.finish;
}

/* Disks that take turns all have the pace of their round. */
static double pace_of_round(const struct turn *turn, uint32_t n)
{
	double is = 0, should = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct job_eta *e = &turn[i].disk->eta;

		is += length(e) > 0 ? e->is / length(e) : 0;
		should += length(e) > 0 ? e->should / length(e) : 0;
	}
	return should > 0 ? is / should : 0;
}

/** struct paces - @guessed: pace_of_guessed(); @round: pace_of_round(), 0 = each has its own */
struct paces {
	double guessed;
	double round;
};

static double pace_in(const struct paces *p, const struct job_eta *e)
{
	if (e->moves)
		return p->round > 0 ? p->round : pace(e);
	return e->guessed && p->guessed > 0 ? p->guessed : 1;
}

static void tell_finish(struct turn *turn, uint32_t k, double now, const struct paces *p)
{
	struct job_eta *e = &turn[k].disk->eta;
	double at = now;

	if (turn[k].rank != RUNS) {
		at = slot_time(turn, k, turn[k].disk, now);
		turn[k].slot = true;
	}
	if (!e->moves)
		e->clock = e->course.start;
	if (at >= 0 && (is_told(e) || p->guessed > 0))
		e->finish = at + (e->course.finish - e->clock) * pace_in(p, e);
}

/* Estimates all disks of the job anew. */
static int calculate(struct dw_job *job, uint64_t now_ns)
{
	dw_autofree struct turn *turn = calloc(job->n_disks + 1, sizeof(*turn));
	double now = (double)(now_ns - job->start_ns) / 1e9;
	uint32_t n = turn ? line_up(job, turn) : 0;
	struct paces p = { 0 };

	job->eta = (struct job_left){ .at_ns = now_ns };
	for (uint32_t i = 0; i < n; i++)
		mark(turn[i].disk, now_ns, true);
	p.guessed = pace_of_guessed(job);
	if (dw_strategy_find(job->spec.strategy)->turns)
		p.round = pace_of_round(turn, n);
	for (uint32_t i = 0; i < n; i++) {
		tell_finish(turn, i, now, &p);
		job->eta.seconds = fmax(job->eta.seconds, turn[i].disk->eta.finish - now);
	}
	return turn ? 0 : -ENOMEM;
}

double job_seconds_left(struct dw_job *job, struct job_disk *d, uint64_t now_ns)
{
	double now = (double)(now_ns - job->start_ns) / 1e9, stale;

	if (job_disk_state(d)->phase == DW_CORE_DONE)
		return 0;
	stale = fmax(STALE_LEAST, STALE * job->eta.seconds);
	if ((!job->eta.at_ns || (double)(now_ns - job->eta.at_ns) / 1e9 >= stale) &&
	    calculate(job, now_ns) < 0)
		return -1;
	return d->eta.finish < 0 ? -1 : fmax(0, d->eta.finish - now);
}

void job_take_course(struct job_disk *d, const struct dw_course *course, bool guessed)
{
	d->eta = (struct job_eta){ .course = *course, .known = true, .guessed = guessed };
}

int dw_job_expect(struct dw_job *job, uint32_t disk, double seconds)
{
	if (job->started)
		return -EBUSY;
	if (disk >= job->n_disks)
		return -EINVAL;
	job->disk[disk]->choice.expect = seconds;
	return 0;
}

int dw_job_limit(struct dw_job *job, uint32_t active)
{
	if (job->started)
		return -EBUSY;
	job->spec.active = job->result.spec.active = active;
	return 0;
}

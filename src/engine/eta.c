/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Estimates the remaining time of a job. The expectation of a disk comes from the forecast, or
 * without one from a typical disk alone; src/cost/remaining.c weighs it against what is measured.
 * A disk of which nothing is measured is expected to be like its peers. A disk that waits begins
 * when one before it ends. Disks behind a link that nobody has described may be held back by it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "cost/cost.h"
#include "engine/disk.h"
#include "engine/job.h"
#include "engine/links.h"
#include "engine/own.h"

#define TYPICAL_RATE  150000000
#define TYPICAL_RATIO 2    /* of the rates outside and inside, when it turns */
#define TYPICAL_ERROR 1.0  /* of the logarithm of its pace */
#define PEERS_ERROR   0.25 /* of a pace that was measured of others */
#define ROUND_ERROR   0.10 /* of those that take turns */
#define ZONES         1.9  /* times the rate inside is that outside, of what turns */
#define FLATTER       1.35 /* the same, of what is slower than it should be: a bus may be why */
#define FLOW_COMMANDS 16  /* of a measurement of what a link moves, at least */
#define FULL          1.1 /* times: a link that moves as much as ever may be full */
#define STALE         0.002 /* of the time that is left: it is calculated again after that */
#define STALE_LEAST   0.5 /* seconds, and not sooner than that */
#define CARRIES       2 /* disks that a link serves at the mean rate of their media, at least */
#define CARRIES_SAS                                                                      \
	10 /* the same of a wide port, four lanes of 6 Gbit/s, with a wire a disk */
#define CACHE_MOST  DW_GIB         /* no write cache holds more */
#define CACHE_USUAL (128 * DW_MIB) /* many hold as much */
#define CACHE_PART  0.1            /* of a small disk, at most */

/* The course of a typical disk that works alone. */
static int typical(const struct dw_job *job, struct job_disk *d)
{
	const struct dw_station none = { .title = "" };
	const struct dw_cost_rack rack = { .n_resources = dw_cost_resources(&none),
					   .n_links = 1,
					   .slots = 1 };
	struct dw_cost_stream stream = { .course = &d->eta.left.course };
	struct dw_cost_disk cost;
	struct station_disk s;
	double seconds;
	int r;

	station_disk_init(&s);
	s.blocks = d->plan.blocks;
	s.sector = d->plan.block_size;
	s.cache = d->caps.cache.wce != DW_NO;
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
	d->eta.left.error = TYPICAL_ERROR;
	return typical(job, d);
}

int job_eta_longer(struct job_disk *d)
{
	d->eta = (struct job_eta){ .guessed = true, .left.error = TYPICAL_ERROR };
	return typical(d->job, d);
}

/* A disk runs, waits for its first turn, or waits for its turn after an operation of its own. */
enum rank { RUNS, WAITS, IS_BACK };

static enum rank rank_of(const struct dw_disk_state *st)
{
	if (st->phase == DW_CORE_WAITING)
		return WAITS;
	return st->ns.back ? IS_BACK : RUNS;
}

static enum dw_work_kind work_of(const struct dw_disk_plan *p, uint8_t pass,
				 const struct dw_disk_state *st)
{
	if (dw_plan_kind(p, pass) == DW_PASS_OPERATION)
		return DW_WORK_OPERATE;
	if (p->command != DW_PLAN_WRITE && p->ws_max && st->same == DW_SAME_USED &&
	    dw_pattern_repeats(&p->pass[pass].pattern, p->block_size))
		return DW_WORK_SAME;
	return DW_WORK_WRITE;
}

/* Blocks of a pass, or of its verification, as core_disk_total() counts them. */
static double blocks_of(const struct dw_disk_plan *p, uint8_t pass, bool verify)
{
	uint64_t all = p->blocks - dw_zones_dead_below(p->zones, UINT64_MAX);

	if (!verify)
		return p->verify_only ? 0 : (double)all;
	if (p->pass[pass].verify == DW_VERIFY_OFF)
		return 0;
	return p->pass[pass].verify == DW_VERIFY_FULL
		       ? (double)all
		       : (double)p->blocks * p->percent / 100 +
				 (p->compare && pass + 1 == p->n_passes ? (double)all
									: 0);
}

/* Makes two phases for each pass from the current one on: its writing and its verification. */
static void lay_out(struct job_disk *d, const struct dw_disk_state *st)
{
	const struct dw_disk_plan *p = job_disk_plan(d);
	struct dw_remaining *e = &d->eta.left;
	double total = fmax(1, (double)st->work_total), at = total;
	bool turns = d->caps.rotation != 1;
	bool cached = d->caps.cache.wce != DW_NO;

	d->eta.first_pass = st->pass;
	e->n_phases = 2 * (uint32_t)(p->n_passes - st->pass);
	e->most_cached = (double)CACHE_MOST / p->block_size / total;
	e->on_medium = d->caps.rotation > 1;
	e->usual_cached = cached ? fmin((double)CACHE_USUAL / p->block_size,
					(double)p->blocks * CACHE_PART) /
					   total
				 : 0;
	for (uint32_t i = e->n_phases; i--;) {
		uint8_t pass = (uint8_t)(st->pass + i / 2);

		e->phase[i] = (struct dw_work_phase){ .until = at / total,
						      .work = DW_WORK_VERIFY };
		if (!(i % 2))
			e->phase[i].work = (uint8_t)work_of(p, pass, st);
		e->phase[i].cached = cached && e->phase[i].work == DW_WORK_WRITE;
		at = fmax(0, at - blocks_of(p, pass, i % 2));
	}
	d->eta.doubt = *e;
	d->eta.doubt.error = d->eta.guessed ? e->error : TYPICAL_ERROR;
	dw_remaining_expect(&d->eta.doubt, turns ? FLATTER : 1);
	dw_remaining_expect(e, !d->eta.guessed ? 0 : turns ? ZONES : 1);
}

/* Switches phases from WRITE SAME to WRITE when the core has done so. */
static void drop_same(struct job_disk *d, const struct dw_disk_state *st)
{
	bool cached = d->caps.cache.wce != DW_NO;

	if (st->same == DW_SAME_USED || d->eta.left.written)
		return;
	dw_remaining_write(&d->eta.left, cached);
	dw_remaining_write(&d->eta.doubt, cached);
}

static uint32_t phase_number(const struct job_disk *d, const struct dw_disk_state *st)
{
	bool verify = st->phase >= DW_CORE_CONTROL && st->phase <= DW_CORE_REVERIFY;
	uint32_t behind = (uint32_t)(st->pass - d->eta.first_pass);
	uint32_t i = 2 * (st->pass > d->eta.first_pass ? behind : 0) + verify;

	return i < d->eta.left.n_phases ? i : d->eta.left.n_phases - 1;
}

/* The estimator to use: a disk that contradicts its description counts as not described. */
static const struct dw_remaining *estimator(const struct job_eta *e)
{
	return dw_remaining_differs(&e->left) ? &e->doubt : &e->left;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void see(struct dw_remaining *e, const struct dw_work_observed *o, double started,
		bool turn)
{
	if (!e->moves)
		dw_remaining_begin(e, started);
	if (turn)
		dw_remaining_turn(e, o->at, o->phase, o->share);
	else
		dw_remaining_observe(e, o);
}

/* Observes a disk; @counts: since the last time it was at work, so that its pace counts. */
static void observe(struct job_disk *d, uint64_t now_ns, bool counts)
{
	const struct dw_disk_state *st = job_disk_state(d);
	struct job_eta *e = &d->eta;
	struct dw_work_observed o = {
		.at = seconds(now_ns),
		.share = st->work_total ? (double)st->work_done / (double)st->work_total
					: 1,
		.flushing = st->phase == DW_CORE_SETTLE || st->phase == DW_CORE_FLUSH ||
			    st->phase == DW_CORE_CONFIRM,
		.idle = !counts,
	};

	if (!e->left.n_phases)
		lay_out(d, st);
	if (!e->left.n_phases) /* all passes are done */
		return;
	drop_same(d, st);
	if (rank_of(st) == WAITS)
		return;
	o.phase = phase_number(d, st);
	if (st->phase == DW_CORE_OPERATE && now_ns > st->operation.reported_ns)
		o.since = seconds(now_ns - st->operation.reported_ns);
	see(&e->left, &o, seconds(st->ns.started), rank_of(st) == IS_BACK || e->back);
	see(&e->doubt, &o, seconds(st->ns.started), rank_of(st) == IS_BACK || e->back);
	e->back = rank_of(st) == IS_BACK;
}

void job_eta_event(struct job_disk *d, uint64_t now_ns, enum dw_core_event_kind kind)
{
	observe(d, now_ns,
		kind != DW_CORE_EVENT_RESUMED && kind != DW_CORE_EVENT_STARTED);
}

static bool takes_part(const struct job_disk *d)
{
	const struct dw_disk_state *st = job_disk_state(d);

	/* nobody knows when a paused disk continues, or when a disk is unplugged */
	return !d->out[0] && st && !st->paused && st->phase != DW_CORE_DONE &&
	       st->phase != DW_CORE_CYCLE;
}

/** struct turn - of a disk in the order of the job; @slot: it holds one that others wait for */
struct turn {
	enum rank rank;
	bool slot;
	double expected;
	struct job_disk *disk;
};

/* Disks that run come first, then those that wait, in the order of the strategy. */
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

		d->eta.ends = (struct dw_time_left){ .seconds = -1 };
		if (!takes_part(d)) {
			d->eta.seen.moved = false;
			job->eta.unknown |= job_disk_state(d) && !d->out[0] &&
					    job_disk_state(d)->phase != DW_CORE_DONE;
			continue;
		}
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

/* The pace of peers is the best guess for a disk of which nothing is measured: of the disks whose
 * rates are guesses, or of all disks that take turns, as these go at the pace of their round. */
static void peers_of(const struct turn *turn, uint32_t n, bool turns,
		     struct dw_estimate ret[DW_WORKS])
{
	for (uint32_t w = 0; w < DW_WORKS; w++) {
		double sum = 0, weight = 0, least = INFINITY;

		for (uint32_t i = 0; i < n; i++) {
			const struct job_eta *e = &turn[i].disk->eta;
			struct dw_estimate p;

			if (!e->left.moves || !(turns || e->guessed))
				continue;
			p = dw_remaining_measured(&e->left, (enum dw_work_kind)w);
			if (isinf(p.error))
				continue;
			p.error = hypot(p.error, p.slower);
			sum += p.log / (p.error * p.error);
			weight += 1 / (p.error * p.error);
			least = fmin(least, p.error);
		}
		ret[w] = (struct dw_estimate){
			weight > 0 ? sum / weight : 0,
			weight > 0 ? hypot(turns ? ROUND_ERROR : PEERS_ERROR, least)
				   : INFINITY
		};
	}
}

/* The time until a slot is free: that is when a disk before it on its link ends. */
static struct dw_time_left slot_time(struct turn *turn, uint32_t n,
				     const struct job_disk *d)
{
	struct turn *first = NULL;

	for (uint32_t i = 0; i < n; i++)
		if (turn[i].slot && turn[i].disk->place.link == d->place.link &&
		    (!first ||
		     turn[i].disk->eta.ends.seconds < first->disk->eta.ends.seconds))
			first = &turn[i];
	if (!first)
		return (struct dw_time_left){ 0 };
	first->slot = false;
	return first->disk->eta.ends;
}

/* How many times slower than alone the disk may move data, by the number of disks on its link. */
static double crowd_of(const struct job_disk *d)
{
	bool wired =
		!strcmp(d->info.transport, "sas") || !strcmp(d->info.transport, "sata") ||
		/* a simulated station, which is a modern one unless its file says so */
		!strcmp(d->info.host_driver, "simulated");
	double disks = d->eta.of_link->disks;

	if (d->job->spec.active)
		disks = fmin(disks, d->job->spec.active);
	return fmax(1, disks / (wired ? CARRIES_SAS : CARRIES));
}

static void estimate_end(struct turn *turn, uint32_t k, const struct dw_estimate *peers)
{
	struct job_eta *e = &turn[k].disk->eta;
	const struct dw_remaining *by = estimator(e);
	struct dw_estimate expected[DW_WORKS];
	struct dw_time_left at = { 0 }, left;

	if (e->left.on_medium)
		e->left.crowd = e->doubt.crowd = crowd_of(turn[k].disk);
	dw_pace_expected(e->guessed || by == &e->left ? peers : NULL, by->error,
			 expected);
	if (turn[k].rank != RUNS) {
		at = slot_time(turn, k, turn[k].disk);
		turn[k].slot = true;
	}
	left = dw_remaining_left(by, expected);
	e->own = left;
	e->ends = (struct dw_time_left){ at.seconds + left.seconds, at.low + left.low,
					 at.high + left.high };
}

/* The first disk of the job on each link keeps what was measured of it. Disks come and go, so each
 * calculation finds it again. */
static int find_flows(struct dw_job *job)
{
	dw_autofree struct job_flow **flow = NULL;
	uint32_t n = 1;

	for (uint32_t i = 0; i < job->n_disks; i++)
		n = (uint32_t)dw_max_u64(n, job->disk[i]->place.link + 1ull);
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	flow = calloc(n, sizeof(*flow));
	if (!flow)
		return -ENOMEM;
	for (uint32_t i = 0; i < job->n_disks; i++) {
		struct job_disk *d = job->disk[i];

		if (!flow[d->place.link]) {
			flow[d->place.link] = &d->eta.flow;
			d->eta.flow.disks = job_link_disks(d);
		}
		d->eta.of_link = flow[d->place.link];
	}
	return 0;
}

static bool moves_data(const struct job_disk *d)
{
	const struct dw_disk_state *st = job_disk_state(d);

	return d->eta.left.n_phases && rank_of(st) == RUNS &&
	       dw_work_moves(d->eta.left.phase[phase_number(d, st)].work);
}

/* Adds what the disk has moved over its link since the last time. Its work may have gone back, as
 * what was not flushed was lost. */
static void see_flow(struct job_disk *d)
{
	const struct dw_disk_state *st = job_disk_state(d);
	struct job_flow *f = d->eta.of_link;
	struct job_eta *e = &d->eta;

	if (e->seen.moved && moves_data(d) && st->work_done > e->seen.blocks) {
		f->bytes += (double)(st->work_done - e->seen.blocks) * d->plan.block_size;
		f->commands += (double)(st->commands - e->seen.commands);
	}
	e->seen = (struct job_seen){ moves_data(d), st->work_done, st->commands };
}

/* What many commands have moved is certain but for one standard deviation of their number. */
static void measure_flow(struct job_flow *f, double at)
{
	double took = at - f->since;

	if (f->since > 0 && (took < STALE_LEAST || f->commands < FLOW_COMMANDS))
		return;
	if (f->since > 0) {
		f->error = 1 / sqrt(f->commands);
		f->rate = f->bytes / took;
		f->most = fmax(f->most, f->rate * (1 - f->error));
	}
	f->since = at;
	f->bytes = f->commands = 0;
}

static void measure_links(struct dw_job *job, const struct turn *turn, uint32_t n,
			  double at)
{
	for (uint32_t i = 0; i < n; i++)
		see_flow(turn[i].disk);
	for (uint32_t i = 0; i < job->n_disks; i++) {
		struct job_flow *f = &job->disk[i]->eta.flow;

		measure_flow(f, at);
		f->left = f->own = 0;
		f->sharers = 0;
		f->described = false;
	}
}

/* Adds what the disk has still to move. */
static void share_link(const struct job_disk *d)
{
	const struct dw_time_left *t = &d->eta.own;
	struct job_flow *f = d->eta.of_link;

	f->left += t->share * (double)job_disk_state(d)->work_total * d->plan.block_size;
	f->own = fmax(f->own, t->seconds - t->moving);
	f->sharers++;
	f->described |= !estimator(&d->eta)->guessed;
}

/* Seconds until all disks of a link have ended if the link is what limits them: those that are left
 * get what those that end have had. It is not, if it has moved more before: while caches took in
 * data, further outside, or with more disks. Where a disk is as described, so is the link. */
static double shared(const struct job_flow *f)
{
	if (f->sharers < 2 || f->described || !(f->rate > 0) ||
	    f->rate * (1 + f->error) * FULL < f->most)
		return INFINITY;
	return fmax(f->left / f->rate, f->own);
}

/* Nobody knows whether the link is the limit: both ends are in the interval, and what is between
 * them is off by the least. */
static void end_shared(struct job_disk *d)
{
	struct dw_time_left *t = &d->eta.ends;
	double by = t->seconds > 0 ? fmin(1, shared(d->eta.of_link) / t->seconds) : 1;

	t->seconds *= sqrt(by);
	t->low *= by;
}

/* Calculates the remaining time of the job and of all its disks. */
static int calculate(struct dw_job *job, uint64_t now_ns)
{
	dw_autofree struct turn *turn = calloc(job->n_disks + 1, sizeof(*turn));
	bool turns = dw_strategy_find(job->spec.strategy)->turns;
	struct dw_time_left *all = &job->eta.left;
	struct dw_estimate peers[DW_WORKS];
	uint32_t n;

	if (!turn || find_flows(job) < 0)
		return -ENOMEM;
	job->eta = (struct job_left){ .at_ns = now_ns, .report_at = job->eta.report_at };
	n = line_up(job, turn);
	for (uint32_t i = 0; i < n; i++)
		observe(turn[i].disk, now_ns, true);
	measure_links(job, turn, n, seconds(now_ns));
	peers_of(turn, n, turns, peers);
	for (uint32_t i = 0; i < n; i++) {
		estimate_end(turn, i, turns || turn[i].disk->eta.guessed ? peers : NULL);
		share_link(turn[i].disk);
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct dw_time_left *t = &turn[i].disk->eta.ends;

		end_shared(turn[i].disk);
		all->seconds = fmax(all->seconds, t->seconds);
		all->low = fmax(all->low, t->low);
		all->high = fmax(all->high, t->high);
	}
	return 0;
}

/* Calculates again if the last result is older than a reader would notice. */
static int keep_fresh(struct dw_job *job, uint64_t now_ns)
{
	double stale = fmax(STALE_LEAST, STALE * job->eta.left.seconds);

	if (job->eta.at_ns && seconds(now_ns - job->eta.at_ns) < stale)
		return 0;
	return calculate(job, now_ns);
}

static double shown(const struct dw_job *job, const struct dw_time_left *t,
		    uint64_t now_ns)
{
	if (t->seconds < 0 || !dw_time_known(t))
		return -1;
	return fmax(0, t->seconds - seconds(now_ns - job->eta.at_ns));
}

double job_seconds_left(struct dw_job *job, struct job_disk *d, uint64_t now_ns)
{
	if (job_disk_state(d)->phase == DW_CORE_DONE)
		return 0;
	if (keep_fresh(job, now_ns) < 0)
		return -1;
	return shown(job, &d->eta.ends, now_ns);
}

double dw_job_remaining(struct dw_job *job)
{
	uint64_t now_ns;

	if (!job_runs(job))
		return job_reached(job, JOB_OVER) ? 0 : -1;
	now_ns = job_now(job);
	if (keep_fresh(job, now_ns) < 0 || job->eta.unknown)
		return -1;
	return shown(job, &job->eta.left, now_ns);
}

void job_take_course(struct job_disk *d, const struct dw_course *course, double error,
		     bool guessed)
{
	d->eta = (struct job_eta){ .left = { .course = *course, .error = error },
				   .known = true,
				   .guessed = guessed };
}

int dw_job_expect(struct dw_job *job, uint32_t disk, double seconds)
{
	if (job_reached(job, JOB_STARTED))
		return -EBUSY;
	if (disk >= job->n_disks)
		return -EINVAL;
	job->disk[disk]->choice.expect = seconds;
	return 0;
}

int dw_job_limit(struct dw_job *job, uint32_t active)
{
	if (job_reached(job, JOB_STARTED))
		return -EBUSY;
	job->spec.active = job->result.spec.active = active;
	return 0;
}

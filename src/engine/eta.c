/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time that is left, asked of src/cost from the place where each disk is: what it still
 * has to write and to read, what it shares with the others, and those that still wait. What a
 * byte took so far corrects what was calculated, for writing and reading, and for a disk alone
 * and one that shares a bus in use. Without a forecast a disk is a typical one that shares
 * nothing, and only what was measured counts.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "engine/internal.h"

#define TYPICAL_RATE  150000000
#define TYPICAL_RATIO 2 /* of the rates outside and inside, when it turns */
#define TRUST         0.01 /* at first the forecast counts as much as that share of the work */
#define MEMORY        0.10 /* what was measured longer ago than that share counts less */
#define HELD          0.5  /* of what another got, beside what was calculated */
#define SETTLE        0.03 /* of the time that is left: so fast is the sharing corrected */
#define GRAIN         0.001 /* of the time that is left: so exact is it calculated */
#define STALE         0.01 /* of the time that is left: it is calculated anew after that */
#define STALE_MANY    250.0 /* disks: of more, after as many times that */
#define STALE_LEAST   1.0   /* seconds, and not sooner than that */

static int typical(const struct dw_job *job, struct job_disk *d)
{
	const struct dw_station none = { .title = "" };
	struct station_disk s;

	station_disk_init(&s);
	s.blocks = d->plan.blocks;
	s.sector = d->plan.block_size;
	s.cache = d->caps.wce != DW_NO;
	s.rpm = d->caps.rotation > 1 ? d->caps.rotation : 0;
	s.outer = TYPICAL_RATE;
	s.inner = s.rpm ? TYPICAL_RATE / TYPICAL_RATIO : TYPICAL_RATE;
	return dw_cost_disk_init(&d->eta.cost, &(struct dw_cost_case){ .station = &none,
								       .disk = &s,
								       .plan = &d->plan,
								       .spec = &job->spec,
								       .disks = 1 });
}

/* near and far come in turns: each place is an average one */
static void flatten(struct dw_cost_disk *c)
{
	for (uint32_t i = 0; i < c->n_phases; i++) {
		struct dw_cost_curve *v = &c->phase[i].curve;

		v->outer = v->inner = v->bytes / dw_cost_curve_seconds(v, 0, v->bytes);
		v->extra = v->least = 0;
	}
}

int job_eta_begin(struct dw_job *job, struct job_disk *d)
{
	struct job_eta *e = &d->eta;

	if (!e->cost.phase && typical(job, d) < 0)
		return -ENOMEM;
	if (d->plan.order.n)
		flatten(&e->cost);
	for (int kind = 0; kind < 2 && e->known; kind++) {
		e->should[kind] = TRUST * e->cost.alone;
		e->is[kind] = e->should[kind] * e->cost.slow[kind];
	}
	memcpy(e->slow, e->cost.slow, sizeof(e->slow));
	memcpy(e->part, e->cost.part, sizeof(e->part));
	return 0;
}

static uint8_t phase_kind(const struct dw_disk_state *st)
{
	return st->phase >= DW_CORE_VERIFY ? DW_COST_VERIFY : DW_COST_WRITE;
}

/* the phase in hand; the last one when there is none such */
static uint32_t phase_in_hand(const struct job_disk *d, const struct dw_disk_state *st)
{
	uint32_t k = 0;

	while (k + 1 < d->eta.cost.n_phases &&
	       (d->eta.cost.phase[k].kind != phase_kind(st) ||
		d->eta.cost.phase[k].pass != st->pass))
		k++;
	return k;
}

/* bytes of the medium's sweep that are done in it */
static double sweep_done(const struct job_disk *d, const struct dw_disk_state *st)
{
	const struct dw_cost_phase *p = &d->eta.cost.phase[d->eta.phase];
	double blocks = (double)st->work_done - (double)d->eta.begin_work;

	return fmin(d->eta.begin_x + blocks * d->plan.block_size / p->share, p->to);
}

/* at its own pace @took seconds passed where @should were calculated */
static void learn_pace(struct job_eta *e, double took, double should)
{
	const struct dw_cost_phase *p = &e->cost.phase[e->phase];
	double forget = exp(-should / (MEMORY * dw_cost_phase_seconds(p)));

	e->is[p->kind] = e->is[p->kind] * forget + took;
	e->should[p->kind] = e->should[p->kind] * forget + should;
	e->slow[p->kind] = e->is[p->kind] / e->should[p->kind];
}

/* what was measured on the way from the last mark to @x, which took @took seconds */
static void measure_step(struct job_eta *e, double x, double took)
{
	const struct dw_cost_phase *p = &e->cost.phase[e->phase];
	double should = p->share * dw_cost_curve_seconds(&p->curve, e->x, x);

	e->measured[p->kind] = true;
	if (e->shared) {
		e->got += x - e->x;
		e->given += e->rate * took;
		e->took += took;
		e->alone += should;
	} else {
		learn_pace(e, took, should);
	}
}

/* a mark: what was measured since the last one counts from now on */
static void mark(struct job_disk *d, const struct dw_disk_state *st, uint64_t now_ns)
{
	struct job_eta *e = &d->eta;
	double x = sweep_done(d, st);

	if (e->cost.phase[e->phase].by_itself) /* as it was then, not as it is */
		now_ns = dw_max_u64(st->told_ns, e->at_ns);
	if (e->counts && (x <= e->x || now_ns <= e->at_ns))
		return; /* it goes on counting */
	if (e->counts)
		measure_step(e, x, (double)(now_ns - e->at_ns) / 1e9);
	e->x = x;
	e->at_ns = now_ns;
}

static void begin_phase(struct job_disk *d, const struct dw_disk_state *st)
{
	struct job_eta *e = &d->eta;
	uint32_t phase = phase_in_hand(d, st);

	/* flushes and what else belongs to it */
	if (e->begun && phase == e->phase)
		return;
	e->begun = true;
	e->phase = phase;
	e->begin_work = st->work_done;
	e->begin_x = phase_kind(st) == DW_COST_WRITE
			     ? (double)st->mark * d->plan.block_size
			     : 0;
}

void job_eta_event(struct dw_job *job, struct job_disk *d, uint64_t now_ns,
		   enum dw_core_event_kind kind)
{
	const struct dw_disk_state *st = job_disk_state(d);
	struct job_eta *e = &d->eta;

	if (!e->cost.n_phases)
		return;
	mark(d, st, now_ns);
	e->counts = false; /* until it is known what holds it up */
	if (kind == DW_CORE_EVENT_PHASE)
		begin_phase(d, st);
	e->x = sweep_done(d, st);
	e->at_ns = now_ns;
}

/* how much slower than calculated. Of a kind of work that has not begun yet it is as of the
 * other one, where that is all that is known of the disk, or where its medium sets the pace of
 * both */
static void corrections(const struct job_eta *e, struct dw_cost_stream *s)
{
	const struct dw_cost_phase *p = &e->cost.phase[e->phase];
	uint8_t other = !p->kind;

	memcpy(s->slow, e->slow, sizeof(s->slow));
	memcpy(s->part, e->part, sizeof(s->part));
	if (e->measured[p->kind] && !e->measured[other] && (!e->known || !p->limit))
		s->slow[other] = s->slow[p->kind];
}

static bool takes_part(const struct dw_job *job, const struct job_disk *d)
{
	const struct dw_disk_state *st = job_disk_state(d);

	return !d->out[0] && d->eta.cost.n_phases && st && !st->paused &&
	       st->phase != DW_CORE_DONE;
}

/* it runs, waits for its first turn, or for one after its own work */
enum rank { RUNS, WAITS, IS_BACK };

static enum rank rank_of(const struct job_disk *d)
{
	const struct dw_disk_state *st = job_disk_state(d);

	if (st->phase == DW_CORE_WAITING)
		return WAITS;
	return st->back_ns ? IS_BACK : RUNS;
}

struct turn {
	enum rank rank;
	double expected;
	struct job_disk *disk;
};

/* those that run before those that wait, which come as the strategy takes them */
static int earlier(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->expected != y->expected)
		return x->expected < y->expected ? 1 : -1;
	return x->disk->id < y->disk->id ? -1 : x->disk->id > y->disk->id;
}

static uint32_t line_up(struct dw_job *job, const struct dw_strategy *strategy,
			struct turn *turn)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < job->n_disks; i++) {
		struct job_disk *d = job->disk[i];

		d->eta.finish = -1;
		if (!takes_part(job, d))
			continue;
		turn[n++] = (struct turn){
			.rank = rank_of(d),
			.expected = strategy->longest_first ? d->expect : 0,
			.disk = d,
		};
	}
	qsort(turn, n, sizeof(*turn), earlier);
	return n;
}

static void take_finish(struct job_disk *d, const struct dw_cost_stream *s, double now)
{
	struct job_eta *e = &d->eta;

	e->rate = s->rate;
	e->shared = s->shared;
	e->counts = s->rate > 0;
	if (e->known || e->measured[DW_COST_WRITE] || e->measured[DW_COST_VERIFY])
		e->finish = now + s->finish;
}

static uint8_t kind_in_hand(const struct job_eta *e)
{
	return e->cost.phase[e->phase].kind;
}

/* who got far less of what is used up than another at the same work goes at its own pace;
 * @most: that any got, by kind */
static bool is_held(const struct job_eta *e, const double most[2])
{
	return e->given > 0 && e->got > HELD * most[kind_in_hand(e)] * e->given;
}

/* what is shared is used up sooner than was calculated, or goes in other parts */
static void share_anew(struct dw_job *job, const struct turn *turn, uint32_t n,
		       double seconds)
{
	double gain = 1 - exp(-seconds / (SETTLE * (seconds + job->eta.seconds)));
	double most[2] = { 0 }, got = 0, given = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct job_eta *e = &turn[i].disk->eta;

		if (e->given > 0)
			most[kind_in_hand(e)] =
				fmax(most[kind_in_hand(e)], e->got / e->given);
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct job_eta *e = &turn[i].disk->eta;

		got += is_held(e, most) ? e->got : 0;
		given += is_held(e, most) ? e->given : 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct job_eta *e = &turn[i].disk->eta;

		if (is_held(e, most))
			e->part[kind_in_hand(e)] *=
				pow(e->got / e->given * given / got, gain);
		else if (e->took > 0 && e->alone > 0)
			learn_pace(e, e->took, e->alone);
		e->got = e->given = e->took = e->alone = 0;
	}
	if (got > 0)
		job->eta.crowd *= pow(given / got, gain);
}

/* what works by itself has gone on since it was asked */
static double place_now(const struct job_eta *e, uint64_t now_ns)
{
	const struct dw_cost_phase *p = &e->cost.phase[e->phase];

	if (!p->by_itself || now_ns <= e->at_ns)
		return e->x;
	return fmin(p->to, e->x + (double)(now_ns - e->at_ns) / 1e9 * p->curve.outer /
					   e->slow[p->kind]);
}

/* all that is left of the job, anew */
static int calculate(struct dw_job *job, uint64_t now_ns)
{
	const struct dw_strategy *strategy = dw_strategy_find(job->spec.strategy);
	struct turn *turn = calloc(job->n_disks + 1, sizeof(*turn));
	struct dw_cost_stream *s = calloc(job->n_disks + 1, sizeof(*s));
	uint32_t n = turn && s ? line_up(job, strategy, turn) : 0;
	double now = (double)(now_ns - job->start_ns) / 1e9;
	struct dw_cost_rack rack = { .n_resources = job->eta.n_resources,
				     .grain = GRAIN };
	int r = turn && s ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < n; i++)
		mark(turn[i].disk, job_disk_state(turn[i].disk), now_ns);
	if (job->eta.at_ns)
		share_anew(job, turn, n, (double)(now_ns - job->eta.at_ns) / 1e9);
	for (uint32_t i = 0; i < n; i++) {
		const struct job_eta *e = &turn[i].disk->eta;

		s[i] = (struct dw_cost_stream){ .disk = &e->cost,
						.link = turn[i].disk->link,
						.begun = turn[i].rank != WAITS,
						.phase = e->phase,
						.x = place_now(e, now_ns) };
		corrections(e, &s[i]);
	}
	rack.n_links = job->engine->n_links;
	rack.slots = dw_strategy_slots(strategy, job->spec.active, n);
	rack.crowd = job->eta.crowd > 0 ? job->eta.crowd : 1;
	if (!r)
		r = dw_cost_run(s, n, &rack, &job->eta.seconds);
	for (uint32_t i = 0; i < n && !r; i++)
		take_finish(turn[i].disk, &s[i], now);
	job->eta.at_ns = now_ns;
	free(turn);
	free(s);
	return r;
}

double job_seconds_left(struct dw_job *job, struct job_disk *d, uint64_t now_ns)
{
	double now = (double)(now_ns - job->start_ns) / 1e9, stale;

	if (job_disk_state(d)->phase == DW_CORE_DONE)
		return 0;
	stale = STALE * job->eta.seconds * fmax(1, job->n_disks / STALE_MANY);
	stale = fmax(STALE_LEAST, stale);
	if ((!job->eta.at_ns || (double)(now_ns - job->eta.at_ns) / 1e9 >= stale) &&
	    calculate(job, now_ns) < 0)
		return -1;
	return d->eta.finish < 0 ? -1 : fmax(0, d->eta.finish - now);
}

void job_take_cost(struct dw_job *job, struct job_disk *d,
		   const struct dw_cost_disk *cost)
{
	dw_cost_disk_deinit(&d->eta.cost);
	d->eta.cost = *cost;
	d->eta.known = true;
}

int dw_job_expect(struct dw_job *job, uint32_t disk, double seconds)
{
	if (job->started)
		return -EBUSY;
	if (disk >= job->n_disks)
		return -EINVAL;
	job->disk[disk]->expect = seconds;
	return 0;
}

int dw_job_limit(struct dw_job *job, uint32_t active)
{
	if (job->started)
		return -EBUSY;
	job->spec.active = job->result.spec.active = active;
	return 0;
}

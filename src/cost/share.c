/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disks as streams. Each wants what its curve gives at the place where it is; resources are
 * shared by weighted max-min; time continues to the next end of a phase. Demands only fall within
 * a phase, so where all disks at full speed use up nothing, nothing is shared at any time and
 * every phase is its closed form; else steps are short enough for the curves to be straight.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cost/cost.h"

#define PIECES 64 /* of a medium, at least, where rates depend on each other */
#define ROUNDS 64
#define STEPS  200000

enum stream_stage { WAITING, MOVING, FIXED, DONE };

/**
 * struct stream - one disk on its way
 * @io: as it was handed in
 * @all: bytes of all phases, @before: of those that have ended
 * @x: place on the medium, @left: seconds of what is fixed
 * @want: bytes per second it could move, @gets: that it moves
 * @given: its rate has been found, @held: a resource keeps it from more
 * @ends: seconds to the end of the stage at this rate, @begun: when the stage began
 * @started: it has begun at all; @slot: it has one of the slots
 */
struct stream {
	struct dw_cost_stream *io;
	uint32_t phase;
	enum stream_stage stage;
	double all;
	double before;
	double x;
	double left;
	double want;
	double gets;
	bool given;
	bool held;
	bool started;
	bool slot;
	double ends;
	double begun;
};

/**
 * struct fluid - all of them
 * @busy: slots of each link that are in use
 * @queue, @waiting: numbers of those that wait for a slot
 * @unfinished: streams that have not ended
 */
struct fluid {
	struct stream *s;
	uint32_t n;
	const struct dw_cost_rack *rack;
	double *left;
	double *wanted;
	uint32_t *busy;
	double now;
	uint32_t *queue;
	uint32_t waiting;
	uint32_t unfinished;
};

static const struct dw_cost_phase *stream_phase(const struct stream *s)
{
	return &s->io->disk->phase[s->phase];
}

static double want(const struct stream *s)
{
	return dw_cost_curve_rate(&stream_phase(s)->curve, s->x);
}

/* of its work, when byte @x of the phase is on the medium: what the cache holds is done, too */
static double share_done(const struct stream *s, double x)
{
	const struct dw_cost_phase *p = stream_phase(s);

	if (x > p->from)
		x = fmin(x + p->drain * p->curve.inner, p->to);
	return fmin(1, (s->before + p->share * x) / s->all);
}

static void note_place(const struct fluid *f, struct stream *s)
{
	if (s->io->course)
		dw_course_note(s->io->course, share_done(s, s->x), f->now);
}

/* a whole phase at its own pace */
static void note_phase(struct stream *s)
{
	const struct dw_cost_phase *p = stream_phase(s);

	for (uint32_t k = 1; k <= PIECES && s->io->course; k++) {
		double x = p->from + (p->to - p->from) * k / PIECES;

		dw_course_note(s->io->course, share_done(s, x),
			       s->begun + p->share * dw_cost_curve_seconds(&p->curve,
									   p->from, x));
	}
}

static void move_off(struct fluid *f, struct stream *s)
{
	s->stage = MOVING;
	s->begun = f->now;
	s->held = false;
	s->x = stream_phase(s)->from;
	if (s->started) {
		note_place(f, s); /* it may have waited */
		return;
	}
	s->started = true;
	s->io->start = f->now;
	if (s->io->course)
		dw_course_begin(s->io->course, share_done(s, s->x), f->now);
}

static void end_stream(struct fluid *f, struct stream *s)
{
	s->stage = DONE;
	s->io->finish = f->now;
	f->unfinished--;
	if (!s->started)
		s->io->start = f->now;
	if (s->io->course && !s->started)
		dw_course_begin(s->io->course, 0, f->now);
	if (s->io->course)
		dw_course_end(s->io->course, f->now);
}

/* at once when it needs no slot or has one, else when it is admitted */
static void begin_phase(struct fluid *f, struct stream *s)
{
	bool more = s->phase < s->io->disk->n_phases;
	bool needs = more && !stream_phase(s)->by_itself;

	f->busy[s->io->link] -= s->slot && !needs;
	s->slot &= needs;
	if (!more) {
		end_stream(f, s);
	} else if (needs && !s->slot) {
		s->stage = WAITING;
		f->queue[f->waiting++] = (uint32_t)(s - f->s);
	} else {
		move_off(f, s);
	}
}

/* in the order in which they came, as far as there is room on their links */
static void admit_streams(struct fluid *f)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < f->waiting; i++) {
		struct stream *s = &f->s[f->queue[i]];

		if (f->busy[s->io->link] >= f->rack->slots) {
			f->queue[left++] = f->queue[i];
			continue;
		}
		f->busy[s->io->link]++;
		s->slot = true;
		move_off(f, s);
	}
	f->waiting = left;
}

/* the resource that is used up first as all that are left grow alike; its level */
static double tightest(struct fluid *f, uint32_t *ret)
{
	double least = INFINITY;

	memset(f->wanted, 0, f->rack->n_resources * sizeof(*f->wanted));
	for (uint32_t i = 0; i < f->n; i++) {
		const struct stream *s = &f->s[i];

		if (s->stage != MOVING || s->given)
			continue;
		for (uint32_t u = 0; u < stream_phase(s)->n_use; u++)
			f->wanted[stream_phase(s)->use[u].resource] +=
				stream_phase(s)->weight * stream_phase(s)->use[u].cost;
	}
	for (uint32_t r = 0; r < f->rack->n_resources; r++) {
		if (f->wanted[r] <= 0 || f->left[r] / f->wanted[r] >= least)
			continue;
		least = f->left[r] / f->wanted[r];
		*ret = r;
	}
	return fmax(least, 0);
}

static void give(struct fluid *f, struct stream *s, double bytes, bool held)
{
	const struct dw_cost_phase *p = stream_phase(s);

	s->gets = bytes;
	s->given = true;
	s->held = held;
	for (uint32_t u = 0; u < p->n_use; u++)
		f->left[p->use[u].resource] =
			fmax(0, f->left[p->use[u].resource] - bytes * p->use[u].cost);
}

static bool uses_resource(const struct dw_cost_phase *p, uint32_t resource)
{
	for (uint32_t u = 0; u < p->n_use; u++)
		if (p->use[u].resource == resource)
			return true;
	return false;
}

/* who wants less than the level has it; when nobody does, the users of the tightest resource
 * share it */
static bool share_round(struct fluid *f, bool last)
{
	uint32_t resource = 0;
	double level = tightest(f, &resource);
	bool some = false, any = false;

	for (uint32_t i = 0; i < f->n; i++) {
		struct stream *s = &f->s[i];

		if (s->stage != MOVING || s->given)
			continue;
		any = true;
		if (s->want > level * stream_phase(s)->weight)
			continue;
		give(f, s, s->want, false);
		some = true;
	}
	for (uint32_t i = 0; i < f->n && !some; i++) {
		struct stream *s = &f->s[i];

		if (s->stage == MOVING && !s->given &&
		    (last || uses_resource(stream_phase(s), resource)))
			give(f, s, fmax(level * stream_phase(s)->weight, 1e-3), true);
	}
	return any;
}

static void share_out(struct fluid *f)
{
	for (uint32_t r = 0; r < f->rack->n_resources; r++)
		f->left[r] = 1;
	for (uint32_t i = 0; i < f->n; i++) {
		f->s[i].given = false;
		if (f->s[i].stage == MOVING)
			f->s[i].want = want(&f->s[i]);
	}
	for (uint32_t k = 0; k < ROUNDS; k++)
		if (!share_round(f, k + 1 == ROUNDS))
			break;
}

/* seconds to the end of a stage at the rate in hand */
static double ends(const struct stream *s, bool may_share)
{
	const struct dw_cost_phase *p;
	struct dw_cost_curve c;

	if (s->stage == FIXED)
		return s->left;
	p = stream_phase(s);
	c = p->curve;
	if (may_share && s->held)
		c.least = fmax(c.least, 1 / s->gets);
	return p->share * dw_cost_curve_seconds(&c, s->x, p->to);
}

/* as far as the curves are straight */
static double step_length(struct fluid *f, bool may_share)
{
	double dt = INFINITY;

	for (uint32_t i = 0; i < f->n; i++) {
		struct stream *s = &f->s[i];

		if (s->stage != MOVING && s->stage != FIXED)
			continue;
		if (may_share || s->begun == f->now)
			s->ends = ends(s, may_share);
		dt = fmin(dt, s->ends);
		if (may_share && s->stage == MOVING)
			dt = fmin(dt, fmax(stream_phase(s)->to / PIECES /
						   (s->gets / stream_phase(s)->share),
					   1e-6));
	}
	return dt;
}

static void end_stage(struct fluid *f, struct stream *s, bool may_share)
{
	struct dw_phase_seconds *t = &s->io->seconds;
	const struct dw_cost_phase *p = stream_phase(s);
	double took = f->now - s->begun;
	double drain = s->held ? 0 : fmin(p->drain, took);

	if (s->stage == MOVING) {
		if (p->kind == DW_COST_VERIFY)
			t->verify += took;
		t->write += p->kind == DW_COST_VERIFY ? 0 : took - drain;
		t->flush += p->kind == DW_COST_VERIFY ? 0 : drain;
		s->x = p->to;
		if (may_share)
			note_place(f, s);
		else
			note_phase(s);
		s->before += p->share * p->to;
		s->stage = FIXED;
		s->left = p->fixed;
		s->begun = f->now;
		return;
	}
	if (p->kind == DW_COST_VERIFY)
		t->verify += took;
	else
		t->flush += took;
	s->phase++;
	begin_phase(f, s);
}

/* the rate at the middle of the step counts */
static void move(const struct fluid *f, struct stream *s, double dt)
{
	const struct dw_cost_phase *p = stream_phase(s);
	double half = s->x + s->gets / p->share * dt / 2;
	double v = dw_cost_curve_rate(&p->curve, fmin(half, p->to));

	if (s->held)
		v = fmin(v, s->gets);
	s->x = fmin(s->x + v / p->share * dt, p->to);
	note_place(f, s);
}

static void advance_fluid(struct fluid *f, double dt, bool may_share)
{
	f->now += dt;
	for (uint32_t i = 0; i < f->n; i++) {
		struct stream *s = &f->s[i];

		if (s->stage != MOVING && s->stage != FIXED)
			continue;
		if (s->ends <= dt * (1 + 1e-9)) {
			end_stage(f, s, may_share);
			continue;
		}
		s->ends -= dt;
		if (s->stage == FIXED)
			s->left -= dt;
		else if (may_share)
			move(f, s, dt);
	}
}

/* of one disk at full speed, the most that any phase asks of each resource */
static void demand(const struct dw_cost_stream *s, const struct dw_cost_rack *rack,
		   double *most)
{
	memset(most, 0, rack->n_resources * sizeof(*most));
	for (uint32_t k = 0; k < s->disk->n_phases; k++) {
		const struct dw_cost_phase *p = &s->disk->phase[k];
		double rate = dw_cost_curve_rate(&p->curve, p->from);

		for (uint32_t u = 0; u < p->n_use; u++)
			most[p->use[u].resource] =
				fmax(most[p->use[u].resource], p->use[u].cost * rate);
	}
}

int dw_cost_load(const struct dw_cost_stream *s, uint32_t n,
		 const struct dw_cost_rack *rack, double *ret)
{
	double *sum = calloc(rack->n_resources + 1, sizeof(*sum));
	double *most = calloc(rack->n_resources + 1, sizeof(*most)), load = 0;
	int r = sum && most ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < n && !r; i++) {
		demand(&s[i], rack, most);
		for (uint32_t k = 0; k < rack->n_resources; k++)
			sum[k] += most[k];
	}
	/* one after the other nobody shares */
	for (uint32_t k = 0; k < rack->n_resources && !r; k++)
		load = fmax(load,
			    rack->slots * rack->n_links > 1 ? sum[k] : fmin(sum[k], 1));
	if (!r)
		*ret = load;
	free(sum);
	free(most);
	return r;
}

static int run_fluid(struct fluid *f, bool may_share)
{
	for (uint32_t k = 0; k < STEPS; k++) {
		double dt;

		admit_streams(f);
		if (!f->unfinished)
			return 0;
		if (may_share)
			share_out(f);
		dt = step_length(f, may_share);
		if (!(dt < INFINITY))
			return -EINVAL;
		advance_fluid(f, dt, may_share);
	}
	return -EINVAL;
}

/* what was done before counts */
static double all_bytes(const struct dw_cost_disk *d)
{
	double all = 0;

	for (uint32_t k = 0; k < d->n_phases; k++)
		all += d->phase[k].share * d->phase[k].to;
	return all;
}

int dw_cost_run(struct dw_cost_stream *s, uint32_t n, const struct dw_cost_rack *rack,
		double *ret_seconds)
{
	struct fluid f = { .n = n, .rack = rack };
	double load = 0;
	int r = dw_cost_load(s, n, rack, &load);

	f.s = calloc(n + 1, sizeof(*f.s));
	f.left = calloc(rack->n_resources + 1, sizeof(*f.left));
	f.wanted = calloc(rack->n_resources + 1, sizeof(*f.wanted));
	f.busy = calloc(rack->n_links, sizeof(*f.busy));
	f.queue = calloc(n + 1, sizeof(*f.queue));
	if (!r && (!f.s || !f.left || !f.wanted || !f.busy || !f.queue))
		r = -ENOMEM;
	f.unfinished = n;
	for (uint32_t i = 0; i < n && !r; i++) {
		s[i].seconds = (struct dw_phase_seconds){ 0 };
		f.s[i].io = &s[i];
		f.s[i].all = all_bytes(s[i].disk);
		begin_phase(&f, &f.s[i]);
	}
	if (!r)
		r = run_fluid(&f, load > 1);
	*ret_seconds = f.now;
	free(f.s);
	free(f.left);
	free(f.wanted);
	free(f.busy);
	free(f.queue);
	return r;
}

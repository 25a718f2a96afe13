/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disks as streams. Each wants what its curve gives at the place where it is; resources are
 * shared by weighted max-min; time goes on to the next end of a phase. Demands only fall within
 * a phase, so where all disks at full speed use up nothing, nothing is shared at any time and
 * every phase is its closed form; else steps are short enough for the curves to be straight.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "predict/predict.h"

#define PIECES 64 /* of a medium, at least, where rates depend on each other */
#define ROUNDS 64
#define STEPS  200000

enum stage { WAITING, MOVING, FIXED, DONE };

/**
 * struct stream - one disk on its way
 * @x: place on the medium, @left: seconds of what is fixed
 * @want: bytes per second it could move, @gets: that it moves
 * @given: its rate has been found, @held: a resource keeps it from more
 * @ends: seconds to the end of the stage at this rate, @begun: when the stage began
 */
struct stream {
	const struct pf_disk *d;
	struct pf_times *times;
	uint32_t phase;
	enum stage stage;
	double x;
	double left;
	double want;
	double gets;
	bool given;
	bool held;
	double ends;
	double begun;
};

struct fluid {
	const struct pf_job *j;
	struct stream *s;
	double *left;
	double *wanted;
	double now;
	uint32_t next;
	uint32_t running;
	bool shared;
};

static const struct pf_phase *phase_of(const struct stream *s)
{
	return &s->d->phase[s->phase];
}

static double want(const struct stream *s)
{
	const struct pf_phase *p = phase_of(s);

	return dw_curve_rate(&p->curve, s->x);
}

static void begin_phase(struct fluid *f, struct stream *s)
{
	s->stage = s->phase < s->d->n_phases ? MOVING : DONE;
	s->begun = f->now;
	s->held = false;
	if (s->stage == MOVING) {
		s->x = phase_of(s)->from;
		return;
	}
	s->times->finish = f->now;
	f->running--;
}

static void admit(struct fluid *f)
{
	while (f->running < f->j->slots && f->next < f->j->n) {
		struct stream *s = &f->s[f->j->order[f->next++]];

		s->times->start = f->now;
		f->running++;
		begin_phase(f, s);
	}
}

/* the resource that is used up first as all that are left grow alike; its level */
static double tightest(struct fluid *f, uint32_t *ret)
{
	double least = INFINITY;

	memset(f->wanted, 0, f->j->n_resources * sizeof(*f->wanted));
	for (uint32_t i = 0; i < f->j->n; i++) {
		const struct stream *s = &f->s[i];

		if (s->stage != MOVING || s->given)
			continue;
		for (uint32_t u = 0; u < phase_of(s)->n_use; u++)
			f->wanted[phase_of(s)->use[u].resource] +=
				phase_of(s)->weight * phase_of(s)->use[u].cost;
	}
	for (uint32_t r = 0; r < f->j->n_resources; r++) {
		if (f->wanted[r] <= 0 || f->left[r] / f->wanted[r] >= least)
			continue;
		least = f->left[r] / f->wanted[r];
		*ret = r;
	}
	return fmax(least, 0);
}

static void give(struct fluid *f, struct stream *s, double bytes, bool held)
{
	const struct pf_phase *p = phase_of(s);

	s->gets = bytes;
	s->given = true;
	s->held = held;
	for (uint32_t u = 0; u < p->n_use; u++)
		f->left[p->use[u].resource] =
			fmax(0, f->left[p->use[u].resource] - bytes * p->use[u].cost);
	f->shared |= held;
}

static bool passes(const struct pf_phase *p, uint32_t resource)
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

	for (uint32_t i = 0; i < f->j->n; i++) {
		struct stream *s = &f->s[i];

		if (s->stage != MOVING || s->given)
			continue;
		any = true;
		if (s->want > level * phase_of(s)->weight)
			continue;
		give(f, s, s->want, false);
		some = true;
	}
	for (uint32_t i = 0; i < f->j->n && !some; i++) {
		struct stream *s = &f->s[i];

		if (s->stage == MOVING && !s->given &&
		    (last || passes(phase_of(s), resource)))
			give(f, s, fmax(level * phase_of(s)->weight, 1e-3), true);
	}
	return any;
}

static void share(struct fluid *f)
{
	for (uint32_t r = 0; r < f->j->n_resources; r++)
		f->left[r] = 1;
	for (uint32_t i = 0; i < f->j->n; i++) {
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
	const struct pf_phase *p;
	struct dw_curve c;

	if (s->stage == FIXED)
		return s->left;
	p = phase_of(s);
	if (!may_share)
		return pf_phase_seconds(p);
	c = p->curve;
	if (s->held)
		c.least = fmax(c.least, 1 / s->gets);
	return p->share * dw_curve_seconds(&c, s->x, p->to);
}

/* as far as the curves are straight */
static double step_length(struct fluid *f, bool may_share)
{
	double dt = INFINITY;

	for (uint32_t i = 0; i < f->j->n; i++) {
		struct stream *s = &f->s[i];

		if (s->stage != MOVING && s->stage != FIXED)
			continue;
		if (may_share || s->begun == f->now)
			s->ends = ends(s, may_share);
		dt = fmin(dt, s->ends);
		if (may_share && s->stage == MOVING)
			dt = fmin(dt, fmax(phase_of(s)->to / PIECES /
						   (s->gets / phase_of(s)->share),
					   1e-6));
	}
	return dt;
}

static void end_stage(struct fluid *f, struct stream *s)
{
	struct dw_phase_seconds *t = &s->times->phase;
	const struct pf_phase *p = phase_of(s);
	double took = f->now - s->begun;
	double drain = s->held ? 0 : fmin(p->drain, took);

	if (s->stage == MOVING) {
		if (p->kind == PF_VERIFY)
			t->verify += took;
		t->write += p->kind == PF_VERIFY ? 0 : took - drain;
		t->flush += p->kind == PF_VERIFY ? 0 : drain;
		s->stage = FIXED;
		s->left = p->fixed;
		s->begun = f->now;
		return;
	}
	if (p->kind == PF_VERIFY)
		t->verify += took;
	else
		t->flush += took;
	s->phase++;
	begin_phase(f, s);
}

/* the rate at the middle of the step counts */
static void move(struct stream *s, double dt)
{
	const struct pf_phase *p = phase_of(s);
	double half = s->x + s->gets / p->share * dt / 2;
	double v = dw_curve_rate(&p->curve, fmin(half, p->to));

	if (s->held)
		v = fmin(v, s->gets);
	s->x = fmin(s->x + v / p->share * dt, p->to);
}

static void advance(struct fluid *f, double dt, bool may_share)
{
	f->now += dt;
	for (uint32_t i = 0; i < f->j->n; i++) {
		struct stream *s = &f->s[i];

		if (s->stage != MOVING && s->stage != FIXED)
			continue;
		if (s->ends <= dt * (1 + 1e-9)) {
			end_stage(f, s);
			continue;
		}
		s->ends -= dt;
		if (s->stage == FIXED)
			s->left -= dt;
		else if (may_share)
			move(s, dt);
	}
}

int pf_fluid_load(const struct pf_job *j, double *ret)
{
	double *sum = calloc(j->n_resources + 1, sizeof(*sum));

	if (!sum)
		return -ENOMEM;
	*ret = 0;
	for (uint32_t i = 0; i < j->n; i++) {
		double *most = calloc(j->n_resources + 1, sizeof(*most));

		if (!most) {
			free(sum);
			return -ENOMEM;
		}
		for (uint32_t k = 0; k < j->disk[i].n_phases; k++) {
			const struct pf_phase *p = &j->disk[i].phase[k];

			for (uint32_t u = 0; u < p->n_use; u++)
				most[p->use[u].resource] =
					fmax(most[p->use[u].resource],
					     p->use[u].cost *
						     dw_curve_rate(&p->curve, p->from));
		}
		for (uint32_t r = 0; r < j->n_resources; r++)
			sum[r] += most[r];
		free(most);
	}
	/* one after the other nobody shares */
	for (uint32_t r = 0; r < j->n_resources; r++)
		*ret = fmax(*ret, j->slots > 1 ? sum[r] : fmin(sum[r], 1));
	free(sum);
	return 0;
}

static int run(struct fluid *f, bool may_share)
{
	for (uint32_t k = 0; k < STEPS; k++) {
		double dt;

		admit(f);
		if (!f->running)
			return 0;
		if (may_share)
			share(f);
		dt = step_length(f, may_share);
		if (!(dt < INFINITY))
			return -EINVAL;
		advance(f, dt, may_share);
	}
	return -EINVAL;
}

int pf_fluid_run(const struct pf_job *j, struct pf_times *ret_times, struct pf_fluid *ret)
{
	struct fluid f = { .j = j };
	double load;
	int r = pf_fluid_load(j, &load);

	f.s = calloc(j->n + 1, sizeof(*f.s));
	f.left = calloc(j->n_resources + 1, sizeof(*f.left));
	f.wanted = calloc(j->n_resources + 1, sizeof(*f.wanted));
	if (!r && (!f.s || !f.left || !f.wanted))
		r = -ENOMEM;
	for (uint32_t i = 0; i < j->n && !r; i++) {
		ret_times[i] = (struct pf_times){ 0 };
		f.s[i] = (struct stream){ .d = &j->disk[i], .times = &ret_times[i] };
	}
	if (!r)
		r = run(&f, load > 1);
	*ret = (struct pf_fluid){ .seconds = f.now, .shared = f.shared };
	free(f.s);
	free(f.left);
	free(f.wanted);
	return r;
}

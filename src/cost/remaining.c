/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cost/remaining.h"

#include <math.h>

#define LAST (DW_COURSE_POINTS - 1)
#define MEMORY                                                                           \
	0.07 /* what was measured longer ago than that share of the course counts less */
#define MEMORY_LEAST 10   /* seconds */
#define BIN          0.01 /* of the course */
#define BIN_LEAST    0.5  /* seconds */
#define BIN_MOST     5
#define BIN_STEPS    2
#define STEADY       0.25 /* log of the ratio of two bins one after the other, at most */
#define CHANGED      0.40 /* log of the ratio to what was measured, of two bins, at least */
#define ERROR_1S     0.15 /* of a pace that was measured for a second */
#define ERROR_LEAST  0.03
#define FILLING                                                                          \
	0.60       /* error of a pace that may be the cache's, while little was written */
#define DRAIN 0.60 /* error of what a cache still has to write, where no forecast holds */
#define KINDRED                                                                          \
	0.25 /* error of a pace that is taken from another work, beside a measured one */
#define STRANGE 1.00 /* the same between WRITE SAME and others */
#define MEDIUM  0.45 /* the same of a medium that turns: some firmware loses revolutions */
#define SEEKS                                                                            \
	0.50 /* of the time of seeks, which depends on the speed of rotation alone */
#define NO_MEDIUM   0.80 /* log of times quicker than expected: no medium is that quick */
#define CONTRADICTS 2.00 /* standard deviations */
#define OPEN        3.00 /* steps that pass without one: the pace falls */
#define Z90         1.645
#define KNOWN       2.0 /* times */
#define SHORT       2.0 /* seconds */

bool dw_work_moves(uint8_t work)
{
	return work == DW_WORK_WRITE || work == DW_WORK_VERIFY;
}

static double length(const struct dw_remaining *e)
{
	return e->course.finish - e->course.start;
}

static double ratio(const struct dw_span *s)
{
	return s->should > 0 ? s->is / s->should : INFINITY;
}

static const struct dw_work_phase *phase_of(const struct dw_remaining *e)
{
	return &e->phase[e->in];
}

static double point(const struct dw_course *c, uint32_t k)
{
	return k <= LAST ? c->at[k] : c->finish;
}

static double slope(const struct dw_course *c, uint32_t k)
{
	return point(c, k + 1) - point(c, k);
}

static double phase_from(const struct dw_remaining *e, uint32_t i)
{
	return i ? e->phase[i - 1].until : 0;
}

/* of all work */
static double part_of(const struct dw_remaining *e, uint32_t i)
{
	return e->phase[i].until - phase_from(e, i);
}

/* seconds of the course for a phase */
static double takes_for(const struct dw_remaining *e, uint32_t i)
{
	return e->phase[i].ends - (i ? e->phase[i - 1].ends : e->course.start);
}

/* the same for all work, at the rate of the first phase of that kind; 0 = there is none */
static double per_share(const struct dw_remaining *e, enum dw_work_kind work)
{
	for (uint32_t i = 0; i < e->n_phases; i++)
		if (e->phase[i].work == work && part_of(e, i) > 0)
			return takes_for(e, i) / part_of(e, i);
	return 0;
}

/* the point before the end of a phase; what it waits for there is between that and the next */
static uint32_t last_point(const struct dw_remaining *e, uint32_t i)
{
	return (uint32_t)(e->phase[i].until * LAST);
}

/* when a phase ends by the course, with the flush after it */
static double end_of(const struct dw_remaining *e, uint32_t i)
{
	const struct dw_course *c = &e->course;
	uint32_t k = last_point(e, i);

	if (i + 1 >= e->n_phases || k >= LAST)
		return c->finish;
	return fmax(c->at[k],
		    c->at[k + 1] - slope(c, k + 1) * (k + 1 - e->phase[i].until * LAST));
}

/* the time of a share of a medium whose rate falls by that ratio */
static double zones(double share, double falls)
{
	return falls > 1 ? -log(1 - share * (1 - 1 / falls)) / log(falls) : share;
}

static void straighten(struct dw_remaining *e, uint32_t i, double falls)
{
	double from = i ? e->phase[i - 1].ends : e->course.start, to = e->phase[i].ends;
	double first = phase_from(e, i), part = e->phase[i].until - first;

	for (uint32_t k = (uint32_t)ceil(first * LAST); k <= last_point(e, i); k++) {
		double share = fmin(fmax((double)k / LAST - first, 0) / part, 1);

		e->course.at[k] = (float)(from + (to - from) * zones(share, falls));
	}
}

void dw_remaining_expect(struct dw_remaining *e, double falls)
{
	for (uint32_t i = 0; i < e->n_phases; i++)
		e->phase[i].ends = end_of(e, i);
	for (uint32_t i = 0; i < e->n_phases && falls; i++)
		if (e->phase[i].until > phase_from(e, i))
			straighten(e, i, falls);
	e->guessed = falls > 0;
}

/* the time by the course at which a share of the work is done, in the phase in hand */
static double clock_at(const struct dw_remaining *e, double share)
{
	const struct dw_course *c = &e->course;
	double at = fmin(fmax(share, 0), 1) * LAST;
	uint32_t k = (uint32_t)at;
	bool ends = k == last_point(e, e->in);
	bool begins = e->in && k == last_point(e, e->in - 1);

	if (k >= LAST)
		return c->at[LAST];
	if (ends && !begins && k)
		return fmin(c->at[k] + (at - k) * slope(c, k - 1), c->at[k + 1]);
	if (begins && !ends)
		return fmax(c->at[k + 1] - (k + 1 - at) * slope(c, k + 1), c->at[k]);
	return c->at[k] + (at - k) * slope(c, k);
}

/* the share that is done at a time by the course */
static double share_at(const struct dw_remaining *e, double clock)
{
	const struct dw_course *c = &e->course;
	uint32_t low = 0, high = LAST;

	if (clock <= c->at[0])
		return 0;
	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;

		if (c->at[middle] <= clock)
			low = middle;
		else
			high = middle;
	}
	return (low +
		(slope(c, low) > 0 ? fmin(1, (clock - c->at[low]) / slope(c, low)) : 0)) /
	       LAST;
}

/* of the work in hand, as it goes now; a step that is overdue counts */
static double pace_now(const struct dw_remaining *e)
{
	struct dw_span s = e->pace[phase_of(e)->work];

	if (s.should <= 0)
		return 1;
	if (e->step > 0 && e->open > OPEN * e->step) {
		s.should += e->step * s.should / s.is;
		s.is += e->open;
	}
	return ratio(&s);
}

static void learn(struct dw_remaining *e, const struct dw_span *bin)
{
	struct dw_span *s = &e->pace[phase_of(e)->work];
	double pace = s->should > 0 ? ratio(s) : 1;
	double forget = exp(-bin->is / fmax(MEMORY * pace * length(e), MEMORY_LEAST));

	s->is = s->is * forget + bin->is;
	s->should = s->should * forget + bin->should;
}

/* the pace is steady from the bin before on; what came earlier was of another one */
static void steady_from(struct dw_remaining *e, bool cache)
{
	struct dw_startup *u = &e->startup;
	struct dw_span both = { u->before.is + u->now.is,
				u->before.should + u->now.should };

	e->pace[phase_of(e)->work] = both;
	u->steady = true;
	if (!cache)
		return;
	u->known = true;
	u->takes = e->at - both.is - u->since;
	u->took_in = share_at(e, e->clock - both.should) - u->first;
}

static bool may_be_cache(const struct dw_remaining *e)
{
	return e->guessed && phase_of(e)->cached &&
	       e->share - phase_from(e, e->in) < e->most_cached;
}

/* by how much both bins differ from what was measured, in the same direction */
static double change(const struct dw_remaining *e)
{
	double pace = ratio(&e->pace[phase_of(e)->work]);
	double a = log(ratio(&e->startup.before) / pace);
	double b = log(ratio(&e->startup.now) / pace);

	if (isnan(a) || isinf(a) || isnan(b) || isinf(b) || a * b < 0)
		return 0;
	return fabs(a) < fabs(b) ? a : b;
}

static void close_bin(struct dw_remaining *e)
{
	struct dw_startup *u = &e->startup;
	double by = u->steady ? change(e) : 0;
	bool agree = u->before.should > 0 && u->now.should > 0 &&
		     fabs(log(ratio(&u->now) / ratio(&u->before))) < STEADY;

	if (fabs(by) > CHANGED)
		steady_from(e,
			    by > 0 && may_be_cache(e)); /* only a full cache is slower */
	else if (u->steady)
		learn(e, &u->now);
	else if (agree)
		steady_from(e, true);
	u->before = u->now;
	u->now = (struct dw_span){ 0 };
	u->steps = 0;
}

static void measure(struct dw_remaining *e, double took, double should, bool stepped)
{
	struct dw_startup *u = &e->startup;
	double bin = fmin(fmax(BIN * length(e) * pace_now(e), BIN_LEAST), BIN_MOST);

	e->open += took;
	u->now.is += took;
	u->now.should += should;
	if (!stepped)
		return;
	e->step = e->step > 0 ? 0.7 * e->step + 0.3 * e->open : e->open;
	e->open = 0;
	u->steps++;
	if (u->steps >= BIN_STEPS && u->now.is >= bin)
		close_bin(e);
}

/* a phase begins, or it continues after a flush: the cache is empty */
static void fill_again(struct dw_remaining *e, double at)
{
	struct dw_startup *u = &e->startup;

	u->since = at;
	u->first = e->share;
	u->before = u->now = (struct dw_span){ 0 };
	u->steps = 0;
	u->drained = 0;
	e->open = e->step = 0;
	e->late = 0;
}

static bool may_fill(const struct dw_remaining *e)
{
	return e->guessed && phase_of(e)->cached;
}

static void enter_phase(struct dw_remaining *e, uint32_t phase, double at)
{
	bool same = e->phase[phase].work == phase_of(e)->work;

	e->in = phase;
	if (!same || !e->startup.known)
		e->startup = (struct dw_startup){ .steady = !may_fill(e) };
	fill_again(e, at);
}

/* the share of the work that is in the cache: it took in more than its medium did */
static double held(const struct dw_remaining *e)
{
	const struct dw_startup *u = &e->startup;
	double first = phase_from(e, e->in), medium, filled = 1;

	if (!may_fill(e) || !u->known)
		return 0;
	if (u->takes > 0)
		filled = fmin(1, (e->at - u->since) / u->takes);
	medium = share_at(e, clock_at(e, first) + u->takes / pace_now(e)) - first;
	return filled * fmin(fmax(0, u->took_in - medium), e->share - first);
}

/* what time it is by the course for the medium */
static double medium_clock(const struct dw_remaining *e)
{
	bool written = e->share >= phase_of(e)->until - 1e-9;
	double most = written ? phase_of(e)->ends : e->clock;
	double in_cache = held(e), clock = e->clock;

	if (in_cache > 0)
		clock = fmin(clock, clock_at(e, e->share - in_cache));
	return fmin(fmax(clock + e->startup.drained, clock), most);
}

/* the first seconds of a cache that fills are no pace */
static bool is_startup(const struct dw_remaining *e)
{
	const struct dw_startup *u = &e->startup;

	return may_fill(e) && u->known && e->at - u->since < u->takes;
}

void dw_remaining_begin(struct dw_remaining *e, double at)
{
	e->moves = true;
	e->at = at;
	e->clock = e->course.start;
	e->share = e->course.points ? e->share : 0;
	e->startup = (struct dw_startup){ .steady = !may_fill(e) };
	fill_again(e, at);
}

/* time passes without any writing: the medium catches up */
static void flush(struct dw_remaining *e, double took)
{
	e->startup.drained += took / pace_now(e);
	if (e->share >= phase_of(e)->until - 1e-9 && medium_clock(e) >= phase_of(e)->ends)
		e->late += took;
}

void dw_remaining_write(struct dw_remaining *e, bool cached)
{
	double same = per_share(e, DW_WORK_SAME), write = per_share(e, DW_WORK_WRITE);
	/* a pace is that of one course */
	bool alike = !(write > 0) || fabs(log(same / write)) < CHANGED;

	for (uint32_t i = 0; i < e->n_phases; i++) {
		if (e->phase[i].work != DW_WORK_SAME)
			continue;
		e->phase[i].cached = cached;
		if (alike)
			e->phase[i].work = DW_WORK_WRITE;
		if (e->moves && i == e->in)
			e->startup.steady = !may_fill(e);
	}
	e->written = true;
}

/* What was done is lost and has to be done again, as after a reset. The pace stays. */
static void go_back(struct dw_remaining *e, const struct dw_work_observed *o)
{
	e->at = o->at;
	e->share = o->share;
	e->clock = fmin(e->clock, clock_at(e, o->share));
	e->flushing = o->flushing;
	fill_again(e, o->at);
}

void dw_remaining_observe(struct dw_remaining *e, const struct dw_work_observed *o)
{
	double took = o->at - e->at, should, clock;
	bool stepped = o->share > e->share;

	if (o->share < e->share && o->phase <= e->in) {
		go_back(e, o);
		return;
	}
	if (took <= 0 && o->phase <= e->in)
		return;
	if (o->phase > e->in) /* the last flush comes after the verification */
		enter_phase(e, o->phase, e->at);
	else if (e->flushing && !o->flushing)
		fill_again(e, e->at);
	took = fmax(0, took);
	e->at += took;
	e->share = o->share;
	e->flushing = o->flushing;
	if (o->flushing) {
		flush(e, took);
		return;
	}
	clock = fmax(e->clock, clock_at(e, o->share) + o->since / pace_now(e));
	clock = fmin(clock, fmax(e->clock, phase_of(e)->ends));
	should = clock - e->clock;
	e->clock = clock;
	if (!o->idle && !(is_startup(e) && e->startup.steady && e->startup.since > 0))
		measure(e, took, should, stepped);
}

void dw_remaining_turn(struct dw_remaining *e, double at, uint32_t phase, double share)
{
	if (phase > e->in)
		enter_phase(e, phase, at);
	e->at = at;
	e->share = share;
	e->clock = dw_course_later(&e->course, share);
	fill_again(e, at);
}

/* the cache may not be full yet */
static double filling(const struct dw_remaining *e, enum dw_work_kind work)
{
	if (work != phase_of(e)->work || !may_be_cache(e) || held(e) > 0)
		return 0;
	return FILLING * (1 - (e->share - phase_from(e, e->in)) / e->most_cached);
}

struct dw_estimate dw_remaining_measured(const struct dw_remaining *e,
					 enum dw_work_kind work)
{
	const struct dw_span *s = &e->pace[work];
	double overdue;

	if (s->should <= 0)
		return (struct dw_estimate){ 0, INFINITY, 0 };
	overdue = work == phase_of(e)->work ? log(pace_now(e) / ratio(s)) : 0;
	return (struct dw_estimate){
		.log = log(ratio(s)) + overdue,
		.error = hypot(fmax(ERROR_1S / sqrt(s->is), ERROR_LEAST), overdue),
		.slower = filling(e, work),
	};
}

/* each counts by the inverse of its variance */
static struct dw_estimate weigh(const struct dw_estimate *expected, double error,
				const struct dw_estimate *measured, double sure)
{
	double a = 1 / (error * error), b = 1 / (sure * sure);

	return (struct dw_estimate){ .log = (a * expected->log + b * measured->log) /
					    (a + b),
				     .error = sqrt(1 / (a + b)) };
}

struct dw_estimate dw_pace_mix(const struct dw_estimate *expected,
			       const struct dw_estimate *measured)
{
	double far = measured->log - expected->log;
	double error = expected->error, sure = measured->error;

	if (isinf(sure))
		return *expected;
	/* a cache is quicker than what is expected of the disk, never slower */
	if (far < CONTRADICTS * error)
		sure = hypot(sure, measured->slower);
	if (fabs(far) > CONTRADICTS * hypot(error, sure))
		error = fmax(error, fabs(far));
	return weigh(expected, error, measured, sure);
}

bool dw_remaining_differs(const struct dw_remaining *e)
{
	for (uint32_t w = 0; w < DW_WORKS; w++) {
		struct dw_estimate p = dw_remaining_measured(e, (enum dw_work_kind)w);
		double sure = e->guessed ? 0 : CONTRADICTS * hypot(p.error, e->error);

		if (!isinf(p.error) &&
		    fmax(CHANGED, sure) < (e->guessed ? p.log : fabs(p.log)))
			return true;
	}
	return false;
}

/* what another work says of this one */
static struct dw_estimate kindred(const struct dw_estimate p[DW_WORKS],
				  enum dw_work_kind work, double error)
{
	struct dw_estimate best = { 0, INFINITY, 0 };

	for (uint32_t w = 0; w < DW_WORKS; w++) {
		bool both = (w == DW_WORK_WRITE || w == DW_WORK_VERIFY) &&
			    (work == DW_WORK_WRITE || work == DW_WORK_VERIFY);
		double sure = hypot(p[w].error, both ? fmin(error, KINDRED) : STRANGE);

		if (w != work && sure < best.error)
			best = (struct dw_estimate){ p[w].log, sure, p[w].slower, true };
	}
	return best;
}

/* what WRITE SAME says of WRITE or reading where both go at the rate of a medium: the link, which
 * it does not need, may hold the other back */
static struct dw_estimate from_medium(const struct dw_remaining *e,
				      const struct dw_estimate p[DW_WORKS],
				      enum dw_work_kind work)
{
	const struct dw_estimate *same = &p[DW_WORK_SAME];
	double held_back = log(fmax(1, e->crowd)) / 2;
	struct dw_estimate by = kindred(p, work, e->error);

	if (!e->guessed || !e->on_medium || by.error < STRANGE || isinf(same->error) ||
	    same->log < -NO_MEDIUM || !dw_work_moves(work))
		return by;
	by.log = same->log + held_back;
	by.error = hypot(same->error, hypot(MEDIUM, held_back / Z90));
	return by;
}

void dw_pace_expected(const struct dw_estimate *peers, double error,
		      struct dw_estimate ret[DW_WORKS])
{
	for (uint32_t w = 0; w < DW_WORKS; w++) {
		ret[w] = (struct dw_estimate){ 0, error, 0 };
		if (peers && peers[w].error < error)
			ret[w] = peers[w];
		else if (peers &&
			 kindred(peers, (enum dw_work_kind)w, error).error < error)
			ret[w] = kindred(peers, (enum dw_work_kind)w, error);
	}
}

/* seconds of the course that are left of a phase when the host has written all of it */
static double drain(const struct dw_remaining *e, uint32_t i)
{
	double in_cache = i == e->in ? held(e) : 0;

	if (i != e->in || !e->moves || !phase_of(e)->cached)
		return 0;
	if (e->guessed)
		return clock_at(e, phase_of(e)->until) -
		       clock_at(e, phase_of(e)->until - in_cache);
	return phase_of(e)->ends - clock_at(e, phase_of(e)->until);
}

/* seconds of the course that a flush may take besides, where nobody knows what the cache holds */
static double hidden(const struct dw_remaining *e, uint32_t i)
{
	double until = e->phase[i].until, in_cache = i == e->in ? held(e) : 0, seconds;

	if (!e->guessed || !e->phase[i].cached)
		return 0;
	if (in_cache > 0)
		return DRAIN * (clock_at(e, until) - clock_at(e, until - in_cache));
	seconds = clock_at(e, until) - clock_at(e, until - e->usual_cached);
	return fmax(0, seconds - (i == e->in ? e->startup.drained : 0));
}

/* of two that may be wrong for the same reason: neither makes the other surer, and where they
 * differ either may be right */
static struct dw_estimate mean(const struct dw_estimate *a, const struct dw_estimate *b)
{
	struct dw_estimate both = weigh(a, a->error, b, b->error);
	double apart = sqrt(fabs(both.log - a->log) * fabs(both.log - b->log));

	both.error = hypot(fmin(a->error, b->error), apart);
	return both;
}

/* the part of a phase that goes at the rate of the one before: a sample is mostly seeks, which a
 * slower medium or link leaves as they are */
static double at_rate(const struct dw_remaining *e, uint32_t i)
{
	double takes = takes_for(e, i), share = part_of(e, i);

	if (!i || e->phase[i].work != DW_WORK_VERIFY || !(takes > 0) ||
	    !(part_of(e, i - 1) > 0))
		return 1;
	return fmin(1, share * takes_for(e, i - 1) / part_of(e, i - 1) / takes);
}

/* the pace of the part that is not at the rate of the phase before: other work says nothing of
 * it */
static struct dw_estimate seeks(const struct dw_remaining *e,
				const struct dw_estimate *expected)
{
	if (!expected->borrowed && expected->error < e->error)
		return *expected;
	return (struct dw_estimate){ .error = e->on_medium ? fmin(e->error, SEEKS)
							   : e->error };
}

static void add(struct dw_time_left *left, double seconds, double more,
		const struct dw_estimate *p)
{
	left->seconds += seconds * exp(p->log);
	left->low += seconds * exp(p->log - Z90 * p->error);
	left->high += (seconds + more) * exp(p->log + Z90 * p->error);
}

struct dw_time_left dw_remaining_left(const struct dw_remaining *e,
				      const struct dw_estimate expected[DW_WORKS])
{
	struct dw_estimate measured[DW_WORKS];
	double from = e->moves ? medium_clock(e) : e->course.start;
	struct dw_time_left left = { .high = e->late };

	for (uint32_t w = 0; w < DW_WORKS; w++)
		measured[w] = dw_remaining_measured(e, (enum dw_work_kind)w);
	for (uint32_t i = e->moves ? e->in : 0; i < e->n_phases; i++) {
		double end = e->phase[i].ends, part = fmax(0, end - from), rate = 1;
		enum dw_work_kind work = (enum dw_work_kind)e->phase[i].work;
		struct dw_estimate p = dw_pace_mix(&expected[work], &measured[work]);
		struct dw_estimate seek = seeks(e, &expected[work]);
		struct dw_estimate related = from_medium(e, measured, work);
		double before = left.seconds;

		if (isinf(measured[work].error) && !isinf(related.error)) {
			p = related.error < STRANGE ? dw_pace_mix(&p, &related)
						    : mean(&p, &related);
			rate = at_rate(e, i);
		}
		if (part > 0 && (e->guessed || fabs(p.log) > CHANGED))
			p.error += fmin(part, drain(e, i)) / part * DRAIN;
		add(&left, part * rate, hidden(e, i), &p);
		add(&left, part * (1 - rate), 0, &seek);
		if (dw_work_moves(work)) {
			left.moving += left.seconds - before;
			left.share +=
				e->phase[i].until -
				fmin(fmax(e->share, phase_from(e, i)), e->phase[i].until);
		}
		from = fmax(end, from);
	}
	return left;
}

bool dw_time_known(const struct dw_time_left *t)
{
	return t->high - t->seconds <= fmax((KNOWN - 1) * t->seconds, SHORT) &&
	       t->seconds - t->low <= fmax((1 - 1 / KNOWN) * t->seconds, SHORT);
}

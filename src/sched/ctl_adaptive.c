/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Adaptive: all disks of a link share one setting, which is a transfer length and a queue depth.
 * The controller measures the rate of the base setting. It then tries one neighbour at a time
 * (sched/moves.h) and measures the rate of that. A trial ends as soon as the difference of the
 * two rates is certain. A setting that costs the host less may be slightly slower than the base.
 * A setting that costs the host more has to be faster. docs/controller.md states the law, why the
 * search comes to rest, and how near to the best setting it comes.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "sched/controller.h"
#include "sched/gauge.h"
#include "sched/grid.h"
#include "sched/moves.h"
#include "sched/yield.h"

#define GAIN       0.007 /* gain that a setting needs if it costs the host more */
#define BAND       0.005 /* loss allowed to settings that cost the host less, in sum */
#define HOST       0.03  /* gain that a busy processor of the host is worth */
#define GROWTH     1.25  /* gain of a transfer twice as long where a command costs most */
#define BUSY       0.5 /* processors at work, from which on longer transfers come first */
#define SHORT      4   /* log2 of 4 KiB units: 64 KiB */
#define GAIN_SHORT 0.03 /* gain that a transfer below that needs */
#define SURE       2.6  /* standard errors */
#define COARSE     0.02 /* difference that one second cannot tell from none */
#define SLICE_NS   (50 * DW_NS_PER_MS)
#define SLICE      16 /* commands of a slice, besides one for each disk */
#define QUICK_NS                                                                         \
	(10 * DW_NS_PER_MS) /* slices while transfers grow and the host is busy */
#define QUICK        0.25   /* processors at work, from which on that is so */
#define BASE_SLICES  4
#define BASE_S       0.5
#define OLD_SLICES   16
#define OLD_S        4.0
#define TRIAL_NS     (3 * DW_NS_PER_S)
#define LOW_NS       DW_NS_PER_S /* time that a low rate has to recover */
#define HOLD_NS      (5 * DW_NS_PER_S)
#define GAP_NS       (5 * DW_NS_PER_S)
#define WAIT_NS      (20 * DW_NS_PER_S)
#define WAIT_MAX_NS  (600 * DW_NS_PER_S)
#define SHARE        0.001 /* of the time that trials of one neighbour may cost */
#define CREDIT_S     2.0
#define CREDIT_SHARE 0.006
#define DRIFT        0.1  /* change of the rate that opens the search */
#define STALE        0.05 /* change of the rate after which a simulation repeats a trial */
#define LOST         0.9  /* of the rate before a trial */
#define FALLEN       0.7  /* of the mean rate of the base */
#define DEAR         1e5  /* commands of a trial that a simulation runs only once */
#define CHEAP_TRIALS 5    /* how often it runs the others */

#define NOTHING   UINT8_MAX /* a disk without a completion */
#define YIELDS    DW_MOVES  /* trials from here on: disks that are ahead give way */
#define ALL_MOVES (DW_MOVES + DW_WAYS)

/* what is measured now */
enum stage {
	SETTLE, /* nothing: commands of the previous setting are in flight */
	HOLD,   /* the base after a trial, until its rate has recovered */
	REST,   /* the base */
	YIELD,  /* the base, while disks that are ahead give way */
	TRIAL,  /* the trial */
};

/**
 * struct dw_adaptive - the state of a link
 * @begun: the base has been chosen
 * @unfinished: number of unfinished disks at the latest completion
 * @stage: what is measured now
 * @next: the stage after SETTLE; @settle: number of completions until then
 * @base: the setting that is in use; @trial: the setting that is tried; @move: leads from one to
 *	the other
 * @top: the longest transfer and the greatest depth that any disk takes
 * @favourite: the move that was accepted last; it is tried first
 * @growing: only longer transfers have been tried so far, and each was faster
 * @quick: the same, and commands keep the host busy: short slices are enough
 * @low: number of consecutive slices in which the rate of the base was low
 * @a, @b: rates of the base and of the trial
 * @slack: share of the best rate that was given up for settings that cost the host less
 * @spent: seconds lost by trials so far
 * @hold: rate of the base before the trial
 * @level: rate of the base when the search came to rest
 * @pace: rate of the latest leap of a simulation
 * @scanning: the search is not at rest
 * @start_ns: time of the first completion; @now_ns: of the latest
 * @begun_ns: start of the trial; @held_ns: start of HOLD
 * @quiet_ns: no trial begins before that
 * @due: for each move, when it may be tried again
 * @fails: for each move, refusals in a row
 * @cost: for each move, seconds that its last trial cost
 * @seen: for each move, rate of the base when it was refused
 * @loss_s: for each move, seconds that its last trial cost with the changes of setting
 * @took_ns: for each move, duration of its last trial
 * @moved: bytes since the trial began
 * @memory: rates of settings that were measured before
 * @yield: which disks give way to others
 * @last: the verb of the latest command of each disk, or NOTHING; owned; @n: its length
 */
struct dw_adaptive {
	bool begun;
	uint32_t unfinished;
	enum stage stage;
	enum stage next;
	uint32_t settle;
	struct dw_setting base;
	struct dw_setting trial;
	uint8_t move;
	struct dw_setting top;
	uint8_t favourite;
	bool growing;
	bool quick;
	uint32_t low;
	struct dw_gauge a;
	struct dw_gauge b;
	double slack;
	double spent;
	double hold;
	double level;
	double pace;
	bool scanning;
	uint64_t start_ns;
	uint64_t now_ns;
	uint64_t begun_ns;
	uint64_t held_ns;
	uint64_t quiet_ns;
	uint64_t due[ALL_MOVES];
	uint32_t fails[ALL_MOVES];
	double cost[ALL_MOVES];
	double seen[ALL_MOVES];
	double loss_s[ALL_MOVES];
	uint64_t took_ns[ALL_MOVES];
	double moved;
	struct dw_memory memory;
	struct dw_yield yield;
	uint8_t *last;
	uint32_t n;
};

static struct dw_setting neighbour(const struct dw_adaptive *a, uint8_t move)
{
	if (move >= YIELDS)
		return a->base;
	return move == DW_MOVE_REMEMBERED ? dw_memory_best(&a->memory, a->base, a->now_ns)
					  : dw_move_from(a->base, move);
}

/* The state of the link. The search begins when the controller sees its disks for the first
 * time. */
static struct dw_adaptive *known(struct dw_controller_state *s,
				 const struct dw_view *view)
{
	struct dw_adaptive *a = s->adaptive;

	if (a->begun)
		return a;
	a->begun = true;
	a->growing = a->quick = true;
	a->favourite = DW_MOVE_LONGER;
	a->top = dw_grid_top(view);
	a->base = dw_grid_start(view, a->top, s->buffer_bytes);
	return a;
}

static int init(struct dw_controller_state *s)
{
	s->adaptive = calloc(1, sizeof(*s->adaptive));
	return s->adaptive ? 0 : -ENOMEM;
}

static void deinit(struct dw_controller_state *s)
{
	dw_ends_free(&s->adaptive->yield.ends);
	free(s->adaptive->last);
	free(s->adaptive);
}

/* Makes room for the verb of each disk. */
static int reserve_verbs(struct dw_adaptive *a, uint32_t places)
{
	uint32_t n = places > 2 * a->n ? places : 2 * a->n;

	if (places <= a->n)
		return 0;
	if (dw_grow(&a->last, a->n, n, sizeof(*a->last)) < 0)
		return -ENOMEM;
	memset(a->last + a->n, NOTHING, n - a->n);
	a->n = n;
	return 0;
}

static int disk_in(struct dw_controller_state *s, const struct dw_view *view,
		   uint32_t disk)
{
	struct dw_adaptive *a = s->adaptive;
	struct dw_setting top;
	int r = reserve_verbs(a, view->n);

	if (!r)
		r = dw_ends_reserve(&a->yield.ends, view->n);
	if (r < 0)
		return r;
	a->last[disk] = NOTHING;
	a->yield.ends.disk[disk] = (struct dw_end){ 0 };
	if (view->unfinished <= 1) /* no disk is left whose rate was measured */
		*a = (struct dw_adaptive){ .yield.ends = { .disk = a->yield.ends.disk,
							   .n = a->yield.ends.n },
					   .last = a->last,
					   .n = a->n };
	if (!a->begun)
		return 0;
	top = dw_grid_top(view);
	a->top.l = top.l > a->top.l ? top.l : a->top.l;
	a->top.d = top.d > a->top.d ? top.d : a->top.d;
	return 0;
}

static void measure_stage(struct dw_adaptive *a, const struct dw_view *view,
			  enum stage stage)
{
	struct dw_gauge *g = stage == TRIAL ? &a->b : &a->a;

	a->stage = stage;
	/* every disk contributes to a slice */
	dw_gauge_reset(g, a->now_ns, SLICE + view->active,
		       a->growing && a->quick ? QUICK_NS : SLICE_NS);
	if (stage == TRIAL)
		dw_gauge_reset(&a->yield.others, a->now_ns, SLICE, SLICE_NS);
	if (stage == REST && !a->yield.ends.from_ns)
		dw_ends_begin(&a->yield.ends, view, a->now_ns);
}

/* Enters @stage when the commands in flight have ended. */
static void settle_stage(struct dw_adaptive *a, const struct dw_view *view,
			 enum stage stage)
{
	a->stage = SETTLE;
	a->next = stage;
	a->settle = view->inflight + 1;
	a->yield.ends.from_ns = 0;
}

/* Reopens the search. @hard: earlier refusals are void. */
static void reopen(struct dw_adaptive *a, bool hard)
{
	for (int m = 0; m < ALL_MOVES; m++) {
		uint64_t wait = (uint64_t)(a->cost[m] / SHARE * 1e9);

		a->due[m] = hard ? a->now_ns : dw_min_u64(a->due[m], a->now_ns + wait);
		a->fails[m] = 0;
	}
	a->scanning = true;
	a->quiet_ns = a->now_ns;
}

/* Every measurement is void: disks came or went or began another phase, or the rate has
 * fallen. */
static void changed(struct dw_adaptive *a, const struct dw_view *view)
{
	reopen(a, true);
	a->slack = 0;
	a->low = 0;
	dw_yield_reset(&a->yield);
	memset(&a->memory, 0, sizeof(a->memory));
	settle_stage(a, view, REST);
}

static bool affordable(const struct dw_adaptive *a)
{
	double past = (double)(a->now_ns - a->start_ns) / 1e9;

	return a->spent < CREDIT_S + CREDIT_SHARE * past;
}

static void launch(struct dw_adaptive *a, const struct dw_view *view, uint8_t move)
{
	a->move = move;
	a->trial = neighbour(a, move);
	a->begun_ns = a->now_ns;
	a->moved = 0;
	settle_stage(a, view, TRIAL);
}

static bool can_try(const struct dw_adaptive *a, uint8_t m)
{
	struct dw_setting s = neighbour(a, m);

	/* a large step down is not tried where transfers would become short */
	return dw_grid_has(a->top, s) && !dw_grid_same(s, a->base) &&
	       (s.l >= SHORT || s.l >= a->base.l - 1 || m == DW_MOVE_REMEMBERED);
}

#define FIRST 3 /* number of moves before the fixed order */

/* The move that is tried as number @i; DW_MOVES = none. If commands keep the host busy, longer
 * transfers are tried first. */
static uint8_t move_of(const struct dw_adaptive *a, int i)
{
	static const uint8_t longer[] = { DW_MOVE_BACK, DW_MOVE_LONGER };

	if (i >= FIRST)
		return dw_move_order[i - FIRST];
	if (!i)
		return a->favourite;
	return dw_gauge_cost(&a->a) > BUSY ? longer[i - 1] : DW_MOVES;
}

/* The way in which disks that are ahead are to give way now; DW_WAYS = none. */
static uint8_t way_due(const struct dw_adaptive *a)
{
	for (uint8_t i = 0; i < DW_WAYS && !a->scanning; i++) {
		uint8_t how = (a->yield.how + i) % DW_WAYS;

		if (a->due[YIELDS + how] <= a->now_ns && dw_yield_pays(&a->yield, how) &&
		    dw_grid_has(a->top, dw_yield_setting(a->base, how, true)) &&
		    dw_grid_has(a->top, dw_yield_setting(a->base, how, false)))
			return how;
	}
	return DW_WAYS;
}

static bool launch_yield(struct dw_adaptive *a, const struct dw_view *view)
{
	uint8_t how = way_due(a);

	if (how == DW_WAYS)
		return false;
	a->yield.how = how;
	a->yield.first = false;
	launch(a, view, YIELDS + how);
	return true;
}

/* Tries the next neighbour that is due, by turns with ways in which disks give way. If there is
 * none, the search is at rest. */
static void explore(struct dw_adaptive *a, const struct dw_view *view)
{
	if (a->now_ns < a->quiet_ns || !affordable(a))
		return;
	if (a->yield.first && launch_yield(a, view))
		return;
	for (int i = 0; i < FIRST + DW_MOVES; i++) {
		uint8_t m = move_of(a, i);

		if (m < DW_MOVES && a->due[m] <= a->now_ns && can_try(a, m)) {
			a->yield.first = true;
			launch(a, view, m);
			return;
		}
	}
	if (a->scanning)
		a->level = dw_gauge_mean(&a->a);
	a->scanning = false;
	launch_yield(a, view);
}

static void accept(struct dw_adaptive *a, double ratio)
{
	bool more = dw_grid_weight(a->trial) >= dw_grid_weight(a->base);

	a->slack = more || a->slack + 1 < ratio ? 0 : a->slack + 1 - ratio;
	a->base = a->trial;
	a->a = a->b;
	a->stage = REST;
	a->favourite = a->move;
	reopen(a, true);
	a->due[dw_move_opposite(a->move)] = a->now_ns + WAIT_NS;
}

/* Refuses move @m, whose trial ended at @ns and cost a->cost[@m]. The move has to wait. */
static void refuse_move(struct dw_adaptive *a, uint8_t m, uint64_t ns)
{
	uint64_t wait = dw_min_u64(WAIT_NS << dw_min_u64(a->fails[m]++, 5), WAIT_MAX_NS);

	a->spent += a->cost[m];
	a->due[m] = ns + dw_max_u64(wait, (uint64_t)(a->cost[m] / SHARE * 1e9));
	if (!a->scanning)
		a->quiet_ns = ns + GAP_NS;
}

/* Number of processors busy with the trial, less those busy with the base; not below 0. */
static double more_host(const struct dw_adaptive *a)
{
	return fmax(0, dw_gauge_cost(&a->b) - dw_gauge_cost(&a->a));
}

static void reject(struct dw_adaptive *a, const struct dw_view *view, double ratio)
{
	uint8_t m = a->move;
	double s = (double)(a->now_ns - a->begun_ns) / 1e9;

	a->cost[m] = (fmax(0, 1 - ratio) + HOST * more_host(a)) * s;
	a->hold = a->seen[m] = dw_gauge_mean(&a->a);
	refuse_move(a, m, a->now_ns);
	if (a->growing) { /* perhaps it was faster: try it with the others */
		a->due[m] = a->now_ns;
		a->fails[m] = 0;
		a->favourite = DW_MOVE_SHORTER;
	}
	a->growing = false;
	a->held_ns = a->now_ns;
	settle_stage(a, view, HOLD);
}

/* The ratio to the base that a trial has to reach. */
static double trial_target(const struct dw_adaptive *a)
{
	bool more = dw_grid_weight(a->trial) >= dw_grid_weight(a->base);

	if (a->growing)
		return GROWTH;
	if (!more)
		return 1 - BAND + a->slack;
	if (a->trial.l < SHORT && a->trial.l < a->base.l)
		return 1 + GAIN_SHORT;
	return 1 + GAIN + HOST * more_host(a);
}

/* Begins to let disks give way, or refuses that, if the slices so far decide it. */
static void judge_yield(struct dw_adaptive *a, const struct dw_view *view)
{
	uint64_t ns;

	switch (dw_yield_judge(&a->yield, &a->a, &a->b, a->now_ns - a->b.from_ns, &ns)) {
	case DW_YIELD_YES:
		a->fails[a->move] = 0;
		a->yield.uneven = false;
		a->yield.until_ns = a->now_ns + ns;
		measure_stage(a, view, YIELD);
		break;
	case DW_YIELD_NO:
		reject(a, view, fmin(dw_gauge_mean(&a->b) / dw_gauge_mean(&a->a), 1));
		break;
	default:
		break;
	}
}

/* Accepts or rejects the trial if the slices so far decide that. */
static void judge_trial(struct dw_adaptive *a, const struct dw_view *view)
{
	double target = trial_target(a), error, ratio, doubt;
	bool over;

	if (a->b.n < 3) {
		if (a->b.n > 1 && dw_gauge_mean(&a->b) < dw_gauge_mean(&a->a) / 2)
			reject(a, view, dw_gauge_mean(&a->b) / dw_gauge_mean(&a->a));
		return;
	}
	ratio = dw_gauge_compare(&a->a, &a->b, &error);
	/* consecutive slices are correlated: a short trial is less certain than its spread */
	doubt = SURE * error + COARSE / a->b.seconds;
	over = a->now_ns >= a->b.from_ns + TRIAL_NS;
	if (fabs(ratio - target) < doubt && (!over || a->b.n < BASE_SLICES))
		return;
	if (ratio >= target)
		accept(a, ratio);
	else
		reject(a, view, ratio);
}

/* The rate has changed since the search came to rest. */
static bool has_drifted(const struct dw_adaptive *a, double rate)
{
	return !a->scanning && a->level > 0 &&
	       (rate < (1 - DRIFT) * a->level || rate > (1 + DRIFT) * a->level);
}

static bool has_fallen(struct dw_adaptive *a)
{
	a->low = a->a.rate < FALLEN * dw_gauge_mean(&a->a) ? a->low + 1 : 0;
	return a->low == 3;
}

/* A slice has ended in which disks gave way. */
static void yielded(struct dw_adaptive *a, const struct dw_view *view)
{
	if (has_fallen(a))
		changed(a, view);
	else if (a->now_ns >= a->yield.until_ns || !dw_ends_renew(&a->yield.ends, view))
		settle_stage(a, view, REST);
}

/* A slice of the base has ended. */
static void rest(struct dw_adaptive *a, const struct dw_view *view)
{
	double mean = dw_gauge_mean(&a->a);

	if (has_fallen(a)) {
		changed(a, view);
		return;
	}
	dw_yield_look(&a->yield, view, a->last, a->now_ns);
	if (a->a.n < BASE_SLICES)
		return;
	if (a->growing && a->quick &&
	    (dw_gauge_cost(&a->a) < QUICK || !can_try(a, DW_MOVE_LONGER))) {
		a->quick = false;
		measure_stage(a, view, REST);
		return;
	}
	if (a->a.seconds < BASE_S && !(a->growing && a->quick))
		return;
	dw_memory_add(&a->memory, a->base, mean, a->now_ns);
	if (a->a.n >= OLD_SLICES && a->a.seconds > OLD_S) {
		dw_gauge_forget(&a->a);
		if (has_drifted(a, mean))
			reopen(a, false);
	}
	explore(a, view);
}

/* A slice of the base after a trial has ended. Caches that a slow trial has emptied fill up
 * again. */
static void hold(struct dw_adaptive *a, const struct dw_view *view)
{
	uint8_t m = a->move;

	if (a->a.rate < LOST * a->hold && a->now_ns < a->held_ns + LOW_NS)
		return;
	if (a->a.rate > 1.01 * a->hold && a->now_ns < a->held_ns + HOLD_NS)
		return;
	a->took_ns[m] = a->now_ns - a->begun_ns;
	a->loss_s[m] = (double)a->took_ns[m] / 1e9 - a->moved / a->hold;
	measure_stage(a, view, REST);
}

static void slice_ended(struct dw_adaptive *a, const struct dw_view *view)
{
	switch (a->stage) {
	case HOLD:
		hold(a, view);
		break;
	case REST:
		rest(a, view);
		break;
	case YIELD:
		yielded(a, view);
		break;
	case TRIAL:
		if (a->move >= YIELDS)
			judge_yield(a, view);
		else
			judge_trial(a, view);
		break;
	default:
		break;
	}
}

/* Whether a completion makes every measurement void. */
static bool is_news(struct dw_adaptive *a, const struct dw_view *view,
		    const struct dw_observation *o)
{
	uint8_t *last = &a->last[o->disk];
	bool flush = o->verb == DW_VERB_FLUSH;
	bool news = *last == NOTHING || view->unfinished != a->unfinished ||
		    (!flush && *last != o->verb);

	a->unfinished = view->unfinished;
	if (!flush || *last == NOTHING)
		*last = o->verb;
	return news;
}

/* Bytes of a completion that count. */
static double score_of(const struct dw_view *view, const struct dw_observation *o)
{
	if (o->class != DW_CLASS_OK)
		return 0;
	return (double)o->blocks * view->disk[o->disk].block_size;
}

/* A flush leaves a gap in the work of a disk: the measurement begins again. */
static void disturbed(struct dw_adaptive *a, const struct dw_view *view)
{
	if (a->stage == REST || a->stage == HOLD)
		measure_stage(a, view, a->stage);
	else if (a->stage == TRIAL)
		settle_stage(a, view, TRIAL);
}

static bool on_trial(const struct dw_adaptive *a)
{
	return a->stage == TRIAL || (a->stage == SETTLE && a->next == TRIAL);
}

/* Some disks are ahead and have their own setting, as have the others. */
static bool gives_way(const struct dw_adaptive *a)
{
	return a->stage == YIELD || (on_trial(a) && a->move >= YIELDS);
}

/* What makes queues deeper than the base does is over. */
static void queue_full(struct dw_adaptive *a, const struct dw_view *view)
{
	if (a->stage == YIELD)
		a->begun_ns = a->now_ns; /* the trial is over, and cost nothing */
	if (gives_way(a) ? dw_yield_deepens(a->yield.how)
			 : on_trial(a) && a->trial.d > a->base.d)
		reject(a, view, 0);
}

static int observe(struct dw_controller_state *s, const struct dw_view *view,
		   const struct dw_observation *o)
{
	struct dw_adaptive *a = known(s, view);
	double score;

	if (o->verb == DW_VERB_WRITE_SAME)
		return 0;
	if (!a->start_ns)
		a->start_ns = o->end_ns;
	a->now_ns = dw_max_u64(a->now_ns, o->end_ns);
	if (o->class == DW_CLASS_TIMEOUT) /* it may have been starved by deeper queues */
		a->base.d = 0;
	if (is_news(a, view, o) || o->class == DW_CLASS_TIMEOUT)
		changed(a, view);
	else if (o->verb == DW_VERB_FLUSH)
		disturbed(a, view);
	score = score_of(view, o);
	a->moved += score;
	a->yield.ends.disk[o->disk].moved = true;
	if (a->stage == TRIAL && dw_ends_behind(&a->yield.ends, o->disk))
		dw_gauge_add(&a->yield.others, a->now_ns, score, 0);
	if (o->class == DW_CLASS_QUEUE_FULL)
		queue_full(a, view);
	if (a->stage == SETTLE) {
		if (!--a->settle)
			measure_stage(a, view, a->next);
	} else if (dw_gauge_add(on_trial(a) ? &a->b : &a->a, a->now_ns, score,
				o->host_ns)) {
		slice_ended(a, view);
	}
	return 0;
}

static void pick(struct dw_controller_state *s, const struct dw_view *view, uint32_t disk,
		 struct dw_pick *ret)
{
	const struct dw_adaptive *a = known(s, view);
	struct dw_setting set = on_trial(a) ? a->trial : a->base;

	if (gives_way(a))
		set = dw_yield_setting(a->base, a->yield.how,
				       a->yield.ends.disk[disk].ahead);
	ret->nlb = dw_cache_length(dw_grid_bytes(set), view->disk[disk].block_size, 1);
	ret->depth = UINT32_C(1) << set.d;
}

/*
 * A simulation that leaps runs trials of a move until it was refused often enough, and again when
 * the rate has changed. Between these it takes the move as refused at the times at which the
 * controller would try it, and charges the cost of the last trial. Within a trial it leaps when
 * only time is missing.
 */
static bool is_known(const struct dw_adaptive *a, uint8_t m)
{
	double s = (double)a->took_ns[m] / 1e9;
	bool dear = a->seen[m] * s / (double)dw_grid_bytes(neighbour(a, m)) > DEAR;

	return !a->scanning && a->fails[m] >= (dear ? 1 : CHEAP_TRIALS) &&
	       fabs(a->pace / a->seen[m] - 1) < STALE;
}

/* The earliest time at which the move may be tried. */
static uint64_t opens_ns(const struct dw_adaptive *a, uint8_t m)
{
	double wait_s = (a->spent - CREDIT_S) / CREDIT_SHARE;
	uint64_t ns = dw_max_u64(dw_max_u64(a->due[m], a->quiet_ns), a->now_ns);

	if (wait_s <= 0)
		return ns;
	return dw_max_u64(ns, a->start_ns + 1 + (uint64_t)(wait_s * 1e9));
}

/* The time of the next trial among the moves for which is_known() is @known; UINT64_MAX =
 * none. */
static uint64_t next_trial(const struct dw_adaptive *a, bool known, uint8_t *ret_move)
{
	uint64_t first = UINT64_MAX;

	for (int i = 0; i < DW_MOVES; i++) {
		uint8_t m = dw_move_order[i];

		if (can_try(a, m) && is_known(a, m) == known && opens_ns(a, m) < first) {
			first = opens_ns(a, m);
			*ret_move = m;
		}
	}
	return first;
}

/* Time that a gauge with enough slices lacks to @s seconds, ns. */
static uint64_t lacking_ns(const struct dw_gauge *g, double s)
{
	return g->n >= 3 && s > g->seconds ? (uint64_t)((s - g->seconds) * 1e9) : 0;
}

static uint64_t rest_still(const struct dw_adaptive *a)
{
	uint8_t move;
	uint64_t next = next_trial(a, false, &move);

	if (way_due(a) < DW_WAYS && affordable(a))
		return lacking_ns(&a->a, BASE_S);
	if (next > a->now_ns && (!a->scanning || a->a.seconds >= BASE_S))
		return next - a->now_ns;
	return lacking_ns(&a->a, BASE_S);
}

static uint64_t trial_still(const struct dw_adaptive *a)
{
	uint64_t end = a->b.from_ns + TRIAL_NS;
	double error, sure;

	if (a->b.n < 3 || end <= a->now_ns || a->move >= YIELDS)
		return 0;
	sure = fabs(dw_gauge_compare(&a->a, &a->b, &error) - trial_target(a));
	sure -= SURE * error;
	if (sure <= 0)
		return 0;
	return dw_min_u64(end - a->now_ns, lacking_ns(&a->b, COARSE / sure));
}

static uint64_t still(const struct dw_controller_state *s)
{
	const struct dw_adaptive *a = s->adaptive;

	if (!a->begun)
		return 0;
	if (a->stage == REST)
		return rest_still(a);
	if (a->stage == YIELD)
		return a->yield.until_ns - dw_min_u64(a->yield.until_ns, a->now_ns);
	return a->stage == TRIAL ? trial_still(a) : 0;
}

/* Refuses the known moves that are due before @end_ns. Returns the seconds that this costs. */
static double refuse_due(struct dw_adaptive *a, uint64_t end_ns)
{
	double lost = 0;
	uint64_t begin;
	uint8_t m;

	while ((begin = next_trial(a, true, &m)) < end_ns) {
		refuse_move(a, m, begin + a->took_ns[m]);
		lost += a->loss_s[m];
	}
	return lost > 0 ? lost : 0;
}

static uint64_t leapt(struct dw_controller_state *s, const struct dw_view *view,
		      uint64_t ns, double rate)
{
	struct dw_adaptive *a = s->adaptive;
	double lost = 0;

	if (a->stage == TRIAL) {
		a->now_ns += ns;
		a->moved += rate * (double)ns / 1e9;
		dw_gauge_extend(&a->b, ns);
		return 0;
	}
	if (a->stage == YIELD) {
		a->now_ns += ns;
		dw_gauge_extend(&a->a, ns);
		return 0;
	}
	a->pace = rate;
	if (!a->scanning)
		lost = refuse_due(a, a->now_ns + ns);
	a->now_ns += ns;
	if ((double)ns > OLD_S * 1e9)
		measure_stage(a, view, REST);
	else
		dw_gauge_extend(&a->a, ns);
	dw_memory_add(&a->memory, a->base, rate, a->now_ns);
	if (has_drifted(a, rate))
		reopen(a, false);
	return dw_min_u64(ns, (uint64_t)(lost * 1e9));
}

const struct dw_controller dw_controller_adaptive = {
	.name = "adaptive",
	.auto_depth = true,
	.init = init,
	.free = deinit,
	.disk_in = disk_in,
	.pick = pick,
	.observe = observe,
	.still = still,
	.leapt = leapt,
};

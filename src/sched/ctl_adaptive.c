/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Adaptive: the disks of a job share what is between them and the host, so they keep one
 * setting (length and depth), but that those which will end last may be deeper by a notch or
 * more. One at a time its neighbours are tried (sched/moves.h). Base and trial are measured by
 * the same yardstick until the difference is decided, which takes the shorter the larger it is.
 * A trial that needs more in flight has to be faster; one that needs less must not be slower.
 * A rate that does not come back is looked for, and a disk that gets no answer is let in.
 * docs/controller.md has the law, why it comes to rest, and how near to the best it comes.
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
#include "sched/notes.h"

#define GAIN         0.007 /* what more in flight has to bring */
#define BAND         0.005 /* what less in flight may cost in all */
#define SURE         2.6   /* standard errors */
#define BASE_SLICES  4
#define OLD_SLICES   16
#define TRIAL_NS     (3 * DW_NS_PER_S)
#define HOLD_NS      (5 * DW_NS_PER_S)
#define GAP_NS       (5 * DW_NS_PER_S)
#define WAIT_NS      (20 * DW_NS_PER_S)
#define WAIT_MAX_NS  (600 * DW_NS_PER_S)
#define SHARE        0.001 /* of the time that trying one neighbour may cost */
#define CREDIT_S     2.0
#define CREDIT_SHARE 0.006
#define DRIFT        0.1
#define BASE_S       0.5
#define OLD_S        4.0
#define COARSE       0.02        /* what a second cannot tell apart */
#define STALE        0.05        /* change of the rate after which a refusal is old */
#define STARVED      4           /* weight of a disk that got no answer */
#define LOW_NS       DW_NS_PER_S /* for a rate to come back by itself */
#define LOST         0.9         /* of it */
#define AWAY_S       0.1
#define FEW_S        1.0 /* until which the last disks do not overrule all */
#define DEAR         1e5 /* commands of a trial that a simulation goes through once */
#define CHEAP_TRIALS 5   /* it goes through the others that often */

enum stage {
	SETTLE, /* commands of the setting before are still on their way */
	HOLD, /* caches that a slow trial has drained fill up; or the rate does not come back */
	REST, /* the base is measured */
	TRIAL,
	AWAY,   /* a moment with another setting, after which the rate may come back */
	RESCUE, /* a moment with gaps between all commands, for a disk without an answer */
};

/* what may lead back to a rate that was there before: a moment with another setting; with @steps
 * half the length again and again, down to the base */
static const struct {
	struct dw_setting off;
	bool steps;
} ways[] = {
	{ { 2, 0 }, false },
	{ { -2, 0 }, false },
	{ { 4, 0 }, true },
	{ { 0, 1 }, false },
};

/**
 * struct dw_adaptive - what the controller knows
 * @begun: a disk was asked for
 * @base, @trial: settings; @move: from one to the other
 * @top: longest and deepest that any disk takes
 * @next: the stage after SETTLE, @settle: completions until then
 * @slack: share of the best rate that smaller settings have cost
 * @spent: seconds lost in trials
 * @begun_ns: when the trial did; @held_ns: HOLD
 * @hold: rate of the base before a slow trial, or before it fell: @fell
 * @away: the setting of AWAY, after @way of the ways; none is tried before @mend_ns, with
 *	@in_vain in a row that did not help
 * @unheard: the disk of RESCUE; @leapt_ns: when a simulation leapt, and nobody was heard
 * @due: when a neighbour may be tried again, with @fails in a row that cost @cost seconds
 * @seen: rate of the base when it was refused, @loss_s: what that cost in all, with the way
 *	there and back, @took_ns: how long it lasted; @moved: bytes since the trial began
 * @uneven: whether a move that sets disks apart or ends that would
 * @weighted: some disk counts for more than its bytes
 * @notes: of each disk
 * @level: rate of all when the search came to rest, @pace: when a simulation leapt
 */
struct dw_adaptive {
	bool begun;
	uint32_t unfinished;
	enum stage stage;
	enum stage next;
	struct dw_setting base;
	struct dw_setting trial;
	struct dw_setting top;
	uint8_t move;
	uint8_t favourite;
	uint32_t settle;
	uint32_t low;
	struct dw_gauge a;
	struct dw_gauge b;
	double slack;
	double spent;
	double hold;
	struct dw_setting away;
	uint32_t way;
	uint32_t in_vain;
	uint64_t mend_ns;
	uint64_t leapt_ns;
	int64_t unheard;
	double level;
	double pace;
	bool scanning;
	bool weighted;
	bool fell;
	uint64_t start_ns;
	uint64_t now_ns;
	uint64_t begun_ns;
	uint64_t held_ns;
	uint64_t quiet_ns;
	bool uneven[DW_MOVES];
	uint64_t due[DW_MOVES];
	uint32_t fails[DW_MOVES];
	double cost[DW_MOVES];
	double seen[DW_MOVES];
	double loss_s[DW_MOVES];
	double moved;
	uint64_t took_ns[DW_MOVES];
	struct dw_memory memory;
	struct dw_notes notes;
};

static struct dw_setting neighbour(const struct dw_adaptive *a, uint8_t move)
{
	return move == DW_MOVE_REMEMBERED ? dw_memory_best(&a->memory, a->base, a->now_ns)
					  : dw_move_from(a->base, move);
}

/* the state, which begins with the first look at the disks */
static struct dw_adaptive *known(struct dw_controller_state *s,
				 const struct dw_view *view)
{
	struct dw_adaptive *a = s->adaptive;

	if (a->begun)
		return a;
	a->begun = true;
	a->favourite = DW_MOVE_SHORTER;
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
	dw_notes_deinit(&s->adaptive->notes);
	free(s->adaptive);
}

static int disk_in(struct dw_controller_state *s, const struct dw_view *view,
		   uint32_t disk)
{
	struct dw_adaptive *a = s->adaptive;
	struct dw_setting top;
	int r = dw_notes_in(&a->notes, view->n, disk);

	if (r < 0)
		return r;
	if (view->unfinished <= 1) /* nobody is left of whom something was learnt */
		*a = (struct dw_adaptive){ .notes = a->notes };
	if (!a->begun)
		return 0;
	top = dw_grid_top(view);
	a->top.l = top.l > a->top.l ? top.l : a->top.l;
	a->top.d = top.d > a->top.d ? top.d : a->top.d;
	return 0;
}

/* slices long enough that every disk has its say */
static uint32_t need(const struct dw_view *view)
{
	return 16 + view->active;
}

static void measure(struct dw_adaptive *a, const struct dw_view *view, enum stage stage)
{
	a->stage = stage;
	dw_gauge_reset(stage == TRIAL ? &a->b : &a->a, a->now_ns, need(view));
	dw_late_reset(a->notes.got, a->notes.n, stage == TRIAL);
}

/* go on with @stage when what is on its way now has ended */
static void settle(struct dw_adaptive *a, const struct dw_view *view, enum stage stage)
{
	a->stage = SETTLE;
	a->next = stage;
	a->settle = view->inflight + 1;
}

/* the search begins anew; @hard: what was learnt of the neighbours is void */
static void reopen(struct dw_adaptive *a, bool hard)
{
	for (int m = 0; m < DW_MOVES; m++) {
		uint64_t wait = (uint64_t)(a->cost[m] / SHARE * 1e9);

		a->due[m] = hard ? a->now_ns : dw_min_u64(a->due[m], a->now_ns + wait);
		a->fails[m] = 0;
	}
	a->scanning = true;
	a->quiet_ns = a->now_ns;
}

/* disks came or went, do something else now, or count for more */
static void changed(struct dw_adaptive *a, const struct dw_view *view)
{
	a->weighted = false;
	for (uint32_t i = 0; i < a->notes.n; i++)
		a->weighted |= a->notes.got[i].first && !view->disk[i].out;
	reopen(a, true);
	a->slack = 0;
	a->way = 0;
	a->fell = false;
	memset(&a->memory, 0, sizeof(a->memory));
	settle(a, view, REST);
}

/* its commands may have lost against those of others: those leave gaps, and it goes first */
static void give_way(struct dw_adaptive *a, const struct dw_view *view, uint32_t disk)
{
	a->notes.got[disk].first = true;
	a->base.d = 0;
	dw_late_level(a->notes.got, a->notes.n);
	changed(a, view);
}

static bool affordable(const struct dw_adaptive *a)
{
	double past = (double)(a->now_ns - a->start_ns) / 1e9;

	return a->spent < CREDIT_S + CREDIT_SHARE * past;
}

/* the notches of a trial. Return: whether they are others than now */
static bool set_apart(struct dw_adaptive *a, const struct dw_view *view, uint8_t move)
{
	struct dw_setting s = neighbour(a, move);

	if (dw_move_favours(move))
		return s.d >= 0 && dw_late_favour(a->notes.got, view, s.d,
						  dw_grid_deepest(a->top, s));
	return dw_late_keep(a->notes.got, a->notes.n, move == DW_MOVE_LEVEL) &&
	       move == DW_MOVE_LEVEL;
}

static void launch(struct dw_adaptive *a, const struct dw_view *view, uint8_t move)
{
	a->move = move;
	a->trial = neighbour(a, move);
	set_apart(a, view, move);
	a->begun_ns = a->now_ns;
	a->moved = 0;
	settle(a, view, TRIAL);
}

static bool can_try(const struct dw_adaptive *a, uint8_t m)
{
	struct dw_setting s = neighbour(a, m);

	if (!dw_grid_has(a->top, s))
		return false;
	if (m == DW_MOVE_REMEMBERED)
		return !dw_grid_same(s, a->base);
	return a->uneven[m] || !dw_move_evens(m);
}

/* the next neighbour that is due, if any; when none is left the search is at rest */
static void explore(struct dw_adaptive *a, const struct dw_view *view)
{
	if (a->now_ns < a->quiet_ns || !affordable(a))
		return;
	for (int i = -1; i < DW_MOVES; i++) {
		uint8_t m = i < 0 ? a->favourite : dw_move_order[i];

		if (a->due[m] <= a->now_ns && can_try(a, m)) {
			launch(a, view, m);
			return;
		}
	}
	if (a->scanning)
		a->level = dw_gauge_mean(&a->a);
	a->scanning = false;
}

static void accept(struct dw_adaptive *a, double ratio)
{
	bool more = dw_grid_weight(a->trial) >= dw_grid_weight(a->base);

	a->slack = more || a->slack + 1 < ratio ? 0 : a->slack + 1 - ratio;
	a->base = a->trial;
	a->a = a->b;
	dw_late_accept(a->notes.got, a->notes.n);
	a->stage = REST;
	a->favourite = a->move;
	reopen(a, true);
	a->due[dw_move_opposite(a->move)] = a->now_ns + WAIT_NS;
}

/* a trial that has cost a->cost[@m] is over at @ns, and the neighbour has to wait */
static void refuse(struct dw_adaptive *a, uint8_t m, uint64_t ns)
{
	uint64_t wait = dw_min_u64(WAIT_NS << dw_min_u64(a->fails[m]++, 5), WAIT_MAX_NS);

	a->spent += a->cost[m];
	a->due[m] = ns + dw_max_u64(wait, (uint64_t)(a->cost[m] / SHARE * 1e9));
	if (!a->scanning)
		a->quiet_ns = ns + GAP_NS;
}

static void reject(struct dw_adaptive *a, const struct dw_view *view, double ratio)
{
	uint8_t m = a->move;
	double s = (double)(a->now_ns - a->begun_ns) / 1e9;

	a->cost[m] = ratio < 1 ? (1 - ratio) * s : 0;
	a->hold = a->seen[m] = dw_gauge_mean(&a->a);
	refuse(a, m, a->now_ns);
	a->held_ns = a->now_ns;
	settle(a, view, HOLD);
}

/* the ratio that a trial has to reach */
static double target_of(const struct dw_adaptive *a)
{
	bool more = dw_move_favours(a->move) ||
		    dw_grid_weight(a->trial) >= dw_grid_weight(a->base);

	return more ? 1 + GAIN : 1 - BAND + a->slack;
}

/* is it decided? */
static void judge(struct dw_adaptive *a, const struct dw_view *view)
{
	double target = target_of(a), error, ratio, doubt;
	bool over, good;
	int vote;

	if (a->b.n < 3) {
		if (a->b.n > 1 && dw_gauge_mean(&a->b) < dw_gauge_mean(&a->a) / 2)
			reject(a, view, dw_gauge_mean(&a->b) / dw_gauge_mean(&a->a));
		return;
	}
	ratio = dw_gauge_compare(&a->a, &a->b, &error);
	/* slices that follow each other are alike: a short look is not as sure as it seems */
	doubt = SURE * error + COARSE / a->b.seconds;
	over = a->now_ns >= a->b.from_ns + TRIAL_NS;
	if (fabs(ratio - target) < doubt && (!over || a->b.n < BASE_SLICES))
		return;
	good = ratio >= target;
	vote = dw_late_vote(a->notes.got, view, ratio, dw_grid_bytes(a->trial));
	if (vote == (good ? -1 : 1) && a->b.seconds < FEW_S && !over)
		return; /* the word of a few against that of all */
	if (vote > 0 || (good && !vote))
		accept(a, ratio);
	else
		reject(a, view, ratio);
}

/* the rate of all has moved since the search came to rest */
static bool has_drifted(const struct dw_adaptive *a, double rate)
{
	return !a->scanning && a->level > 0 &&
	       (rate < (1 - DRIFT) * a->level || rate > (1 + DRIFT) * a->level);
}

/* a slice that far away takes but a moment, at the rate that was lost */
static bool is_near(const struct dw_adaptive *a, const struct dw_view *view,
		    struct dw_setting s)
{
	return (double)need(view) * (double)dw_grid_bytes(s) < AWAY_S * a->hold;
}

/* the next way to go away and come back that there is */
static bool go_away(struct dw_adaptive *a, const struct dw_view *view)
{
	while (a->now_ns >= a->mend_ns && a->way < DW_ARRAY_SIZE(ways)) {
		struct dw_setting off = ways[a->way++].off;

		a->away = (struct dw_setting){ a->base.l + off.l, a->base.d + off.d };
		if (dw_grid_has(a->top, a->away) && is_near(a, view, a->away)) {
			settle(a, view, AWAY);
			return true;
		}
	}
	return false;
}

static void come_back(struct dw_adaptive *a, const struct dw_view *view)
{
	if (ways[a->way - 1].steps && a->away.l > a->base.l + 1) {
		a->away.l--;
		settle(a, view, AWAY);
		return;
	}
	a->held_ns = a->now_ns;
	settle(a, view, HOLD);
}

/* three slices of the base were low */
static void fell(struct dw_adaptive *a, const struct dw_view *view)
{
	a->low = 0;
	a->fell = true;
	a->hold = dw_gauge_mean(&a->a);
	if (!go_away(a, view))
		changed(a, view);
}

/* others make room for a disk that does not answer */
static void rescue(struct dw_adaptive *a, const struct dw_view *view)
{
	a->hold = dw_gauge_mean(&a->a);
	a->away = (struct dw_setting){ 0 };
	settle(a, view, RESCUE);
}

static void end_rescue(struct dw_adaptive *a, const struct dw_view *view)
{
	a->held_ns = a->now_ns;
	a->fell = true;
	settle(a, view, HOLD);
}

/* a slice of the base has ended */
static void rest(struct dw_adaptive *a, const struct dw_view *view)
{
	double mean = dw_gauge_mean(&a->a);

	a->unheard = dw_unheard_find(a->notes.silent, view, a->now_ns, a->leapt_ns);
	if (a->unheard >= 0) {
		rescue(a, view);
		return;
	}
	a->low = a->a.rate < 0.7 * mean ? a->low + 1 : 0;
	if (a->low == 3) {
		fell(a, view);
		return;
	}
	if (a->a.n < BASE_SLICES || a->a.seconds < BASE_S)
		return;
	dw_memory_add(&a->memory, a->base, mean, a->now_ns);
	if (a->a.n >= OLD_SLICES && a->a.seconds > OLD_S) {
		dw_gauge_forget(&a->a);
		dw_late_forget(a->notes.got, a->notes.n);
		if (has_drifted(a, mean))
			reopen(a, false);
	}
	for (int m = DW_MOVE_FAVOUR; m <= DW_MOVE_LEVEL; m++)
		a->uneven[m] = set_apart(a, view, (uint8_t)m);
	explore(a, view);
}

/* the last way away and back was tried */
static void mended(struct dw_adaptive *a, bool well)
{
	a->way = 0;
	a->in_vain = well ? 0 : a->in_vain + 1;
	if (!well)
		a->mend_ns = a->now_ns + (LOW_NS << dw_min_u64(a->in_vain, 9));
}

/* a trial was refused, and the base is what it was */
static void recovered(struct dw_adaptive *a, const struct dw_view *view)
{
	uint8_t m = a->move;

	a->took_ns[m] = a->now_ns - a->begun_ns;
	a->loss_s[m] = (double)a->took_ns[m] / 1e9 - a->moved / a->hold;
	measure(a, view, REST);
}

/* the rate is another from now on; what other settings had may still be there */
static void lost(struct dw_adaptive *a, const struct dw_view *view)
{
	reopen(a, true);
	a->slack = 0;
	settle(a, view, REST);
}

/* a slice of the base has ended after something else */
static void hold(struct dw_adaptive *a, const struct dw_view *view)
{
	bool low = a->a.rate < LOST * a->hold;

	if (low && (a->now_ns < a->held_ns + LOW_NS || go_away(a, view)))
		return;
	if (a->a.rate > 1.01 * a->hold && a->now_ns < a->held_ns + HOLD_NS)
		return;
	if (a->way)
		mended(a, !low);
	if (!a->fell)
		recovered(a, view);
	else if (low)
		lost(a, view);
	else
		measure(a, view, REST);
	a->fell = false;
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
	case TRIAL:
		judge(a, view);
		break;
	case AWAY:
		come_back(a, view);
		break;
	case RESCUE:
		if (dw_unheard_over(&a->notes.silent[a->unheard], a->now_ns))
			end_rescue(a, view);
		break;
	default:
		break;
	}
}

/* what makes all that was measured void */
static bool is_news(struct dw_adaptive *a, const struct dw_view *view,
		    const struct dw_observation *o)
{
	struct dw_last_verb *d = &a->notes.last[o->disk];
	bool news = !d->seen || view->unfinished != a->unfinished ||
		    (o->verb != DW_VERB_FLUSH && d->verb != o->verb);

	a->unfinished = view->unfinished;
	d->seen = true;
	if (o->verb != DW_VERB_FLUSH)
		d->verb = o->verb;
	return news;
}

/* how much of the rate a completion is */
static double score_of(const struct dw_adaptive *a, const struct dw_view *view,
		       const struct dw_observation *o)
{
	double bytes = (double)o->blocks * view->disk[o->disk].block_size;

	if (o->class != DW_CLASS_OK)
		return 0;
	return a->notes.got[o->disk].first ? STARVED * bytes : bytes;
}

/* Return: whether that ends a slice */
static bool add(struct dw_adaptive *a, uint32_t disk, double score)
{
	bool trial = a->stage == TRIAL;

	*(trial ? &a->notes.got[disk].trial : &a->notes.got[disk].base) += score;
	return dw_gauge_add(trial ? &a->b : &a->a, a->now_ns, score);
}

/* a gap in the work of a disk: what is being measured does not count */
static void disturbed(struct dw_adaptive *a, const struct dw_view *view)
{
	if (a->stage == REST || a->stage == HOLD)
		measure(a, view, a->stage);
	else if (a->stage == TRIAL)
		settle(a, view, TRIAL);
}

/* in that stage, or on the way to it */
static bool is_in(const struct dw_adaptive *a, enum stage stage)
{
	return a->stage == stage || (a->stage == SETTLE && a->next == stage);
}

static bool on_trial(const struct dw_adaptive *a)
{
	return is_in(a, TRIAL);
}

static int notch_of(const struct dw_adaptive *a, uint32_t disk)
{
	if (is_in(a, RESCUE))
		return 0;
	return on_trial(a) ? a->notes.got[disk].tried : a->notes.got[disk].notch;
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
	a->notes.silent[o->disk].heard_ns = a->now_ns;
	if (o->class == DW_CLASS_TIMEOUT)
		give_way(a, view, o->disk);
	else if (is_news(a, view, o))
		changed(a, view);
	else if (o->verb == DW_VERB_FLUSH)
		disturbed(a, view);
	score = score_of(a, view, o);
	a->moved += score;
	if (o->class == DW_CLASS_QUEUE_FULL && on_trial(a) && a->trial.d > a->base.d)
		reject(a, view, 0);
	if (a->stage == SETTLE) {
		if (!--a->settle)
			measure(a, view, a->next);
	} else if (add(a, o->disk, score)) {
		slice_ended(a, view);
	}
	return 0;
}

/* nobody makes room for a disk that has left */
static void disk_out(struct dw_controller_state *s, const struct dw_view *view,
		     uint32_t disk)
{
	struct dw_adaptive *a = s->adaptive;

	if (is_in(a, RESCUE) && a->unheard == disk)
		end_rescue(a, view);
}

static void pick(struct dw_controller_state *s, const struct dw_view *view, uint32_t disk,
		 struct dw_pick *ret)
{
	const struct dw_adaptive *a = known(s, view);
	const struct dw_view_disk *d = &view->disk[disk];
	struct dw_setting set;

	set = on_trial(a)                          ? a->trial
	      : is_in(a, AWAY) || is_in(a, RESCUE) ? a->away
						   : a->base;
	ret->nlb = dw_cache_length(dw_grid_bytes(set), d->block_size, 1);
	ret->depth = dw_grid_depth(a->top, set, notch_of(a, disk));
}

/*
 * What a simulation that leaps has to know. It goes through every trial of a neighbour until that
 * has been refused often enough, and again when the rate is another; from then on it is taken to
 * be refused, at its times and at what the last one cost. Within a trial, it leaps when the
 * slices have told what they can, and only time is wanting.
 */
static bool is_known(const struct dw_adaptive *a, uint8_t m)
{
	double s = (double)a->took_ns[m] / 1e9;
	bool dear = a->seen[m] * s / (double)dw_grid_bytes(neighbour(a, m)) > DEAR;

	return !a->scanning && a->fails[m] >= (dear ? 1 : CHEAP_TRIALS) &&
	       fabs(a->pace / a->seen[m] - 1) < STALE;
}

/* the earliest time at which the neighbour may be tried */
static uint64_t opens_ns(const struct dw_adaptive *a, uint8_t m)
{
	double wait_s = (a->spent - CREDIT_S) / CREDIT_SHARE;
	uint64_t ns = dw_max_u64(dw_max_u64(a->due[m], a->quiet_ns), a->now_ns);

	if (wait_s <= 0)
		return ns;
	return dw_max_u64(ns, a->start_ns + 1 + (uint64_t)(wait_s * 1e9));
}

/* when the next trial of those @known or of the others opens, UINT64_MAX = never; which */
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

/* ns for which a gauge lacks nothing but time, to have @s seconds */
static uint64_t lacking_ns(const struct dw_gauge *g, double s)
{
	return g->n >= 3 && s > g->seconds ? (uint64_t)((s - g->seconds) * 1e9) : 0;
}

static uint64_t rest_still(const struct dw_adaptive *a)
{
	uint8_t move;
	uint64_t next = next_trial(a, false, &move);

	if (next > a->now_ns && (!a->scanning || a->a.seconds >= BASE_S))
		return next - a->now_ns;
	return lacking_ns(&a->a, BASE_S);
}

static uint64_t trial_still(const struct dw_adaptive *a)
{
	uint64_t end = a->b.from_ns + TRIAL_NS;
	double error, sure;

	if (a->b.n < 3 || end <= a->now_ns)
		return 0;
	sure = fabs(dw_gauge_compare(&a->a, &a->b, &error) - target_of(a));
	sure -= SURE * error;
	if (sure <= 0)
		return 0;
	return dw_min_u64(end - a->now_ns, lacking_ns(&a->b, COARSE / sure));
}

static uint64_t still(const struct dw_controller_state *s)
{
	const struct dw_adaptive *a = s->adaptive;

	if (!a->begun ||
	    a->weighted) /* rates in hand are not those that a leap tells of */
		return 0;
	if (a->stage == REST)
		return rest_still(a);
	return a->stage == TRIAL ? trial_still(a) : 0;
}

/* trials that are refused again until @end_ns; the seconds that they cost */
static double refused(struct dw_adaptive *a, uint64_t end_ns)
{
	double lost = 0;
	uint64_t begin;
	uint8_t m;

	while ((begin = next_trial(a, true, &m)) < end_ns) {
		refuse(a, m, begin + a->took_ns[m]);
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
	a->pace = rate;
	if (!a->scanning)
		lost = refused(a, a->now_ns + ns);
	a->now_ns += ns;
	a->leapt_ns = a->now_ns;
	if ((double)ns > OLD_S * 1e9)
		measure(a, view, REST);
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
	.disk_out = disk_out,
	.pick = pick,
	.observe = observe,
	.still = still,
	.leapt = leapt,
};

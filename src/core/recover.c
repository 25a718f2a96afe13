/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recovery of a disk after a completion that was not good. The transport has fenced the disk.
 * When nothing is in flight it is brought back: wait, start, test, identify, rewind, in that
 * order and as far as needed. Then the fence is lifted. One table says what each class of errors
 * needs; docs/errors.md shows it to people. No count over the life of a disk ends it: it ends
 * when it can never work, when it is another disk, or when its stall budget is used up
 * (patience.c).
 */
#include <stdio.h>

#include <diskwipe/identity.h>

#include "base/util.h"
#include "core/internal.h"

#define BACKOFF_MIN_NS (100 * DW_NS_PER_MS)
#define BACKOFF_MAX_NS (5 * DW_NS_PER_S)
#define POLL_MAX_NS    (10 * DW_NS_PER_S)
#define STREAK_MAX     10 /* waits do not grow any more */
#define GONE_NS        (30 * DW_NS_PER_S)
#define UNSEEN_TRIES   8 /* 1, 2, 4 ... seconds: a minute and a half */
#define UNSEEN_MAX_NS  (16 * DW_NS_PER_S)

#define TEST (NEED_READY | NEED_IDENTIFY)

/* tests/lint/errors.py reads this table */
static const struct core_rule rules[DW_CLASS_COUNT + 1] = {
	[DW_CLASS_OK] = { BLAME_NONE, 0, PAUSE_NONE, ENDS_IMPATIENT },
	[DW_CLASS_GIVEN_BACK] = { BLAME_NONE, 0, PAUSE_NONE, ENDS_IMPATIENT },
	[DW_CLASS_RETRY] = { BLAME_REPEATED, NEED_READY, PAUSE_LONGER, ENDS_IMPATIENT },
	[CORE_RULE_WAY] = { BLAME_LAST, NEED_READY, PAUSE_LONGER, ENDS_IMPATIENT },
	[DW_CLASS_QUEUE_FULL] = { BLAME_NONE, 0, PAUSE_LONGER, ENDS_IMPATIENT },
	[DW_CLASS_ATTENTION] = { BLAME_NONE, NEED_IDENTIFY, PAUSE_LONGER,
				 ENDS_IMPATIENT },
	[DW_CLASS_RESET] = { BLAME_LAST, NEED_IDENTIFY | NEED_REWIND, PAUSE_LONGER,
			     ENDS_IMPATIENT },
	[DW_CLASS_MEDIUM] = { BLAME_AT_ONCE, 0, PAUSE_NONE, ENDS_IMPATIENT },
	[DW_CLASS_NOT_READY] = { BLAME_NONE, TEST, PAUSE_POLL, ENDS_IMPATIENT },
	[DW_CLASS_NEEDS_START] = { BLAME_NONE, NEED_START | TEST, PAUSE_POLL,
				   ENDS_IMPATIENT },
	[DW_CLASS_TOO_BIG] = { BLAME_NONE, 0, PAUSE_NONE, ENDS_IMPATIENT },
	[DW_CLASS_UNSUPPORTED] = { BLAME_NONE, 0, PAUSE_NONE, ENDS_IMPATIENT },
	[DW_CLASS_RANGE] = { BLAME_AT_ONCE, NEED_IDENTIFY, PAUSE_NONE, ENDS_IMPATIENT },
	[DW_CLASS_TIMEOUT] = { BLAME_LAST, TEST | NEED_REWIND, PAUSE_SECOND,
			       ENDS_IMPATIENT },
	[DW_CLASS_HARDWARE] = { BLAME_REPEATED, TEST, PAUSE_LONGER, ENDS_IMPATIENT },
	[DW_CLASS_RESERVED] = { BLAME_NONE, 0, PAUSE_NONE, ENDS_AT_ONCE },
	[DW_CLASS_PROTECTED] = { BLAME_NONE, 0, PAUSE_NONE, ENDS_AT_ONCE },
	[DW_CLASS_GONE] = { BLAME_NONE, TEST | NEED_REWIND, PAUSE_SECOND, ENDS_GONE },
	[DW_CLASS_FAILED] = { BLAME_NONE, 0, PAUSE_NONE, ENDS_AT_ONCE },
	[DW_CLASS_BUG] = { BLAME_NONE, 0, PAUSE_NONE, ENDS_AT_ONCE },
	[DW_CLASS_RUNNING] = { BLAME_NONE, 0, PAUSE_NONE, ENDS_AT_ONCE },
	[DW_CLASS_UNSEEN] = { BLAME_NONE, 0, PAUSE_NONE, ENDS_UNSEEN },
};

const struct core_rule *core_rule_of(const struct dw_result *r)
{
	if (r->class == DW_CLASS_RETRY && r->way)
		return &rules[CORE_RULE_WAY];
	return &rules[r->class];
}

static const char *detail(const struct dw_result *r)
{
	return r->detail ? r->detail : dw_class_name(r->class);
}

void core_recover_wait(struct core_disk *d, uint64_t ns)
{
	d->rec.resume_ns = dw_max_u64(d->rec.resume_ns, ns);
}

static uint64_t backoff(uint32_t n)
{
	return dw_min_u64(BACKOFF_MAX_NS, BACKOFF_MIN_NS << dw_min_u64(n, 10));
}

void core_wait(struct dw_core *c, struct core_disk *d, uint32_t n)
{
	core_recover_wait(d, c->now_ns + backoff(n));
}

/* time is lost from the start of the first of the commands that fail together */
void core_fence(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	uint64_t since = r->start_ns ? dw_min_u64(r->start_ns, c->now_ns) : c->now_ns;

	core_patience_trouble(d, since);
	if (d->state.fenced) {
		d->rec.since_ns = dw_min_u64(d->rec.since_ns, since);
		return;
	}
	d->state.fenced = true;
	d->rec = (struct core_recovery){
		.since_ns = since,
		.end = d->rec.end,
		.started = d->rec.started,
	};
}

static bool is_verified(const struct core_disk *d)
{
	return d->state.phase == DW_CORE_VERIFY || d->state.phase == DW_CORE_REVERIFY ||
	       d->state.phase == DW_CORE_CONTROL || d->state.phase == DW_CORE_FLOOD ||
	       d->state.phase == DW_CORE_COMPARE || d->flush.final;
}

/* The write cache was reported to be off, and is on. */
void core_recover_earlier_write(struct dw_core *c, struct core_disk *d)
{
	d->flush.wce = 1;
	core_flush_sooner(c, d);
	d->rec.need |= NEED_REWIND;
	if (is_verified(d))
		core_give_up(d, DW_END_FAILED,
			     "an earlier write failed (deferred error)");
}

/* With the cache off, what ended well is on the medium. A reset, or a loss of power, restores
 * saved settings, which may be that the cache is on: so the disk is asked again. */
void core_recover_lost(struct dw_core *c, struct core_disk *d)
{
	if (d->flush.wce == 0 && !d->flush.mode_changed) {
		d->rec.need |= NEED_IDENTIFY | NEED_CACHE;
		return;
	}
	core_flush_sooner(c, d);
	d->rec.need |= NEED_REWIND;
}

/*
 * Whether this is a new event. An abort, a reset or a silence of the disk ends all commands in
 * flight, and is one event. Commands of recovery are sent alone.
 */
static bool is_news(struct core_disk *d, uint8_t verb, uint8_t class)
{
	uint32_t bit = UINT32_C(1) << class;
	bool seen = d->rec.seen & bit;

	d->rec.seen |= bit;
	return !seen || dw_verb_flags(verb) & DW_VERB_IS_ASKED;
}

static void less_depth(struct dw_core *c, struct core_disk *d)
{
	if (d->state.steer.depth > 1) {
		d->limits.depth = d->state.steer.depth - (d->state.steer.depth + 3) / 4;
		d->state.steer.depth = d->limits.depth;
		core_notice(c, d, "queue full: depth %u", d->limits.depth);
	}
}

static void after_reset(struct dw_core *c, struct core_disk *d)
{
	/* the unit attention that follows an abort by reset tells of the same */
	if (!is_news(d, DW_VERB_WRITE, DW_CLASS_RESET))
		return;
	d->state.trouble.resets++;
	core_notice(c, d, "the disk was reset");
	core_aside_reset(c, d);
}

static void timed_out(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		      const struct dw_result *r)
{
	bool alone = core_starved_alone(d, r->start_ns);

	d->state.trouble.timeouts++;
	if (!alone) {
		d->rec.others_ns = c->now_ns;
		core_patience_others(d, c->now_ns);
		core_starved_begin(c, d);
	} else {
		core_starved_over(c, d);
		if (s->extent.nlb && s->verb != DW_VERB_RESET)
			core_length_hung(c, d, s->extent.nlb);
	}
	core_aside_hung(c, d, r->start_ns, alone);
	core_notice(c, d, "no answer: timeout%s",
		    alone ? "" : "; other disks were at work, and make room for it");
}

/* Some adapters abort a command that gets no answer. One that ends so at once was not waited for:
 * its length is not the cause. */
static void host_aborted(struct dw_core *c, struct core_disk *d,
			 const struct core_slot *s, const struct dw_result *r)
{
	bool hung = r->end_ns - r->start_ns >= DW_NS_PER_S;

	if (hung && s->extent.nlb && s->verb != DW_VERB_RESET &&
	    core_starved_alone(d, r->start_ns))
		core_length_hung(c, d, s->extent.nlb);
}

/* Mode parameters may be those of the cache. */
static void attention(struct core_disk *d, const struct dw_result *r)
{
	d->flush.mode_changed |= r->asc == 0x2a && r->ascq == 0x01;
}

/* It cannot be seen who else uses the disk, which is not the disk's fault: that costs no time of
 * its budget, and what it has written and read is kept. */
static void unseen(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	uint64_t wait = dw_min_u64(UNSEEN_MAX_NS, DW_NS_PER_S << d->patience.unseen);

	if (++d->patience.unseen > UNSEEN_TRIES) {
		core_give_up(d, DW_END_STOPPED, "%s", detail(r));
		return;
	}
	if (d->patience.unseen == 1)
		core_notice(c, d, "%s; it is looked at again", detail(r));
	core_recover_wait(d, c->now_ns + wait);
	d->rec.others_ns = d->rec.resume_ns;
	core_patience_others(d, d->rec.resume_ns);
}

static void removed(struct core_disk *d)
{
	core_give_up(d, DW_END_REMOVED, "removed while it was being %s",
		     d->plan.verify_only ? "read" : "erased");
}

/* An unstable link gives the same answer, and so does an adapter that scans for its disks. */
static void gone(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	if (!d->patience.gone_ns) {
		d->patience.gone_ns = c->now_ns;
		if (!r->vanished)
			core_notice(c, d, "no connection: it is asked for %llu s",
				    (unsigned long long)(GONE_NS / DW_NS_PER_S));
	}
	if (r->vanished || c->now_ns - d->patience.gone_ns >= GONE_NS)
		removed(d);
}

static void pause_for(struct dw_core *c, struct core_disk *d, const struct dw_result *r,
		      bool news)
{
	switch ((enum core_pause)core_rule_of(r)->pause) {
	case PAUSE_NONE:
		return;
	case PAUSE_POLL:
		d->rec.waiting++;
		core_recover_wait(
			d, c->now_ns + dw_min_u64(POLL_MAX_NS, backoff(d->rec.waiting)));
		return;
	case PAUSE_SECOND:
		core_recover_wait(d, c->now_ns + DW_NS_PER_S);
		return;
	case PAUSE_LONGER:
		if (!news)
			return;
		core_wait(c, d, d->patience.streak);
		d->patience.streak += d->patience.streak < STREAK_MAX;
		return;
	}
}

static void ends_at_once(struct core_disk *d, const struct core_slot *s,
			 const struct dw_result *r)
{
	char text[120];

	core_give_up(d, DW_END_FAILED, "%s",
		     s->verb == DW_VERB_SETTLE || s->verb == DW_VERB_CYCLE
			     ? detail(r)
			     : core_describe(s, r, text, sizeof(text)));
}

/* What a class needs beyond its row. */
static void special(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		    const struct dw_result *r, bool news)
{
	switch (r->class) {
	case DW_CLASS_RETRY:
		if (news && r->aborted)
			host_aborted(c, d, s, r);
		break;
	case DW_CLASS_QUEUE_FULL:
		if (news)
			less_depth(c, d);
		break;
	case DW_CLASS_ATTENTION:
		attention(d, r);
		break;
	case DW_CLASS_RESET:
		after_reset(c, d);
		break;
	case DW_CLASS_NEEDS_START:
		if (d->rec.started)
			d->rec.need &= ~(uint32_t)NEED_START;
		break;
	case DW_CLASS_TIMEOUT:
		if (news)
			timed_out(c, d, s, r);
		break;
	case DW_CLASS_HARDWARE:
		if (s->verb == DW_VERB_FLUSH && !r->deferred)
			core_recover_earlier_write(c, d);
		break;
	case DW_CLASS_UNSEEN:
		unseen(c, d, r);
		break;
	case DW_CLASS_GONE:
		gone(c, d, r);
		break;
	default:
		break;
	}
}

void core_recover_need(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		       const struct dw_result *r)
{
	const struct core_rule *rule = core_rule_of(r);
	/* a reset is reported in more than one way */
	bool news = r->class == DW_CLASS_RESET || is_news(d, s->verb, r->class);

	if (r->deferred)
		core_recover_earlier_write(c, d);
	if (dw_class_is_bad(r->class))
		core_describe(s, r, d->rec.last, sizeof(d->rec.last));
	d->rec.need |= rule->need & ~(uint32_t)NEED_REWIND;
	/* also of a timeout: an abort may have become a reset */
	if (rule->need & NEED_REWIND)
		core_recover_lost(c, d);
	special(c, d, s, r, news);
	pause_for(c, d, r, news);
	if (rule->verdict == ENDS_AT_ONCE)
		ends_at_once(d, s, r);
}

static void identified(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	if (r->reset_seen) {
		core_recover_lost(c, d);
		after_reset(c, d);
	}
	switch (r->identity) {
	case DW_IDENTITY_SAME:
		d->rec.need &= ~(uint32_t)(NEED_IDENTIFY |
					   (r->cache == DW_CACHE_OFF ? NEED_CACHE : 0));
		d->flush.confirmed = d->state.phase == DW_CORE_CONFIRM && !d->rec.need;
		return;
	case DW_IDENTITY_CHANGED:
		core_give_up(d, DW_END_FAILED, "identity changed: " DW_ANOTHER_DISK);
		break;
	case DW_IDENTITY_CAPACITY:
		core_give_up(d, DW_END_FAILED, "capacity or block size changed");
		break;
	case DW_IDENTITY_NAMELESS:
		core_give_up(
			d, DW_END_FAILED,
			"after a reset or an exchange nobody can tell whether it is the same "
			"disk: it has no name of its own; look, and begin again");
		break;
	default:
		d->rec.need |= NEED_IDENTIFY;
		snprintf(d->rec.last, sizeof(d->rec.last), "it does not say who it is");
		core_wait(c, d, d->patience.streak);
		d->patience.streak += d->patience.streak < STREAK_MAX;
		return;
	}
	d->flush.dirty = false; /* another disk: what was written is not on it */
}

static void answered(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		     const struct dw_result *r)
{
	switch (s->verb) {
	case DW_VERB_START:
		d->rec.need &= ~(uint32_t)NEED_START;
		d->rec.started = true;
		break;
	case DW_VERB_READY:
		d->rec.need &= ~(uint32_t)NEED_READY;
		d->rec.waiting = 0;
		d->patience.gone_ns = 0;
		break;
	default:
		identified(c, d, r);
	}
}

void core_recover_answer(struct dw_core *c, struct core_disk *d,
			 const struct core_slot *s, const struct dw_result *r)
{
	bool plain = r->class == DW_CLASS_OK &&
		     (s->verb != DW_VERB_IDENTIFY ||
		      (r->identity == DW_IDENTITY_SAME && !r->reset_seen &&
		       !r->elsewhere && r->cache != DW_CACHE_SWITCHED_ON));

	if (!plain)
		core_fence(c, d, r);
	core_elsewhere(c, d, r);
	if (r->class == DW_CLASS_OK ||
	    (r->class == DW_CLASS_UNSUPPORTED && s->verb != DW_VERB_IDENTIFY)) {
		answered(c, d, s, r);
		return;
	}
	if (s->verb == DW_VERB_START)
		d->rec.started = true;
	if (s->verb == DW_VERB_START && r->class != DW_CLASS_GIVEN_BACK)
		d->rec.need &= ~(uint32_t)NEED_START;
	if (r->class == DW_CLASS_GIVEN_BACK || r->class == DW_CLASS_MEDIUM ||
	    r->class == DW_CLASS_TOO_BIG || r->class == DW_CLASS_UNSUPPORTED ||
	    r->class == DW_CLASS_RANGE) {
		core_wait(c, d, d->patience.streak);
		d->patience.streak += d->patience.streak < STREAK_MAX;
	}
	core_recover_need(c, d, s, r);
}

bool core_leave(struct dw_core *c, struct core_disk *d)
{
	if (!d->flush.dirty || d->rec.mute || d->rec.end == DW_END_REMOVED ||
	    d->ask == ASK_ABORT)
		return false;
	d->rec.leaving = true;
	core_emit(c, d, d->rec.received ? DW_VERB_FLUSH : DW_VERB_READY, NULL,
		  DW_OP_RECOVERY);
	return true;
}

void core_leave_answer(struct core_disk *d, const struct core_slot *s,
		       const struct dw_result *r)
{
	d->rec.leaving = false;
	if (r->class == DW_CLASS_GONE)
		removed(d);
	if (s->verb == DW_VERB_FLUSH || r->class != DW_CLASS_OK)
		d->rec.mute = true; /* once is enough */
	d->rec.received = true;
}

/* ns that were lost to the errors in hand */
static uint64_t lost_ns(const struct dw_core *c, const struct core_disk *d)
{
	uint64_t since = dw_max_u64(d->rec.since_ns, d->rec.others_ns);

	return c->now_ns > since ? c->now_ns - since : 0;
}

static void give_up_impatient(struct dw_core *c, struct core_disk *d)
{
	bool writes = !is_verified(d);
	uint64_t s = d->rules.stall_ns / DW_NS_PER_S;
	bool minutes = s >= 60 && s % 60 == 0;

	if (d->patience.gone_ns) {
		removed(d);
		return;
	}
	core_give_up(
		d, DW_END_FAILED, "stall budget used up: nothing was %s for %llu %s%s%s",
		writes ? "erased" : "read", (unsigned long long)(minutes ? s / 60 : s),
		minutes ? "min" : "s", *d->rec.last ? "; " : "", d->rec.last);
}

/* Leaves the disk, for good or until its turn comes; true when it was left. */
static bool leaves(struct dw_core *c, struct core_disk *d)
{
	const char *left;

	if (d->rec.end) {
		if (!core_leave(c, d))
			core_disk_end(c, d, d->rec.end, d->rec.reason);
		return true;
	}
	if (d->ask >= ASK_STOP) {
		left = core_operation_left(d);
		if (!core_leave(c, d))
			core_disk_end(c, d, DW_END_STOPPED,
				      left ? left : "it was recovering from an error");
		return true;
	}
	if (core_starved_drains(d)) {
		d->rec.others_ns = c->now_ns;
		core_patience_others(d, c->now_ns);
		return true;
	}
	return core_aside_waits(c, d);
}

static void rewind_lost(struct dw_core *c, struct core_disk *d)
{
	if (d->rec.need & NEED_CACHE) {
		d->flush.wce = -1;
		core_recover_lost(c, d);
	}
	if (d->rec.need & NEED_REWIND)
		core_disk_rewind(c, d);
	d->rec.need &= ~(uint32_t)(NEED_REWIND | NEED_CACHE);
}

static void lift(struct dw_core *c, struct core_disk *d)
{
	rewind_lost(c, d);
	core_zone_jump(c, d);
	d->rec.need = 0;
	/* a device that works by itself has lost none */
	if (d->state.phase != DW_CORE_OPERATE)
		d->state.ns.stalled += lost_ns(c, d);
	d->state.fenced = false;
	d->patience.idle_ns = c->now_ns;
	core_emit(c, d, DW_VERB_LIFT, NULL, 0);
	core_touch(c, d);
}

void core_recover(struct dw_core *c, struct core_disk *d)
{
	static const struct {
		uint8_t need;
		uint8_t verb;
	} steps[] = { { NEED_START, DW_VERB_START },
		      { NEED_READY, DW_VERB_READY },
		      { NEED_IDENTIFY, DW_VERB_IDENTIFY },
		      { NEED_POLL, DW_VERB_POLL } };

	if (d->state.submitted || leaves(c, d))
		return;
	if (core_patience_over(c, d)) {
		rewind_lost(c, d);
		if (core_policy_name_rest(c, d))
			core_patience_progress(d);
		else
			give_up_impatient(c, d);
		core_touch(c, d);
		return;
	}
	if (c->now_ns < d->rec.resume_ns) {
		core_set_timer(c, d, d->rec.resume_ns);
		return;
	}
	for (size_t i = 0; i < DW_ARRAY_SIZE(steps); i++) {
		if (!(d->rec.need & steps[i].need))
			continue;
		core_emit(c, d, steps[i].verb, NULL, DW_OP_RECOVERY);
		return;
	}
	lift(c, d);
}

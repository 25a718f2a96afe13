/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What to do about a completion that was not good. Two steps: the op itself is dealt with
 * when its result arrives (given back, split, recorded), and the disk, fenced by the
 * transport since that completion, is brought back once nothing is in flight: wait, start,
 * test, identify, rewind, in that order and as far as needed; then the fence is lifted.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/util.h"
#include "core/internal.h"

#define BACKOFF_MIN_NS (100 * DW_NS_PER_MS)
#define BACKOFF_MAX_NS (5 * DW_NS_PER_S)
#define POLL_MAX_NS    (10 * DW_NS_PER_S)
#define HARDWARE_NS    (5 * DW_NS_PER_S)
#define STREAK_MAX     10
#define REWRITES_MAX   3
#define REREADS_MAX    1
#define TIMEOUTS_MAX   2
#define HARDWARE_MAX   2
#define ELSEWHERE_MAX  3
#define UNSEEN_TRIES   8 /* 1, 2, 4 ... seconds: a minute and a half */
#define UNSEEN_MAX_NS  (16 * DW_NS_PER_S)

void core_give_up(struct core_disk *d, uint8_t end, const char *fmt, ...)
{
	va_list ap;

	if (d->rec.end == DW_END_REMOVED || (d->rec.end && end != DW_END_REMOVED))
		return;
	d->rec.end = end;
	va_start(ap, fmt);
	vsnprintf(d->rec.reason, sizeof(d->rec.reason), fmt, ap);
	va_end(ap);
}

static const char *detail(const struct dw_result *r)
{
	return r->detail ? r->detail : dw_class_name(r->class);
}

/* "write at LBA 5: 3/0c/00 write error" */
const char *core_describe(const struct core_slot *s, const struct dw_result *r, char *buf,
			  size_t size)
{
	char where[48] = "", sense[16] = "";

	if (s->extent.nlb)
		snprintf(where, sizeof(where), " at LBA %llu",
			 (unsigned long long)s->extent.lba);
	if (r->sense_key || r->asc)
		snprintf(sense, sizeof(sense), "%x/%02x/%02x ", r->sense_key, r->asc,
			 r->ascq);
	snprintf(buf, size, "%s%s: %s%s", dw_verb_name(s->verb), where, sense, detail(r));
	return buf;
}

static void wait_until(struct core_disk *d, uint64_t ns)
{
	d->rec.resume_ns = dw_max_u64(d->rec.resume_ns, ns);
}

static uint64_t backoff(uint32_t n)
{
	return dw_min_u64(BACKOFF_MAX_NS, BACKOFF_MIN_NS << dw_min_u64(n, 10));
}

void core_wait(struct dw_core *c, struct core_disk *d, uint32_t n)
{
	wait_until(d, c->now_ns + backoff(n));
}

/* time is lost from where the first of the commands that fail together had left */
void core_fence(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	uint64_t since = r->start_ns ? dw_min_u64(r->start_ns, c->now_ns) : c->now_ns;

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

static void give_back_extent(struct dw_core *c, struct core_disk *d,
			     const struct dw_extent *e)
{
	uint64_t run;

	/* a leap's mark speaks for what was in flight as well */
	if (e->nlb && d->state.phase == DW_CORE_WRITE)
		d->state.mark = dw_min_u64(d->state.mark,
					   dw_order_pos(&d->plan.order, e->lba, &run));
	if (e->nlb)
		core_set_error(c, dw_cursor_give_back(&d->cursor, e));
}

/* the blocks of @e that belong to the physical block of @lba */
static struct dw_extent physical_block(const struct core_disk *d,
				       const struct dw_extent *e, uint64_t lba)
{
	uint64_t from = lba - lba % d->plan.physical, end = from + d->plan.physical;

	from = dw_max_u64(from, e->lba);
	end = dw_min_u64(end, e->lba + e->nlb);
	return (struct dw_extent){ .lba = from,
				   .nlb = end - from,
				   .max = d->plan.physical };
}

/*
 * Cut a failed extent so that the bad block comes to stand alone: at the block that the disk
 * named, else in halves. False when it stands alone already.
 */
static bool isolate(struct dw_core *c, struct core_disk *d, const struct dw_extent *e,
		    const struct dw_result *r)
{
	struct dw_extent alone = physical_block(d, e, r->bad_valid ? r->bad_lba : e->lba);
	struct dw_extent head = { .lba = e->lba },
			 tail = { .lba = alone.lba + alone.nlb };

	if (alone.nlb == e->nlb)
		return false;
	d->state.split++;
	if (r->bad_valid) {
		head.nlb = alone.lba - e->lba;
		tail.nlb = e->lba + e->nlb - tail.lba;
		give_back_extent(c, d, &head);
		give_back_extent(c, d, &alone);
		give_back_extent(c, d, &tail);
		return true;
	}
	head.nlb = e->nlb / 2;
	head.nlb -= (e->lba + head.nlb) % d->plan.physical;
	if (!head.nlb || head.nlb > e->nlb)
		head.nlb = alone.nlb;
	tail = (struct dw_extent){ .lba = e->lba + head.nlb, .nlb = e->nlb - head.nlb };
	head.max = (uint32_t)head.nlb;
	tail.max = (uint32_t)tail.nlb;
	give_back_extent(c, d, &head);
	give_back_extent(c, d, &tail);
	return true;
}

static void medium_write(struct dw_core *c, struct core_disk *d,
			 const struct core_slot *s, const struct dw_result *r)
{
	struct dw_extent e = s->extent;

	if (isolate(c, d, &e, r))
		return;
	if (e.tries < REWRITES_MAX) {
		e.tries++;
		d->state.retried++;
		give_back_extent(c, d, &e);
		return;
	}
	d->state.work_done += e.nlb;
	core_fault_add(c, d, DW_FAULT_UNWRITABLE, e.lba, e.nlb, r);
}

static void medium_read(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
			const struct dw_result *r)
{
	struct dw_extent e = s->extent;

	if (isolate(c, d, &e, r))
		return;
	if (core_fault_has(d, e.lba, e.nlb)) {
		d->state.work_done += e.nlb;
		return;
	}
	if (e.tries < REREADS_MAX) {
		e.tries++;
		d->state.retried++;
		give_back_extent(c, d, &e);
		return;
	}
	if (d->state.phase == DW_CORE_VERIFY && !d->plan.verify_only) {
		/* the write may be fine, or a new write may mend it: see REPAIR */
		core_set_error(c, dw_extents_merge(&d->unreadable, e.lba, e.nlb));
		return;
	}
	d->state.work_done += e.nlb;
	core_fault_add(c, d, DW_FAULT_UNREADABLE, e.lba, e.nlb, r);
}

/*
 * Something written before, with a good end, did not get to the medium, and nobody knows
 * what. Where the write cache was said to be off, that was not true.
 */
static void earlier_write(struct core_disk *d)
{
	d->wce = 1;
	d->rec.need |= NEED_REWIND;
	if (d->state.phase == DW_CORE_VERIFY || d->state.phase == DW_CORE_REVERIFY ||
	    d->final_confirm)
		core_give_up(d, DW_END_FAILED,
			     "an earlier write failed (deferred error)");
}

static void medium_error(struct dw_core *c, struct core_disk *d,
			 const struct core_slot *s, const struct dw_result *r)
{
	if (r->deferred || !s->extent.nlb) {
		/* about an earlier write, nobody knows which: all since the last flush */
		give_back_extent(c, d, &s->extent);
		d->state.retried++;
		earlier_write(d);
		return;
	}
	if (s->verb == DW_VERB_READ)
		medium_read(c, d, s, r);
	else
		medium_write(c, d, s, r);
}

static void too_big(struct dw_core *c, struct core_disk *d, const struct core_slot *s)
{
	uint32_t half = (uint32_t)dw_max_u64(s->extent.nlb / 2, 1);
	uint32_t *limit = &d->limit_data;

	give_back_extent(c, d, &s->extent);
	if (s->verb == DW_VERB_WRITE_SAME) {
		limit = &d->limit_ws;
		d->ws_nlb = (uint32_t)dw_min_u64(d->ws_nlb, half);
	} else if (s->verb == DW_VERB_WRITE &&
		   d->plan.pass[d->state.pass].pattern.kind == DW_PATTERN_CONST) {
		limit = &d->limit_const;
	}
	if (s->extent.nlb <= 1) {
		core_give_up(d, DW_END_FAILED, "even one block is too long a transfer");
		return;
	}
	if (half < *limit) {
		*limit = half;
		core_notice(c, d, "transfer too long: %s limited to %u blocks",
			    dw_verb_name(s->verb), half);
	}
}

static void unsupported(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
			const struct dw_result *r)
{
	char text[120];

	switch (s->verb) {
	case DW_VERB_WRITE_SAME:
		give_back_extent(c, d, &s->extent);
		if (!d->state.ws_dropped)
			core_notice(c, d, "WRITE SAME refused: using WRITE");
		d->state.ws_dropped = true;
		return;
	case DW_VERB_FLUSH:
		if (d->wce == 0 && r->cache_off) {
			/* nothing volatile to flush; recorded */
			d->state.flush_refused = true;
			d->flushed = true;
			return;
		}
		core_give_up(
			d, DW_END_FAILED,
			"SYNCHRONIZE CACHE refused, so that nothing proves the cache was written");
		return;
	case DW_VERB_READ:
		if (d->plan.fua) {
			give_back_extent(c, d, &s->extent);
			d->plan.fua = false;
			core_notice(c, d, "READ with FUA refused: reading without");
			return;
		}
		break;
	default:
		break;
	}
	core_give_up(d, DW_END_FAILED, "%s", core_describe(s, r, text, sizeof(text)));
}

/*
 * Is this news? An abort, a reset or a silence of the disk meets all the commands that are
 * under way, and is one event. What is sent during recovery is sent alone.
 */
static bool is_news(struct core_disk *d, uint8_t verb, uint8_t class)
{
	uint32_t bit = UINT32_C(1) << class;
	bool seen = d->rec.seen & bit;

	d->rec.seen |= bit;
	return !seen || dw_verb_flags(verb) & DW_VERB_IS_ASKED;
}

/* transient failures: again after a while, not for ever */
static void transient(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		      const struct dw_result *r)
{
	char text[120];

	if (s->extent.nlb)
		d->state.retried++;
	if (!is_news(d, s->verb, r->class))
		return;
	if (++d->streak > STREAK_MAX) {
		core_give_up(d, DW_END_FAILED, "%u failures in a row; the last: %s",
			     d->streak, core_describe(s, r, text, sizeof(text)));
		return;
	}
	wait_until(d, c->now_ns + backoff(d->streak - 1));
}

static void less_depth(struct dw_core *c, struct core_disk *d, const struct core_slot *s)
{
	if (!is_news(d, s->verb, DW_CLASS_QUEUE_FULL))
		return;
	if (d->state.depth > 1) {
		d->depth = d->state.depth - (d->state.depth + 3) / 4;
		d->state.depth = d->depth;
		core_notice(c, d, "queue full: depth %u", d->depth);
	}
	wait_until(d, c->now_ns + backoff(d->streak));
	d->streak += d->streak < STREAK_MAX;
}

static void after_reset(struct dw_core *c, struct core_disk *d)
{
	d->rec.need |= NEED_IDENTIFY | NEED_REWIND;
	/* the unit attention that follows an abort by reset tells of the same */
	if (!is_news(d, DW_VERB_WRITE, DW_CLASS_RESET))
		return;
	d->state.resets++;
	core_notice(c, d, "the disk was reset");
}

static void timed_out(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		      const struct dw_result *r)
{
	bool alone = core_starved_alone(d, r->start_ns);

	if (!is_news(d, s->verb, DW_CLASS_TIMEOUT))
		return;
	d->state.timeouts++;
	if (!alone) {
		d->rec.others_ns = c->now_ns;
		core_starved_begin(c, d);
	} else {
		core_starved_over(c, d);
		if (++d->unanswered >= TIMEOUTS_MAX)
			core_give_up(d, DW_END_FAILED,
				     "timed out %d times with no other disk at work: "
				     "quarantined",
				     TIMEOUTS_MAX);
	}
	/* an abort may have become a reset: nothing since the flush is sure */
	d->rec.need |= NEED_READY | NEED_IDENTIFY | NEED_REWIND;
	wait_until(d, c->now_ns + DW_NS_PER_S);
	core_notice(c, d, "no answer: timeout%s",
		    alone ? "" : "; other disks were at work, and make room for it");
}

static void hardware(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		     const struct dw_result *r)
{
	char text[120];

	if (!is_news(d, s->verb, DW_CLASS_HARDWARE))
		return;
	if (++d->hardware >= HARDWARE_MAX)
		core_give_up(d, DW_END_FAILED, "hardware error: %s",
			     core_describe(s, r, text, sizeof(text)));
	d->rec.need |= NEED_READY | NEED_IDENTIFY;
	wait_until(d, c->now_ns + HARDWARE_NS);
}

/* Who else uses the disk is hidden by somebody's doing, not the disk's: no time of its budget, and
 * what it has written and read is kept. */
static void unseen(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	uint64_t wait = dw_min_u64(UNSEEN_MAX_NS, DW_NS_PER_S << d->unseen);

	if (++d->unseen > UNSEEN_TRIES) {
		core_give_up(d, DW_END_STOPPED, "%s", detail(r));
		return;
	}
	if (d->unseen == 1)
		core_notice(c, d, "%s; it is looked at again", detail(r));
	wait_until(d, c->now_ns + wait);
	d->rec.others_ns = d->rec.resume_ns;
}

/* what the class asks of the disk; the extent has been dealt with */
static void need(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		 const struct dw_result *r)
{
	char text[120];

	if (r->deferred)
		earlier_write(d);
	switch (r->class) {
	case DW_CLASS_OK:
	case DW_CLASS_GIVEN_BACK:
	case DW_CLASS_MEDIUM:
	case DW_CLASS_TOO_BIG:
	case DW_CLASS_UNSUPPORTED:
		break;
	case DW_CLASS_RETRY:
		transient(c, d, s, r);
		break;
	case DW_CLASS_QUEUE_FULL:
		less_depth(c, d, s);
		break;
	case DW_CLASS_ATTENTION:
		d->rec.need |= NEED_IDENTIFY;
		break;
	case DW_CLASS_RESET:
		after_reset(c, d);
		break;
	case DW_CLASS_NEEDS_START:
		d->rec.need |= d->rec.started ? 0 : NEED_START;
		/* fall through */
	case DW_CLASS_NOT_READY:
		d->rec.need |= NEED_READY | NEED_IDENTIFY;
		d->rec.waiting++;
		wait_until(d,
			   c->now_ns + dw_min_u64(POLL_MAX_NS, backoff(d->rec.waiting)));
		break;
	case DW_CLASS_RANGE:
		d->rec.need |= NEED_IDENTIFY;
		d->rec.out_of_range = true;
		break;
	case DW_CLASS_TIMEOUT:
		timed_out(c, d, s, r);
		break;
	case DW_CLASS_HARDWARE:
		hardware(c, d, s, r);
		break;
	case DW_CLASS_UNSEEN:
		unseen(c, d, r);
		break;
	case DW_CLASS_GONE:
		core_give_up(d, DW_END_REMOVED, "removed while it was being %s",
			     d->plan.verify_only ? "read" : "erased");
		break;
	default:
		core_give_up(d, DW_END_FAILED, "%s",
			     s->verb == DW_VERB_SETTLE
				     ? detail(r)
				     : core_describe(s, r, text, sizeof(text)));
	}
}

void core_policy_bad(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		     const struct dw_result *r)
{
	bool writing = s->verb == DW_VERB_WRITE || s->verb == DW_VERB_WRITE_SAME;
	struct dw_result told = *r;

	core_same_failed(c, d, s, &told);
	r = &told;
	core_fence(c, d, r);
	if (writing && r->class != DW_CLASS_GIVEN_BACK && d->state.phase == DW_CORE_WRITE)
		core_set_error(
			c, dw_extents_merge(&d->touched, s->extent.lba, s->extent.nlb));
	if (r->class == DW_CLASS_MEDIUM)
		medium_error(c, d, s, r);
	else if (r->class == DW_CLASS_TOO_BIG && s->extent.nlb)
		too_big(c, d, s);
	else if (r->class == DW_CLASS_UNSUPPORTED)
		unsupported(c, d, s, r);
	else
		give_back_extent(c, d, &s->extent);
	need(c, d, s, r);
}

void core_policy_forget(struct core_disk *d)
{
	d->rewinds = 0;
	if (d->elsewhere <= ELSEWHERE_MAX)
		d->elsewhere = 0;
	if (d->lost <= ELSEWHERE_MAX)
		d->lost = 0;
}

/* The disk may have more commands than it takes: it says TASK SET FULL, the kernel repeats the
 * command, and counts an error that was nobody's. One at a time, that is no more. */
static void one_at_a_time(struct dw_core *c, struct core_disk *d)
{
	if (d->state.depth <= 1)
		return;
	d->depth = d->state.depth = 1;
	core_notice(c, d, "one command at a time from here: it may have had too many");
}

/* Nobody knows what is lost, from position @lba on. */
static void unsure(struct dw_core *c, struct core_disk *d, uint64_t lba)
{
	if (!d->state.unsure) {
		core_notice(c, d,
			    "others are told of errors: going on, but without a "
			    "verification of all blocks it will not be called erased");
		d->state.sure_pass = d->state.pass;
		d->state.sure_lba = lba;
	}
	d->state.unsure = true;
}

/* There have been rewinds enough. */
static void past_end(struct dw_core *c, struct core_disk *d, const struct dw_result *r,
		     bool full, uint32_t times)
{
	if (full && times == ELSEWHERE_MAX + 1)
		core_notice(c, d,
			    "another program is told of errors: going on, the "
			    "verification tells what is missing");
	else if (!full && r->write_log == DW_WRITE_LOG_OPEN)
		unsure(c, d, d->state.mark);
	else if (!full)
		core_give_up(
			d, DW_END_FAILED,
			"another program is told of errors, maybe of ours; stop what asks the "
			"disk (smartd, udisksd, monitoring), or verify in full");
}

/*
 * Errors that others were told: a deferred one, about a write of ours, may be among them. What
 * always meets errors would have it written for ever, so there is an end to that; a
 * verification of all blocks finds by itself what is missing. The disk's own count of write
 * errors says more than the kernel's of commands that did not end GOOD, where commands are that
 * the kernel repeated by itself; but nobody says that a disk counts each deferred error there.
 */
static void elsewhere(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	bool full = d->plan.pass[d->state.pass].verify == DW_VERIFY_FULL;
	bool lost = r->write_log == DW_WRITE_LOG_LOST;
	uint32_t *times = lost ? &d->lost : &d->elsewhere;

	if (!d->unflushed || d->final_confirm) {
		if (lost && !full)
			unsure(c, d,
			       0); /* of what had been flushed: too late to write it */
		return;
	}
	if (++*times > ELSEWHERE_MAX) {
		past_end(c, d, r, full, *times);
		return;
	}
	d->rec.need |= NEED_REWIND;
	if (lost)
		core_notice(c, d, "it counts %u failed writes that were not told to us",
			    r->elsewhere);
	else
		core_notice(c, d, "another program was told of %u errors, maybe of ours",
			    r->elsewhere);
	if (*times == ELSEWHERE_MAX)
		one_at_a_time(c, d);
}

/* Somebody switched the write cache on, nobody knows when, and a reset of which nothing was
 * heard may have emptied it since the last confirmation. */
static void cache_on(struct dw_core *c, struct core_disk *d)
{
	d->wce = 1;
	if (!d->unflushed || d->final_confirm)
		return;
	d->rec.need |= NEED_REWIND;
	core_notice(c, d,
		    "another program switched the write cache on: what was written since "
		    "the last confirmed flush is written again");
}

static void identified(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	if (r->reset_seen)
		after_reset(c, d);
	switch (r->identity) {
	case DW_IDENTITY_SAME:
		d->rec.need &= ~(uint32_t)NEED_IDENTIFY;
		if (d->rec.out_of_range)
			core_give_up(d, DW_END_FAILED,
				     "LBA out of range though the capacity is unchanged");
		d->confirmed = d->state.phase == DW_CORE_CONFIRM && !d->rec.need;
		return;
	case DW_IDENTITY_CHANGED:
		core_give_up(d, DW_END_FAILED, "identity changed: another disk answers");
		break;
	case DW_IDENTITY_CAPACITY:
		core_give_up(d, DW_END_FAILED, "capacity or block size changed");
		break;
	case DW_IDENTITY_NAMELESS:
		core_give_up(
			d, DW_END_FAILED,
			"after a reset or an exchange nobody can tell whether it is the same "
			"disk: it has no serial number and no WWN; look, and begin again");
		break;
	default:
		if (++d->streak > STREAK_MAX)
			core_give_up(d, DW_END_FAILED,
				     "the disk no longer says who it is");
		d->rec.need |= NEED_IDENTIFY;
		wait_until(d, c->now_ns + backoff(d->streak));
	}
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
		break;
	default:
		identified(c, d, r);
	}
}

void core_policy_answer(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
			const struct dw_result *r)
{
	bool plain = r->class == DW_CLASS_OK &&
		     (s->verb != DW_VERB_IDENTIFY ||
		      (r->identity == DW_IDENTITY_SAME && !r->reset_seen &&
		       !r->elsewhere && !r->cache_on));

	if (!plain)
		core_fence(c, d, r);
	if (r->elsewhere)
		elsewhere(c, d, r);
	if (r->cache_on)
		cache_on(c, d);
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
	    r->class == DW_CLASS_TOO_BIG || r->class == DW_CLASS_UNSUPPORTED)
		transient(c, d, s, r);
	need(c, d, s, r);
}

/* ns that were lost to the errors in hand */
static uint64_t lost_ns(const struct dw_core *c, const struct core_disk *d)
{
	uint64_t since = dw_max_u64(d->rec.since_ns, d->rec.others_ns);

	return c->now_ns > since ? c->now_ns - since : 0;
}

static bool out_of_patience(struct dw_core *c, struct core_disk *d)
{
	if (d->state.stalled_ns + lost_ns(c, d) <= d->rules.stall_ns)
		return false;
	core_disk_end(c, d, DW_END_FAILED,
		      "stall budget used up: too much time lost to errors");
	return true;
}

void core_policy_recover(struct dw_core *c, struct core_disk *d)
{
	if (d->state.submitted)
		return;
	if (d->rec.end) {
		core_disk_end(c, d, d->rec.end, d->rec.reason);
		return;
	}
	if (d->stopping) {
		core_disk_end(c, d, DW_END_STOPPED,
			      core_operation_left(d) ? core_operation_left(d)
						     : "it was recovering from an error");
		return;
	}
	if (core_starved_drains(d)) {
		d->rec.others_ns = c->now_ns;
		return;
	}
	if (out_of_patience(c, d))
		return;
	if (c->now_ns < d->rec.resume_ns) {
		core_set_timer(c, d, d->rec.resume_ns);
		return;
	}
	if (d->rec.need & NEED_START) {
		core_emit(c, d, DW_VERB_START, NULL, DW_OP_RECOVERY);
	} else if (d->rec.need & NEED_READY) {
		core_emit(c, d, DW_VERB_READY, NULL, DW_OP_RECOVERY);
	} else if (d->rec.need & NEED_IDENTIFY) {
		core_emit(c, d, DW_VERB_IDENTIFY, NULL, DW_OP_RECOVERY);
	} else if (d->rec.need & NEED_POLL) {
		core_emit(c, d, DW_VERB_POLL, NULL, DW_OP_RECOVERY);
	} else {
		if (d->rec.need & NEED_REWIND)
			core_disk_rewind(c, d);
		d->rec.need = 0;
		if (d->rec.end) {
			core_disk_end(c, d, d->rec.end, d->rec.reason);
			return;
		}
		/* a device that works by itself has lost none */
		if (d->state.phase != DW_CORE_OPERATE)
			d->state.stalled_ns += lost_ns(c, d);
		d->state.fenced = false;
		core_emit(c, d, DW_VERB_LIFT, NULL, 0);
		core_touch(c, d);
	}
}

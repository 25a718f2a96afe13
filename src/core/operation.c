/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passes that the device executes by itself. It is commanded once to begin, and then polled until
 * it reports the end. A command without a good answer proves nothing about the operation. Then
 * the device is asked, and commanded again only if it reports that it does nothing, and its
 * operation was never seen. The pass is done when the device reports so; then the device is
 * identified, as after a flush.
 *
 * Some operations end with their command (dw_operation_blocks()), and are not polled. Such a
 * command is stored as begun before it is sent. If its answer is lost, the device is identified,
 * and the operation repeated as a whole.
 */
#include "base/util.h"
#include "core/internal.h"

#define POLL_MIN_NS  DW_NS_PER_S
#define POLL_MAX_NS  (60 * DW_NS_PER_S)
#define STILL_MIN_NS (1800 * DW_NS_PER_S)
#define STILL_TIMES  4 /* the stated time */
#define BEGINS_MAX   10
#define REPEATS_MAX  3 /* of a command that is the whole work */

void core_operation_init(struct core_disk *d)
{
	d->operation = (struct core_operation){ .interval_ns = POLL_MIN_NS };
	d->state.operation.running =
		d->plan.operating && d->state.pass == d->plan.first_pass;
}

const char *core_operation_left(const struct core_disk *d)
{
	if (d->state.phase != DW_CORE_OPERATE)
		return NULL;
	if (d->state.operation.running && dw_operation_blocks(d->plan.operation))
		return "it was told to erase itself, and how that ended is not known";
	if (d->state.operation.running)
		return "the device works on by itself; it is not erased before that has ended";
	return d->operation.unsure
		       ? "it gave no answer to the command that starts its operation; "
			 "it may work on by itself"
		       : NULL;
}

/* how long its progress may stay the same */
static uint64_t still_most_ns(const struct core_disk *d)
{
	return dw_max_u64(STILL_TIMES * d->plan.operation_ns, STILL_MIN_NS);
}

static uint64_t still_ns(const struct dw_core *c, const struct core_disk *d)
{
	return c->now_ns - d->operation.moved_ns;
}

/* the interval doubles; when the stated time has passed, the device is asked at once */
static void plan_poll(struct dw_core *c, struct core_disk *d)
{
	struct core_operation *o = &d->operation;
	uint64_t end = o->begun_ns + d->plan.operation_ns;

	o->poll_ns = c->now_ns + o->interval_ns;
	if (still_ns(c, d) >= still_most_ns(d)) {
		o->poll_ns = c->now_ns; /* a block is read before that */
	} else if (c->now_ns < end && o->poll_ns >= end) {
		o->poll_ns = end;
		o->interval_ns = POLL_MIN_NS;
	} else {
		o->interval_ns = dw_min_u64(2 * o->interval_ns, POLL_MAX_NS);
	}
}

static void begin_blocking(struct dw_core *c, struct core_disk *d)
{
	d->operation.begun_ns = d->state.operation.reported_ns = c->now_ns;
	d->state.operation.running = true;
	core_event_new(c, d, DW_CORE_EVENT_FLUSHED); /* a resume has to know it */
	core_emit(c, d, DW_VERB_OPERATE, NULL, 0);
}

/* Disks that came up in standby (PUIS) have been seen to continue only after a command that needs
 * the
 * medium, which they abort. */
static void poll(struct dw_core *c, struct core_disk *d)
{
	struct core_operation *o = &d->operation;
	uint64_t still = o->begun_ns ? still_ns(c, d) : 0;

	if (o->touched || !still ||
	    still < dw_min_u64(d->rules.stall_ns, still_most_ns(d))) {
		core_emit(c, d, DW_VERB_POLL, NULL, 0);
		return;
	}
	o->touched = d->state.operation.touched = true;
	core_notice(
		c, d,
		"it has reported no progress for %llu s (stall budget: %llu s): one block is "
		"read, as some disks go on only after that",
		(unsigned long long)(still / DW_NS_PER_S),
		(unsigned long long)(d->rules.stall_ns / DW_NS_PER_S));
	core_emit(c, d, DW_VERB_POLL, NULL, DW_OP_TOUCH);
}

void core_operation_next(struct dw_core *c, struct core_disk *d)
{
	if (dw_operation_blocks(d->plan.operation))
		begin_blocking(c, d);
	else if (
		!d->state.operation
			 .running) /* a poll after errors has shown that it does nothing */
		core_emit(c, d, DW_VERB_OPERATE, NULL, 0);
	else if (c->now_ns < d->operation.poll_ns)
		core_set_timer(c, d, d->operation.poll_ns);
	else
		poll(c, d);
}

/* blocks that so much progress stands for */
static uint64_t blocks_of(const struct core_disk *d, uint32_t progress)
{
	return d->plan.blocks / DW_PROGRESS_ALL * progress +
	       d->plan.blocks % DW_PROGRESS_ALL * progress / DW_PROGRESS_ALL;
}

/* progress never goes back, whatever the device reports */
static void count_to(struct core_disk *d, uint32_t progress)
{
	struct core_operation *o = &d->operation;
	uint64_t done = blocks_of(d, progress), more = done - blocks_of(d, o->most);

	if (progress <= o->most)
		return;
	o->most = progress;
	d->state.passes[d->state.pass].bytes += more * d->plan.block_size;
	d->state.operation.bytes += more * d->plan.block_size;
	d->state.work_done += more;
	d->state.position = done;
}

/*
 * A reset may make a device unusable that is at work, and does not help a slow one. So it is left
 * alone, and the job continues without it.
 */
static bool stands_still(const struct dw_core *c, const struct core_disk *d)
{
	return d->operation.touched && still_ns(c, d) >= still_most_ns(d);
}

static void leave_working(struct dw_core *c, struct core_disk *d,
			  const struct dw_result *r)
{
	uint64_t still = still_ns(c, d);

	d->state.operation.left = true;
	core_fence(c, d, r);
	core_give_up(d, DW_END_FAILED,
		     "left working: the device says that it works, and has reported no "
		     "progress for %llu minutes; keep it powered, and resume it when it "
		     "has ended",
		     (unsigned long long)(still / (60 * DW_NS_PER_S)));
}

static void working(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	uint32_t progress = (uint32_t)dw_min_u64(r->progress, DW_PROGRESS_ALL);
	struct core_operation *o = &d->operation;

	if (!o->begun_ns) {
		o->begun_ns = o->moved_ns = c->now_ns;
		d->state.operation.running = true;
		core_event_new(c, d, DW_CORE_EVENT_FLUSHED); /* a resume has to know it */
	}
	if (progress != o->progress) {
		o->moved_ns = c->now_ns;
		o->touched = false;
	}
	o->progress = progress;
	d->state.operation.reported_ns = c->now_ns;
	count_to(d, progress);
	if (stands_still(c, d))
		leave_working(c, d, r);
	else
		plan_poll(c, d);
}

/*
 * The device does nothing, and its operation was never seen: it has not begun. It is identified
 * before it is commanded again, as nothing that erases may follow a reset before that, even one
 * that only the kernel saw.
 */
static void begin_again(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	d->operation.restarts += d->operation.unsure;
	d->operation.unsure = false;
	core_fence(c, d, r);
	d->rec.need |= NEED_IDENTIFY;
	if (++d->patience.streak <= BEGINS_MAX)
		return;
	if (d->operation.restarts)
		core_give_up(d, DW_END_FAILED,
			     "the device's operation did not start after %u attempts",
			     d->operation.restarts);
	else
		core_give_up(d, DW_END_FAILED,
			     "the operation was not started: %d times the device was "
			     "reset before that; look for the cause, and erase it again",
			     BEGINS_MAX);
}

/* Nothing shows that it has erased anything: all blocks with predictable contents are read. */
static void doubt(struct dw_core *c, struct core_disk *d)
{
	d->state.operation.end_unknown = true;
	if (dw_operation_foretold(d->plan.operation))
		d->plan.pass[d->state.pass].verify = DW_VERIFY_FULL;
	core_notice(
		c, d,
		"the device works no more; how its operation ended cannot be read, so "
		"that its blocks decide");
}

/* it has erased, or its blocks show whether it has */
static bool has_ended(const struct dw_result *r)
{
	return r->ended == DW_ENDED_WELL || r->ended == DW_ENDED_UNREADABLE;
}

static void ended(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	if (r->ended != DW_ENDED_WELL)
		doubt(c, d);
	d->state.passes[d->state.pass].used_operation = true;
	d->state.operation.reported_ns = c->now_ns;
	count_to(d, DW_PROGRESS_ALL);
	dw_cursor_skip(&d->cursor, dw_cursor_left(&d->cursor));
}

static void poll_again(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	d->state.phase = DW_CORE_OPERATE;
	d->flush.settled = d->flush.done = d->flush.confirmed = false;
	d->flush.begun_ns = 0;
	d->state.operation.end_unknown = false;
	d->state.passes[d->state.pass].used_operation = false;
	dw_cursor_rewind(&d->cursor, 0);
	if (stands_still(c, d)) {
		leave_working(c, d, r);
		return;
	}
	core_notice(c, d,
		    "the device had said that it works no more, and works: it is polled "
		    "again");
	plan_poll(c, d);
}

void core_operation_works(struct dw_core *c, struct core_disk *d,
			  const struct core_slot *s, const struct dw_result *r)
{
	bool ended =
		d->state.operation.running && d->flush.after == DW_CORE_OPERATE &&
		(d->state.phase == DW_CORE_FLUSH || d->state.phase == DW_CORE_CONFIRM);
	char text[120];

	core_fence(c, d, r);
	if (ended && !dw_operation_blocks(d->plan.operation)) {
		poll_again(c, d, r);
	} else if (d->state.phase == DW_CORE_OPERATE) { /* it begins late */
		d->rec.need &= ~(uint32_t)NEED_IDENTIFY;
		d->rec.need |= NEED_POLL;
	} else {
		core_give_up(d, DW_END_FAILED, "%s",
			     core_describe(s, r, text, sizeof(text)));
	}
}

/* it works no more */
static void over(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	if (!d->state.operation.running) {
		begin_again(c, d, r);
	} else if (has_ended(r)) {
		ended(c, d, r);
	} else {
		d->state.operation.running = false;
		core_fence(c, d, r);
		core_give_up(
			d, DW_END_FAILED,
			"the device works no more and does not say that its operation "
			"ended well");
	}
}

/* no answer about its work */
static void not_reported(struct dw_core *c, struct core_disk *d,
			 const struct core_slot *s, const struct dw_result *r)
{
	char text[120];

	switch (r->class) {
	case DW_CLASS_TIMEOUT:
		d->state.trouble.timeouts++;
		break;
	case DW_CLASS_RESET:
		d->state.trouble.resets++;
		break;
	case DW_CLASS_GIVEN_BACK:
	case DW_CLASS_RETRY:
	case DW_CLASS_QUEUE_FULL:
	case DW_CLASS_ATTENTION:
	case DW_CLASS_NOT_READY:
	case DW_CLASS_NEEDS_START:
		break;
	case DW_CLASS_GONE:
		core_give_up(d, DW_END_REMOVED,
			     "removed while its device worked by itself");
		return;
	default:
		core_give_up(d, DW_END_FAILED, "%s",
			     core_describe(s, r, text, sizeof(text)));
		return;
	}
	d->rec.need |= NEED_POLL;
	core_wait(c, d, d->operation.missed++);
}

/* The operation is repeated as a whole when the device has been identified. */
static void repeat(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	d->state.trouble.resets += r->class == DW_CLASS_RESET;
	if (d->operation.missed++ == REPEATS_MAX) {
		core_give_up(d, DW_END_FAILED,
			     "it did not erase itself after %d commands to do so, "
			     "which got no good answer",
			     REPEATS_MAX + 1);
		return;
	}
	d->rec.need |= NEED_READY | NEED_IDENTIFY;
	core_wait(c, d, d->operation.missed);
	core_notice(c, d,
		    "its erasure was cut off: it is told again, from the beginning");
}

/* The command came back without a good end. */
static void cut_off(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		    const struct dw_result *r)
{
	char text[120];

	switch (r->class) {
	case DW_CLASS_GIVEN_BACK:
	case DW_CLASS_RETRY:
	case DW_CLASS_QUEUE_FULL:
	case DW_CLASS_ATTENTION:
	case DW_CLASS_NOT_READY:
	case DW_CLASS_NEEDS_START:
	case DW_CLASS_RESET:
		repeat(c, d, r);
		return;
	case DW_CLASS_GONE:
		core_give_up(d, DW_END_REMOVED, "removed while it erased itself");
		return;
	case DW_CLASS_TIMEOUT:
		d->state.trouble.timeouts++;
		core_give_up(d, DW_END_FAILED,
			     "it was told to erase itself and gave no answer in %llu "
			     "minutes; it is not erased",
			     (unsigned long long)((c->now_ns - d->operation.begun_ns) /
						  (60 * DW_NS_PER_S)));
		return;
	default:
		d->state.operation.running = false;
		core_give_up(d, DW_END_FAILED, "%s",
			     core_describe(s, r, text, sizeof(text)));
	}
}

static void blocking_result(struct dw_core *c, struct core_disk *d,
			    const struct core_slot *s, const struct dw_result *r)
{
	struct dw_result at_end = *r;

	if (r->class == DW_CLASS_OK && has_ended(r)) {
		ended(c, d, r);
		core_disk_progress(c, d);
		return;
	}
	/* time of its work was not lost by an error */
	at_end.start_ns = 0;
	core_patience_progress(d);
	core_fence(c, d, &at_end);
	if (r->class != DW_CLASS_OK) {
		cut_off(c, d, s, r);
		return;
	}
	d->state.operation.running = false;
	core_give_up(d, DW_END_FAILED,
		     "its command has ended, and it does not say that it is erased");
}

void core_operation_result(struct dw_core *c, struct core_disk *d,
			   const struct core_slot *s, const struct dw_result *r)
{
	if (dw_operation_blocks(d->plan.operation)) {
		blocking_result(c, d, s, r);
		return;
	}
	d->operation.unsure |= s->verb == DW_VERB_OPERATE && r->start_ns;
	if (r->class != DW_CLASS_OK && r->class != DW_CLASS_RUNNING) {
		core_fence(c, d, r);
		not_reported(c, d, s, r);
		return;
	}
	d->operation.missed = 0;
	core_patience_progress(d);
	d->rec.need &= ~(uint32_t)NEED_POLL;
	if (r->class == DW_CLASS_RUNNING || s->verb == DW_VERB_OPERATE) {
		d->patience.streak = 0;
		working(c, d, r);
	} else {
		over(c, d, r);
	}
	core_disk_progress(c, d);
}

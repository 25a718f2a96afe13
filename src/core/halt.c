/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests of a user for a disk at work: stop, pause, resume. */
#include "core/internal.h"

bool core_halts(const struct core_disk *d)
{
	/* blocks that are being repaired get their flush and their second look first */
	return d->ask >= ASK_STOP || d->state.paused ||
	       (d->ask == ASK_PAUSE && d->state.phase != DW_CORE_REPAIR &&
		!core_plants(d->state.phase));
}

/* With a request to stop and nothing in flight: ends the disk. True when it has ended. */
static bool stop_here(struct dw_core *c, struct core_disk *d)
{
	bool dirty = (d->state.phase == DW_CORE_WRITE && d->flush.bytes) ||
		     d->state.phase == DW_CORE_SETTLE ||
		     d->state.phase == DW_CORE_FLUSH || d->state.phase == DW_CORE_CONFIRM;

	/* an operation that ended with its command is confirmed, or it would be repeated */
	dirty |= d->state.phase == DW_CORE_OPERATE && !dw_cursor_left(&d->cursor) &&
		 dw_operation_blocks(d->plan.operation);

	if (dirty && d->ask != ASK_ABORT) {
		if (d->state.phase == DW_CORE_WRITE)
			d->flush.due = true;
		return false;
	}
	core_disk_end(c, d, DW_END_STOPPED, core_operation_left(d));
	return true;
}

/* With a request to pause and nothing in flight: pauses the disk. True when it is paused. */
static bool hold_here(struct dw_core *c, struct core_disk *d)
{
	if (d->state.paused)
		return true;
	if (d->state.phase != DW_CORE_WAITING && d->state.phase != DW_CORE_WRITE &&
	    d->state.phase != DW_CORE_FLOOD && d->state.phase != DW_CORE_COMPARE &&
	    d->state.phase != DW_CORE_VERIFY && d->state.phase != DW_CORE_REVERIFY)
		return false;
	if (d->state.phase == DW_CORE_WRITE && d->flush.bytes)
		d->flush.due = true;
	if (d->flush.due || !dw_cursor_left(&d->cursor))
		return false;
	d->state.paused = true;
	d->paused_ns = c->now_ns;
	core_starved_over(c, d);
	c->paused++;
	c->changes++;
	core_link_out(c, d);
	core_event_new(c, d, DW_CORE_EVENT_PAUSED);
	return true;
}

bool core_halt(struct dw_core *c, struct core_disk *d)
{
	return d->ask >= ASK_STOP ? stop_here(c, d)
				  : d->ask == ASK_PAUSE && hold_here(c, d);
}

void dw_core_stop(struct dw_core *c, uint32_t disk, bool abort)
{
	struct core_disk *d = c->disk[disk];

	if (d->ask != ASK_ABORT)
		d->ask = abort ? ASK_ABORT : ASK_STOP;
	core_touch(c, d);
}

void dw_core_pause(struct dw_core *c, uint32_t disk)
{
	struct core_disk *d = c->disk[disk];

	if (d->ask != ASK_NOTHING)
		return;
	if (d->state.phase == DW_CORE_OPERATE)
		core_notice(c, d,
			    "the device works by itself and cannot be held: it is "
			    "paused after that");
	d->ask = ASK_PAUSE;
	core_touch(c, d);
}

/* The disk may have been exchanged during the pause: it is identified before anything is sent. */
static void resume_disk(struct dw_core *c, struct core_disk *d)
{
	d->state.paused = false;
	c->paused--;
	c->changes++;
	if (d->verify.begun_ns)
		d->verify.begun_ns += c->now_ns - d->paused_ns;
	d->rate.at_ns = c->now_ns;
	d->rate.bytes = core_disk_moved(d);
	if (d->state.phase != DW_CORE_WAITING) {
		d->flush.after = d->state.phase;
		d->state.phase = DW_CORE_CONFIRM;
		d->flush.confirmed = false;
	}
	core_set_error(c, core_link_in(c, d));
	core_event_new(c, d, DW_CORE_EVENT_RESUMED);
}

void dw_core_resume(struct dw_core *c, uint32_t disk)
{
	struct core_disk *d = c->disk[disk];

	if (d->ask == ASK_PAUSE)
		d->ask = ASK_NOTHING;
	if (d->state.paused)
		resume_disk(c, d);
	core_touch(c, d);
}

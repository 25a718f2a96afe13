/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A disk that gives no answer costs the other disks of its link more than its own time. The host
 * resets the bus, and what they had not flushed is lost; or they wait while it has the bus to
 * itself. When that has happened twice, the disk is set aside: its cache is flushed, it leaves
 * the link, and it is resumed when the others have ended, with short commands, one at a time.
 */
#include "base/util.h"
#include "core/internal.h"

#define HANGS_MAX   2
#define TOGETHER_NS (60 * DW_NS_PER_S)
#define SHORT_BYTES 65536

static bool has_others(const struct core_disk *d)
{
	return d->link->view.unfinished > !d->view->out;
}

static void short_commands(struct core_disk *d)
{
	uint32_t most = SHORT_BYTES / d->plan.block_size;

	most = (uint32_t)dw_max_u64(most - most % d->plan.physical, d->plan.physical);
	if (!d->length.most || d->length.most > most)
		d->length.most = most;
	d->length.fixed = true;
	d->limits.ws_nlb = (uint32_t)dw_min_u64(d->limits.ws_nlb, most);
	d->limits.depth = 1;
}

static void hangs(struct dw_core *c, struct core_disk *d)
{
	if (++d->crowd.hangs < HANGS_MAX)
		return;
	short_commands(d);
	if (d->crowd.aside || d->view->out || !has_others(d))
		return;
	d->crowd.aside = true;
	d->link->aside++;
	core_fence(c, d, &(struct dw_result){ 0 });
	core_touch(c, d);
	core_notice(c, d,
		    "it gives no answer, at cost of the others: it goes on alone when "
		    "they have ended");
}

void core_aside_hung(struct dw_core *c, struct core_disk *d, uint64_t start_ns,
		     bool alone)
{
	struct core_link *l = d->link;

	if (alone || (l->reset_ns >= start_ns && l->reset != d->place)) {
		l->reset_ns = 0;
		hangs(c, d);
		return;
	}
	l->hung = d;
	l->hung_ns = c->now_ns;
}

void core_aside_reset(struct dw_core *c, struct core_disk *d)
{
	struct core_link *l = d->link;
	struct core_disk *hung = l->hung;

	if (!hung || hung == d || c->now_ns - l->hung_ns > TOGETHER_NS) {
		l->reset = d->place;
		l->reset_ns = c->now_ns;
		return;
	}
	l->hung = NULL;
	hangs(c, hung);
}

/* its turn: its state meanwhile is not known */
static void begin_turn(struct dw_core *c, struct core_disk *d)
{
	d->crowd.aside = false;
	d->link->aside--;
	d->crowd.hangs = HANGS_MAX - 1;
	d->rec.received = d->rec.mute = false;
	d->rec.need |= NEED_READY | NEED_IDENTIFY;
	core_recover_lost(c, d);
	core_set_error(c, core_link_back(c, d));
	core_notice(c, d, "the others have ended: it goes on");
}

bool core_aside_waits(struct dw_core *c, struct core_disk *d)
{
	if (!d->crowd.aside)
		return false;
	if (!d->view->out) {
		if (core_leave(c, d))
			return true;
		core_starved_over(c, d);
		core_link_out(c, d);
	}
	d->rec.others_ns = c->now_ns;
	core_patience_others(d, c->now_ns);
	if (has_others(d))
		return true;
	begin_turn(c, d);
	return false;
}

void core_aside_wake(struct dw_core *c, struct core_link *l)
{
	if (!l->aside || l->view.unfinished)
		return;
	for (uint32_t i = 0; i < l->view.n; i++)
		if (l->disk[i] && l->disk[i]->crowd.aside)
			core_touch(c, l->disk[i]);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns on a link. On a bus that does not queue, a write has to find the bus free at the moment at
 * which its sector passes, and reads of disks that verify keep it from ever doing so: its command
 * runs out of time, is aborted, and what it wrote is written again. So when a write had no answer
 * for a while in which reads of other disks had theirs, reads wait until no write is late, or for
 * a second. Where that did not help, it is the disk's own affair: reads are not held again soon.
 * The bus is as busy with reads as with writes, so that nothing is gained by more turns than that.
 */
#include "base/util.h"
#include "core/internal.h"

#define LATE_NS (10 * DW_NS_PER_S)
#define TURN_NS DW_NS_PER_S
#define VAIN_NS                                                                          \
	(20 * DW_NS_PER_S) /* after a turn that did not help; then twice as long */
#define DOUBLED_MAX 4

static bool is_late(const struct dw_core *c, const struct core_disk *d)
{
	return d && d->state.phase == DW_CORE_WRITE && d->transfers && !d->state.fenced &&
	       c->now_ns - d->crowd.moved_ns >= LATE_NS;
}

/* the place of a disk whose write is late; UINT32_MAX = there is none */
static uint32_t find_late(const struct dw_core *c, const struct core_link *l)
{
	for (uint32_t i = 0; i < l->view.n; i++)
		if (is_late(c, l->disk[i]))
			return i;
	return UINT32_MAX;
}

/* This changes what others on the link may send. */
static void hold_reads(struct dw_core *c, struct core_link *l, bool held)
{
	struct core_turns *t = &l->turns;

	t->held = held;
	t->until_ns = held ? c->now_ns + TURN_NS : 0;
	if (held)
		core_set_error(c, dw_heap_push(&c->timers, t->until_ns,
					       CORE_LINK_TIMER | l->id));
	for (uint32_t i = 0; i < l->view.n; i++)
		if (l->disk[i])
			core_touch(c, l->disk[i]);
}

/* a disk that gives no answer to a silent bus will not do so a second later either */
static void turn_over(struct dw_core *c, struct core_link *l, bool helped)
{
	struct core_turns *t = &l->turns;

	t->vain = helped ? 0 : t->vain + 1;
	t->look_ns = c->now_ns;
	if (!helped)
		t->look_ns += VAIN_NS << dw_min_u64(t->vain - 1, DOUBLED_MAX);
	hold_reads(c, l, false);
}

void core_turns_due(struct dw_core *c, struct core_link *l)
{
	if (l->turns.held && c->now_ns >= l->turns.until_ns)
		turn_over(c, l, false);
}

void core_turns_result(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		       const struct dw_result *r)
{
	struct core_link *l = d->link;

	if (!core_is_transfer(s->verb) || r->class != DW_CLASS_OK)
		return;
	d->crowd.moved_ns = c->now_ns;
	if (l->turns.held) {
		if (s->verb == DW_VERB_WRITE && find_late(c, l) == UINT32_MAX)
			turn_over(c, l, true);
	} else if (s->verb == DW_VERB_READ && c->now_ns >= l->turns.look_ns &&
		   !l->starved.disk) {
		l->turns.look_ns = c->now_ns + DW_NS_PER_S;
		if (find_late(c, l) != UINT32_MAX)
			hold_reads(c, l, true);
	}
}

bool core_turns_waits(const struct core_disk *d)
{
	return d->link->turns.held && d->state.phase == DW_CORE_VERIFY;
}

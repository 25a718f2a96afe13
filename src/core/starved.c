/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exclusive use of a link. A command that gets no answer while other disks have transfers in
 * flight may have lost every arbitration for the bus, which says nothing about its disk. Then the
 * others send no transfers until the disk has completed one, or got no answer while alone. One
 * disk at a time. If that happens to a disk again, it runs alone for a while, and its cache is
 * flushed before the others continue.
 */
#include "base/util.h"
#include "core/internal.h"

#define AGAIN_NS    DW_NS_PER_S /* twice as long each time */
#define DOUBLED_MAX 6

/* a transfer or a flush went well; what was written is over when it is confirmed */
static void answered(struct dw_core *c, struct core_disk *d)
{
	uint64_t n = d->crowd.timeouts - 1;

	if (d->link->starved.disk != d)
		return;
	if (!d->crowd.alone_ns)
		d->crowd.alone_ns =
			c->now_ns + (n ? AGAIN_NS << dw_min_u64(n - 1, DOUBLED_MAX) : 0);
	if (c->now_ns < d->crowd.alone_ns)
		return;
	if (d->state.phase == DW_CORE_WRITE)
		d->flush.due = true;
	else if (d->state.phase != DW_CORE_FLUSH)
		core_starved_over(c, d);
}

void core_starved_result(struct dw_core *c, struct core_disk *d,
			 const struct core_slot *s, const struct dw_result *r)
{
	struct core_starved *v = &d->link->starved;

	if (core_is_transfer(s->verb)) {
		if (v->last != d->place)
			v->before_ns = v->last_ns;
		v->last = d->place;
		v->last_ns = dw_max_u64(v->last_ns, r->end_ns);
	}
	if (v->disk && v->disk != d && d->link->transfers == v->disk->transfers)
		core_touch(c, v->disk);
	switch (r->class) {
	case DW_CLASS_OK:
		if (dw_verb_flags(s->verb) & DW_VERB_IS_WORK)
			answered(c, d);
		break;
	case DW_CLASS_TIMEOUT: /* policy.c */
	case DW_CLASS_GIVEN_BACK:
	case DW_CLASS_RESET: /* what follows an abort */
	case DW_CLASS_ATTENTION:
		break;
	default: /* an answer that does not depend on others */
		core_starved_over(c, d);
	}
}

bool core_starved_alone(const struct core_disk *d, uint64_t start_ns)
{
	const struct core_starved *v = &d->link->starved;

	if (d->link->transfers > d->transfers)
		return false;
	return start_ns >= (v->last == d->place ? v->before_ns : v->last_ns);
}

bool core_starved_drains(const struct core_disk *d)
{
	return d->link->starved.disk == d && d->link->transfers > d->transfers;
}

bool core_starved_waits(const struct core_disk *d)
{
	return d->link->starved.disk &&
	       (d->link->starved.disk != d || core_starved_drains(d));
}

/* this changes what others on the link may send */
static void turn(struct dw_core *c, struct core_link *l, struct core_disk *d)
{
	l->starved.disk = d;
	for (uint32_t i = 0; i < l->view.n; i++)
		if (l->disk[i])
			core_touch(c, l->disk[i]);
}

void core_starved_begin(struct dw_core *c, struct core_disk *d)
{
	d->crowd.timeouts++;
	d->crowd.alone_ns = 0;
	if (!d->crowd.starved_ns)
		d->crowd.starved_ns = c->now_ns;
	if (!d->link->starved.disk)
		turn(c, d->link, d);
}

void core_starved_over(struct dw_core *c, struct core_disk *d)
{
	struct core_link *l = d->link;
	struct core_disk *next = NULL;

	d->crowd.starved_ns = 0;
	if (l->starved.disk != d)
		return;
	for (uint32_t i = 0; i < l->view.n; i++)
		if (l->disk[i] && l->disk[i]->crowd.starved_ns &&
		    (!next || l->disk[i]->crowd.starved_ns < next->crowd.starved_ns))
			next = l->disk[i];
	turn(c, l, next);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Effects of other programs on a disk: its errors are reported to them, and they change its
 * settings. */
#include "core/internal.h"

#define ELSEWHERE_MAX 3

void core_elsewhere_forget(struct core_disk *d)
{
	if (d->flush.elsewhere <= ELSEWHERE_MAX)
		d->flush.elsewhere = 0;
	if (d->flush.lost <= ELSEWHERE_MAX)
		d->flush.lost = 0;
}

/* The disk may be sent more commands than it takes. Then it reports TASK SET FULL, and the kernel
 * repeats the command and counts an error. With one command at a time that does not happen. */
static void one_at_a_time(struct dw_core *c, struct core_disk *d)
{
	if (d->state.steer.depth <= 1)
		return;
	d->limits.depth = d->state.steer.depth = 1;
	core_notice(c, d, "one command at a time from here: it may have had too many");
}

/* Written data may be lost from position @lba on. */
static void unsure(struct dw_core *c, struct core_disk *d, uint64_t lba)
{
	if (!d->state.elsewhere.unsure) {
		core_notice(c, d,
			    "its errors are reported to others: going on, but without a "
			    "verification of all blocks it will not be called erased");
		d->state.elsewhere.pass = d->state.pass;
		d->state.elsewhere.lba = lba;
	}
	d->state.elsewhere.unsure = true;
}

/* The limit of rewinds is reached. */
static void past_end(struct dw_core *c, struct core_disk *d, const struct dw_result *r,
		     bool full, uint32_t times)
{
	if (full && times == ELSEWHERE_MAX + 1)
		core_notice(c, d,
			    "its errors are reported to another program: going on, the "
			    "verification shows what is missing");
	else if (!full && r->write_log == DW_WRITE_LOG_OPEN)
		unsure(c, d, d->state.mark);
	else if (!full)
		core_give_up(
			d, DW_END_FAILED,
			"errors of this disk, maybe of our writes, are reported to another "
			"program; stop what asks the disk (smartd, udisksd, monitoring), or "
			"verify in full");
}

/*
 * Errors were reported to others: a deferred one, about a write of ours, may be among them.
 * Rewinds for them are limited, or a disk that always meets errors would be written for ever. A
 * verification of all blocks finds any loss by itself. The disk's own count of write errors is
 * more reliable than the kernel's count of commands that did not end GOOD, which includes
 * commands that the kernel repeated. But no standard demands that a disk counts each deferred
 * error there.
 */
static void elsewhere(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	bool full = d->plan.pass[d->state.pass].verify == DW_VERIFY_FULL;
	bool lost = r->write_log == DW_WRITE_LOG_LOST;
	uint32_t *times = lost ? &d->flush.lost : &d->flush.elsewhere;

	if (!d->flush.bytes || d->flush.final) {
		if (lost && !full)
			unsure(c, d,
			       0); /* about flushed data: too late to write them again */
		return;
	}
	if (++*times > ELSEWHERE_MAX) {
		past_end(c, d, r, full, *times);
		return;
	}
	d->rec.need |= NEED_REWIND;
	if (lost)
		core_notice(c, d,
			    "it counts %u failed writes that were not reported to us",
			    r->elsewhere);
	else
		core_notice(c, d,
			    "%u errors of this disk, maybe of our writes, were reported "
			    "to another program",
			    r->elsewhere);
	if (*times == ELSEWHERE_MAX)
		one_at_a_time(c, d);
}

/* Another program switched the write cache on at an unknown time. A reset that was not noticed
 * may have emptied it since the last confirmation. */
static void cache_on(struct dw_core *c, struct core_disk *d)
{
	d->flush.wce = 1;
	if (!d->flush.bytes || d->flush.final)
		return;
	d->rec.need |= NEED_REWIND;
	core_notice(c, d,
		    "another program switched the write cache on: what was written since "
		    "the last confirmed flush is written again");
}

void core_elsewhere(struct dw_core *c, struct core_disk *d, const struct dw_result *r)
{
	if (r->elsewhere)
		elsewhere(c, d, r);
	if (r->cache == DW_CACHE_SWITCHED_ON)
		cache_on(c, d);
}

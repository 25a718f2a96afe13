/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patience is measured in time. The stall budget runs from the first error on, until something is
 * committed or written for the first time. Repeated writing of lost data does not count. So that
 * a disk which loses its cache repeatedly makes progress, it is flushed more often, and less
 * often in calm times. A disk that gives no answer may not support the length of its transfers.
 */
#include "base/util.h"
#include "core/internal.h"

#define FLUSH_MIN_NS DW_NS_PER_MS
#define GOODS_MIN    32
#define GOODS_MANY   1024
#define TRIALS_MAX   2
#define SHORTEST     4096 /* bytes */

void core_patience_trouble(struct core_disk *d, uint64_t ns)
{
	if (!d->patience.trouble_ns)
		d->patience.trouble_ns = dw_max_u64(ns, 1);
}

void core_patience_others(struct core_disk *d, uint64_t ns)
{
	if (d->patience.trouble_ns)
		d->patience.trouble_ns = dw_max_u64(d->patience.trouble_ns, ns);
}

void core_patience_progress(struct core_disk *d)
{
	d->patience.trouble_ns = 0;
}

void core_patience_work(struct core_disk *d)
{
	d->patience.idle_ns = 0;
	if (d->state.work_done <= d->patience.best)
		return;
	d->patience.best = d->state.work_done;
	core_patience_progress(d);
}

void core_patience_turn(const struct dw_core *c, struct core_disk *d)
{
	if (d->patience.trouble_ns && d->patience.idle_ns && !d->state.submitted)
		d->patience.trouble_ns += c->now_ns - dw_max_u64(d->patience.idle_ns,
								 d->patience.trouble_ns);
	d->patience.idle_ns = 0;
}

bool core_patience_over(const struct dw_core *c, const struct core_disk *d)
{
	return d->patience.trouble_ns && c->now_ns > d->patience.trouble_ns &&
	       c->now_ns - d->patience.trouble_ns > d->rules.stall_ns;
}

void core_flush_sooner(const struct dw_core *c, struct core_disk *d)
{
	uint64_t since = c->now_ns - d->flush.at_ns;

	if (!d->flush.bytes || d->rec.need & NEED_REWIND)
		return;
	d->flush.every_ns =
		dw_max_u64(dw_min_u64(d->flush.every_ns, since) / 2, FLUSH_MIN_NS);
}

void core_flush_later(struct core_disk *d)
{
	d->flush.every_ns =
		dw_min_u64(d->rules.flush_ns, d->flush.every_ns + d->flush.every_ns / 8);
	if (d->flush.every_ns == d->rules.flush_ns)
		d->crowd.hangs = 0;
}

/* Some bridges support no more than 120 KiB. Other disks have a bad place, and support any length
 * elsewhere. */
void core_length_hung(struct dw_core *c, struct core_disk *d, uint64_t nlb)
{
	uint64_t half = dw_max_u64(nlb / 2, d->plan.physical);
	struct core_length *l = &d->length;

	/* if such a short one hangs, it is a bad place */
	half = dw_min_u64(nlb, dw_max_u64(half, SHORTEST / d->plan.block_size));
	half -= half % d->plan.physical;
	d->limits.ws_nlb = (uint32_t)dw_min_u64(d->limits.ws_nlb, half);
	if (l->most && nlb > l->most)
		return; /* one that had left before */
	l->trials += l->goods > 0;
	l->goods = 0;
	l->most = d->state.steer.longest = (uint32_t)dw_min_u64(half, UINT32_MAX);
	if (l->trials < TRIALS_MAX || l->fixed)
		return;
	l->fixed = true;
	core_notice(c, d, "longer transfers get no answer: limited to %u blocks",
		    l->most);
}

void core_length_good(struct core_disk *d, uint64_t nlb)
{
	struct core_length *l = &d->length;

	if (!l->most && l->goods && ++l->goods > GOODS_MANY)
		*l = (struct core_length){ 0 };
	if (!l->most || nlb < l->most || l->fixed)
		return;
	if (++l->goods % GOODS_MIN)
		return;
	l->most *= 2;
	if (l->most >= d->plan.const_max && l->most >= d->plan.data_max)
		l->most = 0;
	d->state.steer.longest = l->most;
}

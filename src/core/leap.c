/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A leap over time: in a simulation, while all disks continue evenly, blocks of the phase in hand
 * may count as done by commands like the last ones without their being sent. Flushes that
 * would have come due on the way count as made: the mark moves as if they had been.
 */
#include "base/util.h"
#include "core/internal.h"

static bool is_even(const struct core_disk *d)
{
	const struct dw_cursor *q = &d->cursor;

	if (d->state.phase == DW_CORE_COMPARE)
		return !d->state.fenced && !d->rec.end && !d->rec.need && !q->redo.n &&
		       !d->state.compare.why[0];
	if (d->state.phase != DW_CORE_WRITE && d->state.phase != DW_CORE_VERIFY)
		return false;
	return core_disk_sending(d) && !d->link->starved.disk && !d->rec.need &&
	       !q->redo.n && !q->late.n && !d->length.most && !d->trial.left_ws &&
	       !d->trial.left_write && d->state.steer.transfer;
}

/* positions from the next piece on that are like it: to the end of its region, or while the
 * regions take turns */
static uint64_t alike(const struct dw_cursor *q)
{
	uint64_t run = UINT64_MAX;

	if (q->sampled)
		return q->sample_blocks;
	if (!q->order || !q->order->turn)
		dw_order_lba(q->order, q->next, &run);
	return dw_min_u64(run, q->end - q->next);
}

void dw_core_pace(const struct dw_core *c, uint32_t disk, struct dw_core_pace *ret)
{
	const struct core_disk *d = c->disk[disk];
	const struct dw_cursor *q = &d->cursor;

	*ret = (struct dw_core_pace){ .kind = DW_PACE_OTHER };
	/* a disk that compares itself is not on its link, and not idle */
	if (d->state.phase == DW_CORE_DONE || d->state.phase == DW_CORE_WAITING ||
	    (!core_link_needed(d) && d->state.phase != DW_CORE_CONTROL &&
	     d->state.phase != DW_CORE_COMPARE) ||
	    d->state.paused)
		ret->kind = DW_PACE_IDLE;
	if (!is_even(d))
		return;
	*ret = (struct dw_core_pace){
		.kind = DW_PACE_EVEN,
		.steered = d->state.phase == DW_CORE_VERIFY ||
			   (d->state.phase == DW_CORE_WRITE && !d->limits.use_ws),
		.inside = d->state.phase == DW_CORE_COMPARE,
		.sampled = q->sampled,
		.pos = q->sampled ? q->unit_lba : q->next,
		.order = q->order,
		.left = alike(q),
		.size = q->sampled ? dw_sample_blocks(&q->sample) : d->plan.blocks,
		.grain = q->sampled ? q->sample.unit_blocks : q->align,
	};
	if (d->state.phase != DW_CORE_WRITE)
		return;
	ret->flush_ns = d->flush.every_ns;
	ret->flush_blocks = d->rules.flush_bytes / d->plan.block_size;
}

/* flushes at their times: what is left unflushed is what came after the last of them */
static void flushes(struct dw_core *c, struct core_disk *d, const struct dw_core_leap *l)
{
	uint64_t bytes = l->blocks * d->plan.block_size;
	double per_ns = (double)bytes / (double)l->ns;
	double period = (double)d->flush.every_ns, since;

	if (per_ns * period > (double)d->rules.flush_bytes)
		period = (double)d->rules.flush_bytes / per_ns;
	since = (double)(c->now_ns - d->flush.at_ns);
	if (since < period) {
		d->flush.bytes += bytes;
		return;
	}
	since -= period * (double)(uint64_t)(since / period);
	if (since > (double)l->ns)
		since = (double)l->ns;
	d->flush.at_ns = c->now_ns - (uint64_t)since;
	d->flush.bytes = (uint64_t)(since * per_ns);
	d->flush.bytes -=
		d->flush.bytes % ((uint64_t)d->plan.block_size * d->plan.physical);
	core_patience_progress(d);
	core_flush_later(d);
	d->state.mark = d->cursor.next - d->flush.bytes / d->plan.block_size;
	core_event_new(c, d, DW_CORE_EVENT_FLUSHED);
}

static void count_written(struct dw_core *c, struct core_disk *d,
			  const struct dw_core_leap *l)
{
	uint64_t bytes = l->blocks * d->plan.block_size;

	d->state.bytes_written += bytes;
	d->state.passes[d->state.pass].bytes += bytes;
	flushes(c, d, l);
}

static void count_verified(struct core_disk *d, const struct dw_core_leap *l)
{
	if (d->cursor.sampled)
		d->verify.sampled += (int64_t)l->blocks;
	else
		d->state.verify.units += l->commands;
	d->state.verify.sampled = core_disk_sampled(d);
	d->state.verify.blocks += l->blocks;
	d->state.verify.bytes += l->blocks * d->plan.block_size;
}

static uint8_t verb_of(const struct core_disk *d)
{
	if (d->state.phase == DW_CORE_COMPARE)
		return DW_VERB_COMPARE;
	if (d->state.phase == DW_CORE_VERIFY)
		return DW_VERB_READ;
	return d->limits.use_ws ? DW_VERB_WRITE_SAME : DW_VERB_WRITE;
}

/* as commands that were sent one after the other on each part of the disk */
static size_t record(const struct dw_core *c, const struct core_disk *d,
		     const struct dw_core_leap *leap, struct dw_op ret[DW_ORDER_REGIONS])
{
	const struct dw_cursor *q = &d->cursor;
	struct dw_extent part[DW_ORDER_REGIONS] = { { q->unit_lba, leap->blocks } };
	size_t n = q->sampled ? 1 : dw_order_parts(q->order, q->next, leap->blocks, part);

	for (size_t i = 0; i < n; i++)
		ret[i] = (struct dw_op){
			.verb = verb_of(d),
			.pass = d->state.pass,
			.lba = part[i].lba,
			.nlb = (uint32_t)part[i].nlb,
			.step = c->step,
			.run = (uint32_t)dw_max_u64(1, leap->commands / n),
		};
	return n;
}

size_t dw_core_leap(struct dw_core *c, uint32_t disk, const struct dw_core_leap *leap,
		    uint64_t now_ns, struct dw_op ret[DW_ORDER_REGIONS])
{
	struct core_disk *d = c->disk[disk];
	bool writing = d->state.phase == DW_CORE_WRITE;
	size_t n = record(c, d, leap, ret);

	c->now_ns = dw_max_u64(c->now_ns, now_ns);
	d->state.position = ret[0].lba + (d->cursor.sampled ? 0 : ret[0].nlb);
	if (d->state.phase == DW_CORE_COMPARE)
		core_compare_leapt(c, d, d->cursor.next, leap->blocks);
	dw_cursor_skip(&d->cursor, leap->blocks);
	if (d->state.phase == DW_CORE_VERIFY || (writing && !d->limits.use_ws))
		core_disk_use(d, leap->blocks);
	d->state.commands += leap->commands;
	d->state.work_done += leap->blocks;
	if (writing)
		count_written(c, d, leap);
	else if (d->state.phase == DW_CORE_VERIFY)
		count_verified(d, leap);
	core_disk_progress(c, d);
	core_touch(c, d);
	return n;
}

uint64_t dw_core_changes(const struct dw_core *c)
{
	return c->changes;
}

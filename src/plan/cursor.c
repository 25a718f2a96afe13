/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Four sources in the order redo, sweep, tail, late. The sweep is either every block from next to
 * end or the units of a sample; both are generated, not stored, so that a disk of any size
 * costs the same memory.
 */
#include "plan/cursor.h"

#include "base/util.h"

/* The sweep continues to the next block that can be written, and was not put off; how far it runs
 * from there. */
static uint64_t pass_over(struct dw_cursor *c, uint64_t *ret_lba)
{
	while (c->next < c->end) {
		const struct dw_extent *e;
		struct dw_zone dead;
		uint64_t run;

		*ret_lba = dw_order_lba(c->order, c->next, &run);
		run = dw_min_u64(run, c->end - c->next);
		if (c->zones && dw_zones_dead(c->zones, *ret_lba, &dead)) {
			if (dead.first == *ret_lba) {
				c->next += dw_min_u64(run, dead.nlb);
				continue;
			}
			run = dw_min_u64(run, dead.first - *ret_lba);
		}
		e = dw_extents_near(&c->late, *ret_lba);
		if (!e || e->lba >= *ret_lba + run)
			return run;
		if (e->lba > *ret_lba)
			return e->lba - *ret_lba;
		c->next += dw_min_u64(run, e->lba + e->nlb - *ret_lba);
	}
	return 0;
}

/* The longest piece of at most @nlb blocks from @lba on that stays in its zone; of a zone that is
 * written in order it ends with a physical block, wherever it came from. */
static uint32_t within(const struct dw_cursor *c, uint64_t lba, uint32_t nlb)
{
	struct dw_zone zone;
	uint64_t left, odd;

	if (!c->zones || !dw_zones_find(c->zones, lba, &zone))
		return nlb;
	left = zone.first + zone.nlb - lba;
	odd = (lba + nlb) % c->align;
	if (zone.kind == DW_ZONE_SEQUENTIAL)
		nlb = odd < nlb ? nlb - (uint32_t)odd : (uint32_t)(nlb - odd + c->align);
	return (uint32_t)dw_min_u64(nlb, left);
}

void dw_cursor_range(struct dw_cursor *c, uint64_t next, uint64_t end, uint32_t align)
{
	dw_cursor_deinit(c);
	c->next = next;
	c->end = end;
	c->align = align;
}

void dw_cursor_order(struct dw_cursor *c, uint64_t next, uint64_t end, uint32_t align,
		     const struct dw_order *order)
{
	uint64_t lba;

	dw_cursor_range(c, next, end, align);
	c->order = order;
	pass_over(c, &lba);
}

void dw_cursor_sample(struct dw_cursor *c, const struct dw_sample *sample)
{
	dw_cursor_deinit(c);
	c->sampled = true;
	c->sample = *sample;
	c->sample_blocks = dw_sample_blocks(sample);
}

void dw_cursor_deinit(struct dw_cursor *c)
{
	dw_extents_deinit(&c->redo);
	dw_extents_deinit(&c->tail);
	dw_extents_deinit(&c->late);
	*c = (struct dw_cursor){ .zones = c->zones, .align = 1 };
}

uint64_t dw_cursor_left(const struct dw_cursor *c)
{
	uint64_t left = c->redo.blocks + c->tail.blocks + c->late.blocks;

	return left + (c->end - c->next) + c->sample_blocks;
}

static bool cut_sweep(struct dw_cursor *c, uint32_t nlb, struct dw_extent *ret)
{
	uint64_t lba = 0, left = pass_over(c, &lba), odd;

	if (!left)
		return false;
	nlb = within(c, lba, nlb);
	odd = lba % c->align;
	if (nlb >= c->align)
		nlb -= (uint32_t)((odd + nlb) % c->align);
	*ret = (struct dw_extent){ .lba = lba, .nlb = dw_min_u64(nlb, left) };
	c->next += ret->nlb;
	pass_over(c, &lba);
	return true;
}

static bool cut_sample(struct dw_cursor *c, uint32_t nlb, struct dw_extent *ret)
{
	if (!c->unit_nlb && (!c->sample_blocks ||
			     !dw_sample_next(&c->sample, &c->unit_lba, &c->unit_nlb)))
		return false;
	nlb = within(c, c->unit_lba, nlb);
	*ret = (struct dw_extent){ .lba = c->unit_lba,
				   .nlb = dw_min_u64(nlb, c->unit_nlb) };
	c->unit_lba += ret->nlb;
	c->unit_nlb -= (uint32_t)ret->nlb;
	c->sample_blocks -= ret->nlb;
	return true;
}

/* its first or its last block borders on what is done, and it has not failed itself */
static bool is_edge(const struct dw_extents *x, size_t i)
{
	const struct dw_extent *e = &x->v[i], *last = i ? e - 1 : NULL;
	const struct dw_extent *next = i + 1 < x->n ? e + 1 : NULL;

	return !e->fails && (!last || last->lba + last->nlb != e->lba || !next ||
			     next->lba != e->lba + e->nlb);
}

/* The run that follows on the last piece; else the longest at the edge of a bad place, where most
 * is to be had; else the longest. */
static size_t next_late(const struct dw_cursor *c)
{
	const struct dw_extents *x = &c->late;
	const struct dw_extent *e = dw_extents_near(x, c->late_next);
	bool edge = false;
	size_t best = 0;

	if (e && e->lba == c->late_next)
		return (size_t)(e - x->v);
	for (size_t i = 0; i < x->n; i++) {
		bool i_edge = is_edge(x, i);

		if (i_edge < edge || (i_edge == edge && x->v[i].nlb < x->v[best].nlb))
			continue;
		best = i;
		edge = i_edge;
	}
	return best;
}

static bool take(const struct dw_cursor *c, struct dw_extents *x, uint32_t nlb,
		 struct dw_extent *ret)
{
	return x->n && dw_extents_take(x, within(c, x->v[0].lba, nlb), ret);
}

bool dw_cursor_cut(struct dw_cursor *c, uint32_t nlb, struct dw_extent *ret)
{
	size_t i;

	if (take(c, &c->redo, nlb, ret))
		return true;
	if (c->sampled ? cut_sample(c, nlb, ret) : cut_sweep(c, nlb, ret))
		return true;
	if (take(c, &c->tail, nlb, ret))
		return true;
	if (!c->late.n)
		return false;
	i = next_late(c);
	dw_extents_take_from(&c->late, i, within(c, c->late.v[i].lba, nlb), ret);
	c->late_next = ret->lba + ret->nlb;
	return true;
}

bool dw_cursor_peek(struct dw_cursor *c, struct dw_extent *ret)
{
	uint64_t lba;

	if (c->redo.n)
		*ret = c->redo.v[0];
	else if (pass_over(c, &lba))
		*ret = (struct dw_extent){ .lba = lba };
	else if (c->tail.n)
		*ret = c->tail.v[0];
	else if (c->late.n)
		*ret = c->late.v[next_late(c)];
	else
		return false;
	return true;
}

int dw_cursor_drop(struct dw_cursor *c, uint64_t lba, uint64_t nlb, uint64_t *ret)
{
	uint64_t left = c->redo.blocks + c->late.blocks, end = lba + nlb;
	int r = dw_extents_remove(&c->redo, lba, nlb);

	if (!r)
		r = dw_extents_remove(&c->late, lba, nlb);
	*ret = left - c->redo.blocks - c->late.blocks;
	if (!c->order && c->next > lba && c->next < end) {
		*ret += end - c->next;
		c->next = end;
		pass_over(c, &lba);
	}
	return r;
}

void dw_cursor_skip(struct dw_cursor *c, uint64_t blocks)
{
	if (!c->sampled) {
		c->next += blocks;
		return;
	}
	/* as many units later, as far into the unit */
	dw_sample_skip(&c->sample, blocks / c->sample.unit_blocks);
	c->sample_blocks -= blocks;
}

int dw_cursor_give_back(struct dw_cursor *c, const struct dw_extent *e)
{
	return dw_extents_add(&c->redo, e);
}

int dw_cursor_put_off(struct dw_cursor *c, const struct dw_extent *e)
{
	struct dw_extent late = *e;

	uint64_t lba;
	int r;

	late.late = true;
	r = dw_extents_add(&c->late, &late);
	pass_over(c, &lba);
	return r;
}

bool dw_cursor_only_late(const struct dw_cursor *c)
{
	return c->late.n && dw_cursor_left(c) == c->late.blocks;
}

bool dw_cursor_dares(const struct dw_cursor *c)
{
	const struct dw_extent *e;

	if (!dw_cursor_only_late(c))
		return false;
	e = &c->late.v[next_late(c)];
	return e->lba != c->late_next || e->fails;
}

bool dw_cursor_suspects(const struct dw_cursor *c)
{
	return c->redo.n ? c->redo.v[0].fails > 0 : dw_cursor_only_late(c);
}

uint64_t dw_cursor_low(const struct dw_cursor *c)
{
	uint64_t low = c->next;

	if (!c->order)
		return c->redo.n ? dw_min_u64(c->redo.v[0].lba, low) : low;
	for (size_t i = 0; i < c->redo.n; i++)
		low = dw_min_u64(
			low, dw_order_low(c->order, c->redo.v[i].lba, c->redo.v[i].nlb));
	return low;
}

/* nothing that was given back lies below: all of it is cut again by the sweep */
void dw_cursor_rewind(struct dw_cursor *c, uint64_t pos)
{
	uint64_t lba;

	dw_extents_deinit(&c->redo);
	c->next = pos;
	pass_over(c, &lba);
}

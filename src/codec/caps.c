/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A disk with several paths gets commands that every one of them carries: which path a command
 * takes is not known when it is planned.
 */
#include "codec/caps.h"

#include "base/util.h"

/* 0 = not known, or not reported */
static void least(uint32_t *a, uint32_t b)
{
	if (b && (!*a || b < *a))
		*a = b;
}

static void join_limits(struct dw_transfer_limits *a, const struct dw_transfer_limits *b)
{
	least(&a->max_transfer, b->max_transfer);
	least(&a->max_hw_bytes, b->max_hw_bytes);
	least(&a->soft_bytes, b->soft_bytes);
	least(&a->max_segments, b->max_segments);
	least(&a->max_segment_bytes, b->max_segment_bytes);
	least(&a->max_bytes, b->max_bytes);
	a->max_bytes_probed &= b->max_bytes_probed;
	if (b->dma_align > a->dma_align)
		a->dma_align = b->dma_align;
}

static void join_same(struct dw_same_caps *a, const struct dw_same_caps *b)
{
	a->cdb10 &= b->cdb10;
	a->cdb16 &= b->cdb16;
	a->ndob &= b->ndob;
	a->unmap &= b->unmap;
	a->no_zero |= b->no_zero;
	least(&a->max, b->max);
}

static void join_self(struct dw_self_erase *a, const struct dw_self_erase *b)
{
	a->operations &= b->operations;
	a->end_unknown |= b->end_unknown;
	if (!a->not_offered)
		a->not_offered = b->not_offered;
	if (!a->not_secure)
		a->not_secure = b->not_secure;
}

void dw_caps_join(struct dw_caps *caps, const struct dw_caps *other)
{
	caps->narrow |= other->narrow;
	caps->rw16 &= other->rw16;
	caps->verify &= other->verify;
	caps->fua &= other->fua;
	caps->cache.sync10 &= other->cache.sync10;
	caps->cache.sync16 &= other->cache.sync16;
	caps->timeout_s = (uint32_t)dw_max_u64(caps->timeout_s, other->timeout_s);
	join_limits(&caps->limit, &other->limit);
	join_same(&caps->same, &other->same);
	join_self(&caps->self, &other->self);
}

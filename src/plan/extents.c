/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sorted array is enough: runs come from errors and from what was in flight, so there are
 * tens, rarely thousands, and they are consumed from the front.
 */
#include "plan/extents.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

void dw_extents_deinit(struct dw_extents *x)
{
	free(x->v);
	*x = (struct dw_extents){ 0 };
}

static int grow_extents(struct dw_extents *x)
{
	return dw_room(&x->v, x->n, &x->cap, sizeof(*x->v));
}

/* index of the first run that starts at or after @lba */
static size_t first_run(const struct dw_extents *x, uint64_t lba)
{
	size_t lo = 0, hi = x->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (x->v[mid].lba < lba)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void erase_run(struct dw_extents *x, size_t i)
{
	x->blocks -= x->v[i].nlb;
	memmove(&x->v[i], &x->v[i + 1], (x->n - i - 1) * sizeof(*x->v));
	x->n--;
}

int dw_extents_add(struct dw_extents *x, const struct dw_extent *e)
{
	size_t i;
	int r = grow_extents(x);

	if (r < 0)
		return r;
	i = first_run(x, e->lba);
	memmove(&x->v[i + 1], &x->v[i], (x->n - i) * sizeof(*x->v));
	x->v[i] = *e;
	x->n++;
	x->blocks += e->nlb;
	return 0;
}

int dw_extents_merge(struct dw_extents *x, uint64_t lba, uint64_t nlb)
{
	uint64_t end = lba + nlb;
	size_t i = first_run(x, lba);

	if (i && x->v[i - 1].lba + x->v[i - 1].nlb >= lba)
		i--;
	while (i < x->n && x->v[i].lba <= end) {
		lba = dw_min_u64(lba, x->v[i].lba);
		end = dw_max_u64(end, x->v[i].lba + x->v[i].nlb);
		erase_run(x, i);
	}
	return dw_extents_add(x, &(struct dw_extent){ .lba = lba, .nlb = end - lba });
}

void dw_extents_take_from(struct dw_extents *x, size_t i, uint32_t nlb,
			  struct dw_extent *ret)
{
	struct dw_extent *first = &x->v[i];

	*ret = *first;
	if (first->max && first->max < nlb)
		nlb = first->max;
	if (first->nlb <= nlb) {
		erase_run(x, i);
		return;
	}
	ret->nlb = nlb;
	first->lba += nlb;
	first->nlb -= nlb;
	x->blocks -= nlb;
}

bool dw_extents_take(struct dw_extents *x, uint32_t nlb, struct dw_extent *ret)
{
	if (!x->n)
		return false;
	dw_extents_take_from(x, 0, nlb, ret);
	return true;
}

int dw_extents_halve(struct dw_extents *x, uint64_t lba, uint32_t align)
{
	size_t i = first_run(x, lba);
	struct dw_extent tail;
	uint64_t middle;

	if (i == x->n || x->v[i].lba != lba)
		return 0;
	tail = x->v[i];
	middle = lba + tail.nlb / 2;
	middle -= middle % align;
	if (middle <= lba)
		return 0;
	tail.nlb -= middle - lba;
	tail.lba = middle;
	x->v[i].nlb -= tail.nlb;
	x->blocks -= tail.nlb;
	return dw_extents_add(x, &tail);
}

const struct dw_extent *dw_extents_near(const struct dw_extents *x, uint64_t lba)
{
	size_t i = first_run(x, lba + 1);

	if (i && lba - x->v[i - 1].lba < x->v[i - 1].nlb)
		i--;
	return i < x->n ? &x->v[i] : NULL;
}

int dw_extents_remove(struct dw_extents *x, uint64_t lba, uint64_t nlb)
{
	uint64_t end = lba + nlb;

	for (size_t i = 0; i < x->n;) {
		struct dw_extent e = x->v[i];
		uint64_t e_end = e.lba + e.nlb;
		int r;

		if (e_end <= lba || e.lba >= end) {
			i++;
			continue;
		}
		erase_run(x, i);
		if (e.lba < lba) {
			struct dw_extent head = e;

			head.nlb = lba - e.lba;
			r = dw_extents_add(x, &head);
			if (r < 0)
				return r;
			i++;
		}
		if (e_end > end) {
			e.lba = end;
			e.nlb = e_end - end;
			r = dw_extents_add(x, &e);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

bool dw_extents_has(const struct dw_extents *x, uint64_t lba)
{
	size_t i = first_run(x, lba + 1);

	return i && lba < x->v[i - 1].lba + x->v[i - 1].nlb;
}

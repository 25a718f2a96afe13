/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which bytes are in a disk's volatile cache: a sorted array of ranges that
 * never touch each other. Erasing writes in order, so there are few of them.
 */
#include "extent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* first range that ends after @at */
static size_t find(const struct dw_extents *x, uint64_t at)
{
	size_t lo = 0, hi = x->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (x->e[mid].end <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int grow(struct dw_extents *x)
{
	size_t cap = x->cap ? 2 * x->cap : 16;
	struct dw_cdb_extent *e;

	if (x->n < x->cap)
		return 0;
	e = reallocarray(x->e, cap, sizeof(*e));
	if (!e)
		return -ENOMEM;
	x->e = e;
	x->cap = cap;
	return 0;
}

static void drop(struct dw_extents *x, size_t i, size_t n)
{
	if (!n)
		return;
	memmove(x->e + i, x->e + i + n, (x->n - i - n) * sizeof(*x->e));
	x->n -= n;
}

static void insert(struct dw_extents *x, size_t i, struct dw_cdb_extent e)
{
	memmove(x->e + i + 1, x->e + i, (x->n - i) * sizeof(*x->e));
	x->e[i] = e;
	x->n++;
}

/**
 * dw_extents_add - put bytes into the set
 * @x: set
 * @start: first byte
 * @end: byte after the last
 *
 * Return: 0, or -ENOMEM with the set unchanged.
 */
int dw_extents_add(struct dw_extents *x, uint64_t start, uint64_t end)
{
	struct dw_cdb_extent e = { start, end };
	size_t i, n = 0;

	if (start >= end)
		return 0;
	if (grow(x))
		return -ENOMEM;
	i = find(x, start);
	if (i && x->e[i - 1].end == start)
		i--;
	while (i + n < x->n && x->e[i + n].start <= end) {
		if (x->e[i + n].start < e.start)
			e.start = x->e[i + n].start;
		if (x->e[i + n].end > e.end)
			e.end = x->e[i + n].end;
		x->total -= x->e[i + n].end - x->e[i + n].start;
		n++;
	}
	drop(x, i, n);
	insert(x, i, e);
	x->total += e.end - e.start;
	return 0;
}

/**
 * dw_extents_remove - take bytes out of the set
 * @x: set
 * @start: first byte
 * @end: byte after the last
 *
 * Return: 0, or -ENOMEM with the set unchanged.
 */
int dw_extents_remove(struct dw_extents *x, uint64_t start, uint64_t end)
{
	size_t i;

	if (start >= end)
		return 0;
	if (grow(x))
		return -ENOMEM;
	i = find(x, start);
	if (i < x->n && x->e[i].start < start) {
		struct dw_cdb_extent head = { x->e[i].start, start };

		x->e[i].start = start;
		insert(x, i++, head);
	}
	while (i < x->n && x->e[i].end <= end) {
		x->total -= x->e[i].end - x->e[i].start;
		drop(x, i, 1);
	}
	if (i < x->n && x->e[i].start < end) {
		x->total -= end - x->e[i].start;
		x->e[i].start = end;
	}
	return 0;
}

/**
 * dw_extents_next - the first range at or after a byte
 * @x: set
 * @at: byte
 * @ret_e: the range, cut to begin no earlier than @at
 *
 * Return: false when there is none.
 */
bool dw_extents_next(const struct dw_extents *x, uint64_t at, struct dw_cdb_extent *ret_e)
{
	size_t i = find(x, at);

	if (i == x->n)
		return false;
	*ret_e = x->e[i];
	if (ret_e->start < at)
		ret_e->start = at;
	return true;
}

/**
 * dw_extents_clear - make the set empty and free its memory
 * @x: set
 */
void dw_extents_clear(struct dw_extents *x)
{
	free(x->e);
	memset(x, 0, sizeof(*x));
}

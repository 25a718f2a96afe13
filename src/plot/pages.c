/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages are filled with figures, as nearly in the order of these as that allows. */
#include "plot/pages.h"

#include <stdint.h>
#include <string.h>

#define FULL   0.9 /* of a page */
#define CHOICE 12  /* figures that are tried to fill a page with: all subsets of them */

/** struct unplaced - figures that have no page yet, in their order: the end of what is returned */
struct unplaced {
	const double *height;
	size_t *left;
	size_t n;
};

static double height_of(const struct unplaced *l, size_t i)
{
	return l->height[l->left[i]];
}

/* The figure comes before those that are left. */
static double take_figure(struct unplaced *l, size_t i)
{
	size_t figure = l->left[i];

	memmove(&l->left[1], &l->left[0], i * sizeof(*l->left));
	*l->left++ = figure;
	l->n--;
	return l->height[figure];
}

static double height_of_subset(const struct unplaced *l, uint32_t set)
{
	double sum = 0;

	for (size_t i = 0; set >> i; i++)
		sum += set >> i & 1 ? height_of(l, i) : 0;
	return sum;
}

/* The subset of the first figures that fills @room best, as bits; of equal ones the earliest. */
static uint32_t best_subset(const struct unplaced *l, double room)
{
	size_t n = l->n < CHOICE ? l->n : CHOICE;
	uint32_t best = 0;
	double most = 0;

	for (uint32_t set = 1; set < UINT32_C(1) << n; set++) {
		double sum = height_of_subset(l, set);

		if (sum <= room && sum > most) {
			best = set;
			most = sum;
		}
	}
	return best;
}

/* How many of the first figures fit, and what they need. */
static size_t count_fitting(const struct unplaced *l, double room, double *ret_sum)
{
	size_t n = 0;

	*ret_sum = 0;
	while (n < l->n && *ret_sum + height_of(l, n) <= room)
		*ret_sum += height_of(l, n++);
	return n;
}

static void take_subset(struct unplaced *l, uint32_t set)
{
	for (size_t i = 0; set; set >>= 1) {
		if (set & 1)
			take_figure(l, i);
		else
			i++;
	}
}

void plot_pages_order(const double *height, size_t n, double room, double head,
		      size_t *ret)
{
	struct unplaced l = { height, ret, n };
	double above = head;

	for (size_t i = 0; i < n; i++)
		ret[i] = i;
	while (l.n) {
		struct unplaced rest = l;
		double sum;
		size_t fit = count_fitting(&l, room - above, &sum);
		uint32_t set;

		rest.left += fit;
		rest.n -= fit;
		set = best_subset(&rest, room - above - sum);
		if (fit > 1 && rest.n &&
		    above + sum + height_of_subset(&rest, set) < FULL * room)
			fit = 1; /* others below the first one leave less empty */
		if (!fit && !(above > 0))
			fit = 1; /* higher than a page: alone on it */
		for (size_t i = 0; i < fit; i++)
			above += take_figure(&l, 0);
		take_subset(&l, best_subset(&l, room - above));
		above = 0;
	}
}

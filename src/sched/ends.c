/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/ends.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/util.h"

#define AHEAD 0.03 /* share of the time left; less is noise */
#define ZONES 0.5  /* of what a falling rate adds to that time, the part in doubt */
#define STOP  0.7  /* of both, where those that are ahead no longer are */

int dw_ends_reserve(struct dw_ends *e, uint32_t places)
{
	uint32_t n = places > 2 * e->n ? places : 2 * e->n;

	if (places <= e->n)
		return 0;
	if (dw_grow(&e->disk, e->n, n, sizeof(*e->disk)) < 0)
		return -ENOMEM;
	e->n = n;
	return 0;
}

void dw_ends_free(struct dw_ends *e)
{
	free(e->disk);
	*e = (struct dw_ends){ 0 };
}

void dw_ends_begin(struct dw_ends *e, const struct dw_view *view, uint64_t now_ns)
{
	for (uint32_t i = 0; i < view->n && i < e->n; i++) {
		e->disk[i].left = view->disk[i].left;
		e->disk[i].moved = false;
	}
	e->from_ns = now_ns;
}

/* bytes per second of a disk that counts; 0 = it does not */
static double rate_of(const struct dw_ends *e, const struct dw_view *view, uint32_t i,
		      uint64_t now_ns)
{
	const struct dw_view_disk *d = &view->disk[i];
	double seconds = (double)(now_ns - e->from_ns) / 1e9;

	if (d->out || !e->disk[i].moved || d->left >= e->disk[i].left)
		return 0;
	return (double)(e->disk[i].left - d->left) * d->block_size / seconds;
}

/* seconds until the disk has ended */
static double seconds_left(const struct dw_view_disk *d, double rate)
{
	double total = (double)dw_max_u64(d->total, d->left),
	       left = (double)d->left / total;
	double sweep = total * d->block_size / rate;

	if (!d->rotates)
		return sweep * (left + d->later);
	/* the rate now is that of the first block, times (1 + left) / 2 */
	return sweep * (1 + left) * (log1p(left) + d->later * log(2));
}

/* share of the time left that may be an error: a disk whose rate falls is slower than it now
 * seems, but for as long as the link is its limit */
static double doubt_of(const struct dw_view_disk *d)
{
	double left = (double)d->left / (double)dw_max_u64(d->total, d->left);

	if (!d->rotates || !d->left)
		return AHEAD;
	return AHEAD + ZONES * ((1 + left) * log1p(left) / left - 1);
}

/* bytes that the disk still moves */
static double bytes_left(const struct dw_view_disk *d)
{
	return ((double)d->left + (double)d->later * (double)d->total) * d->block_size;
}

bool dw_ends_choose(struct dw_ends *e, const struct dw_view *view, uint64_t now_ns)
{
	double first = INFINITY, last = 0, rate, s;

	for (uint32_t i = 0; i < view->n && i < e->n; i++) {
		rate = rate_of(e, view, i, now_ns);
		if (rate > 0) {
			s = seconds_left(&view->disk[i], rate);
			first = fmin(first, s);
			last = fmax(last, s);
		}
	}
	if (!(first < (1 - AHEAD) * last))
		return false;
	for (uint32_t i = 0; i < view->n && i < e->n; i++) {
		rate = rate_of(e, view, i, now_ns);
		e->disk[i].ahead = rate > 0 && seconds_left(&view->disk[i], rate) <
						       (first + last) / 2;
	}
	return true;
}

bool dw_ends_behind(const struct dw_ends *e, uint32_t disk)
{
	return !e->disk[disk].ahead && e->disk[disk].rate > 0;
}

/* sums of the two groups by the rates that were measured; whether both have disks */
static bool sum_up(struct dw_ends *e, const struct dw_view *view)
{
	uint32_t n[2] = { 0 };
	double sum[2] = { 0 }, rates[2] = { 0 }, doubt[2] = { 0 }, bytes = 0, now = 0;

	for (uint32_t i = 0; i < view->n && i < e->n; i++) {
		double rate = view->disk[i].out ? 0 : e->disk[i].rate;
		bool ahead = e->disk[i].ahead;

		if (rate > 0) {
			n[ahead]++;
			sum[ahead] += seconds_left(&view->disk[i], rate);
			rates[ahead] += rate;
			doubt[ahead] += doubt_of(&view->disk[i]);
			bytes += bytes_left(&view->disk[i]);
			now += ahead ? 0 : bytes_left(&view->disk[i]) / rate;
		}
	}
	if (!n[false] || !n[true])
		return false;
	e->first_s = sum[true] / n[true];
	e->last_s = sum[false] / n[false];
	e->first_rate = rates[true];
	e->last_rate = rates[false];
	/* those that end last gain what others leave */
	e->limit_s = bytes / (rates[0] + rates[1]) * sum[false] / now;
	e->doubt = fmax(doubt[true] / n[true], doubt[false] / n[false]);
	return true;
}

bool dw_ends_renew(struct dw_ends *e, const struct dw_view *view)
{
	if (!sum_up(e, view))
		return false;
	for (uint32_t i = 0; i < view->n && i < e->n; i++) {
		double rate = e->disk[i].rate;

		if (rate > 0 && e->disk[i].ahead)
			e->disk[i].ahead =
				seconds_left(&view->disk[i], rate) <
				fmin((1 - STOP * e->doubt) * e->last_s, e->limit_s);
	}
	return sum_up(e, view);
}

bool dw_ends_measure(struct dw_ends *e, const struct dw_view *view, uint64_t now_ns)
{
	for (uint32_t i = 0; i < view->n && i < e->n; i++)
		e->disk[i].rate = rate_of(e, view, i, now_ns);
	return dw_ends_renew(e, view) && e->first_s < (1 - e->doubt) * e->last_s;
}

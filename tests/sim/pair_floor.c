/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair_floor.h"

#include <math.h>

#define ERRORS 3 /* standard errors that jitter may help */

/** struct sums - over all disks, in seconds; @room: of commands in the controller's buffer */
struct sums {
	double bus;
	double processor;
	double room;
	double worst;
};

static const struct station_node *node(const struct dw_station *s, uint8_t kind)
{
	for (uint32_t i = 0; i < s->n_nodes; i++)
		if (s->node[i].kind == kind)
			return &s->node[i];
	return NULL;
}

/* the medium from byte @x on, all its sectors in turn */
static double medium(const struct station_disk *d, double x)
{
	double outer = (double)d->outer, inner = (double)d->inner,
	       c = (double)d->capacity;
	double slope = (outer - inner) / c, n = (c - x) / (double)d->max_transfer;
	double t = slope > 0 ? log((outer - slope * x) / inner) / slope : (c - x) / outer;

	if (d->jitter > 0 && n > 0)
		t *= 1 - fmin(1, ERRORS * d->jitter / sqrt(3 * n * (double)d->count));
	return t;
}

/* when a medium that needs @t seconds more ends; what is in its buffer is slow no more */
static double with_faults(const struct station_disk *d, double at, double t)
{
	double ahead = (double)d->buffer / (double)d->inner, end = at + t;

	for (uint32_t i = 0; i < d->n_faults; i++) {
		const struct station_fault *f = &d->fault[i];
		double from = fmax(at, (double)f->at_ns / 1e9 + ahead);

		if (f->kind == STATION_SLOW && end > from)
			end = from + (end - from) / f->share;
	}
	for (uint32_t i = 0; i < d->n_faults; i++) {
		const struct station_fault *f = &d->fault[i];
		double from = (double)f->at_ns / 1e9;

		if (f->kind == STATION_STALL && from > at && from + ahead < end)
			end += (double)f->for_ns / 1e9;
	}
	return end;
}

/* a disk with @left bytes to go */
static void add(struct sums *sum, const struct dw_station *s,
		const struct station_disk *d, const struct pair *p, double at,
		double left)
{
	const struct station_node *c = node(s, STATION_CONTROLLER),
				  *b = node(s, STATION_BUS);
	double length = fmin(p->bytes, (double)d->max_transfer), n = floor(left / length);
	double link = left / (double)d->link, bus = left / (double)b->rate, room, loads;
	double media = medium(d, (double)d->capacity - left), turn = 0;
	bool aimed = b->retry && d->rpm && !d->cache;

	if (b->parallel)
		bus = fmax(bus, link);
	loads = c->buffer ? floor((length - 1) / (double)c->buffer) : 0;
	bus += n * (double)b->command_ns / 1e9;
	room = fmax(link, bus);
	if (!d->cache)
		room = aimed ? fmax(room, media) : room + media;
	room += n / 1e9 *
		((double)c->command_ns + loads * (double)c->overflow_ns +
		 (double)d->overhead_ns);
	/* without a second command the next sector has always gone by */
	if (p->depth == 1 && d->rpm && !d->cache)
		turn = n * 60 / (double)d->rpm;
	sum->bus += bus;
	sum->processor += n * (double)c->command_ns / 1e9;
	sum->room += room;
	sum->worst = fmax(sum->worst, with_faults(d, at, media + turn));
	sum->worst = fmax(sum->worst, at + fmax(link, room / p->depth));
}

/* commands that the controller holds at once */
static double places(const struct dw_station *s, const struct pair *p)
{
	const struct station_node *c = node(s, STATION_CONTROLLER);
	double shortest = p->bytes, n = INFINITY;

	for (uint32_t i = 0; i < s->n_disks; i++)
		shortest = fmin(shortest, (double)s->disk[i].max_transfer);
	if (c->queue)
		n = (double)c->queue;
	if (c->buffer)
		n = fmin(n, fmax(1, floor((double)c->buffer / shortest)));
	return n;
}

double pair_floor(const struct dw_station *s, const struct pair *p, double at,
		  const uint64_t *done)
{
	struct sums sum = { .worst = at };
	uint32_t unit = 0;

	for (uint32_t i = 0; i < s->n_disks; i++) {
		const struct station_disk *d = &s->disk[i];
		double length = fmin(p->bytes, (double)d->max_transfer);

		for (uint64_t k = 0; k < d->count; k++, unit++) {
			double left = (double)d->capacity;

			/* what is under way may be as good as done */
			if (done)
				left -= (double)done[unit] + length * p->depth;
			if (left > 0)
				add(&sum, s, d, p, at, left);
		}
	}
	sum.worst = fmax(sum.worst, at + sum.bus);
	sum.worst = fmax(sum.worst, at + sum.processor);
	return fmax(sum.worst, at + sum.room / places(s, p));
}

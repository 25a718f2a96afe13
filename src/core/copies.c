/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sampled verification of disks that are copies of the same data. No copy waits for the other:
 * one that has ended a sweep asks whether there is another for it, and that is all they share.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/internal.h"

int dw_core_copies(struct dw_core *c, uint32_t a, uint32_t b, int policy)
{
	struct core_pair *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	*p = (struct core_pair){
		.disk = { c->disk[a], c->disk[b] },
		.state = { .policy = policy, .decided = policy != DW_COPIES_AUTO },
		.extra = 2 * (DW_COPIES_SWEEPS - DW_COPIES_LEAST),
	};
	for (int i = 0; i < 2; i++) {
		p->disk[i]->pair = p;
		core_disk_verify_again(p->disk[i]);
	}
	return 0;
}

const struct dw_copies_state *dw_core_copies_state(const struct dw_core *c, uint32_t disk)
{
	return c->disk[disk]->pair ? &c->disk[disk]->pair->state : NULL;
}

bool core_copies_cut(const struct core_disk *d)
{
	return d->pair && (d->pair->state.policy != DW_COPIES_BOTH || d->pair->each) &&
	       d->state.pass + 1 == d->plan.n_passes;
}

/* seconds until a copy can begin its next sweep; what it has still to write counts */
static double ready_s(const struct core_disk *d, const struct core_disk *peer)
{
	double blocks = (double)dw_cursor_left(&d->cursor), bytes;
	double rate = d->state.rate > 0 ? d->state.rate : peer->state.rate;

	if (d->state.phase == DW_CORE_VERIFY)
		return 0;
	bytes = (blocks + (double)(d->plan.n_passes - 1 - d->state.pass) *
				  (double)d->plan.blocks) *
		d->plan.block_size;
	return rate > 0 ? bytes / rate : 0;
}

/* A unit of the sample may take several reads, whatever length they have. */
static void describe_copy(const struct core_disk *d, const struct core_disk *peer,
			  struct dw_copy *ret)
{
	double n = (double)d->reads.n, mean = d->reads.s / n;
	double var = d->reads.s2 / n - mean * mean;
	double pieces = (double)d->verify.unit * n / (double)d->reads.blocks;

	*ret = (struct dw_copy){
		.mean_s = mean * pieces,
		.cv2 = mean > 0 && var > 0 ? var / (mean * mean * pieces) : 0,
		.ready_s = ready_s(d, peer),
	};
	if (d->state.phase == DW_CORE_REPAIR || d->state.phase == DW_CORE_REVERIFY)
		ret->done = d->state.verify.sweeps;
	if (d->state.phase != DW_CORE_VERIFY || !d->cursor.sampled)
		return;
	/* the sweep that it is reading began in the past */
	ret->done = d->state.verify.sweeps - 1;
	ret->ready_s =
		-ret->mean_s * (double)d->cursor.sample.count *
		(1 - (double)dw_cursor_left(&d->cursor) / (double)d->verify.blocks);
}

static void decide(struct dw_core *c, struct core_disk *d)
{
	struct core_pair *p = d->pair;
	const struct core_disk *peer = p->disk[p->disk[0] == d];
	struct dw_copies_forecast *f = &p->state.forecast;
	struct dw_copy copy[2];

	p->state.policy = DW_COPIES_COMMON;
	p->state.decided = true;
	if (!peer || peer->state.phase == DW_CORE_DONE || !peer->reads.n)
		return; /* better than nothing to do */
	describe_copy(d, peer, &copy[0]);
	copy[0].done = d->state.verify.sweeps;
	copy[0].ready_s = 0;
	describe_copy(peer, d, &copy[1]);
	dw_copies_simulate(copy, d->cursor.sample.count, d->plan.seed, f);
	p->each = f->common > (1 - DW_COPIES_GAIN) * f->both;
	if (p->each)
		p->state.policy = DW_COPIES_BOTH;
	core_notice(c, d, "copies: %s, as a simulation has it: %.3g s left, %.3g s if %s",
		    p->each ? "each reads its own sample" : "a common queue",
		    p->each ? f->both : f->common, p->each ? f->common : f->both,
		    p->each ? "they shared a queue" : "each read its own");
}

bool core_copies_more(struct dw_core *c, struct core_disk *d)
{
	struct core_pair *p = d->pair;
	const struct core_disk *peer;

	if (!d->cursor.sampled || !core_copies_cut(d))
		return false;
	peer = p->disk[p->disk[0] == d]; /* NULL when it was removed */
	if (d->state.verify.sweeps < DW_COPIES_LEAST)
		return true;
	/* nothing is known of a copy that has not read yet: decide later, if there is time */
	if (!p->state.decided &&
	    (!peer || peer->reads.n || d->state.verify.sweeps >= DW_COPIES_SWEEPS))
		decide(c, d);
	if (p->each)
		return d->state.verify.sweeps < DW_COPIES_SWEEPS;
	if (!p->extra)
		return false;
	p->extra--;
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which disks are looked at a second time. The seed comes of the chain alone: the number of the
 * draw and the record before it. So nobody draws again until he likes what comes: the next draw is
 * another record. And whoever has the records can draw again with sha256sum.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "data/sign.h"
#include "proof/proof.h"

#define PPM 1000000

/** struct ranked - a record and its place in the draw: the lowest are taken */
struct ranked {
	char rank[DW_PROOF_HASH];
	const struct dw_candidate *of;
};

void dw_candidate_of(const struct dw_proof *p, const char hash[DW_PROOF_HASH],
		     struct dw_candidate *ret)
{
	*ret = (struct dw_candidate){
		.drawn.sequence = p->sequence,
		.erased = !p->simulation[0] &&
			  !strcmp(p->outcome, dw_outcome_name(DW_OUTCOME_ERASED, false)),
		.finished = p->finished.tv_sec,
	};
	memcpy(ret->drawn.record, hash, DW_PROOF_HASH);
	if (!p->info.name_shared && (p->info.serial[0] || p->info.wwn[0]))
		snprintf(ret->disk, sizeof(ret->disk), "%s\t%s\t%s", p->info.model,
			 p->info.serial, p->info.wwn);
	memcpy(ret->label, p->label, sizeof(ret->label));
}

static bool counts(const struct dw_draw *d, const struct dw_candidate *c)
{
	return c->erased && c->drawn.sequence < d->sequence &&
	       (!d->label[0] || !strcmp(d->label, c->label)) &&
	       (!d->since.tv_sec || c->finished >= d->since.tv_sec) &&
	       (!d->until.tv_sec || c->finished < d->until.tv_sec);
}

static int compare_disks(const void *a, const void *b)
{
	const struct dw_candidate *x = ((const struct ranked *)a)->of;
	const struct dw_candidate *y = ((const struct ranked *)b)->of;
	int r = strcmp(x->disk, y->disk);

	return r ? r
		 : (x->drawn.sequence > y->drawn.sequence) -
			       (x->drawn.sequence < y->drawn.sequence);
}

/* Of each disk the last record; what cannot be told apart counts as different disks. */
static uint64_t keep_last(struct ranked *r, uint64_t n)
{
	uint64_t kept = 0;

	if (n)
		qsort(r, n, sizeof(*r), compare_disks);
	for (uint64_t i = 0; i < n; i++)
		if (i + 1 == n || !r[i].of->disk[0] ||
		    strcmp(r[i].of->disk, r[i + 1].of->disk) != 0)
			r[kept++].of = r[i].of;
	return kept;
}

static int make_seed(struct dw_draw *d)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "diskwipe-draw %s %" PRIu64 "\n",
			 d->previous, d->sequence);

	return dw_sha256_hex(text, (size_t)n, d->seed);
}

static int make_rank(const struct dw_draw *d, struct ranked *r)
{
	char text[2 * DW_PROOF_HASH + 2];
	int n = snprintf(text, sizeof(text), "%s %s\n", d->seed, r->of->drawn.record);

	return dw_sha256_hex(text, (size_t)n, r->rank);
}

static int compare_ranks(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return strcmp(x->rank, y->rank);
}

static int compare_drawn(const void *a, const void *b)
{
	const struct dw_drawn *x = a, *y = b;

	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

/* The lowest of @r, in the order of the ledger. */
static int take_lowest(struct dw_draw *d, struct ranked *r, uint64_t n)
{
	uint64_t take = (n * d->share_ppm + PPM - 1) / PPM;

	d->population = n;
	if (!n)
		return 0;
	d->picked = calloc(take, sizeof(*d->picked));
	if (!d->picked)
		return -ENOMEM;
	qsort(r, n, sizeof(*r), compare_ranks);
	for (uint64_t i = 0; i < take; i++)
		d->picked[i] = r[i].of->drawn;
	d->n_picked = (uint32_t)take;
	qsort(d->picked, take, sizeof(*d->picked), compare_drawn);
	return 0;
}

int dw_draw_pick(struct dw_draw *d, const struct dw_candidate *of, size_t n)
{
	struct ranked *r;
	uint64_t found = 0;
	int error;

	if (!d->share_ppm || d->share_ppm > PPM || n > UINT32_MAX)
		return -EINVAL;
	r = calloc(n + 1, sizeof(*r));
	error = r ? make_seed(d) : -ENOMEM;
	for (size_t i = 0; i < n && !error; i++)
		if (counts(d, &of[i]))
			r[found++].of = &of[i];
	if (!error)
		found = keep_last(r, found);
	for (uint64_t i = 0; i < found && !error; i++)
		error = make_rank(d, &r[i]);
	if (!error)
		error = take_lowest(d, r, found);
	free(r);
	return error;
}

bool dw_draw_same(const struct dw_draw *a, const struct dw_draw *b)
{
	if (a->population != b->population || a->n_picked != b->n_picked ||
	    strcmp(a->seed, b->seed) != 0)
		return false;
	for (uint32_t i = 0; i < a->n_picked; i++)
		if (a->picked[i].sequence != b->picked[i].sequence ||
		    strcmp(a->picked[i].record, b->picked[i].record) != 0)
			return false;
	return true;
}

void dw_draw_deinit(struct dw_draw *d)
{
	free(d->picked);
	*d = (struct dw_draw){ .sequence = 0 };
}

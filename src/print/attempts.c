/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A customer pays for disks, and a disk that failed and was erased later is one disk. What tells
 * disks apart here is what they say of themselves; one that says nothing, or what another says, is
 * a disk at each attempt, as nobody can show that it is not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "print/attempts.h"
#include "print/verdict.h"

/* A check that found what it expected, and a simulation, change nothing of a disk. */
static bool is_attempt(const struct dw_paper_record *r)
{
	return !r->proof.simulation[0] && dw_paper_kind(r) != DW_PAPER_AS_EXPECTED &&
	       !r->proof.info.name_shared &&
	       (r->proof.info.serial[0] || r->proof.info.wwn[0]);
}

static int compare_disks(const struct dw_paper_record *a, const struct dw_paper_record *b)
{
	const struct dw_disk_info *x = &a->proof.info, *y = &b->proof.info;
	int r = strcmp(x->serial, y->serial);

	r = r ? r : strcmp(x->wwn, y->wwn);
	return r ? r : strcmp(x->model, y->model);
}

static int compare_times(const struct dw_proof *a, const struct dw_proof *b)
{
	const struct timespec *x = &a->written, *y = &b->written;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	if (x->tv_nsec != y->tv_nsec)
		return x->tv_nsec < y->tv_nsec ? -1 : 1;
	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static int compare(const void *a, const void *b)
{
	struct dw_paper_record *const *x = a, *const *y = b;
	int r = compare_disks(*x, *y);

	return r ? r : compare_times(&(*x)->proof, &(*y)->proof);
}

int paper_attempts(struct dw_paper_records *in)
{
	struct dw_paper_record **sorted =
		calloc(in->n + 1, sizeof(struct dw_paper_record *));
	size_t n = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < in->n; i++)
		in->record[i].superseded = false;
	for (size_t i = 0; i < in->n; i++)
		if (is_attempt(&in->record[i]))
			sorted[n++] = &in->record[i];
	qsort(sorted, n, sizeof(struct dw_paper_record *), compare);
	for (size_t i = 0; i + 1 < n; i++)
		sorted[i]->superseded = !compare_disks(sorted[i], sorted[i + 1]);
	free(sorted);
	return 0;
}

bool paper_failed(const struct dw_paper_record *r)
{
	return is_attempt(r) && dw_paper_kind(r) != DW_PAPER_ERASED;
}

void paper_look_later(struct dw_paper_record *r, const struct dw_paper_records *failed)
{
	const struct dw_paper_record *last = NULL;

	for (size_t i = 0; i < failed->n && is_attempt(r); i++) {
		const struct dw_paper_record *f = &failed->record[i];

		if (!compare_disks(f, r) &&
		    compare_times(&f->proof, last ? &last->proof : &r->proof) > 0)
			last = f;
	}
	if (last)
		r->later = last->proof.sequence;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The proof of an operation of a disk: blocks are read before the command, and after the disk has
 * reported that the operation ended well. Both wait for the disk: off the loop.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/identity.h>

#include "base/util.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/slots.h"
#include "engine/own.h"

#define WITHHOLDS   3  /* of WABEREQ and WACEREQ, VPD B1h (SBC-4): 3/11/15 */
#define FAILS_READS 2  /* of these: other read errors */
#define UNREADABLE  11 /* at most one block of so many may have become unreadable */

/**
 * struct job_witness - the proof of one disk
 * @disk, @op: the operation begins when the blocks have been read
 * @blocks: the blocks; NULL = not yet read
 * @error: result of reading them
 * @passed: no block reads as before
 * @found: what the last look at them has found
 * @guarded: number of blocks whose protection information did not match after the work
 * @text: why it is not proven
 */
struct job_witness {
	struct dw_work work;
	struct job_disk *disk;
	struct dw_op op;
	struct dw_witness *blocks;
	int error;
	bool passed;
	struct dw_witness_found found;
	uint32_t guarded;
	char text[224];
};

static void take_in_worker(struct dw_work *w)
{
	struct job_witness *x = dw_container_of(w, struct job_witness, work);

	x->error = dw_witness_take(x->disk->device, &x->blocks);
}

static int refuse_to_begin(struct dw_engine *e, struct job_witness *x)
{
	uint64_t now = engine_clock(e);
	struct dw_result r = { .disk = x->op.disk,
			       .slot = x->op.slot,
			       .class = DW_CLASS_FAILED,
			       .detail = x->text,
			       .submit_ns = now,
			       .end_ns = now };

	x->disk->who.stranger |= x->error == -ESTALE;
	if (x->error == -ESTALE)
		snprintf(x->text, sizeof(x->text),
			 DW_ANOTHER_DISK "; no command was sent to it");
	else
		snprintf(x->text, sizeof(x->text),
			 "nothing would prove its erasure: no block could be %s (%s); "
			 "no command was sent to it",
			 x->error == -ENODATA ? "marked, or held anything" : "read",
			 strerror(-x->error));
	if (x->error == -ENODEV || x->error == -ENXIO)
		r.class = DW_CLASS_GONE;
	return dw_core_result(e->core, &r, now);
}

static int taken(struct dw_work *w)
{
	struct job_witness *x = dw_container_of(w, struct job_witness, work);
	struct job_disk *d = x->disk;
	struct dw_engine *e = d->job->engine;
	int r;

	if (x->error)
		return refuse_to_begin(e, x);
	r = job_submit(e, &x->op);
	if (!r)
		d->place.transport->ops->flush(d->place.transport);
	return r;
}

int job_witness_restore(struct job_disk *d)
{
	const struct dw_state_entry *e = d->earlier.resume;
	int r;

	/* if the command is repeated, other blocks are read */
	if (!d->device || !e || !e->witness || d->witness ||
	    (!d->plan.operating && e->lba < d->plan.blocks &&
	     !dw_plan_written_over(&d->plan)))
		return 0;
	d->witness = calloc(1, sizeof(*d->witness));
	if (!d->witness)
		return -ENOMEM;
	d->witness->disk = d;
	r = dw_witness_parse(e->witness, d->caps.blocks, &d->witness->blocks);
	return r == -EINVAL ? 0 : r;
}

char *job_witness_text(const struct job_disk *d)
{
	const struct job_witness *x = d->witness;

	return x && x->blocks ? dw_witness_text(x->blocks) : NULL;
}

bool job_witness_needed(const struct job_disk *d)
{
	return d->device && (!d->witness || !d->witness->blocks);
}

int job_witness_submit(struct job_disk *d, const struct dw_op *op)
{
	if (!d->witness)
		d->witness = calloc(1, sizeof(*d->witness));
	if (!d->witness)
		return -ENOMEM;
	d->witness->disk = d;
	d->witness->op = *op;
	d->witness->work.run = take_in_worker;
	d->witness->work.done = taken;
	dw_loop_begin(d->job->engine->loop, &d->witness->work);
	return 0;
}

/* What reads return after this operation, by VPD B1h. */
static uint8_t announced(const struct job_disk *d)
{
	if (d->plan.operation == DW_OPERATION_BLOCK_ERASE)
		return d->caps.self.wabereq;
	return d->plan.operation == DW_OPERATION_CRYPTO_ERASE ? d->caps.self.wacereq : 0;
}

/* Whether the disk has reported that its blocks cannot be read after this operation before they
 * are written. Otherwise that is an error like others, and the contents are unknown. */
static bool may_withhold(const struct job_disk *d)
{
	return announced(d) == WITHHOLDS || announced(d) == FAILS_READS;
}

/* @untold: the disk does not report how its operation ended */
static bool judge(struct job_witness *x, int r, bool untold,
		  const struct dw_witness_found *found)
{
	uint32_t n = x->blocks->n;

	if (r)
		snprintf(x->text, sizeof(x->text),
			 "blocks that were read before cannot be read again: %s",
			 strerror(-r));
	else if (found->same)
		snprintf(
			x->text, sizeof(x->text),
			"IT DID NOT ERASE ITSELF: %u of %u blocks read as before, LBA %llu "
			"among them; overwrite it, or destroy it",
			found->same, n, (unsigned long long)found->first);
	else if (found->withheld && !may_withhold(x->disk))
		snprintf(
			x->text, sizeof(x->text),
			"%u of %u blocks cannot be read before they are written (3/11/15), "
			"and it has not announced that (VPD B1h): nothing proves that they "
			"are erased; overwrite it",
			found->withheld, n);
	else if (found->guarded && dw_plan_written_over(&x->disk->plan))
		snprintf(
			x->text, sizeof(x->text),
			"the protection information of %u of %u blocks does not match "
			"(10h/01-03), though they were written after its work; \"diskwipe "
			"format\" takes it away where the disk can",
			found->guarded, n);
	else if ((n - found->read) * UNREADABLE > n)
		snprintf(x->text, sizeof(x->text),
			 "of %u blocks that were read before only %u can be read again: "
			 "nothing proves that it erased itself",
			 n, found->read);
	else if (untold &&
		 (n - found->read + found->withheld + found->guarded) * UNREADABLE > n)
		snprintf(
			x->text, sizeof(x->text),
			"nothing proves that it erased itself: how it ended cannot be read, "
			"nor can %u of %u blocks before they are written",
			found->withheld + found->guarded, n);
	else
		return true;
	return false;
}

uint32_t job_witness_guarded(const struct job_disk *d)
{
	return d->witness ? d->witness->guarded : 0;
}

const char *job_witness_look(struct job_disk *d, bool untold)
{
	struct job_witness *x = d->witness;

	if (!d->plan.operation || d->plan.verify_only)
		return NULL;
	if (!x || !x->blocks)
		return "nothing proves its erasure: what its blocks held before was "
		       "forgotten with the program that began it; erase it again";
	x->passed =
		judge(x, dw_witness_look(d->device, x->blocks, announced(d), &x->found),
		      untold, &x->found);
	x->guarded = (uint32_t)dw_max_u64(x->guarded, x->found.guarded);
	return x->passed ? NULL : x->text;
}

const struct dw_witness_found *job_witness_passed(const struct job_disk *d)
{
	return d->witness && d->witness->passed ? &d->witness->found : NULL;
}

void job_witness_free(struct job_disk *d)
{
	if (!d->witness)
		return;
	dw_witness_free(d->witness->blocks);
	free(d->witness);
	d->witness = NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attempts that are resumed after they have ended. An attempt whose disk was pulled at work is
 * resumed when the disk is present again. One that stopped because it could not be seen who uses
 * the disk is resumed when that can be seen. A disk that was left at work by itself is in
 * quarantine: its state is kept, and no new erasure of it begins. Its attempt is resumed when the
 * disk has finished, or when a user asks. Whether the disk is erased is then proven, as always,
 * by the blocks read before.
 */
#include "service.h"

#include <stdio.h>
#include <string.h>

#define US_PER_S UINT64_C(1000000)

uint64_t attempt_until(const struct service *s, const struct svc_attempt *a)
{
	return a->row.ended + s->settings->return_seconds * US_PER_S;
}

/* The core stops by itself for one reason alone: it could not be seen who else uses the disk. */
static bool stopped_itself(const struct svc_attempt *a)
{
	return a->row.outcome == OUTCOME_STOPPED && !a->row.left_working;
}

/* The wall clock may have been set back since: in doubt the attempt is resumed. */
bool attempt_may_continue(const struct service *s, const struct svc_attempt *a)
{
	return a->state == ATTEMPT_ENDED &&
	       (a->row.outcome == OUTCOME_REMOVED || stopped_itself(a)) &&
	       !attempt_is_cancelled(a) && now_us() < attempt_until(s, a);
}

bool attempt_found_since(const struct svc_attempt *a)
{
	return a->disk->found_at >= a->lost_at;
}

const char *attempt_withheld(const struct service *s, const struct svc_attempt *a)
{
	return a->job->row.uid == UINT32_MAX ? disk_withheld(s, a->disk) : NULL;
}

/* --- quarantine --------------------------------------------------------------- */

bool attempt_left(const struct svc_attempt *a)
{
	return attempt_over(a->state) && a->row.left_working &&
	       !attempt_is_cancelled(a) && a->disk->attempt == a;
}

bool disk_left(const struct svc_disk *d)
{
	return d->attempt && attempt_left(d->attempt);
}

bool job_left(const struct svc_job *job)
{
	for (size_t i = 0; i < job->n; i++)
		if (attempt_left(job->attempt[i]))
			return true;
	return false;
}

bool disks_left(const struct service *s)
{
	for (const struct svc_disk *d = s->disks; d; d = d->next)
		if (d->present && disk_left(d))
			return true;
	return false;
}

/*
 * Not every disk reports that it is at work: an ATA disk behind a translation looks idle. A disk
 * that was not seen at work since it was left is resumed once by itself, and after that only when
 * a user asks.
 */
static bool works_no_more(struct svc_disk *d)
{
	d->seen_working |= d->facts.info.operating;
	return !d->facts.info.operating && d->facts.verdict.refusal == DW_REFUSAL_NONE &&
	       (d->seen_working || !d->doubted);
}

/* --- resuming ------------------------------------------------------------------ */

int attempt_again(struct service *s, struct svc_attempt *a, const char *why)
{
	struct svc_disk *d = a->disk;
	struct svc_attempt *new;
	struct store_attempt row = { .disk = a->row.disk,
				     .identity = a->row.identity,
				     .expected = a->row.expected,
				     .left_working = a->row.left_working,
				     .start_erased = a->row.start_erased };
	int r;

	memcpy(row.job, a->row.job, sizeof(row.job));
	memcpy(row.bay, d->bay, sizeof(row.bay));
	memcpy(row.signatures, a->row.signatures, sizeof(row.signatures));
	memcpy(row.asset, a->row.asset, sizeof(row.asset));
	r = attempts_reserve(a->job, 1);
	if (!r)
		r = service_stored(s, store_again(s->store, &row, now_us()));
	if (r < 0)
		return r;
	d->doubted = true;
	d->seen_working = false;
	new = attempt_keep(a->job, d, &row);
	a->job->row.ended = 0;
	snprintf(new->message, sizeof(new->message), "%s", why);
	return 0;
}

bool jobs_continue(struct service *s, struct svc_disk *d)
{
	struct svc_attempt *a = d->attempt;
	bool left = disk_left(d), back = a && attempt_may_continue(s, a);

	if (!left && !back)
		return false;
	if (!attempt_found_since(a))
		return true;
	if (!back && (a->state != ATTEMPT_ENDED || !works_no_more(d)))
		return true;
	if (attempt_withheld(s, a) ||
	    (d->facts.verdict.refusal != DW_REFUSAL_NONE && !attempt_operates(s, a)) ||
	    disk_new_signature(d, &a->row))
		return left;
	if (attempt_again(s, a,
			  !back               ? "it works no more"
			  : stopped_itself(a) ? "it can be seen that nobody uses it"
					      : "it is there again") < 0)
		d->unsettled = true;
	return true;
}

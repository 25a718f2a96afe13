/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disks that are gone on with after their attempt has ended. One that was pulled at work goes on
 * when it is there again, and one that nobody stopped when it can be seen that nobody uses it.
 * One that was left at work by itself is in quarantine: its state is kept, nothing is erased on it
 * anew, and it goes on when it works no more, or when somebody asks. What became of it is proven
 * then, as ever, by the blocks that were read before.
 */
#include "service.h"

#include <stdio.h>
#include <string.h>

#define US_PER_S UINT64_C(1000000)

uint64_t attempt_until(const struct service *s, const struct svc_attempt *a)
{
	return a->row.ended + s->settings->return_seconds * US_PER_S;
}

/* Who else used it could not be seen at its end: the core stops for nothing else by itself. */
static bool stopped_itself(const struct svc_attempt *a)
{
	return a->row.outcome == OUTCOME_STOPPED && !a->row.left_working;
}

/* by the clock on the wall, which may have been set back since: in doubt it goes on */
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
 * Not all disks say that they work: an ATA disk behind a translation looks as ever. One that was
 * not seen at work since it was left is asked by its job once, and after that when somebody wants
 * it.
 */
static bool works_no_more(struct svc_disk *d)
{
	d->seen_working |= d->facts.info.operating;
	return !d->facts.info.operating && d->facts.verdict.refusal == DW_REFUSAL_NONE &&
	       (d->seen_working || !d->doubted);
}

/* --- going on ------------------------------------------------------------------- */

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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The health of a disk before its work and after it, for the result alone: neither an answer nor
 * its absence changes what is done. It is asked for while nobody waits for the disk, for a few
 * seconds at most: before the claim, which identifies the disk, and after the release.
 */

#include "base/util.h"
#include "device/health.h"
#include "engine/disk.h"
#include "engine/job.h"
#include "engine/own.h"
#include "engine/resume.h"
#include "own/claim.h"

#define ASK_NS (5 * DW_NS_PER_S)

/* Not all disks report that they are at work: a disk that a resumed job waits for may still
 * be. */
static bool may_work(const struct job_disk *d)
{
	const struct dw_state_entry *e =
		d->job->resuming ? job_resume_find(d->job, &d->device->info) : NULL;

	return d->device->sanitize.running || (e && e->operating);
}

void job_health_before(struct job_disk *d)
{
	if (!may_work(d) && !d->job->spec.verify_only)
		dw_device_health(d->device, DW_HEALTH_THOROUGH, ASK_NS,
				 &d->health_before);
}

bool job_health_due(const struct job_disk *d, const struct dw_disk_state *st,
		    enum dw_outcome outcome)
{
	return d->device && d->device->claim.held && !d->who.stranger &&
	       !job_works_on(d, st) && outcome != DW_OUTCOME_REMOVED;
}

void job_health_after(const struct job_disk *d, struct dw_health *ret)
{
	struct dw_health h;

	if (!dw_device_health(d->device, DW_HEALTH_THOROUGH, ASK_NS, &h) &&
	    !dw_device_names(d->device))
		*ret = h;
}

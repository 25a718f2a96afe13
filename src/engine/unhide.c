/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shows hidden blocks of a disk after consent and the proof of its paths, and before anything is
 * written. Then the disk is planned again, with its new size, which is also the size in a state
 * file.
 */
#include <string.h>

#include "engine/disk.h"
#include "engine/job.h"
#include "engine/paths.h"
#include "engine/own.h"
#include "judge/verdict.h"

/* The marks of a state are those of a disk of that size. */
static int check_state(const struct job_disk *d, struct dw_verdict *v)
{
	const struct dw_disk_info *i = &d->info;

	if (!d->earlier.resume ||
	    d->earlier.resume->disk.capacity_bytes == i->blocks * i->block_size)
		return 0;
	return dw_verdict_set(
		v, DW_REFUSAL_CHANGED,
		"the state file knows more blocks than it shows, and these could not be "
		"restored%s%s; begin a new job",
		d->unhidden.reason[0] ? ": " : "", d->unhidden.reason);
}

int job_disk_unhide(struct job_disk *d, struct dw_verdict *v)
{
	struct dw_device *path[DW_PATHS_MAX];
	int r;

	if (d->job->spec.hidden != DW_UNHIDE_RESTORE || !d->device ||
	    !d->device->claim.held || d->device->sanitize.running)
		return 0;
	r = dw_device_unhide(path, job_paths_devices(d, path), &d->unhidden, v);
	if (r)
		return r;
	job_paths_renew(d);
	r = check_state(d, v);
	return r ? r : job_disk_fit(d->job, d, v);
}

void job_unhide_result(const struct job_disk *d, struct dw_disk_result *r)
{
	r->info.blocks = d->info.blocks;
	r->info.hidden_blocks = d->info.hidden_blocks;
	r->info.hidden_by = d->info.hidden_by;
	memcpy(r->restored, d->unhidden.restored, sizeof(r->restored));
	r->n_restored = d->unhidden.n_restored;
	memcpy(r->hidden_reason, d->unhidden.reason, sizeof(r->hidden_reason));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the disks of a job that are copies of each other. A disk that is only named by a document
 * may have ended, or be left out: then its copy is verified alone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/start.h"
#include "engine/mirror.h"
#include "sched/copies.h"

static bool can_share(const struct dw_disk_plan *p)
{
	return p->pass[p->n_passes - 1].verify != DW_VERIFY_SAMPLE ||
	       dw_copies_share((p->blocks - 1) / p->data_max + 1, p->percent);
}

/* What one copy reads for the other is missing in what is proved of that. */
static int policy_for(struct dw_job *job, struct job_disk *const d[2], int *ret)
{
	*ret = dw_copies_policy_find(job->spec.verify_policy);
	if (*ret == DW_COPIES_BOTH || (can_share(&d[0]->plan) && can_share(&d[1]->plan)))
		return 0;
	*ret = DW_COPIES_BOTH;
	return job_notice(
		job, DW_EVENT_OF_JOB,
		"mirror: each copy reads its own sample, as half of it would prove too "
		"little; a common queue takes a larger sample");
}

static int join_copy(struct dw_job *job, const struct dw_disk_info *const *info,
		     char *text, struct dw_error *err)
{
	struct job_disk *d[2];
	const char *name[2];
	int disk[2], policy,
		r = job_mirror_pair(info, job->n_disks, text, name, disk, err);

	if (r < 0)
		return r;
	for (int i = 0; i < 2; i++) {
		if (disk[i] < 0)
			return job_notice(job, DW_EVENT_OF_JOB,
					  "mirror: %.120s is no disk of this job: its "
					  "copy is verified alone",
					  name[i]);
		d[i] = job->disk[disk[i]];
		if (dw_core_copies_state(job->engine->core, d[i]->place.number) ||
		    (i && d[0] == d[1]))
			return job_mirror_wrong(err, name[i], "is named twice");
	}
	if (d[0]->caps.block_size != d[1]->caps.block_size)
		return job_mirror_wrong(err, name[1], "has blocks of another size");
	r = policy_for(job, d, &policy);
	return r ? r
		 : dw_core_copies(job->engine->core, d[0]->place.number,
				  d[1]->place.number, policy);
}

int job_copies_start(struct dw_job *job, struct dw_error *err)
{
	char copy[DW_MIRROR_MAX], *save, *item;
	const struct dw_disk_info **info;
	int r;

	if (!job->spec.mirror[0])
		return 0;
	info = calloc(job->n_disks, sizeof(const struct dw_disk_info *));
	if (!info)
		return -ENOMEM;
	for (uint32_t i = 0; i < job->n_disks; i++)
		info[i] = &job->disk[i]->info;
	r = dw_mirror_names(job->spec.mirror, info, job->n_disks, err);
	memcpy(copy, job->spec.mirror, sizeof(copy));
	for (item = strtok_r(copy, ";", &save); item && !r;
	     item = strtok_r(NULL, ";", &save))
		r = join_copy(job, info, item, err);
	free(info);
	return r;
}

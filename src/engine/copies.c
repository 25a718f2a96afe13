/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which disks of a job are copies of each other, by the names they were given with. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "engine/internal.h"
#include "sched/copies.h"

static int wrong(char err[256], const char *name, const char *what)
{
	snprintf(err, 256, "--mirror: %.120s %s", name, what);
	return -EINVAL;
}

static struct job_disk *find(const struct dw_job *job, const char *name)
{
	for (uint32_t i = 0; i < job->n_disks; i++)
		if (!strcmp(job->disk[i]->info.sg, name) ||
		    !strcmp(job->disk[i]->info.block, name))
			return job->disk[i];
	return NULL;
}

static int join(struct dw_job *job, char *text, char err[256])
{
	char *comma = strchr(text, ',');
	struct job_disk *d[2];

	if (!comma || !comma[1] || comma == text || strchr(comma + 1, ','))
		return wrong(err, text, "is not DEV,DEV");
	*comma = '\0';
	d[0] = find(job, text);
	d[1] = find(job, comma + 1);
	for (int i = 0; i < 2; i++) {
		const char *name = i ? comma + 1 : text;

		if (!d[i])
			return wrong(err, name, "is no disk of this job");
		if (dw_core_copies_state(job->core, d[i]->id) || d[0] == d[1])
			return wrong(err, name, "is named twice");
	}
	if (d[0]->caps.block_size != d[1]->caps.block_size)
		return wrong(err, comma + 1, "has blocks of another size");
	return dw_core_copies(job->core, d[0]->id, d[1]->id,
			      dw_copies_policy_find(job->spec.verify_policy));
}

int job_copies_start(struct dw_job *job, char err[256])
{
	char copy[sizeof(job->spec.mirror)], *save, *item;
	int r = 0;

	memcpy(copy, job->spec.mirror, sizeof(copy));
	for (item = strtok_r(copy, ";", &save); item && !r;
	     item = strtok_r(NULL, ";", &save))
		r = join(job, item, err);
	return r;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Disks that no machine has: taken in by their description. */
#include "engine/virtual.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "engine/internal.h"

int dw_job_take_virtual(struct dw_job *job, const struct dw_virtual *v)
{
	struct dw_rng rng;

	if (job->n_disks || job->scsi)
		return -EBUSY;
	job->virtual = *v;
	job->scsi = v->transport;
	snprintf(job->result.simulation, sizeof(job->result.simulation), "%s", v->mode);
	if (!job->has_key)
		return 0;
	dw_rng_seed(&rng, job->spec.seed);
	for (size_t i = 0; i < sizeof(job->key.bytes); i++)
		job->key.bytes[i] = (uint8_t)dw_rng_next(&rng);
	dw_key_check(&job->key, job->result.key_check);
	return 0;
}

int dw_job_add_virtual(struct dw_job *job, const struct dw_disk_info *info,
		       const struct dw_caps *caps, uint32_t unit,
		       struct dw_verdict *ret_verdict)
{
	struct job_disk *d;

	*ret_verdict = (struct dw_verdict){ 0 };
	if (job->started || !job->virtual.transport)
		return -EBUSY;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->info = *info;
	d->caps = *caps;
	d->unit = (int)unit;
	return job_take_disk(job, d, ret_verdict);
}

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
	if (v->between && job->spec.background.kind != DW_BACKGROUND_OFF)
		return -EOPNOTSUPP;
	dw_loop_inline(job->loop);
	job->virtual = *v;
	job->scsi = v->transport;
	snprintf(job->result.simulation, sizeof(job->result.simulation), "%s", v->mode);
	if (!job->has_key)
		return 0;
	dw_rng_seed(&rng, job->spec.seed);
	for (size_t i = 0; i < sizeof(job->key->bytes); i++)
		job->key->bytes[i] = (uint8_t)dw_rng_next(&rng);
	dw_key_check(job->key, job->result.key_check);
	return 0;
}

int dw_job_add_virtual(struct dw_job *job, const struct dw_disk_info *info,
		       const struct dw_caps *caps, uint32_t unit, uint64_t pass_ns,
		       struct dw_verdict *ret_verdict)
{
	struct job_disk *d;

	*ret_verdict = (struct dw_verdict){ 0 };
	if (job->begun || !job->virtual.transport)
		return -EBUSY;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->info = *info;
	d->caps = *caps;
	d->unit = (int)unit;
	d->pass_ns = pass_ns;
	return job_take_disk(job, d, ret_verdict);
}

uint32_t dw_virtual_count(const struct dw_job *job)
{
	return job->n_disks;
}

uint64_t dw_virtual_changes(const struct dw_job *job)
{
	return dw_core_changes(job->core);
}

uint32_t dw_virtual_pace(const struct dw_job *job, uint32_t i, struct dw_core_pace *ret)
{
	dw_core_pace(job->core, job->disk[i]->id, ret);
	return (uint32_t)job->disk[i]->unit;
}

uint64_t dw_virtual_still(const struct dw_job *job)
{
	return dw_core_still(job->core);
}

uint64_t dw_virtual_leapt(struct dw_job *job, uint64_t ns, double rate)
{
	return dw_core_leapt(job->core, job->link, ns, rate);
}

void dw_virtual_leap(struct dw_job *job, uint32_t i, const struct dw_core_leap *leap)
{
	struct dw_transport *t = job->virtual.transport;
	uint64_t now = t->ops->now(t);
	struct dw_result result = { .class = DW_CLASS_OK,
				    .submit_ns = now - leap->ns,
				    .start_ns = now - leap->ns,
				    .end_ns = now };
	struct dw_op op;

	dw_core_leap(job->core, job->disk[i]->id, leap, now, &op);
	if (job->trace)
		dw_trace_line(job->trace, &op, &result);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The resume state: read before the first disk is added, matched by identity, written at
 * each flush and at the end. What it says about a disk was confirmed by asking the disk who
 * it is after that flush.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/internal.h"
#include "plan/order.h"

/*
 * A mark is a position of the sweep. In another order the blocks before it are others, and
 * some of them would be taken for erased.
 */
static bool same_order(const struct dw_job_spec *a, const struct dw_job_spec *b)
{
	struct dw_near x, y;

	if (strcmp(a->order, b->order) != 0)
		return false;
	if (!a->order[0])
		return true;
	return !dw_near_parse(a->near, &x) && !dw_near_parse(b->near, &y) &&
	       x.first == y.first && x.last == y.last;
}

int job_resume_load(struct dw_job *job, char err[256])
{
	struct dw_job_spec *spec = &job->spec, *old = &job->resume.spec;
	int r;

	if (!spec->resume_file[0])
		return 0;
	r = dw_state_read(spec->resume_file, &job->resume, err);
	if (r < 0)
		return r;
	job->resuming = true;
	/* the passes must be the same; how they are sent may differ */
	if (strcmp(old->method, spec->method) || strcmp(old->pattern, spec->pattern)) {
		snprintf(
			err, 256,
			"%.100s: belongs to a job with method %.80s; give the same method",
			spec->resume_file, old->pattern[0] ? old->pattern : old->method);
		return -EINVAL;
	}
	if (!same_order(old, spec)) {
		snprintf(err, 256,
			 "%.100s: belongs to a job with order %s%s%s; give the same",
			 spec->resume_file, old->order[0] ? old->order : "ascending",
			 old->order[0] ? " near " : "", old->order[0] ? old->near : "");
		return -EINVAL;
	}
	return 0;
}

const struct dw_state_entry *job_resume_find(const struct dw_job *job,
					     const struct dw_disk_info *info)
{
	for (size_t i = 0; i < job->resume.n; i++) {
		const struct dw_plan_entry *e = &job->resume.entry[i].disk;

		if (!strcmp(e->serial, info->serial) && !strcmp(e->wwn, info->wwn) &&
		    e->block_size == info->block_size &&
		    e->capacity_bytes == info->blocks * info->block_size)
			return &job->resume.entry[i];
	}
	return NULL;
}

static void describe(const struct dw_job *job, const struct job_disk *d,
		     struct dw_state_entry *ret)
{
	const struct dw_disk_info *info = &d->info;
	const struct dw_disk_state *st = dw_core_state(job->core, d->id);

	*ret = (struct dw_state_entry){
		.disk = { .capacity_bytes = info->blocks * info->block_size,
			  .block_size = info->block_size },
		.pass = st->pass,
		.lba = st->mark,
		.bytes_written =
			st->bytes_written + (d->resume ? d->resume->bytes_written : 0),
		.outcome = job->result.disk[d->id].outcome,
		.fault = st->fault, /* borrowed: the document is only written */
		.n_faults = st->n_faults,
	};
	snprintf(ret->disk.device, sizeof(ret->disk.device), "%s",
		 info->sg[0] ? info->sg : info->block);
	memcpy(ret->disk.vendor, info->vendor, sizeof(ret->disk.vendor));
	memcpy(ret->disk.model, info->model, sizeof(ret->disk.model));
	memcpy(ret->disk.serial, info->serial, sizeof(ret->disk.serial));
	memcpy(ret->disk.wwn, info->wwn, sizeof(ret->disk.wwn));
}

int job_state_store(struct dw_job *job)
{
	struct dw_state_doc doc = { .spec = job->spec, .n = job->n_disks };
	int r;

	if (!job->spec.state_file[0])
		return 0;
	doc.entry = calloc(job->n_disks, sizeof(*doc.entry));
	if (!doc.entry)
		return -ENOMEM;
	memcpy(doc.key_check, job->result.key_check, sizeof(doc.key_check));
	for (uint32_t i = 0; i < job->n_disks; i++)
		describe(job, job->disk[i], &doc.entry[i]);
	r = dw_state_write(job->spec.state_file, &doc);
	free(doc.entry);
	return r;
}

int job_state_keep(struct dw_job *job)
{
	const char *file = job->spec.state_file;
	int before = job->result.state_error, r = job_state_store(job);

	job->result.state_error = r;
	if (r == before)
		return 0;
	if (!r)
		return job_notice(job, DW_EVENT_OF_JOB, "%.180s: written again", file);
	return job_notice(job, DW_EVENT_OF_JOB,
			  "%.150s: the state cannot be written: %s; the job goes on",
			  file, strerror(-r));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The start of a job: devices, transports and files. Whatever fails here has lost no data, and
 * can be repeated: what was done stays, and is not done again.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "engine/internal.h"
#include "find/uevents.h"
#include "file/file.h"
#include "scsi/opcodes.h"
#include "own/claim.h"

static int listen_to_kernel(struct dw_job *job)
{
	int r = job->uevents ? 0 : job_events_open(job);

	if (r || !job->uevents)
		return r;
	return dw_loop_watch(job->loop, dw_uevents_fd(job->uevents));
}

static bool has_paths(const struct dw_job *job)
{
	for (uint32_t i = 0; i < job->n_disks; i++)
		if (job->disk[i]->paths)
			return true;
	return false;
}

static int new_paths(const struct dw_executor *executor, struct dw_transport **t)
{
	struct dw_sender sender;
	int r = dw_sgio_sender(&sender);

	if (r < 0)
		return r;
	r = dw_paths_new(&sender, executor, t);
	if (r < 0)
		sender.free(sender.ctx);
	return r;
}

static int new_transport(struct dw_job *job, bool scsi, struct dw_transport **t)
{
	struct dw_executor executor;
	int r = job->workers ? 0 : dw_workers_new(0, &job->workers);

	if (r < 0)
		return r;
	executor = dw_workers_executor(job->workers);
	if (!scsi)
		r = dw_blk_new(&executor, t, &job->block_name);
	else if (job->has_paths)
		r = new_paths(&executor, t);
	else
		r = dw_sgio_new(&executor, t);
	if (r < 0)
		return r;
	r = dw_loop_watch(job->loop, (*t)->ops->fd(*t));
	if (r < 0) {
		(*t)->ops->free(*t);
		*t = NULL;
	}
	return r;
}

static void virtual_target(const struct dw_job *job, const struct job_disk *d,
			   uint32_t max_bytes, struct dw_target *ret)
{
	*ret = (struct dw_target){
		.sg_fd = d->unit,
		.blk_fd = -1,
		.permits = DW_OPCLASS_READ,
		.block_size = d->caps.block_size,
		.blocks = d->caps.blocks,
		.depth = 1, /* the core says when it is to be more */
		.max_bytes = max_bytes,
	};
	if (!job->spec.verify_only)
		ret->permits |= DW_OPCLASS_CONTROL | DW_OPCLASS_WRITE;
}

int job_attach(struct dw_job *job, struct job_disk *d)
{
	struct dw_transport **t = d->caps.scsi ? &job->scsi : &job->block;
	uint32_t bytes = d->plan.const_max * d->plan.block_size;
	struct dw_target target;
	int r;

	if (d->out[0] || d->attached)
		return 0;
	r = *t ? 0 : new_transport(job, d->caps.scsi, t);
	if (r < 0)
		return r;
	d->transport = *t;
	if (d->device && d->device->claimed && d->caps.scsi)
		dw_device_raise_max_sectors(d->device, bytes);
	if (d->device)
		dw_device_target(d->device, 1, bytes,
				 &target); /* more as the core says */
	else
		virtual_target(job, d, bytes, &target);
	target.paths = job_paths_set(job, d);
	target.lease = job_lease(d);
	r = d->transport->ops->attach(d->transport, &target, &d->handle);
	d->attached = r == 0;
	return r;
}

static int fail(char err[256], const char *what, int r)
{
	if (r < 0)
		snprintf(err, 256, "%.200s: %s", what, strerror(-r));
	return r;
}

static int fail_file(char err[256], const char *path, int r)
{
	if (r < 0)
		snprintf(err, 256, "%.150s: %s", path, dw_file_error(r));
	return r;
}

/* only when its work really begins */
int job_prepare(struct dw_job *job, struct job_disk *d, char err[256])
{
	struct dw_verdict v;
	int r;

	if (d->out[0] || d->prepared)
		return 0;
	if (job->virtual.transport &&
	    dw_caps_switch_cache(&d->caps, job->spec.write_cache)) {
		d->write_cache_switched = true;
		d->caps.wce = DW_YES;
	}
	if (!d->device || !d->device->claimed)
		return 0;
	r = job->spec.reserve ? job_paths_reserve(d, &v) : 0;
	if (r > 0) {
		snprintf(err, 256,
			 "%s: %.120s; leave it out, or do without the reservation",
			 d->info.sg[0] ? d->info.sg : d->info.block, v.reason);
		return -EBUSY;
	}
	if (r < 0)
		return fail(err, "reservation", r);
	if (dw_caps_switch_cache(&d->caps, job->spec.write_cache)) {
		d->write_cache_switched = dw_device_set_wce(d->device, true) == 0;
		d->caps.wce = d->device->caps.wce;
	}
	d->prepared = true;
	return 0;
}

/**
 * job_time_of_day() - at @now_ns of the transport; a virtual job has its own, so that it is
 *  the same on every run. */
struct timespec job_time_of_day(const struct dw_job *job, uint64_t now_ns)
{
	struct timespec t = job->virtual.epoch;

	if (!job->virtual.transport) {
		clock_gettime(CLOCK_REALTIME, &t);
		return t;
	}
	now_ns += (uint64_t)t.tv_nsec;
	t.tv_sec += (time_t)(now_ns / DW_NS_PER_S);
	t.tv_nsec = (long)(now_ns % DW_NS_PER_S);
	return t;
}

static bool any_is_in(const struct dw_job *job)
{
	for (uint32_t i = 0; i < job->n_disks; i++)
		if (!job->disk[i]->out[0])
			return true;
	return false;
}

/* The core numbers disks by itself, so it gets those that are left when the job begins. */
int job_enter(struct dw_job *job, struct job_disk *d)
{
	if (!(d->expect > 0))
		d->expect = (double)job_plan_expected_ns(d) / 1e9;
	struct dw_core_disk disk = {
		.plan = &d->plan,
		.rules = { .fixed_for_ws = job->spec.fixed_blocks > 0,
			   .ahead = DW_AHEAD_MAX,
			   .flush_bytes = job->spec.flush_bytes,
			   .flush_ns = job->spec.flush_seconds * DW_NS_PER_S,
			   .stall_ns = job->spec.stall_seconds * DW_NS_PER_S,
			   .exception_limit = EXCEPTION_LIMIT },
		.expected_ns = (uint64_t)(d->expect * 1e9),
		.faults = d->resume ? d->resume->fault : NULL,
		.n_faults = d->resume ? d->resume->n_faults : 0,
	};
	int r = job_eta_begin(job, d);

	if (!r)
		r = dw_core_add(job->core, job->link, &disk, &d->id);

	if (!r && job->stopping)
		dw_core_stop(job->core, d->id, job->aborting);
	if (!r && d->begun_anew)
		r = job_notice(job, d->id,
			       "it does not hold what the state says was written to it: "
			       "begun anew");
	return r;
}

/* the core learns of the disks, and of what they are resumed from */
static int enter_all(struct dw_job *job, char err[256])
{
	int r = 0;

	for (uint32_t i = 0; i < job->n_disks && !r; i++) {
		r = fail(err, "resume", job_resume_check(job, job->disk[i]));
		if (!r)
			r = fail(err, "core", job_enter(job, job->disk[i]));
	}
	return r;
}

static int keep_key(struct dw_job *job, char err[256])
{
	int r;

	if (!job->has_key || !job->spec.key_file[0] || job->spec.verify_only ||
	    job->resuming || job->key_kept)
		return 0;
	r = fail_file(err, job->spec.key_file,
		      dw_key_store(job->spec.key_file, job->key));
	job->key_kept = r == 0;
	return r;
}

/* devices, transports and what is heard of them; what was done by a start that failed stays */
static int connect_all(struct dw_job *job, char err[256])
{
	int r = 0;

	if (!job->virtual.transport)
		r = fail(err, "events", listen_to_kernel(job));
	for (uint32_t i = 0; i < job->n_disks && !r; i++)
		r = job_prepare(job, job->disk[i], err);
	for (uint32_t i = 0; i < job->n_disks && !r; i++)
		r = fail(err, "transport", job_attach(job, job->disk[i]));
	for (uint32_t i = 0; i < job->n_disks && !r; i++)
		if (!job->disk[i]->settle)
			r = fail(err, "settle", job_settle_begin(job, job->disk[i]));
	return r;
}

/* the clock runs: what depends on it, and the files of the job */
static int open_files(struct dw_job *job, char err[256])
{
	int r;

	job->start_ns = job_clock(job);
	job->result.started = job_time_of_day(job, job->start_ns);
	r = fail(err, "random numbers", job_origin(job));
	if (!r)
		r = job_copies_start(job, err);
	if (!r)
		r = job_background_start(job, job->start_ns, err);
	if (!r)
		r = fail_file(err, job->spec.trace_file, job_trace_open(job));
	if (!r)
		r = fail_file(err, job->spec.state_file, job_state_store(job));
	if (r < 0) {
		dw_trace_close(job->trace);
		job->trace = NULL;
	}
	return r;
}

static int begin(struct dw_job *job, char err[256])
{
	int r = job->begun ? fail(err, "core", job_core_renew(job)) : 0;

	job->begun = true;
	if (!r)
		r = enter_all(job, err);
	job->has_paths = has_paths(job) || job->held;
	job->paths_dynamic = job->spec.paths == DW_PATHS_DYNAMIC ||
			     (job->spec.paths == DW_PATHS_AUTO &&
			      (!job->result.paths.why[0] || job->result.paths.dynamic));
	if (!r)
		r = keep_key(job, err);
	if (!r)
		r = connect_all(job, err);
	if (!r)
		r = open_files(job, err);
	for (uint32_t i = 0; i < job->n_disks && !r; i++)
		if (job->disk[i]->out[0])
			dw_core_refuse(job->core, job->disk[i]->id, job->disk[i]->out,
				       job->start_ns);
	job->started = r == 0;
	if (job->started)
		atomic_store(&job->stage, JOB_OPEN);
	dw_loop_wake(job->loop); /* there is something to do */
	return r;
}

int dw_job_start(struct dw_job *job, char err[256])
{
	int r;

	err[0] = 0;
	if (job->started)
		return fail(err, "the job has started", -EALREADY);
	if (!job->n_disks)
		return fail(err, "no disk", -EINVAL);
	r = dw_job_prove(job);
	if (r < 0)
		return fail(err, "proof of paths", r);
	if (!any_is_in(job)) {
		snprintf(err, 256, "no disk is left");
		return -EBUSY;
	}
	return begin(job, err);
}

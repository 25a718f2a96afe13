/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The start of a job: devices, transports and files. A failure here has lost no data, and the
 * start can be repeated: what was done is kept, and not done again.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/links.h"
#include "engine/plan.h"
#include "engine/settle.h"
#include "engine/start.h"
#include "engine/own.h"
#include "engine/resume.h"
#include "file/file.h"

/*
 * Names the run and its machine, which a certificate has to state. A simulation has no machine,
 * and the same name in every run.
 */

/* RFC 9562, version 4 */
static void write_uuid(const uint64_t bits[2], char ret[37])
{
	uint64_t high = (bits[0] & ~UINT64_C(0xf000)) | 0x4000;
	uint64_t low = bits[1] >> 2 | UINT64_C(1) << 63;

	snprintf(ret, 37,
		 "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64,
		 high >> 32, high >> 16 & 0xffff, high & 0xffff, low >> 48,
		 low & UINT64_C(0xffffffffffff));
}

static int job_origin(struct dw_job *job)
{
	struct dw_world *w = job->engine->world;
	uint64_t bits[2];
	int r = w->ops->origin(w, job, bits);

	if (!r)
		write_uuid(bits, job->result.id);
	return r;
}

int job_attach(struct job_disk *d)
{
	struct dw_world *w = d->job->engine->world;
	int r = d->out[0] || d->place.attached ? 0 : w->ops->attach(w, d);

	d->place.attached = r == 0 && !d->out[0];
	return r;
}

static int fail_file(struct dw_error *err, const char *path, int r)
{
	return r < 0 ? dw_error_file(err, r, path, dw_file_error(r)) : r;
}

/* only when its work really begins */
int job_prepare(struct job_disk *d, struct dw_error *err)
{
	struct dw_world *w = d->job->engine->world;
	int r = d->out[0] || d->step.prepared ? 0 : w->ops->prepare(w, d, err);

	d->step.prepared = r == 0;
	return r;
}

static bool any_is_in(const struct dw_job *job)
{
	for (uint32_t i = 0; i < job->n_disks; i++)
		if (!job->disk[i]->out[0])
			return true;
	return false;
}

const struct dw_disk_state *job_disk_state(const struct job_disk *d)
{
	return dw_core_state(d->job->engine->core, d->place.number);
}

const struct dw_disk_plan *job_disk_plan(const struct job_disk *d)
{
	return dw_core_plan(d->job->engine->core, d->place.number);
}

static int add_to_core(struct job_disk *d)
{
	const struct dw_world_ops *w = d->job->engine->world->ops;
	const struct dw_job_spec *spec = &d->job->spec;
	struct dw_core_disk disk = {
		.plan = &d->plan,
		.rules = { .fixed_for_ws = spec->fixed_blocks > 0,
			   .flush_bytes = spec->flush_bytes,
			   .flush_ns = spec->flush_seconds * DW_NS_PER_S,
			   .longest = d->earlier.resume ? d->earlier.resume->longest : 0,
			   .stall_ns = spec->stall_seconds * DW_NS_PER_S,
			   .exception_limit = EXCEPTION_LIMIT },
		.rotates = d->caps.rotation != 1,
		.expected_ns = (uint64_t)(d->choice.expect * 1e9),
		.owner = d->job->owner,
		.faults = d->earlier.resume ? d->earlier.resume->fault : NULL,
		.n_faults = d->earlier.resume ? d->earlier.resume->n_faults : 0,
	};

	w->ahead(d, &disk.rules);
	return dw_core_add(d->job->engine->core, d->place.link, &disk, &d->place.number);
}

/* its place among those of the engine */
static int take_place(struct dw_engine *e, struct job_disk *d)
{
	uint32_t cap =
		(uint32_t)dw_max_u64(UINT64_C(2) * e->cap_disks, d->place.number + 1);

	if (d->place.number >= e->cap_disks) {
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
		if (dw_grow(&e->disk, e->cap_disks, cap, sizeof(struct job_disk *)) < 0)
			return -ENOMEM;
		e->cap_disks = cap;
	}
	e->disk[d->place.number] = d;
	return 0;
}

int job_enter(struct job_disk *d)
{
	struct dw_engine *e = d->job->engine;
	int r;

	if (!(d->choice.expect > 0))
		d->choice.expect = (double)job_plan_expected_ns(d) / 1e9;
	r = job_eta_begin(d->job, d);
	if (!r)
		r = job_witness_restore(d);
	if (!r)
		r = job_link_take(d);
	if (r < 0)
		return r;
	r = add_to_core(d);
	if (!r) {
		r = take_place(e, d);
		if (r < 0)
			dw_core_remove(e->core, d->place.number);
	}
	if (r < 0) {
		job_link_leave(d);
		return r;
	}
	d->place.entered = true;
	d->job->left++;
	if (d->plan.order.turn && !d->plan.operation)
		r = job_notice(d->job, d->id,
			       "its %u actuators work at once: their ranges take turns",
			       d->plan.order.n);
	if (!d->earlier.from_the_start || r < 0)
		return r;
	return job_notice(d->job, d->id,
			  "restarted: the contents do not match the state file");
}

void job_leave(struct job_disk *d)
{
	struct dw_engine *e = d->job->engine;

	if (!d->place.entered || dw_core_remove(e->core, d->place.number) < 0)
		return;
	e->disk[d->place.number] = NULL;
	job_link_leave(d);
	d->place.entered = false;
}

/* adds the disks to the core, with what they are resumed from */
static int enter_all(struct dw_job *job, struct dw_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < job->n_disks && !r; i++) {
		r = dw_error_system(err, job_resume_check(job, job->disk[i]), "resume");
		if (!r)
			r = dw_error_system(err, job_enter(job->disk[i]), "core");
	}
	return r;
}

int job_keep_key(struct dw_job *job, struct dw_error *err)
{
	int r = 0;

	if (!job->key.set || !job->spec.key_file[0] || job->spec.verify_only ||
	    job->resuming)
		return 0;
	pthread_mutex_lock(&job->key.lock);
	if (!job->key.kept)
		r = fail_file(err, job->spec.key_file,
			      dw_key_store(job->spec.key_file, job->key.secret));
	job->key.kept = r == 0;
	pthread_mutex_unlock(&job->key.lock);
	return r;
}

/* its files are written when the first disk comes, so that other jobs do not wait for them */
static bool begins_empty(const struct dw_job *job)
{
	return !job->n_disks && job->held;
}

/* devices, transports and kernel events; what a failed start has done is kept */
static int connect_all(struct dw_job *job, struct dw_error *err)
{
	struct dw_world *w = job->engine->world;
	int r = w->ops->listen ? dw_error_system(err, w->ops->listen(w, job), "events")
			       : 0;

	for (uint32_t i = 0; i < job->n_disks && !r; i++)
		r = job_prepare(job->disk[i], err);
	for (uint32_t i = 0; i < job->n_disks && !r; i++)
		r = dw_error_system(err, job_attach(job->disk[i]), "transport");
	for (uint32_t i = 0; i < job->n_disks && !r; i++)
		if (!job->disk[i]->settle)
			r = dw_error_system(err, job_settle_begin(job, job->disk[i]),
					    "settle");
	return r;
}

/* from now on the clock runs: what depends on it, and the files of the job */
static int open_files(struct dw_job *job, struct dw_error *err)
{
	struct dw_world *w = job->engine->world;
	int r;

	job->start_ns = w->ops->now(w);
	job->result.started = w->ops->time_of_day(w, job->start_ns);
	r = dw_error_system(err, job_origin(job), "random numbers");
	if (!r)
		r = job_copies_start(job, err);
	if (!r)
		r = job_background_start(job, job->start_ns, err);
	if (!r)
		r = fail_file(err, job->spec.trace_file, job_trace_open(job));
	if (!r && !begins_empty(job))
		r = fail_file(err, job->spec.state_file, job_state_store(job));
	if (r < 0) {
		dw_trace_close(job->trace.file);
		job->trace.file = NULL;
	}
	return r;
}

/* from here on nothing can fail */
static void let_go(struct dw_job *job)
{
	struct dw_core *core = job->engine->core;

	if (job->spec.print_schedule) {
		dw_core_record(core, true);
		dw_core_history(core, &job->history_from);
		job->recorded = true;
	}
	atomic_store(&job->stage, JOB_STARTED);
	for (uint32_t i = 0; i < job->n_disks; i++) {
		const struct job_disk *d = job->disk[i];

		if (d->out[0])
			dw_core_refuse(core, d->place.number, d->out, job->start_ns);
		else if (job->stop)
			dw_core_stop(core, d->place.number, job->stop == JOB_ABORTED);
	}
	engine_begin_job(job);
}

static int begin_disks(struct dw_job *job, struct dw_error *err)
{
	int r;

	job_choose_verify(job, job->spec.verify_chosen == DW_VERIFY_DEVICE
				       ? DW_VERIFY_DEVICE
				       : DW_VERIFY_FULL); /* who resumes keeps to it */
	atomic_store(&job->stage, JOB_BEGUN);
	r = enter_all(job, err);
	job->paths_dynamic = job->spec.paths == DW_PATHS_DYNAMIC ||
			     (job->spec.paths == DW_PATHS_AUTO &&
			      (!job->result.paths.why[0] || job->result.paths.dynamic));
	if (!r && !begins_empty(job))
		r = job_keep_key(job, err);
	if (!r)
		r = connect_all(job, err);
	if (!r)
		r = open_files(job, err);
	if (!r)
		let_go(job);
	for (uint32_t i = 0; i < job->n_disks && r < 0; i++)
		job_leave(job->disk[i]);
	if (r < 0)
		job->left = 0;
	return r;
}

int dw_job_start(struct dw_job *job, struct dw_error *err)
{
	int r;

	dw_error_clear(err);
	if (job_reached(job, JOB_STARTED))
		return dw_error_set(err, -EALREADY, DW_ERROR_STATE, NULL,
				    "the job has started already");
	if (!job->n_disks && !job->held)
		return dw_error_set(err, -EINVAL, DW_ERROR_STATE, NULL,
				    "the job has no disk");
	r = dw_job_prove(job);
	if (r < 0)
		return dw_error_system(err, r, "proof of paths");
	if (job->n_disks && !any_is_in(job))
		return dw_error_set(err, -EBUSY, DW_ERROR_STATE, NULL,
				    "no disk of the job can be erased");
	return dw_error_system(err, begin_disks(job, err), NULL);
}

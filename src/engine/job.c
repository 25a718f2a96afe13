/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The public functions of a job: check the spec, add disks. All refusals are made here, before
 * the first write.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/error.h"
#include "base/util.h"
#include "core/spec.h"
#include "data/secret.h"
#include "judge/verdict.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/outcome.h"
#include "engine/paths.h"
#include "engine/plan.h"
#include "engine/start.h"
#include "engine/own.h"
#include "engine/resume.h"
#include "engine/stamps.h"
#include "engine/units.h"
#include "device/abreast.h"
#include "file/file.h"
#include "sched/controller.h"
#include "sched/strategy.h"
#include "own/claim.h"

static bool needs_key(const struct dw_job *job)
{
	uint32_t from = job->spec.verify_only ? job->method.n_passes - 1u : 0;

	for (uint32_t i = from; i < job->method.n_passes; i++)
		if (!dw_pattern_is_const(&job->method.pass[i]) &&
		    job->method.pass[i].kind != DW_PATTERN_COMPLEMENT)
			return true;
	return false;
}

static int explain_key(const char *file, int r, struct dw_error *err)
{
	char fix[128] = "", reason[sizeof(fix) + 48];

	if (r == -EPERM)
		dw_shell_command("chmod 600", file, fix, sizeof(fix));
	else if (r == -EKEYREJECTED)
		dw_shell_command(geteuid() ? "sudo chown $USER" : "chown root", file, fix,
				 sizeof(fix));
	if (!file)
		return dw_error_system(err, r, "no key could be made");
	snprintf(reason, sizeof(reason), "%s%s",
		 r == -EPERM          ? "readable by others; to fix it: "
		 : r == -EKEYREJECTED ? "owned by another user; to fix it: "
		 : r == -EINVAL       ? "not a key file"
				      : dw_file_error(r),
		 fix);
	return dw_error_file(err, -EINVAL, file, reason);
}

/* the key of the job: read for a verification or a resumed job, else made */
static int get_key(struct dw_job *job, struct dw_error *err)
{
	const char *file = job->spec.key_file;
	bool old = job->spec.verify_only || job->resuming;
	int r;

	if (!needs_key(job))
		return 0;
	if (!file[0] && job->spec.state_file[0])
		return dw_error_member(
			err, "key_file",
			"missing; a job with random passes can be resumed only with its "
			"key, so that is to be kept beside the state");
	if (old && !file[0])
		return dw_error_member(err, "key_file",
				       "missing; the random passes can only be made "
				       "again with the job's key");
	r = old ? dw_key_load(file, job->key.secret) : dw_key_new(job->key.secret);
	if (r < 0)
		return explain_key(old ? file : NULL, r, err);
	job->key.set = true;
	dw_key_check(job->key.secret, job->result.key_check);
	if (job->resuming && strcmp(job->resume.key_check, job->result.key_check))
		return dw_error_file(err, -EINVAL, file,
				     "not the key of the job that is resumed");
	return 0;
}

/* the engine has it from now on */
static int join_engine(struct dw_job *job, struct dw_engine *engine)
{
	int r = 0;

	job->engine = engine;
	job->own = !engine;
	if (!engine)
		r = dw_engine_new(&job->engine);
	if (r < 0)
		return r;
	engine_take_job(job->engine, job);
	return 0;
}

int dw_job_new(struct dw_engine *engine, const struct dw_job_spec *spec,
	       struct dw_job **ret, struct dw_error *err)
{
	struct dw_job *job = calloc(1, sizeof(*job));
	int r = job ? 0 : -ENOMEM;

	dw_error_clear(err);
	if (r < 0)
		return dw_error_system(err, r, NULL);
	job->key.secret = dw_secret_new(sizeof(*job->key.secret));
	if (!job->key.secret) {
		free(job);
		return dw_error_system(err, -ENOMEM, NULL);
	}
	pthread_mutex_init(&job->key.lock, NULL);
	job->spec = *spec;
	job->paths_ns = job->cycle_ns = UINT64_MAX;
	if (!job->spec.seed && getrandom(&job->spec.seed, sizeof(job->spec.seed), 0) < 0)
		job->spec.seed = 1;
	r = dw_spec_check(&job->spec, err);
	if (!r)
		r = dw_spec_method(&job->spec, &job->method, err);
	if (!r)
		r = job_resume_load(job, engine && engine->world->ops->simulated, err);
	if (!r)
		r = get_key(job, err);
	if (!r)
		r = join_engine(job, engine);
	job->result.spec = job->spec;
	if (r < 0) {
		job_free(job);
		return dw_error_system(err, r, NULL);
	}
	*ret = job;
	return 0;
}

void job_free(struct dw_job *job)
{
	for (uint32_t i = 0; i < job->n_disks; i++)
		job_disk_free(job->disk[i]);
	free(job->disk);
	job_units_free(job);
	job_news_free(&job->news);
	dw_state_deinit(&job->state.doc);
	dw_neighbours_free(job->background.neighbours);
	dw_trace_close(job->trace.file);
	dw_state_deinit(&job->resume);
	job_result_deinit(&job->result);
	dw_secret_free(job->key.secret, sizeof(*job->key.secret));
	pthread_mutex_destroy(&job->key.lock);
	free(job);
}

/* Nothing of it is in flight: transport and core remove its disks. */
static void leave_engine(struct dw_job *job)
{
	for (uint32_t i = 0; i < job->n_disks; i++) {
		struct job_disk *d = job->disk[i];

		if (d->place.attached && d->place.transport)
			d->place.transport->ops->detach(d->place.transport,
							d->place.handle);
		job_leave(d);
	}
	if (job->recorded)
		dw_core_record(job->engine->core, false);
}

void dw_job_free(struct dw_job *job)
{
	struct dw_engine *own;

	if (!job)
		return;
	own = job->own ? job->engine : NULL;
	if (engine_forget_job(job)) {
		leave_engine(job);
		job_free(job);
	}
	dw_engine_free(own);
}

void job_result_nodes(const struct job_disk *d, struct dw_disk_result *r)
{
	const struct dw_disk_info *info = &d->info;

	r->n_paths = 0;
	if (info->sg[0])
		snprintf(r->paths[r->n_paths++], sizeof(r->paths[0]), "%s", info->sg);
	if (info->block[0])
		snprintf(r->paths[r->n_paths++], sizeof(r->paths[0]), "%s", info->block);
	job_paths_nodes(d, r);
}

static int add_result(struct dw_job *job, const struct job_disk *d)
{
	struct dw_disk_result *r,
		*v = realloc(job->result.disk,
			     (job->n_disks + 1 + job->resume.n) * sizeof(*v));

	if (!v)
		return -ENOMEM;
	job->result.disk = v;
	r = &v[job->n_disks];
	*r = (struct dw_disk_result){ .info = d->info,
				      .verify_only = job->spec.verify_only,
				      .health_before = d->health_before };
	if (d->device)
		snprintf(r->signatures, sizeof(r->signatures), "%s",
			 d->device->claim.signatures);
	r->pass = calloc(d->plan.n_passes + 1u, sizeof(*r->pass)); /* one may be added */
	if (!r->pass)
		return -ENOMEM;
	snprintf(r->method, sizeof(r->method), "%s", d->choice.method->name);
	job_unhide_result(d, r);
	memcpy(r->level_reason, d->choice.reason, sizeof(r->level_reason));
	job_result_nodes(d, r);
	job->result.n_disks = job->n_disks + 1;
	return 0;
}

int job_disk_keep(struct dw_job *job, struct job_disk *d)
{
	struct job_disk **v =
		realloc(job->disk, (job->n_disks + 1) * sizeof(struct job_disk *));
	int r;

	if (!v)
		return -ENOMEM;
	job->disk = v;
	r = add_result(job, d);
	if (r < 0)
		return r;
	d->id = job->n_disks;
	job->disk[job->n_disks++] = d;
	return 0;
}

/* The disk stays in the job, so that the result and the exit status include it; its nodes are
 * released. */
static void take_out(struct job_disk *d, const struct dw_verdict *v)
{
	snprintf(d->out, sizeof(d->out), "%s", v->reason);
	job_paths_free(d);
	dw_device_close(d->device);
	d->device = NULL;
}

/* No command flushes the disk's cache: it is off from here on. */
static int switch_cache_off(struct job_disk *d, struct dw_verdict *v)
{
	if (!d->cache.off || !d->device)
		return 0;
	d->cache.switched = dw_device_set_wce(d->device, false) == 0;
	d->caps.cache.wce = d->device->caps.cache.wce;
	if (d->cache.switched)
		return 0;
	return dw_verdict_set(
		v, DW_REFUSAL_ERROR,
		"it does not do SYNCHRONIZE CACHE, and did not switch its write cache "
		"off; connect it another way");
}

/* Blocks that are written before and after the passes use the same way. */
static void write_through(struct job_disk *d)
{
	struct dw_device *path[DW_PATHS_MAX];
	size_t n = d->caps.cache.write_through ? job_paths_devices(d, path) : 0;

	for (size_t i = 0; i < n; i++)
		path[i]->caps.cache.write_through = true;
}

int job_disk_prove(struct job_disk *d, struct dw_verdict *v)
{
	int r = d->step.proven ? 0 : job_paths_prove(d, v);

	if (!r && !d->step.proven)
		r = job_disk_unhide(d, v);
	if (!r && !d->step.proven)
		r = switch_cache_off(d, v);
	if (!r && !d->step.proven)
		write_through(d);
	if (!r && !d->step.proven)
		r = job_stamps_before(d, v);
	d->step.proven |= r >= 0;
	return r;
}

/** struct proving - of a disk beside others; @error: as of job_disk_prove() */
struct proving {
	struct job_disk *disk;
	struct dw_verdict verdict;
	int error;
};

static void prove_in_worker(void *ctx, size_t i)
{
	struct proving *p = (struct proving *)ctx + i;

	p->error = job_disk_prove(p->disk, &p->verdict);
}

/* 1 it is taken out */
static int take_proof(struct dw_job *job, struct proving *p)
{
	int r = p->error;

	if (r > 0)
		r = job_paths_refuse(job, p->disk, &p->verdict) ?: 1;
	if (r < 0)
		return r;
	job_unhide_result(p->disk, &job->result.disk[p->disk->id]);
	if (r)
		take_out(p->disk, &p->verdict);
	return r;
}

int dw_job_prove(struct dw_job *job)
{
	struct proving *p;
	size_t n = 0;
	int out = 0, r = 0;

	if (job_reached(job, JOB_STARTED))
		return -EBUSY;
	p = calloc(job->n_disks + 1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	for (uint32_t i = 0; i < job->n_disks; i++)
		if (!job->disk[i]->step.proven)
			p[n++].disk = job->disk[i];
	dw_abreast(prove_in_worker, p, n);
	for (size_t i = 0; i < n && r >= 0; i++) {
		r = take_proof(job, &p[i]);
		out += r > 0;
	}
	free(p);
	return r < 0 ? r : out;
}

static int refuse_unknown(struct dw_verdict *v)
{
	return dw_verdict_set(v, DW_REFUSAL_CHANGED,
			      "the state file does not know this disk");
}

int job_disk_fit(struct dw_job *job, struct job_disk *d, struct dw_verdict *v)
{
	int r;

	if (job->resuming) {
		d->earlier.entry = d->earlier.resume = job_resume_find(job, &d->info);
		if (!d->earlier.resume)
			return refuse_unknown(v);
	}
	snprintf(d->who.name, sizeof(d->who.name), "%s/%s", d->info.wwn, d->info.serial);
	r = job_plan_disk(job, d, v);
	return r ? r : job_plan_sources(job, d);
}

int job_take_disk(struct dw_job *job, struct job_disk *d, struct dw_verdict *ret_verdict)
{
	int r = job_disk_fit(job, d, ret_verdict);

	if (!r)
		r = job_disk_keep(job, d);
	if (r)
		job_disk_free(d);
	return r;
}

int job_disk_open(struct dw_job *job, const struct dw_disk *want, struct job_disk **ret,
		  struct dw_verdict *v)
{
	struct job_disk *d = *ret = job_disk_new(job);
	struct dw_world *w = job->engine->world;

	*v = (struct dw_verdict){ 0 };
	if (!d)
		return -ENOMEM;
	d->who.watch.wce = DW_UNKNOWN;
	if (job->resuming && !job_resume_find(job, &want->info))
		return refuse_unknown(v);
	return w->ops->open(w, d, want, v);
}

int dw_job_add(struct dw_job *job, const struct dw_disk *want,
	       struct dw_verdict *ret_verdict)
{
	struct job_disk *d;
	int r;

	*ret_verdict = (struct dw_verdict){ 0 };
	if (job_reached(job, JOB_BEGUN) ||
	    !job->engine->world->ops->open) /* none in a simulation */
		return -EBUSY;
	r = job_disk_open(job, want, &d, ret_verdict);
	if (r) {
		job_disk_free(d);
		return r;
	}
	return job_take_disk(job, d, ret_verdict);
}

/** struct joining - a disk that is claimed beside others; @error: as of job_disk_open(), then of
 *  what fits it into the job; @before: enum dw_refusal of its verdict when it was open */
struct joining {
	struct dw_job *job;
	const struct dw_disk *want;
	struct dw_verdict *verdict;
	struct job_disk *disk;
	int error;
	uint8_t before;
};

static void join_in_worker(void *ctx, size_t i)
{
	struct joining *j = (struct joining *)ctx + i;

	j->error = job_disk_open(j->job, j->want, &j->disk, j->verdict);
}

static void explain_error(struct joining *j, int r)
{
	if (r >= 0)
		return;
	*j->verdict = (struct dw_verdict){ .refusal = DW_REFUSAL_ERROR };
	snprintf(j->verdict->reason, sizeof(j->verdict->reason), "cannot be claimed: %s",
		 strerror(-r));
}

static void fit(struct joining *j)
{
	j->error = job_disk_fit(j->job, j->disk, j->verdict);
	explain_error(j, j->error);
}

/* Disks that are erased as a whole are added as a whole. A disk that is in use is planned all the
 * same, with a verdict that says so: it is refused for that, and not for its plan. */
static int fit_devices(struct dw_job *job, struct joining *j, size_t n)
{
	dw_autofree struct job_disk **d = calloc(n + 1, sizeof(struct job_disk *));
	dw_autofree uint32_t *group = calloc(n + 1, sizeof(*group));
	int r = d && group ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !r; i++) {
		explain_error(&j[i], j[i].error);
		d[i] = j[i].error ? NULL : j[i].disk;
		j[i].before = j[i].verdict->refusal;
	}
	if (!r)
		r = job_units_check(job, d, j->want, n, j->verdict, group);
	if (!r)
		r = job_units_join(job, d, n, j->verdict, group);
	for (size_t i = 0; i < n && !r; i++)
		if (d[i] && j[i].verdict->refusal == j[i].before)
			fit(&j[i]);
		else if (d[i])
			j[i].error = 1;
	if (!r)
		job_units_spread(d, n, j->verdict);
	for (size_t i = 0; i < n && !r; i++)
		if (d[i] && d[i]->units && j[i].verdict->refusal != DW_REFUSAL_NONE)
			j[i].error = 1;
	return r;
}

/* @r: of the whole; the disk is the job's, or freed */
static void take_in(struct joining *j, int r)
{
	if (!r && !j->error) {
		r = job_disk_keep(j->job, j->disk);
		if (!r)
			return;
	}
	explain_error(j, r);
	if (j->disk)
		job_units_leave(j->disk);
	job_disk_free(j->disk);
}

int dw_job_add_units(struct dw_job *job, const struct dw_disk *want, size_t n,
		     struct dw_verdict *ret_verdict)
{
	struct joining *j;
	int r;

	memset(ret_verdict, 0, n * sizeof(*ret_verdict));
	if (job_reached(job, JOB_BEGUN) || !job->engine->world->ops->open)
		return -EBUSY;
	j = calloc(n + 1, sizeof(*j));
	if (!j)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		j[i] = (struct joining){ .job = job,
					 .want = &want[i],
					 .verdict = &ret_verdict[i] };
	dw_abreast(join_in_worker, j, n);
	r = fit_devices(job, j, n);
	for (size_t i = 0; i < n; i++) /* in their order, which gives their numbers */
		take_in(&j[i], r);
	free(j);
	return 0;
}

int dw_job_refuse(struct dw_job *job, const struct dw_refused *refused)
{
	struct dw_job_result *r = &job->result;
	struct dw_refused *list = realloc(r->refused, (r->n_refused + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	r->refused = list;
	list[r->n_refused++] = *refused;
	return 0;
}

int job_refuse(struct dw_job *job, const struct dw_disk_info *who,
	       const struct dw_verdict *v)
{
	struct dw_refused refused = { .verdict = *v };

	snprintf(refused.device, sizeof(refused.device), "%s",
		 who->sg[0] ? who->sg : who->block);
	memcpy(refused.serial, who->serial, sizeof(refused.serial));
	memcpy(refused.wwn, who->wwn, sizeof(refused.wwn));
	return dw_job_refuse(job, &refused);
}

const struct dw_job_result *dw_job_result(struct dw_job *job)
{
	return &job->result;
}

const char *const *dw_strategy_names(void)
{
	return dw_strategy_list();
}

const char *const *dw_controller_names(void)
{
	return dw_controller_list();
}

bool dw_method_info_get(size_t i, struct dw_method_info *ret)
{
	const struct dw_method *m = dw_method_next(NULL);
	size_t used = 0;

	while (m && i--)
		m = dw_method_next(m);
	if (!m)
		return false;
	*ret = (struct dw_method_info){
		.name = m->name,
		.title = m->title,
		.worth = m->worth,
		.n_passes = m->n_passes,
		.verify = m->operation || m->chosen     ? DW_VERIFY_DEFAULT
			  : m->verify == DW_VERIFY_FULL ? DW_VERIFY_FULL
							: DW_VERIFY_SAMPLE,
		.verify_percent = m->verify_percent,
	};
	for (uint8_t p = 0; p < m->n_passes && used < sizeof(ret->passes); p++) {
		char name[16];

		dw_pattern_name(&m->pass[p], name, sizeof(name));
		used += (size_t)snprintf(ret->passes + used, sizeof(ret->passes) - used,
					 "%s%s", p ? " " : "", name);
	}
	return true;
}

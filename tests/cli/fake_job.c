/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job on the machine made of words: each disk ends as its line says, after its seconds or
 * when a file is there. What is checked is what the program makes of it.
 *
 * While a job runs, the monotonic clock is its own: a step goes to the next end of a disk, or
 * to where the program wants to be called again, and takes no time. Only for a file is waited.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <diskwipe/planfile.h>
#include <diskwipe/predict.h>

#include "core/spec.h"
#include "fake.h"

#define MAX_JOB    256
#define MAX_EVENTS 1024
#define NS_PER_S   INT64_C(1000000000)
#define LOOK_NS    INT64_C(10000000) /* for the file of a disk */

struct dw_job {
	struct dw_job_result result;
	struct fake_disk *disk[MAX_JOB];
	uint32_t others[MAX_JOB];
	bool over[MAX_JOB];
	bool out[MAX_JOB];
	int64_t passed_ns;
	int wake[2];
	bool stop;
	struct dw_event event[MAX_EVENTS];
	size_t first;
	size_t last;
};

/* The clock of a job under way, if one is. */
static struct {
	int64_t start_ns;
	const struct dw_job *job;
} own_clock;

int clock_gettime(clockid_t id, struct timespec *ret)
{
	int64_t ns;

	if (id != CLOCK_MONOTONIC || !own_clock.job)
		return (int)syscall(SYS_clock_gettime, id, ret);
	ns = own_clock.start_ns + own_clock.job->passed_ns;
	*ret = (struct timespec){ .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };
	return 0;
}

static void start_clock(const struct dw_job *job)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	own_clock.start_ns = now.tv_sec * NS_PER_S + now.tv_nsec;
	own_clock.job = job;
}

const char *dw_version(void)
{
	return DW_VERSION;
}

const char *const *dw_strategy_names(void)
{
	static const char *const names[] = { "sequential", "round-robin", "parallel",
					     "longest-first", NULL };

	return names;
}

const char *const *dw_controller_names(void)
{
	static const char *const names[] = { "fixed", "cache", NULL };

	return names;
}

bool dw_method_info_get(size_t i, struct dw_method_info *ret)
{
	static const struct dw_method_info rows[] = {
		{ "zero", "one pass of zeros", "enough", 1, "00", DW_VERIFY_SAMPLE, 0 },
		{ "random", "one pass of random data", "as zero", 1, "random",
		  DW_VERIFY_SAMPLE, 0 },
		{ "dod-short", "three passes", "legacy", 3, "00 ff random",
		  DW_VERIFY_FULL, 0 },
		{ "auto", "the shortest way to the level", "says which", 1, "00",
		  DW_VERIFY_DEFAULT, 0 },
	};

	if (i >= sizeof(rows) / sizeof(rows[0]))
		return false;
	*ret = rows[i];
	return true;
}

int dw_job_new(struct dw_engine *engine, const struct dw_job_spec *spec,
	       struct dw_job **ret, struct dw_error *err)
{
	struct dw_job *job = calloc(1, sizeof(*job));

	if (!job)
		return -ENOMEM;
	job->result.spec = *spec;
	job->result.disk = calloc(MAX_JOB, sizeof(*job->result.disk));
	job->result.refused = calloc(MAX_JOB, sizeof(*job->result.refused));
	if (dw_spec_check(spec, err) < 0) {
		dw_job_free(job);
		return -EINVAL;
	}
	if (!job->result.disk || !job->result.refused || pipe(job->wake) < 0)
		abort();
	*ret = job;
	return 0;
}

void dw_job_free(struct dw_job *job)
{
	if (!job)
		return;
	if (own_clock.job == job)
		own_clock.job = NULL;
	if (job->wake[0]) {
		close(job->wake[0]);
		close(job->wake[1]);
	}
	for (size_t i = 0; i < job->result.n_disks; i++)
		free(job->result.disk[i].exception);
	free(job->result.disk);
	free(job->result.refused);
	free(job);
}

static int add(struct dw_job *job, const struct dw_disk_info *want,
	       struct dw_verdict *ret_verdict)
{
	struct fake_disk *f = fake_find(want->sg[0] ? want->sg : want->block);
	struct dw_disk_result *d;

	if (!f)
		return -ENODEV;
	if (f->claim[0]) {
		ret_verdict->refusal = DW_REFUSAL_BUSY;
		snprintf(ret_verdict->reason, sizeof(ret_verdict->reason), "%s",
			 f->claim);
		return 1;
	}
	fake_log("claim", want->sg);
	d = &job->result.disk[job->result.n_disks];
	d->info = f->disk.info;
	d->verify_only = job->result.spec.verify_only;
	strcpy(d->signatures, f->disk.verdict.signatures);
	d->transfer_blocks = 2048;
	d->depth = 1;
	snprintf(d->method, sizeof(d->method), "%s", job->result.spec.method);
	snprintf(d->command, sizeof(d->command), "write");
	job->disk[job->result.n_disks++] = f;
	return 0;
}

int dw_job_add(struct dw_job *job, const struct dw_disk *want,
	       struct dw_verdict *ret_verdict)
{
	int r = add(job, &want->info, ret_verdict);

	if (!r)
		job->others[job->result.n_disks - 1] = want->n_others;
	return r;
}

int dw_job_add_units(struct dw_job *job, const struct dw_disk *want, size_t n,
		     struct dw_verdict *ret_verdict)
{
	memset(ret_verdict, 0, n * sizeof(*ret_verdict));
	for (size_t i = 0; i < n; i++) {
		int r = dw_job_add(job, &want[i], &ret_verdict[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

/* A disk with several nodes is one unless its line says that it is a clone: then it is
 * among the refused, and ends as failed. */
int dw_job_prove(struct dw_job *job)
{
	struct dw_job_result *r = &job->result;
	struct dw_refused out = { .verdict.refusal = DW_REFUSAL_NOT_UNIQUE };
	int n = 0;

	for (size_t i = 0; i < r->n_disks; i++) {
		if (!job->others[i] || !job->disk[i]->clone[0])
			continue;
		snprintf(out.verdict.reason, sizeof(out.verdict.reason), "%s",
			 job->disk[i]->clone);
		snprintf(out.device, sizeof(out.device), "%s", r->disk[i].info.sg);
		dw_job_refuse(job, &out);
		fake_log("clone", r->disk[i].info.sg);
		job->out[i] = true;
		n++;
	}
	return n;
}

int dw_job_paths(struct dw_job *job, struct dw_paths_forecast *ret)
{
	*ret = (struct dw_paths_forecast){ .paths = 2,
					   .transfer = 1 << 20,
					   .media_rate = 250e6,
					   .path_rate = 1200e6,
					   .revolution_ms = 60e3 / 7200 };
	for (size_t i = 0; i < job->result.n_disks; i++)
		ret->devices += job->others[i] > 0;
	return 0;
}

int dw_job_set_paths(struct dw_job *job, const struct dw_paths_forecast *f)
{
	job->result.paths = *f;
	return 0;
}

int dw_job_refuse(struct dw_job *job, const struct dw_refused *refused)
{
	job->result.refused[job->result.n_refused++] = *refused;
	return 0;
}

static double elapsed(const struct dw_job *job)
{
	return (double)job->passed_ns / NS_PER_S;
}

double dw_job_seconds(struct dw_job *job)
{
	return elapsed(job);
}

int dw_job_simulate(struct dw_job *job, const struct dw_station *station, bool coarse,
		    struct dw_error *err)
{
	return dw_error_set(err, -EINVAL, DW_ERROR_STATE, NULL, "no simulation here");
}

static struct dw_event *add_event(struct dw_job *job, enum dw_event_kind kind,
				  size_t disk)
{
	struct dw_event *e = &job->event[job->last++ % MAX_EVENTS];

	*e = (struct dw_event){ .kind = kind,
				.disk = (uint32_t)disk,
				.seconds = elapsed(job) };
	dw_job_progress(job, (uint32_t)disk, &e->progress);
	return e;
}

/* What the job was told, as a plan beside the log. */
static void log_spec(const struct dw_job *job)
{
	const char *log = getenv("DISKWIPE_FAKE_LOG");
	struct dw_plan_entry e = { .serial = "1",
				   .capacity_bytes = 512,
				   .block_size = 512 };
	struct dw_plan_doc plan = { .spec = job->result.spec, .entry = &e, .n = 1 };
	char path[300];

	if (!log)
		return;
	snprintf(path, sizeof(path), "%s.spec", log);
	if (dw_plan_write(path, &plan) < 0)
		abort();
}

int dw_job_start(struct dw_job *job, struct dw_error *err)
{
	log_spec(job);
	start_clock(job);
	clock_gettime(CLOCK_REALTIME, &job->result.started);
	for (size_t i = 0; i < job->result.n_disks; i++) {
		if (job->out[i])
			continue;
		fake_log("start", job->result.disk[i].info.sg);
		add_event(job, DW_EVENT_STARTED, i);
	}
	return 0;
}

static void end_disk(struct dw_job *job, size_t i, enum dw_outcome outcome)
{
	const struct fake_disk *f = job->disk[i];
	struct dw_disk_result *d = &job->result.disk[i];

	job->over[i] = true;
	fake_log("end", d->info.sg);
	d->outcome = outcome;
	d->seconds = elapsed(job);
	d->bytes_written =
		job->out[i] ? 0 : f->disk.info.blocks * f->disk.info.block_size;
	d->mean_bytes_per_second = (double)d->bytes_written / (d->seconds + 1e-9);
	d->verify.mismatches = f->differ;
	d->stopped_lba = outcome == DW_OUTCOME_STOPPED ? 1024 : 0;
	if (job->out[i])
		snprintf(d->reason, sizeof(d->reason), "%s", f->clone);
	if (outcome == DW_OUTCOME_STOPPED)
		snprintf(d->reason, sizeof(d->reason), "stopped at LBA 1024 of pass 1");
	snprintf(d->verify.mode, sizeof(d->verify.mode), "sample:1%%");
	d->verify.bound = 1;
	if (outcome == DW_OUTCOME_ERASED || outcome == DW_OUTCOME_EXCEPTIONS) {
		d->verify.done = DW_VERIFIED_SAMPLE;
		d->verify.read = 1234;
		d->verify.bound = 0.00251;
	}
	if (f->places) {
		d->verify.done = DW_VERIFIED_NONE;
		d->verify.read = 0;
		d->verify.bound = 1;
		d->verify.places = f->places;
	}
	d->bytes_compared = d->verify.read * 512;
	d->exception = calloc(1, sizeof(*d->exception));
	if (f->bad && d->exception) {
		d->exception[0] = (struct dw_exception){ .lba = 8,
							 .blocks = f->bad,
							 .kind = DW_UNWRITABLE,
							 .sense = "3/0c/00" };
		d->n_exceptions = 1;
		add_event(job, DW_EVENT_EXCEPTION, i)->exception = d->exception[0];
	}
	if (outcome > job->result.outcome)
		job->result.outcome = outcome;
	add_event(job, DW_EVENT_DISK_DONE, i)->progress.outcome = outcome;
}

/* To the next end of a disk, or as far as the program wants. Where only files are waited
 * for, time passes as it does elsewhere. */
static int pass_time(struct dw_job *job, int timeout_ms)
{
	struct pollfd p = { .fd = job->wake[0], .events = POLLIN };
	int64_t step = timeout_ms < 0 ? INT64_MAX : timeout_ms * (NS_PER_S / 1000);
	bool waits = true;
	char byte;

	for (size_t i = 0; i < job->result.n_disks; i++) {
		const struct fake_disk *f = job->disk[i];
		int64_t left = (int64_t)(f->seconds * NS_PER_S) - job->passed_ns;

		if (job->over[i] || f->until[0])
			continue;
		waits = false;
		step = left > step ? step : left > 0 ? left : 0;
	}
	if (waits && step > LOOK_NS)
		step = LOOK_NS;
	if (poll(&p, 1, waits ? (int)(step / (NS_PER_S / 1000)) : 0) > 0)
		return read(job->wake[0], &byte, 1) < 0 ? -errno : 0;
	job->passed_ns += step;
	return 0;
}

static bool has_ended(const struct dw_job *job, const struct fake_disk *f)
{
	if (f->until[0])
		return !access(f->until, F_OK);
	return job->passed_ns >= (int64_t)(f->seconds * NS_PER_S);
}

int dw_job_step(struct dw_job *job, int timeout_ms)
{
	size_t running = 0;
	int r = pass_time(job, timeout_ms);

	if (r < 0)
		return r;
	for (size_t i = 0; i < job->result.n_disks; i++) {
		if (job->over[i])
			continue;
		if (job->out[i])
			end_disk(job, i, DW_OUTCOME_FAILED);
		else if (job->stop)
			end_disk(job, i, DW_OUTCOME_STOPPED);
		else if (has_ended(job, job->disk[i]))
			end_disk(job, i, job->disk[i]->outcome);
		else
			running++;
	}
	if (running)
		return 1;
	job->result.seconds = elapsed(job);
	clock_gettime(CLOCK_REALTIME, &job->result.finished);
	add_event(job, DW_EVENT_JOB_DONE, 0);
	return 0;
}

struct dw_engine *dw_job_engine(struct dw_job *job)
{
	return (struct dw_engine *)job; /* each job has its own */
}

bool dw_job_next_event(struct dw_job *job, struct dw_event *ret)
{
	if (job->first == job->last)
		return false;
	*ret = job->event[job->first++ % MAX_EVENTS];
	return true;
}

int dw_job_progress(struct dw_job *job, uint32_t disk, struct dw_progress *ret)
{
	const struct fake_disk *f = job->disk[disk];
	double share = elapsed(job) / f->seconds;

	*ret = (struct dw_progress){ .phase = DW_PHASE_WRITE,
				     .n_passes = 1,
				     .bytes_total = f->disk.info.blocks * 512,
				     .transfer_blocks = 2048,
				     .exceptions = (uint32_t)f->bad,
				     .errors = f->bad * 6,
				     .depth = 1 };
	if (job->over[disk]) {
		ret->phase = DW_PHASE_DONE;
		ret->outcome = job->result.disk[disk].outcome;
		share = 1;
	}
	ret->bytes_done = (uint64_t)((share > 1 ? 1 : share) * (double)ret->bytes_total);
	ret->rate = (double)ret->bytes_total / f->seconds;
	ret->eta_seconds = f->seconds * (1 - (share > 1 ? 1 : share));
	return 0;
}

double dw_job_remaining(struct dw_job *job)
{
	double last = 0;

	for (uint32_t i = 0; i < job->result.n_disks; i++) {
		struct dw_progress p;

		dw_job_progress(job, i, &p);
		last = p.eta_seconds > last ? p.eta_seconds : last;
	}
	return last;
}

void dw_job_stop(struct dw_job *job)
{
	fake_log("stop", "-");
	job->stop = true;
}

void dw_job_abort(struct dw_job *job)
{
	fake_log("abort", "-");
	job->stop = true;
}

void dw_engine_wake(struct dw_engine *engine)
{
	const struct dw_job *job = (struct dw_job *)engine;

	if (write(job->wake[1], "", 1) < 0)
		return;
}

const struct dw_job_result *dw_job_result(struct dw_job *job)
{
	return &job->result;
}

char *dw_job_schedule(struct dw_job *job)
{
	return strdup("H\n1 0\n0 1\n");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs: their submission, events of the engine, and the end of a job. Attempts are in
 * attempt_act.c; those that are resumed after their end, in resume.c.
 */
#include "service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <systemd/sd-id128.h>

#include "bus.h"
#include "files.h"
#include "report.h"

#define US_PER_S    UINT64_C(1000000)
#define KEPT        100 /* jobs that have ended and are still on the bus */
#define FLUSH_BYTES (UINT64_C(16) << 30)
#define FLUSH_S     60
#define MARKS       64 /* in one transaction */

/* --- what there is --------------------------------------------------------- */

static struct svc_attempt *find_attempt(struct service *s, int64_t id)
{
	for (struct svc_job *j = s->jobs; j; j = j->next)
		for (size_t i = 0; i < j->n; i++)
			if (j->attempt[i]->row.id == id)
				return j->attempt[i];
	return NULL;
}

static bool is_waiting(const struct svc_attempt *a)
{
	return !attempt_over(a->state) &&
	       (!attempt_claimed(a->state) || a->now.now.phase == DW_PHASE_WAITING);
}

static uint32_t count(const struct service *s, bool waiting)
{
	uint32_t n = 0;

	for (const struct svc_job *j = s->jobs; j; j = j->next)
		for (size_t i = 0; i < j->n; i++)
			n += !attempt_over(j->attempt[i]->state) &&
			     is_waiting(j->attempt[i]) == waiting;
	return n;
}

uint32_t jobs_active(const struct service *s)
{
	return count(s, false);
}

uint32_t jobs_waiting(const struct service *s)
{
	return count(s, true);
}

int attempt_spec(const struct settings *settings, const char *options,
		 struct dw_job_spec *ret, struct dw_error *err)
{
	int r;

	dw_job_spec_init(ret);
	r = spec_options(ret, options, err);
	ret->active = settings->active;
	if (ret->active &&
	    !strcmp(ret->strategy, "parallel")) /* "parallel" has no limit */
		snprintf(ret->strategy, sizeof(ret->strategy), "longest-first");
	/* nobody has measured the disks of a station: see plan_text() */
	if (ret->verify == DW_VERIFY_AUTO)
		ret->verify_chosen = DW_VERIFY_FULL;
	ret->rules = settings->rules;
	ret->power_cycle_seconds = settings->return_seconds < UINT32_MAX
					   ? (uint32_t)settings->return_seconds
					   : UINT32_MAX;
	if (ret->flush_bytes > FLUSH_BYTES)
		ret->flush_bytes = FLUSH_BYTES;
	if (ret->flush_seconds > FLUSH_S)
		ret->flush_seconds = FLUSH_S;
	return r;
}

/* --- the end of an attempt ---------------------------------------------------- */

static void free_attempt(struct svc_attempt *a)
{
	if (a->disk->attempt == a)
		a->disk->attempt = NULL;
	settings_unref(a->settings);
	free(a->end.json);
	free(a);
}

static void free_job(struct svc_job *job)
{
	for (size_t i = 0; i < job->n; i++)
		free_attempt(job->attempt[i]);
	for (size_t i = job->n; i < job->room; i++)
		free(job->attempt[i]);
	free(job->attempt);
	free(job->view);
	free(job);
}

/* The oldest jobs that have ended leave the bus; the store keeps them. */
static void forget_old(struct service *s)
{
	struct svc_job **at = &s->jobs, *job;
	size_t over = 0;

	for (job = s->jobs; job; job = job->next)
		over += job->row.ended != 0;
	while (*at && over > KEPT) {
		job = *at;
		if (!job->row.ended || job_left(job)) {
			at = &job->next;
			continue;
		}
		*at = job->next;
		for (size_t i = 0; i < job->n; i++)
			files_remove(s, job->attempt[i]); /* they are never resumed */
		bus_job_gone(s, job);
		free_job(job);
		over--;
	}
	disks_forget(s);
}

void job_store_end(struct service *s, struct svc_job *job)
{
	if (!job_over(job) || job->row.ended)
		return;
	if (service_stored(s, store_job_end(s->store, job->row.id, now_us())) < 0)
		return;
	job->row.ended = now_us();
	report_job_end(s, job);
	bus_completed(s, job);
}

/* --- the beginning -------------------------------------------------------------- */

int attempts_reserve(struct svc_job *job, size_t n)
{
	size_t room = job->n + n;
	void *more;

	if (room <= job->room)
		return 0;
	more = realloc(job->attempt, room * sizeof(struct svc_attempt *));
	if (!more)
		return -ENOMEM;
	job->attempt = more;
	for (; job->room < room; job->room++) {
		job->attempt[job->room] = calloc(1, sizeof(struct svc_attempt));
		if (!job->attempt[job->room])
			return -ENOMEM;
	}
	return 0;
}

struct svc_attempt *attempt_keep(struct svc_job *job, struct svc_disk *d,
				 const struct store_attempt *row)
{
	struct svc_attempt *a = job->attempt[job->n++];

	*a = (struct svc_attempt){
		.row = *row,
		.state = row->outcome == OUTCOME_NONE ? ATTEMPT_QUEUED : ATTEMPT_ENDED,
		.job = job,
		.disk = d,
	};
	a->now.now.eta_seconds = -1;
	d->attempt = a;
	return a;
}

void job_new_id(char ret[37])
{
	sd_id128_t id;

	if (sd_id128_randomize(&id) < 0)
		abort(); /* it does not happen once the machine has started */
	snprintf(ret, 37,
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 SD_ID128_FORMAT_VAL(id));
}

static void describe_attempt(const struct svc_disk *d, const char *job,
			     const struct dw_job_spec *spec, struct store_attempt *ret)
{
	*ret = (struct store_attempt){ .disk = d->row, .identity = d->facts.info };
	memcpy(ret->job, job, sizeof(ret->job));
	memcpy(ret->bay, d->bay, sizeof(ret->bay));
	memcpy(ret->signatures, d->facts.verdict.signatures, sizeof(ret->signatures));
	ret->expected = queue_expected(spec, &d->facts.info);
}

/* The tag that the caller gives takes precedence over the list of the station. */
static void tag_attempt(const struct settings *settings,
			const struct job_request *request, size_t i,
			struct store_attempt *ret)
{
	const char *listed = dw_assets_find(&settings->assets, ret->identity.serial);

	if (request->asset && request->asset[i].text[0])
		listed = request->asset[i].text;
	snprintf(ret->asset, sizeof(ret->asset), "%s", listed ? listed : "");
}

static void link_job(struct service *s, struct svc_job *job)
{
	struct svc_job **at = &s->jobs;

	while (*at)
		at = &(*at)->next;
	*at = job;
	job->group = ++s->groups;
}

/* The library checks whether the options fit together. */
static int check_spec(const struct dw_job_spec *spec, struct dw_error *err)
{
	struct dw_job_spec trial = *spec;
	struct dw_job *job = NULL;
	int r = dw_job_new(NULL, &trial, &job, err);

	dw_job_free(job);
	return r;
}

int request_options(const struct settings *settings, const struct job_request *request,
		    char ret[JOB_OPTIONS], struct dw_error *err)
{
	int len = snprintf(ret, JOB_OPTIONS, "%s%s",
			   request->resolved ? "" : settings->options, request->options);

	return len < JOB_OPTIONS ? 0
				 : dw_error_set(err, -EINVAL, DW_ERROR_MEMBER, NULL,
						"too many options");
}

/* All memory is allocated before the job is stored: a stored job is submitted. */
static int prepare_job(const struct service *s, const struct job_request *request,
		       struct svc_job *job, struct store_attempt *rows,
		       struct dw_error *err)
{
	struct dw_job_spec spec;
	int r;

	job->row = (struct store_job){ .submitted = now_us(),
				       .uid = request->who.uid,
				       .loginuid = request->who.loginuid,
				       .priority = request->priority,
				       .paused = request->paused };
	memcpy(job->row.id, request->id, sizeof(job->row.id));
	memcpy(job->row.label, request->label, sizeof(job->row.label));
	memcpy(job->row.note, request->note, sizeof(job->row.note));
	r = request_options(s->settings, request, job->row.options, err);
	if (!r)
		r = attempt_spec(s->settings, job->row.options, &spec, err);
	if (!r)
		r = check_spec(&spec, err);
	for (size_t i = 0; i < request->n && !r; i++)
		describe_attempt(request->disk[i], job->row.id, &spec, &rows[i]);
	for (size_t i = 0; i < request->n && !r; i++)
		tag_attempt(s->settings, request, i, &rows[i]);
	return r ? r : dw_error_system(err, attempts_reserve(job, request->n), NULL);
}

static int store_submission(struct service *s, const struct svc_job *job,
			    const struct job_request *request, struct store_attempt *rows,
			    struct dw_error *err)
{
	int r = service_stored(
		s, store_submit(s->store, &job->row, rows, request->n, &request->who));

	if (r < 0)
		dw_error_set(err, r, DW_ERROR_STATE, NULL,
			     "the job cannot be put on record: %s",
			     store_error(s->store));
	return r;
}

int jobs_submit(struct service *s, const struct job_request *request,
		struct svc_job **ret, struct dw_error *err)
{
	struct store_attempt *rows = calloc(request->n + 1, sizeof(*rows));
	struct svc_job *job = calloc(1, sizeof(*job));
	int r;

	if (!rows || !job) {
		free(rows);
		free(job);
		return dw_error_system(err, -ENOMEM, NULL);
	}
	r = prepare_job(s, request, job, rows, err);
	if (!r)
		r = store_submission(s, job, request, rows, err);
	if (r < 0) {
		free_job(job);
		free(rows);
		return r;
	}
	link_job(s, job);
	for (size_t i = 0; i < request->n; i++)
		attempt_keep(job, request->disk[i], &rows[i]);
	free(rows);
	report_submitted(s, job, &request->who);
	*ret = job;
	jobs_advance(s);
	service_kick(s);
	return 0;
}

void jobs_advance(struct service *s)
{
	for (struct svc_job *j = s->jobs; j && !s->stopping; j = j->next) {
		for (size_t i = 0; i < j->n && !j->row.ended; i++)
			attempt_advance(s, j->attempt[i]);
		job_store_end(s, j);
	}
}

/* --- what comes from the engine ---------------------------------------------------- */

static bool is_interrupted(const struct service *s, const struct svc_attempt *a,
			   const struct works_event *e)
{
	bool stopped = outcome_never_began(e->outcome) || e->outcome == OUTCOME_STOPPED;

	return s->stopping && stopped && !attempt_is_cancelled(a);
}

#define START 4096 /* blocks that contain the signatures at the beginning of a disk */

/* With another order of blocks, a mark says nothing about the beginning of the disk. Nor does one
 * whose options are not understood. */
static bool sweeps_upwards(const struct svc_job *job)
{
	struct dw_error err = { 0 };
	struct dw_job_spec spec;

	dw_job_spec_init(&spec);
	return !spec_options(&spec, job->row.options, &err) && !spec.order[0];
}

void jobs_progress(void *ctx, const struct works_progress *p)
{
	struct svc_attempt *a = find_attempt(ctx, p->id);

	if (!a)
		return;
	a->now = *p;
	a->flags |= FLAG_FRESH;
	if (p->flushed && (p->flushed_pass || p->flushed_lba >= START) &&
	    !a->row.start_erased)
		a->row.start_erased = sweeps_upwards(a->job);
}

static void ended(struct service *s, struct svc_attempt *a, const struct works_event *e)
{
	attempt_heat(s, a, false);
	if (is_interrupted(s, a, e)) {
		attempt_take(s, a, EVENT_INTERRUPTED, NULL);
		free(e->json);
	} else if (!outcome_never_began(e->outcome)) {
		attempt_take(s, a, EVENT_RESULT, e);
	} else {
		attempt_take(s, a,
			     e->outcome == OUTCOME_UNPURGED ? EVENT_REFUSED : EVENT_AGAIN,
			     e);
		disks_look(s);
	}
}

void jobs_event(struct service *s, const struct works_event *e)
{
	struct svc_attempt *a = find_attempt(s, e->id);

	if (e->kind == WORKS_FAILED) {
		service_note(s, "the engine has failed: %s; the service restarts",
			     e->text);
		sd_event_exit(s->event, 1);
		return;
	}
	if (!a) {
		free(e->json);
		return;
	}
	service_kick(s);
	switch (e->kind) {
	case WORKS_BEGUN:
		attempt_take(s, a, EVENT_CLAIMED, NULL);
		a->tries = 0;
		a->message[0] = '\0';
		break;
	case WORKS_NOTICE:
		snprintf(a->message, sizeof(a->message), "%s", e->text);
		bus_remark(s, a, e->text);
		break;
	case WORKS_PAUSED:
		attempt_take(s, a, EVENT_STANDS, NULL);
		break;
	case WORKS_RESUMED:
		break;
	default:
		ended(s, a, e);
	}
}

static void add_mark(struct service *s, struct svc_attempt *a, struct store_mark *mark,
		     size_t *n)
{
	if (!(a->flags & FLAG_FRESH) || attempt_over(a->state))
		return;
	a->flags &= ~(unsigned)FLAG_FRESH;
	mark[(*n)++] = (struct store_mark){
		.attempt = a->row.id,
		.at = now_us(),
		.pass = a->now.now.pass,
		.bytes = a->now.now.bytes_done,
		.total = a->now.now.bytes_total,
		.flushed_pass = a->now.flushed_pass,
		.flushed_lba = a->now.flushed_lba,
	};
	if (*n < MARKS)
		return;
	service_stored(s, store_marks(s->store, mark, *n));
	*n = 0;
}

static void store_progress(struct service *s)
{
	struct store_mark mark[MARKS];
	size_t n = 0;

	for (struct svc_job *j = s->jobs; j; j = j->next)
		for (size_t i = 0; i < j->n; i++)
			add_mark(s, j->attempt[i], mark, &n);
	if (n)
		service_stored(s, store_marks(s->store, mark, n));
	s->stored_at = now_us();
}

/* Nothing was written yet: it waits for its turn, or was paused while it waited. */
static bool has_not_begun(const struct svc_attempt *a)
{
	const struct dw_progress *now = &a->now.now;

	return is_waiting(a) || (now->phase == DW_PHASE_PAUSED && !now->bytes_done);
}

/* An attempt that waits in the engine is held back while the configuration does not allow it. */
static void hold_back(struct service *s, struct svc_attempt *a)
{
	bool held = a->flags & FLAG_WITHHELD;
	bool hold = attempt_at_engine(a->state) && attempt_withheld(s, a) &&
		    (held || has_not_begun(a));

	if (hold == held)
		return;
	a->flags ^= FLAG_WITHHELD;
	attempt_pause(s, a);
}

static void hold_back_all(struct service *s)
{
	for (struct svc_job *j = s->jobs; j; j = j->next)
		for (size_t i = 0; i < j->n && !j->row.ended; i++)
			hold_back(s, j->attempt[i]);
}

void jobs_tick(struct service *s)
{
	works_progress(s->works, jobs_progress, s);
	hold_back_all(s);
	disks_tick(s);
	if (now_us() - s->stored_at >= 5 * US_PER_S || now_us() < s->stored_at)
		store_progress(s);
	jobs_advance(s);
	queue_forecast(s);
	forget_old(s);
}

/* --- the start, the end ------------------------------------------------------------------ */

struct loading {
	struct service *s;
	struct svc_job *job;
	int error;
};

static int load_attempt(void *ctx, const struct store_attempt *row)
{
	struct loading *l = ctx;
	struct svc_disk *d = disk_of(l->s, &row->identity);
	struct svc_attempt *a;

	if (!d)
		return -ENOMEM;
	d->row = row->disk;
	if (!d->facts.info.block_size)
		d->facts.info = row->identity;
	if (attempts_reserve(l->job, 1) < 0)
		return -ENOMEM;
	a = attempt_keep(l->job, d, row);
	a->row.start_erased &= sweeps_upwards(a->job);
	memcpy(a->message, row->reason, sizeof(a->message));
	return 0;
}

static int load_job(void *ctx, const struct store_job *row)
{
	struct loading *l = ctx;

	l->job = calloc(1, sizeof(*l->job));
	if (!l->job)
		return -ENOMEM;
	l->job->row = *row;
	link_job(l->s, l->job);
	return store_each_attempt(l->s->store, row->id, load_attempt, l);
}

int jobs_load(struct service *s)
{
	struct loading l = { .s = s };
	int r = store_each_job(s->store, KEPT, load_job, &l);

	for (struct svc_job *j = s->jobs; j; j = j->next)
		if (!j->row.ended && job_over(j))
			job_store_end(s, j);
	files_sweep(s);
	return r;
}

void jobs_free(struct service *s)
{
	struct svc_job *next;

	for (; s->jobs; s->jobs = next) {
		next = s->jobs->next;
		free_job(s->jobs);
	}
}

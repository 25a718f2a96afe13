/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests for a job that runs, and its result. A request is stored before the engine receives
 * it, so that it is still in force when the service starts again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "service.h"

struct svc_attempt *job_current(const struct svc_job *job, const struct svc_disk *d)
{
	for (size_t i = job->n; i--;)
		if (job->attempt[i]->disk == d)
			return job->attempt[i];
	return NULL;
}

bool job_over(const struct svc_job *job)
{
	for (size_t i = 0; i < job->n; i++)
		if (job->attempt[i]->state != ATTEMPT_ENDED)
			return false;
	return true;
}

/* --- what is asked of a job ---------------------------------------------------------- */

void attempt_heat(struct service *s, struct svc_attempt *a, bool hot)
{
	uint64_t since = a->hot_since, now = steady_us();

	a->hot_since = hot ? now : 0;
	if (!since)
		return;
	a->row.heat_us += now - since;
	service_stored(s, store_health(s->store, &a->row));
}

void attempt_pause(struct service *s, struct svc_attempt *a)
{
	bool hot = disk_is_hot(a->disk);
	bool pause = hot || a->flags & (FLAG_PAUSE | FLAG_WITHHELD);

	attempt_heat(s, a, hot && attempt_at_engine(a->state));
	attempt_take(s, a, pause ? EVENT_HOLD : EVENT_RELEASE, NULL);
}

static void post_to(struct service *s, struct svc_attempt *a, enum works_ask ask,
		    int32_t arg)
{
	if (ask == WORKS_RESUME && attempt_left(a)) {
		attempt_again(s, a, "it is resumed by a request");
	} else if (ask == WORKS_PAUSE || ask == WORKS_RESUME) {
		a->flags &= ~(unsigned)FLAG_PAUSE;
		a->flags |= ask == WORKS_PAUSE ? FLAG_PAUSE : 0;
		attempt_pause(s, a);
	} else if (attempt_at_engine(a->state)) {
		works_post(s->works, a->row.id, ask, arg);
	}
}

int job_ask(struct service *s, struct svc_job *job, struct svc_attempt *only,
	    enum works_ask ask, int32_t arg, const struct store_caller *who)
{
	static const char *const words[] = { "pause", "resume", "cancel", "priority" };
	struct store_attempt row;
	struct store_job wanted = job->row;
	bool *paused = &wanted.paused, *cancelled = &wanted.cancelled;
	size_t n = job->n; /* resuming an attempt that was left at work adds one */
	int r;

	if (only) {
		row = only->row;
		paused = &row.paused;
		cancelled = &row.cancelled;
	}
	if (ask == WORKS_PRIORITY)
		wanted.priority = arg;
	else if (ask == WORKS_CANCEL)
		*cancelled = true;
	else
		*paused = ask == WORKS_PAUSE;
	r = service_stored(s, store_job_ask(s->store, &wanted, only ? &row : NULL,
					    words[ask], who, now_us()));
	if (r < 0)
		return r;
	if (only)
		only->row = row;
	job->row = wanted;
	for (size_t i = 0; i < n; i++)
		if (!only || job->attempt[i] == only)
			post_to(s, job->attempt[i], ask, arg);
	if (ask ==
	    WORKS_CANCEL) /* files of an attempt that waited for its disk are not needed any more */
		files_sweep(s);
	jobs_advance(s);
	service_kick(s);
	return 0;
}

/* --- results --------------------------------------------------------------------------- */

static bool is_unpurged(const struct svc_attempt *a)
{
	return a->row.outcome == OUTCOME_UNPURGED;
}

int job_code(const struct svc_job *job)
{
	size_t n = 0, bad = 0, refused = 0;
	bool mismatch = false, stopped = false, unpurged = false;

	if (!job_over(job))
		return -1;
	for (size_t i = 0; i < job->n; i++) {
		const struct svc_attempt *a = job->attempt[i];

		if (job_current(job, a->disk) != a)
			continue;
		n++;
		bad += a->row.code != 0;
		refused += a->row.code == 2;
		mismatch |= a->row.code == 5;
		stopped |= a->row.code == 6;
		unpurged |= is_unpurged(a);
	}
	if (mismatch)
		return 5;
	if (stopped)
		return 6;
	if (!bad)
		return 0;
	if (unpurged)
		return 3;
	return refused == n ? 2 : bad == n ? 4 : 3;
}

/* Adds a disk that has no document: it was refused, or has not ended. */
static void add_refused(struct dw_job_result *all, const struct svc_attempt *a)
{
	struct dw_refused *r = &all->refused[all->n_refused++];
	const struct dw_disk_info *i = &a->row.identity;

	r->verdict.refusal = is_unpurged(a) ? DW_REFUSAL_PURGE : DW_REFUSAL_ERROR;
	snprintf(r->device, sizeof(r->device), "%.63s",
		 i->serial[0] ? i->serial : i->wwn);
	snprintf(r->verdict.reason, sizeof(r->verdict.reason), "%s", a->row.reason);
}

static void add_disk(struct dw_job_result *all, const struct dw_job_result *one)
{
	if (!one->n_disks)
		return;
	all->disk[all->n_disks++] = one->disk[0];
	if (one->seconds > all->seconds)
		all->seconds = one->seconds;
	if (one->outcome > all->outcome)
		all->outcome = one->outcome;
}

/* A job has not erased its disks as long as one of them is not erased. */
static enum dw_outcome merged_outcome(const struct svc_job *job,
				      const struct dw_job_result *all)
{
	if (!job_over(job))
		return DW_OUTCOME_NONE;
	return all->n_refused && all->outcome < DW_OUTCOME_FAILED ? DW_OUTCOME_FAILED
								  : all->outcome;
}

/* Merges the documents of its disks into one. @doc: by attempt, NULL = it has none. */
static char *merge_results(const struct service *s, const struct svc_job *job,
			   struct dw_result_doc **doc, const struct dw_result_doc *first)
{
	struct dw_job_result all = first->job;
	struct dw_error err;
	char *json = NULL;

	attempt_spec(s->settings, job->row.options, &all.spec, &err);
	memcpy(all.id, job->row.id, sizeof(all.id));
	all.n_disks = all.n_refused = 0;
	all.forecast = NULL;
	all.disk = calloc(job->n, sizeof(*all.disk));
	all.refused = calloc(job->n, sizeof(*all.refused));
	for (size_t i = 0; i < job->n && all.disk && all.refused; i++) {
		if (job_current(job, job->attempt[i]->disk) != job->attempt[i])
			continue;
		if (doc[i])
			add_disk(&all, &doc[i]->job);
		else if (attempt_over(job->attempt[i]->state))
			add_refused(&all, job->attempt[i]);
	}
	all.outcome = merged_outcome(job, &all);
	if (all.disk && all.refused)
		json = dw_job_result_json(&all);
	free(all.disk);
	free(all.refused);
	return json;
}

static struct dw_result_doc *read_result(struct service *s, const struct svc_attempt *a)
{
	struct dw_result_doc *doc = NULL;
	char *text = store_result(s->store, a->row.id);

	if (text && dw_result_parse(text, strlen(text), &doc, NULL) < 0)
		doc = NULL;
	free(text);
	return doc;
}

/* The outcome of a job whose disks have no document. */
static const char *never_began(const struct svc_job *job)
{
	if (!job_over(job))
		return "planned";
	return job_code(job) == 3 ? dw_refusal_name(DW_REFUSAL_PURGE) : "refused";
}

char *job_result_json(struct service *s, const struct svc_job *job)
{
	struct dw_result_doc **doc = calloc(job->n + 1, sizeof(void *)), *first = NULL;
	char *json = NULL;

	for (size_t i = 0; doc && i < job->n; i++) {
		doc[i] = read_result(s, job->attempt[i]);
		first = first ? first : doc[i];
	}
	if (doc)
		json = first ? merge_results(s, job, doc, first)
			     : dw_job_report_json(NULL, never_began(job), NULL, false);
	for (size_t i = 0; doc && i < job->n; i++)
		dw_result_free(doc[i]);
	free(doc);
	return json;
}

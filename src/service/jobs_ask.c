/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is asked of a job while it goes on, and its result. What was asked is on record before the
 * engine hears of it, and so is still asked when the service starts anew.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service.h"

/* --- what is asked of a job ---------------------------------------------------------- */

static bool has_engine(const struct svc_attempt *a)
{
	return (a->state == ATTEMPT_BEGUN || a->state == ATTEMPT_RUNNING) && !a->ending;
}

void attempt_pause(struct service *s, struct svc_attempt *a)
{
	bool pause = a->held || tend_is_hot(a->disk);

	if (!has_engine(a) || pause == a->paused)
		return;
	a->paused = a->pausing = pause;
	works_post(s->works, a->row.id, pause ? WORKS_PAUSE : WORKS_RESUME, 0);
}

static void post_to(struct service *s, struct svc_attempt *a, enum works_ask ask,
		    int32_t arg)
{
	if (ask == WORKS_PAUSE || ask == WORKS_RESUME) {
		a->held = ask == WORKS_PAUSE;
		attempt_pause(s, a);
	} else if (has_engine(a)) {
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
	for (size_t i = 0; i < job->n; i++)
		if (!only || job->attempt[i] == only)
			post_to(s, job->attempt[i], ask, arg);
	jobs_advance(s);
	service_kick(s);
	return 0;
}

/* --- results --------------------------------------------------------------------------- */

int job_code(const struct svc_job *job)
{
	size_t n = 0, bad = 0, refused = 0;
	bool mismatch = false, stopped = false;

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
	}
	if (mismatch)
		return 5;
	if (stopped)
		return 6;
	if (!bad)
		return 0;
	return refused == n ? 2 : bad == n ? 4 : 3;
}

/* one document of those of its disks */
static char *merge_results(const struct service *s, const struct svc_job *job,
			   struct dw_result_doc **doc, size_t n)
{
	struct dw_job_result all = doc[0]->job;
	struct dw_error err;
	char *json;

	attempt_spec(s->settings, job->row.options, &all.spec, &err);
	memcpy(all.id, job->row.id, sizeof(all.id));
	all.disk = calloc(n, sizeof(*all.disk));
	if (!all.disk)
		return NULL;
	all.n_disks = 0;
	all.forecast = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct dw_job_result *r = &doc[i]->job;

		if (!r->n_disks)
			continue;
		all.disk[all.n_disks++] = r->disk[0];
		if (r->seconds > all.seconds)
			all.seconds = r->seconds;
		if (r->outcome > all.outcome)
			all.outcome = r->outcome;
	}
	json = dw_job_result_json(&all);
	free(all.disk);
	return json;
}

char *job_result_json(struct service *s, const struct svc_job *job)
{
	struct dw_result_doc **doc = calloc(job->n + 1, sizeof(void *));
	char *json = NULL, *text;
	size_t n = 0;

	for (size_t i = 0; doc && i < job->n; i++) {
		if (job_current(job, job->attempt[i]->disk) != job->attempt[i])
			continue;
		text = store_result(s->store, job->attempt[i]->row.id);
		if (text && !dw_result_parse(text, strlen(text), &doc[n], NULL))
			n++;
		free(text);
	}
	if (doc)
		json = n ? merge_results(s, job, doc, n)
			 : dw_job_report_json(NULL, job_over(job) ? "refused" : "planned",
					      NULL, false);
	for (size_t i = 0; i < n; i++)
		dw_result_free(doc[i]);
	free(doc);
	return json;
}

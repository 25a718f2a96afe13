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

static void post_to(struct service *s, struct svc_attempt *a, enum works_ask ask,
		    int32_t arg)
{
	bool has_it = a->state == ATTEMPT_BEGUN || a->state == ATTEMPT_RUNNING;

	if (a->state == ATTEMPT_ENDED || !has_it)
		return;
	if (ask == WORKS_PAUSE)
		a->pausing = true;
	works_post(s->works, a->row.id, ask, arg);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Carries out the actions of an attempt, one function for each action of attempt.h, and advances
 * the attempts that wait. An attempt whose service was killed is resumed from its state file.
 */
#include "service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "hooks.h"
#include "prove.h"
#include "report.h"

#define US_PER_S UINT64_C(1000000)
#define TRIES                                                                            \
	3 /* other programs may still be examining a disk that was just plugged in */
#define TRY_AGAIN_US (2 * US_PER_S)

bool attempt_is_paused(const struct svc_attempt *a)
{
	return a->row.paused || a->job->row.paused;
}

bool attempt_is_cancelled(const struct svc_attempt *a)
{
	return a->row.cancelled || a->job->row.cancelled;
}

/* --- the end --------------------------------------------------------------------- */

/* The end is stored before it is reported; until that succeeds it is tried every second. */
static void write_end(struct service *s, struct svc_attempt *a)
{
	if (service_stored(s, store_end(s->store, &a->row, a->end.json)) < 0)
		return;
	attempt_take(s, a, EVENT_STORED, NULL);
}

static void store_attempt_end(struct service *s, struct svc_attempt *a)
{
	a->row.ended = now_us();
	a->lost_at = steady_us();
	a->row.outcome = a->end.outcome;
	a->row.code = a->end.code;
	a->row.do_not_reuse = attempt_disk_fails(a);
	memcpy(a->row.reason, a->end.text, sizeof(a->row.reason));
	memcpy(a->message, a->end.text, sizeof(a->message));
	write_end(s, a);
	service_kick(s);
}

static void publish_end(struct service *s, struct svc_attempt *a)
{
	bool goes_on = a->row.left_working || a->row.outcome == OUTCOME_REMOVED;

	s->ended[a->row.outcome]++;
	a->disk->repeated += a->now.now.errors;
	prove_due(s->prove);
	if (goes_on)
		files_expect(s);
	else
		files_remove(s, a);
	report_end(s, a);
	hooks_after(s, a);
	free(a->end.json);
	a->end.json = NULL;
	job_store_end(s, a->job);
}

static void end_attempt(struct service *s, struct svc_attempt *a,
			enum attempt_event event, enum svc_outcome outcome, int code,
			const char *reason)
{
	struct works_event how = { .outcome = outcome, .code = code };

	snprintf(how.text, sizeof(how.text), "%s", reason);
	attempt_take(s, a, event, &how);
}

/* Ends an attempt of which nothing has begun. */
static void refuse_attempt(struct service *s, struct svc_attempt *a,
			   enum attempt_event event, const char *why)
{
	end_attempt(s, a, event, OUTCOME_REFUSED, 2, why);
}

void attempt_settled(struct service *s, struct svc_attempt *a)
{
	char reason[sizeof(a->end.text)];

	if (a->end.outcome != OUTCOME_REMOVED)
		a->row.left_working = a->end.left_working;
	attempt_reason(a, a->end.text, reason, sizeof(reason));
	memcpy(a->end.text, reason, sizeof(reason));
	attempt_take(s, a, EVENT_SETTLED, NULL);
	disks_look(s);
}

/* The end is stored when the health of the disk is known, if the disk still answers. */
static void settle(struct service *s, struct svc_attempt *a)
{
	jobs_progress(s, &a->end.last);
	/* it may be present again already: the next discovery decides */
	if (a->end.outcome == OUTCOME_REMOVED)
		a->disk->present = false;
	if (!examine_after(s, a))
		attempt_settled(s, a);
}

/* --- the beginning -------------------------------------------------------------- */

/* @err: about its state file alone */
static int send_task(struct service *s, struct svc_attempt *a, struct works_task *t,
		     struct dw_error *err)
{
	struct dw_job_spec *spec = &t->spec;
	int has_state;

	if (!a->settings)
		a->settings = settings_ref(s->settings);
	t->id = a->row.id;
	t->group = a->job->group;
	t->priority = a->job->row.priority;
	t->disk = a->disk->facts;
	files_name(s, a, "key", spec->key_file, sizeof(spec->key_file));
	files_name(s, a, "state", spec->state_file, sizeof(spec->state_file));
	has_state = files_has_state(s, spec->state_file, err);
	if (has_state < 0)
		return has_state;
	if (has_state)
		memcpy(spec->resume_file, spec->state_file, sizeof(spec->resume_file));
	else
		unlink(spec->key_file); /* nothing can be resumed by it */
	return works_begin(s->works, t);
}

static int store_beginning(struct service *s, struct svc_attempt *a)
{
	int r = service_stored(s,
			       store_begin(s->store, a->row.id, a->disk->bay, now_us()));

	if (r < 0)
		return r;
	if (!a->row.started)
		a->row.started = now_us();
	memcpy(a->row.bay, a->disk->bay, sizeof(a->row.bay));
	return 0;
}

static void begin_attempt(struct service *s, struct svc_attempt *a)
{
	struct works_task *t = calloc(1, sizeof(*t));
	struct dw_error err = { 0 };
	char text[DW_ERROR_TEXT];

	if (t && attempt_spec(s->settings, a->job->row.options, &t->spec, &err) < 0) {
		refuse_attempt(s, a, EVENT_REFUSED, dw_error_text(&err, text));
	} else if (!t || store_beginning(s, a) < 0 || send_task(s, a, t, &err) < 0) {
		if (err.code)
			refuse_attempt(s, a, EVENT_AGAIN, dw_error_text(&err, text));
		else
			attempt_take(s, a, EVENT_WAIT, NULL);
	} else {
		a->flags &= ~(unsigned)(FLAG_PAUSE | FLAG_WITHHELD);
		attempt_pause(s, a);
		report_begin(s, a);
		hooks_begun(s, a);
	}
	free(t);
}

static void put_off(struct service *s, struct svc_attempt *a)
{
	/* What the disk carries out goes on. A program that reads it waits as long, as udevd
	 * does where the service was killed: the kernel repeats what is refused for SANITIZE
	 * (2/04/1B). */
	if (!attempt_operates(s, a) && ++a->tries >= TRIES) {
		refuse_attempt(s, a, EVENT_CALLED_OFF, a->end.text);
		return;
	}
	a->lost_at = steady_us();
	a->not_before = a->lost_at + TRY_AGAIN_US;
	snprintf(a->message, sizeof(a->message), "tried again: %.200s", a->end.text);
	disks_look(s);
	service_kick(s);
}

/* Conditions may have changed since it was allowed to be examined, or to run its hook. */
static void answered(struct service *s, struct svc_attempt *a, enum attempt_event event,
		     const char *why)
{
	bool may = a->disk->present && !s->stopping && !attempt_is_paused(a) &&
		   !attempt_is_cancelled(a) && !attempt_withheld(s, a);

	if (why)
		refuse_attempt(s, a, EVENT_CALLED_OFF, why);
	else
		attempt_take(s, a, may ? event : EVENT_WAIT, NULL);
}

void attempt_examined(struct service *s, struct svc_attempt *a, const char *why)
{
	if (a->state == ATTEMPT_EXAMINING)
		answered(s, a, EVENT_EXAMINED, why);
}

void attempt_hooked(struct service *s, struct svc_attempt *a, const char *why)
{
	if (a->state == ATTEMPT_ASKING)
		answered(s, a, EVENT_HOOKED, why);
}

/* --- what follows from an event ---------------------------------------------------- */

static void carry_out(struct service *s, struct svc_attempt *a,
		      enum attempt_action action)
{
	switch (action) {
	case ACTION_NONE:
		break;
	case ACTION_EXAMINE:
		if (!examine_before(s, a))
			attempt_examined(s, a, NULL);
		break;
	case ACTION_HOOK:
		if (s->settings->hook_pre[0])
			hooks_before(s, a);
		else
			attempt_hooked(s, a, NULL);
		break;
	case ACTION_BEGIN:
		begin_attempt(s, a);
		break;
	case ACTION_PAUSE:
		works_post(s->works, a->row.id, WORKS_PAUSE, 0);
		break;
	case ACTION_RESUME:
		works_post(s->works, a->row.id, WORKS_RESUME, 0);
		break;
	case ACTION_PUT_OFF:
		put_off(s, a);
		break;
	case ACTION_SETTLE:
		settle(s, a);
		break;
	case ACTION_RECORD:
		store_attempt_end(s, a);
		break;
	case ACTION_TELL:
		publish_end(s, a);
		break;
	}
}

void attempt_take(struct service *s, struct svc_attempt *a, enum attempt_event event,
		  const struct works_event *how)
{
	struct attempt_step step;
	int r = attempt_step(a->state, event, &step);

	if (r < 0)
		service_note(s,
			     "internal error: attempt %lld is %s, and was told \"%s\", "
			     "from which nothing follows",
			     (long long)a->row.id, attempt_state_word(a->state),
			     attempt_event_word(event));
	if (r) {
		if (how)
			free(how->json);
		return;
	}
	if (how)
		a->end = *how;
	a->state = step.to;
	if (!attempt_at_engine(a->state)) {
		settings_unref(a->settings);
		a->settings = NULL;
	}
	carry_out(s, a, step.action);
}

/* --- while it waits ------------------------------------------------------------------ */

static void advance_present(struct service *s, struct svc_attempt *a)
{
	const struct dw_verdict *v = &a->disk->facts.verdict;

	a->absent_since = 0;
	if (steady_us() < a->not_before)
		return;
	if (!attempt_found_since(a)) {
		if (!s->look.settings)
			disks_look(s);
		return;
	}
	if (attempt_operates(s, a)) {
		attempt_take(s, a, EVENT_ADOPT, NULL);
	} else if (disk_new_signature(a->disk, &a->row)) {
		char why[256];

		snprintf(why, sizeof(why),
			 "it carries %.80s, which it did not when the job was submitted; "
			 "submit it again if it is to be erased",
			 v->signatures);
		refuse_attempt(s, a, EVENT_CALLED_OFF, why);
	} else if (v->refusal != DW_REFUSAL_NONE && a->disk->unsettled) {
		snprintf(a->message, sizeof(a->message), "it waits: %.200s", v->reason);
	} else if (v->refusal != DW_REFUSAL_NONE) {
		refuse_attempt(s, a, EVENT_AGAIN, v->reason);
	} else {
		attempt_take(s, a, EVENT_GO, NULL);
	}
}

static void advance_absent(struct service *s, struct svc_attempt *a)
{
	if (!s->look.ended_once)
		return;
	if (!a->absent_since)
		a->absent_since = steady_us();
	a->tries = 0;
	snprintf(a->message, sizeof(a->message), "it is not there");
	if (steady_us() - a->absent_since >= s->settings->return_seconds * US_PER_S)
		end_attempt(s, a, EVENT_CALLED_OFF, OUTCOME_REMOVED, 4,
			    "it did not come back");
}

void attempt_advance(struct service *s, struct svc_attempt *a)
{
	const char *why;

	if (a->state == ATTEMPT_UNRECORDED)
		write_end(s, a);
	if (a->state != ATTEMPT_QUEUED)
		return;
	if (attempt_is_cancelled(a))
		end_attempt(s, a, EVENT_CALLED_OFF, OUTCOME_STOPPED, 6,
			    "cancelled before it began");
	else if (!a->disk->present)
		advance_absent(s, a);
	else if (attempt_is_paused(a) || !s->look.ended_once)
		return;
	else if ((why = attempt_withheld(s, a)))
		snprintf(a->message, sizeof(a->message), "it waits: %s", why);
	else
		advance_present(s, a);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A job in the background first observes the other disks, and then shares. During the observation
 * the gate of the core is shut. Then the model gives the first share, and the response to be kept
 * at the shared station. From then on each interval corrects the share (sched/share.h).
 */
#include "engine/background.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/links.h"

#define WATCH_NS      (3 * DW_NS_PER_S)   /* at least */
#define WATCH_MOST_NS (10 * DW_NS_PER_S)  /* where little is going on */
#define ENOUGH        30                  /* answers, for a mean */
#define LOOK_NS       (50 * DW_NS_PER_MS) /* while the others are watched */
#define INTERVAL_NS   (500 * DW_NS_PER_MS)
#define QUANTUM_MIN   (2 * DW_NS_PER_MS)
#define QUANTA        4 /* of a window, in the response that is kept */

/* The I/O of the other disks; false = it cannot be seen. */
static bool count(const struct dw_job *job, struct dw_io_count *ret)
{
	struct dw_world *w = job->engine->world;

	*ret = (struct dw_io_count){ 0 };
	return w->ops->others(w, job, ret);
}

static bool can_see(const struct dw_job *job)
{
	struct dw_io_count ignored;

	return count(job, &ignored);
}

/* The I/O there since the last count. Sums may fall when a disk is pulled: then nothing is known
 * of the interval. */
static void add_up(struct dw_job *job)
{
	struct job_background *b = &job->background;
	struct dw_io_count now;

	count(job, &now);
	b->seen.waiting = now.waiting;
	if (now.answers > b->last.answers && now.answer_ns >= b->last.answer_ns) {
		b->seen.answers += now.answers - b->last.answers;
		b->seen.answer_ns += now.answer_ns - b->last.answer_ns;
	}
	b->last = now;
}

/* Sets the share of all links of the job, which are its own. Nothing is sent before the
 * observation ends. */
static void set_share(const struct dw_job *job)
{
	uint32_t i = 0, link;

	while (job_link_next(job, &i, &link))
		dw_core_share(job->engine->core, link, job->result.background.share,
			      job->background.quantum_ns);
}

/* Time that the job used its disks: that of the link that was busy longest. */
static uint64_t time_on(const struct dw_job *job)
{
	uint32_t i = 0, link;
	uint64_t ns = 0;

	while (job_link_next(job, &i, &link))
		ns = dw_max_u64(ns, dw_core_on_ns(job->engine->core, link));
	return ns;
}

/* Finds the disks beside its own again. */
static int look_around(struct dw_job *job)
{
	struct dw_world *w = job->engine->world;
	int r = w->ops->find_others ? w->ops->find_others(w, job) : 0;

	if (!r && job->background.neighbours)
		job->result.background.n_others =
			dw_neighbours_n(job->background.neighbours);
	return r;
}

int job_background_start(struct dw_job *job, uint64_t now_ns, struct dw_error *err)
{
	const struct dw_background *spec = &job->spec.background;
	struct job_background *b = &job->background;
	int r;

	if (spec->kind == DW_BACKGROUND_OFF)
		return 0;
	r = look_around(job);
	if (r < 0)
		return dw_error_set(err, r, DW_ERROR_SYSTEM, NULL,
				    "the disks beside these cannot be found: %s",
				    strerror(-r));
	if (spec->kind == DW_BACKGROUND_RESPONSE && !can_see(job) && !spec->users)
		return dw_error_member(
			err, "background",
			"no other disk hangs on these controllers, so there is no "
			"response to keep; ask for a share, or describe the others");
	b->active = b->watching = true;
	b->since_ns = b->last_ns = b->next_ns = now_ns;
	count(job, &b->last);
	set_share(job);
	return 0;
}

/* A new disk may be on an adapter whose disks are not observed, and is no longer one of the
 * others itself. */
int job_background_join(struct dw_job *job)
{
	struct job_background *b = &job->background;
	int r;

	if (!b->active)
		return 0;
	add_up(job);
	r = look_around(job);
	count(job, &b->last);
	if (!b->watching && job->result.background.target > 0)
		b->corrects = can_see(job);
	set_share(job);
	if (r >= 0 || r == -ENOMEM)
		return r;
	return job_notice(job, DW_EVENT_OF_JOB,
			  "background: disks beside the new one cannot be found: %s",
			  strerror(-r));
}

static double ms(double seconds)
{
	return seconds * 1e3;
}

/* One line for the user, before the first byte is written. */
static int report(struct dw_job *job)
{
	const struct dw_background_result *r = &job->result.background;
	char others[120] = "nothing is going on beside this job", kept[64] = "";

	if (r->users)
		snprintf(others, sizeof(others),
			 "others answer in %.3g ms, knee at %.3g users (%.3g without "
			 "this job)",
			 ms(r->measured_before > 0 ? r->measured_before
						   : r->forecast.response_io_before),
			 r->forecast.knee, r->forecast.knee_before);
	if (r->target > 0)
		snprintf(kept, sizeof(kept), ", %.3g ms to be kept", ms(r->target));
	return job_notice(job, DW_EVENT_OF_JOB,
			  "background: %s%s; share %.3g %% to begin with", others, kept,
			  100 * r->share);
}

/* The others as described by the user, else as observed; false = there was nothing. */
static bool describe(const struct dw_job *job, const struct dw_io_count *seen,
		     double seconds, struct dw_closed_beside *ret)
{
	double answers = (double)seen->answers;

	if (job_background_given(&job->spec.background, ret))
		return true;
	if (!seen->answers || !seen->answer_ns)
		return false;
	dw_closed_fit(answers / seconds, (double)seen->answer_ns / 1e9 / answers,
		      job->background.most, ret);
	return true;
}

/*
 * The response to be kept is that of a user; what is seen are single I/Os. What the model
 * allows them is how much longer they take at the shared station, on what they took before.
 */
static double target_of(const struct dw_job *job, const struct dw_background_result *r)
{
	const struct dw_background *spec = &job->spec.background;

	if (!spec->users)
		return (double)spec->response_ns / 1e9;
	return r->measured_before * r->forecast.response_io /
	       r->forecast.response_io_before;
}

static void settle(struct dw_job *job, const struct dw_io_count *seen, double seconds)
{
	const struct dw_background *spec = &job->spec.background;
	struct dw_background_result *r = &job->result.background;
	bool keeps = spec->kind == DW_BACKGROUND_RESPONSE;
	struct dw_closed_beside beside;

	if (seen->answers)
		r->measured_before =
			(double)seen->answer_ns / 1e9 / (double)seen->answers;
	r->forecast.share = keeps ? 1 : spec->share;
	if (describe(job, seen, seconds, &beside)) {
		r->users = (uint32_t)beside.n;
		r->think = beside.think;
		r->demand = beside.demand[beside.k - 1];
		job_background_forecast(&beside,
					keeps ? (double)spec->response_ns / 1e9 : 0,
					spec->share, &r->forecast);
	}
	r->share = r->forecast.share;
	if (keeps)
		r->target = target_of(job, r);
}

/* Ends the observation, and lets the job begin. */
static int begin_watched(struct dw_job *job, uint64_t now_ns)
{
	struct dw_background_result *r = &job->result.background;
	struct job_background *b = &job->background;

	b->quantum_ns = DW_GATE_QUANTUM_NS;
	settle(job, &b->seen, (double)(now_ns - b->since_ns) / 1e9);
	if (r->target > 0) {
		b->corrects = can_see(job);
		dw_share_init(&b->law, r->target * 1e9, r->share);
		r->share = dw_share_now(&b->law);
		b->quantum_ns =
			dw_min_u64(b->quantum_ns, (uint64_t)(r->target * 1e9) / QUANTA);
		b->quantum_ns = dw_max_u64(b->quantum_ns, QUANTUM_MIN);
	}
	b->watching = false;
	b->begun_ns = now_ns;
	b->next_ns = now_ns + INTERVAL_NS;
	b->seen = (struct dw_io_count){ 0 };
	set_share(job);
	return report(job);
}

static int watch(struct dw_job *job, uint64_t now_ns)
{
	struct job_background *b = &job->background;
	uint64_t past = now_ns - b->since_ns;

	b->most = dw_max_u64(b->most, b->seen.waiting);
	b->next_ns = now_ns + LOOK_NS;
	if (can_see(job) &&
	    (past < WATCH_NS || (b->seen.answers < ENOUGH && past < WATCH_MOST_NS)))
		return 0;
	return begin_watched(job, now_ns);
}

static void correct(struct dw_job *job, uint64_t now_ns)
{
	struct job_background *b = &job->background;
	uint64_t on_ns = time_on(job), ns = now_ns - b->last_ns;

	b->next_ns = now_ns + INTERVAL_NS;
	b->answers += b->seen.answers;
	b->answer_ns += (double)b->seen.answer_ns;
	if (b->corrects && ns) {
		dw_share_measured(&b->law,
				  &(struct dw_share_seen){
					  .ns = ns,
					  .answers = b->seen.answers,
					  .answer_ns = (double)b->seen.answer_ns,
					  .waiting = b->seen.waiting,
					  .used = (double)(on_ns - b->on_ns) / (double)ns,
				  });
		job->result.background.share = dw_share_now(&b->law);
		set_share(job);
	}
	b->on_ns = on_ns;
	b->seen = (struct dw_io_count){ 0 };
}

int job_background_look(struct dw_job *job, uint64_t now_ns)
{
	struct job_background *b = &job->background;
	int r = 0;

	if (!b->active || now_ns < b->next_ns)
		return 0;
	add_up(job);
	if (b->watching)
		r = watch(job, now_ns);
	else
		correct(job, now_ns);
	b->last_ns = now_ns;
	return r;
}

uint64_t job_background_timer(const struct dw_job *job)
{
	return job->background.active ? job->background.next_ns : UINT64_MAX;
}

void job_background_end(struct dw_job *job, uint64_t now_ns)
{
	struct dw_background_result *r = &job->result.background;
	struct job_background *b = &job->background;

	if (!b->active || b->watching)
		return;
	add_up(job);
	correct(job, now_ns);
	r->answers = b->answers;
	if (b->answers)
		r->measured = b->answer_ns / 1e9 / (double)b->answers;
	if (now_ns > b->begun_ns)
		r->used = (double)b->on_ns / (double)(now_ns - b->begun_ns);
}

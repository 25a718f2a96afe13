/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The end of a disk: when its own work is done it is released, whatever the others do. Claim,
 * reservation, settings and cached pages all wait for the disk, so that is done off the loop. The
 * outcome is reported when nothing can change it any more.
 */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/outcome.h"
#include "engine/paths.h"
#include "engine/resume.h"
#include "engine/settle.h"
#include "engine/own.h"
#include "engine/units.h"
#include "own/claim.h"
#include "plan/ladder.h"
#include "report/result.h"

static struct job_disk *disk_of(struct dw_work *w)
{
	return dw_container_of(w, struct job_disk, end.work);
}

static int release(struct job_disk *d)
{
	int r = job_paths_release(d), own = 0;

	if (d->device) {
		d->device->stranger = d->who.stranger;
		own = dw_device_release(d->device);
	}
	return own ? own : r;
}

/* Pages that another program dirtied after the disk was settled are the last that our flush
 * writes. */
static void give_back_disk(struct dw_work *w)
{
	struct job_disk *d = disk_of(w);
	struct job_end *e = &d->end;

	if (e->look)
		e->late = job_settle_late(d);
	e->transport->ops->detach(e->transport, d->place.handle);
	e->kept = release(d);
	if (e->asks && e->kept <= 0)
		job_health_after(d, &e->health);
	job_disk_close(d);
}

static bool is_good(enum dw_outcome o)
{
	return o == DW_OUTCOME_ERASED || o == DW_OUTCOME_EXCEPTIONS;
}

static enum dw_completeness completeness_of(const struct job_disk *d, enum dw_outcome o)
{
	if (d->plan.verify_only)
		return DW_COMPLETE_NOT;
	return o == DW_OUTCOME_ERASED       ? DW_COMPLETE_WHOLE
	       : o == DW_OUTCOME_EXCEPTIONS ? DW_COMPLETE_PARTS
					    : DW_COMPLETE_NOT;
}

/* A simulated disk has no contents that could be read before and after. */
static bool is_witnessed(const struct job_disk *d)
{
	return !d->device || job_witness_passed(d);
}

/* The level that it has reached belongs to its outcome. */
static void reach_level(struct dw_job *job, const struct job_disk *d)
{
	struct dw_disk_result *r = &job->result.disk[d->id];
	struct dw_level_case c = {
		.medium = dw_medium_of(d->caps.rotation, d->caps.lbpme),
		.operation = d->plan.operation,
		.ended = completeness_of(d, r->outcome),
		.hidden = d->info.hidden_blocks,
		.witnessed = is_witnessed(d),
		.verified = r->verify.done,
	};
	enum dw_level level;
	const char *limit;

	snprintf(r->medium, sizeof(r->medium), "%s", dw_medium_name(c.medium));
	for (uint32_t i = 0; i < r->n_passes; i++)
		c.mapped |= strstr(r->pass[i].command, "write-same") &&
			    (d->caps.rotation == 1 || d->caps.lbpme);
	if (dw_level_reached(&c, &level, &limit))
		snprintf(r->level, sizeof(r->level), "%s", dw_level_name(level));
	snprintf(r->level_limit, sizeof(r->level_limit), "%s", limit ? limit : "");
}

static int given_back(struct dw_work *w)
{
	struct job_disk *d = disk_of(w);
	struct job_end *e = &d->end;
	struct dw_job *job = e->job;
	int r = 0;

	job->left--;
	d->step.released = true;
	job_may_end(job);
	job->result.disk[d->id].outcome = e->outcome;
	if (e->late && is_good(e->outcome))
		r = job_outcome_late(job, d, e->late);
	reach_level(job, d);
	if (e->kept)
		job_unrestored(job, d, e->kept);
	job_healthy(job, d, &e->health);
	if (!r)
		r = job_disk_done(job, d);
	/* NULL: the state file has no result of it */
	d->kept.result = dw_disk_result_text(&job->result.disk[d->id]);
	return r ? r : job_state_keep(job);
}

int job_end_begin(struct dw_job *job, struct job_disk *d, uint64_t now_ns)
{
	struct job_end *e = &d->end;
	struct dw_disk_result *r = &job->result.disk[d->id];
	int waiting;

	if (job_paths_busy(d, now_ns))
		return 0;
	waiting = job_units_ended(d, false);
	if (waiting < 0)
		return waiting;
	job_outcome(job, d);
	*e = (struct job_end){
		.work = { .run = give_back_disk, .done = given_back },
		.job = job,
		.now_ns = now_ns,
		.outcome = r->outcome,
		.transport = d->place.transport,
		.look = is_good(r->outcome),
		.asks = job_health_due(d, job_disk_state(d), r->outcome),
	};
	r->outcome = DW_OUTCOME_NONE;
	if (!e->transport)
		return given_back(&e->work);
	job_paths_result(d, r);
	d->place.transport = NULL; /* the transport is not asked for the disk any more */
	dw_loop_begin(job->engine->loop, &e->work);
	return 0;
}

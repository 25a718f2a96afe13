/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state file. It is read before the first disk is added, matched by identity, and written at
 * each flush and at the end. That is done off the loop: a file that cannot be written, or hangs,
 * stops no disk. What it reports about a disk was confirmed by an identification after that flush.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/identity.h>

#include "base/error.h"
#include "base/util.h"
#include "engine/own.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/plan.h"
#include "engine/slots.h"
#include "engine/resume.h"
#include "engine/units.h"
#include "plan/order.h"
#include "plan/plants.h"
#include "plan/stamp.h"
#include "report/result.h"

#define SPOTS      64
#define SPOT_BYTES (64 * DW_KIB)
#define LATE_NS    (10 * DW_NS_PER_S)

/*
 * A mark is a position of the sweep. In another order the blocks before it are others, and some
 * of them would be taken as erased.
 */
static bool same_order(const struct dw_job_spec *a, const struct dw_job_spec *b)
{
	struct dw_near x, y;

	if (strcmp(a->order, b->order) != 0)
		return false;
	if (!a->order[0])
		return true;
	return !dw_near_parse(a->near, &x) && !dw_near_parse(b->near, &y) &&
	       x.first == y.first && x.last == y.last;
}

/* A simulated disk may have the name of a real one, on which nothing of that is written. */
static int check_kind(const struct dw_job *job, bool simulated, struct dw_error *err)
{
	if ((job->resume.simulation[0] != '\0') == simulated)
		return 0;
	dw_error_content(
		err, NULL, "%s",
		simulated ? "it is of real disks, and these are simulated"
			  : "it is of a simulation: nothing of it is on a real disk");
	dw_error_in(err, job->spec.resume_file, 0);
	return -EINVAL;
}

int job_resume_load(struct dw_job *job, bool simulated, struct dw_error *err)
{
	struct dw_job_spec *spec = &job->spec, *old = &job->resume.spec;
	int r;

	if (!spec->resume_file[0])
		return 0;
	r = dw_state_read(spec->resume_file, &job->resume, err);
	if (r < 0)
		return r;
	job->resuming = true;
	r = check_kind(job, simulated, err);
	if (r < 0)
		return r;
	/* the passes must be the same; how they are sent may differ */
	if (strcmp(old->method, spec->method) || strcmp(old->pattern, spec->pattern)) {
		dw_error_content(
			err, NULL,
			"belongs to a job with method %.80s; give the same method",
			old->pattern[0] ? old->pattern : old->method);
		dw_error_in(err, spec->resume_file, 0);
		return -EINVAL;
	}
	if (!same_order(old, spec)) {
		dw_error_content(
			err, NULL, "belongs to a job with order %s%s%s; give the same",
			old->order[0] ? old->order : "ascending",
			old->order[0] ? " near " : "", old->order[0] ? old->near : "");
		dw_error_in(err, spec->resume_file, 0);
		return -EINVAL;
	}
	return 0;
}

/* A disk that erases itself reports no capacity: the state file has to show that it does. A disk
 * whose hidden blocks are restored has the capacity with them, either now or after that. */
static bool same_capacity(const struct dw_job *job, const struct dw_plan_entry *e,
			  bool operating, const struct dw_disk_info *info)
{
	uint64_t hidden = job->spec.hidden == DW_UNHIDE_RESTORE ? info->hidden_blocks : 0;

	if (info->operating && !info->blocks)
		return operating;
	return e->block_size == info->block_size &&
	       (e->capacity_bytes == info->blocks * info->block_size ||
		e->capacity_bytes == (info->blocks + hidden) * info->block_size);
}

const struct dw_state_entry *job_resume_find(const struct dw_job *job,
					     const struct dw_disk_info *info)
{
	for (size_t i = 0; i < job->resume.n && !dw_identity_nameless(info); i++) {
		const struct dw_state_entry *x = &job->resume.entry[i];
		const struct dw_plan_entry *e = &x->disk;

		const struct dw_identity is = dw_identity_of(info),
					 was = dw_identity_named(e->serial, e->wwn);

		if (!dw_state_nameless(x) &&
		    dw_identity_match(&was, &is, DW_SAME_NAMED) &&
		    same_capacity(job, e, x->operating, info))
			return x;
	}
	return NULL;
}

static bool is_faulty(const struct dw_state_entry *e, uint64_t lba, uint32_t nlb,
		      const struct dw_extents *plants)
{
	const struct dw_extent *plant = dw_extents_near(plants, lba);

	if (plant && plant->lba < lba + nlb)
		return true;
	for (uint32_t i = 0; i < e->n_faults; i++)
		if (lba < e->fault[i].lba + e->fault[i].nlb &&
		    e->fault[i].lba < lba + nlb)
			return true;
	return false;
}

static bool read_spot(struct job_disk *d, uint64_t lba, uint32_t nlb, uint8_t *buf)
{
	size_t len = (size_t)nlb * d->plan.block_size;

	if (d->caps.scsi)
		return !dw_device_read(d->device, lba, nlb, buf);
	return pread(d->device->blk_fd, buf, len, (off_t)(lba * d->plan.block_size)) ==
	       (ssize_t)len;
}

/**
 * struct expected - the data that a block may have which the state file says is written
 * @source: of the pass that wrote it
 * @next: of the pass that has begun over it without a mark so far; NULL = none
 */
struct expected {
	struct dw_source *source;
	struct dw_source *next;
};

/* A run that was killed while it compared addresses left stamps, which every run erases. */
static bool may_hold(const struct expected *e, uint64_t lba, const uint8_t *block)
{
	uint32_t first;

	return dw_source_check(e->source, lba, 1, block, &first) == 0 ||
	       (e->next && dw_source_check(e->next, lba, 1, block, &first) == 0) ||
	       dw_stamp_is(lba, block);
}

static bool may_hold_all(const struct expected *e, uint64_t lba, uint32_t nlb,
			 uint32_t block_size, const uint8_t *buf)
{
	for (uint32_t i = 0; i < nlb; i++)
		if (!may_hold(e, lba + i, buf + (size_t)i * block_size))
			return false;
	return true;
}

/*
 * Reads a spot in each of several equal parts of what was written, and the last one before the
 * mark: no foreign data longer than two parts are missed. A spot that cannot be read shows
 * nothing, unless none can be read.
 */
static bool holds(struct job_disk *d, const struct expected *e, uint64_t end,
		  const struct dw_extents *plants, uint8_t *buf)
{
	uint32_t most = SPOT_BYTES / d->plan.block_size, n_read = 0;

	for (uint32_t i = 0; i <= SPOTS; i++) {
		uint64_t pos = i * (end / SPOTS), run, lba;
		uint32_t nlb;

		if (i == SPOTS || pos + most > end)
			pos = end > most ? end - most : 0;
		lba = dw_order_lba(&d->plan.order, pos, &run);
		nlb = (uint32_t)dw_min_u64(dw_min_u64(most, run), end - pos);
		if (is_faulty(d->earlier.resume, lba, nlb, plants) ||
		    !read_spot(d, lba, nlb, buf))
			continue;
		n_read++;
		if (!may_hold_all(e, lba, nlb, d->plan.block_size, buf))
			return false;
	}
	return n_read;
}

int job_resume_check(struct dw_job *job, struct job_disk *d)
{
	uint32_t pass = d->plan.first_pass;
	uint64_t end = d->plan.first_lba;
	struct expected e = { .next = NULL };
	struct dw_extents plants = { 0 };
	bool same;
	void *buf;
	int r = 0;

	if (!d->earlier.resume || !d->device || d->out[0] || (!pass && !end))
		return 0;
	if (!end && dw_plan_written_over(&d->plan))
		return 0; /* what comes before it cannot be read */
	if (!end) {       /* what it wrote before its first flush is not on record */
		e.next = d->contents.source[pass];
		pass--;
		end = d->plan.blocks;
	}
	if (!d->contents.source[pass])
		r = dw_source_new(&d->plan.pass[pass].pattern,
				  job->key.set ? job->key.secret : NULL, d->who.name,
				  pass, d->plan.block_size, &d->contents.source[pass]);
	buf = r ? NULL : dw_buffer_new(SPOT_BYTES);
	if (!buf)
		return r ? r : -ENOMEM;
	e.source = d->contents.source[pass];
	if (d->plan.planted)
		r = dw_plants_draw(d->plan.blocks, d->plan.plant_seed, &plants);
	same = !r && holds(d, &e, end, &plants, buf);
	dw_extents_deinit(&plants);
	dw_buffer_free(buf, SPOT_BYTES);
	if (r < 0)
		return r;
	if (same)
		return 0;
	d->earlier.from_the_start = true;
	d->earlier.resume = NULL;
	d->plan.n_passes = d->choice.method->n_passes;
	d->plan.first_pass = 0;
	d->plan.first_lba = 0;
	d->plan.operating = false;
	d->plan.planted = false;
	return job_plan_sources(job, d);
}

uint64_t job_sure(const struct dw_disk_state *st, uint32_t *ret_pass)
{
	*ret_pass = st->elsewhere.unsure ? st->elsewhere.pass : st->pass;
	if (!st->elsewhere.unsure)
		return st->mark;
	/* what is being written again may lie lower */
	return st->elsewhere.pass == st->pass ? dw_min_u64(st->elsewhere.lba, st->mark)
					      : st->elsewhere.lba;
}

uint64_t job_mark(const struct job_disk *d, const struct dw_disk_state *st,
		  uint32_t *ret_pass)
{
	uint64_t lba = job_sure(st, ret_pass);

	if (!d->cache.unflushed || st->cycle)
		return lba;
	*ret_pass = 0;
	return 0;
}

/*
 * The command that was the whole work ended well, and its flush is not confirmed yet. A disk that
 * is alone is commanded again when the job is resumed. One of several units is not, as another
 * unit may have ended and be in use: only the proof is missing, by blocks that were read before.
 * A disk that failed or went away has to be commanded again: what others wrote to it since would
 * pass that proof.
 */
static bool has_answered(const struct job_disk *d, const struct dw_disk_state *st)
{
	return job_units_number(d) > 1 && st->end != DW_END_FAILED &&
	       st->end != DW_END_REMOVED && st->operation.running &&
	       st->passes[0].used_operation && !st->operation.end_unknown &&
	       dw_operation_blocks(d->plan.operation);
}

static int describe_state(const struct dw_job *job, const struct job_disk *d,
			  struct dw_state_entry *ret)
{
	const struct dw_disk_info *info = &d->info;
	const struct dw_disk_state *st = job_disk_state(d);

	*ret = (struct dw_state_entry){
		.disk = { .capacity_bytes = info->blocks * info->block_size,
			  .block_size = info->block_size },
		.name_shared = info->name_shared,
		.bytes_written =
			st->bytes_written +
			(d->earlier.resume ? d->earlier.resume->bytes_written : 0),
		.outcome = job->result.disk[d->id].outcome,
		.longest = st->steer.longest,
	};
	ret->lba = job_mark(d, st, &ret->pass);
	if (has_answered(d, st))
		ret->lba = d->plan.blocks;
	dw_order_text(&d->plan.order, ret->order);
	ret->operating = st->operation.running && ret->pass == st->pass;
	/* all else is known to be written, unless the mark lies low for another reason */
	ret->planted = st->compare.planted && !st->elsewhere.unsure &&
		       ret->pass == st->pass && ret->lba == st->mark;
	ret->plant_seed = ret->planted ? st->compare.seed : 0;
	/* flushed through another adapter, which is too late for what was lost */
	ret->power_cycle =
		(st->cycle || (d->earlier.resume && d->earlier.resume->power_cycle)) &&
		st->end != DW_END_COMPLETE;
	if (job->method.chosen)
		snprintf(ret->method, sizeof(ret->method), "%s", d->choice.method->name);
	snprintf(ret->disk.device, sizeof(ret->disk.device), "%s",
		 info->sg[0] ? info->sg : info->block);
	memcpy(ret->disk.vendor, info->vendor, sizeof(ret->disk.vendor));
	memcpy(ret->disk.model, info->model, sizeof(ret->disk.model));
	memcpy(ret->disk.serial, info->serial, sizeof(ret->disk.serial));
	memcpy(ret->disk.wwn, info->wwn, sizeof(ret->disk.wwn));
	if (ret->operating || dw_plan_written_over(&d->plan) ||
	    (d->plan.operation && ret->lba == d->plan.blocks))
		ret->witness = job_witness_text(d);
	if (d->kept.result && !dw_state_unfinished(ret)) {
		ret->result = strdup(d->kept.result);
		if (!ret->result)
			return -ENOMEM;
	}
	if (!st->faults.n)
		return 0;
	ret->fault = calloc(st->faults.n, sizeof(*ret->fault));
	if (!ret->fault)
		return -ENOMEM;
	memcpy(ret->fault, st->faults.v, st->faults.n * sizeof(*ret->fault));
	ret->n_faults = st->faults.n;
	return 0;
}

/* For each entry of the resumed state, by number: whether this run resumes its disk. free(); NULL
 * on -ENOMEM. */
static bool *entries_taken(const struct dw_job *job)
{
	bool *taken = calloc(job->resume.n + 1, sizeof(*taken));

	for (uint32_t i = 0; i < job->n_disks && taken; i++)
		if (job->disk[i]->earlier.entry)
			taken[job->disk[i]->earlier.entry - job->resume.entry] = true;
	return taken;
}

/*
 * The present state; dw_state_deinit(). The file has every disk of the job until it is deleted:
 * also those that ended in an earlier run, and those that this run was to resume and has not got.
 */
static int describe_all(const struct dw_job *job, struct dw_state_doc *ret)
{
	dw_autofree bool *taken = entries_taken(job);
	int r = taken ? 0 : -ENOMEM;

	*ret = (struct dw_state_doc){ .spec = job->spec };
	ret->entry = calloc(job->n_disks + job->resume.n + 1, sizeof(*ret->entry));
	if (!ret->entry || r)
		return -ENOMEM;
	memcpy(ret->key_check, job->result.key_check, sizeof(ret->key_check));
	if (job->engine->world->ops->simulated)
		memcpy(ret->simulation, job->result.simulation, sizeof(ret->simulation));
	for (uint32_t i = 0; i < job->n_disks && !r; i++) {
		const struct job_disk *d = job->disk[i];
		struct dw_state_entry *to = &ret->entry[ret->n++];

		/* a disk that was not touched has its earlier mark */
		r = d->out[0] && d->earlier.entry ? dw_state_copy(d->earlier.entry, to)
						  : describe_state(job, d, to);
	}
	for (size_t i = 0; i < job->resume.n && !r; i++)
		if (!taken[i])
			r = dw_state_copy(&job->resume.entry[i], &ret->entry[ret->n++]);
	return r;
}

/* who it is, and what the state says of it */
static int result_of_entry(const struct dw_job *job, const struct dw_state_entry *e,
			   struct dw_disk_result *ret)
{
	const struct dw_plan_entry *who = &e->disk;
	const struct dw_faults faults = { .v = e->fault, .n = e->n_faults };
	struct dw_disk_info *info = &ret->info;
	size_t n = 0;
	int r;

	snprintf(info->sg, sizeof(info->sg), "%.31s", who->device);
	memcpy(info->vendor, who->vendor, sizeof(info->vendor));
	memcpy(info->model, who->model, sizeof(info->model));
	memcpy(info->serial, who->serial, sizeof(info->serial));
	memcpy(info->wwn, who->wwn, sizeof(info->wwn));
	info->block_size = who->block_size;
	info->blocks = who->capacity_bytes / who->block_size;
	snprintf(ret->method, sizeof(ret->method), "%s",
		 e->method[0] ? e->method : job->method.name);
	ret->outcome = e->outcome;
	ret->verify.bound = 1;
	ret->bytes_written = e->bytes_written;
	ret->stopped_pass = e->pass;
	ret->stopped_lba = e->lba;
	r = job_exceptions(&faults, &ret->exception, &n);
	ret->n_exceptions = r ? 0 : (uint32_t)n;
	return r;
}

/* Why this run has not resumed a disk that has not ended. */
static void explain_left_out(const struct dw_job *job, const struct dw_state_entry *e,
			     struct dw_disk_result *r)
{
	const struct dw_job_result *all = &job->result;
	const struct dw_refused *why = NULL;

	for (size_t i = 0; i < all->n_refused && !why; i++) {
		const struct dw_refused *x = &all->refused[i];
		const struct dw_identity is = dw_identity_of(&r->info),
					 other = dw_identity_named(x->serial, x->wwn);

		if (dw_identity_match(&other, &is, DW_SAME_NAME))
			why = x;
	}
	r->outcome = why && why->verdict.refusal == DW_REFUSAL_MISSING
			     ? DW_OUTCOME_REMOVED
			     : DW_OUTCOME_STOPPED;
	if (dw_state_nameless(e))
		snprintf(r->reason, sizeof(r->reason),
			 "it has no name of its own by which it could be resumed: erase "
			 "it again");
	else
		snprintf(
			r->reason, sizeof(r->reason),
			"this run did not resume it: %.150s; it stays in the state file, to be "
			"resumed",
			why ? why->verdict.reason : "it was not given to it");
}

static int rest_result(const struct dw_job *job, const struct dw_state_entry *e,
		       struct dw_disk_result *ret)
{
	struct dw_error err;
	int r = 0;

	*ret = (struct dw_disk_result){ 0 };
	if (dw_state_unfinished(e)) {
		r = result_of_entry(job, e, ret);
		explain_left_out(job, e, ret);
	} else if (!e->result || dw_disk_result_parse(e->result, ret, &err) < 0) {
		/* another version wrote it */
		r = result_of_entry(job, e, ret);
		snprintf(ret->reason, sizeof(ret->reason),
			 "it ended in an earlier run; no more is known of it");
	}
	ret->earlier = true;
	return r;
}

int job_resume_rest(struct dw_job *job)
{
	dw_autofree bool *taken = entries_taken(job);
	struct dw_job_result *all = &job->result;
	int r = taken ? 0 : -ENOMEM;

	/* there is room for all of them */
	for (size_t i = 0; i < job->resume.n && job->n_disks && !r; i++)
		if (!taken[i])
			r = rest_result(job, &job->resume.entry[i],
					&all->disk[all->n_disks++]);
	return r;
}

int job_state_store(struct dw_job *job)
{
	struct dw_state_doc doc;
	int r;

	if (!job->spec.state_file[0])
		return 0;
	r = describe_all(job, &doc);
	if (!r)
		r = dw_state_write(job->spec.state_file, &doc);
	dw_state_deinit(&doc);
	return r;
}

static void save_in_worker(struct dw_work *w)
{
	struct job_state *s = dw_container_of(w, struct job_state, work);

	if (!s->error)
		s->error = dw_state_write(s->doc.spec.state_file, &s->doc);
}

bool job_begin_needed(const struct job_disk *d, const struct dw_op *op)
{
	bool operation =
		op->verb == DW_VERB_OPERATE && dw_operation_blocks(op->operation);
	bool plant = op->verb == DW_VERB_WRITE && op->flags & DW_OP_PLANT;

	return d->device && (operation || plant) && d->job->spec.state_file[0] &&
	       d->kept.begin != JOB_BEGIN_KEPT;
}

int job_begin_keep(struct job_disk *d, const struct dw_op *op)
{
	d->kept.begin_op = *op;
	d->kept.begin = JOB_BEGIN_ASKED;
	return job_state_keep(d->job);
}

static int refuse_begin(struct job_disk *d)
{
	uint64_t now = job_now(d->job);
	struct dw_result r = {
		.disk = d->kept.begin_op.disk,
		.slot = d->kept.begin_op.slot,
		.class = DW_CLASS_FAILED,
		.detail =
			"the state file cannot be written, and nobody would know after a "
			"power cut that it erased itself: no command was sent to it",
		.submit_ns = now,
		.end_ns = now,
	};

	if (d->kept.begin_op.flags & DW_OP_PLANT) {
		r.class = DW_CLASS_UNSUPPORTED;
		r.detail = "the state file cannot be written, so none was planted";
	}
	return dw_core_result(d->job->engine->core, &r, now);
}

/* Sends the commands that waited for the file that stores their beginning. */
static int begin_kept(struct dw_job *job, bool durable)
{
	int r = 0;

	for (uint32_t i = 0; i < job->n_disks && !r; i++) {
		struct job_disk *d = job->disk[i];

		if (d->kept.begin != JOB_BEGIN_WRITTEN)
			continue;
		d->kept.begin = durable ? JOB_BEGIN_KEPT : JOB_BEGIN_NONE;
		r = durable ? job_submit(job->engine, &d->kept.begin_op)
			    : refuse_begin(d);
		if (!r && durable)
			d->place.transport->ops->flush(d->place.transport);
	}
	return r;
}

/* What the file says now is durable; the rest is for the next write. */
static int report_marks(struct dw_job *job, bool durable)
{
	int r = 0;

	for (uint32_t i = 0; i < job->n_disks && !r; i++) {
		struct job_disk *d = job->disk[i];

		if (d->kept.is_durable && durable && !d->step.released) {
			r = job_news_add(job, &d->kept.durable);
		} else if (d->kept.is_durable && !d->kept.is_flushed) {
			d->kept.flushed = d->kept.durable;
			d->kept.is_flushed = true;
		}
		d->kept.is_durable = false;
	}
	return r;
}

static int report_change(struct dw_job *job, int before)
{
	const char *file = job->spec.state_file;
	int now = job->result.state_error;

	if (now == before)
		return 0;
	if (!now)
		return job_notice(job, DW_EVENT_OF_JOB, "%.180s: written again", file);
	return job_notice(job, DW_EVENT_OF_JOB,
			  "%.150s: the state cannot be written: %s; the job goes on",
			  file, strerror(-now));
}

static int saved(struct dw_work *w)
{
	struct job_state *s = dw_container_of(w, struct job_state, work);
	struct dw_job *job = s->job;
	int before = job->result.state_error, r;

	dw_state_deinit(&s->doc);
	s->under_way = false;
	job_may_end(job);
	s->late_ns = UINT64_MAX;
	job->result.state_error = s->error;
	r = report_change(job, before);
	if (!r)
		r = report_marks(job, !s->error);
	if (!r)
		r = begin_kept(job, !s->error);
	return r || !s->again ? r : job_state_keep(job);
}

int job_state_keep(struct dw_job *job)
{
	struct job_state *s = &job->state;

	if (!job->spec.state_file[0])
		return 0;
	s->again = s->under_way;
	if (s->under_way)
		return 0;
	*s = (struct job_state){ .work = { .run = save_in_worker, .done = saved },
				 .job = job,
				 .under_way = true,
				 .late_ns = job_now(job) + LATE_NS };
	s->error = describe_all(job, &s->doc);
	for (uint32_t i = 0; i < job->n_disks; i++) {
		struct job_disk *d = job->disk[i];

		d->kept.is_durable = d->kept.is_flushed;
		d->kept.durable = d->kept.flushed;
		d->kept.is_flushed = false;
		if (d->kept.begin == JOB_BEGIN_ASKED)
			d->kept.begin = JOB_BEGIN_WRITTEN;
	}
	dw_loop_begin(job->engine->loop, &s->work);
	return 0;
}

int job_state_look(struct dw_job *job, uint64_t now_ns)
{
	struct job_state *s = &job->state;

	if (!s->under_way || now_ns < s->late_ns)
		return 0;
	s->late_ns = UINT64_MAX;
	return job_notice(
		job, DW_EVENT_OF_JOB,
		"%.140s: the state has not been written for %d s; the job goes on, "
		"but could be resumed only from what stood there before",
		job->spec.state_file, (int)(LATE_NS / DW_NS_PER_S));
}

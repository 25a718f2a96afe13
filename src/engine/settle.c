/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Settles a disk: nothing may write to it after the verdict. Another program may have dirtied
 * pages, through a mapping from before the claim, and the kernel writes them when it flushes the
 * node. So the kernel is made to do that after the last pass, before the cache is flushed and the
 * disk is read, and once more at the end. Writes by anybody in between show in the kernel's
 * counters. All this waits for the disk: it is done off the loop.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/identity.h>

#include "base/util.h"
#include "own/settle.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/paths.h"
#include "engine/plan.h"
#include "engine/settle.h"
#include "engine/slots.h"
#include "engine/own.h"
#include "engine/stamps.h"
#include "engine/units.h"
#include "own/claim.h"
#include "own/ends.h"

/**
 * struct job_settle - the settling of one disk
 * @job, @disk: the disk
 * @op: the op of the core
 * @device, @n: the disk's paths
 * @error: result of the write-back
 * @before, @after: counters before and after it
 * @mark: counters when the disk was last known to hold our data alone
 * @adopted: the disk was erasing itself when it was claimed; @adoption: result of
 *	dw_device_operated()
 * @untold: the result of its operation cannot be read
 * @stamps: of the last pass, if it was written command by command
 * @users: result of dw_device_look_again()
 * @ends: result of dw_device_zero_ends(), 1 = not wanted; @write_errors: reported meanwhile
 * @last: counters after it
 * @unproven: why the operation of the disk is not proven; NULL = it is proven
 * @came: the units of its device have changed
 * @text: why it failed
 */
struct job_settle {
	struct dw_work work;
	struct dw_job *job;
	struct job_disk *disk;
	struct dw_op op;
	struct dw_device *device[DW_PATHS_MAX];
	size_t n;
	int error;
	struct dw_writes before;
	struct dw_writes after;
	struct dw_writes mark;
	bool adopted;
	int adoption;
	bool untold;
	struct job_stamps stamps;
	int users;
	int ends;
	uint32_t write_errors;
	struct dw_writes last;
	const char *unproven;
	struct dw_verdict verdict;
	char came[192];
	char text[192];
};

static void take_watch(struct job_disk *d)
{
	d->who.watch = d->device->watch;
	if (d->who.watch.wce != DW_UNKNOWN)
		d->who.watch.wce =
			d->device->caps.cache.wce; /* the job may have switched it */
}

int job_settle_begin(struct dw_job *job, struct job_disk *d)
{
	struct job_settle *s;

	if (!d->device || !d->device->claim.held)
		return 0;
	s = d->settle = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->job = job;
	s->disk = d;
	s->ends = 1;
	take_watch(d);
	s->n = job_paths_devices(d, s->device);
	for (size_t i = 0; i < s->n; i++) {
		dw_device_count_io(s->device[i]);
		dw_device_errors_elsewhere(s->device[i]); /* from now on */
	}
	dw_writes_count(s->device, s->n, &s->mark);
	return 0;
}

void job_settle_free(struct job_disk *d)
{
	free(d->settle);
	d->settle = NULL;
}

static void settle_device(struct job_settle *s)
{
	dw_writes_count(s->device, s->n, &s->before);
	s->error = dw_device_settle(s->device, s->n);
	dw_writes_count(s->device, s->n, &s->after);
	s->last = s->after;
}

/* A path that is gone has no users. */
static int look_again(struct job_settle *s)
{
	int r = 0;

	for (size_t i = 0; i < s->n && !r; i++) {
		r = dw_device_look_again(&s->device[i], 1, &s->verdict);
		if (r == -ENODEV || r == -ENXIO || r == -ENOENT)
			r = 0;
	}
	return r;
}

/* What the new key makes of the old data may look like a partition table to a host. */
static void zero_ends(struct job_settle *s)
{
	const struct job_disk *d = s->disk;

	if (s->unproven || d->plan.verify_only || dw_plan_written_over(&d->plan) ||
	    job_witness_guarded(d) ||
	    (d->plan.operation != DW_OPERATION_CRYPTO_ERASE &&
	     d->plan.operation != DW_OPERATION_FORMAT_CRYPTO))
		return;
	s->ends = dw_device_zero_ends(d->device, &s->write_errors);
	if (!dw_writes_foreign(d->device)) /* ours are counted, too */
		dw_writes_count(s->device, s->n, &s->last);
}

static void settle_in_worker(struct dw_work *w)
{
	struct job_settle *s = dw_container_of(w, struct job_settle, work);
	char came[192];

	s->users = 0;
	s->ends = 1;
	s->write_errors = 0;
	s->unproven = NULL;
	s->stamps.class = DW_CLASS_OK;
	if (s->op.flags & DW_OP_WRITTEN)
		job_stamps_after(s->disk, &s->stamps);
	if (s->stamps.class != DW_CLASS_OK)
		return;
	s->adopted = s->disk->device->sanitize.running;
	s->adoption = s->adopted ? dw_device_operated(s->device[0], &s->verdict) : 0;
	if (s->adoption)
		return;
	if (s->adopted) /* the kernel read what there is: nobody else could */
		dw_writes_count(s->device, s->n, &s->mark);
	settle_device(s);
	if (s->error || !(s->op.flags & DW_OP_FINAL))
		return;
	s->users = look_again(s);
	s->unproven = job_witness_look(s->disk, s->untold);
	if (!s->unproven && job_units_came(s->disk, true, came, sizeof(came))) {
		snprintf(s->came, sizeof(s->came),
			 "the units of its device have changed while it erased itself: "
			 "%.110s",
			 came);
		s->unproven = s->came;
	}
	if (!s->users)
		zero_ends(s);
}

static int settled(struct dw_work *w);

int job_settle_submit(struct dw_job *job, struct job_disk *d, const struct dw_op *op)
{
	struct job_settle *s = d->settle;
	uint64_t now = engine_clock(job->engine);
	struct dw_result nothing = { .disk = op->disk,
				     .slot = op->slot,
				     .class = DW_CLASS_OK,
				     .submit_ns = now,
				     .end_ns = now };

	if (!s)
		return job_local_result(job->engine, &nothing);
	s->op = *op;
	s->untold = job_disk_state(d)->operation.end_unknown ||
		    (d->caps.self.end_unknown && !dw_operation_blocks(d->plan.operation));
	s->stamps = (struct job_stamps){ .device = job_paths_sound(d),
					 .st = job_disk_state(d) };
	s->work.run = settle_in_worker;
	s->work.done = settled;
	dw_loop_begin(job->engine->loop, &s->work);
	return 0;
}

/* Writes of others since the mark or, if ours are counted as well, during the write-back. */
static uint64_t foreign(const struct job_disk *d, const struct job_settle *s)
{
	bool ours = !(s->op.flags & DW_OP_FINAL) && !dw_writes_foreign(d->device);

	return dw_writes_between(ours ? &s->before : &s->mark, &s->after);
}

static void fail_operation(struct job_settle *s, struct dw_result *r, uint8_t class)
{
	r->class = class;
	r->detail = s->text;
}

/* Writes of another program before a verification of all blocks are found by that. */
static int judge_writes(struct dw_job *job, struct job_disk *d, uint64_t n,
			struct dw_result *r)
{
	struct job_settle *s = d->settle;

	snprintf(
		s->text, sizeof(s->text),
		"another program wrote to it (%llu sectors by the kernel's count); find it "
		"(fuser -v %s), stop it and erase again",
		(unsigned long long)n, d->info.block[0] ? d->info.block : d->info.sg);
	if ((s->op.flags & DW_OP_FINAL) ||
	    d->plan.pass[d->plan.n_passes - 1].verify != DW_VERIFY_FULL) {
		fail_operation(s, r, DW_CLASS_FAILED);
		return 0;
	}
	return job_notice(
		job, d->id,
		"another program wrote to it (%llu sectors by the kernel's count): "
		"the verification tells what is left of that",
		(unsigned long long)n);
}

/* Its operation has ended, which ran when it was claimed: is it still the disk of the state
 * file? */
static void judge_adoption(struct job_disk *d, struct dw_result *r)
{
	struct job_settle *s = d->settle;

	if (!s->adoption) {
		d->caps = d->device->caps;
		take_watch(d);
		return;
	}
	d->who.stranger |= s->verdict.refusal == DW_REFUSAL_CHANGED;
	snprintf(s->text, sizeof(s->text), "it worked on a SANITIZE, and now: %.120s",
		 s->adoption < 0 ? strerror(-s->adoption) : s->verdict.reason);
	fail_operation(s, r,
		       s->adoption == -ENODEV || s->adoption == -ENXIO ? DW_CLASS_GONE
		       : s->verdict.refusal == DW_REFUSAL_CHANGED      ? DW_CLASS_FAILED
								       : DW_CLASS_RETRY);
}

/* A user that was found may continue to write. If it only cannot be seen who uses the disk, there
 * need be nobody, and the work is not given up for that. */
static void judge_users(struct job_settle *s, struct dw_result *r)
{
	const char *why = s->users < 0 ? strerror(-s->users) : s->verdict.reason;

	if (s->users < 0 || s->verdict.refusal == DW_REFUSAL_UNSEEN) {
		snprintf(s->text, sizeof(s->text), "%.190s", why);
		fail_operation(s, r, DW_CLASS_UNSEEN);
		return;
	}
	snprintf(s->text, sizeof(s->text),
		 "in use at the end (%.90s): it may be written to unseen; erase again "
		 "without",
		 why);
	fail_operation(s, r, DW_CLASS_FAILED);
}

/*
 * Its operation is proven, but blocks cannot be read, as their protection information does not
 * match: writing them corrects that.
 */
static int write_over(struct dw_job *job, struct job_disk *d, struct dw_result *r)
{
	struct job_settle *s = d->settle;
	int e;

	if (!(s->op.flags & DW_OP_FINAL) || !job_witness_guarded(d) ||
	    dw_plan_written_over(&d->plan))
		return 0;
	r->write_over = true;
	dw_plan_write_over(&d->plan);
	e = job_plan_sources(job, d);
	if (!e)
		e = job_eta_longer(d);
	return e ? e
		 : job_notice(
			   job, d->id,
			   "after its %s %u blocks that were read before cannot be read: "
			   "their protection information does not match (10h/01-03); it is "
			   "written once, which renews it",
			   dw_operation_name(d->plan.operation), job_witness_guarded(d));
}

static int judge_device(struct dw_job *job, struct job_disk *d, struct dw_result *r)
{
	struct job_settle *s = d->settle;
	uint64_t n;

	r->class = DW_CLASS_OK;
	d->who.write_errors += s->stamps.write_errors + s->write_errors;
	if (s->stamps.class != DW_CLASS_OK) {
		fail_operation(s, r, s->stamps.class);
		r->detail = s->stamps.text;
		d->who.reset_reported |= s->stamps.class == DW_CLASS_RESET;
		return 0;
	}
	if (s->adopted)
		judge_adoption(d, r);
	if (s->adoption)
		return 0;
	n = foreign(d, s);
	if (s->error) {
		snprintf(s->text, sizeof(s->text), "%s: %s",
			 s->error == -EBUSY ? "a partition of it is in use"
					    : "the kernel's pages cannot be written back",
			 strerror(-s->error));
		fail_operation(s, r,
			       s->error == -ENODEV || s->error == -ENXIO
				       ? DW_CLASS_GONE
				       : DW_CLASS_RETRY);
		return 0;
	}
	if (s->users) {
		judge_users(s, r);
		return 0;
	}
	if (s->unproven) {
		snprintf(s->text, sizeof(s->text), "%s", s->unproven);
		fail_operation(s, r, DW_CLASS_FAILED);
		return 0;
	}
	if (s->ends == -ESTALE) {
		d->who.stranger = true;
		snprintf(s->text, sizeof(s->text), "identity changed: " DW_ANOTHER_DISK);
		fail_operation(s, r, DW_CLASS_FAILED);
		return 0;
	}
	s->mark = s->last;
	if (n)
		return judge_writes(job, d, n, r);
	return write_over(job, d, r);
}

static int settled(struct dw_work *w)
{
	struct job_settle *s = dw_container_of(w, struct job_settle, work);
	struct dw_result r = { .disk = s->op.disk, .slot = s->op.slot };
	uint64_t now = engine_clock(s->job->engine);
	int e = judge_device(s->job, s->disk, &r);

	r.submit_ns = r.end_ns = now;
	return e ? e : dw_core_result(s->job->engine->core, &r, now);
}

uint64_t job_errors_elsewhere(struct job_disk *d)
{
	struct dw_device *device[DW_PATHS_MAX];
	uint64_t sum = 0;
	size_t n;

	if (!d->settle)
		return 0;
	n = job_paths_devices(d, device);
	for (size_t i = 0; i < n; i++)
		sum += dw_device_errors_elsewhere(device[i]);
	return sum;
}

int job_settle_ends(const struct job_disk *d)
{
	return d->settle ? d->settle->ends : 1;
}

uint64_t job_settle_late(struct job_disk *d)
{
	struct job_settle *s = d->settle;

	if (!s)
		return 0;
	settle_device(s);
	return dw_writes_between(&s->mark, &s->after);
}

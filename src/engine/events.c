/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Core events become public ones, and the core's books become results. Whether a disk is
 * called erased is decided in one place, job_outcome().
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "diskwipe/units.h"
#include "engine/cycle.h"
#include "engine/internal.h"
#include "engine/own.h"
#include "file/password.h"
#include "plan/sample.h"
#include "find/uevents.h"

#define CONFIDENCE      0.99
#define EXCEPTION_SHARE 10 /* of a disk: more than a tenth is no exception */

static const uint8_t phases[] = {
	[DW_CORE_WAITING] = DW_PHASE_WAITING,   [DW_CORE_WRITE] = DW_PHASE_WRITE,
	[DW_CORE_SETTLE] = DW_PHASE_FLUSH,      [DW_CORE_FLUSH] = DW_PHASE_FLUSH,
	[DW_CORE_CONFIRM] = DW_PHASE_FLUSH,     [DW_CORE_VERIFY] = DW_PHASE_VERIFY,
	[DW_CORE_REPAIR] = DW_PHASE_REPAIR,     [DW_CORE_REVERIFY] = DW_PHASE_VERIFY,
	[DW_CORE_DONE] = DW_PHASE_DONE,         [DW_CORE_OPERATE] = DW_PHASE_SANITIZE,
	[DW_CORE_CYCLE] = DW_PHASE_POWER_CYCLE,
};

static void fault_to_exception(const struct dw_fault *f, struct dw_exception *ret)
{
	*ret = (struct dw_exception){
		.lba = f->lba,
		.blocks = f->nlb,
		.kind = f->kind == DW_FAULT_UNWRITABLE   ? DW_UNWRITABLE
			: f->kind == DW_FAULT_UNREADABLE ? DW_UNREADABLE
			: f->kind == DW_FAULT_UNSTEADY   ? DW_UNSTEADY
							 : DW_MISMATCH,
	};
	if (f->sense_key || f->asc)
		snprintf(ret->sense, sizeof(ret->sense), "%x/%02x/%02x", f->sense_key,
			 f->asc, f->ascq);
}

/* until its outcome is told it is not done */
static enum dw_phase told_phase(const struct job_disk *d, const struct dw_disk_state *st)
{
	if (st->phase == DW_CORE_DONE && !d->released)
		return DW_PHASE_FLUSH;
	if (st->paused)
		return DW_PHASE_PAUSED;
	return st->fenced ? DW_PHASE_RECOVER : (enum dw_phase)phases[st->phase];
}

static const struct dw_disk_plan *plan_of(const struct job_disk *d)
{
	return dw_core_plan(d->job->engine->core, d->number);
}

/* of a disk that the core knows */
static void progress(const struct dw_job *job, uint32_t disk, struct dw_progress *ret)
{
	const struct dw_disk_state *st = job_disk_state(job->disk[disk]);
	const struct dw_disk_plan *p = plan_of(job->disk[disk]);
	uint64_t left =
		st->work_total > st->work_done ? st->work_total - st->work_done : 0;

	*ret = (struct dw_progress){
		.phase = told_phase(job->disk[disk], st),
		.pass = st->pass,
		.n_passes = p->n_passes,
		.lba = st->position,
		.bytes_total = st->work_total * p->block_size,
		.bytes_done = (st->work_total - left) * p->block_size,
		.rate = st->phase == DW_CORE_DONE ? 0 : st->rate,
		.errors = st->retried + st->split + st->timeouts + st->resets,
		.transfer_blocks = st->transfer,
		.depth = st->depth,
		.outcome = job->result.disk[disk].outcome,
	};
	for (uint32_t i = 0; i < st->n_faults; i++)
		ret->exceptions += (uint32_t)st->fault[i].nlb;
	ret->eta_seconds = -1;
}

int dw_job_progress(struct dw_job *job, uint32_t disk, struct dw_progress *ret)
{
	*ret = (struct dw_progress){ .phase = DW_PHASE_WAITING, .eta_seconds = -1 };
	if (disk >= job->n_disks)
		return -EINVAL;
	if (!job->started)
		return 0;
	progress(job, disk, ret);
	ret->eta_seconds = job_seconds_left(job, job->disk[disk], job_now(job));
	return 0;
}

int job_notice(struct dw_job *job, uint32_t disk, const char *fmt, ...)
{
	struct dw_event e = { .kind = DW_EVENT_NOTICE,
			      .disk = disk,
			      .seconds = dw_job_seconds(job) };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e.text, sizeof(e.text), fmt, ap);
	va_end(ap);
	if (disk != DW_EVENT_OF_JOB)
		progress(job, disk, &e.progress);
	return job_news_add(job, &e);
}

enum used {
	USED_SANITIZE = 1 << 0,
	USED_SECURITY = 1 << 1,
	USED_FORMAT = 1 << 2,
	USED_SAME = 1 << 3,
	USED_WRITE = 1 << 4,
};

static const char *const used_words[] = { "sanitize", "security-erase", "format-nvm",
					  "write-same", "write" };

static uint32_t used_by(const struct dw_pass_state *p, uint8_t operation)
{
	uint32_t own = !dw_operation_blocks(operation)          ? USED_SANITIZE
		       : operation <= DW_OPERATION_ATA_ENHANCED ? USED_SECURITY
								: USED_FORMAT;

	return (p->used_operation ? own : 0) | (p->used_ws ? USED_SAME : 0) |
	       (p->used_write ? USED_WRITE : 0);
}

/* "sanitize+write"; "none" */
static void say_used(uint32_t used, char *buf, size_t size)
{
	size_t n = 0;

	snprintf(buf, size, "none");
	for (size_t i = 0; i < DW_ARRAY_SIZE(used_words); i++)
		if (used & 1u << i && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? "+" : "",
					      used_words[i]);
}

/* what say_used() has said */
static uint32_t parse_used(const char *text)
{
	uint32_t used = 0;

	for (size_t len; *text; text += len + (text[len] == '+')) {
		len = strcspn(text, "+");
		for (size_t i = 0; i < DW_ARRAY_SIZE(used_words); i++)
			if (len == strlen(used_words[i]) &&
			    !strncmp(text, used_words[i], len))
				used |= 1u << i;
	}
	return used;
}

static void fill_passes(const struct dw_job *job, const struct job_disk *d,
			const struct dw_disk_state *st, struct dw_disk_result *r)
{
	uint32_t first = d->plan.verify_only ? d->plan.n_passes - 1u : d->plan.first_pass;
	uint32_t all = 0, used;

	for (uint32_t i = first; i <= st->pass && i < d->plan.n_passes; i++) {
		const struct dw_pass_state *p = &st->passes[i];
		struct dw_pass_result *out = &r->pass[i - first];

		dw_pattern_name(&d->plan.pass[i].pattern, out->pattern,
				sizeof(out->pattern));
		used = used_by(p, d->plan.operation);
		say_used(used, out->command, sizeof(out->command));
		out->bytes = p->bytes;
		if (p->begin_ns && p->end_ns > p->begin_ns)
			out->seconds = (double)(p->end_ns - p->begin_ns) / 1e9;
		all |= used;
		r->n_passes = i - first + 1;
	}
	say_used(all, r->command, sizeof(r->command));
}

/* what was decided for a copy, if it is one */
static void fill_copies(const struct dw_job *job, const struct job_disk *d,
			struct dw_disk_result *r)
{
	const struct dw_copies_state *s =
		dw_core_copies_state(job->engine->core, d->number);

	r->verify.sweeps = job_disk_state(d)->sweeps;
	if (!s)
		return;
	snprintf(r->verify.copies, sizeof(r->verify.copies), "%s",
		 dw_copies_policy_name(s->policy));
	if (s->forecast.both > 0)
		r->verify.simulated = 1 - s->forecast.common / s->forecast.both;
}

/* of a disk that went to the end; in full is every block, but for none */
static void judge_verified(const struct dw_disk_state *st, bool full, uint64_t blocks,
			   struct dw_disk_result *r)
{
	if (full && r->verify.read == blocks) {
		r->verify.done = DW_VERIFIED_FULL;
		r->verify.bound = 0;
	} else if (!full && st->verify_units) {
		r->verify.done = DW_VERIFIED_SAMPLE;
		if (!st->mismatches)
			r->verify.bound =
				dw_sample_bound_of(st->sweeps, st->verify_units,
						   st->sample_total, CONFIDENCE);
	}
}

static void fill_verify(const struct dw_job *job, const struct job_disk *d,
			const struct dw_disk_state *st, struct dw_disk_result *r)
{
	uint8_t mode = plan_of(d)->pass[d->plan.n_passes - 1].verify;

	if (mode == DW_VERIFY_OFF)
		snprintf(r->verify.mode, sizeof(r->verify.mode), "off");
	else if (mode == DW_VERIFY_FULL)
		snprintf(r->verify.mode, sizeof(r->verify.mode), "full");
	else
		snprintf(r->verify.mode, sizeof(r->verify.mode), "sample:%g%%",
			 d->plan.percent);
	if (mode == DW_VERIFY_SAMPLE)
		snprintf(r->verify.seed, sizeof(r->verify.seed), "%016" PRIx64,
			 d->plan.seed);
	r->verify.samples = st->verify_units;
	r->verify.blocks = st->verify_blocks;
	r->verify.mismatches = st->mismatches;
	r->verify.fua = plan_of(d)->fua;
	r->verify.bound = 1;
	r->verify.read = mode == DW_VERIFY_FULL ? st->verify_blocks + st->verify_differ
						: st->verify_sampled;
	r->verify.read = dw_min_u64(r->verify.read, d->plan.blocks);
	if (st->pass + 1u < d->plan.n_passes) /* it was of an earlier pass */
		r->verify.read = 0;
	r->verify.done = r->verify.read ? DW_VERIFIED_PART : DW_VERIFIED_NONE;
	if (st->end == DW_END_COMPLETE && r->verify.read)
		judge_verified(st, mode == DW_VERIFY_FULL, d->plan.blocks, r);
	fill_copies(job, d, r);
}

int job_exceptions(const struct dw_disk_state *st, struct dw_exception **ret,
		   size_t *ret_n)
{
	*ret = NULL;
	*ret_n = st->n_faults;
	if (!st->n_faults)
		return 0;
	*ret = calloc(st->n_faults, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	for (uint32_t i = 0; i < st->n_faults; i++)
		fault_to_exception(&st->fault[i], &(*ret)[i]);
	return 0;
}

static void set_reason(struct dw_disk_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void set_reason(struct dw_disk_result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->reason, sizeof(r->reason), fmt, ap);
	va_end(ap);
}

static uint64_t fault_blocks(const struct dw_disk_state *st)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < st->n_faults; i++)
		blocks += st->fault[i].nlb;
	return blocks;
}

/* blocks of exceptions that differ, or else that could not be read, and the first of them */
static uint64_t count_faults(const struct dw_disk_state *st, bool differ,
			     uint64_t *ret_first)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < st->n_faults; i++) {
		const struct dw_fault *f = &st->fault[i];

		if ((f->kind >= DW_FAULT_MISMATCH) != differ)
			continue;
		*ret_first = blocks ? dw_min_u64(*ret_first, f->lba) : f->lba;
		blocks += f->nlb;
	}
	return blocks;
}

/* what a verification found that was not as expected, and how much of the disk it saw */
static void say_found(const struct job_disk *d, const struct dw_disk_state *st,
		      struct dw_disk_result *r)
{
	char n[DW_UNIT_TEXT], read[DW_UNIT_TEXT], wrong[144] = "", lost[112] = "";
	uint64_t differ, unread, first = 0;

	differ = count_faults(st, true, &first);
	if (differ)
		snprintf(wrong, sizeof(wrong),
			 "%s of %s blocks that were read differ, the first is LBA %llu",
			 dw_count_format(differ, n, sizeof(n)),
			 dw_count_format(r->verify.read, read, sizeof(read)),
			 (unsigned long long)first);
	unread = count_faults(st, false, &first);
	if (unread)
		snprintf(lost, sizeof(lost),
			 "%s%s could not be read, the first is LBA %llu",
			 differ ? "; " : "", dw_count_format(unread, n, sizeof(n)),
			 (unsigned long long)first);
	set_reason(r, "%s%s%s", wrong, lost,
		   r->verify.read + unread < d->plan.blocks ? "; the rest was not read"
							    : "");
}

/* A normal security erase ends where the disk's addresses do, and a format is of one namespace. */
static bool is_reached(const struct job_disk *d)
{
	return d->plan.operation && d->plan.operation != DW_OPERATION_ATA_NORMAL &&
	       d->info.hidden_by != DW_HIDDEN_ELEMENT &&
	       (d->info.hidden_by != DW_HIDDEN_NAMESPACE ||
		!dw_operation_blocks(d->plan.operation));
}

/* It was written, and may have kept that in its cache: only a look after a loss of power shows. */
static void say_unflushed(const struct job_disk *d, struct dw_disk_result *r)
{
	const struct dw_pattern *last = &d->plan.pass[d->plan.n_passes - 1].pattern;
	char pattern[64];

	dw_pattern_name(last, pattern, sizeof(pattern));
	set_reason(
		r,
		"written, but nothing proves that it left the cache: it does not do "
		"SYNCHRONIZE CACHE, and has no FUA; unplug it, plug it in again, and verify "
		"it in full, for the pattern %s%s",
		pattern,
		d->plan.cycle && d->job->spec.state_file[0]
			? "; or resume the job, which waits for that"
			: "");
}

/* It was without power, as far as anybody can tell, and what it holds was read after that. */
static void judge_cycled(const struct job_disk *d, const struct dw_disk_state *st,
			 struct dw_disk_result *r)
{
	uint64_t first = 0, n = count_faults(st, true, &first);

	if (st->mismatches) {
		r->outcome = DW_OUTCOME_FAILED;
		set_reason(
			r,
			"after it was unplugged, %llu of its %llu blocks do not hold what was "
			"written to them, the first is LBA %llu: they were in its cache alone; "
			"erase it through another adapter, or destroy it",
			(unsigned long long)n, (unsigned long long)d->plan.blocks,
			(unsigned long long)first);
		return;
	}
	r->outcome = DW_OUTCOME_EXCEPTIONS;
	set_reason(
		r,
		"nothing flushed its cache; verified in full after it had been unplugged for "
		"%u s at least. That it was without power then is the word of who did that",
		job_cycle_away(d));
}

/* a disk that went all the way: erased, unless something speaks against it */
static void judge_complete(const struct job_disk *d, const struct dw_disk_state *st,
			   struct dw_disk_result *r)
{
	bool sampled = plan_of(d)->pass[d->plan.n_passes - 1].verify != DW_VERIFY_FULL;
	uint64_t blocks = fault_blocks(st), unsteady = 0;

	for (uint32_t i = 0; i < st->n_faults; i++)
		if (st->fault[i].kind == DW_FAULT_UNSTEADY)
			unsteady += st->fault[i].nlb;
	if (blocks && d->plan.verify_only) {
		r->outcome = DW_OUTCOME_EXCEPTIONS;
		say_found(d, st, r);
	} else if (d->unflushed && st->cycle != DW_CYCLE_SEEN) {
		r->outcome = DW_OUTCOME_FAILED;
		say_unflushed(d, r);
	} else if (d->unflushed && (st->mismatches || !blocks)) {
		judge_cycled(d, st, r);
	} else if (st->mismatches && sampled) {
		r->outcome = DW_OUTCOME_FAILED;
		set_reason(
			r,
			"verification: %llu blocks of the sample differ, so others may too",
			(unsigned long long)st->mismatches);
	} else if (unsteady && sampled) {
		r->outcome = DW_OUTCOME_FAILED;
		set_reason(
			r,
			"verification: %llu blocks of the sample were read wrong, and right "
			"when read again, so others may be old; verify in full, over another "
			"path",
			(unsigned long long)unsteady);
	} else if (unsteady && unsteady == blocks) {
		r->outcome = DW_OUTCOME_EXCEPTIONS;
		set_reason(
			r,
			"%llu blocks were read wrong, and right when read again: what the "
			"disk holds there is not sure",
			(unsigned long long)unsteady);
	} else if (blocks > d->plan.blocks / EXCEPTION_SHARE) {
		r->outcome = DW_OUTCOME_FAILED;
		set_reason(
			r,
			"%llu of its %llu blocks could not be erased or verified; erase it "
			"again, or destroy it",
			(unsigned long long)blocks, (unsigned long long)d->plan.blocks);
	} else if (blocks) {
		r->outcome = DW_OUTCOME_EXCEPTIONS;
		set_reason(r, "%llu blocks could not be erased or verified%s",
			   (unsigned long long)blocks,
			   d->unflushed ? "; nothing flushed its cache, and that it was "
					  "without power before the rest was verified is "
					  "the word of who unplugged it"
					: "");
	} else if (st->unsure) {
		r->outcome = DW_OUTCOME_EXCEPTIONS;
		set_reason(
			r,
			"others were told of errors (or the disk of being too busy), so that a "
			"failed write may have gone unheard; verify it in full");
	} else if (d->info.hidden_blocks) {
		r->outcome = DW_OUTCOME_EXCEPTIONS;
		set_reason(r, "%llu blocks of the disk are hidden and %s",
			   (unsigned long long)d->info.hidden_blocks,
			   is_reached(d)
				   ? "cannot be read back; its command reaches them "
				     "by the standard"
				   : "were not touched");
	} else if (d->info.logical_volume && !d->plan.verify_only) {
		r->outcome = DW_OUTCOME_EXCEPTIONS;
		set_reason(r, "member disks not addressed");
	} else {
		r->outcome = DW_OUTCOME_ERASED;
	}
}

/* how much of what was written may be on another disk; without a lease nobody has counted */
static void blame_stranger(const struct dw_job *job, const struct job_disk *d,
			   const struct dw_disk_state *st, struct dw_disk_result *r)
{
	char buf[32];

	if (d->lease.identify)
		set_reason(r, "%s; at most %s were written since it last said who it is",
			   st->reason, dw_size_format(job_unproven(d), buf, sizeof(buf)));
}

static void say_stopped(const struct job_disk *d, const struct dw_disk_state *st,
			struct dw_disk_result *r)
{
	uint32_t pass;
	uint64_t lba = job_mark(d, st, &pass);

	if (d->plan.verify_only && fault_blocks(st))
		say_found(d, st, r);
	else if (d->plan.verify_only)
		set_reason(r, "stopped before the rest was read");
	else if (st->cycle)
		set_reason(r, "stopped: it is written, and is to be unplugged and "
			      "verified; resume the job");
	else
		set_reason(
			r,
			"stopped at %s %llu of pass %u; all blocks %s are written and flushed%s%s",
			d->plan.order.n ? "block" : "LBA", (unsigned long long)lba,
			pass + 1,
			d->plan.order.n ? "before it in the sweep" : "before it",
			st->reason[0] ? "; " : "", st->reason);
}

bool job_works_on(const struct job_disk *d, const struct dw_disk_state *st)
{
	return d->plan.operation && st->operating && !st->passes[0].used_operation;
}

void job_outcome(struct dw_job *job, struct job_disk *d)
{
	const struct dw_disk_state *st = job_disk_state(d);
	struct dw_disk_result *r = &job->result.disk[d->id];
	uint32_t pass;
	size_t n;

	set_reason(r, "%s", d->out[0] ? d->out : st->reason);
	fill_verify(job, d, st, r);
	switch (st->end) {
	case DW_END_COMPLETE:
		judge_complete(d, st, r);
		break;
	case DW_END_STOPPED:
		r->outcome = DW_OUTCOME_STOPPED;
		say_stopped(d, st, r);
		break;
	case DW_END_REMOVED:
		r->outcome = DW_OUTCOME_REMOVED;
		break;
	case DW_END_FAILED:
		r->outcome = DW_OUTCOME_FAILED;
		if (job_cycle_missed(d)) {
			say_unflushed(d, r);
		} else if (d->stranger) {
			blame_stranger(job, d, st, r);
		} else if (d->plan.verify_only && fault_blocks(st) > EXCEPTION_LIMIT) {
			r->outcome = DW_OUTCOME_EXCEPTIONS; /* enough was seen */
			say_found(d, st, r);
		}
		break;
	default:
		r->outcome = DW_OUTCOME_NONE;
	}
	r->seconds = (double)(st->finished_ns - st->started_ns) / 1e9;
	r->flush_seconds = (double)st->flush_ns / 1e9;
	r->verify_seconds = (double)st->verify_ns / 1e9;
	r->waited_seconds = (double)st->waited_ns / 1e9;
	r->bytes_written = st->bytes_written;
	r->bytes_verified = st->bytes_verified;
	r->bytes_compared = st->bytes_verified + st->mismatches * d->plan.block_size;
	r->commands = st->commands;
	r->mean_bytes_per_second = job_busy_rate(&d->busy, r->bytes_written,
						 st->bytes_operated, r->bytes_compared);
	r->transfer_blocks = st->most_transfer;
	r->depth = st->most_depth;
	r->errors.retried = st->retried;
	r->errors.split = st->split;
	r->errors.timeouts = st->timeouts;
	r->errors.resets = st->resets;
	r->flush_refused = st->flush_refused;
	r->write_cache_switched = d->write_cache_switched;
	r->left_working = st->end == DW_END_FAILED && !d->stranger && job_works_on(d, st);
	r->info.password_left = d->device && dw_password_known(&d->info);
	r->stopped_lba = job_mark(d, st, &pass);
	r->stopped_pass = pass;
	if (d->transport || !d->cycle)
		snprintf(r->path, sizeof(r->path), "%s",
			 d->out[0] ? ""
				   : job->engine->world->ops->way(job->engine->world, d));
	fill_passes(job, d, st, r);
	free(r->exception);
	if (job_exceptions(st, &r->exception, &n) < 0)
		job->engine->error = -ENOMEM;
	r->n_exceptions = (uint32_t)n;
	r->n_notes = 0;
	job_notes(job, d, st, r);
	if (r->info.password_left)
		job_note(r, "%s", DW_PASSWORD_WAY);
	if (st->flush_refused)
		job_note(r, "SYNCHRONIZE CACHE refused; the write cache was off");
}

void job_unrestored(struct dw_job *job, const struct job_disk *d, int r)
{
	static const char text[] =
		"its write cache setting and reservation were not put back, "
		"since %s; a power cycle of the disk does it";
	const char *why = r > 0 ? "another disk may answer" : "it does not answer";

	job_note(&job->result.disk[d->id], text, why);
	job_notice(job, d->id, text, why);
}

void job_healthy(struct dw_job *job, const struct job_disk *d,
		 const struct dw_health *after)
{
	struct dw_disk_result *r = &job->result.disk[d->id];
	int64_t was = r->health_before.grown_defects;
	bool before = r->health_before.state || r->health_before.temperature;

	r->health_after = *after;
	if (before && was >= 0 && after->grown_defects > was)
		job_note(
			r,
			"%lld more blocks were replaced by others meanwhile (grown defects: "
			"%lld, before %lld)",
			(long long)(after->grown_defects - was),
			(long long)after->grown_defects, (long long)was);
	if (after->state == DW_HEALTH_FAILING)
		job_note(r, "do not use it again: it says that it fails: %s",
			 after->text);
}

int job_outcome_late(struct dw_job *job, struct job_disk *d, uint64_t writes)
{
	struct dw_disk_result *r = &job->result.disk[d->id];

	r->outcome = DW_OUTCOME_FAILED;
	set_reason(
		r,
		"another program wrote to it after it was done (%llu sectors by the kernel's "
		"count); find it (fuser -v %.64s), stop it and erase again",
		(unsigned long long)writes,
		d->info.block[0] ? d->info.block : d->info.sg);
	return job_notice(job, d->id, "%.220s", r->reason);
}

static struct timespec event_time(const struct dw_job *job, uint64_t now_ns)
{
	struct dw_world *w = job->engine->world;

	return w->ops->time_of_day(w, now_ns);
}

static int take_event(struct job_disk *d, const struct dw_core_event *ce)
{
	static const uint8_t kinds[] = {
		[DW_CORE_EVENT_STARTED] = DW_EVENT_STARTED,
		[DW_CORE_EVENT_PHASE] = DW_EVENT_PASS,
		[DW_CORE_EVENT_PROGRESS] = DW_EVENT_PROGRESS,
		[DW_CORE_EVENT_NOTICE] = DW_EVENT_NOTICE,
		[DW_CORE_EVENT_FAULT] = DW_EVENT_EXCEPTION,
		[DW_CORE_EVENT_FLUSHED] = DW_EVENT_FLUSHED,
		[DW_CORE_EVENT_PAUSED] = DW_EVENT_PAUSED,
		[DW_CORE_EVENT_RESUMED] = DW_EVENT_RESUMED,
	};
	struct dw_job *job = d->job;
	struct dw_event e = { .disk = d->id,
			      .seconds = (double)(ce->now_ns - job->start_ns) / 1e9 };

	if (ce->kind == DW_CORE_EVENT_DONE)
		return job_end_begin(job, d, ce->now_ns);
	e.kind = (enum dw_event_kind)kinds[ce->kind];
	if (ce->kind == DW_CORE_EVENT_STARTED)
		job->result.disk[d->id].started = event_time(job, ce->now_ns);
	if (ce->kind == DW_CORE_EVENT_STARTED || ce->kind == DW_CORE_EVENT_PHASE ||
	    ce->kind == DW_CORE_EVENT_PAUSED || ce->kind == DW_CORE_EVENT_RESUMED)
		job_eta_event(d, ce->now_ns, ce->kind);
	progress(job, d->id, &e.progress);
	if (ce->kind == DW_CORE_EVENT_FAULT)
		fault_to_exception(&ce->fault, &e.exception);
	if (ce->kind == DW_CORE_EVENT_FLUSHED)
		e.progress.lba = ce->lba;
	snprintf(e.text, sizeof(e.text), "%s", ce->text);
	if (e.kind == DW_EVENT_FLUSHED && d->unflushed)
		return 0;
	if (e.kind == DW_EVENT_FLUSHED && job->spec.state_file[0]) {
		d->flushed = e;
		d->is_flushed = true;
		return 0;
	}
	return job_news_add(job, &e);
}

int job_disk_done(struct dw_job *job, struct job_disk *d)
{
	struct dw_disk_result *r = &job->result.disk[d->id];
	struct dw_event e = {
		.kind = DW_EVENT_DISK_DONE,
		.disk = d->id,
		.seconds = (double)(d->end.now_ns - job->start_ns) / 1e9,
	};

	progress(job, d->id, &e.progress);
	if (r->commands)
		r->finished = event_time(job, d->end.now_ns);
	else
		r->started = (struct timespec){ 0 };
	snprintf(e.text, sizeof(e.text), "%s", r->reason);
	return job_news_add(job, &e);
}

int engine_take_events(struct dw_engine *e, int *ret_n)
{
	struct dw_core_event ce;
	int r = 0;

	for (; !r && dw_core_event(e->core, &ce); ++*ret_n) {
		r = take_event(e->disk[ce.disk], &ce);
		if (ce.kind == DW_CORE_EVENT_FLUSHED)
			e->disk[ce.disk]->job->state.wanted = true;
	}
	for (struct dw_job *job = e->looked; job && !r; job = job->next_looked) {
		r = job->state.wanted ? job_state_keep(job) : 0;
		job->state.wanted = false;
	}
	return r;
}

/* the worst first */
static enum dw_outcome worse(enum dw_outcome a, enum dw_outcome b)
{
	static const uint8_t rank[] = {
		[DW_OUTCOME_NONE] = 0,       [DW_OUTCOME_ERASED] = 1,
		[DW_OUTCOME_EXCEPTIONS] = 2, [DW_OUTCOME_STOPPED] = 3,
		[DW_OUTCOME_REMOVED] = 4,    [DW_OUTCOME_FAILED] = 5,
	};

	return rank[a] > rank[b] ? a : b;
}

void job_final(struct dw_job *job)
{
	struct dw_job_result *r = &job->result;
	uint32_t used = 0;

	r->outcome = DW_OUTCOME_NONE;
	for (size_t i = 0; i < r->n_disks; i++) {
		r->outcome = worse(r->outcome, r->disk[i].outcome);
		used |= parse_used(r->disk[i].command);
	}
	say_used(used, r->command, sizeof(r->command));
}

void job_result_deinit(struct dw_job_result *r)
{
	for (size_t i = 0; i < r->n_disks; i++) {
		free(r->disk[i].pass);
		free(r->disk[i].exception);
	}
	free(r->disk);
	free(r->refused);
}

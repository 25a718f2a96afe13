/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes results from the state in the core: what was done, the outcome, and its reason. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "core/spec.h"
#include "diskwipe/units.h"
#include "engine/cycle.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/resets.h"
#include "engine/resume.h"
#include "engine/outcome.h"
#include "engine/own.h"
#include "engine/plan.h"
#include "file/password.h"
#include "plan/plants.h"
#include "plan/sample.h"

#define EXCEPTION_SHARE 10 /* more than a tenth of a disk counts as failure */

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
static void explain_used(uint32_t used, char *buf, size_t size)
{
	size_t n = 0;

	snprintf(buf, size, "none");
	for (size_t i = 0; i < DW_ARRAY_SIZE(used_words); i++)
		if (used & 1u << i && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? "+" : "",
					      used_words[i]);
}

/* what explain_used() has said */
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
		explain_used(used, out->command, sizeof(out->command));
		out->bytes = p->bytes;
		if (p->begin_ns && p->end_ns > p->begin_ns)
			out->seconds = (double)(p->end_ns - p->begin_ns) / 1e9;
		all |= used;
		r->n_passes = i - first + 1;
	}
	explain_used(all, r->command, sizeof(r->command));
}

/* what was decided for a copy, if it is one */
static void fill_copies(const struct dw_job *job, const struct job_disk *d,
			struct dw_disk_result *r)
{
	const struct dw_copies_state *s =
		dw_core_copies_state(job->engine->core, d->place.number);

	r->verify.sweeps = job_disk_state(d)->verify.sweeps;
	if (!s)
		return;
	snprintf(r->verify.copies, sizeof(r->verify.copies), "%s",
		 dw_copies_policy_name(s->policy));
	if (s->forecast.both > 0)
		r->verify.simulated = 1 - s->forecast.common / s->forecast.both;
}

/* of a disk that went to the end; in full is every block, but for none */
static void judge_verified(const struct dw_verify_state *v, bool full, uint64_t blocks,
			   struct dw_disk_result *r)
{
	if (full && r->verify.read == blocks) {
		r->verify.done = DW_VERIFIED_FULL;
		r->verify.bound = 0;
	} else if (!full && v->units) {
		r->verify.done = DW_VERIFIED_SAMPLE;
		if (!v->mismatches)
			r->verify.bound = dw_sample_bound_of(
				v->sweeps, v->units, v->total, DW_SAMPLE_CONFIDENCE);
	}
}

/* What a disk did by itself is proven by these. A few more may be unreadable, or withheld. */
static uint32_t changed_places(const struct job_disk *d)
{
	const struct dw_witness_found *found = job_witness_passed(d);

	return found ? found->read - found->withheld - found->guarded : 0;
}

/* Only a comparison that went to the end, and found all that was planted, proves anything. */
static void fill_compared(const struct job_disk *d, const struct dw_disk_state *st,
			  struct dw_disk_result *r)
{
	const struct dw_compare_state *s = &st->compare;
	const char *why = s->why[0] ? s->why : d->choice.not_compared;

	r->verify.planted = s->plants;
	r->verify.found = s->found;
	r->verify.compared = s->done ? s->blocks : 0;
	r->verify.skipped = s->done && s->found == s->plants && s->strata
				    ? dw_plants_bound(s->strata)
				    : 0;
	snprintf(r->verify.not_compared, sizeof(r->verify.not_compared), "%s",
		 why ? why : "");
}

static void fill_verify(const struct dw_job *job, const struct job_disk *d,
			const struct dw_disk_state *st, struct dw_disk_result *r)
{
	uint8_t mode = job_disk_plan(d)->pass[d->plan.n_passes - 1].verify;

	if (dw_spec_verify(&job->spec) == DW_VERIFY_DEVICE && mode != DW_VERIFY_OFF)
		snprintf(r->verify.mode, sizeof(r->verify.mode), "device");
	else if (mode == DW_VERIFY_OFF)
		snprintf(r->verify.mode, sizeof(r->verify.mode), "off");
	else if (mode == DW_VERIFY_FULL && !d->choice.raised)
		snprintf(r->verify.mode, sizeof(r->verify.mode), "full");
	else
		snprintf(r->verify.mode, sizeof(r->verify.mode), "sample:%g%%",
			 job_percent_asked(d));
	if (mode == DW_VERIFY_SAMPLE)
		snprintf(r->verify.seed, sizeof(r->verify.seed), "%016" PRIx64,
			 d->plan.seed);
	r->verify.samples = st->verify.units;
	r->verify.blocks = st->verify.blocks;
	r->verify.mismatches = st->verify.mismatches;
	r->verify.fua = job_disk_plan(d)->fua;
	r->verify.bound = 1;
	r->verify.places = changed_places(d);
	r->verify.read = mode == DW_VERIFY_FULL ? st->verify.blocks + st->verify.differ
						: st->verify.sampled;
	r->verify.read = dw_min_u64(r->verify.read, d->plan.blocks);
	if (st->pass + 1u < d->plan.n_passes) /* it was of an earlier pass */
		r->verify.read = 0;
	r->verify.done = r->verify.read ? DW_VERIFIED_PART : DW_VERIFIED_NONE;
	if (st->end == DW_END_COMPLETE && r->verify.read)
		judge_verified(&st->verify, mode == DW_VERIFY_FULL, d->plan.blocks, r);
	fill_copies(job, d, r);
	fill_compared(d, st, r);
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

static uint64_t fault_blocks(const struct dw_faults *faults)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < faults->n; i++)
		blocks += faults->v[i].nlb;
	return blocks;
}

_Static_assert(DW_UNWRITABLE < DW_MISMATCH && DW_UNREADABLE < DW_MISMATCH &&
		       DW_UNSTEADY > DW_MISMATCH,
	       "count_faults()");

/* blocks of exceptions that differ, or else that could not be read, and the first of them */
static uint64_t count_faults(const struct dw_faults *faults, bool differ,
			     uint64_t *ret_first)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < faults->n; i++) {
		const struct dw_fault *f = &faults->v[i];

		if ((f->kind >= DW_MISMATCH) != differ)
			continue;
		*ret_first = blocks ? dw_min_u64(*ret_first, f->lba) : f->lba;
		blocks += f->nlb;
	}
	return blocks;
}

/* what a verification found that was not as expected, and how much of the disk it saw */
static void explain_found(const struct job_disk *d, const struct dw_disk_state *st,
			  struct dw_disk_result *r)
{
	char n[DW_UNIT_TEXT], read[DW_UNIT_TEXT], wrong[144] = "", lost[112] = "";
	uint64_t differ, unread, first = 0;

	differ = count_faults(&st->faults, true, &first);
	if (differ)
		snprintf(wrong, sizeof(wrong),
			 "%s of %s blocks that were read differ, the first is LBA %llu",
			 dw_count_format(differ, n, sizeof(n)),
			 dw_count_format(r->verify.read, read, sizeof(read)),
			 (unsigned long long)first);
	unread = count_faults(&st->faults, false, &first);
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
static void explain_unflushed(const struct job_disk *d, struct dw_disk_result *r)
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

/* How much of the written data may be on another disk; without a lease it was not counted. */
static void blame_stranger(const struct job_disk *d, const struct dw_disk_state *st,
			   struct dw_disk_result *r)
{
	char buf[32];

	if (d->who.lease.identify)
		set_reason(r, "%s; at most %s were written since it last said who it is",
			   st->reason, dw_size_format(job_unproven(d), buf, sizeof(buf)));
}

/* What is to be done with a disk that was stopped: one that was cancelled is not resumed. */
static const char *next_step(const struct job_disk *d)
{
	if (d->job->spec.state_file[0] && !d->step.cancelled)
		return "resume the job";
	return d->plan.verify_only ? "verify it again" : "erase it again";
}

static void explain_stopped(const struct job_disk *d, const struct dw_disk_state *st,
			    struct dw_disk_result *r)
{
	uint32_t pass;
	uint64_t lba = job_mark(d, st, &pass);

	set_reason(r, "stopped at %s %llu of pass %u, not verified; %s%s%s",
		   d->plan.order.n ? "block" : "LBA", (unsigned long long)lba, pass + 1,
		   next_step(d), st->reason[0] ? "; " : "", st->reason);
}

/* The core ends no pass before what is to be verified of it is. */
static void explain_unread(const struct job_disk *d, struct dw_disk_result *r)
{
	set_reason(
		r,
		"%llu of its %llu blocks were read after the last pass, fewer than was asked "
		"for; this is an error of the program: verify it in full, and report that",
		(unsigned long long)r->verify.read, (unsigned long long)d->plan.blocks);
}

/* As far as can be seen it was without power, and its contents were read after that. */
static void explain_cycled(const struct job_disk *d, const struct dw_disk_state *st,
			   enum job_why why, struct dw_disk_result *r)
{
	uint64_t first = 0, n = count_faults(&st->faults, true, &first);

	if (why == JOB_WHY_LOST_ITS_CACHE)
		set_reason(
			r,
			"after it was unplugged, %llu of its %llu blocks do not hold what was "
			"written to them, the first is LBA %llu: they were in its cache alone; "
			"erase it through another adapter, or destroy it",
			(unsigned long long)n, (unsigned long long)d->plan.blocks,
			(unsigned long long)first);
	else
		set_reason(
			r,
			"nothing flushed its cache; verified in full after it had been "
			"unplugged for %u s at least. That it was without power then is the "
			"word of who did that",
			job_cycle_away(d));
}

static void explain_hidden(const struct job_disk *d, struct dw_disk_result *r)
{
	set_reason(r, "%llu blocks of the disk are hidden and %s",
		   (unsigned long long)d->info.hidden_blocks,
		   is_reached(d) ? "cannot be read back; its command reaches them by the "
				   "standard"
				 : "were not touched");
}

static uint64_t unsteady_blocks(const struct dw_faults *faults)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < faults->n; i++)
		if (faults->v[i].kind == DW_UNSTEADY)
			blocks += faults->v[i].nlb;
	return blocks;
}

static void explain_blocks(const struct job_disk *d, const struct dw_disk_state *st,
			   enum job_why why, struct dw_disk_result *r)
{
	unsigned long long blocks = fault_blocks(&st->faults),
			   unsteady = unsteady_blocks(&st->faults);

	if (why == JOB_WHY_SAMPLE_DIFFERS)
		set_reason(
			r,
			"verification: %llu blocks of the sample differ, so others may too",
			(unsigned long long)st->verify.mismatches);
	else if (why == JOB_WHY_SAMPLE_UNSTEADY)
		set_reason(
			r,
			"verification: %llu blocks of the sample were read wrong, and right "
			"when read again, so others may be old; verify in full, over another "
			"path",
			unsteady);
	else if (why == JOB_WHY_UNSTEADY)
		set_reason(
			r,
			"%llu blocks were read wrong, and right when read again: what the "
			"disk holds there is not sure",
			unsteady);
	else if (why == JOB_WHY_MANY)
		set_reason(
			r,
			"%llu of its %llu blocks could not be erased or verified; erase it "
			"again, or destroy it",
			blocks, (unsigned long long)d->plan.blocks);
	else
		set_reason(r, "%llu blocks could not be erased or verified%s", blocks,
			   d->cache.unflushed
				   ? "; nothing flushed its cache, and that it was "
				     "without power before the rest was verified is "
				     "the word of who unplugged it"
				   : "");
}

static void explain_why(const struct job_disk *d, const struct dw_disk_state *st,
			enum job_why why, struct dw_disk_result *r)
{
	static const char *const texts[] = {
		[JOB_WHY_UNSURE] =
			("error reports went to another program or host, or the disk was too "
			 "busy; a failed write may have been missed: verify it in full"),
		[JOB_WHY_VOLUME] = "member disks not addressed",
		[JOB_WHY_STOPPED_READING] = "stopped before the rest was read",
		[JOB_WHY_STOPPED] = NULL,
	};

	if (texts[why])
		set_reason(r, "%s", texts[why]);
	else if (why == JOB_WHY_FOUND)
		explain_found(d, st, r);
	else if (why == JOB_WHY_UNFLUSHED)
		explain_unflushed(d, r);
	else if (why == JOB_WHY_UNREAD)
		explain_unread(d, r);
	else if (why == JOB_WHY_LOST_ITS_CACHE || why == JOB_WHY_CYCLED)
		explain_cycled(d, st, why, r);
	else if (why == JOB_WHY_HIDDEN)
		explain_hidden(d, r);
	else if (why == JOB_WHY_STRANGER)
		blame_stranger(d, st, r);
	else if (why == JOB_WHY_STOPPED)
		explain_stopped(d, st, r);
	else if (why == JOB_WHY_STOPPED_CYCLE)
		set_reason(
			r,
			"stopped: it is written, and was not unplugged and verified; %s",
			next_step(d));
	else if (why != JOB_WHY_CORE)
		explain_blocks(d, st, why, r);
}

static uint32_t facts(const struct job_disk *d, const struct dw_disk_state *st,
		      const struct dw_disk_result *r)
{
	uint8_t verify = job_disk_plan(d)->pass[d->plan.n_passes - 1].verify;
	uint64_t blocks = fault_blocks(&st->faults),
		 unsteady = unsteady_blocks(&st->faults);
	const struct {
		bool holds;
		enum job_fact fact;
	} all[] = {
		{ d->plan.verify_only, JOB_FACT_COMPARED },
		{ blocks > 0, JOB_FACT_BLOCKS },
		{ blocks > d->plan.blocks / EXCEPTION_SHARE, JOB_FACT_MANY },
		{ blocks > EXCEPTION_LIMIT, JOB_FACT_ENOUGH },
		{ st->verify.mismatches > 0, JOB_FACT_MISMATCH },
		{ unsteady > 0, JOB_FACT_UNSTEADY },
		{ blocks > unsteady, JOB_FACT_STEADY },
		{ verify != DW_VERIFY_FULL, JOB_FACT_SAMPLED },
		{ d->cache.unflushed, JOB_FACT_UNFLUSHED },
		{ st->cycle != DW_CYCLE_NONE, JOB_FACT_CYCLE },
		{ st->cycle == DW_CYCLE_SEEN, JOB_FACT_CYCLED },
		{ job_cycle_missed(d), JOB_FACT_NOT_CYCLED },
		{ st->elsewhere.unsure, JOB_FACT_UNSURE },
		{ d->info.hidden_blocks > 0, JOB_FACT_HIDDEN },
		{ d->info.logical_volume, JOB_FACT_VOLUME },
		{ d->who.stranger, JOB_FACT_STRANGER },
		{ verify != DW_VERIFY_OFF && r->verify.done < DW_VERIFIED_SAMPLE,
		  JOB_FACT_UNREAD },
	};
	uint32_t ret = 0;

	for (size_t i = 0; i < DW_ARRAY_SIZE(all); i++)
		ret |= all[i].holds ? all[i].fact : 0;
	return ret;
}

bool job_works_on(const struct job_disk *d, const struct dw_disk_state *st)
{
	return d->plan.operation && st->operation.running &&
	       !st->passes[0].used_operation;
}

void job_outcome(struct dw_job *job, struct job_disk *d)
{
	const struct dw_disk_state *st = job_disk_state(d);
	struct dw_disk_result *r = &job->result.disk[d->id];
	struct job_judgement is;
	uint32_t pass;
	size_t n;

	set_reason(r, "%s", d->out[0] ? d->out : st->reason);
	fill_verify(job, d, st, r);
	is = job_judge((enum dw_core_end)st->end, facts(d, st, r));
	r->outcome = is.outcome;
	explain_why(d, st, is.why, r);
	r->seconds = (double)(st->ns.finished - st->ns.started) / 1e9;
	r->flush_seconds = (double)st->ns.flush / 1e9;
	r->verify_seconds = (double)st->ns.verify / 1e9;
	r->waited_seconds = (double)st->ns.waited / 1e9;
	r->bytes_written = st->bytes_written;
	r->bytes_verified = st->verify.bytes;
	r->bytes_compared = st->verify.bytes + st->verify.mismatches * d->plan.block_size;
	r->commands = st->commands;
	r->mean_bytes_per_second = job_busy_rate(&d->busy, r->bytes_written,
						 st->operation.bytes, r->bytes_compared);
	r->transfer_blocks = st->steer.most_transfer;
	r->depth = st->steer.most_depth;
	r->errors.retried = st->trouble.retried;
	r->errors.split = st->trouble.split;
	r->errors.timeouts = st->trouble.timeouts;
	r->errors.resets = st->trouble.resets;
	r->flush_refused = st->flush_refused;
	r->write_cache_switched = d->cache.switched;
	r->left_working =
		st->end == DW_END_FAILED && !d->who.stranger && job_works_on(d, st);
	r->info.password_left = d->device && dw_password_known(&d->info);
	r->stopped_lba = job_mark(d, st, &pass);
	r->stopped_pass = pass;
	if (d->place.transport || !d->cycle)
		snprintf(r->path, sizeof(r->path), "%s",
			 d->out[0] ? ""
				   : job->engine->world->ops->way(job->engine->world, d));
	fill_passes(job, d, st, r);
	free(r->exception);
	if (job_exceptions(&st->faults, &r->exception, &n) < 0)
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
	explain_used(used, r->command, sizeof(r->command));
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When a job checks that its disk has as many blocks as addresses, and what follows if it has
 * not: before the first write it is refused, after the last pass it fails. own/stamps.c says what
 * the checks are, and why these two.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <diskwipe/identity.h>

#include "base/util.h"
#include "engine/disk.h"
#include "engine/job.h"
#include "engine/paths.h"
#include "engine/stamps.h"
#include "judge/verdict.h"
#include "device/zones.h"
#include "own/path.h"
#include "own/stamps.h"

#define LOOKS 3 /* until each block keeps its stamp: one may be lost by accident */

/* A disk that loses writes does so at each check. */
static int look_at_addresses(struct dw_device *device, const struct dw_stamp_terms *terms,
			     struct dw_stamp_found *ret)
{
	uint32_t write_errors = 0;
	int r = 0;

	for (int i = 0; i < LOOKS; i++) {
		r = dw_device_stamps(device, terms, ret);
		write_errors += ret->write_errors;
		if (r || ret->verdict.wraps || ret->same_fails || !ret->verdict.odd)
			break;
	}
	ret->write_errors = write_errors;
	return r;
}

/* "addresses wrap at 65536: ..."; false when they do not */
static bool explain_wrap(const struct dw_stamp_found *f, char *buf, size_t size)
{
	const struct dw_stamp_verdict *v = &f->verdict;

	if (v->wraps)
		snprintf(
			buf, size,
			"addresses wrap at %llu: it is the same block as %llu; the rest of "
			"the disk cannot be reached here, use another adapter or bridge",
			(unsigned long long)v->at, (unsigned long long)v->onto);
	else if (f->same_wraps)
		snprintf(buf, size,
			 "addresses of WRITE SAME wrap: block %llu is not reached by it; "
			 "choose the command write",
			 (unsigned long long)f->kept_lba);
	return v->wraps || f->same_wraps;
}

/* WRITE SAME is tried on blocks that were just seen to take WRITE. */
static void drop_same(struct job_disk *d)
{
	d->choice.same_failed = true;
	d->plan.ws_max = 0;
	d->plan.command = DW_PLAN_WRITE;
}

/* Stamps are written in any order, and the contents put back, which is possible in conventional
 * zones alone. For the other zones, the disk's own write pointers show how far writes got:
 * zones_after(). */
static bool is_sequential(void *ctx, uint64_t lba)
{
	const struct job_disk *d = ctx;
	struct dw_zone zone;

	return d->plan.zones && (!dw_zones_find(d->plan.zones, lba, &zone) ||
				 zone.kind != DW_ZONE_CONVENTIONAL);
}

int job_stamps_before(struct job_disk *d, struct dw_verdict *v)
{
	struct dw_stamp_terms terms = { .fua = d->plan.fua,
					.skip = is_sequential,
					.ctx = d };
	struct dw_device *path[DW_PATHS_MAX];
	struct dw_stamp_found found;
	char text[200];
	size_t n;
	int r;

	if (d->plan.verify_only || !d->device || !d->device->claim.held ||
	    d->device->sanitize.running)
		return 0;
	n = job_paths_devices(d, path);
	for (size_t i = 0; i < n; i++) {
		terms.same = d->plan.ws_max > 0;
		r = look_at_addresses(path[i], &terms, &found);
		d->who.write_errors += found.write_errors;
		if (r == -ENOMEM)
			return r;
		if (r == -ESTALE)
			return dw_verdict_set(v, DW_REFUSAL_CHANGED, DW_ANOTHER_DISK);
		if (found.same_fails)
			drop_same(d);
		/* the job reports more about a block that cannot be written or read */
		if (explain_wrap(&found, text, sizeof(text)))
			return dw_verdict_set(v, DW_REFUSAL_ADDRESSES, "%s", text);
		if (!r && found.verdict.ends)
			return dw_verdict_set(
				v, DW_REFUSAL_ERROR,
				"nothing is kept that is written from block %llu on: it has "
				"fewer blocks than it shows, or cannot be written to here; "
				"use another adapter or bridge",
				(unsigned long long)found.verdict.end_lba);
	}
	return 0;
}

/** struct last_pass - what a stamp is erased with, and where none is written */
struct last_pass {
	struct job_disk *disk;
	struct dw_source *source;
	const struct dw_disk_state *st;
};

static int fill_pattern(void *ctx, uint64_t lba, uint8_t *block)
{
	const struct last_pass *p = ctx;

	return dw_source_fill(p->source, lba, 1, block);
}

static bool is_left_out(void *ctx, uint64_t lba)
{
	const struct last_pass *p = ctx;

	if (is_sequential(p->disk, lba))
		return true;
	for (uint32_t i = 0; i < p->st->faults.n; i++)
		if (lba - p->st->faults.v[i].lba < p->st->faults.v[i].nlb)
			return true;
	return false;
}

/* The interruption as a result for the core, which repeats the settling after it. */
static uint8_t class_of(int r, bool lost)
{
	if (r == -ENODEV || r == -ENXIO)
		return DW_CLASS_GONE;
	if (r == -ESTALE || r == -EACCES || r == -EPERM)
		return DW_CLASS_FAILED;
	return lost ? DW_CLASS_RESET : DW_CLASS_RETRY;
}

static void judge_after(struct job_disk *d, const struct dw_stamp_found *f,
			struct job_stamps *s)
{
	bool full = d->plan.pass[s->st->pass].verify == DW_VERIFY_FULL;

	if (explain_wrap(f, s->text, sizeof(s->text))) {
		s->class = DW_CLASS_FAILED;
	} else if (f->same_fails) {
		s->class = DW_CLASS_UNSUPPORTED;
		snprintf(s->text, sizeof(s->text),
			 "WRITE SAME does nothing any more, or fails");
	} else if (f->kept) {
		s->class = DW_CLASS_RETRY;
		snprintf(s->text, sizeof(s->text),
			 "block %llu does not hold what was written to it last",
			 (unsigned long long)f->kept_lba);
	} else if (f->verdict.odd) {
		s->class = DW_CLASS_FAILED;
		snprintf(
			s->text, sizeof(s->text),
			"block %llu, and %u others of those where addresses are compared, "
			"do not keep what is written to them",
			(unsigned long long)f->verdict.odd_lba, f->verdict.odd - 1);
	} else if (f->missed && !full) {
		s->class = DW_CLASS_FAILED;
		snprintf(
			s->text, sizeof(s->text),
			"block %llu, and %u others of those where addresses are compared, "
			"do not hold what was written to them; verify in full",
			(unsigned long long)f->missed_lba, f->missed - 1);
	}
}

/** struct zones_look - the zones after a pass; @wrong: one is not written to its end, from
 *  @pointer on; it begins at @first */
struct zones_look {
	struct dw_claimed_path path;
	struct job_disk *disk;
	const struct dw_disk_state *st;
	bool wrong;
	uint64_t first;
	uint64_t pointer;
};

static int send_report(void *ctx, struct dw_cmd *cmd)
{
	struct zones_look *look = ctx;

	return dw_claimed_send(&look->path, cmd);
}

/* are all blocks of [@at, @end) known not to be erased? They are sorted. */
static bool are_faults(const struct dw_faults *faults, uint64_t at, uint64_t end)
{
	for (uint32_t i = 0; i < faults->n && at < end; i++)
		if (faults->v[i].lba <= at)
			at = dw_max_u64(at, faults->v[i].lba + faults->v[i].nlb);
	return at >= end;
}

/* Blocks behind the write pointer were not written. */
static int look_at_zone(void *ctx, const struct dw_zbc_zone *z)
{
	struct zones_look *look = ctx;
	uint64_t from = z->first, end = z->first + z->nlb;
	struct dw_zone zone;

	if (!dw_zones_sequential(look->disk->plan.zones, z->first, &zone) ||
	    z->condition == DW_ZBC_FULL)
		return 0;
	if (zone.first == z->first && zone.nlb == z->nlb &&
	    z->condition != DW_ZBC_READ_ONLY && z->condition != DW_ZBC_OFFLINE)
		from = dw_max_u64(from, dw_min_u64(z->pointer, end));
	if (are_faults(&look->st->faults, from, end))
		return 0;
	look->wrong = true;
	look->first = z->first;
	look->pointer = from;
	return 1;
}

static int zones_after(struct job_disk *d, struct job_stamps *s)
{
	struct zones_look look = { .path = { .device = s->device, .strict = true },
				   .disk = d,
				   .st = s->st };
	const struct dw_zones_reader reader = { .blocks = d->plan.blocks,
						.send = send_report,
						.each = look_at_zone,
						.ctx = &look };
	int r = d->plan.zones ? dw_zones_read(&reader) : 0;

	if (look.wrong) {
		s->class = DW_CLASS_FAILED;
		snprintf(
			s->text, sizeof(s->text),
			"the zone from LBA %llu on is not full: it says that nothing was "
			"written from LBA %llu on; erase again",
			(unsigned long long)look.first, (unsigned long long)look.pointer);
		return 0;
	}
	if (r < 0) {
		s->class = class_of(r, look.path.lost || r == -EINTR);
		snprintf(s->text, sizeof(s->text), "its zones cannot be read: %s",
			 strerror(-r));
	}
	return r;
}

void job_stamps_after(struct job_disk *d, struct job_stamps *s)
{
	struct last_pass pass = { .disk = d,
				  .source = d->contents.source[s->st->pass],
				  .st = s->st };
	const struct dw_stamp_terms terms = {
		.strict = true,
		.fua = d->plan.fua,
		.same = s->st->passes[s->st->pass].used_ws &&
			s->st->same != DW_SAME_FAILED,
		.zeros = dw_source_is_zero(pass.source),
		.fill = fill_pattern,
		.skip = is_left_out,
		.ctx = &pass,
	};
	struct dw_stamp_found found;
	int r;

	s->class = DW_CLASS_RETRY;
	snprintf(s->text, sizeof(s->text), "no path of it is sure");
	if (!s->device)
		return;
	r = look_at_addresses(s->device, &terms, &found);
	s->write_errors = found.write_errors;
	s->class = r ? class_of(r, found.lost) : DW_CLASS_OK;
	if (r == -ESTALE)
		snprintf(s->text, sizeof(s->text), "identity changed: " DW_ANOTHER_DISK);
	else if (r)
		snprintf(s->text, sizeof(s->text), "its addresses cannot be compared: %s",
			 strerror(-r));
	else
		judge_after(d, &found, s);
	if (!r && s->class == DW_CLASS_OK)
		r = zones_after(d, s);
	d->who.stranger |= r == -ESTALE;
}

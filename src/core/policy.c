/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is done with the blocks of a command that did not end well. They are sent again. If that
 * fails once more, with nothing else in flight, the error is theirs: they are split until the bad
 * blocks stand alone, and these are named, whatever the error is. Three things wait for the end
 * of the pass: what is costly to try (a timeout) or may be the fault of the path; a place where
 * one command after the other fails (zone.c); and errors that may pass, after a few vain
 * attempts. Until then these blocks are in doubt: they are faults that have not been reported, so
 * that the mark may pass them.
 *
 * What the disk needs before anything is sent to it is decided in recover.c.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/util.h"
#include "core/internal.h"

#define REWRITES_MAX 3
#define REREADS_MAX  1
#define LAST_MAX     2 /* failures of a block that costs much to try */
#define ROW_MAX      4 /* failures that may not be the blocks' */

void core_give_up(struct core_disk *d, uint8_t end, const char *fmt, ...)
{
	va_list ap;

	if (d->rec.end == DW_END_REMOVED || (d->rec.end && end != DW_END_REMOVED))
		return;
	d->rec.end = end;
	va_start(ap, fmt);
	vsnprintf(d->rec.reason, sizeof(d->rec.reason), fmt, ap);
	va_end(ap);
}

static const char *detail(const struct dw_result *r)
{
	return r->detail ? r->detail : dw_class_name(r->class);
}

/* "write at LBA 5: 3/0c/00 write error" */
const char *core_describe(const struct core_slot *s, const struct dw_result *r, char *buf,
			  size_t size)
{
	char where[48] = "", sense[16] = "";

	if (s->extent.nlb)
		snprintf(where, sizeof(where), " at LBA %llu",
			 (unsigned long long)s->extent.lba);
	if (r->sense_key || r->asc)
		snprintf(sense, sizeof(sense), "%x/%02x/%02x ", r->sense_key, r->asc,
			 r->ascq);
	snprintf(buf, size, "%s%s: %s%s", dw_verb_name(s->verb), where, sense, detail(r));
	return buf;
}

static void give_back_extent(struct dw_core *c, struct core_disk *d,
			     const struct dw_extent *e)
{
	uint64_t run;

	if (!e->nlb)
		return;
	/* what was put off of a zone is written in order once it has begun */
	if (e->late && !core_zoned_writes(d, e->lba)) {
		core_set_error(c, dw_cursor_put_off(&d->cursor, e));
		return;
	}
	/* a leap's mark speaks for what was in flight as well */
	if (d->state.phase == DW_CORE_WRITE && !e->late)
		d->state.mark = dw_min_u64(d->state.mark,
					   dw_order_pos(&d->plan.order, e->lba, &run));
	core_set_error(c, dw_cursor_give_back(&d->cursor, e));
}

/* in doubt until it is written after all */
static void put_off(struct dw_core *c, struct core_disk *d,
		    const struct dw_extent *failed, const struct dw_result *r)
{
	struct dw_extent again = *failed, *e = &again;

	core_zoned_whole(c, d, e);
	core_set_error(c, dw_cursor_put_off(&d->cursor, e));
	if (d->state.phase == DW_CORE_WRITE)
		core_fault_doubt(c, d, e->lba, e->nlb, r);
}

void core_policy_put_off(struct dw_core *c, struct core_disk *d, bool all)
{
	struct dw_extents kept = { 0 };
	struct dw_extent e;

	while (dw_extents_take(&d->cursor.redo, UINT32_MAX, &e)) {
		if (all || e.fails || e.max)
			put_off(c, d, &e, NULL);
		else
			core_set_error(c, dw_extents_add(&kept, &e));
	}
	dw_extents_deinit(&d->cursor.redo);
	d->cursor.redo = kept;
}

/* the blocks of @e that belong to the physical block of @lba */
static struct dw_extent physical_block(const struct core_disk *d,
				       const struct dw_extent *e, uint64_t lba)
{
	uint64_t from = lba - lba % d->plan.physical, end = from + d->plan.physical;

	from = dw_max_u64(from, e->lba);
	end = dw_min_u64(end, e->lba + e->nlb);
	return (struct dw_extent){ .lba = from,
				   .nlb = end - from,
				   .max = d->plan.physical };
}

/*
 * Cut a failed extent so that the bad block comes to stand alone: at the block that the disk
 * named, else in halves. False when it stands alone already.
 */
static bool isolate(struct dw_core *c, struct core_disk *d, const struct dw_extent *e,
		    const struct dw_result *r)
{
	struct dw_extent alone = physical_block(d, e, r->bad_valid ? r->bad_lba : e->lba);
	struct dw_extent head = *e, tail = *e;

	if (alone.nlb == e->nlb || core_zoned_writes(d, e->lba))
		return false;
	d->state.trouble.split++;
	alone.late = e->late;
	alone.fails = head.fails = tail.fails = core_rule_of(r)->blame != BLAME_AT_ONCE;
	if (r->bad_valid) {
		tail.lba = alone.lba + alone.nlb;
		head.nlb = alone.lba - e->lba;
		tail.nlb = e->lba + e->nlb - tail.lba;
		give_back_extent(c, d, &head);
		give_back_extent(c, d, &alone);
		give_back_extent(c, d, &tail);
		return true;
	}
	head.nlb = e->nlb / 2;
	head.nlb -= (e->lba + head.nlb) % d->plan.physical;
	if (!head.nlb || head.nlb > e->nlb)
		head.nlb = alone.nlb;
	tail.lba = e->lba + head.nlb;
	tail.nlb = e->nlb - head.nlb;
	head.max = (uint32_t)head.nlb;
	tail.max = (uint32_t)tail.nlb;
	give_back_extent(c, d, &head);
	give_back_extent(c, d, &tail);
	return true;
}

/* Errors that may pass: other blocks are tried first. Where nothing ends well any more, it need
 * not be the fault of the block. */
static bool once_more(struct dw_core *c, struct core_disk *d, struct dw_extent *e,
		      const struct dw_result *r, uint32_t most)
{
	bool doubtful = (!e->late || d->patience.row > ROW_MAX) &&
			core_rule_of(r)->blame != BLAME_AT_ONCE;

	if (e->fails >= most && !doubtful)
		return false;
	d->state.trouble.retried++;
	if (e->fails >= most) {
		put_off(c, d, e, r);
		return true;
	}
	e->fails++;
	core_zoned_whole(c, d, e);
	give_back_extent(c, d, e);
	return true;
}

static void name_unwritable(struct dw_core *c, struct core_disk *d,
			    const struct dw_extent *failed, const struct dw_result *r)
{
	struct dw_extent rest = *failed, *e = &rest;

	core_zoned_rest(c, d, e);
	d->state.work_done += e->nlb;
	if (e->late && d->state.phase == DW_CORE_WRITE)
		core_fault_reported(c, d, e->lba, e->nlb, r);
	else
		core_fault_add(c, d, DW_UNWRITABLE, e->lba, e->nlb, r);
}

static void blamed_write(struct dw_core *c, struct core_disk *d, struct dw_extent *e,
			 const struct dw_result *r)
{
	bool last = core_rule_of(r)->blame == BLAME_LAST;

	if (!isolate(c, d, e, r) &&
	    !once_more(c, d, e, r, last ? LAST_MAX : REWRITES_MAX))
		name_unwritable(c, d, e, r);
}

/* what is known to be bad is not read to its end */
static void pass_known(struct core_disk *d)
{
	struct dw_cursor *q = &d->cursor;

	while (!q->sampled && q->next < q->end) {
		uint64_t run, lba = dw_order_lba(q->order, q->next, &run);
		uint64_t n = core_fault_end(d, lba) - lba;

		if (!n)
			return;
		n = dw_min_u64(n, dw_min_u64(run, q->end - q->next));
		q->next += n;
		d->state.work_done += n;
	}
}

static void blamed_read(struct dw_core *c, struct core_disk *d, struct dw_extent *e,
			const struct dw_result *r)
{
	struct dw_zone zone; /* of which no block is written alone */

	if (core_fault_has(d, e->lba, e->nlb)) {
		d->state.work_done += e->nlb;
		pass_known(d);
		return;
	}
	if (isolate(c, d, e, r) || once_more(c, d, e, r, REREADS_MAX))
		return;
	if ((d->state.phase == DW_CORE_VERIFY || d->state.phase == DW_CORE_FLOOD) &&
	    !d->plan.verify_only && d->state.cycle == DW_CYCLE_NONE &&
	    !dw_zones_sequential(d->plan.zones, e->lba, &zone)) {
		/* the write may be fine, or a new write may repair it: see REPAIR */
		core_set_error(c,
			       dw_extents_merge(&d->verify.unreadable, e->lba, e->nlb));
		return;
	}
	d->state.work_done += e->nlb;
	core_fault_add(c, d, DW_UNREADABLE, e->lba, e->nlb, r);
}

/* As far as can be seen, these blocks cause the error. */
static void blamed(struct dw_core *c, struct core_disk *d, uint8_t verb,
		   struct dw_extent e, const struct dw_result *r)
{
	if (core_rule_of(r)->blame == BLAME_LAST && !e.late)
		put_off(c, d, &e, r);
	else if (verb == DW_VERB_READ)
		blamed_read(c, d, &e, r);
	else
		blamed_write(c, d, &e, r);
}

static void blocks_failed(struct dw_core *c, struct core_disk *d,
			  const struct core_slot *s, const struct dw_result *r)
{
	bool again = d->rec.failed && core_rule_of(r)->blame == BLAME_LAST;
	uint8_t blame = core_rule_of(r)->blame;
	struct dw_extent e = s->extent;

	if (blame == BLAME_NONE) {
		give_back_extent(c, d, &e);
		return;
	}
	if (core_zoned_farther(d, e.lba))
		e.fails = 0; /* it is not the same error */
	d->patience.row++;
	d->rec.failed = true; /* all commands in flight: one failure */
	if (e.late) {         /* bad at both ends, or only here? */
		d->cursor.late_next = UINT64_MAX;
		if (!d->plan.zones)
			core_set_error(c, dw_extents_halve(&d->cursor.late, e.lba + e.nlb,
							   d->plan.physical));
	} else if (!again) {
		core_zone_failed(d, &e, r);
	}
	if (blame == BLAME_AT_ONCE || e.fails) {
		blamed(c, d, s->verb, e, r);
		return;
	}
	e.fails = 1;
	d->state.trouble.retried += r->class == DW_CLASS_RETRY;
	give_back_extent(c, d, &e);
}

static void medium_error(struct dw_core *c, struct core_disk *d,
			 const struct core_slot *s, const struct dw_result *r)
{
	if (!r->deferred && s->extent.nlb) {
		blocks_failed(c, d, s, r);
		return;
	}
	/* about an unknown earlier write: all since the last flush is in doubt */
	give_back_extent(c, d, &s->extent);
	d->state.trouble.retried++;
	core_recover_earlier_write(c, d);
}

static void too_big(struct dw_core *c, struct core_disk *d, const struct core_slot *s)
{
	uint32_t half = (uint32_t)dw_max_u64(s->extent.nlb / 2, 1);
	uint32_t *limit = &d->limits.data;

	give_back_extent(c, d, &s->extent);
	if (s->verb == DW_VERB_WRITE_SAME) {
		limit = &d->limits.ws;
		d->limits.ws_nlb = (uint32_t)dw_min_u64(d->limits.ws_nlb, half);
	} else if (s->verb == DW_VERB_WRITE &&
		   d->plan.pass[d->state.pass].pattern.kind == DW_PATTERN_CONST) {
		limit = &d->limits.constant;
	}
	if (s->extent.nlb <= 1) {
		core_give_up(d, DW_END_FAILED, "even one block is too long a transfer");
		return;
	}
	if (half < *limit) {
		*limit = half;
		core_notice(c, d, "transfer too long: %s limited to %u blocks",
			    dw_verb_name(s->verb), half);
	}
}

static void unsupported(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
			const struct dw_result *r)
{
	char text[120];

	switch (s->verb) {
	case DW_VERB_WRITE_SAME:
		give_back_extent(c, d, &s->extent);
		if (d->state.same != DW_SAME_FAILED)
			core_notice(c, d, "WRITE SAME refused: using WRITE");
		d->state.same = DW_SAME_FAILED;
		return;
	case DW_VERB_FLUSH:
		if (d->flush.wce == 0 && r->cache == DW_CACHE_OFF) {
			/* nothing volatile to flush; recorded */
			d->state.flush_refused = true;
			d->flush.done = true;
			return;
		}
		core_give_up(
			d, DW_END_FAILED,
			"SYNCHRONIZE CACHE refused, so that nothing proves the cache was written");
		return;
	case DW_VERB_SETTLE:
		/* since when is not known */
		core_notice(c, d, "%s: the pass is written again by WRITE", r->detail);
		d->state.same = DW_SAME_FAILED;
		if (d->flush.after == DW_CORE_WRITE)
			d->state.mark = 0;
		core_disk_rewind(c, d);
		return;
	case DW_VERB_READ:
		if (!s->fua)
			break;
		give_back_extent(c, d, &s->extent); /* others were under way with it */
		if (d->plan.fua)
			core_notice(c, d, "READ with FUA refused: reading without");
		d->plan.fua = false;
		return;
	default:
		break;
	}
	core_give_up(d, DW_END_FAILED, "%s", core_describe(s, r, text, sizeof(text)));
}

/* What a zone that is written in order refuses (a full one by a field of the CDB) is an error of
 * the zone; where not all are reset at once, each is for itself. */
static void zone_refuses(struct dw_core *c, struct core_disk *d,
			 const struct core_slot *s, struct dw_result *r)
{
	bool zone = s->extent.nlb && core_zoned_writes(d, s->extent.lba);

	if ((!zone && s->verb != DW_VERB_RESET) ||
	    (r->class != DW_CLASS_UNSUPPORTED && r->class != DW_CLASS_RANGE &&
	     r->class != DW_CLASS_MEDIUM))
		return;
	r->class = zone ? DW_CLASS_MEDIUM : DW_CLASS_RETRY;
	if (!zone)
		core_notice(c, d,
			    "a reset of all zones is refused: each is reset before it is "
			    "written");
}

void core_policy_bad(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		     const struct dw_result *r)
{
	bool writing = s->verb == DW_VERB_WRITE || s->verb == DW_VERB_WRITE_SAME;
	struct dw_result reported = *r;

	if (s->verb == DW_VERB_COMPARE) {
		core_compare_bad(c, d, s, r);
		return;
	}
	if (d->state.phase == DW_CORE_PLANT && r->class == DW_CLASS_UNSUPPORTED) {
		core_compare_unkept(c, d, r);
		return;
	}
	core_same_failed(c, d, s, &reported);
	zone_refuses(c, d, s, &reported);
	r = &reported;
	core_fence(c, d, r);
	if (writing && r->class != DW_CLASS_GIVEN_BACK && d->state.phase == DW_CORE_WRITE)
		core_set_error(c, dw_extents_merge(&d->verify.touched, s->extent.lba,
						   s->extent.nlb));
	if (r->class == DW_CLASS_MEDIUM)
		medium_error(c, d, s, r);
	else if (r->class == DW_CLASS_TOO_BIG && s->extent.nlb)
		too_big(c, d, s);
	else if (r->class == DW_CLASS_UNSUPPORTED)
		unsupported(c, d, s, r);
	else if (s->extent.nlb && !r->deferred)
		blocks_failed(c, d, s, r);
	else
		give_back_extent(c, d, &s->extent);
	core_recover_need(c, d, s, r);
}

static void name_list(struct dw_core *c, struct core_disk *d, struct dw_extents *x)
{
	bool reading = d->state.phase == DW_CORE_VERIFY ||
		       d->state.phase == DW_CORE_REVERIFY ||
		       d->state.phase == DW_CORE_FLOOD;
	struct dw_extent e;

	while (dw_extents_take(x, UINT32_MAX, &e)) {
		if (!reading) {
			name_unwritable(c, d, &e, NULL);
			continue;
		}
		d->state.work_done += e.nlb;
		core_fault_add(c, d, DW_UNREADABLE, e.lba, e.nlb, NULL);
	}
}

bool core_policy_name_rest(struct dw_core *c, struct core_disk *d)
{
	struct dw_cursor *q = &d->cursor;
	uint64_t failed = q->late.blocks;

	for (size_t i = 0; i < q->redo.n; i++)
		failed += q->redo.v[i].fails || q->redo.v[i].max ? q->redo.v[i].nlb : 0;
	if (!failed || failed < dw_cursor_left(q) || !core_disk_has_work(d))
		return false;
	core_notice(c, d, "%llu blocks are given up: none of them was %s for so long",
		    (unsigned long long)failed,
		    d->state.phase == DW_CORE_WRITE || d->state.phase == DW_CORE_REPAIR ||
				    core_plants(d->state.phase)
			    ? "written"
			    : "read");
	name_list(c, d, &q->redo);
	name_list(c, d, &q->late);
	return true;
}

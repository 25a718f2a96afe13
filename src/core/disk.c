/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The way of one disk through its passes:
 *
 *	WRITE -> FLUSH -> CONFIRM [-> WRITE ...] -> VERIFY [-> REPAIR -> FLUSH -> CONFIRM
 *	-> REVERIFY] -> next pass ... -> SETTLE -> CONFIRM -> DONE
 *
 * A disk whose cache nothing flushes has CYCLE before the last VERIFY: its power is cut, and from
 * then on nothing is written.
 *
 * A disk that compares itself has CONTROL -> PLANT -> FLUSH -> CONFIRM -> FLOOD -> COMPARE ->
 * UNPLANT -> FLUSH -> CONFIRM before the last VERIFY (compare.c).
 *
 * A pass that the device does by itself has OPERATE instead of WRITE. When its blocks cannot be
 * read before they are written, the last SETTLE leads to one more pass, of writes.
 *
 * In the last pass SETTLE comes before FLUSH wherever writing has ended: what the kernel still
 * holds for the disk gets there before the verification, and not after the verdict.
 *
 * A phase ends when its cursor is empty and nothing is in flight. CONFIRM asks who the disk
 * is: only then does a flush count, so that the mark from which a job resumes never speaks
 * of another medium.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "core/internal.h"

#define QUICK_NS       (2 * DW_NS_PER_MS)
#define PROGRESS_NS    (200 * DW_NS_PER_MS)
#define RATE_NS        DW_NS_PER_S
#define RATE_WEIGHT    0.3
#define TRIAL_COMMANDS 3
#define TRIAL_SHARE    32 /* a trial piece is at most this part of the disk */
#define WS_START       UINT32_C(65535)
#define WS_LONG_NS     (5 * DW_NS_PER_S)
#define WS_SHORT_NS    DW_NS_PER_S

/* Whether the current pass may use WRITE SAME. */
static bool pass_may_ws(const struct core_disk *d)
{
	return d->plan.command != DW_PLAN_WRITE && d->limits.ws &&
	       d->state.same != DW_SAME_FAILED &&
	       dw_pattern_repeats(&d->plan.pass[d->state.pass].pattern,
				  d->plan.block_size);
}

/* Whether the next piece may: blocks that were given back are sent by WRITE, in pieces that can
 * be distinguished. */
static bool next_may_ws(const struct core_disk *d)
{
	if (d->state.phase != DW_CORE_WRITE || !d->limits.use_ws || !pass_may_ws(d))
		return false;
	return !dw_cursor_suspects(&d->cursor) &&
	       !(d->cursor.redo.n && d->cursor.redo.v[0].max);
}

int core_disk_init(struct core_disk *d)
{
	int error = 0;

	d->in_ready = UINT32_MAX;
	d->limits.constant = d->plan.const_max;
	d->limits.data = d->plan.data_max;
	d->limits.ws = d->plan.ws_max;
	d->limits.ws_nlb = (uint32_t)dw_min_u64(d->plan.ws_max, WS_START);
	d->limits.depth = d->plan.depth;
	d->flush.wce = d->plan.wce;
	d->limits.use_ws = d->plan.command != DW_PLAN_WRITE && d->plan.ws_max;
	d->flush.every_ns = d->rules.flush_ns;
	d->state.steer.longest = d->rules.longest;
	d->length = (struct core_length){ .most = d->rules.longest,
					  .trials = d->rules.longest > 0 };
	if (d->rules.longest)
		d->limits.ws_nlb =
			(uint32_t)dw_min_u64(d->limits.ws_nlb, d->rules.longest);
	if (d->plan.command == DW_PLAN_TRIAL && d->limits.use_ws)
		d->trial.left_ws = d->trial.left_write = TRIAL_COMMANDS;
	if (d->plan.zones)
		d->cursor.zones = d->plan.zones;
	d->state.pass = d->plan.verify_only ? (uint8_t)(d->plan.n_passes - 1)
					    : d->plan.first_pass;
	d->state.work_total = core_disk_total(d);
	core_pass_begin(d, d->plan.first_lba);
	if (!d->plan.verify_only)
		d->state.work_done =
			d->plan.first_lba -
			dw_zones_dead_below(d->plan.zones, d->plan.first_lba);
	d->patience.best = d->state.work_done;
	if (d->plan.planted)
		error = core_compare_resume(d);
	d->flush.after = d->state.phase;
	d->state.phase = DW_CORE_WAITING;
	d->state.steer.depth = 1;
	return error;
}

void core_disk_verify_again(struct core_disk *d)
{
	if (!d->plan.verify_only)
		return;
	core_pass_begin(d, 0);
	d->state.phase = DW_CORE_WAITING;
}

void core_disk_deinit(struct core_disk *d)
{
	struct core_pair *p = d->pair;

	if (p)
		p->disk[p->disk[1] == d] = NULL;
	if (p && !p->disk[0] && !p->disk[1])
		free(p); /* the last of the two frees it */
	dw_cursor_deinit(&d->cursor);
	dw_extents_deinit(&d->verify.touched);
	dw_extents_deinit(&d->verify.unreadable);
	dw_extents_deinit(&d->verify.differed);
	dw_extents_deinit(&d->flush.repaired);
	core_compare_deinit(d);
	free(d->state.faults.v);
}

/* how often the whole disk is swept after the phase that it is in */
static uint32_t later_sweeps(const struct core_disk *d)
{
	uint32_t n = d->plan.n_passes - d->state.pass - 1u;

	for (uint32_t i = d->state.pass; i < d->plan.n_passes; i++)
		n += d->plan.pass[i].verify == DW_VERIFY_FULL;
	return n - (d->state.phase >= DW_CORE_VERIFY && d->state.phase < DW_CORE_DONE &&
		    d->plan.pass[d->state.pass].verify == DW_VERIFY_FULL);
}

static void phase_event(struct dw_core *c, struct core_disk *d)
{
	struct dw_pass_state *p = &d->state.passes[d->state.pass];

	c->changes++;
	d->view->later = later_sweeps(d);
	if (core_link_needed(d))
		core_set_error(c, core_link_back(c, d));
	else
		core_link_out(c, d);
	if (!p->begin_ns)
		p->begin_ns = c->now_ns;
	core_event_new(c, d, DW_CORE_EVENT_PHASE);
}

void core_disk_end(struct dw_core *c, struct core_disk *d, uint8_t end,
		   const char *reason)
{
	d->state.phase = DW_CORE_DONE;
	d->state.fenced = false;
	d->state.end = end;
	snprintf(d->state.reason, sizeof(d->state.reason), "%s", reason ? reason : "");
	d->state.ns.finished = c->now_ns;
	if (!d->state.ns.started)
		d->state.ns.started = c->now_ns;
	d->state.passes[d->state.pass].end_ns = c->now_ns;
	core_starved_over(c, d);
	c->paused -= d->state.paused;
	d->state.paused = false;
	core_link_out(c, d);
	c->finished++;
	c->changes++;
	core_event_new(c, d, DW_CORE_EVENT_DONE);
}

bool core_disk_sending(const struct core_disk *d)
{
	if (core_halts(d))
		return false;
	switch (d->state.phase) {
	case DW_CORE_WAITING:
	case DW_CORE_WRITE:
	case DW_CORE_VERIFY:
	case DW_CORE_REPAIR:
	case DW_CORE_REVERIFY:
	case DW_CORE_PLANT:
	case DW_CORE_FLOOD:
	case DW_CORE_UNPLANT:
		return !d->state.fenced && !d->flush.due && !d->rec.end;
	default:
		return false;
	}
}

/* what is under way makes a flush due: that comes after all that has been sent */
static bool flush_near(const struct core_disk *d)
{
	uint64_t bytes = (uint64_t)d->state.steer.transfer * d->plan.block_size;

	return d->flush.bytes + d->state.submitted * bytes >= d->rules.flush_bytes;
}

/* commands that wait beyond the depth */
static uint32_t ahead(const struct core_disk *d)
{
	bool constant = d->plan.pass[d->state.pass].pattern.kind == DW_PATTERN_CONST;
	uint32_t most = constant ? d->rules.ahead : d->rules.ahead_data;

	if (dw_gate_limits(&d->link->gate))
		return 0;
	if (d->limits.quick && most && d->state.phase == DW_CORE_WRITE && !flush_near(d))
		return most;
	return (uint32_t)dw_min_u64(d->rules.ahead, 1);
}

static bool writes(const struct core_disk *d)
{
	uint8_t phase =
		d->state.phase == DW_CORE_WAITING ? d->flush.after : d->state.phase;

	return phase == DW_CORE_WRITE || phase == DW_CORE_REPAIR || core_plants(phase);
}

/* a write of a constant pattern, whose data are shared */
static bool shares_data(const struct core_disk *d)
{
	return writes(d) && d->plan.pass[d->state.pass].pattern.kind == DW_PATTERN_CONST;
}

uint32_t core_disk_most(const struct core_disk *d)
{
	/* what is under way in a zone ends before what follows it is sent */
	if (d->plan.zones && writes(d))
		return 1;
	if (d->state.phase == DW_CORE_PLANT) /* the first waits for the state file */
		return 1;
	return shares_data(d) ? d->limits.depth
			      : (uint32_t)dw_min_u64(d->limits.depth, d->plan.data_depth);
}

uint32_t core_disk_limit(const struct core_disk *d)
{
	uint32_t most = shares_data(d) ? d->limits.constant : d->limits.data;

	return d->length.most ? (uint32_t)dw_min_u64(most, d->length.most) : most;
}

bool core_disk_has_work(const struct core_disk *d)
{
	return d->state.phase == DW_CORE_WRITE || d->state.phase == DW_CORE_VERIFY ||
	       d->state.phase == DW_CORE_REPAIR || d->state.phase == DW_CORE_REVERIFY ||
	       d->state.phase == DW_CORE_FLOOD || core_plants(d->state.phase);
}

uint32_t core_disk_room(const struct core_disk *d)
{
	bool ws = next_may_ws(d);
	/* WRITE SAME keeps a disk busy for long: a queue of them gains nothing, and the last
	 * would run out of time */
	uint32_t most = (ws ? 1 : d->state.steer.depth) + ahead(d);

	if ((d->plan.zones && writes(d)) || d->state.phase == DW_CORE_PLANT)
		most = 1;
	if (!core_disk_sending(d) || !dw_cursor_left(&d->cursor))
		return 0;
	if (!ws && (core_starved_waits(d) || core_turns_waits(d)))
		return 0;
	/* what has failed is sent with nothing else under way, or nobody knows whose fault it is */
	if (d->patience.suspect || (dw_cursor_suspects(&d->cursor) && d->state.submitted))
		return 0;
	if (dw_cursor_suspects(&d->cursor))
		return 1;
	return d->state.submitted < most ? most - d->state.submitted : 0;
}

/* the verb of the next data command, and the longest that it may be */
static uint8_t choose_verb(struct core_disk *d, uint32_t *ret_nlb)
{
	struct core_link *l = d->link;
	bool writing = writes(d);
	bool ws = next_may_ws(d);
	struct dw_pick pick = { 0 };
	uint32_t limit;

	if (ws && (d->trial.left_ws || d->trial.left_write))
		ws = d->trial.left_ws > 0;
	l->cfg.controller->pick(&l->controller, &l->view, d->place, &pick);
	if (ws && !d->rules.fixed_for_ws)
		pick.nlb = d->limits.ws_nlb;
	limit = ws ? d->limits.ws : core_disk_limit(d);
	if (ws && d->trial.left_ws)
		limit = (uint32_t)dw_max_u64(
			1, dw_min_u64(limit, d->plan.blocks / TRIAL_SHARE));
	/* windows that are still short would make WRITE SAME look slow for good */
	if (dw_gate_limits(&l->gate) && !(ws && d->trial.left_ws))
		limit = (uint32_t)dw_min_u64(limit,
					     l->gate.clip_bytes / d->plan.block_size);
	*ret_nlb = (uint32_t)dw_max_u64(1, dw_min_u64(pick.nlb, limit));
	if (ws)
		return DW_VERB_WRITE_SAME;
	return writing ? DW_VERB_WRITE : DW_VERB_READ;
}

static void count_trial(struct core_disk *d, uint8_t verb)
{
	if (verb == DW_VERB_WRITE_SAME && d->trial.left_ws)
		d->trial.left_ws--;
	else if (verb == DW_VERB_WRITE && d->trial.left_write && !d->trial.left_ws)
		d->trial.left_write--;
}

static void begin_disk(struct dw_core *c, struct core_disk *d)
{
	d->state.ns.started = d->flush.at_ns = c->now_ns;
	d->state.phase = d->flush.after;
	core_event_new(c, d, DW_CORE_EVENT_STARTED);
	phase_event(c, d);
	core_zoned_report(c, d);
}

/* which length and depth moved most blocks: the majority vote of Boyer and Moore */
void core_disk_use(struct core_disk *d, uint64_t blocks)
{
	struct dw_steer_state *s = &d->state.steer;

	if (s->most_transfer == s->transfer && s->most_depth == s->depth) {
		s->most_left += blocks;
	} else if (s->most_left >= blocks) {
		s->most_left -= blocks;
	} else {
		s->most_transfer = s->transfer;
		s->most_depth = s->depth;
		s->most_left = blocks - s->most_left;
	}
}

bool core_disk_send(struct dw_core *c, struct core_disk *d)
{
	struct dw_extent piece;
	uint16_t flags = 0;
	uint32_t nlb;
	uint8_t verb;

	if (!core_disk_room(d))
		return false;
	if (d->state.phase == DW_CORE_WAITING)
		begin_disk(c, d);
	if (core_zoned_reset(c, d)) {
		core_patience_turn(c, d);
		return true;
	}
	if (d->state.ns.back)
		d->state.ns.waited += c->now_ns - d->state.ns.back;
	d->state.ns.back = 0;
	if (d->state.phase == DW_CORE_VERIFY && !d->verify.begun_ns)
		d->verify.begun_ns = c->now_ns;
	verb = choose_verb(d, &nlb);
	d->patience.suspect = dw_cursor_suspects(&d->cursor);
	if (!dw_cursor_cut(&d->cursor, nlb, &piece))
		return false;
	core_patience_turn(c, d);
	if (verb == DW_VERB_READ && d->plan.fua)
		flags |= DW_OP_FUA;
	if (d->state.phase == DW_CORE_PLANT)
		flags |= DW_OP_PLANT;
	count_trial(d, verb);
	c->changes += d->state.steer.transfer != piece.nlb;
	d->state.steer.transfer = (uint32_t)piece.nlb;
	if (verb != DW_VERB_WRITE_SAME)
		core_disk_use(d, piece.nlb);
	return core_emit(c, d, verb, &piece, flags) == 0;
}

static void pass_done(struct dw_core *c, struct core_disk *d)
{
	if (d->verify.begun_ns)
		d->state.ns.verify += c->now_ns - d->verify.begun_ns;
	d->verify.begun_ns = 0;
	d->state.passes[d->state.pass].end_ns = c->now_ns;
	if (d->state.pass + 1 < d->plan.n_passes) {
		d->state.pass++;
		core_pass_begin(d, 0);
		phase_event(c, d);
		return;
	}
	d->flush.final = true;
	d->flush.settled = d->flush.confirmed = false;
	d->state.phase = d->plan.verify_only ? DW_CORE_CONFIRM : DW_CORE_SETTLE;
}

/* The writing of a pass has ended and is on the medium, or is about to be. */
static void pass_written(struct dw_core *c, struct core_disk *d)
{
	if (d->plan.cycle && d->state.pass + 1 == d->plan.n_passes &&
	    d->state.cycle == DW_CYCLE_NONE) {
		d->state.cycle = DW_CYCLE_DUE;
		d->state.phase = DW_CORE_CYCLE;
		phase_event(c, d);
		return;
	}
	if (d->plan.pass[d->state.pass].verify == DW_VERIFY_OFF) {
		pass_done(c, d);
		return;
	}
	if (core_compare_wanted(d))
		core_compare_begin(c, d);
	else
		core_pass_verify(d);
	phase_event(c, d);
}

/* a flush went well and the disk is still the same */
static void confirmed(struct dw_core *c, struct core_disk *d)
{
	d->flush.confirmed = d->flush.dirty = d->flush.mode_changed = false;
	if (d->flush.final) {
		core_disk_end(c, d, DW_END_COMPLETE, NULL);
		return;
	}
	d->flush.bytes = 0;
	d->flush.at_ns = c->now_ns;
	if (d->flush.repaired.n)
		core_patience_progress(d);
	for (size_t i = 0; i < d->flush.repaired.n; i++)
		core_fault_repaired(c, d, d->flush.repaired.v[i].lba,
				    d->flush.repaired.v[i].nlb);
	dw_extents_deinit(&d->flush.repaired);
	core_starved_over(c, d);
	if (d->flush.begun_ns)
		d->state.ns.flush += c->now_ns - d->flush.begun_ns;
	d->flush.begun_ns = 0;
	d->flush.due = false;
	d->flush.done = false;
	d->state.phase = d->flush.after;
	if (d->flush.after == DW_CORE_WRITE || d->flush.after == DW_CORE_OPERATE) {
		uint64_t mark = core_zoned_floor(d, dw_cursor_low(&d->cursor));

		if (mark > d->state.mark) {
			core_elsewhere_forget(d);
			core_patience_progress(d);
			core_flush_later(d);
		}
		d->state.mark = mark;
		d->state.operation.running = false;
		core_event_new(c, d, DW_CORE_EVENT_FLUSHED);
	} else if (d->flush.after == DW_CORE_REPAIR) {
		d->state.mark = d->plan.blocks; /* what was written again, too */
		core_event_new(c, d, DW_CORE_EVENT_FLUSHED);
	}
	if (d->ask >= ASK_STOP)
		core_disk_end(c, d, DW_END_STOPPED, NULL);
	else if (d->flush.after == DW_CORE_REPAIR) {
		core_set_error(
			c, core_pass_list(d, DW_CORE_REVERIFY, &d->verify.unreadable));
		phase_event(c, d);
	} else if (core_plants(d->flush.after)) {
		if (core_compare_flushed(c, d))
			pass_written(c, d);
		else
			phase_event(c, d);
	} else if (d->state.phase == DW_CORE_COMPARE) {
		core_link_out(c, d); /* after a pause */
	} else if (!dw_cursor_left(&d->cursor))
		pass_written(c, d);
}

/* A write that is cut off may leave anything: until its flush is confirmed, what is written again
 * is not called written, and a device that erases itself has to do it again. */
static void begin_repair(struct dw_core *c, struct core_disk *d)
{
	const struct dw_extents *x = &d->verify.unreadable;

	for (size_t i = 0; i < x->n; i++)
		d->state.mark =
			dw_min_u64(d->state.mark, dw_order_low(&d->plan.order,
							       x->v[i].lba, x->v[i].nlb));
	if (dw_plan_kind(&d->plan, d->state.pass) == DW_PASS_OPERATION)
		d->state.mark = 0;
	core_event_new(c, d, DW_CORE_EVENT_FLUSHED); /* a resume has to know it */
	core_set_error(c, core_pass_list(d, DW_CORE_REPAIR, &d->verify.unreadable));
	phase_event(c, d);
}

/* the cursor is empty and nothing is in flight */
static void phase_over(struct dw_core *c, struct core_disk *d)
{
	switch (d->state.phase) {
	case DW_CORE_WRITE:
	case DW_CORE_OPERATE:
	case DW_CORE_REPAIR:
	case DW_CORE_PLANT:
	case DW_CORE_UNPLANT:
		d->flush.after = d->state.phase;
		d->flush.settled = d->flush.done = d->flush.confirmed = false;
		d->state.phase = DW_CORE_FLUSH;
		if (!dw_cursor_left(&d->cursor) &&
		    d->state.pass + 1 == d->plan.n_passes &&
		    d->flush.after != DW_CORE_PLANT)
			d->state.phase = DW_CORE_SETTLE;
		break;
	case DW_CORE_CONTROL:
	case DW_CORE_FLOOD:
	case DW_CORE_COMPARE:
		if (core_compare_over(c, d))
			core_pass_verify(d);
		phase_event(c, d);
		break;
	case DW_CORE_VERIFY:
		if (core_compare_refuted(c, d)) {
			core_pass_verify(d);
			phase_event(c, d);
			break;
		}
		if (core_copies_more(c, d)) {
			d->verify.earlier = d->state.verify.units;
			d->verify.earlier_blocks = d->state.verify.sampled;
			d->state.verify.sweeps++;
			core_pass_sweep(d);
			break;
		}
		if (d->verify.unreadable.n && !d->plan.verify_only) {
			begin_repair(c, d);
			break;
		}
		pass_done(c, d);
		break;
	default:
		pass_done(c, d);
	}
}

static uint16_t settling(const struct core_disk *d)
{
	if (d->flush.final)
		return DW_OP_FINAL;
	return d->flush.after == DW_CORE_WRITE ? DW_OP_WRITTEN : 0;
}

void core_disk_advance(struct dw_core *c, struct core_disk *d)
{
	if (d->state.phase == DW_CORE_DONE)
		return;
	if (d->state.fenced) {
		core_recover(c, d);
		return;
	}
	while (d->state.phase != DW_CORE_DONE && !d->state.submitted && !c->error) {
		if (core_halt(c, d))
			return;
		switch (d->state.phase) {
		case DW_CORE_SETTLE:
			if (!d->flush.settled) {
				core_emit(c, d, DW_VERB_SETTLE, NULL, settling(d));
				return;
			}
			d->state.phase = d->flush.final ? DW_CORE_CONFIRM : DW_CORE_FLUSH;
			break;
		case DW_CORE_FLUSH:
			if (!d->flush.done) {
				if (!d->flush.begun_ns)
					d->flush.begun_ns = c->now_ns;
				core_emit(c, d, DW_VERB_FLUSH, NULL, 0);
				return;
			}
			d->state.phase = DW_CORE_CONFIRM;
			break;
		case DW_CORE_CONFIRM:
			if (!d->flush.confirmed) {
				core_emit(c, d, DW_VERB_IDENTIFY, NULL, 0);
				return;
			}
			confirmed(c, d);
			break;
		case DW_CORE_CYCLE:
			core_emit(c, d, DW_VERB_CYCLE, NULL, 0);
			return;
		case DW_CORE_WAITING:
			if (dw_cursor_left(&d->cursor) && core_link_needed(d))
				return;
			/* nothing to wait for: no bus, or only the flush */
			begin_disk(c, d);
			break;
		case DW_CORE_OPERATE:
			if (dw_cursor_left(&d->cursor)) {
				core_operation_next(c, d);
				return;
			}
			phase_over(c, d);
			break;
		case DW_CORE_CONTROL:
		case DW_CORE_COMPARE:
			if (dw_cursor_left(&d->cursor)) {
				core_compare_next(c, d);
				return;
			}
			phase_over(c, d);
			break;
		default:
			/* what has failed comes last, and cannot take the rest with it */
			d->flush.due |= d->state.phase == DW_CORE_WRITE &&
					d->flush.bytes && dw_cursor_dares(&d->cursor);
			if (dw_cursor_left(&d->cursor) && !d->flush.due)
				return;
			phase_over(c, d);
		}
	}
}

/* The device has erased itself, and its blocks cannot be read before they are written. */
static void write_over(struct dw_core *c, struct core_disk *d)
{
	dw_plan_write_over(&d->plan);
	d->flush.final = d->flush.settled = d->flush.done = d->flush.confirmed = false;
	d->flush.at_ns = c->now_ns;
	d->state.pass++;
	d->state.work_total = d->state.work_done + core_disk_total(d);
	core_pass_begin(d, 0);
	core_event_new(c, d, DW_CORE_EVENT_FLUSHED); /* a resume has to know it */
	phase_event(c, d);
}

/* WRITE SAME has no progress of its own: keep each between one and five seconds */
static void adapt_ws(struct core_disk *d, const struct core_slot *s,
		     const struct dw_result *r)
{
	uint64_t ns = r->end_ns - r->start_ns;

	if (s->extent.nlb < d->limits.ws_nlb)
		return;
	if (ns > WS_LONG_NS)
		d->limits.ws_nlb =
			(uint32_t)dw_max_u64(d->limits.ws_nlb / 2, d->plan.physical);
	else if (ns < WS_SHORT_NS && d->limits.ws_nlb <= d->limits.ws / 2)
		d->limits.ws_nlb *= 2;
}

static void judge_trial(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
			const struct dw_result *r)
{
	uint64_t ns = r->end_ns - r->start_ns;

	if (d->plan.command != DW_PLAN_TRIAL || d->trial.ws_blocks == UINT64_MAX)
		return;
	if (s->verb == DW_VERB_WRITE_SAME) {
		d->trial.ws_ns += ns;
		d->trial.ws_blocks += s->extent.nlb;
	} else {
		d->trial.write_ns += ns;
		d->trial.write_blocks += s->extent.nlb;
	}
	if (d->trial.left_ws || d->trial.left_write || !d->trial.write_blocks)
		return;
	if ((double)d->trial.ws_blocks * (double)d->trial.write_ns <
	    (double)d->trial.write_blocks * (double)d->trial.ws_ns) {
		d->limits.use_ws = false;
		if (d->state.same == DW_SAME_USED)
			d->state.same = DW_SAME_SLOWER;
		core_notice(c, d, "WRITE is faster than WRITE SAME here: using WRITE");
	}
	d->trial.ws_blocks = UINT64_MAX; /* judged */
}

static void written(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		    const struct dw_result *r)
{
	uint64_t bytes = s->extent.nlb * d->plan.block_size;
	struct dw_pass_state *p = &d->state.passes[d->state.pass];

	d->state.bytes_written += bytes;
	d->flush.bytes += bytes;
	d->flush.dirty = true;
	if (d->state.phase != DW_CORE_WRITE)
		return;
	p->bytes += bytes;
	p->used_ws |= s->verb == DW_VERB_WRITE_SAME;
	p->used_write |= s->verb == DW_VERB_WRITE;
	d->state.work_done += s->extent.nlb;
	d->state.position = s->extent.lba + s->extent.nlb;
	if (s->extent.late)
		core_set_error(c, dw_extents_merge(&d->flush.repaired, s->extent.lba,
						   s->extent.nlb));
	judge_trial(c, d, s, r);
	if (s->verb == DW_VERB_WRITE_SAME)
		adapt_ws(d, s, r);
	if (d->flush.bytes >= d->rules.flush_bytes ||
	    c->now_ns - d->flush.at_ns >= d->flush.every_ns)
		d->flush.due = true;
}

uint64_t core_disk_moved(const struct core_disk *d)
{
	return d->state.bytes_written + d->state.operation.bytes + d->state.verify.bytes;
}

static void update_rate(struct dw_core *c, struct core_disk *d)
{
	uint64_t bytes = core_disk_moved(d), ns;
	double now;

	if (!d->rate.at_ns)
		d->rate.at_ns = d->state.ns.started;
	ns = c->now_ns - d->rate.at_ns;
	if (ns < RATE_NS)
		return;
	now = (double)(bytes - d->rate.bytes) * 1e9 / (double)ns;
	d->state.rate = d->state.rate > 0
				? d->state.rate + RATE_WEIGHT * (now - d->state.rate)
				: now;
	d->rate.at_ns = c->now_ns;
	d->rate.bytes = bytes;
}

void core_disk_good(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		    const struct dw_result *r)
{
	d->patience.streak = 0;
	d->limits.quick = r->end_ns - r->start_ns < QUICK_NS;
	switch (s->verb) {
	case DW_VERB_WRITE:
	case DW_VERB_WRITE_SAME:
		written(c, d, s, r);
		break;
	case DW_VERB_READ:
		core_read_good(c, d, s, r);
		break;
	case DW_VERB_RESET:
		core_zoned_empty(c, d, s);
		break;
	case DW_VERB_COMPARE:
		core_compare_good(c, d, s, r);
		break;
	case DW_VERB_SETTLE:
		d->flush.settled = true;
		d->patience.unseen = 0;
		if (r->write_over)
			write_over(c, d);
		break;
	case DW_VERB_CYCLE:
		d->state.cycle = DW_CYCLE_SEEN;
		core_patience_progress(d);
		pass_written(c, d);
		break;
	default: /* a flush */
		d->flush.done = true;
	}
	if (s->extent.nlb && s->verb != DW_VERB_RESET && s->verb != DW_VERB_COMPARE) {
		d->patience.row = 0;
		core_zone_good(d, &s->extent);
		core_length_good(d, s->extent.nlb);
	}
	core_patience_work(d);
	core_disk_progress(c, d);
}

void core_disk_progress(struct dw_core *c, struct core_disk *d)
{
	update_rate(c, d);
	if (c->now_ns - d->rate.told_ns >= PROGRESS_NS) {
		d->rate.told_ns = c->now_ns;
		core_event_new(c, d, DW_CORE_EVENT_PROGRESS);
	}
}

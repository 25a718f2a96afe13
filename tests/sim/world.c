/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command takes its effect when it completes; what is torn or cut off by a reset keeps a
 * random part. Faults are drawn when a command starts.
 */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "core/internal.h"

/* what a transfer, and a question, may take */
#define LONG_S  60
#define SHORT_S 20

void world_init(struct world *w, uint64_t seed)
{
	*w = (struct world){ .now_ns = DW_NS_PER_S, .ahead = 1 };
	dw_rng_seed(&w->rng, seed);
}

static void disk_deinit(struct world_disk *d)
{
	free(d->medium);
	free(d->cache);
	free(d->cached);
	free(d->bad_write);
	free(d->bad_read);
	free(d->highest);
}

void world_deinit(struct world *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		disk_deinit(&w->disk[i]);
	dw_core_free(w->core);
	dw_heap_deinit(&w->due);
	free(w->slot);
}

struct world_disk *world_add(struct world *w, const struct dw_disk_plan *plan)
{
	struct world_disk *d = &w->disk[w->n++];
	size_t n = plan->blocks;

	*d = (struct world_disk){ .plan = *plan, .rate_ns = 1000, .info = true };
	d->medium = malloc(n);
	d->cache = malloc(n);
	d->cached = calloc(n, sizeof(bool));
	d->bad_write = calloc(n, 1);
	d->bad_read = calloc(n, 1);
	d->highest = calloc(n, 1);
	assert_non_null(d->medium);
	memset(d->medium, NOTHING, n);
	return d;
}

static struct dw_core *new_core(const struct world *w)
{
	struct dw_core *core;
	uint32_t link;

	assert_int_equal(dw_core_new(&core), 0);
	dw_core_record(core, w->record);
	assert_int_equal(dw_core_link_new(core, &w->link, &link), 0);
	assert_int_equal(link, 0);
	return core;
}

static void join(const struct world *w, struct dw_core *core, const struct world_disk *d,
		 uint32_t i, const struct dw_disk_state *before)
{
	struct dw_core_disk disk = {
		.plan = &d->plan,
		.rules = w->rules,
		.expected_ns = d->plan.blocks * d->rate_ns,
		.faults = before ? before->faults.v : NULL,
		.n_faults = before ? before->faults.n : 0,
	};
	uint32_t id;

	assert_int_equal(dw_core_add(core, 0, &disk, &id), 0);
	assert_int_equal(id, i);
}

void world_core(struct world *w, const char *strategy, const char *controller,
		uint32_t fixed_blocks, uint32_t active, uint64_t flush_bytes, bool record)
{
	w->link = (struct dw_core_link){
		.strategy = dw_strategy_find(strategy),
		.controller = dw_controller_find(controller),
		.active = active,
		.fixed_blocks = fixed_blocks,
		.buffer_bytes = 64 * 1024,
	};
	w->rules = (struct dw_core_rules){
		.fixed_for_ws = fixed_blocks > 0,
		.ahead = w->ahead,
		.flush_bytes = flush_bytes,
		.flush_ns = 300 * DW_NS_PER_S,
		.stall_ns = w->stall_ns ? w->stall_ns : 600 * DW_NS_PER_S,
		.exception_limit = 10000,
	};
	w->record = record;
	w->core = new_core(w);
	for (uint32_t i = 0; i < w->n; i++)
		join(w, w->core, &w->disk[i], i, NULL);
}

static bool chance(struct world *w, uint32_t of_65536)
{
	return dw_rng_below(&w->rng, 65536) < of_65536;
}

static uint8_t content(const struct world_disk *d, uint64_t lba)
{
	return d->cached[lba] ? d->cache[lba] : d->medium[lba];
}

static void put(struct world_disk *d, uint64_t lba, uint8_t pass)
{
	/* a pass never goes over a later one */
	assert_true(pass >= d->highest[lba]);
	d->highest[lba] = pass;
	if (d->odd_lost && lba % 2)
		return;
	if (d->volatile_cache) {
		d->cache[lba] = pass;
		d->cached[lba] = true;
	} else {
		d->medium[lba] = pass;
	}
}

static void power_loss(struct world *w, struct world_disk *d)
{
	for (uint64_t i = 0; i < d->plan.blocks; i++) {
		/* what had been destaged by itself survives */
		if (d->cached[i] && dw_rng_below(&w->rng, 4) == 0)
			d->medium[i] = d->cache[i];
		d->cached[i] = false;
	}
}

static void flush(struct world_disk *d)
{
	for (uint64_t i = 0; i < d->plan.blocks; i++) {
		if (d->cached[i])
			d->medium[i] = d->cache[i];
		d->cached[i] = false;
	}
}

static void medium_error(struct world *w, struct world_disk *d, struct dw_result *r,
			 uint64_t lba)
{
	r->class = DW_CLASS_MEDIUM;
	r->sense_key = 3;
	r->bad_valid = d->info;
	r->bad_lba = lba;
}

/* part of the blocks, then an end without a good word */
static void torn(struct world *w, struct world_disk *d, const struct dw_op *op)
{
	uint64_t n = dw_rng_below(&w->rng, op->nlb + 1);

	for (uint64_t i = 0; i < n; i++)
		put(d, op->lba + i, op->pass);
}

static void do_write(struct world *w, struct world_disk *d, const struct dw_op *op,
		     struct dw_result *r)
{
	assert_false(d->other && d->fenced);
	if (chance(w, d->silent)) {
		d->dropped++;
		return;
	}
	for (uint64_t i = op->lba; i < op->lba + op->nlb; i++) {
		uint64_t phys = i - i % d->plan.physical;

		if (d->bad_write[phys]) {
			if (d->bad_write[phys] > 1 && --d->bad_write[phys] == 1)
				d->bad_write[phys] = 0;
			medium_error(w, d, r, phys > op->lba ? phys : op->lba);
			return;
		}
		put(d, i, op->pass);
		if (d->bad_read[i] > 1)
			d->bad_read[i] = 0; /* a new write repairs it */
	}
}

static void do_read(struct world *w, struct world_disk *d, const struct dw_op *op,
		    struct dw_result *r)
{
	r->compared = 0;
	for (uint64_t i = op->lba; i < op->lba + op->nlb; i++) {
		bool equal = content(d, i) == op->pass;
		struct dw_run *last = r->n_runs ? &r->run[r->n_runs - 1] : NULL;

		if (d->bad_read[i]) {
			medium_error(w, d, r, i);
			return;
		}
		if (!equal && last && last->lba + last->nlb == i) {
			last->nlb++;
		} else if (!equal) {
			if (r->n_runs == DW_RUNS_MAX)
				return;
			r->run[r->n_runs++] = (struct dw_run){ .lba = i, .nlb = 1 };
		}
		r->compared++;
	}
}

/* what is due of the disk's own work */
static void operate_on(const struct world *w, struct world_disk *d)
{
	if (!d->operates_until || w->now_ns < d->operates_until)
		return;
	d->operates_until = 0;
	d->succeeded = !d->operation_fails;
	for (uint64_t i = 0; i < d->plan.blocks && d->succeeded; i++) {
		d->medium[i] = d->highest[i] = d->operates_pass;
		d->bad_read[i] = 0;
	}
}

static void operate(const struct world *w, struct world_disk *d, const struct dw_op *op)
{
	assert_true(!d->operates_until || d->resumed);
	d->resumed = false;
	if (d->operates_until)
		return;
	d->operates_until = w->now_ns + d->operation_ns;
	d->operates_pass = op->pass;
	d->succeeded = false;
	d->begun_ns = d->begun++ ? d->begun_ns : w->now_ns;
}

/* how far it is */
static void poll(const struct world *w, const struct world_disk *d, struct dw_result *r)
{
	double left = (double)(d->operates_until - w->now_ns);

	r->ended = d->succeeded ? DW_ENDED_WELL : DW_ENDED_UNSAID;
	if (!d->operates_until)
		return;
	r->class = DW_CLASS_RUNNING;
	r->progress = (uint32_t)(DW_PROGRESS_ALL * (1 - left / (double)d->operation_ns));
}

/* something goes wrong with this command */
static bool trouble(struct world *w, struct world_disk *d, const struct dw_op *op,
		    struct dw_result *r)
{
	static const uint8_t kinds[] = { DW_CLASS_RETRY,     DW_CLASS_QUEUE_FULL,
					 DW_CLASS_RESET,     DW_CLASS_ATTENTION,
					 DW_CLASS_NOT_READY, DW_CLASS_NEEDS_START,
					 DW_CLASS_HARDWARE,  DW_CLASS_TIMEOUT };

	if (!chance(w, d->trouble))
		return false;
	r->class = kinds[dw_rng_below(&w->rng, DW_ARRAY_SIZE(kinds))];
	r->way = r->class == DW_CLASS_RETRY && chance(w, 32768);
	if (op->verb <= DW_VERB_WRITE_SAME)
		torn(w, d, op);
	if (op->verb == DW_VERB_OPERATE && chance(w, 32768))
		operate(w, d, op);
	if (r->class == DW_CLASS_RESET) {
		if (d->volatile_cache)
			power_loss(w, d);
	}
	if (r->class == DW_CLASS_NOT_READY)
		d->not_ready = 1 + (uint32_t)dw_rng_below(&w->rng, 3);
	if (r->class == DW_CLASS_NEEDS_START)
		d->needs_start = true;
	return true;
}

static bool under_class(const struct world_disk *d, uint32_t write)
{
	return d->class_at && write >= d->class_at && write < d->class_at + d->class_n;
}

/* what this write hears instead of being carried out */
static bool news(struct world *w, struct world_disk *d, const struct dw_op *op,
		 struct dw_result *r)
{
	uint32_t n = ++d->writes;

	d->last_nlb = op->nlb;

	d->mute |= n == d->mute_at;
	if (n == d->mode_at) {
		r->class = DW_CLASS_ATTENTION;
		r->asc = 0x2a;
		r->ascq = 1;
		d->volatile_cache = true;
		return true;
	}
	if (under_class(d, n)) {
		r->class = d->class;
		return true;
	}
	if (n != d->deferred_at && n != d->reset_at)
		return false;
	r->deferred = n == d->deferred_at;
	r->class = r->deferred ? DW_CLASS_MEDIUM : DW_CLASS_RESET;
	power_loss(w, d);
	if (d->mode_at) /* what was not saved is what it was before */
		d->volatile_cache = false;
	return true;
}

const struct world_bad *world_bad_at(const struct world *w, const struct world_disk *d,
				     uint64_t lba, uint64_t nlb)
{
	for (uint32_t i = 0; i < d->n_bad; i++) {
		const struct world_bad *b = &d->bad[i];

		if (b->to_ns && (w->now_ns < b->from_ns || w->now_ns >= b->to_ns))
			continue;
		if (b->data && !nlb)
			continue;
		if (!b->nlb || (nlb && lba < b->lba + b->nlb && lba + nlb > b->lba))
			return b;
	}
	return NULL;
}

/* what the blocks or the time of a command make of it */
static bool ill(const struct world *w, const struct world_disk *d, const struct dw_op *op,
		struct dw_result *r)
{
	const struct world_bad *b = world_bad_at(w, d, op->lba, op->nlb);

	if (!b || b->class == DW_CLASS_TIMEOUT)
		return false;
	r->class = b->class;
	r->way = b->way;
	return true;
}

/* it has been reset since it was looked at last */
static void reset_in_time(struct world *w, struct world_disk *d)
{
	if (!d->resets_ns || (d->calm_ns && w->now_ns >= d->calm_ns) ||
	    w->now_ns / d->resets_ns == d->reset_n)
		return;
	d->reset_n = w->now_ns / d->resets_ns;
	d->attention = DW_CLASS_RESET;
	if (d->volatile_cache)
		power_loss(w, d);
}

static void carry_out(struct world *w, struct world_disk *d, const struct dw_op *op,
		      struct dw_result *r)
{
	r->class = DW_CLASS_OK;
	operate_on(w, d);
	reset_in_time(w, d);
	if (ill(w, d, op, r))
		return;
	if (d->operates_until)
		assert_true(dw_verb_flags(op->verb) & DW_VERB_IS_OPERATION);
	if (d->gone) {
		r->class = DW_CLASS_GONE;
		return;
	}
	if (d->attention && op->verb == DW_VERB_IDENTIFY) {
		r->reset_seen = d->attention == DW_CLASS_RESET;
		d->attention = 0;
	} else if (d->attention) {
		r->class = d->attention;
		d->attention = 0;
		return;
	}
	if (op->verb == DW_VERB_START)
		d->needs_start = false;
	if (d->needs_start && op->verb != DW_VERB_IDENTIFY) {
		r->class = DW_CLASS_NEEDS_START;
		return;
	}
	if (d->not_ready && op->verb != DW_VERB_IDENTIFY) {
		d->not_ready--;
		r->class = DW_CLASS_NOT_READY;
		return;
	}
	if (trouble(w, d, op, r))
		return;
	if (op->verb <= DW_VERB_WRITE_SAME && news(w, d, op, r))
		return;
	if (d->shrunk && op->nlb && op->lba + op->nlb > d->shrunk) {
		r->class = DW_CLASS_RANGE;
		return;
	}
	switch (op->verb) {
	case DW_VERB_WRITE:
	case DW_VERB_WRITE_SAME:
		do_write(w, d, op, r);
		break;
	case DW_VERB_READ:
		do_read(w, d, op, r);
		break;
	case DW_VERB_FLUSH:
		d->flushes++;
		flush(d);
		break;
	case DW_VERB_IDENTIFY:
		r->cache = d->volatile_cache ? DW_CACHE_UNSAID : DW_CACHE_OFF;
		r->identity = d->other    ? DW_IDENTITY_CHANGED
			      : d->shrunk ? DW_IDENTITY_CAPACITY
					  : DW_IDENTITY_SAME;
		break;
	case DW_VERB_OPERATE:
		operate(w, d, op);
		break;
	case DW_VERB_POLL:
		poll(w, d, r);
		break;
	default:
		break;
	}
}

/* it gets no answer: it is shut out of the bus, or the disk is dead */
static bool is_silent(const struct world *w, const struct world_disk *d,
		      const struct dw_op *op)
{
	const struct world_bad *b = world_bad_at(w, d, op->lba, op->nlb);

	if (d->mute)
		return !d->answers || core_is_transfer(op->verb);
	if ((b && b->class == DW_CLASS_TIMEOUT) || (d->longest && op->nlb > d->longest))
		return true;
	return d->starved && core_is_transfer(op->verb) && w->transfers > d->transfers;
}

static void count_transfers(struct world *w, struct world_disk *d, const struct dw_op *op,
			    int by)
{
	if (!core_is_transfer(op->verb))
		return;
	w->transfers += (uint32_t)by;
	d->transfers += (uint32_t)by;
}

static void submit(struct world *w, const struct dw_op *op)
{
	struct world_disk *d = &w->disk[op->disk];
	uint64_t ns = d->rate_ns * dw_max_u64(op->nlb, 1);
	bool silent = is_silent(w, d, op);

	if (op->verb == DW_VERB_DEPTH)
		return;
	if (op->verb == DW_VERB_LIFT) {
		assert_int_equal(d->at_device, 0);
		d->fenced = false;
		return;
	}
	if (op->slot >= w->n_slots) {
		w->slot = realloc(w->slot, (op->slot + 64) * sizeof(*w->slot));
		memset(&w->slot[w->n_slots], 0,
		       (op->slot + 64 - w->n_slots) * sizeof(*w->slot));
		w->n_slots = op->slot + 64;
	}
	assert_false(w->slot[op->slot].sent);
	w->slot[op->slot].op = *op;
	w->slot[op->slot].sent = true;
	w->slot[op->slot].result = (struct dw_result){ .disk = op->disk,
						       .slot = op->slot,
						       .submit_ns = w->now_ns };
	if (op->nlb) {
		assert_true(op->lba + op->nlb <= d->plan.blocks);
		assert_true(op->nlb <= dw_max_u64(d->plan.const_max, d->plan.ws_max));
	}
	if (silent)
		ns = (op->nlb ? LONG_S : SHORT_S) * DW_NS_PER_S;
	w->slot[op->slot].silent = silent;
	count_transfers(w, d, op, 1);
	d->at_device++;
	if (d->at_device > d->most)
		d->most = d->at_device;
	assert_true(d->at_device <= d->plan.depth + w->ahead);
	/* those without an answer wait for it together */
	d->busy_until = (silent ? w->now_ns : dw_max_u64(d->busy_until, w->now_ns)) + ns;
	dw_heap_push(&w->due, d->busy_until, op->slot);
	w->commands++;
}

static void silence(struct world *w, struct world_disk *d, struct dw_result *r)
{
	r->class = DW_CLASS_TIMEOUT;
	d->silences++;
	d->silent_ns = w->now_ns;
	if (d->host_aborts) {
		r->class = DW_CLASS_RETRY;
		r->way = r->aborted = true;
	}
	for (uint32_t i = 0; i < w->n && w->bus_resets; i++) {
		struct world_disk *o = &w->disk[i];

		if (o == d || dw_core_state(w->core, i)->phase == DW_CORE_DONE)
			continue;
		o->attention = DW_CLASS_RESET;
		if (o->volatile_cache)
			power_loss(w, o);
	}
}

static void complete(struct world *w, uint32_t slot)
{
	struct dw_op *op = &w->slot[slot].op;
	struct dw_result *r = &w->slot[slot].result;
	struct world_disk *d = &w->disk[op->disk];

	w->slot[slot].sent = false;
	count_transfers(w, d, op, -1);
	d->at_device--;
	if (d->fenced && !(op->flags & DW_OP_RECOVERY) &&
	    !(d->together && op->verb <= DW_VERB_WRITE_SAME &&
	      under_class(d, d->writes + 1))) {
		r->class = DW_CLASS_GIVEN_BACK;
		if (d->ncq && op->nlb && w->now_ns - d->silent_ns < DW_NS_PER_S) {
			r->class = DW_CLASS_TIMEOUT;
			r->start_ns = r->submit_ns;
			r->end_ns = w->now_ns;
		}
	} else {
		r->start_ns = r->submit_ns;
		r->end_ns = w->now_ns;
		if (w->slot[slot].silent)
			silence(w, d, r);
		else
			carry_out(w, d, op, r);
		if ((r->class != DW_CLASS_OK && r->class != DW_CLASS_RUNNING) ||
		    r->reset_seen)
			d->fenced = true;
	}
	assert_int_equal(dw_core_result(w->core, r, w->now_ns), 0);
}

static void report_stall(const struct world *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const struct dw_disk_state *st = dw_core_state(w->core, i);

		print_error(
			"disk %u: phase %u pass %u end %u fenced %d submitted %u mark %llu\n",
			i, st->phase, st->pass, st->end, st->fenced, st->submitted,
			(unsigned long long)st->mark);
	}
	fail_msg("stalled");
}

void world_run(struct world *w, uint64_t steps, uint64_t stop_after)
{
	struct dw_core_event event;
	struct dw_heap_item item;
	struct dw_op op;
	uint64_t results = 0;

	while (results < steps) {
		assert_int_equal(dw_core_step(w->core, w->now_ns), 0);
		while (dw_core_op(w->core, &op))
			submit(w, &op);
		while (dw_core_event(w->core, &event))
			;
		if (dw_core_done(w->core))
			return;
		if (dw_core_stalled(w->core))
			report_stall(w);
		if (dw_core_timer(w->core) < dw_heap_peek(&w->due)) {
			w->now_ns = dw_max_u64(w->now_ns, dw_core_timer(w->core));
			continue;
		}
		assert_true(dw_heap_pop(&w->due, &item));
		w->now_ns = dw_max_u64(w->now_ns, item.ns);
		complete(w, (uint32_t)item.tag);
		if (++results == stop_after)
			for (uint32_t i = 0; i < w->n; i++)
				dw_core_stop(w->core, i, false);
	}
	fail_msg("the job did not end within %llu results", (unsigned long long)steps);
}

bool world_resume(struct world *w)
{
	struct dw_core *core = new_core(w);
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct dw_disk_state *st = dw_core_state(w->core, i);
		struct world_disk *d = &w->disk[i];

		if (st->end != DW_END_STOPPED) {
			disk_deinit(d);
			continue;
		}
		if (d->volatile_cache)
			power_loss(w, d);
		/* what was torn off above the mark may be written again by an earlier pass */
		memcpy(d->highest, d->medium, d->plan.blocks);
		for (uint64_t k = 0; k < d->plan.blocks; k++)
			if (d->highest[k] == NOTHING)
				d->highest[k] = 0;
		d->plan.first_pass = st->pass;
		d->plan.first_lba = st->mark;
		d->plan.operating = st->operation.running;
		d->resumed = true;
		d->fenced = false;
		d->attention = 0;
		d->most = 0;
		join(w, core, d, n, st);
		w->disk[n++] = *d;
	}
	w->n = n;
	dw_core_free(w->core);
	w->core = core;
	return n > 0;
}

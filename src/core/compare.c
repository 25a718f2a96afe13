/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A disk compares all its blocks with one that is sent (VERIFY, BYTCHK 11b), and shows that it
 * does. Many disks and adapters take that command and compare nothing, so their word counts only
 * as far as it was put to the test:
 *
 *	CONTROL	 a block is compared with what it does not hold: that has to be reported
 *	PLANT	 blocks at places that the disk cannot know are made to differ, and flushed
 *	FLOOD	 others are read, more than its cache holds
 *	COMPARE	 all blocks; of each plant the disk has to say that its block differs
 *	UNPLANT	 the plants are overwritten and flushed; VERIFY then reads each of them
 *
 * From before the first plant is written until their overwriting is confirmed the mark lies below
 * the first of them, and the state file has their seed: whoever continues from it overwrites them.
 *
 * A good end that covers a plant or a block that differs when it is read, a plant that is not
 * reported, or a report that reading does not confirm: then the comparison counts for nothing, and
 * all blocks are read. In no case is it a substitute for the sample, which is read over the bus as
 * without it.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/util.h"
#include "core/internal.h"
#include "plan/plants.h"

#define SEED       UINT64_C(0x94d049bb133111eb)
#define NLB_START  UINT32_C(65535)
#define LONG_NS    (5 * DW_NS_PER_S)
#define SHORT_NS   DW_NS_PER_S
#define LEAST      (8 * DW_MIB) /* of a command: shorter ones take longer than reading */
#define DOUBTS_MAX 8
#define FAILS_MAX  8

/* What an extent that is compared again is to show: struct dw_extent.tries */
enum core_stage {
	STAGE_ANY,
	STAGE_TO_PLANT, /* it ends with a plant: a difference */
	STAGE_BEFORE,   /* it ends before a plant that made the one above differ: none */
};

bool core_plants(uint8_t phase)
{
	return phase == DW_CORE_PLANT || phase == DW_CORE_UNPLANT;
}

void core_compare_deinit(struct core_disk *d)
{
	dw_extents_deinit(&d->compare.plants);
	dw_extents_deinit(&d->compare.pending);
	dw_extents_deinit(&d->compare.doubt);
}

bool core_compare_wanted(const struct core_disk *d)
{
	const struct dw_pass_plan *p = &d->plan.pass[d->state.pass];

	return d->plan.compare && !d->state.compare.done && !d->state.compare.why[0] &&
	       !d->plan.verify_only && d->state.pass + 1 == d->plan.n_passes &&
	       p->kind == DW_PASS_WRITE && p->verify == DW_VERIFY_SAMPLE;
}

__attribute__((format(printf, 3, 4))) static void
drop(struct dw_core *c, struct core_disk *d, const char *fmt, ...)
{
	struct dw_compare_state *s = &d->state.compare;
	va_list ap;

	if (s->why[0])
		return;
	va_start(ap, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, ap);
	va_end(ap);
	s->done = false;
	core_notice(c, d,
		    "all blocks are read, as the disk cannot be relied on to compare "
		    "them: %.90s",
		    s->why);
	d->plan.pass[d->state.pass].verify = DW_VERIFY_FULL;
	d->state.work_total = d->state.work_done + d->plan.blocks;
	if (d->state.phase == DW_CORE_COMPARE || d->state.phase == DW_CORE_CONTROL ||
	    d->state.phase == DW_CORE_PLANT)
		dw_cursor_range(&d->cursor, 0, 0, d->plan.physical);
}

static int draw(struct core_disk *d, uint64_t seed)
{
	struct dw_compare_state *s = &d->state.compare;
	int r;

	core_compare_deinit(d);
	d->compare.most = d->plan.compare;
	d->compare.nlb = (uint32_t)dw_min_u64(NLB_START, d->compare.most);
	r = dw_plants_draw(d->plan.blocks, seed, &d->compare.plants);
	for (size_t i = 0; i < d->compare.plants.n && !r; i++)
		r = dw_extents_add(&d->compare.pending, &d->compare.plants.v[i]);
	s->seed = seed;
	s->strata = dw_plants_strata(d->plan.blocks);
	s->plants = s->found = 0;
	s->blocks = 0;
	return r;
}

/* A plant is no block that is written: as long as there may be one, the mark lies below it. */
static void planted(struct core_disk *d)
{
	const struct dw_extents *x = &d->compare.plants;

	d->state.compare.planted = true;
	for (size_t i = 0; i < x->n; i++)
		d->state.mark = dw_min_u64(d->state.mark,
					   dw_order_low(&d->plan.order, x->v[i].lba, 1));
}

int core_compare_resume(struct core_disk *d)
{
	int r = draw(d, d->plan.plant_seed);

	planted(d);
	return r ? r : core_pass_list(d, DW_CORE_UNPLANT, &d->compare.plants);
}

void core_compare_begin(struct dw_core *c, struct core_disk *d)
{
	int r = draw(d, (d->plan.seed ^ SEED) + d->state.pass);
	struct dw_extents one = { .v = d->compare.plants.v, .n = 1 };

	core_set_error(c, r);
	if (!r && !d->state.faults.n && !d->state.elsewhere.unsure &&
	    d->compare.plants.n) {
		core_set_error(c, core_pass_list(d, DW_CORE_CONTROL, &one));
		return;
	}
	drop(c, d,
	     d->state.elsewhere.unsure
		     ? "errors, maybe of its writes, were reported to others"
	     : d->state.faults.n ? "not all blocks of it could be written"
				 : "it has too few blocks for that");
	core_pass_verify(d);
}

void core_compare_next(struct dw_core *c, struct core_disk *d)
{
	bool control = d->state.phase == DW_CORE_CONTROL;
	struct dw_extent piece;

	if (dw_cursor_cut(&d->cursor, control ? 1 : d->compare.nlb, &piece))
		core_emit(c, d, DW_VERB_COMPARE, &piece, control ? DW_OP_PLANT : 0);
}

static void begin_plants(struct dw_core *c, struct core_disk *d)
{
	planted(d);
	d->state.compare.plants = (uint32_t)d->compare.plants.n;
	core_event_new(c, d, DW_CORE_EVENT_FLUSHED); /* a resume has to know it */
	core_set_error(c, core_pass_list(d, DW_CORE_PLANT, &d->compare.plants));
}

static void begin_flood(struct dw_core *c, struct core_disk *d)
{
	struct dw_extents beside = { 0 };

	core_set_error(c, dw_plants_flood(d->plan.blocks, d->plan.block_size,
					  &d->compare.plants, &beside));
	core_set_error(c, core_pass_list(d, DW_CORE_FLOOD, &beside));
	dw_extents_deinit(&beside);
}

static void compared_all(struct dw_core *c, struct core_disk *d)
{
	struct dw_compare_state *s = &d->state.compare;

	if (d->compare.pending.n)
		drop(c, d, "it reported %u of %u planted differences", s->found,
		     s->plants);
	s->done = !s->why[0];
	core_set_error(c, core_pass_list(d, DW_CORE_UNPLANT, &d->compare.plants));
}

bool core_compare_over(struct dw_core *c, struct core_disk *d)
{
	switch (d->state.phase) {
	case DW_CORE_CONTROL:
		if (d->state.compare.why[0])
			return true;
		begin_plants(c, d);
		return false;
	case DW_CORE_FLOOD:
		d->state.phase = DW_CORE_COMPARE;
		dw_cursor_range(&d->cursor, 0, d->plan.blocks, d->plan.physical);
		return false;
	default:
		compared_all(c, d);
		return false;
	}
}

/* to be read with the sample, wherever that goes */
static void read_all(struct dw_core *c, struct core_disk *d, const struct dw_extents *x)
{
	for (size_t i = 0; i < x->n; i++)
		core_set_error(c, dw_extents_merge(&d->verify.touched, x->v[i].lba,
						   x->v[i].nlb));
}

bool core_compare_flushed(struct dw_core *c, struct core_disk *d)
{
	if (d->flush.after == DW_CORE_PLANT && d->state.compare.why[0]) {
		core_set_error(c, core_pass_list(d, DW_CORE_UNPLANT, &d->compare.plants));
		return false;
	}
	if (d->flush.after == DW_CORE_PLANT) {
		begin_flood(c, d);
		return false;
	}
	d->state.compare.planted = false;
	d->state.mark = d->plan.blocks;
	core_event_new(c, d, DW_CORE_EVENT_FLUSHED);
	read_all(c, d, &d->compare.plants);
	read_all(c, d, &d->compare.doubt);
	return true;
}

static void right(struct core_disk *d, uint64_t nlb)
{
	d->state.compare.blocks += nlb;
	d->state.work_done += nlb;
}

static void found(struct dw_core *c, struct core_disk *d, uint64_t plant)
{
	d->state.compare.found++;
	d->state.work_done++;
	core_set_error(c, dw_extents_remove(&d->compare.pending, plant, 1));
}

static void again(struct dw_core *c, struct core_disk *d, uint64_t lba, uint64_t end,
		  enum core_stage stage)
{
	struct dw_extent e = { .lba = lba, .nlb = end - lba, .tries = stage };

	if (lba < end)
		core_set_error(c, dw_cursor_give_back(&d->cursor, &e));
}

/* No plant is there: reading has to confirm it, and the rest of the blocks is read with it. */
static void doubt(struct dw_core *c, struct core_disk *d, const struct core_slot *s)
{
	const struct dw_extent *e = &s->extent;

	if (d->compare.doubt.n == DOUBTS_MAX) {
		drop(c, d,
		     "it reports differences in many places where none was planted");
		return;
	}
	core_set_error(c, dw_extents_add(&d->compare.doubt, e));
	d->state.work_done += e->nlb;
	if (e->tries == STAGE_BEFORE &&
	    dw_extents_has(&d->compare.pending, e->lba + e->nlb))
		again(c, d, e->lba + e->nlb, e->lba + e->nlb + 1, STAGE_TO_PLANT);
}

/*
 * A difference where plants are. The disk may say that the first of them is the first that differs.
 * If it does not say where, or says something else, what ends with that plant is compared, which
 * has to differ, and what ends before it, which has not.
 */
static void differs(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		    const struct dw_result *r, uint64_t plant)
{
	const struct dw_extent *e = &s->extent;
	uint64_t end = e->lba + e->nlb;

	if (e->nlb == 1 || (r->at_valid && r->at == plant)) {
		right(d, plant - e->lba);
		found(c, d, plant);
		again(c, d, plant + 1, end, STAGE_ANY);
	} else if (e->tries == STAGE_TO_PLANT) {
		again(c, d, e->lba, plant, STAGE_BEFORE);
	} else {
		again(c, d, e->lba, plant + 1, STAGE_TO_PLANT);
		again(c, d, plant + 1, end, STAGE_ANY);
	}
}

/* No progress is reported meanwhile: keep each command between one and five seconds. */
static void adapt(struct core_disk *d, const struct core_slot *s,
		  const struct dw_result *r)
{
	uint64_t ns = r->end_ns - r->start_ns;

	if (s->extent.nlb < d->compare.nlb)
		return;
	if (ns > LONG_NS)
		d->compare.nlb =
			(uint32_t)dw_max_u64(d->compare.nlb / 2, d->plan.physical);
	else if (ns < SHORT_NS)
		d->compare.nlb = (uint32_t)dw_min_u64(2 * (uint64_t)d->compare.nlb,
						      d->compare.most);
}

void core_compare_good(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		       const struct dw_result *r)
{
	const struct dw_extent *e = &s->extent;
	const struct dw_extent *p = dw_extents_near(&d->compare.pending, e->lba);
	uint64_t plant = p ? p->lba : UINT64_MAX;

	if (d->state.phase == DW_CORE_CONTROL) {
		if (!r->miscompare)
			drop(c, d, "it called equal what is not: a block and another");
		return;
	}
	d->state.position = e->lba + e->nlb;
	if (d->state.compare.why[0])
		return;
	if (r->miscompare && plant - e->lba < e->nlb) {
		differs(c, d, s, r, plant);
	} else if (r->miscompare) {
		doubt(c, d, s);
	} else if (plant - e->lba < e->nlb) {
		drop(c, d, "it called equal %llu blocks with a planted difference",
		     (unsigned long long)e->nlb);
	} else {
		adapt(d, s, r);
		right(d, e->nlb);
		if (e->tries == STAGE_BEFORE && plant == e->lba + e->nlb)
			found(c, d, plant);
	}
}

void core_compare_leapt(struct dw_core *c, struct core_disk *d, uint64_t lba,
			uint64_t nlb)
{
	struct dw_extents *x = &d->compare.pending;
	size_t before = x->n;

	core_set_error(c, dw_extents_remove(x, lba, nlb));
	d->state.compare.found += (uint32_t)(before - x->n);
	d->state.compare.blocks += nlb - (before - x->n);
}

/* The block is read, and what comes of that is as for any other. */
static void unreadable(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		       const struct dw_result *r)
{
	const struct dw_extent *e = &s->extent;
	uint64_t from = r->bad_lba - r->bad_lba % d->plan.physical;
	uint64_t end = dw_min_u64(from + d->plan.physical, e->lba + e->nlb);
	const struct dw_extent *p;

	from = dw_max_u64(from, e->lba);
	p = dw_extents_near(&d->compare.pending, from);
	if (p && p->lba < end) {
		drop(c, d, "it cannot read a block where a difference was planted");
		return;
	}
	core_set_error(c, dw_extents_merge(&d->verify.touched, from, end - from));
	d->state.work_done += end - from;
	again(c, d, e->lba, from, STAGE_ANY);
	again(c, d, end, e->lba + e->nlb, STAGE_ANY);
}

/* The disk refuses that length; false when it takes none that is worth it. */
static bool shorten(struct core_disk *d, uint64_t nlb)
{
	uint64_t half = nlb / 2 - nlb / 2 % d->plan.physical;

	if (half * d->plan.block_size < LEAST)
		return false;
	d->compare.most = (uint32_t)dw_min_u64(d->compare.most, half);
	d->compare.nlb = (uint32_t)dw_min_u64(d->compare.nlb, half);
	return true;
}

/* Whether the command may be sent again; @r becomes what the disk has to recover from. */
static bool may_pass(struct core_disk *d, const struct core_slot *s, struct dw_result *r)
{
	switch (r->class) {
	case DW_CLASS_GIVEN_BACK:
		return true;
	case DW_CLASS_TOO_BIG:
		if (shorten(d, s->extent.nlb))
			return true;
		break;
	case DW_CLASS_TIMEOUT:
		d->compare.nlb =
			(uint32_t)dw_max_u64(d->compare.nlb / 2, d->plan.physical);
		return ++d->compare.fails <= FAILS_MAX;
	case DW_CLASS_RETRY:
	case DW_CLASS_QUEUE_FULL:
	case DW_CLASS_ATTENTION:
	case DW_CLASS_RESET:
	case DW_CLASS_NOT_READY:
	case DW_CLASS_NEEDS_START:
	case DW_CLASS_GONE:
	case DW_CLASS_RESERVED:
	case DW_CLASS_PROTECTED:
	case DW_CLASS_FAILED:
		return ++d->compare.fails <= FAILS_MAX;
	default:
		break;
	}
	r->class =
		DW_CLASS_UNSUPPORTED; /* it is about the command, and not about the disk */
	return false;
}

void core_compare_bad(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		      const struct dw_result *r)
{
	struct dw_result reported = *r;
	char text[100];

	core_fence(c, d, r);
	if (r->class == DW_CLASS_MEDIUM && r->bad_valid && !r->deferred &&
	    d->state.phase == DW_CORE_COMPARE)
		unreadable(c, d, s, r);
	else if (may_pass(d, s, &reported))
		again(c, d, s->extent.lba, s->extent.lba + s->extent.nlb,
		      (enum core_stage)s->extent.tries);
	else
		drop(c, d, "%s", core_describe(s, r, text, sizeof(text)));
	core_recover_need(c, d, s, &reported);
}

void core_compare_unkept(struct dw_core *c, struct core_disk *d,
			 const struct dw_result *r)
{
	core_fence(c, d, r);
	drop(c, d, "%s", r->detail ? r->detail : "no difference can be planted");
}

static bool is_confirmed(const struct core_disk *d, const struct dw_extent *e)
{
	const struct dw_extent *x = dw_extents_near(&d->verify.unreadable, e->lba);

	if (x && x->lba < e->lba + e->nlb)
		return true;
	for (uint32_t i = 0; i < d->state.faults.n; i++)
		if (d->state.faults.v[i].lba < e->lba + e->nlb &&
		    e->lba < d->state.faults.v[i].lba + d->state.faults.v[i].nlb)
			return true;
	return false;
}

static bool overlaps(const struct dw_extents *x, const struct dw_fault *f)
{
	for (size_t i = 0; i < x->n; i++)
		if (f->lba < x->v[i].lba + x->v[i].nlb && x->v[i].lba < f->lba + f->nlb)
			return true;
	return false;
}

/* A block that differs when it is read, and that it called right; plants were overwritten. */
static const struct dw_fault *missed(const struct core_disk *d)
{
	for (uint32_t i = 0; i < d->state.faults.n; i++) {
		const struct dw_fault *f = &d->state.faults.v[i];

		if (f->kind == DW_MISMATCH && !overlaps(&d->compare.doubt, f) &&
		    !overlaps(&d->compare.plants, f))
			return f;
	}
	return NULL;
}

bool core_compare_refuted(struct dw_core *c, struct core_disk *d)
{
	const struct dw_fault *f;

	if (!d->state.compare.done)
		return false;
	for (size_t i = 0; i < d->compare.doubt.n; i++)
		if (!is_confirmed(d, &d->compare.doubt.v[i]))
			drop(c, d, "it reported a difference that is none, near LBA %llu",
			     (unsigned long long)d->compare.doubt.v[i].lba);
	f = missed(d);
	if (f)
		drop(c, d, "it called equal what differs when it is read, at LBA %llu",
		     (unsigned long long)f->lba);
	return !d->state.compare.done;
}

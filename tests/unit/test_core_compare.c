/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A disk that compares its blocks itself: one that does, and every way not to. */
#include "hand.h"

#include <math.h>

#include "base/rng.h"
#include "plan/plants.h"

#define COMPARE_MAX 50
#define SHARES      5
#define LIARS       10000
#define SKIP_BLOCKS 20000

enum content { OLD, ERASED, PLANT };
enum info { INFO_LBA, INFO_BYTE, INFO_NONE, INFO_LAST };

/**
 * struct model - the disk under test
 * @block, @cached: what the medium holds, and what is read
 * @info: what it puts into the INFORMATION field
 * @skips: blocks of which it says that they are right
 * @drops: blocks to which no write gets
 * @good_after: so many comparisons are truthful
 * @lone: only commands of one block are compared
 * @wrong: so many commands with nothing that differs are said to differ
 * @fail_at, @fail: the comparison with that number ends so; UINT32_MAX = none
 * @longest: longer commands are refused; 0 = none is
 * @only_plants: it says nothing of any other difference
 * @told_elsewhere: it counts errors of writes that were told to somebody else
 * @cache_only: of more than one block it compares what is in its cache of @cache blocks alone
 * @refuse_plants: the state file cannot be written
 * @kill_at: the op at which the power goes; UINT32_MAX = none
 * @kept: what the state file would have
 */
static struct model {
	uint8_t block[BLOCKS];
	uint64_t used[BLOCKS];
	uint64_t clock;
	enum info info;
	bool skips[BLOCKS];
	bool drops[BLOCKS];
	uint32_t good_after;
	bool lone;
	uint32_t wrong;
	uint32_t fail_at;
	uint8_t fail;
	uint64_t cache;
	bool cache_only;
	uint32_t longest;
	bool only_plants;
	bool told_elsewhere;
	bool refuse_plants;
	uint32_t kill_at;
	bool killed;
	struct dw_disk_state kept;
	uint32_t compares;
	uint32_t planted;
} m;

static void touch(uint64_t lba, uint64_t nlb)
{
	for (uint64_t i = lba; i < lba + nlb; i++)
		m.used[i] = ++m.clock;
}

static bool sees(const struct dw_op *op, uint64_t lba)
{
	if (m.skips[lba] || (m.only_plants && m.block[lba] != PLANT && op->nlb > 1))
		return false;
	return !m.cache_only || op->nlb == 1 ||
	       (m.used[lba] && m.clock - m.used[lba] < m.cache);
}

static bool is_wanted(const struct dw_op *op, uint64_t lba)
{
	return m.block[lba] == (op->flags & DW_OP_PLANT ? PLANT : ERASED);
}

static void answer_compare(const struct dw_op *op, struct dw_result *r)
{
	uint32_t n = m.compares++;

	if (n == m.fail_at) {
		r->class = m.fail;
		r->bad_valid = m.fail == DW_CLASS_MEDIUM;
		r->bad_lba = op->lba + op->nlb / 2;
		return;
	}
	if (m.longest && op->nlb > m.longest) {
		r->class = DW_CLASS_TOO_BIG;
		return;
	}
	if (n >= m.good_after || (m.lone && op->nlb > 1))
		return;
	if (m.wrong && op->nlb > 1) {
		m.wrong--;
		r->miscompare = true;
	}
	for (uint64_t i = op->lba; i < op->lba + op->nlb && !r->miscompare; i++) {
		if (is_wanted(op, i) || !sees(op, i))
			continue;
		r->miscompare = true;
		r->at_valid = m.info != INFO_NONE;
		r->at = m.info == INFO_LBA    ? i
			: m.info == INFO_LAST ? op->lba + op->nlb - 1
					      : 3;
	}
}

static void answer_read(const struct dw_op *op, struct dw_result *r)
{
	touch(op->lba, op->nlb);
	for (uint64_t i = op->lba; i < op->lba + op->nlb; i++) {
		if (m.block[i] == ERASED)
			continue;
		if (r->n_runs == DW_RUNS_MAX) {
			r->compared = (uint32_t)(i - op->lba);
			return;
		}
		r->run[r->n_runs++] = (struct dw_run){ i, 1 };
	}
}

/* the state file is written whenever a mark is told, before the first plant is */
static void keep(struct hand *h)
{
	struct dw_core_event e;

	while (dw_core_event(h->core, &e))
		if (e.kind == DW_CORE_EVENT_FLUSHED)
			m.kept = *dw_core_state(h->core, 0);
}

static void answer(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	bool writes = op->verb == DW_VERB_WRITE || op->verb == DW_VERB_WRITE_SAME;
	bool plant = op->flags & DW_OP_PLANT && writes;

	keep(h);
	if (m.killed || h->n_ops - 1 == m.kill_at) {
		m.killed = true;
		r->class = DW_CLASS_FAILED;
		return;
	}
	if (plant) { /* whoever goes on from the file writes it again */
		assert_true(m.kept.compare.planted);
		assert_true(m.kept.mark <= op->lba);
		assert_int_equal(1, op->nlb);
		m.planted++;
	}
	if (plant && m.refuse_plants) {
		r->class = DW_CLASS_UNSUPPORTED;
		r->start_ns = 0;
	} else if (writes) {
		touch(op->lba, op->nlb);
		for (uint64_t i = op->lba; i < op->lba + op->nlb; i++)
			if (!m.drops[i] || plant)
				m.block[i] = plant ? PLANT : ERASED;
	} else if (op->verb == DW_VERB_READ) {
		answer_read(op, r);
	} else if (op->verb == DW_VERB_COMPARE) {
		answer_compare(op, r);
	} else if (op->verb == DW_VERB_IDENTIFY && m.told_elsewhere &&
		   h->n[DW_VERB_IDENTIFY] < 5) {
		r->elsewhere = 2;
		r->write_log = DW_WRITE_LOG_OPEN;
	}
}

static void new_model(struct hand *h)
{
	hand_new(h, answer);
	h->plan.compare = COMPARE_MAX;
	h->plan.pass[0].verify = DW_VERIFY_SAMPLE;
	m = (struct model){ .good_after = UINT32_MAX,
			    .fail_at = UINT32_MAX,
			    .kill_at = UINT32_MAX };
}

static uint32_t count(const uint8_t *block, enum content what)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < BLOCKS; i++)
		n += block[i] == what;
	return n;
}

/* It is not relied on; nothing that was planted is left, and all blocks were read. */
static void assert_read_instead(struct hand *h, const struct dw_disk_state *s)
{
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_false(s->compare.done);
	assert_false(s->compare.planted);
	assert_true(s->compare.why[0]);
	assert_int_equal(0, count(m.block, PLANT));
	assert_all(h->read, 1);
	assert_int_equal(DW_VERIFY_FULL, dw_core_plan(h->core, 0)->pass[0].verify);
}

static void compares(void **state)
{
	static const enum info infos[] = { INFO_LBA, INFO_BYTE, INFO_NONE, INFO_LAST };
	struct dw_extents plants = { 0 };
	const struct dw_disk_state *s;
	struct hand h;

	for (size_t i = 0; i < DW_ARRAY_SIZE(infos); i++) {
		uint32_t last, at;

		new_model(&h);
		m.info = infos[i];
		s = hand_run(&h, 0);
		assert_int_equal(DW_END_COMPLETE, s->end);
		assert_int_equal(0, s->faults.n);
		assert_string_equal("", s->compare.why);
		assert_true(s->compare.done);
		assert_int_equal(BLOCKS / 12, s->compare.strata);
		assert_true(s->compare.plants > s->compare.strata);
		assert_int_equal(s->compare.plants, s->compare.found);
		assert_int_equal(s->compare.plants, m.planted);
		assert_int_equal(BLOCKS, s->compare.blocks + s->compare.found);
		assert_int_equal(BLOCKS, count(m.block, ERASED));
		assert_false(s->compare.planted);
		assert_int_equal(BLOCKS, s->mark);
		/* all plants are read after the last of them is overwritten, and no sample less */
		for (last = h.n_ops; h.op[last - 1].verb != DW_VERB_WRITE;)
			last--;
		assert_int_equal(0, dw_plants_draw(BLOCKS, s->compare.seed, &plants));
		for (size_t k = 0; k < plants.n; k++) {
			for (at = last; at < h.n_ops; at++)
				if (h.op[at].verb == DW_VERB_READ &&
				    plants.v[k].lba >= h.op[at].lba &&
				    plants.v[k].lba < h.op[at].lba + h.op[at].nlb)
					break;
			assert_true(at < h.n_ops);
		}
		assert_true(find(&h, last, DW_VERB_FLUSH) < find(&h, last, DW_VERB_READ));
		assert_int_equal(10, s->verify.units);
		dw_extents_deinit(&plants);
		hand_free(&h);
	}
}

/* before anything is planted, by one command */
static void is_refused(void **state)
{
	static const uint8_t classes[] = { DW_CLASS_OK, DW_CLASS_UNSUPPORTED,
					   DW_CLASS_BUG, DW_CLASS_HARDWARE };
	const struct dw_disk_state *s;
	struct hand h;

	for (size_t i = 0; i < DW_ARRAY_SIZE(classes); i++) {
		new_model(&h);
		m.fail_at = 0;
		m.fail = classes[i];
		s = hand_run(&h, 0);
		assert_read_instead(&h, s);
		assert_int_equal(1, m.compares);
		assert_int_equal(0, s->compare.plants);
		assert_int_equal(0, m.planted);
		assert_int_equal(0, s->faults.n);
		hand_free(&h);
	}
}

static void liar(void (*lie)(void))
{
	const struct dw_disk_state *s;
	struct hand h;

	new_model(&h);
	lie();
	s = hand_run(&h, 0);
	assert_read_instead(&h, s);
	assert_int_equal(0, s->faults.n);
	assert_int_equal(BLOCKS, count(m.block, ERASED));
	hand_free(&h);
}

static void lie_lone(void)
{
	m.lone = true;
}

static void lie_later(void)
{
	m.good_after = 60;
}

static void lie_zone(void)
{
	memset(m.skips + 400, true, 200);
}

static void lie_cache(void)
{
	m.cache_only = true;
	m.cache = 100;
}

static void lie_wrong(void)
{
	m.wrong = 3;
	m.info = INFO_NONE;
}

static void lie_always(void)
{
	m.wrong = UINT32_MAX;
}

static void lie_refuse_plants(void)
{
	m.refuse_plants = true;
}

static void lie_refuse_midway(void)
{
	m.fail_at = 5;
	m.fail = DW_CLASS_UNSUPPORTED;
}

static void lies(void **state)
{
	static void (*const lie[])(
		void) = { lie_lone,  lie_later,  lie_zone,          lie_cache,
			  lie_wrong, lie_always, lie_refuse_plants, lie_refuse_midway };

	for (size_t i = 0; i < DW_ARRAY_SIZE(lie); i++)
		liar(lie[i]);
}

/* what did not get to the medium, and no sample need see */
static void finds_what_differs(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	for (uint32_t k = 0; k < 20; k++) {
		new_model(&h);
		m.info = k % 2 ? INFO_LBA : INFO_NONE;
		m.drops[37 + 47 * k] = true;
		s = hand_run(&h, 100);
		assert_int_equal(DW_END_COMPLETE, s->end);
		/* also what was planted there, and cannot be overwritten */
		assert_true(s->verify.mismatches > 0 || m.block[37 + 47 * k] == ERASED);
		assert_true(s->verify.mismatches > 0 || !count(m.block, PLANT));
		hand_free(&h);
	}
}

static void recovers(void **state)
{
	static const uint8_t classes[] = { DW_CLASS_RETRY,     DW_CLASS_RESET,
					   DW_CLASS_TIMEOUT,   DW_CLASS_QUEUE_FULL,
					   DW_CLASS_ATTENTION, DW_CLASS_GIVEN_BACK,
					   DW_CLASS_NOT_READY };
	const struct dw_disk_state *s;
	struct hand h;

	for (size_t i = 0; i < DW_ARRAY_SIZE(classes); i++) {
		for (uint32_t at = 0; at < 30; at += 5) {
			new_model(&h);
			m.fail_at = at;
			m.fail = classes[i];
			s = hand_run(&h, 0);
			assert_int_equal(DW_END_COMPLETE, s->end);
			assert_true(s->compare.done);
			assert_int_equal(s->compare.plants, s->compare.found);
			assert_int_equal(BLOCKS, count(m.block, ERASED));
			hand_free(&h);
		}
	}
}

/* a run that goes on from what the file had: with what it says of plants, or without; it may be cut
 * off as well */
static void go_on(bool knows, uint8_t verify, uint32_t kill_at)
{
	struct dw_disk_state kept = m.kept;
	uint8_t block[BLOCKS];
	const struct dw_disk_state *s;
	struct hand h;

	memcpy(block, m.block, sizeof(block));
	new_model(&h);
	memcpy(m.block, block, sizeof(block));
	m.kept = kept;
	m.kill_at = kill_at;
	h.plan.first_lba = kept.mark;
	if (kept.compare.planted && knows) {
		h.plan.planted = true;
		h.plan.plant_seed = kept.compare.seed;
		h.plan.first_lba = BLOCKS;
	}
	h.plan.pass[0].verify = verify;
	h.plan.seed = 77 + kill_at; /* another run's */
	s = hand_run(&h, 0);
	keep(&h);
	if (!m.killed) {
		assert_int_equal(DW_END_COMPLETE, s->end);
		assert_int_equal(0, s->faults.n);
		assert_int_equal(BLOCKS, count(m.block, ERASED));
		assert_false(s->compare.planted);
		assert_true(verify != DW_VERIFY_SAMPLE || s->compare.done);
	}
	hand_free(&h);
}

/* the power goes at each command, and once more while the next run goes on; nothing that was
 * planted stays */
static void is_cut_off(void **state)
{
	static const struct {
		bool knows;
		uint8_t verify;
	} way[] = { { false, DW_VERIFY_SAMPLE },
		    { true, DW_VERIFY_SAMPLE },
		    { true, DW_VERIFY_FULL } };
	struct dw_rng rng;
	struct hand h;
	uint32_t n;

	new_model(&h);
	hand_run(&h, 0);
	n = h.n_ops;
	hand_free(&h);
	dw_rng_seed(&rng, 3);
	for (uint32_t at = 0; at < n; at++) {
		for (size_t i = 0; i < 2 * DW_ARRAY_SIZE(way); i++) {
			uint8_t verify = way[i / 2].verify;

			new_model(&h);
			m.kill_at = at;
			hand_run(&h, 0);
			keep(&h);
			hand_free(&h);
			if (i % 2)
				go_on(way[i / 2].knows, verify,
				      (uint32_t)dw_rng_below(&rng, n));
			go_on(way[i / 2].knows, verify, UINT32_MAX);
		}
	}
}

/* a limit that the disk does not tell, or one below which reading is quicker */
static void long_ones_are_refused(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	for (uint32_t longest = 7; longest < 50; longest += 5) {
		new_model(&h);
		h.plan.block_size = 1 << 20;
		m.longest = longest;
		s = hand_run(&h, 0);
		assert_int_equal(DW_END_COMPLETE, s->end);
		assert_int_equal(longest >= 12, s->compare.done);
		if (longest < 12)
			assert_read_instead(&h, s);
		hand_free(&h);
	}
}

/* it knows what was planted, and reports nothing else: the sample sees what it does not say */
static void sample_sees_more(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	new_model(&h);
	m.only_plants = true;
	for (uint32_t i = 0; i < BLOCKS; i += 5)
		m.drops[i] = true;
	s = hand_run(&h, BLOCKS);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_false(s->compare.done);
	assert_int_equal(s->compare.plants, s->compare.found);
	assert_non_null(strstr(s->compare.why, "called equal what differs"));
	assert_int_equal(BLOCKS / 5, s->verify.mismatches);
	assert_all(h.read, 1);
	hand_free(&h);
}

/* without a verification of all blocks it would not be called erased, so it has that */
static void others_were_told(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	new_model(&h);
	m.told_elsewhere = true;
	s = hand_run(&h, 0);
	assert_true(s->elsewhere.unsure);
	assert_read_instead(&h, s);
	assert_int_equal(0, m.planted);
	hand_free(&h);
}

/* a share of the blocks that is skipped, in runs of @each, the same ones for all seeds */
static void draw_skipped(struct dw_rng *rng, bool *skip, uint64_t blocks, double share,
			 uint64_t each)
{
	uint64_t left = (uint64_t)((double)blocks * share);

	memset(skip, 0, blocks);
	while (left) {
		uint64_t at = dw_rng_below(rng, blocks), n = dw_min_u64(each, left);

		for (; n && at < blocks; at++, n--) {
			left -= !skip[at];
			skip[at] = true;
		}
	}
}

/* liars of that share which no plant shows */
static uint32_t count_escaped(struct dw_rng *rng, double share, bool spread)
{
	static bool skip[SKIP_BLOCKS];
	uint32_t escaped = 0;

	for (uint32_t i = 0; i < LIARS; i++) {
		struct dw_extents x = { 0 };
		bool caught = false;

		draw_skipped(rng, skip, SKIP_BLOCKS, share,
			     spread ? 1 : 1 + dw_rng_below(rng, SKIP_BLOCKS / 4));
		assert_int_equal(0, dw_plants_draw(SKIP_BLOCKS, dw_rng_next(rng), &x));
		for (size_t k = 0; k < x.n; k++)
			caught |= skip[x.v[k].lba];
		escaped += !caught;
		dw_extents_deinit(&x);
	}
	return escaped;
}

/* The bound that is on record, counted. Those that skip evenly come near to it: with a plant in
 * each stratum, and the second ones of pairs, they escape least often so. */
static void bound_holds(void **state)
{
	static const double share[SHARES] = { 0.001, 0.002, 0.005, 0.00999, 0.02 };
	struct dw_rng rng;

	assert_int_equal(DW_PLANTS_STRATA, dw_plants_strata(SKIP_BLOCKS));
	dw_rng_seed(&rng, 5);
	for (size_t s = 0; s < 2 * SHARES; s++) {
		bool spread = s % 2;
		double most = exp(DW_PLANTS_STRATA * log1p(-share[s / 2]));
		double least = spread ? exp(520 * log1p(-share[s / 2])) : 0;
		uint32_t escaped = count_escaped(&rng, share[s / 2], spread);

		print_message("[ %5u of %u that skip %g %% %s escape; at most %.0f ]\n",
			      escaped, LIARS, 100 * share[s / 2],
			      spread ? "evenly" : "in runs", LIARS * most);
		assert_true(escaped <= LIARS * most + 4 * sqrt(LIARS * most) + 1);
		assert_true(escaped >= LIARS * least - 4 * sqrt(LIARS * least) - 1);
	}
	assert_true(fabs(pow(1 - dw_plants_bound(64), 64) - 0.01) < 1e-9);
	assert_true(dw_plants_bound(DW_PLANTS_STRATA) <= DW_PLANTS_BOUND);
	assert_true(dw_plants_bound(DW_PLANTS_STRATA - 1) > DW_PLANTS_BOUND);
}

/* disks that lose writes and say that what they lost is there */
static void liars_are_not_erased(void **state)
{
	const struct dw_disk_state *s;
	uint32_t claimed = 0;
	struct dw_rng rng;
	struct hand h;

	dw_rng_seed(&rng, 9);
	for (uint32_t i = 0; i < 300; i++) {
		new_model(&h);
		h.plan.seed = dw_rng_next(&rng);
		m.info = (enum info)dw_rng_below(&rng, 4);
		draw_skipped(&rng, m.skips, BLOCKS, 0.25,
			     1 + dw_rng_below(&rng, BLOCKS / 4));
		memcpy(m.drops, m.skips, sizeof(m.drops));
		s = hand_run(&h, BLOCKS);
		claimed += s->end == DW_END_COMPLETE && !s->faults.n;
		assert_int_equal(0, count(m.block, PLANT) && !s->faults.n);
		hand_free(&h);
	}
	assert_int_equal(0, claimed);
}

/* State files have the seed: with other places a job that goes on from one leaves the plants. */
static void places_stay(void **state)
{
	static const struct {
		uint64_t blocks, seed, n, first, middle, last, sum;
	} golden[] = {
		{ 131072, 7, 517, 39, 65401, 130914, UINT64_C(11692974183) },
		{ UINT64_C(19532873728), UINT64_C(0xfedcba9876543210), 517, 11700015,
		  UINT64_C(9786094220), UINT64_C(19519979042),
		  UINT64_C(1742487020971035) },
	};
	struct dw_extents x = { 0 };

	for (size_t i = 0; i < DW_ARRAY_SIZE(golden); i++) {
		uint64_t sum = 0;

		assert_int_equal(0, dw_plants_draw(golden[i].blocks, golden[i].seed, &x));
		for (size_t k = 0; k < x.n; k++)
			sum += x.v[k].lba * (k + 1);
		assert_int_equal(golden[i].n, x.n);
		assert_int_equal(golden[i].first, x.v[0].lba);
		assert_int_equal(golden[i].middle, x.v[x.n / 2].lba);
		assert_int_equal(golden[i].last, x.v[x.n - 1].lba);
		assert_int_equal(golden[i].sum, sum);
		dw_extents_deinit(&x);
	}
}

static void plants_differ(void **state)
{
	uint8_t block[512];
	struct dw_extents x = { 0 }, beside = { 0 };
	uint32_t one_bit = 0, near_ones = 0;
	uint64_t blocks = UINT64_C(1953525168);

	assert_int_equal(0, dw_plants_strata(700));
	assert_int_equal(64, dw_plants_strata(12 * 64));
	assert_int_equal(459, dw_plants_strata(12 * 459));
	assert_int_equal(459, dw_plants_strata(blocks));
	assert_int_equal(0, dw_plants_draw(blocks, 3, &x));
	for (size_t i = 0; i < x.n; i++) {
		uint32_t bits = 0;

		memset(block, 0, sizeof(block));
		dw_plants_alter(block, sizeof(block), x.v[i].lba, 3);
		for (size_t k = 0; k < sizeof(block); k++)
			bits += (uint32_t)__builtin_popcount(block[k]);
		assert_true(bits > 0);
		one_bit += bits == 1;
		near_ones += i && x.v[i].lba - x.v[i - 1].lba <= 8;
	}
	assert_true(one_bit > 64 && one_bit < 200);
	assert_true(near_ones > 50);
	assert_int_equal(0, dw_plants_flood(blocks, 512, &x, &beside));
	assert_true(beside.blocks > (UINT64_C(1) << 30) / 512 - 459);
	for (size_t i = 0; i < x.n; i++)
		assert_false(dw_extents_has(&beside, x.v[i].lba));
	dw_extents_deinit(&x);
	dw_extents_deinit(&beside);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plants_differ),
		cmocka_unit_test(places_stay),
		cmocka_unit_test(bound_holds),
		cmocka_unit_test(compares),
		cmocka_unit_test(is_refused),
		cmocka_unit_test(lies),
		cmocka_unit_test(finds_what_differs),
		cmocka_unit_test(recovers),
		cmocka_unit_test(is_cut_off),
		cmocka_unit_test(long_ones_are_refused),
		cmocka_unit_test(sample_sees_more),
		cmocka_unit_test(others_were_told),
		cmocka_unit_test(liars_are_not_erased),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

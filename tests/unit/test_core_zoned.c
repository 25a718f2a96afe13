/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host-managed disk, whose zones are played here with the rules of ZBC: whatever becomes of the
 * commands, each block is written after the last reset of its zone, or is named.
 */
#include "base/rng.h"
#include "core/internal.h"
#include "hand.h"

#define ZONE      50
#define ZONES     (BLOCKS / ZONE)
#define CONV      2
#define READ_ONLY 5
#define OFFLINE   9
#define DEAD      (2 * ZONE)

/**
 * struct smr - the disk
 * @pointer: of each zone, from its start
 * @medium, @cache: 1 + the pass that wrote a block; 0 = old, or reset; of what is not flushed too
 * @resets, @all: resets of each zone, of all
 * @full: writes to a full zone are refused by the field of the CDB
 * @rng, @permille: errors at random
 */
static struct smr {
	uint32_t pointer[ZONES];
	uint8_t medium[BLOCKS];
	uint8_t cache[BLOCKS];
	uint32_t resets[ZONES];
	uint32_t all;
	bool no_all;
	uint64_t bad;
	struct dw_rng rng;
	uint32_t permille;
	struct dw_zones zones;
} smr;

static bool is_dead(uint32_t zone)
{
	return zone == READ_ONLY || zone == OFFLINE;
}

static void reset_zone(uint32_t zone)
{
	smr.pointer[zone] = 0;
	memset(smr.medium + zone * ZONE, 0, ZONE);
	memset(smr.cache + zone * ZONE, 0, ZONE);
}

static void reset_op(const struct dw_op *op, struct dw_result *r)
{
	if (!op->nlb) {
		r->class = smr.no_all ? DW_CLASS_UNSUPPORTED : DW_CLASS_OK;
		smr.all++;
		for (uint32_t z = CONV; z < ZONES && !smr.no_all; z++)
			if (!is_dead(z))
				reset_zone(z);
		return;
	}
	assert_int_equal(0, op->lba % ZONE);
	assert_int_equal(ZONE, op->nlb);
	assert_true(op->lba / ZONE >= CONV && !is_dead((uint32_t)(op->lba / ZONE)));
	smr.resets[op->lba / ZONE]++;
	reset_zone((uint32_t)(op->lba / ZONE));
}

static void write_op(const struct dw_op *op, struct dw_result *r)
{
	uint32_t zone = (uint32_t)(op->lba / ZONE), n = op->nlb;

	/* nothing crosses a zone, whatever the disk would say */
	assert_int_equal(zone, (op->lba + op->nlb - 1) / ZONE);
	assert_false(is_dead(zone));
	if (zone >= CONV && smr.pointer[zone] != op->lba % ZONE) {
		r->class = smr.pointer[zone] == ZONE ? DW_CLASS_UNSUPPORTED
						     : DW_CLASS_MEDIUM;
		return;
	}
	if (smr.bad >= op->lba && smr.bad < op->lba + op->nlb) {
		n = (uint32_t)(smr.bad - op->lba);
		r->class = DW_CLASS_MEDIUM;
	}
	memset(smr.cache + op->lba, op->pass + 1, n);
	if (zone >= CONV)
		smr.pointer[zone] += n;
}

static void read_op(const struct dw_op *op, struct dw_result *r)
{
	assert_int_equal(op->lba / ZONE, (op->lba + op->nlb - 1) / ZONE);
	for (uint32_t i = 0; i < op->nlb; i++) {
		if (smr.cache[op->lba + i] == op->pass + 1)
			continue;
		if (r->n_runs &&
		    r->run[r->n_runs - 1].lba + r->run[r->n_runs - 1].nlb == op->lba + i)
			r->run[r->n_runs - 1].nlb++;
		else if (r->n_runs < DW_RUNS_MAX)
			r->run[r->n_runs++] = (struct dw_run){ op->lba + i, 1 };
	}
}

static void carry_out(const struct dw_op *op, struct dw_result *r)
{
	switch (op->verb) {
	case DW_VERB_RESET:
		reset_op(op, r);
		break;
	case DW_VERB_WRITE:
		write_op(op, r);
		break;
	case DW_VERB_READ:
		read_op(op, r);
		break;
	case DW_VERB_FLUSH:
		memcpy(smr.medium, smr.cache, BLOCKS);
		break;
	default:
		break;
	}
}

/* What may become of a command, carried out or not; a reset of the device takes the cache. */
static void play(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	static const uint8_t classes[] = { DW_CLASS_TIMEOUT,    DW_CLASS_RESET,
					   DW_CLASS_RETRY,      DW_CLASS_QUEUE_FULL,
					   DW_CLASS_ATTENTION,  DW_CLASS_MEDIUM,
					   DW_CLASS_GIVEN_BACK, DW_CLASS_NOT_READY };
	bool moves = op->verb == DW_VERB_WRITE || op->verb == DW_VERB_RESET;
	uint8_t class;

	(void)h;
	if ((!moves && op->verb != DW_VERB_FLUSH) ||
	    dw_rng_below(&smr.rng, 1000) >= smr.permille) {
		carry_out(op, r);
		return;
	}
	class = classes[dw_rng_below(&smr.rng, op->nlb ? 8 : 5)];
	if (dw_rng_below(&smr.rng, 2) && class != DW_CLASS_GIVEN_BACK)
		carry_out(op, r);
	if (class == DW_CLASS_RESET)
		memcpy(smr.cache, smr.medium, BLOCKS);
	r->n_runs = 0;
	r->class = class;
}

static void new_disk(struct hand *h, answer_fn answer)
{
	smr = (struct smr){ .bad = UINT64_MAX };
	for (uint32_t z = 0; z < ZONES; z++) {
		const struct dw_zone zone = { z * ZONE, ZONE,
					      z < CONV         ? DW_ZONE_CONVENTIONAL
					      : z == READ_ONLY ? DW_ZONE_READ_ONLY
					      : z == OFFLINE   ? DW_ZONE_OFFLINE
							       : DW_ZONE_SEQUENTIAL };

		smr.pointer[z] = ZONE;
		if (!z)
			hand_new(h, answer);
		assert_int_equal(0, dw_zones_add(&smr.zones, &zone));
	}
	h->plan.zones = &smr.zones;
	h->plan.depth = h->plan.data_depth = 4;
	h->plan.const_max = h->plan.data_max = 7; /* no part of a zone */
	h->flush_pieces = 12;
}

static bool is_named(const struct dw_disk_state *s, uint64_t lba)
{
	for (uint32_t i = 0; i < s->faults.n; i++)
		if (lba - s->faults.v[i].lba < s->faults.v[i].nlb)
			return true;
	return false;
}

static uint64_t named(const struct dw_disk_state *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->faults.n; i++)
		n += s->faults.v[i].nlb;
	return n;
}

/* All that is not named is on the medium, by the last pass; the zones that cannot be are named. */
static void assert_erased(const struct hand *h, const struct dw_disk_state *s)
{
	assert_int_equal(DW_END_COMPLETE, s->end);
	for (uint64_t i = 0; i < BLOCKS; i++)
		assert_true(is_named(s, i) || smr.medium[i] == h->plan.n_passes);
	for (uint64_t i = 0; i < ZONE; i++)
		assert_true(is_named(s, READ_ONLY * ZONE + i) &&
			    is_named(s, OFFLINE * ZONE + i));
}

static void in_order(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	(void)state;
	new_disk(&h, play);
	s = hand_run(&h, 10);
	assert_erased(&h, s);
	assert_int_equal(DEAD, named(s));
	assert_int_equal(0x7, s->faults.v[0].sense_key);
	assert_int_equal(0x27, s->faults.v[0].asc);
	assert_int_equal(0x2c, s->faults.v[1].asc);
	assert_int_equal(1, smr.all);
	assert_int_equal(1, h.n[DW_VERB_RESET]);
	assert_int_equal(DW_VERB_RESET, h.op[find(&h, 0, DW_VERB_RESET)].verb);
	assert_true(find(&h, 0, DW_VERB_RESET) < find(&h, 0, DW_VERB_WRITE));
	assert_int_equal(2 * (BLOCKS - DEAD), s->work_done);
	assert_int_equal(s->work_total, s->work_done);
	for (uint64_t i = 0; i < BLOCKS; i++)
		assert_int_equal(is_named(s, i) ? 0 : 1, h.written[i]);
	hand_free(&h);
}

/* Each pass begins with a reset; one that is refused for all is made of each. */
static void passes(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	(void)state;
	for (int refused = 0; refused < 2; refused++) {
		new_disk(&h, play);
		smr.no_all = refused;
		h.plan.n_passes = 2;
		h.plan.pass[1] = h.plan.pass[0];
		s = hand_run(&h, 10);
		assert_erased(&h, s);
		assert_int_equal(DEAD, named(s));
		assert_int_equal(2, smr.all);
		for (uint32_t z = CONV; z < ZONES; z++)
			assert_int_equal(refused && !is_dead(z) ? 2 : 0, smr.resets[z]);
		hand_free(&h);
	}
}

/* Up to it the zone is written, whole again after each error; from it on it is named. */
static void bad_block(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	(void)state;
	new_disk(&h, play);
	smr.bad = 12 * ZONE + 30;
	s = hand_run(&h, 10);
	assert_erased(&h, s);
	assert_int_equal(3, s->faults.n);
	assert_int_equal(12 * ZONE + 28, s->faults.v[2].lba); /* a command began there */
	assert_int_equal(22, s->faults.v[2].nlb);
	assert_int_equal(3, smr.resets[12]);
	for (uint32_t z = 0; z < ZONES; z++)
		assert_true(z == 12 || !smr.resets[z]);
	hand_free(&h);
}

/* A write in the middle of a zone is carried out, and its answer is lost. */
static void lost_answer(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	play(h, op, r);
	if (op->verb == DW_VERB_WRITE && op->lba == 13 * ZONE + 14 &&
	    h->at == UINT32_MAX) {
		h->at = h->n_ops - 1;
		r->class = DW_CLASS_RETRY;
	}
}

static void lost_completion(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	(void)state;
	new_disk(&h, lost_answer);
	s = hand_run(&h, 10);
	assert_erased(&h, s);
	assert_int_equal(DEAD, named(s));
	assert_int_equal(1, smr.resets[13]);
	assert_int_equal(2, h.written[13 * ZONE]);
	assert_int_equal(2 * (BLOCKS - DEAD), s->work_done);
	hand_free(&h);
}

/* What was stopped in the middle of a zone has its mark at the zone's start, and goes on there by a
 * reset of it; what is behind is not reset as a whole, as it was not written in this run. */
static void stopped_and_resumed(void **state)
{
	const struct dw_disk_state *s;
	struct smr kept;
	struct hand h;
	uint64_t mark;

	(void)state;
	for (uint32_t stop = 1; stop < 80; stop += 3) {
		new_disk(&h, play);
		h.stop_after = stop;
		s = hand_run(&h, 10);
		assert_int_equal(DW_END_STOPPED, s->end);
		mark = s->mark;
		assert_true(mark <= CONV * ZONE || mark % ZONE == 0);
		for (uint64_t i = 0; i < mark; i++)
			assert_true(is_named(s, i) || smr.medium[i] == 1);
		hand_free(&h);
		memcpy(smr.cache, smr.medium, BLOCKS); /* power is lost */
		kept = smr;
		new_disk(&h, play);
		smr = kept;
		h.plan.first_lba = mark;
		s = hand_run(&h, 10);
		assert_erased(&h, s);
		assert_int_equal(DEAD, named(s));
		if (mark > CONV * ZONE)
			assert_int_equal(1, smr.all);
		hand_free(&h);
	}
}

/* Part of a zone is in doubt since an earlier run: the whole zone is reset and written. */
static void doubts(void **state)
{
	const struct dw_fault known[] = {
		{ 7 * ZONE + 20, 30, DW_UNWRITABLE, 3, 0x0c, 0, 0 },
		{ READ_ONLY * ZONE, ZONE, DW_UNWRITABLE, 7, 0x27, 8, 0 },
	};
	const struct dw_disk_state *s;
	struct hand h;

	(void)state;
	new_disk(&h, play);
	for (uint64_t i = 0; i < 12 * ZONE; i++)
		smr.cache[i] = smr.medium[i] = i / ZONE != 7 || i % ZONE < 20;
	h.known = known;
	h.n_known = 2;
	h.plan.first_lba = 12 * ZONE;
	s = hand_run(&h, 10);
	assert_erased(&h, s);
	assert_int_equal(DEAD, named(s));
	assert_int_equal(1, smr.resets[7]);
	assert_int_equal(0, smr.all);
	assert_int_equal(1, h.written[7 * ZONE]);
	assert_int_equal(0, h.written[6 * ZONE]);
	for (uint32_t i = 0; i < h.n_ops; i++) {
		if (h.op[i].lba / ZONE != 7 || !h.op[i].nlb)
			continue;
		assert_int_equal(DW_VERB_RESET, h.op[i].verb);
		break;
	}
	hand_free(&h);
}

/* Zones that are not written are not compared either, and named. */
static void only_verified(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	(void)state;
	new_disk(&h, play);
	memset(smr.cache, 1, BLOCKS);
	h.plan.verify_only = true;
	s = hand_run(&h, 10);
	assert_int_equal(DW_END_COMPLETE, s->end);
	assert_int_equal(DEAD, named(s));
	assert_int_equal(BLOCKS - DEAD, s->verify.blocks);
	assert_int_equal(0, h.n[DW_VERB_RESET]);
	for (uint64_t i = 0; i < BLOCKS; i++)
		assert_int_equal(is_named(s, i) ? 0 : 1, h.read[i]);
	hand_free(&h);
}

/* One block of a zone, and one of a conventional one, cannot be read until they are written
 * again. */
static void unreadable(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	const uint64_t lba[] = { 14 * ZONE + 20, 30 };

	play(h, op, r);
	for (size_t i = 0; i < DW_ARRAY_SIZE(lba); i++) {
		if (op->verb != DW_VERB_READ || lba[i] < op->lba ||
		    lba[i] >= op->lba + op->nlb || h->written[lba[i]] > 1)
			continue;
		r->n_runs = 0;
		r->class = DW_CLASS_MEDIUM;
		r->bad_valid = true;
		r->bad_lba = lba[i];
	}
}

/* No block of a zone is written alone: it is named. */
static void not_repaired(void **state)
{
	const struct dw_disk_state *s;
	struct hand h;

	(void)state;
	new_disk(&h, unreadable);
	s = hand_run(&h, 10);
	assert_erased(&h, s);
	assert_int_equal(DEAD + 1, named(s));
	assert_int_equal(14 * ZONE + 20, s->faults.v[2].lba);
	assert_int_equal(DW_UNREADABLE, s->faults.v[2].kind);
	assert_int_equal(1, h.written[14 * ZONE + 20]);
	assert_int_equal(2, h.written[30]);
	hand_free(&h);
}

/* Only zones that fail at the same place again and again are named. */
static void seeds(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		const struct dw_disk_state *s;
		struct hand h;

		new_disk(&h, play);
		dw_rng_seed(&smr.rng, seed);
		smr.permille = 1 + seed % 16;
		smr.bad = seed % 3 ? UINT64_MAX
				   : CONV * ZONE + seed % (BLOCKS - CONV * ZONE);
		h.plan.n_passes = 1 + seed % 2;
		h.plan.pass[1] = h.plan.pass[0];
		h.plan.pass[0].verify = seed % 4 ? DW_VERIFY_FULL : DW_VERIFY_OFF;
		h.plan.pass[1].verify = h.plan.pass[0].verify;
		h.plan.physical = seed % 5 ? 1 : 2;
		h.stall_s = 100000;
		s = hand_run(&h, BLOCKS);
		assert_erased(&h, s);
		assert_true(named(s) <= DEAD + (smr.bad == UINT64_MAX ? 0 : ZONE));
		assert_int_equal(s->work_total, s->work_done);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order),
		cmocka_unit_test(passes),
		cmocka_unit_test(bad_block),
		cmocka_unit_test(lost_completion),
		cmocka_unit_test(stopped_and_resumed),
		cmocka_unit_test(doubts),
		cmocka_unit_test(only_verified),
		cmocka_unit_test(not_repaired),
		cmocka_unit_test(seeds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

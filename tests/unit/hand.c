/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hand.h"

void hand_new(struct hand *h, answer_fn answer)
{
	*h = (struct hand){ .answer = answer, .at = UINT32_MAX };
	h->plan = (struct dw_disk_plan){
		.blocks = BLOCKS,
		.block_size = 512,
		.physical = 1,
		.const_max = PIECE,
		.data_max = PIECE,
		.optimal = 1,
		.depth = 1,
		.data_depth = 1,
		.wce = 1,
		.n_passes = 1,
		.percent = 10,
		.seed = 4,
	};
	h->plan.pass[0].pattern =
		(struct dw_pattern){ .kind = DW_PATTERN_CONST, .len = 1 };
	h->plan.pass[0].verify = DW_VERIFY_FULL;
}

static void respond(struct hand *h, const struct dw_op *op)
{
	struct dw_result r = { .disk = op->disk,
			       .slot = op->slot,
			       .compared = op->nlb,
			       .submit_ns = h->now,
			       .start_ns = h->now,
			       .end_ns = h->now + DW_NS_PER_MS };

	if (op->verb == DW_VERB_IDENTIFY && h->plan.wce == 0)
		r.cache = DW_CACHE_OFF;
	if (h->answer)
		h->answer(h, op, &r);
	h->n[op->verb]++;
	for (uint64_t i = op->lba; i < op->lba + op->nlb && r.class == DW_CLASS_OK; i++) {
		assert_true(i < BLOCKS);
		h->written[i] += op->verb == DW_VERB_WRITE;
		h->read[i] += op->verb == DW_VERB_READ;
	}
	h->now = r.end_ns;
	assert_int_equal(0, dw_core_result(h->core, &r, h->now));
}

const struct dw_disk_state *hand_run(struct hand *h, uint64_t limit)
{
	struct dw_core_link link = {
		.strategy = dw_strategy_find("parallel"),
		.controller = dw_controller_find("fixed"),
		.fixed_blocks = PIECE,
	};
	struct dw_core_disk disk = {
		.plan = &h->plan,
		.rules = { .flush_bytes = (h->flush_pieces ? h->flush_pieces : 100) *
					  PIECE * 512,
			   .flush_ns = 300 * DW_NS_PER_S,
			   .longest = h->longest,
			   .stall_ns = (h->stall_s ? h->stall_s : 600) * DW_NS_PER_S,
			   .exception_limit = limit },
		.faults = h->known,
		.n_faults = h->n_known,
	};
	struct dw_op op;
	uint32_t id;

	assert_int_equal(0, dw_core_new(&h->core));
	assert_int_equal(0, dw_core_link_new(h->core, &link, &id));
	assert_int_equal(0, dw_core_add(h->core, id, &disk, &id));
	while (!dw_core_done(h->core)) {
		if (h->stop_after && h->n[DW_VERB_WRITE] == h->stop_after)
			dw_core_stop(h->core, 0, false);
		assert_int_equal(0, dw_core_step(h->core, h->now));
		if (!dw_core_op(h->core, &op)) {
			uint64_t next = dw_core_timer(h->core);

			assert_true(dw_core_done(h->core) || next != UINT64_MAX);
			h->now = dw_max_u64(h->now, next);
			continue;
		}
		assert_true(h->n_ops < OPS);
		h->op[h->n_ops++] = op;
		if (op.verb != DW_VERB_LIFT && op.verb != DW_VERB_DEPTH)
			respond(h, &op);
	}
	return dw_core_state(h->core, id);
}

void hand_free(struct hand *h)
{
	dw_core_free(h->core);
}

uint32_t find(const struct hand *h, uint32_t from, uint8_t verb)
{
	while (from < h->n_ops && h->op[from].verb != verb)
		from++;
	return from;
}

void assert_all(const uint32_t *times, uint32_t least)
{
	for (uint32_t i = 0; i < BLOCKS; i++)
		assert_true(times[i] >= least);
}

bool once(struct hand *h, const struct dw_op *op, uint8_t verb, uint32_t k)
{
	if (op->verb != verb || h->n[verb] != k || h->at != UINT32_MAX)
		return false;
	h->at = h->n_ops - 1;
	h->lba = op->lba;
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TEST_HAND_H
#define DW_TEST_HAND_H

/* A core with one disk of which every op is answered by hand. */
#include "unit.h"

#include "base/util.h"
#include "core/core.h"

#define BLOCKS 1000
#define PIECE  10
#define OPS    16384

struct hand;
typedef void (*answer_fn)(struct hand *h, const struct dw_op *op, struct dw_result *r);

/**
 * struct hand - a core with one disk, and who answers for it
 * @answer: changes the usual answer; @n of each verb have been seen before
 * @op: all ops in their order
 * @known: faults of an earlier run that is continued
 * @stop_after: writes, then the job is stopped; 0 = never
 * @written: how often each block was written with a good end; @read: the same of reading
 */
struct hand {
	struct dw_core *core;
	struct dw_disk_plan plan;
	answer_fn answer;
	uint64_t now;
	uint32_t n[DW_VERB_COUNT];
	struct dw_op op[OPS];
	uint32_t n_ops;
	const struct dw_fault *known;
	uint32_t n_known;
	uint32_t stop_after;
	uint64_t stall_s;      /* stall budget; 0 = 600 */
	uint32_t longest;      /* that an earlier run found; 0 = none */
	uint32_t flush_pieces; /* written between two flushes; 0 = as many as there are */
	uint32_t written[BLOCKS];
	uint32_t read[BLOCKS];
	uint32_t at; /* where an answer said what it had to say: an index of @op */
	uint64_t lba;
	uint32_t left;
};

/** hand_new() - a disk of BLOCKS blocks, one pass of zeros, verified in full; @answer or NULL */
void hand_new(struct hand *h, answer_fn answer);

/** hand_run() - from the first op to the end of the disk; its state stays until hand_free(). */
const struct dw_disk_state *hand_run(struct hand *h, uint64_t limit);
void hand_free(struct hand *h);

/** find() - the index of the first op of a verb from @from on; n_ops when there is none. */
uint32_t find(const struct hand *h, uint32_t from, uint8_t verb);

/** assert_all() - each of the BLOCKS numbers is at least that */
void assert_all(const uint32_t *times, uint32_t least);

/** once() - true at the @k-th op of a verb (from 0), which is put on record */
bool once(struct hand *h, const struct dw_op *op, uint8_t verb, uint32_t k);

#endif

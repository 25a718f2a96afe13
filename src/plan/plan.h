/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PLAN_PLAN_H
#define DW_PLAN_PLAN_H

/*
 * What is to be done to one disk: its passes, commands and limits, fixed before the first
 * command goes out. Nothing below the engine asks the user's spec again.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/zones.h"
#include "plan/method.h"
#include "plan/order.h"

enum dw_plan_command {
	DW_PLAN_WRITE,      /* WRITE only */
	DW_PLAN_WRITE_SAME, /* WRITE SAME, WRITE when the disk refuses it */
	DW_PLAN_TRIAL,      /* measure both on the first blocks and take the faster */
};

/** enum dw_pass_kind - how a pass is done */
enum dw_pass_kind {
	DW_PASS_WRITE,     /* every block is written */
	DW_PASS_VERIFY,    /* nothing is written, what is there is compared */
	DW_PASS_OPERATION, /* the device works by itself and is polled; no bus is needed */
};

/**
 * struct dw_pass_plan - one pass
 * @kind: enum dw_pass_kind
 * @pattern: constant or random, and what an operation leaves behind; random-byte and complement
 *	are resolved
 * @verify: DW_VERIFY_OFF, _SAMPLE or _FULL, after this pass
 */
struct dw_pass_plan {
	uint8_t kind;
	struct dw_pattern pattern;
	uint8_t verify;
};

/**
 * struct dw_disk_plan - one disk x its passes; immutable once the core has it, but for
 *	dw_plan_write_over()
 * @blocks: capacity in logical blocks, > 0
 * @block_size: bytes per logical block
 * @physical: logical blocks per physical block, >= 1, a power of two
 * @const_max, @data_max: longest WRITE of a constant pattern; longest WRITE of a keystream
 *	and longest READ; blocks, >= 1
 * @ws_max: longest WRITE SAME in blocks, 0 = not to be used
 * @optimal: the disk's preferred transfer in blocks, >= 1; @reported: the disk names it
 * @depth: commands at the disk at once, at most; >= 1
 * @data_depth: the same where each has data of its own: keystreams and reads; >= 1
 * @wce: volatile write cache: 1 on, 0 off, -1 unknown (treated as on)
 * @fua: READ may ask for the medium
 * @command: enum dw_plan_command for passes with a constant pattern
 * @n_passes, @pass: passes in their order
 * @percent: of DW_VERIFY_SAMPLE
 * @seed: of the sample
 * @verify_only: no pass is written; the last one is compared, as DW_PASS_VERIFY
 * @order: in which passes sweep the disk; upwards, if it has @zones
 * @zones: of a host-managed disk, NULL = it is none; borrowed
 * @first_pass, @first_lba: where to begin (resume); the latter a position of the sweep
 * @operating: the operation of @first_pass was begun by an earlier run: it is polled first
 * @operation: enum dw_operation of its passes of that kind
 * @operation_ns: time that the device states for its operation, 0 = not known
 * @over: the pass that dw_plan_write_over() adds
 * @compare: DW_VERIFY_SAMPLE of the last pass is read after the disk has compared all its blocks
 *	itself, in commands of at most so many, and after it was seen that it does; 0 = it is not
 *	asked to
 * @planted, @plant_seed: an earlier run has left plants, of that seed, on a disk that was written
 *	otherwise: they are overwritten first
 * @cycle: nothing flushes its cache: after the last write its power is cut, and then all of it is
 *	verified. Its last pass has DW_VERIFY_FULL
 */
struct dw_disk_plan {
	uint64_t blocks;
	uint32_t block_size;
	uint32_t physical;
	uint32_t const_max;
	uint32_t data_max;
	uint32_t ws_max;
	uint32_t optimal;
	bool reported;
	uint32_t depth;
	uint32_t data_depth;
	int8_t wce;
	bool fua;
	uint8_t command;
	uint8_t n_passes;
	struct dw_pass_plan pass[DW_PASSES_MAX];
	double percent;
	uint64_t seed;
	bool verify_only;
	struct dw_order order;
	const struct dw_zones *zones;
	uint8_t first_pass;
	uint64_t first_lba;
	bool operating;
	uint8_t operation;
	uint64_t operation_ns;
	struct dw_pass_plan over;
	uint32_t compare;
	bool planted;
	uint64_t plant_seed;
	bool cycle;
};

/** dw_plan_kind() - enum dw_pass_kind of a pass, with what holds for the whole plan. */
static inline uint8_t dw_plan_kind(const struct dw_disk_plan *p, uint8_t pass)
{
	return p->verify_only ? DW_PASS_VERIFY : p->pass[pass].kind;
}

/** dw_plan_written_over() - is a pass of writes the last, after what the device did by itself? */
static inline bool dw_plan_written_over(const struct dw_disk_plan *p)
{
	return p->operation && p->pass[p->n_passes - 1].kind == DW_PASS_WRITE;
}

/** dw_plan_write_over() - one more pass: of writes, as the blocks of a device that has erased
 *  itself cannot be read before they are written. Whoever has a copy of the plan adds it there. */
static inline void dw_plan_write_over(struct dw_disk_plan *p)
{
	if (p->n_passes < DW_PASSES_MAX)
		p->pass[p->n_passes++] = p->over;
}

#endif

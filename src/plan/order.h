/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PLAN_ORDER_H
#define DW_PLAN_ORDER_H

/*
 * In which order a pass sweeps the disk. It is cut into regions, each of which is swept
 * upwards; positions of the sweep count from 0 whatever the order is, so that "everything
 * below the mark" keeps its meaning. One region follows on the other; or, where each is swept by
 * an actuator of its own, they take turns, so that a queue of commands reaches all of them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/extents.h"

#define DW_ORDER_REGIONS 32
#define DW_RANGES_MAX    8

/** struct dw_ranges - blocks that a disk reaches by actuators of their own. @first: where each
 *  range begins, ascending from 0; @n: how many; 0 = it has one actuator, or does not tell */
struct dw_ranges {
	uint8_t n;
	uint64_t first[DW_RANGES_MAX];
};

/**
 * struct dw_order - an order; zeroed = upwards
 * @n: regions, 0 = upwards
 * @turn: 0 = one after the other; else they take turns of so many blocks, the first begins
 * @blocks: of the disk
 * @size: blocks of a region, the last may have fewer; not of those that take turns
 * @region: the regions in their order
 * @start: position at which each of them begins, and the end; of those that take turns, its LBA
 */
struct dw_order {
	uint8_t n;
	uint32_t turn;
	uint64_t blocks;
	uint64_t size;
	uint8_t region[DW_ORDER_REGIONS];
	uint64_t start[DW_ORDER_REGIONS + 1];
};

/**
 * struct dw_near - where other load falls on a disk; both ends belong to it
 * @first, @last: LBAs; beyond the end of a disk they mean its end
 */
struct dw_near {
	uint64_t first;
	uint64_t last;
};

/** dw_near_parse() - "start", "end", "LBA" or "LBA-LBA"; 0 or -EINVAL. */
int dw_near_parse(const char *text, struct dw_near *ret);

/**
 * dw_order_near() - the regions farthest from other load first, the near ones last
 * @blocks: of the disk, > 0
 * @align: regions begin on multiples of it, >= 1
 * @near: where the load falls
 * @ret: upwards when that is the order anyway, or the disk too small for regions
 */
void dw_order_near(uint64_t blocks, uint32_t align, const struct dw_near *near,
		   struct dw_order *ret);

/**
 * dw_order_turns() - the ranges of a disk take turns
 * @blocks: of the disk, > 0
 * @turn: blocks of a turn, > 0
 * @ranges: what has a range of its own; what lies beyond @blocks does not count
 * @ret: upwards when there are fewer than two of them
 */
void dw_order_turns(uint64_t blocks, uint32_t turn, const struct dw_ranges *ranges,
		    struct dw_order *ret);

#define DW_ORDER_TEXT 192

/** dw_order_text() - @o as text, if its regions take turns; else empty. */
void dw_order_text(const struct dw_order *o, char ret[DW_ORDER_TEXT]);

/** dw_order_parse() - the order of a disk of @blocks from dw_order_text(). 0 or -EINVAL. */
int dw_order_parse(const char *text, uint64_t blocks, struct dw_order *ret);

/** dw_order_lba() - the block at position @pos of the sweep; NULL or zeroed @o: upwards.
 *  @ret_run: how many positions from there on are neighbours on the disk, >= 1. */
uint64_t dw_order_lba(const struct dw_order *o, uint64_t pos, uint64_t *ret_run);

/** dw_order_pos() - the position at which the sweep comes to @lba; @ret_run as above. */
uint64_t dw_order_pos(const struct dw_order *o, uint64_t lba, uint64_t *ret_run);

/** dw_order_low() - the position at which the sweep comes to the first of @nlb > 0 blocks from
 *  @lba on, which may lie in several regions. */
uint64_t dw_order_low(const struct dw_order *o, uint64_t lba, uint64_t nlb);

/** dw_order_parts() - where @n positions from @pos on lie on the disk, in at most
 *  DW_ORDER_REGIONS parts; NULL or zeroed @o: upwards. Return: how many. */
size_t dw_order_parts(const struct dw_order *o, uint64_t pos, uint64_t n,
		      struct dw_extent ret[DW_ORDER_REGIONS]);

#endif

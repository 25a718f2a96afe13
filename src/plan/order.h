/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PLAN_ORDER_H
#define DW_PLAN_ORDER_H

/*
 * In which order a pass sweeps the disk. It is cut into regions, each of which is swept
 * upwards; positions of the sweep count from 0 whatever the order is, so that "everything
 * below the mark" keeps its meaning.
 */
#include <stdbool.h>
#include <stdint.h>

#define DW_ORDER_REGIONS 32

/**
 * struct dw_order - an order; zeroed = upwards
 * @n: regions, 0 = upwards
 * @blocks: of the disk
 * @size: blocks of a region, the last may have fewer
 * @region: the regions in their order
 * @start: position at which each of them begins, and the end
 */
struct dw_order {
	uint8_t n;
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

/** dw_order_lba() - the block at position @pos of the sweep; NULL or zeroed @o: upwards.
 *  @ret_run: how many positions from there on are neighbours on the disk, >= 1. */
uint64_t dw_order_lba(const struct dw_order *o, uint64_t pos, uint64_t *ret_run);

/** dw_order_pos() - the position at which the sweep comes to @lba; @ret_run as above. */
uint64_t dw_order_pos(const struct dw_order *o, uint64_t lba, uint64_t *ret_run);

/** dw_order_low() - the position at which the sweep comes to the first of @nlb > 0 blocks from
 *  @lba on, which may lie in several regions. */
uint64_t dw_order_low(const struct dw_order *o, uint64_t lba, uint64_t nlb);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PLAN_PLANTS_H
#define DW_PLAN_PLANTS_H

/*
 * Planted differences: blocks that are made to differ before a disk compares itself, so that it is
 * seen whether it does. One is at a random place in each of many equal strata, and every eighth has
 * a second one close behind it, so that a disk that stops at the first is seen as well.
 */
#include <stdbool.h>
#include <stdint.h>

#include "plan/extents.h"

/* all found: less than DW_PLANTS_BOUND is skipped, see dw_plants_bound() */
#define DW_PLANTS_STRATA 459u
/* of a disk with very few blocks */
#define DW_PLANTS_STRATA_MIN 64u
#define DW_PLANTS_CONFIDENCE 0.99
#define DW_PLANTS_BOUND      0.01

/**
 * dw_plants_strata() - how many strata a disk has
 * @blocks: of the disk
 *
 * As many as the bound needs, or fewer where these had too few blocks each.
 *
 * Return: the number; 0 = it has too few blocks.
 */
uint32_t dw_plants_strata(uint64_t blocks);

/**
 * dw_plants_draw() - the places of the plants, a block each
 * @blocks: of the disk; dw_plants_strata() is not 0
 * @seed: of the places; equal seeds give equal places, as a state file has the seed alone
 * @ret: an empty list
 *
 * Return: 0 or -ENOMEM.
 */
int dw_plants_draw(uint64_t blocks, uint64_t seed, struct dw_extents *ret);

/**
 * dw_plants_flood() - blocks beside the plants, spread over the disk, to be read before a disk
 *	compares itself, so that the plants are in its cache no more
 * @blocks, @plants: of dw_plants_draw()
 * @block_size: bytes
 * @ret: an empty list; it has no plant in it
 *
 * Together 1 GiB, or an eighth of the disk.
 *
 * Return: 0 or -ENOMEM.
 */
int dw_plants_flood(uint64_t blocks, uint32_t block_size, const struct dw_extents *plants,
		    struct dw_extents *ret);

/** dw_plants_flood_blocks() - how many that are, about. */
uint64_t dw_plants_flood_blocks(uint64_t blocks, uint32_t block_size);

/**
 * dw_plants_alter() - make a plant of a block
 * @block, @size: its contents; each fourth plant, by its address, differs in one bit
 * @lba, @seed: of the plant
 */
void dw_plants_alter(uint8_t *block, uint32_t size, uint64_t lba, uint64_t seed);

/**
 * dw_plants_bound() - greatest share of its ranges that a disk can have skipped
 * @strata: of which every plant was found, >= 1
 *
 * A disk that skips a share f, not knowing where the plants are, escapes with a chance of at most
 * (1 - f)^strata: a stratum of which it skips f_i has its plant there with a chance of f_i, and the
 * product of (1 - f_i) is greatest when all are alike. Plants that follow on others do not count.
 *
 * Return: that share at DW_PLANTS_CONFIDENCE.
 */
double dw_plants_bound(uint32_t strata);

#endif
